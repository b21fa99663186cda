package web

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is a listener whose connections are made by the test.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	if c, ok := <-p; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

func (p pipes) Close() error   { return nil }
func (p pipes) Addr() net.Addr { return &net.UnixAddr{} }

// A body may be slow and may pause, but neither stop nor take for ever; and
// what was taken for it is given back.
func TestReceive(t *testing.T) {
	type part struct {
		after time.Duration
		bytes int
	}
	trickle := func(n, bytes int, every time.Duration) []part {
		parts := make([]part, n)
		for i := range parts {
			parts[i] = part{every, bytes}
		}
		return parts
	}
	for _, tt := range []struct {
		name   string
		length int // as announced
		parts  []part
		want   error
		took   time.Duration
	}{
		{"at once", 100, []part{{0, 100}}, nil, 0},
		{"with a pause", 100, []part{{0, 50}, {4 * time.Second, 50}}, nil, 4 * time.Second},
		{"1 MiB over a slow line", 1 << 20, trickle(16, 1<<16, 1500*time.Millisecond), nil, 24 * time.Second},
		{"announced and not sent", 500_000, []part{{0, 1}}, errSlow, receiveStep},
		{"a byte now and then", 500_000, trickle(20, 1, 4*time.Second), errSlow, receiveAll},
		{"hung up", 500_000, []part{{time.Second, 1}, {time.Second, -1}}, errHungUp, 2 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &Site{budget: newBudget()}
				type result struct {
					err  error
					gone error // of the context, a while later
					took time.Duration
					size int
				}
				results := make(chan result, 1)
				server := &http.Server{ReadTimeout: receiveAll, Handler: s.admit(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					start := time.Now()
					err := parseBody(w, r)
					took := time.Since(start)
					if err == nil {
						time.Sleep(2 * receiveAll)
					}
					results <- result{err, r.Context().Err(), took, len(r.PostForm.Get("robots"))}
				}))}
				ln := make(pipes, 1)
				go func() { _ = server.Serve(ln) }()
				here, there := net.Pipe()
				ln <- there
				fmt.Fprintf(here, "POST /test HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n", tt.length)
				go func() { _, _ = io.Copy(io.Discard, bufio.NewReader(here)) }()
				go func() {
					lead := "robots="
					for _, p := range tt.parts {
						time.Sleep(p.after)
						if p.bytes < 0 {
							here.Close()
							return
						}
						text := (lead + strings.Repeat("a", max(p.bytes-len(lead), 0)))[:p.bytes]
						lead = lead[min(len(text), len(lead)):]
						if _, err := io.WriteString(here, text); err != nil {
							return
						}
					}
				}()
				got := <-results
				if !errors.Is(got.err, tt.want) || got.took != tt.took {
					t.Errorf("got %v after %v; want %v after %v", got.err, got.took, tt.want, tt.took)
				}
				if tt.want == nil && (got.size != tt.length-len("robots=") || got.gone != nil) {
					t.Errorf("got %d bytes, and %v later; want all %d and no error", got.size, got.gone, tt.length)
				}
				here.Close()
				close(ln)
				_ = server.Close()
				time.Sleep(receiveStep) // until both sides have ended
				if !s.budget.start.TryAcquire(arrivingStart) || !s.budget.rest.TryAcquire(arrivingRest) ||
					!s.budget.small.TryAcquire(smallShare) || !s.budget.large.TryAcquire(largeShare) {
					t.Error("something is still held")
				}
			})
		})
	}
}
