package lint

import (
	"slices"
	"strings"

	"github.com/whichrule/whichrule/internal/fetch"
	"github.com/whichrule/whichrule/internal/robots"
)

// sitemap finds Sitemap lines whose address cannot be used, or may not be the one that
// is meant.
func sitemap(in *input) []Finding {
	var c collect
	seen := map[string][]record{}
	var repeated []string
	for _, r := range in.records {
		if r.kind != robots.LineSitemap {
			continue
		}
		if word := in.sitemapOf(r.Value); word != "" {
			c.add(word, r)
		}
		if r.Value == "" {
			continue
		}
		if seen[r.Value] = append(seen[r.Value], r); len(seen[r.Value]) == 2 {
			repeated = append(repeated, r.Value)
		}
	}
	var out []Finding
	for _, word := range c.sorts {
		lines := c.lines[word]
		f := Finding{Severity: Warning, Lines: numbers(lines), Source: googleSpec}
		args := []any{"N", len(lines), "Line", line(lines[0].n), "Value", code(lines[0].Value)}
		switch word {
		case "relative":
			if in.Site != nil && !slices.ContainsFunc(lines, func(r record) bool { return !isAddress(fullAddress(in.Site, r.Value)) }) {
				f.Fix = in.rewrite(Sitemap.say("fix.full", "N", len(lines)), lines, func(r record) []string {
					return []string{in.put(r, "Sitemap", fullAddress(in.Site, r.Value))}
				})
			}
		case "several":
			f.Fix = in.rewrite(Sitemap.say("fix.several"), lines, func(r record) []string {
				all := addresses(r.Value)
				lines := []string{in.put(r, "Sitemap", all[0])}
				for _, v := range all[1:] {
					lines = append(lines, "Sitemap: "+v)
				}
				return lines
			})
		case "empty":
			args = args[:4]
		case "scheme", "host":
			f.Severity = Note
			args = append(args, "Site", code(in.Site.String()))
		}
		f.Message = Sitemap.say(word, args...)
		out = append(out, f)
	}
	for _, value := range repeated[:min(len(repeated), MaxFindings)] {
		lines := seen[value]
		f := Finding{Severity: Note, Lines: numbers(lines), Source: googleSpec}
		f.Message = Sitemap.say("repeated", "N", len(lines), "Line", line(lines[0].n), "Value", code(value))
		if len(lines) == 2 {
			f.Fix = in.rewrite(Sitemap.say("fix.repeated", "Line", line(lines[1].n)), lines[1:], in.remark)
		}
		out = append(out, f)
	}
	if lines := in.sitemapsOfGroups(); lines != nil {
		out = append(out, Finding{
			Severity: Note, Lines: numbers(lines), Source: googleSpec,
			Message: Sitemap.say("group", "N", len(lines), "Line", line(lines[0].n)),
		})
	}
	return out
}

// sitemapOf says what is odd about the address of a sitemap, or "".
func (in *input) sitemapOf(value string) string {
	if value == "" {
		return "empty"
	}
	if len(addresses(value)) > 1 {
		return "several"
	}
	origin, _, err := fetch.ParseURL(value)
	switch {
	case err != nil && !strings.Contains(value, ":"):
		return "relative"
	case err != nil && len(value) > fetch.URLLimit:
		return ""
	case err != nil:
		return "bad"
	case in.Site == nil || origin == *in.Site:
		return ""
	case origin.Host == in.Site.Host:
		return "scheme"
	}
	return "host"
}

// addresses gives the full addresses in a value: none is one, and so is one with a
// blank in it.
func addresses(value string) []string {
	all := strings.FieldsFunc(value, func(r rune) bool { return r == ' ' || r == '\t' || r == ',' })
	for _, v := range all {
		if v = strings.ToLower(v[:min(len(v), 8)]); !strings.HasPrefix(v, "http://") && !strings.HasPrefix(v, "https://") {
			return nil
		}
	}
	return all
}

// fullAddress gives the address that a relative one stands for on a site. A first part
// that is the site's host, with or without www, is the host.
func fullAddress(site *fetch.Origin, value string) string {
	if strings.HasPrefix(value, "//") {
		return site.Scheme + ":" + value
	}
	host, _, _ := strings.Cut(value, "/")
	if host = strings.ToLower(host); host != "" && strings.TrimPrefix(host, "www.") == strings.TrimPrefix(site.Host, "www.") {
		return site.Scheme + "://" + value
	}
	return site.String() + "/" + strings.TrimPrefix(value, "/")
}

// isAddress says whether a value is a full address of the web, with a host.
func isAddress(value string) bool {
	_, rest, _ := strings.Cut(value, "://")
	_, _, err := fetch.ParseURL(value) // it takes more slashes than two, as browsers do
	return err == nil && strings.Trim(rest[:min(len(rest), 1)], `/\?#`) != ""
}

// sitemapsOfGroups gives the Sitemap lines that stand in several groups as if each
// were for the crawlers of its own: directly below other lines of theirs, with other
// addresses.
func (in *input) sitemapsOfGroups() []record {
	var lines []record
	first := map[int]string{} // address by group
	named := false
	g, inside := -1, -1
	for i, r := range in.records {
		if g+1 < len(in.groups) && in.groups[g+1].agents[0].Line == r.n {
			g++
		}
		if i > 0 && in.records[i-1].n != r.n-1 {
			inside = -1 // behind a blank line
		}
		switch r.kind {
		case robots.LineUserAgent, robots.LineAllow, robots.LineDisallow:
			inside = g
		case robots.LineSitemap:
			if inside < 0 {
				continue
			}
			lines = append(lines, r)
			if _, ok := first[inside]; !ok {
				first[inside] = r.Value
			}
			if !in.groups[inside].agents[0].Star() {
				named = true
			}
		}
	}
	different := map[string]bool{}
	for _, v := range first {
		different[v] = true
	}
	if !named || len(different) < 2 {
		return nil
	}
	return lines
}
