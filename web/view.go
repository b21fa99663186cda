package web

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/whichrule/whichrule/internal/crawlers"
	"github.com/whichrule/whichrule/internal/fetch"
	"github.com/whichrule/whichrule/internal/i18n"
	"github.com/whichrule/whichrule/internal/robots"
	"github.com/whichrule/whichrule/internal/tester"
	"github.com/whichrule/whichrule/templates"
)

// page makes the view models of one answer.
type page struct {
	*Site
	words   *i18n.Words
	form    form
	report  *tester.Report // nil with a problem
	problem *problem
	shared  string // id of the share that is shown, "" for the tester
	part    bool   // a fragment is asked for, by a script

	pages     paging // see paging
	explained bool   // open was looked for: see candidates
	open      *tester.Why
}

// view makes the tester's view model.
func (p *page) view() templates.TesterView {
	f := p.form
	v := templates.TesterView{
		Site:   f.site,
		URLs:   f.urls,
		Nonce:  random(nonceLength),
		Stored: p.stored(),
		Errors: map[string]string{},
	}
	if p.example() {
		v.Example = exampleURLs
	}
	v.Title = p.words.T("tester.page-title")
	if p.report != nil && p.report.Source.Fetched() {
		v.Title = p.words.T("tester.site-title", "Site", p.report.Source.Site.Host)
	}
	if p.report != nil {
		v.Title = p.pretending(v.Title)
	}
	if p.report != nil && strings.TrimSpace(f.urls) == "" {
		v.URLs, v.NewURLs = strings.Join(p.report.Typed(), "\n"), true
	}
	if p.report != nil {
		v.Printed.Heading, v.Printed.Text = p.shareTitle()
	}
	v.Chips, v.Picker, v.Other = p.choices()
	v.Presets = p.presetViews(v.Chips)
	v.Editor = p.editor()
	v.Facts, v.Simulate = p.facts(v.Editor.Lines), p.simulate()
	v.Result = p.result()
	v.Findings = p.findings()
	v.Overview = p.overview()
	if p.report != nil && p.report.Fixed != nil && !p.part {
		v.Notice = &templates.NoticeView{Text: p.words.Rich("findings.fixed.what", "What", p.report.Fixed.In(p.words))}
	}
	if p.problem != nil {
		sentence := p.problem.sentence(p.words)
		if p.problem.Field != "" {
			v.Errors[p.problem.Field] = sentence
			v.Editor.Invalid = p.problem.Field == "robots"
			v.Result.Error = p.words.Rich("result.not-tested")
		} else {
			v.Notice = &templates.NoticeView{Text: sentence, Bad: true}
			v.Result.Error = p.words.Rich("result.failed")
		}
		v.Result.Summary = i18n.Plain(sentence)
	}
	return v
}

// example says whether the page shows the example, as it is.
func (p *page) example() bool {
	return p.form.robots == exampleText && p.form.site == "" && (p.report == nil || p.report.Fixed == nil)
}

// stored words what sharing keeps.
func (p *page) stored() string {
	if p.Lasting {
		return p.words.Rich("share.stored")
	}
	return p.words.Rich("share.stored.memory")
}

// newText says whether the page's editor has to take over the report's text,
// since it is not the one that was sent.
func (p *page) newText() bool {
	return p.report != nil && p.form.taken || p.report != nil && robots.TextareaForm(p.report.Source.Text) != robots.TextareaForm([]byte(p.form.robots))
}

