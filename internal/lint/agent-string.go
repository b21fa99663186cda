package lint

import (
	"strings"

	"github.com/whichrule/whichrule/internal/crawlers"
)

// agentString finds full user-agent strings in User-agent lines. A crawler looks for
// its name alone (RFC 9309 §2.2.1), so they mostly speak to nobody.
func agentString(in *input) []Finding {
	var out []Finding
	for _, g := range in.groups {
		for _, a := range g.agents {
			if !isAgentString(a.Value) || len(out) == MaxFindings {
				continue
			}
			f := Finding{Severity: Warning, Lines: []int{a.Line}, Source: rfc9309Groups}
			c := in.resolve(a.Value)
			switch {
			case c == nil && in.crawler(a.Value) != nil:
				continue // it starts with the name
			case c == nil:
				f.Message = AgentString.say("nobody", "Line", line(a.Line))
			case in.reads(a, c.Token):
				continue
			default:
				f.Message = AgentString.say("meant", "Line", line(a.Line), "Name", code(c.Token))
				f.Crawlers = []string{c.Token}
				f.Fix = in.rewrite(AgentString.say("fix", "Name", code(c.Token)), []record{in.record(a.Line)}, func(r record) []string {
					return []string{in.put(r, "User-agent", c.Token)}
				})
			}
			out = append(out, f)
		}
	}
	return out
}

// isAgentString says whether a value looks like what crawlers send, not like a name.
func isAgentString(value string) bool {
	return strings.HasPrefix(strings.ToLower(value[:min(len(value), 8)]), "mozilla/") || strings.Contains(value, "(")
}

// resolve gives the crawler that a full user-agent string names, or nil.
func (in *input) resolve(value string) *crawlers.Crawler {
	if len(value) > crawlers.MaxName {
		return nil
	}
	c := in.Catalogue.Resolve(value)
	if !c.FromUserAgent {
		return nil
	}
	return &c.Crawler
}
