package robots

import (
	"strings"
	"unicode/utf8"
)

// TextareaForm returns a body as an HTML textarea that shows it sends it back,
// with line ends as LF: NUL, and what is not UTF-8, became U+FFFD, one for every
// longest beginning of a character, as browsers decode (WHATWG Encoding, "UTF-8
// decoder"; Unicode 3.9, "maximal subparts"). A byte order mark stays. Lines of
// the result have the numbers that Parse gives them.
func TextareaForm(b []byte) string {
	var out strings.Builder
	out.Grow(len(b))
	for i := 0; i < len(b); {
		c := b[i]
		switch {
		case c == '\r':
			out.WriteByte('\n')
			i++
			if i < len(b) && b[i] == '\n' {
				i++
			}
		case c == 0:
			out.WriteRune(utf8.RuneError)
			i++
		case c < utf8.RuneSelf:
			out.WriteByte(c)
			i++
		default:
			r, size := utf8.DecodeRune(b[i:])
			if r == utf8.RuneError && size == 1 {
				for i+size < len(b) && !utf8.FullRune(b[i:i+size+1]) {
					size++
				}
			}
			out.WriteRune(r)
			i += size
		}
	}
	return out.String()
}
