package web

import (
	"net/url"
	"strings"

	"github.com/whichrule/whichrule/internal/crawlers"
	"github.com/whichrule/whichrule/internal/fetch"
	"github.com/whichrule/whichrule/internal/i18n"
	"github.com/whichrule/whichrule/internal/tester"
	"github.com/whichrule/whichrule/templates"
)

// foremost are the purposes that site owners ask about, those of the sentence
// above the overview first. Control tokens and archives are among them since
// Google-Extended and CCBot decide about training too.
var foremost = []crawlers.Category{crawlers.SearchIndex, crawlers.AISearch, crawlers.AITraining, crawlers.ControlOnly, crawlers.Archive, crawlers.UserFetch}

// inLead is how many of them the sentence above the overview tells about.
const inLead = 3

// overview makes the view of the report's overview.
func (p *page) overview() templates.OverviewView {
	v := templates.OverviewView{Legend: p.words.Rich("overview.legend")}
	if p.report == nil || p.report.Overview == nil {
		v.Lead = p.words.T("overview.empty")
		return v
	}
	o := p.report.Overview
	groups := map[crawlers.Category]*templates.OverviewGroup{}
	counts := map[crawlers.Category]map[tester.State]int{}
	notes := map[note]string{}
	for _, s := range o.Standings {
		g := groups[s.Category]
		if g == nil {
			g = &templates.OverviewGroup{Name: p.words.T("category." + string(s.Category))}
			groups[s.Category], counts[s.Category] = g, map[tester.State]int{}
		}
		counts[s.Category][s.State]++
		g.Bots = append(g.Bots, p.bot(s, notes))
	}
	add := func(to *[]templates.OverviewGroup, category crawlers.Category) {
		if g := groups[category]; g != nil {
			g.Text = p.counted(counts[category])
			*to = append(*to, *g)
		}
	}
	var lead []string
	for i, category := range foremost {
		add(&v.Groups, category)
		if i < inLead && groups[category] != nil {
			lead = append(lead, p.words.T("overview.purpose", "Purpose", groups[category].Name, "Text", groups[category].Text))
		}
		delete(groups, category)
	}
	v.Lead = strings.Join(lead, " ")
	for _, category := range crawlers.Categories() {
		add(&v.More, category)
	}
	for _, a := range o.Alarms {
		view := templates.AlarmView{Bad: a.Kind == tester.AISearchInverted || a.Kind == tester.SearchInverted}
		view.Title, view.Text = alarm(a, p.words)
		v.Alarms = append(v.Alarms, view)
	}
	for _, n := range o.Names {
		id := "overview.name." + string(n.Kind)
		if n.Crawler == "" {
			id += ".nobody"
		}
		v.Names = append(v.Names, p.words.Rich(id, "Line", i18n.Line(n.Line), "Name", i18n.Code(clip(n.Name)), "Crawler", i18n.Code(n.Crawler)))
	}
	if more := o.NamesTotal - len(o.Names); more > 0 {
		v.Names = append(v.Names, p.words.Rich("overview.name.more", "N", more))
	}
	return v
}

// alarm words an alarm, rich: what is wrong, and for whom.
func alarm(a tester.Alarm, w *i18n.Words) (title, text string) {
	id := "overview.alarm." + string(a.Kind)
	args := []any{"Crawlers", listed(a.Crawlers, len(a.Crawlers), w), "Others", listed(a.Others, len(a.Others), w), "Line", i18n.Line(a.Line)}
	return w.Rich(id, args...), w.Rich(id+".text", args...)
}

// note is what the small print of a crawler depends on.
type note struct {
	tester.Standing
	honours string
}

// bot makes the view of one crawler. Many have the same small print, which
// notes keeps.
func (p *page) bot(s tester.Standing, notes map[note]string) templates.BotView {
	c, _ := p.Catalogue.Lookup(s.Crawler)
	v := templates.BotView{
		Name: s.Crawler, Href: crawlerAddress(s.Crawler), State: string(s.State), How: "other",
		Word: p.words.T("overview.state." + string(s.State)),
	}
	switch s.How {
	case tester.HowNamed:
		v.How = "named"
	case tester.HowNone:
		v.How = "none"
	}
	key := note{s, c.Honours}
	key.Crawler, key.Category = "", ""
	words, ok := notes[key]
	if !ok {
		words = p.small(s, c.Honours)
		notes[key] = words
	}
	v.Note = words
	return v
}

// small is the small print of a crawler: what decided, and what is known of how
// it takes a rule that shuts it out.
func (p *page) small(s tester.Standing, honours string) string {
	var parts []string
	add := func(id string, args ...any) { parts = append(parts, p.words.Rich("overview."+id, args...)) }
	by := ""
	switch {
	case s.State == tester.NotControlled:
		add("not-controlled")
	case s.How == tester.HowNone && s.State == tester.Open && p.ruled():
		add("no-rule")
	case s.How == tester.HowStar:
		by = p.words.Rich("overview.star")
	case s.How == tester.HowFallback:
		by = p.words.Rich("overview.fallback", "Name", i18n.Code(s.Name))
	}
	if s.Line > 0 {
		by = strings.TrimSpace(p.words.Rich("overview.line", "Line", i18n.Line(s.Line), "By", i18n.Marked(by)))
	}
	if by != "" {
		parts = append(parts, by)
	}
	if shut := s.State == tester.Closed || s.State == tester.Partly; shut && (honours == "partly" || honours == "silent" || honours == "unknown") {
		add("honours." + honours)
	}
	return strings.Join(parts, " · ")
}

// ruled says whether the rules count, not what the server answered.
func (p *page) ruled() bool {
	return !p.report.Source.Fetched() || p.report.Source.Fetch.Kind == fetch.OK
}

// counted words how many crawlers of a purpose are open and closed.
func (p *page) counted(n map[tester.State]int) string {
	all := 0
	for _, of := range n {
		all += of
	}
	for state, of := range n {
		if of == all {
			return p.words.T("overview.all." + string(state))
		}
	}
	var parts []string
	for _, state := range []tester.State{tester.Closed, tester.Open, tester.Partly, tester.NotControlled, tester.Untold} {
		if n[state] > 0 && (state != tester.Open || n[tester.Closed] == 0) {
			parts = append(parts, p.words.T("overview.some."+string(state), "N", n[state], "All", all))
		}
	}
	return strings.Join(parts, ", ")
}

// mostListed is how many names a sentence lists.
const mostListed = 5

// listed words a list of crawlers, total in all.
func listed(names []string, total int, w *i18n.Words) i18n.Marked {
	var parts []string
	for _, name := range names[:min(len(names), mostListed)] {
		parts = append(parts, w.Rich("overview.listed", "Name", i18n.Code(name)))
	}
	if more := total - len(parts); more > 0 {
		parts = append(parts, w.Rich("overview.others", "N", more))
	}
	return i18n.Marked(strings.Join(parts, ", "))
}

// clip shortens a name for a sentence.
func clip(name string) string {
	const most = 80
	if r := []rune(name); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return name
}

// crawlerAddress is the page about a crawler of the catalogue.
func crawlerAddress(token string) string { return "/crawlers/" + url.PathEscape(token) }
