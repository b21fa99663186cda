package web

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/whichrule/whichrule/internal/crawlers"
	"github.com/whichrule/whichrule/internal/tester"
)

// An address gives back the crawlers that it was made of, in their order, since
// a cell in it counts columns.
func TestCrawlersQuery(t *testing.T) {
	known, err := crawlers.Load()
	if err != nil {
		t.Fatal(err)
	}
	s := &Site{presets: presets(known)}
	set := map[string][]string{}
	for _, p := range s.presets {
		set[p.id] = p.members
		if len(p.members) < 3 {
			t.Errorf("%s: got %q; want a set", p.id, p.members)
		}
	}
	four := set["four"]
	short := func(names ...string) string { return "&crawler=" + strings.Join(names, "&crawler=") }
	for _, tt := range []struct {
		name string
		in   []string
		want string
	}{
		{"the four", four, short(four...)},
		{"one", []string{"GPTBot"}, "&crawler=GPTBot"},
		{"a name with blanks", []string{"Sogou web spider"}, "&crawler=Sogou+web+spider"},
		{"a set alone", set["ai-search"], "&preset=ai-search"},
		{"a set added to the four", union(four, set["ai-training"]), short(four...) + "&preset=ai-training"},
		{"two sets", union(set["user-triggered"], set["search"]), "&preset=user-triggered&preset=search"},
		{"two sets, the other way round", union(set["search"], set["user-triggered"]), "&preset=search&preset=user-triggered"},
		{"a set and one more", append(slices.Clone(set["ai-search"]), "MyBot"), short(append(slices.Clone(set["ai-search"]), "MyBot")...)},
		{"one more and a set", append([]string{"MyBot"}, set["ai-search"]...), "&crawler=MyBot&preset=ai-search"},
		{"a set but one", set["ai-search"][1:], short(set["ai-search"][1:]...)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cols := make([]tester.Column, len(tt.in))
			for i, name := range tt.in {
				cols[i].Choice = known.Resolve(name)
			}
			got := s.crawlersQuery(cols)
			if got != tt.want {
				t.Errorf("got %s; want %s", got, tt.want)
			}
			q, err := url.ParseQuery(got[1:])
			if err != nil {
				t.Fatal(err)
			}
			f, err := s.fill(formOf(q))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.in, f.crawlers); diff != "" {
				t.Errorf("back again (-want +got):\n%s", diff)
			}
		})
	}
}
