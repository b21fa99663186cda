package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/whichrule/whichrule/internal/tester"
)

// nonceLife is how long a nonce gives the share that it made: as long as a
// page is left open and its button clicked again.
const nonceLife = 24 * time.Hour

// A share has two keys, of which one exists: the share, or its grave once it
// was deleted. Only a share's life is prolonged by a view.
func shareKey(id string) string    { return keys + "share:{" + id + "}" }
func graveKey(id string) string    { return keys + "grave:{" + id + "}" }
func nonceKey(nonce string) string { return keys + "nonce:{" + nonce + "}" }

var (
	// putShare writes a share if its id was never used. KEYS share, grave;
	// ARGV value, life in seconds.
	putShare = redis.NewScript(`
if redis.call('EXISTS', KEYS[1], KEYS[2]) > 0 then
	return 0
end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
return 1`)

	// claimNonce makes a nonce stand for a share, unless it stands for another
	// than the one that is known to be gone, and gives the id it stands for.
	// KEYS nonce; ARGV id, the id that is gone, life in seconds.
	claimNonce = redis.NewScript(`
local id = redis.call('TYPE', KEYS[1]).ok == 'string' and redis.call('GET', KEYS[1])
if id and id ~= ARGV[2] then
	return id
end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[3])
return ARGV[1]`)

	// deleteShare puts a grave in the place of a share, and gives 1; 2 when
	// there is one already, 0 when there is nothing. The delete comes first:
	// after it a full Redis takes the grave. KEYS share, grave; ARGV life in
	// seconds.
	deleteShare = redis.NewScript(`
if redis.call('DEL', KEYS[1]) == 0 then
	return redis.call('EXISTS', KEYS[2]) * 2
end
redis.call('SET', KEYS[2], '', 'EX', ARGV[1])
return 1`)
)

// Create keeps a share, unless one with the same nonce is kept: then that one
// comes back. The error is [tester.ErrFull] when Redis has no room,
// [tester.ErrTooLarge] for a share that is too large by itself,
// [tester.ErrUnavailable] when Redis fails; an id that is taken is an error.
func (r *Redis) Create(ctx context.Context, s *tester.Share) (*tester.Share, error) {
	data, err := r.near.codec.encodeShare(s)
	if errors.Is(err, errTooLarge) || len(data) > maxShare {
		err = tester.ErrTooLarge
	}
	if err == nil {
		s, err = r.create(ctx, s, data)
	}
	if err != nil {
		return nil, fmt.Errorf("store: create share: %w", err)
	}
	return s, nil
}

// create writes the share first and then has the nonce stand for it, so that
// a nonce never stands for a share that is still to come. Nobody knows the id
// of a share that is withdrawn again.
func (r *Redis) create(ctx context.Context, s *tester.Share, data []byte) (*tester.Share, error) {
	switch written, err := r.number(ctx, putShare, []string{shareKey(s.ID), graveKey(s.ID)}, data, seconds64(tester.ShareLife)); {
	case errors.Is(err, tester.ErrFull):
		return r.made(ctx, s.Nonce)
	case err != nil:
		return nil, err
	case written == 0:
		return nil, errTaken
	}
	gone := ""
	for s.Nonce != "" {
		id, err := r.claim(ctx, s, gone)
		if err == nil && id == s.ID {
			break
		}
		if err == nil {
			var earlier *tester.Share
			if earlier, err = r.Share(ctx, id); err == nil {
				r.withdraw(ctx, s.ID)
				return earlier, nil
			}
			if errors.Is(err, tester.ErrNotFound) || errors.Is(err, tester.ErrDeleted) {
				gone = id
				continue
			}
		}
		r.withdraw(ctx, s.ID)
		return nil, err
	}
	return s, nil
}

// made gives the share that a nonce has made before, when there is no room for
// another.
func (r *Redis) made(ctx context.Context, nonce string) (*tester.Share, error) {
	if nonce == "" {
		return nil, tester.ErrFull
	}
	id, err := r.get(ctx, useShare, nonceKey(nonce))
	if err != nil {
		return nil, tester.ErrFull
	}
	earlier, err := r.Share(ctx, string(id))
	if err != nil {
		return nil, tester.ErrFull
	}
	return earlier, nil
}

// claim makes a share's nonce stand for it, and gives the id that it stands
// for.
func (r *Redis) claim(ctx context.Context, s *tester.Share, gone string) (id string, err error) {
	err = r.conn.Do(ctx, useShare, func(ctx context.Context, c redis.UniversalClient) (err error) {
		id, err = claimNonce.Run(ctx, c, []string{nonceKey(s.Nonce)}, s.ID, gone, seconds64(nonceLife)).Text()
		return err
	})
	return id, shareError(err)
}

// withdraw takes a share back that nobody has seen.
func (r *Redis) withdraw(ctx context.Context, id string) {
	_ = r.conn.Do(ctx, useShare, func(ctx context.Context, c redis.UniversalClient) error {
		return c.Del(ctx, shareKey(id)).Err()
	})
}

// Share gives a share, which then lasts for another [tester.ShareLife]; the
// error is [tester.ErrNotFound], [tester.ErrDeleted] or
// [tester.ErrUnavailable].
func (r *Redis) Share(ctx context.Context, id string) (*tester.Share, error) {
	if id == "" || len(id) > maxName {
		return nil, tester.ErrNotFound
	}
	var value *redis.StringCmd
	var grave *redis.IntCmd
	err := r.conn.Do(ctx, useShare, func(ctx context.Context, c redis.UniversalClient) error {
		_, err := c.Pipelined(ctx, func(p redis.Pipeliner) error {
			value = p.GetEx(ctx, shareKey(id), tester.ShareLife)
			grave = p.Exists(ctx, graveKey(id))
			return nil
		})
		return err
	})
	if err != nil && !answered(err) {
		return nil, fmt.Errorf("store: share: %w", shareError(err))
	}
	if grave.Val() > 0 {
		return nil, tester.ErrDeleted
	}
	data, err := value.Bytes()
	if err != nil {
		return nil, tester.ErrNotFound
	}
	s, err := r.near.codec.decodeShare(data)
	if err != nil {
		return nil, tester.ErrNotFound
	}
	return s, nil
}

// Delete removes a share. For another [tester.ShareLife] it is known as
// deleted; the error is [tester.ErrNotFound], [tester.ErrDeleted] or
// [tester.ErrUnavailable].
func (r *Redis) Delete(ctx context.Context, id string) error {
	if id == "" || len(id) > maxName {
		return tester.ErrNotFound
	}
	switch done, err := r.number(ctx, deleteShare, []string{shareKey(id), graveKey(id)}, seconds64(tester.ShareLife)); {
	case err != nil:
		return fmt.Errorf("store: delete share: %w", err)
	case done == 0:
		return tester.ErrNotFound
	case done == 2:
		return tester.ErrDeleted
	}
	return nil
}

// number runs a script for a share that gives a number.
func (r *Redis) number(ctx context.Context, script *redis.Script, keys []string, args ...any) (n int64, err error) {
	err = r.conn.Do(ctx, useShare, func(ctx context.Context, c redis.UniversalClient) (err error) {
		n, err = script.Run(ctx, c, keys, args...).Int64()
		return err
	})
	return n, shareError(err)
}

// shareError says what a failed call means to who shares.
func shareError(err error) error {
	switch {
	case err == nil:
		return nil
	case redis.IsOOMError(err):
		return tester.ErrFull
	}
	return fmt.Errorf("%w: %w", tester.ErrUnavailable, err)
}

func seconds64(d time.Duration) int64 { return int64(d / time.Second) }
