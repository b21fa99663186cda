package robots

import (
	"slices"
	"strings"
)

// maxLine is the number of bytes of a line that count; the rest of the line is
// dropped before anything else is done with it. The number is that of Google's
// published matcher: eight times the longest URL of old browsers, less one.
const maxLine = 2083*8 - 1

// File is a parsed robots.txt. Make one with Parse.
type File struct {
	groups []Group
	kinds  []LineKind
	cut    int
}

// Group is a run of User-agent lines with the rules below them (RFC 9309
// §2.2.1). Only an Allow or Disallow line ends the run; blank lines, comments,
// Sitemap and unknown lines do not (§2.2.4).
type Group struct {
	Agents []AgentLine
	Rules  []Rule // empty only for a last group without rules
}

// AgentLine is one User-agent line.
type AgentLine struct {
	Line  int    // from 1
	Value string // as written, trimmed
	Token string // the leading letters, "-" and "_" of Value: all that Google's own crawlers read; "" for a star
	Star  bool   // Value is "*", or "*" and a blank with anything behind it
}

// Rule is one Allow or Disallow line.
type Rule struct {
	Line    int // from 1
	Allow   bool
	Value   string // as written, trimmed
	Pattern string // Value with bytes outside ASCII percent-encoded and escapes in upper case (RFC 9309 §2.2.2): what is matched and whose length counts
}

// String gives the rule as a line of a tidy file: "Disallow: /x", and
// "Disallow:" for an empty value.
func (r Rule) String() string {
	key := "Disallow:"
	if r.Allow {
		key = "Allow:"
	}
	if r.Value == "" {
		return key
	}
	return key + " " + r.Value
}

// LineKind is what a line is read as.
type LineKind uint8

// The kinds of lines. Keys are read as leniently as Google does: by their
// beginning, in any case, with some common typos.
const (
	LineEmpty     LineKind = iota // nothing but blanks, or beyond the counted lines
	LineComment                   // nothing but a comment
	LineGarbage                   // neither a key nor a comment
	LineUserAgent                 // User-agent
	LineAllow                     // Allow
	LineDisallow                  // Disallow
	LineSitemap                   // Sitemap
	LineUnknown                   // a key that decides nothing
)

// Parse reads a robots.txt. It never fails, whatever the bytes, takes time and
// memory linear in them, and keeps no reference to body.
//
// Lines end with LF, CR or CR LF. A byte order mark of UTF-8, also a part of it,
// is dropped from the start. A line ends early at a NUL and has at most 16,663
// bytes. Rules above the first User-agent line belong to nobody.
func Parse(body []byte, o Options) *File {
	f := new(File)
	counted := body
	if o.Limit > 0 && len(body) > o.Limit {
		counted = body[:o.Limit]
	}
	text := dropMark(string(counted))
	returns, nul := strings.IndexByte(text, '\r') >= 0, strings.IndexByte(text, 0) >= 0
	lines := 1 + strings.Count(text, "\n")
	if returns {
		lines += strings.Count(text, "\r")
	}

	// Agents and rules are collected in one slice each, since a file may have tens
	// of thousands of groups of one line. Most files need no larger ones than these.
	starts := make([]groupStart, 0, 8)
	agents := make([]AgentLine, 0, 8)
	rules := make([]Rule, 0, min(lines, len(text)/16))
	f.kinds = make([]LineKind, 0, lines)
	for more := true; more; {
		var line string
		line, text, more = cutLine(text, returns)
		if nul {
			line, _, _ = strings.Cut(line, "\x00")
		}
		value, kind := split(line)
		f.kinds = append(f.kinds, kind)
		number := len(f.kinds)
		switch kind {
		case LineUserAgent:
			if n := len(starts); n == 0 || starts[n-1].rules < len(rules) {
				starts = append(starts, groupStart{len(agents), len(rules)})
			}
			agents = append(agents, newAgentLine(number, value))
		case LineAllow, LineDisallow:
			if len(starts) > 0 { // else it is above the first User-agent line
				rules = append(rules, Rule{
					Line: number, Allow: kind == LineAllow, Value: value, Pattern: escape(value),
				})
			}
		}
	}
	f.groups = newGroups(starts, agents, rules)
	if len(counted) < len(body) {
		f.cut = len(f.kinds)
		if n := len(counted); !isLineEnd(counted[n-1]) && isLineEnd(body[n]) {
			f.cut++
		}
	}
	return f
}

// Lines returns the number of lines among the counted bytes, at least 1. A file
// that ends with a line end has one more, empty line.
func (f *File) Lines() int { return len(f.kinds) }

// CutLine returns the line in which Options.Limit fell, or 0 when nothing was
// cut. When the limit falls at the end of a line, it is the number of the next
// one, the first that does not count.
func (f *File) CutLine() int { return f.cut }

