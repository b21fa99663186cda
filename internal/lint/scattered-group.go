package lint

import "slices"

// scatteredGroup finds names with groups in several places, which crawlers read as one
// (RFC 9309 §2.2.1). All names but * are one finding.
func scatteredGroup(in *input) []Finding {
	type places struct {
		name  string // as a sentence names it
		group int    // the last one
		lines []int
	}
	found := map[string]*places{}
	var order []*places
	for i, g := range in.groups {
		for _, a := range g.agents {
			key := in.nameKey(a)
			p := found[key]
			switch {
			case key != "*" && !isWord(agentName(a.Value)): // nobody's name
			case p == nil:
				p = &places{in.spelling(a.Value), i, []int{a.Line}}
				found[key] = p
				order = append(order, p)
			case p.group != i: // else it comes twice in one group
				p.group, p.lines = i, append(p.lines, a.Line)
			}
		}
	}
	var out []Finding
	var named Finding
	for _, p := range order {
		if len(p.lines) < 2 {
			continue
		}
		args := []any{"N", len(p.lines), "Line", line(p.lines[0]), "Last", line(p.lines[len(p.lines)-1])}
		if p == found["*"] {
			out = append(out, Finding{Severity: Note, Lines: p.lines, Message: ScatteredGroup.say("star", args...), Source: rfc9309Groups})
			continue
		}
		if named.Crawlers == nil {
			named = Finding{Severity: Note, Message: ScatteredGroup.say("named", append(args, "Name", p.name)...), Source: rfc9309Groups}
		}
		named.Crawlers = append(named.Crawlers, p.name)
		named.Lines = append(named.Lines, p.lines...)
	}
	if named.Crawlers == nil {
		return out
	}
	if n := len(named.Crawlers); n > 1 {
		named.Message = ScatteredGroup.say("several", "N", n, "Names", quoteNames(named.Crawlers))
	}
	slices.Sort(named.Lines)
	named.Lines = slices.Compact(named.Lines)
	return append(out, named)
}
