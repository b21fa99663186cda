package store

import (
	"context"
	crand "crypto/rand"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/whichrule/whichrule/internal/fetch"
	"github.com/whichrule/whichrule/internal/tester"
)

const (
	// nearLife is how long a process serves by itself what it has read from
	// Redis: values do not change, this is only about room.
	nearLife = 5 * time.Minute
	// maxName bounds ids and keys that are looked up, in bytes; ours are far
	// shorter.
	maxName = 512
	// lockLife is how long a fetch lock outlives a process that dies; who
	// holds it renews it three times as often.
	lockLife = 3 * time.Second
	// lockWait is how often it is looked whether the process that holds a lock
	// has finished.
	lockWait = 50 * time.Millisecond
	// lockFailures is after how many looks in a row that fail the lock is
	// given up.
	lockFailures = 2
	// lockPatience bounds that wait: what holds a lock for longer than a load
	// may take is no process of ours.
	lockPatience = 10 * time.Second
)

// errLocked says that another process holds a lock.
var errLocked = errors.New("locked")

// Redis keeps everything in Redis, so that any number of processes share it
// and it outlives them. It implements [tester.Outcomes], [tester.Reports] and
// [tester.Shares].
//
// Where Redis fails, the memory of the process serves instead, and nobody
// hears of it. Shares are the exception: for them Redis is the only place, and
// the error wraps [tester.ErrUnavailable].
//
// A value that cannot be decoded, say of another version, is as good as none.
type Redis struct {
	conn *Conn
	near *Memory // a cache of outcomes and results, and what serves without Redis
}

// NewRedis gives a store on that connection that tells the time by now.
func NewRedis(conn *Conn, now func() time.Time) *Redis {
	return &Redis{conn: conn, near: NewMemory(now)}
}

// The names of keys. What is used together has the same hash tag, {...}, so
// that it is on one node of a Cluster.
const keys = "whichrule:"

func outcomeKey(id string) string  { return keys + "outcome:{" + id + "}" }
func originKey(o string) string    { return keys + "origin:{" + o + "}" }
func goodKey(origin string) string { return keys + "good:{" + origin + "}" }
func lastKey(origin string) string { return keys + "last:{" + origin + "}" }
func againKey(o string) string     { return keys + "again:{" + o + "}" }
func lockKey(origin string) string { return keys + "lock:{" + origin + "}" }

// get gives a value; [redis.Nil] when there is none.
func (r *Redis) get(ctx context.Context, use, key string) (data []byte, err error) {
	if len(key) > maxName {
		return nil, redis.Nil
	}
	err = r.conn.Do(ctx, use, func(ctx context.Context, c redis.UniversalClient) (err error) {
		data, err = c.Get(ctx, key).Bytes()
		return err
	})
	return data, err
}

// once has a crowd that looks for one thing look once, or it would wait for
// connections to Redis.
func (r *Redis) once(ctx context.Context, key string, look func(context.Context) []byte) []byte {
	got, _ := r.near.flights.do(ctx, key, func(ctx context.Context) (loaded, error) { return loaded{data: look(ctx)}, nil })
	return got.data
}

// Outcome gives the outcome with that id, or [tester.ErrNotFound].
func (r *Redis) Outcome(ctx context.Context, id string) (*fetch.Outcome, error) {
	data := r.outcome(ctx, id)
	if data == nil {
		return nil, tester.ErrNotFound
	}
	o, err := r.near.codec.decodeOutcome(data)
	if err != nil {
		return nil, tester.ErrNotFound
	}
	return o, nil
}

// outcome gives an encoded outcome, or nil.
func (r *Redis) outcome(ctx context.Context, id string) []byte {
	if e, ok := r.near.outcomes.GetIfPresent(id); ok {
		return e.data
	}
	data, err := r.get(ctx, useOutcome, outcomeKey(id))
	if err != nil {
		return nil
	}
	r.near.outcomes.Set(id, entry{data: data, life: nearLife})
	return data
}

// Fresh gives the outcome that serves for the origin, or calls load once for
// all who wait for that origin, in this process or another; see
// [tester.Outcomes].
func (r *Redis) Fresh(ctx context.Context, origin string, again bool, load tester.Load) (*fetch.Outcome, tester.Held, error) {
	if !again {
		data := r.once(ctx, "held "+origin, func(ctx context.Context) []byte { return r.held(ctx, origin, "") })
		if data != nil {
			return r.near.codec.decodeFresh(loaded{data: data}, again)
		}
	}
	got, err := r.near.flights.do(ctx, "load "+origin, func(ctx context.Context) (loaded, error) {
		return r.load(ctx, origin, again, load)
	})
	if err != nil {
		return nil, "", err
	}
	return r.near.codec.decodeFresh(got, again)
}

