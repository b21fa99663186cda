package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"

	"code.dny.dev/ssrf"
	"github.com/google/go-cmp/cmp"

	"github.com/whichrule/whichrule/internal/testkit"
)

// asks remembers what it is asked, and forbids some domains.
type asks struct {
	mu      sync.Mutex
	domains []string
	no      []string
}

var errNotNow = errors.New("not now")

func (a *asks) ask(_ context.Context, domain string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.domains = append(a.domains, domain)
	if slices.Contains(a.no, domain) {
		return errNotNow
	}
	return nil
}

// publicFetcher gives a fetcher to which the site is one like any other: reachable, but not by the allow list.
func publicFetcher(t *testing.T, c Config, s *testkit.Site) *Fetcher {
	t.Helper()
	allow, err := ParseAllow(fmt.Sprintf("127.255.0.1:%d", s.Port())) // the port alone
	if err != nil {
		t.Fatal(err)
	}
	c.Allow = allow
	f := New(c)
	f.guard.policy = ssrf.New(ssrf.WithAnyPort(), ssrf.WithAllowedV4Prefixes(netip.MustParsePrefix("127.0.0.1/32")))
	return f
}

func TestFetchAsks(t *testing.T) {
	s := testkit.NewSite(t)
	names := testkit.Names{}
	for _, n := range []string{"shop.example.com", "www.example.com", "example.org", "me.github.io", "example.co.uk", "com", "intranet"} {
		names[n] = []string{"127.0.0.1"}
	}
	names["private.example.net"] = []string{"10.0.0.1"}
	at := func(host string) string { return fmt.Sprintf("http://%s:%d", host, s.Port()) }
	// Each host redirects to the next.
	tests := []struct {
		name  string
		hosts []string
		no    string
		want  []string
		hops  int // 0: ended by the hook
	}{
		{"the registrable domain", []string{"shop.example.com"}, "", []string{"example.com"}, 1},
		{"a public suffix of two labels", []string{"example.co.uk"}, "", []string{"example.co.uk"}, 1},
		{"a public suffix of a host of sites", []string{"me.github.io"}, "", []string{"me.github.io"}, 1},
		{"a public suffix itself", []string{"com"}, "", []string{"com"}, 1},
		{"a name without a dot", []string{"intranet"}, "", []string{"intranet"}, 1},
		{"an address", []string{"127.0.0.1"}, "", []string{"127.0.0.1"}, 1},
		{"a redirect within the domain", []string{"shop.example.com", "www.example.com"}, "", []string{"example.com"}, 2},
		{"a redirect into another", []string{"www.example.com", "example.org", "shop.example.com"}, "", []string{"example.com", "example.org"}, 3},
		{"no", []string{"www.example.com"}, "example.com", []string{"example.com"}, 0},
		{"no, after a redirect", []string{"www.example.com", "example.org"}, "example.org", []string{"example.com", "example.org"}, 0},
		{"a name without an address", []string{"missing.example.com"}, "", nil, 1},
		{"an address that is refused", []string{"private.example.net"}, "", nil, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s.Serve(func(w http.ResponseWriter, r *http.Request) {
				host, _, _ := strings.Cut(r.Host, ":")
				if i := slices.Index(tt.hosts, host); i+1 < len(tt.hosts) {
					testkit.Redirect(302, at(tt.hosts[i+1])+"/robots.txt")(w, r)
					return
				}
				testkit.File(file)(w, r)
			})
			a := &asks{no: []string{tt.no}}
			out, err := publicFetcher(t, Config{Resolver: names, Ask: a.ask}, s).Fetch(t.Context(), originAt(t, at(tt.hosts[0])))
			if diff := cmp.Diff(tt.want, a.domains); diff != "" {
				t.Errorf("domains asked about (-want +got):\n%s", diff)
			}
			if tt.hops == 0 {
				if out != nil || !errors.Is(err, errNotNow) {
					t.Errorf("got %v, %v; want no outcome, %v", out, err, errNotNow)
				}
				return
			}
			if err != nil || len(out.Hops) != tt.hops {
				t.Errorf("got %+v, %v; want %d hops", out, err, tt.hops)
			}
		})
	}
}

func TestFetchAsksNotWhatIsAllowed(t *testing.T) {
	s := testkit.NewSite(t)
	s.File(file)
	a := &asks{no: []string{"127.0.0.1"}}
	if out, err := fetcherFor(t, Config{Ask: a.ask}, s).Fetch(t.Context(), originAt(t, s.Origin())); err != nil || out.Kind != OK || len(a.domains) != 0 {
		t.Errorf("got %v, %v, asked about %q; want ok, nothing", out, err, a.domains)
	}
}

func TestTogether(t *testing.T) {
	s := testkit.NewSite(t)
	s.File(file)
	names := testkit.Names{"example.com": {"127.0.0.1"}, "www.example.com": {"127.0.0.1"}, "example.org": {"127.0.0.1"}}
	for _, no := range []string{"", "example.com"} {
		a := &asks{no: []string{no}}
		f := publicFetcher(t, Config{Resolver: names, Ask: a.ask}, s)
		ctx := Together(t.Context())
		var wg sync.WaitGroup
		for _, host := range []string{"example.com", "www.example.com", "example.com", "example.org"} {
			wg.Go(func() {
				_, err := f.Fetch(ctx, origin("http", host, s.Port()))
				if forbidden := no != "" && host != "example.org"; errors.Is(err, errNotNow) != forbidden {
					t.Errorf("%s with %q forbidden: got error %v", host, no, err)
				}
			})
		}
		wg.Wait()
		slices.Sort(a.domains)
		if diff := cmp.Diff([]string{"example.com", "example.org"}, a.domains); diff != "" {
			t.Errorf("domains asked about with %q forbidden (-want +got):\n%s", no, diff)
		}
	}
}
