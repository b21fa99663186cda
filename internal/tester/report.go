package tester

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/whichrule/whichrule/internal/access"
	"github.com/whichrule/whichrule/internal/crawlers"
	"github.com/whichrule/whichrule/internal/fetch"
	"github.com/whichrule/whichrule/internal/lint"
	"github.com/whichrule/whichrule/internal/robots"
)

// Report is everything about one test. It holds typed values, no sentences,
// so that one report can be shown in any language and any form. Once made it
// is not changed.
type Report struct {
	Engine   string
	TestedAt time.Time
	Source   Source
	Access   []access.Access // one for each crawler
	Crawlers []Column        // the columns of the matrix, each once
	URLs     []Row           // the rows of the matrix
	Results  []Result        // URL by URL, crawlers in order
	// Real are the verdicts that Results would have if nothing were pretended;
	// nil when nothing is.
	Real []Verdict `json:",omitempty"`
	// StarLines are the lines of the * groups, at most MaxRanges runs, for "the
	// * group is ignored"; StarTotal counts all lines.
	StarLines []Range
	StarTotal int
	// Overview is how the whole site stands to every crawler that was offered;
	// nil in a report that was kept before there was one.
	Overview *Overview `json:",omitempty"`
	// Findings are what is worth a look, the worst first.
	Findings []lint.Finding `json:",omitempty"`
	// Trials tell what the first fixes of them would change.
	Trials []Trial `json:",omitempty"`
	// Fixed says what was done to the text that was sent; nil when nothing was.
	Fixed *lint.Message `json:",omitempty"`
	// CutLine is the line on which the 500 KiB that count ended, 0 without a cut.
	CutLine int
}

// Source is where the text came from.
type Source struct {
	// Site is the origin that the text is for; nil when none was given.
	Site *fetch.Origin
	// Text is what was tested, byte for byte.
	Text []byte
	// Fetch is the outcome of the fetch that gave the text; nil for a paste.
	// Its Body is left out here: Text has it.
	Fetch *fetch.Outcome
	// Held says why Fetch is an earlier outcome although a new one was asked
	// for; "" when it is not.
	Held Held `json:",omitempty"`
	// Stale is the last good outcome of the site, with its Body, when Fetch is a
	// failure; nil when none is held. What is tested is Text all the same.
	Stale *fetch.Outcome `json:",omitempty"`
	// Simulated is what the server is pretended to answer; "" for nothing.
	Simulated Simulation `json:",omitempty"`
	// EditedAt is set for a paste that began as a fetched text: when that was
	// fetched.
	EditedAt time.Time
	// Forgotten is set for a paste whose form named an outcome that is no
	// longer held, so its facts could not be kept.
	Forgotten bool
}

// Held says why an earlier outcome serves although a new one was asked for.
type Held string

// The reasons to serve an earlier outcome.
const (
	HeldDomain Held = "domain" // the domain has been asked as often as it may be
	HeldAgain  Held = "again"  // the site was fetched again within AgainAfter
)

// AgainAfter is how often "fetch again" passes by what is held for an origin:
// somebody who waits for a deploy looks about once a minute.
const AgainAfter = time.Minute

// Fetched says whether the text is what a site served, unedited.
func (s *Source) Fetched() bool { return s.Fetch != nil }

// Counted is how many bytes of the text count.
func (s *Source) Counted() int { return min(len(s.Text), robots.GoogleLimit) }

// Column is one crawler of the matrix.
type Column struct {
	Choice crawlers.Choice
	// How the crawler's group is found when the rules count.
	How  How
	Name string // the name that was matched, "*" or ""
	// Agents are the User-agent lines of the groups chosen, at most
	// MaxGroupLines; AgentsTotal counts all.
	Agents      []int
	AgentsTotal int
	// Names are the same lines and Rules those of the groups' rules, as runs
	// of neighbours, at most MaxRanges of each; RulesTotal counts all rules.
	Names, Rules []Range
	RulesTotal   int
	// By are those of Agents that name what was found, as runs, at most
	// MaxRanges; a group can name others too. ByTotal counts the lines.
	By      []Range
	ByTotal int
	// Glued is the first User-agent line of the groups chosen that stands apart
	// from the one before it and still belongs to the same group, since no rule
	// stands between the two (RFC 9309 §2.2.4); 0 when there is none.
	Glued int
	// StarIgnored is set when the file has * groups that do not count here.
	StarIgnored bool
	// Loose is set when Google's own code would have cut the name that the
	// file uses, so that only crawlers which read names whole are bound.
	Loose bool
}

// Row is one URL of the matrix.
type Row struct {
	URL     string        // as typed
	Matched string        // normalised: the whole URL with a site, else the path
	Path    string        // the part of Matched that rules are compared with
	Origin  *fetch.Origin // whose file decides; nil without a site
	Covered bool          // the tested file counts for this URL
	// Fetchable is set for a URL that is not covered and whose own file we
	// would fetch.
	Fetchable bool
	MaybeHost bool   // read as a path, but it starts like a host
	Error     string // kind of what is wrong with it, "" for nothing: scheme, host, ...
}

