package tester

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/whichrule/whichrule/internal/fetch"
	"github.com/whichrule/whichrule/internal/robots"
)

// A report that was kept is the report that was made.
func TestReportRoundTrip(t *testing.T) {
	const file = "\ufeffUser-agent: *\r\nDisallow: /a\nAllow: /a\nDisallow:\n\nUser-agent: Googlebot\nDisallow: /caf\xe9\x00\n"
	for _, tt := range []struct {
		name string
		kind fetch.Kind
		in   Request
	}{
		{"a paste", fetch.OK, Request{Text: []byte(file), URLs: []string{"/a", "/b", "caf\xe9", "mailto:x"}, Crawlers: []string{"Googlebot", "*", "caf\xe9bot", "AdsBot-Google", "Perplexity-User"}}},
		{"an empty paste", fetch.OK, Request{Text: []byte("\n")}},
		{"a fetch", fetch.OK, Request{Site: shop, URLs: []string{"/a", "https://other.example.com/", "/robots.txt"}}},
		{"a fetch that failed", fetch.ServerError, Request{Site: shop, URLs: []string{"/a"}, Crawlers: []string{"Googlebot", "YandexBot", "Perplexity-User"}}},
		{"an edited text", fetch.OK, Request{Text: []byte(file + "#"), Site: shop, Outcome: "h"}},
		{"a large one", fetch.OK, big(41, 50)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			w.body, w.kind = file, tt.kind
			w.hold("h", shop, file)
			made := w.test(t, tt.in)
			b, err := made.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			var kept Report
			if err := kept.UnmarshalBinary(b); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(made, &kept, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("(-made +kept):\n%s", diff)
			}
			// What is left out is found from what was kept.
			for row := range made.URLs {
				for col := range made.Crawlers {
					c := Cell{Row: row + 1, Col: col + 1}
					if diff := cmp.Diff(made.Explain(c), kept.Explain(c), cmpopts.EquateEmpty()); diff != "" {
						t.Fatalf("cell %v (-made +kept):\n%s", c, diff)
					}
				}
			}
		})
	}
}

// Keeping a report changes nothing in it, since others read it meanwhile.
func TestMarshalLeavesReport(t *testing.T) {
	w := newWorld(t)
	q := Request{Text: lines("User-agent: *", "Disallow: /"), URLs: []string{"/a"}}
	one, two := w.test(t, q), w.test(t, q)
	if _, err := one.MarshalBinary(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(two, one); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
}

// A report of a fetched text is made once for equal questions.
func TestReportCache(t *testing.T) {
	base := Request{Site: shop, URLs: []string{"/a", "/b"}, Crawlers: []string{"Googlebot", "GPTBot"}}
	for _, tt := range []struct {
		name   string
		in     func(*Request)
		served bool // by the report of base
		put    int
	}{
		{"the same again", func(*Request) {}, true, 1},
		{"by its text", func(q *Request) { q.Text, q.Outcome = []byte("live"), "fetched" }, true, 1},
		{"other URLs", func(q *Request) { q.URLs = []string{"/a"} }, false, 2},
		{"URLs in other order", func(q *Request) { q.URLs = []string{"/b", "/a"} }, false, 2},
		{"URLs cut elsewhere", func(q *Request) { q.URLs = []string{"/a\n/b"} }, false, 2},
		{"a URL in another spelling", func(q *Request) { q.URLs = []string{"/a", "b"} }, false, 2},
		{"other crawlers", func(q *Request) { q.Crawlers = []string{"Googlebot"} }, false, 2},
		{"crawlers in other order", func(q *Request) { q.Crawlers = []string{"GPTBot", "Googlebot"} }, false, 2},
		{"another site", func(q *Request) { q.Site = "https://other.example.com" }, false, 2},
		{"fetched anew", func(q *Request) { q.Do = DoRefetch }, false, 2},
		{"a chosen cell is explained", func(q *Request) { q.Cell = Cell{1, 1} }, false, 1},
		{"a paste", func(q *Request) { q.Text = []byte("x") }, false, 1},
		{"an edited text", func(q *Request) { q.Text, q.Outcome = []byte("live#"), "fetched" }, false, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			w.body = "live"
			n := 0
			old := w.Fetcher.(*fakeFetcher).fetch
			w.Fetcher.(*fakeFetcher).fetch = func(ctx context.Context, o fetch.Origin) (*fetch.Outcome, error) {
				out, err := old(ctx, o)
				if n++; n > 1 {
					out.ID = "another"
				}
				return out, err
			}
			kept := map[string]*Report{}
			put := 0
			w.Reports = &fakeReports{
				report: func(_ context.Context, key string) (*Report, error) {
					if r := kept[key]; r != nil {
						return r, nil
					}
					return nil, ErrNotFound
				},
				put: func(_ context.Context, key string, r *Report) {
					put++
					kept[key] = r
				},
			}
			first := w.test(t, base)
			q := base
			tt.in(&q)
			second := w.test(t, q)
			if served := &second.Results[0] == &first.Results[0]; served != tt.served {
				t.Errorf("got the kept report %t; want %t", served, tt.served)
			}
			if put != tt.put {
				t.Errorf("kept %d reports; want %d", put, tt.put)
			}
		})
	}
}

