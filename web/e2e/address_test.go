package e2e

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/whichrule/whichrule/internal/testkit"
)

const (
	fourInAddress = "&crawler=Googlebot&crawler=GPTBot&crawler=ClaudeBot&crawler=OAI-SearchBot"
	shopMatrix    = "/: allowed, blocked 5, blocked 5, blocked 5"
	shopText      = "User-agent: Googlebot\nDisallow: /cart/\n\nUser-agent: *\nDisallow: /\n"
)

func siteAddress(s *testkit.Site) string { return "/?site=" + url.QueryEscape(s.Origin()) }

// fetch fetches a site from the page.
func (b *tab) fetch(s *testkit.Site) {
	b.t.Helper()
	b.fill("#site", s.Origin())
	b.press(kb.Enter)
	b.until(seenAddress + ".startsWith(" + quote(siteAddress(s)) + ")")
	b.until(`!document.querySelector("#fetching").checkVisibility()`)
}

// back goes a step back and waits for nothing: the step may load a page, bring
// one back from memory, or stay within the page. A page that is left at once
// has no answer to give.
func (b *tab) back() {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if _, err := chromedp.Run(ctx, chromedp.Evaluate[any]("{history.back()}")); err != nil && !strings.Contains(err.Error(), "navigated or closed") {
		b.t.Fatal(err)
	}
}

// The address bar holds the test as long as an address can.
func TestAddress(t *testing.T) {
	t.Parallel()
	b := open(t, look{})
	site := shop(t)
	b.visit("/")
	b.fetch(site)
	b.untilIs(seenMatrix, shopMatrix)
	b.untilIs(seenAddress, siteAddress(site)+fourInAddress+"&url=/")

	b.click(`#chips input[value="GPTBot"]`)
	b.click(`#chips input[value="ClaudeBot"]`)
	b.click(`#chips input[value="OAI-SearchBot"]`)
	b.untilIs(seenAddress, siteAddress(site)+"&crawler=Googlebot&url=/")
	b.fill("#url", "/cart/?a=b c&d\n/größe")
	b.untilIs(seenMatrix, "/cart/?a=b c&d: blocked 2\n/größe: allowed")
	b.untilIs(seenAddress, siteAddress(site)+"&crawler=Googlebot&url=/cart/%3Fa%3Db+c%26d&url=/gr%C3%B6%C3%9Fe")
	b.click("#c2-1")
	b.untilIs(seenWhy, "Googlebot may crawl this URL: no rule of its group matches.")
	b.untilIs(seenAddress, siteAddress(site)+"&crawler=Googlebot&url=/cart/%3Fa%3Db+c%26d&url=/gr%C3%B6%C3%9Fe&cell=2.1")
	address := eval[string](b, "location.href")

	// Who opens the address sees the same.
	for _, l := range []look{{width: 390, dark: true}, {noJS: true}} {
		other := open(t, l)
		other.visit(address)
		other.untilIs(seenMatrix, "/cart/?a=b c&d: blocked 2\n/größe: allowed")
		other.untilIs(seenWhy, "Googlebot may crawl this URL: no rule of its group matches.")
		other.untilIs(`document.querySelector("#url").value`, "/cart/?a=b c&d\n/größe")
		other.untilIs(seenHeads, "Googlebot")
	}

	// An edited text is in no address; undone, it is the fetched one again.
	b.fill("#robots", shopText+"# mine\n")
	b.untilIs(seenAddress, "/")
	b.until(seenFacts + `.includes("Edited after the fetch of ")`)
	b.fill("#robots", shopText)
	b.untilIs(seenAddress, siteAddress(site)+"&crawler=Googlebot&url=/cart/%3Fa%3Db+c%26d&url=/gr%C3%B6%C3%9Fe&cell=2.1")
	b.until(seenFacts + `.includes("Crawlers follow the rules below.")`)
}

