package e2e

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// twenty are crawlers, known and not.
const twenty = "Googlebot,GPTBot,ClaudeBot,bingbot,OAI-SearchBot,Applebot,PerplexityBot,CCBot,Bytespider,Amazonbot," +
	"meta-externalagent,AhrefsBot,SemrushBot,DuckDuckBot,YandexBot,Baiduspider,facebookexternalhit,Google-Extended,Twitterbot,MyOwnBot"

// fullURLs gives URLs of one host, one a line.
func fullURLs(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "https://shop.example.com/products/category-%d/boots?color=red&id=%d\n", i%7, i+1)
	}
	return b.String()
}

// inTable says whether an element can be seen in the table's box, beside its
// heads, and with that box in the window.
func inTable(css string) string {
	return fmt.Sprintf(`(() => {
		const box = document.querySelector(".scroll"), b = box.getBoundingClientRect(), r = document.querySelector(%s).getBoundingClientRect();
		const head = box.querySelector("thead th").getBoundingClientRect(), first = box.querySelector("tbody th").getBoundingClientRect();
		return r.top >= head.bottom && r.left >= first.right && r.bottom <= b.top + box.clientHeight && r.right <= b.left + box.clientWidth && r.top >= 0 && r.bottom <= innerHeight;
	})()`, quote(css))
}

// In a table of many rows and columns a cell opens where the eye is: the page
// shows the cell, its row's URL and its column's name, and what it explains.
func TestLargeTable(t *testing.T) {
	for _, l := range []look{{width: 1366}, {width: 390, dark: true}} {
		t.Run(l.String(), func(t *testing.T) {
			t.Parallel()
			b := open(t, l)
			b.visit("/")
			b.fill("#robots", "User-agent: GPTBot\nDisallow: /products/category-3/\n"+strings.Repeat("# filler\n", 300)+"User-agent: CCBot\nDisallow: /*id=9$\n")
			b.click("#picker summary")
			b.fill("#other", twenty)
			b.press(kb.Enter)
			b.click("#picker summary")
			b.fill("#url", fullURLs(300))
			b.untilIs(`document.querySelectorAll("#matrix thead th").length + " x " + document.querySelectorAll("#matrix tbody tr").length`, "21 x 100")

			// What all URLs begin with stands in the head of their column alone.
			b.untilIs(`document.querySelector("#matrix thead small").innerText`, "https://shop.example.com")
			b.untilIs(`document.querySelector("#matrix tbody th").innerText.replace(/\s/g, "")`, "/products/category-3/boots?color=red&id=4")
			b.untilIs(`document.querySelector("#matrix tbody th").title`, "https://shop.example.com/products/category-3/boots?color=red&id=4")

			for _, cell := range []string{"tr:nth-child(2) td:nth-child(3)", "tr:nth-child(90) td:nth-child(20)", "tr:nth-child(40) td:nth-child(9)"} {
				css := "#matrix tbody " + cell + " .v"
				b.click(css)
				b.until(fmt.Sprintf("document.querySelector(%s).ariaCurrent", quote(css)))
				b.until(inTable(css))
				b.until(inWindow("#why h3"))
				b.until(fmt.Sprintf("document.activeElement === document.querySelector(%s)", quote(css)))
			}
			if l.width > 1000 { // beside the file
				b.click("#matrix tbody tr:nth-child(1) td:nth-child(3) .v")
				b.untilIs(seenWhy, "GPTBot may not crawl this URL: line 2 wins.")
				b.until(inEditor(2) + "&&" + inWindow("#L2"))
			}

			// The keyboard goes where one sees it.
			for _, key := range []string{kb.ArrowDown, kb.ArrowRight, kb.ArrowUp, kb.ArrowLeft, kb.ArrowLeft} {
				b.press(strings.Repeat(key, 4))
				b.until(`document.activeElement.dataset.cell && ` + inTable(":focus"))
			}

			// Another page is read from its top, with what stands above it.
			b.click("#next-end")
			b.until(`document.querySelector("#pages").innerText.startsWith("Page 2 of 3.")`)
			b.until(inWindow("#h-verdicts") + "&&" + inWindow("#pages"))
			b.untilIs(`String(document.querySelector(".scroll").scrollTop)`, "0")
			b.until(inWindow(".scroll"))
		})
	}
}