// A kept report is of any time in the last hour. Which copy is stale now, and
// why no new one was fetched, are facts of the request.
func TestReportCacheKeepsNoFacts(t *testing.T) {
	w := newWorld(t)
	var kept []*Report
	w.Reports = &fakeReports{
		report: func(context.Context, string) (*Report, error) {
			if len(kept) == 0 {
				return nil, ErrNotFound
			}
			read := *kept[0]
			return &read, nil
		},
		put: func(_ context.Context, _ string, r *Report) { kept = append(kept, r) },
	}
	failed := outcome("failed", originOf(shop), "")
	failed.Kind, failed.Status = fetch.ServerError, 503
	var good *fetch.Outcome
	var why Held
	w.Outcomes.(*fakeOutcomes).fresh = func(context.Context, string, bool, Load) (*fetch.Outcome, Held, error) {
		return failed, why, nil
	}
	for _, tt := range []struct {
		name  string
		good  string // id of the copy that is held, "" for none
		why   Held
		stale string
	}{
		{"computed, with a copy", "monday", HeldAgain, "monday"},
		{"kept, with another copy", "tuesday", "", "tuesday"},
		{"kept, the copy has gone", "", HeldDomain, ""},
	} {
		w.goods[shop], why = nil, tt.why
		if tt.good != "" {
			good = outcome(tt.good, originOf(shop), "Disallow: /a")
			w.goods[shop] = good
		}
		r := w.test(t, Request{Site: shop})
		stale := ""
		if r.Source.Stale != nil {
			stale = r.Source.Stale.ID
		}
		if stale != tt.stale || r.Source.Held != tt.why {
			t.Errorf("%s: got stale %q, held %q; want %q, %q", tt.name, stale, r.Source.Held, tt.stale, tt.why)
		}
	}
	if len(kept) != 1 || kept[0].Source.Stale != nil || kept[0].Source.Held != "" {
		t.Errorf("got %d reports kept, the first with %+v; want one without these facts", len(kept), kept[0].Source)
	}
}

// A report says by which engine and when it was made, to the second.
func TestReportHead(t *testing.T) {
	w := newWorld(t)
	w.Now = func() time.Time { return noon.Add(999 * time.Millisecond) }
	r := w.test(t, Request{Text: []byte("\n")})
	if r.Engine != robots.Version || !r.TestedAt.Equal(noon) {
		t.Errorf("got engine %q at %v; want %q at %v", r.Engine, r.TestedAt, robots.Version, noon)
	}
}

// Check is what the command line does: a text and no site.
func TestCheck(t *testing.T) {
	w := newWorld(t)
	r, err := w.Check(lines("User-agent: *", "Disallow: /a"), []string{"Googlebot"}, []string{"/a", " https://shop.example.com/b ", "mailto:x"})
	if err != nil {
		t.Fatal(err)
	}
	var got []Verdict
	for _, res := range r.Results {
		got = append(got, res.Verdict)
	}
	if diff := cmp.Diff([]Verdict{Blocked, Allowed, NotTested}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
