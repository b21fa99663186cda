package tester

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOthers(t *testing.T) {
	for _, tt := range []struct {
		name, robots, crawler, url string
		want                       []Other
	}{
		{"all agree", "User-agent: *\nDisallow: /a\n", "bingbot", "/a", nil},
		{"a longer Allow below", "User-agent: *\nDisallow: /a\nAllow: /a/b\n", "bingbot", "/a/b",
			[]Other{{"first-match", Blocked, 2}}},
		{"a key with a typo, a wildcard", "User-agent: *\nDissalow: /*.pdf\n", "bingbot", "/x.pdf",
			[]Other{{"rfc9309", Allowed, 0}, {"first-match", Allowed, 0}}},
		{"RFC 9309 §2.2.2: an escape of an unreserved character", "User-agent: *\nDisallow: /~joe\n", "bingbot", "/%7Ejoe",
			[]Other{{"rfc9309", Blocked, 2}}},
		{"a fallback name", "User-agent: Googlebot\nDisallow: /a\n", "Googlebot-Image", "/a", nil},
		{"no rule decides", "User-agent: *\nDisallow: /\n", "Perplexity-User", "/a", nil},
		{"the file itself", "User-agent: *\nDisallow: /\n", "bingbot", "/robots.txt", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := newWorld(t).Test(context.Background(), Request{Text: []byte(tt.robots), Crawlers: []string{tt.crawler}, URLs: []string{tt.url}})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, r.Others(Cell{Row: 1, Col: 1})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			r.Engine = "another"
			if got := r.Others(Cell{Row: 1, Col: 1}); got != nil {
				t.Errorf("of another version of the engine: got %v; want nothing", got)
			}
		})
	}
}
