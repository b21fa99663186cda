// Package testkit is what tests need around the program, on loopback: a web site that misbehaves on demand, names that
// point where a test wants, real Redis servers, and a relay that fails between a client and a server. Only tests may
// import it.
//
//	s := testkit.NewSite(t)
//	s.File("User-agent: *\nDisallow: /cart/\n")
//	s.Serve(testkit.SlowHeader()) // from now on
//
// A service under test reaches the site at s.Origin() when s.Allow() is in its list of allowed addresses, the setting
// WHICHRULE_UNSAFE_FETCH_ALLOW. [Behaviours] lists every way in which a site can answer badly; "make misbehave" serves
// them all to a person, each under a host name of its own.
package testkit

import (
	"context"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
)

// A Site answers every request with one handler, a 404 until it is given another.
type Site struct {
	server *httptest.Server

	mu       sync.Mutex
	handler  http.HandlerFunc
	requests []*http.Request
}

// NewSite starts a site on http. It stops with the test.
func NewSite(t testing.TB) *Site {
	return start(t, "127.0.0.1:0", (*httptest.Server).Start)
}

// NewSite6 starts a site on http that has an IPv6 address alone, ::1.
func NewSite6(t testing.TB) *Site {
	return start(t, "[::1]:0", (*httptest.Server).Start)
}

// NewTLSSite starts a site on https, with HTTP/2 and HTTP/1.1 and a certificate for 127.0.0.1, ::1 and example.com that
// only Certs knows.
func NewTLSSite(t testing.TB) *Site { return startTLS(t, true) }

// NewTLSSite1 starts a site like that of NewTLSSite which knows HTTP/1.1 alone.
func NewTLSSite1(t testing.TB) *Site { return startTLS(t, false) }

func startTLS(t testing.TB, http2 bool) *Site {
	return start(t, "127.0.0.1:0", func(s *httptest.Server) {
		s.EnableHTTP2 = http2
		s.StartTLS()
	})
}

func start(t testing.TB, address string, run func(*httptest.Server)) *Site {
	s := &Site{handler: http.NotFound}
	s.server = httptest.NewUnstartedServer(http.HandlerFunc(s.serve))
	s.server.Config.ErrorLog = log.New(io.Discard, "", 0) // clients that hang up are what tests are about
	for first := true; first || !firstUse(s.Port()); first = false {
		taken := s.server.Listener
		l, err := net.Listen("tcp", address)
		taken.Close() // only now, or the system may give it again
		if err != nil {
			t.Fatal(err)
		}
		s.server.Listener = l
	}
	run(s.server)
	t.Cleanup(func() {
		s.server.CloseClientConnections() // handlers that wait for their client end
		s.server.Close()
	})
	return s
}

// ports are those that sites of this process have had. None gets one again: what is under test may still hold what it
// fetched there.
var ports sync.Map

func firstUse(port int) bool {
	_, used := ports.LoadOrStore(port, true)
	return !used
}

func (s *Site) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.requests = append(s.requests, r.Clone(context.Background()))
	h := s.handler
	s.mu.Unlock()
	h(w, r)
}

// Serve answers with h from now on. A handler of its own for a path: check r.URL.Path.
func (s *Site) Serve(h http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handler = h
}

// File answers 200 with a text.
func (s *Site) File(text string) { s.Serve(File(text)) }

// Status answers with a status code and a short text.
func (s *Site) Status(code int) { s.Serve(Status(code)) }

// Origin is the address of the site without a path: http://127.0.0.1:PORT.
func (s *Site) Origin() string { return s.server.URL }

// Port is the port that the site listens on.
func (s *Site) Port() int { return s.server.Listener.Addr().(*net.TCPAddr).Port }

// Allow is the entry of an allow list that opens this site and nothing else: 127.0.0.1:PORT.
func (s *Site) Allow() string { return s.server.Listener.Addr().String() }

// Certs is the pool that verifies the certificate of a TLS site.
func (s *Site) Certs() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(s.server.Certificate())
	return pool
}

// Requests are the requests so far, oldest first, without their bodies.
func (s *Site) Requests() []*http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*http.Request(nil), s.requests...)
}

// Count is the number of requests so far.
func (s *Site) Count() int { return len(s.Requests()) }

// Stop closes the site before the test ends: from now on nobody listens at its port.
func (s *Site) Stop() {
	s.server.CloseClientConnections()
	s.server.Close()
}

// File answers 200 with a text as text/plain.
func File(text string) http.HandlerFunc { return Typed("text/plain; charset=utf-8", text) }

// Typed answers 200 with a text of any content type.
func Typed(contentType, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", contentType)
		io.WriteString(w, text)
	}
}

// Status answers with a status code and its name.
func Status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, http.StatusText(code), code)
	}
}

// Redirect answers with a redirect, its Location exactly as given; none when it is "".
func Redirect(code int, location string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if location != "" {
			w.Header().Set("Location", location)
		}
		w.WriteHeader(code)
	}
}

// RedirectChain answers n requests with a redirect to the next step and then with h: /robots.txt leads to /1, /2 ...
// An endless chain has a negative n.
func RedirectChain(n int, h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var step int
		fmt.Sscanf(r.URL.Path, "/%d", &step)
		if step == n {
			h(w, r)
			return
		}
		Redirect(http.StatusFound, fmt.Sprintf("/%d", step+1))(w, r)
	}
}

// Names resolves host names from a table, in place of [net.Resolver]; names not in it do not exist.
type Names map[string][]string

// LookupNetIP gives the addresses of a host, in the order of the table.
func (n Names) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	texts, ok := n[strings.TrimSuffix(host, ".")]
	if !ok {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	var addrs []netip.Addr
	for _, text := range texts {
		addrs = append(addrs, netip.MustParseAddr(text))
	}
	return addrs, nil
}
