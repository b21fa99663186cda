package robots

import "strings"

// Dialect is a way to read a file. Crawlers do not agree on one.
type Dialect uint8

const (
	// Google reads as Google's published matcher does, byte for byte.
	Google Dialect = iota
	// RFC9309 keeps to the letter of RFC 9309: no key with a typo, no missing
	// colon; a rule starts with "/" or "*" and holds no blanks; a product token
	// is letters, digits, "-" and "_" and nothing else. What is outside the
	// grammar (§2.2) is no line of that kind, so that a rule it spoils does not
	// end a run of User-agent lines. Rules and paths are compared in one form
	// (§2.2.2): escapes of unreserved characters are decoded, and "%2A" and "%24"
	// of a rule stand for "*" and "$" of a path (§2.2.3). /robots.txt is always
	// allowed.
	RFC9309
	// FirstMatch reads as many old scripts do: the first rule of the group that
	// the path starts with decides, "*" and "$" are ordinary characters. A group
	// speaks to a crawler when its User-agent value is part of the crawler's name,
	// in any case; of several the first one does, and "*" when none does. A
	// Crawl-delay or Sitemap line ends a run of User-agent lines too.
	FirstMatch
)

// readStrict returns what the line text[from:to] is in a dialect other than
// Google, where its value stands, and whether it ends a run of User-agent lines
// although it is no rule.
func (d Dialect) readStrict(text string, from, to int) (kind LineKind, start, end int, ends bool) {
	from, to = trimGaps(text, from, to)
	if from == to {
		return LineEmpty, to, to, false
	}
	colon := strings.IndexByte(text[from:to], ':')
	if colon < 0 {
		return LineGarbage, to, to, false
	}
	keyFrom, keyTo := trimGaps(text, from, from+colon)
	start, end = trimGaps(text, from+colon+1, to)
	key, value := text[keyFrom:keyTo], text[start:end]
	switch {
	case key == "":
		kind = LineGarbage
	case equalFold(key, "user-agent"):
		kind = LineUserAgent
		if d == RFC9309 && value != "*" && !isIdentifier(value) {
			kind = LineGarbage
		}
	case equalFold(key, "allow"), equalFold(key, "disallow"):
		kind = LineAllow
		if len(key) > len("allow") {
			kind = LineDisallow
		}
		if d == RFC9309 && !isPattern(value) {
			kind = LineGarbage
		}
	case equalFold(key, "sitemap"):
		kind, ends = LineSitemap, d == FirstMatch
	default:
		kind, ends = LineUnknown, d == FirstMatch && equalFold(key, "crawl-delay")
	}
	return kind, start, end, ends
}

// trimGaps trims the blanks of RFC 9309's grammar, which are fewer than Google's.
func trimGaps(s string, from, to int) (int, int) {
	for from < to && (s[from] == ' ' || s[from] == '\t') {
		from++
	}
	for from < to && (s[to-1] == ' ' || s[to-1] == '\t') {
		to--
	}
	return from, to
}

// isIdentifier reports whether a value is a product token (RFC 9309 §2.2.1). Digits,
// which the grammar leaves out, are let in: MJ12bot is one of many.
func isIdentifier(value string) bool {
	for i := range len(value) {
		if c := value[i]; !isLetter(c) && c != '-' && c != '_' && (c < '0' || '9' < c) {
			return false
		}
	}
	return value != ""
}

// isPattern reports whether a value is a path pattern (RFC 9309 §2.2), empty or
// without blanks and control characters. One that starts with "*" is, as in the RFC's
// own example 5.1, though its grammar wants a "/".
func isPattern(value string) bool {
	for i := range len(value) {
		if value[i] <= ' ' || value[i] == 0x7F {
			return false
		}
	}
	return value == "" || value[0] == '/' || value[0] == '*'
}

// appendPattern appends a rule's value in the form in which the dialect compares it.
func (d Dialect) appendPattern(out []byte, value string) []byte {
	if d != RFC9309 {
		return appendEscaped(out, value, false)
	}
	text, anchored := cutAnchor(value)
	out = appendCanonical(out, text, "$")
	if anchored {
		out = append(out, '$')
	}
	return out
}

// path returns a path in the form in which the dialect compares it.
func (d Dialect) path(path string) string {
	if d != RFC9309 {
		return path
	}
	return string(appendCanonical(make([]byte, 0, len(path)+8), path, "*$"))
}

// appendCanonical appends s in the one form of RFC 9309 §2.2.2: bytes outside ASCII
// encoded, escapes of unreserved characters (RFC 3986 §2.3) decoded, others in upper
// case. The characters of encode are encoded too.
func appendCanonical(out []byte, s, encode string) []byte {
	const digits = "0123456789ABCDEF"
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case isEscape(s[i:]):
			if c = fromHex(s[i+1])<<4 | fromHex(s[i+2]); isUnreserved(c) {
				out = append(out, c)
			} else {
				out = append(out, '%', upperHex(s[i+1]), upperHex(s[i+2]))
			}
			i += 2
		case c >= 0x80 || strings.IndexByte(encode, c) >= 0:
			out = append(out, '%', digits[c>>4], digits[c&15])
		default:
			out = append(out, c)
		}
	}
	return out
}

func isUnreserved(c byte) bool {
	return isLetter(c) || '0' <= c && c <= '9' || c == '-' || c == '.' || c == '_' || c == '~'
}

// fromHex returns the value of a hex digit.
func fromHex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}

// implicit reports whether the dialect allows a path whatever the rules say: RFC
// 9309 §2.2.2 says so of the file itself.
func (d Dialect) implicit(path string) bool {
	rest, ok := strings.CutPrefix(path, "/robots.txt")
	return d == RFC9309 && ok && (rest == "" || rest[0] == '?')
}

// find returns the index of the name that a User-agent line speaks to, or -1.
func (d Dialect) find(a *Agent, line AgentLine) int {
	switch d {
	case RFC9309:
		for i, name := range a.Names {
			if equalFold(line.Value, name) {
				return i
			}
		}
		return -1
	case FirstMatch:
		if len(a.Names) > 0 && line.Value != "" && containsFold(a.Names[0], line.Value) {
			return 0
		}
		return -1
	}
	return a.Find(line)
}

func containsFold(s, part string) bool {
	for i := 0; i+len(part) <= len(s); i++ {
		if hasPrefixFold(s[i:], part) {
			return true
		}
	}
	return false
}
