package app

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/whichrule/whichrule/internal/fetch"
	"github.com/whichrule/whichrule/internal/obs"
	"github.com/whichrule/whichrule/internal/ratelimit"
	"github.com/whichrule/whichrule/internal/store"
	"github.com/whichrule/whichrule/internal/tester"
	"github.com/whichrule/whichrule/internal/testkit"
)

// newPoliteness gives one that counts in memory, and a way to let time pass.
func newPoliteness() (p *politeness, pass func(time.Duration)) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	p = &politeness{limiter: &ratelimit.Memory{Now: func() time.Time { return now }}, metrics: obs.NewMetrics("test")}
	return p, func(d time.Duration) { now = now.Add(d) }
}

// However eagerly a domain is asked for, no minute sees more than six fetches,
// and it is asked all the time.
func TestPolitenessInAnyMinute(t *testing.T) {
	p, pass := newPoliteness()
	var asked []time.Duration
	for at := time.Duration(0); at < 10*time.Minute; at += time.Second {
		for p.ask(t.Context(), "example.com") == nil {
			asked = append(asked, at)
		}
		pass(time.Second)
	}
	for i := range asked {
		if j := i + 6; j < len(asked) && asked[j]-asked[i] < time.Minute {
			t.Errorf("got seven fetches from %v to %v; want six in a minute at most", asked[i], asked[j])
		}
	}
	if got, want := len(asked), 3+39; got != want {
		t.Errorf("got %d fetches in ten minutes; want %d", got, want)
	}
}

// What is said of a domain that is asked too often names it, and when it works
// again; other domains have nothing to do with it.
func TestPolitenessBusy(t *testing.T) {
	p, pass := newPoliteness()
	host := func(name string) fetch.Origin { return fetch.Origin{Scheme: "https", Host: name, Port: 443} }
	for i := range domainBurst {
		for _, name := range []string{"example.co.uk", "shop.example.co.uk"} {
			for range 5 {
				if err := p.mayAsk(t.Context(), host(name)); err != nil {
					t.Fatalf("after %d fetches: got %v; want leave", i, err)
				}
			}
		}
		if err := p.ask(t.Context(), "example.co.uk"); err != nil {
			t.Fatalf("fetch %d: got %v; want leave", i+1, err)
		}
		pass(time.Second)
	}
	for what, err := range map[string]error{
		"counted":      p.ask(t.Context(), "example.co.uk"),
		"looked up":    p.mayAsk(t.Context(), host("example.co.uk")),
		"another host": p.mayAsk(t.Context(), host("www.shop.example.co.uk")),
	} {
		var busy *tester.BusyError
		if !errors.As(err, &busy) || busy.Domain != "example.co.uk" || busy.Retry != 12*time.Second {
			t.Errorf("%s: got %v; want that example.co.uk may be asked in 12 s", what, err)
		}
	}
	for _, other := range []string{"another.co.uk", "192.0.2.1", "::1"} {
		if err := p.mayAsk(t.Context(), host(other)); err != nil {
			t.Errorf("%s: got %v; want leave", other, err)
		}
	}
	pass(12 * time.Second)
	if err := p.ask(t.Context(), "example.co.uk"); err != nil {
		t.Errorf("after that time: got %v; want leave", err)
	}
}

// A fetcher that asks keeps to it: nothing leaves for a domain that is busy, and
// what an operator has opened for tests is not counted.
func TestPolitenessOfFetches(t *testing.T) {
	p, _ := newPoliteness()
	site := testkit.NewSite(t)
	allow, err := fetch.ParseAllow(site.Allow())
	if err != nil {
		t.Fatal(err)
	}
	f := fetch.New(fetch.Config{
		Ask: p.ask, Allow: allow, Timeout: time.Second,
		Resolver: testkit.Names{"www.example.com": {"8.8.8.8"}, "local.example.com": {"127.0.0.1"}},
	})
	for range 2 * domainBurst {
		o := fetch.Origin{Scheme: "http", Host: "local.example.com", Port: site.Port()}
		if out, err := f.Fetch(t.Context(), o); err != nil || out.Kind != fetch.ClientError {
			t.Fatalf("opened for tests: got %+v, %v; want a fetch", out, err)
		}
	}
	for range domainBurst {
		if err := p.ask(t.Context(), "example.com"); err != nil {
			t.Fatalf("got %v; want leave: nothing was counted yet", err)
		}
	}
	var busy *tester.BusyError
	if out, err := f.Fetch(t.Context(), fetch.Origin{Scheme: "https", Host: "www.example.com", Port: 443}); !errors.As(err, &busy) {
		t.Errorf("got %+v, %v; want that the domain is busy", out, err)
	}
}

// Over HTTP: a domain that others have used up is answered with what was fetched
// before, else with a sentence that names it. Neither costs the client a fetch.
func TestServeBusyDomain(t *testing.T) {
	redis := testkit.Redis(t)
	site, cold := testkit.NewSite(t), testkit.NewSite(t)
	site.File(rules)
	s := start(t, "WHICHRULE_REDIS_URL="+redis.URL(), "WHICHRULE_METRICS_ADDR=127.0.0.1:0", "WHICHRULE_FETCHES_PER_MINUTE=1",
		"WHICHRULE_UNSAFE_FETCH_ALLOW="+site.Allow()+","+cold.Allow())
	test := func(origin, do string) said {
		return ask(t, s.base+"/test", url.Values{"site": {origin}, "do": {do}, "format": {"json"}})
	}
	if a := test(site.Origin(), "fetch"); !strings.Contains(a.body, `"held":"",`) {
		t.Fatalf("at first: got %d %.2000s; want a report of a new fetch", a.status, a.body)
	}

	conn, err := store.Dial(redis.URL(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	others := &politeness{limiter: &ratelimit.Redis{Conn: conn, Secret: redis.URL()}}
	for others.ask(t.Context(), "127.0.0.1") == nil {
	}
	for range 2 * domainBurst {
		if a := test(site.Origin(), "refetch"); a.status != http.StatusOK || !strings.Contains(a.body, `"held":"domain"`) {
			t.Errorf("fetched before: got %d %.2000s; want a report that says so", a.status, a.body)
		}
		a := test(cold.Origin(), "fetch")
		var told struct {
			Error struct{ Kind, Message, Field string }
		}
		if err := json.Unmarshal([]byte(a.body), &told); err != nil || a.status != http.StatusTooManyRequests || told.Error.Kind != "limit-domain" || told.Error.Field != "site" || !strings.Contains(told.Error.Message, "127.0.0.1") {
			t.Errorf("not fetched before: got %d %s; want 429 that names the domain", a.status, a.body)
		}
	}
	if site.Count() != 1 || cold.Count() != 0 {
		t.Errorf("got %d and %d fetches; want 1 and none", site.Count(), cold.Count())
	}
	metrics := scrape(t, s)
	for _, want := range []string{`whichrule_rate_limited_total{limit="domain"} `, `whichrule_fetches_total{outcome="ok"} 1`, `whichrule_held_total{why="domain"} 6`} {
		if !strings.Contains(metrics, want) {
			t.Errorf("the metrics do not say %s", want)
		}
	}
	if strings.Contains(metrics, `limit="fetches"`) {
		t.Error("the client was charged for fetches that were not made")
	}
}
