package web_test

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// upload begins a post of so many bytes, and sends only some of them.
func (w *world) upload(t *testing.T, path string, length int, sent string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", w.server.Listener.Addr().String())
	check(t, err)
	t.Cleanup(func() { c.Close() })
	_, err = fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: a\r\nHX-Request: true\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n%s", path, length, sent)
	check(t, err)
	return c
}

// Connections that announce much and send a byte keep nobody waiting.
func TestIdleUploads(t *testing.T) {
	w := newWorld(t, nil)
	id, _ := w.share(t)
	open := func(n, length, sent int) {
		for range n {
			w.upload(t, "/test", length, strings.Repeat("a", sent))
		}
	}
	open(23, 500_000, 1)
	open(60, 100_000, 1)
	open(40, 4<<20, 1)
	open(10, 4<<20, 2<<20)                           // what is sent has been taken in by the system, or is being read
	client := &http.Client{Timeout: 4 * time.Second} // less than anyone waits for room
	for range 3 {
		for _, path := range []string{"/healthz", "/readyz", "/robots.txt", "/static/nothing", "/", "/about", "/r/" + id, "/crawlers.json"} {
			resp, err := client.Get(w.server.URL + path)
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			resp.Body.Close()
			if want := map[bool]int{true: 404, false: 200}[path == "/static/nothing"]; resp.StatusCode != want {
				t.Errorf("%s: got %d; want %d", path, resp.StatusCode, want)
			}
		}
		resp, err := client.PostForm(w.server.URL+"/test", url.Values{"robots": {"User-agent: *"}})
		if err != nil {
			t.Fatalf("a small test: %v", err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Errorf("a small test: got %d; want 200", resp.StatusCode)
		}
	}
}
