// Package crawlers is the catalogue: who crawls the web, by what name a
// robots.txt can address them, for what purpose, and what they are known to do
// with the file.
//
// The facts stand in crawlers.json, one entry on a screen and one key on a
// line, sorted by token; it is the file to read and to edit. [Load] parses it,
// refuses what contradicts itself, and derives what the rest of the program
// needs: the names under which a crawler is looked up in a file, in order
// ([Crawler.Names]), and whether it reads the * group ([Crawler.Star]).
//
// What a person types in the crawler field goes through [Catalogue.Resolve],
// which knows tokens, aliases, * and full user-agent strings, and takes any
// other name as it is.
package crawlers

import _ "embed"

//go:embed crawlers.json
var data []byte

// Category is what a crawler fetches pages for.
type Category string

// The purposes, in the order in which pages show them.
const (
	SearchIndex Category = "search_index"
	AISearch    Category = "ai_search"
	AITraining  Category = "ai_training"
	UserFetch   Category = "user_fetch" // on behalf of a person who asked for the page
	Agent       Category = "agent"      // acts for a person or a site owner
	Ads         Category = "ads"
	LinkPreview Category = "link_preview"
	SEOTool     Category = "seo_tool"
	Archive     Category = "archive"
	ControlOnly Category = "control_only" // a name in robots.txt that makes no requests of its own
	Other       Category = "other"
)

// Categories gives every category in the order in which pages show them.
func Categories() []Category {
	return []Category{
		SearchIndex, AISearch, AITraining, UserFetch, Agent, Ads,
		LinkPreview, SEOTool, Archive, ControlOnly, Other,
	}
}

// Crawler is one entry of the catalogue. The first block is derived when the
// catalogue is loaded, the rest is what crawlers.json says. Its JSON form holds
// both, so that a stored crawler reads back whole.
type Crawler struct {
	// Names are the names to look for in a file, first one first: the token,
	// its aliases, then the other names of the fallback chain, without *. A
	// crawler that does not obey keeps its token and aliases here, so that one
	// can say what the rules would tell it.
	Names []string `json:"names,omitempty"`
	// Own counts how many of Names are the crawler's own, token and aliases: a
	// match there names the crawler, a later one is a fallback. It is 0 for a
	// crawler that reads only other crawlers' groups, such as Bravebot.
	Own int `json:"own"`
	// Star says that the chain ends in *: without a group under one of Names,
	// the crawler reads the * group.
	Star bool `json:"star"`
	// Obeys is false for a crawler that does not consult robots.txt (an empty
	// fallback chain).
	Obeys bool `json:"obeys"`
	// Google is true for Google's own crawlers, whose names in a file are cut
	// as Google's published code cuts them.
	Google bool `json:"google"`
	// Warnings are links of the chain that name no crawler ("groups of other
	// search bots"): the operator says so, nobody can compute it.
	Warnings []string `json:"warnings,omitempty"`

	// Token is the product token (RFC 9309 §2.2.1) in the operator's spelling.
	// A few hold blanks, dots or digits, which the RFC's grammar does not have.
	Token string `json:"token"`
	// Aliases are older or alternative names that mean this crawler too.
	Aliases  []string `json:"aliases,omitempty"`
	Operator string   `json:"operator"`
	Category Category `json:"category"`
	// Also are further purposes that the same name serves.
	Also []Category `json:"also,omitempty"`
	// Tier is 1 for what most people ask about, 2 for the rest that is offered,
	// 3 for retired, unconfirmed and listed-only names, which are recognised.
	Tier int `json:"tier"`
	// Status is active, legacy, retired or unconfirmed.
	Status string `json:"status"`
	// Fallback is the documented chain, own token first and * last, without
	// what is in Warnings. Empty when robots.txt is not consulted.
	Fallback     []string `json:"fallback"`
	FallbackNote string   `json:"fallback_note,omitempty"`
	// Honours says whether the crawler follows robots.txt: yes, partly, no,
	// silent (the operator says nothing) or unknown.
	Honours     string `json:"honours_robots_txt"`
	HonoursNote string `json:"honours_note,omitempty"`
	// HonoursBasis is what Honours rests on: operator-text, operator-implied,
	// third-party, general-knowledge or none.
	HonoursBasis string `json:"honours_basis"`
	// Wildcard says whether the * group reaches the crawler: yes, no, unclear
	// or unknown.
	Wildcard string `json:"wildcard_applies"`
	// WildcardBasis is what Wildcard rests on: operator-text, rfc9309-operator
	// and rfc9309-third-party (assumed from RFC 9309, because the operator or
	// only somebody else says that the crawler honours robots.txt), not-applied
	// (the operator says that robots.txt is not consulted), general-knowledge
	// or none.
	WildcardBasis string `json:"wildcard_basis"`
	// BlockingMeans is what shutting the crawler out does to a site, in English.
	BlockingMeans string `json:"blocking_means"`
	// CrawlDelay says whether Crawl-delay lines count: yes, partly, no, silent
	// or unknown.
	CrawlDelay     string `json:"crawl_delay"`
	CrawlDelayNote string `json:"crawl_delay_note,omitempty"`
	// StatusHandling is what the operator says about status codes, redirects
	// and limits of the file, in English.
	StatusHandling string `json:"http_status_handling,omitempty"`
	// OtherLines are further lines of robots.txt that the crawler reads.
	OtherLines []string `json:"other_lines,omitempty"`
	// UserAgent is the string that the crawler sends, with W.X.Y.Z for a
	// changing browser version; in brackets it is a description.
	UserAgent string `json:"user_agent,omitempty"`
	// UserAgentSource is operator or third-party, "" without a UserAgent.
	UserAgentSource string `json:"user_agent_source,omitempty"`
	// Documentation is the operator's page about the crawler, "" for none.
	Documentation string `json:"documentation,omitempty"`
	// Sources are the pages that the entry rests on, never empty.
	Sources []string `json:"sources"`
	// SourceDate says in English how old the sources are.
	SourceDate string `json:"source_date"`
	// Confidence in the entry as a whole is high, medium or low.
	Confidence string `json:"confidence"`
	// OperatorDocumented says that the operator itself describes the crawler.
	OperatorDocumented bool   `json:"operator_documented"`
	Notes              string `json:"notes,omitempty"`
}

