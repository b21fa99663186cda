package tester

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/whichrule/whichrule/internal/access"
	"github.com/whichrule/whichrule/internal/crawlers"
	"github.com/whichrule/whichrule/internal/fetch"
	"github.com/whichrule/whichrule/internal/robots"
)

// Defaults are the crawlers that are tested when none is chosen: the one that
// fills Google Search, and the AI crawlers that site owners ask about most.
var Defaults = []string{"Googlebot", "GPTBot", "ClaudeBot", "OAI-SearchBot"}

// maxWork bounds the time that one test may compute.
const maxWork = 2 * time.Second

// Test runs one test. The error is an *Error for a request that cannot be
// tested, a *BusyError, the error of AllowFetch, or that of ctx. A fetch that
// failed is no error: the report says what came of it.
func (t *Tester) Test(ctx context.Context, q Request) (*Report, error) {
	site, err := readSite(q)
	if err != nil {
		return nil, err
	}
	cols, err := t.columns(q.Crawlers)
	if err != nil {
		return nil, err
	}
	urls, err := readLines(q.URLs, site)
	if err != nil {
		return nil, err
	}
	if site != nil {
		q.AllowFetch = t.leave(ctx, q, site.Origin)
	}
	simulated, err := readSimulation(q.Simulate)
	if err != nil {
		return nil, err
	}
	source, err := t.source(ctx, q, site)
	if err != nil {
		return nil, err
	}
	source.Simulated = simulated

	key := ""
	if t.Reports != nil && source.Fetched() && q.Cell == (Cell{}) && q.Fix == 0 {
		key = reportKey(source, cols, urls)
		if r, err := t.Reports.Report(ctx, key); err == nil {
			// The facts are those of this request: which copy is stale, and why
			// none was fetched, is another matter an hour later.
			r.Source = *source
			return r, nil
		}
	}
	r := &Report{Engine: robots.Version, TestedAt: t.Now().UTC().Truncate(time.Second), Source: *source, Crawlers: cols}
	for _, u := range urls {
		row := readURL(u, source.Site)
		row.Fetchable = !row.Covered && row.Origin != nil && t.Fetcher.Fetchable(*row.Origin)
		r.URLs = append(r.URLs, row)
	}
	leave, err := t.enter(ctx)
	if err != nil {
		return nil, err
	}
	if err = r.fix(q.Fix, t.Catalogue); err == nil {
		err = judge(ctx, r, q.Cell, t.Catalogue, t.Now)
	}
	leave()
	if err != nil {
		return nil, err
	}
	if key != "" {
		kept := *r
		kept.Source.Held, kept.Source.Stale = "", nil
		t.Reports.PutReport(ctx, key, &kept)
	}
	return r, nil
}

