package web

import (
	"bytes"
	"mime"
	"net/url"
	"strings"

	"github.com/whichrule/whichrule/internal/access"
	"github.com/whichrule/whichrule/internal/fetch"
	"github.com/whichrule/whichrule/internal/i18n"
	"github.com/whichrule/whichrule/internal/tester"
	"github.com/whichrule/whichrule/templates"
)

// facts says where the text of so many lines came from, the meaning first.
func (p *page) facts(lines int) templates.FactsView {
	var v templates.FactsView
	if p.report == nil {
		return v
	}
	s := &p.report.Source
	if s.Fetched() {
		p.fetchFacts(&v, s.Fetch)
	} else {
		p.pasteFacts(&v, s)
	}
	if s.Fetched() && s.Fetch.Kind != fetch.OK {
		return v
	}
	size := "facts.size"
	if p.report.CutLine > 0 {
		size = "facts.size.over"
	}
	v.Facts = append(v.Facts, p.words.Rich("facts.lines", "N", lines), p.words.Rich(size, "Size", p.words.Bytes(len(s.Text))))
	if p.report.CutLine > 0 {
		v.Notes = append(v.Notes, templates.NoteView{Text: p.words.Rich("facts.cut", "Line", i18n.Line(p.report.CutLine))})
	}
	if bytes.IndexByte(s.Text, 0) >= 0 {
		v.Notes = append(v.Notes, templates.NoteView{Text: p.words.Rich("facts.binary")})
	}
	return v
}

// pasteFacts says of a paste what it is, and what it is no longer.
func (p *page) pasteFacts(v *templates.FactsView, s *tester.Source) {
	switch {
	case p.example():
		v.Lead, v.State = p.words.Rich("facts.example"), "screen"
	case !s.EditedAt.IsZero():
		v.Lead = p.words.Rich("facts.edited", "Time", p.words.Clock(s.EditedAt))
	case s.Forgotten:
		v.Lead = p.words.Rich("facts.forgotten")
	case len(bytes.TrimSpace(s.Text)) == 0:
		v.Lead = p.words.Rich("facts.empty")
	}
}

// fetchFacts says what a fetch gave and what it means to the crawlers chosen.
func (p *page) fetchFacts(v *templates.FactsView, o *fetch.Outcome) {
	v.Again = p.shared == ""
	v.Hops = hops(p.words, o)
	if o.Kind == fetch.OK {
		v.Facts = append(v.Facts, p.contentType(o))
	}
	v.Facts = append(v.Facts, p.words.Rich("facts.fetched", "Time", p.words.Time(o.FetchedAt)))

	v.Lead, v.State = p.words.Rich("outcome."+string(o.Kind)), "ok"
	if o.Kind != fetch.OK {
		v.State = "bad"
		if o.Kind == fetch.ClientError {
			v.State = "mid" // no file is no fault
		}
		v.Notes = append(v.Notes, p.meanings()...)
		if answered(o) {
			v.Notes = append(v.Notes, templates.NoteView{Text: p.words.Rich("facts.not-googlebot")})
		}
		if o.Origin.Scheme == "https" && (o.Kind == fetch.Connect || o.Kind == fetch.TLS || o.Kind == fetch.Timeout) && o.Origin.Port == 443 && p.shared == "" {
			v.Offer = &templates.OfferView{Text: p.words.T("facts.try-http"), Href: p.siteAddress("http://" + strings.TrimPrefix(o.Origin.String(), "https://"))}
		}
		return
	}
	if isHTML(o) {
		v.Lead, v.State = p.words.Rich("facts.html"), "mid"
	}
	if o.More {
		v.Notes = append(v.Notes, templates.NoteView{Text: p.words.Rich("facts.more")})
	}
	if final, err := url.Parse(o.FinalURL); err == nil && final.Hostname() != "" && final.Hostname() != o.Origin.Host {
		v.Notes = append(v.Notes, templates.NoteView{Text: p.words.Rich("facts.other-host", "Host", i18n.Code(o.Origin.Host), "Final", i18n.Code(final.Hostname()))})
	}
	if site, err := fetch.ParseSite(p.form.site); err == nil && site.OtherRobots {
		v.Notes = append(v.Notes, templates.NoteView{Text: p.words.Rich("facts.root-only")})
	}
}

// answered says whether the site answered us at all.
func answered(o *fetch.Outcome) bool {
	switch o.Kind {
	case fetch.ClientError, fetch.TooManyRequests, fetch.ServerError, fetch.Challenge:
		return true
	}
	return false
}

func isHTML(o *fetch.Outcome) bool {
	t, _, _ := mime.ParseMediaType(o.ContentType)
	return t == "text/html" || t == "application/xhtml+xml"
}

// contentType words the type and encoding that the answer named.
func (p *page) contentType(o *fetch.Outcome) string {
	if o.ContentType == "" {
		return p.words.Rich("facts.no-type")
	}
	t, params, err := mime.ParseMediaType(o.ContentType)
	if err != nil {
		return p.words.Rich("facts.type", "Type", o.ContentType)
	}
	if c := params["charset"]; c != "" {
		t += ", " + strings.ToUpper(c)
	}
	return p.words.Rich("facts.type", "Type", t)
}

// meanings says what the answer means, once for all crawlers that read it
// alike, with the page that says so.
func (p *page) meanings() []templates.NoteView {
	var order []access.Access
	who := map[access.Access][]string{}
	for i, a := range p.report.Access {
		if a.Effect == access.Rules || !p.report.Crawlers[i].Choice.Crawler.Obeys {
			continue
		}
		if who[a] == nil {
			order = append(order, a)
		}
		who[a] = append(who[a], p.report.Crawlers[i].Choice.Crawler.Token)
	}
	var notes []templates.NoteView
	for _, a := range order {
		notes = append(notes, templates.NoteView{
			Text:   p.words.Rich("facts.means", "Crawlers", p.list(who[a]), "Meaning", p.words.T("access."+a.Reason)),
			Source: a.Source,
		})
	}
	return notes
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
		if to := p.testAddress(p.report, site, urls); to != "" {
			return to
		}
	}
	return "/?site=" + url.QueryEscape(site)
}
