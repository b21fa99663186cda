package web_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/go-chi/chi/v5"

	"github.com/whichrule/whichrule/internal/app"
	"github.com/whichrule/whichrule/internal/store"
	"github.com/whichrule/whichrule/internal/tester"
	"github.com/whichrule/whichrule/internal/testkit"
)

// BenchmarkNumbers measures what README.md tells and prints its table: `make numbers`. What is compared is measured in
// turn, in one run. Nothing fails for being slow; a wrong answer does.
func BenchmarkNumbers(b *testing.B) {
	n := &numbers{B: b, redis: testkit.Redis(b, "--maxmemory", "128mb", "--maxmemory-policy", "noeviction")}
	defer n.serve()()
	fmt.Println()
	n.row("measured "+time.Now().Format(time.DateOnly), "%s", machine())
	fmt.Println("|---|---|")
	n.computed()
	n.served()
	n.process()
}

type numbers struct {
	*testing.B
	redis   *testkit.RedisServer
	site    string     // the address of a whole site in this process
	example url.Values // the form of its first page
}

func (n *numbers) row(what, format string, args ...any) {
	fmt.Println("| " + what + " | " + fmt.Sprintf(format, args...) + " |")
}

func (n *numbers) must(err error) {
	n.Helper()
	if err != nil {
		n.Fatal(err)
	}
}

// machine says what the numbers were measured on.
func machine() string {
	cpu := runtime.GOARCH
	if info, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		if m := regexp.MustCompile(`model name\s*: (.+)`).FindSubmatch(info); m != nil {
			cpu = string(m[1])
		}
	}
	return fmt.Sprintf("%d cores, %s, %s, %s", runtime.NumCPU(), cpu, runtime.GOOS, runtime.Version())
}

// benchFile reads a file of the engine's benchmarks and the URL that goes with it.
func (n *numbers) benchFile(name string) (text, address string) {
	n.Helper()
	dir := filepath.Join("..", "internal", "robots", "testdata", "bench")
	t, err := os.ReadFile(filepath.Join(dir, name+".txt"))
	n.must(err)
	a, err := os.ReadFile(filepath.Join(dir, name+".url"))
	n.must(err)
	return string(t), strings.TrimSpace(string(a))
}

// environ is a site on a port of its own, with a Redis that counts for limits which are never reached.
func (n *numbers) environ() []string {
	return []string{
		"WHICHRULE_ADDR=127.0.0.1:0", "WHICHRULE_METRICS_ADDR=", "WHICHRULE_REDIS_URL=" + n.redis.URL(),
		"WHICHRULE_TESTS_PER_MINUTE=1000000", "WHICHRULE_SHARES_PER_MINUTE=1000000",
	}
}

// serve starts the site and reads the form of its first page as a browser would send it.
func (n *numbers) serve() (stop func()) {
	n.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	listening, done := make(chan net.Addr, 1), make(chan error, 1)
	go func() { done <- app.Serve(ctx, n.environ(), io.Discard, func(a net.Addr) { listening <- a }) }()
	select {
	case a := <-listening:
		n.site = "http://" + a.String()
	case err := <-done:
		n.Fatal(err)
	}
	page, err := goquery.NewDocumentFromReader(strings.NewReader(n.ask(http.DefaultClient, http.MethodGet, n.site+"/", "").String()))
	n.must(err)
	n.example = url.Values{}
	page.Find("textarea[name], [name=crawler][checked]").Each(func(_ int, s *goquery.Selection) {
		n.example.Add(s.AttrOr("name", ""), s.AttrOr("value", strings.TrimPrefix(s.Text(), "\n")))
	})
	if !strings.Contains(n.example.Get("robots"), "User-agent: Googlebot") {
		n.Fatalf("got the form %v; want the example", n.example)
	}
	return func() { cancel(); n.must(<-done) }
}

