package fetch

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/whichrule/whichrule/internal/testkit"
)

const file = "User-agent: *\nDisallow: /cart/\n"

// fetcherFor gives a fetcher that may reach the sites.
func fetcherFor(t *testing.T, c Config, sites ...*testkit.Site) *Fetcher {
	t.Helper()
	var entries []string
	for _, s := range sites {
		entries = append(entries, s.Allow())
	}
	allow, err := ParseAllow(strings.Join(entries, ","))
	if err != nil {
		t.Fatal(err)
	}
	c.Allow = allow
	return New(c)
}

func originAt(t *testing.T, site string) Origin {
	t.Helper()
	s, err := ParseSite(site)
	if err != nil {
		t.Fatal(err)
	}
	return s.Origin
}

func statuses(out *Outcome) []int {
	var s []int
	for _, h := range out.Hops {
		s = append(s, h.Status)
	}
	return s
}

// TestFetchOutcomes has the neighbours of what TestBehaviours has.
func TestFetchOutcomes(t *testing.T) {
	html := func(status int, title string) http.HandlerFunc {
		return testkit.Header("Content-Type", "text/html; charset=UTF-8", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(status)
			w.Write([]byte("<!DOCTYPE html><title>" + title + "</title>"))
		})
	}
	compressed := func(w http.ResponseWriter, r *http.Request) {
		page := httptest.NewRecorder()
		testkit.Compressed("br", "<title>Just a moment...</title>")(page, r)
		for name, value := range map[string]string{"Server": "cloudflare", "Content-Type": "text/html", "Content-Encoding": "br"} {
			w.Header().Set(name, value)
		}
		w.WriteHeader(403)
		w.Write(page.Body.Bytes())
	}
	long := strings.Repeat("Disallow: /a\n", BodyLimit/13+1)
	tests := []struct {
		name     string
		in       http.HandlerFunc
		want     Kind
		statuses []int
		body     string
	}{
		{"200", testkit.File(file), OK, []int{200}, file},
		{"200, empty", testkit.File(""), OK, []int{200}, ""},
		{"200, byte order mark kept", testkit.File("\ufeff" + file), OK, []int{200}, "\ufeff" + file},
		{"200, any bytes kept", testkit.File("\x00\xff\xfe\r\n"), OK, []int{200}, "\x00\xff\xfe\r\n"},
		{"200, HTML", testkit.Typed("text/html", "<html>"), OK, []int{200}, "<html>"},
		{"204", testkit.Status(204), OK, []int{204}, ""},
		{"299", testkit.Status(299), OK, []int{299}, "\n"},
		{"300", testkit.Status(300), ServerError, []int{300}, ""},
		{"304 unasked", testkit.Status(304), ServerError, []int{304}, ""},
		{"306", testkit.Redirect(306, "/1"), ServerError, []int{306}, ""},
		{"400", testkit.Status(400), ClientError, []int{400}, ""},
		{"401", testkit.Status(401), ClientError, []int{401}, ""},
		{"403", testkit.Status(403), ClientError, []int{403}, ""},
		{"404", testkit.Status(404), ClientError, []int{404}, ""},
		{"410", testkit.Status(410), ClientError, []int{410}, ""},
		{"429", testkit.Status(429), TooManyRequests, []int{429}, ""},
		{"451", testkit.Status(451), ClientError, []int{451}, ""},
		{"499", testkit.Status(499), ClientError, []int{499}, ""},
		{"500", testkit.Status(500), ServerError, []int{500}, ""},
		{"503", testkit.Status(503), ServerError, []int{503}, ""},

		{"five redirects", testkit.RedirectChain(5, testkit.File(file)), OK, []int{302, 302, 302, 302, 302, 200}, file},
		{"five redirects to a 404", testkit.RedirectChain(5, testkit.Status(404)), ClientError, []int{302, 302, 302, 302, 302, 404}, ""},
		{"loop of one behind a fragment", testkit.Redirect(307, "/robots.txt#top"), RedirectLoop, []int{307}, ""},
		{"loop of one through dots", testkit.Redirect(308, "/a/../robots.txt"), RedirectLoop, []int{308}, ""},
		{"loop through an empty query", testkit.Redirect(301, "?"), RedirectLoop, []int{301, 301}, ""},
		{"blank Location", testkit.Redirect(303, " "), BadRedirect, []int{303}, ""},
		{"file", testkit.Redirect(302, "file:///etc/passwd"), BadRedirect, []int{302}, ""},
		{"javascript", testkit.Redirect(302, "javascript:alert(1)"), BadRedirect, []int{302}, ""},
		{"userinfo", testkit.Redirect(302, "http://me:secret@127.0.0.1/"), BadRedirect, []int{302}, ""},
		{"no host", testkit.Redirect(302, "http:///robots.txt"), BadRedirect, []int{302}, ""},
		{"bad host", testkit.Redirect(302, "http://exam ple.com/"), BadRedirect, []int{302}, ""},
		{"bad port", testkit.Redirect(302, "http://127.0.0.1:99999/"), BadRedirect, []int{302}, ""},
		{"bad escape", testkit.Redirect(302, "/%zz"), BadRedirect, []int{302}, ""},
		{"control character", testkit.Raw("HTTP/1.1 302 Found\r\nLocation: /a\x01b\r\n\r\n"), Broken, []int{0}, ""},

		{"gzip in capitals", testkit.Encoded("GZIP", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00"), OK, []int{200}, ""},
		{"identity", testkit.Encoded("identity", file), OK, []int{200}, file},
		{"unknown encoding of a 404", testkit.Header("Content-Encoding", "br", testkit.Status(404)), ClientError, []int{404}, ""},

		{"body as long as allowed", testkit.File(long[:BodyLimit]), OK, []int{200}, long[:BodyLimit]},
		{"header of 60 KiB", testkit.HugeHeader(60 << 10), OK, []int{200}, ""},

		{"Cloudflare challenge as 200", testkit.Header("Cf-Mitigated", "challenge", testkit.File(file)), Challenge, []int{200}, ""},
		{"Cloudflare title", testkit.Header("Server", "cloudflare", html(503, "Just a moment...")), Challenge, []int{503}, ""},
		{"Cloudflare title with 200", testkit.Header("Server", "cloudflare", html(200, "Just a moment...")), Challenge, []int{200}, ""},
		{"Cloudflare title, compressed", compressed, Challenge, []int{403}, ""},
		{"Cloudflare title with 404", testkit.Header("Server", "cloudflare", html(404, "Just a moment...")), ClientError, []int{404}, ""},
		{"Cloudflare, another page", testkit.Header("Server", "cloudflare", html(403, "Forbidden")), ClientError, []int{403}, ""},
		{"same title elsewhere", html(403, "Just a moment..."), ClientError, []int{403}, ""},
		{"AWS captcha", testkit.Header("X-Amzn-Waf-Action", "captcha", testkit.Status(405)), Challenge, []int{405}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := testkit.NewSite(t)
			s.Serve(tt.in)
			out := must(fetcherFor(t, Config{}, s).Fetch(t.Context(), originAt(t, s.Origin())))
			if out.Kind != tt.want {
				t.Fatalf("kind: got %s (%s); want %s", out.Kind, out.Detail, tt.want)
			}
			if diff := cmp.Diff(tt.statuses, statuses(out)); diff != "" {
				t.Errorf("statuses: got +; want -\n%s", diff)
			}
			if out.Status != tt.statuses[len(tt.statuses)-1] || out.FinalURL != out.Hops[len(out.Hops)-1].URL {
				t.Errorf("got status %d, final URL %s; want those of the last hop in %v", out.Status, out.FinalURL, out.Hops)
			}
			if string(out.Body) != tt.body || out.More {
				t.Errorf("body: got %.100q, more %t; want %.100q", out.Body, out.More, tt.body)
			}
		})
	}
}

