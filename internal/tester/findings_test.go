package tester

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/whichrule/whichrule/internal/fetch"
	"github.com/whichrule/whichrule/internal/lint"
)

// findingOf gives the number, from 1, of the first finding of a kind.
func findingOf(t *testing.T, r *Report, kind lint.Kind) int {
	t.Helper()
	for i, f := range r.Findings {
		if f.Kind == kind {
			return i + 1
		}
	}
	t.Fatalf("got %d findings, none of kind %s", len(r.Findings), kind)
	return 0
}

const swallowed = "User-agent: *\nCrawl-delay: 10\n\nUser-agent: amazonbot\nDisallow: /\n"

// A fix is tried before anyone makes it, and making it gives what the trial
// said.
func TestFix(t *testing.T) {
	w := newWorld(t)
	q := Request{Text: []byte(swallowed), URLs: []string{"/", "/a"}}
	before := w.test(t, q)
	q.Fix = findingOf(t, before, lint.SwallowedGroup)
	fixed := w.test(t, q)
	if want := "User-agent: *\nCrawl-delay: 10\nDisallow:\n\nUser-agent: amazonbot\nDisallow: /\n"; string(fixed.Source.Text) != want {
		t.Errorf("got\n%s\nwant\n%s", fixed.Source.Text, want)
	}
	for i := range fixed.Results {
		if fixed.Results[i].Verdict != Allowed {
			t.Errorf("result %d: got %s; want allowed", i, fixed.Results[i].Verdict)
		}
	}
	for _, f := range fixed.Findings {
		if f.Kind == lint.SwallowedGroup {
			t.Error("the finding is still there")
		}
	}
	trial := before.Trials[0]
	if trial.Finding != q.Fix-1 || trial.Flips != len(before.Results) {
		t.Errorf("got a trial of finding %d with %d flips; want of %d with all %d", trial.Finding, trial.Flips, q.Fix-1, len(before.Results))
	}
	if diff := cmp.Diff(shifts(before.Overview, fixed.Overview), trial.Shifts); diff != "" {
		t.Errorf("the trial is not what came of it (-got +trial):\n%s", diff)
	}
	if len(trial.Shifts) != 1 || trial.Shifts[0].From != Closed || trial.Shifts[0].To != Open || trial.Shifts[0].Total < 100 {
		t.Errorf("got %+v; want most crawlers let in", trial.Shifts)
	}
}

func TestFixThatIsNone(t *testing.T) {
	w := newWorld(t)
	findings := len(w.test(t, Request{Text: []byte(swallowed)}).Findings)
	for _, n := range []int{-1, findings + 1, 1 << 16} {
		if diff := cmp.Diff(&Error{Kind: "fix", Field: "robots"}, w.fails(t, Request{Text: []byte(swallowed), Fix: n})); diff != "" {
			t.Errorf("%d (-want +got):\n%s", n, diff)
		}
	}
}

// A fixed text is no longer the one that was fetched, and says so.
func TestFixOfFetchedText(t *testing.T) {
	w := newWorld(t)
	w.body = swallowed
	fetched := w.test(t, Request{Site: shop, Do: DoFetch})
	fixed := w.test(t, Request{
		Text: fetched.Source.Text, Site: shop, Outcome: fetched.Source.Fetch.ID,
		Fix: findingOf(t, fetched, lint.SwallowedGroup),
	})
	if fixed.Source.Fetched() || !fixed.Source.EditedAt.Equal(fetched.Source.Fetch.FetchedAt) {
		t.Errorf("got fetched %v, edited after the fetch of %v; want an edited text", fixed.Source.Fetched(), fixed.Source.EditedAt)
	}
}

// Findings are about the text and what its server said, not about what is
// pretended.
func TestFindingsWhilePretending(t *testing.T) {
	w := newWorld(t)
	kinds := func(r *Report) (got []string) {
		for _, f := range r.Findings {
			got = append(got, fmt.Sprint(f.Kind, " ", f.Lines))
		}
		return got
	}
	want := kinds(w.test(t, Request{Text: []byte(swallowed)}))
	for _, simulate := range []string{"503", "404", "html", "timeout"} {
		if diff := cmp.Diff(want, kinds(w.test(t, Request{Text: []byte(swallowed), Simulate: simulate}))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", simulate, diff)
		}
	}
}

// A failed fetch is a finding of its own.
func TestFindingsOfFailure(t *testing.T) {
	w := newWorld(t)
	w.kind = fetch.ServerError
	r := w.test(t, Request{Site: shop, Do: DoFetch})
	if n := findingOf(t, r, lint.FetchStatus); r.Findings[n-1].Severity != lint.Problem {
		t.Errorf("got %s; want a problem", r.Findings[n-1].Severity)
	}
}

// Fixes of a long text are offered, but not tried.
func TestTrialsHaveBounds(t *testing.T) {
	r := newWorld(t).test(t, Request{Text: []byte(swallowed + strings.Repeat("# "+strings.Repeat("-", 60)+"\n", 2000))})
	findingOf(t, r, lint.SwallowedGroup)
	if r.Trials != nil {
		t.Errorf("got %d trials; want none", len(r.Trials))
	}
}
