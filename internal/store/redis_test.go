package store

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

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
