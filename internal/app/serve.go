package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/whichrule/whichrule/internal/config"
	"github.com/whichrule/whichrule/internal/crawlers"
	"github.com/whichrule/whichrule/internal/fetch"
	"github.com/whichrule/whichrule/internal/i18n"
	"github.com/whichrule/whichrule/internal/obs"
	"github.com/whichrule/whichrule/internal/ratelimit"
	"github.com/whichrule/whichrule/internal/robots"
	"github.com/whichrule/whichrule/internal/store"
	"github.com/whichrule/whichrule/internal/tester"
	"github.com/whichrule/whichrule/static"
	"github.com/whichrule/whichrule/web"
)

// Bounds of the server.
const (
	// readHeader and readBody bound a slow client: a phone on a bad line
	// sends 5 MiB in half a minute or gives up.
	readHeader = 5 * time.Second
	readBody   = 30 * time.Second
	// writeAnswer leaves room for a fetch of 10 s and for the largest table
	// over a slow line.
	writeAnswer = 60 * time.Second
	idle        = 120 * time.Second
	// maxHeader holds an address of the largest query that is answered.
	maxHeader = 64 << 10
	// drain is how long requests that run may still take once the server
	// stops; notice is how long /readyz says so before the door closes, so
	// that a load balancer sees it.
	drain  = 20 * time.Second
	notice = time.Second
	// memory is where the garbage collector starts to work harder, in bytes:
	// the process is to stay under 300 MiB. GOMEMLIMIT overrides it.
	memory = 240 << 20
)

// serve runs the site until SIGTERM or SIGINT.
func serve(environ []string, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(memory)
	}
	if err := Serve(ctx, environ, stderr, nil); err != nil {
		fmt.Fprintln(stderr, "whichrule:", err)
		var bad *configError
		if errors.As(err, &bad) {
			return exitUsage
		}
		return exitBlocked
	}
	return exitOK
}

// configError marks a setting that cannot be used.
type configError struct{ err error }

func (e *configError) Error() string { return e.err.Error() }
func (e *configError) Unwrap() error { return e.err }

// Serve builds everything from the WHICHRULE_ settings in environ, logs to
// stderr, serves until ctx ends, and drains. listening, when not nil, is told
// the site's address once connections are taken. The error says which setting
// cannot be used, or why serving ended by itself.
func Serve(ctx context.Context, environ []string, stderr io.Writer, listening func(net.Addr)) error {
	cfg, err := config.Read(environ)
	if err != nil {
		return &configError{err}
	}
	log := obs.NewLogger(stderr)
	metrics := obs.NewMetrics(robots.Version)
	redis, err := dial(cfg, metrics.Redis)
	if err != nil {
		return err
	}
	if redis != nil {
		defer redis.Close()
	}
	site, err := build(cfg, redis, log, metrics)
	if err != nil {
		return err
	}

	ln, err := net.Listen("tcp", cfg.Addr)
	if err != nil {
		return fmt.Errorf("listen at WHICHRULE_ADDR: %w", err)
	}
	server := &http.Server{
		Handler:           withBudget(site),
		ReadHeaderTimeout: readHeader,
		ReadTimeout:       readBody,
		WriteTimeout:      writeAnswer,
		IdleTimeout:       idle,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	errs := make(chan error, 2)
	go func() { errs <- server.Serve(ln) }()

	var private *http.Server
	var metricsAddr string
	if cfg.MetricsAddr != "" {
		mln, err := net.Listen("tcp", cfg.MetricsAddr)
		if err != nil {
			_ = server.Close()
			return fmt.Errorf("listen at WHICHRULE_METRICS_ADDR: %w", err)
		}
		metricsAddr = mln.Addr().String()
		private = &http.Server{Handler: metrics.Handler(), ReadHeaderTimeout: readHeader}
		go func() { errs <- private.Serve(mln) }()
	}

	site.Ready(true)
	log.Info("serving", "addr", ln.Addr().String(), "metrics", metricsAddr, "engine", robots.Version)
	switch {
	case redis == nil:
		log.Warn("everything is kept in memory: shared links last until this process ends")
	case redis.Ping(ctx) != nil:
		log.Warn("redis does not answer: shared links cannot be made or opened until it does")
	}
	if listening != nil {
		listening(ln.Addr())
	}

	select {
	case <-ctx.Done():
	case err = <-errs:
		err = fmt.Errorf("serve: %w", err)
	}
	log.Info("draining")
	site.Ready(false)
	if err == nil {
		time.Sleep(notice)
	}
	late, cancel := context.WithTimeout(context.Background(), drain)
	defer cancel()
	if e := server.Shutdown(late); e != nil && err == nil {
		err = fmt.Errorf("drain: %w", e)
	}
	if private != nil {
		_ = private.Close()
	}
	log.Info("stopped")
	return err
}

// dial makes the connection to Redis, which need not be up; nil where none is
// configured.
func dial(cfg config.Config, observe func(use, result string, took time.Duration)) (*store.Conn, error) {
	if cfg.RedisURL == "" {
		return nil, nil
	}
	conn, err := store.Dial(cfg.RedisURL, observe)
	if err != nil {
		return nil, &configError{fmt.Errorf("WHICHRULE_REDIS_URL: %w", err)}
	}
	return conn, nil
}

// withBudget bounds what Redis may take of the time of each request.
func withBudget(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(store.Budget(r.Context())))
	})
}

