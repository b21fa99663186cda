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
	FirstRule                     // the first rule that fits decided, in the dialect FirstMatch
	Implicit                      // the path is that of the file itself, in the dialect RFC9309
)

var reasons = [...]string{
	LongestRule:     "longest-rule",
	TieAllowWins:    "tie-allow-wins",
	EmptyRule:       "empty-rule",
	NoRuleMatches:   "no-rule-matches",
	EmptyNamedGroup: "empty-named-group",
	NoGroup:         "no-group",
	FirstRule:       "first-rule",
	Implicit:        "robots-txt",
}

func (r Reason) String() string { return reasons[r] }

// Match decides whether path, as Path or NormalizePath gives it, may be fetched.
// It does not allocate, except that the rules of a large selection are indexed
// once, when it has been asked a few times.
func (s *Selection) Match(path string) Decision {
	if s.file != nil && s.file.dialect != Google {
		path = s.file.dialect.path(path)
		if d, ok := s.apart(path); ok {
			return d
		}
	}
	var best contest
	q := query{file: s.file, path: path}
	s.each(&q, func(m match) { best.enter(m) })
	return best.decide(s)
}

// apart decides what a dialect other than Google decides in a way of its own.
func (s *Selection) apart(path string) (d Decision, ok bool) {
	if s.file.dialect.implicit(path) {
		return Decision{Allowed: true, Reason: Implicit}, true
	}
	if s.file.dialect != FirstMatch {
		return Decision{}, false
	}
	for _, g := range s.Groups {
		from, to := s.file.rules(g)
		for i := from; i < to; i++ {
			if r := s.file.rule(i); strings.HasPrefix(path, r.Pattern) {
				// An empty Disallow has always meant that nothing is.
				allowed := r.Allow || r.Pattern == ""
				return Decision{Allowed: allowed, Line: r.Line, Rule: r, Length: len(r.Pattern), Reason: FirstRule}, true
			}
		}
	}
	return Decision{Allowed: true, Reason: s.silent()}, true
}

// each calls yield for every rule that matches, once, in no certain order.
func (s *Selection) each(q *query, yield func(match)) {
	if ix := s.index.get(s); ix != nil {
		ix.each(q, yield)
		return
	}
	for _, g := range s.Groups {
		from, to := s.file.rules(g)
		for i := from; i < to; i++ {
			if m, ok := q.match(i); ok {
				yield(m)
			}
		}
	}
}

// match is a rule that matched.
type match struct {
	rule      int32 // its record
	allow     bool
	length    int  // the length that counts
	directory bool // as the directory of its index page
}

// match holds a rule against the path.
func (q *query) match(rule int32) (m match, ok bool) {
	r := &q.file.records[rule]
	pattern, allow := q.file.pattern(r), r.kind == LineAllow
	if q.fits(cutAnchor(pattern)) {
		return match{rule, allow, len(pattern), false}, true
	}
	if allow && q.file.dialect == Google && strings.HasSuffix(q.path, "/") {
		if dir := directory(pattern); dir != "" && q.fits(dir, true) {
			return match{rule, allow, len(dir + "$"), true}, true
		}
	}
	return match{}, false
}

// compare says in which order rules that match are told: the longest first, Allow
// before Disallow (RFC 9309 §2.2.2), then by line. The first of all decides.
func (m match) compare(o match) int {
	switch {
	case m.length != o.length:
		return o.length - m.length
	case m.allow != o.allow && m.allow:
		return -1
	case m.allow != o.allow:
		return 1
	}
	return int(m.rule - o.rule)
}

func (m match) before(o match) bool { return m.compare(o) < 0 }

// contest holds the best rule of each kind so far, if any.
type contest struct {
	allow, disallow       match
	hasAllow, hasDisallow bool
}

func (c *contest) enter(m match) {
	best, has := &c.disallow, &c.hasDisallow
	if m.allow {
		best, has = &c.allow, &c.hasAllow
	}
	if !*has || m.before(*best) {
		*best, *has = m, true
	}
}

// winner returns the match that decides.
func (c *contest) winner() (m match, ok bool) {
	if c.hasDisallow && !(c.hasAllow && c.allow.before(c.disallow)) {
		return c.disallow, true
	}
	return c.allow, c.hasAllow
}

func (c *contest) decide(s *Selection) Decision {
	w, ok := c.winner()
	if !ok {
		return Decision{Allowed: true, Reason: s.silent()}
	}
	r := s.file.rule(w.rule)
	d := Decision{Allowed: r.Allow, Line: r.Line, Rule: r, Length: w.length}
	switch {
	case w.length == 0:
		d.Allowed, d.Reason = true, EmptyRule
	case d.Allowed && c.hasDisallow && c.disallow.length == w.length:
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
