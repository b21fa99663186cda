package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// foldedText has two stretches that a share folds: one that opens in place, and
// one that is too long for that.
var foldedText = "User-agent: *\nDisallow: /cart/\n" + strings.Repeat("# filler\n", 300) +
	"User-agent: Googlebot\nDisallow: /cart/\n" + strings.Repeat("# more\n", 15_000) + "Disallow: /cart/now\n"

// seenExcerpt gives what a folded share shows, a line each.
const seenExcerpt = `[...document.querySelectorAll("#excerpt > *")].map(e => e.innerText.replace(/\s+/g, " ").trim()).join("\n")`

// shareOf shares a text tested with a URL, and gives the link.
func shareOf(t *testing.T, robots, url string) string {
	t.Helper()
	b := open(t, look{})
	b.visit("/")
	b.fill("#url", url)
	b.put(robots)
	b.click("#share")
	b.until(`document.querySelector("#shared-url")`)
	return eval[string](b, `document.querySelector("#shared-url").value`)
}

// A share of a long file shows what is marked; the rest opens in its place or,
// where it is very much, on a page of its own.
func TestFoldedShare(t *testing.T) {
	const folded = "1 User-agent: *\n2 Disallow: /cart/\n3 # filler\n… 298 lines\n302 # filler\n303 User-agent: Googlebot\n304 Disallow: /cart/\n305 # more\n306 # more\n… 14,996 lines\n15303 # more\n15304 # more\n15305 Disallow: /cart/now wins\n15306"
	link := shareOf(t, foldedText, "/cart/now\n/cart/")
	want := strings.TrimPrefix(folded, "1 User-agent: *\n2 Disallow: /cart/\n3 # filler\n… 298 lines\n")
	want = "… 300 lines\n301 # filler\n" + want
	for _, l := range []look{{width: 1366}, {width: 390, dark: true}, {width: 390, noJS: true}} {
		t.Run(l.String(), func(t *testing.T) {
			t.Parallel()
			b := open(t, l)
			b.visit(link)
			b.untilIs(seenExcerpt, want)
			if got := eval[int](b, weight); got > 100<<10 {
				t.Errorf("the page weighs %d bytes; want 100 KiB at most", got)
			}
			if l.noJS {
				b.click("#excerpt .fold")
				b.untilIs("location.search + location.hash", "?fold=0#L1")
				b.until(`document.querySelector("#robots").checkVisibility()`)
				b.until(inEditor(1))
				b.click(`a[href^="/r/"][href$="` + link[strings.LastIndex(link, "/r/"):] + `"]`)
				b.untilIs(seenExcerpt, want)
				b.click(`button[value="test"]`) // "Open in the tester"
				b.until(`document.querySelector("#site")`)
				b.until(seenText + fmt.Sprintf(".length === %d", len(foldedText)))
				return
			}
			b.until(`(r => r.top >= 0)(document.querySelector("#L15305").getBoundingClientRect())`)

			// In place, with the keyboard too; the focus stays in the file.
			eval[any](b, `{document.querySelector("#excerpt .fold").focus()}`)
			b.press(kb.Enter)
			b.until(`document.querySelectorAll("#excerpt > div").length > 300`)
			b.untilIs(`document.querySelector("#L2").parentElement.innerText.replace(/\s+/g, " ")`, "2 Disallow: /cart/")
			b.untilIs("document.activeElement.id", "excerpt")
			b.untilIs("location.search", "")

			// Another cell folds anew, around its own lines.
			b.click("#c1-2")
			b.untilIs(seenWhy, "GPTBot may not crawl this URL: line 2 wins.")
			b.untilIs(seenExcerpt, "1 User-agent: *\n2 Disallow: /cart/ wins\n3 # filler\n4 # filler\n… 15,302 lines")
			b.until(`document.querySelector("#excerpt .fold").getAttribute("href").endsWith("?fold=0&cell=1.2#L5")`)

			// Very many lines are a page of their own, with the place in view; "back"
			// folds them.
			b.click("#c2-1")
			b.untilIs(seenWhy, "Googlebot may not crawl this URL: line 304 wins.")
			b.click(`#why a.ln[href="#L15305"]`)
			b.until(`location.search + location.hash === "?fold=0&cell=2.1#L15305"`)
			b.until(inEditor(15305))
			b.back()
			b.until(`location.search === "?cell=2.1" && document.querySelector("#excerpt .fold")`)
			b.click("#c1-2")
			b.untilIs(seenWhy, "GPTBot may not crawl this URL: line 2 wins.")
			b.click("#excerpt .fold")
			b.until(`location.search + location.hash === "?fold=0&cell=1.2#L5"`)
			b.until(inEditor(5))
			b.until(markedLine(2))
			b.click("#c2-1")
			b.untilIs(seenWhy, "Googlebot may not crawl this URL: line 304 wins.")
			b.untilIs("location.search", "?fold=0&cell=2.1")
			b.until(markedLine(304))
		})
	}
}

