package tester

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/whichrule/whichrule/internal/fetch"
	"github.com/whichrule/whichrule/internal/robots"
)

// The reasons before the rules, in the order in which they apply. Every row
// has what the rows below it have too, and one thing more.
func TestVerdictBeforeRules(t *testing.T) {
	rules := string(lines("User-agent: *", "Disallow: /"))
	const (
		obeys, obeysNot = "Googlebot", "Perplexity-User"
		semrush         = "SemrushBot"
	)
	blocks := &Would{Verdict: Blocked, Line: 2}
	for _, tt := range []struct {
		name    string
		url     string
		crawler string
		kind    fetch.Kind
		want    Result
	}{
		{"bad-url before all", "mailto:me@example.com", obeysNot, fetch.TLS, Result{Verdict: NotTested, Reason: ReasonBadURL}},
		{"not-covered before what follows", "https://other.example.com/robots.txt", obeysNot, fetch.TLS, Result{Verdict: NotTested, Reason: ReasonNotCovered}},
		{"robots-txt before what follows", "/robots.txt", obeysNot, fetch.TLS, Result{Verdict: Allowed, Reason: ReasonRobotsTxt}},
		{"not-controlled before what follows", "/x", obeysNot, fetch.TLS, Result{Verdict: Allowed, Reason: ReasonNotControlled}},
		{"unknown before the rules", "/x", obeys, fetch.TLS, Result{Verdict: NotTested, Reason: ReasonUnknown}},

		{"ENGINE C7: robots.txt under block-all", "/robots.txt", obeys, fetch.ServerError, Result{Verdict: Allowed, Reason: ReasonRobotsTxt}},
		{"ENGINE C7: robots.txt under rules", "/robots.txt", obeys, fetch.OK, Result{Verdict: Allowed, Reason: ReasonRobotsTxt}},
		{"ENGINE C7: robots.txt with a query", "/robots.txt?x", obeys, fetch.OK, Result{Verdict: Allowed, Reason: ReasonRobotsTxt}},
		{"ENGINE C7: robots.txt with a fragment", "/robots.txt#x", obeys, fetch.OK, Result{Verdict: Allowed, Reason: ReasonRobotsTxt}},
		{"ENGINE C7: robots.txt behind dot segments", "/a/../robots.txt", obeys, fetch.OK, Result{Verdict: Allowed, Reason: ReasonRobotsTxt}},
		{"ENGINE C7: no other path", "/robots.txt/", obeys, fetch.OK, Result{Verdict: Blocked, Reason: ReasonLongestRule, How: HowStar, Line: 2, Rule: "Disallow: /"}},
		{"ENGINE C7: not in capitals", "/Robots.txt", obeys, fetch.OK, Result{Verdict: Blocked, Reason: ReasonLongestRule, How: HowStar, Line: 2, Rule: "Disallow: /"}},

		{"refused by us is unknown", "/x", obeys, fetch.Refused, Result{Verdict: NotTested, Reason: ReasonUnknown}},
		{"a challenge is unknown", "/x", obeys, fetch.Challenge, Result{Verdict: NotTested, Reason: ReasonUnknown}},
		{"404 opens everything", "/x", obeys, fetch.ClientError, Result{Verdict: Allowed, Reason: ReasonAccessAllowAll}},
		{"429 is a server error for Google", "/x", obeys, fetch.TooManyRequests, Result{Verdict: Blocked, Reason: ReasonAccessBlockAll}},
		{"429 is a 4xx for Semrush", "/x", semrush, fetch.TooManyRequests, Result{Verdict: Allowed, Reason: ReasonAccessAllowAll}},
		{"503 shuts the site", "/x", obeys, fetch.ServerError, Result{Verdict: Blocked, Reason: ReasonAccessBlockAll}},
		{"503 opens it for Yandex", "/x", "YandexBot", fetch.ServerError, Result{Verdict: Allowed, Reason: ReasonAccessAllowAll}},
		{"no answer shuts the site", "/x", obeys, fetch.Timeout, Result{Verdict: Blocked, Reason: ReasonAccessBlockAll}},
		{"too many redirects open it", "/x", obeys, fetch.RedirectLimit, Result{Verdict: Allowed, Reason: ReasonAccessAllowAll}},

		{"who does not obey: what the rules would say", "/x", obeysNot, fetch.OK, Result{Verdict: Allowed, Reason: ReasonNotControlled, Would: blocks}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			w.body, w.kind = rules, tt.kind
			got := *w.test(t, Request{Site: shop, URLs: []string{tt.url}, Crawlers: []string{tt.crawler}}).At(0, 0)
			if tt.want.How == "" {
				tt.want.How = HowNone
			}
			if tt.want.Reason == ReasonNotControlled && tt.want.Would == nil {
				tt.want.Would = &Would{Verdict: Allowed} // a fetch that failed has no rules
			}
			if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreFields(Result{}, "Why")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if byRules := tt.want.Line > 0; (got.Why != nil) != byRules {
				t.Errorf("got candidates %t; want %t", got.Why != nil, byRules)
			}
		})
	}
}

