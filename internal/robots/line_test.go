package robots

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLine(t *testing.T) {
	long := "Disallow: /" + strings.Repeat("a", maxLine)
	for _, tt := range []struct {
		name, text string
		n          int
		want       Line
	}{
		{"as it should be", "User-agent: *\nDisallow: /a\n", 2, Line{Key: "Disallow", Value: "/a"}},
		{"in any case", "\n\nALLOW :/a", 3, Line{Key: "ALLOW", Value: "/a"}},
		{"a typo", "x\rDissalow: /a # x", 2, Line{Key: "Dissalow", Value: "/a", Typo: true}},
		{"a typo of two words", "\r\nuser agent: x\r\n", 2, Line{Key: "user agent", Value: "x", Typo: true}},
		{"a longer key", "\xef\xbb\xbfDisallowed: /a\n", 1, Line{Key: "Disallowed", Value: "/a", Longer: true}},
		{"a longer key of a typo", "site-maps: x", 1, Line{Key: "site-maps", Value: "x", Typo: true, Longer: true}},
		{"no colon", "Disallow  /a", 1, Line{Key: "Disallow", Value: "/a", NoColon: true}},
		{"three words and no colon", "Disallow /a b", 1, Line{}},
		{"an unknown key", "Crawl-delay: 5", 1, Line{Key: "Crawl-delay", Value: "5"}},
		{"a comment", "# Disallow: /", 1, Line{}},
		{"as long as counts", long[:maxLine], 1, Line{Key: "Disallow", Value: long[10:maxLine]}},
		{"too long", "\n" + long, 2, Line{Key: "Disallow", Value: long[10:maxLine], Cut: true}},
		{"too long by a comment alone", long[:maxLine] + "#" + long, 1, Line{Key: "Disallow", Value: long[10:maxLine]}},
		{"the empty last line", "Allow:\n", 2, Line{}},
		{"no such line", "Allow:\n", 3, Line{}},
		{"line 0", "Allow:", 0, Line{}},
		{"escapes before it", "User-agent: *\nDisallow: /é\nAllow: /b", 3, Line{Key: "Allow", Value: "/b"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := Parse([]byte(tt.text), Options{}).Line(tt.n)
			got.Start, got.End = 0, 0 // TestAll has them
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAll(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		limit      int
		want       []string // lines as they stand in the body
	}{
		{"empty", "", 0, []string{""}},
		{"line ends", "a\nb\rc\r\nd\n\re", 0, []string{"a", "b", "c", "d", "", "e"}},
		{"a line end last", "Allow: /a\r\n", 0, []string{"Allow: /a", ""}},
		{"a byte order mark", "\xef\xbb\xbfAllow: /a # b\nb", 0, []string{"Allow: /a # b", "b"}},
		{"a part of one", "\xef\xbba\nb", 0, []string{"a", "b"}},
		{"a NUL", "a\x00b\nc", 0, []string{"a\x00b", "c"}},
		{"bytes that are escaped", "User-agent: *\nDisallow: /é\nAllow: /è", 0, []string{"User-agent: *", "Disallow: /é", "Allow: /è"}},
		{"what does not count", "Allow: /a\nAllow: /b", 12, []string{"Allow: /a", "Al"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := Parse([]byte(tt.text), Options{Limit: tt.limit})
			var got []string
			for n, l := range f.All() {
				got = append(got, tt.text[l.Start:l.End])
				if n != len(got) || l != f.Line(n) {
					t.Errorf("got line %d, %+v; want %d, %+v", n, l, len(got), f.Line(n))
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || f.Lines() != len(got) {
				t.Errorf("(-want +got, of %d lines):\n%s", f.Lines(), diff)
			}
			for range f.All() {
				break // and all is well
			}
		})
	}
}
