package testkit

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http/httptest"
	"testing"
)

// A SchemesSite answers https and http at one port, as the two ports of a real
// host do; r.TLS tells a handler which of them was asked. Its Origin is that of
// http.
type SchemesSite struct {
	*Site
	secure *httptest.Server // has the certificate
}

// NewSchemesSite starts a site on both schemes. It stops with the test.
func NewSchemesSite(t testing.TB) *SchemesSite {
	secure := httptest.NewTLSServer(nil)
	t.Cleanup(secure.Close)
	return &SchemesSite{secure: secure, Site: start(t, "127.0.0.1:0", func(s *httptest.Server) {
		s.Listener = &schemes{s.Listener, &tls.Config{Certificates: secure.TLS.Certificates}}
		s.Start()
	})}
}

// Certificate is what the site shows on https: for 127.0.0.1, and signed by
// itself.
func (s *SchemesSite) Certificate() *x509.Certificate { return s.secure.Certificate() }

// schemes makes TLS connections of those that begin as one does.
type schemes struct {
	net.Listener
	config *tls.Config
}

// Accept waits for a connection and for its first byte.
func (s *schemes) Accept() (net.Conn, error) {
	for {
		c, err := s.Listener.Accept()
		if err != nil {
			return nil, err
		}
		conn := &peeked{Conn: c, r: bufio.NewReader(c)}
		const handshake = 22 // the type of a TLS record, RFC 8446 §5.1
		switch first, err := conn.r.Peek(1); {
		case err != nil:
			c.Close()
		case first[0] == handshake:
			return tls.Server(conn, s.config), nil
		default:
			return conn, nil
		}
	}
}

// peeked is a connection of which some bytes were read ahead.
type peeked struct {
	net.Conn
	r *bufio.Reader
}

func (c *peeked) Read(p []byte) (int, error) { return c.r.Read(p) }
