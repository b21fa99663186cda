package web_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/whichrule/whichrule/internal/fetch"
	"github.com/whichrule/whichrule/internal/tester"
	"github.com/whichrule/whichrule/internal/testkit"
	"github.com/whichrule/whichrule/web"
)

// politeFetcher is a fetcher that may be told that every domain is busy.
type politeFetcher struct {
	tester.Fetcher
	busy *tester.BusyError
}

func (f *politeFetcher) Fetch(ctx context.Context, o fetch.Origin) (*fetch.Outcome, error) {
	if f.busy != nil {
		return nil, f.busy
	}
	return f.Fetcher.Fetch(ctx, o)
}

// heldFacts are the facts of a JSON report that say how old it is.
type heldFacts struct {
	Outcome   string     `json:"outcome"`
	Status    int        `json:"status"`
	Text      string     `json:"text"`
	Held      string     `json:"held"`
	FetchedAt time.Time  `json:"fetched_at"`
	Stale     *staleFact `json:"stale"`
}

type staleFact struct {
	FetchedAt time.Time `json:"fetched_at"`
	Bytes     int       `json:"bytes"`
	SHA256    string    `json:"sha256"`
	Text      string    `json:"text"`
}

// A site that answered and fails later: the report follows today's answer and
// has the copy beside it, also when it was computed before, and in a share.
// "Fetch again" and a busy domain are answered with what is held, and said so.
func TestHeldAndStale(t *testing.T) {
	const file = "User-agent: *\nDisallow: /a\n"
	polite := &politeFetcher{}
	w := newWorld(t, nil, func(c *web.Config) {
		polite.Fetcher = c.Tester.Fetcher
		c.Tester.Fetcher = polite
	})
	form := func(do string) url.Values {
		return url.Values{"site": {w.origin.Origin()}, "do": {do}, "url": {"/a"}, "crawler": {"Googlebot"}}
	}
	read := func(body string) heldFacts {
		t.Helper()
		var r struct {
			Source heldFacts `json:"source"`
		}
		check(t, json.Unmarshal([]byte(body), &r))
		return r.Source
	}
	minute := func(n int) time.Time { return noon.Add(time.Duration(n) * time.Minute) }
	good := heldFacts{Outcome: "ok", Status: 200, Text: file, FetchedAt: noon}
	failed := heldFacts{Outcome: "server-error", Status: 503, FetchedAt: minute(1), Stale: &staleFact{
		FetchedAt: noon, Bytes: len(file), Text: file,
		SHA256: "f26c1148a87f1114697fc794684d6aac2201aa146b8661249c3709ddf01253ef",
	}}
	as := func(f heldFacts, held string) heldFacts {
		f.Held = held
		return f
	}
	for _, step := range []struct {
		name   string
		after  time.Duration
		status int // of the site
		busy   bool
		do     string
		want   heldFacts
	}{
		{"at first", 0, 200, false, "fetch", good},
		{"the site fails", time.Minute, 503, false, "refetch", failed},
		{"held, from the report computed before", 0, 503, false, "fetch", failed},
		{"again within a minute", 0, 200, false, "refetch", as(failed, "again")},
		{"who did not ask again", 0, 200, false, "fetch", failed},
		{"the domain is busy", 10 * time.Minute, 200, true, "fetch", as(failed, "domain")},
		{"busy, and again", 0, 200, true, "refetch", as(failed, "domain")},
		{"it works again", 0, 200, false, "fetch", heldFacts{Outcome: "ok", Status: 200, Text: file, FetchedAt: minute(11)}},
	} {
		w.clock.advance(step.after)
		w.origin.Serve(testkit.Status(step.status))
		if step.status == http.StatusOK {
			w.origin.File(file)
		}
		polite.busy = nil
		if step.busy {
			polite.busy = &tester.BusyError{Domain: "example.com", Retry: 12 * time.Second}
		}
		resp, body := w.post(t, "/test", asJSON, form(step.do))
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("%s: got %d %s", step.name, resp.StatusCode, body)
		}
		if diff := cmp.Diff(step.want, read(body)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, diff)
		}
		if step.name != "held, from the report computed before" {
			continue
		}
		_, body = w.post(t, "/share", asJSON, form("fetch"))
		var made struct{ ID string }
		check(t, json.Unmarshal([]byte(body), &made))
		_, body = w.get(t, "/r/"+made.ID+".json")
		if diff := cmp.Diff(failed, read(body)); diff != "" {
			t.Errorf("shared (-want +got):\n%s", diff)
		}
	}
	polite.busy = &tester.BusyError{Domain: "example.com", Retry: 11500 * time.Millisecond}
	for _, header := range []http.Header{nil, asJSON, asPart, {"Accept": {"text/csv"}}} {
		resp, body := w.post(t, "/test", header, url.Values{"site": {"https://cold.example.com"}, "do": {"fetch"}, "robots": {"what was typed"}})
		if resp.StatusCode != http.StatusTooManyRequests || resp.Header.Get("Retry-After") != "12" {
			t.Errorf("%v: got %d, Retry-After %q; want 429 and 12", header, resp.StatusCode, resp.Header.Get("Retry-After"))
		}
		for _, want := range []string{"example.com", "12 seconds"} {
			if !strings.Contains(body, want) {
				t.Errorf("%v: got %.2000s; want %q in it", header, body, want)
			}
		}
	}
}
