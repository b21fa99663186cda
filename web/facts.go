package web

import (
	"bytes"
	"mime"
	"net/url"
	"slices"
	"strings"

	"github.com/whichrule/whichrule/internal/access"
	"github.com/whichrule/whichrule/internal/fetch"
	"github.com/whichrule/whichrule/internal/i18n"
	"github.com/whichrule/whichrule/internal/robots"
	"github.com/whichrule/whichrule/internal/tester"
	"github.com/whichrule/whichrule/templates"
)

// rfcCaching is the page on how long a file may be kept.
const rfcCaching = "https://www.rfc-editor.org/rfc/rfc9309.html#section-2.4"

// facts says what the text of so many lines, and the answer that it came with,
// means to crawlers, and then where it came from.
func (p *page) facts(lines int) templates.FactsView {
	var v templates.FactsView
	if p.report == nil {
		if p.problem == nil || p.problem.Field != "simulate" {
			v.Simulate = p.form.simulate
		}
		return v
	}
	s := &p.report.Source
	v.Simulate, v.Pretend = string(s.Simulated), p.pretend()
	switch {
	case s.Simulated != "":
		v.Lead, v.State = p.lead(s.Class(), s.Simulated.Kind())
	case s.Fetched():
		v.Lead, v.State = p.fetchLead(s)
	default:
		v.Lead, v.State = p.pasteLead(s)
	}
	p.means(&v, s)
	if s.Fetched() {
		p.fetchFacts(&v, s)
	}
	if !s.Fetched() || s.Fetch.Kind == fetch.OK {
		v.Facts = append(p.size(lines), v.Facts...)
		p.textNotes(&v, s)
	}
	return v
}

// pasteLead says of a paste what it is, and what it is no longer.
func (p *page) pasteLead(s *tester.Source) (lead, state string) {
	switch {
	case p.example():
		return p.words.Rich("facts.example"), "screen"
	case !s.EditedAt.IsZero():
		return p.words.Rich("facts.edited", "Time", p.words.Clock(s.EditedAt)), ""
	case s.Forgotten:
		return p.words.Rich("facts.forgotten"), ""
	case len(bytes.TrimSpace(s.Text)) == 0:
		return p.words.Rich("facts.empty"), ""
	}
	return "", ""
}

// fetchLead says what a fetch means, in one sentence.
func (p *page) fetchLead(s *tester.Source) (lead, state string) {
	if s.Fetch.Kind == fetch.OK {
		switch look := fetch.LookAt(s.Fetch.ContentType, s.Text); {
		case look.UTF16:
			return p.words.Rich("facts.utf16"), "mid"
		case len(bytes.TrimSpace(s.Text)) == 0:
			return p.words.Rich("facts.empty"), "ok"
		}
	}
	return p.lead(s.Class(), s.Fetch.Kind)
}

// lead says what a class of answer means, in one sentence.
func (p *page) lead(class access.Class, kind fetch.Kind) (lead, state string) {
	state = "bad"
	switch kind {
	case fetch.OK:
		if state = "ok"; class != access.Class(fetch.OK) {
			state = "mid"
		}
	case fetch.ClientError, fetch.Refused, fetch.TLS, fetch.Challenge:
		state = "mid" // no file is no fault, and what is unknown is none either
	}
	return p.words.Rich("lead." + string(class)), state
}

// means says what operators make of the answer that verdicts go by, where they
// differ or do not follow the rules; those together that read it alike.
func (p *page) means(v *templates.FactsView, s *tester.Source) {
	class := s.Class()
	if class == "" {
		return
	}
	all := access.All(class)
	plain := true
	for _, said := range all {
		plain = plain && said.Effect == access.Rules
	}
	if plain {
		return
	}
	if all[0].Effect == access.Unknown {
		v.Notes = append(v.Notes, templates.NoteView{Text: p.words.Rich("access." + all[0].Reason)})
		return
	}
	for _, said := range all {
		at := slices.IndexFunc(v.Effects, func(e templates.EffectView) bool { return e.Effect == string(said.Effect) })
		if at < 0 {
			at = len(v.Effects)
			v.Effects = append(v.Effects, templates.EffectView{Effect: string(said.Effect), Word: p.words.T("effect." + string(said.Effect))})
		}
		v.Effects[at].Who = append(v.Effects[at].Who, p.who(said, all))

		n := templates.NoteView{Text: p.words.Rich("access." + said.Reason), Source: said.Source}
		if said.Date != "" {
			n.Text += " " + p.words.Rich("access.dated", "Date", said.Date)
		}
		v.Said = append(v.Said, n)
	}
	if all[0].Effect == access.BlockAll && all[0].Basis == access.Stated {
		for _, id := range []string{"first", "then", "after"} {
			v.Line = append(v.Line, p.words.T("line."+id))
		}
	}
}

