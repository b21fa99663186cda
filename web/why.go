package web

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/whichrule/whichrule/internal/access"
	"github.com/whichrule/whichrule/internal/crawlers"
	"github.com/whichrule/whichrule/internal/fetch"
	"github.com/whichrule/whichrule/internal/i18n"
	"github.com/whichrule/whichrule/internal/tester"
	"github.com/whichrule/whichrule/templates"
)

// why explains the open cell.
func (p *page) why() *templates.WhyView {
	r, cell := p.report, p.cell()
	row, col := cell.Row-1, cell.Col-1
	u, c, res := &r.URLs[row], &r.Crawlers[col], r.At(row, col)
	w := p.candidates()
	v := &templates.WhyView{Heading: r.Sentence(row, col, p.words), URL: urlParts(u, res, w), Copy: p.copied(row)}
	if u.Error != "" {
		return v
	}
	if !u.Covered {
		v.Offer = p.fetchOffer(u)
		v.Steps = []templates.StepView{{Title: p.words.T("why.scope.title"), Text: p.words.Rich("why.scope")}}
		return v
	}
	if u.Matched != u.URL && u.Path != u.URL {
		v.Typed = p.words.Rich("why.typed", "URL", i18n.Code(u.URL))
	}
	if u.MaybeHost {
		v.Typed = p.words.Rich("why.typed.host", "URL", i18n.Code(u.URL))
	}
	switch res.Reason {
	case tester.ReasonRobotsTxt:
		v.Steps = append(v.Steps, p.step("why.robots-txt", "https://www.rfc-editor.org/rfc/rfc9309.html#section-2.2.2"))
		return v
	case tester.ReasonAccessAllowAll, tester.ReasonAccessBlockAll, tester.ReasonUnknown:
		a := r.Access[col]
		s := templates.StepView{Title: p.words.T("why.access.title"), Text: p.words.Rich("access." + a.Reason)}
		if a.Source != "" {
			s.Notes = append(s.Notes, templates.NoteView{Text: p.words.Rich("why.said-by"), Source: a.Source})
		}
		switch o := r.Source.Fetch; {
		case r.Source.Simulated != "":
			s.Notes = append(s.Notes, templates.NoteView{Text: p.pretence()})
		case o == nil:
		case o.Kind == fetch.DNS:
			s.Notes = append(s.Notes, templates.NoteView{Text: p.words.Rich("facts.dns")})
		case a.Effect != access.Unknown:
			s.Notes = append(s.Notes, templates.NoteView{Text: p.words.Rich("facts.not-googlebot")})
		}
		v.Steps = append(v.Steps, s)
	case tester.ReasonNotControlled:
		v.Steps = append(v.Steps, p.notControlled(c, res))
	default:
		if r.Source.Simulated == tester.SimulatePage {
			a := r.Access[col]
			v.Steps = append(v.Steps, templates.StepView{Title: p.words.T("why.access.title"), Text: p.words.Rich("access." + a.Reason), Notes: []templates.NoteView{
				{Text: p.words.Rich("why.said-by"), Source: a.Source},
				{Text: p.pretence()},
			}})
		}
		v.Steps = append(v.Steps, p.groupStep(c, res), p.rulesStep(res, w))
	}
	if s := p.meaning(c, res); s.Text != "" {
		v.Steps = append(v.Steps, s)
	}
	return v
}

// step is a step with a fixed text and a source.
func (p *page) step(id, source string) templates.StepView {
	return templates.StepView{
		Title: p.words.T(id + ".title"), Text: p.words.Rich(id + ".text"),
		Notes: []templates.NoteView{{Text: p.words.Rich("why.said-by"), Source: source}},
	}
}

