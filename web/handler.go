package web

import (
	"bytes"
	"net/http"
	"strconv"

	"github.com/a-h/templ"

	"github.com/whichrule/whichrule/internal/i18n"
	"github.com/whichrule/whichrule/templates"
)

// handlerFunc answers a request or says why it cannot.
type handlerFunc func(w http.ResponseWriter, r *http.Request) error

// handle makes a handler of h whose errors are answered in one place.
func (s *Site) handle(h handlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			s.answerError(w, r, err)
		}
	}
}

// varyResult is what a negotiated answer depends on.
const varyResult = "Accept, HX-Request, HX-Request-Type"

// noStore marks an answer as a result: it depends on what was sent, and is not
// kept by anyone.
func noStore(h http.Header) {
	h.Set("Cache-Control", "no-store")
	h.Set("Vary", varyResult)
}

// render answers with a component. It is made whole before the first byte
// goes out, so that a fault in the middle can still be answered as one.
func render(w http.ResponseWriter, r *http.Request, status int, c templ.Component) error {
	var b bytes.Buffer
	if err := c.Render(r.Context(), &b); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(b.Len()))
	release(r.Context())
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // the client went away
	return nil
}

// page answers with a whole page around a component.
func (s *Site) page(w http.ResponseWriter, r *http.Request, status int, v templates.PageView, c templ.Component) error {
	v.Assets = templates.AssetsView{
		CSS:           s.Assets.URL("css/app.css"),
		JS:            s.Assets.URL("js/app.js"),
		HTMX:          s.Assets.URL(htmxFile),
		HTMXIntegrity: s.Assets.Integrity(htmxFile),
		Icon:          s.Assets.URL("favicon.svg"),
	}
	ctx := templ.WithChildren(r.Context(), c)
	return render(w, r.WithContext(ctx), status, templates.Page(v))
}

const htmxFile = "vendor/htmx/htmx-4.0.1.min.js"

// fragment says whether a part of the page is asked for, by htmx, and not the
// whole page (htmx sends "full" when it wants one).
func fragment(r *http.Request) bool {
	return r.Header.Get("HX-Request") == "true" && r.Header.Get("HX-Request-Type") != "full"
}

// words gives the reader's words.
func words(r *http.Request) *i18n.Words { return i18n.From(r.Context()) }

// base gives the origin for links: as configured, else as asked.
func (s *Site) base(r *http.Request) string {
	if s.BaseURL != "" {
		return s.BaseURL
	}
	scheme := "http"
	if r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" {
		scheme = "https"
	}
	return scheme + "://" + r.Host
}
