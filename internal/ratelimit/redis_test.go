package ratelimit

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"github.com/whichrule/whichrule/internal/testkit"
)

// conn runs every call.
type conn struct{ redis.UniversalClient }

func (c conn) Do(ctx context.Context, use string, call func(context.Context, redis.UniversalClient) error) error {
	if use != "limit" {
		return fmt.Errorf("got use %q; want limit", use)
	}
	return call(ctx, c.UniversalClient)
}

func dial(t *testing.T, r *testkit.RedisServer) conn {
	c := redis.NewClient(&redis.Options{Addr: r.Addr(), MaxRetries: -1, DialerRetries: 1})
	t.Cleanup(func() { c.Close() })
	return conn{c}
}

// onRedis is a Limiter on servers that hold nothing at first. Memory must not help it.
func onRedis(t *testing.T, c Conn, servers ...*testkit.RedisServer) (Limiter, func(time.Duration)) {
	for _, s := range servers {
		s.Command("FLUSHALL")
	}
	l := &Redis{Conn: c}
	t.Cleanup(func() {
		if n := len(l.memory.clients); n > 0 {
			t.Errorf("memory decided for %d clients; want Redis to", n)
		}
	})
	return l, func(d time.Duration) {
		for _, s := range servers {
			s.Command("EVAL", older, "0", strconv.FormatInt(d.Milliseconds()+1, 10))
		}
	}
}

// older lets milliseconds pass for all that a server holds.
const older = `
for _, key in ipairs(redis.call('KEYS', 'whichrule:limit:*')) do
	local s, n = string.match(redis.call('GET', key), '(%d+)%.(%d+)')
	local ttl = redis.call('PTTL', key) - ARGV[1]
	n = n - ARGV[1] % 1000 * 1e6
	s = s - math.floor(ARGV[1] / 1000) + math.floor(n / 1e9)
	if ttl > 0 then
		redis.call('SET', key, string.format('%d.%09d', s, n % 1e9), 'PX', ttl)
	else
		redis.call('DEL', key)
	end
end`

func TestRedis(t *testing.T) {
	server := testkit.Redis(t)
	c := dial(t, server)
	testLimiter(t, func(t *testing.T) (Limiter, func(time.Duration)) { return onRedis(t, c, server) })
}

func TestRedisCluster(t *testing.T) {
	cluster := testkit.RedisCluster(t)
	options, err := redis.ParseClusterURL(cluster.URL())
	if err != nil {
		t.Fatal(err)
	}
	c := redis.NewClusterClient(options)
	t.Cleanup(func() { c.Close() })
	testLimiter(t, func(t *testing.T) (Limiter, func(time.Duration)) { return onRedis(t, conn{c}, cluster.Nodes...) })
}

// The script and the function give the same answers and keep the same time, whatever comes when.
func TestRedisCountsAsMemory(t *testing.T) {
	source := gcraSource
	for _, change := range []struct{ from, to string }{
		{"redis.call('TIME')", "{ARGV[5], ARGV[6]}"}, // a clock that can be set
		{", 'PX', math.ceil(next / 1e6)", ""},        // which says nothing about when a key goes
	} {
		if !strings.Contains(source, change.from) {
			t.Fatalf("no %q in the script", change.from)
		}
		source = strings.Replace(source, change.from, change.to, 1)
	}
	script := redis.NewScript(source)
	c := dial(t, testkit.Redis(t))

	for _, perMinute := range []int{1, 7, 10, 20, 61, 240, 9999, 1_000_000, 120e9} {
		t.Run(fmt.Sprint(perMinute), func(t *testing.T) {
			r := Rate{PerMinute: perMinute}
			key := fmt.Sprint("whichrule:limit:{test:", perMinute, "}")
			rnd := rand.New(rand.NewPCG(2, uint64(perMinute)))
			now, free := start, time.Time{}
			for i := range 300 {
				now = now.Add(time.Duration(rnd.Int64N(int64(2 * r.interval())))).Truncate(time.Microsecond)
				switch rnd.IntN(50) {
				case 0:
					now = now.Add(time.Duration(r.burst()) * r.interval()).Truncate(time.Microsecond)
				case 1:
					r.PerMinute = max(r.PerMinute/2, 1)
				}
				var want Result
				want, free = gcra(now, free, r)
				got, err := run(t.Context(), c, script, key, r, true, now.Unix(), now.Nanosecond()/1000)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("request %d at %v (-gcra +script):\n%s", i, now, diff)
				}
				kept := fmt.Sprintf("%d.%09d", free.Unix(), free.Nanosecond())
				if got := c.Get(t.Context(), key).Val(); got != kept {
					t.Fatalf("request %d at %v: got %s kept; want %s", i, now, got, kept)
				}
			}
		})
	}
}