// groupStep says which group was chosen, and why.
func (p *page) groupStep(c *tester.Column, res *tester.Result) templates.StepView {
	name := c.Choice.Crawler.Token
	args := []any{
		"Crawler", i18n.Code(name),
		"Name", i18n.Code(c.Name),
		"At", p.lines(c.By, c.ByTotal),
		"Rules", p.lines(c.Rules, c.RulesTotal),
		"N", c.ByTotal,
	}
	id := "group." + string(res.How)
	switch {
	case res.How == tester.HowNone && name == "*":
		id += ".asked"
	case res.How == tester.HowNone && c.Choice.Crawler.Star:
		id += ".no-star"
	case res.How == tester.HowNone:
		id += ".not-read"
	case res.How == tester.HowStar && name == "*":
		id += ".asked"
	}
	if res.How != tester.HowNone {
		text := p.words.Rich(id, args...)
		if len(c.Rules) > 0 {
			text += " " + p.words.Rich("group.rules", append(args[:len(args):len(args)], "N", c.RulesTotal)...)
		} else {
			text += " " + p.words.Rich("group.no-rules")
		}
		s := templates.StepView{Title: p.words.T("why.group.title"), Text: text}
		if c.Glued > 0 {
			s.Notes = append(s.Notes, templates.NoteView{Text: p.words.Rich("group.glued", "Line", i18n.Line(c.Glued))})
		}
		if res.How != tester.HowStar && c.StarIgnored {
			s.Notes = append(s.Notes, templates.NoteView{Text: p.words.Rich("group.star-ignored", "At", p.lines(p.report.StarLines, p.report.StarTotal))})
		}
		if c.Loose {
			s.Notes = append(s.Notes, templates.NoteView{Text: p.words.Rich("group.loose", "Name", i18n.Code(c.Name))})
		}
		for _, warning := range c.Choice.Crawler.Warnings {
			s.Notes = append(s.Notes, templates.NoteView{Text: p.words.Rich("group.warning", "Crawler", i18n.Code(name), "Warning", warning), Source: c.Choice.Crawler.Documentation})
		}
		return s
	}
	return templates.StepView{Title: p.words.T("why.group.title"), Text: p.words.Rich(id, args...)}
}

// lines words runs of lines, total lines in all.
func (p *page) lines(runs []tester.Range, total int) i18n.Marked {
	out := make([][2]int, 0, len(runs))
	for _, r := range runs {
		out = append(out, [2]int{r.First, r.Last})
	}
	return p.words.Lines(out, total)
}

// rulesStep lists the rules that match, and says why one wins.
func (p *page) rulesStep(res *tester.Result, w *tester.Why) templates.StepView {
	s := templates.StepView{Title: p.words.T("why.rules.title"), Text: p.words.Rich("rules." + string(res.Reason))}
	if w == nil {
		if res.Line > 0 {
			s.More = p.words.Rich("rules.not-kept")
		}
		return s
	}
	if len(w.Candidates) == 1 && res.Reason == tester.ReasonLongestRule {
		s.Text = p.words.Rich("rules.only-one")
	}
	for _, c := range w.Candidates {
		v := templates.CandidateView{
			Rule:    c.Rule,
			Line:    c.Line,
			Wins:    c.Line == res.Line && (c.Outcome == "wins" || res.Reason == tester.ReasonEmptyRule),
			Outcome: p.words.Rich("candidate."+c.Outcome, "N", c.Length, "Line", i18n.Line(c.Line)),
		}
		s.Candidates = append(s.Candidates, v)
	}
	if more := w.Total - len(w.Candidates); more > 0 {
		s.More = p.words.Rich("rules.more", "N", more)
	}
	if slices.ContainsFunc(w.Candidates, func(c tester.Candidate) bool { return !isASCII(c.Rule) }) {
		s.Notes = append(s.Notes, templates.NoteView{Text: p.words.Rich("rules.encoded")})
	}
	if w.IndexHTML {
		s.Notes = append(s.Notes, templates.NoteView{Text: p.words.Rich("rules.index-html")})
	}
	if res.Line > 0 {
		s.Notes = append(s.Notes, p.forgiven(res.Line)...)
	}
	for _, o := range p.report.Others(p.cell()) {
		id := "others." + string(o.Verdict)
		if o.Line == 0 {
			id += ".no-line"
		}
		s.Notes = append(s.Notes, templates.NoteView{Text: p.words.Rich(id, "Parser", p.words.T("parser."+o.Dialect), "Line", i18n.Line(o.Line))})
	}
	return s
}

// forgiven says what Google forgives in the line that decides.
func (p *page) forgiven(n int) []templates.NoteView {
	l := p.report.Line(n)
	var notes []templates.NoteView
	add := func(is bool, id string) {
		if is {
			notes = append(notes, templates.NoteView{Text: p.words.Rich(id, "Line", i18n.Line(n), "Key", i18n.Code(l.Key))})
		}
	}
	add(l.Typo, "rules.typo")
	add(l.Longer && !l.Typo, "rules.longer")
	add(l.NoColon, "rules.no-colon")
	add(l.Cut, "rules.line-cut")
	add(n == p.report.CutLine, "rules.cut")
	return notes
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r > unicode.MaxASCII }) < 0
}