// kept is a store that keeps all there is to keep.
type kept interface {
	tester.Outcomes
	tester.Reports
	tester.Results
	tester.Shares
}

// build makes the site from the configuration, on Redis or in memory.
func build(cfg config.Config, redis *store.Conn, log *slog.Logger, metrics *obs.Metrics) (*web.Site, error) {
	catalogue, err := crawlers.Load()
	if err != nil {
		return nil, fmt.Errorf("load crawlers: %w", err)
	}
	words, err := i18n.Load()
	if err != nil {
		return nil, err
	}
	assets, err := static.Load()
	if err != nil {
		return nil, fmt.Errorf("load static files: %w", err)
	}
	allow, err := fetch.ParseAllow(cfg.UnsafeFetchAllow)
	if err != nil {
		return nil, &configError{fmt.Errorf("WHICHRULE_UNSAFE_FETCH_ALLOW: %w", err)}
	}
	if strings.TrimSpace(cfg.UnsafeFetchAllow) != "" {
		log.Warn("UNSAFE: fetches may reach addresses that are not public; for tests only", "allowed", cfg.UnsafeFetchAllow)
	}
	var (
		keep    kept              = store.NewMemory(time.Now)
		limiter ratelimit.Limiter = &ratelimit.Memory{}
		ping    func(context.Context) error
	)
	if redis != nil {
		keep, limiter, ping = store.NewRedis(redis, time.Now), &ratelimit.Redis{Conn: redis, Secret: cfg.RedisURL}, redis.Ping
	}
	polite := &politeness{limiter: limiter, metrics: metrics}
	fetcher := &countedFetcher{
		Fetcher: fetch.New(fetch.Config{UserAgent: userAgent(cfg), Allow: allow, Ask: polite.ask}),
		metrics: metrics,
		log:     log,
	}
	return web.New(web.Config{
		Tester: &tester.Tester{
			Catalogue: catalogue,
			Fetcher:   fetcher,
			MayAsk:    polite.mayAsk,
			Outcomes:  keep,
			Reports:   keep,
			Results:   keep,
			Now:       time.Now,
			Slots:     make(chan struct{}, runtime.GOMAXPROCS(0)),
		},
		Shares:         keep,
		Catalogue:      catalogue,
		Words:          words,
		Assets:         assets,
		Limiter:        limiter,
		Metrics:        metrics,
		Log:            log,
		Now:            time.Now,
		BaseURL:        cfg.BaseURL,
		Contact:        cfg.Contact,
		ClientIPHeader: cfg.ClientIPHeader,
		Lasting:        redis != nil,
		Redis:          ping,
		Tests:          ratelimit.Rate{PerMinute: cfg.TestsPerMinute},
		Fetches:        ratelimit.Rate{PerMinute: cfg.FetchesPerMinute},
		SharesRate:     ratelimit.Rate{PerMinute: cfg.SharesPerMinute},
	}), nil
}

// userAgent names the service and where to read about it.
func userAgent(cfg config.Config) string {
	ua := "Whichrule/" + robots.Version
	if cfg.BaseURL != "" {
		return ua + " (+" + cfg.BaseURL + "/about)"
	}
	return ua + " (+https://github.com/whichrule/whichrule)"
}

// countedFetcher counts fetches, and logs why they failed.
type countedFetcher struct {
	*fetch.Fetcher
	metrics *obs.Metrics
	log     *slog.Logger
}

// Fetch fetches and counts.
func (f *countedFetcher) Fetch(ctx context.Context, o fetch.Origin) (*fetch.Outcome, error) {
	out, err := f.Fetcher.Fetch(ctx, o)
	if err != nil {
		return nil, err
	}
	f.metrics.Fetch(string(out.Kind), out.Took)
	if out.Kind != fetch.OK {
		f.log.Info("fetch", "outcome", string(out.Kind), "status", out.Status, "hops", len(out.Hops))
	}
	return out, nil
}
