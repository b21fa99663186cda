package lint

import (
	"slices"
	"strings"

	"github.com/whichrule/whichrule/internal/robots"
)

// widePattern finds Disallow lines that close more than they name, since a rule matches
// everything that starts like it: a folder without its closing slash also closes others
// that start like it, a file the same file with something behind it. It tells of those
// that are seen to, on a tested path or another path of the file, and of paths so short
// that they must. A wildcard at the end is a note: it does nothing.
//
// Rules that no known crawler reads are let be: they stand in examples.
func widePattern(in *input) []Finding {
	told := map[int]bool{} // lines
	out := in.shortPaths(told)
	out = append(out, in.wideOnTested(told)...)
	out = append(out, in.wideInFile(told)...)
	return append(out, in.starsAtEnd()...)
}

// shortPaths finds paths of one or two letters, such as /p or /en.
func (in *input) shortPaths(told map[int]bool) []Finding {
	var short []robots.Rule
	sets := in.ruleSets()
	var of *ruleSet
	for i := range sets {
		for _, r := range sets[i].rules {
			if sets[i].known && !r.Allow && isShort(r.Pattern) {
				if of == nil {
					of = &sets[i]
				}
				short = append(short, r)
				told[r.Line] = true
			}
		}
	}
	if short == nil {
		return nil
	}
	slices.SortFunc(short, func(a, b robots.Rule) int { return a.Line - b.Line })
	first := short[0]
	args := []any{"N", len(short), "Line", line(first.Line), "Path", code(first.Value), "Hit", code(first.Value + "-other")}
	f := Finding{Severity: Warning, Message: WidePattern.say("short", args...), Source: googleSpec}
	var old []record
	for _, r := range short {
		f.Lines = append(f.Lines, r.Line)
		old = append(old, in.record(r.Line))
	}
	sel, name := in.readBy(of)
	if p := of.firstShort() + "-other"; !sel.Match(p).Allowed {
		f.Example = &Example{p, name, false}
	}
	f.Fix = in.rewrite(WidePattern.say("fix-slash", args...), old, func(r record) []string { return []string{in.put(r, r.Key, r.Value+"/")} })
	return []Finding{f}
}

// firstShort gives the first short path of a set that has one.
func (s *ruleSet) firstShort() string {
	i := slices.IndexFunc(s.rules, func(r robots.Rule) bool { return !r.Allow && isShort(r.Pattern) })
	return s.rules[i].Pattern
}

func isShort(pattern string) bool {
	return (len(pattern) == 2 || len(pattern) == 3) && pattern[0] == '/' && inName(pattern[1]) && inName(pattern[len(pattern)-1])
}

// inName says whether a byte may be in the middle of a name.
func inName(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9'
}

// beyond says how a path goes on behind a rule that it starts with: "" when that is not
// beyond what the rule names, "folder" for another name that starts like it, "file" for
// a file with something behind its name.
func beyond(pattern, path string) string {
	if len(path) <= len(pattern) || !strings.HasPrefix(path, pattern) || strings.ContainsAny(pattern, "*$?") {
		return ""
	}
	last, next := pattern[len(pattern)-1], path[len(pattern)]
	name := pattern[strings.LastIndexByte(pattern, '/')+1:]
	switch {
	case !inName(last):
		return ""
	case isFile(name):
		if next != '/' {
			return "file"
		}
	case inName(next) || next == '-' || next == '_':
		return "folder"
	}
	return ""
}

// isFile says whether the last part of a path is the name of a file.
func isFile(name string) bool {
	i := strings.LastIndexByte(name, '.')
	return i > 0 && len(name)-i >= 3 && len(name)-i <= 6
}

// wideOnTested finds rules that close a tested path beyond what they name.
func (in *input) wideOnTested(told map[int]bool) []Finding {
	var out []Finding
	for _, who := range in.tested() {
		for _, p := range in.Paths {
			d := who.sel.Match(p)
			if d.Allowed || told[d.Line] || len(out) == MaxFindings {
				continue
			}
			if word := beyond(d.Rule.Pattern, p); word != "" {
				told[d.Line] = true
				out = append(out, in.wide(d.Rule, word, Example{p, who.name, false}, who.names))
			}
		}
	}
	return out
}

