package obs

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// ours scrapes the handler as Prometheus does and keeps the samples of our own metrics, without buckets.
func ours(t *testing.T, m *Metrics) []string {
	t.Helper()
	var lines []string
	for line := range strings.Lines(scrape(t, m)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "whichrule_") && !strings.Contains(line, "_bucket{") && !strings.HasPrefix(line, "whichrule_build_info") {
			lines = append(lines, line)
		}
	}
	return lines
}

func scrape(t *testing.T, m *Metrics) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if w.Code != 200 {
		t.Fatalf("got %d; want 200", w.Code)
	}
	return w.Body.String()
}

func TestMetrics(t *testing.T) {
	m := NewMetrics("1.2.3")
	m.Request("/r/{id}", "GET", 200, 500*time.Millisecond)
	m.Request("/r/{id}", "GET", 204, 250*time.Millisecond)
	m.Request("/r/{id}", "HEAD", 410, 0)
	m.Request("", "BREW", 999, 0)
	m.Test(8)
	m.Test(2)
	m.Fetch("ok", 2*time.Second)
	m.Fetch("dns", time.Second)
	m.ShareCreated()
	m.ShareViewed()
	m.ShareViewed()
	m.ShareDeleted()
	m.RateLimited("fetches")
	m.Panic()
	m.Redis("share", "ok", 500*time.Millisecond)
	m.Redis("share", "timeout", 250*time.Millisecond)
	m.Redis("limit", "open", time.Hour)
	m.Redis("limit", "budget", time.Hour)
	want := []string{
		`whichrule_cells_total 10`,
		`whichrule_fetch_duration_seconds_sum 3`,
		`whichrule_fetch_duration_seconds_count 2`,
		`whichrule_fetches_total{outcome="dns"} 1`,
		`whichrule_fetches_total{outcome="ok"} 1`,
		`whichrule_panics_total 1`,
		`whichrule_rate_limited_total{limit="fetches"} 1`,
		`whichrule_redis_call_seconds_sum{use="share"} 0.75`,
		`whichrule_redis_call_seconds_count{use="share"} 2`,
		`whichrule_redis_calls_total{result="budget",use="limit"} 1`,
		`whichrule_redis_calls_total{result="ok",use="share"} 1`,
		`whichrule_redis_calls_total{result="open",use="limit"} 1`,
		`whichrule_redis_calls_total{result="timeout",use="share"} 1`,
		`whichrule_redis_up 0`,
		`whichrule_request_duration_seconds_sum{route="/r/{id}"} 0.75`,
		`whichrule_request_duration_seconds_count{route="/r/{id}"} 3`,
		`whichrule_request_duration_seconds_sum{route="none"} 0`,
		`whichrule_request_duration_seconds_count{route="none"} 1`,
		`whichrule_requests_total{method="GET",route="/r/{id}",status="2xx"} 2`,
		`whichrule_requests_total{method="HEAD",route="/r/{id}",status="4xx"} 1`,
		`whichrule_requests_total{method="other",route="none",status="other"} 1`,
		`whichrule_shares_total{action="created"} 1`,
		`whichrule_shares_total{action="deleted"} 1`,
		`whichrule_shares_total{action="viewed"} 2`,
		`whichrule_tests_total 2`,
	}
	if diff := cmp.Diff(want, ours(t, m)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A dashboard also needs to know what runs and how it is doing, and nothing else may be in the registry.
func TestMetricsOfTheProcess(t *testing.T) {
	all := scrape(t, NewMetrics("1.2.3"))
	for _, want := range []string{`version="1.2.3"`, "\ngo_goroutines ", "\nprocess_open_fds "} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in the metrics", want)
		}
	}
	for line := range strings.Lines(all) {
		if name, ok := strings.CutPrefix(line, "# TYPE "); ok &&
			!strings.HasPrefix(name, "whichrule_") && !strings.HasPrefix(name, "go_") && !strings.HasPrefix(name, "process_") {
			t.Errorf("unexpected metric %s", name)
		}
	}
}

