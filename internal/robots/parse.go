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
// Options.Limit says: 1 GiB, so that 32 bits reach every byte of File.text, which
// may become four times as long.
const maxText = 1 << 30

// File is a parsed robots.txt. Make one with Parse.
//
// Its groups are runs of User-agent lines with the rules below them (RFC 9309
// §2.2.1). Only an Allow or Disallow line ends the run; blank lines, comments,
// Sitemap and unknown lines do not (§2.2.4). They are numbered from 0 in the order
// of the file. Only the last one may be without rules, but in the dialect FirstMatch
// any.
type File struct {
	text    string // what counts, and behind it the patterns that are not in it as they are
	size    int    // of what counts
	mark    int    // bytes of a byte order mark in front of it
	kinds   []LineKind
	groups  []group
	records []record
	cut     int
	dialect Dialect
}

// group holds where a group's agents start in File.records, and behind them its
// rules. It ends where the next one starts.
type group struct{ agents, rules int32 }

// record is a User-agent, Allow or Disallow line. There may be as many as lines, so
// they are small and without pointers, which spares the garbage collector the work.
type record struct {
	line                   int32  // from 1
	value, pattern         uint32 // where they start in File.text
	valueSize, patternSize uint16 // in bytes; a pattern has at most three times maxLine
	kind                   LineKind
}

// AgentLine is one User-agent line.
type AgentLine struct {
	Line  int    // from 1
	Value string // as written, trimmed
}

// Star reports whether the line speaks to everybody: it is "*", or "*" and a blank
// with anything behind it.
func (l AgentLine) Star() bool {
	v := l.Value
	return v != "" && v[0] == '*' && (len(v) == 1 || isBlank(v[1]))
}

// Token returns the leading letters, "-" and "_" of the value: all that Google's own
// crawlers read (RFC 9309 §2.2.1).
func (l AgentLine) Token() string { return token(l.Value) }

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
	limit := maxText
	if o.Limit > 0 {
		limit = min(limit, o.Limit)
	}
	counted := body[:min(limit, len(body))]
	f := &File{text: dropMark(string(counted)), dialect: o.Dialect}
	f.size = len(f.text)
	f.mark = len(counted) - f.size
	f.read()
	if len(counted) < len(body) {
		f.cut = len(f.kinds)
		if n := len(counted); !isLineEnd(counted[n-1]) && isLineEnd(body[n]) {
			f.cut++
		}
	}
	return f
}

// read reads the text line by line.
func (f *File) read() {
	text := f.text
	lines := 1 + strings.Count(text, "\n")
	if strings.Contains(text, "\r") {
		lines += strings.Count(text, "\r")
	}
	// Enough for nearly all files, and for none more than four bytes a byte of text.
	f.kinds = make([]LineKind, 0, lines)
	f.groups = make([]group, 0, 4)
	f.records = make([]record, 0, min(lines, len(text)/8))
	var patterns []byte // those that are not in the text as they are
	ended := false      // a run of User-agent lines, by a line that is no rule
	for start := 0; start <= len(text); {
		kind, colon := LineEmpty, 0
		if f.dialect == Google {
			kind, colon = usualKey(text[start:])
		}
		stop, end, seen := scanLine(text, start+colon)
		counted := min(stop, start+maxLine)
		var from, to int // the value
		if colon > 0 {
			from, to = trim(text, start+colon+1, counted)
		} else {
			kind, from, to = f.split(text, start, counted, &ended)
		}
		if kind == LineEmpty && stop < min(end, start+maxLine) && text[stop] == '#' {
			kind = LineComment
		}
		f.kinds = append(f.kinds, kind)
		switch last := len(f.groups) - 1; {
		case kind == LineUserAgent:
			if last < 0 || ended || int(f.groups[last].rules) < len(f.records) {
				f.groups = append(f.groups, group{agents: int32(len(f.records))})
				last++
			}
			ended = false
			f.add(kind, from, to)
			f.groups[last].rules = int32(len(f.records))
		case last >= 0 && (kind == LineAllow || kind == LineDisallow): // else it is above all groups
			r := f.add(kind, from, to)
			if seen&escapes != 0 || f.dialect == RFC9309 {
				patterns = f.escape(r, patterns)
			}
		}
		start = end + 1
		if strings.HasPrefix(text[end:], "\r\n") { // one line end
			start++
		}
	}
	if len(patterns) > 0 {
		f.text += string(patterns)
	}
}

