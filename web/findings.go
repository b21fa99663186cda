package web

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/whichrule/whichrule/internal/i18n"
	"github.com/whichrule/whichrule/internal/lint"
	"github.com/whichrule/whichrule/internal/robots"
	"github.com/whichrule/whichrule/internal/tester"
	"github.com/whichrule/whichrule/templates"
)

// What the preview of a fix shows: enough to see where it is, and what it does.
const (
	fixAround   = 3   // lines in front of it and behind, as between its changes
	fixMost     = 12  // lines that go, and that come
	fixCompared = 200 // lines that are compared
	fixChars    = 200 // characters of a line
)

// severities in the order of the page.
var severities = []lint.Severity{lint.Problem, lint.Warning, lint.Note}

// findings makes the view of what is worth a look.
func (p *page) findings() templates.FindingsView {
	var v templates.FindingsView
	if p.report == nil {
		v.Lead = p.words.T("findings.empty")
		return v
	}
	counts := map[lint.Severity]int{}
	var text []string // lines, made when the first fix is shown
	trials := map[int]tester.Trial{}
	for _, t := range p.report.Trials {
		trials[t.Finding] = t
	}
	for i := range p.report.Findings {
		f := &p.report.Findings[i]
		if p.beside(f) {
			continue
		}
		counts[f.Severity]++
		item := templates.FindingView{
			ID: "f" + strconv.Itoa(i+1), Severity: string(f.Severity), Word: p.words.T("findings.severity." + string(f.Severity)),
			Message: string(f.Message.In(p.words)), Source: f.Source,
		}
		if len(f.Lines) > 0 {
			item.Lines = p.words.Rich("findings.lines", "At", p.words.Lines(runsOf(f.Lines), f.LinesTotal), "N", f.LinesTotal)
		}
		if f.Effect != nil {
			item.More = append(item.More, string(f.Effect.In(p.words)))
		}
		if f.Example != nil && !told(f, f.Example.Path) {
			item.More = append(item.More, example(f.Example, p.words))
		}
		if len(f.Crawlers) > 0 && !told(f, f.Crawlers[0]) {
			item.More = append(item.More, p.words.Rich("findings.concerns", "Crawlers", listed(f.Crawlers, len(f.Crawlers), p.words)))
		}
		if f.Fix != nil {
			if text == nil {
				text = strings.Split(robots.TextareaForm(p.report.Source.Text), "\n")
			}
			item.Fix = &templates.FixView{Number: strconv.Itoa(i), Sentence: string(f.Fix.Sentence.In(p.words)), Lines: preview(f.Fix, text)}
			if t, ok := trials[i]; ok {
				item.Fix.After = after(t, p.words)
			}
		}
		v.Items = append(v.Items, item)
	}
	var parts []string
	for _, s := range severities {
		if counts[s] > 0 {
			parts = append(parts, p.words.T("findings.count."+string(s), "N", counts[s]))
		}
	}
	if p.report.Source.Simulated != "" {
		v.About = p.words.T("findings.pretended")
	}
	v.Bad = counts[lint.Problem] > 0
	if v.Lead = p.words.T("findings.none"); parts != nil {
		v.Lead = p.words.T("findings.lead", "Counts", strings.Join(parts, ", "))
	}
	return v
}

// beside says whether a finding is about verdicts other than those shown: those
// of the file, while an answer is pretended.
func (p *page) beside(f *lint.Finding) bool {
	return f.Kind == lint.ParsersDisagree && p.report.Source.Simulated != ""
}

// told says whether a finding's sentences name something.
func told(f *lint.Finding, what string) bool {
	args := f.Message.Args
	if f.Effect != nil {
		args = slices.Concat(args, f.Effect.Args)
	}
	return slices.ContainsFunc(args, func(a lint.Arg) bool { return strings.Contains(a.Code+a.Text, what) })
}

