package web

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/whichrule/whichrule/internal/access"
	"github.com/whichrule/whichrule/internal/fetch"
	"github.com/whichrule/whichrule/internal/i18n"
	"github.com/whichrule/whichrule/internal/tester"
	"github.com/whichrule/whichrule/templates"
)

// errNoLive is for a share of a text that is for no site.
var errNoLive = &problem{Status: http.StatusUnprocessableEntity, Kind: "live-no-site", Field: "site"}

// serveLive answers GET /r/{id}/live: a share beside the same test on the file
// as it is now.
func (s *Site) serveLive(w http.ResponseWriter, r *http.Request) error {
	noIndex(w.Header())
	q, err := readQuery(r)
	if err != nil {
		return err
	}
	share, err := s.shared(r)
	if err != nil {
		return err
	}
	c, err := s.compare(r, share.Report, last(q["do"]) == string(tester.DoRefetch))
	if err != nil {
		return s.liveFailed(w, r, share, err)
	}
	s.Metrics.ShareViewed()
	noStore(w.Header())
	switch formatOf(r) {
	case formatJSON:
		return writeLiveJSON(w, r, share, c)
	case formatCSV:
		return writeLiveCSV(w, c, "whichrule-"+share.ID+"-live.csv")
	}
	v := s.liveView(r, share, c)
	if fragment(r) {
		return render(w, r, http.StatusOK, templates.Live(v))
	}
	title := words(r).T("page.title", "Title", i18n.Plain(v.Heading))
	return s.page(w, r, http.StatusOK, templates.PageView{Title: title, NoIndex: true}, templates.Live(v))
}

// liveAge is how old a copy may be that stands for the file as it is now: an
// older one can always be passed by, and who looks right after a deploy waits
// no longer.
const liveAge = tester.AgainAfter

// compare runs the test of a share again, on the file as it is now; again says
// that no copy will do.
func (s *Site) compare(r *http.Request, then *tester.Report, again bool) (*tester.Comparison, error) {
	if then.Source.Site == nil {
		return nil, errNoLive
	}
	f := form{site: then.Source.Site.String(), urls: strings.Join(then.Typed(), "\n"), do: tester.DoFetch, simulate: string(then.Source.Simulated)}
	for _, c := range then.Crawlers {
		f.crawlers = append(f.crawlers, c.Choice.Typed)
	}
	if again {
		f.do = tester.DoRefetch
	}
	// The frozen report, and its text for the comparison; that of now is as a
	// rule about as long.
	more := perCell*len(then.Results) + perTextByte*len(then.Source.Text)
	now, err := s.testWith(r.Context(), f, more)
	if err == nil && f.do == tester.DoFetch && now.Source.Held == "" && s.stale(now.Source.Fetch, then.Source.Fetch) {
		release(r.Context())
		f.do = tester.DoRefetch
		now, err = s.testWith(r.Context(), f, more)
	}
	if err != nil {
		return nil, err
	}
	if p := notFetched(words(r), now.Source.Fetch.Kind); p != nil {
		return nil, p
	}
	return s.Tester.Compare(r.Context(), then, now)
}

// stale says whether a copy does not stand for the file as it is now: it is too
// old, or the one that the share was made from, which says nothing new.
func (s *Site) stale(now, then *fetch.Outcome) bool {
	return s.Now().Sub(now.FetchedAt) > liveAge || then != nil && now.ID == then.ID
}

// notFetched gives the problem of a fetch that brought no answer of the site;
// nil for one that did, whatever it was.
func notFetched(wd *i18n.Words, kind fetch.Kind) *problem {
	status := http.StatusBadGateway
	switch kind {
	case fetch.Timeout:
		status = http.StatusGatewayTimeout
	case fetch.DNS, fetch.Refused, fetch.Connect, fetch.TLS, fetch.Broken, fetch.Challenge:
	default:
		return nil
	}
	return &problem{Status: status, Kind: string(kind), Message: "live.failed", Field: "site", Args: []any{"Why", wd.T("outcome." + string(kind))}}
}

// liveFailed answers a comparison that could not be made; its page leads back
// to the share.
func (s *Site) liveFailed(w http.ResponseWriter, r *http.Request, share *tester.Share, err error) error {
	if formatOf(r) != formatHTML || fragment(r) {
		return err
	}
	p, wd := asProblem(err), words(r)
	s.logProblem(r, p)
	noStore(w.Header())
	p.retryAfter(w.Header())
	heading := wd.T("live.failed.heading")
	v := templates.MessageView{Heading: heading, Text: p.sentence(wd), Link: wd.T("live.frozen"), LinkTo: "/r/" + share.ID}
	if share.Report.Source.Site != nil {
		v.Again, v.AgainTo = wd.T("live.again"), "/r/"+share.ID+"/live?do=refetch"
	}
	return s.page(w, r, p.Status, templates.PageView{Title: wd.T("page.title", "Title", heading), NoIndex: true}, templates.Message(v))
}