// For a paste every crawler that obeys follows the text.
func TestPasteAccess(t *testing.T) {
	r := newWorld(t).test(t, Request{Text: []byte("User-agent: *\nDisallow: /\n"), Crawlers: []string{"YandexBot", "Googlebot"}})
	for i := range r.Crawlers {
		if r.Access[i].Reason != "pasted" || r.At(0, i).Verdict != Blocked {
			t.Errorf("%s: got %v, %s; want the rules to block", r.Crawlers[i].Choice.Crawler.Token, r.Access[i], r.At(0, i).Verdict)
		}
	}
}

func TestVerdictByRules(t *testing.T) {
	for _, tt := range []struct {
		name, crawler, in, url string
		want                   Result
		outcomes               string // of the candidates
	}{
		{"the longest rule blocks", "a", "User-agent: a\nAllow: /\nDisallow: /x", "/x", Result{Verdict: Blocked, Reason: ReasonLongestRule, How: HowNamed, Line: 3, Rule: "Disallow: /x"}, "wins shorter"},
		{"the longest rule allows", "a", "User-agent: a\nAllow: /x\nDisallow: /", "/x", Result{Verdict: Allowed, Reason: ReasonLongestRule, How: HowNamed, Line: 2, Rule: "Allow: /x"}, "wins shorter"},
		{"RFC 9309 §2.2.2: a tie", "a", "User-agent: a\nDisallow: /x\nAllow: /x", "/x", Result{Verdict: Allowed, Reason: ReasonTieAllowWins, How: HowNamed, Line: 3, Rule: "Allow: /x"}, "wins tie"},
		{"the same rule twice", "a", "User-agent: a\nDisallow: /x\nDisallow: /x", "/x", Result{Verdict: Blocked, Reason: ReasonLongestRule, How: HowNamed, Line: 2, Rule: "Disallow: /x"}, "wins repeated"},
		{"an empty rule", "a", "User-agent: a\nDisallow:", "/x", Result{Verdict: Allowed, Reason: ReasonEmptyRule, How: HowNamed, Line: 2, Rule: "Disallow:"}, "wins"},
		{"an empty rule beside one that blocks", "a", "User-agent: a\nDisallow:\nDisallow: /x", "/x", Result{Verdict: Blocked, Reason: ReasonLongestRule, How: HowNamed, Line: 3, Rule: "Disallow: /x"}, "wins empty"},
		{"no rule matches", "a", "User-agent: a\nDisallow: /y", "/x", Result{Verdict: Allowed, Reason: ReasonNoRuleMatches, How: HowNamed}, ""},
		{"no rule of * matches", "a", "User-agent: *\nDisallow: /y", "/x", Result{Verdict: Allowed, Reason: ReasonNoRuleMatches, How: HowStar}, ""},
		{"an empty group hides *", "a", "User-agent: *\nDisallow: /\nUser-agent: a\n", "/x", Result{Verdict: Allowed, Reason: ReasonEmptyNamedGroup, How: HowNamed}, ""},
		{"no group", "a", "User-agent: b\nDisallow: /", "/x", Result{Verdict: Allowed, Reason: ReasonNoGroup, How: HowNone}, ""},
		{"AdsBot-Google never reads *", "AdsBot-Google", "User-agent: *\nDisallow: /", "/x", Result{Verdict: Allowed, Reason: ReasonNoGroup, How: HowNone}, ""},
		{"a fallback's group", "Googlebot-Image", "User-agent: Googlebot\nDisallow: /", "/x", Result{Verdict: Blocked, Reason: ReasonLongestRule, How: HowFallback, Line: 2, Rule: "Disallow: /"}, "wins"},
		{"an escape in the rule", "a", "User-agent: a\nDisallow: /✓", "/✓.html", Result{Verdict: Blocked, Reason: ReasonLongestRule, How: HowNamed, Line: 2, Rule: "Disallow: /✓"}, "wins"},
		{"the same escaped", "a", "User-agent: a\nDisallow: /✓", "/%e2%9c%93.html", Result{Verdict: Blocked, Reason: ReasonLongestRule, How: HowNamed, Line: 2, Rule: "Disallow: /✓"}, "wins"},
		{"a rule that is no UTF-8 is shown as text", "a", "User-agent: a\nDisallow: /caf\xe9", "/caf\xe9", Result{Verdict: Blocked, Reason: ReasonLongestRule, How: HowNamed, Line: 2, Rule: "Disallow: /caf\ufffd"}, "wins"},
		{"a very long rule is shown cut", "a", "User-agent: a\nDisallow: /" + strings.Repeat("*", 5000), "/x", Result{Verdict: Blocked, Reason: ReasonLongestRule, How: HowNamed, Line: 2, Rule: "Disallow: /" + strings.Repeat("*", MaxRule-11) + "…"}, "wins"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := *newWorld(t).test(t, Request{Text: []byte(tt.in), URLs: []string{tt.url}, Crawlers: []string{tt.crawler}}).At(0, 0)
			if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreFields(Result{}, "Why")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			var outcomes []string
			for _, c := range got.Why.Candidates {
				outcomes = append(outcomes, c.Outcome)
			}
			if o := strings.Join(outcomes, " "); o != tt.outcomes || got.Why.Total != len(outcomes) {
				t.Errorf("got candidates %q of %d; want %q", o, got.Why.Total, tt.outcomes)
			}
		})
	}
}