// Catalogue holds all crawlers. It is never changed once loaded, so any number
// of goroutines may read it; what it hands out is shared and not to be changed.
// An empty Catalogue knows no crawler.
type Catalogue struct {
	version string
	all     []Crawler
	offered []Crawler
	byName  map[string]int // token or alias in lower case to index in all
	bare    []bareName     // the keys of byName, in no order
	longest int            // bytes of the longest key of byName
}

// Load reads the embedded catalogue. It fails only when crawlers.json is
// wrong; the error then lists everything that is.
func Load() (*Catalogue, error) { return parse(data) }

// Version is the day on which the facts were last gathered, as 2006-01-02.
func (c *Catalogue) Version() string { return c.version }

// All gives every crawler, tiers 1 to 3, in the order of the page: by
// category, then tier, then token whatever its case.
func (c *Catalogue) All() []Crawler { return c.all }

// Offered gives the crawlers that a person can pick, tiers 1 and 2, in the
// order of the page.
func (c *Catalogue) Offered() []Crawler { return c.offered }

// Lookup finds a crawler by its token or an alias, whatever the case of ASCII
// letters. A name that is one crawler's token and another's alias finds the
// first.
func (c *Catalogue) Lookup(name string) (Crawler, bool) {
	if len(name) > c.longest {
		return Crawler{}, false
	}
	i, ok := c.byName[lower(name)]
	if !ok {
		return Crawler{}, false
	}
	return c.all[i], true
}

// lower folds ASCII letters only, as names in robots.txt are compared (RFC
// 9309 §2.2.1): U+212A KELVIN SIGN is no k.
func lower(s string) string {
	b := []byte(s)
	for i, ch := range b {
		if 'A' <= ch && ch <= 'Z' {
			b[i] = ch + 'a' - 'A'
		}
	}
	return string(b)
}
