package web

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/whichrule/whichrule/internal/tester"
	"github.com/whichrule/whichrule/templates"
)

// The example that the first page opens with.
const (
	exampleText = `# Shop, last changed for the spring sale
User-agent: *
Disallow: /account/
Disallow: /cart/

User-agent: Googlebot
Disallow: /*?sort=
Disallow: /shop/*/print
Allow: /shop/

User-agent: GPTBot
User-agent: ClaudeBot
Disallow: /

Sitemap: https://shop.example.com/sitemap.xml
`
	exampleURLs = "/shop/boots/print\n/cart/\n/shop/?color=red&sort=price\n/"
)

// maxAddress bounds an address that holds a test, in bytes: longer ones break
// in mails and chats, so the page offers "Copy link" instead.
const maxAddress = 4 << 10

// serveTester answers GET /: the tester with the example, or with the test
// that the query holds.
func (s *Site) serveTester(w http.ResponseWriter, r *http.Request) error {
	q, err := readQuery(r)
	if err != nil {
		return err
	}
	f := formOf(q)
	f.robots, f.outcome, f.do, f.fix = "", "", tester.DoTest, 0
	if strings.TrimSpace(f.site) == "" {
		f.site, f.robots = "", exampleText
		if strings.TrimSpace(f.urls) == "" {
			f.urls = exampleURLs
		}
	}
	return s.serveResult(w, r, f)
}

// serveTestAddress answers GET /test, where a reload or a copied address of
// a posted test leads: to the tester.
func (s *Site) serveTestAddress(w http.ResponseWriter, r *http.Request) error {
	http.Redirect(w, r, "/", http.StatusSeeOther)
	return nil
}

// serveTest answers POST /test.
func (s *Site) serveTest(w http.ResponseWriter, r *http.Request) error {
	f, err := readForm(w, r)
	if err != nil {
		return err
	}
	return s.serveResult(w, r, f)
}

// serveResult runs a test and answers with it in the form asked for.
func (s *Site) serveResult(w http.ResponseWriter, r *http.Request, f form) error {
	f, err := s.fill(f)
	var report *tester.Report
	if err == nil {
		report, err = s.test(r.Context(), f)
	}
	wanted := formatOf(r)
	if err != nil && wanted != formatHTML {
		return err
	}
	switch wanted {
	case formatJSON:
		noStore(w.Header())
		return writeReportJSON(w, r, report, f.cell)
	case formatCSV:
		noStore(w.Header())
		return writeReportCSV(w, report, "whichrule.csv")
	}
	if err != nil {
		return s.answerTester(w, r, f, nil, asProblem(err))
	}
	return s.answerTester(w, r, f, report, nil)
}

// answerTester answers with the tester: a result, or what is wrong with what
// was typed, and in any case everything that was typed.
func (s *Site) answerTester(w http.ResponseWriter, r *http.Request, f form, report *tester.Report, problem *problem) error {
	h := w.Header()
	noStore(h)
	if r.Method != http.MethodPost && f.site == "" && !fragment(r) {
		// The page without a result of its own may be kept, so that "back"
		// finds what was typed.
		h.Set("Cache-Control", "private, no-cache")
	}
	p := page{Site: s, words: words(r), form: f, report: report, problem: problem, part: fragment(r)}
	status := http.StatusOK
	if problem != nil {
		s.logProblem(r, problem)
		problem.retryAfter(h)
		status = problem.Status
	}
	v := p.view()
	if p.part {
		if report != nil {
			p.setAddress(h, r)
		}
		return render(w, r, status, templates.Fragment(v, p.newText()))
	}
	head := templates.PageView{
		Title:       v.Title,
		Description: p.words.T("tester.description"),
		Nav:         "tester",
		Canonical:   s.base(r) + "/",
		NoIndex:     r.Method == http.MethodPost || r.URL.RawQuery != "",
	}
	return s.page(w, r, status, head, templates.Tester(v))
}

