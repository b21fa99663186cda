package web_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"

	"github.com/whichrule/whichrule/internal/crawlers"
	"github.com/whichrule/whichrule/internal/fetch"
	"github.com/whichrule/whichrule/internal/i18n"
	"github.com/whichrule/whichrule/internal/obs"
	"github.com/whichrule/whichrule/internal/ratelimit"
	"github.com/whichrule/whichrule/internal/store"
	"github.com/whichrule/whichrule/internal/tester"
	"github.com/whichrule/whichrule/internal/testkit"
	"github.com/whichrule/whichrule/static"
	"github.com/whichrule/whichrule/web"
)

// noon is when tests begin.
var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// clock is a time that stands still until it is told to go on.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// journal is a log that can be read while it is written.
type journal struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.b.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.b.String()
}

// world is the whole site with nothing faked but the time: the store in
// memory, the limiter, the fetcher with its guard, and a site to fetch.
type world struct {
	site   *web.Site
	server *httptest.Server
	origin *testkit.Site // 127.0.0.1, also called shop.example and bücher.example
	clock  *clock
	log    *journal
	client *http.Client

	secrets map[string]bool // what the log must not hold
}

// What never changes is loaded once for all tests.
var (
	loadAssets   = sync.OnceValues(static.Load)
	loadCrawlers = sync.OnceValues(crawlers.Load)
	loadWords    = sync.OnceValues(i18n.Load)
)

