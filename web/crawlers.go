package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/gzhttp"

	"github.com/whichrule/whichrule/internal/crawlers"
	"github.com/whichrule/whichrule/internal/i18n"
	"github.com/whichrule/whichrule/templates"
)

// perCatalogue is what a page with all crawlers is reckoned to take, in bytes:
// the view, the markup and its buffer, measured and rounded up.
const perCatalogue = 512 << 10

// filters is what a person asks of the catalogue.
type filters struct {
	q        string
	category crawlers.Category
	honours  string
	star     string
	operator string
}

// The fields of the filters, in the order of the page.
const (
	fieldCategory = "category"
	fieldHonours  = "honours"
	fieldStar     = "star"
	fieldOperator = "operator"
)

// serveCrawlers answers GET /crawlers: the catalogue, filtered as the query says.
func (s *Site) serveCrawlers(w http.ResponseWriter, r *http.Request) error {
	q, err := readQuery(r)
	if err != nil {
		return err
	}
	if err := take(r.Context(), perCatalogue); err != nil {
		return err
	}
	wd := words(r)
	f, selects := s.readFilters(wd, q)
	list := s.listCrawlers(wd, f)
	w.Header().Add("Vary", "HX-Request, HX-Request-Type")
	if fragment(r) {
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("HX-Replace-Url", f.address())
		return render(w, r, http.StatusOK, templates.CrawlersFragment(list))
	}
	w.Header().Set("Cache-Control", "public, max-age=300")
	head := templates.PageView{
		Title:       wd.T("page.title", "Title", wd.T("crawlers.title.page")),
		Description: wd.T("crawlers.description", "N", len(s.Catalogue.All())),
		Canonical:   s.base(r) + "/crawlers",
		Nav:         "crawlers",
	}
	return s.page(w, r, http.StatusOK, head, templates.Crawlers(templates.CrawlersView{
		Lede:    wd.Rich("crawlers.lede", "N", len(s.Catalogue.All()), "Date", dateOf(s.Catalogue)),
		Query:   f.q,
		Selects: selects,
		List:    list,
		Data:    s.dataset(r, head),
	}))
}

// dateOf words the day on which the facts were gathered.
func dateOf(c *crawlers.Catalogue) string {
	t, err := time.Parse(time.DateOnly, c.Version())
	if err != nil {
		return c.Version()
	}
	return t.Format("2 January 2006")
}

// readFilters reads the filters of a query, and shows them with their choices. A
// value that is no choice filters nothing.
func (s *Site) readFilters(wd *i18n.Words, q url.Values) (filters, []templates.SelectView) {
	var selects []templates.SelectView
	choose := func(name, label, any string, values []string, text func(string) string) string {
		chosen := last(q[name])
		if !slices.Contains(values, chosen) {
			chosen = ""
		}
		v := templates.SelectView{Name: name, Label: label, Options: []templates.OptionView{{Text: any}}}
		for _, value := range values {
			v.Options = append(v.Options, templates.OptionView{Value: value, Text: text(value), Chosen: value == chosen})
		}
		selects = append(selects, v)
		return chosen
	}
	var categories []string
	for _, c := range crawlers.Categories() {
		categories = append(categories, string(c))
	}
	var operators []string
	for _, cr := range s.Catalogue.All() {
		operators = append(operators, cr.Operator)
	}
	slices.SortFunc(operators, func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) })
	operators = slices.Compact(operators)

	f := filters{q: strings.ToValidUTF8(strings.TrimSpace(last(q["q"])), "")}
	if len(f.q) > crawlers.MaxName {
		f.q = strings.ToValidUTF8(f.q[:crawlers.MaxName], "")
	}
	f.category = crawlers.Category(choose(fieldCategory, wd.T("crawlers.purpose"), wd.T("crawlers.any"), categories,
		func(v string) string { return wd.T("category." + v) }))
	f.honours = choose(fieldHonours, wd.T("crawlers.obeys"), wd.T("crawlers.any"), []string{"yes", "partly", "no", "silent", "unknown"},
		func(v string) string { return wd.T("crawlers.honours." + v) })
	f.star = choose(fieldStar, wd.T("crawlers.star"), wd.T("crawlers.any"), []string{"yes", "assumed", "no", "unclear", "unknown"},
		func(v string) string { return wd.T("crawlers.star." + v) })
	f.operator = choose(fieldOperator, wd.T("crawlers.operator"), wd.T("crawlers.any"), operators,
		func(v string) string { return v })
	return f, selects
}

