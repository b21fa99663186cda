package lint

import (
	"slices"
	"strings"

	"github.com/whichrule/whichrule/internal/crawlers"
	"github.com/whichrule/whichrule/internal/robots"
)

// swallowedGroup finds User-agent lines without a rule of their own that look like a
// group, and join the next one: only a rule ends a run of User-agent lines (RFC 9309
// §2.2.1), not a blank line, a Sitemap or a Crawl-delay.
func swallowedGroup(in *input) []Finding {
	var out []Finding
	for _, g := range in.groups {
		if len(g.rules) == 0 {
			continue
		}
		last := map[string]int{} // the last line of each name
		for _, a := range g.agents {
			last[strings.ToLower(in.spelling(a.Value))] = a.Line
		}
		start := 0
		for _, c := range in.cuts(&g) {
			run, next := g.agents[start:c.at], g.agents[c.at]
			start = c.at
			// A name that comes again below is no group that was lost.
			run = slices.DeleteFunc(slices.Clone(run), func(a robots.AgentLine) bool {
				return a.Value == "" || last[strings.ToLower(in.spelling(a.Value))] >= next.Line
			})
			if len(run) > 0 && len(out) < MaxFindings {
				out = append(out, swallowed(in, &g, run, next, c))
			}
		}
	}
	return out
}

// cut is a place among the User-agent lines of a group at which one stands apart from
// the line in front.
type cut struct {
	at      int                 // the index of that one
	blank   bool                // nothing but blank lines and comments is at this cut and all below
	purpose []crawlers.Category // what all known bots that start a run from here on have in common
	known   bool                // there are such
}

// cuts finds the cuts of a group, in the order of the file.
func (in *input) cuts(g *group) []cut {
	var out []cut
	below := cut{blank: true}
	for i := len(g.agents) - 1; i > 0; i-- {
		apart, blank := in.apart(g.agents[i-1].Line, g.agents[i].Line)
		if !apart {
			continue
		}
		below.at, below.blank = i, below.blank && blank
		if c := in.crawler(g.agents[i].Value); c != nil {
			below.purpose = common(below.known, below.purpose, purposes(c))
			below.known = true
		}
		out = append(out, below)
	}
	slices.Reverse(out)
	return out
}

// common gives what two lists share; all of the second when the first says nothing.
func common(said bool, a, b []crawlers.Category) []crawlers.Category {
	return slices.DeleteFunc(slices.Clone(b), func(p crawlers.Category) bool { return said && !slices.Contains(a, p) })
}

// apart says whether anything but comments stands between two lines, and whether that
// is nothing but blank lines.
func (in *input) apart(from, to int) (apart, blank bool) {
	blank = true
	for n := from + 1; n < to; n++ {
		switch in.File.Kind(n) {
		case robots.LineComment:
		case robots.LineEmpty:
			apart = true
		default:
			apart, blank = true, false
		}
	}
	return apart, blank
}

func swallowed(in *input, g *group, run []robots.AgentLine, next robots.AgentLine, c cut) Finding {
	at, below := line(run[0].Line), line(next.Line)
	f := Finding{Severity: Note, Crawlers: in.spellings(run), Source: rfc9309Groups}
	for _, a := range run {
		f.Lines = append(f.Lines, a.Line)
	}
	f.Lines = append(f.Lines, next.Line)
	star := slices.ContainsFunc(run, robots.AgentLine.Star)
	name, sel := "*", in.stars
	if !star {
		name, sel = f.Crawlers[0], in.reader(run[0].Value)
	}
	f.Example = in.example(sel, name, slices.DeleteFunc(slices.Clone(g.rules[:min(len(g.rules), MaxLines)]), func(r robots.Rule) bool { return !closes(r) }), false)
	switch whole := !sel.Match("/").Allowed; {
	case f.Example == nil:
		f.Message = SwallowedGroup.say("harmless", "Line", at, "Next", below)
		return f
	case c.blank && !star && in.alike(run, c, whole):
		f.Message = SwallowedGroup.say("list", "Line", at, "Next", below)
		f.Example = nil
		f.Fix = joinLines(in, f.Lines[len(f.Lines)-2], next.Line)
		return f
	case star:
		f.Message = SwallowedGroup.say("star", "Line", at, "Next", below)
	default:
		f.Message = SwallowedGroup.say("named", "Line", at, "Next", below, "Names", quoteNames(f.Crawlers))
	}
	f.Severity = Problem
	effect := SwallowedGroup.say("effect", "Path", code(f.Example.Path))
	f.Effect = &effect
	end := in.endOfBlock(f.Lines[len(f.Lines)-2], next.Line)
	f.Fix = &Fix{Sentence: SwallowedGroup.say("fix", "Line", line(end)), Start: end + 1, Insert: []string{"Disallow:"}}
	return f
}

// alike says whether names may well be meant as a list with those behind the blank
// line: bots of one purpose, or bots that nobody knows. Search engines closed out of a
// whole site are not, nor is any bot in one list with *, but for the rules that it
// would follow anyway.
func (in *input) alike(run []robots.AgentLine, below cut, whole bool) bool {
	for _, a := range run {
		c := in.crawler(a.Value)
		if whole && searches(c) || c != nil && below.known && len(common(true, below.purpose, purposes(c))) == 0 {
			return false
		}
	}
	return true
}

// purposes sorts a crawler as people do who write one list of bots: all that has to do
// with AI is one. It gives none for an unknown crawler.
func purposes(c *crawlers.Crawler) []crawlers.Category {
	if c == nil {
		return nil
	}
	all := append([]crawlers.Category{c.Category}, c.Also...)
	for i, p := range all {
		switch p {
		case crawlers.AISearch, crawlers.UserFetch, crawlers.Agent, crawlers.ControlOnly:
			all[i] = crawlers.AITraining
		}
	}
	return all
}

// endOfBlock gives the last line that belongs to a User-agent line: of those directly
// below it, without comments at their end, which belong to what follows.
func (in *input) endOfBlock(agent, next int) int {
	end := agent
	for n := agent + 1; n < next && in.File.Kind(n) != robots.LineEmpty; n++ {
		if in.File.Kind(n) != robots.LineComment {
			end = n
		}
	}
	return end
}

// joinLines takes the blank lines between two lines away; comments stay.
func joinLines(in *input, from, to int) *Fix {
	f := &Fix{Sentence: SwallowedGroup.say("join"), Start: from + 1, Delete: to - from - 1}
	for _, r := range in.between(from+1, to) {
		f.Insert = append(f.Insert, string(in.Text[r.Start:r.End]))
	}
	return f
}
