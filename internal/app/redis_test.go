package app

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"github.com/whichrule/whichrule/internal/testkit"
)

// A test whose verdicts are known.
const (
	rules    = "User-agent: *\nDisallow: /a\n\nUser-agent: bingbot\nDisallow: /\nAllow: /a\n"
	verdicts = "url,matched_url,crawler,verdict,line,rule,group,reason\n" +
		"/a,/a,Googlebot,blocked,2,Disallow: /a,*,longest-rule\n" +
		"/a,/a,bingbot,allowed,6,Allow: /a,bingbot,longest-rule\n" +
		"/b,/b,Googlebot,allowed,0,,*,no-rule-matches\n" +
		"/b,/b,bingbot,blocked,5,Disallow: /,bingbot,longest-rule\n"
)

// pasted is the form of that test.
func pasted(more ...string) url.Values {
	v := url.Values{"robots": {rules}, "crawler": {"Googlebot", "bingbot"}, "url": {"/a\n/b"}}
	for i := 0; i < len(more); i += 2 {
		v.Set(more[i], more[i+1])
	}
	return v
}

// startOn starts a server on a Redis. Clients are counted and may do a lot.
func startOn(t *testing.T, redisURL string, settings ...string) *running {
	t.Helper()
	return start(t, append(settings, "WHICHRULE_REDIS_URL="+redisURL, "WHICHRULE_METRICS_ADDR=127.0.0.1:0",
		"WHICHRULE_TESTS_PER_MINUTE=1000000", "WHICHRULE_FETCHES_PER_MINUTE=1000000", "WHICHRULE_SHARES_PER_MINUTE=1000000")...)
}

// said is what a server says to one request, and after what time.
type said struct {
	status int
	body   string
	took   time.Duration
}

// ask sends a form, or gets an address when there is none. It may run beside the test.
func ask(t *testing.T, address string, form url.Values) said {
	t.Helper()
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	begin := time.Now()
	var resp *http.Response
	var err error
	if form == nil {
		resp, err = client.Get(address)
	} else {
		resp, err = client.PostForm(address, form)
	}
	if err != nil {
		t.Error(err)
		return said{}
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	return said{resp.StatusCode, string(body), time.Since(begin)}
}

// paste tests the text many times, some at once, and wants no other answer than the right one.
func paste(t *testing.T, bases ...string) {
	t.Helper()
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for range 10 {
				a := ask(t, bases[i%len(bases)]+"/test", pasted("format", "csv"))
				if a.status != http.StatusOK || a.body != verdicts {
					t.Errorf("a pasted text: got %d %q; want 200 and its verdicts", a.status, a.body)
				}
			}
		})
	}
	wg.Wait()
}

// share shares the test and gives its id. On a busy machine Redis can seem too slow: then it tries again, as people are
// told to.
func share(t *testing.T, base string) (id string) {
	t.Helper()
	var a said
	eventually(t, "it can be shared", func() bool {
		a = ask(t, base+"/share", pasted("format", "json"))
		return a.status != http.StatusServiceUnavailable
	})
	var made struct{ ID string }
	if err := json.Unmarshal([]byte(a.body), &made); err != nil || a.status != http.StatusCreated {
		t.Fatalf("share: got %d %s; want a share", a.status, a.body)
	}
	return made.ID
}

// opens wants a share to hold its verdicts. It tries again as share does.
func opens(t *testing.T, base, id string) {
	t.Helper()
	var a said
	eventually(t, "a share opens", func() bool {
		a = ask(t, base+"/r/"+id+".csv", nil)
		return a.status != http.StatusServiceUnavailable
	})
	if a.status != http.StatusOK || a.body != verdicts {
		t.Errorf("the share %s: got %d %q; want 200 and its verdicts", id, a.status, a.body)
	}
}

// scrape gives the metrics of a server.
func scrape(t *testing.T, s *running) string {
	t.Helper()
	return ask(t, "http://"+s.log.find(t, "serving").Metrics+"/metrics", nil).body
}

