package testkit

import (
	"net"
	"sync"
	"testing"
	"time"
)

// A Relay stands between a client and a server and can be told, while it runs, how well the two hear each other. At
// first they do.
type Relay struct {
	t      testing.TB
	addr   string
	target string

	mu       sync.Mutex
	listener net.Listener // nil: refusing
	hung     bool
	delay    time.Duration
	open     map[net.Conn]bool
}

// NewRelay starts a relay to target, host:port. It stops with the test.
func NewRelay(t testing.TB, target string) *Relay {
	t.Helper()
	r := &Relay{t: t, addr: address(freePort(t)), target: target, open: map[net.Conn]bool{}}
	r.Pass()
	t.Cleanup(r.Refuse)
	return r
}

// Addr is where the relay listens, or would: 127.0.0.1:PORT.
func (r *Relay) Addr() string { return r.addr }

// Pass lets everything through from now on. Connections that hung are cut, since parts of them are lost.
func (r *Relay) Pass() { r.Delay(0) }

// Delay lets everything through; an answer comes that much later, one after the other.
func (r *Relay) Delay(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.hung {
		r.cut()
	}
	r.hung, r.delay = false, d
	r.listen()
}

// Hang takes connections and all that is sent, and never answers; on open connections, too.
func (r *Relay) Hang() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hung = true
	r.listen()
}

// Refuse cuts all connections and listens no more.
func (r *Relay) Refuse() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.listener != nil {
		r.listener.Close()
		r.listener = nil
	}
	r.cut()
}

// Cut ends all open connections, once.
func (r *Relay) Cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cut()
}

func (r *Relay) cut() {
	for c := range r.open {
		c.Close()
		delete(r.open, c)
	}
}

func (r *Relay) listen() {
	if r.listener != nil {
		return
	}
	l, err := net.Listen("tcp", r.addr)
	if err != nil {
		r.t.Errorf("relay: %v", err)
		return
	}
	r.listener = l
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			if r.keep(c, l) {
				go r.serve(c)
			}
		}
	}()
}

// keep remembers a connection that l took, unless l is closed by now.
func (r *Relay) keep(c net.Conn, l net.Listener) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.listener != l {
		c.Close()
		return false
	}
	r.open[c] = true
	return true
}

func (r *Relay) end(c net.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c.Close()
	delete(r.open, c)
}

func (r *Relay) state() (hung bool, delay time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.hung, r.delay
}

func (r *Relay) serve(client net.Conn) {
	defer r.end(client)
	var server net.Conn
	if hung, _ := r.state(); !hung {
		var err error
		if server, err = net.DialTimeout("tcp", r.target, patience); err != nil {
			return
		}
		defer server.Close()
		go func() {
			defer r.end(client)
			r.copy(client, server, true)
		}()
	}
	r.copy(server, client, false)
}

// copy carries bytes until one side ends. While the relay hangs, they are dropped.
func (r *Relay) copy(to, from net.Conn, answers bool) {
	b := make([]byte, 64<<10)
	for {
		n, err := from.Read(b)
		if err != nil {
			return
		}
		if _, delay := r.state(); answers && delay > 0 {
			time.Sleep(delay)
		}
		if hung, _ := r.state(); hung {
			continue
		}
		if to == nil { // taken while the relay hung
			return
		}
		if _, err := to.Write(b[:n]); err != nil {
			return
		}
	}
}
