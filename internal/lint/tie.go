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
		if f, ok := in.samePaths(&sets[i], told); ok && len(out) < MaxFindings {
			out = append(out, f)
		}
	}
	return append(out, in.testedTies(told)...)
}

// samePaths finds the Disallow lines of a set whose path has an Allow too.
func (in *input) samePaths(s *ruleSet, told map[int]bool) (Finding, bool) {
	allows := map[string]int{} // the first line of each pattern
	for _, r := range s.rules {
		if r.Allow && canMatch(r.Pattern) && allows[r.Pattern] == 0 {
			allows[r.Pattern] = r.Line
		}
	}
	var lose []robots.Rule
	var lines []int
	for _, r := range s.rules {
		if allow := allows[r.Pattern]; allow != 0 && !r.Allow {
			lose = append(lose, r)
			lines = append(lines, r.Line, allow)
			told[r.Line] = true
		}
	}
	if lose == nil {
		return Finding{}, false
	}
	slices.Sort(lines)
	sel, name := in.readBy(s)
	args := []any{"N", len(lose), "Line", line(lose[0].Line)}
	var gone []int
	for _, r := range lose {
		gone = append(gone, r.Line)
	}
	return Finding{
		Severity: Warning,
		Lines:    slices.Compact(lines),
		Crawlers: in.spellings(s.agents),
		Message:  Tie.say("same", append(args, "Allow", line(allows[lose[0].Pattern]), "Path", code(lose[0].Value))...),
		Example:  in.example(sel, name, lose, true),
		Fix:      in.withoutRules(Tie.say("fix", args...), gone),
		Source:   rfc9309Match,
	}, true
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