// choices gives the crawlers on the card, the rest of the catalogue, and what
// stands in the field for other names: typed names that are too many or too
// long for the card, so that nothing typed is lost.
func (p *page) choices() ([]templates.ChipView, []templates.PickerGroup, string) {
	typed := p.form.crawlers
	var left []string
	if p.problem != nil {
		typed = nil
		for _, name := range p.form.crawlers {
			if len(typed) == tester.MaxCrawlers || len(name) > crawlers.MaxName {
				left = append(left, name)
			} else {
				typed = append(typed, name)
			}
		}
	}
	if len(typed) == 0 {
		typed = tester.Defaults
	}
	var chips []templates.ChipView
	on := map[string]bool{}
	add := func(name string, checked bool) {
		c := p.Catalogue.Resolve(name)
		if key := strings.ToLower(c.Crawler.Token); !on[key] {
			on[key] = true
			chips = append(chips, p.chip(c, checked))
		}
	}
	chosen := map[string]bool{}
	for _, name := range typed {
		chosen[strings.ToLower(p.Catalogue.Resolve(name).Crawler.Token)] = true
	}
	for _, name := range tester.Defaults {
		add(name, chosen[strings.ToLower(name)])
	}
	for _, name := range typed {
		add(name, true)
	}
	groups := map[crawlers.Category]*templates.PickerGroup{}
	for _, c := range p.Catalogue.Offered() {
		if on[strings.ToLower(c.Token)] {
			continue
		}
		g := groups[c.Category]
		if g == nil {
			g = &templates.PickerGroup{
				Name:    p.words.T("category." + string(c.Category)),
				Purpose: p.words.T("purpose." + string(c.Category)),
			}
			groups[c.Category] = g
		}
		g.Chips = append(g.Chips, templates.ChipView{Value: c.Token, Name: c.Token, Purpose: c.Operator})
	}
	var picker []templates.PickerGroup
	for _, c := range crawlers.Categories() {
		if g := groups[c]; g != nil {
			picker = append(picker, *g)
		}
	}
	return chips, picker, strings.Join(left, ", ")
}

// chip is a chosen crawler.
func (p *page) chip(c crawlers.Choice, checked bool) templates.ChipView {
	v := templates.ChipView{Value: c.Crawler.Token, Name: c.Crawler.Token, Checked: checked}
	switch {
	case c.Known:
		v.Purpose = p.words.T("purpose." + string(c.Crawler.Category))
	case c.Crawler.Token == "*":
		v.Purpose = p.words.T("purpose.star")
	default:
		v.Purpose = p.words.T("purpose.unknown")
	}
	return v
}

// cell gives the cell whose explanation is open.
func (p *page) cell() tester.Cell {
	c := p.form.cell
	if c.Row >= 1 && c.Row <= len(p.report.URLs) && c.Col >= 1 && c.Col <= len(p.report.Crawlers) {
		return c
	}
	if g := p.paging(); g.shown > 1 {
		return p.firstOf(g)
	}
	return p.report.Default()
}

// candidates gives what stands behind the open cell; nil where rules did not
// decide. A large report does not hold it: it is made once for each answer.
func (p *page) candidates() *tester.Why {
	if !p.explained {
		p.explained, p.open = true, p.report.Explain(p.cell())
	}
	return p.open
}

// maxUnderline bounds the text repeated to underline a line, in bytes; what
// goes beyond is far outside the view.
const maxUnderline = 2083

// wholeFile is the longest file, in lines, whose numbers are all on a page with
// scripts: of a longer one the script draws what is in view.
const wholeFile = 2000

// editor makes the text with its marks.
func (p *page) editor() templates.EditorView {
	v := templates.EditorView{ReadOnly: p.shared != ""}
	if p.report == nil {
		v.Text = robots.TextareaForm([]byte(p.form.robots))
		v.OutcomeID = p.form.outcome
	} else {
		v.Text = robots.TextareaForm(p.report.Source.Text)
		if p.report.Source.Fetched() {
			v.OutcomeID = p.report.Source.Fetch.ID
		} else if !p.report.Source.Forgotten {
			// Kept, so that undoing an edit brings the facts back.
			v.OutcomeID = p.form.outcome
		}
	}
	for line := range strings.Lines(v.Text) {
		v.Lines++
		v.Cols = max(v.Cols, min(utf8.RuneCountInString(line), maxUnderline))
	}
	if v.Text == "" || strings.HasSuffix(v.Text, "\n") {
		v.Lines++ // the empty line behind the last line end
	}
	v.Scripted = p.part && v.Lines > wholeFile
	if p.report == nil {
		v.Runs = []templates.Run{{Kind: templates.RunPlain, Lines: v.Lines}}
		v.Excerpt = p.excerpt(&v)
		return v
	}
	v.Flags = p.flags(v.Lines)
	v.Runs = p.runs(v.Text, v.Lines)
	if p.shared != "" && v.Lines > foldAbove {
		v.Folded = !p.form.unfolded
		if v.Folded {
			v.Unfold = p.lineAddress(true)
		} else {
			v.Fold = p.lineAddress(false)
		}
	}
	v.Excerpt = p.excerpt(&v)
	return v
}

// The looks of a line, as numbers: a file can have a million lines.
var looks = [...]string{templates.RunDim, templates.RunAgent, templates.RunGroup, templates.RunCut, templates.RunLost, templates.RunWins}