// computed compares a test with the round trip that would fetch its kept report from a Redis on this machine.
func (n *numbers) computed() {
	catalogue, err := loadCrawlers()
	n.must(err)
	t := &tester.Tester{Catalogue: catalogue, Now: time.Now}
	conn, err := store.Dial(n.redis.URL(), nil)
	n.must(err)
	defer conn.Close()
	ctx := context.Background()

	big, address := n.benchFile("big500k")
	var pings []time.Duration
	for _, q := range []struct {
		what string
		tester.Request
		times int
	}{
		{"the example", tester.Request{Text: []byte(n.example.Get("robots")), URLs: strings.Split(n.example.Get("url"), "\n")}, 2000},
		{"a file of 500 KB", tester.Request{Text: []byte(big), URLs: []string{address, "/", "/cart/", "/search?q=a"}}, 40},
	} {
		report, err := t.Test(ctx, q.Request)
		n.must(err)
		// Each is kept under many keys by one process and read by another, so that none is found in the reader's memory.
		writer, reader := store.NewRedis(conn, time.Now), store.NewRedis(conn, time.Now)
		for i := range q.times {
			writer.PutReport(ctx, q.what+strconv.Itoa(i), report)
		}
		var tests, reads []time.Duration
		timed := func(to *[]time.Duration, f func() error) {
			start := time.Now()
			n.must(f())
			*to = append(*to, time.Since(start))
		}
		for i := range q.times {
			timed(&tests, func() error { _, err := t.Test(ctx, q.Request); return err })
			timed(&reads, func() error { _, err := reader.Report(ctx, q.what+strconv.Itoa(i)); return err })
			timed(&pings, func() error { return conn.Ping(ctx) })
		}
		n.row(fmt.Sprintf("test of %s for %d crawlers and %d URLs, computed", q.what, len(report.Crawlers), len(report.URLs)), "%v", short(median(tests)))
		n.row("the same report fetched from a Redis on the same machine", "%v", short(median(reads)))
	}
	n.row("the least that any answer of that Redis takes (PING)", "%v", short(median(pings)))
}

// served compares the page of a pasted test, over loopback, with a bare handler that writes the same bytes.
func (n *numbers) served() {
	const (
		rounds  = 5
		round   = time.Second
		clients = 4
	)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients, DisableCompression: true}}
	body := n.example.Encode()
	sample := n.ask(client, http.MethodPost, n.site+"/test", body)
	if !strings.Contains(sample.String(), "<table") {
		n.Fatalf("got no table of verdicts: %.300s", sample)
	}
	r := chi.NewRouter()
	r.Post("/test", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		for name := range sample.header {
			w.Header().Set(name, sample.header.Get(name))
		}
		_, _ = w.Write(sample.body)
	})
	bare := httptest.NewServer(r)
	defer bare.Close()

	var took [2][]time.Duration
	for range rounds {
		for i, base := range []string{bare.URL, n.site} {
			var wg sync.WaitGroup
			var mu sync.Mutex
			end := time.Now().Add(round)
			for range clients {
				wg.Go(func() {
					var mine []time.Duration
					for time.Now().Before(end) {
						start := time.Now()
						if a := n.ask(client, http.MethodPost, base+"/test", body); a.status != http.StatusOK {
							n.Errorf("got status %d", a.status)
						}
						mine = append(mine, time.Since(start))
					}
					mu.Lock()
					defer mu.Unlock()
					took[i] = append(took[i], mine...)
				})
			}
			wg.Wait()
		}
	}
	per := func(t []time.Duration) float64 { return float64(len(t)) / (rounds * round.Seconds()) }
	for i, what := range []string{
		fmt.Sprintf("a bare chi handler that writes the bytes of such a page (%d, gzip), %d clients", len(sample.body), clients),
		"the page: the form of the example posted, tested, rendered, compressed",
	} {
		n.row(what, "%.0f/s, p50 %v, p99 %v", per(took[i]), short(percentile(took[i], 50)), short(percentile(took[i], 99)))
	}
	n.row("so the bare handler is faster by", "%.1f times", per(took[0])/per(took[1]))
}

