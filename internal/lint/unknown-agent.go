package lint

import (
	"slices"
	"strings"

	"github.com/whichrule/whichrule/internal/crawlers"
	"github.com/whichrule/whichrule/internal/robots"
)

// maxGuesses bounds the unknown names that are held against the whole catalogue, the
// first ones: it takes about a millisecond each. Long lists of bots have about as many.
const maxGuesses = 100

// unknownAgent finds names that speak to nobody and were probably meant for somebody,
// and names of crawlers that are no more. A name that the catalogue does not know and
// that is like no other may well be right.
func unknownAgent(in *input) []Finding {
	var out []Finding
	var retired []record
	var names []string
	guesses := 0
	guessed := map[string]bool{}
	for _, g := range in.groups {
		for _, a := range g.agents {
			if a.Star() || isAgentString(a.Value) || in.listed(a.Value) != nil || len(out) == MaxFindings {
				continue
			}
			if c := in.crawler(a.Value); c != nil {
				if c.Status == "retired" {
					retired = append(retired, in.record(a.Line))
					names = append(names, c.Token)
				}
				continue
			}
			name := agentName(a.Value)
			word, to := "", ""
			switch {
			case a.Value == "":
				out = append(out, Finding{Severity: Warning, Lines: []int{a.Line}, Source: rfc9309Groups, Message: UnknownAgent.say("empty", "Line", line(a.Line))})
				continue
			case a.Value[0] == '*':
				word, to = "wildcard", in.starred(a.Value)
			case strings.EqualFold(name, "all") || strings.EqualFold(name, "any"):
				word, to = "all", "*"
			case guessed[strings.ToLower(name)]:
				continue // told above
			case guesses < maxGuesses && !in.google(a):
				guesses++
				if c, ok := in.closest(a.Value); ok {
					word, to = "close", c.Token
					guessed[strings.ToLower(name)] = true
				}
			}
			if word == "" {
				continue
			}
			f := Finding{Severity: Warning, Lines: []int{a.Line}, Source: rfc9309Groups}
			f.Message = UnknownAgent.say(word, "Line", line(a.Line), "Written", code(a.Value), "Meant", code(to))
			if to == "" {
				f.Message = UnknownAgent.say("nobody", "Line", line(a.Line), "Written", code(a.Value))
			} else {
				f.Example = in.missed(&g, to)
				f.Fix = in.rewrite(UnknownAgent.say("fix", "Meant", code(to)), []record{in.record(a.Line)}, func(r record) []string {
					return []string{in.put(r, "User-agent", to)}
				})
			}
			if to != "" && to != "*" {
				f.Crawlers = []string{to}
			}
			out = append(out, f)
		}
	}
	if retired != nil {
		out = append(out, Finding{
			Severity: Note, Lines: numbers(retired), Source: in.crawler(retired[0].Value).Sources[0],
			Message: UnknownAgent.say("retired", "N", len(retired), "Line", line(retired[0].n), "Name", code(names[0])),
		})
	}
	return out
}

// google says whether Google's own crawlers read a line as theirs, whatever goes on
// behind the name.
func (in *input) google(a robots.AgentLine) bool {
	c := in.crawler(a.Token())
	return c != nil && c.Google
}

// closest finds the crawler that a name was probably meant for, by all that stands in
// front of a version, or by the first word.
func (in *input) closest(value string) (crawlers.Crawler, bool) {
	if len(value) > crawlers.MaxName {
		return crawlers.Crawler{}, false
	}
	value, _, _ = strings.Cut(strings.Trim(value, "\"'+<>[] "), "/")
	names := []string{strings.TrimSpace(value), agentName(value)}
	for _, name := range slices.Compact(names) {
		if c, ok := in.Catalogue.Lookup(name); ok {
			return c, true
		}
		if c, ok := in.Catalogue.Closest(name); ok {
			return c, true
		}
	}
	return crawlers.Crawler{}, false
}

// starred gives whom a value that starts with a "*" was meant for: everybody, when there
// is nothing else, or the crawler whose name stands between; else "".
func (in *input) starred(value string) string {
	name := strings.Trim(value, "*")
	if name == "" {
		return "*"
	}
	if c, ok := in.Catalogue.Lookup(name); ok {
		return c.Token
	}
	return ""
}
