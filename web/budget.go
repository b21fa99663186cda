package web

import (
	"context"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

// The memory that requests under way may take, in bytes, so that the process
// stays under 300 MiB whatever comes: what it holds at rest and the caches of
// package store take the rest. Small requests have a share of their own, which
// large ones cannot use up; bodies that are still arriving have others, so that
// who sends slowly keeps nobody waiting but who sends too. What needs none of
// it, such as /healthz, always answers.
const (
	smallShare    = 40 << 20
	largeShare    = 80 << 20
	arrivingStart = 8 << 20  // the first smallBody bytes of bodies
	arrivingRest  = 16 << 20 // what comes behind them
	// smallRequest is the most that counts as small: an ordinary file, some
	// thousand cells.
	smallRequest = 2 << 20
	// admitWait is how long a request waits for room before it is told to
	// come again.
	admitWait = 5 * time.Second
)

// What a request is reckoned to take, in bytes: measured, rounded up.
const (
	perRequest  = 64 << 10 // buffers, compression, the page
	perBodyByte = 4        // read whole, decoded, folded, given back
	perTextByte = 12       // parsed, and its lines marked
	perCell     = 160      // a result
	perShare    = 1 << 20  // a share of ordinary size, as read back
)

// budget hands out the memory.
type budget struct{ small, large, start, rest *semaphore.Weighted }

func newBudget() *budget {
	return &budget{
		small: semaphore.NewWeighted(smallShare), large: semaphore.NewWeighted(largeShare),
		start: semaphore.NewWeighted(arrivingStart), rest: semaphore.NewWeighted(arrivingRest),
	}
}

// errBusy says that there is no room for another request now.
var errBusy = &problem{Status: http.StatusServiceUnavailable, Kind: "busy", Retry: admitWait}

// hold is what one request holds of the budget.
type hold struct {
	budget *budget
	mu     sync.Mutex
	frees  []func()
}

type holdKey struct{}

// admit gives a request its hold of the budget, which is empty until the
// handler takes something, and gives all back when the request ends.
func (s *Site) admit(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := &hold{budget: s.budget}
		defer h.release()
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), holdKey{}, h)))
	})
}

// take takes bytes of the budget for the request whose context this is. The
// error is errBusy, or that of ctx.
func take(ctx context.Context, bytes int64) error {
	h, ok := ctx.Value(holdKey{}).(*hold)
	if !ok {
		return nil
	}
	pool := h.budget.small
	if bytes > smallRequest {
		pool = h.budget.large
	}
	if err := acquire(ctx, pool, bytes); err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.frees = append(h.frees, func() { pool.Release(bytes) })
	return nil
}

// acquire takes bytes of a pool, and waits for them up to admitWait. The error
// is errBusy, or that of ctx.
func acquire(ctx context.Context, pool *semaphore.Weighted, bytes int64) error {
	wait, cancel := context.WithTimeout(ctx, admitWait)
	defer cancel()
	if err := pool.Acquire(wait, bytes); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return errBusy
	}
	return nil
}

// release gives everything back. A page that is made whole before it is sent
// does so before it waits for a slow client.
func (h *hold) release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, free := range h.frees {
		free()
	}
	h.frees = nil
}

// release gives back what the request whose context this is holds.
func release(ctx context.Context) {
	if h, ok := ctx.Value(holdKey{}).(*hold); ok {
		h.release()
	}
}