// liveAddress is where a report is compared with the live file; "" where there
// is none that we would fetch.
func (p *page) liveAddress() string {
	site := p.report.Source.Site
	if site == nil || !p.Tester.Fetcher.Fetchable(*site) {
		return ""
	}
	return "/r/" + p.shared + "/live"
}

// live makes the view model of a comparison.
type live struct {
	page  // of the frozen report
	c     *tester.Comparison
	lines map[string]bool // ids of the numbered lines that the diff shows
	test  string          // address of the test on the live file, "" if too long
}

// maxFlips bounds the flips that a page shows: with their rules as long as they
// may be, some hundred kilobytes.
const maxFlips = 500

func (s *Site) liveView(r *http.Request, share *tester.Share, c *tester.Comparison) templates.LiveView {
	p := live{
		page:  page{Site: s, words: words(r), report: share.Report, shared: share.ID},
		c:     c,
		lines: map[string]bool{},
		test:  s.testAddress(c.Now, c.Now.Source.Site.String(), c.Now.Typed(), c.Now.Source.Simulated),
	}
	to := "/r/" + share.ID
	v := templates.LiveView{
		Lede:   p.words.Rich("live.lede", "Site", i18n.Code(c.Now.Source.Site.String())),
		Then:   p.words.Rich("live.then.pasted", "Time", p.words.Time(c.Then.TestedAt)),
		Now:    p.words.Rich("facts.fetched", "Time", p.words.Time(c.Now.Source.Fetch.FetchedAt)),
		Frozen: to, Again: to + "/live?do=refetch", Test: p.test,
		CSV: to + "/live?format=csv", JSON: to + "/live?format=json",
		Changes: p.changes(),
		Text:    p.text(),
	}
	if c.Then.Source.Fetched() {
		v.Then = p.words.Rich("facts.fetched", "Time", p.words.Time(c.Then.Source.Fetch.FetchedAt))
	}
	if c.Now.Source.Simulated != "" {
		v.Notes = append(v.Notes, p.words.Rich("pretend.both", "What", p.pretended()))
	}
	v.Heading, v.Notes = p.heading(len(v.Changes) > 0), append(v.Notes, p.ours()...)
	p.flips(&v)
	return v
}

// heading answers whether it is still so.
func (p *live) heading(more bool) string {
	then, now := &p.c.Then.Source, &p.c.Now.Source
	since := p.c.Then.TestedAt
	if then.Fetched() {
		since = then.Fetch.FetchedAt
	}
	id := "live.same"
	switch {
	case len(p.c.Flips) > 0:
		id = "live.flipped"
	case p.c.Text.Changed && readable(then) && readable(now):
		id = "live.file"
	case p.c.Text.Changed || more:
		id = "live.kept"
	}
	return p.words.Rich(id, "N", len(p.c.Flips), "Time", p.words.Time(since))
}

// readable says whether there was a text to read.
func readable(s *tester.Source) bool { return !s.Fetched() || s.Fetch.Kind == fetch.OK }

// ours says which changes may come from us.
func (p *live) ours() []string {
	if p.c.Then.Engine != p.c.Now.Engine {
		return []string{p.words.Rich("live.engine", "Then", p.c.Then.Engine, "Now", p.c.Now.Engine)}
	}
	if len(p.c.Flips) > 0 && !p.c.Text.Changed && len(p.access()) == 0 {
		return []string{p.words.Rich("live.ours")}
	}
	return nil
}