const (
	dim = iota
	agent
	group
	cut
	lost
	wins
)

// runs gives every line of a text the look that the open cell asks for.
func (p *page) runs(text string, lines int) []templates.Run {
	look := make([]uint8, lines+1) // from 1
	paint := func(kind uint8, runs ...tester.Range) {
		for _, r := range runs {
			for n := r.First; n <= min(r.Last, lines); n++ {
				look[n] = kind
			}
		}
	}
	c := p.cell()
	res := p.report.At(c.Row-1, c.Col-1)
	if res.How != tester.HowNone {
		names, rules := p.report.Lines(c.Col - 1)
		paint(agent, names...)
		paint(group, rules...)
	}
	cutLine := p.report.CutLine
	if cutLine > 0 {
		paint(cut, tester.Range{First: cutLine, Last: lines})
	}
	if why := p.candidates(); why != nil {
		for _, cand := range why.Candidates {
			paint(lost, tester.Range{First: cand.Line, Last: cand.Line})
		}
	}
	if res.Line > 0 {
		paint(wins, tester.Range{First: res.Line, Last: res.Line})
	}

	var runs []templates.Run
	n := 0
	for line := range strings.Lines(text + "\n") {
		if n++; n > lines {
			break
		}
		kind := look[n]
		last := len(runs) - 1
		if last >= 0 && runs[last].Kind == looks[kind] && kind < lost && n != cutLine {
			runs[last].Lines++
			continue
		}
		r := templates.Run{Kind: looks[kind], Lines: 1}
		switch {
		case kind == wins && res.Reason == tester.ReasonEmptyRule:
			r.Label = p.words.T("editor.empty")
		case kind == wins:
			r.Label = p.words.T("editor.wins")
		case kind == lost:
			line = strings.TrimSuffix(line, "\n")
			r.Text = strings.ToValidUTF8(line[:min(len(line), maxUnderline)], "")
		case n == cutLine:
			r.Label = p.words.T("editor.cut")
		}
		runs = append(runs, r)
	}
	return runs
}

// look gives the look of a verdict: decided by a rule of a group that names the
// crawler, by one of * or of a fallback, or by no rule.
func look(res *tester.Result) string {
	switch {
	case res.Line == 0:
		return "none"
	case res.How == tester.HowNamed:
		return "named"
	}
	return "other"
}

// maxLinkBytes bounds the addresses of all cells of a page together, in bytes;
// beyond it cells are buttons, so that a page stays light.
const maxLinkBytes = 256 << 10

// result makes the matrix and the explanation of the open cell.
func (p *page) result() templates.ResultView {
	v := templates.ResultView{}
	if p.report == nil {
		return v
	}
	open := p.cell()
	if p.form.cell == open {
		v.Cell = cellValue(open)
	}
	for _, c := range p.report.Crawlers {
		col := templates.ColView{Name: c.Choice.Crawler.Token}
		switch {
		case c.Choice.FromUserAgent:
			col.Note = p.words.T("column.from-user-agent")
		case !c.Choice.Known && strings.ContainsAny(c.Choice.Typed, "/("):
			col.Note = p.words.T("column.unknown-user-agent")
		case !c.Choice.Known && c.Choice.Crawler.Token != "*":
			col.Note = p.words.T("column.unknown")
		}
		v.Cols = append(v.Cols, col)
	}
	v.Wide = len(v.Cols) > wideAbove
	rows, pages := p.rows()
	v.Pages = pages
	v.Origin = commonOrigin(p.report.URLs)
	link := p.cellLink(len(rows) * len(v.Cols))
	for _, row := range rows {
		r := p.row(row, open, link)
		r.Start, r.End = cutEnd(cmp.Or(strings.TrimPrefix(r.URL, v.Origin), "/"))
		v.Rows = append(v.Rows, r)
	}
	var n [3]int
	for i := range p.report.Results {
		switch p.report.Results[i].Verdict {
		case tester.Blocked:
			n[0]++
		case tester.Allowed:
			n[1]++
		default:
			n[2]++
		}
	}
	v.Why = p.why()
	v.Changed = slices.ContainsFunc(v.Rows, func(r templates.RowView) bool {
		return slices.ContainsFunc(r.Cells, func(c templates.CellView) bool { return c.Was != "" })
	})
	v.Summary = p.words.T("result.summary", "Blocked", p.words.Number(n[0]), "Allowed", p.words.Number(n[1]), "Not", p.words.Number(n[2]), "Heading", i18n.Plain(v.Why.Heading))
	v.Summary = p.pretending(v.Summary)
	if pages != nil {
		v.Summary = i18n.Plain(pages.Text) + " " + v.Summary
	}
	return v
}

