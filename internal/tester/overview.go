package tester

import (
	"fmt"
	"slices"
	"strings"

	"github.com/whichrule/whichrule/internal/access"
	"github.com/whichrule/whichrule/internal/crawlers"
	"github.com/whichrule/whichrule/internal/robots"
)

// State says how far a site as a whole is open to a crawler.
type State string

// The states.
const (
	// Closed: the site is blocked, and no Allow opens more than its front page
	// and robots.txt.
	Closed State = "closed"
	// Open: no Disallow blocks anything.
	Open State = "open"
	// Partly: the rest.
	Partly State = "partly"
	// NotControlled: the crawler does not obey robots.txt.
	NotControlled State = "not-controlled"
	// Untold: the file could not be read, and that may be our fault alone.
	Untold State = "unknown"
)

// Standing is how a site as a whole stands to one crawler of the catalogue.
type Standing struct {
	Crawler  string            `json:"crawler"` // catalogue spelling
	Category crawlers.Category `json:"category"`
	State    State             `json:"state"`
	How      How               `json:"how"` // of the group that decided; HowNone when rules had no say
	// Line is the rule that closes the site, or the first that blocks a part of
	// it; for an open site the User-agent line of its group. 0 for none.
	Line int `json:"line"`
	// Name is the name that a fallback found.
	Name string `json:"name"`
	// Disallows counts the rules of the group that are not empty.
	Disallows int `json:"disallows"`
}

// Overview tells how the whole site stands to every crawler that is offered.
type Overview struct {
	Standings []Standing // in the order of the catalogue's pages
	Alarms    []Alarm    `json:",omitempty"`
	// Names are the names of the file's User-agent lines that speak to none of
	// these crawlers, each once, in the order of the file; NamesTotal counts
	// them also beyond MaxNames.
	Names      []Name `json:",omitempty"`
	NamesTotal int    `json:",omitempty"`
}

// MaxNames is how many names an overview explains: as many as a page can list.
const MaxNames = 20

// NameKind says what a name in a file is that speaks to nobody who is offered.
type NameKind string

// The kinds of names.
const (
	NameString  NameKind = "agent-string" // a full user-agent string, which speaks to nobody
	NameClose   NameKind = "close"        // almost the name of a crawler
	NameRetired NameKind = "retired"      // of a crawler that is no more
	NameLegacy  NameKind = "legacy"       // an old name
	NameDoubted NameKind = "unconfirmed"  // listed by others, confirmed by nobody
	NameListed  NameKind = "listed"       // of a crawler that is known, but not offered
	NameUnknown NameKind = "unknown"      // not in the catalogue
)

// Name is a name in a file that speaks to nobody who is offered.
type Name struct {
	Line int      `json:"line"`
	Name string   `json:"name"` // as written, at most crawlers.MaxName bytes
	Kind NameKind `json:"kind"`
	// Crawler is who is or was meant, in catalogue spelling; "" where the
	// catalogue knows nobody.
	Crawler string `json:"crawler"`
}

// AlarmKind says what an Alarm is about.
type AlarmKind string

// The alarms.
const (
	// AISearchInverted: AI search is closed while AI training is open.
	AISearchInverted AlarmKind = "ai-search-inverted"
	// SearchInverted: search engines are shut out while AI training is not.
	SearchInverted AlarmKind = "search-inverted"
	// Ignored: rules would close the site to fetchers that people send, which
	// do not obey them.
	Ignored AlarmKind = "ignored"
	// StarMissed: * closes the site, which crawlers that do not read * miss.
	StarMissed AlarmKind = "star-missed"
)

// Alarm is a contradiction in who may come and who may not.
type Alarm struct {
	Kind AlarmKind
	// Crawlers are those shut out, or those that the rule does not reach, and
	// Others those that may come, each in the order of the page.
	Crawlers, Others []string
	Line             int // the rule at fault
}

