package robots

import (
	"iter"
	"strings"
)

// maxLine is the number of bytes of a line that count; the rest of the line is
// dropped before anything else is done with it. The number is that of Google's
// published matcher: eight times the longest URL of old browsers, less one.
const maxLine = 2083*8 - 1

// maxText is the number of bytes of a body that count at most, whatever
// Options.Limit says, so that 32 bits reach every byte of it, four times over.
const maxText = 1 << 30

// File is a parsed robots.txt. Make one with Parse.
//
// Its groups are runs of User-agent lines with the rules below them (RFC 9309
// §2.2.1). Only an Allow or Disallow line ends the run; blank lines, comments,
// Sitemap and unknown lines do not (§2.2.4). They are numbered from 0 in the order
// of the file. Only the last one may be without rules.
type File struct {
	text   string // what counts, and the patterns that are not in it as they are
	kinds  []LineKind
	groups []group
	agents []AgentLine // of all groups, and so are the rules
	rules  []rule
	cut    int
}

// group holds where a group's lines begin in File.agents and File.rules: a file may
// have tens of thousands of groups of one line.
type group struct{ agents, rules int32 }

// rule is a Rule as a file keeps it. A large file is nearly all rules, and these
// are small and without pointers, so that they cost the garbage collector nothing.
type rule struct {
	line                   int32
	value, pattern         uint32 // where they start in File.text
	valueSize, patternSize uint16 // a pattern has at most three times maxLine bytes
	allow                  bool
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
	limit := maxText
	if o.Limit > 0 {
		limit = min(limit, o.Limit)
	}
	counted := body[:min(limit, len(body))]
	text := dropMark(string(counted))
	returns, nul := strings.IndexByte(text, '\r') >= 0, strings.IndexByte(text, 0) >= 0
	lines := 1 + strings.Count(text, "\n")
	if returns {
		lines += strings.Count(text, "\r")
	}
	// Right for most files, and never more than a byte or two for each of the text.
	f.kinds = make([]LineKind, 0, lines)
	f.groups = make([]group, 0, 4)
	f.agents = make([]AgentLine, 0, 4)
	f.rules = make([]rule, 0, min(lines, len(text)/20))
	var escaped []byte // patterns that are not in the text as they are
	for start, more := 0, true; more; {
		line, next, again := cutLine(text[start:], returns)
		if nul {
			line, _, _ = strings.Cut(line, "\x00")
		}
		from, to, kind := split(line)
		f.kinds = append(f.kinds, kind)
		number, value := len(f.kinds), line[from:to]
		switch kind {
		case LineUserAgent:
			if n := len(f.groups); n == 0 || int(f.groups[n-1].rules) < len(f.rules) {
				f.groups = append(f.groups, group{int32(len(f.agents)), int32(len(f.rules))})
			}
			f.agents = append(f.agents, newAgentLine(number, value))
		case LineAllow, LineDisallow:
			if len(f.groups) == 0 {
				break // above the first User-agent line
			}
			r := rule{
				line: int32(number), allow: kind == LineAllow,
				value: uint32(start + from), valueSize: uint16(len(value)),
				pattern: uint32(start + from), patternSize: uint16(len(value)),
			}
			if needsEscape(value) {
				r.pattern = uint32(len(text) + len(escaped))
				escaped = appendEscaped(escaped, value, false)
				r.patternSize = uint16(len(text) + len(escaped) - int(r.pattern))
			}
			f.rules = append(f.rules, r)
		}
		start, more = start+next, again
	}
	f.text = text
	if escaped != nil {
		f.text += string(escaped)
	}
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

// Groups returns the number of groups.
func (f *File) Groups() int { return len(f.groups) }

// Agents returns the User-agent lines of a group. The caller must not change them.
func (f *File) Agents(group int) []AgentLine {
	from, to := f.groups[group].agents, len(f.agents)
	if group+1 < len(f.groups) {
		to = int(f.groups[group+1].agents)
	}
	return f.agents[from:to:to]
}

// Rules returns the rules of a group.
func (f *File) Rules(group int) iter.Seq[Rule] {
	return func(yield func(Rule) bool) {
		from, to := f.ruleNumbers(group)
		for i := from; i < to && yield(f.rule(i)); i++ {
		}
	}
}

// ruleNumbers returns where a group's rules start and end in f.rules.
func (f *File) ruleNumbers(group int) (from, to int) {
	from, to = int(f.groups[group].rules), len(f.rules)
	if group+1 < len(f.groups) {
		to = int(f.groups[group+1].rules)
	}
	return from, to
}

func (f *File) rule(number int) Rule {
	r := &f.rules[number]
	return Rule{
		Line: int(r.line), Allow: r.allow,
		Value: f.text[r.value:][:r.valueSize], Pattern: f.pattern(r),
	}
}

func (f *File) pattern(r *rule) string { return f.text[r.pattern:][:r.patternSize] }

// Kind returns what a line, numbered from 1, was read as.
func (f *File) Kind(line int) LineKind {
	if line < 1 || line > len(f.kinds) {
		return LineEmpty
	}
	return f.kinds[line-1]
}

// cutLine returns the first line of a text and where the next one starts, if there is
// one. CR LF is one line end. Without returns the text has no CR, so that the fast
// search for LF is enough; to search for both in turn would not be linear.
func cutLine(text string, returns bool) (line string, next int, more bool) {
	end := 0
	if returns {
		for end < len(text) && !isLineEnd(text[end]) {
			end++
		}
	} else if end = strings.IndexByte(text, '\n'); end < 0 {
		end = len(text)
	}
	switch line = text[:end]; {
	case end == len(text):
		return line, end, false
	case text[end] == '\r' && strings.HasPrefix(text[end+1:], "\n"):
		return line, end + 2, true
	}
	return line, end + 1, true
}

// split returns where in a line its trimmed value stands, and what its key makes it.
func split(s string) (from, to int, kind LineKind) {
	to = min(len(s), maxLine)
	empty := LineEmpty
	if i := strings.IndexByte(s[:to], '#'); i >= 0 {
		to, empty = i, LineComment
	}
	if colon, kind := usualKey(s[:to]); colon > 0 {
		from, to = trim(s, colon+1, to)
		return from, to, kind
	}
	from, to = trim(s, 0, to)
	if from == to {
		return from, to, empty
	}
	colon := strings.IndexByte(s[from:to], ':')
	if colon < 0 {
		// Google forgives a missing colon, but only between exactly two words.
		colon = strings.IndexAny(s[from:to], " \t")
		if colon < 0 || strings.ContainsAny(strings.TrimLeft(s[from+colon:to], " \t"), " \t") {
			return from, to, LineGarbage
		}
	}
	colon += from
	start, end := trim(s, from, colon)
	if start == end {
		return from, to, LineGarbage
	}
	from, to = trim(s, colon+1, to)
	return from, to, keyKind(s[start:end])
}

// usualKey is a short cut for keys as nearly everybody writes them. It returns where
// the colon stands, or 0.
func usualKey(s string) (colon int, kind LineKind) {
	switch {
	case strings.HasPrefix(s, "Disallow:"):
		return len("Disallow"), LineDisallow
	case strings.HasPrefix(s, "Allow:"):
		return len("Allow"), LineAllow
	case strings.HasPrefix(s, "User-agent:"):
		return len("User-agent"), LineUserAgent
	}
	return 0, LineEmpty
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

// needsEscape reports whether a value differs from its pattern. To compare it to the
// path of a URL (RFC 9309 §2.2.2), bytes outside ASCII are percent-encoded and hex
// digits of escapes put in upper case. Unlike the RFC, Google's matcher decodes
// nothing, not even "%61".
func needsEscape(value string) bool {
	for i := range len(value) {
		if value[i] >= 0x80 || value[i] == '%' {
			return true
		}
	}
	return false
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
