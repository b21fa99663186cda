package lint

import (
	"strings"

	"github.com/whichrule/whichrule/internal/robots"
)

// agentList finds User-agent lines that hold several names: a line names one crawler
// (RFC 9309 §2.2.1), the others are not addressed.
func agentList(in *input) []Finding {
	var out []Finding
	for _, g := range in.groups {
		for _, a := range g.agents {
			names := in.listed(a.Value)
			if names == nil || len(out) == MaxFindings {
				continue
			}
			f := Finding{Severity: Warning, Lines: []int{a.Line}, Source: rfc9309Groups}
			read := in.reads(a, names[0])
			rest := names
			if read {
				rest = names[1:]
				f.Message = AgentList.say("first", "Line", line(a.Line), "First", code(names[0]), "Rest", code(strings.Join(rest, ", ")))
			} else {
				f.Message = AgentList.say("none", "Line", line(a.Line), "Names", code(strings.Join(rest, ", ")))
			}
			for _, n := range rest {
				if c := in.crawler(n); c != nil && len(f.Crawlers) < MaxLines {
					f.Crawlers = append(f.Crawlers, c.Token)
				}
			}
			f.Example = in.missed(&g, rest[0])
			f.Fix = in.rewrite(AgentList.say("fix"), []record{in.record(a.Line)}, func(r record) []string {
				lines := []string{in.put(r, "User-agent", names[0])}
				for _, n := range names[1:] {
					lines = append(lines, "User-agent: "+n)
				}
				return lines
			})
			out = append(out, f)
		}
	}
	return out
}

// listed gives the names of a User-agent value that is a list, or nil: parts between
// commas, semicolons or bars, or words that are all names of crawlers. Full user-agent
// strings and names of several words are none.
func (in *input) listed(value string) []string {
	const most = 4 << 10 // bytes: far more than fits a screen
	if len(value) > most || strings.ContainsAny(value, "()@") || strings.Contains(value, "://") || strings.HasPrefix(strings.ToLower(value), "mozilla/") {
		return nil
	}
	var names []string
	for _, n := range strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ';' || r == '|' }) {
		if n = strings.Trim(n, " \t\"'"); n != "" {
			names = append(names, n)
		}
	}
	if len(names) > 1 {
		return names
	}
	names = strings.Fields(value)
	if in.crawler(value) != nil && in.isOne(value) || len(names) < 2 || names[0] == "*" {
		return nil
	}
	for _, n := range names {
		if !in.isOne(n) {
			return nil
		}
	}
	return names
}

// isOne says whether the whole of a value is the name of a crawler.
func (in *input) isOne(value string) bool {
	_, ok := in.Catalogue.Lookup(value)
	return ok
}

// reads says whether a User-agent line speaks to a name.
func (in *input) reads(a robots.AgentLine, name string) bool {
	if name == "*" {
		return a.Star()
	}
	who := robots.Agent{Names: []string{name}}
	if c := in.crawler(name); c != nil {
		who.Names, who.Cut = c.Names, c.Google
	}
	return who.Find(a) >= 0
}

// missed gives a path that a group closes and that somebody may fetch whom it was meant
// for, or nil.
func (in *input) missed(g *group, name string) *Example {
	const most = 20 // rules to try: of most groups the first one does
	sel := in.stars
	if name != "*" {
		sel, name = in.reader(name), in.spelling(name)
	}
	for _, r := range g.rules[:min(len(g.rules), most)] {
		if p := sample(r.Pattern); closes(r) && p != "" && in.mayMatch(sel, p) && sel.Match(p).Allowed {
			return &Example{p, name, true}
		}
	}
	return nil
}
