package lint

import "github.com/whichrule/whichrule/internal/robots"

// ruleBeforeGroup finds rules above the first User-agent line, which belong to nobody
// (RFC 9309 §2.2.1).
func ruleBeforeGroup(in *input) []Finding {
	var lines []int
	severity := Note
	for _, r := range in.records {
		if r.kind == robots.LineUserAgent {
			break
		}
		if r.kind != robots.LineAllow && r.kind != robots.LineDisallow {
			continue
		}
		lines = append(lines, r.n)
		if r.kind == robots.LineDisallow && canMatch(r.Value) {
			severity = Warning
		}
	}
	if lines == nil {
		return nil
	}
	word, fix := "some", RuleBeforeGroup.say("fix", "Line", line(lines[0]))
	if len(in.groups) == 0 {
		word = "all"
	}
	return []Finding{{
		Severity: severity,
		Lines:    lines,
		Message:  RuleBeforeGroup.say(word, "N", len(lines), "Line", line(lines[0])),
		Fix:      &Fix{Sentence: fix, Start: lines[0], Insert: []string{"User-agent: *"}},
		Source:   rfc9309Groups,
	}}
}
