package e2e

import (
	"testing"

	"github.com/chromedp/chromedp/kb"
)

const (
	// seenChips gives the crawlers on the card, each with what it is, and a
	// "+" before those that are ticked.
	seenChips = `[...document.querySelectorAll("#chips .chip")].map(c => (c.querySelector("input").checked ? "+" : "") +
		c.querySelector("span").textContent + " (" + (c.querySelector("small")?.textContent ?? "") + ")").join(", ")`
	// seenList gives what the list of more crawlers shows.
	seenList = `[...document.querySelectorAll("#picker-groups .chip")].filter(c => c.checkVisibility()).map(c => c.querySelector("span").textContent).join(" ")`
	// seenHeads gives the heads of the columns with their notes.
	seenHeads = `[...document.querySelectorAll("#matrix thead th")].slice(1).map(h => h.innerText.replace("\n", ": ")).join(", ")`
)

const four = "+Googlebot (search), +GPTBot (training), +ClaudeBot (training), +OAI-SearchBot (AI search)"

func TestPicker(t *testing.T) {
	t.Parallel()
	b := open(t, look{width: 390})
	b.visit("/")
	b.untilIs(seenChips, four)

	b.click("#picker summary")
	b.untilIs("document.activeElement.id", "other") // so that one can type at once
	b.press("bingb")
	b.untilIs(seenList, "bingbot")
	b.press("x")
	b.untilIs(seenList, "")
	b.untilIs(`document.querySelector("#picker-count").innerText`, "Not in our list. “Add” tests it all the same.")
	b.press(kb.Backspace)
	b.untilIs(seenList, "bingbot")
	b.untilIs(seenHeads, "Googlebot, GPTBot, ClaudeBot, OAI-SearchBot") // a search is no name to test

	b.click(`#picker input[value="bingbot"]`)
	b.untilIs(seenHeads, "Googlebot, GPTBot, ClaudeBot, OAI-SearchBot, bingbot")
	b.untilIs(seenChips, four+", +bingbot (search)")
	b.click(`#chips input[value="bingbot"]`)
	b.untilIs(seenHeads, "Googlebot, GPTBot, ClaudeBot, OAI-SearchBot")
	b.until(`!document.querySelector('#picker input[value="bingbot"]').checked`)
	b.click(`#picker input[value="bingbot"]`)
	b.untilIs(seenHeads, "Googlebot, GPTBot, ClaudeBot, OAI-SearchBot, bingbot")
	b.untilIs(seenChips, four+", +bingbot (search)")
	b.click(`#picker input[value="bingbot"]`)
	b.untilIs(seenChips, four+", bingbot (search)")

	b.fill("#other", "MyBot, gptbot")
	b.press(kb.Enter)
	b.untilIs(seenHeads, "Googlebot, GPTBot, ClaudeBot, OAI-SearchBot, MyBot: not in our list")
	b.untilIs(`document.querySelector("#other").value`, "")
	b.untilIs("document.activeElement.id", "other")
	b.press("*")
	b.click("#add")
	b.untilIs(seenHeads, "Googlebot, GPTBot, ClaudeBot, OAI-SearchBot, MyBot: not in our list, *")
	b.fill("#other", "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)")
	b.click("#add")
	b.untilIs(seenHeads, "Googlebot, GPTBot, ClaudeBot, OAI-SearchBot, MyBot: not in our list, *, AhrefsBot: from a user-agent string")
	b.untilIs(seenChips, four+", bingbot (search), +MyBot (not in our list), +* (all others), +Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/) ()")

	b.click(`#chips input[value="MyBot"]`)
	b.untilIs(seenHeads, "Googlebot, GPTBot, ClaudeBot, OAI-SearchBot, *, AhrefsBot: from a user-agent string")

	// Enter takes the one crawler that fits, and leads to the list where more do.
	b.fill("#other", "qwantb")
	b.press(kb.Enter)
	b.untilIs(seenHeads, "Googlebot, GPTBot, ClaudeBot, OAI-SearchBot, *, AhrefsBot: from a user-agent string, Qwantbot")
	b.untilIs("document.activeElement.id", "other")
	b.fill("#other", "bing")
	b.press(kb.Enter)
	b.untilIs("document.activeElement.value", "bingbot")
	b.press(kb.Enter) // on a box it does nothing
	b.untilIs("document.activeElement.value", "bingbot")

	for _, name := range []string{"Googlebot", "GPTBot", "ClaudeBot", "OAI-SearchBot", "*", "Qwantbot"} {
		b.click(`#chips input[value="` + name + `"]`)
	}
	b.untilIs(seenHeads, "AhrefsBot: from a user-agent string")
	b.click(`#chips .chip:nth-last-child(2) input`)
	b.untilIs(`document.querySelector("#err-crawler").innerText`, "Choose at least one crawler.")
	b.untilIs(`document.querySelector("#result").innerText`, "Choose at least one crawler.")
	b.click(`#chips input[value="GPTBot"]`)
	b.untilIs(seenHeads, "GPTBot")
	b.untilIs(`document.querySelector("#err-crawler").innerText`, "")
}

func TestPickerWithoutScripts(t *testing.T) {
	t.Parallel()
	b := open(t, look{noJS: true})
	b.visit("/")
	b.click("#picker summary")
	b.click(`#picker input[value="Applebot"]`)
	b.fill("#other", "MyBot, *")
	b.click("#add")
	b.untilIs(seenHeads, "Googlebot, GPTBot, ClaudeBot, OAI-SearchBot, MyBot: not in our list, *, Applebot")
	b.untilIs(seenChips, four+", +MyBot (not in our list), +* (all others), +Applebot (search)")
}
