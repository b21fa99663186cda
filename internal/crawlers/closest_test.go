package crawlers

import "testing"

func TestClosest(t *testing.T) {
	c := load(t)
	for _, tt := range []struct {
		name, in, want string
	}{
		{"a letter too many", "Googlebott", "Googlebot"},
		{"a letter too few", "ClaudBot", "ClaudeBot"},
		{"another letter", "ClaudaBot", "ClaudeBot"},
		{"a letter too few of a short name", "GPTBo", ""},
		{"two letters the other way round", "CladuEBot", "ClaudeBot"},
		{"a blank", "Claude Bot", "ClaudeBot"},
		{"no hyphen", "OAISearchBot", "OAI-SearchBot"},
		{"an underscore", "Google_Extended", "Google-Extended"},
		{"a hyphen that is none of its own", "Perplexity-Bot", "PerplexityBot"},
		{"the plural", "Googlebot-Images", "Googlebot-Image"},
		{"no dot", "archiveorg_bot", "archive.org_bot"},
		{"known", "gptbot", ""},
		{"an alias", "NaverBot", ""},
		{"somebody else", "MyShopBot", ""},
		{"nobody's short name", "bots", ""},
		{"another bot two letters off", "Jooblebot", ""},
		{"one that starts otherwise", "MoodleBot", ""},
		{"two other letters", "discobot", ""},
		{"a short name one letter off", "Aipbot", ""},
		{"*", "*", ""},
		{"nothing", "", ""},
		{"far too long", string(make([]byte, 10_000)), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := c.Closest(tt.in)
			if got.Token != tt.want || ok != (tt.want != "") {
				t.Errorf("got %q, %v; want %q", got.Token, ok, tt.want)
			}
		})
	}
}

// A name as near to two crawlers as this one means neither.
func TestClosestOfTwo(t *testing.T) {
	c := Catalogue{
		all:     []Crawler{{Token: "Alphabot"}, {Token: "Alphobot"}},
		bare:    []bareName{{"alphabot", 0}, {"alphobot", 1}},
		longest: len("alphabot"),
	}
	if got, ok := c.Closest("Alphibot"); ok {
		t.Errorf("got %q; want nobody", got.Token)
	}
	if got, _ := c.Closest("Alph-abot"); got.Token != "Alphabot" {
		t.Errorf("got %q; want Alphabot", got.Token)
	}
}

// A name that the catalogue has is never taken for another one, and every name
// with one letter missing leads back to its crawler or to nobody.
func TestClosestOfAll(t *testing.T) {
	c := load(t)
	for _, cr := range c.All() {
		if got, ok := c.Closest(cr.Token); ok {
			t.Errorf("%q: got %q; want nobody", cr.Token, got.Token)
		}
		short := cr.Token[:len(cr.Token)-1]
		if _, known := c.Lookup(short); known {
			continue
		}
		if got, ok := c.Closest(short); ok && got.Token != cr.Token {
			t.Errorf("%q: got %q; want %q or nobody", short, got.Token, cr.Token)
		}
	}
}
