package lint

import (
	"strings"

	"github.com/whichrule/whichrule/internal/robots"
)

// generatedBy tells which program a file, or a part of it, looks to be written by: a
// change then belongs into that program's settings.
func generatedBy(in *input) []Finding {
	var out []Finding
	seen := map[string]bool{}
	add := func(word string, from, to int) {
		if !seen[word] {
			seen[word] = true
			out = append(out, Finding{Severity: Note, Lines: runOf(from, to), LinesTotal: to - from + 1, Message: GeneratedBy.say(word, "Line", line(from)), Source: makers[word]})
		}
	}
	open := map[string]int{} // line of a remark that opens a block
	sitemaps := 0            // of next-sitemap: remarks that it writes
	for _, r := range in.records {
		if r.kind != robots.LineComment || r.End-r.Start > 200 {
			continue
		}
		remark := strings.ToLower(strings.Trim(in.raw(r), "# \t"))
		switch {
		case strings.HasPrefix(remark, "begin cloudflare managed"):
			open["cloudflare"] = r.n
		case strings.HasPrefix(remark, "end cloudflare managed") && open["cloudflare"] > 0:
			add("cloudflare", open["cloudflare"], r.n)
		case remark == "start yoast block":
			open["yoast"] = r.n
		case remark == "end yoast block" && open["yoast"] > 0:
			add("yoast", open["yoast"], r.n)
		case strings.HasPrefix(remark, "we use shopify as our ecommerce platform"):
			add("shopify", r.n, r.n)
		case strings.TrimSpace(in.raw(r)) == "# *" && sitemaps == 0, remark == "host" && sitemaps == 1:
			sitemaps++
		case remark == "sitemaps" && sitemaps == 2:
			add("next", r.n, r.n)
		}
	}
	for _, g := range in.groups {
		if len(g.agents) > 0 && g.agents[0].Star() {
			first, last := g.agents[0].Line, lastRule(&g)
			switch {
			case isWordPress(&g):
				add("wordpress", first, last)
			case isMagento(&g):
				add("magento", first, last)
			}
		}
	}
	return out
}

// makers are the pages of those who write files, by message.
var makers = map[string]string{
	"cloudflare": "https://developers.cloudflare.com/bots/additional-configurations/managed-robots-txt/",
	"yoast":      "https://developer.yoast.com/features/robots-txt/functional-specification/",
	"shopify":    "https://help.shopify.com/en/manual/promoting-marketing/seo/editing-robots-txt",
	"next":       "https://github.com/iamvishnusankar/next-sitemap",
	"wordpress":  "https://developer.wordpress.org/reference/functions/do_robots/",
	"magento":    "https://commerce-docs.github.io/merchdocs-archive/user-guide/v2.3/marketing/search-engine-robots.html",
}

// isWordPress says whether a group is what WordPress writes and nothing else.
func isWordPress(g *group) bool {
	return len(g.agents) == 1 && len(g.rules) == 2 &&
		!g.rules[0].Allow && g.rules[0].Value == "/wp-admin/" && g.rules[1].Allow && g.rules[1].Value == "/wp-admin/admin-ajax.php"
}

// isMagento says whether a group has the rules of the file that the documentation of
// Magento gives: paths that no other shop has.
func isMagento(g *group) bool {
	found := map[string]bool{}
	for _, r := range g.rules {
		switch r.Value {
		case "/pkginfo/", "/sendfriend/", "/*SID=", "/catalogsearch/":
			found[r.Value] = !r.Allow
		}
	}
	return found["/pkginfo/"] && len(found) >= 2
}

func lastRule(g *group) int {
	if n := len(g.rules); n > 0 {
		return g.rules[n-1].Line
	}
	return g.agents[len(g.agents)-1].Line
}

// runOf gives the lines from one to another, as many as a finding tells.
func runOf(from, to int) []int {
	var lines []int
	for n := from; n <= to && len(lines) < MaxLines; n++ {
		lines = append(lines, n)
	}
	return lines
}
