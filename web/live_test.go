package web_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"github.com/whichrule/whichrule/internal/tester"
	"github.com/whichrule/whichrule/web"
)

// olderShares gives shares as an older version of the program made them.
type olderShares struct {
	tester.Shares
	age func(*tester.Report)
}

func (o olderShares) Share(ctx context.Context, id string) (*tester.Share, error) {
	s, err := o.Shares.Share(ctx, id)
	if err == nil {
		o.age(s.Report)
	}
	return s, err
}

// What may come from a change on our side is not blamed on the site.
func TestLiveOurChanges(t *testing.T) {
	const engine, ours = "Our engine changed too, from version 0 to 1.", "The file is the same, so this comes from a change on our side"
	flip := func(r *tester.Report) { r.Results[0].Verdict = tester.Blocked }
	for _, tt := range []struct {
		name          string
		age           func(*tester.Report)
		now           string // what the site serves
		heading, note string // parts of them; no note at all where it is ""
		elseChanged   bool   // the version stands in "What else changed"
	}{
		{"nothing", func(*tester.Report) {}, "", "Nothing changed", "", false},
		{"the engine", func(r *tester.Report) { r.Engine = "0" }, "", "No verdict changed", engine, true},
		{"the engine, and a verdict", func(r *tester.Report) { r.Engine = "0"; flip(r) }, "", "1 verdict changed", engine, true},
		{"the catalogue", flip, "", "1 verdict changed", ours, false},
		{"the file, it seems", flip, "# new\n", "1 verdict changed", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil, func(c *web.Config) { c.Shares = olderShares{c.Shares, tt.age} })
			w.origin.File("")
			_, body := w.post(t, "/share", asJSON, url.Values{"site": {w.origin.Origin()}, "crawler": {"Googlebot"}})
			var made struct{ ID string }
			check(t, json.Unmarshal([]byte(body), &made))
			w.origin.File(tt.now)
			resp, page := w.get(t, "/r/"+made.ID+"/live")
			if resp.StatusCode != http.StatusOK {
				t.Fatalf("got %d: %s", resp.StatusCode, page)
			}
			doc, err := goquery.NewDocumentFromReader(strings.NewReader(page))
			check(t, err)
			if got := doc.Find("h1").Text(); !strings.Contains(got, tt.heading) {
				t.Errorf("got the heading %q; want %q in it", got, tt.heading)
			}
			if got := doc.Find(".notice").Text(); !strings.Contains(got, tt.note) || tt.note == "" && got != "" {
				t.Errorf("got the notice %q; want %q in it", got, tt.note)
			}
			if got := strings.Contains(doc.Find("#h-else + table").Text(), "Version of the engine"); got != tt.elseChanged {
				t.Errorf("the version among what else changed: got %t; want %t", got, tt.elseChanged)
			}
		})
	}
}