// who names an operator, with those of its crawlers that are tested.
func (p *page) who(said access.Said, all []access.Said) templates.WhoView {
	name := said.Operator
	if name == "" {
		name = p.words.T("access.others")
	}
	v := templates.WhoView{Name: name, Source: said.Source, Label: p.words.T("hosts.source", "Who", name)}
	var tested []string
	for i := range p.report.Crawlers {
		c := &p.report.Crawlers[i].Choice.Crawler
		if c.Obeys && c.Token != "*" && speaksFor(said.Operator, c.Operator, all) {
			tested = append(tested, c.Token)
		}
	}
	v.Tested = p.list(tested)
	if said.Basis != access.Stated || said.Confidence != access.High {
		v.Note = p.words.T("basis." + string(said.Basis))
	}
	return v
}

// speaksFor says whether what one operator says, or all others, goes for the
// crawlers of an operator.
func speaksFor(who, operator string, all []access.Said) bool {
	if who != "" {
		return who == operator
	}
	for _, said := range all {
		if said.Operator == operator && operator != "" {
			return false
		}
	}
	return true
}

// fetchFacts says what a fetch gave.
func (p *page) fetchFacts(v *templates.FactsView, s *tester.Source) {
	o := s.Fetch
	v.Hops = hops(p.words, o)
	note := func(id string, args ...any) {
		v.Notes = append(v.Notes, templates.NoteView{Text: p.words.Rich(id, args...)})
	}
	if o.Kind != fetch.OK {
		v.What = p.words.Rich("outcome." + string(o.Kind))
		if o.Kind == fetch.DNS {
			note("facts.dns")
		}
	}
	if final, err := url.Parse(o.FinalURL); o.Kind == fetch.OK && err == nil && len(o.Hops) > 1 {
		v.Facts = append(v.Facts, p.fact("final", i18n.Code(o.FinalURL)))
		if final.Scheme != o.Origin.Scheme || final.Host != originHost(o) {
			f := p.fact("counts", i18n.Code(o.Origin.String()))
			f.Parts[0].Source, f.Parts[0].Label = rfcRedirects, p.words.T("hosts.source", "Who", "RFC 9309")
			v.Facts = append(v.Facts, f)
		}
	}
	if o.Kind == fetch.OK {
		v.Facts = append(v.Facts, templates.FactView{Name: p.words.T("fact.type"), Parts: []templates.NoteView{{Text: p.contentType(o)}}}, p.kept(o))
	}
	fetched := p.fact("fetched", p.words.Time(o.FetchedAt))
	fetched.Again = p.shared == ""
	if s.Held != "" {
		fetched.Parts = append(fetched.Parts, templates.NoteView{Text: p.words.Rich("held."+string(s.Held), "Time", p.words.Clock(o.FetchedAt))})
	}
	v.Facts = append(v.Facts, fetched)

	if (o.Kind != fetch.OK || o.Status != 200) && o.Kind != fetch.Refused && o.Kind != fetch.DNS {
		note("facts.not-googlebot")
	}
	if o.More {
		note("facts.more")
	}
	if o.Kind == fetch.OK && isHTML(o) && s.Class() != access.WebPage {
		note("facts.html-type")
	}
	if site, err := fetch.ParseSite(p.form.site); err == nil && site.OtherRobots {
		note("facts.root-only")
	}
	v.Stale = p.stale(v, s)
	if p.shared != "" {
		return
	}
	if o.Origin.Scheme == "https" && (o.Kind == fetch.Connect || o.Kind == fetch.TLS || o.Kind == fetch.Timeout) && o.Origin.Port == 443 {
		v.Offer = &templates.OfferView{Text: p.words.T("facts.try-http"), Href: p.siteAddress("http://" + strings.TrimPrefix(o.Origin.String(), "https://"))}
	}
	if p.Tester.Fetcher.Fetchable(o.Origin) {
		v.Hosts = hostsAddress(o.Origin.String())
	}
}

// originHost gives the host that was asked first, with its port where an address
// names it.
func originHost(o *fetch.Outcome) string {
	_, host, _ := strings.Cut(o.Origin.String(), "://")
	return host
}

// fact makes a fact of one part, its value where the message has {{.What}}.
func (p *page) fact(id string, what any) templates.FactView {
	return templates.FactView{Name: p.words.T("fact." + id), Parts: []templates.NoteView{{Text: p.words.Rich("fact."+id+".is", "What", what)}}}
}

// size says how long the text is, and how much of it counts.
func (p *page) size(lines int) []templates.FactView {
	size := "facts.size"
	if p.report.CutLine > 0 {
		size = "facts.size.over"
	}
	text := p.words.Rich(size, "Size", p.words.Bytes(len(p.report.Source.Text)))
	return []templates.FactView{{Name: p.words.T("fact.size"), Parts: []templates.NoteView{
		{Text: p.words.T("facts.and", "First", text, "Second", p.words.T("facts.lines", "N", lines))},
	}}}
}