// Instances count together, and what is used up goes from Redis when it has been given back.
func TestRedisIsShared(t *testing.T) {
	server := testkit.Redis(t)
	a, b := &Redis{Conn: dial(t, server)}, &Redis{Conn: dial(t, server)}
	for i, l := range []*Redis{a, b, a, b, a, b} {
		res, err := l.Allow(t.Context(), "fetches", "192.0.2.1", Rate{PerMinute: 20})
		if want := i < 5; err != nil || res.OK != want {
			t.Errorf("request %d: got %+v, %v; want OK %v", i+1, res, err, want)
		}
	}
	ttl, err := strconv.Atoi(server.Command("PTTL", a.name("fetches", "192.0.2.1")))
	if err != nil || ttl <= 0 || ttl > 15_000 {
		t.Errorf("got a key for %d ms, %v; want at most the 15 s until all is given back", ttl, err)
	}
	if all := server.Command("KEYS", "*"); strings.Contains(all, "192.0.2.1") {
		t.Errorf("got %q; want no address of a client", all)
	}
	if other := (&Redis{Secret: "other"}).name("fetches", "192.0.2.1"); other == a.name("fetches", "192.0.2.1") {
		t.Errorf("got %s with another secret, too", other)
	}
	if got := server.Command("DBSIZE"); got != "1" {
		t.Errorf("got %s keys; want 1", got)
	}
}

// Whatever lies under a client's key, the client is limited from the next request on, and Redis counts.
func TestRedisMendsValues(t *testing.T) {
	key := (&Redis{}).name("fetches", "a")
	for _, tt := range []struct {
		name string
		set  []string
	}{
		{"another type", []string{"RPUSH", key, "1", "2"}},
		{"no number", []string{"SET", key, "v2:abc"}},
		{"nothing", []string{"SET", key, ""}},
		{"a number of another kind", []string{"SET", key, "1767323045000000"}},
		{"seconds of another kind", []string{"SET", key, "1767323045000.000000000"}},
		{"a time that no rate gives", []string{"SET", key, "9999999999.000000000"}},
		{"a time long ago", []string{"SET", key, "1000000000.000000000"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := testkit.Redis(t)
			server.Command(tt.set...)
			l := &Redis{Conn: dial(t, server)}
			for want := 4; want >= 0; want-- {
				if res, err := l.Allow(t.Context(), "fetches", "a", Rate{PerMinute: 20}); !res.OK || res.Remaining != want {
					t.Errorf("got %+v, %v; want OK and %d more", res, err, want)
				}
			}
			if res, _ := l.Allow(t.Context(), "fetches", "a", Rate{PerMinute: 20}); res.OK {
				t.Error("no limit after that")
			}
			if len(l.memory.clients) > 0 {
				t.Error("memory counted; want Redis to")
			}
		})
	}
}

// A Redis that cannot count never means no limit.
func TestRedisFails(t *testing.T) {
	limited := func(t *testing.T, l *Redis) {
		t.Helper()
		ok := 0
		for range 20 {
			res, err := l.Allow(t.Context(), "shares", "a", Rate{PerMinute: 1})
			if err != nil {
				t.Fatal(err)
			}
			if res.OK {
				ok++
			}
		}
		if ok != 5 {
			t.Errorf("got %d of 20; want 5", ok)
		}
	}

	t.Run("killed, and back", func(t *testing.T) {
		server := testkit.Redis(t)
		c := dial(t, server)
		l := &Redis{Conn: c}
		l.Allow(t.Context(), "shares", "a", Rate{PerMinute: 1})
		server.Kill()
		limited(t, l)
		server.Start()
		for c.Ping(t.Context()).Err() != nil { // the client looks once a second
			time.Sleep(10 * time.Millisecond)
		}
		limited(t, l) // it forgot, for want of a file, and does not know the script
		if got := server.Command("DBSIZE"); got != "1" {
			t.Errorf("got %s keys once it is back; want Redis to count", got)
		}
	})
	t.Run("full", func(t *testing.T) {
		server := testkit.Redis(t, "--maxmemory", "1", "--maxmemory-policy", "noeviction")
		limited(t, &Redis{Conn: dial(t, server)})
	})
	t.Run("no scripts", func(t *testing.T) {
		server := testkit.Redis(t, "--rename-command", "EVAL", "", "--rename-command", "EVALSHA", "")
		limited(t, &Redis{Conn: dial(t, server)})
	})
	t.Run("a breaker", func(t *testing.T) { limited(t, &Redis{Conn: broken{}}) })
}

// broken lets no call through.
type broken struct{}

func (broken) Do(context.Context, string, func(context.Context, redis.UniversalClient) error) error {
	return errors.New("open")
}
