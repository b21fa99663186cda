package tester

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/whichrule/whichrule/internal/access"
	"github.com/whichrule/whichrule/internal/fetch"
	"github.com/whichrule/whichrule/internal/robots"
)

// Simulation is an answer that a server is pretended to give: a status as
// "503", a fetch.Kind as "timeout", or SimulatePage; "" for none. The text under
// test stays what it is; what crawlers make of it is that of the answer.
type Simulation string

// SimulatePage pretends that a web page with status 200 stands in place of the
// text, in which no rule is found.
const SimulatePage Simulation = "html"

// readSimulation reads the field simulate.
func readSimulation(typed string) (Simulation, error) {
	s := Simulation(strings.ToLower(strings.TrimSpace(typed)))
	if _, ok := s.status(); ok || s == "" || s == SimulatePage || slices.Contains(fetch.Kinds(), fetch.Kind(s)) {
		return s, nil
	}
	return "", &Error{Kind: "simulate", Field: "simulate", Got: shorten(typed)}
}

// status gives the status that is pretended. Redirects alone are no answer: what
// they lead to is one, or one of the kinds of package fetch.
func (s Simulation) status() (n int, ok bool) {
	n, err := strconv.Atoi(string(s))
	return n, err == nil && len(s) == 3 && n >= 200 && n <= 599 && (n < 300 || n > 399)
}

// Kind is the kind of outcome that is pretended, that of a web page included.
func (s Simulation) Kind() fetch.Kind {
	n, ok := s.status()
	switch {
	case s == SimulatePage, ok && n < 300:
		return fetch.OK
	case !ok:
		return fetch.Kind(s)
	case n == 429:
		return fetch.TooManyRequests
	case n < 500:
		return fetch.ClientError
	}
	return fetch.ServerError
}

// class is what operators tell apart in the answer, with that text in it.
func (s Simulation) class(text []byte) access.Class {
	if s == SimulatePage {
		return access.WebPage
	}
	status, ok := s.status()
	if !ok {
		status = 200 // "ok"
	}
	return access.ClassOf(&fetch.Outcome{Kind: s.Kind(), Status: status}, text)
}

// Class is what operators tell apart in the answer that verdicts go by: the one
// that is pretended, else the one that the text came with; "" for a paste.
func (s *Source) Class() access.Class {
	switch {
	case s.Simulated != "":
		return s.Simulated.class(s.Text)
	case s.Fetched():
		return access.ClassOf(s.Fetch, s.Text)
	}
	return ""
}

// Missing says whether the answer that verdicts go by means that there is no
// file. Operators can take a site as open after others too.
func (s *Source) Missing() bool {
	var kind fetch.Kind
	switch {
	case s.Simulated != "":
		kind = s.Simulated.Kind()
	case s.Fetched():
		kind = s.Fetch.Kind
	}
	switch kind {
	case fetch.ClientError, fetch.TooManyRequests, fetch.RedirectLimit, fetch.RedirectLoop, fetch.BadRedirect:
		return true
	}
	return false
}

// judged is the text whose rules are tested.
func (s *Source) judged() []byte {
	if s.Simulated == SimulatePage {
		return nil
	}
	return s.Text
}

// accessOf gives what a class of answer means to the crawlers of an operator.
func accessOf(class access.Class) func(operator string) access.Access {
	return func(operator string) access.Access {
		if class == "" {
			return access.Pasted()
		}
		return access.Of(class, operator)
	}
}

// realVerdicts gives the verdicts of a report's cells without what is pretended. start
// is when the test began to compute.
func realVerdicts(ctx context.Context, r *Report, now func() time.Time, start time.Time) ([]Verdict, error) {
	bare := r.Source
	bare.Simulated = ""
	f := robots.Parse(bare.Text, robots.Options{Limit: robots.GoogleLimit})
	means, sets := accessOf(bare.Class()), newRuleSets(f)
	columns := slices.Clone(r.Crawlers)
	selections := make([]*robots.Selection, len(columns))
	effects := make([]access.Effect, len(columns))
	for i := range columns {
		selections[i] = sets.choose(&columns[i])
		effects[i] = means(columns[i].Choice.Crawler.Operator).Effect
	}
	verdicts := make([]Verdict, 0, len(r.URLs)*len(columns))
	for row := range r.URLs {
		u := &r.URLs[row]
		known := map[*robots.Selection]Verdict{}
		for col := range columns {
			if err := mayGoOn(ctx, now, start); err != nil {
				return nil, err
			}
			res, byRules := verdict(u, &columns[col], effects[col])
			if byRules {
				sel := selections[col]
				if known[sel] == "" {
					known[sel] = said(sel.Match(u.Path).Allowed)
				}
				res.Verdict = known[sel]
			}
			verdicts = append(verdicts, res.Verdict)
		}
	}
	return verdicts, nil
}
