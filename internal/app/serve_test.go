package app

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/whichrule/whichrule/internal/testkit"
)

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

// entry is a line of the log.
type entry struct{ Level, Msg, Addr, Metrics, Allowed string }

func (j *journal) entries(t *testing.T) []entry {
	t.Helper()
	var all []entry
	for line := range strings.Lines(j.String()) {
		var e entry
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("no JSON in the log: %v\n%s", err, line)
		}
		all = append(all, e)
	}
	return all
}

// find gives the first line of the log with that message.
func (j *journal) find(t *testing.T, msg string) entry {
	t.Helper()
	for _, e := range j.entries(t) {
		if strings.Contains(e.Msg, msg) {
			return e
		}
	}
	t.Fatalf("nothing in the log says %q:\n%s", msg, j)
	return entry{}
}

// running is a server under test.
type running struct {
	base string
	log  *journal
	stop context.CancelFunc
	done chan error // what Serve gave
}

// start serves on a free port until the test ends.
func start(t *testing.T, settings ...string) *running {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	s := &running{log: &journal{}, stop: stop, done: make(chan error, 1)}
	listening := make(chan net.Addr, 1)
	settings = append(settings, "WHICHRULE_ADDR=127.0.0.1:0", "WHICHRULE_METRICS_ADDR=", "PATH=/bin")
	go func() { s.done <- Serve(ctx, settings, s.log, func(a net.Addr) { listening <- a }) }()
	select {
	case a := <-listening:
		s.base = "http://" + a.String()
	case err := <-s.done:
		t.Fatalf("Serve: %v", err)
	}
	t.Cleanup(stop)
	return s
}

