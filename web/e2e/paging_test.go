package e2e

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/whichrule/whichrule/internal/testkit"
)

// seenPage gives which page of the table is shown, with its first URL and how
// many there are.
const seenPage = `document.querySelector("#pages").innerText.split(".")[0] + ": " + document.querySelector("#matrix tbody th").title + ", " + document.querySelectorAll("#matrix tbody tr").length`

// numbered gives URLs, one a line.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "/p%d\n", i+1)
	}
	return b.String()
}

// A table of 4,000 cells of a pasted text is turned page by page: the next one
// is read from its top, and stays while one types.
func TestTableInPages(t *testing.T) {
	for _, l := range []look{{width: 1366}, {width: 390, dark: true}, {width: 390, noJS: true}} {
		t.Run(l.String(), func(t *testing.T) {
			t.Parallel()
			b := open(t, l)
			b.visit("/")
			b.until(`!document.querySelector(".pages")`)
			b.fill("#robots", "User-agent: *\nDisallow: /p777$\n")
			b.fill("#url", numbered(1000))
			b.test(l)
			b.untilIs(seenPage, "Page 1 of 2: /p777, 500")
			b.untilIs(seenWhy, "Googlebot may not crawl this URL: line 2 wins.")
			b.until(`!document.querySelector("#previous-top, #first-top")`)

			if l.noJS {
				b.click("#next-end")
				b.untilIs(seenPage, "Page 2 of 2: /p500, 500")
				b.untilIs("location.hash", "#h-verdicts")
				b.until(inWindow("#h-verdicts"))
				b.click("#c501-1")
				b.untilIs(seenPage, "Page 2 of 2: /p500, 500")
				b.untilIs(seenWhy, "Googlebot may crawl this URL: no rule of its group matches.")
				return
			}
			b.click("#next-end")
			b.untilIs(seenPage, "Page 2 of 2: /p500, 500")
			b.untilIs("document.activeElement.className", "scroll")
			b.until(inWindow("#h-verdicts"))
			b.until(`document.querySelector("#say").innerText.startsWith("Page 2 of 2. 1 of 1,000 URLs is blocked for at least one crawler.")`)
			b.untilIs("location.pathname + location.search", "/")

			// From there the keyboard goes on into the table.
			b.press(kb.Tab)
			b.untilIs("document.activeElement.id", "c500-1")
			b.press(kb.ArrowDown + kb.Enter)
			b.untilIs(`document.querySelector("#matrix [aria-current]").id`, "c501-1")
			b.untilIs("document.activeElement.id", "c501-1")

			// A test while typing stays on the page.
			b.fill("#robots", "User-agent: *\nDisallow: /p778$\nAllow: /\n")
			b.untilIs(`document.querySelector("#c501-1 small")?.lastChild.textContent`, "3")
			b.untilIs(seenPage, "Page 2 of 2: /p500, 500")
			b.click("#previous-top")
			b.untilIs(seenPage, "Page 1 of 2: /p778, 500")

			// Fewer rows need no pages.
			b.fill("#url", "/p1")
			b.until(`!document.querySelector("#pages")`)
			b.fill("#url", numbered(501))
			b.untilIs(seenPage, "Page 1 of 2: /p1, 500")
		})
	}
}

// inWindow says whether an element can be seen without scrolling.
func inWindow(css string) string {
	return fmt.Sprintf(`(r => r.top >= 0 && r.bottom <= innerHeight)(document.querySelector(%s).getBoundingClientRect())`, quote(css))
}

// Where the address holds the test, it holds the page: back and a reload find
// it, and so does who opens the address.
func TestPagesOfAddress(t *testing.T) {
	t.Parallel()
	site := testkit.NewSite(t)
	site.File("User-agent: *\nDisallow: /p40$\n")
	var crawlers []string
	for i := range 60 {
		crawlers = append(crawlers, fmt.Sprintf("Bot%c%c", 'A'+i/26, 'a'+i%26))
	}
	to := siteAddress(site) + "&crawler=" + url.QueryEscape(strings.Join(crawlers, ",")) + "&url=" + url.QueryEscape(strings.TrimSpace(numbered(40)))
	b := open(t, look{})
	b.visit(to)
	b.untilIs(seenPage, "Page 1 of 2: /p40, 33")
	b.click("#next-top")
	b.untilIs(seenPage, "Page 2 of 2: /p33, 7")
	b.until(`location.search.endsWith("&page=2")`)
	address := eval[string](b, "location.href")
	b.click("#c34-2")
	b.untilIs(seenWhy, "BotAb may crawl this URL: no rule of its group matches.")
	b.until(`location.search.endsWith("&cell=34.2")`)
	b.untilIs(seenPage, "Page 2 of 2: /p33, 7")
	b.back()
	b.until(`location.search.endsWith("&page=2")`)
	b.untilIs(seenPage, "Page 2 of 2: /p33, 7")
	b.back()
	b.untilIs(seenPage, "Page 1 of 2: /p40, 33")
	eval[any](b, "{history.forward()}")
	b.untilIs(seenPage, "Page 2 of 2: /p33, 7")

	other := open(t, look{noJS: true})
	other.visit(address)
	other.untilIs(seenPage, "Page 2 of 2: /p33, 7")
	other.click("#first-end")
	other.untilIs(seenPage, "Page 1 of 2: /p40, 33")
}

// A share has the same pages.
func TestPagesOfShare(t *testing.T) {
	for _, l := range []look{{width: 1366}, {width: 390, noJS: true}} {
		t.Run(l.String(), func(t *testing.T) {
			t.Parallel()
			maker := open(t, look{})
			maker.visit("/")
			maker.fill("#url", numbered(1000))
			maker.until(`document.querySelector("#pages")`)
			maker.click("#share")
			maker.until(`document.querySelector("#shared-url")`)
			b := open(t, l)
			b.visit(eval[string](maker, `document.querySelector("#shared-url").value`))
			b.untilIs(seenPage, "Page 1 of 2: /p1, 500")
			b.click("#next-end")
			b.untilIs(seenPage, "Page 2 of 2: /p501, 500")
			b.untilIs("location.search", "?page=2")
			b.click("#c501-1")
			b.untilIs("location.search", "?cell=501.1")
			b.untilIs(seenPage, "Page 2 of 2: /p501, 500")
			b.back()
			b.untilIs("location.search", "?page=2")
			b.back()
			b.untilIs(seenPage, "Page 1 of 2: /p1, 500")
		})
	}
}
