package lint

import (
	"slices"
	"strings"
	"testing"

	"github.com/whichrule/whichrule/internal/fetch"
	"github.com/whichrule/whichrule/internal/robots"
)

// Whatever the bytes: no panic, all that checkFinding asks for, and a fix makes no
// finding of its kind worse than it was.
func FuzzRun(f *testing.F) {
	const most = 64 << 10 // bytes: what is made of larger ones takes too long
	for _, c := range cases(f) {
		if text := c.text(f); len(text) <= most {
			f.Add(text, strings.Join(c.lines("paths"), "\n"))
		}
	}
	catalogue := inputOf(f, nil).Catalogue
	site := &fetch.Origin{Scheme: "https", Host: "shop.example", Port: 443}
	f.Fuzz(func(t *testing.T, text []byte, paths string) {
		in := Input{Text: text, Catalogue: catalogue, Site: site}
		for p := range strings.SplitSeq(paths, "\n") {
			in.Paths = append(in.Paths, robots.NormalizePath(p))
		}
		in.File = robots.Parse(text, robots.Options{Limit: robots.GoogleLimit})
		all := Run(in)
		if len(all) > MaxFindings {
			t.Errorf("got %d findings", len(all))
		}
		worst := func(kind Kind, all []Finding) int {
			least := Note.rank() + 1
			for _, f := range all {
				if f.Kind == kind {
					least = min(least, f.Severity.rank())
				}
			}
			return least
		}
		tried := map[Kind]int{}
		for _, found := range all {
			checkFinding(t, in, found)
			if !slices.Contains(Kinds(), found.Kind) {
				t.Errorf("got a finding of kind %q", found.Kind)
			}
			if tried[found.Kind]++; found.Fix == nil || tried[found.Kind] > 5 {
				continue
			}
			after := in
			after.Text = found.Fix.Apply(text)
			after.File = robots.Parse(after.Text, robots.Options{Limit: robots.GoogleLimit})
			if worst(found.Kind, Run(after)) < worst(found.Kind, all) {
				t.Errorf("%s is worse after the fix %+v:\n%q", found.Kind, found.Fix, after.Text)
			}
		}
	})
}
