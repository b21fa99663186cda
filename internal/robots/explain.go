package robots

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
// are at most one more than twice the bytes of path.
func (s *Selection) Explain(path string, most int) Explanation {
	e := Explanation{Decision: s.Match(path)}
	if e.Line == 0 {
		return e
	}
	bytes := setOf(path)
	for _, i := range s.order {
		p := &s.file.patterns[i]
		if !p.match(path, bytes) {
			continue
		}
		if p.index {
			if page := newPattern(p.rule); page.match(path, bytes) {
				continue
			}
		}
		if e.Total++; e.Total == 1 {
			e.IndexHTML = p.index
			p.walk(path, &e.Spans)
		}
		if len(e.Candidates) < most {
			e.Candidates = append(e.Candidates, Candidate{
				Rule: *p.rule, Length: int(p.length), Outcome: e.outcome(p), IndexHTML: p.index,
			})
		}
	}
	return e
}

// outcome tells how a pattern that matched fared against the decision.
func (d *Decision) outcome(p *pattern) Outcome {
	switch {
	case p.rule.Line == d.Line:
		return Wins
	case p.rule.Allow == d.Rule.Allow && p.rule.Pattern == d.Rule.Pattern:
		return Repeated
	case p.length == 0:
		return Empty
	case int(p.length) == d.Length:
		return Tie
	}
	return Shorter
}

// cover appends a span unless it is empty or nobody asks.
func cover(spans *[]Span, start, end int, wildcard bool) {
	if spans != nil && start < end {
		*spans = append(*spans, Span{start, end, wildcard})
	}
}