// flips shows the cells whose verdict changed, or says that none did.
func (p *live) flips(v *templates.LiveView) {
	tested := len(p.c.Then.Results)
	counts := map[tester.Verdict]int{}
	room := maxLinkBytes
	for i, f := range p.c.Flips {
		then, now := p.c.Then.At(f.Row, f.Col), p.c.Now.At(f.Row, f.NowCol)
		counts[now.Verdict]++
		if i >= maxFlips {
			continue
		}
		cell := cellValue(tester.Cell{Row: f.Row + 1, Col: f.Col + 1})
		flip := templates.FlipView{
			URL:     cutMiddle(p.c.Then.URLs[f.Row].URL),
			Crawler: p.c.Then.Crawlers[f.Col].Choice.Crawler.Token,
			Then:    p.side(then, "then"),
			Now:     p.side(now, "now"),
		}
		flip.Then.Href = v.Frozen + "?cell=" + cell
		if flip.Then.Line > 0 && flip.Then.LineHref == "" {
			flip.Then.LineHref = flip.Then.Href + "#L" + strconv.Itoa(flip.Then.Line)
		}
		if room -= len(p.test); p.test != "" && room > 0 {
			flip.Now.Href = p.test + "&cell=" + cellValue(tester.Cell{Row: f.Row + 1, Col: f.NowCol + 1})
		}
		v.Flips = append(v.Flips, flip)
	}
	for _, verdict := range []tester.Verdict{tester.Blocked, tester.Allowed, tester.NotTested} {
		if n := counts[verdict]; n > 0 {
			v.Counts = append(v.Counts, templates.CountView{Verdict: string(verdict), Text: p.words.T("live.count."+string(verdict), "N", n)})
		}
	}
	if len(p.c.Flips) == 0 {
		v.Kept = p.words.Rich("live.kept.all", "N", tested)
	}
	if len(p.c.Flips) > maxFlips {
		v.Hidden = p.words.Rich("live.hidden", "Shown", p.words.Number(maxFlips), "All", p.words.Number(len(p.c.Flips)))
	}
	if p.c.Moved > 0 {
		v.Moved = p.words.Rich("live.moved", "N", p.c.Moved)
	}
}

// side shows one of the two verdicts of a flip.
func (p *live) side(res *tester.Result, at string) templates.SideView {
	v := templates.SideView{Verdict: string(res.Verdict), How: look(res), Word: p.words.T("verdict." + string(res.Verdict)), Line: res.Line, Rule: cutMiddle(res.Rule)}
	switch {
	case res.Verdict == tester.NotTested:
		v.Why = p.words.T("not-tested." + string(res.Reason))
	case res.Reason == tester.ReasonAccessAllowAll || res.Reason == tester.ReasonAccessBlockAll:
		v.Why = p.words.T("how.access")
	case res.Line == 0:
		v.Why = p.words.T("how.none")
	}
	if id := lineID(at, res.Line); p.lines[id] {
		v.LineHref = "#" + id
	}
	return v
}

// lineID is the id of a line in the diff, of the text then or now.
func lineID(at string, n int) string { return at + "-" + strconv.Itoa(n) }

// cutMiddle keeps both ends of what a table can show.
func cutMiddle(s string) string {
	const most = 160
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return string(r[:most/2]) + "…" + string(r[len(r)-most/2+1:])
}

// text shows what changed in the text.
func (p *live) text() templates.DiffView {
	d, then, now := &p.c.Text, &p.c.Then.Source, &p.c.Now.Source
	v := templates.DiffView{
		Then: "/r/" + p.shared, Now: p.test,
		Table: templates.DiffTable{
			Label: "h-text",
			Lines: [2]string{p.words.T("live.line.then"), p.words.T("live.line.now")},
			Only:  [2]string{p.words.T("live.removed"), p.words.T("live.added")},
		},
	}
	if v.Now == "" {
		v.Now = now.Fetch.FinalURL
	}
	switch {
	case !readable(then) && !readable(now):
		v.Lead = p.words.Rich("live.text.none")
	case !readable(then):
		v.Lead = p.words.Rich("live.text.appeared")
	case !readable(now):
		v.Lead = p.words.Rich("live.text.gone")
	case !d.Changed:
		v.Lead = p.words.Rich("live.text.same")
	case d.TooDifferent:
		v.Lead = p.words.Rich("live.text.too-different", "Then", p.words.Number(d.Removed), "Now", p.words.Number(d.Added))
	case d.Removed+d.Added == 0:
		v.Lead = p.words.Rich("live.text.ends")
	default:
		v.Lead = p.words.Rich("live.text.changed", "Removed", p.words.T("live.text.removed", "N", d.Removed), "Added", p.words.T("live.text.added", "N", d.Added))
		v.Table.Rows = p.rows(d)
	}
	if d.Hidden > 0 && v.Table.Rows != nil {
		v.More = p.words.Rich("live.text.more", "N", d.Hidden)
	}
	return v
}

// rows makes the lines of the diff, and notes which numbers they show.
func (p *live) rows(d *tester.Diff) []templates.DiffRow {
	rows := diffRows(p.words, d, "then", "now", func(line int) string {
		return "/r/" + p.shared + "?fold=0#L" + strconv.Itoa(line)
	})
	for _, row := range rows {
		p.lines[row.ThenID], p.lines[row.NowID] = true, true
	}
	return rows
}

