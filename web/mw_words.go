package web

import (
	"net/http"

	"github.com/whichrule/whichrule/internal/i18n"
)

// chooseWords puts the reader's words into the context.
func (s *Site) chooseWords(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := i18n.With(r.Context(), s.Words.Words(r.Header.Get("Accept-Language")))
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}
