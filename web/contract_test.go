package web_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/go-cmp/cmp"

	"github.com/whichrule/whichrule/internal/fetch"
	"github.com/whichrule/whichrule/internal/tester"
)

// shape is the shape of a JSON value: a name of a type, a map of the fields
// that an object has, or a slice with the shape of every element. "string?"
// may be null.
type shape any

// reportShape is the whole report: what is in none of its rows is not in the
// report either.
var reportShape = map[string]shape{
	"engine":    "string",
	"tested_at": "time",
	"source": map[string]shape{
		"kind": "string", "site": "string", "outcome": "string", "status": "number",
		"hops":      []shape{map[string]shape{"url": "string", "status": "number"}},
		"final_url": "string", "bytes": "number", "more": "bool", "counted_bytes": "number",
		"content_type": "string", "fetched_at": "time?", "text": "string", "sha256": "string",
		"error": errorShape, "held": "string", "simulate": "string",
		"content_encoding": "string", "cache_control": "string", "age": "string", "retry_after": "string",
		"byte_order_mark": "bool", "utf16": "bool", "html": "bool",
		"stale": nullable{"fetched_at": "time", "bytes": "number", "sha256": "string", "text": "string"},
	},
	"access": accessShape{"effect": "string", "reason": "string", "source": "string", "date": "string", "confidence": "string", "basis": "string"},
	"access_by_operator": []shape{map[string]shape{
		"operator": "string", "effect": "string", "reason": "string", "source": "string", "date": "string", "confidence": "string", "basis": "string",
		"message": "string",
	}},
	"overview": []shape{map[string]shape{
		"crawler": "string", "category": "string", "state": "string", "how": "string", "line": "number", "name": "string", "disallows": "number",
	}},
	"alarms": []shape{map[string]shape{"kind": "string", "crawlers": []shape{"string"}, "others": []shape{"string"}, "line": "number", "message": "string"}},
	"names":  []shape{map[string]shape{"line": "number", "name": "string", "kind": "string", "crawler": "string"}},
	"findings": []shape{map[string]shape{
		"kind": "string", "severity": "string", "lines": []shape{"number"}, "lines_total": "number", "message": "string", "effect": "string",
		"crawlers": []shape{"string"}, "source": "string",
		"example": nullable{"path": "string", "crawler": "string", "allowed": "bool"},
		"fix":     nullable{"sentence": "string", "start_line": "number", "delete": "number", "insert": []shape{"string"}},
	}},
	"results": []shape{map[string]shape{
		"crawler": "string", "url": "string", "matched_url": "string", "covered": "bool", "allowed": "bool?",
		"line": "number", "rule": "string", "reason": "string", "message": "string",
		"group":            map[string]shape{"how": "string", "name": "string", "lines": []shape{"number"}, "lines_total": "number"},
		"candidates":       []shape{map[string]shape{"line": "number", "rule": "string", "length": "number", "outcome": "string"}},
		"candidates_total": "number",
		"error":            errorShape,
	}},
}

// accessShape is an object whose fields are crawlers.
type accessShape map[string]shape

// nullable is an object that may be null.
type nullable map[string]shape

var errorShape = nullable{"kind": "string", "message": "string"}

