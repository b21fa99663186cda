package robots

import "strings"

// Decision is the verdict for one path.
type Decision struct {
	Allowed bool
	Line    int  // the deciding line, also that of an empty rule that matched; 0 when no rule matched
	Rule    Rule // the deciding rule; zero when Line is 0
	Length  int  // the length that counted, in bytes of the pattern; see Candidate.IndexHTML
	Reason  Reason
}

// Reason tells why a Decision is what it is.
type Reason uint8

// The reasons, in the words of RFC 9309 §2.2.2: the most octets win, and of rules
// of equal length an Allow.
const (
	LongestRule     Reason = iota // the longest matching rule decided
	TieAllowWins                  // an Allow and a Disallow of equal length matched
	EmptyRule                     // only rules with an empty value matched; they decide nothing
	NoRuleMatches                 // the group has no rule for the path
	EmptyNamedGroup               // a group names the crawler but has no rules, and hides those of "*"
	NoGroup                       // no group speaks to the crawler
)

var reasons = [...]string{
	LongestRule:     "longest-rule",
	TieAllowWins:    "tie-allow-wins",
	EmptyRule:       "empty-rule",
	NoRuleMatches:   "no-rule-matches",
	EmptyNamedGroup: "empty-named-group",
	NoGroup:         "no-group",
}

func (r Reason) String() string { return reasons[r] }

// Match decides whether path, as Path or NormalizePath gives it, may be fetched.
// It does not allocate, except that the rules of a large selection are indexed
// once, when it has been asked a few times.
func (s *Selection) Match(path string) Decision {
	var best contest
	q := query{path: path}
	s.each(&q, func(m match) { best.enter(m) })
	return best.decide(s)
}

// each calls yield for every rule that matches, once, in no certain order.
func (s *Selection) each(q *query, yield func(match)) {
	if ix := s.index.get(s); ix != nil {
		ix.each(q, yield)
		return
	}
	for _, g := range s.Groups {
		rules := s.file.groups[g].Rules
		for i := range rules {
			if m := q.match(&rules[i]); m.rule != nil {
				yield(m)
			}
		}
	}
}

// match is a rule that matched.
type match struct {
	rule      *Rule
	length    int  // the length that counts
	directory bool // as the directory of its index page
}

// match holds a rule against the path. The rule of the result is nil when it does
// not match.
func (q *query) match(r *Rule) match {
	if q.fits(cutAnchor(r.Pattern)) {
		return match{rule: r, length: len(r.Pattern)}
	}
	if r.Allow && strings.HasSuffix(q.path, "/") {
		if dir := directory(r); dir != "" && q.fits(dir, true) {
			return match{rule: r, length: len(dir + "$"), directory: true}
		}
	}
	return match{}
}

// before says in which order rules that match are told: the longest first, Allow
// before Disallow (RFC 9309 §2.2.2), then by line. The first of all decides.
func (m match) before(o match) bool {
	switch {
	case m.length != o.length:
		return m.length > o.length
	case m.rule.Allow != o.rule.Allow:
		return m.rule.Allow
	}
	return m.rule.Line < o.rule.Line
}

// contest holds the best rule of each kind so far.
type contest struct{ allow, disallow match }

func (c *contest) enter(m match) {
	side := &c.disallow
	if m.rule.Allow {
		side = &c.allow
	}
	if side.rule == nil || m.before(*side) {
		*side = m
	}
}

// winner returns the match that decides; its rule is nil when there is none.
func (c *contest) winner() match {
	if c.allow.rule == nil || c.disallow.rule != nil && c.disallow.before(c.allow) {
		return c.disallow
	}
	return c.allow
}

func (c *contest) decide(s *Selection) Decision {
	w := c.winner()
	if w.rule == nil {
		return Decision{Allowed: true, Reason: s.silent()}
	}
	d := Decision{Allowed: w.rule.Allow, Line: w.rule.Line, Rule: *w.rule, Length: w.length}
	switch {
	case w.length == 0:
		d.Allowed, d.Reason = true, EmptyRule
	case d.Allowed && c.disallow.rule != nil && c.disallow.length == w.length:
		d.Reason = TieAllowWins
	}
	return d
}

// silent returns the reason when no rule matches.
func (s *Selection) silent() Reason {
	switch {
	case len(s.Groups) == 0:
		return NoGroup
	case s.rules == 0 && !s.Star:
		return EmptyNamedGroup
	}
	return NoRuleMatches
}
