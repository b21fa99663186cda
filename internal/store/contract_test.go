package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/whichrule/whichrule/internal/access"
	"github.com/whichrule/whichrule/internal/crawlers"
	"github.com/whichrule/whichrule/internal/fetch"
	"github.com/whichrule/whichrule/internal/robots"
	"github.com/whichrule/whichrule/internal/tester"
)

// backend is a back end under test, empty and without jitter, with the levers
// that the suite pulls.
type backend struct {
	tester.Outcomes
	tester.Reports
	tester.Shares
	rest
	// pass lets time pass for the back end.
	pass func(time.Duration)
	// settle returns when all goroutines of the test wait for something.
	settle func()
	// spoil changes every value held.
	spoil func(change func([]byte) []byte)
	// fill leaves no room for another share.
	fill func()
}

// rest is what a back end keeps besides.
type rest interface {
	Result(ctx context.Context, key string) ([]byte, error)
	PutResult(ctx context.Context, key string, b []byte)
}

// testStore is what every back end must pass. open makes a back end for one
// test and calls that with it.
func testStore(t *testing.T, open func(t *testing.T, test func(*testing.T, backend))) {
	for _, part := range []struct {
		name string
		test func(*testing.T, func(*testing.T, func(*testing.T, backend)))
	}{
		{"outcomes", testOutcomes},
		{"one load", testOneLoad},
		{"reports", testReports},
		{"shares", testShares},
		{"undecodable", testUndecodable},
	} {
		t.Run(part.name, func(t *testing.T) { part.test(t, open) })
	}
}

