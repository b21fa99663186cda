package tester

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/whichrule/whichrule/internal/crawlers"
)

func TestColumns(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   []string
		want []string // tokens; with ! those that the catalogue does not know
	}{
		{"nothing chosen", nil, []string{"Googlebot", "GPTBot", "ClaudeBot", "OAI-SearchBot"}},
		{"blanks alone", []string{"", " \t"}, []string{"Googlebot", "GPTBot", "ClaudeBot", "OAI-SearchBot"}},
		{"as the catalogue spells it", []string{"gptbot"}, []string{"GPTBot"}},
		{"twice in other case", []string{"GPTBot", "gptBOT", " GPTBot "}, []string{"GPTBot"}},
		{"in the order typed", []string{"bingbot", "Googlebot"}, []string{"bingbot", "Googlebot"}},
		{"an alias means its crawler", []string{"NaverBot"}, []string{"Yeti"}},
		{"an alias and its token are one", []string{"Yeti", "NaverBot"}, []string{"Yeti"}},
		{"a token wins over the alias of another", []string{"Google-NotebookLM", "Google-GeminiNotebook"}, []string{"Google-NotebookLM", "Google-GeminiNotebook"}},
		{"an unknown name stays as typed", []string{"MyBot"}, []string{"!MyBot"}},
		{"an unknown name twice in other case", []string{"MyBot", "mybot"}, []string{"!MyBot"}},
		{"all others", []string{"*"}, []string{"!*"}},
		{"a user-agent string", []string{"Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)"}, []string{"GPTBot"}},
		{"a user-agent string and its token are one", []string{"GPTBot", "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)"}, []string{"GPTBot"}},
		{"a user-agent string of nobody is never *", []string{"Mozilla/5.0 (X11; Linux)"}, []string{"!Mozilla/5.0 (X11; Linux)"}},
		{"bytes that are no UTF-8", []string{"caf\xe9bot"}, []string{"!caf\ufffdbot"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newWorld(t).test(t, Request{Text: []byte("\n"), Crawlers: tt.in})
			var got []string
			for _, c := range r.Crawlers {
				name := c.Choice.Crawler.Token
				if !c.Choice.Known {
					name = "!" + name
				}
				got = append(got, name)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// many gives n different names or URLs.
func many(n int, prefix string) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = prefix + string(rune('a'+i/26/26%26)) + string(rune('a'+i/26%26)) + string(rune('a'+i%26))
	}
	return out
}

func TestBounds(t *testing.T) {
	x := strings.Repeat
	for _, tt := range []struct {
		name string
		in   Request
		want *Error // nil: tested
	}{
		{"60 crawlers", Request{Crawlers: many(60, "bot")}, nil},
		{"61 crawlers", Request{Crawlers: many(61, "bot")}, &Error{Kind: "too-many-crawlers", Field: "crawler", Limit: 60}},
		{"61 names of 60 crawlers", Request{Crawlers: append(many(60, "bot"), "BOTaaa")}, nil},
		{"a crawler's name of 500 bytes", Request{Crawlers: []string{x("a", 500)}}, nil},
		{"a crawler's name of 501 bytes", Request{Crawlers: []string{x("a", 501)}}, &Error{Kind: "crawler-too-long", Field: "crawler", Limit: 500, Got: x("a", 79) + "…"}},
		{"1,000 URLs", Request{URLs: many(1000, "/")}, nil},
		{"1,000 URLs and blank lines", Request{URLs: append(many(1000, "/"), "", " ")}, nil},
		{"1,001 URLs", Request{URLs: many(1001, "/")}, &Error{Kind: "too-many-urls", Field: "url", Limit: 1000}},
		{"a URL of 8 KiB", Request{URLs: []string{"/" + x("a", 8<<10-1)}}, nil},
		{"a URL of 8 KiB and 1", Request{URLs: []string{"/" + x("a", 8<<10)}}, &Error{Kind: "url-too-long", Field: "url", Limit: 8 << 10, Got: "/" + x("a", 78) + "…"}},
		{"256 KiB of URLs", Request{URLs: strings.Fields(x("/"+x("a", 4<<10-1)+" ", 64))}, nil},
		{"256 KiB and 1 of URLs", Request{URLs: append(strings.Fields(x("/"+x("a", 4<<10-1)+" ", 64)), "/")}, &Error{Kind: "too-large", Field: "url", Limit: 256 << 10}},
		{"a text of 1 MiB", Request{Text: []byte(x("a", 1<<20))}, nil},
		{"a text of 1 MiB and 1", Request{Text: []byte(x("a", 1<<20+1))}, &Error{Kind: "too-large", Field: "robots", Limit: 1 << 20}},
		{"a text that is too large, of an outcome that is not held", Request{Text: []byte(x("a", 1<<20+1)), Site: shop, Outcome: "gone"}, &Error{Kind: "too-large", Field: "robots", Limit: 1 << 20}},
		{"a text that is too large, but a fetch is asked for", Request{Text: []byte(x("a", 1<<20+1)), Site: shop, Do: DoFetch}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			if tt.in.Text == nil {
				tt.in.Text = []byte("\n")
			}
			if tt.want == nil {
				w.test(t, tt.in)
				return
			}
			if diff := cmp.Diff(tt.want, w.fails(t, tt.in)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// group is what a test of the choice of a group looks at.
type group struct {
	How   How
	Name  string
	Lines []int // User-agent lines
	Rules []Range
}

func TestGroup(t *testing.T) {
	const (
		star   = "User-agent: *\nDisallow: /star\n"
		google = "User-agent: Googlebot\nDisallow: /google\n"
		image  = "User-agent: Googlebot-Image\nDisallow: /image\n"
	)
	nothing := group{How: HowNone}
	for _, tt := range []struct {
		name, crawler, in string
		want              group
	}{
		{"named", "Googlebot", star + google, group{HowNamed, "Googlebot", []int{3}, []Range{{4, 4}}}},
		{"named in other case", "Googlebot", star + "user-AGENT: GOOGLEBOT\nDisallow: /x", group{HowNamed, "Googlebot", []int{3}, []Range{{4, 4}}}},
		{"a chain's first link", "Googlebot-Image", star + google + image, group{HowNamed, "Googlebot-Image", []int{5}, []Range{{6, 6}}}},
		{"a chain's second link", "Googlebot-Image", star + google, group{HowFallback, "Googlebot", []int{3}, []Range{{4, 4}}}},
		{"a chain's last link", "Googlebot-Image", star, group{HowStar, "*", []int{1}, []Range{{2, 2}}}},
		{"a chain and no group", "Googlebot-Image", "User-agent: bingbot\nDisallow: /", nothing},
		{"Applebot reads Googlebot's group", "Applebot", star + google, group{HowFallback, "Googlebot", []int{3}, []Range{{4, 4}}}},
		{"Bravebot has no name of its own", "Bravebot", star + google, group{HowFallback, "Googlebot", []int{3}, []Range{{4, 4}}}},
		{"Storebot-Google does not read Googlebot's group", "Storebot-Google", star + google, group{HowStar, "*", []int{1}, []Range{{2, 2}}}},
		{"AdsBot-Google never reads *", "AdsBot-Google", star, nothing},
		{"AdsBot-Google reads its own group", "AdsBot-Google", star + "User-agent: AdsBot-Google\nDisallow: /", group{HowNamed, "AdsBot-Google", []int{3}, []Range{{4, 4}}}},
		{"a name with digits: MJ12bot", "MJ12bot", star + "User-agent: MJ12bot\nDisallow: /", group{HowNamed, "MJ12bot", []int{3}, []Range{{4, 4}}}},
		{"a name with digits: AI2Bot", "AI2Bot", star + "User-agent: AI2Bot\nDisallow: /", group{HowNamed, "AI2Bot", []int{3}, []Range{{4, 4}}}},
		{"a name with blanks", "Screaming Frog SEO Spider", star + "User-agent: Screaming Frog SEO Spider\nDisallow: /", group{HowNamed, "Screaming Frog SEO Spider", []int{3}, []Range{{4, 4}}}},
		{"a name and its version", "MJ12bot", star + "User-agent: MJ12bot/v1.4\nDisallow: /", group{HowNamed, "MJ12bot", []int{3}, []Range{{4, 4}}}},
		{"an alias in the file", "Yeti", star + "User-agent: NaverBot\nDisallow: /", group{HowNamed, "NaverBot", []int{3}, []Range{{4, 4}}}},
		{"token and alias are not merged", "Yeti", "User-agent: NaverBot\nDisallow: /a\n\nUser-agent: Yeti\nDisallow: /b", group{HowNamed, "Yeti", []int{4}, []Range{{5, 5}}}},
		{"an unknown name", "MyBot", star + "User-agent: mybot\nDisallow: /", group{HowNamed, "MyBot", []int{3}, []Range{{4, 4}}}},
		{"an unknown name that no group names", "MyBot", star, group{HowStar, "*", []int{1}, []Range{{2, 2}}}},
		{"* itself", "*", star + google, group{HowStar, "*", []int{1}, []Range{{2, 2}}}},
		{"* itself, without a group", "*", google, nothing},
		{"RFC 9309 §2.2.1: groups of one name are one", "Googlebot", google + star + google, group{HowNamed, "Googlebot", []int{1, 5}, []Range{{2, 2}, {6, 6}}}},
		{"a group of the crawler and *", "Googlebot", "User-agent: Googlebot\nUser-agent: *\nDisallow: /", group{HowNamed, "Googlebot", []int{1, 2}, []Range{{3, 3}}}},
		{"a group without rules hides *", "Googlebot", star + "User-agent: Googlebot\n", group{HowNamed, "Googlebot", []int{3}, nil}},
		{"neighbouring rules are one run", "*", "User-agent: *\nDisallow: /a\nAllow: /b\n\nDisallow: /c", group{HowStar, "*", []int{1}, []Range{{2, 3}, {5, 5}}}},
		{"an empty file", "Googlebot", "", nothing},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			text := []byte(tt.in + "\n")
			c := w.test(t, Request{Text: text, Crawlers: []string{tt.crawler}}).Crawlers[0]
			got := group{c.How, c.Name, c.Agents, c.Rules}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s in\n%s\n(-want +got):\n%s", tt.crawler, text, diff)
			}
			if c.AgentsTotal != len(tt.want.Lines) {
				t.Errorf("got %d User-agent lines in all; want %d", c.AgentsTotal, len(tt.want.Lines))
			}
		})
	}
}

// A name that only crawlers other than Google's read whole is told apart.
func TestLoose(t *testing.T) {
	for crawler, want := range map[string]bool{"MJ12bot": true, "GPTBot": false, "Googlebot": false, "archive.org_bot": true} {
		text := []byte("User-agent: " + crawler + "\nDisallow: /\n")
		if got := newWorld(t).test(t, Request{Text: text, Crawlers: []string{crawler}}).Crawlers[0].Loose; got != want {
			t.Errorf("%s: got loose %t; want %t", crawler, got, want)
		}
	}
}

// Lists are cut, their numbers are not.
func TestLongGroup(t *testing.T) {
	text := lines(append(many(51, "User-agent: b"), strings.Repeat("Disallow: /a\n\n", 1001))...)
	c := newWorld(t).test(t, Request{Text: text, Crawlers: []string{"baaa"}}).Crawlers[0]
	if len(c.Agents) != MaxGroupLines || c.AgentsTotal != 51 {
		t.Errorf("got %d User-agent lines of %d; want %d of 51", len(c.Agents), c.AgentsTotal, MaxGroupLines)
	}
	if diff := cmp.Diff([]Range{{1, 51}}, c.Names); diff != "" {
		t.Errorf("runs of User-agent lines (-want +got):\n%s", diff)
	}
	if len(c.Rules) != MaxRanges || c.Rules[0] != (Range{52, 52}) {
		t.Errorf("got %d runs of rules, the first %v; want %d, {52 52}", len(c.Rules), c.Rules[0], MaxRanges)
	}
}

// The lines of the * groups are known whoever is tested, for "it is ignored".
func TestStarLines(t *testing.T) {
	text := lines("User-agent: *", "Disallow: /a", "", "User-agent: Googlebot", "Disallow: /b", "User-agent: *", "Disallow: /c")
	r := newWorld(t).test(t, Request{Text: text, Crawlers: []string{"Googlebot"}})
	if diff := cmp.Diff([]Range{{1, 2}, {6, 7}}, r.StarLines); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// All that the catalogue offers can be tested, each under its own name.
func TestWholeCatalogue(t *testing.T) {
	w := newWorld(t)
	var all []string
	for _, c := range w.Catalogue.All() {
		all = append(all, c.Token)
	}
	for len(all) > 0 {
		names := all[:min(len(all), MaxCrawlers)]
		all = all[len(names):]
		r := w.test(t, Request{Text: []byte("User-agent: *\nDisallow: /\n"), Crawlers: names})
		for i, c := range r.Crawlers {
			if c.Choice.Crawler.Token != names[i] || !c.Choice.Known {
				t.Errorf("got column %d %q; want %q", i, c.Choice.Crawler.Token, names[i])
			}
			if want := obeysStar(c.Choice.Crawler); r.At(0, i).Verdict != want {
				t.Errorf("%s: got %s; want %s", names[i], r.At(0, i).Verdict, want)
			}
		}
	}
}

func obeysStar(c crawlers.Crawler) Verdict {
	if c.Obeys && c.Star {
		return Blocked
	}
	return Allowed
}