func TestFetchMore(t *testing.T) {
	tests := []struct {
		name string
		in   http.HandlerFunc
	}{
		{"one byte too long", testkit.File(strings.Repeat("a", BodyLimit+1))},
		{"endless", testkit.EndlessBody("Disallow: /a\n")},
		{"bomb", testkit.Bomb("gzip", 4*BodyLimit)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := testkit.NewSite(t)
			s.Serve(tt.in)
			out := must(fetcherFor(t, Config{}, s).Fetch(t.Context(), originAt(t, s.Origin())))
			if out.Kind != OK || len(out.Body) != BodyLimit || !out.More {
				t.Errorf("got %s (%s), %d bytes, more %t; want ok, %d bytes, more", out.Kind, out.Detail, len(out.Body), out.More, BodyLimit)
			}
		})
	}
}

// TestFetchRequest is about what a site sees of us.
func TestFetchRequest(t *testing.T) {
	s := testkit.NewSite(t)
	s.Serve(func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
		w.Header().Set("ETag", `"x"`)
		w.Header().Set("Last-Modified", "Mon, 30 Nov 2026 08:00:00 GMT")
		testkit.RedirectChain(1, testkit.File(file))(w, r)
	})
	f := fetcherFor(t, Config{UserAgent: "Test/1 (+https://example.com/about)"}, s)
	for range 2 {
		f.Fetch(t.Context(), originAt(t, s.Origin()))
	}
	want := http.Header{
		"User-Agent":      {"Test/1 (+https://example.com/about)"},
		"Accept":          {"text/plain, */*;q=0.8"},
		"Accept-Encoding": {"gzip, deflate, br, zstd"},
		"Connection":      {"close"},
	}
	requests := s.Requests()
	if len(requests) != 4 {
		t.Fatalf("requests: got %d; want 4", len(requests))
	}
	for i, r := range requests {
		if path := []string{"/robots.txt", "/1"}[i%2]; r.Method != "GET" || r.URL.String() != path || "http://"+r.Host != s.Origin() {
			t.Errorf("request %d: got %s %s on %s; want GET %s on %s", i, r.Method, r.URL, r.Host, path, s.Origin())
		}
		if diff := cmp.Diff(want, r.Header); diff != "" {
			t.Errorf("request %d, header: got +; want -\n%s", i, diff)
		}
	}
}

