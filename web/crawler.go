package web

import (
	"cmp"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/whichrule/whichrule/internal/crawlers"
	"github.com/whichrule/whichrule/internal/i18n"
	"github.com/whichrule/whichrule/templates"
)

// errNoCrawler says that the catalogue does not know a name.
var errNoCrawler = &problem{Status: http.StatusNotFound, Kind: "no-crawler"}

// serveCrawler answers GET /crawlers/NAME: one entry. A name may be written in
// any case and any encoding, and be an alias or a full user-agent string: it leads
// to the one address of its crawler.
func (s *Site) serveCrawler(w http.ResponseWriter, r *http.Request) error {
	name := strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, "/crawlers/"), "/")
	if len(name) > crawlers.MaxName {
		name = name[:crawlers.MaxName]
	}
	name = strings.ToValidUTF8(strings.TrimSpace(name), "\ufffd")
	choice := s.Catalogue.Resolve(name)
	switch {
	case name == "":
		http.Redirect(w, r, "/crawlers", http.StatusMovedPermanently)
		return nil
	case !choice.Known:
		return s.answerNoCrawler(w, r, name)
	}
	cr := choice.Crawler
	if to := crawlerAddress(cr.Token); r.URL.EscapedPath() != to {
		http.Redirect(w, r, to, http.StatusMovedPermanently)
		return nil
	}
	wd := words(r)
	purpose := wd.T("category." + string(cr.Category))
	w.Header().Set("Cache-Control", "public, max-age=300")
	head := templates.PageView{
		Title:       wd.T("page.title", "Title", wd.T("crawler.title", "Crawler", cr.Token)),
		Description: wd.T("crawler.description", "Crawler", cr.Token, "Operator", cr.Operator, "Purpose", purpose),
		Canonical:   s.base(r) + crawlerAddress(cr.Token),
		Nav:         "crawlers",
	}
	e := newEntry(wd, cr)
	v := e.view(s.Catalogue)
	v.Data = e.structured(s.base(r), s.Catalogue.Version(), head)
	return s.page(w, r, http.StatusOK, head, templates.Crawler(v))
}

// answerNoCrawler answers for a name that the catalogue does not know.
func (s *Site) answerNoCrawler(w http.ResponseWriter, r *http.Request, name string) error {
	if formatOf(r) != formatHTML {
		return errNoCrawler
	}
	wd := words(r)
	v := templates.NoCrawlerView{Name: name, Heading: wd.T("crawler.none", "Name", clip(name))}
	v.Guess, v.GuessTo = s.guess(wd, name)
	noStore(w.Header())
	return s.page(w, r, errNoCrawler.Status, templates.PageView{
		Title:   wd.T("page.title", "Title", v.Heading),
		NoIndex: true,
		Nav:     "crawlers",
	}, templates.NoCrawler(v))
}

// entry words one entry of the catalogue. Its sentences claim what the entry's basis
// allows, and no more.
type entry struct {
	crawlers.Crawler
	words *i18n.Words
	args  []any // Crawler and Operator, for the sentences
}

func newEntry(wd *i18n.Words, cr crawlers.Crawler) *entry {
	return &entry{cr, wd, []any{"Crawler", cr.Token, "Operator", cr.Operator}}
}

// view makes the page of the entry.
func (e *entry) view(all *crawlers.Catalogue) templates.CrawlerView {
	v := templates.CrawlerView{
		Token:  e.Token,
		Lede:   e.words.T("crawler.lede", "Operator", e.Operator, "Does", e.words.T("crawler.does."+string(e.Category))),
		Means:  e.BlockingMeans,
		Chain:  e.chain(all),
		Facts:  e.facts(),
		Others: e.words.T("crawler.related", "Operator", e.Operator),
		Dated:  e.words.T("crawler.dated", "Date", e.SourceDate),
		Sure:   e.words.T("crawler.confidence." + e.Confidence),

		TestNote: e.words.T("crawler.test.label", e.args...),
		TestLink: templates.LinkView{Text: e.words.T("crawler.test.own", e.args...), Href: "/?crawler=" + url.QueryEscape(e.Token)},
	}
	if !yearNamed.MatchString(e.SourceDate) {
		v.Dated = e.words.T("crawler.undated", "Date", e.SourceDate)
	}
	if m := markOf(e.Crawler); m != "" {
		// What a crawler does is not to be said of a name that may have none.
		v.Lede = e.words.T("crawler.lede.marked", "Operator", e.Operator, "Purpose", e.words.T("category."+string(e.Category)))
		v.Status = e.words.Rich("crawler.status." + m)
	}
	v.Groups, v.Notes = e.groups()
	v.Sources = e.sources()
	for _, other := range all.All() {
		if other.Operator == e.Operator && other.Token != e.Token {
			v.Related = append(v.Related, e.link(other))
		}
	}
	return v
}

// yearNamed matches a source_date that says of which year the sources are.
var yearNamed = regexp.MustCompile(`\b20\d\d\b`)

