package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/whichrule/whichrule/internal/testkit"
)

// What a person sees, as JavaScript expressions that give a string.
const (
	// seenMatrix gives a line for each URL: the URL, and a word for each
	// verdict with its line, or the sentence in their place.
	seenMatrix = `[...document.querySelectorAll("#matrix tbody tr")].map(r => r.cells[0].title + ": " +
		[...r.cells].slice(1).map(td => {
			const v = td.querySelector(".v");
			return v ? v.classList[1] + (v.querySelector("small")?.lastChild.textContent.replace(/^/, " ") ?? "") : td.innerText;
		}).join(", ")).join("\n")`
	// seenCrawlers gives the heads of the columns.
	seenCrawlers = `[...document.querySelectorAll("#matrix thead th span")].map(s => s.textContent).join(" ")`
	// seenMarks gives the lines that are more than dimmed, from the layer
	// behind the text.
	seenMarks = `(() => {
		let n = 0, out = [];
		for (const s of document.querySelectorAll("#marks span")) {
			for (const _ of s.textContent.match(/\n/g) ?? []) {
				n++;
				if (!["dim", "plain"].includes(s.className)) out.push(n + " " + s.className);
			}
		}
		return out.join(", ");
	})()`
	seenWhy     = `document.querySelector("#why h3")?.innerText ?? ""`
	seenText    = `document.querySelector("#robots").value`
	seenAddress = `location.pathname + location.search`
	seenFacts   = `document.querySelector("#facts").innerText`
)

const (
	exampleMatrix = "/shop/boots/print: blocked 8, blocked 13, blocked 13, allowed\n" +
		"/cart/: allowed, blocked 13, blocked 13, blocked 4\n" +
		"/shop/?color=red&sort=price: allowed 9, blocked 13, blocked 13, allowed\n" +
		"/: allowed, blocked 13, blocked 13, allowed"
	ownText = "User-agent: *\nDisallow: /private/\nAllow: /private/open\n"
)

// sameSite is a site with a robots.txt of its own.
func shop(t *testing.T) *testkit.Site {
	s := testkit.NewSite(t)
	s.File("User-agent: Googlebot\nDisallow: /cart/\n\nUser-agent: *\nDisallow: /\n")
	return s
}

// test presses Test where nothing tests by itself.
func (b *tab) test(l look) {
	b.t.Helper()
	if l.noJS {
		eval[any](b, `document.documentElement.dataset.old = "1"`)
		b.click("#test")
		b.until(`!document.documentElement.dataset.old && document.readyState === "complete"`)
	}
}

// The whole job from first sight to the deleted share, as different people see it.
func TestFlow(t *testing.T) {
	for _, l := range []look{{width: 1366}, {width: 390, dark: true}, {width: 390, noJS: true}, {width: 1366, dark: true, noJS: true}} {
		t.Run(l.String(), func(t *testing.T) {
			t.Parallel()
			b := open(t, l)
			site := shop(t)

			b.visit("/")
			b.untilIs(seenMatrix, exampleMatrix)
			b.untilIs(seenWhy, "Googlebot may not crawl this URL: line 8 wins.")
			b.untilIs(seenMarks, "6 agent, 7 group, 8 wins, 9 lost")

			b.fill("#robots", ownText)
			b.test(l)
			b.untilIs(seenMatrix, strings.NewReplacer("blocked 13", "allowed", "blocked 8", "allowed", "blocked 4", "allowed", "allowed 9", "allowed").Replace(exampleMatrix))

			b.fill("#url", "/private/\n/private/open")
			b.test(l)
			b.untilIs(seenMatrix, "/private/: blocked 2, blocked 2, blocked 2, blocked 2\n/private/open: allowed 3, allowed 3, allowed 3, allowed 3")

			b.click(`#chips input[value="GPTBot"]`)
			b.click(`#chips input[value="ClaudeBot"]`)
			b.test(l)
			b.untilIs(seenCrawlers, "Googlebot OAI-SearchBot")

			b.click("#picker summary")
			b.click(`#picker input[value="bingbot"]`)
			b.test(l)
			b.untilIs(seenCrawlers, "Googlebot OAI-SearchBot bingbot")
			b.until(`document.querySelector('#chips input[value="bingbot"]').checked`)

			b.click("#c2-3")
			b.untilIs(seenWhy, "bingbot may crawl this URL: line 3 wins.")
			b.untilIs(seenMarks, "1 agent, 2 lost, 3 wins")
			b.untilIs(`document.querySelector("#why .url mark").textContent`, "/private/open")
			b.untilIs(seenText, ownText)

			b.fill("#site", site.Origin())
			b.click("#fetch")
			b.untilIs(seenText, "User-agent: Googlebot\nDisallow: /cart/\n\nUser-agent: *\nDisallow: /\n")
			b.untilIs(seenMatrix, "/private/: allowed, blocked 5, blocked 5\n/private/open: allowed, blocked 5, blocked 5")
			b.until(seenFacts + `.includes("` + site.Origin() + `/robots.txt 200")`)

			b.fill("#url", "/cart/\nhttp://elsewhere.example/")
			b.test(l)
			b.until(seenMatrix + fmt.Sprintf(`.startsWith("/cart/: blocked 2, blocked 5, blocked 5\nhttp://elsewhere.example/: Not tested: this file is for %s only")`, site.Origin()))
			b.until(`document.querySelector("#matrix td.none a").getAttribute("href").startsWith("/?site=http%3A%2F%2Felsewhere.example&crawler=Googlebot&")`)

			b.click("#share")
			if l.noJS {
				b.until(`location.pathname.endsWith("/manage")`)
			}
			b.until(`document.querySelector("#shared-url")?.value.startsWith(location.origin + "/r/")`)
			share := eval[string](b, `document.querySelector("#shared-url").value`)
			if !l.noJS {
				b.click("#sharebox a")
				b.until(`location.pathname.endsWith("/manage")`)
			}
			manage := eval[string](b, "location.href")

			b.visit(share)
			b.untilIs(`document.querySelector("h1").innerText`, "Googlebot may not crawl /cart/: line 2")
			b.until(seenMatrix + `.startsWith("/cart/: blocked 2, blocked 5, blocked 5\n")`)
			b.click("#c1-2")
			b.untilIs(seenWhy, "OAI-SearchBot may not crawl this URL: line 5 wins.")
			b.untilIs(seenMarks, "4 agent, 5 wins")
			b.untilIs("location.search", "?cell=1.2")
			b.back()
			b.untilIs(seenWhy, "Googlebot may not crawl this URL: line 2 wins.")
			b.untilIs(seenMarks, "1 agent, 2 wins")
			b.click(`button[value="test"]`) // "Open in the tester"
			b.until(`document.querySelector("#site")?.value === ` + quote(site.Origin()))
			b.untilIs(`document.querySelector("#url").value`, "/cart/\nhttp://elsewhere.example/")
			if !l.noJS {
				b.untilIs(seenAddress, siteAddress(site)+"&crawler=Googlebot&crawler=OAI-SearchBot&crawler=bingbot&url=/cart/&url=http%3A//elsewhere.example/")
			}

			b.visit(manage)
			b.click("button.danger")
			b.untilIs(`document.querySelector("h1").innerText`, "Deleted")
			b.expect("status of 410")
			b.visit(share)
			b.untilIs(`document.querySelector("h1").innerText`, "This result was deleted")
		})
	}
}
