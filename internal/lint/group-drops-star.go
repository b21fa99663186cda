package lint

import (
	"fmt"
	"slices"

	"github.com/whichrule/whichrule/internal/crawlers"
	"github.com/whichrule/whichrule/internal/robots"
)

// groupDropsStar finds groups by name that open what the file closes to *: a crawler
// that finds its name reads nothing else (RFC 9309 §2.2.1), which many do not know who
// write "Allow: /" for one. Groups that drop the same rules are one finding. What a
// group opens by a rule for just that is meant.
func groupDropsStar(in *input) []Finding {
	if in.stars.Name == "" || !in.stars.Match("/").Allowed {
		return nil // a site that is closed to * is opened by name on purpose
	}
	closed := in.closedByStar()
	if closed == nil {
		return nil
	}
	var out []Finding
	var groups [][]int // of each finding, those of the file that drop rules
	found := map[string]int{}
	asked := map[string]bool{}
	for i := range in.groups {
		for _, a := range in.groups[i].agents {
			name := in.spelling(a.Value)
			if a.Star() || a.Value == "" || asked[name] || len(asked) == MaxFindings {
				continue
			}
			asked[name] = true
			c := in.crawler(a.Value)
			if c != nil && (c.Category == crawlers.ControlOnly || !c.Obeys) {
				continue // it fetches nothing, or reads nothing
			}
			sel := in.reader(a.Value)
			dropped := dropped(sel, closed)
			if dropped == nil {
				continue
			}
			severity := in.dropsSeverity(c)
			if severity == Problem && 2*len(dropped) < len(closed) {
				severity = Warning // most rules are repeated: somebody chose
			}
			key := fmt.Sprint(severity, dropped)
			i, ok := found[key]
			if !ok {
				i = len(out)
				found[key] = i
				out = append(out, Finding{Severity: severity, Example: &Example{closed[dropped[0]].path, name, true}, Source: rfc9309Groups})
				groups = append(groups, nil)
			}
			f := &out[i]
			f.Crawlers = append(f.Crawlers, name)
			f.Lines = append(f.Lines, a.Line)
			groups[i] = append(groups[i], sel.Groups[len(sel.Groups)-1])
			word := "one"
			if len(f.Crawlers) > 1 {
				word = "several"
			}
			first := closed[dropped[0]]
			f.Message = GroupDropsStar.say(word, "N", len(dropped), "Names", quoteNames(f.Crawlers), "Line", line(first.rule.Line), "Path", code(f.Example.Path))
		}
	}
	for i := range out {
		slices.Sort(out[i].Lines)
		if out[i].Severity == Note {
			effect := GroupDropsStar.say("effect-note")
			out[i].Effect = &effect
		} else {
			effect := GroupDropsStar.say("effect")
			out[i].Effect = &effect
		}
		out[i].Fix = in.repeatStar(groups[i])
	}
	return out
}

// closedPath is a path that a rule for * closes.
type closedPath struct {
	rule robots.Rule
	path string
}

// closedByStar gives a path for each rule of * that closes one, of the first ones.
func (in *input) closedByStar() []closedPath {
	const most = 50 // rules: more dropped ones tell no more
	var out []closedPath
	for _, g := range in.stars.Groups {
		for _, r := range in.groups[g].rules {
			if len(out) == most {
				return out
			}
			if !closes(r) {
				continue
			}
			p := sample(r.Pattern)
			if d := in.stars.Match(p); p != "" && !d.Allowed && d.Rule.Pattern == r.Pattern {
				out = append(out, closedPath{r, p})
			}
		}
	}
	return out
}

// dropped gives which of the paths are open to those who read the groups, though no
// rule of them is about just that.
func dropped(sel *robots.Selection, closed []closedPath) []int {
	var out []int
	for i, c := range closed {
		if d := sel.Match(c.path); d.Allowed && (d.Length == 0 || everything(d.Rule.Pattern)) {
			out = append(out, i)
		}
	}
	return out
}

// dropsSeverity says how much it matters that a crawler gets to what is closed to *.
func (in *input) dropsSeverity(c *crawlers.Crawler) Severity {
	if c == nil || in.helps(c) {
		return Note
	}
	switch c.Category {
	case crawlers.SearchIndex, crawlers.AISearch, crawlers.AITraining:
		return Problem
	case crawlers.Ads, crawlers.LinkPreview, crawlers.UserFetch, crawlers.Agent:
		return Note
	}
	return Warning
}

// repeatStar puts the rules of * below those of groups that lack them. It is nil when
// that would be too much to read.
func (in *input) repeatStar(groups []int) *Fix {
	const most = 30 // rules to repeat: of more the groups are better written by hand
	slices.Sort(groups)
	groups = slices.Compact(groups)
	if in.stars.Rules() > most || in.stars.Rules()*len(groups) > maxFixLines {
		return nil
	}
	var ends []record
	add := map[int][]string{} // by the line behind which they go
	for _, number := range groups {
		g := &in.groups[number]
		end := g.agents[len(g.agents)-1].Line
		has := map[robots.Rule]bool{}
		for _, r := range g.rules {
			end = r.Line
			has[robots.Rule{Allow: r.Allow, Pattern: r.Pattern}] = true
		}
		for _, star := range in.stars.Groups {
			for _, r := range in.groups[star].rules {
				rule := robots.Rule{Allow: r.Allow, Pattern: r.Pattern}
				if in.record(r.Line).Cut {
					return nil // what is left of a rule is not what was meant
				}
				if canMatch(r.Pattern) && !everything(r.Pattern) && !has[rule] {
					has[rule] = true
					add[end] = append(add[end], r.String())
				}
			}
		}
		ends = append(ends, in.from(end)[0])
	}
	say := GroupDropsStar.say("fix", "N", len(groups), "Line", line(ends[0].n))
	if len(ends) == 1 {
		return &Fix{Sentence: say, Start: ends[0].n + 1, Insert: add[ends[0].n]}
	}
	return in.rewrite(say, ends, func(r record) []string { return append([]string{in.raw(r)}, add[r.n]...) })
}