// newWorld starts a site. The names of config are those of the switch below;
// change, when given, has the last word.
func newWorld(t *testing.T, config map[string]string, change ...func(*web.Config)) *world {
	t.Helper()
	w := &world{
		origin: testkit.NewSite(t), clock: &clock{at: noon}, log: &journal{},
		secrets: map[string]bool{},
	}
	assets, err := loadAssets()
	check(t, err)
	catalogue, err := loadCrawlers()
	check(t, err)
	words, err := loadWords()
	check(t, err)
	memory := store.NewMemory(w.clock.now)
	fc := fetch.Config{Now: w.clock.now, Resolver: testkit.Names{
		"shop.example":          {"127.0.0.1"},
		"xn--bcher-kva.example": {"127.0.0.1"},
	}}
	allow := w.origin.Allow()
	c := web.Config{
		Shares: memory, Catalogue: catalogue, Words: words, Assets: assets,
		Limiter: &ratelimit.Memory{Now: w.clock.now}, Metrics: obs.NewMetrics("test"),
		Log: obs.NewLogger(w.log), Now: w.clock.now,
	}
	for key, value := range config {
		n, _ := strconv.Atoi(value)
		switch key {
		case "base":
			c.BaseURL = value
		case "contact":
			c.Contact = value
		case "ip-header":
			c.ClientIPHeader = value
		case "lasting":
			c.Lasting = true
		case "tests":
			c.Tests.PerMinute = n
		case "fetches":
			c.Fetches.PerMinute = n
		case "shares":
			c.SharesRate.PerMinute = n
		case "allow":
			allow = strings.TrimPrefix(value, "nothing")
		case "timeout":
			fc.Timeout, err = time.ParseDuration(value)
			check(t, err)
		default:
			t.Fatalf("no such setting: %s", key)
		}
	}
	fc.Allow, err = fetch.ParseAllow(allow)
	check(t, err)
	c.Tester = &tester.Tester{Catalogue: catalogue, Fetcher: fetch.New(fc), Outcomes: memory, Reports: memory, Results: memory, Now: w.clock.now}
	for _, f := range change {
		f(&c)
	}
	w.site = web.New(c)
	w.site.Ready(true)
	w.server = httptest.NewServer(w.site)
	t.Cleanup(w.server.Close)
	w.client = &http.Client{
		Transport:     w.server.Client().Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return w
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (w *world) roundTrip(t *testing.T, req *http.Request) (*http.Response, string) {
	t.Helper()
	resp, err := w.client.Do(req)
	check(t, err)
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	check(t, err)
	return resp, string(b)
}

// get asks for a page.
func (w *world) get(t *testing.T, path string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.server.URL+path, nil)
	check(t, err)
	resp, body := w.roundTrip(t, req)
	w.always(t, "GET "+path, resp, body)
	return resp, body
}

// policies are the headers that every answer carries.
var policies = map[string]string{
	"Content-Security-Policy":      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
	"Referrer-Policy":              "no-referrer",
	"X-Content-Type-Options":       "nosniff",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Permissions-Policy":           "camera=(), geolocation=(), microphone=()",
}

// always checks what holds for every answer of the site.
func (w *world) always(t *testing.T, what string, resp *http.Response, body string) {
	t.Helper()
	for name, want := range policies {
		if got := resp.Header.Get(name); got != want {
			t.Errorf("%s: got %s %q; want %q", what, name, got, want)
		}
	}
	if c := resp.Header.Values("Set-Cookie"); len(c) > 0 {
		t.Errorf("%s: got cookies %v; want none", what, c)
	}
	contentType := resp.Header.Get("Content-Type")
	switch {
	case body == "" || resp.Header.Get("Content-Encoding") != "":
	case strings.HasPrefix(contentType, "text/html;"):
		checkHTML(t, what, body)
	case strings.HasPrefix(contentType, "application/json;"):
		if !json.Valid([]byte(body)) {
			t.Errorf("%s: got no JSON: %.500s", what, body)
		}
	case !strings.Contains(contentType, "charset=utf-8") && !strings.HasPrefix(contentType, "image/"):
		t.Errorf("%s: got Content-Type %q; want one that names UTF-8", what, contentType)
	}
}

// messageID finds the id of a message where its words should stand, as package
// i18n shows one that it does not know.
var messageID = func() *regexp.Regexp {
	words, err := loadWords()
	if err != nil {
		panic(err)
	}
	var heads []string
	for _, id := range words.IDs() {
		head, _, _ := strings.Cut(id, ".")
		heads = append(heads, regexp.QuoteMeta(head))
	}
	return regexp.MustCompile(`^(` + strings.Join(slices.Compact(heads), "|") + `)\.[a-z0-9.-]+$`)
}()

// checkHTML checks what holds for every page and fragment: it is text that
// reads well, without anything that the policy forbids.
func checkHTML(t *testing.T, what, body string) {
	t.Helper()
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(body))
	check(t, err)
	ids := map[string]bool{}
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		switch n.Type {
		case html.TextNode:
			text := strings.TrimSpace(n.Data)
			if messageID.MatchString(text) && n.Parent.Data != "code" || strings.Contains(text, "<no value>") || strings.ContainsAny(text, "\ue000\ue001\ue002\ue003") {
				t.Errorf("%s: got %q for a sentence", what, text)
			}
		case html.ElementNode:
			for _, a := range n.Attr {
				switch {
				case a.Key == "id" && ids[a.Val]:
					t.Errorf("%s: the id %q stands twice", what, a.Val)
				case a.Key == "id":
					ids[a.Val] = true
				case a.Key == "style", strings.HasPrefix(a.Key, "on"), strings.HasPrefix(a.Key, "hx-on"):
					t.Errorf("%s: got %s=%q in a tag", what, a.Key, a.Val)
				case a.Key == "href" || a.Key == "action" || a.Key == "formaction" || a.Key == "src":
					if l := strings.ToLower(a.Val); strings.HasPrefix(l, "javascript:") || strings.HasPrefix(l, "data:") {
						t.Errorf("%s: got a link to %q", what, a.Val)
					}
				case messageID.MatchString(a.Val) && a.Key != "value" && a.Key != "title":
					t.Errorf("%s: got %s=%q for a sentence", what, a.Key, a.Val)
				}
			}
			if n.Data == "style" || n.Data == "script" && n.FirstChild != nil && !isData(n) {
				t.Errorf("%s: got an inline %s", what, n.Data)
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	for _, n := range doc.Nodes {
		walk(n)
	}
}

// isData says whether a script element is a block of data, which is no script
// and which the policy lets pass.
func isData(n *html.Node) bool {
	return slices.Contains(n.Attr, html.Attribute{Key: "type", Val: "application/ld+json"}) && json.Valid([]byte(n.FirstChild.Data))
}

// private notes what the log must not hold. Short things may stand there by
// chance.
func (w *world) private(text string) {
	for l := range strings.SplitSeq(text, "\n") {
		if l = strings.TrimSpace(l); len(l) >= 8 {
			w.secrets[l[:min(len(l), 200)]] = true
		}
	}
}

// checkLog looks for anything private in what was logged.
func (w *world) checkLog(t *testing.T) {
	t.Helper()
	log := w.log.String()
	if log == "" {
		t.Error("nothing was logged")
	}
	for secret := range w.secrets {
		quoted, _ := json.Marshal(secret)
		if strings.Contains(log, secret) || strings.Contains(log, strings.Trim(string(quoted), `"`)) {
			t.Errorf("the log holds %.200q", secret)
		}
	}
	for _, address := range []string{"127.0.0.1", "[::1]", w.server.URL, w.origin.Origin()} {
		if strings.Contains(log, address) {
			t.Errorf("the log holds the address %s", address)
		}
	}
}
