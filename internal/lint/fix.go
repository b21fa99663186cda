package lint

import (
	"bytes"
	"strings"
)

// Fix is a change of some neighbouring lines.
type Fix struct {
	Sentence Message  `json:"sentence"`   // what it does
	Start    int      `json:"start_line"` // from 1; one more than there are lines: at the end
	Delete   int      `json:"delete"`     // how many lines go, from Start on
	Insert   []string `json:"insert"`     // lines that stand in their place, without line ends
}

// Apply gives the text with the fix made. Lines are those that the engine counts. Line
// ends and all other bytes stay as they are; new lines end as their neighbours do.
func (f *Fix) Apply(text []byte) []byte {
	from := lineStart(text, 0, f.Start-1)
	to := lineStart(text, from, f.Delete)
	end := usualEnd(text, from)
	var b bytes.Buffer
	b.Write(text[:from])
	if len(f.Insert) > 0 {
		if from > 0 && lineEnd(text[:from]) == "" && from > mark(text) {
			b.WriteString(end)
		}
		b.WriteString(strings.Join(f.Insert, end))
		if f.Delete > 0 {
			end = lineEnd(text[from:to])
		}
		b.WriteString(end)
	}
	b.Write(text[to:])
	return b.Bytes()
}

// most gives by how many bytes the fix makes a text larger, or more.
func (f *Fix) most() int {
	n := len("\r\n") // in front of the first line
	for _, l := range f.Insert {
		n += len(l) + len("\r\n")
	}
	return n
}

// lineStart gives where the nth line behind a place starts, or the end of the text. A
// byte order mark belongs to no line.
func lineStart(text []byte, from, n int) int {
	if from == 0 {
		from = mark(text)
	}
	for ; n > 0 && from < len(text); n-- {
		i := bytes.IndexAny(text[from:], "\r\n")
		if i < 0 {
			return len(text)
		}
		from += i + 1
		if bytes.HasPrefix(text[from-1:], []byte("\r\n")) {
			from++
		}
	}
	return from
}

// mark gives the length of a byte order mark, or of as much of one as there is.
func mark(text []byte) int {
	const mark = "\xEF\xBB\xBF"
	n := 0
	for n < len(mark) && n < len(text) && text[n] == mark[n] {
		n++
	}
	return n
}

// lineEnd gives the line end that the text ends with, or "".
func lineEnd(text []byte) string {
	for _, end := range []string{"\r\n", "\n", "\r"} {
		if bytes.HasSuffix(text, []byte(end)) {
			return end
		}
	}
	return ""
}

// usualEnd gives the line end of the line in front of a place, or else the first of the
// text, or else LF.
func usualEnd(text []byte, at int) string {
	if end := lineEnd(text[:at]); end != "" {
		return end
	}
	switch i := bytes.IndexAny(text, "\r\n"); {
	case i < 0:
		return "\n"
	case bytes.HasPrefix(text[i:], []byte("\r\n")):
		return "\r\n"
	default:
		return string(text[i : i+1])
	}
}