// diffRows makes the lines of a diff, with a row for every stretch left out
// that leads to where its first line of the text then is shown. The ids of
// numbers begin with those of their texts.
func diffRows(wd *i18n.Words, d *tester.Diff, then, now string, shown func(line int) string) []templates.DiffRow {
	var rows []templates.DiffRow
	line := 0 // the last one of the text then
	fold := func(n int) {
		if n > 0 {
			rows = append(rows, templates.DiffRow{Kind: templates.DiffFold, Text: wd.T("live.fold", "N", n), Href: shown(line + 1)})
			line += n
		}
	}
	for _, h := range d.Hunks {
		fold(h.Before)
		for _, l := range h.Lines {
			row := templates.DiffRow{Kind: templates.DiffSame, Text: visible(l.Text, l.Then == 0 || l.Now == 0)}
			switch {
			case l.Now == 0:
				row.Kind = templates.DiffRemoved
			case l.Then == 0:
				row.Kind = templates.DiffAdded
			}
			if l.Then > 0 {
				line, row.Then, row.ThenID = l.Then, l.Then, lineID(then, l.Then)
			}
			if l.Now > 0 {
				row.Now, row.NowID = l.Now, lineID(now, l.Now)
			}
			if l.Size > tester.MaxDiffLine {
				row.More = wd.T("live.cut", "Size", wd.Bytes(l.Size))
			}
			rows = append(rows, row)
		}
	}
	if d.Hidden == 0 {
		fold(d.After)
	}
	return rows
}

