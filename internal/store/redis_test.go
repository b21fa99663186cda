package store

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/whichrule/whichrule/internal/fetch"
	"github.com/whichrule/whichrule/internal/tester"
	"github.com/whichrule/whichrule/internal/testkit"
)

func TestRedis(t *testing.T) {
	server := testkit.Redis(t)
	testRedis(t, server.URL(), server)
}

func TestRedisCluster(t *testing.T) {
	cluster := testkit.RedisCluster(t)
	testRedis(t, cluster.URL(), cluster.Nodes...)
}

func TestRedisSentinel(t *testing.T) {
	s := testkit.RedisSentinel(t)
	testRedis(t, s.URL(), s.Master)
}

// testRedis has a store on the Redis at that URL pass the suite.
func testRedis(t *testing.T, url string, nodes ...*testkit.RedisServer) {
	testStore(t, func(t *testing.T, test func(*testing.T, backend)) {
		for _, n := range nodes {
			n.Command("CONFIG", "SET", "maxmemory", "0")
			n.Command("FLUSHALL")
		}
		r := openRedis(t, url)
		test(t, backend{
			Outcomes: r, Reports: r, Shares: r, rest: r,
			pass:   r.pass,
			settle: settle,
			spoil:  r.spoil,
			fill: func() {
				for _, n := range nodes {
					n.Command("CONFIG", "SET", "maxmemory", "1")
				}
			},
		})
	})
}

// redisStore is a store without jitter, with a clock that can be moved.
type redisStore struct {
	*Redis
	t     *testing.T
	ahead atomic.Int64
}

