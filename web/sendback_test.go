package web_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/PuerkitoBio/goquery"

	"github.com/whichrule/whichrule/internal/tester"
)

// A file that is shown can be sent back as a page sends it, however many bytes
// that takes, and is still the file that was fetched.
func TestFetchedFileSentBack(t *testing.T) {
	const head = "User-agent: *\nDisallow: /a\n"
	rest := tester.MaxText - len(head)
	var wide []byte
	for _, u := range utf16.Encode([]rune("\ufeff" + strings.Repeat("Disallow: /é\n", tester.MaxText/26))) {
		wide = append(wide, byte(u), byte(u>>8))
	}
	largest := strings.Repeat("/"+strings.Repeat("%", 510)+"\n", tester.MaxURLBytes/512)
	for _, tt := range []struct{ name, file string }{
		{"Latin-1", head + strings.Repeat("\xe9", rest)},
		{"UTF-16", string(wide)},
		{"NUL", head + strings.Repeat("\x00", rest)},
		{"line ends", head + strings.Repeat("\n", rest)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, nil)
			w.origin.Serve(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/plain")
				_, _ = w.Write([]byte(tt.file))
			})
			_, body := w.post(t, "/test", nil, url.Values{"site": {w.origin.Origin()}, "do": {"fetch"}})
			doc, err := goquery.NewDocumentFromReader(strings.NewReader(body))
			check(t, err)
			form := url.Values{
				"site": {w.origin.Origin()}, "outcome": {doc.Find("#outcome").AttrOr("value", "")}, "url": {strings.ReplaceAll(largest, "\n", "\r\n")},
				"robots": {strings.ReplaceAll(doc.Find("textarea[name=robots]").Text(), "\n", "\r\n")},
			}
			t.Logf("%d bytes", len(form.Encode()))
			resp, body := w.post(t, "/test", asJSON, form)
			var got struct {
				Source struct{ Kind string }
			}
			check(t, json.Unmarshal([]byte(body), &got))
			if resp.StatusCode != http.StatusOK || got.Source.Kind != "fetch" {
				t.Errorf("test: got %d, source %q, %.300s; want 200 and fetch", resp.StatusCode, got.Source.Kind, body)
			}
			form["do"] = []string{"refetch"}
			if resp, body := w.post(t, "/test", asJSON, form); resp.StatusCode != http.StatusOK {
				t.Errorf("fetch again: got %d, %.300s; want 200", resp.StatusCode, body)
			}
			delete(form, "do")
			form["url"] = []string{"/"}
			if resp, body := w.post(t, "/share", asJSON, form); resp.StatusCode != http.StatusCreated {
				t.Errorf("share: got %d, %.300s; want 201", resp.StatusCode, body)
			}
			delete(form, "outcome")
			if resp, _ := w.post(t, "/test", asJSON, form); len(form.Encode()) > 5<<20 && resp.StatusCode != http.StatusRequestEntityTooLarge {
				t.Errorf("as a text of one's own: got %d; want 413", resp.StatusCode)
			}
		})
	}
}
