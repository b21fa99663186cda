package tester

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/whichrule/whichrule/internal/fetch"
)

func TestHostsOf(t *testing.T) {
	const (
		four  = "https://example.com https://www.example.com http://example.com http://www.example.com"
		local = "https://127.0.0.1 http://127.0.0.1"
	)
	for _, tt := range []struct{ name, in, want string }{
		{"a registered name", "example.com", four},
		{"its www", "https://www.example.com/robots.txt", four},
		{"any case and spelling", "HTTP://WWW.EXAMPLE.COM.:80/x?y", four},
		{"a name under a suffix of two labels", "example.co.uk", "https://example.co.uk https://www.example.co.uk http://example.co.uk http://www.example.co.uk"},
		{"a suffix in no list", "shop.test", "https://shop.test https://www.shop.test http://shop.test http://www.shop.test"},
		{"an international name", "bücher.example", "https://xn--bcher-kva.example https://www.xn--bcher-kva.example http://xn--bcher-kva.example http://www.xn--bcher-kva.example"},
		{"a subdomain has no www", "shop.example.com", "https://shop.example.com http://shop.example.com"},
		{"but one that was typed is taken off", "www.shop.example.com", "https://shop.example.com https://www.shop.example.com http://shop.example.com http://www.shop.example.com"},
		{"a name that a host of pages gave", "example.github.io", "https://example.github.io http://example.github.io"},
		{"a public suffix", "co.uk", "https://co.uk http://co.uk"},
		{"www and a top-level domain", "www.com", "https://www.com http://www.com"},
		{"a single name", "localhost", "https://localhost http://localhost"},
		{"an address", "127.0.0.1", local},
		{"an address in an odd spelling", "http://0x7f.1/", local},
		{"an IPv6 address", "[2001:db8::1]", "https://[2001:db8::1] http://[2001:db8::1]"},
		{"the default port", "https://example.com:443", four},
		{"the port of http without a scheme", "example.com:80", four},
		{"a port is its scheme's", "http://example.com:8080", "https://example.com http://example.com:8080"},
		{"the port of http for https", "https://example.com:80", "https://example.com:80 http://example.com"},
		{"a port without a scheme is both schemes'", "127.0.0.1:8080", "https://127.0.0.1:8080 http://127.0.0.1:8080"},
		{"a port and www", "https://www.example.com:8443", "https://www.example.com:8443 http://www.example.com"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			site, err := fetch.ParseSite(tt.in)
			if err != nil {
				t.Fatal(err)
			}
			if got := join(hostsOf(&site)); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func join[T fmt.Stringer](vs []T) string {
	var s []string
	for _, v := range vs {
		s = append(s, v.String())
	}
	return strings.Join(s, " ")
}

// hostsWeb is a web of hosts, and a store for what they gave. Its hosts may be asked
// side by side.
type hostsWeb struct {
	Tester
	mu      sync.Mutex
	now     time.Time
	serve   map[string]string         // file by origin; "503" and the like are statuses
	moved   map[string]string         // where an origin redirects to
	fresh   map[string]*fetch.Outcome // by origin
	held    map[string]*fetch.Outcome // by id
	results map[string][]byte
	asked   int
}

func newHostsWeb(serve map[string]string) *hostsWeb {
	w := &hostsWeb{
		now: noon, serve: serve, moved: map[string]string{},
		fresh: map[string]*fetch.Outcome{}, held: map[string]*fetch.Outcome{}, results: map[string][]byte{},
	}
	w.Tester = Tester{Fetcher: w, Outcomes: w, Results: w, Now: func() time.Time { return w.now }}
	return w
}

func (w *hostsWeb) Fetchable(fetch.Origin) bool { return true }

func (w *hostsWeb) Fetch(_ context.Context, o fetch.Origin) (*fetch.Outcome, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked++
	out := outcome(fmt.Sprint("fetch ", w.asked), o, "")
	out.FetchedAt = w.now
	at := o.String()
	if to := w.moved[at]; to != "" {
		at, out.FinalURL = to, to+"/robots.txt"
		out.Hops[0].Status = 301
		out.Hops = append(out.Hops, fetch.Hop{URL: out.FinalURL, Status: 200})
	}
	switch text, ok := w.serve[at]; {
	case !ok:
		out.Kind, out.Status = fetch.DNS, 0
	case text == "404":
		out.Kind, out.Status = fetch.ClientError, 404
	case text == "503":
		out.Kind, out.Status = fetch.ServerError, 503
	default:
		out.Body = []byte(text)
	}
	return out, nil
}

func (w *hostsWeb) Outcome(_ context.Context, id string) (*fetch.Outcome, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if o := w.held[id]; o != nil {
		return o, nil
	}
	return nil, ErrNotFound
}

func (w *hostsWeb) Fresh(ctx context.Context, origin string, again bool, load Load) (*fetch.Outcome, Held, error) {
	w.mu.Lock()
	o := w.fresh[origin]
	w.mu.Unlock()
	if o != nil && !again {
		return o, "", nil
	}
	o, err := load(ctx)
	if err != nil {
		return nil, "", err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fresh[origin], w.held[o.ID] = o, o
	return o, "", nil
}

func (w *hostsWeb) LastGood(context.Context, string) (*fetch.Outcome, error) {
	return nil, ErrNotFound
}

func (w *hostsWeb) Result(_ context.Context, key string) ([]byte, error) {
	if b := w.results[key]; b != nil {
		return b, nil
	}
	return nil, ErrNotFound
}

func (w *hostsWeb) PutResult(_ context.Context, key string, b []byte) { w.results[key] = b }

func (w *hostsWeb) check(t *testing.T, q Request) *Hosts {
	t.Helper()
	h, err := w.Hosts(t.Context(), q)
	if err != nil {
		t.Fatalf("got error %v; want the hosts", err)
	}
	return h
}

// told writes a check in short: origin, what came of it, file by its letter.
func told(h *Hosts) []string {
	var out []string
	for _, host := range h.Hosts {
		s := host.Fetch.Origin.String() + " " + string(host.Fetch.Kind)
		if host.File >= 0 {
			s += " " + string(rune('A'+host.File))
		}
		out = append(out, s)
	}
	return out
}

const (
	bareHTTPS, wwwHTTPS = "https://example.com", "https://www.example.com"
	bareHTTP, wwwHTTP   = "http://example.com", "http://www.example.com"
)

func TestHosts(t *testing.T) {
	for _, tt := range []struct {
		name         string
		serve, moved map[string]string
		want         []string
		sizes        []int
		diffs        []Diff // in short: Changed, Removed, Added
	}{
		{
			name:  "all redirect to one",
			serve: map[string]string{wwwHTTPS: "a\n"},
			moved: map[string]string{bareHTTPS: wwwHTTPS, bareHTTP: wwwHTTPS, wwwHTTP: wwwHTTPS},
			want:  []string{bareHTTPS + " ok A", wwwHTTPS + " ok A", bareHTTP + " ok A", wwwHTTP + " ok A"},
			sizes: []int{2},
		},
		{
			name:  "the file of most hosts comes first",
			serve: map[string]string{bareHTTPS: "a\nb\nc\n", wwwHTTPS: "a\nc\n", bareHTTP: "a\nc\n", wwwHTTP: "404"},
			want:  []string{bareHTTPS + " ok B", wwwHTTPS + " ok A", bareHTTP + " ok A", wwwHTTP + " client-error"},
			sizes: []int{4, 6},
			diffs: []Diff{{Changed: true, Added: 1}},
		},
		{
			name:  "of as many hosts each, that of https",
			serve: map[string]string{bareHTTPS: "a\n", wwwHTTPS: "a\n", bareHTTP: "a\r\n", wwwHTTP: "a\r\n"},
			want:  []string{bareHTTPS + " ok A", wwwHTTPS + " ok A", bareHTTP + " ok B", wwwHTTP + " ok B"},
			sizes: []int{2, 3},
			diffs: []Diff{{Changed: true}},
		},
		{
			name:  "four files, one of them empty",
			serve: map[string]string{bareHTTPS: "a\n", wwwHTTPS: "", bareHTTP: "b\n", wwwHTTP: "a\nb\n"},
			want:  []string{bareHTTPS + " ok A", wwwHTTPS + " ok B", bareHTTP + " ok C", wwwHTTP + " ok D"},
			sizes: []int{2, 0, 2, 4},
			diffs: []Diff{{Changed: true, Removed: 1}, {Changed: true, Removed: 1, Added: 1}, {Changed: true, Added: 1}},
		},
		{
			name:  "one host answers",
			serve: map[string]string{bareHTTPS: "a\n", wwwHTTPS: "503"},
			want:  []string{bareHTTPS + " ok A", wwwHTTPS + " server-error", bareHTTP + " dns", wwwHTTP + " dns"},
			sizes: []int{2},
		},
		{
			name: "none answers",
			want: []string{bareHTTPS + " dns", wwwHTTPS + " dns", bareHTTP + " dns", wwwHTTP + " dns"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newHostsWeb(tt.serve)
			w.moved = tt.moved
			h := w.check(t, Request{Site: "example.com"})
			if d := cmp.Diff(tt.want, told(h)); d != "" {
				t.Errorf("hosts (-want +got):\n%s", d)
			}
			var sizes []int
			var diffs []Diff
			for i, f := range h.Files {
				sizes = append(sizes, f.Size)
				if i > 0 {
					diffs = append(diffs, Diff{Changed: f.Diff.Changed, Removed: f.Diff.Removed, Added: f.Diff.Added})
				} else if f.Diff != nil {
					t.Error("the first file is compared with itself")
				}
			}
			if d := cmp.Diff(tt.sizes, sizes); d != "" {
				t.Errorf("sizes (-want +got):\n%s", d)
			}
			if d := cmp.Diff(tt.diffs, diffs); d != "" {
				t.Errorf("diffs (-want +got):\n%s", d)
			}
			for _, host := range h.Hosts {
				if host.Fetch.Body != nil || host.Fetch.Detail != "" {
					t.Errorf("%s: the facts hold more than is shown", host.Fetch.Origin)
				}
			}
			// What is kept is the same, whoever of the hosts is typed.
			if d := cmp.Diff(h.Files, w.check(t, Request{Site: "example.com"}).Files); d != "" {
				t.Errorf("from the store (-want +got):\n%s", d)
			}
		})
	}
}

// A check serves for an hour from its oldest fetch on, one with a failure for a
// minute, and none when it is asked again.
func TestHostsAreKept(t *testing.T) {
	for _, tt := range []struct {
		name  string
		serve map[string]string
		after time.Duration
		do    Do
		want  bool // that the earlier check serves
	}{
		{name: "just before an hour", after: time.Hour - 1, want: true},
		{name: "an hour", after: time.Hour},
		{name: "asked again", after: time.Second, do: DoRefetch},
		{name: "no file is no failure", serve: map[string]string{wwwHTTPS: "404"}, after: time.Hour - 1, want: true},
		{name: "a failure, just before a minute", serve: map[string]string{wwwHTTPS: "503"}, after: time.Minute - 1, want: true},
		{name: "a failure, a minute", serve: map[string]string{wwwHTTPS: "503"}, after: time.Minute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newHostsWeb(map[string]string{bareHTTPS: "a\n", wwwHTTPS: "b\n", bareHTTP: "a\n", wwwHTTP: "b\n"})
			for origin, text := range tt.serve {
				w.serve[origin] = text
			}
			first := w.check(t, Request{Site: "example.com"})
			w.now = noon.Add(tt.after)
			w.fresh = map[string]*fetch.Outcome{}
			again := w.check(t, Request{Site: "http://www.example.com", Do: tt.do})
			if got := w.asked == 4; got != tt.want {
				t.Errorf("got %d fetches; want the earlier check to serve: %v", w.asked, tt.want)
			}
			if got := again.Site.String(); got != wwwHTTP {
				t.Errorf("got site %s; want the one that was typed", got)
			}
			want := w.now
			if tt.want {
				want = first.At
			}
			if !again.At.Equal(want) {
				t.Errorf("got a check of %v; want %v", again.At, want)
			}
		})
	}
}

// A check is as old as the oldest answer in it.
func TestHostsAge(t *testing.T) {
	w := newHostsWeb(map[string]string{bareHTTPS: "a\n", wwwHTTPS: "a\n", bareHTTP: "a\n", wwwHTTP: "a\n"})
	old := outcome("old", originOf(wwwHTTPS), "a\n")
	old.FetchedAt = noon.Add(-4 * time.Minute)
	w.fresh[wwwHTTPS], w.held["old"] = old, old
	if got := w.check(t, Request{Site: "example.com"}).At; !got.Equal(old.FetchedAt) {
		t.Errorf("got %v; want %v", got, old.FetchedAt)
	}
	w.now = old.FetchedAt.Add(time.Hour)
	w.fresh = map[string]*fetch.Outcome{}
	if w.check(t, Request{Site: "example.com"}); w.asked != 3+4 {
		t.Errorf("got %d fetches; want 7", w.asked)
	}
}

// However many hosts there are, the client's limit is asked once, and what it
// says ends the check and is not kept.
func TestHostsLimit(t *testing.T) {
	w := newHostsWeb(map[string]string{bareHTTPS: "a\n"})
	asked := 0
	allow := func() error { asked++; return nil }
	w.check(t, Request{Site: "example.com", AllowFetch: allow})
	if asked != 1 {
		t.Errorf("got %d questions; want one", asked)
	}
	w.check(t, Request{Site: "example.com", AllowFetch: allow})
	if asked != 1 {
		t.Errorf("got %d questions; want none for what is known", asked)
	}
	limit := errors.New("too many")
	_, err := w.Hosts(t.Context(), Request{Site: "example.com", Do: DoRefetch, AllowFetch: func() error { return limit }})
	if !errors.Is(err, limit) {
		t.Errorf("got %v; want %v", err, limit)
	}
}

// A text that is no longer held cannot be compared, and the check is not kept.
func TestHostsForgotten(t *testing.T) {
	w := newHostsWeb(map[string]string{bareHTTPS: "a\n", wwwHTTPS: "b\n"})
	w.Outcomes = forgetful{w}
	h := w.check(t, Request{Site: "example.com"})
	if len(h.Files) != 2 || h.Files[1].Diff != nil {
		t.Errorf("got %+v; want two files that are not compared", h.Files)
	}
	if len(w.results) != 0 {
		t.Error("the check was kept")
	}
}

type forgetful struct{ *hostsWeb }

func (forgetful) Outcome(context.Context, string) (*fetch.Outcome, error) { return nil, ErrNotFound }

func TestHostsSite(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"", "site-empty"}, {" ", "site-empty"}, {"ftp://example.com", "site-scheme"}, {"a b", "site-host"}, {"me@example.com", "site-userinfo"},
	} {
		_, err := newHostsWeb(nil).Hosts(t.Context(), Request{Site: tt.in})
		var e *Error
		if !errors.As(err, &e) || e.Kind != tt.want || e.Field != "site" {
			t.Errorf("%q: got %v; want %s of field site", tt.in, err, tt.want)
		}
	}
}
