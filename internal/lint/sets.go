package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/whichrule/whichrule/internal/robots"
)

// ruleSet is the rules that somebody reads as one: those of a group, or of all groups
// that name exactly the same crawlers. Groups that share some names only are in no set,
// since each of their crawlers reads other rules.
type ruleSet struct {
	agents []robots.AgentLine
	rules  []robots.Rule
	known  bool // * or a crawler of the catalogue reads it
}

// ruleSets gives the sets in the order of the file.
func (in *input) ruleSets() []ruleSet {
	if in.sets != nil {
		return in.sets
	}
	// Groups that share a name, directly or over others, point to the first of them.
	first := make([]int, len(in.groups))
	root := func(g int) int {
		for first[g] != g {
			first[g] = first[first[g]]
			g = first[g]
		}
		return g
	}
	names := make([]string, len(in.groups)) // of each group, sorted
	byName := map[string]int{}
	for i, g := range in.groups {
		first[i] = i
		var all []string
		for _, a := range g.agents {
			name := in.nameKey(a)
			all = append(all, name)
			if j, ok := byName[name]; ok {
				a, b := root(i), root(j)
				first[max(a, b)] = min(a, b)
			} else {
				byName[name] = i
			}
		}
		slices.Sort(all)
		names[i] = strings.Join(slices.Compact(all), "\n")
	}
	at := map[int]int{} // of the set of a first group
	var mixed []bool
	for i, g := range in.groups {
		r := root(i)
		n, ok := at[r]
		if !ok {
			n = len(in.sets)
			at[r] = n
			in.sets = append(in.sets, ruleSet{})
			mixed = append(mixed, false)
		}
		mixed[n] = mixed[n] || names[i] != names[r]
		s := &in.sets[n]
		s.agents = append(s.agents, g.agents...)
		s.rules = append(s.rules, g.rules...)
		for _, a := range g.agents {
			s.known = s.known || a.Star() || in.crawler(a.Value) != nil
		}
	}
	sets := in.sets[:0]
	for n, s := range in.sets {
		if !mixed[n] {
			sets = append(sets, s)
		}
	}
	in.sets = slices.Clip(sets)
	if in.sets == nil {
		in.sets = []ruleSet{}
	}
	return in.sets
}

// nameKey tells names apart as crawlers do: in any case, without a version or a remark
// behind them.
func (in *input) nameKey(a robots.AgentLine) string {
	if a.Star() {
		return "*"
	}
	longest := ""
	if c := in.crawler(a.Value); c != nil {
		for _, name := range c.Names[:c.Own] {
			if len(name) > len(longest) && len(name) <= len(a.Value) && strings.EqualFold(a.Value[:len(name)], name) {
				longest = name
			}
		}
	}
	if longest == "" {
		if longest = a.Value; isWord(agentName(longest)) { // else it is no name, but an address, say
			longest, _, _ = strings.Cut(longest, "/")
		}
	}
	return strings.ToLower(longest)
}

// readBy gives the selection of the first crawler that reads a set, and its name.
func (in *input) readBy(s *ruleSet) (*robots.Selection, string) {
	for _, a := range s.agents {
		if a.Star() {
			return in.stars, "*"
		}
	}
	a := s.agents[0]
	return in.reader(a.Value), in.spelling(a.Value)
}

// reader is somebody who reads groups of the file, for all who read the same.
type reader struct {
	agent robots.Agent
	sel   *robots.Selection
	name  string   // in catalogue spelling, or *
	names []string // of a finding; none for *
}

// tested gives those whose rules kinds hold against tested paths: * and the tested
// crawlers, each set of groups once.
func (in *input) tested() []reader {
	const most = 10 // different groups; each is held against each tested path
	var out []reader
	seen := map[string]bool{}
	add := func(r reader) {
		if key := fmt.Sprint(r.sel.Groups); len(r.sel.Groups) > 0 && len(out) < most && !seen[key] {
			seen[key] = true
			out = append(out, r)
		}
	}
	add(reader{robots.Agent{Star: true}, in.stars, "*", nil})
	for _, c := range in.Crawlers {
		if c.Crawler.Obeys && len(c.Crawler.Names) > 0 {
			add(reader{agentOf(&c.Crawler), in.selection(&c.Crawler), c.Crawler.Token, []string{c.Crawler.Token}})
		}
	}
	return out
}

// withoutRules takes rules away; comments stay. In a group that has no others, an empty Disallow keeps
// the place, so that the group does not join the next one.
func (in *input) withoutRules(sentence Message, lines []int) *Fix {
	gone := map[int]bool{}
	var old []record
	for _, n := range lines {
		gone[n] = true
		old = append(old, in.record(n))
	}
	keep := map[int]bool{}
	for i := range in.groups {
		if rules := in.groups[i].rules; len(rules) > 0 && !slices.ContainsFunc(rules, func(r robots.Rule) bool { return !gone[r.Line] }) {
			keep[rules[0].Line] = true
		}
	}
	return in.rewrite(sentence, old, func(r record) []string {
		if keep[r.n] {
			return []string{in.put(r, "Disallow", "")}
		}
		return in.remark(r)
	})
}
