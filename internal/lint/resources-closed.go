package lint

import (
	"slices"
	"strings"

	"github.com/whichrule/whichrule/internal/robots"
)

// googleResources says not to close what a page needs to be understood.
const googleResources = "https://developers.google.com/search/docs/crawling-indexing/robots/intro"

// resourcesClosed finds rules that close style sheets, scripts and images to Googlebot,
// which draws pages as a browser does: folders and endings of that kind, as far as the
// other rules leave them closed, and tested paths.
func resourcesClosed(in *input) []Finding {
	bot, ok := in.Catalogue.Lookup("Googlebot")
	if !ok {
		return nil
	}
	sel := in.selection(&bot)
	if !sel.Match("/").Allowed {
		return nil // nothing of the site is drawn
	}
	closed := map[string][]robots.Rule{} // by sort
	hits := map[string]string{}
	told := map[int]bool{}
	add := func(sort, path string, r robots.Rule) {
		if d := sel.Match(path); d.Allowed || d.Rule.Pattern != r.Pattern || told[r.Line] {
			return
		}
		told[r.Line] = true
		closed[sort] = append(closed[sort], r)
		if hits[sort] == "" {
			hits[sort] = path
		}
	}
	const most = 100 // rules to look at: each is held against all others
	asked := 0
	for _, g := range sel.Groups {
		for _, r := range in.groups[g].rules {
			sort, paths := resources(r.Pattern)
			if r.Allow || sort == "" || asked == most {
				continue
			}
			asked++
			for _, p := range paths {
				add(sort, p, r)
			}
		}
	}
	for _, p := range in.Paths {
		file, _, _ := strings.Cut(p, "?")
		if sort := endings[lower(file[strings.LastIndexByte(file, '.')+1:])]; sort != "" && strings.Contains(file, ".") {
			if d := sel.Match(p); !d.Allowed {
				add("tested-"+sort, p, d.Rule)
			}
		}
	}
	var out []Finding
	for _, sort := range []string{"code", "tested-code", "images", "tested-images"} {
		rules := closed[sort]
		if rules == nil {
			continue
		}
		slices.SortFunc(rules, func(a, b robots.Rule) int { return a.Line - b.Line })
		args := []any{"N", len(rules), "Line", line(rules[0].Line), "Path", code(rules[0].Value), "Hit", code(hits[sort])}
		f := Finding{
			Severity: Warning,
			Crawlers: []string{bot.Token},
			Message:  ResourcesClosed.say(strings.TrimPrefix(sort, "tested-"), args...),
			Example:  &Example{hits[sort], bot.Token, false},
			Source:   googleResources,
		}
		for _, r := range rules {
			f.Lines = append(f.Lines, r.Line)
		}
		if strings.HasSuffix(sort, "images") {
			f.Severity = Note
		}
		if sort == "code" {
			f.Fix = in.openCode(f.Lines, args)
		}
		out = append(out, f)
	}
	return out
}

// endings are those of files that a page needs to be drawn.
var endings = map[string]string{
	"css": "code", "js": "code", "mjs": "code",
	"png": "images", "jpg": "images", "jpeg": "images", "gif": "images", "svg": "images", "webp": "images", "avif": "images",
}

// folders are those in which such files are kept, by common programs and by habit.
var folders = map[string]string{
	"css": "code", "js": "code", "javascript": "code", "javascripts": "code", "scripts": "code",
	"styles": "code", "stylesheets": "code", "assets": "code", "static": "code", "dist": "code",
	"_next": "code", "_nuxt": "code", "wp-includes": "code", "wp-content": "code", "themes": "code",
	"skin": "code", "bundles": "code",
	"img": "images", "images": "images", "image": "images",
}

// resources says what sort of files a pattern is about, and gives paths of some; "" for
// any other pattern.
func resources(pattern string) (sort string, paths []string) {
	text := strings.TrimRight(strings.TrimSuffix(pattern, "$"), "*")
	if i := strings.LastIndexByte(text, '.'); i >= 0 && i > strings.LastIndexByte(text, '/') {
		// One file, or those of one folder, may be closed for a reason.
		if sort = endings[lower(text[i+1:])]; sort == "" || strings.Trim(text[:i], "/*") != "" || !strings.Contains(text, "*") {
			return "", nil
		}
		return sort, []string{sample(pattern)}
	}
	text = strings.TrimSuffix(text, "/")
	last := lower(text[strings.LastIndexAny(text, "/*")+1:])
	if sort = folders[last]; sort == "" && strings.HasSuffix(lower(text), "/wp-content/plugins") {
		sort = "code"
	}
	folder := sample(text + "/")
	switch {
	case sort == "" || folder == "":
		return "", nil
	case sort == "code":
		return sort, []string{folder + "app.js", folder + "style.css"}
	}
	return sort, []string{folder + "picture.png"}
}

// openCode opens style sheets and scripts again: an ending by its own rule, those of a
// folder by rules below the one that closes it.
func (in *input) openCode(lines []int, args []any) *Fix {
	var old []record
	for _, n := range lines {
		old = append(old, in.record(n))
	}
	return in.rewrite(ResourcesClosed.say("fix", args...), old, func(r record) []string {
		folder := strings.TrimRight(strings.TrimSuffix(r.Value, "$"), "*")
		if i := strings.LastIndexByte(folder, '.'); i >= 0 && i > strings.LastIndexByte(folder, '/') {
			return []string{in.put(r, "Allow", r.Value)}
		}
		folder = strings.TrimSuffix(folder, "/") + "/*"
		return []string{in.raw(r), "Allow: " + folder + ".css", "Allow: " + folder + ".js"}
	})
}
