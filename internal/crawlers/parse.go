package crawlers

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
)

// google is the operator whose crawlers cut names as its published code does.
const google = "Google"

// star is the link of a chain that stands for the * group.
const star = "*"

// The values that a fact can have in crawlers.json.
var (
	statuses       = []string{"active", "legacy", "retired", "unconfirmed"}
	honours        = []string{"yes", "partly", "no", "silent", "unknown"}
	honoursBases   = []string{"operator-text", "operator-implied", "third-party", "general-knowledge", "none"}
	wildcards      = []string{"yes", "no", "unclear", "unknown"}
	wildcardBases  = []string{"operator-text", "rfc9309-operator", "rfc9309-third-party", "not-applied", "general-knowledge", "none"}
	crawlDelays    = []string{"yes", "partly", "no", "silent", "unknown"}
	userAgentFroms = []string{"", "operator", "third-party"}
	confidences    = []string{"high", "medium", "low"}
)

// drawnFrom says on which honours_basis a wildcard_basis can rest that is drawn
// from it: who assumes something because the operator says something else has to
// have the operator's word for that.
var drawnFrom = map[string][]string{
	"rfc9309-operator":    {"operator-text", "operator-implied"},
	"rfc9309-third-party": {"third-party"},
	"not-applied":         {"operator-text"},
}

