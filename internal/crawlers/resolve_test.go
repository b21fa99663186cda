package crawlers

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestResolve(t *testing.T) {
	c := load(t)
	const (
		name    = iota // a token or alias was typed
		agent          // a user-agent string was typed
		unknown        // stays as typed
	)
	tests := []struct {
		name, in, want string
		how            int
	}{
		{"token", "Googlebot", "Googlebot", name},
		{"token in another case, blanks around", "  oai-searchBOT\t", "OAI-SearchBot", name},
		{"alias", "SemrushBot-SA", "SiteAuditBot", name},
		{"token with blanks", "Screaming Frog SEO Spider", "Screaming Frog SEO Spider", name},
		{"retired token that is also an alias", "Google-NotebookLM", "Google-NotebookLM", name},
		{"tier 3", "img2dataset", "img2dataset", name},

		{"GPTBot", "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; GPTBot/1.4; +https://openai.com/gptbot", "GPTBot", agent},
		{"GPTBot, older", "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.1; +https://openai.com/gptbot)", "GPTBot", agent},
		{"OAI-SearchBot", "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36; compatible; OAI-SearchBot/1.4; +https://openai.com/searchbot", "OAI-SearchBot", agent},
		{"ChatGPT-User", "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot", "ChatGPT-User", agent},
		{"ClaudeBot, named by mail address too", "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)", "ClaudeBot", agent},
		{"Googlebot, short", "Googlebot/2.1 (+http://www.google.com/bot.html)", "Googlebot", agent},
		{"Googlebot, bare version", "Googlebot/2.1", "Googlebot", agent},
		{"Googlebot, smartphone", "Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.7151.119 Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "Googlebot", agent},
		{"Googlebot, desktop", "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Googlebot/2.1; +http://www.google.com/bot.html) Chrome/137.0.7151.119 Safari/537.36", "Googlebot", agent},
		{"the longer of two tokens", "Googlebot-Image/1.0", "Googlebot-Image", agent},
		{"AdsBot-Google-Mobile", "Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Mobile Safari/537.36 (compatible; AdsBot-Google-Mobile; +http://www.google.com/mobile/adsbot.html)", "AdsBot-Google-Mobile", agent},
		{"Storebot-Google, in the platform comment", "Mozilla/5.0 (X11; Linux x86_64; Storebot-Google/1.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Safari/537.36", "Storebot-Google", agent},
		{"bingbot", "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/116.0.1938.76 Safari/537.36", "bingbot", agent},
		{"msnbot", "msnbot/2.0b (+http://search.msn.com/msnbot.htm)", "msnbot", agent},
		{"Applebot", "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15 (Applebot/0.1; +http://www.apple.com/go/applebot)", "Applebot", agent},
		{"YandexBot, host of the same name", "Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)", "YandexBot", agent},
		{"MJ12bot", "Mozilla/5.0 (compatible; MJ12bot/v1.4.8; http://mj12bot.com/)", "MJ12bot", agent},
		{"AI2Bot, after the comment", "Mozilla/5.0 (compatible) AI2Bot (+https://www.allenai.org/crawler)", "AI2Bot", agent},
		{"alias of AI2Bot", "Mozilla/5.0 (compatible) Ai2Bot-Dolma (+https://www.allenai.org/crawler)", "AI2Bot", agent},
		{"archive.org_bot", "Mozilla/5.0 (compatible; archive.org_bot +http://archive.org/details/archive.org_bot)", "archive.org_bot", agent},
		{"PetalBot, no blanks", "Mozilla/5.0 (compatible;PetalBot;+https://webmaster.petalsearch.com/site/petalbot)", "PetalBot", agent},
		{"name with blanks and a version", "Screaming Frog SEO Spider/21.4", "Screaming Frog SEO Spider", agent},
		{"name with blanks, bracket at once", "Sogou web spider/4.0(+http://www.sogou.com/docs/help/webmasters.htm#07)", "Sogou web spider", agent},
		{"plus sign at once", "Baiduspider-image+(+http://www.baidu.com/search/spider.htm)", "Baiduspider-image", agent},
		{"version after a blank", "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)", "Slackbot-LinkExpanding", agent},
		{"Mozilla in the comment", "LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)", "LinkedInBot", agent},
		{"word before the name", "Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/ysearch/slurp)", "Slurp", agent},
		{"likeness is not identity", "TelegramBot (like TwitterBot)", "TelegramBot", agent},
		{"of three names the longest", "facebookexternalhit/1.1 Facebot Twitterbot/1.0", "facebookexternalhit", agent},
		{"compatible goes before longer", "Screaming Frog SEO Spider/21 (compatible; GPTBot/1.4)", "GPTBot", agent},
		{"in quotes", `"Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)"`, "AhrefsBot", agent},
		{"upper case", "MOZILLA/5.0 (COMPATIBLE; CCBOT/2.0; HTTPS://COMMONCRAWL.ORG/FAQ/)", "CCBot", agent},

		{"name nobody knows", "MyBot", "MyBot", unknown},
		{"name nobody knows, with version", "MyBot/1.0 (+https://mybot.example)", "MyBot/1.0 (+https://mybot.example)", unknown},
		{"a browser", "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Safari/537.36", "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Safari/537.36", unknown},
		{"only likeness", "Previewer/2 (like Twitterbot)", "Previewer/2 (like Twitterbot)", unknown},
		{"only an address names one", "MyBot/1.0 (+https://openai.com/gptbot)", "MyBot/1.0 (+https://openai.com/gptbot)", unknown},
		{"only a mail address names one", "MyBot/1.0 (claudebot@anthropic.com)", "MyBot/1.0 (claudebot@anthropic.com)", unknown},
		{"token inside a word", "NotGPTBot/1.0 GPTBots/1.0 GPTBot-2/1.0", "NotGPTBot/1.0 GPTBots/1.0 GPTBot-2/1.0", unknown},
		{"several words without version", "block GPTBot please", "block GPTBot please", unknown},
		{"star with more", "*/1.0", "*/1.0", unknown},
		{"just a bracket", "(", "(", unknown},
		{"just a slash", "/", "/", unknown},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if len(tt.in) > MaxName {
				t.Errorf("%d bytes are more than MaxName", len(tt.in))
			}
			got := c.Resolve(tt.in)
			want := Choice{
				Typed:         strings.TrimSpace(tt.in),
				Crawler:       Crawler{Token: tt.want, Names: []string{tt.want}, Own: 1, Star: true, Obeys: true},
				Known:         tt.how != unknown,
				FromUserAgent: tt.how == agent,
			}
			if want.Known {
				want.Crawler, _ = c.Lookup(tt.want)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestResolveWithoutName(t *testing.T) {
	c := load(t)
	for typed, token := range map[string]string{"*": "*", " * ": "*", "": "", "\r\n": ""} {
		want := Choice{Typed: token, Crawler: Crawler{Token: token, Star: true, Obeys: true}}
		if diff := cmp.Diff(want, c.Resolve(typed)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", typed, diff)
		}
	}
}

// Every string that the catalogue shows as a crawler's own leads back to it.
func TestResolveStringsOfTheCatalogue(t *testing.T) {
	c := load(t)
	for _, cr := range c.All() {
		if !strings.ContainsAny(cr.UserAgent, "(/") {
			continue
		}
		if len(cr.UserAgent) > MaxName {
			t.Errorf("%s: the string has %d bytes, more than MaxName", cr.Token, len(cr.UserAgent))
		}
		if got := c.Resolve(cr.UserAgent); got.Crawler.Token != cr.Token {
			t.Errorf("%q: got %q; want %q", cr.UserAgent, got.Crawler.Token, cr.Token)
		}
	}
}

func TestResolveHostile(t *testing.T) {
	c := load(t)
	tests := []struct {
		name, in, want string // want "" for unknown
	}{
		{"control bytes", "GPT\x00Bot\x1b[31m/\x7f", ""},
		{"control byte ends a name", "Mozilla/5.0 (compatible;\x00GPTBot\x00)", "GPTBot"},
		{"outside UTF-8", "\xff\xfe/GPTBot\xff(", ""},
		{"markup", `<script>alert("GPTBot/1")</script>`, "GPTBot"},
		{"megabyte of slashes", strings.Repeat("/", 1<<20), ""},
		{"megabyte of words", strings.Repeat("a ", 1<<19) + "/", ""},
		{"megabyte of compatible", strings.Repeat("(compatible; ", 1<<17), ""},
		{"megabyte of a long name but one byte", "/" + strings.Repeat("CloudflareBrowserRenderingCrawleR2 ", 1<<15), ""},
		{"name behind a megabyte", strings.Repeat("; ", 1<<19) + "GPTBot/1.0", "GPTBot"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := c.Resolve(tt.in)
			if got.Known != (tt.want != "") || got.Known && got.Crawler.Token != tt.want {
				t.Errorf("got known %v, %.40q; want %q", got.Known, got.Crawler.Token, tt.want)
			}
			if !got.Known && got.Crawler.Token != strings.TrimSpace(tt.in) {
				t.Errorf("an unknown name changed to %.40q", got.Crawler.Token)
			}
		})
	}
}

// Whatever is typed, an unknown name stays as it is, and a known one stands in
// what was typed.
func FuzzResolve(f *testing.F) {
	f.Add("Mozilla/5.0 (compatible; GPTBot/1.4; +https://openai.com/gptbot)")
	f.Add("(like\x00Googlebot) bingbot/")
	f.Add("*")
	c := load(f)
	f.Fuzz(func(t *testing.T, typed string) {
		got := c.Resolve(typed)
		if got.Typed != strings.TrimSpace(typed) {
			t.Errorf("typed became %q", got.Typed)
		}
		if !got.Known {
			if got.Crawler.Token != got.Typed || got.FromUserAgent || !got.Crawler.Star || !got.Crawler.Obeys {
				t.Errorf("unknown name became %+v", got)
			}
			return
		}
		for _, name := range append([]string{got.Crawler.Token}, got.Crawler.Aliases...) {
			if strings.Contains(lower(typed), lower(name)) {
				return
			}
		}
		t.Errorf("%q is %s, which it does not name", typed, got.Crawler.Token)
	})
}
