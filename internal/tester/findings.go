package tester

import (
	"slices"

	"github.com/whichrule/whichrule/internal/crawlers"
	"github.com/whichrule/whichrule/internal/lint"
	"github.com/whichrule/whichrule/internal/robots"
)

// Bounds on trying fixes before anyone applies one: each is a test of its own.
const (
	// maxTrials is how many fixes of one report are tried, the worst findings'
	// first.
	maxTrials = 10
	// maxTrialText is the longest text of which fixes are tried, in bytes: far
	// above what files of sites have, and a few milliseconds for all trials.
	maxTrialText = 64 << 10
	// MaxShifted is how many crawlers or cells one change of a trial names.
	MaxShifted = 20
)

// Trial tells what a fix would change.
type Trial struct {
	Finding int // its place in Report.Findings
	// Flips counts the tested cells that get another verdict.
	Flips int `json:",omitempty"`
	// Shifts are the crawlers for whom the whole site becomes another, by what
	// it was and what it becomes.
	Shifts []Shift `json:",omitempty"`
}

// Shift is a change of the whole site for some crawlers.
type Shift struct {
	From, To State
	Crawlers []string // in the order of the page, at most MaxShifted
	Total    int
}

// lintOf finds what is worth a look in a report's text, which f is.
func lintOf(r *Report, f *robots.File, known *crawlers.Catalogue) []lint.Finding {
	in := lint.Input{Text: r.Source.Text, File: f, Catalogue: known, Site: r.Source.Site, Outcome: r.Source.Fetch}
	for i := range r.URLs {
		if u := &r.URLs[i]; u.Error == "" && u.Covered {
			in.Paths = append(in.Paths, u.Path)
		}
	}
	for i := range r.Crawlers {
		in.Crawlers = append(in.Crawlers, r.Crawlers[i].Choice)
	}
	return lint.Run(in)
}

// try makes the fixes of a report's findings, each on its own, and tells what
// they would change.
func try(r *Report, known *crawlers.Catalogue) []Trial {
	if len(r.Source.Text) > maxTrialText || len(r.Results) > MaxExplained || r.Source.Simulated != "" {
		return nil
	}
	means := accessOf(r.Source.Class())
	var trials []Trial
	for i := range r.Findings {
		fix := r.Findings[i].Fix
		if fix == nil {
			continue
		}
		if len(trials) == maxTrials {
			break
		}
		f := robots.Parse(fix.Apply(r.Source.Text), robots.Options{Limit: robots.GoogleLimit})
		trial := Trial{Finding: i, Shifts: shifts(r.Overview, overview(f, known, means))}
		sets := newRuleSets(f)
		for col := range r.Crawlers {
			c := r.Crawlers[col]
			sel := sets.choose(&c)
			for row := range r.URLs {
				was := r.At(row, col)
				if res, byRules := verdict(&r.URLs[row], &c, r.Access[col].Effect); byRules {
					res.Verdict = said(sel.Match(r.URLs[row].Path).Allowed)
					if res.Verdict != was.Verdict {
						trial.Flips++
					}
				}
			}
		}
		trials = append(trials, trial)
	}
	return trials
}

// shifts gives what is different between two overviews of the same crawlers.
func shifts(was, is *Overview) []Shift {
	var out []Shift
	for i := range was.Standings {
		from, to := was.Standings[i].State, is.Standings[i].State
		if from == to {
			continue
		}
		at := slices.IndexFunc(out, func(s Shift) bool { return s.From == from && s.To == to })
		if at < 0 {
			at = len(out)
			out = append(out, Shift{From: from, To: to})
		}
		s := &out[at]
		if s.Total++; len(s.Crawlers) < MaxShifted {
			s.Crawlers = append(s.Crawlers, was.Standings[i].Crawler)
		}
	}
	return out
}

// fix makes the source what it becomes by the fix of one of its findings, by
// number from 1: a text of its own. 0 stands for none.
func (r *Report) fix(number int, known *crawlers.Catalogue) error {
	if number == 0 {
		return nil
	}
	f := robots.Parse(r.Source.Text, robots.Options{Limit: robots.GoogleLimit})
	findings := lintOf(r, f, known)
	if number < 0 || number > len(findings) || findings[number-1].Fix == nil {
		return &Error{Kind: "fix", Field: "robots"}
	}
	s := &r.Source
	r.Fixed = &findings[number-1].Fix.Sentence
	s.Text = findings[number-1].Fix.Apply(s.Text)
	if s.Fetched() {
		s.EditedAt = s.Fetch.FetchedAt
	}
	s.Fetch, s.Stale, s.Held = nil, nil, ""
	return nil
}