// test runs the test that a form asks for, within the client's limits.
func (s *Site) test(ctx context.Context, f form) (*tester.Report, error) {
	return s.testWith(ctx, f, 0)
}

// testWith is test for a caller who needs more bytes of the budget: who took
// them apart could hold what another waits for, and wait for what that holds.
func (s *Site) testWith(ctx context.Context, f form, more int) (*tester.Report, error) {
	who := client(ctx)
	if err := s.limit(ctx, "tests", who, s.Tests); err != nil {
		return nil, err
	}
	q := f.request()
	cells := min(len(q.URLs), tester.MaxURLs) * min(max(len(q.Crawlers), len(tester.Defaults)), tester.MaxCrawlers)
	if err := take(ctx, int64(perRequest+perTextByte*min(len(q.Text), tester.MaxText)+perCell*cells+more)); err != nil {
		return nil, err
	}
	q.AllowFetch = func() error { return s.limit(ctx, "fetches", who, s.Fetches) }
	report, err := s.Tester.Test(ctx, q)
	if err != nil {
		return nil, err
	}
	s.Metrics.Test(len(report.Results))
	s.Metrics.Held(string(report.Source.Held))
	return report, nil
}

// address gives the address of what is shown, with room for a cell and a page
// in it: the share's, or one that fetches the text again; "" for none.
func (p *page) address() string {
	if p.shared != "" {
		if p.form.unfolded {
			return "/r/" + p.shared + "?fold=0"
		}
		return "/r/" + p.shared
	}
	if p.report == nil || !p.report.Source.Fetched() {
		return ""
	}
	to := p.testAddress(p.report, p.report.Source.Site.String(), p.report.Typed(), p.report.Source.Simulated)
	if len(to) > maxAddress-len("&cell=1000.60&page=1000") {
		return ""
	}
	return to
}

// with adds a field to an address.
func with(to, name, value string) string {
	sep := "?"
	if strings.Contains(to, "?") {
		sep = "&"
	}
	return to + sep + name + "=" + value
}

// testAddress gives the address that fetches a site and tests URLs on it for
// the crawlers of a report, under what is pretended; "" for one over maxAddress.
func (s *Site) testAddress(report *tester.Report, site string, urls []string, pretended tester.Simulation) string {
	var b strings.Builder
	b.WriteString("/?site=" + url.QueryEscape(site))
	if pretended != "" {
		b.WriteString("&simulate=" + url.QueryEscape(string(pretended)))
	}
	b.WriteString(s.crawlersQuery(report.Crawlers))
	for _, u := range urls {
		if b.Len() > maxAddress {
			break
		}
		b.WriteString("&url=" + strings.ReplaceAll(url.QueryEscape(u), "%2F", "/"))
	}
	if b.Len() > maxAddress {
		return ""
	}
	return b.String()
}

// setAddress tells htmx what the address bar shows: the address that holds
// the test, or none of its own. A fetch and an opened cell are steps that
// "back" undoes; a test while typing is not.
func (p *page) setAddress(h http.Header, r *http.Request) {
	to := p.address()
	page := ""
	if to == "" {
		to = "/"
	} else {
		if p.form.cell.Row > 0 {
			to = with(to, "cell", cellValue(p.form.cell))
		}
		if page = p.turned(); page != "" {
			to = with(to, "page", page)
		}
	}
	shown, err := url.Parse(r.Header.Get("HX-Current-URL"))
	if err != nil {
		shown = &url.URL{}
	}
	if shown.RequestURI() == to {
		return
	}
	before := shown.Query()
	opened := readCell(before.Get("cell")) != p.form.cell || before.Get("page") != page || before.Get("simulate") != string(p.report.Source.Simulated)
	if to != "/" && (p.form.do != tester.DoTest || opened) {
		h.Set("HX-Push-Url", to)
		return
	}
	h.Set("HX-Replace-Url", to)
}
