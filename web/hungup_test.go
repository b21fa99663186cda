package web_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/whichrule/whichrule/internal/fetch"
	"github.com/whichrule/whichrule/internal/obs"
	"github.com/whichrule/whichrule/internal/tester"
	"github.com/whichrule/whichrule/web"
)

// hangingOutcomes fetches until the caller gives up.
type hangingOutcomes struct {
	tester.Outcomes
	asked chan struct{}
}

func (h *hangingOutcomes) Fresh(ctx context.Context, _ string, _ bool, _ tester.Load) (*fetch.Outcome, tester.Held, error) {
	h.asked <- struct{}{}
	<-ctx.Done()
	return nil, "", ctx.Err()
}

// Who hangs up during a fetch is one line of the log, and no fault of ours.
func TestHungUp(t *testing.T) {
	test := url.Values{"site": {"http://shop.example.com"}, "do": {"fetch"}}.Encode()
	for _, tt := range []struct {
		name, method, path, body string
		header                   http.Header
	}{
		{"a page", http.MethodPost, "/test", test, nil},
		{"the page's own cancel", http.MethodPost, "/test", test, asPart},
		{"JSON", http.MethodPost, "/test", test, asJSON},
		{"CSV", http.MethodPost, "/test", test, http.Header{"Accept": {"text/csv"}}},
		{"an address", http.MethodGet, "/?site=shop.example.com", "", nil},
		{"a share", http.MethodPost, "/share", "site=shop.example.com", asPart},
		{"hosts", http.MethodGet, "/hosts?site=shop.example.com", "", nil},
		{"hosts as JSON", http.MethodGet, "/hosts?site=shop.example.com", "", asJSON},
	} {
		t.Run(tt.name, func(t *testing.T) {
			metrics := obs.NewMetrics("test")
			hang := &hangingOutcomes{asked: make(chan struct{}, 4)}
			w := newWorld(t, nil, func(c *web.Config) {
				hang.Outcomes, c.Tester.Outcomes, c.Metrics = c.Tester.Outcomes, hang, metrics
			})
			ctx, cancel := context.WithCancel(t.Context())
			req, err := http.NewRequestWithContext(ctx, tt.method, w.server.URL+tt.path, strings.NewReader(tt.body))
			check(t, err)
			req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			for name, values := range tt.header {
				req.Header[name] = values
			}
			go func() {
				<-hang.asked
				cancel()
			}()
			if resp, err := w.client.Do(req); err == nil {
				resp.Body.Close()
				t.Fatalf("got %d; want no answer", resp.StatusCode)
			}
			w.awaitLine(t, `"status":499`)
			if log := w.log.String(); strings.Count(log, "\n") != 1 || !strings.Contains(log, `"level":"INFO"`) {
				t.Errorf("got %s; want one line", log)
			}
			shown := httptest.NewRecorder()
			metrics.Handler().ServeHTTP(shown, httptest.NewRequest(http.MethodGet, "/metrics", nil))
			if got := shown.Body.String(); !strings.Contains(got, `status="canceled"} 1`) || strings.Contains(got, `status="5xx"`) {
				t.Errorf("got %s; want one canceled", got)
			}
		})
	}
}

// awaitLine waits until the log holds what comes after the answer.
func (w *world) awaitLine(t *testing.T, want string) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !strings.Contains(w.log.String(), want); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("got %s; want %s", w.log, want)
		}
	}
}

// Who hangs up while a body arrives has not sent a bad form.
func TestHungUpUpload(t *testing.T) {
	for _, path := range []string{"/test", "/share"} {
		w := newWorld(t, nil)
		c := w.upload(t, path, 500_000, "robots=")
		c.Close()
		w.awaitLine(t, `"status":499`)
		if log := w.log.String(); strings.Count(log, "\n") != 1 {
			t.Errorf("%s: got %s; want one line", path, log)
		}
	}
}
