package tester

import "github.com/whichrule/whichrule/internal/robots"

// Other is what a parser of another dialect would say of a cell.
type Other struct {
	Dialect string // rfc9309 or first-match
	Verdict Verdict
	Line    int // 0: no rule decides
}

// dialects are those whose word is told beside ours.
var dialects = []struct {
	name    string
	dialect robots.Dialect
}{{"rfc9309", robots.RFC9309}, {"first-match", robots.FirstMatch}}

// Others asks parsers of other dialects about a cell that rules decided, and
// gives those that would say something else. The file is read anew for each. It
// is nil where rules did not decide, or another version of the engine made the
// report.
func (r *Report) Others(c Cell) []Other {
	if c.Row < 1 || c.Row > len(r.URLs) || c.Col < 1 || c.Col > len(r.Crawlers) || r.Engine != robots.Version {
		return nil
	}
	u, col := &r.URLs[c.Row-1], &r.Crawlers[c.Col-1]
	if _, byRules := verdict(u, col, r.Access[c.Col-1].Effect); !byRules {
		return nil
	}
	ours, who := r.At(c.Row-1, c.Col-1).Verdict, col.Choice.Crawler
	var out []Other
	for _, d := range dialects {
		f := robots.Parse(r.Source.judged(), robots.Options{Limit: robots.GoogleLimit, Dialect: d.dialect})
		said := f.Select(robots.Agent{Names: who.Names, Star: who.Star}).Match(u.Path)
		o := Other{Dialect: d.name, Verdict: Allowed, Line: said.Line}
		if !said.Allowed {
			o.Verdict = Blocked
		}
		if o.Verdict != ours {
			out = append(out, o)
		}
	}
	return out
}

// Line tells how a line of the text was written, numbered from 1.
func (r *Report) Line(n int) robots.Line {
	return robots.Parse(r.Source.Text, robots.Options{Limit: robots.GoogleLimit}).Line(n)
}
