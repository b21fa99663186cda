package robots

import "slices"

// Explanation is a Decision with everything behind it.
type Explanation struct {
	Decision
	Candidates []Candidate // the rules that matched, the winner first, then by length, Allow before Disallow, and line
	Total      int         // how many rules matched; Candidates may hold fewer
	Spans      []Span      // what the winner covered of the path, from its first byte on, without gaps; none for an empty pattern
	IndexHTML  bool        // the winner matched as the directory of its index page; see Candidate.IndexHTML
}

// Candidate is a rule that matched.
type Candidate struct {
	Rule    Rule
	Length  int // the length that counted, in bytes
	Outcome Outcome
	// IndexHTML says that an Allow for an index page, such as "/d/index.html", did
	// not match itself but as its directory "/d/$", whose length then counts.
	IndexHTML bool
}

// Outcome tells how a candidate fared.
type Outcome uint8

// The outcomes.
const (
	Wins     Outcome = iota // it decided
	Shorter                 // a longer rule decided
	Tie                     // as long as the winner, an Allow or the same kind on an earlier line
	Repeated                // the winner once more, on a later line
	Empty                   // an empty value decides nothing
)

var outcomes = [...]string{
	Wins:     "wins",
	Shorter:  "shorter",
	Tie:      "tie",
	Repeated: "repeated",
	Empty:    "empty",
}

func (o Outcome) String() string { return outcomes[o] }

// Span is a byte range of a path, never empty, that plain text or a wildcard of a
// pattern covered. Runs of wildcards are one; a wildcard at the end of a pattern
// covers all the rest.
type Span struct {
	Start, End int
	Wildcard   bool
}

// Explain decides like Match and tells why, with at most most candidates. Spans
// are at most one more than twice the bytes of path. In the dialect RFC9309 they
// are those of the path in its compared form; in FirstMatch only the rule that
// decides is told.
func (s *Selection) Explain(path string, most int) Explanation {
	var (
		e     Explanation
		best  contest
		found []match // the first ones in the order of match.before
	)
	if s.file != nil && s.file.dialect != Google {
		path = s.file.dialect.path(path)
		if d, ok := s.apart(path); ok {
			e.Decision = d
			if d.Line > 0 {
				e.Total = 1
				cover(&e.Spans, 0, d.Length, false)
				e.Candidates = []Candidate{{Rule: d.Rule, Length: d.Length}}[:min(most, 1)]
			}
			return e
		}
	}
	q := query{file: s.file, path: path}
	s.each(&q, func(m match) {
		e.Total++
		best.enter(m)
		if len(found) == most {
			if most == 0 || !m.before(found[most-1]) {
				return
			}
			found = found[:most-1]
		}
		i, _ := slices.BinarySearchFunc(found, m, match.compare)
		found = slices.Insert(found, i, m)
	})
	e.Decision = best.decide(s)
	w, ok := best.winner()
	if !ok {
		return e
	}
	if e.IndexHTML = w.directory; w.directory {
		e.Spans = q.spans(directory(e.Rule.Pattern), true)
	} else {
		e.Spans = q.spans(cutAnchor(e.Rule.Pattern))
	}
	for _, m := range found {
		c := Candidate{Rule: s.file.rule(m.rule), Length: m.length, IndexHTML: m.directory}
		c.Outcome = e.outcome(&c)
		e.Candidates = append(e.Candidates, c)
	}
	return e
}

// outcome tells how a candidate fared against the decision.
func (d *Decision) outcome(c *Candidate) Outcome {
	switch {
	case c.Rule.Line == d.Line:
		return Wins
	case c.Rule.Allow == d.Rule.Allow && c.Rule.Pattern == d.Rule.Pattern:
		return Repeated
	case c.Length == 0:
		return Empty
	case c.Length == d.Length:
		return Tie
	}
	return Shorter
}