func TestFetchFacts(t *testing.T) {
	s := testkit.NewSite(t)
	s.Serve(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Type", "Text/Plain")
		h.Add("Cache-Control", "public")
		h.Add("Cache-Control", "max-age=60")
		h.Set("Age", "7")
		h.Set("Retry-After", strings.Repeat("ä", valueLimit))
		if r.URL.Path == "/robots.txt" {
			h.Set("Location", "/two words?q=ö x#top")
			w.WriteHeader(301)
			return
		}
		testkit.Compressed("gzip", file)(w, r)
	})
	clock := time.Date(2026, 11, 30, 9, 0, 0, 0, time.FixedZone("CET", 3600))
	tick := func() time.Time {
		clock = clock.Add(time.Second)
		return clock
	}
	out := must(fetcherFor(t, Config{Now: tick}, s).Fetch(t.Context(), originAt(t, s.Origin())))
	if len(out.ID) != idLength || strings.Trim(out.ID, "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz") != "" {
		t.Errorf("id: got %q; want %d base58 characters", out.ID, idLength)
	}
	want := &Outcome{
		ID: out.ID, Origin: originAt(t, s.Origin()), Kind: OK, Status: 200,
		Hops:     []Hop{{s.Origin() + "/robots.txt", 301}, {s.Origin() + "/two%20words?q=%C3%B6%20x", 200}},
		FinalURL: s.Origin() + "/two%20words?q=%C3%B6%20x",
		// The handler of the file sets a type of its own.
		ContentType: "text/plain", Encoding: "gzip", CacheControl: "public, max-age=60", Age: "7",
		RetryAfter: strings.Repeat("ä", valueLimit/2),
		Body:       []byte(file),
		FetchedAt:  time.Date(2026, 11, 30, 8, 0, 3, 0, time.UTC), // started at :01, redirected at :02
		Took:       3 * time.Second,
	}
	if diff := cmp.Diff(want, out); diff != "" {
		t.Errorf("got +; want -\n%s", diff)
	}

	data, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	back := new(Outcome)
	if err := json.Unmarshal(data, back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(out, back); diff != "" {
		t.Errorf("through JSON: got +; want -\n%s", diff)
	}
	if again := must(fetcherFor(t, Config{}, s).Fetch(t.Context(), want.Origin)); again.ID == out.ID {
		t.Errorf("id of another fetch: got %s again; want another", again.ID)
	}
}

