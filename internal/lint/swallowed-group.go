package lint

import (
	"slices"
	"strings"

	"github.com/whichrule/whichrule/internal/crawlers"
	"github.com/whichrule/whichrule/internal/robots"
)

// swallowedGroup finds User-agent lines without a rule of their own that look like a
// group, and join the next one: only a rule ends a run of User-agent lines (RFC 9309
// §2.2.1), not a blank line, a Sitemap or a Crawl-delay. Runs of one group that fare
// alike are one finding.
func swallowedGroup(in *input) []Finding {
	var out []Finding
	for i := range in.groups {
		g := &in.groups[i]
		if len(g.rules) == 0 || len(out) >= MaxFindings {
			continue
		}
		runs := in.runs(g)
		for left := runs; len(left) > 0; {
			word := left[0].word
			var same, rest []run
			for _, r := range left {
				if r.word == word {
					same = append(same, r)
				} else {
					rest = append(rest, r)
				}
			}
			out = append(out, swallowed(in, g, word, same, runs))
			left = rest
		}
	}
	return out
}

// run is User-agent lines that stand together, without rules and apart from the next.
type run struct {
	names      []robots.AgentLine // those that do not come again below
	last, next int                // the last line of the run, and the first of the next one
	word       string             // of its message
}

// runs finds the runs of a group but for the last, which has the rules.
func (in *input) runs(g *group) []run {
	last := map[string]int{} // the last line of each name
	for _, a := range g.agents {
		last[strings.ToLower(in.spelling(a.Value))] = a.Line
	}
	var out []run
	below := below{blank: true}
	for end := len(g.agents); end > 0; {
		// The run g.agents[start:end], found from its end on.
		start := end - 1
		apart, blank := false, true
		for ; start > 0; start-- {
			if apart, blank = in.apart(g.agents[start-1].Line, g.agents[start].Line); apart {
				break
			}
		}
		names := slices.DeleteFunc(slices.Clone(g.agents[start:end]), func(a robots.AgentLine) bool {
			return isLetter(a.Value) || end < len(g.agents) && last[strings.ToLower(in.spelling(a.Value))] > g.agents[end-1].Line
		})
		if end < len(g.agents) && len(names) > 0 {
			r := run{names: names, last: g.agents[end-1].Line, next: g.agents[end].Line}
			r.word = in.meant(names, &below)
			out = append(out, r)
		}
		below.add(in, names, blank)
		end = start
	}
	slices.Reverse(out)
	return out
}

// isLetter says whether a name is one letter or none, as in the examples of Google's
// specification, which show how such lines are read: it is nobody's.
func isLetter(name string) bool { return name == "" || len(name) == 1 && inName(name[0]) }

// below is what is known of the runs below one.
type below struct {
	blank   bool                // nothing but blank lines and comments is between them and in front
	star    bool                // one names *
	known   bool                // one names a known bot
	purpose []crawlers.Category // what all known bots have in common
}

// add adds a run, and whether nothing but blank lines is in front of it.
func (b *below) add(in *input, names []robots.AgentLine, blank bool) {
	b.blank = b.blank && blank
	for _, a := range names {
		b.star = b.star || a.Star()
		if c := in.crawler(a.Value); c != nil {
			b.purpose = common(b.known, b.purpose, purposes(c))
			b.known = true
		}
	}
}

// meant says what a run may be: the group of everybody, a part of a list, or a group of
// its own.
func (in *input) meant(names []robots.AgentLine, below *below) string {
	if slices.ContainsFunc(names, robots.AgentLine.Star) {
		return "star"
	}
	if below.blank {
		alike := true
		for _, a := range names {
			c := in.crawler(a.Value)
			alike = alike && (c == nil || !below.known || len(common(true, below.purpose, purposes(c))) > 0)
		}
		if alike || below.star {
			return "list"
		}
	}
	if below.star {
		return "as-star"
	}
	return "named"
}

// common gives what two lists share; all of the second when the first says nothing.
func common(said bool, a, b []crawlers.Category) []crawlers.Category {
	return slices.DeleteFunc(slices.Clone(b), func(p crawlers.Category) bool { return said && !slices.Contains(a, p) })
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

// swallowed makes the finding of the runs of a group that fare alike, of all its runs.
func swallowed(in *input, g *group, word string, runs, all []run) Finding {
	var names []robots.AgentLine
	for _, r := range runs {
		names = append(names, r.names...)
	}
	rules := g.agents[len(g.agents)-1].Line
	f := Finding{Severity: Problem, Crawlers: in.spellings(names), Source: rfc9309Groups}
	for _, a := range names {
		f.Lines = append(f.Lines, a.Line)
	}
	f.Lines = append(f.Lines, rules)

	name, sel := "*", in.stars
	if word != "star" {
		name, sel = f.Crawlers[0], in.reader(names[0].Value)
	}
	closing := slices.DeleteFunc(slices.Clone(g.rules[:min(len(g.rules), MaxLines)]), func(r robots.Rule) bool { return !closes(r) })
	f.Example = in.example(sel, name, closing, false)
	// To list search engines only to close the whole site to them is not likely.
	if word != "star" && !sel.Match("/").Allowed && slices.ContainsFunc(names, func(a robots.AgentLine) bool { return searches(in.crawler(a.Value)) }) {
		word = "named"
	}
	args := []any{"N", len(runs), "Line", line(names[0].Line), "Rules", line(rules), "Names", quoteNames(f.Crawlers)}
	switch {
	case f.Example == nil:
		f.Severity, f.Message = Note, SwallowedGroup.say("harmless", args...)
		return f
	case word == "list":
		f.Severity, f.Message, f.Example = Note, SwallowedGroup.say("list", args...), nil
		f.Fix = in.joinLines(runs)
		return f
	case word == "as-star":
		f.Severity = Warning
	}
	f.Message = SwallowedGroup.say(word, args...)
	effect := SwallowedGroup.say("effect", "Path", code(f.Example.Path))
	f.Effect = &effect
	// Those above would join the new group.
	f.Fix = in.ruleForEach(slices.DeleteFunc(slices.Clone(all), func(r run) bool { return r.last > runs[len(runs)-1].last }))
	return f
}

// ruleForEach puts an empty Disallow below the block of each run.
func (in *input) ruleForEach(runs []run) *Fix {
	say := SwallowedGroup.say("fix", "N", len(runs), "Line", line(in.endOfBlock(runs[0].last, runs[0].next)))
	if len(runs) == 1 {
		return &Fix{Sentence: say, Start: in.endOfBlock(runs[0].last, runs[0].next) + 1, Insert: []string{"Disallow:"}}
	}
	var ends []record
	for _, r := range runs {
		ends = append(ends, in.from(in.endOfBlock(r.last, r.next))[0])
	}
	return in.rewrite(say, ends, func(r record) []string { return []string{in.raw(r), "Disallow:"} })
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

// joinLines takes the blank lines below runs away; comments stay. It is nil when there
// are too many lines to read.
func (in *input) joinLines(runs []run) *Fix {
	from, to := runs[0].last+1, runs[len(runs)-1].next
	if to-from > maxFixLines {
		return nil
	}
	f := &Fix{Sentence: SwallowedGroup.say("join"), Start: from, Delete: to - from}
	for _, r := range in.between(from, to) {
		f.Insert = append(f.Insert, in.raw(r))
	}
	return f
}