func testOutcomes(t *testing.T, open func(*testing.T, func(*testing.T, backend))) {
	ctx := context.Background()
	run := func(name string, test func(*testing.T, backend)) {
		t.Run(name, func(t *testing.T) { open(t, test) })
	}

	run("all of an outcome is found by its id", func(t *testing.T, b backend) {
		want := &fetch.Outcome{
			ID:           "o-1",
			Origin:       fetch.Origin{Scheme: "https", Host: "shop.example.com", Port: 8443},
			Kind:         fetch.OK,
			Status:       200,
			Hops:         []fetch.Hop{{URL: "https://shop.example.com:8443/robots.txt", Status: 200}},
			FinalURL:     "https://shop.example.com:8443/robots.txt",
			ContentType:  "text/plain; charset=utf-8",
			Encoding:     "gzip",
			CacheControl: "max-age=60",
			Age:          "3",
			RetryAfter:   "120",
			Body:         everyByte(),
			More:         true,
			FetchedAt:    time.Date(2026, 3, 1, 10, 42, 7, 123456789, time.UTC),
			Took:         321 * time.Millisecond,
		}
		fresh, _, err := b.Fresh(ctx, "https://shop.example.com:8443", false, func(context.Context) (*fetch.Outcome, error) {
			return want, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		same(t, "the loaded outcome", fresh, want)
		byID, err := b.Outcome(ctx, "o-1")
		if err != nil {
			t.Fatal(err)
		}
		same(t, "the outcome by id", byID, want)
	})

	run("an unknown id is not found", func(t *testing.T, b backend) {
		if _, err := b.Outcome(ctx, "o-1"); !errors.Is(err, tester.ErrNotFound) {
			t.Errorf("got %v; want %v", err, tester.ErrNotFound)
		}
	})

	run("an outcome is found by its id for 24 hours", func(t *testing.T, b backend) {
		s := &site{name: "a"}
		s.fresh(t, b, false)
		b.pass(24*time.Hour - time.Second)
		if _, err := b.Outcome(ctx, "a-1"); err != nil {
			t.Errorf("a second before: got %v; want it", err)
		}
		b.pass(2 * time.Second)
		if _, err := b.Outcome(ctx, "a-1"); !errors.Is(err, tester.ErrNotFound) {
			t.Errorf("a second after: got %v; want %v", err, tester.ErrNotFound)
		}
	})

	for _, tt := range []struct {
		name   string
		answer fetch.Outcome
		want   time.Duration
	}{
		{"an answer serves for 5 minutes", fetch.Outcome{Kind: fetch.OK, Status: 200}, 5 * time.Minute},
		{"a 404 serves for 5 minutes", fetch.Outcome{Kind: fetch.ClientError, Status: 404}, 5 * time.Minute},
		{"an answer serves for its max-age", fetch.Outcome{Kind: fetch.OK, Status: 200, CacheControl: "max-age=60"}, time.Minute},
		{"no-store serves for 30 seconds", fetch.Outcome{Kind: fetch.OK, Status: 200, CacheControl: "no-store"}, 30 * time.Second},
		{"a failure serves for 30 seconds", fetch.Outcome{Kind: fetch.Timeout}, 30 * time.Second},
	} {
		run(tt.name, func(t *testing.T, b backend) {
			s := &site{name: "a", answer: tt.answer}
			s.fresh(t, b, false)
			b.pass(tt.want - time.Second)
			if got := s.fresh(t, b, false); got != "a-1" {
				t.Errorf("a second before: got %s; want a-1", got)
			}
			b.pass(2 * time.Second)
			if got := s.fresh(t, b, false); got != "a-2" {
				t.Errorf("a second after: got %s; want a-2", got)
			}
		})
	}

	run("origins do not answer for each other", func(t *testing.T, b backend) {
		a, z := &site{name: "a"}, &site{name: "z"}
		a.fresh(t, b, false)
		if got := z.fresh(t, b, false); got != "z-1" {
			t.Errorf("got %s; want z-1", got)
		}
		if got := a.fresh(t, b, false); got != "a-1" {
			t.Errorf("got %s; want a-1", got)
		}
	})

	run("again passes what is held by and replaces it", func(t *testing.T, b backend) {
		s := &site{name: "a"}
		s.fresh(t, b, false)
		if got := s.fresh(t, b, true); got != "a-2" {
			t.Errorf("again: got %s; want a-2", got)
		}
		if got := s.fresh(t, b, false); got != "a-2" {
			t.Errorf("afterwards: got %s; want a-2", got)
		}
		if _, err := b.Outcome(ctx, "a-1"); err != nil {
			t.Errorf("the earlier one by id: got %v; want it", err)
		}
	})

	run("again passes what is held by once a minute", func(t *testing.T, b backend) {
		s, z := &site{name: "a"}, &site{name: "z"}
		s.fresh(t, b, false)
		s.fresh(t, b, true)
		for range 2 {
			if got := s.fresh(t, b, true); got != "a-2 held: again" {
				t.Errorf("the second time: got %s; want a-2, held", got)
			}
			if got := s.fresh(t, b, false); got != "a-2" {
				t.Errorf("who did not ask again: got %s; want a-2", got)
			}
			b.pass(29 * time.Second)
		}
		z.fresh(t, b, false)
		if got := z.fresh(t, b, true); got != "z-2" {
			t.Errorf("another origin: got %s; want z-2", got)
		}
		b.pass(3 * time.Second)
		if got := s.fresh(t, b, true); got != "a-3" {
			t.Errorf("a minute later: got %s; want a-3", got)
		}
	})

	run("again, where what is held no longer serves, is a load", func(t *testing.T, b backend) {
		s := &site{name: "a", answer: fetch.Outcome{Kind: fetch.Timeout}}
		s.fresh(t, b, false)
		s.fresh(t, b, true)
		b.pass(31 * time.Second)
		if got := s.fresh(t, b, true); got != "a-3" {
			t.Errorf("got %s; want a-3", got)
		}
	})

	run("the last good copy is kept for 30 days, whatever comes after it", func(t *testing.T, b backend) {
		if _, err := b.LastGood(ctx, "a"); !errors.Is(err, tester.ErrNotFound) {
			t.Errorf("before all: got %v; want %v", err, tester.ErrNotFound)
		}
		s := &site{name: "a"}
		s.fresh(t, b, false)
		s.answer = fetch.Outcome{Kind: fetch.ServerError, Status: 503}
		b.pass(30*24*time.Hour - time.Minute)
		s.fresh(t, b, false)
		good, err := b.LastGood(ctx, "a")
		if err != nil || good.ID != "a-1" {
			t.Fatalf("a minute before: got %+v, %v; want a-1", good, err)
		}
		if _, err := b.LastGood(ctx, "b"); !errors.Is(err, tester.ErrNotFound) {
			t.Errorf("of another origin: got %v; want %v", err, tester.ErrNotFound)
		}
		b.pass(2 * time.Minute)
		if _, err := b.LastGood(ctx, "a"); !errors.Is(err, tester.ErrNotFound) {
			t.Errorf("a minute after: got %v; want %v", err, tester.ErrNotFound)
		}
	})

	run("callers do not see each other's changes", func(t *testing.T, b backend) {
		loaded := &fetch.Outcome{ID: "a-1", Kind: fetch.OK, Body: []byte("Disallow: /a"), Hops: []fetch.Hop{{URL: "u"}}}
		load := func(context.Context) (*fetch.Outcome, error) { return loaded, nil }
		for i := range 3 {
			o, _, err := b.Fresh(ctx, "a", false, load)
			if err != nil {
				t.Fatal(err)
			}
			if got := string(o.Body) + o.Hops[0].URL; got != "Disallow: /au" {
				t.Errorf("call %d: got %q; want it as it was loaded", i, got)
			}
			o.Body[0], o.Hops[0].URL = 'X', "X"
			loaded.Body[0], loaded.Hops[0].URL = 'Y', "Y"
		}
	})

	run("the largest body of noise is kept", func(t *testing.T, b backend) {
		s := &site{name: "a", answer: fetch.Outcome{Kind: fetch.OK, Body: noise(1 << 20)}}
		s.fresh(t, b, false)
		o, err := b.Outcome(ctx, "a-1")
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(o.Body, s.answer.Body) {
			t.Error("got another body than was loaded")
		}
	})
}

func testOneLoad(t *testing.T, open func(*testing.T, func(*testing.T, backend))) {
	ctx := context.Background()
	run := func(name string, test func(*testing.T, backend)) {
		t.Run(name, func(t *testing.T) { open(t, test) })
	}
	errLimit := errors.New("too many fetches")

	for _, tt := range []struct {
		name  string
		again func(caller int) bool
	}{
		{"200 callers make one load", func(int) bool { return false }},
		{"200 callers who want it again make one load", func(int) bool { return true }},
		{"200 callers of both kinds make one load", func(i int) bool { return i%2 == 0 }},
	} {
		run(tt.name, func(t *testing.T, b backend) {
			s := &site{name: "a", gate: make(chan struct{})}
			answers := make(chan answer)
			for i := range 200 {
				go func() { answers <- ask(ctx, b, tt.again(i), s.load) }()
			}
			b.settle()
			close(s.gate)
			seen := map[*fetch.Outcome]bool{}
			for range 200 {
				a := <-answers
				if a.err != nil || a.o.ID != "a-1" {
					t.Fatalf("got %+v; want a-1", a)
				}
				seen[a.o] = true
			}
			if s.loads.Load() != 1 || len(seen) != 200 {
				t.Errorf("got %d loads, %d values; want 1 load, a value for each of 200", s.loads.Load(), len(seen))
			}
		})
	}

	run("who starts the load and gives up cancels nothing", func(t *testing.T, b backend) {
		s := &site{name: "a", gate: make(chan struct{})}
		var inLoad error
		load := func(ctx context.Context) (*fetch.Outcome, error) {
			o, err := s.load(ctx)
			inLoad = ctx.Err()
			return o, err
		}
		leading, leave := context.WithCancel(ctx)
		leader, other := make(chan answer), make(chan answer)
		go func() { leader <- ask(leading, b, false, load) }()
		b.settle()
		go func() { other <- ask(ctx, b, false, s.load) }()
		b.settle()
		leave()
		if a := <-leader; !errors.Is(a.err, context.Canceled) {
			t.Errorf("who gave up: got %v; want %v, before the load ends", a.err, context.Canceled)
		}
		close(s.gate)
		if a := <-other; a.err != nil || a.o.ID != "a-1" {
			t.Errorf("who stayed: got %+v; want a-1", a)
		}
		if inLoad != nil {
			t.Errorf("context of the load: got %v; want it open", inLoad)
		}
		if got := s.fresh(t, b, false); got != "a-1" {
			t.Errorf("afterwards: got %s; want a-1", got)
		}
	})

	run("a load that all have left is kept", func(t *testing.T, b backend) {
		s := &site{name: "a", gate: make(chan struct{})}
		leading, leave := context.WithCancel(ctx)
		leader := make(chan answer)
		go func() { leader <- ask(leading, b, false, s.load) }()
		b.settle()
		leave()
		<-leader
		close(s.gate)
		if got := s.fresh(t, b, false); got != "a-1" {
			t.Errorf("got %s; want a-1", got)
		}
	})

	run("who waits and gives up is let go", func(t *testing.T, b backend) {
		s := &site{name: "a", gate: make(chan struct{})}
		leader, other := make(chan answer), make(chan answer)
		go func() { leader <- ask(ctx, b, false, s.load) }()
		b.settle()
		waiting, leave := context.WithTimeout(ctx, time.Millisecond)
		defer leave()
		go func() { other <- ask(waiting, b, false, s.load) }()
		if a := <-other; !errors.Is(a.err, context.DeadlineExceeded) {
			t.Errorf("who gave up: got %v; want %v", a.err, context.DeadlineExceeded)
		}
		close(s.gate)
		if a := <-leader; a.err != nil || a.o.ID != "a-1" {
			t.Errorf("who started it: got %+v; want a-1", a)
		}
	})

	run("who comes with a context that has ended starts nothing", func(t *testing.T, b backend) {
		gone, leave := context.WithCancel(ctx)
		leave()
		s := &site{name: "a"}
		if a := ask(gone, b, false, s.load); !errors.Is(a.err, context.Canceled) || s.loads.Load() != 0 {
			t.Errorf("got %+v, %d loads; want %v, none", a, s.loads.Load(), context.Canceled)
		}
	})

	run("a load has a deadline of its own", func(t *testing.T, b backend) {
		ask(ctx, b, false, func(ctx context.Context) (*fetch.Outcome, error) {
			if _, ok := ctx.Deadline(); !ok {
				t.Error("got no deadline; want one")
			}
			return nil, errLimit
		})
	})

	run("an error of a load is its caller's alone", func(t *testing.T, b backend) {
		gate := make(chan struct{})
		leader, others := make(chan answer), make(chan answer)
		go func() {
			leader <- ask(ctx, b, false, func(context.Context) (*fetch.Outcome, error) {
				<-gate
				return nil, errLimit
			})
		}()
		b.settle()
		s := &site{name: "a"}
		for range 20 {
			go func() { others <- ask(ctx, b, false, s.load) }()
		}
		b.settle()
		close(gate)
		if a := <-leader; !errors.Is(a.err, errLimit) {
			t.Errorf("whose load it was: got %+v; want %v", a, errLimit)
		}
		for range 20 {
			if a := <-others; a.err != nil || a.o.ID != "a-1" {
				t.Errorf("who waited: got %+v; want a-1 by a load of their own", a)
			}
		}
	})

	run("an error of a load is not kept", func(t *testing.T, b backend) {
		ask(ctx, b, false, func(context.Context) (*fetch.Outcome, error) { return nil, errLimit })
		s := &site{name: "a"}
		if got := s.fresh(t, b, false); got != "a-1" {
			t.Errorf("got %s; want a-1", got)
		}
	})

	run("an error of a load again leaves what is held", func(t *testing.T, b backend) {
		s := &site{name: "a"}
		s.fresh(t, b, false)
		if a := ask(ctx, b, true, func(context.Context) (*fetch.Outcome, error) { return nil, errLimit }); !errors.Is(a.err, errLimit) {
			t.Errorf("again: got %+v; want %v", a, errLimit)
		}
		if got := s.fresh(t, b, false); got != "a-1" {
			t.Errorf("afterwards: got %s; want a-1", got)
		}
	})

	run("an error of a load again leaves the minute's turn", func(t *testing.T, b backend) {
		s := &site{name: "a"}
		s.fresh(t, b, false)
		ask(ctx, b, true, func(context.Context) (*fetch.Outcome, error) { return nil, errLimit })
		if got := s.fresh(t, b, true); got != "a-2" {
			t.Errorf("got %s; want a-2", got)
		}
	})

	busy := fmt.Errorf("fetch: %w", &tester.BusyError{Domain: "example.com", Retry: time.Second})
	refuse := func(context.Context) (*fetch.Outcome, error) { return nil, busy }

	run("a busy domain is answered with the last outcome of 24 hours", func(t *testing.T, b backend) {
		s := &site{name: "a"}
		s.fresh(t, b, false)
		s.answer = fetch.Outcome{Kind: fetch.ServerError, Status: 503}
		s.fresh(t, b, true)
		for _, again := range []bool{true, false} {
			b.pass(12*time.Hour - time.Second)
			if a := ask(ctx, b, again, refuse); a.err != nil || a.o.ID != "a-2" || a.held != tester.HeldDomain {
				t.Errorf("again %t: got %+v; want a-2, held since its domain is busy", again, a)
			}
		}
		if a := ask(ctx, b, false, s.load); a.err != nil || a.o.ID != "a-3" || a.held != "" {
			t.Errorf("afterwards: got %+v; want a-3", a)
		}
		b.pass(24*time.Hour + time.Second)
		if a := ask(ctx, b, false, refuse); !errors.Is(a.err, busy) {
			t.Errorf("a day later: got %+v; want %v", a, busy)
		}
	})

	run("a busy domain leaves what serves", func(t *testing.T, b backend) {
		s := &site{name: "a"}
		s.fresh(t, b, false)
		if a := ask(ctx, b, true, refuse); a.err != nil || a.o.ID != "a-1" || a.held != tester.HeldDomain {
			t.Errorf("got %+v; want a-1, held since its domain is busy", a)
		}
		if got := s.fresh(t, b, false); got != "a-1" {
			t.Errorf("afterwards: got %s; want a-1", got)
		}
		if got := s.fresh(t, b, true); got != "a-2" {
			t.Errorf("again: got %s; want a-2", got)
		}
	})

	for _, held := range []bool{false, true} {
		run(fmt.Sprintf("a busy domain is everybody's who waits, held %t", held), func(t *testing.T, b backend) {
			if held {
				(&site{name: "a"}).fresh(t, b, false)
				b.pass(time.Hour)
			}
			gate := make(chan struct{})
			var loads atomic.Int64
			answers := make(chan answer)
			for range 200 {
				go func() {
					answers <- ask(ctx, b, false, func(context.Context) (*fetch.Outcome, error) {
						loads.Add(1)
						<-gate
						return nil, busy
					})
				}()
			}
			b.settle()
			close(gate)
			for range 200 {
				a := <-answers
				if held && (a.err != nil || a.o.ID != "a-1" || a.held != tester.HeldDomain) {
					t.Fatalf("got %+v; want a-1, held since its domain is busy", a)
				}
				if !held && !errors.Is(a.err, busy) {
					t.Fatalf("got %+v; want %v", a, busy)
				}
			}
			if got := loads.Load(); got != 1 {
				t.Errorf("got %d loads; want 1", got)
			}
		})
	}

	for _, tt := range []struct {
		name string
		load tester.Load
	}{
		{"nothing", func(context.Context) (*fetch.Outcome, error) { return nil, nil }},
		{"an outcome without id", func(context.Context) (*fetch.Outcome, error) { return &fetch.Outcome{}, nil }},
		{"a panic", func(context.Context) (*fetch.Outcome, error) { panic("hostile") }},
	} {
		run("a load that gives "+tt.name+" is an error and blocks nothing", func(t *testing.T, b backend) {
			if a := ask(ctx, b, false, tt.load); a.err == nil {
				t.Errorf("got %+v; want an error", a)
			}
			s := &site{name: "a"}
			if got := s.fresh(t, b, false); got != "a-1" {
				t.Errorf("afterwards: got %s; want a-1", got)
			}
		})
	}
}

func testReports(t *testing.T, open func(*testing.T, func(*testing.T, backend))) {
	ctx := context.Background()
	run := func(name string, test func(*testing.T, backend)) {
		t.Run(name, func(t *testing.T) { open(t, test) })
	}

	run("all of a report is kept", func(t *testing.T, b backend) {
		b.PutReport(ctx, "k", report(t))
		got, err := b.Report(ctx, "k")
		if err != nil {
			t.Fatal(err)
		}
		same(t, "report", got, report(t))
	})

	run("an unknown key is not found", func(t *testing.T, b backend) {
		b.PutReport(ctx, "k", report(t))
		if _, err := b.Report(ctx, "j"); !errors.Is(err, tester.ErrNotFound) {
			t.Errorf("got %v; want %v", err, tester.ErrNotFound)
		}
	})

	run("a report is kept for an hour", func(t *testing.T, b backend) {
		b.PutReport(ctx, "k", report(t))
		b.pass(time.Hour - time.Second)
		if _, err := b.Report(ctx, "k"); err != nil {
			t.Errorf("a second before: got %v; want it", err)
		}
		b.pass(2 * time.Second)
		if _, err := b.Report(ctx, "k"); !errors.Is(err, tester.ErrNotFound) {
			t.Errorf("a second after: got %v; want %v", err, tester.ErrNotFound)
		}
	})

	run("a result of a slow check is kept for an hour", func(t *testing.T, b backend) {
		b.PutReport(ctx, "k", report(t))
		if _, err := b.Result(ctx, "k"); !errors.Is(err, tester.ErrNotFound) {
			t.Errorf("under the key of a report: got %v; want %v", err, tester.ErrNotFound)
		}
		b.PutResult(ctx, "k", everyByte())
		b.pass(time.Hour - time.Second)
		got, err := b.Result(ctx, "k")
		if err != nil || !bytes.Equal(got, everyByte()) {
			t.Errorf("a second before: got %q, %v; want what was put", got, err)
		}
		b.pass(2 * time.Second)
		if _, err := b.Result(ctx, "k"); !errors.Is(err, tester.ErrNotFound) {
			t.Errorf("a second after: got %v; want %v", err, tester.ErrNotFound)
		}
	})

	run("callers do not see each other's changes", func(t *testing.T, b backend) {
		given := report(t)
		b.PutReport(ctx, "k", given)
		for range 3 {
			given.Source.Text[0], given.URLs[0].URL = 'X', "X"
			got, err := b.Report(ctx, "k")
			if err != nil {
				t.Fatal(err)
			}
			same(t, "report", got, report(t))
			given = got
		}
	})

	for _, tt := range []struct {
		name   string
		change func(*tester.Report)
	}{
		{"that does not compress", func(r *tester.Report) { r.Source.Text = noise(3 << 20) }},
		{"that is large before it is compressed", func(r *tester.Report) { r.Source.Text = make([]byte, 40<<20) }},
	} {
		run("a report is not kept "+tt.name, func(t *testing.T, b backend) {
			r := report(t)
			tt.change(r)
			b.PutReport(ctx, "k", r)
			if _, err := b.Report(ctx, "k"); !errors.Is(err, tester.ErrNotFound) {
				t.Errorf("got %v; want %v", err, tester.ErrNotFound)
			}
		})
	}
}

func testShares(t *testing.T, open func(*testing.T, func(*testing.T, backend))) {
	ctx := context.Background()
	run := func(name string, test func(*testing.T, backend)) {
		t.Run(name, func(t *testing.T) { open(t, test) })
	}
	create := func(t *testing.T, b backend, id, nonce string) *tester.Share {
		t.Helper()
		s, err := b.Create(ctx, shared(t, id, nonce))
		if err != nil {
			t.Fatalf("create %s: %v", id, err)
		}
		return s
	}
	wantShare := func(t *testing.T, b backend, id string, want error) {
		t.Helper()
		if _, err := b.Share(ctx, id); !errors.Is(err, want) {
			t.Errorf("share %s: got error %v; want %v", id, err, want)
		}
	}

	run("all of a share is kept", func(t *testing.T, b backend) {
		same(t, "created", create(t, b, "a", "n"), shared(t, "a", "n"))
		got, err := b.Share(ctx, "a")
		if err != nil {
			t.Fatal(err)
		}
		same(t, "kept", got, shared(t, "a", "n"))
	})

	run("an unknown id is not found", func(t *testing.T, b backend) {
		create(t, b, "a", "")
		for _, id := range []string{"b", "A", "", "a*", strings.Repeat("a", 1<<20)} {
			wantShare(t, b, id, tester.ErrNotFound)
			if err := b.Delete(ctx, id); !errors.Is(err, tester.ErrNotFound) {
				t.Errorf("delete %.10q: got %v; want %v", id, err, tester.ErrNotFound)
			}
		}
	})

	run("callers do not see each other's changes", func(t *testing.T, b backend) {
		given := shared(t, "a", "n")
		if _, err := b.Create(ctx, given); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			given.Token, given.Report.Source.Text[0] = "X", 'X'
			got, err := b.Share(ctx, "a")
			if err != nil {
				t.Fatal(err)
			}
			same(t, "share", got, shared(t, "a", "n"))
			given = got
		}
	})

	run("a share lasts a year after its last view", func(t *testing.T, b backend) {
		create(t, b, "a", "")
		create(t, b, "b", "")
		for range 3 {
			b.pass(tester.ShareLife - time.Minute)
			wantShare(t, b, "a", nil)
		}
		wantShare(t, b, "b", tester.ErrNotFound)
		b.pass(tester.ShareLife + time.Minute)
		wantShare(t, b, "a", tester.ErrNotFound)
	})

	run("the same nonce gives the same share", func(t *testing.T, b backend) {
		create(t, b, "a", "n")
		b.pass(24*time.Hour - time.Second)
		same(t, "second", create(t, b, "b", "n"), shared(t, "a", "n"))
		wantShare(t, b, "b", tester.ErrNotFound)
		same(t, "another nonce", create(t, b, "c", "m"), shared(t, "c", "m"))
	})

	run("no nonce is no nonce", func(t *testing.T, b backend) {
		create(t, b, "a", "")
		same(t, "second", create(t, b, "b", ""), shared(t, "b", ""))
	})

	run("a nonce ends with its share", func(t *testing.T, b backend) {
		create(t, b, "a", "n")
		if err := b.Delete(ctx, "a"); err != nil {
			t.Fatal(err)
		}
		same(t, "after a delete", create(t, b, "b", "n"), shared(t, "b", "n"))
		b.pass(tester.ShareLife + time.Minute)
		same(t, "after a year", create(t, b, "c", "n"), shared(t, "c", "n"))
	})

	run("100 clicks with one nonce make one share", func(t *testing.T, b backend) {
		ids := make(chan string)
		for i := range 100 {
			s := shared(t, fmt.Sprint("id-", i), "n")
			go func() {
				made, err := b.Create(ctx, s)
				if err != nil {
					ids <- err.Error()
					return
				}
				ids <- made.ID
			}()
		}
		seen := map[string]bool{}
		for range 100 {
			seen[<-ids] = true
		}
		if len(seen) != 1 {
			t.Errorf("got %d shares; want 1: %v", len(seen), seen)
		}
	})

	run("an id that is taken is not written over", func(t *testing.T, b backend) {
		create(t, b, "a", "n")
		other := shared(t, "a", "m")
		other.Token = "other"
		if s, err := b.Create(ctx, other); err == nil || errors.Is(err, tester.ErrFull) {
			t.Errorf("got %v, error %v; want an error that is not about room", s, err)
		}
		got, err := b.Share(ctx, "a")
		if err != nil {
			t.Fatal(err)
		}
		same(t, "the first", got, shared(t, "a", "n"))
		same(t, "with the nonce of the refused", create(t, b, "b", "m"), shared(t, "b", "m"))
	})

	run("a deleted share is known as deleted for a year", func(t *testing.T, b backend) {
		create(t, b, "a", "n")
		if err := b.Delete(ctx, "a"); err != nil {
			t.Fatal(err)
		}
		b.pass(tester.ShareLife - time.Minute)
		wantShare(t, b, "a", tester.ErrDeleted)
		if err := b.Delete(ctx, "a"); !errors.Is(err, tester.ErrDeleted) {
			t.Errorf("delete again: got %v; want %v", err, tester.ErrDeleted)
		}
		if _, err := b.Create(ctx, shared(t, "a", "")); err == nil {
			t.Error("create with its id: got no error; want one")
		}
		wantShare(t, b, "a", tester.ErrDeleted)
		b.pass(2 * time.Minute)
		wantShare(t, b, "a", tester.ErrNotFound)
	})

	run("a full store takes no share and gives up none", func(t *testing.T, b backend) {
		create(t, b, "a", "n")
		b.fill()
		if s, err := b.Create(ctx, shared(t, "b", "m")); !errors.Is(err, tester.ErrFull) {
			t.Errorf("got %v, error %v; want %v", s, err, tester.ErrFull)
		}
		wantShare(t, b, "b", tester.ErrNotFound)
		wantShare(t, b, "a", nil)
		same(t, "with a nonce that made a share", create(t, b, "c", "n"), shared(t, "a", "n"))
	})

	for _, tt := range []struct {
		name   string
		change func(*tester.Report)
	}{
		{"that does not compress", func(r *tester.Report) { r.Source.Text = noise(5 << 20) }},
		{"that is large before it is compressed", func(r *tester.Report) { r.Source.Text = make([]byte, 40<<20) }},
	} {
		run("never takes a share "+tt.name, func(t *testing.T, b backend) {
			s := shared(t, "a", "n")
			tt.change(s.Report)
			if _, err := b.Create(ctx, s); !errors.Is(err, tester.ErrTooLarge) {
				t.Errorf("got %v; want %v", err, tester.ErrTooLarge)
			}
			same(t, "a smaller one with its id and nonce", create(t, b, "a", "n"), shared(t, "a", "n"))
		})
	}

	run("the largest table with the longest rules can be shared", func(t *testing.T, b backend) {
		s := shared(t, "a", "")
		s.Report.Results = longRules(tester.MaxURLs*tester.MaxCrawlers, tester.MaxRule)
		if _, err := b.Create(ctx, s); err != nil {
			t.Fatal(err)
		}
		got, err := b.Share(ctx, "a")
		if err != nil {
			t.Fatal(err)
		}
		if last := len(got.Report.Results) - 1; got.Report.Results[last].Rule != s.Report.Results[last].Rule {
			t.Error("the last rule is not the one that was shared")
		}
	})

	run("the largest text of noise can be shared", func(t *testing.T, b backend) {
		s := shared(t, "a", "")
		s.Report.Source.Text = noise(tester.MaxText)
		if _, err := b.Create(ctx, s); err != nil {
			t.Fatal(err)
		}
		got, err := b.Share(ctx, "a")
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Report.Source.Text, s.Report.Source.Text) {
			t.Error("got another text than was shared")
		}
	})

	run("a share without a report is an error", func(t *testing.T, b backend) {
		if _, err := b.Create(ctx, &tester.Share{ID: "a"}); err == nil {
			t.Error("got no error; want one")
		}
	})
}