// parse reads a catalogue and refuses one that contradicts itself. The error
// joins everything that is wrong.
func parse(b []byte) (*Catalogue, error) {
	var file struct {
		Collected string    `json:"collected"`
		Crawlers  []Crawler `json:"crawlers"`
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&file); err != nil {
		return nil, fmt.Errorf("read crawlers: %w", err)
	}
	if _, err := time.Parse(time.DateOnly, file.Collected); err != nil {
		return nil, fmt.Errorf("read crawlers: collected: %w", err)
	}

	c := &Catalogue{version: file.Collected, all: file.Crawlers, byName: map[string]int{}}
	slices.SortStableFunc(c.all, byPage)
	errs := c.index()
	for i := range c.all {
		cr := &c.all[i]
		cr.derive()
		for _, err := range c.check(cr) {
			errs = append(errs, fmt.Errorf("%q: %w", cr.Token, err))
		}
		if cr.Tier < 3 {
			c.offered = append(c.offered, *cr)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("check crawlers: %w", err)
	}
	return c, nil
}

// byPage orders crawlers as pages show them.
func byPage(a, b Crawler) int {
	order := Categories()
	return cmp.Or(
		cmp.Compare(slices.Index(order, a.Category), slices.Index(order, b.Category)),
		cmp.Compare(a.Tier, b.Tier),
		cmp.Compare(lower(a.Token), lower(b.Token)),
	)
}

// index fills byName. Tokens go in first, so that they win over aliases.
func (c *Catalogue) index() (errs []error) {
	for i, cr := range c.all {
		if _, taken := c.byName[lower(cr.Token)]; taken {
			errs = append(errs, fmt.Errorf("%q: token is taken", cr.Token))
		}
		c.byName[lower(cr.Token)] = i
	}
	aliases := map[string]bool{}
	for i, cr := range c.all {
		for _, a := range cr.Aliases {
			name := lower(a)
			if aliases[name] || name == lower(cr.Token) {
				errs = append(errs, fmt.Errorf("%q: alias %q is taken", cr.Token, a))
			}
			aliases[name] = true
			if _, taken := c.byName[name]; !taken {
				c.byName[name] = i
			}
		}
	}
	for name, i := range c.byName {
		c.longest = max(c.longest, len(name))
		c.bare = append(c.bare, bareName{squeeze(name), i})
	}
	return errs
}

// derive computes the fields that the file does not hold, from the chain.
func (cr *Crawler) derive() {
	own := append([]string{cr.Token}, cr.Aliases...)
	cr.Names, cr.Own, cr.Star, cr.Warnings = nil, 0, false, nil
	cr.Obeys = len(cr.Fallback) > 0
	cr.Google = cr.Operator == google
	if !cr.Obeys {
		cr.Names, cr.Own = own, len(own)
		return
	}
	var chain []string
	for _, link := range cr.Fallback {
		if prose, ok := strings.CutPrefix(link, "("); ok {
			cr.Warnings = append(cr.Warnings, strings.TrimSuffix(prose, ")"))
			continue
		}
		chain = append(chain, link)
		switch link {
		case star:
			cr.Star = true
		case cr.Token:
			cr.Names, cr.Own = append(cr.Names, own...), len(own)
		default:
			cr.Names = append(cr.Names, link)
		}
	}
	cr.Fallback = chain
}

// check says what is wrong with one entry.
func (c *Catalogue) check(cr *Crawler) (errs []error) {
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	oneOf := func(what, v string, among []string) {
		if !slices.Contains(among, v) {
			bad("%s is %q, not one of %q", what, v, among)
		}
	}

	for _, name := range append([]string{cr.Token}, cr.Aliases...) {
		if !validName(name, cr.Google) {
			bad("%q cannot be a name", name)
		}
	}
	for _, cat := range append([]Category{cr.Category}, cr.Also...) {
		if !slices.Contains(Categories(), cat) {
			bad("unknown category %q", cat)
		}
	}
	if slices.Contains(cr.Also, cr.Category) {
		bad("category %q is named twice", cr.Category)
	}
	if cr.Tier < 1 || cr.Tier > 3 {
		bad("tier is %d, not 1 to 3", cr.Tier)
	}
	oneOf("status", cr.Status, statuses)
	oneOf("honours_robots_txt", cr.Honours, honours)
	oneOf("honours_basis", cr.HonoursBasis, honoursBases)
	oneOf("wildcard_applies", cr.Wildcard, wildcards)
	oneOf("wildcard_basis", cr.WildcardBasis, wildcardBases)
	oneOf("crawl_delay", cr.CrawlDelay, crawlDelays)
	oneOf("user_agent_source", cr.UserAgentSource, userAgentFroms)
	oneOf("confidence", cr.Confidence, confidences)
	if cr.Operator == "" || cr.BlockingMeans == "" {
		bad("operator or blocking_means is missing")
	}
	if (cr.UserAgent == "") != (cr.UserAgentSource == "") {
		bad("user_agent and user_agent_source go together")
	}

	// A claim needs something to rest on, and "the operator says so" a page.
	if len(cr.Sources) == 0 || slices.Contains(cr.Sources, "") || cr.SourceDate == "" {
		bad("sources or source_date is missing")
	}
	for _, s := range append([]string{cr.Documentation}, cr.Sources...) {
		u, err := url.Parse(s)
		if s != "" && (err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http") {
			bad("%q is no web address", s)
		}
	}
	if open := cr.Honours == "silent" || cr.Honours == "unknown"; open != (cr.HonoursBasis == "none") {
		bad("honours_robots_txt %q on basis %q", cr.Honours, cr.HonoursBasis)
	}
	if open := cr.Wildcard == "unclear" || cr.Wildcard == "unknown"; open != (cr.WildcardBasis == "none") {
		bad("wildcard_applies %q on basis %q", cr.Wildcard, cr.WildcardBasis)
	}
	quotes := cr.HonoursBasis == "operator-text" || cr.WildcardBasis == "operator-text"
	if (quotes || cr.OperatorDocumented) && cr.Documentation == "" || quotes && !cr.OperatorDocumented {
		bad("an operator is quoted without its page")
	}
	if from, drawn := drawnFrom[cr.WildcardBasis]; drawn && !slices.Contains(from, cr.HonoursBasis) {
		bad("wildcard_basis %q is not drawn from honours_basis %q", cr.WildcardBasis, cr.HonoursBasis)
	}
	if cr.UserAgentSource == "operator" && !cr.OperatorDocumented {
		bad("user_agent of an operator that does not describe the crawler")
	}

	return append(errs, c.checkChain(cr)...)
}

// checkChain says what is wrong with the fallback chain of an entry.
func (c *Catalogue) checkChain(cr *Crawler) (errs []error) {
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	// Without a chain "unknown" is fine too: an agent that sends no name.
	if cr.Obeys == (cr.Honours == "no") && cr.Honours != "unknown" {
		bad("honours_robots_txt %q with chain %q", cr.Honours, cr.Fallback)
	}
	if cr.Obeys && (cr.Star && cr.Wildcard == "no" || !cr.Star && cr.Wildcard == "yes") {
		bad("wildcard_applies %q with chain %q", cr.Wildcard, cr.Fallback)
	}
	firstWord, _, _ := strings.Cut(cr.Token, " ")
	seen := map[string]bool{}
	for i, link := range cr.Fallback {
		if seen[lower(link)] {
			bad("%q stands twice in the chain", link)
		}
		seen[lower(link)] = true
		switch link {
		case star:
			if i != len(cr.Fallback)-1 {
				bad("* is not the end of the chain")
			}
		case cr.Token:
			if i != 0 {
				bad("the token is not the start of the chain")
			}
		case firstWord:
			// What a reader sees that cuts names at a blank.
		default:
			if j, ok := c.byName[lower(link)]; !ok || c.all[j].Token != link {
				bad("%q in the chain is no token", link)
			}
			if slices.Contains(cr.Aliases, link) {
				bad("alias %q stands in the chain, where it is implied", link)
			}
		}
	}
	return errs
}

// validName says whether a User-agent line can carry the name. Google's own
// hold only what Google's code reads: letters, - and _.
func validName(name string, google bool) bool {
	if name == "" || strings.TrimSpace(name) != name {
		return false
	}
	for _, ch := range []byte(name) {
		switch {
		case 'a' <= ch && ch <= 'z', 'A' <= ch && ch <= 'Z', ch == '-', ch == '_':
		case !google && ('0' <= ch && ch <= '9' || ch == '.' || ch == ' '):
		default:
			return false
		}
	}
	return true
}
