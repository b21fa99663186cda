package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/whichrule/whichrule/internal/crawlers"
	"github.com/whichrule/whichrule/internal/robots"
)

// siteClosed finds rules that close every page to everybody, as the file of a staging
// site does, or to a search engine. A file that closes everything to * and lets in some
// by name is meant so.
func siteClosed(in *input) []Finding {
	var out []Finding
	if lines := closingLines(in.File, in.stars); lines != nil && !in.gluedAbove(lines, robots.AgentLine.Star) {
		if f, ok := in.closedToAll(lines); ok {
			out = append(out, f)
		}
	}
	// Crawlers that read the same groups are one finding.
	found := map[string]int{}
	for _, c := range in.Catalogue.All() {
		if !searches(&c) || c.Own == 0 || in.helps(&c) {
			continue
		}
		sel := in.selection(&c)
		if sel.Index < 0 || sel.Index >= c.Own {
			continue
		}
		key := fmt.Sprint(sel.Groups)
		i, ok := found[key]
		if !ok {
			lines := closingLines(in.File, sel)
			names := func(a robots.AgentLine) bool { return in.spelling(a.Value) == c.Token }
			if lines == nil || in.gluedAbove(lines, names) {
				continue
			}
			i = len(out)
			found[key] = i
			out = append(out, Finding{
				Severity: Note,
				Lines:    lines,
				Example:  &Example{"/", c.Token, false},
				Source:   rfc9309Match,
			})
		}
		f := &out[i]
		f.Crawlers = append(f.Crawlers, c.Token)
		if c.Token == "Googlebot" || c.Token == "bingbot" {
			f.Severity, f.Example.Crawler = Problem, c.Token
			f.Fix = in.openLines(f.Lines)
		}
	}
	for i := range out {
		f := &out[i]
		if f.Crawlers == nil {
			continue
		}
		word, effect := "search-few", SiteClosed.say("effect-few")
		if f.Severity == Problem {
			word, effect = "search", SiteClosed.say("effect-search")
		}
		f.Message = SiteClosed.say(word, "Names", quoteNames(f.Crawlers), "Line", line(f.Lines[0]))
		f.Effect = &effect
	}
	return out
}

// closedToAll tells of a site closed to *, unless groups by name let in those for whom
// sites are closed to all others: search engines or the crawlers of ads.
func (in *input) closedToAll(lines []int) (Finding, bool) {
	effect := SiteClosed.say("effect")
	f := Finding{
		Severity: Problem,
		Lines:    lines,
		Message:  SiteClosed.say("star", "Line", line(lines[0])),
		Effect:   &effect,
		Example:  &Example{"/", "*", false},
		Fix:      in.openLines(lines),
		Source:   rfc9309Match,
	}
	for i := range in.groups {
		g := &in.groups[i]
		if slices.ContainsFunc(g.agents, robots.AgentLine.Star) || slices.ContainsFunc(g.rules, func(r robots.Rule) bool { return !r.Allow && everything(r.Pattern) }) {
			continue
		}
		for _, a := range g.agents {
			c := in.crawler(a.Value)
			if c != nil && (c.Category == crawlers.SearchIndex || c.Category == crawlers.Ads) {
				return Finding{}, false
			}
			if name := in.spelling(a.Value); name != "" {
				f.Severity = Warning
				f.Message = SiteClosed.say("star-but", "Line", line(lines[0]), "Name", name)
			}
		}
	}
	return f, true
}

// closingLines gives the lines of the rules that close the whole site to those who read
// the groups, or nil when anything but the file itself is open.
func closingLines(f *robots.File, sel *robots.Selection) []int {
	d := sel.Match("/")
	if d.Allowed || !everything(d.Rule.Pattern) {
		return nil
	}
	var lines []int
	for _, g := range sel.Groups {
		for r := range f.Rules(g) {
			switch {
			case r.Allow && canMatch(r.Pattern) && len(r.Pattern) >= d.Length && strings.TrimSuffix(r.Pattern, "$") != "/robots.txt":
				return nil
			case !r.Allow && everything(r.Pattern):
				lines = append(lines, r.Line)
			}
		}
	}
	slices.Sort(lines)
	return lines
}

// gluedAbove says whether a name stands in the groups of all these rules only above a
// place where another group was meant to begin: then kind swallowed-group tells of it,
// and mends it without touching the rules.
func (in *input) gluedAbove(lines []int, is func(robots.AgentLine) bool) bool {
	for i := range in.groups {
		g := &in.groups[i]
		if !slices.ContainsFunc(g.rules, func(r robots.Rule) bool { _, ok := slices.BinarySearch(lines, r.Line); return ok }) {
			continue
		}
		for n := len(g.agents) - 1; n >= 0; n-- {
			if is(g.agents[n]) {
				return false
			}
			if n == 0 {
				break
			}
			if apart, _ := in.apart(g.agents[n-1].Line, g.agents[n].Line); apart {
				break
			}
		}
	}
	return true
}

// everything says whether a pattern matches every path.
func everything(pattern string) bool {
	rest := strings.TrimLeft(strings.TrimPrefix(pattern, "/"), "*")
	if rest == "$" {
		return strings.Contains(pattern, "*")
	}
	return pattern != "" && rest == ""
}

// helps says whether a crawler helps another one of its operator, as those for images
// and news do: to close a site to it closes no search.
func (in *input) helps(c *crawlers.Crawler) bool {
	for _, name := range c.Fallback[min(1, len(c.Fallback)):] {
		if o, ok := in.Catalogue.Lookup(name); ok && o.Operator == c.Operator {
			return true
		}
	}
	return false
}

// openLines makes rules that close everything empty ones. It is nil when that would be
// too much to read.
func (in *input) openLines(lines []int) *Fix {
	var old []record
	for _, n := range lines {
		old = append(old, in.from(n)[0])
	}
	return in.rewrite(SiteClosed.say("fix", "N", len(lines), "Line", line(lines[0])), old, func(r record) []string {
		return []string{in.put(r, r.Key, "")}
	})
}
