package lint

import (
	"slices"
	"strings"

	"github.com/whichrule/whichrule/internal/crawlers"
	"github.com/whichrule/whichrule/internal/robots"
)

// ignoredKeys are keys that decide nothing about crawling, in lower case, letters
// alone.
var ignoredKeys = map[string]struct{ word, source string }{
	"noindex":        {"noindex", googleNoindex},
	"nofollow":       {"noindex", googleNoindex},
	"noarchive":      {"noarchive", googleSpec},
	"nosnippet":      {"noarchive", googleSpec},
	"crawldelay":     {"crawl-delay", googleSpec},
	"host":           {"host", yandexRobots},
	"cleanparam":     {"clean-param", yandexRobots},
	"requestrate":    {"request-rate", "https://o-seznam.cz/napoveda/vyhledavani/en/crawling-control/"},
	"visittime":      {"unknown", googleSpec},
	"contentsignal":  {"usage", "https://contentsignals.org/"},
	"contentsignals": {"usage", "https://contentsignals.org/"},
	"contentusage":   {"usage", "https://datatracker.ietf.org/doc/draft-ietf-aipref-attach/"},
	"license":        {"usage", "https://rslstandard.org/"},
	"tdmreservation": {"usage", "https://www.w3.org/community/tdmrep/"},
	"tdmpolicy":      {"usage", "https://www.w3.org/community/tdmrep/"},
}

// Pages that findings about ignored lines rest on.
const (
	googleNoindex = "https://developers.google.com/search/blog/2019/07/a-note-on-unsupported-rules"
	yandexRobots  = "https://yandex.com/support/webmaster/en/controlling-robot/robots-txt"
)

// ignoredLine finds lines that nobody reads, or not everybody: what was meant by them
// is not done, or they are not about crawling, which is fine.
func ignoredLine(in *input) []Finding {
	if in.looks().HTML {
		return nil // its lines are no attempt at one
	}
	var c collect
	g, delay := -1, "" // the group at hand, and its sort of Crawl-delay
	for _, r := range in.records {
		if g+1 < len(in.groups) && in.groups[g+1].agents[0].Line == r.n {
			g++
			delay = in.delay(&in.groups[g])
		}
		if r.kind != robots.LineUnknown || r.NoColon {
			continue
		}
		bare := bareKey(r.Key)
		switch known := ignoredKeys[bare]; {
		case bare == "crawldelay":
			if delay != "" {
				c.add(delay, r)
			}
		case known.word == "usage":
			c.add("usage "+bare, r)
		case known.word != "":
			c.add(known.word, r)
		case isKey(r.Key) && closeKey(r.Key) == "":
			c.add("unknown", r)
		}
	}
	var out []Finding
	for _, sort := range c.sorts {
		lines := c.lines[sort]
		first := lines[0]
		f := Finding{Severity: Note, Lines: numbers(lines), Source: ignoredKeys[bareKey(first.Key)].source}
		word, _, _ := strings.Cut(sort, " ")
		args := []any{"N", len(lines), "Line", line(first.n), "Key", code(first.Key)}
		switch word {
		case "noindex", "noarchive":
			f.Severity = Warning
		case "delay":
			f.Severity = Warning
			f.Crawlers = in.deaf(lines)
			args = append(args, "Names", quoteNames(f.Crawlers))
		case "crawl-delay":
			args = append(args, "Names", quoteNames(in.delayed()))
		case "unknown":
			f.Source = googleSpec
		}
		f.Message = IgnoredLine.say(word, args...)
		out = append(out, f)
	}
	return out
}

// bareKey gives a key as ignoredKeys has it.
func bareKey(key string) string {
	return strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(key[:min(len(key), 40)]))
}

// isKey says whether what stands in front of a colon is a key, not the start of a
// sentence, an address or code.
func isKey(key string) bool {
	for i := range len(key) {
		if c := key[i]; (c|0x20 < 'a' || 'z' < c|0x20) && c != '-' && c != '_' {
			return false
		}
	}
	k := strings.ToLower(key)
	return len(key) > 1 && len(key) <= 30 && k != "http" && k != "https"
}

// delay says which sort of Crawl-delay that of a group is: "delay" when every crawler
// it names says that it does not read such lines, "crawl-delay" under *, else "": those
// who are named read it, or nobody knows.
func (in *input) delay(g *group) string {
	star, deaf := false, true
	for _, a := range g.agents {
		star = star || a.Star()
		c := in.crawler(a.Value)
		deaf = deaf && c != nil && c.CrawlDelay == "no"
	}
	switch {
	case star:
		return "crawl-delay"
	case deaf:
		return "delay"
	}
	return ""
}

// deaf gives the crawlers named in the groups of lines, each once.
func (in *input) deaf(lines []record) []string {
	var names []string
	seen := map[string]bool{}
	last := -1
	for _, r := range lines {
		g, _ := slices.BinarySearchFunc(in.groups, r.n, func(g group, n int) int { return g.agents[0].Line - n })
		if g--; g == last {
			continue
		}
		last = g
		for _, name := range in.spellings(in.groups[g].agents) {
			if !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	return names
}

// delayed gives the crawlers that say they read Crawl-delay, those first that most
// people ask about.
func (in *input) delayed() []string {
	var names []string
	for tier := 1; tier <= 2; tier++ {
		for _, c := range in.Catalogue.All() {
			if c.Tier == tier && c.CrawlDelay == "yes" && c.Status == "active" && c.Category != crawlers.UserFetch {
				names = append(names, c.Token)
			}
		}
	}
	return names
}