// maxProbing bounds the work of one overview, in rules held against a path:
// hostile files have thousands of rules that block nothing, and each is tried
// against all. It is what a few milliseconds suffice for. What is not tried
// counts as blocking a part, in no line.
const maxProbing = 500_000

// overview makes the overview of a parsed file. accessOf tells what an
// operator's crawlers make of the answer that the file came with.
func overview(f *robots.File, known *crawlers.Catalogue, accessOf func(operator string) access.Access) *Overview {
	offered := known.Offered()
	s := newSurveyor(f, offered)
	o := &Overview{Standings: make([]Standing, 0, len(offered))}
	var missed, ignored []string
	starLine, ignoredLine := 0, 0
	for i := range offered {
		c := &offered[i]
		st := Standing{Crawler: c.Token, Category: c.Category, How: HowNone}
		rules := s.survey(c)
		switch effect := accessOf(c.Operator).Effect; {
		case !c.Obeys:
			st.State = NotControlled
			if effect == access.Rules && c.Category == crawlers.UserFetch && rules.state == Closed {
				ignored = append(ignored, c.Token)
				ignoredLine = rules.line
			}
		case effect == access.Unknown:
			st.State = Untold
		case effect == access.AllowAll:
			st.State = Open
		case effect == access.BlockAll:
			st.State = Closed
		default:
			st.State, st.How, st.Line, st.Disallows = rules.state, rules.how, rules.line, rules.disallows
			if st.How == HowFallback {
				st.Name = rules.name
			}
			if star := s.star(); !c.Star && rules.how == HowNone && star.state == Closed {
				missed = append(missed, c.Token)
				starLine = star.line
			}
		}
		o.Standings = append(o.Standings, st)
	}
	for _, inverted := range []struct {
		kind     AlarmKind
		category crawlers.Category
	}{{AISearchInverted, crawlers.AISearch}, {SearchInverted, crawlers.SearchIndex}} {
		if a := o.inversion(offered, inverted.category); a != nil {
			a.Kind = inverted.kind
			o.Alarms = append(o.Alarms, *a)
		}
	}
	if len(missed) > 0 {
		o.Alarms = append(o.Alarms, Alarm{Kind: StarMissed, Crawlers: missed, Line: starLine})
	}
	if len(ignored) > 0 {
		o.Alarms = append(o.Alarms, Alarm{Kind: Ignored, Crawlers: ignored, Line: ignoredLine})
	}
	o.Names, o.NamesTotal = strangers(f, known)
	return o
}

// strangers gives the names of a file that speak to no crawler that is offered.
func strangers(f *robots.File, known *crawlers.Catalogue) (names []Name, total int) {
	seen := map[string]bool{"": true}
	for g := range f.Groups() {
		for a := range f.Agents(g) {
			value := strings.ToLower(a.Value)
			if a.Star() || seen[value] {
				continue
			}
			seen[value] = true
			c, found := addressed(a, known)
			if found && c.Tier < 3 {
				continue
			}
			if total++; len(names) == MaxNames {
				continue
			}
			n := Name{Line: a.Line, Name: strings.ToValidUTF8(a.Value[:min(len(a.Value), crawlers.MaxName)], "\ufffd"), Crawler: c.Token}
			switch {
			case found && c.Status == "active":
				n.Kind = NameListed
			case found:
				n.Kind = NameKind(c.Status)
			default:
				n.Kind, n.Crawler = meant(n.Name, known)
			}
			names = append(names, n)
		}
	}
	return names, total
}

// addressed finds the crawler to whom a User-agent line speaks.
func addressed(a robots.AgentLine, known *crawlers.Catalogue) (crawlers.Crawler, bool) {
	value := a.Value[:min(len(a.Value), crawlers.MaxName)]
	for end := len(value); end > 0; end-- {
		if end < len(value) && strings.IndexByte(endsName, value[end]) < 0 {
			continue
		}
		if c, ok := known.Lookup(value[:end]); ok {
			return c, true
		}
	}
	if c, ok := known.Lookup(a.Token()); ok && c.Google {
		return c, true // Google reads no further than letters go
	}
	return crawlers.Crawler{}, false
}

