package ratelimit

import (
	"context"
	"strconv"
	"testing"
	"testing/synctest"
	"time"
)

func TestMemory(t *testing.T) {
	testLimiter(t, func(*testing.T) (Limiter, func(time.Duration)) {
		now := start
		return &Memory{Now: func() time.Time { return now }}, func(d time.Duration) { now = now.Add(d) }
	})
}

func TestMemoryUsesTheClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m Memory
		r := Rate{PerMinute: 20}
		for range 5 {
			m.Allow(t.Context(), "fetches", "a", r)
		}
		res, _ := m.Allow(t.Context(), "fetches", "a", r)
		if res.OK || res.RetryAfter != 3*time.Second {
			t.Errorf("got %+v; want to be sent away for 3 s", res)
		}
		time.Sleep(res.RetryAfter)
		if res, _ := m.Allow(t.Context(), "fetches", "a", r); !res.OK {
			t.Errorf("3 s later: got %+v; want OK", res)
		}
	})
}

func TestMemoryForgets(t *testing.T) {
	now := start
	m := &Memory{Now: func() time.Time { return now }}
	r := Rate{PerMinute: 20}
	for i := range 1000 {
		m.Allow(context.Background(), "fetches", strconv.Itoa(i), r)
	}
	now = now.Add(3 * time.Second)
	m.Allow(context.Background(), "fetches", "later", r)
	if got := len(m.clients); got != 1 || m.idle.Len() != 1 {
		t.Errorf("got %d clients, %d in order; want only the one in use", got, m.idle.Len())
	}
}

// A flood of new clients must not let a busy one start afresh, nor grow the memory.
func TestMemoryIsBounded(t *testing.T) {
	m := &Memory{Now: func() time.Time { return start }, limit: 100}
	r := Rate{PerMinute: 20}
	allow := func(key string) Result {
		res, _ := m.Allow(context.Background(), "fetches", key, r)
		return res
	}
	for range 5 {
		allow("idle")
		allow("busy")
	}
	for i := range 1000 {
		if !allow("flood " + strconv.Itoa(i)).OK {
			t.Fatal("a new client was sent away")
		}
		if allow("busy").OK {
			t.Fatalf("a client in use was forgotten after %d others", i)
		}
	}
	if got := len(m.clients); got != 100 || m.idle.Len() != 100 {
		t.Errorf("got %d clients, %d in order; want 100", got, m.idle.Len())
	}
	if res := allow("idle"); !res.OK || res.Remaining != 4 {
		t.Errorf("got %+v; want the idle one to be the one that went", res)
	}
	// Even a client that was forgotten is limited again from there.
	for range 4 {
		allow("idle")
	}
	if allow("idle").OK {
		t.Error("a full memory lets everything pass")
	}
}
