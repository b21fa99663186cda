package web

import (
	"slices"
	"testing"

	"github.com/whichrule/whichrule/internal/crawlers"
	"github.com/whichrule/whichrule/internal/i18n"
	"github.com/whichrule/whichrule/internal/robots"
)

// The lines that an entry gives to copy do what stands above them, whatever the
// rest of the file says; and whoever has a group to follow, gets them.
func TestLinesToCopyWork(t *testing.T) {
	catalogue, err := crawlers.Load()
	if err != nil {
		t.Fatal(err)
	}
	words, err := i18n.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, cr := range catalogue.All() {
		e := newEntry(words.Words("en"), cr)
		snippets, notes := e.groups()
		if len(notes) == 0 {
			t.Errorf("%s: nothing is said about its lines", cr.Token)
		}
		if len(snippets) == 0 {
			if cr.Obeys && cr.Own > 0 && cr.Status != "retired" {
				t.Errorf("%s: there are no lines to copy", cr.Token)
			}
			continue
		}
		if !cr.Obeys {
			t.Errorf("%s: there are lines that it does not follow", cr.Token)
		}
		for i, others := range []string{"Allow: /", "Disallow: /"} {
			file := "User-agent: *\n"
			for _, name := range cr.Names[cr.Own:] {
				if !slices.Contains(e.groupNames(), name) {
					file += "User-agent: " + name + "\n"
				}
			}
			file += others + "\n\n" + snippets[i].Text
			agent := robots.Agent{Names: cr.Names, Star: cr.Star, Cut: cr.Google}
			got := robots.Parse([]byte(file), robots.Options{}).Select(agent).Match("/any/page")
			if want := i == 1; got.Allowed != want {
				t.Errorf("%s: allowed is %v; want %v with\n%s", cr.Token, got.Allowed, want, file)
			}
		}
	}
}
