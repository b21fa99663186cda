package lint

import (
	"slices"
	"strings"

	"github.com/whichrule/whichrule/internal/robots"
)

// noindexHidden finds paths that a group both closes and asks not to be listed: nobody
// reads the Noindex line, and a noindex on the page itself is not seen on a page that
// may not be fetched.
func noindexHidden(in *input) []Finding {
	var lines []int
	path, at, below := "", 0, 0
	g := -1
	var closed map[string]int // lines by value, of the group
	for _, r := range in.records {
		if g+1 < len(in.groups) && in.groups[g+1].agents[0].Line == r.n {
			g++
			closed = map[string]int{} // a new one: to clear one takes as long as it was large
			for _, rule := range in.groups[g].rules {
				if key := plainEnd(rule.Value); closes(rule) && closed[key] == 0 {
					closed[key] = rule.Line
				}
			}
		}
		if r.kind != robots.LineUnknown || bareKey(r.Key) != "noindex" {
			continue
		}
		if n := closed[plainEnd(r.Value)]; n > 0 && r.Value != "" {
			if path == "" {
				path, at, below = r.Value, r.n, n
			}
			lines = append(lines, r.n, n)
		}
	}
	if lines == nil {
		return nil
	}
	slices.Sort(lines)
	return []Finding{{
		Severity: Warning, Lines: slices.Compact(lines), Source: "https://developers.google.com/search/docs/crawling-indexing/block-indexing",
		Message: NoindexHidden.say("both", "Path", code(path), "Line", line(at), "Closed", line(below)),
	}}
}

// plainEnd drops the wildcards at the end of a value, which say nothing.
func plainEnd(value string) string { return strings.TrimRight(value, "*") }
