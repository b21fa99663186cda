package robots

import "strings"

// Line is a line as it is read, with what Google forgives in it. RFC 9309 §2.2 knows
// neither.
type Line struct {
	Key string // as written, trimmed; "" where there is none
	// Typo says that the key is one of the misspellings that Google accepts.
	Typo bool
	// Longer says that the key goes on behind what makes it one, as "Disallowed" does.
	Longer bool
	// NoColon says that a blank took the place of the colon.
	NoColon bool
	// Cut says that the line has more than the 16,663 bytes that count.
	Cut bool
}

// Line returns a line, numbered from 1, as Google reads it; the zero Line where there
// is none. It takes time linear in the text in front of it.
func (f *File) Line(n int) Line {
	if n < 1 || n > len(f.kinds) {
		return Line{}
	}
	text := f.text[:f.size]
	start, stop, end := 0, 0, 0
	for ; ; n-- {
		stop, end, _ = scanLine(text, start)
		if n == 1 {
			break
		}
		start = end + 1
		if strings.HasPrefix(text[end:], "\r\n") {
			start++
		}
	}
	l := Line{Cut: stop > start+maxLine}
	counted := min(stop, start+maxLine)
	if kind, _, _ := split(text, start, counted); kind == LineEmpty || kind == LineGarbage {
		return l
	}
	from, to := trim(text, start, counted)
	colon := strings.IndexByte(text[from:to], ':')
	if l.NoColon = colon < 0; l.NoColon {
		colon = strings.IndexAny(text[from:to], " \t")
	}
	from, to = trim(text, from, from+colon)
	l.Key = text[from:to]
	_, typo, size := readKey(l.Key)
	l.Typo, l.Longer = typo, size < len(l.Key)
	return l
}
