package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/whichrule/whichrule/internal/i18n"
	"github.com/whichrule/whichrule/internal/obs"
	"github.com/whichrule/whichrule/internal/tester"
	"github.com/whichrule/whichrule/templates"
)

// problem is a failure with the form in which it is told. What is logged and
// what is shown are different: Log never leaves the machine.
type problem struct {
	Status  int
	Kind    string // stable name; also the id of the message "error.KIND"
	Message string // the id of another message, "" for that one
	Field   string // the form field it is about
	Args    []any  // for the message
	Retry   time.Duration
	Log     error
}

func (p *problem) Error() string {
	if p.Log != nil {
		return p.Kind + ": " + p.Log.Error()
	}
	return p.Kind
}

var (
	errNotFound = &problem{Status: http.StatusNotFound, Kind: "not-found"}
	errMethod   = &problem{Status: http.StatusMethodNotAllowed, Kind: "method"}
	errGone     = &problem{Status: http.StatusGone, Kind: "share-deleted"}
	errNoShare  = &problem{Status: http.StatusNotFound, Kind: "share-not-found"}
	errToken    = &problem{Status: http.StatusForbidden, Kind: "token"}
	errOrigin   = &problem{Status: http.StatusForbidden, Kind: "cross-origin"}

	// errHungUp says that nobody waits for the answer any more.
	errHungUp = &problem{Status: obs.StatusCanceled, Kind: "canceled"}
)

// retryStore is when it is worth trying a store again that does not answer: it
// is asked again by itself every second.
const retryStore = 5 * time.Second

// limited says that a client asked too much.
func limited(kind string, retry time.Duration) *problem {
	p := &problem{Status: http.StatusTooManyRequests, Kind: kind, Retry: retry}
	p.Args = []any{"N", p.retrySeconds()}
	return p
}

// retrySeconds is when to come again, in whole seconds, at least one.
func (p *problem) retrySeconds() int { return max(int(math.Ceil(p.Retry.Seconds())), 1) }

// retryAfter sets the header that says so (RFC 9110 §10.2.3).
func (p *problem) retryAfter(h http.Header) {
	if p.Retry > 0 {
		h.Set("Retry-After", strconv.Itoa(p.retrySeconds()))
	}
}

// asProblem gives the problem that an error is. Whatever is not mapped here is
// a fault of ours, and its text is not shown.
func asProblem(err error) *problem {
	var (
		p        *problem
		bad      *tester.Error
		busy     *tester.BusyError
		tooLarge *http.MaxBytesError
	)
	switch {
	case errors.As(err, &p):
		return p
	case errors.As(err, &bad):
		status := http.StatusUnprocessableEntity
		if bad.Kind == "too-large" {
			status = http.StatusRequestEntityTooLarge
		}
		kind := bad.Kind
		if kind == "too-large" {
			kind += "-" + bad.Field
		}
		return &problem{Status: status, Kind: kind, Field: bad.Field, Args: []any{"N", bad.Limit, "Limit", amount(bad), "Got", i18n.Code(bad.Got)}}
	case errors.As(err, &busy):
		p := limited("limit-domain", busy.Retry)
		p.Message, p.Field, p.Args = "limit.domain", "site", append(p.Args, "Domain", i18n.Code(busy.Domain))
		return p
	case errors.As(err, &tooLarge):
		return &problem{Status: http.StatusRequestEntityTooLarge, Kind: "too-large-body", Field: "robots"}
	case errors.Is(err, tester.ErrDeleted):
		return errGone
	case errors.Is(err, tester.ErrNotFound):
		return errNoShare
	case errors.Is(err, tester.ErrUnavailable):
		return &problem{Status: http.StatusServiceUnavailable, Kind: "share-unavailable", Retry: retryStore, Log: err}
	case errors.Is(err, tester.ErrFull):
		return &problem{Status: http.StatusServiceUnavailable, Kind: "store-full", Log: err}
	case errors.Is(err, tester.ErrTooLarge):
		return &problem{Status: http.StatusRequestEntityTooLarge, Kind: "share-too-large", Log: err}
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return &problem{Status: http.StatusServiceUnavailable, Kind: "interrupted", Log: err}
	}
	return &problem{Status: http.StatusInternalServerError, Kind: "internal", Log: err}
}

