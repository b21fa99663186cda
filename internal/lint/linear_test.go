package lint

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/whichrule/whichrule/internal/robots"
)

// hostile are files made to be slow for kinds that compare lines or groups, by size in
// bytes.
var hostile = []struct {
	name string
	make func(size int) string
}{
	{"groups of one", func(size int) string {
		return repeat(size, func(n int) string { return fmt.Sprintf("User-agent: bot%c%d\nDisallow: /\n", 'a'+n%26, n) })
	}},
	{"groups without rules", func(size int) string {
		return repeat(size, func(n int) string { return "User-agent: Googlebot\n\nUser-agent: *\n\n" }) + "Disallow: /"
	}},
	{"one group scattered", func(size int) string {
		return repeat(size, func(n int) string { return fmt.Sprintf("User-agent: *\nAllow: /%d\n", n) })
	}},
	{"names in one group", func(size int) string {
		return repeat(size, func(n int) string { return fmt.Sprintf("User-agent: a%d\n\n", n) }) + "Disallow: /"
	}},
	{"prefixes", func(size int) string {
		return "User-agent: *\n" + repeat(size, func(n int) string { return "Disallow: /" + strings.Repeat("a", n%200) + "\n" })
	}},
	{"long prefixes", func(size int) string {
		return "User-agent: *\n" + repeat(size, func(n int) string { return "Disallow: /" + strings.Repeat("a", 2000-n) + "\n" })
	}},
	{"wildcards", func(size int) string {
		return "User-agent: *\n" + repeat(size, func(n int) string { return fmt.Sprintf("Disallow: /*?a%d=\nAllow: /*b%d$\n", n, n) })
	}},
	{"many wildcards", func(size int) string {
		return "User-agent: *\n" + repeat(size, func(n int) string {
			return "Disallow: /" + strings.Repeat("*a", 500) + fmt.Sprint(n) + "\n"
		})
	}},
	{"ties", func(size int) string {
		return "User-agent: *\n" + repeat(size, func(n int) string { return fmt.Sprintf("Disallow: /%d\nAllow: /%d\n", n, n) })
	}},
	{"the same rule", func(size int) string {
		return "User-agent: *\n" + repeat(size, func(n int) string { return "Disallow: /a\n" })
	}},
	{"ties of groups", func(size int) string {
		return repeat(size, func(n int) string {
			return fmt.Sprintf("User-agent:b%c%c%c\nAllow:/a\nDisallow:/a\n", 'a'+n%26, 'a'+n/26%26, 'a'+n/676)
		})
	}},
	{"groups of unknown and known names", func(size int) string {
		return repeat(size, func(n int) string {
			return fmt.Sprintf("User-agent:b%d\nUser-agent:NaverBot x%d\nAllow:/a\nDisallow:/a\nDisallow:/ab\nAllow:/\n", n, n)
		})
	}},
	{"Crawl-delays of one group", func(size int) string {
		return strings.Repeat("User-agent: a\n", size/28) + strings.Repeat("Crawl-delay: 1\n", size/30)
	}},
	{"Crawl-delays of pairs", func(size int) string {
		return repeat(size, func(n int) string { return "User-agent: a\nCrawl-delay: 1\n" })
	}},
	{"a large group, then small ones", func(size int) string {
		return "User-agent: *\n" + repeat(size/2, func(n int) string { return fmt.Sprintf("Disallow:/%d\n", n) }) +
			repeat(size/2, func(n int) string { return "User-agent:b\nDisallow:/\n" })
	}},
	{"letter cases", func(size int) string {
		return "User-agent: *\n" + repeat(size, func(n int) string { return fmt.Sprintf("Disallow: /Shop%d/\nDisallow: /shop%d/\n", n, n) })
	}},
	{"a group that drops", func(size int) string {
		return "User-agent: *\n" + repeat(size/2, func(n int) string { return fmt.Sprintf("Disallow: /%d\n", n) }) +
			repeat(size/2, func(n int) string { return fmt.Sprintf("User-agent: b%c\nDisallow: /x%d\n", 'a'+n%26, n) })
	}},
	{"rules of nobody", func(size int) string {
		return repeat(size, func(n int) string { return fmt.Sprintf("Disallow: /%d\n", n) })
	}},
	{"Sitemaps", func(size int) string {
		return repeat(size, func(n int) string { return fmt.Sprintf("Sitemap: https://a.example/%d.xml\n", n) })
	}},
	{"unknown lines", func(size int) string {
		return repeat(size, func(n int) string { return fmt.Sprintf("Noindex: /%d\nDisalow: /%d\nAlow /%d\n", n, n, n) })
	}},
	{"comments", func(size int) string { return strings.Repeat("#\n", size/2) }},
	{"blank lines", func(size int) string {
		return "User-agent: a" + strings.Repeat("\r", size) + "User-agent: b\rDisallow: /"
	}},
	{"tags", func(size int) string { return strings.Repeat("<a b=\"c\">", size/9) }},
	{"bytes outside UTF-8", func(size int) string { return "User-agent: " + strings.Repeat("\xff\x00\n", size/3) }},
	{"one long name", func(size int) string { return "User-agent: " + strings.Repeat("a, /*", size/5) + "\nDisallow: /" }},
}

// repeat makes lines until they have about size bytes.
func repeat(size int, lines func(n int) string) string {
	var b strings.Builder
	for n := 0; b.Len() < size; n++ {
		b.WriteString(lines(n))
	}
	return b.String()
}

func quickest(rounds int, f func()) time.Duration {
	var all []time.Duration
	for range rounds {
		start := time.Now()
		f()
		all = append(all, time.Since(start))
	}
	return slices.Min(all)
}

// Eight times the input takes about eight times as long; if something were quadratic it
// would take 64 times as long.
func TestLinear(t *testing.T) {
	const times, most = 8, 24
	catalogue := inputOf(t, nil).Catalogue
	var paths []string
	for n := range MaxPaths {
		paths = append(paths, fmt.Sprintf("/shop%d/?a%d=1", n, n))
	}
	for _, test := range hostile {
		t.Run(test.name, func(t *testing.T) {
			input := func(size int) Input {
				text := []byte(test.make(size))
				return Input{Text: text, File: robots.Parse(text, robots.Options{}), Catalogue: catalogue, Paths: paths}
			}
			small, large := input(32<<10), input(times*32<<10)
			var took, longer time.Duration
			for range 5 { // a busy machine disturbs some rounds, more than linear work all
				took = quickest(3, func() { Run(small) })
				longer = quickest(3, func() { Run(large) })
				t.Log(took, longer)
				if longer <= most*took {
					return
				}
			}
			t.Errorf("%d times the input takes %v instead of %v, %.0f times as long", times, longer, took, float64(longer)/float64(took))
		})
	}
}