// differ lists where a value has not the shape that it should have.
func differ(at string, v any, want shape) []string {
	wrong := func() []string { return []string{fmt.Sprintf("%s: got %.60v; want %v", at, v, want)} }
	switch want := want.(type) {
	case string:
		name, null := strings.CutSuffix(want, "?")
		ok := false
		switch x := v.(type) {
		case nil:
			ok = null
		case string:
			_, err := time.Parse("2006-01-02T15:04:05Z", x)
			ok = name == "string" || name == "time" && err == nil
		case float64:
			ok = name == "number" && x == float64(int(x)) && x >= 0
		case bool:
			ok = name == "bool"
		}
		if !ok {
			return wrong()
		}
		return nil
	case []shape:
		list, ok := v.([]any)
		if !ok {
			return wrong()
		}
		var all []string
		for i, e := range list {
			all = append(all, differ(fmt.Sprintf("%s.%d", at, i), e, want[0])...)
		}
		return all
	case nullable:
		if v == nil {
			return nil
		}
		return differ(at, v, map[string]shape(want))
	case accessShape:
		object, ok := v.(map[string]any)
		if !ok || len(object) == 0 {
			return wrong()
		}
		var all []string
		for name, e := range object {
			all = append(all, differ(at+"."+name, e, map[string]shape(want))...)
		}
		return all
	case map[string]shape:
		object, ok := v.(map[string]any)
		if !ok {
			return wrong()
		}
		var all []string
		for _, name := range slices.Sorted(maps.Keys(want)) {
			if e, ok := object[name]; ok {
				all = append(all, differ(at+"."+name, e, want[name])...)
			} else {
				all = append(all, at+"."+name+" is missing")
			}
		}
		for name := range object {
			if _, ok := want[name]; !ok {
				all = append(all, at+"."+name+" is not in the contract")
			}
		}
		return all
	}
	return wrong()
}

// The names and types of the JSON report, which programs rely on, whatever was
// tested.
func TestJSONContract(t *testing.T) {
	w := newWorld(t, nil)
	w.origin.File("User-agent: *\nDisallow: /a\n")
	site := url.Values{"site": {w.origin.Origin()}, "do": {"refetch"}, "url": {"/a", "https://other.example/", "mailto:x", "/robots.txt"}, "crawler": {"Googlebot, *, Perplexity-User, AdsBot-Google"}}
	for _, tt := range []struct {
		name  string
		serve http.HandlerFunc
		form  url.Values
	}{
		{"a paste", nil, url.Values{"robots": {"User-agent: *\nDisallow: /a\nAllow: /a\nDisallow:\n"}, "url": {"/a", "/b", "mailto:x"}}},
		{"an empty paste", nil, url.Values{"robots": {"\n"}}},
		{"bytes that are no text", nil, url.Values{"robots": {"User-agent: \xff\x00\nDisallow: /\xff"}, "url": {"/\xff"}, "crawler": {"\xff"}}},
		{"a fetch", nil, site},
		{"a fetch that failed", http.NotFound, site},
		{"a fetch without an answer", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, site},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.serve != nil {
				w.origin.Serve(tt.serve)
			}
			w.clock.advance(tester.AgainAfter)
			resp, body := w.post(t, "/test", asJSON, tt.form)
			if resp.StatusCode != http.StatusOK {
				t.Fatalf("got %d: %.500s", resp.StatusCode, body)
			}
			var got any
			check(t, json.Unmarshal([]byte(body), &got))
			for _, d := range differ("report", got, reportShape) {
				t.Error(d)
			}
		})
	}
	// A share has the same.
	id, _ := w.share(t)
	_, body := w.get(t, "/r/"+id+".json")
	var got any
	check(t, json.Unmarshal([]byte(body), &got))
	for _, d := range differ("share", got, reportShape) {
		t.Error(d)
	}
}

// Every error has the three fields, and no other.
func TestJSONErrors(t *testing.T) {
	w := newWorld(t, nil)
	for _, form := range []url.Values{{}, {"site": {"ftp://x"}}, {"robots": {"\n"}, "crawler": {strings.Repeat("a", 501)}}} {
		_, body := w.post(t, "/test", asJSON, form)
		var got any
		check(t, json.Unmarshal([]byte(body), &got))
		for _, d := range differ("answer", got, map[string]shape{"error": map[string]shape{"kind": "string", "message": "string", "field": "string"}}) {
			t.Error(d)
		}
	}
}

