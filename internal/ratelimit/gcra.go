package ratelimit

import "time"

// leastBurst lets a person click through a page's features although the rate behind one of them is low.
const leastBurst = 5

// unlimited is the answer of a rate that has no limit.
var unlimited = Result{OK: true, Remaining: -1}

// interval is the time after which one use is given back.
func (r Rate) interval() time.Duration {
	return max(time.Minute/time.Duration(r.PerMinute), 1)
}

// burst is how many uses may come at once.
func (r Rate) burst() int {
	if r.Burst > 0 {
		return r.Burst
	}
	return max(r.PerMinute/4, leastBurst)
}

// gcra decides one request at now. Before it, what the client had used would have been given back by free; the zero
// time and any time up to now mean that it had used nothing. The returned time takes the place of free: it lies one
// interval further when the request is OK, and where it was when it is not. The rate must have a limit.
func gcra(now, free time.Time, r Rate) (Result, time.Time) {
	next := free
	if free.Before(now) {
		next = now
	}
	next = next.Add(r.interval())
	earliest := next.Add(-time.Duration(r.burst()) * r.interval())
	if wait := earliest.Sub(now); wait > 0 {
		return Result{RetryAfter: wait}, free
	}
	return Result{OK: true, Remaining: int(now.Sub(earliest) / r.interval())}, next
}
