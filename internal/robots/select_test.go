package robots

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestSelect(t *testing.T) {
	google := func(names ...string) Agent { return Agent{Names: names, Star: true, Cut: true} }
	other := func(names ...string) Agent { return Agent{Names: names, Star: true} }
	// groups makes a file with a group of one agent and one rule for each value.
	groups := func(values ...string) string {
		return "User-agent: " + strings.Join(values, "\nAllow: /\nUser-agent: ") + "\nAllow: /"
	}
	star := func(groups ...int) Selection { return Selection{Index: -1, Star: true, Name: "*", Groups: groups} }
	none := Selection{Index: -1}
	tests := []struct {
		name, in string
		agent    Agent
		want     Selection
	}{
		{"RFC 9309 §2.2.1: a name in any case", groups("*", "GOOGLEBOT"), google("googlebot"), Selection{Name: "googlebot", Groups: []int{1}}},
		{"RFC 9309 §2.2.1: groups of a name are merged", groups("bot", "x", "bot"), other("bot"), Selection{Name: "bot", Groups: []int{0, 2}}},
		{"RFC 9309 §2.2.1: star when there is no name", groups("*", "x", "*"), other("bot"), star(0, 2)},
		{"RFC 9309 §2.2.1: nobody", groups("x"), other("bot"), none},
		{"RFC 9309 §2.2.1: an empty file", "", other("bot"), none},
		{"a group of name and star is named", "User-agent: *\nUser-agent: bot\nAllow: /", other("bot"), Selection{Name: "bot", Groups: []int{0}}},

		{"google: version", groups("Googlebot/2.1"), google("Googlebot"), Selection{Name: "Googlebot", Groups: []int{0}}},
		{"google: no part of a name", groups("Google", "b", "Googlebot-Image"), google("Googlebot"), none},
		{"google: a name with digits is cut", groups("*", "MJ12bot"), google("MJ12bot"), star(0)},
		{"google: and serves the beginning", groups("*", "MJ12bot"), google("MJ"), Selection{Name: "MJ", Groups: []int{1}}},
		{"google: an empty name reads unreadable lines", groups("*", "123"), google(""), Selection{Groups: []int{1}}},
		{"google: case is ASCII", groups("ſpider"), google("spider"), none},
		{"google: case of the asker is ASCII", groups("kbot"), google("\u212Abot"), none},

		{"names in order, not in that of the file", groups("Googlebot", "Googlebot-Image"), google("Googlebot-Image", "Googlebot"), Selection{Name: "Googlebot-Image", Groups: []int{1}}},
		{"names in order, one alone", groups("Googlebot-Image", "Googlebot"), google("Googlebot-Image", "Googlebot"), Selection{Name: "Googlebot-Image", Groups: []int{0}}},
		{"names in order, the fallback", groups("*", "Googlebot", "Googlebot"), google("Googlebot-Image", "Googlebot"), Selection{Index: 1, Name: "Googlebot", Groups: []int{1, 2}}},
		{"names in order, the better in a group of both", "User-agent: Googlebot\nUser-agent: Googlebot-Image\nAllow: /", google("Googlebot-Image", "Googlebot"), Selection{Name: "Googlebot-Image", Groups: []int{0}}},
		{"google: a list merges all", groups("Googlebot", "x", "Googlebot-Image"), Agent{Names: []string{"Googlebot-Image", "Googlebot"}, Cut: true, Merge: true}, Selection{Name: "Googlebot-Image", Groups: []int{0, 2}}},
		{"Applebot falls back to Googlebot", groups("*", "Googlebot"), other("Applebot", "Googlebot"), Selection{Index: 1, Name: "Googlebot", Groups: []int{1}}},
		{"Applebot before Googlebot", groups("Googlebot", "Applebot"), other("Applebot", "Googlebot"), Selection{Name: "Applebot", Groups: []int{1}}},
		{"AdsBot-Google never reads star", groups("*"), Agent{Names: []string{"AdsBot-Google"}, Cut: true}, none},
		{"AdsBot-Google reads its own", groups("*", "AdsBot-Google"), Agent{Names: []string{"AdsBot-Google"}, Cut: true}, Selection{Name: "AdsBot-Google", Groups: []int{1}}},

		{"MJ12bot", groups("*", "MJ12bot"), other("MJ12bot"), Selection{Name: "MJ12bot", Groups: []int{1}, Loose: true}},
		{"MJ12bot is not MJ", groups("*", "MJ12bot"), other("MJ"), star(0)},
		{"AI2Bot with a version", groups("*", "ai2bot/1.0"), other("AI2Bot"), Selection{Name: "AI2Bot", Groups: []int{1}, Loose: true}},
		{"archive.org_bot", groups("archive", "archive.org_bot"), other("archive.org_bot"), Selection{Name: "archive.org_bot", Groups: []int{1}, Loose: true}},
		{"Screaming Frog SEO Spider", groups("Screaming", "Screaming Frog SEO Spider"), other("Screaming Frog SEO Spider"), Selection{Name: "Screaming Frog SEO Spider", Groups: []int{1}, Loose: true}},
		{"Screaming Frog SEO Spider with a version", groups("Screaming Frog SEO Spider/21.0"), other("Screaming Frog SEO Spider"), Selection{Name: "Screaming Frog SEO Spider", Groups: []int{0}, Loose: true}},
		{"Sogou web spider", groups("*", "Sogou web spider/4.0"), other("Sogou web spider"), Selection{Name: "Sogou web spider", Groups: []int{1}, Loose: true}},
		{"Sogou inst spider is another", groups("*", "Sogou inst spider/4.0"), other("Sogou web spider"), star(0)},
		{"the longest of several names", groups("Sogou web spider", "Sogou"), other("Sogou", "Sogou web spider"), Selection{Name: "Sogou", Groups: []int{1}}},
		{"the longest of several names, alone", groups("Sogou web spider"), other("Sogou", "Sogou web spider"), Selection{Index: 1, Name: "Sogou web spider", Groups: []int{0}, Loose: true}},
		{"what may follow a name", groups("bot", "bot x", "bot\tx", "bot/1", "bot*", "bot,x", "bot;x", "bot(x"), other("bot"), Selection{Name: "bot", Groups: []int{0, 1, 2, 3, 4, 5, 6, 7}}},
		{"what may not", groups("bots", "bot-x", "bot_x", "bot1", "bot.x", "bot:x", "bot)", "xbot", "botü"), other("bot"), none},
		{"a name of nothing is no name", groups("/x", ""), other(""), none},
		{"a full user-agent string speaks to Mozilla", groups("*", "Mozilla/5.0 (compatible; GPTBot/1.0)"), other("GPTBot"), star(0)},
		{"a list speaks to its first", groups("*", "GPTBot, ClaudeBot"), other("ClaudeBot"), star(0)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := Parse([]byte(test.in), Options{})
			got := f.Select(test.agent)
			if diff := cmp.Diff(&test.want, got, cmpopts.IgnoreUnexported(Selection{}), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("want -, got +:\n%s", diff)
			}
			if got, want := got.Rules(), len(test.want.Groups); got != want {
				t.Errorf("got %d rules; want %d", got, want)
			}
		})
	}
}

// Merging groups must not write into the file that others read.
func TestSelectLeavesFileAlone(t *testing.T) {
	f := Parse([]byte("User-agent: a\nAllow: /\nUser-agent: b\nAllow: /\nUser-agent: a\nAllow: /"), Options{})
	before := outline(f)
	f.Select(Agent{Names: []string{"a"}})
	if got := outline(f); got != before {
		t.Errorf("got %q; want %q", got, before)
	}
}
