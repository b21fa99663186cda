package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/whichrule/whichrule/internal/testkit"
)

// twoFiles is a site whose http and https have files of their own.
func twoFiles(t *testing.T) *testkit.SchemesSite {
	site := testkit.NewSchemesSite(t)
	site.Serve(func(w http.ResponseWriter, r *http.Request) {
		text := liveThen
		if r.TLS != nil {
			text = liveNow
		}
		testkit.File(text)(w, r)
	})
	return site
}

// seenHosts is the table of hosts, row by row, without what crawlers do.
const seenHosts = `[...document.querySelectorAll(".hosts tbody tr")].map(r => [...r.querySelectorAll("th, .answer")].map(c => c.innerText).join(" ").split(/\s+/).join(" ").trim()).join("\n")`

// All the hosts of a site are checked with one click: how they stand to each
// other comes first, then what each gave, then what is different.
func TestHosts(t *testing.T) {
	t.Parallel()
	for _, l := range []look{{width: 1366}, {width: 1366, noJS: true}, {width: 390}} {
		t.Run(l.String(), func(t *testing.T) {
			t.Parallel()
			site := twoFiles(t)
			host := site.Allow()
			b := open(t, l)
			b.visit("/")
			b.click(`nav a[href="/hosts"]`)
			b.until(`location.pathname === "/hosts" && document.querySelector("#site")`)
			b.fill("#site", host)
			b.press(kb.Enter)
			b.untilIs(`document.querySelector("#h-hosts")?.innerText ?? ""`, "Two different files.")
			b.untilIs(`decodeURIComponent(location.search)`, "?site="+host)
			b.untilIs(seenHosts, strings.Join([]string{
				"https://" + host + " File A, 280 bytes https://" + host + "/robots.txt 200",
				"http://" + host + " File B, 268 bytes http://" + host + "/robots.txt 200",
			}, "\n"))
			b.untilIs(`document.title`, "The hosts of 127.0.0.1 · Whichrule")
			b.untilIs(`document.querySelector("#site").value`, host)
			b.untilIs(`document.querySelector(".diff .removed .text").innerText`, "Disallow: /cart")

			// Its file is one click away.
			b.click(".hosts tbody tr:nth-child(2) .means > a")
			b.untilIs(`location.pathname + decodeURIComponent(location.search)`, "/?site=http://"+host)
			b.untilIs(seenText, liveThen)
		})
	}
}

// A second answer takes the place of the first; what was typed stays.
func TestHostsAgain(t *testing.T) {
	t.Parallel()
	site := twoFiles(t)
	host := site.Allow()
	b := open(t, look{})
	b.visit("/hosts?site=" + host)
	b.untilIs(`document.querySelector("#h-hosts").innerText`, "Two different files.")
	site.File(liveThen)
	b.fill("#site", "typed.example")
	asked := site.Count()
	b.click("#refetch")
	b.untilIs(`document.querySelector("#h-hosts").innerText`, "Both hosts give the same file.")
	b.untilIs(`document.querySelector("#say").innerText`, "Both hosts give the same file.")
	b.untilIs(`document.querySelector("#site").value`, "typed.example")
	b.until(`!document.querySelector(".diff")`)
	b.until(`!location.search.includes("refetch")`)
	if got := site.Count(); got != asked+2 {
		t.Errorf("the site was asked %d times; want twice", got-asked)
	}

	// What cannot be read leaves the answer before.
	b.expect("status of 422")
	b.fill("#site", "ftp://files.example")
	b.click("#fetch")
	b.until(`document.querySelector("#err-site").innerText.includes("only http and https addresses")`)
	b.until(`document.querySelector("#site").ariaInvalid === "true" && document.querySelector("#site").getAttribute("aria-describedby") === "e-site"`)
	b.untilIs(`document.querySelector("#h-hosts").innerText`, "Both hosts give the same file.")
	b.untilIs(`document.querySelector("#site").value`, "ftp://files.example")
	b.fill("#site", host)
	b.click("#fetch")
	b.until(`!document.querySelector("#site").ariaInvalid && document.querySelector("#err-site").innerText === ""`)
}

// A check says that it is under way, and can be cancelled.
func TestSlowHosts(t *testing.T) {
	t.Parallel()
	site := testkit.NewSchemesSite(t)
	site.Serve(testkit.SlowHeader())
	b := open(t, look{width: 390})
	b.visit("/hosts")
	b.until(`!document.querySelector("#fetching").checkVisibility()`)
	b.fill("#site", site.Allow())
	b.press(kb.Enter)
	b.until(`document.querySelector("#fetching").checkVisibility()`)
	b.untilIs(`document.querySelector("#say").innerText`, "Asking the hosts …")
	b.click("#fetching button")
	b.until(`!document.querySelector("#fetching").checkVisibility()`)
	b.untilIs("document.activeElement.id", "fetch")
	b.untilIs(`document.querySelector("#site").value`, site.Allow())
	b.until(`!document.querySelector("#h-hosts")`)
}

// Where no host answers, the page says so, and of each what happened.
func TestSilentHosts(t *testing.T) {
	t.Parallel()
	site := testkit.NewSite(t)
	site.Stop()
	for _, l := range []look{{}, {noJS: true}} {
		b := open(t, l)
		b.expect("status of 502")
		b.visit("/hosts")
		b.fill("#site", site.Allow())
		b.click("#fetch")
		b.untilIs(`document.querySelector("#h-hosts")?.innerText ?? ""`, "Neither host answers.")
		b.untilIs(`String(document.querySelectorAll(".hosts tbody tr").length)`, "2")
	}
}

// Everything can be reached and used with the keyboard alone.
func TestHostsKeyboard(t *testing.T) {
	t.Parallel()
	site := twoFiles(t)
	b := open(t, look{})
	b.visit("/hosts?site=" + site.Allow())
	eval[any](b, `{document.querySelector("main").focus()}`)
	var seen []string
	for range 11 {
		b.press(kb.Tab)
		seen = append(seen, eval[string](b, `(document.activeElement.ariaLabel ?? document.activeElement.innerText ?? "").split(/\s+/).join(" ") || document.activeElement.id`))
		if !eval[bool](b, `document.activeElement.matches(":focus-visible")`) {
			t.Errorf("%s: the focus is not seen", seen[len(seen)-1])
		}
	}
	want := "site|Check|check again|JSON|source: Google|source: RFC 9309|Test this file of https://" + site.Allow() +
		"|source: Google|source: RFC 9309|Test this file of http://" + site.Allow() + "|1"
	if got := strings.Join(seen, "|"); got != want {
		t.Errorf("got the focus at\n%s; want\n%s", got, want)
	}
	asked := site.Count()
	eval[any](b, `{document.querySelector("#refetch").focus()}`)
	b.press(kb.Enter)
	wait(t, "the site is asked again", func() bool { return site.Count() == asked+2 })
}

// On paper stands what was found, and when.
func TestHostsPrint(t *testing.T) {
	t.Parallel()
	site := twoFiles(t)
	b := open(t, look{})
	b.visit("/hosts?site=" + site.Allow())
	b.onPaper("hosts on paper")
	for css, want := range map[string]bool{
		"#h-hosts": true, ".hosts .answer": true, ".diff .added": true, ".notes": true, ".facts .status span": true,
		"#ask": false, "#refetch": false, ".hosts .means > a": false, "nav": false,
	} {
		if got := eval[bool](b, `document.querySelector(`+quote(css)+`).checkVisibility()`); got != want {
			t.Errorf("%s: got shown %v; want %v", css, got, want)
		}
	}
}
