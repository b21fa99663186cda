package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

const (
	swallowed = "Content-Signal: search=yes\nUser-agent: *\n\nUser-agent: amazonbot\nDisallow: /cart/\n"
	separated = "Content-Signal: search=yes\nUser-agent: *\nDisallow:\n\nUser-agent: amazonbot\nDisallow: /cart/\n"

	seenFound = `document.querySelector("#findings .lead").innerText`
	// seenKinds gives the severities of the findings that are shown.
	seenKinds = `[...document.querySelectorAll("#findings .fx")].filter(f => f.checkVisibility()).map(f => f.querySelector(".sev").innerText).join(", ")`
)

// A fix is looked at, made with one click, tested, and taken back.
func TestFixing(t *testing.T) {
	for _, l := range []look{{width: 1366}, {width: 390}, {width: 390, noJS: true}} {
		t.Run(l.String(), func(t *testing.T) {
			t.Parallel()
			b := open(t, l)
			b.visit("/")
			b.fill("#robots", swallowed)
			b.test(l)
			b.untilIs(seenKinds, "Problem, Note")
			b.click("#f1 .fix summary")
			b.until(`document.querySelector("#f1 .diff ins").checkVisibility()`)
			b.click("#f1 [name=fix]")
			b.untilIs(`document.querySelector("#robots").value`, separated)
			b.untilIs(seenKinds, "Note")
			b.until(seenMatrix + `.includes("/cart/: allowed 3, allowed 3, allowed 3, allowed 3")`)
			if l.noJS {
				b.until(`document.querySelector("#notice").innerText.startsWith("The fix is made: ")`)
				return
			}
			// What was done is said where it was asked for.
			b.untilIs(`document.querySelector("#fixed[role=status]").innerText`, "The fix is made. Undo")
			b.until(`document.activeElement.matches("#fixed button")`)
			b.until(`(r => r.top >= 0 && r.bottom <= innerHeight)(document.activeElement.getBoundingClientRect())`)
			b.press(kb.Enter)
			b.untilIs(`document.querySelector("#robots").value`, swallowed)
			b.untilIs(seenKinds, "Problem, Note")
			b.until(`!document.querySelector("#undo")`)
		})
	}
}

// The example that a fix changed is none any more.
func TestFixingExample(t *testing.T) {
	for _, l := range []look{{}, {noJS: true}} {
		t.Run(l.String(), func(t *testing.T) {
			t.Parallel()
			b := open(t, l)
			b.visit("/")
			b.until(seenFacts + `.includes("An example.")`)
			b.click(".fix summary")
			b.click("[name=fix]")
			b.until(`document.querySelector("#undo, #notice .notice")`)
			b.until("!" + seenFacts + `.includes("An example.")`)
		})
	}
}

// Findings lead to their lines, flags back to findings, and a filter stays when
// the text changes.
func TestFindings(t *testing.T) {
	t.Parallel()
	b := open(t, look{width: 1366})
	b.visit("/")
	b.untilIs(seenFound, "1 problem, 1 warning, 1 note.")
	b.fill("#robots", swallowed)
	b.untilIs(seenFound, "1 problem, 1 note.")
	b.click("#f1 .at a")
	b.untilIs("location.hash", "#L2")
	b.until(`document.querySelector("#L2").matches(".at")`)
	b.click(`#flags a.is-note`)
	b.untilIs("location.hash", "#f2")
	b.until(`document.querySelector("#f2").matches(":target")`)
	// Flags stand beside their lines.
	b.until(`[...document.querySelectorAll("#flags a")].every((f, i) => Math.abs(f.getBoundingClientRect().top - document.querySelector("#L" + [1, 2, 4][i]).getBoundingClientRect().top) < 2)`)

	b.click(`.filters [value="problem"]`)
	b.untilIs(seenKinds, "Problem")
	b.fill("#robots", swallowed+"Noindex: /a\n")
	b.until(seenFound + `.includes("1 warning")`)
	b.untilIs(seenKinds, "Problem")
	b.click(`.filters [value="all"]`)
	b.untilIs(seenKinds, "Problem, Warning, Note")
}

// In a long file flags are drawn where one looks.
func TestFlagsOfLongFile(t *testing.T) {
	t.Parallel()
	b := open(t, look{})
	b.visit("/")
	b.put(strings.Replace(longFile(5000, 150_000), "User-agent: Googlebot\n", "", 1) + "Noindex: /a\n")
	b.click(".fx.is-warning .at a")
	b.until(inEditor(5000))
	b.until(`Math.abs(document.querySelector("#flags a.is-warning").getBoundingClientRect().top - document.querySelector("#L5000").getBoundingClientRect().top) < 2`)
}