// TestFetchForgets: a fact of the redirect is none of the answer behind it.
func TestFetchForgets(t *testing.T) {
	s := testkit.NewSite(t)
	s.Serve(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/robots.txt" {
			testkit.Reset()(w, r)
			return
		}
		w.Header().Set("Cache-Control", "max-age=60")
		testkit.Redirect(301, "/a")(w, r)
	})
	out := must(fetcherFor(t, Config{}, s).Fetch(t.Context(), originAt(t, s.Origin())))
	if out.Kind != Broken || out.Status != 0 || out.CacheControl != "" || out.Location != "" {
		t.Errorf("got %s, status %d, Cache-Control %q, Location %q; want broken, 0 and none", out.Kind, out.Status, out.CacheControl, out.Location)
	}
}

func TestFetchLocationKept(t *testing.T) {
	tests := []struct {
		name, location string
		want           Kind
	}{
		{"loop", "/robots.txt#x", RedirectLoop},
		{"other scheme", "ftp://example.com/", BadRedirect},
		{"refused", "http://127.0.0.2/", Refused},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := testkit.NewSite(t)
			s.Serve(testkit.Redirect(302, tt.location))
			out := must(fetcherFor(t, Config{}, s).Fetch(t.Context(), originAt(t, s.Origin())))
			want := tt.location
			if tt.want == Refused {
				want = "" // it was followed: its hop says where to
			}
			if out.Kind != tt.want || out.Location != want {
				t.Errorf("got %s, Location %q; want %s, %q", out.Kind, out.Location, tt.want, want)
			}
		})
	}
}

func TestFetchTimeout(t *testing.T) {
	blocked := resolverFunc(func(ctx context.Context) ([]netip.Addr, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	tests := []struct {
		name     string
		in       http.HandlerFunc
		resolver Resolver
		want     []int
	}{
		{"no answer", testkit.SlowHeader(), nil, []int{0}},
		{"body stops", testkit.SlowBody(file), nil, []int{200}},
		{"compressed body stops", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			testkit.SlowBody("\x1f\x8b")(w, r)
		}, nil, []int{200}},
		{"behind a redirect", testkit.RedirectChain(2, testkit.SlowHeader()), nil, []int{302, 302, 0}},
		{"no answer of the name server", nil, blocked, []int{0}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := testkit.NewSite(t)
			s.Serve(tt.in)
			o := originAt(t, s.Origin())
			if tt.resolver != nil {
				o.Host = "site.example"
			}
			out := must(fetcherFor(t, Config{Timeout: 200 * time.Millisecond, Resolver: tt.resolver}, s).Fetch(t.Context(), o))
			if diff := cmp.Diff(tt.want, statuses(out)); out.Kind != Timeout || diff != "" || out.Body != nil {
				t.Errorf("got %s (%s), body %q; want timeout and none; statuses:\n%s", out.Kind, out.Detail, out.Body, diff)
			}
			if out.FetchedAt.IsZero() {
				t.Error("time: got none; want when the fetch gave up")
			}
		})
	}
}

func TestFetchCancelled(t *testing.T) {
	s := testkit.NewSite(t)
	ctx, cancel := context.WithCancel(t.Context())
	s.Serve(func(w http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	f := fetcherFor(t, Config{}, s)
	for _, name := range []string{"during the fetch", "before the fetch"} {
		if out := must(f.Fetch(ctx, originAt(t, s.Origin()))); out.Kind != Timeout {
			t.Errorf("cancelled %s: got %s (%s); want timeout", name, out.Kind, out.Detail)
		}
	}
	if s.Count() != 1 {
		t.Errorf("requests: got %d; want 1", s.Count())
	}
}

func TestFetchConnect(t *testing.T) {
	s := testkit.NewSite(t)
	f := fetcherFor(t, Config{}, s)
	s.Stop()
	if out := must(f.Fetch(t.Context(), originAt(t, s.Origin()))); out.Kind != Connect || out.Status != 0 {
		t.Errorf("closed port: got %s, status %d (%s); want connect, 0", out.Kind, out.Status, out.Detail)
	}
}

func TestFetchDNS(t *testing.T) {
	tests := []struct {
		name     string
		resolver Resolver
	}{
		{"no such name", testkit.Names{}},
		{"no address", testkit.Names{"site.example": nil}},
		{"too many addresses", resolverFunc(func(context.Context) ([]netip.Addr, error) {
			return make([]netip.Addr, maxAddrs+1), nil
		})},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out := must(New(Config{Resolver: tt.resolver}).Fetch(t.Context(), originAt(t, "site.example")))
			if out.Kind != DNS || len(out.Hops) != 1 || out.Hops[0].URL != "https://site.example/robots.txt" {
				t.Errorf("got %s, %v (%s); want dns, one hop", out.Kind, out.Hops, out.Detail)
			}
		})
	}
}