// meant guesses whom a name was written for that speaks to nobody.
func meant(name string, known *crawlers.Catalogue) (NameKind, string) {
	c := known.Resolve(name)
	switch {
	case c.FromUserAgent:
		return NameString, c.Crawler.Token
	case strings.Contains(name, "("):
		return NameString, ""
	}
	if c, ok := known.Closest(name); ok {
		return NameClose, c.Token
	}
	return NameUnknown, ""
}

// endsName holds what can follow a name in a User-agent line, as
// robots.Agent.Cut says.
const endsName = " \t/*,;("

// inversion finds crawlers of a category that rules shut out while AI training
// may come: those of one operator, whose training does come, or else more than
// half of them while more than half of all training may come. Only what most
// people ask about (tier 1) and what is in use counts.
func (o *Overview) inversion(offered []crawlers.Crawler, of crawlers.Category) *Alarm {
	type side struct {
		in, out []int // of offered: may come, and shut out by a rule
	}
	var search, training side
	for i := range offered {
		c := &offered[i]
		if c.Tier > 1 || c.Status != "active" || !c.Obeys || o.Standings[i].State == Untold {
			continue
		}
		for category, s := range map[crawlers.Category]*side{of: &search, crawlers.AITraining: &training} {
			switch {
			case c.Category != category:
			case o.Standings[i].State != Closed:
				s.in = append(s.in, i)
			case o.Standings[i].Line > 0:
				s.out = append(s.out, i)
			}
		}
	}
	a := &Alarm{}
	for _, i := range search.out {
		for _, j := range training.in {
			if offered[i].Operator != offered[j].Operator {
				continue
			}
			if !slices.Contains(a.Crawlers, offered[i].Token) {
				a.Crawlers = append(a.Crawlers, offered[i].Token)
			}
			if !slices.Contains(a.Others, offered[j].Token) {
				a.Others = append(a.Others, offered[j].Token)
			}
			a.Line = o.Standings[i].Line
		}
	}
	if a.Crawlers != nil {
		return a
	}
	if len(search.out) <= len(search.in) || len(training.in) <= len(training.out) {
		return nil
	}
	for _, i := range search.out {
		a.Crawlers = append(a.Crawlers, offered[i].Token)
		a.Line = o.Standings[i].Line
	}
	for _, i := range training.in {
		a.Others = append(a.Others, offered[i].Token)
	}
	return a
}

// standing is what the rules alone say of the whole site.
type standing struct {
	state           State
	how             How
	name            string // that was found
	line, disallows int
}

// surveyor makes standings of one file, each group's rules once.
type surveyor struct {
	file    *robots.File
	said    map[string]bool            // names that the file speaks to, in lower case
	unnamed map[bool]*robots.Selection // of crawlers that nothing names, by whether they read *
	seen    map[string]standing        // by the groups chosen
	probing int                        // rules that may still be held against a path
}

func newSurveyor(f *robots.File, offered []crawlers.Crawler) *surveyor {
	return &surveyor{
		file: f, said: spoken(f, offered),
		unnamed: map[bool]*robots.Selection{true: f.Select(robots.Agent{Star: true}), false: {Index: -1}},
		seen:    map[string]standing{}, probing: maxProbing,
	}
}

// spoken gives the names of crawlers that a file speaks to, in lower case, so
// that nobody else has to be looked for in it.
func spoken(f *robots.File, offered []crawlers.Crawler) map[string]bool {
	longest := 0
	for i := range offered {
		for _, name := range offered[i].Names {
			longest = max(longest, len(name))
		}
	}
	said := map[string]bool{}
	for g := range f.Groups() {
		for a := range f.Agents(g) {
			// Every beginning that a name can have here; what is none is never
			// looked up.
			value := strings.ToLower(a.Value[:min(len(a.Value), longest+1)])
			said[value] = true
			said[strings.ToLower(a.Token())] = true
			for i := range len(value) {
				if strings.IndexByte(endsName, value[i]) >= 0 {
					said[value[:i]] = true
				}
			}
		}
	}
	return said
}

