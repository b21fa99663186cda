// Package lint finds what is worth a look in a robots.txt, with the right severity
// and, where there is one, a fix.
//
// Run holds every kind of finding against one file. A kind is one function in a file
// of its own, with its cases in testdata: true ones, and near misses about which it
// must be silent. The table in checks.go says which severities a kind can have, and
// why.
//
// A finding that cries wolf costs more than one that is missing: it makes people skip
// the rest. So whatever is said of verdicts is asked of the engine, never guessed, and
// where a line may well be meant as it stands, a kind is silent or says Note.
//
// Cost: linear in the file. Kinds share what they look at (input), and none compares
// all pairs of anything.
package lint

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"github.com/whichrule/whichrule/internal/crawlers"
	"github.com/whichrule/whichrule/internal/fetch"
	"github.com/whichrule/whichrule/internal/i18n"
	"github.com/whichrule/whichrule/internal/robots"
)

const (
	// MaxLines bounds the line numbers that one finding lists: more than a person
	// follows.
	MaxLines = 50

	// MaxFindings bounds the findings of one file, and those of one kind: a page of
	// more is read by nobody. Problems are kept first.
	MaxFindings = 100

	// MaxPaths bounds the tested paths that kinds look at, the first ones: each is
	// held against the groups of the file.
	MaxPaths = 100
)

// Severity is how much a finding matters.
type Severity string

// The severities, the worst one first.
const (
	Problem Severity = "problem" // it changes what crawlers do, and hardly as meant
	Warning Severity = "warning" // probably not what was meant
	Note    Severity = "note"    // good to know; the file may well be meant so
)

// rank orders severities, the worst one first.
func (s Severity) rank() int {
	switch s {
	case Problem:
		return 0
	case Warning:
		return 1
	}
	return 2
}

// Finding is one thing worth a look.
type Finding struct {
	Kind       Kind     `json:"kind"`
	Severity   Severity `json:"severity"`
	Lines      []int    `json:"lines"`       // ascending, at most MaxLines; none when it is about the whole file or the fetch
	LinesTotal int      `json:"lines_total"` // how many there are
	Message    Message  `json:"message"`     // what there is to see, in one sentence
	Effect     *Message `json:"effect"`      // what it does for whom; nil when the sentence says it
	Crawlers   []string `json:"crawlers"`    // whom it concerns, in catalogue spelling; none: all
	Example    *Example `json:"example"`     // nil: none
	Fix        *Fix     `json:"fix"`         // nil: none
	Source     string   `json:"source"`      // the page that says so; "" where the file itself is all there is
}

// Example is a path with the verdict of the file as it stands.
type Example struct {
	Path    string `json:"path"`
	Crawler string `json:"crawler"` // in catalogue spelling, or *
	Allowed bool   `json:"allowed"`
}

// Message is a sentence by its id, with the values it holds. It is kept without
// words, so that every reader gets it in a language of theirs.
type Message struct {
	ID   string `json:"id"`
	Args []Arg  `json:"args,omitempty"`
}

// Arg is one value of a message. Exactly one of the others than Name is set, and N
// when they are all zero; an N of the name "N" chooses the plural form.
type Arg struct {
	Name string `json:"name"`
	Code string `json:"code,omitempty"` // shown as code
	Text string `json:"text,omitempty"`
	Line int    `json:"line,omitempty"` // a line number
	N    int    `json:"n,omitempty"`
}

// In words the message.
func (m Message) In(w *i18n.Words) i18n.Marked {
	args := make([]any, 0, 2*len(m.Args))
	for _, a := range m.Args {
		switch {
		case a.Code != "":
			args = append(args, a.Name, i18n.Code(a.Code))
		case a.Text != "":
			args = append(args, a.Name, a.Text)
		case a.Line != 0:
			args = append(args, a.Name, i18n.Line(a.Line))
		default:
			args = append(args, a.Name, a.N)
		}
	}
	return i18n.Marked(w.Rich(m.ID, args...))
}

// Input is what there is to look at.
type Input struct {
	Text      []byte              // the whole text, also beyond what counts
	File      *robots.File        // Text in the dialect Google, cut at robots.GoogleLimit
	Catalogue *crawlers.Catalogue // who is who
	Paths     []string            // tested paths that the file covers, normalised; the first MaxPaths count
	Crawlers  []crawlers.Choice   // tested
	Site      *fetch.Origin       // whose file it is; nil: nobody said
	Outcome   *fetch.Outcome      // nil: pasted
}

// Run gives everything worth a look, by severity, then by line, at most MaxFindings.
func Run(in Input) []Finding {
	shared := newInput(in)
	var all []Finding
	for _, c := range checks {
		for _, f := range c.find(shared) {
			f.Kind = c.kind
			if f.LinesTotal == 0 {
				f.LinesTotal = len(f.Lines)
			}
			f.Lines = f.Lines[:min(len(f.Lines), MaxLines)]
			f.keepText()
			if f.Fix != nil && !in.holds(f.Fix) {
				f.Fix = nil
			}
			all = append(all, f)
		}
	}
	slices.SortStableFunc(all, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Severity.rank(), b.Severity.rank()), cmp.Compare(a.first(), b.first()))
	})
	return slices.Clip(all[:min(len(all), MaxFindings)])
}

// holds says whether all that counts does so after a fix too, and nothing more: beyond
// robots.GoogleLimit nothing does, so a line more or less there moves the cut.
func (in *Input) holds(fix *Fix) bool {
	return in.File.CutLine() == 0 && len(in.Text)+fix.most() <= robots.GoogleLimit
}

// keepText leaves out what would not survive as JSON: bytes outside UTF-8.
func (f *Finding) keepText() {
	for i, c := range f.Crawlers {
		f.Crawlers[i] = shorten(c)
	}
	if e := f.Example; e != nil && e.Crawler != shorten(e.Crawler) {
		f.Example = nil
	}
	if f.Fix != nil && slices.ContainsFunc(f.Fix.Insert, func(l string) bool { return !utf8.ValidString(l) }) {
		f.Fix = nil
	}
}

// first is the first line, 0 for the whole file.
func (f *Finding) first() int {
	if len(f.Lines) == 0 {
		return 0
	}
	return f.Lines[0]
}
