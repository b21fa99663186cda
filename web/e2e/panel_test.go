package e2e

import (
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/whichrule/whichrule/internal/testkit"
)

// fails fetches a site that answers, and again when it fails.
func (b *tab) fails() *testkit.Site {
	b.t.Helper()
	site := testkit.NewSite(b.t)
	site.File(ownText)
	b.visit("/?site=" + site.Origin() + "&url=/private/")
	b.untilIs(seenMatrix, "/private/: blocked 2, blocked 2, blocked 2, blocked 2")
	site.Status(http.StatusServiceUnavailable)
	b.click("#refetch")
	b.untilIs(seenMatrix, "/private/: blocked, blocked, blocked, blocked")
	return site
}

const seenPretended = `document.querySelector("#pretended p")?.innerText.trim() ?? ""`

// A pasted text is tested under another answer of the server, which the page
// says until it is told to stop.
func TestPretend(t *testing.T) {
	for _, l := range []look{{width: 390}, {width: 1366, noJS: true}} {
		t.Run(l.String(), func(t *testing.T) {
			t.Parallel()
			b := open(t, l)
			b.visit("/")
			b.fill("#robots", ownText)
			b.fill("#url", "/private/\n/private/open")
			b.test(l)
			b.untilIs(seenMatrix, "/private/: blocked 2, blocked 2, blocked 2, blocked 2\n/private/open: allowed 3, allowed 3, allowed 3, allowed 3")
			b.click("#simulate summary")
			b.click("#simulate-503")
			b.untilIs(seenMatrix, "/private/: blocked, blocked, blocked, blocked\n/private/open: blocked, blocked, blocked, blocked")
			b.untilIs(seenPretended, "You pretend that the server answers 503. 4 verdicts change: 4 blocked now.")
			b.untilIs(`[...document.querySelectorAll("#matrix .was")].map(w => w.closest("[data-cell]").dataset.cell).join()`, "2.1,2.2,2.3,2.4")
			b.untilIs(seenText, ownText)
			b.until(`document.querySelector("#simulate").open && document.querySelector("#simulate-503").ariaCurrent === "true"`)

			// What is tested next is tested under the same answer.
			b.fill("#url", "/private/")
			b.test(l)
			b.untilIs(seenPretended, "You pretend that the server answers 503. No verdict changes.")
			b.click("#simulate-404")
			b.untilIs(seenMatrix, "/private/: allowed, allowed, allowed, allowed")
			b.click("#c1-2")
			b.untilIs(seenWhy, "GPTBot may crawl this URL: there is no robots.txt to follow.")
			b.click("#stop")
			b.untilIs(seenMatrix, "/private/: blocked 2, blocked 2, blocked 2, blocked 2")
			b.untilIs(seenPretended, "")
			b.untilIs(seenText, ownText)
		})
	}
}

// The keyboard goes from answer to answer, and the focus stays.
func TestPretendKeyboard(t *testing.T) {
	t.Parallel()
	b := open(t, look{})
	b.visit("/")
	eval[any](b, `document.querySelector("#simulate summary").focus()`)
	b.press(kb.Enter + kb.Tab + kb.Tab)
	b.untilIs("document.activeElement.id", "simulate-404")
	b.press(" ")
	b.until(seenPretended + `.startsWith("You pretend that the server answers 404.")`)
	b.untilIs("document.activeElement.id", "simulate-404")
	b.press(kb.Tab + kb.Enter)
	b.until(seenPretended + `.startsWith("You pretend that the server answers 403.")`)
	b.untilIs("document.activeElement.id", "simulate-403")
}

// Of a fetched file the address holds what is pretended: a reload finds it, and
// "back" leaves it.
func TestPretendAddress(t *testing.T) {
	t.Parallel()
	b := open(t, look{})
	site := testkit.NewSite(t)
	site.File(ownText)
	b.visit("/?site=" + site.Origin() + "&crawler=Googlebot&crawler=YandexBot&url=/private/open")
	b.untilIs(seenMatrix, "/private/open: allowed 3, allowed 3")
	b.click("#simulate summary")
	b.click("#simulate-500")
	b.untilIs(seenMatrix, "/private/open: blocked, allowed")
	b.untilIs(`new URLSearchParams(location.search).get("simulate")`, "500")
	b.do(chromedp.Reload())
	b.until(seenPretended + `.startsWith("You pretend that the server answers 500.")`)
	b.untilIs(seenMatrix, "/private/open: blocked, allowed")
	b.back()
	b.untilIs(seenMatrix, "/private/open: allowed 3, allowed 3")
	b.untilIs(seenPretended, "")
	if n := site.Count(); n != 1 {
		t.Errorf("the site was asked %d times; want once", n)
	}
}

// A site that fails now has the copy of before beside its failure; verdicts
// follow the failure until a person puts the copy into the editor.
func TestStaleCopy(t *testing.T) {
	t.Parallel()
	b := open(t, look{width: 390})
	b.fails()
	b.untilIs(`document.querySelector("#facts .lead").innerText`, "Google treats the whole site as blocked while this lasts.")
	b.until(`document.querySelector("#stale-copy summary").innerText.endsWith("The site answers 503 now.")`)
	b.until(`!document.querySelector("#stale").checkVisibility()`)
	eval[any](b, `document.querySelector("#stale-copy summary").focus()`)
	b.press(kb.Enter)
	b.untilIs(`document.querySelector("#stale").value`, ownText)
	b.until(`document.querySelector("#stale").readOnly && document.querySelector("#stale").getBoundingClientRect().height < 300`)
	b.click("#use-stale")
	b.untilIs(seenText, ownText)
	b.untilIs(seenMatrix, "/private/: blocked 2, blocked 2, blocked 2, blocked 2")
	b.until(`!document.querySelector("#stale-copy") && !document.querySelector("#facts .hops")`)
	b.untilIs("location.search", "")
}

// Without scripts the copy is sent along with the form.
func TestStaleCopyPlain(t *testing.T) {
	t.Parallel()
	b := open(t, look{noJS: true})
	b.fails()
	b.click("#stale-copy summary")
	b.click("#use-stale")
	b.untilIs(seenText, ownText)
	b.untilIs(seenMatrix, "/private/: blocked 2, blocked 2, blocked 2, blocked 2")
}

// Who fetches again at once sees the answer of before, and why.
func TestFetchAgainTooSoon(t *testing.T) {
	t.Parallel()
	b := open(t, look{})
	site := b.fails()
	n := site.Count()
	b.click("#refetch")
	b.until(seenFacts + `.includes("This site was fetched again less than a minute ago, so this is the answer of ")`)
	if got := site.Count(); got != n {
		t.Errorf("the site was asked %d times more; want none", got-n)
	}
}

// All hosts of the site are a click away.
func TestAllHosts(t *testing.T) {
	t.Parallel()
	b := open(t, look{width: 390})
	site := shop(t)
	b.visit("/?site=" + site.Origin())
	b.until(seenFacts + `.includes("Usually up to 24 hours; the site does not say.")`)
	b.click("#all-hosts")
	b.untilIs(`location.pathname + " " + new URLSearchParams(location.search).get("site")`, "/hosts "+site.Origin())
}