// TestFetchRooted: the search list of the machine must not turn a short name into one of its own network.
func TestFetchRooted(t *testing.T) {
	var asked []string
	f := New(Config{Resolver: lookupFunc(func(host string) { asked = append(asked, host) })})
	for _, site := range []string{"intranet", "wiki.corp", "site.example."} {
		f.Fetch(t.Context(), originAt(t, site))
	}
	if diff := cmp.Diff([]string{"intranet.", "wiki.corp.", "site.example."}, asked); diff != "" {
		t.Errorf("names asked for: got +; want -\n%s", diff)
	}
}

// TestFetchLocalhost: an operator who allows loopback reaches a local server by its usual name.
func TestFetchLocalhost(t *testing.T) {
	s := testkit.NewSite(t)
	s.File(file)
	f := fetcherFor(t, Config{}, s)
	for _, host := range []string{"localhost", "app.localhost"} {
		if out := must(f.Fetch(t.Context(), origin("http", host, s.Port()))); out.Kind != OK {
			t.Errorf("%s: got %s (%s); want ok", host, out.Kind, out.Detail)
		}
	}
}

// TestFetchFamilies: a host is reached over the family that works, at whichever of its addresses answers.
func TestFetchFamilies(t *testing.T) {
	v4, v6 := testkit.NewSite(t), testkit.NewSite6(t)
	v4.File(file)
	v6.File(file)
	allow, err := ParseAllow("127.0.0.0/8,::1")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name  string
		addrs []string
		site  *testkit.Site
		want  Kind
	}{
		{"IPv4 alone", []string{"127.0.0.1"}, v4, OK},
		{"IPv6 alone", []string{"::1"}, v6, OK},
		{"both, nobody at IPv6", []string{"::1", "127.0.0.1"}, v4, OK},
		{"both, nobody at IPv6, IPv4 first", []string{"127.0.0.1", "::1"}, v4, OK},
		{"both, nobody at IPv4", []string{"127.0.0.1", "::1"}, v6, OK},
		{"both, nobody at most", []string{"127.0.0.9", "127.0.0.8", "127.0.0.7", "::1"}, v6, OK},
		{"the second of a family", []string{"127.0.0.9", "127.0.0.1"}, v4, OK},
		{"IPv4 alone, nobody there", []string{"127.0.0.9"}, v4, Connect},
		{"IPv6 alone, nobody there", []string{"::1"}, v4, Connect},
		{"both, nobody there", []string{"::1", "127.0.0.9"}, v4, Connect},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := New(Config{Allow: allow, Resolver: testkit.Names{"site.example": tt.addrs}})
			out := must(f.Fetch(t.Context(), origin("http", "site.example", tt.site.Port())))
			if out.Kind != tt.want || out.Kind == OK && string(out.Body) != file {
				t.Errorf("got %s (%s), %q; want %s", out.Kind, out.Detail, out.Body, tt.want)
			}
		})
	}

	out := must(New(Config{Allow: allow}).Fetch(t.Context(), originAt(t, v6.Origin())))
	requests := v6.Requests()
	if want := v6.Allow(); out.Kind != OK || requests[len(requests)-1].Host != want {
		t.Errorf("by address: got %s (%s), Host %q; want ok, %q", out.Kind, out.Detail, requests[len(requests)-1].Host, want)
	}
}

func TestAttempts(t *testing.T) {
	tests := []struct {
		name     string
		in, want []string
	}{
		{"one", []string{"192.0.2.1"}, []string{"192.0.2.1"}},
		{"families in turn", []string{"2001:db8::1", "2001:db8::2", "192.0.2.1", "192.0.2.2"}, []string{"2001:db8::1", "192.0.2.1", "2001:db8::2", "192.0.2.2"}},
		{"order of the resolver", []string{"192.0.2.1", "2001:db8::1"}, []string{"192.0.2.1", "2001:db8::1"}},
		{"at most maxDials", []string{"192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4", "192.0.2.5", "2001:db8::1"}, []string{"192.0.2.1", "2001:db8::1", "192.0.2.2", "192.0.2.3"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var in []netip.Addr
			for _, s := range tt.in {
				in = append(in, netip.MustParseAddr(s))
			}
			var got []string
			for _, a := range attempts(in) {
				got = append(got, a.String())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("got +; want -\n%s", diff)
			}
		})
	}
}