// amount words the bound of an error: bytes as KiB or MiB, else the number.
func amount(e *tester.Error) string {
	n := e.Limit
	bytes := e.Kind == "too-large" || e.Kind == "url-too-long" || e.Kind == "crawler-too-long"
	switch {
	case bytes && n >= 1<<20 && n%(1<<20) == 0:
		return strconv.Itoa(n>>20) + " MiB"
	case bytes && n >= 1<<10 && n%(1<<10) == 0:
		return strconv.Itoa(n>>10) + " KiB"
	}
	return strconv.Itoa(n)
}

// sentence words a problem, with its marks.
func (p *problem) sentence(w *i18n.Words) string {
	if p.Message != "" {
		return w.Rich(p.Message, p.Args...)
	}
	return w.Rich("error."+p.Kind, p.Args...)
}

// answerError answers with an error in the form that was asked for. A page
// here is one of its own; the tester's page with what was typed is answered
// by serveTest, which knows it.
func (s *Site) answerError(w http.ResponseWriter, r *http.Request, err error) {
	if hungUp(r, err) {
		w.WriteHeader(obs.StatusCanceled) // for the log and the metrics alone
		return
	}
	p := asProblem(err)
	s.logProblem(r, p)
	h := w.Header()
	noStore(h)
	p.retryAfter(h)
	wd := words(r)
	switch wanted := formatOf(r); {
	case wanted == formatJSON:
		err = writeErrorJSON(w, p, wd)
	case wanted == formatCSV:
		h.Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(p.Status)
		_, _ = fmt.Fprintln(w, i18n.Plain(p.sentence(wd)))
		err = nil
	case fragment(r):
		v := templates.TesterView{Result: templates.ResultView{Error: p.sentence(wd)}, Notice: &templates.NoticeView{Text: p.sentence(wd), Bad: true}}
		err = render(w, r, p.Status, templates.Fragment(v, false))
	default:
		heading := wd.T("error.heading")
		if id := "error." + p.Kind + ".heading"; wd.Has(id) {
			heading = wd.T(id)
		}
		err = s.page(w, r, p.Status, templates.PageView{Title: wd.T("page.title", "Title", heading), NoIndex: true},
			templates.Message(templates.MessageView{Heading: heading, Text: p.sentence(wd), Link: wd.T("error.back"), LinkTo: "/"}))
	}
	if err != nil {
		s.Log.Error("answer an error", "error", err)
		http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
	}
}

// logProblem logs what is ours to mend; what a person mistyped, or another site
// failed to do, is in the request's own line by its status, and so is a client
// who went away.
func (s *Site) logProblem(r *http.Request, p *problem) {
	if hungUp(r, p) {
		return
	}
	site := p.Status == http.StatusBadGateway || p.Status == http.StatusGatewayTimeout
	if p.Status >= http.StatusInternalServerError && !site {
		s.Log.LogAttrs(r.Context(), slog.LevelError, "request failed", slog.String("kind", p.Kind), slog.Any("error", p.Log))
	}
}

// hungUp says whether the client has gone, whatever else went wrong with that.
func hungUp(r *http.Request, err error) bool {
	return errors.Is(err, errHungUp) || errors.Is(r.Context().Err(), context.Canceled)
}

// writeErrorJSON writes {"error":{"kind","message","field"}}.
func writeErrorJSON(w http.ResponseWriter, p *problem, wd *i18n.Words) error {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(p.Status)
	return json.NewEncoder(w).Encode(map[string]any{
		"error": map[string]string{"kind": p.Kind, "message": i18n.Plain(p.sentence(wd)), "field": p.Field},
	})
}
