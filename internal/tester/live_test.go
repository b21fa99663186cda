package tester

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/whichrule/whichrule/internal/crawlers"
	"github.com/whichrule/whichrule/internal/fetch"
)

// compare tests once with each of two files, and compares.
func (w *world) compare(t *testing.T, q Request, then, now string, kindNow fetch.Kind) *Comparison {
	t.Helper()
	q.Do = DoRefetch
	w.body = then
	before := w.test(t, q)
	w.body, w.kind = now, kindNow
	c, err := w.Compare(t.Context(), before, w.test(t, q))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// show writes the flips, a line each.
func (c *Comparison) show() []string {
	var out []string
	for _, f := range c.Flips {
		a, b := c.Then.At(f.Row, f.Col), c.Now.At(f.Row, f.NowCol)
		out = append(out, fmt.Sprintf("%s %s: %s %d, %s %d", c.Then.URLs[f.Row].URL, c.Then.Crawlers[f.Col].Choice.Crawler.Token, a.Verdict, a.Line, b.Verdict, b.Line))
	}
	return out
}

func TestCompare(t *testing.T) {
	const file = "User-agent: *\nDisallow: /a\n\nUser-agent: GPTBot\nDisallow: /\n"
	two := Request{Site: shop, URLs: []string{"/a", "/b"}, Crawlers: []string{"Googlebot", "GPTBot"}}
	for _, tt := range []struct {
		name  string
		in    Request
		now   string
		kind  fetch.Kind
		want  []string
		moved int
	}{
		{"nothing changed", two, file, fetch.OK, nil, 0},
		{"a comment changed", two, "# new\n" + file, fetch.OK, nil, 0},
		{"those blocked now stand first, then those allowed", two, "User-agent: *\nDisallow: /b\n\nUser-agent: GPTBot\nDisallow:\n", fetch.OK,
			[]string{"/b Googlebot: allowed 0, blocked 2", "/a Googlebot: blocked 2, allowed 0", "/a GPTBot: blocked 5, allowed 5", "/b GPTBot: blocked 5, allowed 5"}, 0},
		{"another rule, the same verdict", two, strings.Replace(file, "Disallow: /a", "Disallow: /*a", 1), fetch.OK, nil, 1},
		{"another reason, the same verdict", two, strings.Replace(file, "Disallow: /a", "Disallow: /a\nAllow: /b", 1), fetch.OK, nil, 1},
		{"the file is gone", two, "", fetch.ClientError,
			[]string{"/a Googlebot: blocked 2, allowed 0", "/a GPTBot: blocked 5, allowed 0", "/b GPTBot: blocked 5, allowed 0"}, 1},
		{"the server fails", two, "", fetch.ServerError, []string{"/b Googlebot: allowed 0, blocked 0"}, 3},
		{"rows that no file covers never flip", Request{Site: shop, URLs: []string{"https://other.example.com/", "mailto:a@b", "/a"}, Crawlers: []string{"Googlebot"}}, "", fetch.OK,
			[]string{"/a Googlebot: blocked 2, allowed 0"}, 0},
		{"no answer can be tested", two, "", fetch.TLS,
			[]string{"/a Googlebot: blocked 2, not-tested 0", "/a GPTBot: blocked 5, not-tested 0", "/b Googlebot: allowed 0, not-tested 0", "/b GPTBot: blocked 5, not-tested 0"}, 0},
		{"who does not obey stays allowed", Request{Site: shop, URLs: []string{"/b"}, Crawlers: []string{"Perplexity-User"}}, "User-agent: *\nDisallow: /\n", fetch.OK, nil, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newWorld(t).compare(t, tt.in, file, tt.now, tt.kind)
			if diff := cmp.Diff(tt.want, c.show()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if c.Moved != tt.moved {
				t.Errorf("got %d moved; want %d", c.Moved, tt.moved)
			}
		})
	}
}

// A pasted text is compared with what its site serves.
func TestComparePaste(t *testing.T) {
	w := newWorld(t)
	w.body = "User-agent: *\nDisallow: /\n"
	q := Request{Text: []byte("User-agent: *\nDisallow:\n"), Site: shop, URLs: []string{"/"}, Crawlers: []string{"Googlebot"}}
	then := w.test(t, q)
	q.Text, q.Do = nil, DoFetch
	c, err := w.Compare(t.Context(), then, w.test(t, q))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"/ Googlebot: allowed 2, blocked 2"}, c.show()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"1 1 User-agent: *", "2 - Disallow:", "2 + Disallow: /"}, c.Text.show()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A share of an older version may have two columns for what the catalogue now
// knows as one crawler. Both are compared with that one.
func TestCompareMergedColumns(t *testing.T) {
	w := newWorld(t)
	q := Request{Site: shop, URLs: []string{"/a"}, Crawlers: []string{"Somebot", "Googlebot", "GPTBot"}}
	w.body = "User-agent: *\nDisallow: /a\n"
	then := w.test(t, q)
	then.Crawlers[0].Choice = crawlers.Choice{Typed: "googlebot", Crawler: crawlers.Crawler{Token: "googlebot-old"}}
	w.body = ""
	now := w.test(t, Request{Site: shop, Do: DoRefetch, URLs: q.URLs, Crawlers: []string{"googlebot", "Googlebot", "GPTBot"}})
	c, err := w.Compare(t.Context(), then, now)
	if err != nil {
		t.Fatal(err)
	}
	want := []Flip{{Row: 0, Col: 0, NowCol: 0}, {Row: 0, Col: 1, NowCol: 0}, {Row: 0, Col: 2, NowCol: 1}}
	if diff := cmp.Diff(want, c.Flips); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A comparison computes as a test does: within the slots, and not for one who
// has left.
func TestCompareSlots(t *testing.T) {
	w := newWorld(t)
	r := w.test(t, Request{Text: []byte("a")})
	w.Slots = make(chan struct{}, 1)
	for range 2 { // the first gives its slot back
		if _, err := w.Compare(t.Context(), r, r); err != nil {
			t.Fatal(err)
		}
	}
	w.Slots <- struct{}{}
	ctx, leave := context.WithCancel(context.Background())
	leave()
	if _, err := w.Compare(ctx, r, r); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v; want %v", err, context.Canceled)
	}
}