// A link to a line that is folded opens it, and marks the line.
func TestLinkIntoFold(t *testing.T) {
	t.Parallel()
	link := shareOf(t, foldedText, "/cart/now")
	for line, whole := range map[int]bool{123: false, 9000: true, 15305: false} {
		b := open(t, look{})
		b.visit(fmt.Sprintf("%s#L%d", link, line))
		b.until(fmt.Sprintf(`document.querySelector("#L%d")?.matches(":target, .at") ?? false`, line))
		b.until(fmt.Sprintf(`(r => r.top >= 0 && r.bottom <= innerHeight)(document.querySelector("#L%d").getBoundingClientRect())`, line))
		if got := eval[string](b, "location.search") == "?fold=0"; got != whole {
			t.Errorf("line %d: all lines are shown: %v; want %v", line, got, whole)
		}
	}
}

// grantClipboard lets a tab read the clipboard. There is one for all tabs, so
// tests with it do not run beside others.
func (b *tab) grantClipboard() {
	b.t.Helper()
	if _, err := chromedp.CallBrowser(b.ctx, browser.SetPermission, browser.SetPermissionParams{
		BrowserContextID: chromedp.FromContext(b.ctx).BrowserContextID,
		Permission:       &browser.PermissionDescriptor{Name: "clipboard-read"},
		Setting:          browser.PermissionSettingGranted,
	}); err != nil {
		b.t.Fatal(err)
	}
}

// The file of a folded share is copied whole.
func TestCopyFile(t *testing.T) {
	b := open(t, look{})
	b.grantClipboard()
	b.visit(shareOf(t, foldedText, "/cart/now"))
	b.click(`button[data-copy="#robots"]`)
	b.untilIs(`document.querySelector('button[data-copy="#robots"]').innerText`, "Copied")
	b.untilIs("navigator.clipboard.readText()", foldedText)
}

// A result is copied as a sentence, by a button that the keyboard reaches, and
// rows that are selected are copied as a line each.
func TestCopyResult(t *testing.T) {
	b := open(t, look{width: 390})
	b.grantClipboard()
	b.visit("/")
	b.click("#c2-4")
	b.untilIs(seenWhy, "OAI-SearchBot may not crawl this URL: line 4 wins.")
	b.tabTo("copy")
	b.press(kb.Enter)
	b.untilIs(`document.querySelector("#copy").innerText`, "Copied")
	b.untilIs(`document.querySelector("#say").innerText`, "Copied")
	b.untilIs("navigator.clipboard.readText()", "/cart/ — Googlebot: allowed, no rule matches; GPTBot, ClaudeBot: blocked by line 13, Disallow: /; OAI-SearchBot: blocked by line 4, Disallow: /cart/")
	b.click("#c3-1")
	b.untilIs(`document.querySelector("#copy").innerText`, "Copy this result")

	const choose = `{const r = document.querySelectorAll("#matrix tbody tr"); getSelection().setBaseAndExtent(r[%d].cells[%d], 0, r[%d].cells[%d], 1); document.execCommand("copy")}`
	eval[any](b, fmt.Sprintf(choose, 1, 0, 2, 4))
	b.untilIs("navigator.clipboard.readText()", "/cart/ — Googlebot: Allowed; GPTBot: Blocked, line 13; ClaudeBot: Blocked, line 13; OAI-SearchBot: Blocked, line 4\n"+
		"/shop/?color=red&sort=price — Googlebot: Allowed, line 9; GPTBot: Blocked, line 13; ClaudeBot: Blocked, line 13; OAI-SearchBot: Allowed")
	eval[any](b, fmt.Sprintf(choose, 1, 0, 1, 0)) // a URL alone stays one
	b.untilIs("navigator.clipboard.readText().then(s => s.trim())", "/cart/")
}
