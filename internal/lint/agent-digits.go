package lint

import "strings"

// agentDigits finds names that Google's published code reads only up to a digit or a
// dot. It is a Warning where that makes them Google's own: a group for somebody else
// then counts for Google.
func agentDigits(in *input) []Finding {
	var lines []record
	var cut, full string
	var out []Finding
	for _, g := range in.groups {
		for _, a := range g.agents {
			token, name := a.Token(), agentName(a.Value)
			if len(token) >= len(name) || !isWord(name) {
				continue
			}
			if c := in.crawler(token); c != nil && c.Google && in.crawler(a.Value) == nil {
				if len(out) < MaxFindings {
					out = append(out, Finding{
						Severity: Warning, Lines: []int{a.Line}, Crawlers: []string{c.Token}, Source: googleMatcher,
						Message: AgentDigits.say("other", "Line", line(a.Line), "Name", code(name), "Read", code(token)),
					})
				}
				continue
			}
			if lines == nil {
				cut, full = token, name
			}
			lines = append(lines, in.record(a.Line))
		}
	}
	if lines == nil {
		return out
	}
	f := Finding{Severity: Note, Lines: numbers(lines), Source: googleMatcher}
	if cut == "" {
		f.Message = AgentDigits.say("nothing", "N", len(lines), "Line", line(lines[0].n), "Name", code(full))
	} else {
		f.Message = AgentDigits.say("cut", "N", len(lines), "Line", line(lines[0].n), "Name", code(full), "Read", code(cut))
	}
	return append(out, f)
}

// agentName gives the name in front of a version or a remark.
func agentName(value string) string {
	if i := strings.IndexAny(value, " \t\v\f/*,;("); i >= 0 {
		return value[:i]
	}
	return value
}

// isWord says whether a name is made of what names have, and dots.
func isWord(name string) bool {
	for i := range len(name) {
		if c := name[i]; (c|0x20 < 'a' || 'z' < c|0x20) && (c < '0' || '9' < c) && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return name != ""
}
