package web_test

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/go-cmp/cmp"

	"github.com/whichrule/whichrule/internal/fetch"
	"github.com/whichrule/whichrule/internal/obs"
	"github.com/whichrule/whichrule/internal/ratelimit"
	"github.com/whichrule/whichrule/internal/robots"
	"github.com/whichrule/whichrule/internal/tester"
	"github.com/whichrule/whichrule/web"
)

// post sends a form.
func (w *world) post(t *testing.T, path string, header http.Header, form url.Values) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.server.URL+path, strings.NewReader(form.Encode()))
	check(t, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for name, values := range header {
		req.Header[name] = values
	}
	resp, body := w.roundTrip(t, req)
	w.always(t, "POST "+path, resp, body)
	return resp, body
}

var (
	asJSON = http.Header{"Accept": {"application/json"}}
	asPart = http.Header{"Hx-Request": {"true"}}
)

// share shares a small test and gives its id and its token.
func (w *world) share(t *testing.T) (id, token string) {
	t.Helper()
	_, body := w.post(t, "/share", asJSON, url.Values{"robots": {"User-agent: *\nDisallow: /a\n"}, "url": {"/a\n/b"}})
	var got struct {
		ID        string `json:"id"`
		DeleteURL string `json:"delete_url"`
	}
	check(t, json.Unmarshal([]byte(body), &got))
	_, token, _ = strings.Cut(got.DeleteURL, "token=")
	return got.ID, token
}

// Our own robots.txt, read by our own engine, keeps crawlers off what costs
// something and lets them read what says "noindex".
func TestOwnRobots(t *testing.T) {
	w := newWorld(t, nil)
	_, body := w.get(t, "/robots.txt")
	file := robots.Parse([]byte(body), robots.Options{Limit: robots.GoogleLimit})
	for path, want := range map[string]bool{
		"/": true, "/about": true, "/sitemap.xml": true, "/static/css/app.css": true,
		"/r/abcdefghijkm": true, "/r/abcdefghijkm?cell=1.1": true, "/r/abcdefghijkm.json": true,

		"/?site=shop.example.com": false, "/?url=/a": false, "/test": false, "/hosts?site=x": false,
		"/r/abcdefghijkm/live": false, "/r/abcdefghijkm/manage?token=x": false,
	} {
		for _, name := range []string{"Googlebot", "GPTBot", "SomeBot"} {
			sel := file.Select(robots.Agent{Names: []string{name}, Star: true})
			if got := sel.Match(path); got.Allowed != want {
				t.Errorf("%s for %s: got allowed %t by line %d; want %t", path, name, got.Allowed, got.Line, want)
			}
		}
	}
}

