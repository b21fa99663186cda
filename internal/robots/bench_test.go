package robots

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// benchInputs are, in order: a small file; a shop's, half of it wildcards for
// parameters; 16,711 literal prefixes; the two worst that a published matcher was
// found to meet, 13,412 short wildcard rules and 30 lines of 16,650 stars.
var benchInputs = []string{"small", "ecom", "big500k", "worst", "starlines"}

func readBench(tb testing.TB, name string) (body []byte, path string) {
	tb.Helper()
	body, err := os.ReadFile(filepath.Join("testdata", "bench", name+".txt"))
	if err != nil {
		tb.Fatal(err)
	}
	url, err := os.ReadFile(filepath.Join("testdata", "bench", name+".url"))
	if err != nil {
		tb.Fatal(err)
	}
	return body, Path(strings.TrimSpace(string(url)))
}

func BenchmarkParse(b *testing.B) {
	for _, name := range benchInputs {
		b.Run(name, func(b *testing.B) {
			body, _ := readBench(b, name)
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				Parse(body, Options{})
			}
		})
	}
}

func BenchmarkMatch(b *testing.B) {
	for _, name := range benchInputs {
		b.Run(name, func(b *testing.B) {
			body, path := readBench(b, name)
			s := Parse(body, Options{}).Select(Agent{Names: []string{"Googlebot"}, Star: true, Cut: true})
			b.ReportAllocs()
			for b.Loop() {
				s.Match(path)
			}
		})
	}
}

func BenchmarkExplain(b *testing.B) {
	for _, name := range benchInputs {
		b.Run(name, func(b *testing.B) {
			body, path := readBench(b, name)
			s := Parse(body, Options{}).Select(Agent{Names: []string{"Googlebot"}, Star: true, Cut: true})
			b.ReportAllocs()
			for b.Loop() {
				s.Explain(path, 50)
			}
		})
	}
}