func openRedis(t *testing.T, url string) *redisStore {
	t.Helper()
	conn, err := Dial(url, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	s := &redisStore{t: t}
	s.Redis = NewRedis(conn, func() time.Time { return time.Now().Add(time.Duration(s.ahead.Load())) })
	s.near.jitter = func() float64 { return 0 }
	return s
}

// pass moves the process's clock and brings the end of every key nearer.
func (s *redisStore) pass(d time.Duration) {
	s.ahead.Add(int64(d))
	s.each(func(ctx context.Context, c *redis.Client, key string) {
		left := c.PTTL(ctx, key).Val()
		if left < 0 {
			s.t.Errorf("%s: never ends", key)
		}
		c.PExpire(ctx, key, left-d)
	})
}

// spoil changes every value, in Redis and in the process.
func (s *redisStore) spoil(change func([]byte) []byte) {
	s.near.spoil(change)
	s.each(func(ctx context.Context, c *redis.Client, key string) {
		b, err := c.Get(ctx, key).Bytes()
		if err == nil {
			err = c.Set(ctx, key, change(b), redis.KeepTTL).Err()
		}
		if err != nil {
			s.t.Errorf("spoil %s: %v", key, err)
		}
	})
}

// each calls do with every key.
func (s *redisStore) each(do func(ctx context.Context, c *redis.Client, key string)) {
	s.t.Helper()
	ctx := context.Background()
	node := func(ctx context.Context, c *redis.Client) error {
		keys, err := c.Keys(ctx, "*").Result()
		for _, key := range keys {
			do(ctx, c, key)
		}
		return err
	}
	var err error
	switch c := s.conn.client.(type) {
	case *redis.ClusterClient:
		var one sync.Mutex
		err = c.ForEachMaster(ctx, func(ctx context.Context, c *redis.Client) error {
			one.Lock()
			defer one.Unlock()
			return node(ctx, c)
		})
	case *redis.Client:
		err = node(ctx, c)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// settle returns when every goroutine of this package waits for another one,
// and none for Redis.
func settle() {
	buf := make([]byte, 8<<20)
	for calm := 0; calm < 2; time.Sleep(time.Millisecond) {
		calm++
		for _, g := range strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n")[1:] {
			state, _, _ := strings.Cut(g, ":")
			waits := strings.Contains(state, "[select") || strings.Contains(state, "[chan ")
			if strings.Contains(g, "whichrule/internal/store.") && (!waits || strings.Contains(g, "redis/go-redis")) {
				calm = 0
			}
		}
	}
}

// Two processes on one Redis are as one.
func TestRedisShared(t *testing.T) {
	ctx := context.Background()
	server := testkit.Redis(t)
	open := func(t *testing.T) (a, b *redisStore) {
		server.Command("FLUSHALL")
		return openRedis(t, server.URL()), openRedis(t, server.URL())
	}

	t.Run("outcomes, results and shares", func(t *testing.T) {
		a, b := open(t)
		s := &site{name: "a"}
		if got := s.fresh(t, backend{Outcomes: a}, false); got != "a-1" {
			t.Errorf("by the first: got %s; want a-1", got)
		}
		if got := s.fresh(t, backend{Outcomes: b}, false); got != "a-1" {
			t.Errorf("by the second: got %s; want a-1", got)
		}
		if got := s.fresh(t, backend{Outcomes: b}, true); got != "a-2" {
			t.Errorf("again by the second: got %s; want a-2", got)
		}
		if got := s.fresh(t, backend{Outcomes: a}, false); got != "a-2" {
			t.Errorf("by the first afterwards: got %s; want a-2", got)
		}
		for _, id := range []string{"a-1", "a-2"} {
			if _, err := b.Outcome(ctx, id); err != nil {
				t.Errorf("outcome %s: %v", id, err)
			}
		}
		if got := s.fresh(t, backend{Outcomes: a}, true); got != "a-2 held: again" {
			t.Errorf("again by the first, too: got %s; want a-2, held", got)
		}
		a.pass(time.Hour)
		b.ahead.Add(int64(time.Hour))
		busy := func(context.Context) (*fetch.Outcome, error) { return nil, &tester.BusyError{Domain: "example.com"} }
		for _, r := range []*redisStore{a, b} {
			if got := ask(ctx, backend{Outcomes: r}, false, busy); got.err != nil || got.o.ID != "a-2" || got.held != tester.HeldDomain {
				t.Errorf("a busy domain: got %+v; want a-2, held", got)
			}
		}
		a.PutReport(ctx, "k", report(t))
		got, err := b.Report(ctx, "k")
		if err != nil {
			t.Fatal(err)
		}
		same(t, "report", got, report(t))
		if _, err := a.Create(ctx, shared(t, "s", "n")); err != nil {
			t.Fatal(err)
		}
		again, err := b.Create(ctx, shared(t, "other", "n"))
		if err != nil {
			t.Fatal(err)
		}
		same(t, "the second click", again, shared(t, "s", "n"))
		if err := b.Delete(ctx, "s"); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Share(ctx, "s"); !errors.Is(err, tester.ErrDeleted) {
			t.Errorf("after a delete: got %v; want %v", err, tester.ErrDeleted)
		}
	})

	for _, tt := range []struct {
		name  string
		again bool
	}{{"200 callers of both make one load", false}, {"200 who want it again make one load", true}} {
		t.Run(tt.name, func(t *testing.T) {
			a, b := open(t)
			s := &site{name: "a"}
			if tt.again {
				s.fresh(t, backend{Outcomes: a}, false)
			}
			before := s.loads.Load()
			s.gate = make(chan struct{})
			answers := make(chan answer)
			for i := range 200 {
				of := backend{Outcomes: []*redisStore{a, b}[i%2]}
				go func() { answers <- ask(ctx, of, tt.again, s.load) }()
			}
			for s.loads.Load() == before {
				time.Sleep(time.Millisecond)
			}
			settle()
			close(s.gate)
			want := fmt.Sprintf("a-%d", before+1)
			for range 200 {
				if a := <-answers; a.err != nil || a.o.ID != want {
					t.Fatalf("got %+v; want %s", a, want)
				}
			}
			if got := s.loads.Load() - before; got != 1 {
				t.Errorf("got %d loads; want 1", got)
			}
		})
	}

	t.Run("an error of a load is the other process's no more than another caller's", func(t *testing.T) {
		a, b := open(t)
		gate := make(chan struct{})
		first := make(chan answer)
		go func() {
			first <- ask(ctx, backend{Outcomes: a}, false, func(context.Context) (*fetch.Outcome, error) {
				<-gate
				return nil, errors.New("too many fetches")
			})
		}()
		for server.Command("EXISTS", lockKey("a")) != "1" {
			time.Sleep(time.Millisecond)
		}
		second := make(chan answer)
		s := &site{name: "a"}
		go func() { second <- ask(ctx, backend{Outcomes: b}, false, s.load) }()
		close(gate)
		if a := <-first; a.err == nil {
			t.Errorf("whose load it was: got %+v; want its error", a)
		}
		if a := <-second; a.err != nil || a.o.ID != "a-1" {
			t.Errorf("the other: got %+v; want a-1 by a load of its own", a)
		}
	})

	t.Run("a lock outlives a process that dies by seconds", func(t *testing.T) {
		a, _ := open(t)
		server.Command("SET", lockKey("a"), "dead", "PX", "300")
		s := &site{name: "a"}
		if got := s.fresh(t, backend{Outcomes: a}, false); got != "a-1" {
			t.Errorf("got %s; want a-1", got)
		}
		if left := server.Command("PTTL", lockKey("b")); left != "-2" {
			t.Errorf("another lock: got %s ms; want none", left)
		}
	})

	t.Run("a lock is held as long as the load runs, and then given back", func(t *testing.T) {
		a, b := open(t)
		s := &site{name: "a", gate: make(chan struct{})}
		done := make(chan answer)
		go func() { done <- ask(ctx, backend{Outcomes: a}, false, s.load) }()
		for server.Command("EXISTS", lockKey("a")) != "1" {
			time.Sleep(time.Millisecond)
		}
		// Nearly over: the holder puts it off.
		server.Command("PEXPIRE", lockKey("a"), "1500")
		for left := 0; left <= 1500; time.Sleep(10 * time.Millisecond) {
			left, _ = strconv.Atoi(server.Command("PTTL", lockKey("a")))
			if left < 0 {
				t.Fatal("the lock ended while the load ran")
			}
		}
		close(s.gate)
		<-done
		if got := server.Command("EXISTS", lockKey("a")); got != "0" {
			t.Error("the lock is still there after the load")
		}
		if got := s.fresh(t, backend{Outcomes: b}, false); got != "a-1" {
			t.Errorf("got %s; want a-1", got)
		}
	})
}

// Keys that hold something else than a value of ours are as good as none, and
// what can be written in their place is.
func TestRedisWrongType(t *testing.T) {
	ctx := context.Background()
	server := testkit.Redis(t)
	b := openRedis(t, server.URL())
	for _, key := range []string{
		outcomeKey("a-1"), originKey("a"), lastKey("a"), goodKey("a"), lockKey("a"), keys + reportKey + "k", keys + resultKey + "k",
		shareKey("s"), nonceKey("n"),
	} {
		server.Command("RPUSH", key, "x")
	}
	if _, err := b.Outcome(ctx, "a-1"); !errors.Is(err, tester.ErrNotFound) {
		t.Errorf("outcome: got %v; want %v", err, tester.ErrNotFound)
	}
	s := &site{name: "a"}
	if got := s.fresh(t, backend{Outcomes: b}, false); got != "a-1" {
		t.Errorf("fresh: got %s; want a-1", got)
	}
	if got := s.fresh(t, backend{Outcomes: openRedis(t, server.URL())}, false); got != "a-1" {
		t.Errorf("fresh, by another process: got %s; want a-1, written over", got)
	}
	if _, err := b.LastGood(ctx, "a"); err != nil {
		t.Errorf("last good copy: %v", err)
	}
	if _, err := b.Report(ctx, "k"); !errors.Is(err, tester.ErrNotFound) {
		t.Errorf("report: got %v; want %v", err, tester.ErrNotFound)
	}
	if _, err := b.Result(ctx, "k"); !errors.Is(err, tester.ErrNotFound) {
		t.Errorf("result: got %v; want %v", err, tester.ErrNotFound)
	}
	if _, err := b.Share(ctx, "s"); !errors.Is(err, tester.ErrNotFound) {
		t.Errorf("share: got %v; want %v", err, tester.ErrNotFound)
	}
	if made, err := b.Create(ctx, shared(t, "t", "n")); err != nil || made.ID != "t" {
		t.Errorf("create: got %v, %v; want it", made, err)
	}
	if made, err := b.Create(ctx, shared(t, "u", "n")); err != nil || made.ID != "t" {
		t.Errorf("create again: got %v, %v; want the first", made, err)
	}
}

// A full Redis takes nothing more, and the process remembers by itself what it
// has fetched.
func TestRedisFull(t *testing.T) {
	server := testkit.Redis(t, "--maxmemory", "1", "--maxmemory-policy", "noeviction")
	r := openRedis(t, server.URL())
	b, s := backend{Outcomes: r}, &site{name: "a"}
	for i, want := range []string{"a-1", "a-1", "a-2", "a-2 held: again"} {
		if got := s.fresh(t, b, i >= 2); got != want {
			t.Errorf("call %d: got %s; want %s", i+1, got, want)
		}
	}
	r.ahead.Add(int64(6 * time.Minute))
	busy := func(context.Context) (*fetch.Outcome, error) { return nil, &tester.BusyError{Domain: "example.com"} }
	if got := ask(context.Background(), b, false, busy); got.err != nil || got.o.ID != "a-2" || got.held != tester.HeldDomain {
		t.Errorf("a busy domain: got %+v; want a-2, held", got)
	}
	if got := s.fresh(t, b, false); got != "a-3" {
		t.Errorf("minutes later: got %s; want a-3", got)
	}
}

// Without Redis, the process serves from its own memory, and says of shares
// that it cannot tell.
func TestRedisAway(t *testing.T) {
	ctx := context.Background()
	server := testkit.Redis(t)
	r := openRedis(t, server.URL())
	b := backend{Outcomes: r}
	held, cold := &site{name: "a"}, &site{name: "b"}
	held.fresh(t, b, false)
	r.PutReport(ctx, "k", report(t))
	if _, err := r.Create(ctx, shared(t, "s", "n")); err != nil {
		t.Fatal(err)
	}
	server.Kill()

	if got := held.fresh(t, b, false); got != "a-1" {
		t.Errorf("an origin that was fetched: got %s; want a-1", got)
	}
	for _, want := range []string{"a-2", "a-2 held: again"} {
		if got := held.fresh(t, b, true); got != want {
			t.Errorf("again: got %s; want %s", got, want)
		}
	}
	for range 2 {
		if got := cold.fresh(t, b, false); got != "b-1" {
			t.Errorf("another origin: got %s; want b-1", got)
		}
	}
	if _, err := r.LastGood(ctx, "a"); err != nil {
		t.Errorf("last good copy: %v", err)
	}
	if _, err := r.Report(ctx, "k"); err != nil {
		t.Errorf("report: %v", err)
	}
	_, err := r.Share(ctx, "s")
	_, createErr := r.Create(ctx, shared(t, "u", "m"))
	for _, err := range []error{err, createErr, r.Delete(ctx, "s")} {
		if !errors.Is(err, tester.ErrUnavailable) {
			t.Errorf("share, create, delete: got %v; want %v", err, tester.ErrUnavailable)
		}
	}
	busy := func(context.Context) (*fetch.Outcome, error) { return nil, &tester.BusyError{Domain: "example.com"} }
	r.ahead.Add(int64(time.Hour))
	if got := ask(ctx, b, false, busy); got.err != nil || got.o.ID != "a-2" || got.held != tester.HeldDomain {
		t.Errorf("a busy domain: got %+v; want a-2, held", got)
	}
}