// process measures the program as it is deployed: how soon it answers, and what memory it takes.
func (n *numbers) process() {
	program := filepath.Join(n.TempDir(), "whichrule")
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", program, "./cmd/whichrule")
	build.Dir, build.Env = "..", append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		n.Fatalf("go build: %v\n%s", err, out)
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1, DisableCompression: true}}
	var ready, tested []time.Duration
	var idle []int
	for range 7 {
		start := time.Now()
		p := n.start(program)
		if a := n.ask(client, http.MethodGet, p.base+"/readyz", ""); a.status != http.StatusOK {
			n.Fatalf("/readyz: got %d %.300s", a.status, a)
		}
		ready = append(ready, time.Since(start))
		form := url.Values{"robots": {"User-agent: *\nDisallow: /cart/\n"}, "url": {"/cart/"}}
		if a := n.ask(client, http.MethodPost, p.base+"/test", form.Encode()); !strings.Contains(a.String(), "<table") {
			n.Fatalf("/test: got %d %.300s", a.status, a)
		}
		tested = append(tested, time.Since(start))
		idle = append(idle, n.memory(p.pid, "VmRSS"))
		p.stop()
	}
	n.row("cold start, from exec to the first answer of `/readyz`", "%v", short(median(ready)))
	n.row("cold start, from exec to the first page of a pasted test", "%v", short(median(tested)))
	slices.Sort(idle)
	n.row("memory (RSS) at rest after one test", "%d MiB", idle[len(idle)/2]>>10)
	peak, answered, busy := n.hostile(program)
	n.row(fmt.Sprintf("most memory (RSS) under %d clients that send the worst files, tables and bodies", hostileClients),
		"%d MiB; %d answered, %d told to come again", peak>>10, answered, busy)
}

// hostileClients is what hard_limit in fly.toml lets in at once.
const hostileClients = 200