// enter waits for one of the slots, and gives the way to leave it. The error is
// that of ctx.
func (t *Tester) enter(ctx context.Context) (leave func(), err error) {
	if t.Slots == nil {
		return func() {}, nil
	}
	select {
	case t.Slots <- struct{}{}:
		return func() { <-t.Slots }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// readSite reads the site field; nil when it is empty.
func readSite(q Request) (*fetch.Site, error) {
	if strings.TrimSpace(q.Site) == "" {
		if q.Do == DoFetch || q.Do == DoRefetch {
			return nil, &Error{Kind: "site-empty", Field: "site"}
		}
		return nil, nil
	}
	site, err := fetch.ParseSite(q.Site)
	if err != nil {
		kind := "host"
		var se *fetch.SiteError
		if errors.As(err, &se) {
			kind = se.Kind
		}
		return nil, &Error{Kind: "site-" + kind, Field: "site", Got: shorten(q.Site)}
	}
	return &site, nil
}

// columns reads the crawlers, each once whatever its case.
func (t *Tester) columns(typed []string) ([]Column, error) {
	var cols []Column
	seen := map[string]bool{}
	add := func(name string) error {
		if len(name) > crawlers.MaxName {
			return &Error{Kind: "crawler-too-long", Field: "crawler", Limit: crawlers.MaxName, Got: shorten(name)}
		}
		c := t.Catalogue.Resolve(name)
		if token := strings.ToLower(c.Crawler.Token); !seen[token] {
			seen[token] = true
			cols = append(cols, Column{Choice: c})
		}
		if len(cols) > MaxCrawlers {
			return &Error{Kind: "too-many-crawlers", Field: "crawler", Limit: MaxCrawlers}
		}
		return nil
	}
	for _, name := range typed {
		// A report is kept as text, so what is no text is replaced at once.
		if name = strings.TrimSpace(strings.ToValidUTF8(name, "\ufffd")); name != "" {
			if err := add(name); err != nil {
				return nil, err
			}
		}
	}
	if len(cols) == 0 {
		for _, name := range Defaults {
			if err := add(name); err != nil {
				return nil, err
			}
		}
	}
	return cols, nil
}

// readLines reads the URLs as typed, one each.
func readLines(typed []string, site *fetch.Site) ([]string, error) {
	var urls []string
	total := 0
	for _, u := range typed {
		if u = strings.TrimSpace(u); u == "" {
			continue
		}
		urls = append(urls, u)
		total += len(u)
		switch {
		case len(u) > MaxURL:
			return nil, &Error{Kind: "url-too-long", Field: "url", Limit: MaxURL, Got: shorten(u)}
		case len(urls) > MaxURLs:
			return nil, &Error{Kind: "too-many-urls", Field: "url", Limit: MaxURLs}
		case total > MaxURLBytes:
			return nil, &Error{Kind: "too-large", Field: "url", Limit: MaxURLBytes}
		}
	}
	if len(urls) > 0 {
		return urls, nil
	}
	if site != nil && !site.OtherRobots && site.Path != "" && site.Path != "/robots.txt" {
		return []string{site.Path}, nil
	}
	return []string{"/"}, nil
}

// shorten keeps what a sentence can quote.
func shorten(s string) string {
	const most = 80
	s = strings.ToValidUTF8(s, "\ufffd")
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}

// source gets the text: given, held, or fetched.
func (t *Tester) source(ctx context.Context, q Request, site *fetch.Site) (*Source, error) {
	s := &Source{Text: q.Text}
	if site != nil {
		s.Site = &site.Origin
	}
	if q.Do == DoFetch || q.Do == DoRefetch {
		return t.fetch(ctx, q, s)
	}
	if q.Outcome != "" {
		switch o, err := t.Outcomes.Outcome(ctx, q.Outcome); {
		case err != nil:
			s.Forgotten = len(q.Text) > 0
		case s.Site != nil && *s.Site != o.Origin:
			// The site field was changed since: the facts are another site's.
		case robots.TextareaForm(o.Body) == robots.TextareaForm(q.Text):
			s.take(o)
			t.lastGood(ctx, s)
			return s, nil
		case len(q.Text) > 0 && o.Kind == fetch.OK:
			s.EditedAt = o.FetchedAt
		}
	}
	// Only now: a file of bytes that are no text is longer as it comes back.
	if len(q.Text) > MaxText {
		return nil, &Error{Kind: "too-large", Field: "robots", Limit: MaxText}
	}
	if len(q.Text) > 0 {
		return s, nil
	}
	if site == nil {
		return nil, &Error{Kind: "nothing-given", Field: "robots"}
	}
	return t.fetch(ctx, q, s)
}

// fetch gets the text from the site, or a copy of it that is young enough.
func (t *Tester) fetch(ctx context.Context, q Request, s *Source) (*Source, error) {
	origin := *s.Site
	o, held, err := t.Outcomes.Fresh(ctx, origin.String(), q.Do == DoRefetch, func(ctx context.Context) (*fetch.Outcome, error) {
		if q.AllowFetch != nil && t.Fetcher.Fetchable(origin) {
			if err := q.AllowFetch(); err != nil {
				return nil, err
			}
		}
		return t.Fetcher.Fetch(ctx, origin)
	})
	if err != nil {
		return nil, fmt.Errorf("fetch robots.txt: %w", err)
	}
	s.take(o)
	s.Held = held
	t.lastGood(ctx, s)
	return s, nil
}

// leave gives what has to be asked before a request leaves for an origin: its
// domain first, so that a client is not charged for a fetch that is not made.
func (t *Tester) leave(ctx context.Context, q Request, o fetch.Origin) func() error {
	return func() error {
		if t.MayAsk != nil {
			if err := t.MayAsk(ctx, o); err != nil {
				return err
			}
		}
		if q.AllowFetch != nil {
			return q.AllowFetch()
		}
		return nil
	}
}

// lastGood puts the last good copy beside a failure. A site that says that it
// has no file does not fail.
func (t *Tester) lastGood(ctx context.Context, s *Source) {
	if s.Fetch.Kind == fetch.OK || s.Fetch.Kind == fetch.ClientError {
		return
	}
	if o, err := t.Outcomes.LastGood(ctx, s.Fetch.Origin.String()); err == nil {
		o.Detail = "" // for the log
		s.Stale = o
	}
}

// take makes the source what the outcome says.
func (s *Source) take(o *fetch.Outcome) {
	facts := *o
	facts.Body, facts.Detail = nil, "" // Text has the body; Detail is for the log
	s.Site, s.Text, s.Fetch = &facts.Origin, o.Body, &facts
}

// judge fills the report: verdicts, overview and findings.
func judge(ctx context.Context, r *Report, chosen Cell, known *crawlers.Catalogue, now func() time.Time) error {
	start := now()
	f := robots.Parse(r.Source.judged(), robots.Options{Limit: robots.GoogleLimit})
	text := f // what stands there, whatever is pretended
	if r.Source.Simulated == SimulatePage {
		text = robots.Parse(r.Source.Text, robots.Options{Limit: robots.GoogleLimit})
	}
	means := accessOf(r.Source.Class())
	r.CutLine = text.CutLine()
	star := f.Select(robots.Agent{Star: true})
	lines := append(agentLines(star), ruleLines(f, star)...)
	r.StarLines, r.StarTotal = merge(lines, MaxRanges), len(lines)

	sets := newRuleSets(f)
	sets.stars = star.Groups
	selections := make([]*robots.Selection, len(r.Crawlers))
	for i := range r.Crawlers {
		c := &r.Crawlers[i]
		selections[i] = sets.choose(c)
		r.Access = append(r.Access, means(c.Choice.Crawler.Operator))
	}
	r.Overview = overview(f, known, means)

	explainAll := len(r.URLs)*len(r.Crawlers) <= MaxExplained
	budget := MaxWhyBytes
	r.Results = make([]Result, 0, len(r.URLs)*len(r.Crawlers))
	for row := range r.URLs {
		u := &r.URLs[row]
		known := map[*robots.Selection]*robots.Explanation{}
		for col := range r.Crawlers {
			if err := mayGoOn(ctx, now, start); err != nil {
				return err
			}
			sel := selections[col]
			res, byRules := verdict(u, &r.Crawlers[col], r.Access[col].Effect)
			if !byRules {
				if res.Reason == ReasonNotControlled {
					d := sel.Match(u.Path)
					res.Would = &Would{Verdict: said(d.Allowed), Line: d.Line}
				}
				r.Results = append(r.Results, res)
				continue
			}
			e := known[sel]
			explain := chosen == Cell{Row: row + 1, Col: col + 1} || explainAll && budget > 0
			if e == nil || explain && e.Candidates == nil {
				e = decide(sel, u.Path, explain)
				known[sel] = e
			}
			res.take(r.Crawlers[col].How, e)
			if explain {
				res.Why = why(e)
				budget -= res.Why.size()
			}
			r.Results = append(r.Results, res)
		}
	}
	r.Findings = lintOf(r, text, known)
	r.Trials = try(r, known)
	if r.Source.Simulated != "" {
		var err error
		r.Real, err = realVerdicts(ctx, r, now, start)
		return err
	}
	return nil
}

// mayGoOn says whether a test may compute one more cell: between cells, since
// one is bounded by the bounds on its URL and the file.
func mayGoOn(ctx context.Context, now func() time.Time, start time.Time) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if now().Sub(start) > maxWork {
		return &Error{Kind: "too-much-work", Field: "url"}
	}
	return nil
}

// Explain gives the candidates of one cell that rules decided, for a report of
// more than MaxExplained cells. It is nil where the report has none to give:
// rules did not decide, or another version of the engine made it.
func (r *Report) Explain(c Cell) *Why {
	if c.Row < 1 || c.Row > len(r.URLs) || c.Col < 1 || c.Col > len(r.Crawlers) {
		return nil
	}
	res := r.At(c.Row-1, c.Col-1)
	if res.Why != nil || r.Engine != robots.Version {
		return res.Why
	}
	if _, byRules := verdict(&r.URLs[c.Row-1], &r.Crawlers[c.Col-1], r.Access[c.Col-1].Effect); !byRules {
		return nil
	}
	f := robots.Parse(r.Source.judged(), robots.Options{Limit: robots.GoogleLimit})
	col := r.Crawlers[c.Col-1]
	return why(decide(newRuleSets(f).choose(&col), r.URLs[c.Row-1].Path, true))
}

// Lines gives all lines of the groups chosen for a column, from 0: those that
// name crawlers and those of rules, as runs. Beyond MaxRanges, where the report
// holds the first ones, the file is read again.
func (r *Report) Lines(col int) (names, rules []Range) {
	c := r.Crawlers[col]
	if len(c.Names) < MaxRanges && len(c.Rules) < MaxRanges || r.Engine != robots.Version {
		return c.Names, c.Rules
	}
	f := robots.Parse(r.Source.judged(), robots.Options{Limit: robots.GoogleLimit})
	sel := newRuleSets(f).choose(&c)
	names = agentLines(sel)
	return merge(names, len(names)), merge(ruleLines(f, sel), sel.Rules())
}

// Default gives the cell that a page opens when none is chosen: the first
// blocked one, else the first with a verdict, else the first.
func (r *Report) Default() Cell {
	for _, v := range []Verdict{Blocked, Allowed} {
		for i := range r.Results {
			if r.Results[i].Verdict == v {
				return Cell{Row: i/len(r.Crawlers) + 1, Col: i%len(r.Crawlers) + 1}
			}
		}
	}
	return Cell{Row: 1, Col: 1}
}

// verdict gives the result that comes before any rule, or says that the rules
// decide. The order is that of the reasons.
func verdict(u *Row, c *Column, effect access.Effect) (res Result, byRules bool) {
	res.How = HowNone
	switch {
	case u.Error != "":
		res.Verdict, res.Reason = NotTested, ReasonBadURL
	case !u.Covered:
		res.Verdict, res.Reason = NotTested, ReasonNotCovered
	case u.Path == "/robots.txt" || strings.HasPrefix(u.Path, "/robots.txt?"):
		res.Verdict, res.Reason = Allowed, ReasonRobotsTxt
	case !c.Choice.Crawler.Obeys:
		res.Verdict, res.Reason = Allowed, ReasonNotControlled
	case effect == access.Unknown:
		res.Verdict, res.Reason = NotTested, ReasonUnknown
	case effect == access.AllowAll:
		res.Verdict, res.Reason = Allowed, ReasonAccessAllowAll
	case effect == access.BlockAll:
		res.Verdict, res.Reason = Blocked, ReasonAccessBlockAll
	default:
		return res, true
	}
	return res, false
}

func said(allowed bool) Verdict {
	if allowed {
		return Allowed
	}
	return Blocked
}

func decide(sel *robots.Selection, path string, explain bool) *robots.Explanation {
	if explain {
		e := sel.Explain(path, MaxCandidates)
		if e.Candidates == nil {
			e.Candidates = []robots.Candidate{}
		}
		return &e
	}
	return &robots.Explanation{Decision: sel.Match(path)}
}

// take makes the result what the rules say.
func (res *Result) take(how How, e *robots.Explanation) {
	res.Verdict, res.Reason, res.How = said(e.Allowed), Reason(e.Reason.String()), how
	if res.Line = e.Line; e.Line > 0 {
		res.Rule = ruleText(e.Rule)
	}
}

func why(e *robots.Explanation) *Why {
	w := &Why{Total: e.Total, Spans: e.Spans, IndexHTML: e.IndexHTML}
	if n := len(w.Spans); n > MaxSpans {
		w.Spans = []robots.Span{{Start: w.Spans[0].Start, End: w.Spans[n-1].End}}
	}
	for _, c := range e.Candidates {
		w.Candidates = append(w.Candidates, Candidate{Line: c.Rule.Line, Rule: ruleText(c.Rule), Length: c.Length, Outcome: c.Outcome.String()})
	}
	return w
}

func (w *Why) size() int {
	n := 16 * len(w.Spans)
	for _, c := range w.Candidates {
		n += len(c.Rule) + 64
	}
	return n
}

// ruleText gives a rule for reading: valid UTF-8, cut at MaxRule.
func ruleText(r robots.Rule) string {
	s := strings.ToValidUTF8(r.String(), "\ufffd")
	if len(s) > MaxRule {
		s = strings.ToValidUTF8(s[:MaxRule], "") + "…"
	}
	return s
}

// ruleSets chooses groups, and gives crawlers that read the same groups one
// and the same selection, so that their matches are made once.
type ruleSets struct {
	file  *robots.File
	stars []int // the * groups
	sets  map[string]*robots.Selection
}

func newRuleSets(f *robots.File) *ruleSets {
	return &ruleSets{file: f, sets: map[string]*robots.Selection{}}
}

// choose chooses the crawler's group and writes into the column how.
func (s *ruleSets) choose(c *Column) *robots.Selection {
	who := c.Choice.Crawler
	// One that does not obey is asked what it would read if it did.
	agent := robots.Agent{Names: who.Names, Star: who.Star || !who.Obeys, Cut: who.Google}
	sel := s.file.Select(agent)
	c.How = howOf(sel, &who)
	c.Name, c.Loose, c.Agents = sel.Name, sel.Loose, nil
	agents := agentLines(sel)
	for _, a := range agents[:min(len(agents), MaxGroupLines)] {
		c.Agents = append(c.Agents, a.First)
	}
	c.AgentsTotal = len(agents)
	c.Names, c.Rules = merge(agents, MaxRanges), merge(ruleLines(s.file, sel), MaxRanges)
	c.RulesTotal = sel.Rules()
	by := namingLines(sel, agent)
	c.By, c.ByTotal = merge(by, MaxRanges), len(by)
	c.Glued = gluedLine(s.file, sel)
	c.StarIgnored = len(s.stars) > 0 && !overlap(s.stars, sel.Groups)

	// An empty group of one's own and no group at all have the same (no)
	// rules, but not the same reason.
	key := fmt.Sprint(sel.Index < 0, sel.Star, sel.Groups)
	if same, ok := s.sets[key]; ok {
		return same
	}
	s.sets[key] = sel
	return sel
}

// howOf says how a crawler's group was found.
func howOf(sel *robots.Selection, who *crawlers.Crawler) How {
	switch {
	case sel.Star:
		return HowStar
	case sel.Index < 0:
		return HowNone
	case sel.Index < who.Own:
		return HowNamed
	}
	return HowFallback
}

// overlap says whether two ascending lists share a number.
func overlap(a, b []int) bool {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] == b[0]:
			return true
		case a[0] < b[0]:
			a = a[1:]
		default:
			b = b[1:]
		}
	}
	return false
}

