package web

import "net/http"

// refuseCrossOrigin refuses posts that a page of another site makes a browser
// send. Programs, which send neither Origin nor Sec-Fetch-Site, pass.
//
// Over plain http browsers send no Sec-Fetch-Site, and our Referrer-Policy
// makes the Origin of our own forms "null" there (Fetch Standard, "append a
// request Origin header"). That passes too: nothing here rests on cookies, so
// a foreign page could do no more than a program can.
func refuseCrossOrigin(s *Site) func(http.Handler) http.Handler {
	p := http.NewCrossOriginProtection()
	p.SetDenyHandler(s.handle(func(http.ResponseWriter, *http.Request) error { return errOrigin }))
	return func(next http.Handler) http.Handler {
		protected := p.Handler(next)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Origin") == "null" && r.Header.Get("Sec-Fetch-Site") == "" {
				next.ServeHTTP(w, r)
				return
			}
			protected.ServeHTTP(w, r)
		})
	}
}
