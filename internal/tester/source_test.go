package tester

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/whichrule/whichrule/internal/fetch"
)

// origin is what a test of the source looks at: where the text came from, and
// what was asked of the network for it.
type origin struct {
	Site      string
	Text      string
	Fetched   string // id of the outcome, "" for a paste
	Edited    bool
	Forgotten bool
	Asked     []string // sites asked
	Again     int
}

func (w *world) origin(r *Report) origin {
	o := origin{Text: string(r.Source.Text), Edited: !r.Source.EditedAt.IsZero(), Forgotten: r.Source.Forgotten, Asked: w.fetched, Again: w.again}
	if r.Source.Site != nil {
		o.Site = r.Source.Site.String()
	}
	if r.Source.Fetched() {
		o.Fetched = r.Source.Fetch.ID
	}
	return o
}

func TestSource(t *testing.T) {
	const held = "User-agent: *\nDisallow: /held\n"
	const live = "User-agent: *\nDisallow: /live\n"
	asked := []string{shop}
	for _, tt := range []struct {
		name string
		in   Request
		want origin
	}{
		{"a paste", Request{Text: []byte("a")}, origin{Text: "a"}},
		{"a paste for a site", Request{Text: []byte("a"), Site: "shop.example.com"}, origin{Text: "a", Site: shop}},
		{"one newline is an empty file", Request{Text: []byte("\n"), Site: shop}, origin{Text: "\n", Site: shop}},
		{"nothing but a site fetches", Request{Site: shop}, origin{Text: live, Site: shop, Fetched: "fetched", Asked: asked}},
		{"fetch replaces the text", Request{Text: []byte("a"), Site: shop, Do: DoFetch}, origin{Text: live, Site: shop, Fetched: "fetched", Asked: asked}},
		{"refetch passes what is held by", Request{Site: shop, Do: DoRefetch}, origin{Text: live, Site: shop, Fetched: "fetched", Asked: asked, Again: 1}},
		{"fetch forgets that the text was edited", Request{Text: []byte("a"), Site: shop, Outcome: "h", Do: DoFetch}, origin{Text: live, Site: shop, Fetched: "fetched", Asked: asked}},
		{"the site of a fetch is normalised", Request{Site: " HTTPS://Shop.Example.COM:443/robots.txt ", Do: DoFetch}, origin{Text: live, Site: shop, Fetched: "fetched", Asked: asked}},

		{"an outcome and its text", Request{Text: []byte(held), Site: shop, Outcome: "h"}, origin{Text: held, Site: shop, Fetched: "h"}},
		{"without the site", Request{Text: []byte(held), Outcome: "h"}, origin{Text: held, Site: shop, Fetched: "h"}},
		{"the text was edited", Request{Text: []byte(held + "#"), Site: shop, Outcome: "h"}, origin{Text: held + "#", Site: shop, Edited: true}},
		{"a blank at the end is an edit", Request{Text: []byte(held + " "), Site: shop, Outcome: "h"}, origin{Text: held + " ", Site: shop, Edited: true}},
		{"the text was emptied", Request{Site: shop, Outcome: "h"}, origin{Text: live, Site: shop, Fetched: "fetched", Asked: asked}},
		{"the site was changed", Request{Text: []byte(held), Site: "other.example.com", Outcome: "h"}, origin{Text: held, Site: "https://other.example.com"}},
		{"only the scheme was changed", Request{Text: []byte(held), Site: "http://shop.example.com", Outcome: "h"}, origin{Text: held, Site: "http://shop.example.com"}},
		{"the outcome is no longer held", Request{Text: []byte(held), Site: shop, Outcome: "gone"}, origin{Text: held, Site: shop, Forgotten: true}},
		{"no longer held, and no text", Request{Site: shop, Outcome: "gone"}, origin{Text: live, Site: shop, Fetched: "fetched", Asked: asked}},
		{"a failed fetch keeps its facts", Request{Site: shop, Outcome: "404"}, origin{Text: "", Site: shop, Fetched: "404"}},
		{"text typed below a failed fetch", Request{Text: []byte("a"), Site: shop, Outcome: "404"}, origin{Text: "a", Site: shop}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			w.body = live
			w.hold("h", shop, held)
			w.hold("404", shop, "")
			w.held["404"].Kind, w.held["404"].Status = fetch.ClientError, 404
			if diff := cmp.Diff(tt.want, w.origin(w.test(t, tt.in))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A textarea gives a text back with other line ends and without what is no
// character. That is no edit, and the bytes that the site served are tested.
func TestSourceAsTextarea(t *testing.T) {
	for _, tt := range []struct {
		name, body, sent string
		kept             bool
	}{
		{"LF for CRLF", "a\r\nb\r\n", "a\nb\n", true},
		{"CRLF as a browser sends it", "a\nb\n", "a\r\nb\r\n", true},
		{"LF for CR", "a\rb", "a\nb", true},
		{"two line ends for CR CR LF", "a\r\r\nb", "a\n\nb", true},
		{"NUL", "a\x00b", "a\ufffdb", true},
		{"a byte that is no UTF-8", "caf\xe9", "caf\ufffd", true},
		{"a cut character is one", "\xe2\x9c!", "\ufffd!", true},
		{"a byte order mark stays", "\ufeffa", "\ufeffa", true},
		{"without the byte order mark", "\ufeffa", "a", false},
		{"a newline at the start", "\na", "\na", true},
		{"without the newline at the start", "\na", "a", false},
		{"another line end at the end", "a\n", "a\n\n", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			w.hold("h", shop, tt.body)
			r := w.test(t, Request{Text: []byte(tt.sent), Site: shop, Outcome: "h"})
			if r.Source.Fetched() != tt.kept {
				t.Fatalf("got fetched %t; want %t", r.Source.Fetched(), tt.kept)
			}
			want := tt.sent
			if tt.kept {
				want = tt.body
			}
			if got := string(r.Source.Text); got != want {
				t.Errorf("got text %q; want %q", got, want)
			}
		})
	}
}

// What a report says of a fetch are its facts, without what only the log may
// know, and without a second copy of the text.
func TestSourceFacts(t *testing.T) {
	w := newWorld(t)
	w.body = "User-agent: *\nDisallow: /live\n"
	r := w.test(t, Request{Site: shop, Do: DoFetch})
	want := outcome("fetched", originOf(shop), "")
	want.Body, want.Detail = nil, ""
	if diff := cmp.Diff(want, r.Source.Fetch); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if w.held["fetched"].Detail == "" || len(w.held["fetched"].Body) == 0 {
		t.Error("the outcome that the store holds was changed")
	}
	if got := w.test(t, Request{Text: []byte(w.body + "#"), Outcome: "fetched"}).Source.EditedAt; !got.Equal(breakfast) {
		t.Errorf("got edited after the fetch of %v; want %v", got, breakfast)
	}
}

func TestSourceRefused(t *testing.T) {
	long := strings.Repeat("a", 2084)
	for _, tt := range []struct {
		name string
		in   Request
		want Error
	}{
		{"nothing at all", Request{}, Error{Kind: "nothing-given", Field: "robots"}},
		{"a site of blanks", Request{Site: " \t"}, Error{Kind: "nothing-given", Field: "robots"}},
		{"URLs but no text", Request{URLs: []string{"/a"}}, Error{Kind: "nothing-given", Field: "robots"}},
		{"an outcome that is gone, and nothing else", Request{Outcome: "gone"}, Error{Kind: "nothing-given", Field: "robots"}},
		{"fetch without a site", Request{Do: DoFetch, Text: []byte("a")}, Error{Kind: "site-empty", Field: "site"}},
		{"refetch without a site", Request{Do: DoRefetch}, Error{Kind: "site-empty", Field: "site"}},
		{"a site of characters that nobody sees", Request{Site: "\u200b"}, Error{Kind: "site-empty", Field: "site", Got: "\u200b"}},
		{"javascript:", Request{Site: "javascript:alert(1)"}, Error{Kind: "site-scheme", Field: "site", Got: "javascript:alert(1)"}},
		{"ftp:", Request{Site: "ftp://shop.example.com", Do: DoFetch}, Error{Kind: "site-scheme", Field: "site", Got: "ftp://shop.example.com"}},
		{"file:", Request{Site: "file:///etc/passwd"}, Error{Kind: "site-scheme", Field: "site", Got: "file:///etc/passwd"}},
		{"no host", Request{Site: "https://"}, Error{Kind: "site-host", Field: "site", Got: "https://"}},
		{"a sentence", Request{Site: "not a host"}, Error{Kind: "site-host", Field: "site", Got: "not a host"}},
		{"a port that no host has", Request{Site: "shop.example.com:99999"}, Error{Kind: "site-port", Field: "site", Got: "shop.example.com:99999"}},
		{"a user name", Request{Site: "https://me:x@shop.example.com"}, Error{Kind: "site-userinfo", Field: "site", Got: "https://me:x@shop.example.com"}},
		{"too long, and quoted short", Request{Site: long}, Error{Kind: "site-too-long", Field: "site", Got: strings.Repeat("a", 79) + "…"}},
		{"a wrong site beside a text", Request{Text: []byte("a"), Site: "ftp://x"}, Error{Kind: "site-scheme", Field: "site", Got: "ftp://x"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			if diff := cmp.Diff(&tt.want, w.fails(t, tt.in)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if len(w.fetched) > 0 {
				t.Errorf("asked %v; want nobody", w.fetched)
			}
		})
	}
}

// The URL under test comes from the site field when none is given.
func TestURLOfSite(t *testing.T) {
	for _, tt := range []struct {
		name, site string
		urls       []string
		want       []string
	}{
		{"no path", "shop.example.com", nil, []string{"/"}},
		{"the root", "https://shop.example.com/", nil, []string{"/"}},
		{"a page", "https://shop.example.com/some/page?x=1#top", nil, []string{"/some/page?x=1"}},
		{"a query alone", "shop.example.com?x=1", nil, []string{"/?x=1"}},
		{"the file itself", "shop.example.com/robots.txt", nil, []string{"/"}},
		{"a file that nobody reads", "shop.example.com/x/robots.txt", nil, []string{"/"}},
		{"a file in capitals", "shop.example.com/Robots.TXT", nil, []string{"/"}},
		{"URLs go before", "shop.example.com/some/page", []string{"/a", "/b"}, []string{"/a", "/b"}},
		{"blank lines are no URLs", "shop.example.com/some/page", []string{"", "  "}, []string{"/some/page"}},
		{"blanks around a URL", "", []string{" \t/a \r", "", "/b"}, []string{"/a", "/b"}},
		{"the same URL twice stays twice", "", []string{"/a", "/a"}, []string{"/a", "/a"}},
		{"no site", "", nil, []string{"/"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newWorld(t).test(t, Request{Text: []byte("\n"), Site: tt.site, URLs: tt.urls})
			var got []string
			for _, u := range r.URLs {
				got = append(got, u.URL)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Leave is asked for each request that leaves this machine, and for nothing
// else: what is held costs nobody anything.
func TestAllowFetch(t *testing.T) {
	limit := errors.New("too many")
	for _, tt := range []struct {
		name    string
		in      Request
		asked   int
		refused bool
	}{
		{"a paste", Request{Text: []byte("a"), Site: shop}, 0, false},
		{"a fetch", Request{Site: shop, Do: DoFetch}, 1, true},
		{"no text", Request{Site: shop}, 1, true},
		{"what serves for the origin", Request{Site: "https://held.example.com", Do: DoFetch}, 0, false},
		{"again", Request{Site: "https://held.example.com", Do: DoRefetch}, 1, true},
		{"the text of a held outcome", Request{Text: []byte("held"), Outcome: "h"}, 0, false},
		{"a port that is never asked", Request{Site: "https://shop.example.com:8443", Do: DoFetch}, 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, answer := range []error{nil, limit} {
				w := newWorld(t)
				w.hold("h", "https://held.example.com", "held")
				w.origins["https://held.example.com"] = w.held["h"]
				asked := 0
				tt.in.AllowFetch = func() error {
					asked++
					return answer
				}
				_, err := w.Test(t.Context(), tt.in)
				if want := tt.refused && answer != nil; errors.Is(err, limit) != want || !want && err != nil {
					t.Errorf("leave %v: got error %v", answer, err)
				}
				if asked != tt.asked {
					t.Errorf("leave %v: asked %d times; want %d", answer, asked, tt.asked)
				}
				if answer != nil && asked > 0 && len(w.fetched) > 0 {
					t.Errorf("asked %v without leave", w.fetched)
				}
			}
		})
	}
}

// A site that fails shows its last good copy, if one is held; what is tested is
// today's answer all the same.
func TestStale(t *testing.T) {
	const copied = "User-agent: *\nDisallow: /\n"
	for _, kind := range fetch.Kinds() {
		t.Run(string(kind), func(t *testing.T) {
			want := kind != fetch.OK && kind != fetch.ClientError
			w := newWorld(t)
			w.kind = kind
			for _, held := range []bool{false, true} {
				if held {
					w.goods[shop] = outcome("good", originOf(shop), copied)
				}
				fetched := w.test(t, Request{Site: shop, Do: DoRefetch})
				for _, r := range []*Report{fetched, w.test(t, Request{Site: shop, Outcome: "fetched"})} {
					stale := r.Source.Stale
					if got := stale != nil; got != (want && held) {
						t.Fatalf("held %t: got a stale copy %t; want %t", held, got, want && held)
					}
					if stale != nil && (stale.ID != "good" || string(stale.Body) != copied || stale.Detail != "" || len(r.Source.Text) > 0) {
						t.Errorf("got %+v and the text %q; want the good copy whole, and no text", stale, r.Source.Text)
					}
				}
			}
		})
	}
}

// A client is not charged for a fetch that the domain's limit forbids.
func TestMayAsk(t *testing.T) {
	w := newWorld(t)
	busy := &BusyError{Domain: "example.com", Retry: 15 * time.Second}
	var asked []string
	w.MayAsk = func(_ context.Context, o fetch.Origin) error {
		asked = append(asked, o.String())
		return busy
	}
	charged := 0
	q := Request{Site: shop, Do: DoFetch, AllowFetch: func() error { charged++; return nil }}
	_, err := w.Test(t.Context(), q)
	if got := (*BusyError)(nil); !errors.As(err, &got) || got != busy {
		t.Errorf("got %v; want %v", err, busy)
	}
	if diff := cmp.Diff([]string{shop}, asked); diff != "" || charged != 0 || len(w.fetched) != 0 {
		t.Errorf("charged %d, fetched %v; want nothing (-want +got asked):\n%s", charged, w.fetched, diff)
	}
	w.MayAsk = func(context.Context, fetch.Origin) error { return nil }
	if w.test(t, q); charged != 1 || len(w.fetched) != 1 {
		t.Errorf("with leave: charged %d, fetched %v; want one of each", charged, w.fetched)
	}
}

// Why an earlier outcome serves is in the report.
func TestHeld(t *testing.T) {
	for _, why := range []Held{"", HeldAgain, HeldDomain} {
		w := newWorld(t)
		w.Outcomes.(*fakeOutcomes).fresh = func(context.Context, string, bool, Load) (*fetch.Outcome, Held, error) {
			return outcome("earlier", originOf(shop), "Disallow:"), why, nil
		}
		if got := w.test(t, Request{Site: shop, Do: DoRefetch}).Source; got.Held != why || got.Fetch.ID != "earlier" {
			t.Errorf("got %s, held %q; want earlier, held %q", got.Fetch.ID, got.Held, why)
		}
	}
}

// Who gives up gets the reason of his own context.
func TestSourceGivenUp(t *testing.T) {
	w := newWorld(t)
	w.Outcomes.(*fakeOutcomes).fresh = func(ctx context.Context, _ string, _ bool, _ Load) (*fetch.Outcome, Held, error) {
		return nil, "", ctx.Err()
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.Test(ctx, Request{Site: shop}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v; want %v", err, context.Canceled)
	}
}