// link leads to another entry.
func (e *entry) link(to crawlers.Crawler) templates.LinkView {
	note := e.words.T("purpose." + string(to.Category))
	if m := markOf(to); m != "" {
		note += ", " + e.words.T("crawlers.mark."+m)
	}
	return templates.LinkView{Text: to.Token, Href: crawlerAddress(to.Token), Note: note}
}

// groupNames gives the names that a group for the crawler has to hold: none where it
// is not known to read a group of its own.
func (e *entry) groupNames() []string {
	if e.Own > 0 {
		return e.Names[:e.Own]
	}
	// What a crawler sees of its name that cuts it at a blank.
	if first, _, cut := strings.Cut(e.Token, " "); cut && slices.Contains(e.Names, first) {
		return []string{first}
	}
	return nil
}

// groups gives what to paste to close a site to the crawler or to open it, and what
// to know about that.
func (e *entry) groups() (snippets []templates.SnippetView, notes []string) {
	note := func(text string) { notes = append(notes, text) }
	names := e.groupNames()
	switch {
	case e.Status == "retired":
		note(e.words.Rich("crawler.group.retired", e.args...))
		return nil, notes
	case !e.Obeys && e.Honours == "no":
		note(e.words.Rich("crawler.group.not-obeyed", e.args...))
		return nil, notes
	case !e.Obeys:
		note(e.words.Rich("crawler.group.no-name", e.args...))
		return nil, notes
	case names == nil:
		note(e.words.Rich("crawler.group.shared", "Crawler", e.Token, "Name", i18n.Code(e.Names[0])))
		return nil, notes
	}
	agents := "User-agent: " + strings.Join(names, "\nUser-agent: ") + "\n"
	snippets = []templates.SnippetView{
		{ID: "block", Name: e.words.T("crawler.block"), Text: agents + "Disallow: /\n", What: e.words.T("crawler.block.what", e.args...)},
		{ID: "allow", Name: e.words.T("crawler.allow"), Text: agents + "Allow: /\n", What: e.words.T("crawler.allow.what", e.args...)},
	}
	switch e.Honours {
	case "partly":
		note(e.words.Rich("crawler.group.partly", e.args...))
	case "silent":
		note(e.words.Rich("crawler.group.silent", e.args...))
	case "unknown":
		note(e.words.Rich("crawler.group.unknown", e.args...))
	}
	if e.Category == crawlers.ControlOnly {
		note(e.words.Rich("crawler.group.control", e.args...))
	}
	switch {
	case e.Star:
		note(e.words.Rich("crawler.group.alone", e.args...))
	case e.sure():
		note(e.words.Rich("crawler.group.named", e.args...))
	default:
		note(e.words.Rich("crawler.group.named.unsure", e.args...))
	}
	if len(names) > 1 {
		note(e.words.Rich("crawler.group.names", e.args...))
	}
	return snippets, notes
}

// sure says whether the operator itself says if * reaches the crawler.
func (e *entry) sure() bool { return e.WildcardBasis == "operator-text" }

// chain shows which groups the crawler looks for.
func (e *entry) chain(all *crawlers.Catalogue) templates.ChainView {
	var v templates.ChainView
	add := func(l templates.ChainLink) { v.Links = append(v.Links, l) }
	note := func(text string) { v.Notes = append(v.Notes, text) }
	switch {
	case !e.Obeys && e.Honours == "no":
		add(templates.ChainLink{Text: e.words.Rich("crawler.chain.not-read"), End: true})
	case !e.Obeys:
		add(templates.ChainLink{Text: e.words.Rich("crawler.chain.no-name"), End: true})
	default:
		if e.Honours == "silent" || e.Honours == "unknown" {
			v.If = e.words.T("crawler.chain.if", e.args...)
		}
		if e.Own > 0 {
			add(templates.ChainLink{Text: e.words.Rich("crawler.chain.group", "Names", e.either(e.Names[:e.Own]))})
		}
		for _, name := range e.Names[e.Own:] {
			add(templates.ChainLink{Text: e.words.Rich("crawler.chain.group", "Names", i18n.Code(name))})
		}
		if e.Star {
			l := templates.ChainLink{Text: e.words.Rich("crawler.chain.star")}
			switch {
			case e.WildcardBasis == "none":
				l.Note, l.Assumed = e.words.Rich("crawler.chain.unsettled"), true
			case !e.sure():
				l.Note, l.Assumed = e.words.Rich("crawler.chain.assumed"), true
			}
			add(l)
		}
		end := templates.ChainLink{Text: e.words.Rich("crawler.chain.open"), End: true}
		switch {
		case e.Star:
		case e.sure():
			end.Note = e.words.Rich("crawler.chain.skips")
		default:
			end.Note, end.Assumed = e.words.Rich("crawler.chain.skips.unsure"), true
		}
		add(end)
	}
	for _, w := range e.Warnings {
		note(e.words.Rich("crawler.chain.warning", "What", w))
	}
	if e.FallbackNote != "" {
		note(e.FallbackNote)
	}
	for _, other := range all.All() {
		if other.Obeys && other.Token != e.Token && slices.Contains(other.Names[other.Own:], e.Token) {
			v.Also = append(v.Also, e.link(other))
		}
	}
	v.Readers = e.words.Rich("crawler.chain.readers", "Crawler", i18n.Code(e.Token))
	return v
}

