package robots

import (
	"iter"
	"strings"
)

// Line is a line as it is read, with what Google forgives in it. RFC 9309 §2.2 knows
// neither.
type Line struct {
	Start, End int    // where it stands in the body: from its first byte, behind a byte order mark, to its line end
	Key        string // as written, trimmed; "" where there is none
	Value      string // what stands behind the colon, trimmed, without a comment
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
	for i, l := range f.All() {
		if i == n {
			return l
		}
	}
	return Line{}
}

// All returns every line as Google reads it, with its number from 1.
func (f *File) All() iter.Seq2[int, Line] {
	return func(yield func(int, Line) bool) {
		text := f.text[:f.size]
		start := 0
		for n := 1; n <= len(f.kinds); n++ {
			stop, end, _ := scanLine(text, start)
			l := readLine(text, start, stop)
			l.Start, l.End = f.mark+start, f.mark+end
			if !yield(n, l) {
				return
			}
			start = end + 1
			if strings.HasPrefix(text[end:], "\r\n") {
				start++
			}
		}
	}
}

// readLine reads the line that starts at a place in the text and whose own text stops
// at another.
func readLine(text string, start, stop int) Line {
	l := Line{Cut: stop > start+maxLine}
	counted := min(stop, start+maxLine)
	kind, valueFrom, valueTo := split(text, start, counted)
	if kind == LineEmpty || kind == LineGarbage {
		return l
	}
	from, to := trim(text, start, counted)
	colon := strings.IndexByte(text[from:to], ':')
	if l.NoColon = colon < 0; l.NoColon {
		colon = strings.IndexAny(text[from:to], " \t")
	}
	from, to = trim(text, from, from+colon)
	l.Key, l.Value = text[from:to], text[valueFrom:valueTo]
	_, typo, size := readKey(l.Key)
	l.Typo, l.Longer = typo, size < len(l.Key)
	return l
}