// The sitemap is XML that parses, and every page in it exists and wants to be
// found.
func TestSitemap(t *testing.T) {
	w := newWorld(t, nil)
	_, body := w.get(t, "/sitemap.xml")
	var set struct {
		XMLName xml.Name `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
		URLs    []string `xml:"url>loc"`
	}
	check(t, xml.Unmarshal([]byte(body), &set))
	if len(set.URLs) < 2 {
		t.Errorf("got %v; want the tester and the about page", set.URLs)
	}
	for _, u := range set.URLs {
		path := strings.TrimPrefix(u, w.server.URL)
		resp, page := w.get(t, path)
		doc, err := goquery.NewDocumentFromReader(strings.NewReader(page))
		check(t, err)
		if resp.StatusCode != http.StatusOK || doc.Find(`meta[content*="noindex"]`).Length() > 0 || resp.Header.Get("X-Robots-Tag") != "" {
			t.Errorf("%s: got %d, or it asks to be left out", u, resp.StatusCode)
		}
		if got := doc.Find("link[rel=canonical]").AttrOr("href", ""); got != u {
			t.Errorf("%s: got canonical address %q", u, got)
		}
	}
}

// No page has a dead link, a form without a target or a label without a field.
func TestLinks(t *testing.T) {
	w := newWorld(t, map[string]string{"contact": "https://whichrule.example/imprint"})
	w.origin.File("User-agent: *\nDisallow: /a\n")
	id, token := w.share(t)
	fetched := "/?site=" + url.QueryEscape(w.origin.Origin()) + "&url=/a&url=" + url.QueryEscape("http://127.0.0.1/x")
	seen := map[string]bool{}
	for _, page := range []string{"/", "/about", "/r/" + id, "/r/" + id + "/manage?token=" + token, fetched, "/no/such/page"} {
		_, body := w.get(t, page)
		doc, err := goquery.NewDocumentFromReader(strings.NewReader(body))
		check(t, err)
		doc.Find("[href], [src], [action], [formaction]").Each(func(_ int, e *goquery.Selection) {
			for _, name := range []string{"href", "src", "action", "formaction"} {
				to, ok := e.Attr(name)
				to = strings.TrimPrefix(to, w.server.URL)
				switch {
				case !ok || strings.HasPrefix(to, "https://") || strings.HasPrefix(to, "http://"):
				case to == "":
					t.Errorf("%s: an empty %s", page, name)
				case strings.HasPrefix(to, "#"):
					if doc.Find("[id='"+to[1:]+"']").Length() == 0 {
						t.Errorf("%s: nothing on the page is %s", page, to)
					}
				case seen[name+to]:
				case strings.HasSuffix(name, "action"):
					seen[name+to] = true
					if resp, _ := w.post(t, to, nil, nil); resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusMethodNotAllowed {
						t.Errorf("%s: %s %s: got %d", page, name, to, resp.StatusCode)
					}
				default:
					seen[name+to] = true
					if resp, _ := w.get(t, to); resp.StatusCode >= 400 {
						t.Errorf("%s: %s %s: got %d", page, name, to, resp.StatusCode)
					}
				}
			}
		})
		doc.Find("label[for], [aria-labelledby], [aria-describedby]").Each(func(_ int, e *goquery.Selection) {
			for _, name := range []string{"for", "aria-labelledby", "aria-describedby"} {
				for _, ref := range strings.Fields(e.AttrOr(name, "")) {
					if doc.Find("[id='"+ref+"']").Length() != 1 {
						t.Errorf("%s: %s=%q names nothing", page, name, ref)
					}
				}
			}
		})
		doc.Find("[hx-target], [hx-indicator]").Each(func(_ int, e *goquery.Selection) {
			for _, name := range []string{"hx-target", "hx-indicator"} {
				if ref := e.AttrOr(name, ""); ref != "" && doc.Find(ref).Length() != 1 {
					t.Errorf("%s: %s=%q names nothing", page, name, ref)
				}
			}
		})
	}
	// Every part that an answer brings has its place on the page.
	_, body := w.get(t, "/")
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(body))
	check(t, err)
	for _, form := range []url.Values{{"robots": {"\n"}}, {"robots": {""}}, {"site": {w.origin.Origin()}, "do": {"fetch"}}} {
		_, part := w.post(t, "/test", asPart, form)
		parts, err := goquery.NewDocumentFromReader(strings.NewReader(part))
		check(t, err)
		parts.Find("hx-partial").Each(func(_ int, e *goquery.Selection) {
			if to := e.AttrOr("hx-target", ""); doc.Find(to).Length() != 1 {
				t.Errorf("a part is for %q, which is not on the page once", to)
			}
		})
	}
}

// Pages come compressed to who takes that.
func TestCompression(t *testing.T) {
	w := newWorld(t, nil)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.server.URL+"/", nil)
	check(t, err)
	req.Header.Set("Accept-Encoding", "gzip")
	resp, body := w.roundTrip(t, req)
	if got := resp.Header.Get("Content-Encoding"); got != "gzip" {
		t.Fatalf("got Content-Encoding %q; want gzip", got)
	}
	z, err := gzip.NewReader(strings.NewReader(body))
	check(t, err)
	plain, err := io.ReadAll(z)
	check(t, err)
	checkHTML(t, "GET / compressed", string(plain))
	if len(body)*2 > len(plain) {
		t.Errorf("got %d bytes for %d; want less than half", len(body), len(plain))
	}
}

// Before it is told, the site wants no traffic; what comes is answered.
func TestReady(t *testing.T) {
	w := newWorld(t, nil)
	for _, ready := range []bool{false, true, false} {
		w.site.Ready(ready)
		want := http.StatusServiceUnavailable
		if ready {
			want = http.StatusOK
		}
		if resp, _ := w.get(t, "/readyz"); resp.StatusCode != want {
			t.Errorf("ready %t: got %d; want %d", ready, resp.StatusCode, want)
		}
		if resp, _ := w.get(t, "/healthz"); resp.StatusCode != http.StatusOK {
			t.Errorf("ready %t: /healthz: got %d; want 200", ready, resp.StatusCode)
		}
		if resp, _ := w.get(t, "/"); resp.StatusCode != http.StatusOK {
			t.Errorf("ready %t: /: got %d; want 200", ready, resp.StatusCode)
		}
	}
}

// fakeShares is a store of shares that fails.
type fakeShares struct {
	create func() (*tester.Share, error)
	share  func() (*tester.Share, error)
}

func (f *fakeShares) Create(context.Context, *tester.Share) (*tester.Share, error) { return f.create() }
func (f *fakeShares) Share(context.Context, string) (*tester.Share, error)         { return f.share() }
func (f *fakeShares) Delete(context.Context, string) error                         { return errors.New("no") }

// fakeOutcomes is a store of outcomes that fails.
type fakeOutcomes struct{ err error }

func (f *fakeOutcomes) Outcome(context.Context, string) (*fetch.Outcome, error) { return nil, f.err }

func (f *fakeOutcomes) Fresh(context.Context, string, bool, tester.Load) (*fetch.Outcome, tester.Held, error) {
	return nil, "", f.err
}

func (f *fakeOutcomes) LastGood(context.Context, string) (*fetch.Outcome, error) { return nil, f.err }

// fakeLimiter is a limiter that fails.
type fakeLimiter struct{ err error }

func (f *fakeLimiter) Wait(context.Context, string, string, ratelimit.Rate) (time.Duration, error) {
	return 0, f.err
}

func (f *fakeLimiter) Allow(context.Context, string, string, ratelimit.Rate) (ratelimit.Result, error) {
	return ratelimit.Result{}, f.err
}

// A fault of ours is answered in the form that was asked for, without a word
// of what went wrong inside, which only the log knows.
func TestFaults(t *testing.T) {
	const secret = "dial tcp 10.1.2.3:6379"
	inside := errors.New(secret)
	create := func(err error) func(*web.Config) {
		return func(c *web.Config) {
			c.Shares = &fakeShares{create: func() (*tester.Share, error) { return nil, err }}
		}
	}
	outcomes := func(err error) func(*web.Config) {
		return func(c *web.Config) { c.Tester.Outcomes = &fakeOutcomes{err} }
	}
	test := url.Values{"robots": {"User-agent: *\n"}, "url": {"/kept"}}
	fetchIt := url.Values{"site": {"http://shop.example.com"}, "do": {"fetch"}, "robots": {"kept"}, "url": {"/kept"}}
	for _, tt := range []struct {
		name   string
		change func(*web.Config)
		path   string
		form   url.Values
		status int
		kind   string
		logged bool
	}{
		{"the store fails", create(inside), "/share", test, 500, "internal", true},
		{"the store is full", create(fmt.Errorf("create: %w", tester.ErrFull)), "/share", test, 503, "store-full", true},
		{"the store does not answer", create(fmt.Errorf("create: %w: %w", tester.ErrUnavailable, context.DeadlineExceeded)), "/share", test, 503, "store-unavailable", true},
		{"the share is too large", create(fmt.Errorf("create: %w", tester.ErrTooLarge)), "/share", test, 413, "share-too-large", false},
		{"the store panics", func(c *web.Config) {
			c.Shares = &fakeShares{create: func() (*tester.Share, error) { panic(secret) }}
		}, "/share", test, 500, "internal", true},
		{"the outcomes fail", outcomes(inside), "/test", fetchIt, 500, "internal", true},
		{"the domain is asked too often", outcomes(fmt.Errorf("fetch: %w", &tester.BusyError{Domain: "example.com", Retry: time.Second})), "/test", fetchIt, 429, "limit-domain", false},
		{"a load takes too long", outcomes(context.DeadlineExceeded), "/test", fetchIt, 503, "interrupted", true},
		{"the limiter fails", func(c *web.Config) { c.Limiter = &fakeLimiter{inside} }, "/test", test, 500, "internal", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, nil, tt.change)
			for _, header := range []http.Header{nil, asJSON, asPart, {"Accept": {"text/csv"}}} {
				resp, body := w.post(t, tt.path, header, tt.form)
				if resp.StatusCode != tt.status {
					t.Errorf("%v: got %d; want %d", header, resp.StatusCode, tt.status)
				}
				if strings.Contains(body, secret) || strings.Contains(body, "goroutine") || strings.Contains(body, "panic") {
					t.Errorf("%v: the answer says what is inside: %.1000s", header, body)
				}
				if got := resp.Header.Get("Cache-Control"); got != "no-store" {
					t.Errorf("%v: got Cache-Control %q; want no-store", header, got)
				}
				if header.Get("Accept") == "application/json" {
					var got struct {
						Error struct{ Kind, Message string }
					}
					check(t, json.Unmarshal([]byte(body), &got))
					if got.Error.Kind != tt.kind || got.Error.Message == "" {
						t.Errorf("got %+v; want kind %s", got.Error, tt.kind)
					}
				}
			}
			if got := strings.Contains(w.log.String(), `"level":"ERROR"`); got != tt.logged {
				t.Errorf("logged as a fault of ours: %t; want %t\n%s", got, tt.logged, w.log)
			}
			if resp, _ := w.get(t, "/about"); resp.StatusCode != http.StatusOK {
				t.Errorf("afterwards: got %d; want 200", resp.StatusCode)
			}
		})
	}
}

// A rule that decides by its beginning alone, since the rest of it is beyond
// the 500 KiB, is said to be cut.
func TestCutRuleWins(t *testing.T) {
	w := newWorld(t, nil)
	const head, rule = "User-agent: *\n", "Disallow: /shop/sale/"
	fill := 500*1024 - len(head) - len("Disallow: /s")
	text := head + strings.Repeat("#", fill-1) + "\n" + rule + "\n"
	for _, tt := range []struct {
		robots string
		want   bool
	}{{text, true}, {head + rule, false}} {
		_, body := w.post(t, "/test", nil, url.Values{"robots": {tt.robots}, "url": {"/shop/sale/x"}, "crawler": {"Googlebot"}})
		doc, err := goquery.NewDocumentFromReader(strings.NewReader(body))
		check(t, err)
		if got := strings.Contains(doc.Find("#why").Text(), "is cut short"); got != tt.want {
			t.Errorf("%d bytes: said to be cut %t; want %t: %s", len(tt.robots), got, tt.want, doc.Find("#why").Text())
		}
	}
}

// A share that cannot be read now is not one that is gone.
func TestShareUnavailable(t *testing.T) {
	w := newWorld(t, nil, func(c *web.Config) {
		c.Shares = &fakeShares{share: func() (*tester.Share, error) {
			return nil, fmt.Errorf("share: %w: %w", tester.ErrUnavailable, context.DeadlineExceeded)
		}}
	})
	if resp, body := w.post(t, "/r/abcdefghjkmn/delete", nil, url.Values{"token": {"x"}}); resp.StatusCode != http.StatusServiceUnavailable || !strings.Contains(body, "It is still there.") {
		t.Errorf("delete: got %d, %.2000s; want 503 and that nothing was deleted", resp.StatusCode, body)
	}
	for _, path := range []string{"/r/abcdefghjkmn", "/r/abcdefghjkmn.json", "/r/abcdefghjkmn.csv", "/r/abcdefghjkmn/manage?token=x"} {
		resp, body := w.get(t, path)
		if resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") == "" || !strings.Contains(body, "The result is not lost.") {
			t.Errorf("%s: got %d, Retry-After %q, %.2000s; want 503 and that it is not lost", path, resp.StatusCode, resp.Header.Get("Retry-After"), body)
		}
	}
}

// The site wants traffic also without Redis, and says how that is.
func TestReadySaysRedis(t *testing.T) {
	var err error
	w := newWorld(t, nil, func(c *web.Config) { c.Redis = func(context.Context) error { return err } })
	for _, tt := range []struct {
		err  error
		want string
	}{
		{nil, "ready\nredis: up\n"},
		{errors.New("refused"), "ready\nredis: down, shared links cannot be made or opened\n"},
	} {
		err = tt.err
		if resp, body := w.get(t, "/readyz"); resp.StatusCode != http.StatusOK || body != tt.want {
			t.Errorf("got %d %q; want 200 %q", resp.StatusCode, body, tt.want)
		}
	}
}

// Whatever fails, the page of it still holds what was typed.
func TestFaultKeepsForm(t *testing.T) {
	w := newWorld(t, nil, func(c *web.Config) {
		c.Shares = &fakeShares{create: func() (*tester.Share, error) { return nil, tester.ErrFull }}
	})
	_, body := w.post(t, "/share", nil, url.Values{"robots": {"User-agent: *\nDisallow: /kept\n"}, "url": {"/kept"}, "crawler": {"bingbot"}})
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(body))
	check(t, err)
	if got, want := doc.Find("#robots").Text(), "User-agent: *\nDisallow: /kept\n"; got != want {
		t.Errorf("got text %q; want %q", got, want)
	}
	if got := doc.Find("#url").Text(); got != "/kept" {
		t.Errorf("got URLs %q; want /kept", got)
	}
	if got, want := strings.TrimSpace(doc.Find("#notice").Text()), "There is no room for another shared result right now. Your test is still here: try again later, or download it."; got != want {
		t.Errorf("got %q; want %q", got, want)
	}
}

// A request is one line in the log and one in the metrics: the pattern of its
// address, and nothing that anyone typed.
func TestLog(t *testing.T) {
	metrics := obs.NewMetrics("test")
	w := newWorld(t, nil, func(c *web.Config) { c.Metrics = metrics })
	id, token := w.share(t)
	w.get(t, "/r/"+id+"?cell=1.1")
	w.get(t, "/r/"+id+".json")
	w.get(t, "/r/"+id+"/manage?token="+token)
	w.get(t, "/no/such/private-page?query=private-query")
	w.get(t, "/r/private-name")
	w.post(t, "/r/"+id+"/delete", asPart, url.Values{"token": {token}})
	req, err := http.NewRequestWithContext(t.Context(), "PRIVATE", w.server.URL+"/test", nil)
	check(t, err)
	req.Header.Set("User-Agent", "private-agent")
	req.Header.Set("Referer", "https://private.example/")
	w.roundTrip(t, req)

	type entry struct {
		Level, Msg, Method, Route string
		Status                    int
		HTMX                      bool
	}
	var got []entry
	for line := range strings.Lines(w.log.String()) {
		var e entry
		check(t, json.Unmarshal([]byte(line), &e))
		got = append(got, e)
	}
	want := []entry{
		{"INFO", "request", "POST", "/share", 201, false},
		{"INFO", "request", "GET", "/r/{id}", 200, false},
		{"INFO", "request", "GET", "/r/{id}.json", 200, false},
		{"INFO", "request", "GET", "/r/{id}/manage", 200, false},
		{"INFO", "request", "GET", "none", 404, false},
		{"INFO", "request", "GET", "/r/{id}", 404, false},
		{"INFO", "request", "POST", "/r/{id}/delete", 200, true},
		{"INFO", "request", "other", "none", 405, false},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	scraped := httptest.NewRecorder()
	metrics.Handler().ServeHTTP(scraped, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for name, text := range map[string]string{"log": w.log.String(), "metrics": scraped.Body.String()} {
		for _, secret := range []string{id, token, "private", "PRIVATE", "127.0.0.1", "Disallow"} {
			if strings.Contains(text, secret) {
				t.Errorf("the %s holds %q", name, secret)
			}
		}
	}
}

// Ids and tokens are random: each share has its own.
func TestShareIDs(t *testing.T) {
	w := newWorld(t, nil)
	seen := map[string]bool{}
	for range 20 {
		id, token := w.share(t)
		if len(id) != 12 || strings.Trim(id, "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz") != "" {
			t.Errorf("got id %q; want 12 characters of base58", id)
		}
		if len(token) < 22 {
			t.Errorf("got a token of %d characters; want 22 or more", len(token))
		}
		if seen[id] || seen[token] {
			t.Error("got an id or a token twice")
		}
		seen[id], seen[token] = true, true
	}
}
