package testkit

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/signal"
	"strings"
	"syscall"
	"testing"
)

var serve = flag.String("serve", "", "address at which TestMisbehave serves all behaviours until it is interrupted")

// TestMisbehave is the site of "make misbehave": every behaviour at a host name of its own.
func TestMisbehave(t *testing.T) {
	names := map[string]bool{}
	for _, b := range Behaviours() {
		if names[b.Name] || b.Does == "" || strings.Trim(b.Name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			t.Errorf("behaviour %q: got no text, a name that is there twice or one that is no label", b.Name)
		}
		names[b.Name] = true
	}
	s := NewSite(t)
	s.Serve(ByHost())
	for host, want := range map[string]string{"localhost": "http://gzip-bomb.localhost:", "file.localhost": Rules} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.Origin()+"/robots.txt", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = fmt.Sprintf("%s:%d", host, s.Port())
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if body, err := io.ReadAll(resp.Body); err != nil || !strings.Contains(string(body), want) {
			t.Errorf("%s: got %.200q, %v; want %q in it", host, body, err, want)
		}
	}

	if *serve == "" {
		return
	}
	ctx, stop := signal.NotifyContext(t.Context(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", *serve)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("http://%s lists the sites; allow the address: WHICHRULE_UNSAFE_FETCH_ALLOW=%[1]s\n", l.Addr())
	server := &http.Server{Handler: ByHost()}
	context.AfterFunc(ctx, func() { server.Close() })
	server.Serve(l)
}