// get asks, on a connection of its own; status 0 when nobody answers.
func get(t *testing.T, address string) (status int, body string) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Get(address)
	if err != nil {
		return 0, ""
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

// The whole program answers, and stops when it is told to.
func TestServe(t *testing.T) {
	s := start(t)
	for path, want := range map[string]string{"/": "<!doctype html>", "/healthz": "ok\n", "/readyz": "ready\n", "/robots.txt": "User-agent: *\n"} {
		status, body := get(t, s.base+path)
		if status != http.StatusOK || !strings.HasPrefix(body, want) {
			t.Errorf("%s: got %d %.60q; want 200 and %q", path, status, body, want)
		}
	}
	if got := s.log.find(t, "serving"); got.Addr != strings.TrimPrefix(s.base, "http://") || got.Metrics != "" {
		t.Errorf("got %+v; want the address %s and no metrics", got, s.base)
	}
	s.log.find(t, "shared links last until this process ends")
	s.stop()
	if err := <-s.done; err != nil {
		t.Errorf("Serve: got %v; want nil", err)
	}
	if status, _ := get(t, s.base+"/healthz"); status != 0 {
		t.Errorf("after the end: got %d; want no answer", status)
	}
	s.log.find(t, "stopped")
}

// While the server drains it says so at /readyz and still answers; a request
// under way is answered to its end.
func TestDrain(t *testing.T) {
	site := testkit.NewSite(t)
	asked, answer := make(chan bool, 1), make(chan bool)
	site.Serve(func(w http.ResponseWriter, r *http.Request) {
		asked <- true
		<-answer
		testkit.File("User-agent: *\nDisallow: /a\n")(w, r)
	})
	s := start(t, "WHICHRULE_UNSAFE_FETCH_ALLOW="+site.Allow())
	if got := s.log.find(t, "UNSAFE"); got.Level != "WARN" || got.Allowed != site.Allow() {
		t.Errorf("got %+v; want a warning that names %s", got, site.Allow())
	}

	type reply struct {
		status int
		body   string
	}
	replies := make(chan reply, 1)
	go func() {
		status, body := get(t, s.base+"/?format=csv&url=/a&crawler=bingbot&site="+url.QueryEscape(site.Origin()))
		replies <- reply{status, body}
	}()
	<-asked
	s.stop()
	for {
		status, body := get(t, s.base+"/readyz")
		if status == http.StatusServiceUnavailable {
			if body != "starting or draining\n" {
				t.Errorf("got %q; want it to say that it drains", body)
			}
			break
		}
		if status != http.StatusOK {
			t.Fatalf("/readyz: got %d; want 503 while it drains", status)
		}
	}
	if status, _ := get(t, s.base+"/about"); status != http.StatusOK {
		t.Errorf("while it drains: got %d; want 200 for who still comes", status)
	}
	select {
	case err := <-s.done:
		t.Fatalf("Serve ended (%v) before the request under way", err)
	default:
	}
	close(answer)
	if got := <-replies; got.status != http.StatusOK || !strings.Contains(got.body, ",bingbot,blocked,2,") {
		t.Errorf("the request under way: got %d %q; want its result", got.status, got.body)
	}
	if err := <-s.done; err != nil {
		t.Errorf("Serve: got %v; want nil", err)
	}
}

// Metrics are served beside the site, on a listener of their own.
func TestServeMetrics(t *testing.T) {
	s := start(t, "WHICHRULE_METRICS_ADDR=127.0.0.1:0")
	metrics := "http://" + s.log.find(t, "serving").Metrics
	get(t, s.base+"/about")
	status, body := get(t, metrics+"/metrics")
	if status != http.StatusOK || !strings.Contains(body, `whichrule_requests_total{method="GET",route="/about",status="2xx"} 1`) {
		t.Errorf("got %d; want the request for /about counted", status)
	}
	if status, _ := get(t, s.base+"/metrics"); status != http.StatusNotFound {
		t.Errorf("on the site itself: got %d; want 404", status)
	}
	s.stop()
	if err := <-s.done; err != nil {
		t.Errorf("Serve: got %v; want nil", err)
	}
	if status, _ := get(t, metrics+"/metrics"); status != 0 {
		t.Errorf("after the end: got %d; want no answer", status)
	}
}

// Settings reach what they are for.
func TestServeSettings(t *testing.T) {
	s := start(t, "WHICHRULE_BASE_URL=https://whichrule.example", "WHICHRULE_CONTACT=robots@whichrule.example",
		"WHICHRULE_CLIENT_IP_HEADER=X-Client", "WHICHRULE_TESTS_PER_MINUTE=1")
	if _, body := get(t, s.base+"/robots.txt"); !strings.Contains(body, "Sitemap: https://whichrule.example/sitemap.xml") {
		t.Errorf("got %q; want links that begin with the base URL", body)
	}
	if _, body := get(t, s.base+"/about"); !strings.Contains(body, "mailto:robots@whichrule.example") {
		t.Error("the about page does not name the contact")
	}
	ask := func(client string) int {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.base+"/", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Client", client)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp.StatusCode
	}
	for range 5 {
		if got := ask("203.0.113.1"); got != http.StatusOK {
			t.Errorf("got %d; want 200", got)
		}
	}
	if got := ask("203.0.113.1"); got != http.StatusTooManyRequests {
		t.Errorf("the sixth at once: got %d; want 429", got)
	}
	if got := ask("203.0.113.2"); got != http.StatusOK {
		t.Errorf("another client: got %d; want 200", got)
	}
}

// A site that is fetched learns who asks and where to read about it.
func TestServeUserAgent(t *testing.T) {
	for setting, want := range map[string]string{
		"WHICHRULE_BASE_URL=https://whichrule.example": "(+https://whichrule.example/about)",
		"WHICHRULE_BASE_URL=":                          "(+https://github.com/whichrule/whichrule)",
	} {
		site := testkit.NewSite(t)
		s := start(t, setting, "WHICHRULE_UNSAFE_FETCH_ALLOW="+site.Allow())
		get(t, s.base+"/?site="+url.QueryEscape(site.Origin()))
		if site.Count() != 1 {
			t.Fatalf("got %d requests; want one", site.Count())
		}
		got := site.Requests()[0].UserAgent()
		if !strings.HasPrefix(got, "Whichrule/") || !strings.HasSuffix(got, want) {
			t.Errorf("got User-Agent %q; want Whichrule/VERSION %s", got, want)
		}
	}
}

// What is wrong with the settings is said before anything is served.
func TestServeRefused(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, tt := range []struct {
		name     string
		settings []string
		code     int
		want     string
	}{
		{"a setting that does not exist", []string{"WHICHRULE_ADRR=:80"}, exitUsage, "WHICHRULE_ADRR: no such setting; did you mean WHICHRULE_ADDR?"},
		{"a value that is none", []string{"WHICHRULE_TESTS_PER_MINUTE=many"}, exitUsage, "WHICHRULE_TESTS_PER_MINUTE"},
		{"an allow list that is none", []string{"WHICHRULE_UNSAFE_FETCH_ALLOW=localhost"}, exitUsage, "WHICHRULE_UNSAFE_FETCH_ALLOW"},
		{"an address that is taken", []string{"WHICHRULE_ADDR=" + taken.Addr().String()}, exitBlocked, "WHICHRULE_ADDR"},
		{"a metrics address that is taken", []string{"WHICHRULE_ADDR=127.0.0.1:0", "WHICHRULE_METRICS_ADDR=" + taken.Addr().String()}, exitBlocked, "WHICHRULE_METRICS_ADDR"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out, errs strings.Builder
			if code := Main(nil, tt.settings, strings.NewReader(""), &out, &errs); code != tt.code {
				t.Errorf("got exit code %d; want %d", code, tt.code)
			}
			last := errs.String()
			if !strings.Contains(last, "whichrule: ") || !strings.Contains(last, tt.want) {
				t.Errorf("got %q; want it to say %s", last, tt.want)
			}
			if strings.Contains(last, `"serving"`) {
				t.Error("it began to serve")
			}
		})
	}
}