// What stands beyond 500 KiB does not count, and the line that is cut counts
// as far as it goes.
func TestCut(t *testing.T) {
	head := "User-agent: *\n"
	fill := strings.Repeat("# fill\n", (robots.GoogleLimit-len(head)-len("Disallow: /x"))/7)
	pad := strings.Repeat("#", robots.GoogleLimit-len(head)-len(fill)-len("Disallow: /x")-1) + "\n"
	body := head + fill + pad + "Disallow: /xyz\nDisallow: /late\n"
	r := newWorld(t).test(t, Request{Text: []byte(body), URLs: []string{"/x", "/late"}, Crawlers: []string{"a"}})
	line := strings.Count(head+fill+pad, "\n") + 1
	if r.CutLine != line {
		t.Errorf("got cut in line %d; want %d", r.CutLine, line)
	}
	if got := r.At(0, 0); got.Line != line || got.Verdict != Blocked {
		t.Errorf("/x: got %s by line %d; want the cut line %d to block", got.Verdict, got.Line, line)
	}
	if got := r.At(1, 0); got.Line != 0 {
		t.Errorf("/late: got line %d; want none, it is beyond the cut", got.Line)
	}
	if got := r.Source.Counted(); got != robots.GoogleLimit {
		t.Errorf("got %d bytes that count; want %d", got, robots.GoogleLimit)
	}
}

// big is a matrix of more than MaxExplained cells with its first blocked cell
// at 2.1.
func big(rows, cols int) Request {
	q := Request{Text: lines("User-agent: *", "Allow: /", "Disallow: /b", "Disallow: /be"), Crawlers: many(cols, "bot")}
	q.URLs = many(rows, "/x")
	q.URLs[1] = "/bed"
	return q
}

