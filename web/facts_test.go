package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"github.com/whichrule/whichrule/web"
)

// A typed host is asked by https; where that cannot work, http is offered.
func TestOfferOfHTTP(t *testing.T) {
	t.Parallel()
	const offered = "/?site=http%3A%2F%2Fexample.com&crawler=bingbot&url=/a"
	for _, tt := range []struct{ name, site, answer, want string }{
		{"no secure connection", "example.com", "!tls", offered},
		{"no connection", "example.com", "!connect", offered},
		{"no answer in time", "example.com", "!timeout", offered},
		{"an address of https", "https://example.com/x", "!tls", offered},
		{"a file", "example.com", "User-agent: *\n", ""},
		{"no such name", "example.com", "!dns", ""},
		{"an answer", "example.com", "!server-error", ""},
		{"http already", "http://example.com", "!connect", ""},
		{"a port of its own", "https://example.com:8443", "!tls", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{bareHTTPS: tt.answer, bareHTTP: tt.answer, bareHTTPS + ":8443": tt.answer}
			w := newWorld(t, nil, func(c *web.Config) {
				c.Tester.Fetcher = webOfHosts{files: files, clock: &clock{at: noon}}
			})
			_, body := w.post(t, "/test", http.Header{}, url.Values{"do": {"fetch"}, "site": {tt.site}, "url": {"/a"}, "crawler": {"bingbot"}})
			doc, err := goquery.NewDocumentFromReader(strings.NewReader(body))
			check(t, err)
			if got := doc.Find(`#facts a.button[href^="/?"]`).AttrOr("href", ""); got != tt.want {
				t.Errorf("got an offer of %q; want %q", got, tt.want)
			}
		})
	}
}