// agentLines gives the User-agent lines of the groups chosen, each a run.
func agentLines(sel *robots.Selection) []Range {
	var out []Range
	for a := range sel.Agents() {
		out = append(out, Range{a.Line, a.Line})
	}
	return out
}

// namingLines gives those User-agent lines of the groups chosen that name what
// was found, each a run.
func namingLines(sel *robots.Selection, agent robots.Agent) []Range {
	var out []Range
	for a := range sel.Agents() {
		if sel.Star && a.Star() || !sel.Star && agent.Find(a) == sel.Index {
			out = append(out, Range{a.Line, a.Line})
		}
	}
	return out
}

// gluedLine gives the first User-agent line that stands apart from the one
// before it in one of the groups chosen, or 0.
func gluedLine(f *robots.File, sel *robots.Selection) int {
	for _, g := range sel.Groups {
		last := 0
		for a := range f.Agents(g) {
			for n := last + 1; last > 0 && n < a.Line; n++ {
				if f.Kind(n) != robots.LineComment {
					return a.Line
				}
			}
			last = a.Line
		}
	}
	return 0
}

// ruleLines gives the lines of the rules of the groups chosen, each a run.
func ruleLines(f *robots.File, sel *robots.Selection) []Range {
	var out []Range
	for _, g := range sel.Groups {
		for r := range f.Rules(g) {
			out = append(out, Range{r.Line, r.Line})
		}
	}
	return out
}

