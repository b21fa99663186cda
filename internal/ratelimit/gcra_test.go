package ratelimit

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func TestGCRA(t *testing.T) {
	twenty := Rate{PerMinute: 20} // one in 3 s, five at once: used up when free is 15 s ahead
	for _, tt := range []struct {
		name string
		free time.Duration // after start; the request comes at start
		rate Rate
		want Result
		next time.Duration
	}{
		{"nothing used", -time.Hour, twenty, Result{OK: true, Remaining: 4}, 3 * time.Second},
		{"given back just now", 0, twenty, Result{OK: true, Remaining: 4}, 3 * time.Second},
		{"one used", 3 * time.Second, twenty, Result{OK: true, Remaining: 3}, 6 * time.Second},
		{"a part given back", 5 * time.Second, twenty, Result{OK: true, Remaining: 2}, 8 * time.Second},
		{"the last", 12 * time.Second, twenty, Result{OK: true, Remaining: 0}, 15 * time.Second},
		{"a nanosecond early", 12*time.Second + 1, twenty, Result{RetryAfter: 1}, 12*time.Second + 1},
		{"used up", 15 * time.Second, twenty, Result{RetryAfter: 3 * time.Second}, 15 * time.Second},
		{"the default of tests: a quarter at once", -1, Rate{PerMinute: 240}, Result{OK: true, Remaining: 59}, 250 * time.Millisecond},
		{"the default of shares: at least five", -1, Rate{PerMinute: 10}, Result{OK: true, Remaining: 4}, 6 * time.Second},
		{"a burst of its own", 30 * time.Second, Rate{PerMinute: 4, Burst: 3}, Result{OK: true, Remaining: 0}, 45 * time.Second},
		{"a burst of its own, used up", 45 * time.Second, Rate{PerMinute: 4, Burst: 3}, Result{RetryAfter: 15 * time.Second}, 45 * time.Second},
		{"one a minute", -1, Rate{PerMinute: 1}, Result{OK: true, Remaining: 4}, time.Minute},
		{"more than the clock can tell apart", -1, Rate{PerMinute: 120e9}, Result{OK: true, Remaining: 30e9 - 1}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res, next := gcra(start, start.Add(tt.free), tt.rate)
			if diff := cmp.Diff(tt.want, res); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if got := next.Sub(start); got != tt.next {
				t.Errorf("next: got %v; want %v", got, tt.next)
			}
		})
	}
}

func TestGCRAZeroTime(t *testing.T) {
	if res, _ := gcra(start, time.Time{}, Rate{PerMinute: 20}); !res.OK || res.Remaining != 4 {
		t.Errorf("got %+v; want a fresh start", res)
	}
}

// Whatever comes when, no stretch of time sees more than the burst and what the rate gives back in it, and who waits
// as told is let in.
func TestGCRANeverGivesMore(t *testing.T) {
	for _, perMinute := range []int{1, 7, 10, 20, 240, 9999} {
		t.Run(fmt.Sprint(perMinute), func(t *testing.T) {
			r := Rate{PerMinute: perMinute}
			rnd := rand.New(rand.NewPCG(1, uint64(perMinute)))
			now, free := start, time.Time{}
			var allowed []time.Time
			for range 500 {
				now = now.Add(time.Duration(rnd.Int64N(int64(2 * r.interval()))))
				if rnd.IntN(100) == 0 {
					now = now.Add(time.Duration(r.burst()) * r.interval())
				}
				var res Result
				if res, free = gcra(now, free, r); res.OK {
					allowed = append(allowed, now)
					continue
				}
				now = now.Add(res.RetryAfter)
				if res, free = gcra(now, free, r); !res.OK {
					t.Fatalf("after waiting as told: got %+v; want OK", res)
				}
				allowed = append(allowed, now)
			}
			for i := range allowed {
				for j := i; j < min(len(allowed), i+3*r.burst()); j++ {
					most := r.burst() + int(allowed[j].Sub(allowed[i])/r.interval())
					if got := j - i + 1; got > most {
						t.Fatalf("got %d in %v; want at most %d", got, allowed[j].Sub(allowed[i]), most)
					}
				}
			}
		})
	}
}
