package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// longText has rules for two crawlers, 300 lines apart.
var longText = "User-agent: GPTBot\nDisallow: /cart/\n\n" + strings.Repeat("# "+strings.Repeat("filler ", 30)+"\n", 300) + "User-agent: Googlebot\nDisallow: /cart/\n"

// inEditor says whether a line of the text can be seen in the editor.
func inEditor(line int) string {
	return fmt.Sprintf(`(() => {
		const box = document.querySelector("#editor").getBoundingClientRect(), l = document.querySelector("#L%d").getBoundingClientRect();
		return l.top >= box.top && l.bottom <= box.bottom;
	})()`, line)
}

// A cell opens where the eye is: the page stays, the focus stays, and the line
// that wins comes into view inside the editor.
func TestCell(t *testing.T) {
	for _, l := range []look{{width: 1366}, {width: 390, dark: true}} {
		t.Run(l.String(), func(t *testing.T) {
			t.Parallel()
			b := open(t, l)
			b.visit("/")
			b.fill("#robots", longText)
			b.fill("#url", "/cart/\n/")
			b.untilIs(seenMatrix, "/cart/: blocked 305, blocked 2, allowed, allowed\n/: allowed, allowed, allowed, allowed")

			eval[any](b, `document.querySelector("#editor").scrollTop = 2000; document.querySelector("#c1-2").scrollIntoView({block: "center"})`)
			y := eval[float64](b, "scrollY")
			b.click("#c1-2")
			b.untilIs(seenWhy, "GPTBot may not crawl this URL: line 2 wins.")
			b.untilIs(seenMarks, "1 agent, 2 wins")
			b.until(inEditor(2))
			b.untilIs("document.activeElement.id", "c1-2")
			b.until(`document.querySelector("#c1-2").ariaCurrent === "true"`)
			b.click("#c1-1")
			b.untilIs(seenMarks, "304 agent, 305 wins")
			b.until(inEditor(305))
			b.untilIs("document.activeElement.id", "c1-1")
			if got := eval[float64](b, "scrollY"); got != y {
				t.Errorf("the page scrolled from %v to %v", y, got)
			}

			b.press(kb.ArrowRight)
			b.untilIs("document.activeElement.id", "c1-2")
			b.press(kb.ArrowDown)
			b.untilIs("document.activeElement.id", "c2-2")
			b.press(kb.ArrowDown) // there is no more
			b.press(kb.ArrowLeft)
			b.untilIs("document.activeElement.id", "c2-1")
			b.press(kb.ArrowLeft)
			b.press(kb.ArrowUp)
			b.untilIs("document.activeElement.id", "c1-1")
			b.press(kb.ArrowRight)
			b.press(kb.Enter)
			b.untilIs(seenMarks, "1 agent, 2 wins")
			b.untilIs("document.activeElement.id", "c1-2")
		})
	}
}

// A test may answer between the press of the mouse and its release: the cell
// under it opens all the same, and a table scrolled sideways stays where it is.
func TestClickDuringAnswer(t *testing.T) {
	t.Parallel()
	b := open(t, look{width: 390})
	b.visit("/")
	b.untilIs(seenMatrix, exampleMatrix)
	b.fill("#site", "shop.example.com")
	x, y := b.find("#c2-4")
	scrolled := eval[float64](b, `document.querySelector(".scroll").scrollLeft`)
	if scrolled == 0 {
		t.Fatal("the table does not scroll")
	}
	eval[any](b, `{window.answers = 0; addEventListener("htmx:after:swap", () => { answers++ })}`)
	b.do(chromedp.MouseEvent(chromedp.MousePressed, x, y, chromedp.ButtonLeft, chromedp.ClickCount(1))) // leaves the field, which tests
	b.until("answers === 1")
	b.do(chromedp.MouseEvent(chromedp.MouseReleased, x, y, chromedp.ButtonLeft, chromedp.ClickCount(1)))
	b.untilIs(seenWhy, "OAI-SearchBot may not crawl this URL: line 4 wins.")
	b.untilIs("document.activeElement.id", "c2-4")
	b.untilIs(`String(document.querySelector(".scroll").scrollLeft)`, fmt.Sprint(scrolled))
}

// Rows without verdicts have nothing to stop at.
func TestArrowsPassRowsWithoutVerdicts(t *testing.T) {
	t.Parallel()
	b := open(t, look{})
	b.visit("/")
	b.fill("#url", "/a\njavascript:alert(1)\n/b")
	b.until(seenMatrix + `.includes("javascript:alert(1): Not tested")`)
	b.click("#c1-1")
	b.untilIs("document.activeElement.id", "c1-1")
	b.press(kb.ArrowDown)
	b.untilIs("document.activeElement.id", "c3-1")
	b.press(kb.ArrowUp)
	b.untilIs("document.activeElement.id", "c1-1")
}

// While somebody types, nothing of theirs moves when a test answers.
func TestTypingStays(t *testing.T) {
	t.Parallel()
	b := open(t, look{})
	b.visit("/")
	b.fill("#robots", longText)
	b.fill("#url", "/cart/")
	b.untilIs(seenMatrix, "/cart/: blocked 305, blocked 2, allowed, allowed")
	b.click("#c1-1") // its winner is far from where we type
	b.untilIs(seenMarks, "304 agent, 305 wins")
	b.until(inEditor(305))

	eval[any](b, `{const r = document.querySelector("#robots"); r.focus(); r.setSelectionRange(17, 17); document.querySelector("#editor").scrollTop = 0; document.querySelector("#editor").scrollLeft = 0; scrollTo(0, 120)}`)
	b.press("x")
	b.untilIs(seenMatrix, "/cart/: blocked 305, allowed, allowed, allowed")
	b.untilIs(`(r => [document.activeElement === r, r.selectionStart, r.selectionEnd, document.querySelector("#editor").scrollTop, scrollY].join())(document.querySelector("#robots"))`, "true,18,18,0,120")
	b.press(kb.Enter)
	b.untilIs(seenMatrix, "/cart/: blocked 306, allowed, allowed, allowed")
	b.untilIs(`document.querySelector("#gutter").lastElementChild.textContent`, "307")
	b.untilIs(`(r => [document.activeElement === r, r.selectionStart, document.querySelector("#editor").scrollTop, scrollY].join())(document.querySelector("#robots"))`, "true,19,0,120")
	b.press("z", chromedp.ModifierCtrl)
	b.press("z", chromedp.ModifierCtrl)
	b.untilIs(seenMatrix, "/cart/: blocked 305, blocked 2, allowed, allowed")
}

// A cell of a fetched file is a link, so it opens in another tab like any.
func TestCellInAnotherTab(t *testing.T) {
	t.Parallel()
	b := open(t, look{})
	b.visit("/?site=" + shop(t).Origin() + "&url=/cart/")
	b.untilIs(seenMatrix, "/cart/: blocked 2, blocked 5, blocked 5, blocked 5")
	to := eval[string](b, `document.querySelector("#c1-2").href`)
	x, y := b.find("#c1-2")
	b.do(chromedp.MouseClickXY(x, y, chromedp.ButtonModifiers(chromedp.ModifierCtrl)))
	wait(t, "a tab shows "+to, func() bool {
		tabs, err := chromedp.Targets(b.ctx)
		return err == nil && slices.ContainsFunc(tabs, func(i *target.Info) bool { return i.URL == to })
	})
	b.untilIs(seenWhy, "Googlebot may not crawl this URL: line 2 wins.")
}
