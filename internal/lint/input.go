package lint

import (
	"slices"
	"strings"

	"github.com/whichrule/whichrule/internal/crawlers"
	"github.com/whichrule/whichrule/internal/fetch"
	"github.com/whichrule/whichrule/internal/robots"
)

// The pages that findings rest on.
const (
	rfc9309Groups = "https://www.rfc-editor.org/rfc/rfc9309.html#section-2.2.1"
	rfc9309Match  = "https://www.rfc-editor.org/rfc/rfc9309.html#section-2.2.2"
	rfc9309Rules  = "https://www.rfc-editor.org/rfc/rfc9309.html#section-2.2"
	googleSpec    = "https://developers.google.com/crawling/docs/robots-txt/robots-txt-spec"
)

// input is what kinds look at: the Input, and what is made of it once for all.
type input struct {
	Input
	records []record
	groups  []group
	sets    []ruleSet         // by ruleSets
	stars   *robots.Selection // the groups of *
	known   map[string]*robots.Selection
	names   map[string]*crawlers.Crawler // by User-agent value; nil for nobody's
	look    *fetch.Look                  // made when asked for

	matched  map[*robots.Selection][]robots.Decision // of Paths, as far as matching went
	matching int                                     // what was held against each other so far, as in maxMatching
}

// maxMatching bounds what one Run holds against each other, in bytes of paths times
// rules: a fifth of a second of the worst known files. Of other files it is all.
const maxMatching = 100_000_000

// record is a line that is not blank.
type record struct {
	robots.Line
	n    int // from 1
	kind robots.LineKind
}

// group is a group of the file (RFC 9309 §2.2.1).
type group struct {
	number int // of the file
	agents []robots.AgentLine
	rules  []robots.Rule
}

func newInput(in Input) *input {
	in.Paths = in.Paths[:min(len(in.Paths), MaxPaths)]
	s := &input{
		Input: in, known: map[string]*robots.Selection{}, names: map[string]*crawlers.Crawler{},
		matched: map[*robots.Selection][]robots.Decision{},
	}
	for n, l := range in.File.All() {
		if k := in.File.Kind(n); k != robots.LineEmpty {
			s.records = append(s.records, record{l, n, k})
		}
	}
	for g := range in.File.Groups() {
		s.groups = append(s.groups, group{g, slices.Collect(in.File.Agents(g)), slices.Collect(in.File.Rules(g))})
	}
	s.stars = in.File.Select(robots.Agent{Star: true})
	return s
}

// from gives the records from a line on.
func (in *input) from(n int) []record {
	i, _ := slices.BinarySearchFunc(in.records, n, func(r record, n int) int { return r.n - n })
	return in.records[i:]
}

// between gives the records from a line up to but not including another.
func (in *input) between(from, to int) []record {
	rest := in.from(from)
	return rest[:len(rest)-len(in.from(max(from, to)))]
}

// selection gives the groups that a crawler reads. One that does not obey is asked
// what it would read if it did.
func (in *input) selection(c *crawlers.Crawler) *robots.Selection {
	if s, ok := in.known[c.Token]; ok {
		return s
	}
	s := in.File.Select(agentOf(c))
	in.known[c.Token] = s
	return s
}

func agentOf(c *crawlers.Crawler) robots.Agent {
	return robots.Agent{Names: c.Names, Star: c.Star || !c.Obeys, Cut: c.Google}
}

// crawler gives whom of the catalogue a User-agent value names: by the whole value, or
// by what stands in front of a version or a remark, as robots.Agent finds it. It is nil
// for * and for names that the catalogue does not know.
func (in *input) crawler(value string) *crawlers.Crawler {
	if c, ok := in.names[value]; ok {
		return c
	}
	var found *crawlers.Crawler
	if value != "" && value[0] != '*' && len(value) <= crawlers.MaxName {
		// Ends at which a name may stop, the last one first: the longest name counts.
		for end := len(value); end > 0; end = strings.LastIndexAny(value[:end], " \t\v\f/*,;(") {
			if c, ok := in.Catalogue.Lookup(strings.TrimSpace(value[:end])); ok {
				found = &c
				break
			}
		}
	}
	in.names[value] = found
	return found
}