func testUndecodable(t *testing.T, open func(*testing.T, func(*testing.T, backend))) {
	ctx := context.Background()
	for _, tt := range undecodable() {
		t.Run(tt.name+" is a miss", func(t *testing.T) {
			open(t, func(t *testing.T, b backend) {
				s := &site{name: "a"}
				s.fresh(t, b, false)
				b.PutReport(ctx, "k", report(t))
				if _, err := b.Create(ctx, shared(t, "a", "")); err != nil {
					t.Fatal(err)
				}
				b.spoil(tt.change)
				if _, err := b.Outcome(ctx, "a-1"); !errors.Is(err, tester.ErrNotFound) {
					t.Errorf("outcome: got %v; want %v", err, tester.ErrNotFound)
				}
				if got := s.fresh(t, b, false); got != "a-2" {
					t.Errorf("fresh: got %s; want a-2", got)
				}
				if _, err := b.Report(ctx, "k"); !errors.Is(err, tester.ErrNotFound) {
					t.Errorf("report: got %v; want %v", err, tester.ErrNotFound)
				}
				if _, err := b.Share(ctx, "a"); !errors.Is(err, tester.ErrNotFound) {
					t.Errorf("share: got %v; want %v", err, tester.ErrNotFound)
				}
			})
		})
	}
}

