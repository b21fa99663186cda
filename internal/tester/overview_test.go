package tester

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/whichrule/whichrule/internal/access"
	"github.com/whichrule/whichrule/internal/crawlers"
	"github.com/whichrule/whichrule/internal/fetch"
	"github.com/whichrule/whichrule/internal/robots"
)

func catalogue(t testing.TB) *crawlers.Catalogue {
	t.Helper()
	c, err := crawlers.Load()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func overviewOf(t testing.TB, text string, kind fetch.Kind) *Overview {
	t.Helper()
	f := robots.Parse([]byte(text), robots.Options{Limit: robots.GoogleLimit})
	return overview(f, catalogue(t), func(operator string) access.Access {
		if kind == "" {
			return access.Pasted()
		}
		return access.Of(access.Class(kind), operator)
	})
}

func TestOverviewStates(t *testing.T) {
	for _, tt := range []struct {
		name    string
		in      string // lines, joined by |
		crawler string
		want    string // state how line disallows
	}{
		{"an empty file", "", "GPTBot", "open none 0 0"},
		{"nobody names it", "User-agent: Googlebot|Disallow: /", "GPTBot", "open none 0 0"},
		{"closed by name", "User-agent: GPTBot|Disallow: /", "GPTBot", "closed named 2 1"},
		{"closed by an alias", "User-agent: NaverBot|Disallow: /", "Yeti", "closed named 2 1"},
		{"closed by a fallback", "User-agent: Googlebot|Disallow: /", "Applebot", "closed fallback 2 1"},
		{"closed by *", "User-agent: *|Disallow: /", "GPTBot", "closed star 2 1"},
		{"closed by * which it does not read", "User-agent: *|Disallow: /", "AdsBot-Google", "open none 0 0"},
		{"closed by its own name though it does not read *", "User-agent: AdsBot-Google|Disallow: /", "AdsBot-Google", "closed named 2 1"},
		{"a group of its own hides *", "User-agent: *|Disallow: /||User-agent: GPTBot|Allow: /", "GPTBot", "open named 4 0"},
		{"an empty Disallow blocks nothing", "User-agent: GPTBot|Disallow:", "GPTBot", "open named 1 0"},
		{"a group without rules", "User-agent: *|Disallow: /||User-agent: GPTBot", "GPTBot", "open named 4 0"},
		{"a part", "User-agent: *|Disallow: /cart/|Disallow: /account/", "GPTBot", "partly star 2 2"},
		{"a part, an Allow first", "User-agent: *|Allow: /|Disallow: /cart/", "GPTBot", "partly star 3 1"},
		{"an Allow that ties takes a Disallow back", "User-agent: *|Disallow: /cart|Allow: /cart", "GPTBot", "open star 1 1"},
		{"an Allow that is longer leaves the rest", "User-agent: *|Disallow: /cart|Allow: /cart/", "GPTBot", "partly star 2 1"},
		{"a Disallow by a wildcard", "User-agent: *|Disallow: /*?", "GPTBot", "partly star 2 1"},
		{"a Disallow of an end", "User-agent: *|Disallow: /*.pdf$", "GPTBot", "partly star 2 1"},
		{"a value that fits no path", "User-agent: *|Disallow: cart/", "GPTBot", "open star 1 1"},
		{"robots.txt itself is always open", "User-agent: *|Disallow: /robots.txt", "GPTBot", "open star 1 1"},
		{"closed with a star", "User-agent: *|Disallow: /*", "GPTBot", "closed star 2 1"},
		{"closed with a star alone", "User-agent: *|Disallow: *", "GPTBot", "closed star 2 1"},
		{"closed twice, the longer rule decides", "User-agent: *|Disallow: /|Disallow: /*", "GPTBot", "closed star 3 2"},
		{"closed but the front page", "User-agent: *|Disallow: /|Allow: /$", "GPTBot", "closed star 2 1"},
		{"closed but robots.txt", "User-agent: *|Disallow: /|Allow: /robots.txt", "GPTBot", "closed star 2 1"},
		{"closed but a folder", "User-agent: *|Disallow: /|Allow: /blog/", "GPTBot", "partly star 2 1"},
		{"closed but a kind of file", "User-agent: *|Disallow: /|Allow: /*.css$", "GPTBot", "partly star 2 1"},
		{"closed, and the folder that opens is closed again", "User-agent: *|Disallow: /|Allow: /blog/|Disallow: /blog/*", "GPTBot", "closed star 2 2"},
		{"Allow and Disallow of all", "User-agent: *|Disallow: /|Allow: /", "GPTBot", "open star 1 1"},
		{"only the front page is closed", "User-agent: *|Disallow: /$", "GPTBot", "partly star 2 1"},
		{"only the folders are closed", "User-agent: *|Disallow: /*/", "GPTBot", "partly star 2 1"},
		{"two groups of one name", "User-agent: GPTBot|Disallow: /a||User-agent: *|Allow: /||User-agent: gptbot|Disallow: /", "GPTBot", "closed named 8 2"},
		{"a name with digits", "User-agent: MJ12bot|Disallow: /", "MJ12bot", "closed named 2 1"},
		{"a name with blanks", "User-agent: Screaming Frog SEO Spider|Disallow: /", "Screaming Frog SEO Spider", "closed named 2 1"},
		{"a name with a version", "User-agent: GPTBot/1.2|Disallow: /", "GPTBot", "closed named 2 1"},
		{"a longer name is another's", "User-agent: GPTBotX|Disallow: /", "GPTBot", "open none 0 0"},
		{"one that does not obey", "User-agent: *|Disallow: /", "Perplexity-User", "not-controlled none 0 0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := overviewOf(t, strings.ReplaceAll(tt.in, "|", "\n"), "")
			for _, s := range o.Standings {
				if got := fmt.Sprint(s.State, " ", s.How, " ", s.Line, " ", s.Disallows); s.Crawler == tt.crawler && got != tt.want {
					t.Errorf("got %s; want %s", got, tt.want)
				}
			}
		})
	}
}

