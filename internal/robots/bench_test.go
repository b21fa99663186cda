package robots

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/temoto/robotstxt"
)

// benchInputs are, in order: a small file; a shop's, half of it wildcards for
// parameters; 16,711 rules of which four in five are plain text; 20 rules of 100
// wildcards each, and of 200 stars in a row; and the two worst that a published
// matcher was found to meet, 13,412 short wildcard rules and 30 lines of 16,650
// stars.
var benchInputs = []string{"small", "ecom", "big500k", "patho", "stars", "worst", "starlines"}

// benchAgent is who asks in all benchmarks of one crawler.
var benchAgent = Agent{Names: []string{"Googlebot"}, Star: true, Cut: true}

func readBench(tb testing.TB, name string) (body []byte, path string) {
	tb.Helper()
	return readBenchFile(tb, name+".txt"), Path(strings.TrimSpace(string(readBenchFile(tb, name+".url"))))
}

func readBenchFile(tb testing.TB, name string) []byte {
	tb.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "bench", name))
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// BenchmarkEngine measures the engine and github.com/temoto/robotstxt in turn, and
// prints a table for `make bench`: input, ours and temoto's in nanoseconds, ratio,
// with a tab between. Each is the median over the rounds (-benchtime 9x). A row
// named after an input parses and matches, "match" only matches, and "matrix" asks
// for 60 crawlers and 1,000 URLs of one file.
func BenchmarkEngine(b *testing.B) {
	var rows []string
	row := func(name string, ours, theirs func(*testing.B) func() float64) {
		b.Run(name, func(b *testing.B) {
			ours, theirs := ours(b), theirs(b)
			var o, t []float64
			for b.Loop() {
				o, t = append(o, ours()), append(t, theirs())
			}
			our, their := median(o), median(t)
			b.ReportMetric(our, "ns/op")
			b.ReportMetric(their, "temoto-ns/op")
			b.ReportMetric(their/our, "ratio")
			rows = append(rows, fmt.Sprintf("%s\t%.0f\t%.0f\t%.1f", name, our, their, their/our))
		})
	}
	for _, name := range benchInputs {
		row(name, func(b *testing.B) func() float64 {
			body, path := readBench(b, name)
			return batch(func() { Parse(body, Options{}).Select(benchAgent).Match(path) })
		}, func(b *testing.B) func() float64 {
			body, path := readBench(b, name)
			ask := func() {
				parseTemoto(b, body).TestAgent(path, benchAgent.Names[0])
			}
			if name == "worst" || name == "starlines" { // 7 s and 37 s: once is enough
				start := time.Now()
				ask()
				took := float64(time.Since(start))
				return func() float64 { return took }
			}
			return batch(ask)
		})
	}
	for _, name := range []string{"ecom", "big500k"} {
		row("match-"+name, func(b *testing.B) func() float64 {
			body, path := readBench(b, name)
			s := Parse(body, Options{}).Select(benchAgent)
			return batch(func() { s.Match(path) })
		}, func(b *testing.B) func() float64 {
			body, path := readBench(b, name)
			g := parseTemoto(b, body).FindGroup(benchAgent.Names[0])
			return batch(func() { g.Test(path) })
		})
	}
	row("matrix", newMatrix, newTemotoMatrix)
	fmt.Println(strings.Join(rows, "\n"))
}

// batch returns a function that measures f, in nanoseconds: as often as fits into
// 10 ms, since the clock is too coarse for less, and without the garbage of others.
func batch(f func()) func() float64 {
	n, least := 1, 10*time.Millisecond
	start := time.Now()
	for f(); time.Since(start) < least; n++ {
		f()
	}
	return func() float64 {
		runtime.GC()
		start := time.Now()
		for range n {
			f()
		}
		return float64(time.Since(start)) / float64(n)
	}
}

func median(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}

func parseTemoto(b *testing.B, body []byte) *robotstxt.RobotsData {
	data, err := robotstxt.FromBytes(body)
	if err != nil {
		b.Fatal(err)
	}
	return data
}

func readMatrix(tb testing.TB) (body []byte, paths, crawlers []string) {
	for _, url := range strings.Fields(string(readBenchFile(tb, "matrix.urls"))) {
		paths = append(paths, Path(url))
	}
	return readBenchFile(tb, "matrix.txt"), paths, strings.Fields(string(readBenchFile(tb, "matrix.crawlers")))
}

// newMatrix does the work as the site does: crawlers that read the same groups
// share what comes of them.
func newMatrix(b *testing.B) func() float64 {
	body, paths, crawlers := readMatrix(b)
	verdicts := make([]bool, len(paths)*len(crawlers))
	return batch(func() {
		f := Parse(body, Options{})
		var selections []*Selection
		first := make([]int, len(crawlers)) // the first crawler with the same groups
		for i, name := range crawlers {
			s := f.Select(Agent{Names: []string{name}, Star: true})
			selections = append(selections, s)
			first[i] = slices.IndexFunc(selections, func(o *Selection) bool { return slices.Equal(o.Groups, s.Groups) })
		}
		for i, path := range paths {
			row := verdicts[i*len(crawlers):]
			for j, s := range selections {
				if first[j] < j {
					row[j] = row[first[j]]
				} else {
					row[j] = s.Match(path).Allowed
				}
			}
		}
	})
}

// newTemotoMatrix parses once, and asks for one URL in a hundred: the rest is
// reckoned.
func newTemotoMatrix(b *testing.B) func() float64 {
	body, paths, crawlers := readMatrix(b)
	const every = 100
	return func() float64 {
		start := time.Now()
		data := parseTemoto(b, body)
		parsed := time.Now()
		for _, name := range crawlers {
			g := data.FindGroup(name)
			for i := 0; i < len(paths); i += every {
				g.Test(paths[i])
			}
		}
		return float64(parsed.Sub(start)) + every*float64(time.Since(parsed))
	}
}

// Both answer alike in what is measured: the benchmark compares like with like.
func TestBenchmarkInputs(t *testing.T) {
	for _, name := range []string{"small", "ecom", "big500k"} {
		body, path := readBench(t, name)
		data, err := robotstxt.FromBytes(body)
		if err != nil {
			t.Fatal(err)
		}
		got := Parse(body, Options{}).Select(benchAgent).Match(path).Allowed
		if want := data.TestAgent(path, benchAgent.Names[0]); got != want {
			t.Errorf("%s: got allowed %t; temoto says %t", name, got, want)
		}
	}
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
			s := Parse(body, Options{}).Select(benchAgent)
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
			s := Parse(body, Options{}).Select(benchAgent)
			b.ReportAllocs()
			for b.Loop() {
				s.Explain(path, 50)
			}
		})
	}
}
