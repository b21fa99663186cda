package lint

import (
	"slices"
	"strings"

	"github.com/whichrule/whichrule/internal/robots"
)

// shadowedRule finds rules that change no verdict: those that a shorter one of the same
// kind makes needless, and those that never win because a rule at least as long always
// matches too. What it cannot tell for certain it takes for needed.
//
// Patterns are sorted once, and each is looked at beside those that it starts with, so
// no rule is held against all others.
func shadowedRule(in *input) []Finding {
	var out []Finding
	sets := in.ruleSets()
	for i := range sets {
		if len(out) >= MaxFindings {
			break
		}
		out = append(out, in.shadows(&sets[i])...)
	}
	return out
}

// shadow is a rule and the one that makes it needless.
type shadow struct{ rule, by robots.Rule }

func (in *input) shadows(s *ruleSet) []Finding {
	var needless, beaten []shadow
	rules := slices.DeleteFunc(slices.Clone(s.rules), func(r robots.Rule) bool { return !canMatch(r.Pattern) })
	beatenLines := map[int]bool{}
	longest := longestOfAll(rules)
	for _, r := range rules {
		if by, ok := longest[bare(r.Pattern)]; ok && by.Allow != r.Allow && by.Pattern != r.Pattern && !opensDirectory(r) {
			beaten = append(beaten, shadow{r, by})
			beatenLines[r.Line] = true
		}
	}
	for _, sh := range needlessRules(rules) {
		if !beatenLines[sh.rule.Line] {
			needless = append(needless, sh)
		}
	}
	var out []Finding
	if f, ok := in.shadowFinding(s, Warning, "beaten", beaten); ok {
		out = append(out, f)
	}
	if f, ok := in.shadowFinding(s, Note, "needless", needless); ok {
		out = append(out, f)
	}
	return out
}

// shadowFinding makes one finding of rules that fare alike.
func (in *input) shadowFinding(s *ruleSet, severity Severity, word string, all []shadow) (Finding, bool) {
	if len(all) == 0 {
		return Finding{}, false
	}
	slices.SortFunc(all, func(a, b shadow) int { return a.rule.Line - b.rule.Line })
	f := Finding{Severity: severity, Crawlers: in.spellings(s.agents), Source: rfc9309Match}
	for _, sh := range all {
		f.Lines = append(f.Lines, sh.rule.Line)
	}
	args := []any{"N", len(all), "Line", line(all[0].rule.Line), "Path", code(all[0].rule.Value), "By", line(all[0].by.Line), "Other", code(all[0].by.Value)}
	f.Message = ShadowedRule.say(word, args...)
	f.Fix = in.withoutRules(ShadowedRule.say("fix", args...), f.Lines)
	return f, true
}

// bare gives a pattern without the wildcards at its end, which match nothing more.
func bare(pattern string) string {
	b := strings.TrimRight(pattern, "*")
	if b == "" {
		return "/" // every path starts with it
	}
	return b
}

// longestOfAll gives of the patterns that match the same the one that wins.
func longestOfAll(rules []robots.Rule) map[string]robots.Rule {
	out := map[string]robots.Rule{}
	for _, r := range rules {
		key := bare(r.Pattern)
		best, ok := out[key]
		if !ok || len(r.Pattern) > len(best.Pattern) || len(r.Pattern) == len(best.Pattern) && r.Allow && !best.Allow {
			out[key] = r
		}
	}
	return out
}

// needlessRules finds rules in whose place a shorter one of the same kind, or the same
// one on an earlier line, says the same wherever they match, while no rule of the other
// kind comes between the two.
func needlessRules(rules []robots.Rule) []shadow {
	sorted := slices.Clone(rules)
	slices.SortStableFunc(sorted, func(a, b robots.Rule) int { return strings.Compare(a.Pattern, b.Pattern) })
	kinds := [2][]robots.Rule{}
	for _, r := range rules {
		kinds[kindOf(r)] = append(kinds[kindOf(r)], r)
		if opensDirectory(r) {
			i := strings.LastIndexByte(r.Pattern, '/')
			kinds[kindOf(r)] = append(kinds[kindOf(r)], robots.Rule{Allow: true, Pattern: r.Pattern[:i+1] + "$"})
		}
	}
	for k := range kinds {
		slices.SortFunc(kinds[k], func(a, b robots.Rule) int { return len(a.Pattern) - len(b.Pattern) })
	}
	var out []shadow
	var starts [2][]robots.Rule // by kind: patterns that the one at hand starts with, each the start of the next
	for _, r := range sorted {
		for k := range starts {
			for n := len(starts[k]); n > 0 && !strings.HasPrefix(r.Pattern, starts[k][n-1].Pattern); n-- {
				starts[k] = starts[k][:n-1]
			}
		}
		k := kindOf(r)
		if n := len(starts[k]); n > 0 {
			by := starts[k][n-1]
			if by.Pattern == r.Pattern || !opensDirectory(r) && noneBetween(kinds[1-k], by, r) {
				out = append(out, shadow{r, by})
			}
			if by.Pattern == r.Pattern {
				continue
			}
		}
		if !strings.HasSuffix(r.Pattern, "$") {
			starts[k] = append(starts[k], r)
		}
	}
	return out
}

func kindOf(r robots.Rule) int {
	if r.Allow {
		return 1
	}
	return 0
}

// opensDirectory says whether an Allow may match in another way too: that for an index
// page opens its directory.
func opensDirectory(r robots.Rule) bool { return r.Allow && strings.Contains(r.Pattern, "/index.htm") }

// noneBetween says that no rule of the other kind, which come sorted by length, can
// decide a path that rule r matches once r is gone and the shorter rule by is left.
func noneBetween(others []robots.Rule, by, r robots.Rule) bool {
	const most = 16 // rules to look at closely; among more, one will be in the way
	from, to := len(by.Pattern), len(r.Pattern)
	if r.Allow { // of equal length it wins
		from, to = from+1, to+1
	}
	at := func(length int) int {
		i, _ := slices.BinarySearchFunc(others, length, func(o robots.Rule, length int) int { return len(o.Pattern) - length })
		return i
	}
	between := others[at(from):max(at(from), at(to))]
	if len(between) > most {
		return false
	}
	return !slices.ContainsFunc(between, func(o robots.Rule) bool { return mayMeet(o.Pattern, r.Pattern) })
}

// mayMeet says whether one path may match both patterns: unless they differ before their
// first wildcards.
func mayMeet(a, b string) bool {
	a, b = head(a), head(b)
	return strings.HasPrefix(a, b) || strings.HasPrefix(b, a)
}

// head gives the plain text that a pattern starts with.
func head(pattern string) string {
	text, _, _ := strings.Cut(strings.TrimSuffix(pattern, "$"), "*")
	return text
}