// textNotes says what is odd about the text itself.
func (p *page) textNotes(v *templates.FactsView, s *tester.Source) {
	note := func(id string, args ...any) {
		v.Notes = append(v.Notes, templates.NoteView{Text: p.words.Rich(id, args...)})
	}
	if p.report.CutLine > 0 {
		note("facts.cut", "Line", i18n.Line(p.report.CutLine))
	}
	look := fetch.LookAt("", s.Text)
	switch {
	case look.UTF16 && !s.Fetched():
		note("facts.utf16")
	case look.UTF16:
	case look.NUL > 0:
		note("facts.binary", "Line", i18n.Line(look.NUL))
	case look.Invalid > 0:
		note("facts.invalid", "Line", i18n.Line(look.Invalid))
	}
	if look.Mark {
		note("facts.mark")
	}
}

// kept says how long crawlers may keep a copy.
func (p *page) kept(o *fetch.Outcome) templates.FactView {
	says, cache := fetch.Directives(o.CacheControl), "none"
	age, aged := fetch.Seconds(says["max-age"])
	_, stored := says["no-store"]
	_, checked := says["no-cache"]
	switch {
	case stored || checked:
		cache = "no"
	case aged:
		cache = "max-age"
	}
	text := p.words.Rich("cache."+cache, "Span", p.words.Span(age), "Field", i18n.Code(o.CacheControl))
	if passed := fetch.AgeIn(o.Age); cache == "max-age" && passed > 0 {
		text += " " + p.words.Rich("cache.age", "Span", p.words.Span(passed))
	}
	return templates.FactView{Name: p.words.T("fact.kept"), Parts: []templates.NoteView{
		{Text: text, Source: googleScope, Label: p.words.T("hosts.source", "Who", "Google")},
		{Text: p.words.Rich("cache.rfc"), Source: rfcCaching, Label: p.words.T("hosts.source", "Who", "RFC 9309")},
	}}
}

// stale shows the last good copy of a site that fails now.
func (p *page) stale(v *templates.FactsView, s *tester.Source) *templates.StaleView {
	if s.Stale == nil {
		return nil
	}
	now := p.words.T("outcome." + string(s.Fetch.Kind))
	if s.Fetch.Status > 0 && s.Fetch.Kind != fetch.OK {
		now = p.words.T("stale.answers", "Status", s.Fetch.Status)
	}
	note := p.words.Rich("stale.note")
	if v.Line != nil && s.Simulated == "" {
		note += " " + p.words.Rich("stale.google")
	}
	return &templates.StaleView{
		Note:    note,
		Summary: p.words.Rich("stale.summary", "Time", p.words.Time(s.Stale.FetchedAt), "Now", now),
		Text:    robots.TextareaForm(s.Stale.Body),
		Use:     p.shared == "",
	}
}

func isHTML(o *fetch.Outcome) bool {
	t, _, _ := mime.ParseMediaType(o.ContentType)
	return t == "text/html" || t == "application/xhtml+xml"
}

// answered says whether the site answered us at all.
func answered(o *fetch.Outcome) bool {
	switch o.Kind {
	case fetch.ClientError, fetch.TooManyRequests, fetch.ServerError, fetch.Challenge:
		return true
	}
	return false
}

// contentType words the type and encoding that the answer named.
func (p *page) contentType(o *fetch.Outcome) string {
	look := fetch.LookAt(o.ContentType, nil)
	text := o.ContentType
	switch {
	case text == "":
		text = p.words.T("facts.no-type")
	case look.Charset != "":
		text = p.words.T("facts.and", "First", look.Type, "Second", strings.ToUpper(look.Charset))
	case look.Type != "":
		text = p.words.T("facts.and", "First", look.Type, "Second", p.words.T("facts.no-charset"))
	}
	if o.Encoding != "" && !strings.EqualFold(o.Encoding, "identity") {
		text = p.words.T("facts.and", "First", text, "Second", p.words.T("facts.encoding", "Encoding", o.Encoding))
	}
	return p.words.Rich("facts.type", "Type", text)
}

// list words the names of crawlers, as many as a sentence can hold.
func (p *page) list(names []string) string {
	const most = 6
	list := strings.Join(names[:min(len(names), most)], ", ")
	if more := len(names) - most; more > 0 {
		list = p.words.T("facts.and-more", "List", list, "N", more)
	}
	return list
}

// siteAddress gives the address that fetches another site with the same
// crawlers and URLs; where that is too long, with those URLs that have to be in.
func (p *page) siteAddress(site string, must ...string) string {
	for _, urls := range [][]string{p.report.Typed(), must} {
		if to := p.testAddress(p.report, site, urls, ""); to != "" {
			return to
		}
	}
	return "/?site=" + url.QueryEscape(site)
}