// add adds a record of the line read last, whose value is f.text[from:to]. It is
// filled where it stands, which is faster than to copy it there.
func (f *File) add(kind LineKind, from, to int) *record {
	f.records = append(f.records, record{})
	r := &f.records[len(f.records)-1]
	r.line, r.kind = int32(len(f.kinds)), kind
	r.value, r.valueSize = uint32(from), uint16(to-from)
	r.pattern, r.patternSize = r.value, r.valueSize
	return r
}

// escape makes the pattern of a rule: to be compared to the path of a URL (RFC 9309
// §2.2.2), bytes outside ASCII are percent-encoded, hex digits of escapes are put in
// upper case. Unlike the RFC, Google's matcher decodes nothing, not even "%61". A
// pattern that differs from the value is appended to patterns, which will stand
// behind f.text.
func (f *File) escape(r *record, patterns []byte) []byte {
	value := f.text[r.value:][:r.valueSize]
	longer := f.dialect.appendPattern(patterns, value)
	pattern := longer[len(patterns):]
	if string(pattern) == value {
		return patterns
	}
	r.pattern, r.patternSize = uint32(len(f.text)+len(patterns)), uint16(len(pattern))
	return longer
}

// scanLine returns where a line's text stops, at a NUL or comment if it has one, and
// where the line ends. It starts at a place in the line, and tells the classes of the
// bytes that it saw in the text.
func scanLine(text string, from int) (stop, end int, seen byteClass) {
	for stop = from; stop < len(text) && classes[text[stop]]&(lineEnd|textEnd) == 0; stop++ {
		seen |= classes[text[stop]]
	}
	for end = stop; end < len(text) && classes[text[end]]&lineEnd == 0; end++ {
	}
	return stop, end, seen
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

// Agents returns the User-agent lines of a group.
func (f *File) Agents(group int) iter.Seq[AgentLine] {
	return func(yield func(AgentLine) bool) {
		g := f.groups[group]
		for i := g.agents; i < g.rules && yield(f.agent(i)); i++ {
		}
	}
}

// Rules returns the rules of a group.
func (f *File) Rules(group int) iter.Seq[Rule] {
	return func(yield func(Rule) bool) {
		from, to := f.rules(group)
		for i := from; i < to && yield(f.rule(i)); i++ {
		}
	}
}

// rules returns where the rules of a group start and end in f.records.
func (f *File) rules(group int) (from, to int32) {
	to = int32(len(f.records))
	if group+1 < len(f.groups) {
		to = f.groups[group+1].agents
	}
	return f.groups[group].rules, to
}

// agent returns the User-agent line that is a record.
func (f *File) agent(record int32) AgentLine {
	r := &f.records[record]
	return AgentLine{int(r.line), f.text[r.value:][:r.valueSize]}
}

// rule returns the rule that is a record.
func (f *File) rule(record int32) Rule {
	r := &f.records[record]
	return Rule{
		Line: int(r.line), Allow: r.kind == LineAllow,
		Value: f.text[r.value:][:r.valueSize], Pattern: f.pattern(r),
	}
}

func (f *File) pattern(r *record) string { return f.text[r.pattern:][:r.patternSize] }

// Kind returns what a line, numbered from 1, was read as.
func (f *File) Kind(line int) LineKind {
	if line < 1 || line > len(f.kinds) {
		return LineEmpty
	}
	return f.kinds[line-1]
}

// split returns what a line is, and where its value stands, trimmed; ended is set
// when the line ends a run of User-agent lines although it is no rule.
func (f *File) split(text string, from, to int, ended *bool) (kind LineKind, start, end int) {
	if f.dialect == Google {
		return split(text, from, to)
	}
	kind, start, end, ends := f.dialect.readStrict(text, from, to)
	*ended = *ended || ends
	return kind, start, end
}

// split returns what the key of the line text[from:to] makes it, and where its value
// stands, trimmed.
func split(text string, from, to int) (kind LineKind, start, end int) {
	from, to = trim(text, from, to)
	if from == to {
		return LineEmpty, to, to
	}
	colon := strings.IndexByte(text[from:to], ':')
	if colon < 0 {
		// Google forgives a missing colon, but only between exactly two words.
		colon = strings.IndexAny(text[from:to], " \t")
		if colon < 0 || strings.ContainsAny(strings.TrimLeft(text[from+colon:to], " \t"), " \t") {
			return LineGarbage, to, to
		}
	}
	colon += from
	keyFrom, keyTo := trim(text, from, colon)
	if keyFrom == keyTo {
		return LineGarbage, to, to
	}
	start, end = trim(text, colon+1, to)
	kind, _, _ = readKey(text[keyFrom:keyTo])
	return kind, start, end
}

// usualKey is a short cut for keys as nearly everybody writes them. It returns where
// the colon stands, or 0.
func usualKey(s string) (kind LineKind, colon int) {
	const disallow, allow, agent = "Disallow:", "Allow:", "User-agent:"
	switch { // strings.HasPrefix would take twice as long
	case len(s) >= len(disallow) && s[:len(disallow)] == disallow:
		return LineDisallow, len(disallow) - 1
	case len(s) >= len(allow) && s[:len(allow)] == allow:
		return LineAllow, len(allow) - 1
	case len(s) >= len(agent) && s[:len(agent)] == agent:
		return LineUserAgent, len(agent) - 1
	}
	return LineEmpty, 0
}

// keyForms are the beginnings that tell a line, in any case. Beyond RFC 9309, what
// follows the beginning is ignored ("Disallowed", "User-agents"), and Google accepts
// these typos and no others.
var keyForms = [...]struct {
	text string
	kind LineKind
	typo bool
}{
	{"user-agent", LineUserAgent, false},
	{"useragent", LineUserAgent, true},
	{"user agent", LineUserAgent, true},
	{"allow", LineAllow, false},
	{"disallow", LineDisallow, false},
	{"dissallow", LineDisallow, true},
	{"dissalow", LineDisallow, true},
	{"disalow", LineDisallow, true},
	{"diasllow", LineDisallow, true},
	{"disallaw", LineDisallow, true},
	{"sitemap", LineSitemap, false},
	{"site-map", LineSitemap, true},
}

// readKey returns what a key makes its line, whether it is a typo, and how much of
// the key tells.
func readKey(key string) (kind LineKind, typo bool, size int) {
	for i := range keyForms {
		if f := &keyForms[i]; hasPrefixFold(key, f.text) {
			return f.kind, f.typo, len(f.text)
		}
	}
	return LineUnknown, false, len(key)
}

// token returns the product token that a value starts with.
func token(value string) string {
	i := 0
	for i < len(value) && (isLetter(value[i]) || value[i] == '-' || value[i] == '_') {
		i++
	}
	return value[:i]
}

// byteClass is what a byte means wherever in a line it stands.
type byteClass uint8

const (
	lineEnd byteClass = 1 << iota
	textEnd           // the rest of the line is comment, or not read
	escapes           // may not stand in a pattern as it does in the value
)

var classes = func() (c [256]byteClass) {
	c['\n'], c['\r'] = lineEnd, lineEnd
	c[0], c['#'] = textEnd, textEnd
	c['%'] = escapes
	for i := 0x80; i < len(c); i++ {
		c[i] = escapes
	}
	return c
}()

// dropMark drops a byte order mark, or as much of one as there is.
func dropMark(s string) string {
	const mark = "\xEF\xBB\xBF"
	n := 0
	for n < len(mark) && n < len(s) && s[n] == mark[n] {
		n++
	}
	return s[n:]
}
