package e2e

import "testing"

const (
	seenLead   = `document.querySelector("#overview .lead").innerText`
	seenAlarms = `[...document.querySelectorAll("#overview .alarm b")].map(b => b.innerText).join(" ")`
	// seenClosed gives the crawlers that are closed, with what decides.
	seenClosed = `[...document.querySelectorAll("#overview .bot.closed")].map(b => b.querySelector("a").innerText + " " + b.querySelector("small").innerText).join(", ")`
	// seenPressed gives the sets that are ticked.
	seenPressed = `[...document.querySelectorAll('.presets [aria-pressed="true"]')].map(b => b.innerText).join(", ")`
)

const inverted = "User-agent: *\nDisallow: /cart/\n\nUser-agent: OAI-SearchBot\nDisallow: /\n"

// The overview follows what is typed, leads to its lines, and what was
// unfolded stays so.
func TestOverview(t *testing.T) {
	for _, l := range []look{{width: 1366}, {width: 390, noJS: true}} {
		t.Run(l.String(), func(t *testing.T) {
			t.Parallel()
			b := open(t, l)
			b.visit("/")
			b.untilIs(seenLead, "Search: all partly open. AI search: all partly open. AI training: 2 of 14 closed, 12 partly open.")
			b.untilIs(seenClosed, "ClaudeBot 13, GPTBot 13")
			b.click(".overview .rest summary")
			b.fill("#robots", inverted)
			b.test(l)
			b.untilIs(seenAlarms, "AI search is closed while AI training is open.")
			b.untilIs(seenClosed, "OAI-SearchBot 5")
			if !l.noJS {
				b.until(`document.querySelector(".overview .rest").open`)
				b.until(`document.querySelector("#overview-more").checkVisibility()`)
			}
			b.click(`#overview .bot.closed a.ln`)
			b.untilIs("location.hash", "#L5")
			b.until(inEditor(5))
		})
	}
}

// A set is ticked with one click, and taken back with another.
func TestPresets(t *testing.T) {
	t.Parallel()
	b := open(t, look{width: 390})
	b.visit("/")
	b.untilIs(seenPressed, "The four")
	b.click(`.presets [value="ai-training"]`)
	b.untilIs(seenPressed, "The four, AI training")
	b.until(seenHeads + `.split(", ").length === 18`) // two of the sixteen are among the four
	b.untilIs(`String(document.querySelector('#picker input[value="Bytespider"]').checked)`, "true")
	b.click(`.presets [value="four"]`)
	b.untilIs(seenPressed, "AI training")
	b.until(seenHeads + `.split(", ").length === 16`)
	// A crawler that is unticked by hand leaves no set behind that says all.
	b.click(`#chips input[value="Bytespider"]`)
	b.untilIs(seenPressed, "")
	b.until(seenHeads + `.split(", ").length === 15`)
	b.click(`.presets [value="ai-training"]`)
	b.untilIs(seenPressed, "AI training")
	b.click(`.presets [value="ai-training"]`)
	b.untilIs(seenPressed, "")
	b.untilIs(`document.querySelector("#e-crawler").innerText`, "Choose at least one crawler.")
	b.click(`.presets [value="four"]`)
	b.untilIs(seenHeads, "Googlebot, GPTBot, ClaudeBot, OAI-SearchBot")
}

// Without scripts it is a button of the form.
func TestPresetsWithoutScripts(t *testing.T) {
	t.Parallel()
	b := open(t, look{noJS: true})
	b.visit("/")
	b.click(`.presets [value="user-triggered"]`)
	b.untilIs(seenPressed, "The four, User-triggered")
	b.until(seenHeads + `.split(", ").length === 15`)
}