// Back and forward go through fetches and opened cells.
func TestBack(t *testing.T) {
	t.Parallel()
	b := open(t, look{})
	site := shop(t)
	b.visit("/")
	b.untilIs("document.title", "robots.txt tester: which rule decides? · Whichrule")
	b.fetch(site)
	b.untilIs("document.title", "robots.txt of 127.0.0.1 · Whichrule")
	b.untilIs(seenWhy, "GPTBot may not crawl this URL: line 5 wins.")
	b.click("#c1-3")
	b.untilIs(seenWhy, "ClaudeBot may not crawl this URL: line 5 wins.")
	b.click("#c1-1")
	b.untilIs(seenWhy, "Googlebot may crawl this URL: no rule of its group matches.")

	b.back()
	b.untilIs(seenWhy, "ClaudeBot may not crawl this URL: line 5 wins.")
	b.untilIs(seenMarks, "4 agent, 5 wins")
	b.untilIs(seenAddress, siteAddress(site)+fourInAddress+"&url=/&cell=1.3")
	b.back()
	b.untilIs(seenWhy, "GPTBot may not crawl this URL: line 5 wins.")
	b.back()
	b.untilIs(seenMatrix, exampleMatrix)
	b.untilIs(seenAddress, "/")
	b.untilIs("document.title", "robots.txt tester: which rule decides? · Whichrule")
	eval[any](b, "{history.go(3)}")
	b.untilIs(seenWhy, "Googlebot may crawl this URL: no rule of its group matches.")
	b.untilIs(seenText, shopText)

	// The page that came back works like the first.
	b.click("#c1-2")
	b.untilIs(seenWhy, "GPTBot may not crawl this URL: line 5 wins.")
	b.fill("#url", "/cart/")
	b.untilIs(seenMatrix, "/cart/: blocked 2, blocked 5, blocked 5, blocked 5")
}

// A line number's link is a step within the page that changes nothing.
func TestBackFromLine(t *testing.T) {
	t.Parallel()
	b := open(t, look{})
	b.visit("/")
	b.fill("#url", "/cart/")
	b.untilIs(seenMatrix, "/cart/: allowed, blocked 13, blocked 13, blocked 4")
	b.click("#L4")
	b.untilIs("location.hash", "#L4")
	b.back()
	b.untilIs("location.hash", "")
	b.fill("#robots", ownText)
	b.untilIs(seenMatrix, "/cart/: allowed, allowed, allowed, allowed")
	b.untilIs(`document.querySelector("#url").value`, "/cart/")
}

// Nothing that was typed is lost by going back, reloading or looking elsewhere.
func TestTypedIsKept(t *testing.T) {
	const (
		urls   = "/private/\n/private/open"
		matrix = "/private/: blocked 2, blocked 2, blocked 2, blocked 2\n/private/open: allowed 3, allowed 3, allowed 3, allowed 3"
	)
	for _, tt := range []struct {
		name string
		do   func(t *testing.T, b *tab)
	}{
		{"reload", func(t *testing.T, b *tab) { b.do(chromedp.Reload()) }},
		{"away and back", func(t *testing.T, b *tab) {
			b.visit("/about")
			b.back()
		}},
		{"away and here again", func(t *testing.T, b *tab) {
			b.click(`nav a[href="/about"]`)
			b.until(`location.pathname === "/about"`)
			b.click(`nav a[href="/"]`)
		}},
		{"fetch and back", func(t *testing.T, b *tab) {
			b.fetch(shop(t))
			b.untilIs(seenText, shopText)
			b.back()
		}},
		{"fetch, reload and back", func(t *testing.T, b *tab) {
			b.fetch(shop(t))
			b.do(chromedp.Reload())
			b.untilIs(seenText, shopText)
			b.back()
		}},
		{"fetch and bring it back", func(t *testing.T, b *tab) {
			b.fetch(shop(t))
			b.untilIs(seenText, shopText)
			b.click("#undo button")
		}},
		{"fetch, reload and bring it back", func(t *testing.T, b *tab) {
			b.fetch(shop(t))
			b.do(chromedp.Reload())
			b.untilIs(seenText, shopText)
			b.click("#undo button")
		}},
		{"forward over it", func(t *testing.T, b *tab) {
			b.fetch(shop(t))
			b.untilIs(seenText, shopText)
			b.back()
			b.untilIs(seenText, ownText)
			eval[any](b, "{history.forward()}")
			b.until("history.state?.htmx")
			b.untilIs(seenAddress, "/")
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := open(t, look{})
			b.visit("/")
			b.fill("#robots", ownText)
			b.fill("#url", urls)
			b.untilIs(seenMatrix, matrix)
			tt.do(t, b)
			b.untilIs(seenAddress, "/")
			b.untilIs(seenText, ownText)
			b.untilIs(`document.querySelector("#url").value`, urls)
			b.untilIs(seenMatrix, matrix)
			b.untilIs(`String(document.querySelector("#gutter").childElementCount)`, "4")
		})
	}
}

