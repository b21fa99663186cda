package lint

import "github.com/whichrule/whichrule/internal/robots"

// tooBig finds what stands behind the 500 KiB that count, and is lost.
func tooBig(in *input) []Finding {
	cut := in.File.CutLine()
	if cut == 0 {
		return nil
	}
	whole := robots.Parse(in.Text, robots.Options{})
	var lost []robots.Rule
	n := 0
	for g := range whole.Groups() {
		for a := range whole.Agents(g) {
			if a.Line > cut {
				n++
			}
		}
		for r := range whole.Rules(g) {
			if r.Line > cut || r.Line == cut && in.File.Kind(cut) != whole.Kind(cut) {
				n++
				if len(lost) < MaxLines {
					lost = append(lost, r)
				}
			}
		}
	}
	kib := (len(in.Text) + 1<<9) >> 10
	effect := TooBig.say("effect")
	f := Finding{Severity: Warning, Lines: []int{cut}, Effect: &effect, Source: googleSpec}
	if n == 0 {
		f.Severity = Note
		f.Message = TooBig.say("harmless", "Size", kib, "Line", line(cut))
		return []Finding{f}
	}
	word := "lost"
	if in.Outcome != nil && in.Outcome.More {
		word = "more"
	}
	f.Message = TooBig.say(word, "Size", kib, "Line", line(cut), "N", n)
	if e := in.example(whole.Select(robots.Agent{Star: true}), "*", lost, false); e != nil && in.stars.Match(e.Path).Allowed {
		e.Allowed = true
		f.Example = e
	}
	return []Finding{f}
}