// What the server answered comes before the rules, for each operator its way.
func TestOverviewAccess(t *testing.T) {
	closed := "User-agent: *\nDisallow: /\n"
	for _, tt := range []struct {
		kind    fetch.Kind
		crawler string
		want    State
	}{
		{fetch.OK, "Googlebot", Closed},
		{fetch.ServerError, "Googlebot", Closed},
		{fetch.ServerError, "YandexBot", Open},
		{fetch.ClientError, "Googlebot", Open},
		{fetch.TooManyRequests, "Googlebot", Closed},
		{fetch.TooManyRequests, "GPTBot", Open},
		{fetch.Challenge, "Googlebot", Untold},
		{fetch.Challenge, "Perplexity-User", NotControlled},
	} {
		for _, s := range overviewOf(t, closed, tt.kind).Standings {
			if s.Crawler != tt.crawler {
				continue
			}
			if s.State != tt.want {
				t.Errorf("%s, %s: got %s; want %s", tt.kind, tt.crawler, s.State, tt.want)
			}
			if byRules := tt.kind == fetch.OK; !byRules && (s.Line != 0 || s.How != HowNone) {
				t.Errorf("%s, %s: got line %d, %s; want no rule to decide", tt.kind, tt.crawler, s.Line, s.How)
			}
		}
	}
}

