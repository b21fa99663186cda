package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/whichrule/whichrule/internal/testkit"
)

const (
	// seenCount is what is said of the list.
	seenCount = `document.querySelector("#count").innerText`
	// seenListed are the names in it.
	seenListed = `[...document.querySelectorAll("#list tbody th a")].map(a => a.innerText).join(" ")`
)

// Whoever looks for a crawler types, and the list follows: what is left is
// announced, the address holds it, and the way back is a click.
func TestCatalogue(t *testing.T) {
	t.Parallel()
	for _, l := range []look{{width: 1366}, {width: 390, dark: true}} {
		t.Run(l.String(), func(t *testing.T) {
			t.Parallel()
			b := open(t, l)
			b.visit("/")
			b.click(`nav a[href="/crawlers"]`)
			b.untilIs(seenCount, "207 crawlers")
			b.until(`document.querySelector("#filter[data-htmx-powered]")`)
			b.fill("#q", "openai")
			b.untilIs(seenListed, "OAI-SearchBot GPTBot ChatGPT-User OAI-AdsBot ChatGPT Agent")
			b.untilIs(seenCount, "5 of 207 crawlers fit")
			b.untilIs(`document.querySelector("#count").getAttribute("role")`, "status")
			b.untilIs("location.search", "?q=openai")
			choose(b, "#honours", "yes")
			b.untilIs(seenListed, "OAI-SearchBot GPTBot OAI-AdsBot")
			choose(b, "#category", "ads")
			b.untilIs(seenListed, "OAI-AdsBot")
			b.untilIs("location.search", "?q=openai&category=ads&honours=yes")
			b.untilIs("document.activeElement.id", "q")

			// A reload, and a step back from an entry, find it as it was left.
			b.click("#list th a")
			b.untilIs(`document.querySelector("h1").innerText`, "OAI-AdsBot")
			eval[any](b, "history.back()")
			b.untilIs(seenListed, "OAI-AdsBot")
			b.untilIs(`document.querySelector("#q").value + document.querySelector("#category").value`, "openaiads")

			b.fill("#q", "nobody at all")
			b.untilIs(`document.querySelector("#list").innerText.trim()`, "No crawler in this list fits all of that.\n\nShow all crawlers")
			b.untilIs(seenCount, "0 of 207 crawlers fit")
			b.click("#list .status a")
			b.untilIs(seenCount, "207 crawlers")
			b.untilIs(`document.querySelector("#q").value`, "")
		})
	}
}

// choose takes a choice of a select, as a person does.
func choose(b *tab, css, value string) {
	b.t.Helper()
	eval[any](b, `{const s = document.querySelector(`+quote(css)+`); s.value = `+quote(value)+`; s.dispatchEvent(new Event("change", {bubbles: true}))}`)
}

// Without scripts a button filters, an entry says the same, and its lines can be
// selected whole.
func TestCatalogueWithoutJavaScript(t *testing.T) {
	t.Parallel()
	b := open(t, look{width: 390, noJS: true})
	b.visit("/crawlers")
	b.fill("#q", "GPTBot")
	b.click("#filter button")
	b.until(`location.search.includes("q=GPTBot")`)
	b.untilIs(seenListed, "GPTBot")
	b.click("#list th a")
	b.untilIs(`document.querySelector(".snippet pre").innerText`, "User-agent: GPTBot\nDisallow: /\n")
	if eval[bool](b, `[...document.querySelectorAll(".copy button")].some(b => b.checkVisibility())`) {
		t.Error("there are buttons to copy, which do nothing")
	}
	b.click(".snippet pre")
	b.untilIs("getSelection().toString().trim()", "User-agent: GPTBot\nDisallow: /")
}

// With the keyboard alone: to the list, into the search, to a crawler, and its lines
// into the clipboard.
func TestCatalogueKeyboard(t *testing.T) {
	t.Parallel()
	b := open(t, look{})
	b.visit("/crawlers")
	b.tabTo("q")
	b.press("adsbot-google")
	b.press(kb.Enter)
	b.untilIs(seenListed, "AdsBot-Google AdsBot-Google-Mobile AdsBot-Google-Mobile-Apps")
	b.untilIs("location.search", "?q=adsbot-google")
	b.untilIs("document.activeElement.id", "q")
	for range 6 { // four selects, the way back, the first crawler
		b.press(kb.Tab)
	}
	if f := eval[focus](b, seenFocus); !f.Ring || !f.InView {
		t.Errorf("%s: ring %v, in view %v", f.Name, f.Ring, f.InView)
	}
	b.press(kb.Enter)
	b.untilIs(`document.querySelector("h1").innerText`, "AdsBot-Google")
	eval[any](b, `navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve() }, 0`)
	for range 20 {
		b.press(kb.Tab)
		if eval[bool](b, `document.activeElement.matches(".copy button")`) {
			break
		}
	}
	b.press(kb.Enter)
	b.untilIs("window.copied", "User-agent: AdsBot-Google\nDisallow: /\n")
	b.untilIs(`document.querySelector("#say").textContent`, "Copied")
}

// From an entry one tests a site of one's own.
func TestCatalogueTest(t *testing.T) {
	t.Parallel()
	site := testkit.NewSite(t)
	site.File("User-agent: GPTBot\nDisallow: /\n")
	b := open(t, look{width: 390})
	b.visit("/crawlers/GPTBot")
	b.fill("#test-site", site.Origin())
	b.press(kb.Enter)
	b.untilIs(seenMatrix, "/: blocked 2")
	b.visit("/crawlers/GPTBot")
	b.click("#h-test ~ p a")
	b.untilIs(seenCrawlers, "GPTBot")
}

// What search engines read of a page is data that the browser does not run.
func TestCatalogueData(t *testing.T) {
	t.Parallel()
	b := open(t, look{})
	b.visit("/crawlers")
	const data = `JSON.parse(document.querySelector('script[type="application/ld+json"]').textContent)`
	b.untilIs(data+`["@type"]`, "Dataset")
	b.untilIs(data+`.distribution.contentUrl`, base+"/crawlers.json")
	b.visit("/crawlers/Sogou%20web%20spider")
	b.untilIs(data+`["@graph"][1].itemListElement.map(i => i.name + " " + i.item).join("\n")`, strings.Join([]string{
		"Crawlers and their names in robots.txt " + base + "/crawlers",
		"Sogou web spider " + base + "/crawlers/Sogou%20web%20spider",
	}, "\n"))
	b.untilIs(data+`["@graph"][0].about.name`, "Sogou web spider")
}
