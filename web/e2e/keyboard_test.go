package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// seenFocus describes where the focus is: the element, and whether one sees it
// there (its outline, or that of what surrounds it).
const seenFocus = `(() => {
	const e = document.activeElement;
	let ring = e;
	while (ring && !(getComputedStyle(ring).outlineStyle !== "none" && parseFloat(getComputedStyle(ring).outlineWidth) >= 2)) ring = ring.parentElement;
	const r = (ring ?? e).getBoundingClientRect();
	return {
		name: e.id || e.value || (e.matches("a, summary, body") && e.innerText.trim()) || e.className || e.localName,
		ring: ring !== null && r.width > 0 && r.height > 0,
		inView: r.bottom > 0 && r.top < innerHeight && r.right > 0 && r.left < innerWidth,
		x: r.left + scrollX, y: r.top + scrollY, bottom: r.bottom + scrollY,
	};
})()`

type focus struct {
	Name         string
	Ring, InView bool
	X, Y, Bottom float64
}

// The Tab key visits everything once, in the order in which the eye does, and
// one always sees where one is.
func TestTabOrder(t *testing.T) {
	for _, l := range []look{{width: 1366}, {width: 390, dark: true}} {
		t.Run(l.String(), func(t *testing.T) {
			t.Parallel()
			b := open(t, l)
			b.visit("/?site=" + shop(t).Origin() + "&crawler=Googlebot&crawler=GPTBot&url=/cart/&url=/")
			b.untilIs(seenMatrix, "/cart/: blocked 2, blocked 5\n/: allowed, blocked 5")
			var names []string
			var last focus
			for range 35 { // the links of the explanation follow
				b.press(kb.Tab)
				f := eval[focus](b, seenFocus)
				names = append(names, f.Name)
				if !f.Ring || !f.InView {
					t.Errorf("%s: ring %v, in view %v", f.Name, f.Ring, f.InView)
				}
				// The second column begins at the crawlers.
				newColumn := l.width > 1000 && f.Name == "Googlebot"
				// The group of verdicts surrounds its cells, and the skip link lies above everything.
				if back := f.Bottom <= last.Y || f.Bottom <= last.Bottom && f.X <= last.X; back && !newColumn && last.Name != "scroll" && last.Name != "To the content" {
					t.Errorf("%s (%v,%v) comes after %s (%v,%v)", f.Name, f.X, f.Y, last.Name, last.X, last.Y)
				}
				last = f
			}
			want := "To the content, whichrule, Tester, Hosts, Crawlers, About, " +
				"site, fetch, source, source, refetch, all-hosts, What if the server answered …, robots, file, share, csv, json, " +
				"Googlebot, GPTBot, ClaudeBot, OAI-SearchBot, four, search, ai-search, ai-training, user-triggered, + another, url, test, scroll, c1-1, c1-2, c2-1, c2-2"
			if got := strings.Join(names, ", "); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// tabTo presses Tab until the focus is on an element.
func (b *tab) tabTo(id string) {
	b.t.Helper()
	for range 60 {
		if eval[string](b, `document.activeElement.id || document.activeElement.value || document.activeElement.localName`) == id {
			return
		}
		b.press(kb.Tab)
	}
	b.t.Fatalf("the Tab key never comes to %s", id)
}

// Everything can be done without a mouse.
func TestKeyboardOnly(t *testing.T) {
	t.Parallel()
	b := open(t, look{width: 390})
	site := shop(t)
	b.visit("/")

	b.press(kb.Tab) // the skip link
	b.until(`document.activeElement.getBoundingClientRect().top >= 0`)
	b.press(kb.Enter)
	b.tabTo("site")
	b.press(site.Origin())
	b.press(kb.Enter)
	b.untilIs(seenText, shopText)
	b.tabTo("robots")
	b.press(kb.End, chromedp.ModifierCtrl)
	b.press("Allow: /open" + kb.Enter)
	b.untilIs(seenText, shopText+"Allow: /open\n")
	b.tabTo("GPTBot")
	b.press(" ")
	b.untilIs(seenHeads, "Googlebot, ClaudeBot, OAI-SearchBot")
	b.tabTo("summary")
	b.press(kb.Enter)
	b.untilIs("document.activeElement.id", "other")
	b.press("applebot" + kb.Enter)
	b.untilIs(seenHeads, "Googlebot, ClaudeBot, OAI-SearchBot, Applebot")
	b.press(kb.Escape) // past a hundred boxes
	b.untilIs("document.activeElement.localName", "summary")
	b.tabTo("url")
	b.press("a", chromedp.ModifierCtrl)
	b.press("/open" + kb.Enter + "/shut")
	b.untilIs(seenMatrix, "/open: allowed, allowed 6, allowed 6, allowed\n/shut: allowed, blocked 5, blocked 5, allowed")
	b.tabTo("c1-1")
	b.press(kb.ArrowRight + kb.ArrowDown)
	b.untilIs("document.activeElement.id", "c2-2")
	b.press(kb.Enter)
	b.untilIs(seenWhy, "ClaudeBot may not crawl this URL: line 5 wins.")
	b.untilIs("document.activeElement.id", "c2-2")
	for range 60 {
		if eval[string](b, "document.activeElement.id") == "share" {
			break
		}
		b.press(kb.Tab, chromedp.ModifierShift)
	}
	b.press(" ")
	b.until(`document.querySelector("#shared-url")`)
	b.tabTo("shared-url")
}
