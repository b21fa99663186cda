// Package web is the site over HTTP: routes, forms, pages and what programs
// get. A handler reads its input, calls package tester or a store, and shows
// the result; it returns an error instead of answering one. How errors look is
// decided in errors.go alone.
package web

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"github.com/whichrule/whichrule/internal/crawlers"
	"github.com/whichrule/whichrule/internal/i18n"
	"github.com/whichrule/whichrule/internal/obs"
	"github.com/whichrule/whichrule/internal/ratelimit"
	"github.com/whichrule/whichrule/internal/tester"
)

// Assets gives addresses of static files and serves them.
type Assets interface {
	http.Handler
	URL(name string) string
	Integrity(name string) string
}

// Config is what the site is made of. Contact, BaseURL, ClientIPHeader and
// Metrics may be empty.
type Config struct {
	Tester    *tester.Tester
	Shares    tester.Shares
	Catalogue *crawlers.Catalogue
	Words     *i18n.Catalogue
	Assets    Assets
	Limiter   ratelimit.Limiter
	Metrics   *obs.Metrics
	Log       *slog.Logger
	Now       func() time.Time

	// BaseURL is the origin for links, "" to take it from the request.
	BaseURL string
	// Contact is who runs the site: a mail address, a web address or words.
	Contact string
	// ClientIPHeader names the header in which a proxy tells the client's
	// address; "" takes the peer's.
	ClientIPHeader string
	// Lasting says that shares outlive the process.
	Lasting bool
	// Redis asks whether Redis answers, for /readyz; nil: there is none.
	Redis func(context.Context) error
	// The limits for one client.
	Tests, Fetches, SharesRate ratelimit.Rate
}

// Site is the whole site.
type Site struct {
	Config
	budget  *budget
	presets []preset
	handler http.Handler
	ready   atomic.Bool
	// catalogue is /crawlers.json, which never changes.
	catalogue func() (*catalogueFile, error)
}

// New makes the site. It answers /readyz with 503 until Ready(true).
func New(c Config) *Site {
	s := &Site{Config: c, budget: newBudget(), presets: presets(c.Catalogue)}
	s.catalogue = sync.OnceValues(func() (*catalogueFile, error) { return newCatalogueFile(s.Catalogue) })
	s.handler = s.routes()
	return s
}

// Ready says whether the site wants traffic; it does not while it starts and
// while it drains.
func (s *Site) Ready(ready bool) { s.ready.Store(ready) }

func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// routes lists every address of the site.
func (s *Site) routes() http.Handler {
	r := chi.NewRouter()
	if s.ClientIPHeader != "" {
		r.Use(middleware.ClientIPFromHeader(s.ClientIPHeader))
	} else {
		r.Use(middleware.ClientIPFromRemoteAddr)
	}
	r.Use(s.logRequests, s.recoverPanics, secureHeaders, s.chooseWords, compress, refuseCrossOrigin(s), boundBody, s.admit)
	r.NotFound(s.handle(func(http.ResponseWriter, *http.Request) error { return errNotFound }))
	r.MethodNotAllowed(s.handle(func(w http.ResponseWriter, q *http.Request) error {
		// Which it does take has to be said (RFC 9110 §15.5.6).
		var allow []string
		for _, m := range []string{http.MethodGet, http.MethodHead, http.MethodPost} {
			if r.Match(chi.NewRouteContext(), m, q.URL.Path) {
				allow = append(allow, m)
			}
		}
		w.Header().Set("Allow", strings.Join(allow, ", "))
		return errMethod
	}))

	get := func(path string, h handlerFunc) {
		r.Method(http.MethodGet, path, s.handle(h))
		r.Method(http.MethodHead, path, s.handle(h))
	}
	post := func(path string, h handlerFunc) { r.Method(http.MethodPost, path, s.handle(h)) }

	get("/", s.serveTester)
	get("/test", s.serveTestAddress)
	post("/test", s.serveTest)
	post("/share", s.serveShare)
	get("/r/{id}.json", s.serveSharedJSON)
	get("/r/{id}.csv", s.serveSharedCSV)
	get("/r/{id}", s.serveShared)
	get("/r/{id}/live", s.serveLive)
	get("/r/{id}/manage", s.serveManage)
	post("/r/{id}/delete", s.serveDelete)
	get("/hosts", s.serveHosts)
	get("/crawlers", s.serveCrawlers)
	get("/crawlers/*", s.serveCrawler)
	get("/crawlers.json", s.serveCrawlersJSON)
	get("/about", s.serveAbout)

	get("/healthz", s.serveHealth)
	get("/readyz", s.serveReady)
	get("/robots.txt", s.serveRobots)
	get("/sitemap.xml", s.serveSitemap)
	get("/favicon.ico", s.serveFavicon)
	r.Handle("/static/*", s.Assets)
	return r
}

// client gives the key under which a request counts against limits.
func client(ctx context.Context) string {
	return ratelimit.Key(middleware.GetClientIPAddr(ctx))
}