// cellLink gives a function that makes the address with a cell open, or ""
// where the cell is a button of the form.
func (p *page) cellLink(cells int) func(tester.Cell) string {
	to := p.address()
	if to == "" || cells*len(to) > maxLinkBytes && p.shared == "" {
		return func(tester.Cell) string { return "" }
	}
	return func(c tester.Cell) string { return with(to, "cell", cellValue(c)) }
}

func cellValue(c tester.Cell) string { return strconv.Itoa(c.Row) + "." + strconv.Itoa(c.Col) }

// row makes one row of the matrix.
func (p *page) row(row int, open tester.Cell, link func(tester.Cell) string) templates.RowView {
	u := &p.report.URLs[row]
	v := templates.RowView{URL: u.URL}
	switch {
	case u.Error != "":
		v.Note = p.words.Rich("row."+u.Error, "Got", i18n.Code(v.URL))
		return v
	case !u.Covered:
		v.Note = p.words.Rich("row.not-covered", "Origin", i18n.Code(u.Origin.String()), "Site", i18n.Code(p.report.Source.Site.String()))
		v.Offer = p.fetchOffer(u)
		return v
	}
	for col := range p.report.Crawlers {
		res := p.report.At(row, col)
		c := tester.Cell{Row: row + 1, Col: col + 1}
		cell := templates.CellView{
			ID:      "c" + strconv.Itoa(c.Row) + "-" + strconv.Itoa(c.Col),
			Value:   cellValue(c),
			Href:    link(c),
			Verdict: string(res.Verdict),
			How:     look(res),
			Word:    p.words.T("verdict." + string(res.Verdict)),
			Label:   p.words.T("how." + string(res.How)),
			Current: c == open, Scripted: p.part,
		}
		switch {
		case res.Reason == tester.ReasonAccessAllowAll || res.Reason == tester.ReasonAccessBlockAll:
			cell.Label = p.words.T("how.access")
		case res.Line == 0:
			cell.Label = p.words.T("how.none")
		}
		if res.Reason == tester.ReasonNotControlled {
			cell.Word = p.words.T("verdict.not-controlled")
		}
		if i := row*len(p.report.Crawlers) + col; p.report.Real != nil && p.report.Real[i] != res.Verdict {
			cell.Was = p.words.T("how.was", "Verdict", p.words.T("verdict."+string(p.report.Real[i])))
		}
		if res.Line > 0 {
			cell.Line = strconv.Itoa(res.Line)
		}
		v.Cells = append(v.Cells, cell)
	}
	return v
}

// wideAbove is how many crawlers have room side by side on an upright sheet of
// paper.
const wideAbove = 8

// commonOrigin gives the scheme and host that all URLs of a table begin with,
// as they were typed: told once, it leaves room for what tells them apart. ""
// stands for none, and for a single URL.
func commonOrigin(rows []tester.Row) string {
	scheme, rest, ok := strings.Cut(rows[0].URL, "://")
	if !ok || len(rows) < 2 || strings.ContainsAny(scheme, "/?#") {
		return ""
	}
	origin := rows[0].URL
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		origin = origin[:len(origin)-len(rest)+end]
	}
	for i := range rows {
		path, ok := strings.CutPrefix(rows[i].URL, origin)
		if !ok || path != "" && !strings.ContainsAny(path[:1], "/?#") {
			return ""
		}
	}
	return origin
}

// endRunes is how much of a URL's end stays visible, in characters.
const endRunes = 8

// cutEnd cuts a URL in two, so that a narrow column can drop its middle.
func cutEnd(s string) (start, end string) {
	r := []rune(s)
	if len(r) <= 2*endRunes {
		return s, ""
	}
	return string(r[:len(r)-endRunes]), string(r[len(r)-endRunes:])
}

