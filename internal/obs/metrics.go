package obs

import (
	"net/http"
	"net/http/pprof"
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics counts what the server does. Make it with [NewMetrics]; a nil *Metrics counts nothing, so code under test
// needs none. All methods may be called at the same time.
type Metrics struct {
	registry        *prometheus.Registry
	requests        *prometheus.CounterVec
	requestDuration *prometheus.HistogramVec
	tests           prometheus.Counter
	cells           prometheus.Counter
	fetches         *prometheus.CounterVec
	fetchDuration   prometheus.Histogram
	held            *prometheus.CounterVec
	shares          *prometheus.CounterVec
	rateLimited     *prometheus.CounterVec
	panics          prometheus.Counter
	redisCalls      *prometheus.CounterVec
	redisDuration   *prometheus.HistogramVec
	redisUp         *prometheus.GaugeVec // without labels: absent until it is set
}

var (
	// requestBuckets, in seconds, are fine where a test answers from memory, and end where a fetch has run into its
	// 10 s and everything else has been waiting.
	requestBuckets = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 15}
	// fetchBuckets, in seconds, end at the 10 s that a fetch has in all.
	fetchBuckets = []float64{.025, .05, .1, .25, .5, 1, 2, 3, 5, 7.5, 10}
	// redisBuckets, in seconds, end where the last call is given up.
	redisBuckets = []float64{.00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .15}
)

// NewMetrics makes the metrics of a server of the given version, at zero, with those of the Go runtime and the process
// beside them.
func NewMetrics(version string) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "whichrule_requests_total",
			Help: "HTTP requests answered, by route pattern, method and class of the status; canceled: the client went away first.",
		}, []string{"route", "method", "status"}),
		requestDuration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "whichrule_request_duration_seconds",
			Help:    "Time from the request's header to the end of the answer, by route pattern.",
			Buckets: requestBuckets,
		}, []string{"route"}),
		tests: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "whichrule_tests_total",
			Help: "Robots.txt texts tested.",
		}),
		cells: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "whichrule_cells_total",
			Help: "Verdicts given: crawlers times URLs, over all tests.",
		}),
		fetches: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "whichrule_fetches_total",
			Help: "Fetches of robots.txt files, by outcome.",
		}, []string{"outcome"}),
		fetchDuration: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "whichrule_fetch_duration_seconds",
			Help:    "Time of a fetch with all its redirects.",
			Buckets: fetchBuckets,
		}),
		held: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "whichrule_held_total",
			Help: "Tests of an earlier fetch where a new one was asked for: domain, its domain had been asked as often as it may be; again, it was fetched again within a minute.",
		}, []string{"why"}),
		shares: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "whichrule_shares_total",
			Help: "What happened to shared results: created, viewed, deleted.",
		}, []string{"action"}),
		rateLimited: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "whichrule_rate_limited_total",
			Help: "What was refused because there had been too much of it, by limit: requests of a client, fetches of a domain.",
		}, []string{"limit"}),
		panics: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "whichrule_panics_total",
			Help: "Panics caught while answering a request. Each is a bug.",
		}),
		redisCalls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "whichrule_redis_calls_total",
			Help: "Calls of Redis by what for, and how they ended; open and budget: not made, since several in a row had failed or their page had waited long enough.",
		}, []string{"use", "result"}),
		redisDuration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "whichrule_redis_call_seconds",
			Help:    "Time of a call of Redis that was made, by what for.",
			Buckets: redisBuckets,
		}, []string{"use"}),
		redisUp: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "whichrule_redis_up",
			Help: "1 after a call that Redis answered, 0 after one that was not made since several in a row had failed. Absent before that, and without Redis.",
		}, nil),
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name:        "whichrule_build_info",
		Help:        "Always 1; the labels say what runs.",
		ConstLabels: prometheus.Labels{"version": version, "go": runtime.Version()},
	})
	build.Set(1)
	m.registry.MustRegister(
		m.requests, m.requestDuration, m.tests, m.cells, m.fetches, m.fetchDuration, m.held, m.shares, m.rateLimited, m.panics,
		m.redisCalls, m.redisDuration, m.redisUp,
		build, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return m
}

