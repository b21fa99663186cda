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
		{"as it should be", "User-agent: *\nDisallow: /a\n", 2, Line{Key: "Disallow"}},
		{"in any case", "\n\nALLOW :/a", 3, Line{Key: "ALLOW"}},
		{"a typo", "x\rDissalow: /a # x", 2, Line{Key: "Dissalow", Typo: true}},
		{"a typo of two words", "\r\nuser agent: x\r\n", 2, Line{Key: "user agent", Typo: true}},
		{"a longer key", "\xef\xbb\xbfDisallowed: /a\n", 1, Line{Key: "Disallowed", Longer: true}},
		{"a longer key of a typo", "site-maps: x", 1, Line{Key: "site-maps", Typo: true, Longer: true}},
		{"no colon", "Disallow  /a", 1, Line{Key: "Disallow", NoColon: true}},
		{"three words and no colon", "Disallow /a b", 1, Line{}},
		{"an unknown key", "Crawl-delay: 5", 1, Line{Key: "Crawl-delay"}},
		{"a comment", "# Disallow: /", 1, Line{}},
		{"as long as counts", long[:maxLine], 1, Line{Key: "Disallow"}},
		{"too long", "\n" + long, 2, Line{Key: "Disallow", Cut: true}},
		{"too long by a comment alone", long[:maxLine] + "#" + long, 1, Line{Key: "Disallow"}},
		{"the empty last line", "Allow:\n", 2, Line{}},
		{"no such line", "Allow:\n", 3, Line{}},
		{"line 0", "Allow:", 0, Line{}},
		{"escapes before it", "User-agent: *\nDisallow: /é\nAllow: /b", 3, Line{Key: "Allow"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Parse([]byte(tt.text), Options{}).Line(tt.n)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
