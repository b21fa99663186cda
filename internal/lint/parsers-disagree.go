package lint

import (
	"cmp"
	"slices"

	"github.com/whichrule/whichrule/internal/crawlers"
	"github.com/whichrule/whichrule/internal/robots"
)

// maxAsked bounds the tested crawlers that other parsers are asked about, the first
// ones: each takes a search through the file for each parser.
const maxAsked = 8

// parsersDisagree finds tested URLs that parsers of other dialects decide the other
// way.
func parsersDisagree(in *input) []Finding {
	if len(in.Paths) == 0 || len(in.groups) == 0 {
		return nil
	}
	var who []crawlers.Crawler
	for _, c := range in.Crawlers {
		if c.Crawler.Obeys && len(who) < maxAsked {
			who = append(who, c.Crawler)
		}
	}
	var out []Finding
	for _, d := range []struct {
		word     string
		dialect  robots.Dialect
		severity Severity
		source   string
		fixes    func(*input, *disagreement) *Fix
	}{
		{"rfc9309", robots.RFC9309, Warning, rfc9309Rules, spelledOut},
		{"first-match", robots.FirstMatch, Note, rfc9309Match, longestFirst},
	} {
		a := in.ask(d.dialect, in.Text, in.File, who)
		if a.cells == 0 {
			continue
		}
		slices.Sort(a.lines)
		f := Finding{Severity: d.severity, Lines: slices.Compact(a.lines), Source: d.source, Example: &a.first}
		f.Crawlers = a.crawlers
		f.Message = ParsersDisagree.say(d.word+"."+says(!a.first.Allowed), "N", a.cells, "Path", code(a.first.Path), "Crawler", a.first.Crawler)
		if fix := d.fixes(in, &a); fix != nil && in.agree(fix, d.dialect, who) {
			f.Fix = fix
		}
		out = append(out, f)
	}
	return out
}

func says(allowed bool) string {
	if allowed {
		return "allowed"
	}
	return "blocked"
}

// disagreement is where another dialect decides the other way.
type disagreement struct {
	cells    int
	lines    []int // that decide, here or there
	crawlers []string
	first    Example           // with our verdict
	sel      *robots.Selection // ours, of the first
	verdicts []bool            // ours, of all cells
}

// ask holds a dialect against ours.
func (in *input) ask(d robots.Dialect, text []byte, ours *robots.File, who []crawlers.Crawler) disagreement {
	var a disagreement
	other := robots.Parse(text, robots.Options{Limit: robots.GoogleLimit, Dialect: d})
	matching := 0
	for i := range who {
		c := &who[i]
		sel := ours.Select(robots.Agent{Names: c.Names, Star: c.Star, Cut: c.Google})
		theirs := other.Select(robots.Agent{Names: c.Names, Star: c.Star})
		differs := false
		for _, p := range in.Paths {
			if matching += len(p) * (1 + sel.Rules()); matching > maxMatching/4 { // one of four that may be asked
				break
			}
			was, is := sel.Match(p), theirs.Match(p)
			a.verdicts = append(a.verdicts, was.Allowed)
			if was.Allowed == is.Allowed || isOwnPath(p) {
				continue
			}
			if differs = true; a.cells == 0 {
				a.first, a.sel = Example{p, nameOf(c), was.Allowed}, sel
			}
			a.cells++
			for _, n := range []int{was.Line, is.Line} {
				if n > 0 && len(a.lines) < 4*MaxLines {
					a.lines = append(a.lines, n)
				}
			}
		}
		if differs {
			a.crawlers = append(a.crawlers, nameOf(c))
		}
	}
	return a
}

// nameOf gives a crawler's name for a finding; * stands for itself.
func nameOf(c *crawlers.Crawler) string { return cmp.Or(c.Token, "*") }

// isOwnPath says whether a path is that of the file itself, which is always allowed
// here.
func isOwnPath(path string) bool {
	return path == "/robots.txt" || len(path) > 11 && path[:12] == "/robots.txt?"
}

// agree says whether after a fix a dialect agrees with ours on all that was tested, and
// ours has not changed.
func (in *input) agree(fix *Fix, d robots.Dialect, who []crawlers.Crawler) bool {
	text := fix.Apply(in.Text)
	before := in.ask(robots.Google, in.Text, in.File, who)
	after := in.ask(d, text, robots.Parse(text, robots.Options{Limit: robots.GoogleLimit}), who)
	return after.cells == 0 && slices.Equal(before.verdicts, after.verdicts)
}

// spelledOut writes the lines of the group that decides as RFC 9309 has them.
func spelledOut(in *input, a *disagreement) *Fix {
	var lines []record
	values := map[int]string{}
	for _, g := range a.sel.Groups {
		for _, agent := range in.groups[g].agents {
			r := in.record(agent.Line)
			value := agentName(agent.Value)
			switch c := in.crawler(agent.Value); {
			case agent.Star():
				value = "*"
			case c != nil:
				value = c.Token
			}
			if value != agent.Value && value != "" || r.Typo || r.Longer || r.NoColon {
				values[r.n] = value
				lines = append(lines, r)
			}
		}
		for _, rule := range in.groups[g].rules {
			if r := in.record(rule.Line); r.Typo || r.Longer || r.NoColon {
				values[r.n] = r.Value
				lines = append(lines, r)
			}
		}
	}
	if lines == nil {
		return nil
	}
	return in.rewrite(ParsersDisagree.say("fix.spell"), lines, func(r record) []string {
		return []string{in.put(r, keys[r.kind], values[r.n])}
	})
}

// longestFirst sorts the rules of the group that decides so that the first that fits is
// the longest that fits. It is nil when anything stands between them.
func longestFirst(in *input, a *disagreement) *Fix {
	if len(a.sel.Groups) != 1 {
		return nil
	}
	rules := in.groups[a.sel.Groups[0]].rules
	n := len(rules)
	if n < 2 || n > maxFixLines || rules[n-1].Line-rules[0].Line != n-1 {
		return nil
	}
	sorted := slices.Clone(rules)
	slices.SortStableFunc(sorted, func(a, b robots.Rule) int {
		if c := cmp.Compare(len(b.Pattern), len(a.Pattern)); c != 0 || a.Allow == b.Allow {
			return c
		}
		if a.Allow {
			return -1
		}
		return 1
	})
	old := in.between(rules[0].Line, rules[n-1].Line+1)
	i := -1
	return in.rewrite(ParsersDisagree.say("fix.sort"), old, func(record) []string {
		i++
		return []string{in.raw(in.record(sorted[i].Line))}
	})
}
