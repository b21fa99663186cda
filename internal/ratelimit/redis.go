package ratelimit

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// longest is the furthest ahead that any rate without a burst of its own puts the point in time: five uses of one a
// minute.
const longest = leastBurst * time.Minute

//go:embed gcra.lua
var gcraSource string

// gcraScript is gcra on the server, so that no two instances count the same use.
var gcraScript = redis.NewScript(gcraSource)

// Conn runs calls on Redis and says why one failed. It bounds the time that a call takes. The use is a name for
// metrics.
type Conn interface {
	Do(ctx context.Context, use string, call func(context.Context, redis.UniversalClient) error) error
}

// Redis is a [Limiter] for all processes that use the same Redis. It counts by the clock of Redis, so theirs need not
// agree. While Redis cannot be used, each process counts for itself, from nothing. It needs a Conn and is ready.
type Redis struct {
	Conn Conn
	// Secret scrambles the keys of clients, since what Redis holds may reach a disk. Instances that count together have
	// the same one.
	Secret string

	memory Memory
}

// Allow implements [Limiter]. It never fails.
func (l *Redis) Allow(ctx context.Context, name, key string, r Rate) (Result, error) {
	if r.PerMinute <= 0 {
		return unlimited, nil
	}
	res, err := l.ask(ctx, name, key, r, true)
	if err != nil {
		return l.memory.Allow(ctx, name, key, r)
	}
	return res, nil
}

// Wait implements [Limiter]. It never fails.
func (l *Redis) Wait(ctx context.Context, name, key string, r Rate) (time.Duration, error) {
	if r.PerMinute <= 0 {
		return 0, nil
	}
	res, err := l.ask(ctx, name, key, r, false)
	if err != nil {
		return l.memory.Wait(ctx, name, key, r)
	}
	return res.RetryAfter, nil
}

// ask asks Redis.
func (l *Redis) ask(ctx context.Context, name, key string, r Rate, count bool) (res Result, err error) {
	err = l.Conn.Do(ctx, "limit", func(ctx context.Context, c redis.UniversalClient) (err error) {
		res, err = run(ctx, c, gcraScript, l.name(name, key), r, count)
		return err
	})
	return res, err
}

// name gives the name in Redis of what a client has used.
func (l *Redis) name(name, key string) string {
	h := hmac.New(sha256.New, []byte(l.Secret))
	h.Write([]byte(key))
	return "whichrule:limit:{" + name + ":" + hex.EncodeToString(h.Sum(nil)[:16]) + "}"
}

// run runs the script, with more arguments for tests.
func run(ctx context.Context, c redis.Scripter, script *redis.Script, key string, r Rate, count bool, more ...any) (Result, error) {
	furthest := max(longest, time.Duration(r.burst())*r.interval())
	args := append([]any{r.interval().Nanoseconds(), r.burst(), furthest.Nanoseconds(), count}, more...)
	got, err := script.Run(ctx, c, []string{key}, args...).Int64Slice()
	if err != nil {
		return Result{}, err
	}
	if len(got) != 2 {
		return Result{}, fmt.Errorf("count in redis: got %d numbers, want 2", len(got))
	}
	wait, remaining := time.Duration(got[0]), int(got[1])
	return Result{OK: wait == 0, RetryAfter: wait, Remaining: remaining}, nil
}