// eventually asks until the answer is yes.
func eventually(t *testing.T, what string, yes func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !yes(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain until %s", what)
		}
	}
}

// world is a server whose way to Redis can fail.
type world struct {
	*running
	redis *testkit.RedisServer
	relay *testkit.Relay
	site  *testkit.Site
	id    string // of a share
}

func newWorld(t *testing.T) *world {
	// Killed, it is to find its shares again.
	redis := testkit.Redis(t, "--appendonly", "yes")
	relay := testkit.NewRelay(t, redis.Addr())
	site := testkit.NewSite(t)
	site.File(rules)
	w := &world{
		running: startOn(t, "redis://"+relay.Addr(), "WHICHRULE_UNSAFE_FETCH_ALLOW=127.0.0.1"),
		redis:   redis, relay: relay, site: site,
	}
	w.id = share(t, w.base)
	return w
}

// works says whether everything goes well.
func (w *world) works(t *testing.T) bool {
	return strings.Contains(ask(t, w.base+"/readyz", nil).body, "redis: up") &&
		ask(t, w.base+"/r/"+w.id, nil).status == http.StatusOK &&
		ask(t, w.base+"/share", pasted("format", "json")).status == http.StatusCreated
}

// change puts something else in the place of all that Redis holds, and restore puts it back.
func (w *world) change(command string, args ...string) {
	const script = `
for _, key in ipairs(redis.call('KEYS', 'whichrule:*')) do
	redis.call('RENAME', key, 'was:' .. key)
	redis.call(ARGV[1], key, unpack(ARGV, 2))
end`
	w.redis.Command(append([]string{"EVAL", script, "0", command}, args...)...)
}

func (w *world) restore() {
	const script = `
for _, key in ipairs(redis.call('KEYS', 'was:*')) do
	redis.call('RENAME', key, string.sub(key, #'was:' + 1))
end`
	w.redis.Command("EVAL", script, "0")
}

// fault is something that happens to Redis.
type fault struct {
	name  string
	cause func(*world)
	mend  func(*world)
	// What to expect of it: what /readyz says, the kind of the error of who shares ("" for none) and the sentence of
	// the page, the status of a share made before, and a line of the metrics.
	ready, kind, sentence string
	view                  int
	metric                string
}

// either is the kind of an error that may or may not come, and a status like it.
const (
	either       = "either"
	eitherStatus = -1
)

const (
	down        = "redis: down"
	up          = "redis: up"
	unavailable = "No link can be made right now"
	noRoom      = "There is no room for another shared result right now"
)

var faults = []fault{
	{
		"refused", func(w *world) { w.relay.Refuse() }, func(w *world) { w.relay.Pass() },
		down, "store-unavailable", unavailable, http.StatusServiceUnavailable, `{result="open",use="limit"}`,
	},
	{
		"hung", func(w *world) { w.relay.Hang() }, func(w *world) { w.relay.Pass() },
		down, "store-unavailable", unavailable, http.StatusServiceUnavailable, `{result="timeout",use="limit"}`,
	},
	{
		"killed", func(w *world) { w.redis.Kill() }, func(w *world) { w.redis.Start() },
		down, "store-unavailable", unavailable, http.StatusServiceUnavailable, `{result="error",use="limit"}`,
	},
	{
		"full", func(w *world) { w.redis.Command("CONFIG", "SET", "maxmemory", "1") },
		func(w *world) { w.redis.Command("CONFIG", "SET", "maxmemory", "0") },
		up, "store-full", noRoom, http.StatusOK, `{result="full",use="share"}`,
	},
	{
		"slow", func(w *world) { w.relay.Delay(100 * time.Millisecond) }, func(w *world) { w.relay.Pass() },
		down, either, unavailable, eitherStatus, `{result="timeout",use="limit"}`,
	},
	{
		"keys of a wrong type", func(w *world) { w.change("RPUSH", "1", "2") }, (*world).restore,
		up, "", "", http.StatusNotFound, `{result="error",use="origin"}`,
	},
	{
		"values of another version", func(w *world) { w.change("SET", "\x09another") }, (*world).restore,
		up, "", "", http.StatusNotFound, `{result="ok",use="limit"}`,
	},
}

