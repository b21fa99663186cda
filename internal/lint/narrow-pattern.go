package lint

import (
	"slices"
	"strings"

	"github.com/whichrule/whichrule/internal/fetch"
)

// narrowPattern finds rules that match less than they seem to: a parameter only where it
// comes first, a "$" that is no end, and values that match nothing since a path starts
// with a slash.
func narrowPattern(in *input) []Finding {
	out := in.firstParameters()
	var c collect
	for i := range in.groups {
		for _, r := range in.groups[i].rules {
			switch v := r.Value; {
			case v == "" || hasInvisible(v): // kind encoding tells it
			case canMatch(v) && hasMiddleEnd(v):
				c.add("end", in.record(r.Line))
			case canMatch(v):
			case strings.Contains(v, "://"):
				c.add("address", in.record(r.Line))
			default:
				c.add("slash", in.record(r.Line))
			}
		}
	}
	for _, word := range c.sorts {
		lines := c.lines[word]
		args := []any{"N", len(lines), "Line", line(lines[0].n), "Value", code(lines[0].Value)}
		f := Finding{Severity: Warning, Lines: numbers(lines), Message: NarrowPattern.say(word, args...), Source: googleSpec}
		if path := in.fromSlash(lines[0].Value); word != "end" && path != "" {
			f.Fix = in.rewrite(NarrowPattern.say("fix-slash", append(args, "Path", code(path))...), lines, func(r record) []string {
				if path := in.fromSlash(r.Value); path != "" {
					return []string{in.put(r, r.Key, path)}
				}
				return []string{in.raw(r)}
			})
		}
		out = append(out, f)
	}
	return out
}

// hasMiddleEnd says whether a value has a "$" that looks like an end but stands before
// the end: it is neither the start of a name, which a path may well have ("/$metadata"),
// nor followed by more of one.
func hasMiddleEnd(v string) bool {
	for i := 1; i < len(v)-1; i++ {
		if next := v[i+1]; v[i] == '$' && v[i-1] != '/' && !inName(next) && !strings.ContainsRune("$_{(", rune(next)) {
			return true
		}
	}
	return false
}

// fromSlash gives the value as it was probably meant, from a slash on, or "": the path
// of an address of this site, or what should be anywhere in a path behind a wildcard.
func (in *input) fromSlash(v string) string {
	if strings.Contains(v, "://") {
		origin, path, err := fetch.ParseURL(v)
		if err != nil || in.Site != nil && origin.Host != in.Site.Host {
			return ""
		}
		if path == "/" || path == "" || path[0] != '/' {
			return "" // it would close everything
		}
		return path
	}
	if len(v) < 2 {
		return ""
	}
	switch v[0] {
	case '?', '&', '.':
		return "/*" + v
	}
	if inName(v[0]) || v[0] == '_' || v[0] == '-' || v[0] == '~' {
		return "/" + v
	}
	return ""
}

// firstParameters finds rules such as "/*?sort=", which let a URL pass in which another
// parameter comes first.
func (in *input) firstParameters() []Finding {
	const most = 100 // rules to look at: paths for them are held against all others
	var out []Finding
	asked := 0
	sets := in.ruleSets()
	for i := range sets {
		var lines []record
		var hit string
		sel, name := in.stars, ""
		for _, r := range sets[i].rules {
			second := secondParameter(r.Pattern)
			if r.Allow || second == "" || asked == most {
				continue
			}
			asked++
			if name == "" {
				sel, name = in.readBy(&sets[i])
			}
			first, later := sample(r.Pattern), sample(strings.Replace(r.Pattern, "*?", "*?page=2&", 1))
			if first == "" || later == "" || sel.Match(first).Allowed {
				continue
			}
			if d := sel.Match(later); !d.Allowed || d.Length > 0 && !everything(d.Rule.Pattern) {
				continue // closed, or open by a rule for just that
			}
			if lines == nil {
				hit = later
			}
			lines = append(lines, in.record(r.Line))
		}
		if lines == nil || len(out) == MaxFindings {
			continue
		}
		slices.SortFunc(lines, func(a, b record) int { return a.n - b.n })
		first := lines[0]
		args := []any{"N", len(lines), "Line", line(first.n), "Value", code(first.Value), "Path", code(hit), "Second", code(secondParameter(first.Value))}
		out = append(out, Finding{
			Severity: Warning,
			Lines:    numbers(lines),
			Crawlers: in.spellings(sets[i].agents),
			Message:  NarrowPattern.say("parameter", args...),
			Example:  &Example{hit, name, true},
			Fix: in.rewrite(NarrowPattern.say("fix-parameter", args...), lines, func(r record) []string {
				return []string{in.raw(r), "Disallow: " + secondParameter(r.Value)}
			}),
			Source: googleSpec,
		})
	}
	return out
}

// secondParameter gives the pattern for a parameter that does not come first, or "" for
// any other pattern.
func secondParameter(pattern string) string {
	before, after, ok := strings.Cut(pattern, "*?")
	name, _, value := strings.Cut(after, "=")
	if !ok || !value || name == "" || strings.ContainsAny(before, "?&") || strings.ContainsAny(name, "*?&$/ ") {
		return ""
	}
	return before + "*&" + after
}
