package crawlers

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func load(t testing.TB) *Catalogue {
	t.Helper()
	c, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestPagesGetAllInOrder(t *testing.T) {
	c := load(t)
	if !slices.IsSortedFunc(c.All(), byPage) {
		t.Error("All is not in the order of the page")
	}
	var want []string
	for _, cr := range c.All() {
		if cr.Tier == 1 || cr.Tier == 2 {
			want = append(want, cr.Token)
		}
	}
	var got []string
	for _, cr := range c.Offered() {
		got = append(got, cr.Token)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Offered is not tiers 1 and 2 of All (-want +got):\n%s", diff)
	}
	for _, cat := range Categories() {
		if !slices.ContainsFunc(c.Offered(), func(cr Crawler) bool { return cr.Category == cat }) {
			t.Errorf("no crawler is offered for %s, so its heading would stand alone", cat)
		}
	}
}

func TestNames(t *testing.T) {
	c := load(t)
	tests := []struct {
		token string
		want  Crawler // the derived fields
	}{
		{"Googlebot", Crawler{Names: []string{"Googlebot"}, Own: 1, Star: true, Obeys: true, Google: true}},
		{"Googlebot-Image", Crawler{Names: []string{"Googlebot-Image", "Googlebot"}, Own: 1, Star: true, Obeys: true, Google: true}},
		{"Storebot-Google", Crawler{Names: []string{"Storebot-Google"}, Own: 1, Star: true, Obeys: true, Google: true}},
		{"GoogleOther-Image", Crawler{Names: []string{"GoogleOther-Image", "GoogleOther"}, Own: 1, Star: true, Obeys: true, Google: true}},
		{"AdsBot-Google", Crawler{Names: []string{"AdsBot-Google"}, Own: 1, Obeys: true, Google: true}},
		{"AdsBot-Google-Mobile", Crawler{Names: []string{"AdsBot-Google-Mobile"}, Own: 1, Obeys: true, Google: true}},
		{"Mediapartners-Google", Crawler{Names: []string{"Mediapartners-Google"}, Own: 1, Obeys: true, Google: true}},
		{"APIs-Google", Crawler{Names: []string{"APIs-Google"}, Own: 1, Obeys: true, Google: true}},
		{"AdsBot-Google-Mobile-Apps", Crawler{Names: []string{"AdsBot-Google-Mobile-Apps", "AdsBot-Google"}, Own: 1, Obeys: true, Google: true}},
		{"Google-Agent", Crawler{Names: []string{"Google-Agent"}, Own: 1, Google: true}},
		{"Google-GeminiNotebook", Crawler{Names: []string{"Google-GeminiNotebook", "Google-NotebookLM"}, Own: 2, Google: true}},
		{"Applebot", Crawler{Names: []string{"Applebot", "Googlebot"}, Own: 1, Star: true, Obeys: true}},
		{"Kagibot", Crawler{Names: []string{"Kagibot", "Googlebot"}, Own: 1, Star: true, Obeys: true}},
		{"Bravebot", Crawler{Names: []string{"Googlebot"}, Star: true, Obeys: true}},
		{"Bluesky Cardyb", Crawler{Names: []string{"Bluesky"}, Star: true, Obeys: true}},
		{"bingbot", Crawler{Names: []string{"bingbot", "msnbot"}, Own: 1, Star: true, Obeys: true}},
		{"BingPreview", Crawler{Names: []string{"BingPreview", "bingbot"}, Own: 1, Star: true, Obeys: true}},
		{"YandexBot", Crawler{Names: []string{"YandexBot", "Yandex"}, Own: 1, Star: true, Obeys: true}},
		{"YandexAdditional", Crawler{Names: []string{"YandexAdditional", "YandexAdditionalBot", "Yandex"}, Own: 2, Star: true, Obeys: true}},
		{"YandexDirect", Crawler{Names: []string{"YandexDirect"}, Own: 1, Obeys: true}},
		{"MJ12bot", Crawler{Names: []string{"MJ12bot"}, Own: 1, Star: true, Obeys: true}},
		{"AI2Bot", Crawler{Names: []string{"AI2Bot", "Ai2Bot-Dolma", "AI2Bot-DeepResearchEval"}, Own: 3, Star: true, Obeys: true}},
		{"archive.org_bot", Crawler{Names: []string{"archive.org_bot"}, Own: 1, Star: true, Obeys: true}},
		{"Screaming Frog SEO Spider", Crawler{Names: []string{"Screaming Frog SEO Spider"}, Own: 1, Star: true, Obeys: true}},
		{"Perplexity-User", Crawler{Names: []string{"Perplexity-User"}, Own: 1}},
		{"ChatGPT Agent", Crawler{Names: []string{"ChatGPT Agent", "Operator"}, Own: 2}},
		{"Amzn-SearchBot", Crawler{Names: []string{"Amzn-SearchBot"}, Own: 1, Star: true, Obeys: true, Warnings: []string{"groups of other search bots"}}},
		{"ExaSearchBot", Crawler{Names: []string{"ExaSearchBot", "ExaBot"}, Own: 2, Star: true, Obeys: true, Warnings: []string{"rules for major search engines"}}},
	}
	for _, tt := range tests {
		t.Run(tt.token, func(t *testing.T) {
			cr, ok := c.Lookup(tt.token)
			if !ok {
				t.Fatal("not in the catalogue")
			}
			got := Crawler{Names: cr.Names, Own: cr.Own, Star: cr.Star, Obeys: cr.Obeys, Google: cr.Google, Warnings: cr.Warnings}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What holds for every entry, whoever edits the file.
func TestNamesOfAll(t *testing.T) {
	for _, cr := range load(t).All() {
		own := append([]string{cr.Token}, cr.Aliases...)
		if cr.Own != 0 && !slices.Equal(cr.Names[:cr.Own], own) {
			t.Errorf("%s: own names are %q; want %q", cr.Token, cr.Names[:cr.Own], own)
		}
		if len(cr.Names) == 0 {
			t.Errorf("%s: no name to look for", cr.Token)
		}
		for _, n := range slices.Concat(cr.Names, cr.Fallback) {
			if strings.ContainsAny(n, "()") {
				t.Errorf("%s: prose %q among the names", cr.Token, n)
			}
		}
		if cr.Star != slices.Contains(cr.Fallback, "*") || slices.Contains(cr.Names, "*") {
			t.Errorf("%s: Star is %v with chain %q and names %q", cr.Token, cr.Star, cr.Fallback, cr.Names)
		}
	}
}

func TestLookup(t *testing.T) {
	c := load(t)
	for _, cr := range c.All() {
		if got, ok := c.Lookup(strings.ToUpper(cr.Token)); !ok || got.Token != cr.Token {
			t.Errorf("token %q finds %q", strings.ToUpper(cr.Token), got.Token)
		}
	}
	tests := []struct {
		name, in, want string // want "" for not found
	}{
		{"token", "GPTBot", "GPTBot"},
		{"any case", "gptBOT", "GPTBot"},
		{"alias", "NaverBot", "Yeti"},
		{"alias in any case", "SEMRUSHBOT-sa", "SiteAuditBot"},
		{"a token wins over an alias", "google-notebooklm", "Google-NotebookLM"},
		{"token with blanks", "sogou WEB spider", "Sogou web spider"},
		{"part of a token", "GPT", ""},
		{"more than a token", "GPTBot2", ""},
		{"kelvin sign is no k", "\u212aagibot", ""},
		{"nothing", "", ""},
		{"star", "*", ""},
		{"huge", strings.Repeat("Googlebot", 1<<16), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := c.Lookup(tt.in)
			if got.Token != tt.want || ok != (tt.want != "") {
				t.Errorf("got %q, %v; want %q", got.Token, ok, tt.want)
			}
		})
	}
}

// Reports are kept with the crawlers in them.
func TestStoredCrawlerReadsBackWhole(t *testing.T) {
	for _, cr := range load(t).All() {
		b, err := json.Marshal(cr)
		if err != nil {
			t.Fatal(err)
		}
		var got Crawler
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(cr, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", cr.Token, diff)
		}
	}
}

func TestEmptyCatalogue(t *testing.T) {
	var c Catalogue
	got := c.Resolve("GPTBot/1.0")
	want := Choice{Typed: "GPTBot/1.0", Crawler: Crawler{Token: "GPTBot/1.0", Names: []string{"GPTBot/1.0"}, Own: 1, Star: true, Obeys: true}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