// visible writes out what a reader would not see, and what could turn the line
// around on the screen: control and format characters, and in a changed line
// blanks at its end.
func visible(s string, changed bool) string {
	var b strings.Builder
	end := strings.TrimRight(s, " \t")
	for i, r := range s {
		switch {
		case changed && i >= len(end) && r == ' ':
			b.WriteRune('·')
		case changed && i >= len(end) && r == '\t':
			b.WriteRune('→')
		case r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)):
			fmt.Fprintf(&b, "[U+%04X]", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// changes lists what else is different.
func (p *live) changes() []templates.ChangeView {
	var out []templates.ChangeView
	add := func(what, then, now string) {
		if then != now {
			out = append(out, templates.ChangeView{What: what, Then: then, Now: now})
		}
	}
	then, now := &p.c.Then.Source, &p.c.Now.Source
	if then.Fetched() {
		add(p.words.T("live.answer"), p.answer(then.Fetch), p.answer(now.Fetch))
	}
	out = append(out, p.access()...)
	if then.Fetched() {
		add(p.words.T("live.address"), then.Fetch.FinalURL, now.Fetch.FinalURL)
		if readable(then) && readable(now) {
			add(p.words.T("live.type"), p.contentType(then.Fetch), p.contentType(now.Fetch))
		}
	}
	if readable(then) && readable(now) {
		add(p.words.T("live.size"), p.words.Bytes(len(then.Text)), p.words.Bytes(len(now.Text)))
	}
	add(p.words.T("live.version"), p.c.Then.Engine, p.c.Now.Engine)
	return out
}

// answer words what the server said.
func (p *live) answer(o *fetch.Outcome) string {
	status := p.words.T("facts.no-answer")
	if o.Status > 0 {
		status = strconv.Itoa(o.Status)
	}
	if o.Kind == fetch.OK {
		return status
	}
	return p.words.Rich("live.answer.failed", "Status", status, "What", p.words.T("outcome."+string(o.Kind)))
}

// access says for which crawlers the answer means something else now, those
// together that read both alike.
func (p *live) access() []templates.ChangeView {
	type pair struct{ then, now access.Access }
	var order []pair
	who := map[pair][]string{}
	now := map[string]access.Access{}
	for i, c := range p.c.Now.Crawlers {
		now[c.Choice.Crawler.Token] = p.c.Now.Access[i]
	}
	for i, c := range p.c.Then.Crawlers {
		token := c.Choice.Crawler.Token
		a := pair{p.c.Then.Access[i], now[token]}
		if a.then.Effect == a.now.Effect || a.now.Effect == "" || !c.Choice.Crawler.Obeys {
			continue
		}
		if who[a] == nil {
			order = append(order, a)
		}
		who[a] = append(who[a], token)
	}
	var out []templates.ChangeView
	for _, a := range order {
		out = append(out, templates.ChangeView{What: p.list(who[a]), Then: p.words.T("access." + a.then.Reason), Now: p.words.T("access." + a.now.Reason)})
	}
	return out
}

// liveJSON is a comparison as programs get it, without its flips and the live
// report, which follow one by one.
type liveJSON struct {
	Frozen frozenJSON `json:"frozen"`
	Text   textJSON   `json:"text"`
	Moved  int        `json:"moved"`
}

type frozenJSON struct {
	ID        string     `json:"id"`
	Engine    string     `json:"engine"`
	TestedAt  time.Time  `json:"tested_at"`
	Kind      string     `json:"kind"`
	Outcome   string     `json:"outcome"`
	Status    int        `json:"status"`
	FetchedAt *time.Time `json:"fetched_at"`
}

type textJSON struct {
	Changed      bool   `json:"changed"`
	Added        int    `json:"added"`
	Removed      int    `json:"removed"`
	TooDifferent bool   `json:"too_different"`
	Then         string `json:"sha256_then"`
	Now          string `json:"sha256_now"`
}

// flipJSON is a cell whose verdict changed; Row and Col count from 1, as in the
// field cell.
type flipJSON struct {
	Row     int      `json:"row"`
	Col     int      `json:"col"`
	URL     string   `json:"url"`
	Crawler string   `json:"crawler"`
	Then    sideJSON `json:"then"`
	Now     sideJSON `json:"now"`
}

type sideJSON struct {
	Allowed *bool         `json:"allowed"`
	Line    int           `json:"line"`
	Rule    string        `json:"rule"`
	Reason  tester.Reason `json:"reason"`
}

func sideOf(res *tester.Result) sideJSON {
	return sideJSON{Allowed: allowed(res), Line: res.Line, Rule: res.Rule, Reason: res.Reason}
}

// writeLiveJSON answers with a comparison.
func writeLiveJSON(w http.ResponseWriter, r *http.Request, share *tester.Share, c *tester.Comparison) error {
	wd := words(r)
	then, now := sourceOf(c.Then, wd), sourceOf(c.Now, wd)
	head, err := json.Marshal(liveJSON{
		Frozen: frozenJSON{
			ID: share.ID, Engine: c.Then.Engine, TestedAt: c.Then.TestedAt,
			Kind: then.Kind, Outcome: then.Outcome, Status: then.Status, FetchedAt: then.FetchedAt,
		},
		Text: textJSON{
			Changed: c.Text.Changed, Added: c.Text.Added, Removed: c.Text.Removed, TooDifferent: c.Text.TooDifferent,
			Then: then.SHA256, Now: now.SHA256,
		},
		Moved: c.Moved,
	})
	if err != nil {
		return err
	}
	report, err := reportHead(c.Now, wd)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	out := bufio.NewWriter(w)
	_, _ = out.Write(head[:len(head)-1]) // without the closing brace
	_, _ = out.WriteString(`,"flips":[`)
	enc := json.NewEncoder(out)
	for i, f := range c.Flips {
		if i > 0 {
			_ = out.WriteByte(',')
		}
		if err := enc.Encode(flipJSON{
			Row: f.Row + 1, Col: f.Col + 1,
			URL: c.Then.URLs[f.Row].URL, Crawler: c.Then.Crawlers[f.Col].Choice.Crawler.Token,
			Then: sideOf(c.Then.At(f.Row, f.Col)), Now: sideOf(c.Now.At(f.Row, f.NowCol)),
		}); err != nil {
			return nil // the client went away
		}
	}
	_, _ = out.WriteString(`],"live":`)
	writeReport(out, report, c.Now, tester.Cell{}, wd)
	_, _ = out.WriteString("}\n")
	_ = out.Flush()
	return nil
}

// writeLiveCSV answers with a row for each cell whose verdict changed.
func writeLiveCSV(w http.ResponseWriter, c *tester.Comparison, name string) error {
	h := w.Header()
	h.Set("Content-Type", "text/csv; charset=utf-8")
	h.Set("Content-Disposition", `attachment; filename="`+name+`"`)
	out := csv.NewWriter(w)
	_ = out.Write([]string{"url", "matched_url", "crawler", "then_verdict", "then_line", "then_rule", "then_reason", "now_verdict", "now_line", "now_rule", "now_reason"})
	for _, f := range c.Flips {
		u := &c.Then.URLs[f.Row]
		record := []string{u.URL, u.Matched, c.Then.Crawlers[f.Col].Choice.Crawler.Token}
		for _, res := range []*tester.Result{c.Then.At(f.Row, f.Col), c.Now.At(f.Row, f.NowCol)} {
			record = append(record, string(res.Verdict), strconv.Itoa(res.Line), res.Rule, string(res.Reason))
		}
		for i := range record {
			record[i] = noFormula(record[i])
		}
		if err := out.Write(record); err != nil {
			return nil // the client went away
		}
	}
	out.Flush()
	return nil
}