// An address with a cell shows it, and one without scripts leads to what it
// explains.
func TestAddressOfCell(t *testing.T) {
	for _, l := range []look{{width: 1366}, {width: 390, noJS: true}} {
		t.Run(l.String(), func(t *testing.T) {
			t.Parallel()
			b := open(t, l)
			b.visit("/?site=" + shop(t).Origin() + "&crawler=" + url.QueryEscape(twenty) + "&url=" + url.QueryEscape(strings.TrimSpace(numbered(60))) + "&cell=50.19")
			b.untilIs(`document.querySelector("#matrix [aria-current]").id`, "c50-19")
			if l.noJS {
				b.click("#c2-1")
				b.untilIs("location.hash", "#why")
				b.untilIs(`document.querySelector("#matrix [aria-current]").id`, "c2-1")
				b.until(inWindow("#why h3"))

				b.visit("/") // where cells are buttons
				b.click("#c2-2")
				b.untilIs("location.pathname + location.hash", "/test#why")
				b.until(inWindow("#why h3"))
				return
			}
			b.untilIs("String(scrollY)", "0")
			eval[any](b, `{document.querySelector(".scroll").scrollIntoView({block: "center"})}`)
			b.until(inTable("#c50-19"))
			b.click("#c49-18")
			b.until(`location.search.endsWith("&cell=49.18") && location.hash === ""`)
		})
	}
}

// A table of twenty crawlers fits on a sheet that lies on its side: their names
// upright, of verdicts the sign and the line.
func TestPrintManyCrawlers(t *testing.T) {
	t.Parallel()
	b := open(t, look{})
	to := "/?site=" + shop(t).Origin() + "&crawler=" + url.QueryEscape(twenty) + "&url=" + url.QueryEscape("/cart/\n/products/category-12/walking-boots?color=red&size=44")
	b.visit(to)
	b.until(`document.querySelectorAll("#matrix tbody tr").length === 2`)
	if got := b.print("print-many"); got != 1 {
		t.Errorf("got %d sheets; want one", got)
	}
	b.do(
		chromedp.EmulateViewport(1046, 720), // A4 on its side without the margins, in CSS pixels
		command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"}),
	)
	b.visit(to) // a table that is there already would keep its old widths, which paper does not
	b.until(`document.querySelectorAll("#matrix tbody tr").length === 2`)
	b.keepPicture("print many", b.picture())
	b.until(`document.documentElement.scrollWidth <= 1046 && document.querySelector("#matrix").getBoundingClientRect().right <= 1046`)
	b.untilIs(`getComputedStyle(document.body).page`, "wide")
	b.untilIs(`[...document.querySelectorAll("#c1-1, #c1-1 *")].filter(e => e.checkVisibility() && getComputedStyle(e).fontSize !== "0px" && !e.matches(".sr")).map(e => e.lastChild.data).join(" ")`, "✕ 2")
	b.until(`document.querySelector(".signs").innerText.includes("✕ Blocked")`)
	b.until(`(r => r.height > 2 * r.width)(document.querySelectorAll("#matrix thead th span")[10].getBoundingClientRect())`)
	b.until(`(r => r.height < 45)(document.querySelectorAll("#matrix tbody tr")[1].getBoundingClientRect())`) // two lines, not a letter a line
}

// In a long file, where numbers are drawn as one scrolls, only the line of the
// address is marked as such.
func TestLineOfAddress(t *testing.T) {
	t.Parallel()
	const marked = `[...document.querySelectorAll("#gutter a")].filter(a => getComputedStyle(a).fontWeight === "600").map(a => a.textContent).join()`
	b := open(t, look{dark: true})
	b.visit("/")
	b.put(longFile(4000, 50_000))
	b.click("#L12")
	b.untilIs("location.hash", "#L12")
	b.untilIs(marked, "12")
	eval[any](b, `{document.querySelector("#editor").scrollTop = 24 * 2000}`)
	b.until(inEditor(2005))
	b.untilIs(marked, "")
	b.click("#L2005")
	b.untilIs(marked, "2005")
	eval[any](b, `{document.querySelector("#editor").scrollTop = 0}`)
	b.until(inEditor(12))
	b.untilIs(marked, "")
	b.back()
	b.untilIs(marked, "12")

	// A short one too, without scripts as well.
	for _, l := range []look{{}, {noJS: true}} {
		b := open(t, l)
		b.visit("/#L8")
		b.untilIs(marked, "8")
		b.click("#L3")
		b.untilIs(marked, "3")
	}
}
