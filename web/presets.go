package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/whichrule/whichrule/internal/crawlers"
	"github.com/whichrule/whichrule/internal/i18n"
	"github.com/whichrule/whichrule/internal/tester"
	"github.com/whichrule/whichrule/templates"
)

// preset is a set of crawlers that one click ticks. In the field "preset" and
// in addresses it stands under its id.
type preset struct {
	id      string
	members []string
}

// presets gives the sets: the four of the card, and what most people ask about
// (tier 1) of the purposes that they ask about.
func presets(known *crawlers.Catalogue) []preset {
	all := []preset{{"four", tester.Defaults}}
	for _, p := range []struct {
		id       string
		category crawlers.Category
	}{
		{"search", crawlers.SearchIndex}, {"ai-search", crawlers.AISearch},
		{"ai-training", crawlers.AITraining}, {"user-triggered", crawlers.UserFetch},
	} {
		set := preset{id: p.id}
		for _, c := range known.Offered() {
			// Who is out of training asks for tokens and archives that feed it too.
			feeds := p.category == crawlers.AITraining && slices.Contains(c.Also, p.category) &&
				(c.Category == crawlers.ControlOnly || c.Category == crawlers.Archive)
			if c.Tier == 1 && (c.Category == p.category || feeds) {
				set.members = append(set.members, c.Token)
			}
		}
		all = append(all, set)
	}
	return all
}

// fill adds the crawlers of the form's presets to its crawlers.
func (s *Site) fill(f form) (form, error) {
	for _, id := range f.presets {
		i := slices.IndexFunc(s.presets, func(p preset) bool { return p.id == id })
		if i < 0 {
			return f, &problem{Status: http.StatusUnprocessableEntity, Kind: "preset", Field: "crawler", Args: []any{"Got", i18n.Code(clip(id))}}
		}
		f.crawlers = union(f.crawlers, s.presets[i].members)
	}
	f.presets = nil
	return f, nil
}

// union adds names to a list that are not in it, whatever their case.
func union(list, names []string) []string {
	out := slices.Clone(list)
	for _, name := range names {
		if !slices.ContainsFunc(out, func(n string) bool { return strings.EqualFold(n, name) }) {
			out = append(out, name)
		}
	}
	return out
}

// crawlersQuery gives crawlers as part of an address, "&crawler=a&preset=b",
// with presets for those that fill gives back in the same order.
func (s *Site) crawlersQuery(cols []tester.Column) string {
	names := make([]string, len(cols))
	for i, c := range cols {
		names[i] = c.Choice.Crawler.Token
	}
	var whole []preset // in the order in which they end
	for _, p := range s.presets[1:] {
		if len(union(names, p.members)) == len(names) {
			whole = append(whole, p)
		}
	}
	end := func(p preset) int {
		last := 0
		for i, name := range names {
			if slices.Contains(p.members, name) {
				last = i
			}
		}
		return last
	}
	slices.SortStableFunc(whole, func(a, b preset) int { return end(a) - end(b) })
	typed := 0
	for ; typed < len(names); typed++ {
		filled := names[:typed]
		for _, p := range whole {
			filled = union(filled, p.members)
		}
		if slices.Equal(filled, names) {
			break
		}
	}
	var b strings.Builder
	for _, name := range names[:typed] {
		b.WriteString("&crawler=" + url.QueryEscape(name))
	}
	if typed < len(names) {
		for _, p := range whole {
			b.WriteString("&preset=" + p.id)
		}
	}
	return b.String()
}

// presetViews gives the sets as buttons.
func (p *page) presetViews(chips []templates.ChipView) []templates.PresetView {
	var ticked []string
	for _, c := range chips {
		if c.Checked {
			ticked = append(ticked, c.Value)
		}
	}
	var views []templates.PresetView
	for _, set := range p.presets {
		views = append(views, templates.PresetView{
			ID: set.id, Name: p.words.T("preset." + set.id), Members: strings.Join(set.members, ","),
			On: len(union(ticked, set.members)) == len(ticked),
		})
	}
	return views
}