// notControlled says what the rules would say to a crawler that does not obey.
func (p *page) notControlled(c *tester.Column, res *tester.Result) templates.StepView {
	said := "why.obeys"
	if c.Choice.Crawler.Honours != "no" {
		said = "why.obeys.unknown"
	}
	s := templates.StepView{
		Title: p.words.T("why.obeys.title"),
		Text:  p.words.Rich(said, "Crawler", i18n.Code(c.Choice.Crawler.Token), "Operator", c.Choice.Crawler.Operator),
	}
	if res.Would != nil {
		id := "would." + string(res.Would.Verdict)
		if res.Would.Line == 0 {
			id += ".no-line"
		}
		s.Notes = append(s.Notes, templates.NoteView{Text: p.words.Rich(id, "Line", i18n.Line(res.Would.Line))})
	}
	return s
}

// meaning says what the verdict means for this crawler, from its operator's
// page where there is one.
func (p *page) meaning(c *tester.Column, res *tester.Result) templates.StepView {
	who := c.Choice.Crawler
	s := templates.StepView{Title: p.words.T("why.meaning.title")}
	source := templates.NoteView{Source: who.Documentation}
	if who.Documentation == "" && len(who.Sources) > 0 {
		source.Source = who.Sources[0]
	}
	switch {
	case res.Verdict == tester.NotTested, res.Reason == tester.ReasonAccessAllowAll, res.Reason == tester.ReasonAccessBlockAll:
		// What passes with a failure is nothing that a rule would do.
		return templates.StepView{}
	case who.Token == "*":
		s.Text = p.words.Rich("meaning.star")
		return s
	case !c.Choice.Known:
		s.Text = p.words.Rich("meaning.unknown."+string(res.Verdict), "Crawler", i18n.Code(who.Token))
		return s
	case res.Reason == tester.ReasonNotControlled, res.Verdict == tester.Blocked:
		s.Title = p.words.T("why.blocking.title")
		s.Text = p.words.Rich("meaning.blocking", "What", who.BlockingMeans)
	case who.Category == crawlers.ControlOnly:
		s.Text = p.words.Rich("meaning.allowed.control", "Crawler", i18n.Code(who.Token), "Operator", who.Operator)
	default:
		s.Text = p.words.Rich("meaning.allowed", "Crawler", i18n.Code(who.Token), "Operator", who.Operator, "Purpose", p.words.T("does."+string(who.Category)))
	}
	whose := "meaning.source"
	if !who.OperatorDocumented {
		whose = "meaning.source.other"
	}
	source.Text = p.words.Rich(whose, "Operator", who.Operator, "Seen", p.seen(who.SourceDate))
	if who.Honours != "yes" && res.Reason != tester.ReasonNotControlled {
		id := "honours." + who.Honours
		if who.Honours == "partly" && who.HonoursBasis != "operator-text" {
			id = "honours.partly.other"
		}
		s.Notes = append(s.Notes, templates.NoteView{Text: p.words.Rich(id, "Operator", who.Operator, "Crawler", i18n.Code(who.Token))})
	}
	s.Notes = append(s.Notes, source)
	return s
}

// dated finds the dates in the catalogue's notes on when a source was seen.
var dated = regexp.MustCompile(`\d{4}-\d{2}(-\d{2})?`)

// seen words when a source was seen last, from such a note: its latest date, or
// that the copy has none, and the day on which the catalogue was collected.
func (p *page) seen(note string) string {
	if dates := dated.FindAllString(note, -1); len(dates) > 0 {
		return p.words.T("meaning.seen", "Date", slices.Max(dates))
	}
	return p.words.T("meaning.seen.undated", "Date", p.Catalogue.Version())
}

// urlParts cuts the URL at what the winning rule's literal parts and its
// wildcards covered.
func urlParts(u *tester.Row, res *tester.Result, w *tester.Why) []templates.URLPart {
	shown := u.Matched
	if u.Error != "" || !u.Covered {
		shown = u.URL
	}
	if w == nil || len(w.Spans) == 0 || !u.Covered {
		return []templates.URLPart{{Text: shown}}
	}
	head := strings.TrimSuffix(shown, u.Path)
	parts := []templates.URLPart{{Text: head}}
	at := 0
	for _, s := range w.Spans {
		if s.Start > at {
			parts = append(parts, templates.URLPart{Text: u.Path[at:s.Start]})
		}
		if s.End > s.Start {
			mark := "literal"
			if s.Wildcard {
				mark = "wild"
			}
			parts = append(parts, templates.URLPart{Text: u.Path[s.Start:s.End], Mark: mark})
		}
		at = s.End
	}
	return append(parts, templates.URLPart{Text: u.Path[at:]})
}
