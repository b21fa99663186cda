package lint

import (
	"slices"
	"strings"

	"github.com/whichrule/whichrule/internal/robots"
)

// letterCase finds rules that miss a tested path, or stand beside rules for what looks
// like the same folder, only because of capital letters: a path is compared byte by
// byte (RFC 9309 §2.2.2).
func letterCase(in *input) []Finding {
	return append(in.caseOnTested(), in.caseInFile()...)
}

// caseOnTested asks a copy of the file in small letters about tested paths in small
// letters: what it decides otherwise, a rule in other letters would.
func (in *input) caseOnTested() []Finding {
	if len(in.Paths) == 0 {
		return nil
	}
	folded := robots.Parse([]byte(lower(string(in.Text))), robots.Options{Limit: robots.GoogleLimit})
	var out []Finding
	told := map[int]bool{}
	for _, who := range in.tested() {
		sel := folded.Select(who.agent)
		for _, p := range in.Paths {
			d := sel.Match(robots.NormalizePath(lower(p)))
			if d.Line == 0 || told[d.Line] || d.Allowed == who.sel.Match(p).Allowed || len(out) == MaxFindings {
				continue
			}
			r := in.record(d.Line)
			if (r.kind == robots.LineAllow) != d.Allowed {
				continue // only an empty rule is left, say
			}
			told[d.Line] = true
			word := "closes"
			if d.Allowed {
				word = "opens"
			}
			f := Finding{
				Severity: Warning,
				Lines:    []int{d.Line},
				Message:  Case.say(word, "Line", line(d.Line), "Path", code(r.Value), "Hit", code(p)),
				Crawlers: who.names,
				Example:  &Example{p, who.name, !d.Allowed},
				Source:   rfc9309Match,
			}
			if n := len(r.Value); n <= len(p) && lower(p[:n]) == lower(r.Value) {
				rule := robots.Rule{Allow: d.Allowed, Value: p[:n]}.String()
				f.Fix = &Fix{Sentence: Case.say("fix", "Line", line(d.Line), "Rule", code(rule)), Start: d.Line + 1, Insert: []string{rule}}
			}
			out = append(out, f)
		}
	}
	return out
}

// lower makes capital letters of ASCII small. Nothing else changes, not even the length.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// caseInFile finds rules of one group for first folders that differ in capital letters
// alone. Who writes each rule in both ways knows.
func (in *input) caseInFile() []Finding {
	var out []Finding
	sets := in.ruleSets()
	for i := range sets {
		if len(out) == MaxFindings {
			break
		}
		if f, ok := in.foldersInCase(&sets[i]); ok {
			out = append(out, f)
		}
	}
	return out
}

func (in *input) foldersInCase(s *ruleSet) (Finding, bool) {
	spellings := map[string]map[string]bool{} // of folders
	written := map[string]map[string]bool{}   // by rule in small letters, the folders it is written with
	for _, r := range s.rules {
		if folder := firstFolder(r.Pattern); folder != "" {
			put(spellings, lower(folder), folder)
			put(written, lower(r.Pattern), folder)
		}
	}
	first := map[string]robots.Rule{} // of each spelling with a rule that others lack
	var lines []int
	var a, b robots.Rule
	for _, r := range s.rules {
		folder := firstFolder(r.Pattern)
		key := lower(folder)
		if folder == "" || len(spellings[key]) < 2 || len(written[lower(r.Pattern)]) == len(spellings[key]) {
			continue
		}
		lines = append(lines, r.Line)
		if o, ok := first[key]; !ok {
			first[key] = r
		} else if a.Line == 0 && firstFolder(o.Pattern) != folder {
			a, b = o, r
		}
	}
	if a.Line == 0 {
		return Finding{}, false
	}
	slices.Sort(lines)
	return Finding{
		Severity: Note,
		Lines:    lines,
		Crawlers: in.spellings(s.agents),
		Message:  Case.say("folders", "Line", line(a.Line), "Path", code(a.Value), "Other", line(b.Line), "OtherPath", code(b.Value)),
		Source:   rfc9309Match,
	}, true
}

func put(m map[string]map[string]bool, key, value string) {
	if m[key] == nil {
		m[key] = map[string]bool{}
	}
	m[key][value] = true
}

// firstFolder gives the first folder of a pattern, with its slashes, or "" when it has
// none in plain text.
func firstFolder(pattern string) string {
	if pattern == "" || pattern[0] != '/' {
		return ""
	}
	end := strings.IndexByte(pattern[1:], '/')
	if end < 1 || strings.ContainsAny(pattern[:end+1], "*$?") {
		return ""
	}
	return pattern[:end+2]
}
