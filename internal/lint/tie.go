package lint

import (
	"slices"

	"github.com/whichrule/whichrule/internal/robots"
)

// tie finds an Allow and a Disallow of one length that match the same: the Allow wins
// (RFC 9309 §2.2.2). Where they are the same path, the Disallow never does anything;
// others meet on tested paths only.
func tie(in *input) []Finding {
	var out []Finding
	told := map[int]bool{} // lines
	sets := in.ruleSets()
	for i := range sets {
		lose, allows := samePaths(&sets[i])
		for _, r := range lose {
			told[r.Line] = true
		}
		if lose != nil && len(out) < MaxFindings {
			out = append(out, in.sameFinding(&sets[i], lose, allows))
		}
	}
	return append(out, in.testedTies(told)...)
}

// samePaths gives the Disallow rules of a set whose path has an Allow too, and the first
// line of the Allow of each pattern.
func samePaths(s *ruleSet) (lose []robots.Rule, allows map[string]int) {
	allows = map[string]int{}
	for _, r := range s.rules {
		if r.Allow && canMatch(r.Pattern) && allows[r.Pattern] == 0 {
			allows[r.Pattern] = r.Line
		}
	}
	for _, r := range s.rules {
		if allows[r.Pattern] != 0 && !r.Allow {
			lose = append(lose, r)
		}
	}
	return lose, allows
}

// sameFinding makes the finding of what samePaths gives of a set.
func (in *input) sameFinding(s *ruleSet, lose []robots.Rule, allows map[string]int) Finding {
	var gone, lines []int
	for _, r := range lose {
		gone = append(gone, r.Line)
		lines = append(lines, r.Line, allows[r.Pattern])
	}
	slices.Sort(lines)
	sel, name := in.readBy(s)
	args := []any{"N", len(lose), "Line", line(lose[0].Line)}
	return Finding{
		Severity: Warning,
		Lines:    slices.Compact(lines),
		Crawlers: in.spellings(s.agents),
		Message:  Tie.say("same", append(args, "Allow", line(allows[lose[0].Pattern]), "Path", code(lose[0].Value))...),
		Example:  in.example(sel, name, lose, true),
		Fix:      in.withoutRules(Tie.say("fix", args...), gone),
		Source:   rfc9309Match,
	}
}

// testedTies finds ties of different rules on tested paths.
func (in *input) testedTies(told map[int]bool) []Finding {
	var out []Finding
	for _, w := range in.tested() {
		for i, d := range in.decisions(w.sel) {
			p := in.Paths[i]
			if d.Reason != robots.TieAllowWins || told[d.Line] {
				continue
			}
			e := w.sel.Explain(p, 20)
			for _, c := range e.Candidates {
				if c.Outcome != robots.Tie || c.Rule.Allow || told[c.Rule.Line] {
					continue
				}
				told[d.Line], told[c.Rule.Line] = true, true
				lines := []int{d.Line, c.Rule.Line}
				slices.Sort(lines)
				out = append(out, Finding{
					Severity: Note,
					Lines:    lines,
					Message:  Tie.say("tested", "Line", line(d.Line), "Other", line(c.Rule.Line), "Path", code(p)),
					Crawlers: w.names,
					Example:  &Example{p, w.name, true},
					Source:   rfc9309Match,
				})
				break
			}
		}
	}
	return out
}