// Whether Redis is up is what the last call says that can tell.
func TestRedisUp(t *testing.T) {
	m := NewMetrics("1.2.3")
	for _, tt := range []struct{ result, want string }{
		{"", ""}, // no call yet, or no Redis
		{"error", ""},
		{"miss", "whichrule_redis_up 1"},
		{"timeout", "whichrule_redis_up 1"},
		{"open", "whichrule_redis_up 0"},
		{"timeout", "whichrule_redis_up 0"},
		{"budget", "whichrule_redis_up 0"},
		{"full", "whichrule_redis_up 1"},
	} {
		if tt.result != "" {
			m.Redis("share", tt.result, 0)
		}
		got := ""
		for _, line := range ours(t, m) {
			if strings.HasPrefix(line, "whichrule_redis_up") {
				got = line
			}
		}
		if got != tt.want {
			t.Errorf("after %q: got %q; want %q", tt.result, got, tt.want)
		}
	}
}

func TestTwoServersShareNothing(t *testing.T) {
	a, b := NewMetrics("a"), NewMetrics("b")
	a.Panic()
	if got := scrape(t, b); !strings.Contains(got, "\nwhichrule_panics_total 0\n") {
		t.Error("a panic of one server was counted by the other")
	}
}

func TestNilMetrics(t *testing.T) {
	var m *Metrics
	m.Request("/", "GET", 200, 0)
	m.Test(1)
	m.Fetch("ok", 0)
	m.ShareCreated()
	m.ShareViewed()
	m.ShareDeleted()
	m.RateLimited("tests")
	m.Panic()
	m.Redis("share", "ok", 0)
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if w.Code != 404 {
		t.Errorf("got %d; want 404", w.Code)
	}
}

func TestMetricsAtTheSameTime(t *testing.T) {
	m := NewMetrics("")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				m.Request("/", "GET", 200, time.Millisecond)
				m.Test(1)
			}
		})
	}
	wg.Wait()
	if got := scrape(t, m); !strings.Contains(got, "\nwhichrule_cells_total 800\n") {
		t.Error("tests were lost")
	}
}

func TestHandler(t *testing.T) {
	s := httptest.NewServer(NewMetrics("").Handler())
	defer s.Close()
	for _, tt := range []struct {
		name, path string
		want       int
	}{
		{"metrics", "/metrics", 200},
		{"list of profiles", "/debug/pprof/", 200},
		{"a profile", "/debug/pprof/goroutine?debug=1", 200},
		{"command line", "/debug/pprof/cmdline", 200},
		{"nothing else", "/", 404},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res, err := http.Get(s.URL + tt.path)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != tt.want {
				t.Errorf("got %d, %v; want %d", res.StatusCode, err, tt.want)
			}
		})
	}
}

func TestLogger(t *testing.T) {
	var out bytes.Buffer
	log := NewLogger(&out)
	log.Debug("not shown")
	log.Info("request", "route", "/r/{id}", "status", 200)
	log.WithGroup("g").Info("in a group", "time", "as given")
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 {
		t.Fatalf("got %d lines; want 2:\n%s", len(lines), out.String())
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(lines[0]), &got); err != nil {
		t.Fatal(err)
	}
	at, err := time.Parse(time.RFC3339Nano, got["time"].(string))
	if err != nil || !strings.HasSuffix(got["time"].(string), "Z") || time.Since(at) > time.Minute {
		t.Errorf("time: got %v, %v; want now, in UTC", got["time"], err)
	}
	delete(got, "time")
	want := map[string]any{"level": "INFO", "msg": "request", "route": "/r/{id}", "status": 200.0}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !strings.Contains(lines[1], `"g":{"time":"as given"}`) {
		t.Errorf("got %s; want the caller's own time as given", lines[1])
	}
}