// Range is a run of neighbouring lines, both ends included.
type Range struct{ First, Last int }

// How says how a crawler's group was found.
type How string

// The ways to find a group.
const (
	HowNamed    How = "named"    // by the crawler's own token or an alias
	HowFallback How = "fallback" // by another name of its chain
	HowStar     How = "star"     // by *
	HowNone     How = "none"     // there is none, or rules do not count
)

// Reason says why a verdict is what it is. Besides the ones below it takes the
// names of robots.Reason.
type Reason string

// The reasons that come before the rules, in the order in which they apply.
const (
	ReasonBadURL         Reason = "bad-url"
	ReasonNotCovered     Reason = "not-covered"
	ReasonRobotsTxt      Reason = "robots-txt"
	ReasonNotControlled  Reason = "not-controlled"
	ReasonUnknown        Reason = "unknown"
	ReasonAccessAllowAll Reason = "access-allow-all"
	ReasonAccessBlockAll Reason = "access-block-all"

	ReasonLongestRule     Reason = "longest-rule"
	ReasonTieAllowWins    Reason = "tie-allow-wins"
	ReasonEmptyRule       Reason = "empty-rule"
	ReasonNoRuleMatches   Reason = "no-rule-matches"
	ReasonEmptyNamedGroup Reason = "empty-named-group"
	ReasonNoGroup         Reason = "no-group"
)

// Verdict is Allowed, Blocked or not tested.
type Verdict string

// The verdicts.
const (
	Allowed   Verdict = "allowed"
	Blocked   Verdict = "blocked"
	NotTested Verdict = "not-tested"
)

// Result is one cell of the matrix: the verdict for one crawler and one URL,
// with what decided it.
type Result struct {
	Verdict Verdict
	Reason  Reason
	How     How    // of the group that decided; HowNone when rules had no say
	Line    int    `json:",omitempty"` // the reference's matching line, 0 for none
	Rule    string `json:",omitempty"` // "Disallow: /x"; "" without a line
	// Would is set for a crawler that does not obey: what the rules would say.
	Would *Would `json:",omitempty"`
	// Why has the candidates; nil where rules did not decide, and in all cells
	// but the chosen one of a report of more than MaxExplained.
	Why *Why `json:",omitempty"`
}

// Would is what the rules would say to a crawler that does not obey them.
type Would struct {
	Verdict Verdict
	Line    int
}

// Why is what stands behind a result that rules decided.
type Why struct {
	Candidates []Candidate // longest first, at most MaxCandidates
	Total      int         // all that matched
	Spans      []robots.Span
	IndexHTML  bool // the winner matched by Google's rule for index.html
}

// Candidate is a rule of the chosen group that matches the URL.
type Candidate struct {
	Line    int    `json:"line"`
	Rule    string `json:"rule"`
	Length  int    `json:"length"` // bytes of the escaped pattern
	Outcome string `json:"outcome"`
}

// At gives the result of a row and a column, both from 0.
func (r *Report) At(row, col int) *Result { return &r.Results[row*len(r.Crawlers)+col] }

// Typed gives the URLs as typed.
func (r *Report) Typed() []string {
	urls := make([]string, len(r.URLs))
	for i := range r.URLs {
		urls[i] = r.URLs[i].URL
	}
	return urls
}

// stored is the form in which stores keep a report: each rule's text once, by
// its line, instead of in every cell that it decides.
type stored struct {
	Report *plain
	Rules  map[int]string
}

// plain is a Report without its methods.
type plain Report

// MarshalBinary gives the form in which stores keep a report. The JSON that
// people download is written by package web.
func (r *Report) MarshalBinary() ([]byte, error) {
	s := stored{Report: (*plain)(r), Rules: map[int]string{}}
	bare := *s.Report
	bare.Results = slices.Clone(r.Results)
	for i := range bare.Results {
		res := &bare.Results[i]
		s.Rules[res.Line], res.Rule = res.Rule, ""
		if res.Why == nil {
			continue
		}
		w := *res.Why
		w.Candidates = slices.Clone(w.Candidates)
		for j := range w.Candidates {
			c := &w.Candidates[j]
			s.Rules[c.Line], c.Rule = c.Rule, ""
		}
		res.Why = &w
	}
	s.Report = &bare
	return json.Marshal(s)
}

// UnmarshalBinary reads what MarshalBinary gave.
func (r *Report) UnmarshalBinary(b []byte) error {
	s := stored{Report: (*plain)(r)}
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	for i := range r.Results {
		res := &r.Results[i]
		res.Rule = s.Rules[res.Line]
		if res.Why == nil {
			continue
		}
		for j := range res.Why.Candidates {
			c := &res.Why.Candidates[j]
			c.Rule = s.Rules[c.Line]
		}
	}
	return nil
}