// Whatever happens to Redis, tests are answered, pages are hardly slower, whoever shares is told and loses nothing, and
// it all shows in /readyz and the metrics. Afterwards everything is as before.
func TestRedisFaults(t *testing.T) {
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			w := newWorld(t)
			w.measure(t, f)

			paste(t, w.base)
			if a := ask(t, w.base+"/readyz", nil); a.status != http.StatusOK || !strings.Contains(a.body, f.ready) {
				t.Errorf("/readyz: got %d %q; want 200 and %q", a.status, a.body, f.ready)
			}
			if a := ask(t, w.base+"/r/"+w.id, nil); a.status != f.view && f.view != eitherStatus {
				t.Errorf("the share: got %d; want %d", a.status, f.view)
			}
			w.wantShare(t, f)
			metrics := scrape(t, w.running)
			if !strings.Contains(metrics, "whichrule_redis_calls_total"+f.metric) {
				t.Errorf("no %s among the calls of Redis", f.metric)
			}
			if want := map[string]string{down: "\nwhichrule_redis_up 0\n", up: "\nwhichrule_redis_up 1\n"}[f.ready]; !strings.Contains(metrics, want) && f.kind != either {
				t.Errorf("the metrics do not say %q", want)
			}

			f.mend(w)
			eventually(t, "everything works again", func() bool { return w.works(t) })
			opens(t, w.base, w.id)
			paste(t, w.base)
		})
	}
}

// added is the most that a fault of Redis may add to the time of a page.
const added = 150 * time.Millisecond

// measure lets the fault happen and compares pages with what they took before. The first after it cost the most, so
// the slower of two counts. A busy machine can make any page late: then the fault is mended and tried again, and the
// best of a few tries counts. What is too slow by itself is so each time.
func (w *world) measure(t *testing.T, f fault) {
	t.Helper()
	origin := url.QueryEscape(w.site.Origin())
	const right = ",bingbot,allowed,6,"
	pages := []struct {
		name, path string
		form       url.Values
		want       string // in the page
	}{
		// The one that asks Redis most comes first, before the breaker opens; each time of another site.
		{"a file that nobody has", "/test", nil, right},
		{"a pasted text", "/test", pasted("format", "csv"), right},
		{"a fetched file", "/?format=csv&url=/a&crawler=bingbot&site=" + origin, nil, right},
		{"a share", "/r/" + w.id, nil, ""},
		{"sharing", "/share", pasted("format", "json"), ""},
	}
	form := func(page int) url.Values {
		if page > 0 {
			return pages[page].form
		}
		site := testkit.NewSite(t)
		site.File(rules)
		return pasted("format", "csv", "site", site.Origin(), "do", "fetch")
	}
	before, more := make([]time.Duration, len(pages)), make([]time.Duration, len(pages))
	for i, p := range pages {
		var took []time.Duration
		for range 9 {
			took = append(took, ask(t, w.base+p.path, form(i)).took)
		}
		slices.Sort(took)
		before[i], more[i] = took[len(took)/2], time.Hour
	}
	const tries = 5
	for try := 1; ; try++ {
		f.cause(w)
		worst := make([]time.Duration, len(pages))
		for range 2 {
			for i, p := range pages {
				a := ask(t, w.base+p.path, form(i))
				worst[i] = max(worst[i], a.took-before[i])
				if !strings.Contains(a.body, p.want) {
					t.Errorf("%s: got %d %q; want %q in it", p.name, a.status, a.body, p.want)
				}
			}
		}
		for i := range pages {
			more[i] = min(more[i], worst[i])
		}
		if most := slices.Max(more); most <= added || try == tries {
			which := pages[slices.Index(more, most)].name
			t.Logf("at most %v more, for %s (try %d)", most.Round(100*time.Microsecond), which, try)
			if most > added {
				t.Errorf("%s: got %v more than before; want at most %v", which, most, added)
			}
			return
		}
		f.mend(w)
		eventually(t, "everything works again", func() bool { return w.works(t) })
	}
}