// serves gives the id of the outcome that serves for the origin, or "". When
// Redis fails, or is full, the process's own memory tells. It does not where
// Redis has none any more: another process may have known a newer one.
func (r *Redis) serves(ctx context.Context, origin string) (id string) {
	data, err := r.get(ctx, useOrigin, originKey(origin))
	if err == nil {
		return string(data)
	}
	e, _ := r.near.origins.GetIfPresent(origin)
	if answered(err) && !e.only {
		return ""
	}
	return string(e.data)
}

// spent says whether the origin was fetched again within [tester.AgainAfter],
// by this process or, as far as Redis tells, by another one.
func (r *Redis) spent(ctx context.Context, origin string) bool {
	if _, spent := r.near.agains.GetIfPresent(origin); spent {
		return true
	}
	_, err := r.get(ctx, useOrigin, againKey(origin))
	return err == nil
}

// held gives the encoded outcome that serves for the origin, unless it has the
// id before; or nil.
func (r *Redis) held(ctx context.Context, origin, before string) []byte {
	id := r.serves(ctx, origin)
	if id == "" || id == before {
		return nil
	}
	return r.readable(ctx, id)
}

// readable gives an encoded outcome that can be decoded, or nil.
func (r *Redis) readable(ctx context.Context, id string) []byte {
	data := r.outcome(ctx, id)
	if _, err := r.near.codec.decodeOutcome(data); err != nil {
		return nil
	}
	return data
}

// load loads an outcome under the lock of its origin, or gives one that
// another process has loaded meanwhile.
func (r *Redis) load(ctx context.Context, origin string, again bool, load tester.Load) (loaded, error) {
	before := "" // the outcome that does not serve
	if again {
		// In this order, and the other one in keep: whoever sees a new outcome
		// sees that it was fetched again.
		before = r.serves(ctx, origin)
		if r.spent(ctx, origin) {
			if data := r.held(ctx, origin, ""); data != nil {
				return loaded{data, tester.HeldAgain}, nil
			}
			again, before = false, ""
		}
	}
	release, err := r.lock(ctx, origin)
	for err != nil {
		data, gone, waitErr := r.wait(ctx, origin, before)
		if data != nil || waitErr != nil {
			return loaded{data: data}, waitErr
		}
		if !gone {
			break // whatever holds it: better two fetches than none
		}
		release, err = r.lock(ctx, origin)
	}
	if release != nil {
		defer release()
	}
	// Who held the lock before may have finished since the last look.
	if data := r.held(ctx, origin, before); data != nil {
		return loaded{data: data}, nil
	}
	o, err := load(ctx)
	if err != nil {
		if busy(err) {
			if last := r.last(ctx, origin); last != nil {
				return loaded{last, tester.HeldDomain}, nil
			}
		}
		return loaded{}, err
	}
	data, err := r.keep(ctx, origin, again, o)
	return loaded{data: data}, err
}

// last gives the encoded last outcome of an origin, or nil. Where Redis has
// none, since it fails or is full, the process's own memory tells.
func (r *Redis) last(ctx context.Context, origin string) []byte {
	id, err := r.get(ctx, useOrigin, lastKey(origin))
	if err != nil {
		return r.near.readable(r.near.lasts, origin)
	}
	return r.readable(ctx, string(id))
}

// lock takes the lock of an origin and holds it until release is called; the
// error is errLocked when another process holds it. Without Redis there is
// nothing to hold: one fetch at a time for each process is what is left.
func (r *Redis) lock(ctx context.Context, origin string) (release func(), err error) {
	key, token, set := lockKey(origin), crand.Text(), true
	err = r.conn.Do(ctx, useLock, func(ctx context.Context, c redis.UniversalClient) (err error) {
		set, err = c.SetNX(ctx, key, token, lockLife).Result()
		return err
	})
	switch {
	case err != nil:
		return nil, nil
	case !set:
		return nil, errLocked
	}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		renew := time.NewTicker(lockLife / 3)
		defer renew.Stop()
		for {
			select {
			case <-renew.C:
				_ = r.ifHeld(context.WithoutCancel(Budget(ctx)), key, token, "PEXPIRE", lockLife.Milliseconds())
			case <-done:
				return
			}
		}
	}()
	return func() {
		close(done)
		<-ended
		_ = r.ifHeld(context.WithoutCancel(ctx), key, token, "DEL")
	}, nil
}

// ifHeld runs a command on a lock if it is the one with that token still.
var ifHeld = redis.NewScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then
	return redis.call(ARGV[2], KEYS[1], unpack(ARGV, 3))