// Groups returns the groups in file order. The caller must not change them.
func (f *File) Groups() []Group { return f.groups }

// Kind returns what a line, numbered from 1, was read as.
func (f *File) Kind(line int) LineKind {
	if line < 1 || line > len(f.kinds) {
		return LineEmpty
	}
	return f.kinds[line-1]
}

// groupStart holds where a group's lines begin among those of all groups.
type groupStart struct{ agents, rules int }

func newGroups(starts []groupStart, agents []AgentLine, rules []Rule) []Group {
	groups := make([]Group, len(starts))
	end := groupStart{len(agents), len(rules)}
	for i, start := range slices.Backward(starts) {
		groups[i].Agents = agents[start.agents:end.agents:end.agents]
		groups[i].Rules = rules[start.rules:end.rules:end.rules]
		end = start
	}
	return groups
}

// cutLine cuts the first line off a text, and reports whether there is another.
// CR LF is one line end. Without returns the text has no CR, so that the fast
// search for LF is enough; to search for both in turn would not be linear.
func cutLine(text string, returns bool) (line, rest string, more bool) {
	end := 0
	if returns {
		for end < len(text) && !isLineEnd(text[end]) {
			end++
		}
	} else if end = strings.IndexByte(text, '\n'); end < 0 {
		end = len(text)
	}
	if end == len(text) {
		return text, "", false
	}
	line, rest = text[:end], text[end+1:]
	if returns && text[end] == '\r' {
		rest = strings.TrimPrefix(rest, "\n")
	}
	return line, rest, true
}

// split takes a line apart into its trimmed value and what its key makes it.
func split(s string) (value string, kind LineKind) {
	if len(s) > maxLine {
		s = s[:maxLine]
	}
	comment := false
	if i := strings.IndexByte(s, '#'); i >= 0 {
		s, comment = s[:i], true
	}
	s = trim(s)
	if s == "" {
		if comment {
			return "", LineComment
		}
		return "", LineEmpty
	}
	i := strings.IndexByte(s, ':')
	if i < 0 {
		// Google forgives a missing colon, but only between exactly two words.
		i = strings.IndexAny(s, " \t")
		if i < 0 || strings.ContainsAny(strings.TrimLeft(s[i:], " \t"), " \t") {
			return "", LineGarbage
		}
	}
	key, value := trim(s[:i]), trim(s[i+1:])
	if key == "" {
		return "", LineGarbage
	}
	return value, keyKind(key)
}

// keyKind tells a line by the beginning of its key. Beyond RFC 9309, what follows
// the beginning is ignored ("Disallowed", "User-agents"), and Google accepts these
// typos and no others.
func keyKind(key string) LineKind {
	switch key[0] | 0x20 {
	case 'u':
		if hasPrefixFold(key, "user-agent") || hasPrefixFold(key, "useragent") || hasPrefixFold(key, "user agent") {
			return LineUserAgent
		}
	case 'a':
		if hasPrefixFold(key, "allow") {
			return LineAllow
		}
	case 'd':
		if hasPrefixFold(key, "disallow") || hasPrefixFold(key, "dissallow") || hasPrefixFold(key, "dissalow") ||
			hasPrefixFold(key, "disalow") || hasPrefixFold(key, "diasllow") || hasPrefixFold(key, "disallaw") {
			return LineDisallow
		}
	case 's':
		if hasPrefixFold(key, "sitemap") || hasPrefixFold(key, "site-map") {
			return LineSitemap
		}
	}
	return LineUnknown
}

func newAgentLine(number int, value string) AgentLine {
	l := AgentLine{Line: number, Value: value}
	if value != "" && value[0] == '*' && (len(value) == 1 || isBlank(value[1])) {
		l.Star = true
		return l
	}
	l.Token = token(value)
	return l
}

// token returns the product token that value starts with (RFC 9309 §2.2.1).
func token(value string) string {
	i := 0
	for i < len(value) && (isLetter(value[i]) || value[i] == '-' || value[i] == '_') {
		i++
	}
	return value[:i]
}

// escape makes a value comparable to the path of a URL (RFC 9309 §2.2.2): bytes
// outside ASCII are percent-encoded, hex digits of escapes are put in upper case.
// Unlike the RFC, Google's matcher decodes nothing, not even "%61".
func escape(value string) string {
	for i := range len(value) {
		if value[i] >= 0x80 || value[i] == '%' {
			return string(appendEscaped(make([]byte, 0, 3*len(value)-2*i), value, false))
		}
	}
	return value
}

// dropMark drops a byte order mark, or as much of one as there is.
func dropMark(s string) string {
	const mark = "\xEF\xBB\xBF"
	n := 0
	for n < len(mark) && n < len(s) && s[n] == mark[n] {
		n++
	}
	return s[n:]
}