// merge sorts runs, joins neighbours, and keeps at most most of them.
func merge(runs []Range, most int) []Range {
	slices.SortFunc(runs, func(a, b Range) int { return a.First - b.First })
	var out []Range
	for _, r := range runs {
		if n := len(out); n > 0 && out[n-1].Last+1 >= r.First {
			out[n-1].Last = max(out[n-1].Last, r.Last)
			continue
		}
		if len(out) == most {
			break
		}
		out = append(out, r)
	}
	return out
}

// reportKey covers everything that goes into a report but the clock.
func reportKey(s *Source, cols []Column, urls []string) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n%s\n%s\n%s\n", robots.Version, s.Fetch.ID, s.Site, s.Simulated)
	for _, c := range cols {
		fmt.Fprintf(&b, "%q\n", c.Choice.Typed)
	}
	b.WriteByte('\n')
	for _, u := range urls {
		fmt.Fprintf(&b, "%q\n", u)
	}
	sum := sha256.Sum256(b.Bytes())
	return hex.EncodeToString(sum[:])
}

// Check tests a text that came from a file, without a site: what the command
// line does.
func (t *Tester) Check(text []byte, names, urls []string) (*Report, error) {
	cols, err := t.columns(names)
	if err != nil {
		return nil, err
	}
	r := &Report{Engine: robots.Version, TestedAt: t.Now().UTC(), Source: Source{Text: text}, Crawlers: cols}
	for _, u := range urls {
		r.URLs = append(r.URLs, readURL(strings.TrimSpace(u), nil))
	}
	return r, judge(context.Background(), r, Cell{}, t.Catalogue, t.Now)
}
