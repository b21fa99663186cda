package lint

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/whichrule/whichrule/internal/robots"
)

// encoding finds bytes that spoil lines although they hardly show: another encoding than
// UTF-8, invisible characters, NUL, and line ends that not everybody takes for one.
func encoding(in *input) []Finding {
	if in.looks().UTF16 {
		return []Finding{{Severity: Warning, Source: googleSpec, Message: Encoding.say("utf16")}}
	}
	var c collect
	for _, r := range in.records {
		raw := in.raw(r)
		text, _, _ := strings.Cut(raw, "#")
		if before, after, found := strings.Cut(text, "\x00"); found {
			if strings.Trim(after, " \t\x00") != "" && (keys[r.kind] != "" || keyAt(before)) {
				c.add("nul", r)
			}
			continue
		}
		switch {
		case r.End-r.Start > maxFixBytes || isASCII(text):
		case hasInvisible(text) && (keys[r.kind] != "" || keyAt(visible(text))):
			c.add("invisible", r)
		case keys[r.kind] == "":
		case !utf8.ValidString(text):
			c.add("invalid", r)
		case strings.Contains(text, "\ufffd"):
			c.add("lost", r)
		}
	}
	if r := in.records; in.looks().Mark && len(r) > 0 && r[0].n == 1 && r[0].kind == robots.LineUserAgent {
		c.add("mark", r[0])
	}
	for _, r := range in.carriages() {
		c.add("cr", r)
	}
	var out []Finding
	for _, word := range c.sorts {
		lines := c.lines[word]
		f := Finding{Severity: Warning, Lines: numbers(lines), Source: googleSpec}
		f.Message = Encoding.say(word, "N", len(lines), "Line", line(lines[0].n))
		switch word {
		case "mark", "cr":
			f.Severity, f.Source = Note, rfc9309Rules
		case "nul":
			f.Source = googleMatcher
		case "invisible":
			f.Source = googleMatcher
			f.Fix = in.rewrite(Encoding.say("fix", "N", len(lines)), lines, func(r record) []string {
				text, _, _ := strings.Cut(in.raw(r), "#")
				return []string{visible(text) + strings.Join(in.remark(r), "")}
			})
		}
		out = append(out, f)
	}
	return out
}

// invisible are characters that look like nothing, or like a blank, and are neither to
// a parser: it takes them for a part of the key or the path.
const invisible = "\u00a0\u00ad\u200b\u200c\u200d\u200e\u200f\u2028\u2029\u2060\u3000\ufeff"

// hasInvisible says whether a line holds such a character where it spoils what else is
// plain: among letters of another alphabet it may be one of them, or what is left of one
// after a wrong conversion.
func hasInvisible(line string) bool {
	if isASCII(line) || !strings.ContainsAny(line, invisible) {
		return false
	}
	key, value, _ := strings.Cut(line, ":")
	for _, s := range []string{key, value} {
		s = strings.Trim(s, " \t")
		if s != strings.Trim(s, invisible) || isASCII(visible(s)) && !isASCII(s) {
			return true
		}
	}
	return false
}

// visible puts a blank for what looks like one, and nothing for the rest.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\u00a0' || r == '\u3000':
			return ' '
		case strings.ContainsRune(invisible, r):
			return -1
		}
		return r
	}, s)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// keyAt says whether a line starts with a key that counts.
func keyAt(line string) bool {
	line = strings.ToLower(strings.TrimLeft(line[:min(len(line), 100)], " \t"))
	for _, k := range keys {
		if strings.HasPrefix(line, strings.ToLower(k)) {
			return true
		}
	}
	return false
}

// carriages gives the lines that are lines only to those who take a CR alone for a line
// end, as RFC 9309 §2.2 does.
func (in *input) carriages() []record {
	if !bytes.Contains(in.Text, []byte("\r")) {
		return nil
	}
	var out []record
	for i, r := range in.records {
		if i == 0 || keys[r.kind] == "" {
			continue
		}
		if between := in.Text[in.records[i-1].End:r.Start]; bytes.IndexByte(between, '\n') < 0 {
			out = append(out, r)
		}
	}
	return out
}
