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
	var retired []record
	var names []string
	var all []*wrongName
	found := map[string]*wrongName{} // by what is written; nil for names that may be right
	guesses := 0
	for i := range in.groups {
		g := &in.groups[i]
		for _, a := range g.agents {
			if a.Star() || isAgentString(a.Value) || isWebAddress(a.Value) || in.listed(a.Value) != nil {
				continue
			}
			if c := in.crawler(a.Value); c != nil {
				if c.Status == "retired" {
					retired = append(retired, in.record(a.Line))
					names = append(names, c.Token)
				}
				continue
			}
			key, _, _ := strings.Cut(strings.ToLower(a.Value), "/")
			w, ok := found[key]
			if !ok && len(all) < MaxFindings {
				if w = in.wrong(a, &guesses); w != nil {
					w.group = g
					all = append(all, w)
				}
				found[key] = w
			}
			if w != nil {
				w.lines = append(w.lines, in.record(a.Line))
			}
		}
	}
	var out []Finding
	for _, w := range all {
		out = append(out, in.wrongFinding(w))
	}
	if retired != nil {
		out = append(out, Finding{
			Severity: Note, Lines: numbers(retired), Source: in.crawler(retired[0].Value).Sources[0],
			Message: UnknownAgent.say("retired", "N", len(retired), "Line", line(retired[0].n), "Name", code(names[0])),
		})
	}
	return out
}

// wrongName is a name that speaks to nobody, with all lines that have it.
type wrongName struct {
	word, to string // of its message; to is whom it was meant for, or ""
	group    *group // of the first line
	lines    []record
}

// wrong says what is wrong with a name that the catalogue does not know, or nil.
func (in *input) wrong(a robots.AgentLine, guesses *int) *wrongName {
	name := agentName(a.Value)
	switch {
	case a.Value == "":
		return &wrongName{word: "empty"}
	case a.Value[0] == '*':
		if to := in.starred(a.Value); to != "" {
			return &wrongName{word: "wildcard", to: to}
		}
		return &wrongName{word: "nobody"}
	case strings.EqualFold(name, "all") || strings.EqualFold(name, "any"):
		return &wrongName{word: "all", to: "*"}
	case *guesses < maxGuesses && !in.google(a):
		*guesses++
		if c, ok := in.closest(a.Value); ok {
			return &wrongName{word: "close", to: c.Token}
		}
	}
	return nil
}

func (in *input) wrongFinding(w *wrongName) Finding {
	args := []any{"N", len(w.lines), "Line", line(w.lines[0].n), "Written", code(w.lines[0].Value), "Meant", code(w.to)}
	switch w.word {
	case "empty":
		args = args[:4]
	case "nobody":
		args = args[:6]
	}
	f := Finding{Severity: Warning, Lines: numbers(w.lines), Source: rfc9309Groups, Message: UnknownAgent.say(w.word, args...)}
	if w.to != "" {
		f.Example = in.missed(w.group, w.to)
		f.Fix = in.rewrite(UnknownAgent.say("fix", "N", len(w.lines), "Meant", code(w.to)), w.lines, func(r record) []string {
			return []string{in.put(r, "User-agent", w.to)}
		})
	}
	if w.to != "" && w.to != "*" {
		f.Crawlers = []string{w.to}
	}
	return f
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