// The values behind the names, on a file with some of everything.
func TestJSONValues(t *testing.T) {
	w := newWorld(t, nil)
	const file = "\ufeffUser-agent: *\r\nDisallow: /a\r\n"
	w.origin.File(file)
	site := w.origin.Origin()
	_, body := w.post(t, "/test", asJSON, url.Values{"site": {"127.0.0.1:" + fmt.Sprint(w.origin.Port())}, "do": {"fetch"}})
	// Without a scheme https is meant, and nobody speaks that here.
	var got struct {
		Source struct{ Outcome, Site string }
	}
	check(t, json.Unmarshal([]byte(body), &got))
	if got.Source.Outcome != string(fetch.TLS) || got.Source.Site != strings.Replace(site, "http:", "https:", 1) {
		t.Errorf("a site without a scheme: got %+v; want https, which fails", got.Source)
	}

	_, body = w.post(t, "/test", asJSON, url.Values{"site": {site}, "do": {"fetch"}, "url": {"/a?x"}, "crawler": {"gptbot"}})
	var report struct {
		Source  map[string]any
		Access  map[string]map[string]string
		Results []map[string]any
	}
	check(t, json.Unmarshal([]byte(body), &report))
	wantSource := map[string]any{
		"kind": "fetch", "site": site, "outcome": "ok", "status": 200.0,
		"hops":      []any{map[string]any{"url": site + "/robots.txt", "status": 200.0}},
		"final_url": site + "/robots.txt", "bytes": 32.0, "counted_bytes": 32.0, "more": false,
		"content_type": "text/plain; charset=utf-8", "fetched_at": "2026-03-01T12:00:00Z",
		"text":   file,
		"sha256": fmt.Sprintf("%x", sha256.Sum256([]byte(file))),
		"error":  nil, "held": "", "stale": nil, "simulate": "",
		"content_encoding": "", "cache_control": "", "age": "", "retry_after": "",
		"byte_order_mark": true, "utf16": false, "html": false,
	}
	if diff := cmp.Diff(wantSource, report.Source); diff != "" {
		t.Errorf("source (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"effect": "rules", "reason": "rfc9309-ok", "source": "https://www.rfc-editor.org/rfc/rfc9309.html#section-2.3.1.1", "date": "2022-09", "confidence": "high", "basis": "stated"}, report.Access["GPTBot"]); diff != "" {
		t.Errorf("access (-want +got):\n%s", diff)
	}
	wantResult := []map[string]any{{
		"crawler": "GPTBot", "url": "/a?x", "matched_url": site + "/a?x", "covered": true, "allowed": false,
		"line": 2.0, "rule": "Disallow: /a", "reason": "longest-rule", "message": "GPTBot may not crawl this URL: line 2 wins.",
		"group":            map[string]any{"how": "star", "name": "*", "lines": []any{1.0}, "lines_total": 1.0},
		"candidates":       []any{map[string]any{"line": 2.0, "rule": "Disallow: /a", "length": 2.0, "outcome": "wins"}},
		"candidates_total": 1.0, "error": nil,
	}}
	if diff := cmp.Diff(wantResult, report.Results); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
}

// largest is the largest test that is taken: 60,000 cells.
func largest() url.Values {
	var crawlers, urls []string
	for i := range tester.MaxCrawlers {
		crawlers = append(crawlers, fmt.Sprintf("bot%d", i))
	}
	for i := range tester.MaxURLs {
		urls = append(urls, fmt.Sprintf("/%d/%s", i, strings.Repeat("x", 200)))
	}
	return url.Values{
		"robots":  {"User-agent: *\nDisallow: /9\nDisallow: /99\nAllow: /\n"},
		"crawler": {strings.Join(crawlers, "\n")}, "url": {strings.Join(urls, "\n")}, "cell": {"10.1"},
	}
}

// 60,000 cells: JSON and CSV have all of them, the page 2,000 at most, the
// blocked ones first, and only the chosen cell carries its candidates.
func TestLargest(t *testing.T) {
	w := newWorld(t, nil)
	form := largest()

	_, body := w.post(t, "/test", asJSON, form)
	var report struct {
		Results []struct {
			URL, Crawler string
			Allowed      *bool
			Candidates   []any
			Group        struct {
				Lines []int
				Total int `json:"lines_total"`
			}
		}
	}
	check(t, json.Unmarshal([]byte(body), &report))
	if got := len(report.Results); got != 60_000 {
		t.Fatalf("JSON: got %d results; want 60,000", got)
	}
	for i, r := range report.Results {
		chosen := i == 9*60
		if (len(r.Candidates) > 0) != chosen || (len(r.Group.Lines) > 0) != chosen || r.Group.Total != 1 || r.Candidates == nil || r.Group.Lines == nil {
			t.Fatalf("JSON: result %d: got %d candidates and %d lines of %d; want them for the chosen cell alone, and empty lists elsewhere", i, len(r.Candidates), len(r.Group.Lines), r.Group.Total)
		}
	}

	_, body = w.post(t, "/test", http.Header{"Accept": {"text/csv"}}, form)
	rows, err := csv.NewReader(strings.NewReader(body)).ReadAll()
	check(t, err)
	if len(rows) != 60_001 {
		t.Errorf("CSV: got %d rows; want 60,001", len(rows))
	}

	for _, header := range []http.Header{nil, asPart} {
		_, body = w.post(t, "/test", header, form)
		doc, err := goquery.NewDocumentFromReader(strings.NewReader(body))
		check(t, err)
		cells := doc.Find("#matrix [data-cell]")
		if n := cells.Length(); n > tester.MaxExplained || n < tester.MaxExplained-tester.MaxCrawlers {
			t.Errorf("page: got %d cells; want nearly %d", n, tester.MaxExplained)
		}
		if n := doc.Find("#matrix .blocked").Length(); n != cells.Length() {
			t.Errorf("page: got %d blocked cells of %d; want them first", n, cells.Length())
		}
		if got, want := doc.Find("#why h3").Text(), "bot0 may not crawl this URL: line 2 wins."; got != want {
			t.Errorf("page: got %q; want the chosen cell explained: %q", got, want)
		}
		if got, want := doc.Find("#pages").Text(), "Page 1 of 31. 111 of 1,000 URLs are blocked for at least one crawler."; !strings.Contains(got, want) {
			t.Errorf("page: got %q; want %q", got, want)
		}
		if len(body) > 2<<20 {
			t.Errorf("page: got %d bytes; want less than 2 MiB", len(body))
		}
	}
}

// sink is an answer that nobody keeps.
type sink struct {
	header http.Header
	n      int
}

func (s *sink) Header() http.Header { return s.header }
func (s *sink) WriteHeader(int)     {}

func (s *sink) Write(p []byte) (int, error) {
	s.n += len(p)
	return len(p), nil
}

// The largest tests stay far from the memory that the process may take. What
// is measured is all that is allocated on the way, not what is held at once,
// so the bounds leave room; they are there to catch a table that is made whole
// as text, or a text that is copied for each of its lines.
func TestMemory(t *testing.T) {
	w := newWorld(t, nil)
	lines := url.Values{"robots": {strings.Repeat("\n", tester.MaxText)}}
	rules := url.Values{"robots": {"User-agent: *\n" + strings.Repeat("Disallow: /\n", 40_000)}}
	for _, tt := range []struct {
		name   string
		header http.Header
		form   url.Values
		most   int // MiB
	}{
		{"60,000 cells as JSON", asJSON, largest(), 160},
		{"60,000 cells as CSV", http.Header{"Accept": {"text/csv"}}, largest(), 30},
		{"60,000 cells as a page", nil, largest(), 40},
		{"a million lines", nil, lines, 200},
		{"40,000 rules", nil, rules, 200},
	} {
		t.Run(tt.name, func(t *testing.T) {
			body := tt.form.Encode()
			serve := func() int {
				req := httptest.NewRequest(http.MethodPost, "/test", bytes.NewBufferString(body))
				req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
				for name, values := range tt.header {
					req.Header[name] = values
				}
				out := &sink{header: http.Header{}}
				w.site.ServeHTTP(out, req)
				return out.n
			}
			if n := serve(); n < 10_000 { // caches fill
				t.Fatalf("got %d bytes; want a result", n)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			serve()
			runtime.ReadMemStats(&after)
			got := int((after.TotalAlloc - before.TotalAlloc) >> 20)
			t.Logf("%d MiB", got)
			if got > tt.most {
				t.Errorf("got %d MiB allocated; want %d at most", got, tt.most)
			}
		})
	}
}
