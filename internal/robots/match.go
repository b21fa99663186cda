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
// It does not allocate.
func (s *Selection) Match(path string) Decision {
	bytes := setOf(path)
	for n, i := range s.order {
		p := &s.file.patterns[i]
		if !p.match(path, bytes) {
			continue
		}
		d := Decision{Allowed: p.rule.Allow, Line: p.rule.Line, Rule: *p.rule, Length: int(p.length)}
		switch {
		case p.length == 0:
			d.Allowed, d.Reason = true, EmptyRule
		case d.Allowed && s.tied(n, path, bytes):
			d.Reason = TieAllowWins
		}
		return d
	}
	return Decision{Allowed: true, Reason: s.silent()}
}

// tied reports whether a Disallow as long as the n-th pattern, an Allow that
// matches, matches too.
func (s *Selection) tied(n int, path string, bytes byteSet) bool {
	length := s.file.patterns[s.order[n]].length
	for _, i := range s.order[n+1:] {
		p := &s.file.patterns[i]
		if p.length < length {
			return false
		}
		if !p.rule.Allow && p.match(path, bytes) {
			return true
		}
	}
	return false
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

// pattern is a rule made ready for matching. A rule has one, and an Allow for an
// index page has another for its directory: see newPatterns.
type pattern struct {
	text     string  // without the end anchor, each run of "*" as one
	rest     byteSet // the bytes of text behind its first "*"
	rule     *Rule
	group    int32
	star     int32 // index of the first "*" in text, or its length
	length   int32 // what counts: the bytes of the pattern with all of "*" and "$"
	anchored bool  // a final "$" ends the pattern; elsewhere "$" is an ordinary character
	index    bool  // the directory of an index page
}

// indexPage is what the last segment of an Allow starts with when Google's
// matcher lets the rule open the directory itself too: an "Allow: /d/index.html"
// that does not match is tried again as "/d/$". RFC 9309 knows no such thing.
const indexPage = "/index.htm"

// newPatterns returns the patterns of all groups in the order in which the first
// that matches decides: longest first, Allow before Disallow, then by line.
//
// The patterns of an index page and of its directory may both stand in the order
// although the second counts only when the first does not match: the first is
// longer, so it is met first.
func newPatterns(groups []Group) []pattern {
	// Sorted by counting, to stay linear: start[rank] becomes the place of the
	// next pattern of that rank.
	longest := 0
	for i := range groups {
		for j := range groups[i].Rules {
			longest = max(longest, len(groups[i].Rules[j].Pattern))
		}
	}
	start := make([]int32, 2*(longest+1)+1)
	rank := func(length int, allow bool) int {
		n := 2 * (longest - length)
		if !allow {
			n++
		}
		return n
	}
	for i := range groups {
		for j := range groups[i].Rules {
			r := &groups[i].Rules[j]
			start[rank(len(r.Pattern), r.Allow)+1]++
			if dir := directory(r); dir != "" {
				start[rank(len(dir)+1, true)+1]++
			}
		}
	}
	for i := 1; i < len(start); i++ {
		start[i] += start[i-1]
	}
	patterns := make([]pattern, start[len(start)-1])
	put := func(p pattern) {
		at := &start[rank(int(p.length), p.rule.Allow)]
		patterns[*at] = p
		*at++
	}
	for i := range groups {
		for j := range groups[i].Rules {
			r := &groups[i].Rules[j]
			p := newPattern(r)
			p.group = int32(i)
			put(p)
			if dir := directory(r); dir != "" {
				p := newDirectory(r, dir)
				p.group = int32(i)
				put(p)
			}
		}
	}
	return patterns
}

// directory returns the pattern, less its end anchor, of the directory that an
// Allow for an index page opens, or "".
func directory(r *Rule) string {
	if !r.Allow {
		return ""
	}
	i := strings.LastIndexByte(r.Pattern, '/')
	if i < 0 || !strings.HasPrefix(r.Pattern[i:], indexPage) {
		return ""
	}
	return r.Pattern[:i+1]
}

func newPattern(r *Rule) pattern {
	text, anchored := strings.CutSuffix(r.Pattern, "$")
	p := pattern{rule: r, anchored: anchored, length: int32(len(r.Pattern))}
	p.setText(text)
	return p
}

func newDirectory(r *Rule, dir string) pattern {
	p := pattern{rule: r, anchored: true, index: true, length: int32(len(dir) + 1)}
	p.setText(dir)
	return p
}

func (p *pattern) setText(text string) {
	if strings.Contains(text, "**") {
		text = collapse(text)
	}
	p.text = text
	p.star = int32(len(text))
	if i := strings.IndexByte(text, '*'); i >= 0 {
		p.star = int32(i)
		p.rest = setOf(text[i:])
		p.rest.remove('*')
	}
}

// collapse makes each run of "*" one, so that a line of nothing else costs no
// more to match than "*".
func collapse(text string) string {
	out := make([]byte, 0, len(text))
	for i := range len(text) {
		if text[i] != '*' || i == 0 || text[i-1] != '*' {
			out = append(out, text[i])
		}
	}
	return string(out)
}

// match reports whether the pattern matches path; bytes are those of path.
func (p *pattern) match(path string, bytes byteSet) bool {
	return bytes.hold(p.rest) && p.walk(path, nil)
}

// walk lays the pattern over path from its start and reports whether it fits.
// When spans is not nil it appends what each part covers, valid if it fits.
//
// Between wildcards there is only plain text, so the leftmost place of each part
// is always right, and one pass over the path is enough. strings.Index promises
// no bound, but what it does beyond linear is too little to show at the lengths
// of lines and URLs.
func (p *pattern) walk(path string, spans *[]Span) bool {
	head := p.text[:p.star]
	if !strings.HasPrefix(path, head) {
		return false
	}
	at := len(head)
	cover(spans, 0, at, false)
	if at == len(p.text) {
		return !p.anchored || at == len(path)
	}
	rest := p.text[at+1:]
	for {
		part, after, more := strings.Cut(rest, "*")
		start := 0
		switch {
		case more:
			start = strings.Index(path[at:], part)
		case part == "": // a wildcard at the end covers all that is left
			start = len(path) - at
		case p.anchored && strings.HasSuffix(path[at:], part):
			start = len(path) - at - len(part)
		case p.anchored:
			return false
		default:
			start = strings.Index(path[at:], part)
		}
		if start < 0 {
			return false
		}
		cover(spans, at, at+start, true)
		cover(spans, at+start, at+start+len(part), false)
		if !more {
			return true
		}
		at += start + len(part)
		rest = after
	}
}

// byteSet is a set of ASCII bytes; those of patterns are never others.
type byteSet [2]uint64

func setOf(s string) byteSet {
	var set byteSet
	for i := range len(s) {
		if c := s[i]; c < 0x80 {
			set[c>>6] |= 1 << (c & 63)
		}
	}
	return set
}

func (b byteSet) hold(other byteSet) bool {
	return other[0]&^b[0]|other[1]&^b[1] == 0
}

func (b *byteSet) remove(c byte) { b[c>>6] &^= 1 << (c & 63) }
