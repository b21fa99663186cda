package web

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
)

// logRequests writes one line for each request and counts it. Neither holds
// anything private: the route's pattern instead of the address, no query, no
// body, and of the client only what its rate limits go by.
func (s *Site) logRequests(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := s.Now()
		ww := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
		next.ServeHTTP(ww, r)
		route := chi.RouteContext(r.Context()).RoutePattern()
		if route == "" {
			route = "none"
		}
		status := ww.Status()
		if status == 0 {
			status = http.StatusOK
		}
		took := s.Now().Sub(start)
		s.Metrics.Request(route, r.Method, status, took)
		s.Log.LogAttrs(r.Context(), slog.LevelInfo, "request",
			slog.String("method", method(r.Method)),
			slog.String("route", route),
			slog.Int("status", status),
			slog.Int("bytes", ww.BytesWritten()),
			slog.Float64("ms", float64(took)/float64(time.Millisecond)),
			slog.Bool("htmx", r.Header.Get("HX-Request") == "true"))
	})
}

// method bounds what a client can write into the log.
func method(m string) string {
	switch m {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return m
	}
	return "other"
}