// address is where the filters lead, without those that filter nothing.
func (f filters) address() string {
	var parts []string
	for _, p := range [][2]string{
		{"q", f.q}, {fieldCategory, string(f.category)}, {fieldHonours, f.honours}, {fieldStar, f.star}, {fieldOperator, f.operator},
	} {
		if p[1] != "" {
			parts = append(parts, p[0]+"="+url.QueryEscape(p[1]))
		}
	}
	if parts == nil {
		return "/crawlers"
	}
	return "/crawlers?" + strings.Join(parts, "&")
}

// listCrawlers lists the crawlers that the filters leave.
func (s *Site) listCrawlers(wd *i18n.Words, f filters) templates.CrawlerList {
	v := templates.CrawlerList{Filtered: f != filters{}}
	only := ""
	if c := s.Catalogue.Resolve(f.q); c.Known && c.FromUserAgent {
		only = c.Crawler.Token
		v.Note = wd.Rich("crawlers.agent", "Crawler", i18n.Code(only))
	}
	wanted := strings.Fields(strings.ToLower(f.q))
	groups := map[crawlers.Category][]templates.CrawlerRow{}
	var rest []templates.CrawlerRow
	shown := 0
	for _, cr := range s.Catalogue.All() {
		switch {
		case only != "" && cr.Token != only,
			only == "" && !holds(wd, cr, wanted),
			f.category != "" && cr.Category != f.category && !slices.Contains(cr.Also, f.category),
			f.honours != "" && cr.Honours != f.honours,
			f.star != "" && starWord(cr) != f.star,
			f.operator != "" && cr.Operator != f.operator:
			continue
		}
		shown++
		row := crawlerRow(wd, cr)
		if cr.Tier == 3 {
			rest = append(rest, row)
			continue
		}
		groups[cr.Category] = append(groups[cr.Category], row)
	}
	add := func(id, name, text string, rows []templates.CrawlerRow) {
		if len(rows) > 0 {
			v.Groups = append(v.Groups, templates.CrawlerGroup{ID: id, Name: name, Text: text, Count: wd.Number(len(rows)), Rows: rows})
		}
	}
	for _, c := range crawlers.Categories() {
		add(string(c), wd.T("category."+string(c)), "", groups[c])
	}
	slices.SortFunc(rest, func(a, b templates.CrawlerRow) int {
		return strings.Compare(strings.ToLower(a.Token), strings.ToLower(b.Token))
	})
	add("rest", wd.T("crawlers.rest"), wd.Rich("crawlers.rest.text"), rest)
	v.Count = wd.T("crawlers.count", "N", shown)
	if v.Filtered {
		v.Count = wd.T("crawlers.count.of", "N", shown, "All", len(s.Catalogue.All()))
	}
	if shown == 0 {
		v.Guess, v.GuessTo = s.guess(wd, f.q)
	}
	return v
}

// guess gives the crawler that a name nobody knows was probably meant for.
func (s *Site) guess(wd *i18n.Words, name string) (text, to string) {
	cr, ok := s.Catalogue.Closest(name)
	if !ok {
		return "", ""
	}
	return wd.Rich("crawlers.guess", "Crawler", i18n.Code(cr.Token)), crawlerAddress(cr.Token)
}