end
return 0`)

func (r *Redis) ifHeld(ctx context.Context, key string, args ...any) error {
	return r.conn.Do(ctx, useLock, func(ctx context.Context, c redis.UniversalClient) error {
		return ifHeld.Run(ctx, c, []string{key}, args...).Err()
	})
}

// wait waits while another process holds the lock of an origin. It gives what
// that one has loaded, or says that the lock is gone.
func (r *Redis) wait(ctx context.Context, origin, before string) (data []byte, gone bool, err error) {
	late := time.NewTimer(lockPatience)
	defer late.Stop()
	tick := time.NewTicker(lockWait)
	defer tick.Stop()
	for failed := 0; failed < lockFailures; {
		select {
		case <-ctx.Done():
			return nil, false, ctx.Err()
		case <-late.C:
			return nil, false, nil
		case <-tick.C:
		}
		// The page waits for a fetch now, not for Redis.
		ctx := Budget(ctx)
		_, err := r.get(ctx, useLock, lockKey(origin))
		if data := r.held(ctx, origin, before); data != nil {
			return data, false, nil
		}
		switch {
		case errors.Is(err, redis.Nil):
			return nil, true, nil
		case err != nil:
			failed++
		default:
			failed = 0
		}
	}
	return nil, false, nil
}

// keep keeps a new outcome by its id, as the answer for its origin, and as its
// last good copy if it is one, and gives its encoded form. again notes that it
// passed by one that was held.
func (r *Redis) keep(ctx context.Context, origin string, again bool, o *fetch.Outcome) ([]byte, error) {
	data, err := r.near.keep(origin, again, o)
	if err != nil {
		return nil, err
	}
	life := freshFor(o, r.near.jitter())
	err = r.conn.Do(ctx, useOutcome, func(ctx context.Context, c redis.UniversalClient) error {
		_, err := c.Pipelined(ctx, func(p redis.Pipeliner) error {
			p.Set(ctx, outcomeKey(o.ID), data, outcomeLife)
			if again {
				p.Set(ctx, againKey(origin), "", tester.AgainAfter)
			}
			p.Set(ctx, originKey(origin), o.ID, life)
			p.Set(ctx, lastKey(origin), o.ID, outcomeLife)
			if o.Kind == fetch.OK {
				p.Set(ctx, goodKey(origin), data, goodLife)
			}
			return nil
		})
		return err
	})
	if err != nil {
		r.near.origins.Set(origin, entry{data: []byte(o.ID), life: life, only: true})
	}
	return data, nil
}

// LastGood gives the last outcome of the origin that had a file, kept for 30
// days, or [tester.ErrNotFound]. Where Redis has none, the process's own memory
// tells.
func (r *Redis) LastGood(ctx context.Context, origin string) (*fetch.Outcome, error) {
	data := r.once(ctx, "good "+origin, func(ctx context.Context) []byte {
		data, err := r.get(ctx, useOutcome, goodKey(origin))
		if err != nil {
			e, _ := r.near.goods.GetIfPresent(origin)
			return e.data
		}
		return data
	})
	o, err := r.near.codec.decodeOutcome(data)
	if err != nil {
		return nil, tester.ErrNotFound
	}
	return o, nil
}

// result gives an encoded result, or nil.
func (r *Redis) result(ctx context.Context, key string) []byte {
	return r.once(ctx, key, func(ctx context.Context) []byte {
		if e, ok := r.near.results.GetIfPresent(key); ok {
			return e.data
		}
		data, err := r.get(ctx, useReport, keys+key)
		if err != nil {
			return nil
		}
		r.near.put(key, data, nearLife)
		return data
	})
}

// putResult keeps an encoded result, in the process also when Redis fails.
func (r *Redis) putResult(ctx context.Context, key string, data []byte) {
	if len(data) > maxResult || len(key) > maxName {
		return
	}
	r.near.put(key, data, resultLife)
	_ = r.conn.Do(ctx, useReport, func(ctx context.Context, c redis.UniversalClient) error {
		return c.Set(ctx, keys+key, data, resultLife).Err()
	})
}

// Report gives the report under that key, or [tester.ErrNotFound].
func (r *Redis) Report(ctx context.Context, key string) (*tester.Report, error) {
	report, err := r.near.codec.decodeReport(r.result(ctx, reportKey+key))
	if err != nil {
		return nil, tester.ErrNotFound
	}
	return report, nil
}

// PutReport keeps a report for an hour. One above 2 MiB encoded is not kept.
func (r *Redis) PutReport(ctx context.Context, key string, report *tester.Report) {
	if data, err := r.near.codec.encodeReport(report); err == nil {
		r.putResult(ctx, reportKey+key, data)
	}
}

// Result gives what a slow check has found under that key, or
// [tester.ErrNotFound].
func (r *Redis) Result(ctx context.Context, key string) ([]byte, error) {
	parts, err := r.near.codec.unpack(r.result(ctx, resultKey+key), 1)
	if err != nil {
		return nil, tester.ErrNotFound
	}
	return parts[0], nil
}

// PutResult keeps what a slow check has found, under the terms of PutReport.
func (r *Redis) PutResult(ctx context.Context, key string, b []byte) {
	if data, err := r.near.codec.pack(b); err == nil {
		r.putResult(ctx, resultKey+key, data)
	}
}
