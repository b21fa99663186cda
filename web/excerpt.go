package web

import (
	"strconv"
	"strings"

	"github.com/whichrule/whichrule/internal/tester"
	"github.com/whichrule/whichrule/templates"
)

const (
	// foldAbove is the longest file that is never folded, in lines: it fits on
	// a sheet of paper beside its result.
	foldAbove = 40
	// foldAround is how many lines stay on both sides of a marked one.
	foldAround = 2
	// foldLeast is the shortest stretch worth a fold, in lines.
	foldLeast = 5
	// foldStart is how much stays of a file in which nothing is marked, in lines.
	foldStart = 10
	// maxPlainLine bounds the text of a line that is not marked, in bytes.
	maxPlainLine = 300
)

// excerpt gives the lines of a text that are marked, with some around them;
// what is left out between them is a fold. The rules of the chosen group that
// do not match are left out as well: a group can be as long as the file.
func (p *page) excerpt(v *templates.EditorView) []templates.ExcerptLine {
	near := p.near(v)
	var out []templates.ExcerptLine
	n, run, left := 0, -1, 0
	for text := range strings.Lines(v.Text + "\n") {
		if n++; n > v.Lines {
			break
		}
		first := left == 0
		if first {
			run++
			left = v.Runs[run].Lines
		}
		left--
		kind := v.Runs[run].Kind
		if !near[n] {
			out = leaveOut(out, n, kind)
			continue
		}
		l := templates.ExcerptLine{Number: n, Kind: kind, Text: strings.TrimSuffix(text, "\n")}
		if first {
			l.Label = v.Runs[run].Label
		}
		most := maxPlainLine
		if kind == templates.RunWins || kind == templates.RunLost {
			most = maxUnderline
		}
		if len(l.Text) > most {
			l.Text = strings.ToValidUTF8(l.Text[:most], "") + " …"
		}
		out = append(out, l)
	}
	for i := range out {
		l, lines := &out[i], 0
		for _, r := range l.Runs {
			lines += r.Lines
		}
		if lines > 0 {
			l.Folded = p.words.T("excerpt.folded", "N", lines)
			l.Href = p.lineAddress(true) + "#L" + strconv.Itoa(l.Number)
		}
	}
	return out
}

// leaveOut adds a line to the fold at the end, or begins one.
func leaveOut(out []templates.ExcerptLine, n int, kind string) []templates.ExcerptLine {
	end := len(out) - 1
	if end < 0 || out[end].Runs == nil {
		return append(out, templates.ExcerptLine{Number: n, Runs: []templates.Run{{Kind: kind, Lines: 1}}})
	}
	runs := out[end].Runs
	if last := len(runs) - 1; runs[last].Kind == kind {
		runs[last].Lines++
	} else {
		out[end].Runs = append(runs, templates.Run{Kind: kind, Lines: 1})
	}
	return out
}

// near says which lines an excerpt shows, by their number.
func (p *page) near(v *templates.EditorView) []bool {
	near := make([]bool, v.Lines+2)
	show := func(from, to int) {
		for n := max(from, 1); n <= min(to, v.Lines); n++ {
			near[n] = true
		}
	}
	if v.Lines <= foldAbove {
		show(1, v.Lines)
		return near
	}
	n, agents, marked := 1, 0, false
	for _, r := range v.Runs {
		lines := 0 // of this run that stay
		switch {
		case r.Kind == templates.RunWins, r.Kind == templates.RunLost, r.Label != "":
			lines = 1
		case r.Kind == templates.RunAgent:
			lines = min(r.Lines, tester.MaxGroupLines-agents)
			agents += lines
		}
		if lines > 0 {
			show(n-foldAround, n+lines-1+foldAround)
			marked = true
		}
		n += r.Lines
	}
	if !marked {
		show(1, foldStart)
	}
	// A short stretch is not worth a fold.
	since := 0
	for n := 1; n <= v.Lines+1; n++ {
		if n <= v.Lines && !near[n] {
			continue
		}
		if n-since-1 < foldLeast {
			show(since+1, n-1)
		}
		since = n
	}
	return near
}

// lineAddress gives the address of a share with the open cell, and with all
// lines of its file or without those that are folded.
func (p *page) lineAddress(all bool) string {
	to := "/r/" + p.shared
	if all {
		to = with(to, "fold", "0")
	}
	if p.form.cell.Row > 0 {
		to = with(to, "cell", cellValue(p.form.cell))
	}
	if p.form.page > 0 {
		to = with(to, "page", strconv.Itoa(p.form.page))
	}
	return to
}