// reader gives the groups that those read whom a User-agent value names.
func (in *input) reader(value string) *robots.Selection {
	if c := in.crawler(value); c != nil {
		return in.selection(c)
	}
	return in.selection(&crawlers.Crawler{Token: value, Names: []string{value}, Star: true, Obeys: true})
}

// spelling gives a User-agent value as a sentence names it: in catalogue spelling, or
// as written.
func (in *input) spelling(value string) string {
	if c := in.crawler(value); c != nil {
		return c.Token
	}
	return value
}

// spellings gives the crawlers that User-agent lines name, each once; none when one of
// them is *.
func (in *input) spellings(agents []robots.AgentLine) []string {
	var all []string
	seen := map[string]bool{}
	for _, a := range agents {
		if a.Star() {
			return nil
		}
		if s := in.spelling(a.Value); s != "" && !seen[s] {
			seen[s] = true
			all = append(all, s)
		}
	}
	return all
}

// searches says whether a crawler fills a search engine that many people ask, so that
// to close a site to it is hardly ever meant.
func searches(c *crawlers.Crawler) bool {
	return c != nil && c.Category == crawlers.SearchIndex && c.Tier == 1 && c.Status == "active"
}

// example gives a path that one of the rules decides for a selection with that verdict,
// or nil: a tested path when there is one, else one made to fit the first rule for
// which that works.
func (in *input) example(sel *robots.Selection, crawler string, rules []robots.Rule, allowed bool) *Example {
	const most = 20 // rules to try: of most files the first one does
	rules = rules[:min(len(rules), most)]
	decides := func(d robots.Decision) bool {
		return d.Allowed == allowed && slices.ContainsFunc(rules, func(r robots.Rule) bool { return r.Pattern == d.Rule.Pattern && d.Line > 0 })
	}
	for i, d := range in.decisions(sel) {
		if decides(d) {
			return &Example{in.Paths[i], crawler, allowed}
		}
	}
	for _, r := range rules {
		if p := sample(r.Pattern); p != "" && in.mayMatch(sel, p) && decides(sel.Match(p)) {
			return &Example{p, crawler, allowed}
		}
	}
	return nil
}

// decisions gives those of the tested paths, or of the first of them.
func (in *input) decisions(sel *robots.Selection) []robots.Decision {
	all, ok := in.matched[sel]
	if ok {
		return all
	}
	for _, p := range in.Paths {
		if !in.mayMatch(sel, p) {
			break
		}
		all = append(all, sel.Match(p))
	}
	in.matched[sel] = all
	return all
}

// mayMatch says whether one more path may be held against a selection.
func (in *input) mayMatch(sel *robots.Selection, path string) bool {
	in.matching += len(path) * (1 + sel.Rules())
	return in.matching <= maxMatching
}

// sample makes a path of a pattern that it matches, or "": whoever uses it asks the
// engine about it.
func sample(pattern string) string {
	const most = 200 // bytes: an example is to be read
	if len(pattern) > most {
		return ""
	}
	p := strings.TrimRight(strings.TrimSuffix(pattern, "$"), "*")
	if !strings.HasPrefix(p, "/") {
		if !strings.HasPrefix(p, "*") {
			return ""
		}
		if p = strings.TrimLeft(p, "*"); !strings.HasPrefix(p, "/") {
			p = "/" + p
		}
	}
	p = strings.ReplaceAll(strings.ReplaceAll(p, "/*", "/x"), "*", "")
	return robots.NormalizePath(p)
}

// closes says whether a rule can close anything at all.
func closes(r robots.Rule) bool {
	return !r.Allow && canMatch(r.Pattern)
}

// canMatch says whether a pattern can match a path: it is not empty and starts with a
// slash or a wildcard.
func canMatch(pattern string) bool {
	return pattern != "" && (pattern[0] == '/' || pattern[0] == '*')
}

// quoteNames joins names for a sentence, the first few of them.
func quoteNames(names []string) string {
	const most = 5
	if len(names) > most {
		names = append(slices.Clone(names[:most-1]), "…")
	}
	return strings.Join(names, ", ")
}