func TestFetchTLS(t *testing.T) {
	s := testkit.NewTLSSite(t)
	s.File(file)
	plain := testkit.NewSite(t)
	plainTLS := originAt(t, plain.Origin())
	plainTLS.Scheme = "https"
	names := testkit.Names{"example.com": {"127.0.0.1"}, "other.example": {"127.0.0.1"}}
	tests := []struct {
		name string
		in   Origin
		c    Config
		want Kind
	}{
		{"trusted", originAt(t, s.Origin()), Config{RootCAs: s.Certs()}, OK},
		{"trusted by name", origin("https", "example.com", s.Port()), Config{RootCAs: s.Certs(), Resolver: names}, OK},
		{"wrong name", origin("https", "other.example", s.Port()), Config{RootCAs: s.Certs(), Resolver: names}, TLS},
		{"unknown issuer", originAt(t, s.Origin()), Config{}, TLS},
		{"no TLS at all", plainTLS, Config{}, TLS},
		{"http to a TLS port", origin("http", "127.0.0.1", s.Port()), Config{}, ClientError}, // net/http's server says 400
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if out := must(fetcherFor(t, tt.c, s, plain).Fetch(t.Context(), tt.in)); out.Kind != tt.want {
				t.Errorf("got %s (%s); want %s", out.Kind, out.Detail, tt.want)
			}
		})
	}
}

// TestFetchHTTPS: over TLS, the same answers give the same outcomes in HTTP/2 and HTTP/1.1.
func TestFetchHTTPS(t *testing.T) {
	hints := func(times int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Link", "</a.css>; rel=preload")
			for i := 0; i != times && r.Context().Err() == nil; i++ {
				w.WriteHeader(http.StatusEarlyHints)
			}
			if times >= 0 {
				testkit.File(file)(w, r)
			}
		}
	}
	trailer := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Trailer", "X-Sum")
		testkit.File(file)(w, r)
		w.Header().Set("X-Sum", "1")
	}
	tests := []struct {
		name string
		in   http.HandlerFunc
		want Kind
		more bool
	}{
		{"file", testkit.File(file), OK, false},
		{"early hints", hints(3), OK, false},
		{"early hints for ever", hints(-1), Broken, false},
		{"trailer", trailer, OK, false},
		{"gzip", testkit.Compressed("gzip", file), OK, false},
		{"deflate", testkit.Compressed("deflate", file), OK, false},
		{"br", testkit.Compressed("br", file), OK, false},
		{"zstd", testkit.Compressed("zstd", file), OK, false},
		{"stacked", testkit.Compressed("br, gzip", file), OK, false},
		{"bomb", testkit.Bomb("br", 4*BodyLimit), OK, true},
		{"nothing for ever", testkit.EmptyBlocks("zstd"), Broken, false},
		{"redirect", testkit.RedirectChain(5, testkit.File(file)), OK, false},
		{"redirect loop", testkit.Redirect(301, "/robots.txt"), RedirectLoop, false},
		{"redirect to a private address", testkit.Redirect(302, "http://10.0.0.1/"), Refused, false},
		{"status", testkit.Status(503), ServerError, false},
		{"no body", testkit.Status(204), OK, false},
		{"challenge", testkit.CloudflareChallenge(), Challenge, false},
		{"endless", testkit.EndlessBody("Disallow: /a\n"), OK, true},
		{"no answer", testkit.SlowHeader(), Timeout, false},
		{"body stops", testkit.SlowBody(file), Timeout, false},
		{"body drips", testkit.DripBody(), Timeout, false},
		{"torn down", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, Broken, false},
		{"header too large", testkit.HugeHeader(70 << 10), Broken, false},
	}
	for proto, start := range map[int]func(testing.TB) *testkit.Site{1: testkit.NewTLSSite1, 2: testkit.NewTLSSite} {
		s := start(t)
		for _, tt := range tests {
			t.Run(fmt.Sprintf("HTTP/%d, %s", proto, tt.name), func(t *testing.T) {
				s.Serve(tt.in)
				c := Config{RootCAs: s.Certs()}
				if tt.want == Timeout {
					c.Timeout = 300 * time.Millisecond
				}
				out := must(fetcherFor(t, c, s).Fetch(t.Context(), originAt(t, s.Origin())))
				if out.Kind != tt.want || out.More != tt.more {
					t.Errorf("got %s (%s), more %t; want %s, %t", out.Kind, out.Detail, out.More, tt.want, tt.more)
				}
				if out.Kind == OK && !out.More && tt.name != "no body" && string(out.Body) != file {
					t.Errorf("got body %q; want the file", out.Body)
				}
			})
		}
		for _, r := range s.Requests() {
			if r.ProtoMajor != proto {
				t.Errorf("protocol: got %s; want HTTP/%d", r.Proto, proto)
			}
		}
	}
}