// site is a site that counts how often it is fetched and numbers its answers:
// name-1, name-2.
type site struct {
	name   string
	answer fetch.Outcome
	gate   chan struct{} // loads wait until it is closed; nil: they do not
	loads  atomic.Int64
}

func (s *site) load(context.Context) (*fetch.Outcome, error) {
	o := s.answer
	if o.Kind == "" {
		o.Kind, o.Status = fetch.OK, 200
	}
	o.ID = fmt.Sprintf("%s-%d", s.name, s.loads.Add(1))
	if s.gate != nil {
		<-s.gate
	}
	return &o, nil
}

// fresh gives the id of the outcome that serves.
func (s *site) fresh(t *testing.T, b backend, again bool) string {
	t.Helper()
	o, held, err := b.Fresh(context.Background(), s.name, again, s.load)
	if err != nil {
		t.Fatalf("fresh outcome of %s: %v", s.name, err)
	}
	if held != "" {
		return o.ID + " held: " + string(held)
	}
	return o.ID
}

// answer is what one caller got.
type answer struct {
	o    *fetch.Outcome
	held tester.Held
	err  error
}

// ask asks for the origin "a".
func ask(ctx context.Context, b backend, again bool, load tester.Load) answer {
	o, held, err := b.Fresh(ctx, "a", again, load)
	return answer{o, held, err}
}