// A fetched text that was edited is typed text too.
func TestEditedIsKept(t *testing.T) {
	t.Parallel()
	b := open(t, look{})
	site := shop(t)
	edited := strings.Replace(shopText, "/cart/", "/basket/", 1)
	b.visit("/")
	b.fetch(site)
	b.untilIs(seenMatrix, shopMatrix)
	b.click("#c1-1")
	b.untilIs(seenWhy, "Googlebot may crawl this URL: no rule of its group matches.")
	b.fill("#robots", edited)
	b.untilIs(seenAddress, "/")
	b.back()
	b.until(seenFacts + `.includes("Edited after the fetch of ")`)
	b.fill("#url", "/basket/")
	b.untilIs(seenMatrix, "/basket/: blocked 2, blocked 5, blocked 5, blocked 5")
	b.untilIs(seenText, edited)
	b.untilIs(seenAddress, "/")
	b.do(chromedp.Reload())
	b.untilIs(seenMatrix, "/basket/: blocked 2, blocked 5, blocked 5, blocked 5")
	b.untilIs(seenText, edited)
	b.until(seenFacts + `.includes("Edited after the fetch of ")`)
}

// URLs and crawlers are typed things too.
func TestChoicesAreKept(t *testing.T) {
	t.Parallel()
	b := open(t, look{})
	b.visit("/")
	b.click(`#chips input[value="GPTBot"]`)
	b.click("#picker summary")
	b.click(`#picker input[value="bingbot"]`)
	b.fill("#other", "MyBot")
	b.press(kb.Enter)
	b.fill("#url", "/cart/")
	b.untilIs(seenMatrix, "/cart/: allowed, blocked 13, blocked 4, blocked 4, blocked 4")
	const heads = "Googlebot, ClaudeBot, OAI-SearchBot, bingbot, MyBot: not in our list"
	const chips = "+Googlebot (search), GPTBot (training), +ClaudeBot (training), +OAI-SearchBot (AI search), +bingbot (search), +MyBot (not in our list)"
	b.untilIs(seenHeads, heads)
	b.do(chromedp.Reload())
	b.untilIs(seenHeads, heads)
	b.untilIs(seenChips, chips)
	b.untilIs(seenMatrix, "/cart/: allowed, blocked 13, blocked 4, blocked 4, blocked 4")

	b.fetch(shop(t))
	b.untilIs(seenMatrix, "/cart/: blocked 2, blocked 5, blocked 5, blocked 5, blocked 5")
	b.back()
	b.untilIs(seenHeads, heads)
	b.untilIs(seenMatrix, "/cart/: allowed, blocked 13, blocked 4, blocked 4, blocked 4")
	b.until(`document.querySelector('#picker input[value="bingbot"]').checked`)
}

// Without scripts the browser itself brings back what was typed.
func TestTypedIsKeptWithoutScripts(t *testing.T) {
	t.Parallel()
	b := open(t, look{noJS: true})
	b.visit("/")
	b.fill("#robots", ownText)
	b.fill("#url", "/private/")
	b.click(`nav a[href="/about"]`)
	b.until(`location.pathname === "/about"`)
	b.back()
	b.untilIs(seenText, ownText)
	b.untilIs(`document.querySelector("#url").value`, "/private/")
}