// Every crawler that is offered stands there once, and the overview agrees
// with the verdict on the front page and on any other page.
func TestOverviewAgreesWithVerdicts(t *testing.T) {
	for _, text := range []string{
		"", "User-agent: *\nDisallow: /\n", "User-agent: *\nDisallow: /p\n", "User-agent: GPTBot\nUser-agent: MJ12bot\nDisallow: /\n\nUser-agent: *\nDisallow:\n",
		"User-agent: Googlebot\nDisallow: /\nAllow: /a\n\nUser-agent: Yandex\nDisallow: /\n\nUser-agent: SemrushBot\nAllow: /\n",
	} {
		o := overviewOf(t, text, "")
		offered := catalogue(t).Offered()
		if len(o.Standings) != len(offered) {
			t.Fatalf("got %d standings; want %d", len(o.Standings), len(offered))
		}
		f := robots.Parse([]byte(text), robots.Options{})
		for i, s := range o.Standings {
			c := offered[i]
			if s.Crawler != c.Token {
				t.Fatalf("got %s at %d; want %s", s.Crawler, i, c.Token)
			}
			if !c.Obeys {
				continue
			}
			sel := f.Select(robots.Agent{Names: c.Names, Star: c.Star, Cut: c.Google})
			root, any := sel.Match("/").Allowed, sel.Match("/any/page.html").Allowed
			if s.State == Closed && (root || any) || s.State == Open && (!root || !any) {
				t.Errorf("%q: %s is %s, but / is allowed %v and another page %v", text, c.Token, s.State, root, any)
			}
			if s.How != howOf(sel, &c) {
				t.Errorf("%q: %s: got %s; want %s", text, c.Token, s.How, howOf(sel, &c))
			}
		}
	}
}

