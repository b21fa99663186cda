package ratelimit

import (
	"container/list"
	"context"
	"sync"
	"time"
)

// maxClients is how many clients [Memory] knows at most, at some 250 bytes each. It is meant never to be reached: a
// client is forgotten as soon as it has used nothing, within seconds, so it takes thousands of new ones a second.
const maxClients = 65_536

// Memory is a [Limiter] for one process. The zero value is ready.
//
// It forgets clients that have used nothing, and when there are too many clients at once, those that have not been
// heard of for longest. So a flood of clients can give others a fresh start, but never a free ride.
type Memory struct {
	// Now is the clock; nil means [time.Now].
	Now func() time.Time

	mu      sync.Mutex
	clients map[client]*list.Element
	idle    list.List // of *state, the one heard of last in front
	limit   int       // instead of maxClients, for tests
}

type client struct{ name, key string }

type state struct {
	client
	free time.Time // see gcra
}

// Allow implements [Limiter]. It never fails and does not look at the context, since it never waits.
func (m *Memory) Allow(_ context.Context, name, key string, r Rate) (Result, error) {
	if r.PerMinute <= 0 {
		return unlimited, nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	at := m.clock()
	m.forget(at)
	s := m.state(client{name, key})
	var res Result
	res, s.free = gcra(at, s.free, r)
	return res, nil
}

// Wait implements [Limiter].
func (m *Memory) Wait(_ context.Context, name, key string, r Rate) (time.Duration, error) {
	if r.PerMinute <= 0 {
		return 0, nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.clients[client{name, key}]
	if !ok {
		return 0, nil
	}
	res, _ := gcra(m.clock(), e.Value.(*state).free, r)
	return res.RetryAfter, nil
}

func (m *Memory) clock() time.Time {
	if m.Now != nil {
		return m.Now()
	}
	return time.Now()
}

// state finds what is known of a client, and puts it in front.
func (m *Memory) state(c client) *state {
	if e, ok := m.clients[c]; ok {
		m.idle.MoveToFront(e)
		return e.Value.(*state)
	}
	limit := maxClients
	if m.limit > 0 {
		limit = m.limit
	}
	if len(m.clients) >= limit {
		m.drop(m.idle.Back())
	}
	if m.clients == nil {
		m.clients = map[client]*list.Element{}
	}
	s := &state{client: c}
	m.clients[c] = m.idle.PushFront(s)
	return s
}

// forget drops those clients at the end that have used nothing. A client in use may keep some others behind it until
// it goes itself; the limit holds for them all.
func (m *Memory) forget(now time.Time) {
	for e := m.idle.Back(); e != nil && !e.Value.(*state).free.After(now); e = m.idle.Back() {
		m.drop(e)
	}
}

func (m *Memory) drop(e *list.Element) {
	delete(m.clients, e.Value.(*state).client)
	m.idle.Remove(e)
}