// wantShare wants who shares during a fault to be told, or to have a share, and to lose nothing.
func (w *world) wantShare(t *testing.T, f fault) {
	t.Helper()
	a := ask(t, w.base+"/share", pasted("format", "json"))
	if f.kind == "" || f.kind == either && a.status == http.StatusCreated {
		if a.status != http.StatusCreated {
			t.Errorf("sharing: got %d %s; want a share", a.status, a.body)
		}
		return
	}
	var told struct {
		Error struct{ Kind, Message string }
	}
	err := json.Unmarshal([]byte(a.body), &told)
	if err != nil || a.status != http.StatusServiceUnavailable || told.Error.Kind != f.kind && f.kind != either || !strings.Contains(told.Error.Message, f.sentence) {
		t.Errorf("sharing as JSON: got %d %s; want 503, %s, %q", a.status, a.body, f.kind, f.sentence)
	}

	a = ask(t, w.base+"/share", pasted())
	if f.kind == either && a.status == http.StatusSeeOther {
		return
	}
	page, err := goquery.NewDocumentFromReader(strings.NewReader(a.body))
	if err != nil || a.status != http.StatusServiceUnavailable || !strings.Contains(page.Find("main").Text(), f.sentence) {
		t.Errorf("sharing on the page: got %d, %v; want 503 and %q", a.status, err, f.sentence)
	}
	var crawlers []string
	page.Find("form#tester input[name=crawler][checked]").Each(func(_ int, s *goquery.Selection) { crawlers = append(crawlers, s.AttrOr("value", "")) })
	got := fmt.Sprintf("%q %q %q", page.Find("textarea#robots").Text(), page.Find("textarea[name=url]").Text(), crawlers)
	if want := fmt.Sprintf("%q %q %q", rules, "/a\n/b", []string{"Googlebot", "bingbot"}); got != want {
		t.Errorf("the form: got %s; want %s", got, want)
	}
}

// Redis is killed and comes back while people work: no test of a text fails, and what was shared before is there.
func TestRedisKilledUnderLoad(t *testing.T) {
	w := newWorld(t)
	other := startOn(t, w.redis.URL()) // without a relay between
	const workers = 8
	var done atomic.Int64
	var wg sync.WaitGroup
	stop := make(chan bool)
	for i := range workers {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				a := ask(t, []string{w.base, other.base}[i%2]+"/test", pasted("format", "csv"))
				if a.status != http.StatusOK || a.body != verdicts {
					t.Errorf("a pasted text: got %d %q; want 200 and its verdicts", a.status, a.body)
				}
				done.Add(1)
			}
		})
	}
	// more waits until that many more tests are done.
	more := func(n int64) {
		n += done.Load()
		eventually(t, "tests are answered", func() bool { return done.Load() >= n })
	}
	more(200)
	w.redis.Kill()
	more(400)
	w.redis.Start()
	more(200)
	eventually(t, "everything works again", func() bool { return w.works(t) })
	more(200)
	close(stop)
	wg.Wait()
	opens(t, w.base, w.id)
	eventually(t, "the other works again", func() bool {
		return ask(t, other.base+"/r/"+w.id+".csv", nil).status == http.StatusOK
	})
	opens(t, other.base, w.id)
}