func TestAlarms(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     []string // kind: crawlers; others; line
	}{
		{"an open site", "User-agent: *|Disallow:", nil},
		{"training closed, search open: what most want", "User-agent: GPTBot|User-agent: ClaudeBot|Disallow: /", nil},
		{"all closed, also training", "User-agent: *|Disallow: /||User-agent: AdsBot-Google|User-agent: AdsBot-Google-Mobile|User-agent: Mediapartners-Google|User-agent: APIs-Google|Disallow: /", []string{
			"star-missed", "ignored",
		}},
		{"AI search closed, training of the same operator open", "User-agent: OAI-SearchBot|Disallow: /", []string{"ai-search-inverted: OAI-SearchBot; GPTBot; 2"}},
		{"AI search closed, training too", "User-agent: OAI-SearchBot|User-agent: GPTBot|Disallow: /", nil},
		{"AI search partly closed", "User-agent: OAI-SearchBot|Disallow: /a", nil},
		{"one search engine closed whose operator trains nothing", "User-agent: PetalBot|Disallow: /", nil},
		{"search closed, training open", "User-agent: *|Disallow: /||User-agent: GPTBot|User-agent: ClaudeBot|User-agent: Amazonbot|User-agent: AI2Bot|User-agent: Bytespider|User-agent: meta-externalagent|User-agent: MistralAI-Training|User-agent: KimiBot|User-agent: CCBot|Allow: /", []string{
			"ai-search-inverted", "search-inverted", "star-missed", "ignored",
		}},
		{"a fetcher that people send, named", "User-agent: Perplexity-User|Disallow: /", []string{"ignored: Perplexity-User; ; 2"}},
		{"a fetcher that people send, a part closed", "User-agent: Perplexity-User|Disallow: /a", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for i, a := range overviewOf(t, strings.ReplaceAll(tt.in, "|", "\n"), "").Alarms {
				s := string(a.Kind)
				if i < len(tt.want) && strings.Contains(tt.want[i], ":") {
					s += fmt.Sprintf(": %s; %s; %d", strings.Join(a.Crawlers, " "), strings.Join(a.Others, " "), a.Line)
				}
				got = append(got, s)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A * block that a crawler does not read is no news where it is named itself.
func TestStarMissed(t *testing.T) {
	missed := func(text string) []string {
		for _, a := range overviewOf(t, text, "").Alarms {
			if a.Kind == StarMissed {
				return a.Crawlers
			}
		}
		return nil
	}
	all := missed("User-agent: *\nDisallow: /\n")
	if len(all) < 4 || all[0] != "AdsBot-Google" {
		t.Errorf("got %q; want AdsBot-Google first, and others", all)
	}
	if got := missed("User-agent: *\nDisallow: /\n\nUser-agent: AdsBot-Google\nDisallow: /x\n"); len(got) != len(all)-1 || got[0] == "AdsBot-Google" {
		t.Errorf("got %q; want %q without the one that is named", got, all)
	}
}

func TestNames(t *testing.T) {
	for _, tt := range []struct {
		name, in, want string // kind crawler; "" for nothing to say
	}{
		{"a crawler", "GPTBot", ""},
		{"in another case", "gptbot", ""},
		{"an alias", "NaverBot", ""},
		{"with a version", "GPTBot/1.2", ""},
		{"with blanks", "Screaming Frog SEO Spider", ""},
		{"with blanks and a version", "Screaming Frog SEO Spider/20.1", ""},
		{"everybody", "*", ""},
		{"everybody and a comment", "* all", ""},
		{"Google reads letters only", "Googlebot2", ""},
		{"a full user-agent string", "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.4; +https://openai.com/gptbot)", "agent-string GPTBot"},
		{"a browser's string", "Mozilla/5.0 (X11; Linux x86_64)", "agent-string "},
		{"a letter too many", "Googlebott", "close Googlebot"},
		{"a blank inside", "Claude Bot", "close ClaudeBot"},
		{"nobody known", "AcmeShopCrawler", "unknown "},
		{"a list on one line", "GPTBot, ClaudeBot", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := overviewOf(t, "User-agent: "+tt.in+"\nDisallow: /\n", "")
			got := ""
			for _, n := range o.Names {
				got += string(n.Kind) + " " + n.Crawler
				if n.Line != 1 || n.Name != tt.in {
					t.Errorf("got %q in line %d; want what stands there", n.Name, n.Line)
				}
			}
			if got != tt.want {
				t.Errorf("got %q; want %q", got, tt.want)
			}
		})
	}
	// What is no longer offered is told apart from what nobody knows.
	for _, c := range catalogue(t).All() {
		o := overviewOf(t, "User-agent: "+c.Token+"\nDisallow: /\n", "")
		want := c.Tier == 3
		if (len(o.Names) == 1) != want || want && (o.Names[0].Crawler != c.Token || o.Names[0].Kind == NameUnknown) {
			t.Errorf("%s, tier %d, %s: got %+v", c.Token, c.Tier, c.Status, o.Names)
		}
	}
	many := overviewOf(t, strings.Repeat("User-agent: nobody\n", 3)+"User-agent: a1\nUser-agent: a"+strings.Join(many(30, "bot"), "\nUser-agent: ")+"\nDisallow: /\n", "")
	if len(many.Names) != MaxNames || many.NamesTotal != 32 {
		t.Errorf("got %d of %d names; want %d of 32", len(many.Names), many.NamesTotal, MaxNames)
	}
}

// The overview is made with every test, so that it must stay a small part of
// it, also of a file that names everybody and of one whose rules block nothing.
func BenchmarkOverview(b *testing.B) {
	known := catalogue(b)
	var named strings.Builder
	for named.Len() < 400<<10 {
		for _, c := range known.Offered() {
			fmt.Fprintf(&named, "User-agent: %s\nDisallow: /%d\n", c.Token, named.Len())
		}
	}
	for name, text := range map[string]string{
		"example":  "User-agent: *\nDisallow: /cart/\n\nUser-agent: GPTBot\nDisallow: /\n",
		"named":    named.String(),
		"harmless": "User-agent: *\n" + strings.Repeat("Disallow: /abc\nAllow: /abc\n", 16_000),
		"agents":   strings.Repeat("User-agent: nobody\nAllow: /\n", 16_000),
	} {
		b.Run(name, func(b *testing.B) {
			f := robots.Parse([]byte(text), robots.Options{Limit: robots.GoogleLimit})
			for b.Loop() {
				overview(f, known, func(string) access.Access { return access.Pasted() })
			}
		})
	}
}
