package tester

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/whichrule/whichrule/internal/crawlers"
	"github.com/whichrule/whichrule/internal/fetch"
)

// Fakes are structs of functions: a test sets those that it is about.

type fakeOutcomes struct {
	outcome func(ctx context.Context, id string) (*fetch.Outcome, error)
	fresh   func(ctx context.Context, origin string, again bool, load Load) (*fetch.Outcome, Held, error)
	good    func(ctx context.Context, origin string) (*fetch.Outcome, error)
}

func (f *fakeOutcomes) Outcome(ctx context.Context, id string) (*fetch.Outcome, error) {
	return f.outcome(ctx, id)
}

func (f *fakeOutcomes) Fresh(ctx context.Context, origin string, again bool, load Load) (*fetch.Outcome, Held, error) {
	return f.fresh(ctx, origin, again, load)
}

func (f *fakeOutcomes) LastGood(ctx context.Context, origin string) (*fetch.Outcome, error) {
	return f.good(ctx, origin)
}

type fakeFetcher struct {
	fetch     func(ctx context.Context, o fetch.Origin) (*fetch.Outcome, error)
	fetchable func(o fetch.Origin) bool
}

func (f *fakeFetcher) Fetch(ctx context.Context, o fetch.Origin) (*fetch.Outcome, error) {
	return f.fetch(ctx, o)
}
func (f *fakeFetcher) Fetchable(o fetch.Origin) bool { return f.fetchable(o) }

type fakeReports struct {
	report func(ctx context.Context, key string) (*Report, error)
	put    func(ctx context.Context, key string, r *Report)
}

func (f *fakeReports) Report(ctx context.Context, key string) (*Report, error) {
	return f.report(ctx, key)
}

func (f *fakeReports) PutReport(ctx context.Context, key string, r *Report) { f.put(ctx, key, r) }

// noon is when tests happen, and breakfast when something was fetched before.
var (
	noon      = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	breakfast = time.Date(2026, 3, 1, 8, 30, 0, 0, time.UTC)
)

// world is a tester with a web of one file for every site, a store without
// limits, and counts of what was asked of them.
type world struct {
	Tester
	body    string     // what sites serve
	kind    fetch.Kind // what becomes of fetches; "" means OK
	held    map[string]*fetch.Outcome
	origins map[string]*fetch.Outcome // what serves for each origin
	goods   map[string]*fetch.Outcome // the last good outcome of each origin
	fetched []string                  // origins that were asked
	again   int                       // how often the held outcome was passed by
}

func newWorld(t *testing.T) *world {
	t.Helper()
	catalogue, err := crawlers.Load()
	if err != nil {
		t.Fatal(err)
	}
	w := &world{held: map[string]*fetch.Outcome{}, origins: map[string]*fetch.Outcome{}, goods: map[string]*fetch.Outcome{}}
	w.Tester = Tester{
		Catalogue: catalogue,
		Now:       func() time.Time { return noon },
		Outcomes: &fakeOutcomes{
			outcome: func(_ context.Context, id string) (*fetch.Outcome, error) {
				if o := w.held[id]; o != nil {
					return o, nil
				}
				return nil, ErrNotFound
			},
			good: func(_ context.Context, origin string) (*fetch.Outcome, error) {
				if o := w.goods[origin]; o != nil {
					return o, nil
				}
				return nil, ErrNotFound
			},
			fresh: func(ctx context.Context, origin string, again bool, load Load) (*fetch.Outcome, Held, error) {
				if again {
					w.again++
				} else if o := w.origins[origin]; o != nil {
					return o, "", nil
				}
				o, err := load(ctx)
				if err == nil {
					w.origins[origin], w.held[o.ID] = o, o
				}
				return o, "", err
			},
		},
		Fetcher: &fakeFetcher{
			fetch: func(_ context.Context, o fetch.Origin) (*fetch.Outcome, error) {
				w.fetched = append(w.fetched, o.String())
				out := outcome("fetched", o, w.body)
				if w.kind != "" && w.kind != fetch.OK {
					out.Kind, out.Body = w.kind, nil
				}
				return out, nil
			},
			fetchable: func(o fetch.Origin) bool { return o.Port == 80 || o.Port == 443 },
		},
	}
	return w
}

// outcome is a fetch at breakfast.
func outcome(id string, o fetch.Origin, body string) *fetch.Outcome {
	return &fetch.Outcome{
		ID: id, Origin: o, Kind: fetch.OK, Status: 200, Body: []byte(body), FetchedAt: breakfast,
		Hops: []fetch.Hop{{URL: o.RobotsURL(), Status: 200}}, FinalURL: o.RobotsURL(), Detail: "for the log",
	}
}

// hold makes the store hold an outcome of an earlier fetch.
func (w *world) hold(id, site, body string) {
	w.held[id] = outcome(id, originOf(site), body)
}

// test runs a test that has to work.
func (w *world) test(t *testing.T, q Request) *Report {
	t.Helper()
	r, err := w.Test(t.Context(), q)
	if err != nil {
		t.Fatalf("got error %v; want a report", err)
	}
	return r
}

// fails runs a test that has to be refused, and gives its error.
func (w *world) fails(t *testing.T, q Request) *Error {
	t.Helper()
	_, err := w.Test(t.Context(), q)
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v; want a *tester.Error", err)
	}
	return e
}

func originOf(site string) fetch.Origin {
	s, err := fetch.ParseSite(site)
	if err != nil {
		panic(err)
	}
	return s.Origin
}

// lines joins the lines of a file.
func lines(ls ...string) []byte { return []byte(strings.Join(ls, "\n")) }