// fetchOffer offers the file of the host that a URL is on; nil where we would
// not fetch it.
func (p *page) fetchOffer(u *tester.Row) *templates.OfferView {
	if !u.Fetchable {
		return nil
	}
	return &templates.OfferView{Text: p.words.T("row.fetch", "File", u.Origin.RobotsURL()), Href: p.siteAddress(u.Origin.String(), u.URL)}
}

// shareTitle gives the title and the description that a preview of a shared
// link shows.
func (p *page) shareTitle() (title, description string) {
	r := p.report
	counts := map[tester.Verdict]int{}
	first := map[tester.Verdict]int{}
	for i := range r.Results {
		v := r.Results[i].Verdict
		if counts[v]++; counts[v] == 1 {
			first[v] = i
		}
	}
	name := func(v tester.Verdict) (crawler, u string, res *tester.Result) {
		i := first[v]
		row := &r.URLs[i/len(r.Crawlers)]
		return r.Crawlers[i%len(r.Crawlers)].Choice.Crawler.Token, shortURL(row), &r.Results[i]
	}
	switch {
	case counts[tester.Blocked] > 0:
		crawler, u, res := name(tester.Blocked)
		id := "share.title.blocked"
		if res.Line == 0 {
			id = "share.title.blocked-no-line"
		}
		title = p.words.T(id, "Crawler", crawler, "URL", u, "Line", res.Line)
	case counts[tester.Allowed] == len(r.Results):
		title = p.words.T("share.title.allowed", "URLs", p.words.T("count.urls", "N", len(r.URLs)), "Crawlers", p.words.T("count.crawlers", "N", len(r.Crawlers)))
	default:
		_, u, res := name(tester.NotTested)
		title = p.words.T("share.title.not-tested", "URL", u, "Why", p.words.T("not-tested."+string(res.Reason)))
	}
	title = p.pretending(title)
	file := p.words.T("share.file.pasted")
	switch {
	case noFile(r):
		file = p.words.T("share.file."+frozenOn(r), "Site", r.Source.Site.Host)
	case r.Source.Fetched():
		file = p.words.T("share.file.fetched", "Site", r.Source.Site.Host)
	case r.Source.Site != nil:
		file = p.words.T("share.file.pasted-for", "Site", r.Source.Site.Host)
	}
	description = p.words.T("share.description", "File", file, "Time", p.words.Time(r.TestedAt),
		"Blocked", p.words.Number(counts[tester.Blocked]), "Allowed", p.words.Number(counts[tester.Allowed]), "Not", p.words.Number(counts[tester.NotTested]))
	return title, description
}

// shortURL gives the part of a URL that a title can hold.
func shortURL(u *tester.Row) string {
	s := u.Path
	if u.Error != "" || !u.Covered {
		s = u.URL
	}
	const most = 60
	if r := []rune(strings.ToValidUTF8(s, "\ufffd")); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return strings.ToValidUTF8(s, "\ufffd")
}

// noFile says whether a fetch brought no file.
func noFile(r *tester.Report) bool { return r.Source.Fetched() && r.Source.Fetch.Kind != fetch.OK }

// frozenOn names what a shared result was tested on.
func frozenOn(r *tester.Report) string {
	switch {
	case !r.Source.Fetched():
		return "paste"
	case !noFile(r):
		return "fetch"
	case r.Source.Fetch.Status > 0:
		return "answer"
	}
	return "silent"
}

// shareView makes the page of a share.
func (p *page) shareView(share *tester.Share) templates.ShareView {
	r := p.report
	title, _ := p.shareTitle()
	v := templates.ShareView{
		Heading:  title,
		Live:     p.liveAddress(),
		CSV:      "/r/" + share.ID + ".csv",
		JSON:     "/r/" + share.ID + ".json",
		Editor:   p.editor(),
		Result:   p.result(),
		Findings: p.findings(),
		Overview: p.overview(),
	}
	v.Facts = p.facts(v.Editor.Lines)
	if r.Source.Site != nil {
		v.Site = r.Source.Site.String()
	}
	v.NoFile = noFile(r)
	v.Frozen = p.words.Rich("shared.frozen."+frozenOn(r), "Time", p.words.Time(r.TestedAt), "Site", v.Site, "Engine", r.Engine)
	if r.Source.Simulated != "" {
		v.Frozen += " " + p.pretence()
	}
	for _, c := range r.Crawlers {
		v.Crawlers = append(v.Crawlers, c.Choice.Typed)
	}
	v.URLs = strings.Join(r.Typed(), "\n")
	return v
}
