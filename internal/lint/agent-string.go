package lint

import (
	"strings"

	"github.com/whichrule/whichrule/internal/crawlers"
)

// agentString finds full user-agent strings in User-agent lines. A crawler looks for
// its name alone (RFC 9309 §2.2.1), so one that does not start with it speaks to nobody.
// Nor does a web address.
func agentString(in *input) []Finding {
	var out []Finding
	var nobody collect
	for _, g := range in.groups {
		for _, a := range g.agents {
			address := isWebAddress(a.Value)
			if !address && !isAgentString(a.Value) || in.crawler(a.Value) != nil {
				continue
			}
			r := in.record(a.Line)
			c := in.resolve(a.Value)
			switch {
			case address:
				nobody.add("address", r)
			case c == nil && isBrowser(a.Value):
				nobody.add("nobody", r)
			case c == nil || in.reads(a, c.Token) || len(out) == MaxFindings: // else it starts with a name, though not one we know
			default:
				out = append(out, Finding{
					Severity: Warning, Lines: []int{a.Line}, Crawlers: []string{c.Token}, Source: rfc9309Groups,
					Example: in.missed(&g, c.Token),
					Message: AgentString.say("meant", "Line", line(a.Line), "Name", code(c.Token)),
					Fix: in.rewrite(AgentString.say("fix", "Name", code(c.Token)), []record{r}, func(r record) []string {
						return []string{in.put(r, "User-agent", c.Token)}
					}),
				})
			}
		}
	}
	for _, word := range nobody.sorts {
		lines := nobody.lines[word]
		out = append(out, Finding{
			Severity: Warning, Lines: numbers(lines), Source: rfc9309Groups,
			Message: AgentString.say(word, "N", len(lines), "Line", line(lines[0].n), "Value", code(lines[0].Value)),
		})
	}
	return out
}

// isAgentString says whether a value looks like what crawlers send, not like a name.
func isAgentString(value string) bool { return isBrowser(value) || strings.Contains(value, "(") }

// isBrowser says whether a value starts as browsers do, and crawlers that pose as one.
func isBrowser(value string) bool {
	return strings.HasPrefix(strings.ToLower(value[:min(len(value), 8)]), "mozilla/") && strings.Contains(value, "(")
}

// isWebAddress says whether a value is the address of a page, not a name.
func isWebAddress(value string) bool {
	v := strings.ToLower(value[:min(len(value), len("https://"))])
	return strings.HasPrefix(v, "http://") || v == "https://"
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