// What was shared outlives a crash of Redis and the end of every instance.
func TestSharesLast(t *testing.T) {
	redis := testkit.Redis(t, "--appendonly", "yes", "--appendfsync", "everysec")
	a := startOn(t, redis.URL())
	var ids []string
	for range 20 {
		ids = append(ids, share(t, a.base))
	}
	eventually(t, "the file has it all", func() bool {
		info := redis.Command("INFO", "persistence")
		return strings.Contains(info, "aof_buffer_length:0\r") && strings.Contains(info, "aof_pending_bio_fsync:0\r")
	})
	redis.Kill()
	a.stop()
	if err := <-a.done; err != nil {
		t.Errorf("Serve: got %v; want nil", err)
	}
	redis.Start()
	b := startOn(t, redis.URL())
	for _, id := range ids {
		opens(t, b.base, id)
	}
}

// Instances on one Redis are one site.
func TestInstances(t *testing.T) {
	redis := testkit.Redis(t)
	site := testkit.NewSite(t)
	allow := "WHICHRULE_UNSAFE_FETCH_ALLOW=" + site.Allow()
	a, b := startOn(t, redis.URL(), allow), startOn(t, redis.URL(), allow)

	t.Run("shares", func(t *testing.T) {
		made := ask(t, a.base+"/share", pasted("format", "json"))
		var s struct {
			ID     string
			Delete string `json:"delete_url"`
		}
		if err := json.Unmarshal([]byte(made.body), &s); err != nil {
			t.Fatalf("share: got %d %s", made.status, made.body)
		}
		opens(t, b.base, s.ID)
		_, token, _ := strings.Cut(s.Delete, "?token=")
		if got := ask(t, b.base+"/r/"+s.ID+"/delete", url.Values{"token": {token}}); got.status >= http.StatusBadRequest {
			t.Errorf("delete on the other: got %d", got.status)
		}
		if got := ask(t, a.base+"/r/"+s.ID, nil); got.status != http.StatusGone {
			t.Errorf("deleted on the other: got %d; want 410", got.status)
		}
	})

	t.Run("outcomes", func(t *testing.T) {
		site.File(rules)
		got := ask(t, a.base+"/?site="+url.QueryEscape(site.Origin()), nil)
		page, err := goquery.NewDocumentFromReader(strings.NewReader(got.body))
		if err != nil {
			t.Fatal(err)
		}
		id := page.Find("input[name=outcome]").AttrOr("value", "")
		if id == "" {
			t.Fatal("the page names no outcome")
		}
		got = ask(t, b.base+"/test", pasted("format", "json", "site", site.Origin(), "outcome", id))
		var report struct{ Source struct{ Kind string } }
		if err := json.Unmarshal([]byte(got.body), &report); err != nil || report.Source.Kind != "fetch" {
			t.Errorf("the text of an outcome of the other: got %q, %v; want it to be known as fetched", report.Source.Kind, err)
		}
		if got := site.Count(); got != 1 {
			t.Errorf("got %d fetches; want 1", got)
		}
	})
}

// crowd is how many ask for one site, and atOnce how many of them at any moment:
// the first of them while the fetch is under way, few enough for a machine of two
// cores that has the race detector to carry as well.
const (
	crowd  = 1000
	atOnce = 250
)

// crowds has many ask the servers for one site, and wants a right answer for
// each.
func crowds(t *testing.T, site *testkit.Site, bases ...string) {
	t.Helper()
	address := "/?format=csv&url=/a&crawler=Googlebot&site=" + url.QueryEscape(site.Origin())
	var wg sync.WaitGroup
	room := make(chan bool, atOnce)
	for i := range crowd {
		room <- true
		wg.Go(func() {
			defer func() { <-room }()
			got := ask(t, bases[i%len(bases)]+address, nil)
			if got.status != http.StatusOK || !strings.Contains(got.body, ",Googlebot,blocked,2,") {
				t.Errorf("got %d %q; want its verdict", got.status, got.body)
			}
		})
	}
	wg.Wait()
}

// slowSite is a site that takes a moment, so that most come while a fetch of it
// is under way.
func slowSite(t *testing.T) *testkit.Site {
	site := testkit.NewSite(t)
	site.Serve(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(300 * time.Millisecond)
		testkit.File(rules)(w, r)
	})
	return site
}