// TestFetchRedirectToPrivate: a public site must not send us where we would not have gone by ourselves.
func TestFetchRedirectToPrivate(t *testing.T) {
	secret := testkit.NewSite(t) // on a port that nobody allowed
	secret.File("secret")
	public := testkit.NewSite(t)
	port := strconv.Itoa(public.Port())
	names := testkit.Names{
		"public.example":  {"127.0.0.1"},
		"private.example": {"10.0.0.1"},
		"mixed.example":   {"127.0.0.1", "127.0.0.2"},
		"other.example":   {"127.0.0.2"},
	}
	f := fetcherFor(t, Config{Resolver: names}, public)
	targets := []string{
		secret.Origin() + "/",
		"//127.0.0.1/", "http://127.0.0.1/", "http://localhost/", "https://127.0.0.1/", "http://127.1/", "http://0x7f000001/",
		"http://2130706433/", "http://0177.0.0.1/", "http://[::1]/", "http://[::ffff:127.0.0.1]:" + port + "/",
		"http://[64:ff9b::7f00:1]/", "http://[2002:7f00:1::]/", "http://[fdaa::3]/", "http://１２７.０.０.１/",
		"http://169.254.169.254/latest/meta-data/", "http://168.63.129.16/", "http://192.168.1.1/", "http://100.100.100.200/",
		"http://127.0.0.2:" + port + "/", "http://other.example:" + port + "/", "http://mixed.example:" + port + "/",
		"http://private.example/", "https://private.example/", "http://private.example:" + port + "/",
		"http://8.8.8.8:22/", "https://8.8.8.8:8443/", "http://public.example:6379/",
	}
	for _, target := range targets {
		t.Run(target, func(t *testing.T) {
			public.Serve(testkit.Redirect(302, target))
			out := must(f.Fetch(t.Context(), origin("http", "public.example", public.Port())))
			if diff := cmp.Diff([]int{302, 0}, statuses(out)); out.Kind != Refused || diff != "" {
				t.Errorf("got %s (%s), statuses %v; want refused, 302 and 0", out.Kind, out.Detail, statuses(out))
			}
		})
	}
	if secret.Count() != 0 {
		t.Errorf("requests to the private site: got %d; want 0", secret.Count())
	}

	public.Serve(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.Host, "public.example:") {
			testkit.Redirect(302, public.Origin()+"/other?a b")(w, r)
			return
		}
		testkit.File(file)(w, r)
	})
	if out := must(f.Fetch(t.Context(), origin("http", "public.example", public.Port()))); out.Kind != OK {
		t.Errorf("redirect to another host that is allowed: got %s (%s); want ok", out.Kind, out.Detail)
	}
}

// TestFetchRebinding: a name server that answers with a public address when it is asked first and with a private one
// later gets nothing out of it.
func TestFetchRebinding(t *testing.T) {
	s := testkit.NewSite(t)
	s.Serve(testkit.RedirectChain(1, testkit.File(file)))
	var lookups atomic.Int32
	rebinding := resolverFunc(func(context.Context) ([]netip.Addr, error) {
		if lookups.Add(1) == 1 {
			return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil // the "public" address, see Allow
		}
		return []netip.Addr{netip.MustParseAddr("127.0.0.2")}, nil
	})
	f := fetcherFor(t, Config{Resolver: rebinding}, s)
	out := must(f.Fetch(t.Context(), origin("http", "site.example", s.Port())))
	if diff := cmp.Diff([]int{302, 0}, statuses(out)); out.Kind != Refused || diff != "" || lookups.Load() != 2 {
		t.Errorf("got %s (%s), statuses %v, %d lookups; want refused at the second hop, one lookup a hop", out.Kind, out.Detail, statuses(out), lookups.Load())
	}
}