// holds says whether each of the words, in lower case, stands in what the list
// tells about a crawler.
func holds(wd *i18n.Words, cr crawlers.Crawler, wanted []string) bool {
	if len(wanted) == 0 {
		return true
	}
	text := strings.ToLower(strings.Join([]string{
		cr.Token, strings.Join(cr.Aliases, " "), cr.Operator, purposes(wd, cr), cr.BlockingMeans, cr.UserAgent,
	}, "\n"))
	for _, word := range wanted {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// purposes words what a crawler is for, the main purpose first.
func purposes(wd *i18n.Words, cr crawlers.Crawler) string {
	names := []string{wd.T("category." + string(cr.Category))}
	for _, c := range cr.Also {
		names = append(names, wd.T("category."+string(c)))
	}
	return strings.Join(names, ", ")
}

// markOf gives what is to be known of a name before anything else: retired,
// unconfirmed, legacy or listed, "" for nothing.
func markOf(cr crawlers.Crawler) string {
	switch {
	case cr.Status != "active":
		return cr.Status
	case cr.Tier == 3:
		return "listed"
	}
	return ""
}

// starWord says whether * reaches a crawler: what the data says, but "assumed"
// where that follows from the standard only.
func starWord(cr crawlers.Crawler) string {
	if strings.HasPrefix(cr.WildcardBasis, "rfc9309-") {
		return "assumed"
	}
	return cr.Wildcard
}

func crawlerRow(wd *i18n.Words, cr crawlers.Crawler) templates.CrawlerRow {
	row := templates.CrawlerRow{
		Token: cr.Token, Href: crawlerAddress(cr.Token), Operator: cr.Operator, Purposes: purposes(wd, cr),
		Obeys: templates.ClaimView{State: cr.Honours, Word: wd.T("crawlers.honours." + cr.Honours)},
		Star:  templates.ClaimView{State: starWord(cr), Word: wd.T("crawlers.star." + starWord(cr))},
	}
	if m := markOf(cr); m != "" {
		row.Mark = wd.T("crawlers.mark." + m)
	}
	if cr.HonoursBasis != "none" {
		row.Obeys.Basis = wd.T("crawlers.by." + cr.HonoursBasis)
	}
	if cr.WildcardBasis != "none" {
		row.Star.Basis = wd.T("crawlers.by." + cr.WildcardBasis)
	}
	return row
}

// dataset describes the catalogue to search engines (schema.org).
func (s *Site) dataset(r *http.Request, head templates.PageView) any {
	base := s.base(r)
	return map[string]any{
		"@context":            "https://schema.org",
		"@type":               "Dataset",
		"name":                words(r).T("crawlers.title"),
		"description":         head.Description,
		"url":                 head.Canonical,
		"version":             s.Catalogue.Version(),
		"dateModified":        s.Catalogue.Version(),
		"isAccessibleForFree": true,
		"creator":             map[string]any{"@type": "Organization", "name": "Whichrule", "url": base + "/"},
		"distribution": map[string]any{
			"@type": "DataDownload", "encodingFormat": "application/json", "contentUrl": base + "/crawlers.json",
		},
	}
}

// catalogueJSON is the catalogue as programs get it. Names stay; more may be
// added.
type catalogueJSON struct {
	Version  string        `json:"version"` // the day on which the facts were gathered
	Crawlers []crawlerJSON `json:"crawlers"`
}

// crawlerJSON is one entry; what the values mean stands with [crawlers.Crawler].
type crawlerJSON struct {
	Token              string              `json:"token"`
	Aliases            []string            `json:"aliases"`
	Page               string              `json:"page"` // path on this site
	Operator           string              `json:"operator"`
	Category           crawlers.Category   `json:"category"`
	Also               []crawlers.Category `json:"also"`
	Tier               int                 `json:"tier"`
	Status             string              `json:"status"`
	Obeys              bool                `json:"obeys"`    // false where robots.txt is not consulted
	Fallback           []string            `json:"fallback"` // names looked for in order, * last; empty when it does not obey
	FallbackNote       string              `json:"fallback_note"`
	FallbackWarnings   []string            `json:"fallback_warnings"` // links of the chain that name no crawler
	Honours            string              `json:"honours_robots_txt"`
	HonoursBasis       string              `json:"honours_basis"`
	HonoursNote        string              `json:"honours_note"`
	Wildcard           string              `json:"wildcard_applies"`
	WildcardBasis      string              `json:"wildcard_basis"`
	BlockingMeans      string              `json:"blocking_means"`
	CrawlDelay         string              `json:"crawl_delay"`
	CrawlDelayNote     string              `json:"crawl_delay_note"`
	StatusHandling     string              `json:"http_status_handling"`
	OtherLines         []string            `json:"other_lines"`
	UserAgent          string              `json:"user_agent"`
	UserAgentSource    string              `json:"user_agent_source"`
	Documentation      string              `json:"documentation"`
	Sources            []string            `json:"sources"`
	SourceDate         string              `json:"source_date"`
	Confidence         string              `json:"confidence"`
	OperatorDocumented bool                `json:"operator_documented"`
	Notes              string              `json:"notes"`
}

// catalogueFile is /crawlers.json, as it is and compressed.
type catalogueFile struct {
	plain, zipped []byte
	hash          string
}

// newCatalogueFile writes the file, tiers 1 to 3 in the order of the page.
func newCatalogueFile(c *crawlers.Catalogue) (*catalogueFile, error) {
	j := catalogueJSON{Version: c.Version(), Crawlers: []crawlerJSON{}}
	for _, cr := range c.All() {
		j.Crawlers = append(j.Crawlers, crawlerJSON{
			Token: cr.Token, Aliases: some(cr.Aliases), Page: crawlerAddress(cr.Token),
			Operator: cr.Operator, Category: cr.Category, Also: some(cr.Also), Tier: cr.Tier, Status: cr.Status,
			Obeys: cr.Obeys, Fallback: some(cr.Fallback), FallbackNote: cr.FallbackNote, FallbackWarnings: some(cr.Warnings),
			Honours: cr.Honours, HonoursBasis: cr.HonoursBasis, HonoursNote: cr.HonoursNote,
			Wildcard: cr.Wildcard, WildcardBasis: cr.WildcardBasis, BlockingMeans: cr.BlockingMeans,
			CrawlDelay: cr.CrawlDelay, CrawlDelayNote: cr.CrawlDelayNote, StatusHandling: cr.StatusHandling, OtherLines: some(cr.OtherLines),
			UserAgent: cr.UserAgent, UserAgentSource: cr.UserAgentSource, Documentation: cr.Documentation,
			Sources: some(cr.Sources), SourceDate: cr.SourceDate, Confidence: cr.Confidence,
			OperatorDocumented: cr.OperatorDocumented, Notes: cr.Notes,
		})
	}
	var plain, zipped bytes.Buffer
	enc := json.NewEncoder(&plain)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(j); err != nil {
		return nil, err
	}
	z := gzip.NewWriter(&zipped)
	if _, err := z.Write(plain.Bytes()); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(plain.Bytes())
	return &catalogueFile{plain.Bytes(), zipped.Bytes(), hex.EncodeToString(sum[:8])}, nil
}

// some gives a list that is [] and not null when it is empty.
func some[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// serveCrawlersJSON answers GET /crawlers.json: the catalogue for programs, also
// for those on pages of other sites.
func (s *Site) serveCrawlersJSON(w http.ResponseWriter, r *http.Request) error {
	f, err := s.catalogue()
	if err != nil {
		return err
	}
	body, coding := f.plain, "identity"
	if takesGzip(r) {
		body, coding = f.zipped, "gzip"
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", "ETag")
	h.Set("Cache-Control", "public, max-age=3600")
	h.Set("Content-Type", "application/json; charset=utf-8")
	// One tag per coding: a strong tag promises the same bytes (RFC 9110 §8.8.3).
	h.Set("ETag", `"`+f.hash+"-"+coding+`"`)
	h.Set(gzhttp.HeaderNoCompression, "1") // it comes compressed, or not wanted so
	if coding != "identity" {
		h.Set("Content-Encoding", coding)
		h.Set("Content-Length", strconv.Itoa(len(body))) // which ServeContent leaves out then
	}
	release(r.Context())
	http.ServeContent(w, r, "crawlers.json", time.Time{}, bytes.NewReader(body))
	return nil
}

// takesGzip says whether a client names gzip among the codings that it takes.
func takesGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(strings.Join(r.Header.Values("Accept-Encoding"), ","), ",") {
		coding, params, _ := strings.Cut(part, ";")
		if strings.EqualFold(strings.TrimSpace(coding), "gzip") {
			return quality(params) > 0
		}
	}
	return false
}