// unlimited settings let a test ask for as much as it wants.
func unlimited(site *testkit.Site) []string {
	return []string{"WHICHRULE_UNSAFE_FETCH_ALLOW=" + site.Allow(), "WHICHRULE_TESTS_PER_MINUTE=0", "WHICHRULE_FETCHES_PER_MINUTE=0"}
}

// A crowd that asks one server about one site costs that site one request.
func TestCrowd(t *testing.T) {
	site := slowSite(t)
	crowds(t, site, start(t, unlimited(site)...).base)
	if got := site.Count(); got != 1 {
		t.Errorf("got %d fetches; want 1", got)
	}
}

// A crowd that asks two instances about one site costs it one request. Where a machine is too busy for Redis to answer
// in time, it is one for each instance: then another site is tried.
func TestCrowdOfInstances(t *testing.T) {
	redis := testkit.Redis(t)
	for try := 1; ; try++ {
		site := slowSite(t)
		bases := []string{startOn(t, redis.URL(), unlimited(site)...).base, startOn(t, redis.URL(), unlimited(site)...).base}
		crowds(t, site, bases...)
		switch got := site.Count(); {
		case got == 1:
			return
		case got > len(bases) || try == 5:
			t.Fatalf("got %d fetches (try %d); want 1", got, try)
		}
		t.Logf("got %d fetches (try %d)", site.Count(), try)
	}
}

// Redis is killed while a crowd waits for a fetch, stays away for the rest of it, and comes back with nothing for
// another: every answer is right, and all that is lost are cache hits. Until it is back each instance fetches once at
// most, and then they do once more together, or each by itself where Redis is too slow.
func TestCrowdRedisKilled(t *testing.T) {
	redis := testkit.Redis(t)
	site := testkit.NewSite(t)
	asked, killed := make(chan bool, crowd), make(chan bool)
	site.Serve(func(w http.ResponseWriter, r *http.Request) {
		asked <- true
		<-killed
		testkit.File(rules)(w, r)
	})
	a, b := startOn(t, redis.URL(), unlimited(site)...), startOn(t, redis.URL(), unlimited(site)...)
	bases := []string{a.base, b.base}
	go func() {
		<-asked
		redis.Kill()
		close(killed)
	}()
	crowds(t, site, bases...)
	away := site.Count()
	if away < 1 || away > len(bases) {
		t.Errorf("without Redis: got %d fetches; want one for each of %d instances at most", away, len(bases))
	}
	redis.Start()
	for _, s := range []*running{a, b} {
		eventually(t, "Redis is used again", func() bool {
			return strings.Contains(ask(t, s.base+"/readyz", nil).body, up)
		})
	}
	crowds(t, site, bases...)
	if got := site.Count() - away; got > len(bases) {
		t.Errorf("with an empty Redis: got %d fetches more; want one for each of %d instances at most", got, len(bases))
	}
	t.Logf("%d fetches without Redis, %d in all, for %d answers", away, site.Count(), 2*crowd)
}

// Instances on one Redis count a client together, and each by itself when Redis is gone.
func TestInstancesLimit(t *testing.T) {
	redis := testkit.Redis(t)
	const least = "WHICHRULE_TESTS_PER_MINUTE=1" // five at once
	bases := []string{startOn(t, redis.URL(), least).base, startOn(t, redis.URL(), least).base}
	answered := func() (n int) {
		for i := range 20 {
			switch a := ask(t, bases[i%2]+"/test", pasted("format", "csv")); a.status {
			case http.StatusOK:
				n++
			case http.StatusTooManyRequests:
			default:
				t.Errorf("got %d; want 200 or 429", a.status)
			}
		}
		return n
	}
	if got := answered(); got != 5 {
		t.Errorf("got %d of 20; want 5", got)
	}
	redis.Kill()
	if got := answered(); got != 10 {
		t.Errorf("without Redis: got %d of 20; want 5 of each", got)
	}
}