// star is how the site stands to whoever reads * and nothing else.
func (s *surveyor) star() standing {
	return s.survey(&crawlers.Crawler{Star: true, Obeys: true})
}

// survey is how the site stands to a crawler by the rules alone.
func (s *surveyor) survey(c *crawlers.Crawler) standing {
	// One that does not obey is asked what it would read if it did.
	agent := robots.Agent{Names: c.Names, Star: c.Star || !c.Obeys, Cut: c.Google}
	sel := s.unnamed[agent.Star]
	if slices.ContainsFunc(c.Names, func(name string) bool { return s.said[strings.ToLower(name)] }) {
		sel = s.file.Select(agent)
	}
	key := "" // of those that nothing names
	if sel != s.unnamed[agent.Star] {
		key = fmt.Sprint(sel.Groups)
	} else if agent.Star {
		key = "*"
	}
	st, ok := s.seen[key]
	if !ok {
		st = s.read(sel)
		s.seen[key] = st
	}
	st.how, st.name = howOf(sel, c), sel.Name
	if st.state == Open {
		for a := range sel.Agents() {
			if sel.Star && a.Star() || !sel.Star && agent.Find(a) == sel.Index {
				st.line = a.Line
				break
			}
		}
	}
	return st
}

// elsewhere is a path that no rule is about.
const elsewhere = "/0c7e5a1f"

// aboutLittle says whether a pattern is about nothing but the front page, which alone
// makes no open site, or robots.txt, which is open anyway.
func aboutLittle(pattern string) bool {
	return pattern == "/$" || strings.TrimRight(pattern, "*$") == "/robots.txt"
}

// read finds out how far a group's rules close the site.
func (s *surveyor) read(sel *robots.Selection) standing {
	st := standing{state: Open}
	root, rest := sel.Match("/"), sel.Match(elsewhere)
	shut := !rest.Allowed && (!root.Allowed || aboutLittle(root.Rule.Pattern))
	opened, part := false, 0
	for _, g := range sel.Groups {
		for r := range s.file.Rules(g) {
			switch {
			case r.Pattern == "":
			case !r.Allow:
				st.disallows++
				if part == 0 && strings.TrimRight(r.Pattern, "*$") != "/robots.txt" && s.reaches(sel, r) {
					part = r.Line
				}
			case shut && !opened && len(r.Pattern) >= rest.Length && !aboutLittle(r.Pattern):
				opened = s.reaches(sel, r)
			}
		}
	}
	switch {
	case shut && !opened:
		st.state, st.line = Closed, rest.Line
	case shut:
		st.state, st.line = Partly, rest.Line
	case part > 0:
		st.state, st.line = Partly, part
	}
	if s.probing < 0 && st.state == Partly {
		st.line = 0
	}
	return st
}

// reaches says whether a rule decides anywhere. It tries the shortest path that
// the pattern fits, and one that is longer wherever it may be.
func (s *surveyor) reaches(sel *robots.Selection, r robots.Rule) bool {
	if !strings.HasPrefix(r.Pattern, "/") && !strings.HasPrefix(r.Pattern, "*") {
		return false // it fits no path
	}
	for _, fill := range []string{"", "x"} {
		path, anchored := strings.CutSuffix(strings.ReplaceAll(r.Pattern, "*", fill), "$")
		if !anchored {
			path += fill
		}
		if !strings.HasPrefix(path, "/") {
			path = "/" + path
		}
		if s.probing -= sel.Rules(); s.probing < 0 || sel.Match(path).Allowed == r.Allow {
			return true
		}
	}
	return false
}
