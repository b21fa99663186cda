package ratelimit

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// testLimiter is the contract that every Limiter keeps. newLimiter gives an empty one and a way to let time pass for
// it.
func testLimiter(t *testing.T, newLimiter func(t *testing.T) (l Limiter, pass func(time.Duration))) {
	twenty := Rate{PerMinute: 20} // one in 3 s, five at once

	allow := func(t *testing.T, l Limiter, name, key string, r Rate) Result {
		t.Helper()
		res, err := l.Allow(context.Background(), name, key, r)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	// use takes all that may come at once.
	use := func(t *testing.T, l Limiter, name, key string, r Rate) {
		t.Helper()
		for range r.burst() {
			if res := allow(t, l, name, key, r); !res.OK {
				t.Fatalf("got %+v; want OK", res)
			}
		}
	}

	t.Run("the burst, then no more", func(t *testing.T) {
		l, _ := newLimiter(t)
		for want := 4; want >= 0; want-- {
			res := allow(t, l, "fetches", "a", twenty)
			if diff := cmp.Diff(Result{OK: true, Remaining: want}, res); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		}
		res := allow(t, l, "fetches", "a", twenty)
		if res.OK || res.Remaining != 0 || res.RetryAfter <= 0 || res.RetryAfter > 3*time.Second {
			t.Errorf("got %+v; want to be sent away for up to 3 s", res)
		}
	})

	t.Run("waiting as told is enough", func(t *testing.T) {
		l, pass := newLimiter(t)
		use(t, l, "fetches", "a", twenty)
		pass(allow(t, l, "fetches", "a", twenty).RetryAfter)
		if res := allow(t, l, "fetches", "a", twenty); !res.OK || res.Remaining != 0 {
			t.Errorf("got %+v; want one to be OK", res)
		}
		if res := allow(t, l, "fetches", "a", twenty); res.OK {
			t.Error("a second one was OK, too")
		}
	})

	t.Run("being sent away costs nothing", func(t *testing.T) {
		l, pass := newLimiter(t)
		use(t, l, "fetches", "a", twenty)
		for range 50 {
			allow(t, l, "fetches", "a", twenty)
		}
		pass(3 * time.Second)
		if res := allow(t, l, "fetches", "a", twenty); !res.OK {
			t.Errorf("got %+v; want OK", res)
		}
	})

	t.Run("a pause gives the burst back and not more", func(t *testing.T) {
		l, pass := newLimiter(t)
		use(t, l, "fetches", "a", twenty)
		pass(time.Hour)
		use(t, l, "fetches", "a", twenty)
		if res := allow(t, l, "fetches", "a", twenty); res.OK {
			t.Error("more than the burst after a pause")
		}
	})

	t.Run("asking how long counts nothing", func(t *testing.T) {
		l, pass := newLimiter(t)
		two := Rate{PerMinute: 20, Burst: 2}
		wait := func() time.Duration {
			t.Helper()
			d, err := l.Wait(context.Background(), "domain", "a", two)
			if err != nil {
				t.Fatal(err)
			}
			return d
		}
		for want := 1; want >= 0; want-- {
			for range 10 {
				if got := wait(); got != 0 {
					t.Fatalf("got %v with %d left; want none", got, want+1)
				}
			}
			if res := allow(t, l, "domain", "a", two); !res.OK || res.Remaining != want {
				t.Fatalf("got %+v; want OK and %d more", res, want)
			}
		}
		got := wait()
		if got <= 0 || got > 3*time.Second {
			t.Errorf("used up: got %v; want up to 3 s", got)
		}
		pass(got)
		if got := wait(); got != 0 {
			t.Errorf("after waiting as told: got %v; want none", got)
		}
		if res := allow(t, l, "domain", "a", two); !res.OK {
			t.Errorf("got %+v; want OK", res)
		}
		if got, err := l.Wait(context.Background(), "domain", "a", Rate{}); got != 0 || err != nil {
			t.Errorf("without a limit: got %v, %v; want none", got, err)
		}
	})

	t.Run("a burst longer than any usual one is counted", func(t *testing.T) {
		l, _ := newLimiter(t)
		use(t, l, "domain", "a", Rate{PerMinute: 1, Burst: 8})
		if res := allow(t, l, "domain", "a", Rate{PerMinute: 1, Burst: 8}); res.OK {
			t.Errorf("got %+v; want no more than 8", res)
		}
	})

	t.Run("names and keys are apart", func(t *testing.T) {
		l, _ := newLimiter(t)
		use(t, l, "fetches", "a", twenty)
		for _, other := range [][2]string{{"fetches", "b"}, {"shares", "a"}, {"fetches", ""}, {"fetchesa", ""}, {"", "fetchesa"}} {
			if res := allow(t, l, other[0], other[1], twenty); !res.OK || res.Remaining != 4 {
				t.Errorf("%q: got %+v; want a fresh start", other, res)
			}
		}
	})

	t.Run("no limit", func(t *testing.T) {
		l, _ := newLimiter(t)
		for range 1000 {
			if diff := cmp.Diff(Result{OK: true, Remaining: -1}, allow(t, l, "tests", "a", Rate{})); diff != "" {
				t.Fatalf("(-want +got):\n%s", diff)
			}
		}
	})

	t.Run("a rate that changes counts what was used", func(t *testing.T) {
		l, _ := newLimiter(t)
		use(t, l, "tests", "a", Rate{PerMinute: 240}) // 60 at a quarter of a second: 15 s
		if res := allow(t, l, "tests", "a", twenty); res.OK {
			t.Error("a lower rate forgot everything")
		}
	})

	t.Run("at the same time", func(t *testing.T) {
		l, _ := newLimiter(t)
		var ok atomic.Int64
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				res, err := l.Allow(context.Background(), "shares", "a", Rate{PerMinute: 1})
				if err != nil {
					t.Error(err)
				}
				if res.OK {
					ok.Add(1)
				}
			})
		}
		wg.Wait()
		if got := ok.Load(); got != 5 {
			t.Errorf("got %d; want 5", got)
		}
	})
}