// flags marks the lines in which something was found, by the worst of it.
func (p *page) flags(lines int) []templates.Flag {
	at := map[int]int{} // finding by line
	for i := range p.report.Findings {
		if p.beside(&p.report.Findings[i]) {
			continue
		}
		for _, n := range p.report.Findings[i].Lines {
			if _, taken := at[n]; !taken && n <= lines {
				at[n] = i
			}
		}
	}
	var flags []templates.Flag
	last := 0
	for _, n := range slices.Sorted(maps.Keys(at)) {
		if n > last+1 {
			flags = append(flags, templates.Flag{Lines: n - last - 1})
		}
		f := &p.report.Findings[at[n]]
		word := p.words.T("findings.severity." + string(f.Severity))
		flags = append(flags, templates.Flag{
			Severity: string(f.Severity), Href: "#f" + strconv.Itoa(at[n]+1),
			Title: p.words.T("findings.flag", "Severity", word, "Message", i18n.Plain(string(f.Message.In(p.words)))),
		})
		last = n
	}
	return flags
}

// example words what a finding does to one path.
func example(e *lint.Example, w *i18n.Words) string {
	id := "findings.example.blocked"
	if e.Allowed {
		id = "findings.example.allowed"
	}
	if e.Crawler == "*" {
		id += ".star"
	}
	return w.Rich(id, "Crawler", e.Crawler, "URL", i18n.Code(clip(e.Path)))
}

// after words what a fix would change.
func after(t tester.Trial, w *i18n.Words) string {
	var parts []string
	for _, s := range t.Shifts {
		parts = append(parts, w.Rich("findings.after."+string(s.To), "Crawlers", listed(s.Crawlers, s.Total, w)))
	}
	if t.Flips > 0 {
		parts = append(parts, w.Rich("findings.after.flips", "N", t.Flips))
	}
	if parts == nil {
		return w.Rich("findings.after.nothing")
	}
	return w.Rich("findings.after", "What", i18n.Marked(strings.Join(parts, "; ")))
}

// preview gives the lines of a text around a fix, as they are and as they will
// be. What the fix leaves as it is in between stands there once.
func preview(f *lint.Fix, text []string) []templates.FixLine {
	start := min(f.Start-1, len(text)) // from 0
	end := min(start+f.Delete, len(text))
	from, to := max(start-fixAround, 0), min(end+fixAround, len(text))
	insert := f.Insert
	if end-start > fixCompared || len(insert) > fixCompared {
		end, insert = min(end, start+fixCompared), insert[:min(len(insert), fixCompared)]
		to = end
	}
	then := text[from:to]
	now := slices.Concat(text[from:start], insert, text[end:to])

	var out []templates.FixLine
	add := func(kind string, n int, line string) {
		if utf8.RuneCountInString(line) > fixChars {
			line = string([]rune(line)[:fixChars]) + "…"
		}
		out = append(out, templates.FixLine{Kind: kind, N: n, Text: line})
	}
	changed := map[string]int{} // lines, by kind
	for _, h := range tester.DiffText(lined(then), lined(now)).Hunks {
		if h.Before > 0 && len(out) > 0 {
			add(templates.DiffFold, 0, "…")
		}
		for _, l := range h.Lines {
			kind := templates.DiffSame
			switch {
			case l.Now == 0:
				kind = templates.DiffRemoved
			case l.Then == 0:
				kind = templates.DiffAdded
			}
			if changed[kind]++; kind != templates.DiffSame && changed[kind] > fixMost {
				continue
			}
			if l.Then == 0 {
				add(kind, 0, now[l.Now-1])
			} else {
				add(kind, from+l.Then, then[l.Then-1])
			}
		}
	}
	return out
}

// lined makes a text of lines.
func lined(lines []string) []byte {
	var b []byte
	for _, l := range lines {
		b = append(append(b, l...), '\n')
	}
	return b
}

// runsOf gives ascending numbers as runs of neighbours.
func runsOf(lines []int) [][2]int {
	var runs [][2]int
	for _, n := range lines {
		if last := len(runs) - 1; last >= 0 && runs[last][1]+1 == n {
			runs[last][1] = n
		} else {
			runs = append(runs, [2]int{n, n})
		}
	}
	return runs
}
