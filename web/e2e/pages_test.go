package e2e

import (
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/whichrule/whichrule/internal/testkit"
)

// looks are what every page has to stand: a phone and a desktop, light and dark.
var looks = []look{{width: 1366}, {width: 1366, dark: true}, {width: 390}, {width: 390, dark: true}}

// pages are the states of the site that a person can look at, and how to get
// there.
var pages = []struct {
	name string
	open func(t *testing.T, b *tab)
}{
	{"home", func(t *testing.T, b *tab) {
		b.visit("/")
		b.untilIs(seenMatrix, exampleMatrix)
	}},
	{"fetched", func(t *testing.T, b *tab) {
		site := testkit.NewSite(t)
		site.Serve(testkit.RedirectChain(1, testkit.File("# Shop\nUser-agent: *\nDisallow: /account/\nDisallow: /cart/\nDisallow: /*?sort=\nAllow: /cart/help\n\n"+
			"User-agent: GPTBot\nUser-agent: ClaudeBot\nDisallow: /\n\nUser-agent: Applebot\nDisallow:\n\nSitemap: https://shop.example.com/sitemap.xml\n")))
		b.visit("/?site=" + site.Origin() + "&crawler=Googlebot&crawler=GPTBot&crawler=Perplexity-User&crawler=Applebot&crawler=MyBot" +
			"&url=/cart/help&url=/shop/boots?colour=brown%26sort=price&url=https://elsewhere.example/a&url=javascript:void&url=/robots.txt&cell=1.1")
		b.untilIs(seenWhy, "Googlebot may crawl this URL: line 6 wins.")
	}},
	{"error", func(t *testing.T, b *tab) {
		b.visit("/")
		b.expect("status of 422")
		b.fill("#site", "ftp://files.example")
		b.press(kb.Enter)
		b.until(`document.querySelector("#err-site").innerText !== ""`)
	}},
	{"failed fetch", func(t *testing.T, b *tab) {
		site := testkit.NewSite(t)
		site.Status(503)
		b.visit("/")
		b.fill("#robots", ownText)
		b.fetch(site)
		b.until(`document.querySelector("#undo")`)
	}},
	{"picker", func(t *testing.T, b *tab) {
		b.visit("/")
		b.click("#picker summary")
		b.press("bot")
		b.fill("#other", "Mine")
		b.press(kb.Enter)
		b.until(`document.querySelector('#chips input[value="Mine"]')`)
	}},
	{"shared", func(t *testing.T, b *tab) {
		b.visit("/")
		b.click("#share")
		b.until(`document.querySelector("#shared-url")`)
	}},
	{"share", func(t *testing.T, b *tab) {
		b.visit("/")
		b.click("#share")
		b.until(`document.querySelector("#shared-url")`)
		b.visit(eval[string](b, `document.querySelector("#shared-url").value`))
		b.untilIs(`document.querySelector("h1").innerText`, "Googlebot may not crawl /shop/boots/print: line 8")
	}},
	{"manage", func(t *testing.T, b *tab) {
		b.visit("/")
		b.click("#share")
		b.click("#sharebox a")
		b.until(`location.pathname.endsWith("/manage")`)
	}},
	{"about", func(t *testing.T, b *tab) { b.visit("/about") }},
	{"404", func(t *testing.T, b *tab) {
		b.expect("status of 404")
		b.visit("/nothing-here")
		b.untilIs(`document.querySelector("h1").innerText`, "Page not found")
	}},
}
