package web

import "net/http"

// refuseCrossOrigin refuses posts that a page of another site makes a browser
// send. Programs, which send neither Origin nor Sec-Fetch-Site, pass.
func refuseCrossOrigin(s *Site) func(http.Handler) http.Handler {
	p := http.NewCrossOriginProtection()
	p.SetDenyHandler(s.handle(func(http.ResponseWriter, *http.Request) error { return errOrigin }))
	return p.Handler
}
