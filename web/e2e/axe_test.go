package e2e

import (
	_ "embed"
	"testing"
)

//go:embed testdata/axe/axe.min.js
var axe string

// Every page follows WCAG 2.2 AA and good practice as far as a machine can see.
func TestAxe(t *testing.T) {
	for _, p := range pages {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			b := open(t, looks[0])
			p.open(t, b)
			eval[any](b, axe+"\n;null")
			for _, l := range looks {
				b.look(l)
				got := eval[[]string](b, `axe.run(document, {
					runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
					resultTypes: ["violations"],
				}).then(r => r.violations.flatMap(v => v.nodes.map(n => v.id + ": " + n.target.join(" ") + ": " + n.failureSummary)))`)
				for _, v := range got {
					t.Errorf("%v: %s", l, v)
				}
			}
		})
	}
}