// hostile sends the program, for some seconds, the most expensive requests that we know, and gives the most memory it
// took, in KiB, and how many requests it answered or put off.
func (n *numbers) hostile(program string) (peak, answered, busy int) {
	const lasts = 5 * time.Second
	type request struct{ path, body string }
	var requests []request
	add := func(path string, v url.Values) { requests = append(requests, request{path, v.Encode()}) }
	for _, name := range []string{"worst", "starlines", "big500k"} {
		text, address := n.benchFile(name)
		add("/test", url.Values{"robots": {text}, "url": {address}})
		add("/test", url.Values{"robots": {text}, "url": {address}, "format": {"json"}})
		add("/share", url.Values{"robots": {text}, "url": {address}})
	}
	var crawlers, urls []string
	for i := range tester.MaxCrawlers {
		crawlers = append(crawlers, "Bot"+strconv.Itoa(i))
	}
	for i := range tester.MaxURLs {
		urls = append(urls, "/"+strconv.Itoa(i)+strings.Repeat("a", 200))
	}
	table := url.Values{"robots": {"User-agent: *\nDisallow: /*a\n"}, "crawler": {strings.Join(crawlers, "\n")}, "url": {strings.Join(urls, "\n")}}
	add("/test", table)
	add("/share", table)
	table.Set("format", "json")
	add("/test", table)
	table.Set("format", "csv")
	add("/test", table)
	add("/test", url.Values{"robots": {strings.Repeat("\x01", tester.MaxText)}})                                   // each byte sent as three
	add("/test", url.Values{"robots": {strings.Repeat("User-agent: a\n", tester.MaxText/len("User-agent: a\n"))}}) // names alone
	add("/test", url.Values{"robots": {strings.Repeat("\n", tester.MaxText)}})                                     // lines alone
	add("/test", url.Values{"robots": {strings.Repeat("a", 5<<20-100)}})                                           // more than is tested
	add("/test", url.Values{"robots": {strings.Repeat("\ufffd", tester.MaxText)}, "outcome": {"gone"}})            // as a file of no text comes back

	p := n.start(program)
	defer p.stop()
	client := &http.Client{
		Transport:     &http.Transport{MaxIdleConnsPerHost: hostileClients, DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	end := time.Now().Add(lasts)
	for i := range hostileClients {
		wg.Go(func() {
			for k := i; time.Now().Before(end); k++ {
				q := requests[k%len(requests)]
				status, err := send(client, p.base+q.path, q.body)
				mu.Lock()
				switch {
				case err != nil || status >= 500 && status != http.StatusServiceUnavailable:
					n.Errorf("%s %.60s: got %d, %v", q.path, q.body, status, err)
				case status == http.StatusServiceUnavailable:
					busy++
				default:
					answered++
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if a := n.ask(client, http.MethodGet, p.base+"/healthz", ""); a.status != http.StatusOK {
		n.Errorf("/healthz afterwards: got %d", a.status)
	}
	return n.memory(p.pid, "VmHWM"), answered, busy
}

// send posts a form and reads the answer to its end.
func send(client *http.Client, address, body string) (status int, err error) {
	resp, err := client.Post(address, "application/x-www-form-urlencoded", strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, err
}

type running struct {
	base string
	pid  int
	stop func()
}

// start runs the program and waits until it says in its log where it listens.
func (n *numbers) start(program string) running {
	n.Helper()
	cmd := exec.Command(program)
	cmd.Env = n.environ()
	log, err := cmd.StderrPipe()
	n.must(err)
	n.must(cmd.Start())
	lines := bufio.NewReader(log)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			n.Fatalf("the program ended: %v", cmd.Wait())
		}
		var entry struct{ Msg, Addr string }
		if json.Unmarshal(line, &entry) == nil && entry.Msg == "serving" {
			go func() { _, _ = io.Copy(io.Discard, lines) }()
			return running{"http://" + entry.Addr, cmd.Process.Pid, func() {
				_ = cmd.Process.Signal(syscall.SIGKILL)
				_ = cmd.Wait()
			}}
		}
	}
}

// memory gives a line of the process's status in /proc, in KiB.
func (n *numbers) memory(pid int, name string) int {
	n.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	n.must(err)
	m := regexp.MustCompile(name + `:\s+(\d+) kB`).FindSubmatch(status)
	if m == nil {
		n.Fatalf("no %s in\n%s", name, status)
	}
	kib, err := strconv.Atoi(string(m[1]))
	n.must(err)
	return kib
}

type answer struct {
	status int
	header http.Header
	body   []byte // as sent
}

// ask sends what a browser would.
func (n *numbers) ask(client *http.Client, method, address, body string) answer {
	req, err := http.NewRequest(method, address, strings.NewReader(body))
	if err != nil {
		n.Error(err)
		return answer{}
	}
	req.Header.Set("Accept-Encoding", "gzip")
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	resp, err := client.Do(req)
	if err != nil {
		n.Error(err)
		return answer{}
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		n.Error(err)
	}
	return answer{status: resp.StatusCode, header: resp.Header, body: b}
}

func (a answer) String() string {
	if a.header.Get("Content-Encoding") != "gzip" {
		return string(a.body)
	}
	z, err := gzip.NewReader(bytes.NewReader(a.body))
	if err != nil {
		return err.Error()
	}
	b, err := io.ReadAll(z)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func median(d []time.Duration) time.Duration { return percentile(d, 50) }

func percentile(d []time.Duration, p int) time.Duration {
	s := slices.Sorted(slices.Values(d))
	return s[(len(s)-1)*p/100]
}

// short drops digits that mean nothing.
func short(d time.Duration) time.Duration {
	switch {
	case d < time.Millisecond:
		return d.Round(time.Microsecond)
	case d < 100*time.Millisecond:
		return d.Round(10 * time.Microsecond)
	}
	return d.Round(time.Millisecond)
}
