package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/whichrule/whichrule/internal/testkit"
)

const (
	liveThen = "# Shop\nUser-agent: *\nDisallow: /account/\nDisallow: /cart/\nAllow: /cart/help\n\nUser-agent: GPTBot\nUser-agent: ClaudeBot\nDisallow: /\n\n" +
		"User-agent: Applebot\nDisallow:\n\n# Old campaigns\n# 2019\n# 2020\n# 2021\n# 2022\n# 2023\n# 2024\n\nSitemap: https://shop.example.com/sitemap.xml\n"
	liveNow = "# Shop\nUser-agent: *\nDisallow: /account/\nDisallow: /cart\nDisallow: /search\n\nUser-agent: GPTBot\nDisallow:\n\nUser-agent: ClaudeBot\nDisallow: /\n\n" +
		"User-agent: Applebot\nDisallow:\n\n# Old campaigns\n# 2019\n# 2020\n# 2021\n# 2022\n# 2023\n# 2024\n\nSitemap: https://shop.example.com/sitemaps.xml \n"
	liveQuery = "&crawler=Googlebot&crawler=GPTBot&crawler=ClaudeBot&url=/cart/help&url=/search%3Fq=boots&url=/"
)

// shareOf shares the test of a site and opens the share.
func (b *tab) shareOf(site *testkit.Site, text string) {
	b.t.Helper()
	site.File(text)
	b.visit("/?site=" + site.Origin() + liveQuery)
	b.click("#share")
	b.until(`document.querySelector("#shared-url")`)
	b.visit(eval[string](b, `document.querySelector("#shared-url").value`))
	b.until(`location.pathname.startsWith("/r/")`)
}

// shownFlips is the table of verdicts that changed, row by row.
const shownFlips = `[...document.querySelectorAll(".blocks[aria-labelledby=h-flips] tbody tr")].map(r => r.innerText.split(/\s+/).join(" ").trim()).join("\n")`

// A share is compared with the file as it is now: what flipped comes first,
// then what changed in the text.
func TestLive(t *testing.T) {
	t.Parallel()
	for _, l := range []look{{width: 1366}, {width: 1366, noJS: true}} {
		t.Run(l.String(), func(t *testing.T) {
			t.Parallel()
			site := testkit.NewSite(t)
			b := open(t, look{width: 1366})
			b.shareOf(site, liveThen)
			share := eval[string](b, "location.pathname")
			site.File(liveNow)
			if l.noJS {
				b = open(t, l)
				b.visit(share)
			}
			b.click("a[href$='/live']")
			b.until(`location.pathname.endsWith("/live")`)
			b.until(`document.querySelector("h1")?.innerText.startsWith("5 verdicts changed since ")`)
			b.untilIs(shownFlips, strings.Join([]string{
				"/cart/help Googlebot ✓ Allowed line 5 Allow: /cart/help ✕ Blocked line 4 Disallow: /cart",
				"/search?q=boots Googlebot ✓ Allowed no rule decides ✕ Blocked line 5 Disallow: /search",
				"/cart/help GPTBot ✕ Blocked line 9 Disallow: / ✓ Allowed line 8 Disallow:",
				"/search?q=boots GPTBot ✕ Blocked line 9 Disallow: / ✓ Allowed line 8 Disallow:",
				"/ GPTBot ✕ Blocked line 9 Disallow: / ✓ Allowed line 8 Disallow:",
			}, "\n"))
			b.untilIs(`[...document.querySelectorAll(".live h2")].map(h => h.innerText).join()`, "Verdicts that changed,What changed in the text,What else changed")

			// A line in the table leads to that line below.
			b.click(`a.line[href="#now-4"]`)
			b.until(`location.hash === "#now-4" && document.querySelector("#now-4").matches(":target")`)
			// A verdict leads to its explanation, then in the share.
			b.click(".blocks .then a.v")
			b.untilIs(`location.pathname + location.search`, share+"?cell=1.1")
		})
	}
}

// Everything on the page can be reached and used with the keyboard alone.
func TestLiveKeyboard(t *testing.T) {
	t.Parallel()
	site := testkit.NewSite(t)
	b := open(t, look{})
	b.shareOf(site, liveThen)
	site.File(liveNow)
	b.visit(eval[string](b, `location.pathname + "/live"`))
	eval[any](b, `{document.querySelector("main").focus()}`)
	var seen []string
	for range 6 {
		b.press(kb.Tab)
		seen = append(seen, eval[string](b, `document.activeElement.innerText.split(/\s+/).join(" ")`))
		if !eval[bool](b, `document.activeElement.matches(":focus-visible")`) {
			t.Errorf("%s: the focus is not seen", seen[len(seen)-1])
		}
	}
	if got, want := strings.Join(seen, "|"), "Back to the shared result|Open the live test|Fetch again|Download CSV|JSON|✓ Allowed"; got != want {
		t.Errorf("got the focus at %s; want %s", got, want)
	}
	asked := site.Count()
	eval[any](b, `{document.querySelector("a[href$='do=refetch']").focus()}`)
	b.press(kb.Enter)
	b.until(`location.search === "?do=refetch" && document.querySelector("h1").innerText.startsWith("5 verdicts")`)
	if got := site.Count() - asked; got != 0 {
		t.Errorf("the site was asked %d times; want none within a minute of the last", got)
	}
}

// On a phone a row of the table is a block that names both sides, and the page
// stays as wide as the screen, whatever the files hold.
func TestLiveOnAPhone(t *testing.T) {
	t.Parallel()
	site := testkit.NewSite(t)
	b := open(t, look{width: 390})
	b.shareOf(site, liveThen)
	site.File(liveNow + "Disallow: /" + strings.Repeat("long", 2000) + "\n")
	b.visit(eval[string](b, `location.pathname + "/live"`))
	b.until(`document.querySelector(".blocks .then")`)
	for _, width := range []int64{320, 390} {
		b.look(look{width: width})
		if got := eval[int64](b, "document.documentElement.scrollWidth"); got > width {
			t.Errorf("%d wide, the page scrolls sideways to %d", width, got)
		}
		for _, side := range []string{"Then", "Now"} {
			css := `.blocks .` + strings.ToLower(side)
			if got := eval[string](b, `getComputedStyle(document.querySelector(`+quote(css)+`), "::before").content`); got != `"`+side+`"` {
				t.Errorf("%d wide: got %s before a verdict; want %s", width, got, side)
			}
		}
	}
}

// A site that does not answer leaves the way back.
func TestLiveFails(t *testing.T) {
	t.Parallel()
	site := testkit.NewSite(t)
	b := open(t, look{})
	b.shareOf(site, liveThen)
	share := eval[string](b, "location.pathname")
	site.Stop()
	b.expect("status of 502")
	b.visit(share + "/live?do=refetch")
	b.untilIs(`document.querySelector(".lede").innerText`, "The live file could not be compared. Nothing answers at this address: the connection failed.")
	b.do(chromedp.Click("main a.button"))
	b.untilIs("location.pathname", share)
}