// report is a report with a value in every corner.
func report(t *testing.T) *tester.Report {
	t.Helper()
	catalogue, err := crawlers.Load()
	if err != nil {
		t.Fatal(err)
	}
	origin := fetch.Origin{Scheme: "https", Host: "shop.example.com", Port: 443}
	at := time.Date(2026, 3, 1, 10, 42, 0, 0, time.UTC)
	return &tester.Report{
		Engine:   "1",
		TestedAt: at,
		Source: tester.Source{
			Site:      &origin,
			Text:      everyByte(),
			Fetch:     &fetch.Outcome{ID: "o", Origin: origin, Kind: fetch.OK, Status: 200, FetchedAt: at, Took: time.Second},
			EditedAt:  at,
			Forgotten: true,
		},
		Access: []access.Access{access.Pasted()},
		Crawlers: []tester.Column{{
			Choice: catalogue.Resolve("Googlebot-Image"), How: tester.HowFallback, Name: "Googlebot",
			Agents: []int{1, 2}, AgentsTotal: 3, Rules: []tester.Range{{First: 4, Last: 6}}, Loose: true,
		}},
		URLs: []tester.Row{{
			URL: "/a?<&>\u2028", Matched: "https://shop.example.com/a", Path: "/a", Origin: &origin,
			Covered: true, Fetchable: true, Error: "scheme",
		}},
		Results: []tester.Result{{
			Verdict: tester.Blocked, Reason: tester.ReasonLongestRule, How: tester.HowFallback, Line: 4, Rule: "Disallow: /a",
			Would: &tester.Would{Verdict: tester.Blocked, Line: 4},
			Why: &tester.Why{
				Candidates: []tester.Candidate{{Line: 4, Rule: "Disallow: /a", Length: 2, Outcome: "wins"}},
				Total:      1, Spans: []robots.Span{{Start: 0, End: 2, Wildcard: true}}, IndexHTML: true,
			},
		}},
		StarLines: []tester.Range{{First: 1, Last: 1}},
		CutLine:   7,
	}
}

// shared is a share of that report.
func shared(t *testing.T, id, nonce string) *tester.Share {
	t.Helper()
	return &tester.Share{ID: id, Token: "t-" + id, Nonce: nonce, Created: time.Date(2026, 3, 1, 10, 43, 0, 0, time.UTC), Report: report(t)}
}

// everyByte is a text with every byte, NUL and broken UTF-8 among them.
func everyByte() []byte {
	b := []byte("User-agent: *\r\nDisallow: /")
	for i := range 256 {
		b = append(b, byte(i))
	}
	return b
}

// noise is a text that does not compress, the same every time.
func noise(n int) []byte {
	r := rand.NewChaCha8([32]byte{1})
	b := make([]byte, n)
	r.Read(b)
	return b
}

// longRules is results of n cells, each with a rule of size bytes; they share
// its memory as those of a real report do.
func longRules(n, size int) []tester.Result {
	rule := "Disallow: /" + strings.Repeat("a", size)
	results := make([]tester.Result, n)
	for i := range results {
		results[i].Rule = rule
	}
	return results
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}
