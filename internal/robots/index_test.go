package robots

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// withIndex returns s with an index, and withoutIndex s as it is asked at first.
func withIndex(s *Selection) *Selection {
	indexed := *s
	indexed.index = new(lazyIndex)
	indexed.index.made.Store(newIndex(s))
	return &indexed
}

func withoutIndex(s *Selection) *Selection {
	plain := *s
	plain.index = nil
	return &plain
}

// An index changes nothing but the time.
func TestIndexAgrees(t *testing.T) {
	body, paths, crawlers := readMatrix(t)
	f := Parse(body, Options{})
	for _, name := range crawlers[:3] {
		s := f.Select(Agent{Names: []string{name}, Star: true})
		plain, indexed := withoutIndex(s), withIndex(s)
		for _, path := range paths {
			if diff := cmp.Diff(plain.Explain(path, 50), indexed.Explain(path, 50)); diff != "" {
				t.Fatalf("%s %s: want -, got +:\n%s", name, path, diff)
			}
		}
	}
}

func TestIndexIsMadeWhenItPays(t *testing.T) {
	large := rules(strings.Split(strings.Repeat("Disallow: /x\n", indexFrom), "\n")...)
	small := rules(strings.Split(strings.Repeat("Disallow: /x\n", indexFrom-1), "\n")...)
	for i := range indexAfter {
		if large.index.made.Load() != nil {
			t.Errorf("made after %d questions; want %d", i, indexAfter)
		}
		large.Match("/x")
	}
	if large.index.made.Load() == nil {
		t.Errorf("not made after %d questions", indexAfter)
	}
	if small.index != nil {
		t.Errorf("%d rules will have an index", small.Rules())
	}
}

// A selection is shared by requests, which may be the ones to index it.
func TestMatchFromManyGoroutines(t *testing.T) {
	body, path := readBench(t, "ecom")
	s := Parse(body, Options{}).Select(benchAgent)
	want := withoutIndex(s).Match(path)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 2 * indexAfter {
				if got := s.Match(path); got != want {
					t.Errorf("got %+v; want %+v", got, want)
				}
			}
		})
	}
	wg.Wait()
}

func TestAllocations(t *testing.T) {
	body, path := readBench(t, "ecom")
	s := Parse(body, Options{}).Select(benchAgent)
	for name, s := range map[string]*Selection{"without index": withoutIndex(s), "with index": withIndex(s)} {
		if got := testing.AllocsPerRun(100, func() { s.Match(path) }); got != 0 {
			t.Errorf("%s: Match makes %v allocations; want 0", name, got)
		}
		if got := testing.AllocsPerRun(100, func() { s.Explain(path, 50) }); got > 8 {
			t.Errorf("%s: Explain makes %v allocations; want at most 8", name, got)
		}
	}
}