// wideInFile finds rules that close what another rule of their group names. That closes
// nothing more, but shows that the first was not meant to.
func (in *input) wideInFile(told map[int]bool) []Finding {
	var out []Finding
	sets := in.ruleSets()
	asked := 0 // what may be findings: to ask who reads a set takes a search through the file
	for i := range sets {
		if !sets[i].known || asked >= MaxFindings {
			continue
		}
		rules := slices.DeleteFunc(slices.Clone(sets[i].rules), func(r robots.Rule) bool { return r.Allow || !canMatch(r.Pattern) })
		slices.SortStableFunc(rules, func(a, b robots.Rule) int { return strings.Compare(a.Pattern, b.Pattern) })
		found := map[string][]shadow{} // by what beyond says
		var starts []robots.Rule       // each the start of the next, all of the one at hand
		for _, r := range rules {
			for len(starts) > 0 && !strings.HasPrefix(r.Pattern, starts[len(starts)-1].Pattern) {
				starts = starts[:len(starts)-1]
			}
			if n := len(starts); n > 0 && !told[starts[n-1].Line] {
				if word := beyond(starts[n-1].Pattern, bare(r.Pattern)); word != "" {
					told[starts[n-1].Line] = true
					found[word] = append(found[word], shadow{r, starts[n-1]})
				}
			}
			starts = append(starts, r)
		}
		for _, word := range []string{"folder", "file"} {
			if found[word] == nil {
				continue
			}
			asked++
			if f, ok := in.wideFinding(&sets[i], word, found[word]); ok {
				out = append(out, f)
			}
		}
	}
	return out
}

// wideFinding makes one finding of rules that close what others name, of which there are
// some.
func (in *input) wideFinding(s *ruleSet, word string, all []shadow) (Finding, bool) {
	slices.SortFunc(all, func(a, b shadow) int { return a.by.Line - b.by.Line })
	first := all[0]
	sel, name := in.readBy(s)
	e := in.example(sel, name, []robots.Rule{first.rule}, false)
	if e == nil {
		return Finding{}, false // opened again
	}
	f := Finding{
		Severity: Note,
		Crawlers: in.spellings(s.agents),
		Message:  WidePattern.say("file-"+word, "N", len(all), "Line", line(first.by.Line), "Path", code(first.by.Value), "Hit", code(first.rule.Value)),
		Example:  e,
		Source:   googleSpec,
	}
	for _, sh := range all {
		f.Lines = append(f.Lines, sh.by.Line, sh.rule.Line)
	}
	slices.Sort(f.Lines)
	f.Lines = slices.Compact(f.Lines)
	return f, true
}

// wide makes the finding of a rule that closes a tested path beyond what it names.
func (in *input) wide(r robots.Rule, word string, e Example, names []string) Finding {
	end, fix := "/", "fix-slash"
	if word == "file" {
		end, fix = "$", "fix-end"
	}
	args := []any{"N", 1, "Line", line(r.Line), "Path", code(r.Value), "Hit", code(e.Path), "Value", code(r.Value + end)}
	return Finding{
		Severity: Warning,
		Lines:    []int{r.Line},
		Message:  WidePattern.say("tested-"+word, args...),
		Example:  &e,
		Crawlers: names,
		Fix: in.rewrite(WidePattern.say(fix, args...), []record{in.record(r.Line)}, func(old record) []string {
			return []string{in.put(old, old.Key, old.Value+end)}
		}),
		Source: googleSpec,
	}
}

// starsAtEnd finds rules with a wildcard at the end, which matches nothing more.
func (in *input) starsAtEnd() []Finding {
	var lines []int
	var first robots.Rule
	for i := range in.groups {
		for _, r := range in.groups[i].rules {
			if !strings.HasSuffix(r.Pattern, "*") || everything(r.Pattern) || !canMatch(r.Pattern) {
				continue
			}
			if lines == nil {
				first = r
			}
			lines = append(lines, r.Line)
		}
	}
	if lines == nil {
		return nil
	}
	return []Finding{{
		Severity: Note,
		Lines:    lines,
		Message:  WidePattern.say("star", "N", len(lines), "Line", line(first.Line), "Path", code(first.Value)),
		Source:   googleSpec,
	}}
}
