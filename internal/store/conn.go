package store

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/redis/go-redis/v9/maintnotifications"
	"github.com/sony/gobreaker/v2"
)

// Bounds of what waiting for Redis may cost.
const (
	// dialTime is how long a new connection may take in the background, TLS
	// from far away too; no call waits longer for it than the call may last.
	dialTime = time.Second
	// callTime bounds one call. In a healthy network it takes about a
	// millisecond, a megabyte a few.
	callTime = 100 * time.Millisecond
	// pageTime bounds all calls of one page together, so that a Redis that
	// does not answer is hardly felt.
	pageTime = 140 * time.Millisecond
	// longTime bounds a call for a share that no page waits for: an operator
	// who takes one down may be far from the server.
	longTime = 5 * time.Second
	// leastTime is the rest of pageTime with which no call is begun.
	leastTime = 5 * time.Millisecond
	// poolTime bounds the wait for a free connection of poolSize.
	poolTime = 50 * time.Millisecond
	// poolSize is the number of connections to each server: more than the
	// requests that compute at once, few enough for the smallest Redis plans.
	poolSize = 40
	// trips is after how many failures in a row no call is made, and openTime
	// is how long; then one is tried.
	trips    = 3
	openTime = time.Second
)

// The uses of Redis, as metrics name them.
const (
	useOutcome = "outcome"
	useOrigin  = "origin"
	useLock    = "lock"
	useReport  = "report"
	useShare   = "share"
	usePing    = "ping"
)

var errBudget = errors.New("the page has waited for redis long enough")

// Conn is Redis as everything here sees it: each call has little time, and
// when several have failed in a row, the next are not made. Its methods are
// safe for concurrent use.
type Conn struct {
	client  redis.UniversalClient
	observe func(use, result string, took time.Duration)
	// Shares have a breaker of their own: they have more time, so they can
	// work where the rest gives up.
	rest, shares *gobreaker.CircuitBreaker[struct{}]
}

// quiet keeps the client's own lines out of the log; what it would say is in
// the metrics.
var quiet = sync.OnceFunc(logging.Disable)

// Dial makes the client for a URL: redis://, rediss:// (TLS) or unix://. With
// ?master_name= it asks Sentinels for the server, with ?addr= it is one of the
// nodes of a Cluster. It does not connect: a Redis that is away now is used
// when it comes. observe, when not nil, is told of every call: its use (such as "share"),
// its result (ok, miss, full, error, timeout, open, budget), and how long it took.
func Dial(rawURL string, observe func(use, result string, took time.Duration)) (*Conn, error) {
	quiet()
	client, err := newClient(rawURL)
	if err != nil {
		return nil, fmt.Errorf("redis url: %w", err)
	}
	if observe == nil {
		observe = func(string, string, time.Duration) {}
	}
	return &Conn{client: client, observe: observe, rest: newBreaker(), shares: newBreaker()}, nil
}

func newClient(rawURL string) (redis.UniversalClient, error) {
	u, err := url.Parse(rawURL)
	var bad *url.Error
	if errors.As(err, &bad) {
		return nil, bad.Err // the rest of it is the URL, with the password
	}
	if err != nil {
		return nil, err
	}
	noNotices := &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	switch q := u.Query(); {
	case q.Has("master_name"):
		o, err := redis.ParseFailoverURL(rawURL)
		if err != nil {
			return nil, err
		}
		o.Protocol, o.DisableIdentity, o.ContextTimeoutEnabled = 2, true, true
		o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.PoolTimeout = dialTime, longTime, longTime, poolTime
		o.DialerRetries, o.MaxRetries = 1, -1
		o.PoolSize = or(o.PoolSize, poolSize)
		return redis.NewFailoverClient(o), nil
	case q.Has("addr"):
		o, err := redis.ParseClusterURL(rawURL)
		if err != nil {
			return nil, err
		}
		o.Protocol, o.DisableIdentity, o.ContextTimeoutEnabled = 2, true, true
		o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.PoolTimeout = dialTime, longTime, longTime, poolTime
		o.DialerRetries, o.MaxRetries = 1, -1
		o.PoolSize = or(o.PoolSize, poolSize)
		o.MaintNotificationsConfig = noNotices
		return redis.NewClusterClient(o), nil
	}
	o, err := redis.ParseURL(rawURL)
	if err != nil {
		return nil, err
	}
	o.Protocol, o.DisableIdentity, o.ContextTimeoutEnabled = 2, true, true
	o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.PoolTimeout = dialTime, longTime, longTime, poolTime
	o.DialerRetries, o.MaxRetries = 1, -1
	o.PoolSize = or(o.PoolSize, poolSize)
	o.MaintNotificationsConfig = noNotices
	return redis.NewClient(o), nil
}

