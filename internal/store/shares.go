package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/whichrule/whichrule/internal/tester"
)

const (
	// sharesRoom is what shares may take of the process's memory, in bytes:
	// some tens of thousands of usual ones, of 1 to 2 KiB.
	sharesRoom = 64 << 20
	// maxShare is the largest share kept, encoded: more than a text of 1 MiB
	// and URLs of 256 KiB that do not compress.
	maxShare = 4 << 20
	// shareWeight is what a share takes besides its bytes: its struct, the
	// slots in two tables, string headers.
	shareWeight = 320
	// maxGraves is how many deleted shares are remembered as such; of older
	// ones no word is left. It bounds them to some 6 MB.
	maxGraves = 16 << 10
)

var errTaken = errors.New("id is taken")

// share is a share kept, or what is left of a deleted one.
type share struct {
	data   []byte // nil for a deleted one
	nonce  string
	weight int
	until  time.Time
}

// Create keeps a share, unless one with the same nonce is kept: then that one
// comes back. The error is [tester.ErrFull] when there is no room and
// [tester.ErrTooLarge] for a share that is too large by itself; an id that is taken is an error.
func (m *Memory) Create(_ context.Context, s *tester.Share) (*tester.Share, error) {
	data, err := m.codec.encodeShare(s)
	if errors.Is(err, errTooLarge) || len(data) > maxShare {
		return nil, fmt.Errorf("store: create share: %w", tester.ErrTooLarge)
	}
	if err != nil {
		return nil, fmt.Errorf("store: create share: %w", err)
	}
	earlier, err := m.putShare(s.ID, s.Nonce, data)
	if err != nil {
		return nil, fmt.Errorf("store: create share: %w", err)
	}
	if earlier == nil {
		return s, nil
	}
	return m.codec.decodeShare(earlier)
}

// putShare keeps an encoded share, or gives the one that the nonce made before.
func (m *Memory) putShare(id, nonce string, data []byte) (earlier []byte, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if made, ok := m.nonces[nonce]; ok {
		if k := m.look(made); k != nil {
			return k.data, nil
		}
	}
	if m.look(id) != nil {
		return nil, errTaken
	}
	weight := shareWeight + len(id) + len(nonce) + len(data)
	if m.used+weight > m.room {
		m.clean()
	}
	if m.used+weight > m.room {
		return nil, tester.ErrFull
	}
	m.shares[id] = &share{data, nonce, weight, m.now().Add(tester.ShareLife)}
	m.used += weight
	if nonce != "" {
		m.nonces[nonce] = id
	}
	return nil, nil
}

// Share gives a share, which then lasts for another [tester.ShareLife]; the
// error is [tester.ErrNotFound] or [tester.ErrDeleted].
func (m *Memory) Share(_ context.Context, id string) (*tester.Share, error) {
	data, err := m.view(id)
	if err != nil {
		return nil, err
	}
	s, err := m.codec.decodeShare(data)
	if err != nil {
		return nil, tester.ErrNotFound
	}
	return s, nil
}

// view gives the encoded share and prolongs its life.
func (m *Memory) view(id string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k, err := m.kept(id)
	if err != nil {
		return nil, err
	}
	k.until = m.now().Add(tester.ShareLife)
	return k.data, nil
}

// Delete removes a share and its nonce. For another [tester.ShareLife] it is
// known as deleted, unless thousands are deleted after it; the error is
// [tester.ErrNotFound] or [tester.ErrDeleted].
func (m *Memory) Delete(_ context.Context, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	k, err := m.kept(id)
	if err != nil {
		return err
	}
	m.drop(id, k)
	if len(m.graves) == maxGraves {
		if k := m.shares[m.graves[0]]; k != nil && k.data == nil {
			m.drop(m.graves[0], k)
		}
		m.graves = m.graves[1:]
	}
	m.graves = append(m.graves, id)
	grave := &share{weight: shareWeight + len(id), until: m.now().Add(tester.ShareLife)}
	m.shares[id] = grave
	m.used += grave.weight
	return nil
}

// kept gives the share with that id that is neither gone nor deleted.
func (m *Memory) kept(id string) (*share, error) {
	switch k := m.look(id); {
	case k == nil:
		return nil, tester.ErrNotFound
	case k.data == nil:
		return nil, tester.ErrDeleted
	default:
		return k, nil
	}
}

// look gives what is kept under an id, or nil; what has ended is dropped.
func (m *Memory) look(id string) *share {
	k := m.shares[id]
	if k != nil && !m.now().Before(k.until) {
		m.drop(id, k)
		return nil
	}
	return k
}

// clean drops all that has ended. A full store is asked for room often, so it
// keeps in mind before when there is nothing to drop.
func (m *Memory) clean() {
	now := m.now()
	if now.Before(m.sweep) {
		return
	}
	m.sweep = now.Add(tester.ShareLife)
	for id, k := range m.shares {
		if !now.Before(k.until) {
			m.drop(id, k)
		} else if k.until.Before(m.sweep) {
			m.sweep = k.until
		}
	}
}

// drop takes a share out.
func (m *Memory) drop(id string, k *share) {
	delete(m.shares, id)
	if k.nonce != "" {
		delete(m.nonces, k.nonce)
	}
	m.used -= k.weight
}
