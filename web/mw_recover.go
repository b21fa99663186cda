package web

import (
	"fmt"
	"net/http"
	"runtime/debug"
)

// recoverPanics answers a panic as a fault of ours. http.ErrAbortHandler is
// the server's own way to cut a connection and passes.
func (s *Site) recoverPanics(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			v := recover()
			if v == nil {
				return
			}
			if v == http.ErrAbortHandler {
				panic(v)
			}
			s.Metrics.Panic()
			s.Log.Error("panic", "value", fmt.Sprint(v), "stack", string(debug.Stack()))
			s.chooseWords(s.handle(func(http.ResponseWriter, *http.Request) error {
				return &problem{Status: http.StatusInternalServerError, Kind: "internal", Log: fmt.Errorf("panic")}
			})).ServeHTTP(w, r)
		}()
		next.ServeHTTP(w, r)
	})
}