// StatusCanceled is the status of a request whose client went away before the answer: nobody reads it, and it is no
// fault of either side. Others log the same number for that.
const StatusCanceled = 499

// Request counts an answered request. The route is the pattern that matched, such as "/r/{id}", and empty when none
// did; never the path itself.
func (m *Metrics) Request(route, method string, status int, took time.Duration) {
	if m == nil {
		return
	}
	if route == "" {
		route = "none"
	}
	m.requests.WithLabelValues(route, methodLabel(method), statusLabel(status)).Inc()
	m.requestDuration.WithLabelValues(route).Observe(took.Seconds())
}

// Test counts a test of one text with its verdicts.
func (m *Metrics) Test(cells int) {
	if m == nil {
		return
	}
	m.tests.Inc()
	m.cells.Add(float64(cells))
}

// Fetch counts a fetch that left this machine, by its outcome, a name from the fetcher's own list such as "ok" or
// "dns".
func (m *Metrics) Fetch(outcome string, took time.Duration) {
	if m == nil {
		return
	}
	m.fetches.WithLabelValues(outcome).Inc()
	m.fetchDuration.Observe(took.Seconds())
}

// Held counts a test of an earlier fetch where a new one was asked for, by the reason; "" counts nothing.
func (m *Metrics) Held(why string) {
	if m != nil && why != "" {
		m.held.WithLabelValues(why).Inc()
	}
}

// ShareCreated counts a result that was put under a permalink.
func (m *Metrics) ShareCreated() { m.share("created") }

// ShareViewed counts a view of a shared result.
func (m *Metrics) ShareViewed() { m.share("viewed") }

// ShareDeleted counts a shared result that its sharer took back.
func (m *Metrics) ShareDeleted() { m.share("deleted") }

func (m *Metrics) share(action string) {
	if m != nil {
		m.shares.WithLabelValues(action).Inc()
	}
}

// RateLimited counts what was refused, by the name of the limit, such as "tests".
func (m *Metrics) RateLimited(limit string) {
	if m != nil {
		m.rateLimited.WithLabelValues(limit).Inc()
	}
}

// Panic counts a panic that was caught.
func (m *Metrics) Panic() {
	if m != nil {
		m.panics.Inc()
	}
}

// Redis counts a call of Redis: what for, such as "share"; its result, which is ok, miss, full, error or timeout, or open
// or budget when it was not made; and how long it took.
func (m *Metrics) Redis(use, result string, took time.Duration) {
	if m == nil {
		return
	}
	m.redisCalls.WithLabelValues(use, result).Inc()
	switch result {
	case "open":
		m.redisUp.WithLabelValues().Set(0)
		return
	case "budget":
		return
	case "ok", "miss", "full":
		m.redisUp.WithLabelValues().Set(1)
	}
	m.redisDuration.WithLabelValues(use).Observe(took.Seconds())
}

// Handler serves the metrics at /metrics and the profiles of net/http/pprof below /debug/pprof/. It belongs on a
// private listener: profiles show what is in memory. Of a nil *Metrics it serves nothing.
func (m *Metrics) Handler() http.Handler {
	mux := http.NewServeMux()
	if m == nil {
		return mux
	}
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	return mux
}

// methodLabel keeps the methods that our routes know: a client may send any word as a method.
func methodLabel(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodOptions:
		return method
	}
	return "other"
}

// statusLabel is the class of a status (RFC 9110 §15).
func statusLabel(status int) string {
	if status == StatusCanceled {
		return "canceled"
	}
	switch status / 100 {
	case 1:
		return "1xx"
	case 2:
		return "2xx"
	case 3:
		return "3xx"
	case 4:
		return "4xx"
	case 5:
		return "5xx"
	}
	return "other"
}