// either lists names of which one is enough.
func (e *entry) either(names []string) i18n.Marked {
	list := i18n.Marked(e.words.Rich("crawler.or.first", "Name", i18n.Code(names[0])))
	for _, name := range names[1:] {
		list = i18n.Marked(e.words.Rich("crawler.or", "List", list, "Name", i18n.Code(name)))
	}
	return list
}

// facts lists what is known, and on whose word.
func (e *entry) facts() []templates.DetailView {
	var facts []templates.DetailView
	add := func(name string, texts ...string) {
		texts = slices.DeleteFunc(texts, func(t string) bool { return t == "" })
		if len(texts) > 0 {
			facts = append(facts, templates.DetailView{Name: name, Texts: texts})
		}
	}
	add(e.words.T("crawlers.operator"), e.Operator)
	add(e.words.T("crawlers.purpose"), purposes(e.words, e.Crawler))
	if len(e.Aliases) > 0 {
		add(e.words.T("crawler.aliases"), strings.Join(e.Aliases, ", "))
	}
	add(e.words.T("crawlers.obeys"), e.claim(e.words.Rich("crawler.honours."+e.Honours, e.args...), e.HonoursBasis), e.HonoursNote)
	add(e.words.T("crawlers.star"), e.claim(e.words.Rich("crawler.star."+starWord(e.Crawler), e.args...), e.WildcardBasis))
	add(e.words.T("crawler.delay"), e.words.Rich("crawler.delay."+e.CrawlDelay, e.args...), e.CrawlDelayNote)
	facts = append(facts, e.userAgent())
	if e.Obeys { // else it reads none, whatever its operator says of all its crawlers
		add(e.words.T("crawler.lines"), strings.Join(e.OtherLines, ", "))
	}
	add(e.words.T("crawler.answers"), e.StatusHandling)
	add(e.words.T("crawler.notes"), e.Notes)
	return facts
}

// claim adds to a claim what it rests on.
func (e *entry) claim(text, basis string) string {
	if basis == "none" {
		return text
	}
	return text + " " + e.words.Rich("crawler.by."+basis, e.args...)
}

// userAgent shows the string that the crawler sends.
func (e *entry) userAgent() templates.DetailView {
	f := templates.DetailView{Name: e.words.T("crawler.agent")}
	by := e.words.Rich("crawler.agent."+cmp.Or(e.UserAgentSource, "none"), e.args...)
	switch about, described := strings.CutPrefix(e.UserAgent, "("); {
	case e.UserAgent == "":
		f.Texts = []string{by}
		return f
	case described:
		f.Texts = []string{strings.TrimSuffix(about, ")"), by}
		return f
	}
	f.Copy = &templates.SnippetView{ID: "agent", Text: e.UserAgent, What: e.words.T("crawler.agent.what", e.args...)}
	if strings.Contains(e.UserAgent, "W.X.Y.Z") {
		by += " " + e.words.Rich("crawler.agent.version")
	}
	f.Texts = []string{by}
	return f
}

// sources lists the pages that the entry rests on, and the operator's page.
func (e *entry) sources() []templates.SourceView {
	var out []templates.SourceView
	add := func(href, note string) {
		out = append(out, templates.SourceView{Href: href, Note: note})
	}
	for _, href := range e.Sources {
		note := ""
		if href == e.Documentation && e.OperatorDocumented {
			note = e.words.T("crawler.source.operator", e.args...)
		}
		add(href, note)
	}
	if e.Documentation != "" && !slices.Contains(e.Sources, e.Documentation) {
		add(e.Documentation, e.words.T("crawler.source.further"))
	}
	return out
}

// structured describes the entry to search engines (schema.org).
func (e *entry) structured(base string, version string, head templates.PageView) any {
	type object = map[string]any
	term := object{"@type": "DefinedTerm", "name": e.Token, "description": e.BlockingMeans, "inDefinedTermSet": base + "/crawlers"}
	if len(e.Aliases) > 0 {
		term["alternateName"] = e.Aliases
	}
	crumb := func(at int, name, address string) object {
		return object{"@type": "ListItem", "position": at, "name": name, "item": address}
	}
	return object{
		"@context": "https://schema.org",
		"@graph": []object{
			{
				"@type": "WebPage", "@id": head.Canonical, "url": head.Canonical, "name": head.Title, "description": head.Description,
				"dateModified": version, "about": term,
				"isPartOf": object{"@type": "WebSite", "name": "Whichrule", "url": base + "/"},
			},
			{
				"@type": "BreadcrumbList",
				"itemListElement": []object{
					crumb(1, e.words.T("crawlers.title"), base+"/crawlers"),
					crumb(2, e.Token, head.Canonical),
				},
			},
		},
	}
}
