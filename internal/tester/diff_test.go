package tester

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// show writes the hunks of a diff, a line each: numbers then and now, and the
// text; "..2" for two lines left out.
func (d Diff) show() []string {
	var out []string
	for _, h := range d.Hunks {
		if h.Before > 0 {
			out = append(out, fmt.Sprintf("..%d", h.Before))
		}
		for _, l := range h.Lines {
			switch {
			case l.Now == 0:
				out = append(out, fmt.Sprintf("%d - %s", l.Then, l.Text))
			case l.Then == 0:
				out = append(out, fmt.Sprintf("%d + %s", l.Now, l.Text))
			default:
				out = append(out, fmt.Sprintf("%d %d %s", l.Then, l.Now, l.Text))
			}
		}
	}
	if d.After > 0 {
		out = append(out, fmt.Sprintf("..%d", d.After))
	}
	return out
}

func TestDiffText(t *testing.T) {
	for _, tt := range []struct {
		name           string
		then, now      string
		changed        bool
		removed, added int
		want           []string
	}{
		{"the same", "a\nb\n", "a\nb\n", false, 0, 0, nil},
		{"both empty", "", "", false, 0, 0, nil},
		{"nothing there before", "", "a\nb\n", true, 0, 2, []string{"1 + a", "2 + b"}},
		{"nothing there now", "a\nb", "", true, 2, 0, []string{"1 - a", "2 - b"}},
		{"a line is added", "a\nc\n", "a\nb\nc\n", true, 0, 1, []string{"1 1 a", "2 + b", "2 3 c"}},
		{"a line is removed", "a\nb\nc\n", "a\nc\n", true, 1, 0, []string{"1 1 a", "2 - b", "3 2 c"}},
		{"a line is replaced: what was goes first", "a\nb\nc\n", "a\nx\nc\n", true, 1, 1, []string{"1 1 a", "2 - b", "2 + x", "3 3 c"}},
		{"three lines around a change, the rest counted", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nx\n6\n7\n8\n9\n", true, 1, 1,
			[]string{"..1", "2 2 2", "3 3 3", "4 4 4", "5 - 5", "5 + x", "6 6 6", "7 7 7", "8 8 8", "..1"}},
		{"changes whose surroundings meet", "a\n1\n2\n3\n4\n5\n6\nb\n", "A\n1\n2\n3\n4\n5\n6\nB\n", true, 2, 2,
			[]string{"1 - a", "1 + A", "2 2 1", "3 3 2", "4 4 3", "5 5 4", "6 6 5", "7 7 6", "8 - b", "8 + B"}},
		{"changes that stand apart", "a\n1\n2\n3\n4\n5\n6\n7\nb\n", "A\nA\n1\n2\n3\n4\n5\n6\n7\nB\n", true, 2, 3,
			[]string{"1 - a", "1 + A", "2 + A", "2 3 1", "3 4 2", "4 5 3", "..1", "6 7 5", "7 8 6", "8 9 7", "9 - b", "10 + B"}},
		{"rules that every group repeats", "User-agent: a\n/1\n/2\n/3\nUser-agent: b\n/1\n/2\n/3\n", "User-agent: a\n/2\n/3\n/4\nUser-agent: b\n/2\n/3\n/4\n", true, 2, 2,
			[]string{"1 1 User-agent: a", "2 - /1", "3 2 /2", "4 3 /3", "4 + /4", "5 5 User-agent: b", "6 - /1", "7 6 /2", "8 7 /3", "8 + /4"}},

		{"line ends alone change no line", "a\r\nb\r\n", "a\nb\n", true, 0, 0, []string{"..2"}},
		{"nor does the last one", "a\nb", "a\nb\n", true, 0, 0, []string{"..2"}},
		{"CR ends lines, CR CR LF two", "a\rb\r\r\nc", "a\nb\n\nd", true, 1, 1, []string{"1 1 a", "2 2 b", "3 3 ", "4 - c", "4 + d"}},
		{"LF CR ends two", "a\n\rb", "a\n\nc", true, 1, 1, []string{"1 1 a", "2 2 ", "3 - b", "3 + c"}},
		{"a byte order mark is a change", "\ufeffa\n", "a\n", true, 1, 1, []string{"1 - \ufeffa", "1 + a"}},
		{"bytes that are no text differ though they look alike", "a\xff\n", "a\xfe\n", true, 1, 1, []string{"1 - a\ufffd", "1 + a\ufffd"}},
		{"NUL", "a\x00b", "a", true, 1, 1, []string{"1 - a\ufffdb", "1 + a"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := DiffText([]byte(tt.then), []byte(tt.now))
			if d.Changed != tt.changed || d.Removed != tt.removed || d.Added != tt.added || d.TooDifferent || d.Hidden != 0 {
				t.Errorf("got changed %t, %d removed, %d added, %+v; want %t, %d, %d", d.Changed, d.Removed, d.Added, d, tt.changed, tt.removed, tt.added)
			}
			if diff := cmp.Diff(tt.want, d.show()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Whatever the texts are, the lines of a diff that stand in one of them are
// that text, in order, with what was left out in between.
func TestDiffTextIsBothTexts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	ends := []string{"\n", "\r\n", "\r"}
	text := func() string {
		var b strings.Builder
		for range r.IntN(60) {
			fmt.Fprintf(&b, "/%d%s", r.IntN(8), ends[r.IntN(3)])
		}
		return b.String()
	}
	for range 2000 {
		then, now := text(), text()
		d := DiffText([]byte(then), []byte(now))
		if !d.Changed {
			continue
		}
		a, b := cutLines([]byte(then)), cutLines([]byte(now))
		i, j := 0, 0
		same := func(n int) {
			for range n {
				if string(a.at(i)) != string(b.at(j)) {
					t.Fatalf("%q and %q: lines %d and %d were left out and differ", then, now, i+1, j+1)
				}
				i, j = i+1, j+1
			}
		}
		for _, h := range d.Hunks {
			same(h.Before)
			for _, l := range h.Lines {
				if l.Then > 0 {
					if i++; l.Then != i || l.Text != string(a.at(i-1)) {
						t.Fatalf("%q and %q: got line %d %q; want line %d", then, now, l.Then, l.Text, i)
					}
				}
				if l.Now > 0 {
					if j++; l.Now != j || l.Text != string(b.at(j-1)) {
						t.Fatalf("%q and %q: got line %d %q now; want line %d", then, now, l.Now, l.Text, j)
					}
				}
			}
		}
		same(d.After)
		if i != a.len() || j != b.len() {
			t.Fatalf("%q and %q: got %d and %d lines; want %d and %d", then, now, i, j, a.len(), b.len())
		}
	}
}

// numbered makes a text of n short lines.
func numbered(n int, line func(i int) string) []byte {
	var b strings.Builder
	for i := range n {
		b.WriteString(line(i) + "\n")
	}
	return []byte(b.String())
}

// What two hostile texts cost is bounded, and so is what is shown of them.
func TestDiffTextBounds(t *testing.T) {
	mine := func(i int) string { return fmt.Sprintf("a%x", i) }
	yours := func(i int) string { return fmt.Sprintf("b%x", i) }
	short := func(i int) string { return string(rune('a' + i%26)) }
	oneOther := func(i int) string {
		if i == 250_000 {
			return "!"
		}
		return short(i)
	}
	long := strings.Repeat("x", MaxText-1)
	for _, tt := range []struct {
		name           string
		then, now      []byte
		removed, added int
		tooDifferent   bool
		shown, hidden  int
	}{
		{"half a million lines, all different", numbered(500_000, short), numbered(500_000, func(i int) string { return short(i + 1) }), 500_000, 500_000, true, 0, 0},
		{"as many, one of them different", numbered(500_000, short), numbered(500_000, oneOther), 1, 1, false, 2 + 2*diffContext, 0},
		{"one line more than is compared", numbered(maxDiffInput+1, mine), numbered(1, yours), maxDiffInput + 1, 1, true, 0, 0},
		{"as many as are compared", numbered(maxDiffInput, mine), numbered(maxDiffInput, yours), maxDiffInput, maxDiffInput, false, MaxDiffLines, 2*maxDiffInput - MaxDiffLines},
		{"a megabyte in one line", []byte("a" + long), []byte("b" + long), 1, 1, false, 2, 0},
		{"a megabyte of line ends", numbered(MaxText, func(int) string { return "" }), []byte("a"), MaxText, 1, true, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			start := time.Now()
			d := DiffText(tt.then, tt.now)
			if took := time.Since(start); took > 10*maxDiffTime {
				t.Errorf("took %v", took)
			}
			shown := 0
			for _, h := range d.Hunks {
				shown += len(h.Lines)
				for _, l := range h.Lines {
					if len(l.Text) > MaxDiffLine {
						t.Errorf("line %d/%d: got %d bytes of it", l.Then, l.Now, len(l.Text))
					}
				}
			}
			if d.Removed != tt.removed || d.Added != tt.added || d.TooDifferent != tt.tooDifferent || shown != tt.shown || d.Hidden != tt.hidden {
				t.Errorf("got %d removed, %d added, too different %t, %d shown, %d hidden; want %d, %d, %t, %d, %d",
					d.Removed, d.Added, d.TooDifferent, shown, d.Hidden, tt.removed, tt.added, tt.tooDifferent, tt.shown, tt.hidden)
			}
		})
	}
}

// A long line is cut between characters, and its whole size is told.
func TestDiffLineCut(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want DiffLine
	}{
		{strings.Repeat("a", MaxDiffLine), DiffLine{Text: strings.Repeat("a", MaxDiffLine), Size: MaxDiffLine}},
		{strings.Repeat("a", MaxDiffLine+1), DiffLine{Text: strings.Repeat("a", MaxDiffLine), Size: MaxDiffLine + 1}},
		{strings.Repeat("a", MaxDiffLine-1) + "€", DiffLine{Text: strings.Repeat("a", MaxDiffLine-1), Size: MaxDiffLine + 2}},
	} {
		if got := diffLine([]byte(tt.in), 0, 0); got != tt.want {
			t.Errorf("%d bytes: got %d of %d, %q at the end; want %d", len(tt.in), len(got.Text), got.Size, got.Text[len(got.Text)-3:], len(tt.want.Text))
		}
	}
}
