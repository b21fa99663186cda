package fetch

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/whichrule/whichrule/internal/testkit"
)

// TestBehaviours: whatever a site does, a fetch gives the outcome that the list promises and never more than its bounds,
// and the text of a site that serves the file in its own way is that file.
func TestBehaviours(t *testing.T) {
	zeros := string(make([]byte, BodyLimit))
	bodies := map[string]string{
		"status-204": "", "status-206": "# one", "hints": "# ok", "chunks": "# ok", "gzip-empty": "",
		"gzip-bomb": zeros, "deflate-bomb": zeros, "br-bomb": zeros, "zstd-bomb": zeros, "bomb-in-bomb": zeros,
		"mark":         "\ufeff" + testkit.Rules,
		"utf-16":       utf16Bytes(binary.LittleEndian, "\ufeff"+testkit.Rules),
		"utf-16be":     utf16Bytes(binary.BigEndian, testkit.Rules),
		"latin-1":      testkit.Rules + "Disallow: /caf\xe9\n",
		"zero":         testkit.Rules + "Disallow: /a\x00b\n",
		"html":         "<!DOCTYPE html><title>Shop</title>\n<p>Welcome</p>\n",
		"html-as-text": "<!DOCTYPE html><title>Shop</title>\n",
		"body-endless": strings.Repeat("Disallow: /a\n", BodyLimit/13+1)[:BodyLimit],
	}
	s := testkit.NewSite(t)
	s.Serve(testkit.ByHost())
	seen := map[Kind]bool{DNS: true, Connect: true, TLS: true} // come before any answer
	for _, b := range testkit.Behaviours() {
		seen[Kind(b.Kind)] = true
		t.Run(b.Name, func(t *testing.T) {
			c := Config{}
			if b.Kind == string(Timeout) {
				c.Timeout = 200 * time.Millisecond
			}
			out := must(fetcherFor(t, c, s).Fetch(t.Context(), origin("http", b.Name+".localhost", s.Port())))
			if string(out.Kind) != b.Kind {
				t.Fatalf("%s: got %s (%s); want %s", b.Does, out.Kind, out.Detail, b.Kind)
			}
			want, ok := bodies[b.Name]
			if !ok && out.Kind == OK {
				want = testkit.Rules
			}
			if string(out.Body) != want || out.More != (len(want) == BodyLimit) {
				t.Errorf("%s: got %.100q, %d bytes, more %t; want %.100q", b.Does, out.Body, len(out.Body), out.More, want)
			}
		})
	}
	for _, k := range Kinds() {
		if !seen[k] {
			t.Errorf("no behaviour gives %s", k)
		}
	}
}

// TestBehaviourFacts: what is odd about an answer that was read is there for the page to say.
func TestBehaviourFacts(t *testing.T) {
	s := testkit.NewSite(t)
	s.Serve(testkit.ByHost())
	f := fetcherFor(t, Config{}, s)
	get := func(name string) *Outcome {
		return must(f.Fetch(t.Context(), origin("http", name+".localhost", s.Port())))
	}
	for name, want := range map[string]Look{
		"file":         {Type: "text/plain", Charset: "utf-8"},
		"mark":         {Type: "text/plain", Charset: "utf-8", Mark: true},
		"utf-16":       {Type: "text/plain", Charset: "utf-16", UTF16: true, NUL: 1, Invalid: 1},
		"utf-16be":     {Type: "text/plain", UTF16: true, NUL: 1},
		"latin-1":      {Type: "text/plain", Charset: "iso-8859-1", Invalid: 3},
		"zero":         {Type: "text/plain", Charset: "utf-8", NUL: 3},
		"html":         {Type: "text/html", Charset: "utf-8", HTML: true},
		"html-as-text": {Type: "text/plain", HTML: true},
		"text-as-html": {Type: "text/html"},
		"no-charset":   {Type: "text/plain"},
		"no-type":      {},
		"odd-type":     {},
		"two-types":    {Type: "text/plain"},
	} {
		out := get(name)
		if diff := cmp.Diff(want, LookAt(out.ContentType, out.Body)); diff != "" {
			t.Errorf("%s: got +; want -\n%s", name, diff)
		}
	}
	if got := get("cache-two").CacheControl; got != "max-age=60, max-age=3600" {
		t.Errorf("cache-two: got Cache-Control %q; want both", got)
	}
	if got := get("stacked").Encoding; got != "deflate, br, zstd" {
		t.Errorf("stacked: got encoding %q; want all three", got)
	}
	if got := get("redirect-two"); got.Location != "/1, /2" || len(got.Hops) != 1 {
		t.Errorf("redirect-two: got Location %q, hops %v; want both, one hop", got.Location, got.Hops)
	}
	if got := get("redirect-odd"); len(got.Hops) != 2 || !strings.HasSuffix(got.FinalURL, "/%C3%B6%20b?%C3%B6%20b") {
		t.Errorf("redirect-odd: got hops %v; want the address escaped", got.Hops)
	}
	// What a redirect led to and we did not ask is the last hop.
	for _, name := range []string{"redirect-private", "redirect-metadata", "redirect-odd-private", "redirect-port"} {
		if got := statuses(get(name)); !slices.Equal(got, []int{302, 0}) {
			t.Errorf("%s: got statuses %v; want 302 and 0", name, got)
		}
	}
}
