package tester

import (
	"bytes"
	"time"
	"unicode/utf8"

	"github.com/sergi/go-diff/diffmatchpatch"

	"github.com/whichrule/whichrule/internal/robots"
)

// Bounds on the comparison of two texts, which are both hostile.
const (
	// maxDiffInput is the most lines of one text that are compared one by one,
	// without those that both texts begin and end with: more than the 16,000
	// lines of the largest files in use. Beyond it only their number is told.
	// Twice as many different lines have numbers below U+D800, the first that
	// is no character.
	maxDiffInput = 20_000
	// maxDiffTime bounds the search for the shortest way from one text to the
	// other; beyond it a longer one serves. Twenty thousand lines with three
	// thousand changes take less.
	maxDiffTime = 250 * time.Millisecond
	// MaxDiffLines is the most lines of a Diff, what surrounds the changes
	// included: a page that a person still reads.
	MaxDiffLines = 1000
	// MaxDiffLine is the longest text of one line, in bytes.
	MaxDiffLine = 400
	// diffContext is how many lines around a change are kept.
	diffContext = 3
)

// Diff is what changed from one text to another, line by line.
type Diff struct {
	Changed bool // by as little as a byte; line ends alone change no line
	// Removed and Added count lines. With TooDifferent they are an upper bound.
	Removed, Added int
	// TooDifferent is set for texts whose lines were not compared one by one.
	TooDifferent bool
	Hunks        []Hunk
	After        int // lines in both texts behind the last hunk
	Hidden       int // changed lines that no hunk has: there were too many
}

// Hunk is a stretch of changed lines with a few around it.
type Hunk struct {
	Before int // lines in both texts that are left out before it
	Lines  []DiffLine
}

// DiffLine is a line of either text or of both. Then and Now are its numbers,
// those that robots.Parse gives it; 0 where a text does not have it.
type DiffLine struct {
	Then, Now int
	Text      string // as a textarea shows it, cut at MaxDiffLine
	Size      int    // of the whole line in bytes
}

// edit replaces lines of one text by lines of another, all from 0, the ends
// not included.
type edit struct{ a0, a1, b0, b1 int }

// DiffText compares two texts.
func DiffText(then, now []byte) Diff {
	d := Diff{Changed: !bytes.Equal(then, now)}
	if !d.Changed {
		return d
	}
	a, b := cutLines(then), cutLines(now)
	first, last := 0, 0
	for first < min(a.len(), b.len()) && bytes.Equal(a.at(first), b.at(first)) {
		first++
	}
	for last < min(a.len(), b.len())-first && bytes.Equal(a.at(a.len()-1-last), b.at(b.len()-1-last)) {
		last++
	}
	removed, added := a.len()-first-last, b.len()-first-last
	if max(removed, added) > maxDiffInput {
		d.Removed, d.Added, d.TooDifferent = removed, added, true
		return d
	}
	edits := compareLines(a, b, edit{first, first + removed, first, first + added})
	for _, e := range edits {
		d.Removed += e.a1 - e.a0
		d.Added += e.b1 - e.b0
	}
	d.cut(a, b, edits)
	return d
}

// compareLines gives the edits that lead from one text to the other within a
// part of them, in order, with lines between any two.
func compareLines(a, b textLines, part edit) []edit {
	numbers := map[string]rune{}
	number := func(l textLines, from, to int) []rune {
		out := make([]rune, 0, to-from)
		for i := from; i < to; i++ {
			n, ok := numbers[string(l.at(i))]
			if !ok {
				n = rune(len(numbers) + 1)
				numbers[string(l.at(i))] = n
			}
			out = append(out, n)
		}
		return out
	}
	search := diffmatchpatch.New()
	search.DiffTimeout = maxDiffTime
	var edits []edit
	i, j, open := part.a0, part.b0, false
	for _, s := range search.DiffMainRunes(number(a, part.a0, part.a1), number(b, part.b0, part.b1), false) {
		n := utf8.RuneCountInString(s.Text)
		if s.Type == diffmatchpatch.DiffEqual {
			i, j, open = i+n, j+n, false
			continue
		}
		if !open {
			edits, open = append(edits, edit{i, i, j, j}), true
		}
		e := &edits[len(edits)-1]
		if s.Type == diffmatchpatch.DiffDelete {
			i += n
			e.a1 = i
			continue
		}
		j += n
		e.b1 = j
	}
	return edits
}

// cut makes the hunks of edits. Changes so near each other that what surrounds
// them meets share one.
func (d *Diff) cut(a, b textLines, edits []edit) {
	room := MaxDiffLines
	var h Hunk
	add := func(l textLines, i, then, now int) {
		switch {
		case room > 0:
			room--
			h.Lines = append(h.Lines, diffLine(l.at(i), then, now))
		case then == 0 || now == 0:
			d.Hidden++
		}
	}
	done := 0 // lines of a that a hunk has or that are left out
	for i, e := range edits {
		if from := e.a0 - diffContext; i == 0 || from > done {
			h = Hunk{Before: max(from-done, 0)}
			done += h.Before
		}
		for ; done < e.a0; done++ {
			add(a, done, done+1, done+1+e.b0-e.a0)
		}
		for ; done < e.a1; done++ {
			add(a, done, done+1, 0)
		}
		for n := e.b0; n < e.b1; n++ {
			add(b, n, 0, n+1)
		}
		next := a.len()
		if i+1 < len(edits) {
			next = edits[i+1].a0
		}
		for ; done < min(e.a1+diffContext, next); done++ {
			add(a, done, done+1, done+1+e.b1-e.a1)
		}
		if len(h.Lines) > 0 && (i+1 == len(edits) || next-diffContext > done) {
			d.Hunks = append(d.Hunks, h)
			h = Hunk{}
		}
	}
	d.After = a.len() - done
}

func diffLine(text []byte, then, now int) DiffLine {
	end := min(len(text), MaxDiffLine)
	for end < len(text) && end > MaxDiffLine-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return DiffLine{Then: then, Now: now, Text: robots.TextareaForm(text[:end]), Size: len(text)}
}

// textLines is a text and where its lines end, their line ends left out: LF, CR
// or both, as robots.Parse reads them.
type textLines struct {
	text []byte
	ends []int32 // behind the line end
}

func cutLines(text []byte) textLines {
	l := textLines{text: text, ends: make([]int32, 0, bytes.Count(text, []byte{'\n'})+1)}
	for i, c := range text {
		if c == '\n' || c == '\r' && (i+1 == len(text) || text[i+1] != '\n') {
			l.ends = append(l.ends, int32(i+1))
		}
	}
	if n := len(l.ends); len(text) > 0 && (n == 0 || int(l.ends[n-1]) < len(text)) {
		l.ends = append(l.ends, int32(len(text)))
	}
	return l
}

func (l textLines) len() int { return len(l.ends) }

// at gives a line, from 0.
func (l textLines) at(i int) []byte {
	start := 0
	if i > 0 {
		start = int(l.ends[i-1])
	}
	line := l.text[start:l.ends[i]]
	if n := len(line); n > 0 && line[n-1] == '\n' {
		line = line[:n-1]
	}
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line
}
