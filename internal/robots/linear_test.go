package robots

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// hostile are files and paths made to be slow. One input of each grows: by size, in
// bytes, which is also how long a line is until it has its longest.
var hostile = []struct {
	name string
	make func(size int) (body, path string)
}{
	{"stars", func(size int) (body, path string) {
		return lines(size, maxLine-100, func(n int) string { return "Disallow: /" + strings.Repeat("*", n) + "x" }), strings.Repeat("/a", 1000)
	}},
	{"(*a)^n b", func(size int) (body, path string) {
		return lines(size, maxLine-100, func(n int) string { return "Disallow: /" + strings.Repeat("*a", n/2) + "*b" }), "/b" + strings.Repeat("a", 2000)
	}},
	{"(*a)^n b, long path", func(size int) (body, path string) {
		return lines(16<<10, 1000, func(n int) string { return "Disallow: /" + strings.Repeat("*a", n/2) + "*b" }), "/b" + strings.Repeat("a", size)
	}},
	{"short wildcards", func(size int) (body, path string) {
		return lines(size, 0, func(int) string { return "Disallow: /*ab" }), "/" + strings.Repeat("ba", 1000)
	}},
	{"short wildcards that do not match", func(size int) (body, path string) {
		return lines(size/8, 0, func(int) string { return "Disallow: /*" + strings.Repeat("a", 20) + "b" }), "/aab" + strings.Repeat("a", 2000)
	}},
	{"short wildcards that do not match, long path", func(size int) (body, path string) {
		return lines(4<<10, 0, func(int) string { return "Disallow: /*" + strings.Repeat("a", 20) + "b" }), "/aab" + strings.Repeat("a", size)
	}},
	{"long plain lines", func(size int) (body, path string) {
		return lines(size, maxLine-100, func(n int) string { return "Disallow: /" + strings.Repeat("a", n) }), "/" + strings.Repeat("a", maxLine)
	}},
	{"one line", func(size int) (body, path string) {
		return "User-agent: *\nDisallow: /" + strings.Repeat("a%c3*", size/5), "/a"
	}},
	{"plain prefixes of the path", func(size int) (body, path string) {
		n := 0
		return lines(size, 0, func(int) string { n++; return "Allow: /" + strings.Repeat("a", n%1000) }), "/" + strings.Repeat("a", 1000)
	}},
	{"line ends", func(size int) (body, path string) { return strings.Repeat("\r\n\r", size/3), "/" }},
	{"carriage returns", func(size int) (body, path string) { return strings.Repeat("\r", size), "/" }},
	{"NULs and comments", func(size int) (body, path string) { return strings.Repeat("a\x00#\n", size/4), "/" }},
	{"words", func(size int) (body, path string) { return strings.Repeat("a ", size/2), "/" }},
	{"bytes to be escaped", func(size int) (body, path string) {
		return lines(size, 1000, func(n int) string { return "Allow: /" + strings.Repeat("\xFF", n) }), "/%FF"
	}},
	{"groups", func(size int) (body, path string) {
		return strings.Repeat("User-agent: x\nAllow: /\nUser-agent: *\nAllow: /\n", size/46), "/"
	}},
	{"agents", func(size int) (body, path string) {
		return strings.Repeat("User-agent: Googlebo\n", size/21) + "User-agent: *\nAllow: /", "/"
	}},
	{"index pages", func(size int) (body, path string) {
		return lines(size, 0, func(int) string { return "Allow: /*/index.html" }), strings.Repeat("/a", 500) + "/"
	}},
}

// lines makes a file of one group of about size bytes, of lines of about length
// bytes or the size if that is less.
func lines(size, length int, line func(length int) string) string {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	for b.Len() < size {
		b.WriteString(line(min(length, size)) + "\n")
	}
	return b.String()
}

// check parses and asks often enough for an index to be made and used.
func check(body, path string) {
	s := Parse([]byte(body), Options{}).Select(benchAgent)
	for range indexAfter + 2 {
		s.Match(path)
	}
	s.Explain(path, 50)
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

// Eight times the input takes about eight times as long; if something were quadratic
// it would take 64 times as long.
func TestLinear(t *testing.T) {
	const times, most = 8, 24
	for _, test := range hostile {
		t.Run(test.name, func(t *testing.T) {
			body, path := test.make(8 << 10)
			longer, longerPath := test.make(times * 8 << 10)
			var small, large time.Duration
			for range 5 { // a busy machine disturbs some rounds, more than linear work all
				small = quickest(5, func() { check(body, path) })
				large = quickest(5, func() { check(longer, longerPath) })
				if large <= most*small {
					return
				}
			}
			t.Errorf("%d times the input takes %v instead of %v, %.0f times as long", times, large, small, float64(large)/float64(small))
		})
	}
}

// BenchmarkDoubling prints how many times as long each hostile input takes when it
// doubles, from 64 KiB on: 2 is linear.
func BenchmarkDoubling(b *testing.B) {
	for _, test := range hostile {
		b.Run(test.name, func(b *testing.B) {
			var once, twice time.Duration
			for b.Loop() {
				body, path := test.make(64 << 10)
				once += quickest(5, func() { check(body, path) })
				body, path = test.make(128 << 10)
				twice += quickest(5, func() { check(body, path) })
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(once)/float64(b.N)/1e6, "ms")
			b.ReportMetric(float64(twice)/float64(once), "times")
		})
	}
}

// BenchmarkHostile measures one check of the worst known files of 500 KiB.
func BenchmarkHostile(b *testing.B) {
	file := func(line string) []byte { return []byte(lines(GoogleLimit, 0, func(int) string { return line })) }
	for _, test := range []struct{ name, line string }{
		{"short", "Disallow: /*ab"},
		{"20 a", "Disallow: /*" + strings.Repeat("a", 20) + "b"},
		{"1000 a", "Disallow: /*" + strings.Repeat("a", 1000) + "b"},
		{"8300 parts", "Disallow: /" + strings.Repeat("*a", 8300) + "*b"},
		{"stars", "Disallow: /" + strings.Repeat("*", 16650) + "x"},
	} {
		for _, n := range []int{2083, 8000, 64000} {
			b.Run(fmt.Sprint(test.name, "/", n), func(b *testing.B) {
				s := Parse(file(test.line), Options{}).Select(benchAgent)
				// The path has all the three-byte runs of the lines.
				path := "/aab" + strings.Repeat("a", n)
				for b.Loop() {
					s.Match(path)
				}
			})
		}
	}
}