// or gives the first number that is not 0.
func or(n, fallback int) int {
	if n != 0 {
		return n
	}
	return fallback
}

func newBreaker() *gobreaker.CircuitBreaker[struct{}] {
	return gobreaker.NewCircuitBreaker[struct{}](gobreaker.Settings{
		Timeout:      openTime,
		ReadyToTrip:  func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= trips },
		IsSuccessful: func(err error) bool { return err == nil || answered(err) },
		// A page that gave up, and a crowd of them, say nothing about Redis.
		IsExcluded: func(err error) bool { return errors.Is(err, context.Canceled) || errors.Is(err, redis.ErrPoolTimeout) },
	})
}

// answered says whether an error is the answer of a server that is well.
func answered(err error) bool {
	return errors.Is(err, redis.Nil) || redis.IsOOMError(err) || redis.HasErrorPrefix(err, "WRONGTYPE")
}

// Do makes one call for a use. It gives the call's error, or one of its own
// when Redis is not asked: after several failures, or since the page has
// waited long enough (see [Budget]).
func (c *Conn) Do(ctx context.Context, use string, call func(context.Context, redis.UniversalClient) error) error {
	limit, breaker := callTime, c.rest
	if use == useShare {
		limit, breaker = longTime, c.shares
	}
	b, _ := ctx.Value(budgetKey{}).(*budget)
	if b != nil {
		if limit = min(limit, b.left()); limit < leastTime {
			c.observe(use, "budget", 0)
			return errBudget
		}
	}
	start := time.Now()
	_, err := breaker.Execute(func() (struct{}, error) {
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		return struct{}{}, call(ctx, c.client)
	})
	took := time.Since(start)
	if b != nil {
		b.spent.Add(int64(took))
	}
	if !errors.Is(err, context.Canceled) {
		c.observe(use, result(err), took)
	}
	return err
}

// result names how a call ended.
func result(err error) string {
	var wait net.Error
	switch {
	case err == nil:
		return "ok"
	case errors.Is(err, redis.Nil):
		return "miss"
	case redis.IsOOMError(err):
		return "full"
	case errors.Is(err, gobreaker.ErrOpenState), errors.Is(err, gobreaker.ErrTooManyRequests):
		return "open"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &wait) && wait.Timeout():
		return "timeout"
	}
	return "error"
}

// Ping asks whether Redis answers.
func (c *Conn) Ping(ctx context.Context) error {
	return c.Do(ctx, usePing, func(ctx context.Context, r redis.UniversalClient) error { return r.Ping(ctx).Err() })
}

// Close ends all connections.
func (c *Conn) Close() error { return c.client.Close() }

// budget is the time that one page has spent on Redis.
type budget struct{ spent atomic.Int64 }

func (b *budget) left() time.Duration { return pageTime - time.Duration(b.spent.Load()) }

type budgetKey struct{}

// Budget gives a context whose calls to Redis may take 140 ms together. The
// server gives each request one.
func Budget(ctx context.Context) context.Context {
	return context.WithValue(ctx, budgetKey{}, new(budget))
}
