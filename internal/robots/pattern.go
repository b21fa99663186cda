package robots

import "strings"

// query is a path that the patterns of a file are held against.
type query struct {
	file   *File
	path   string
	grams  grams // of path
	filled bool  // grams has been filled
}

// fits reports whether a pattern, as cutAnchor gives it, matches from the start of
// the path on. "*" stands for any bytes, and nothing else is special (RFC 9309
// §2.2.3). It takes time linear in pattern and path.
//
// Nearly all patterns fail at one of the two cheap looks that come first: at the
// text in front of the wildcards, or at that behind.
func (q *query) fits(text string, anchored bool) bool {
	at := 0
	for ; at < len(text) && text[at] != '*'; at++ {
		if at == len(q.path) || q.path[at] != text[at] {
			return false
		}
	}
	if at == len(text) {
		return !anchored || at == len(q.path)
	}
	last := text[strings.LastIndexByte(text, '*')+1:]
	if anchored {
		if !strings.HasSuffix(q.path[at:], last) {
			return false
		}
	} else if !q.mayHold(last) {
		return false
	}
	return q.walk(text[at:], anchored, at, nil)
}

// cutAnchor cuts the "$" off that at the end of a pattern stands for the end of the
// path; elsewhere it is an ordinary character.
func cutAnchor(pattern string) (text string, anchored bool) {
	return strings.CutSuffix(pattern, "$")
}

// walk lays a pattern, from its first "*" on, over the path from a place on, and
// reports whether it fits. When spans is not nil it appends what each part covers,
// valid if it fits.
//
// Between wildcards there is only plain text, so the leftmost place of each part
// is always right, and one pass over the path is enough. strings.Index promises
// no bound, but what it does beyond linear is too little to show at the lengths
// of lines and URLs.
func (q *query) walk(rest string, anchored bool, at int, spans *[]Span) bool {
	for rest != "" {
		part, after := strings.TrimLeft(rest, "*"), ""
		if i := strings.IndexByte(part, '*'); i >= 0 {
			part, after = part[:i], part[i:]
		}
		ahead := q.path[at:]
		start := -1
		switch {
		case part == "": // a wildcard at the end covers all that is left
			start = len(ahead)
		case after == "" && anchored:
			if strings.HasSuffix(ahead, part) {
				start = len(ahead) - len(part)
			}
		case q.mayHold(part):
			start = strings.Index(ahead, part)
		}
		if start < 0 {
			return false
		}
		cover(spans, at, at+start, true)
		cover(spans, at+start, at+start+len(part), false)
		at += start + len(part)
		rest = after
	}
	return true
}

// cover appends a span unless it is empty or nobody asks.
func cover(spans *[]Span, start, end int, wildcard bool) {
	if spans != nil && start < end {
		*spans = append(*spans, Span{start, end, wildcard})
	}
}

// spans returns what the parts of a pattern that fits cover of the path.
func (q *query) spans(text string, anchored bool) []Span {
	head := headOf(text)
	out := make([]Span, 0, min(2*strings.Count(text, "*"), 2*len(q.path))+1)
	cover(&out, 0, len(head), false)
	q.walk(text[len(head):], anchored, len(head), &out)
	return out
}

// headOf returns the plain text in front of the wildcards.
func headOf(text string) string {
	head, _, _ := strings.Cut(text, "*")
	return head
}

// mayHold reports false only when part is nowhere in the path, by the first and
// the last three of its bytes.
func (q *query) mayHold(part string) bool {
	n := len(part)
	if n < 3 {
		return true
	}
	set := q.fill()
	return set.has(gramOf(part)) && set.has(gramOf(part[n-3:]))
}

// fill returns the grams of the path, which it makes when they are first needed:
// most paths are decided without.
func (q *query) fill() *grams {
	if !q.filled {
		q.filled = true
		q.grams.add(q.path)
	}
	return &q.grams
}

// grams is a set of the three-byte runs of a string, by a hash of 12 bits. That of
// a URL is nearly empty, so that one look tells that a rule's text is not in it.
type grams [1 << 12 / 64]uint64

// anyGram is in every set.
const anyGram = 0

func (set *grams) has(g uint16) bool { return set[g>>6&63]&(1<<(g&63)) != 0 }

func (set *grams) add(s string) {
	set[0] |= 1 << anyGram
	var run uint32
	for i := range len(s) {
		run = run<<8 | uint32(s[i])
		if i >= 2 {
			g := hashRun(run)
			set[g>>6&63] |= 1 << (g & 63)
		}
	}
}

// gramOf returns the hash of the first three bytes of s.
func gramOf(s string) uint16 {
	return hashRun(uint32(s[0])<<16 | uint32(s[1])<<8 | uint32(s[2]))
}

// hashRun hashes the lower three bytes of run by multiplication with the golden
// ratio.
func hashRun(run uint32) uint16 { return uint16((run << 8) * 0x9E3779B1 >> 20) }

// indexPage is what the last segment of an Allow starts with when Google's
// matcher lets the rule open the directory itself too: an "Allow: /d/index.html"
// that does not match is tried again as "/d/$". RFC 9309 knows no such thing.
const indexPage = "/index.htm"

// directory returns the pattern, less its end anchor, of the directory that the
// pattern of an Allow for an index page opens, or "".
func directory(pattern string) string {
	i := strings.LastIndexByte(pattern, '/')
	if i < 0 || !strings.HasPrefix(pattern[i:], indexPage) {
		return ""
	}
	return pattern[:i+1]
}