func TestExplained(t *testing.T) {
	explained := func(r *Report) int {
		n := 0
		for _, res := range r.Results {
			if res.Why != nil {
				n++
			}
		}
		return n
	}
	w := newWorld(t)
	if r := w.test(t, big(40, 50)); explained(r) != 2000 {
		t.Errorf("2,000 cells: got %d explained; want all", explained(r))
	}
	r := w.test(t, big(41, 50))
	if explained(r) != 0 {
		t.Errorf("2,050 cells: got %d explained; want none", explained(r))
	}
	chosen := big(41, 50)
	chosen.Cell = Cell{Row: 2, Col: 3}
	rc := w.test(t, chosen)
	if explained(rc) != 1 || rc.At(1, 2).Why == nil {
		t.Errorf("2,050 cells, one chosen: got %d explained; want the chosen one", explained(rc))
	}
	// What was left out is made when somebody asks for it.
	want := &Why{Total: 3, Spans: []robots.Span{{Start: 0, End: 3}}, Candidates: []Candidate{
		{Line: 4, Rule: "Disallow: /be", Length: 3, Outcome: "wins"},
		{Line: 3, Rule: "Disallow: /b", Length: 2, Outcome: "shorter"},
		{Line: 2, Rule: "Allow: /", Length: 1, Outcome: "shorter"},
	}}
	for name, got := range map[string]*Why{"chosen": rc.At(1, 2).Why, "asked for": r.Explain(Cell{Row: 2, Col: 3}), "asked for again": rc.Explain(Cell{Row: 2, Col: 3})} {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	for _, c := range []Cell{{}, {1, 0}, {0, 1}, {42, 1}, {1, 51}, {-1, -1}} {
		if got := r.Explain(c); got != nil {
			t.Errorf("cell %v: got %v; want nothing", c, got)
		}
	}
	other := *r
	other.Engine = "0"
	if got := other.Explain(Cell{Row: 2, Col: 3}); got != nil {
		t.Errorf("a report of another engine: got %v; want nothing", got)
	}
}

// Explain has nothing to say where rules do not decide.
func TestExplainWithoutRules(t *testing.T) {
	w := newWorld(t)
	w.kind = fetch.ServerError
	r := w.test(t, Request{Site: shop, URLs: []string{"/robots.txt", "/x", "mailto:x"}, Crawlers: []string{"Googlebot"}})
	for row := 1; row <= 3; row++ {
		if got := r.Explain(Cell{Row: row, Col: 1}); got != nil {
			t.Errorf("row %d: got %v; want nothing", row, got)
		}
	}
}

// A report stays within a few MB whatever rules it explains, and the cell that
// was chosen is explained all the same.
func TestExplainBudget(t *testing.T) {
	var rules strings.Builder
	rules.WriteString("User-agent: *\n")
	for i := range MaxCandidates {
		fmt.Fprintf(&rules, "Disallow: /%s\n", strings.Repeat("*", MaxRule-i))
	}
	q := Request{Text: []byte(rules.String()), URLs: many(100, "/"), Crawlers: []string{"a"}, Cell: Cell{Row: 100, Col: 1}}
	r := newWorld(t).test(t, q)
	size := 0
	for i := range r.Results {
		if r.Results[i].Why != nil {
			size += r.Results[i].Why.size()
		}
	}
	if most := MaxWhyBytes + 2*MaxCandidates*(MaxRule+100); size > most {
		t.Errorf("got %d bytes of candidates; want %d at most", size, most)
	}
	if r.At(50, 0).Why != nil {
		t.Error("row 51 is explained; want the budget used up by then")
	}
	if r.At(99, 0).Why == nil {
		t.Error("the chosen cell is not explained")
	}
	if r.Explain(Cell{Row: 51, Col: 1}) == nil {
		t.Error("row 51 cannot be explained")
	}
}

func TestCandidatesCut(t *testing.T) {
	text := lines(append([]string{"User-agent: *"}, strings.Split(strings.TrimSpace(strings.Repeat("Disallow: /\n", 60)), "\n")...)...)
	w := newWorld(t).test(t, Request{Text: text, Crawlers: []string{"a"}}).At(0, 0).Why
	if len(w.Candidates) != MaxCandidates || w.Total != 60 {
		t.Errorf("got %d candidates of %d; want %d of 60", len(w.Candidates), w.Total, MaxCandidates)
	}
}

// Marks are for reading: a rule of very many wildcards marks the whole.
func TestSpansCut(t *testing.T) {
	text := []byte("User-agent: *\nDisallow: /" + strings.Repeat("*a", 150) + "\n")
	w := newWorld(t).test(t, Request{Text: text, Crawlers: []string{"b"}, URLs: []string{"/" + strings.Repeat("ba", 150)}}).At(0, 0).Why
	if diff := cmp.Diff([]robots.Span{{Start: 0, End: 301}}, w.Spans); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Google's rule for index pages is told, since nobody expects it.
func TestIndexHTML(t *testing.T) {
	text := lines("User-agent: *", "Allow: /d/index.html", "Disallow: /d")
	got := newWorld(t).test(t, Request{Text: text, Crawlers: []string{"a"}, URLs: []string{"/d/"}}).At(0, 0)
	if got.Verdict != Allowed || got.Line != 2 || !got.Why.IndexHTML {
		t.Errorf("got %s by line %d, index page %t; want allowed by line 2 for its index page", got.Verdict, got.Line, got.Why.IndexHTML)
	}
}

// The work of one test is bounded by the time that it takes.
func TestTooMuchWork(t *testing.T) {
	for _, tt := range []struct {
		name string
		tick time.Duration // between two looks at the clock
		want bool
	}{
		{"half a second a cell", time.Second / 2, true},
		{"a microsecond a cell", time.Microsecond, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			at := noon
			w.Now = func() time.Time {
				at = at.Add(tt.tick)
				return at
			}
			_, err := w.Test(t.Context(), Request{Text: []byte("\n"), URLs: many(10, "/")})
			var got *Error
			if errors.As(err, &got) != tt.want {
				t.Fatalf("got error %v; want one %t", err, tt.want)
			}
			if tt.want {
				if diff := cmp.Diff(&Error{Kind: "too-much-work", Field: "url"}, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
		})
	}
}

// Who has gone away costs no more work.
func TestCancelled(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	cells := 0
	w.Now = func() time.Time {
		if cells++; cells == 10 {
			cancel()
		}
		return noon
	}
	_, err := w.Test(ctx, Request{Text: []byte("\n"), URLs: many(100, "/")})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v; want %v", err, context.Canceled)
	}
	if cells > 11 {
		t.Errorf("went on for %d cells after the caller had left", cells-10)
	}
}

func TestDefault(t *testing.T) {
	rules := lines("User-agent: b", "Disallow: /x")
	for _, tt := range []struct {
		name string
		urls []string
		want Cell
	}{
		{"the first blocked cell", []string{"/y", "/x", "/x"}, Cell{2, 2}},
		{"the first with a verdict", []string{"mailto:x", "/y"}, Cell{2, 1}},
		{"nothing tested", []string{"mailto:x", "tel:1"}, Cell{1, 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newWorld(t).test(t, Request{Text: rules, URLs: tt.urls, Crawlers: []string{"a", "b"}})
			if got := r.Default(); got != tt.want {
				t.Errorf("got %v; want %v", got, tt.want)
			}
		})
	}
}

// A URL of another host leads to that host's file, where we would fetch it.
func TestFetchable(t *testing.T) {
	for in, want := range map[string]bool{
		"/x":                              false, // covered
		"https://other.example.com/x":     true,
		"http://shop.example.com/x":       true,
		"https://other.example.com:8443/": false,
		"mailto:me@example.com":           false,
	} {
		r := newWorld(t).test(t, Request{Text: []byte("\n"), Site: shop, URLs: []string{in}})
		if got := r.URLs[0].Fetchable; got != want {
			t.Errorf("%s: got fetchable %t; want %t", in, got, want)
		}
	}
}