// TestDialControl takes the check before the dial away: the check at the socket refuses alone.
func TestDialControl(t *testing.T) {
	s := testkit.NewSite(t)
	f := New(Config{})
	conn, err := f.connect(t.Context(), netip.MustParseAddrPort(s.Allow()))
	if err == nil {
		conn.Close()
	}
	if fail, ok := err.(*failure); !ok || fail.kind != Refused {
		t.Errorf("dial of %s: got %v; want refused", s.Allow(), err)
	}
}

// TestFetchLeavesNothing: whatever happened to a fetch, its goroutines end with it.
func TestFetchLeavesNothing(t *testing.T) {
	handlers := []http.HandlerFunc{
		testkit.File(file), testkit.SlowHeader(), testkit.SlowBody(file), testkit.EndlessBody("a\n"), testkit.Status(503),
		testkit.RedirectChain(-1, nil),
	}
	for _, s := range []*testkit.Site{testkit.NewSite(t), testkit.NewTLSSite(t)} {
		c := Config{Timeout: 200 * time.Millisecond}
		if strings.HasPrefix(s.Origin(), "https:") {
			c.RootCAs = s.Certs()
		}
		f := fetcherFor(t, c, s)
		for _, h := range handlers {
			s.Serve(h)
			f.Fetch(t.Context(), originAt(t, s.Origin()))
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	for {
		buf := make([]byte, 1<<20)
		stacks := string(buf[:runtime.Stack(buf, true)])
		if !strings.Contains(stacks, "persistConn") && !strings.Contains(stacks, "http2ClientConn") && !strings.Contains(stacks, "(*Fetcher).dial") {
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("goroutines of the client are still there:\n%s", stacks)
		}
		runtime.Gosched()
	}
}

// FuzzResolveLocation: whatever a server sends, the next URL makes a request, and is in the one spelling that loops are
// found by.
func FuzzResolveLocation(f *testing.F) {
	const base = "https://site.example/robots.txt"
	for _, s := range []string{
		"/a", "a?b c#d", "//other.example:443/ö", "HTTP://B%C3%BCcher.example", "http://[::1%25lo]/", "/%2e%2e/%zz", "?", "#",
		"http://0x7f.1:080/", "/\\example.com", "http:opaque", "http://me@site.example/", "/a\x00", "/%41%2f", "https://site.example",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, location string) {
		o, target, err := resolveLocation(base, location)
		if err != nil || len(target) > URLLimit {
			return
		}
		again, targetAgain, err := resolveLocation(base, target)
		if err != nil || again != o || targetAgain != target {
			t.Errorf("Location %q: got %s, then %s, %v; want the same", location, target, targetAgain, err)
		}
		req, err := http.NewRequest(http.MethodGet, target, nil)
		if err != nil {
			t.Fatalf("Location %q: got request error %v; want none", location, err)
		}
		if uri := req.URL.RequestURI(); strings.ContainsFunc(uri, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
			t.Errorf("Location %q: got request line with %q; want printable ASCII", location, uri)
		}
	})
}

func TestKinds(t *testing.T) {
	seen := map[Kind]bool{}
	for _, k := range Kinds() {
		if k == "" || seen[k] {
			t.Errorf("kind %q: empty or there twice", k)
		}
		seen[k] = true
	}
}

type resolverFunc func(ctx context.Context) ([]netip.Addr, error)

func (f resolverFunc) LookupNetIP(ctx context.Context, _, _ string) ([]netip.Addr, error) {
	return f(ctx)
}

type lookupFunc func(host string)

func (f lookupFunc) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	f(host)
	return nil, nil
}

// must takes the outcome of a fetch that nobody forbids.
func must(out *Outcome, err error) *Outcome {
	if err != nil {
		panic(err)
	}
	return out
}
