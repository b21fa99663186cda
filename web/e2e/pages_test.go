package e2e

import (
	"bytes"
	_ "embed"
	"image"
	"image/png"
	"io"
	"net/http"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/whichrule/whichrule/internal/testkit"
)

// looks are what every page has to stand: a phone and a desktop, light and dark.
var looks = []look{{width: 1366}, {width: 1366, dark: true}, {width: 390}, {width: 390, dark: true}}

// pages are the states of the site that a person can look at, and how to get
// there.
var pages = []struct {
	name string
	open func(t *testing.T, b *tab)
}{
	{"home", func(t *testing.T, b *tab) {
		b.visit("/")
		b.untilIs(seenMatrix, exampleMatrix)
	}},
	{"fetched", func(t *testing.T, b *tab) {
		site := testkit.NewSite(t)
		site.Serve(testkit.RedirectChain(1, testkit.File("# Shop\nUser-agent: *\nDisallow: /account/\nDisallow: /cart/\nDisallow: /*?sort=\nAllow: /cart/help\n\n"+
			"User-agent: GPTBot\nUser-agent: ClaudeBot\nDisallow: /\n\nUser-agent: Applebot\nDisallow:\n\nSitemap: https://shop.example.com/sitemap.xml\n")))
		b.visit("/?site=" + site.Origin() + "&crawler=Googlebot&crawler=GPTBot&crawler=Perplexity-User&crawler=Applebot&crawler=MyBot" +
			"&url=/cart/help&url=/shop/boots?colour=brown%26sort=price&url=https://elsewhere.example/a&url=javascript:void&url=/robots.txt&cell=1.1")
		b.untilIs(seenWhy, "Googlebot may crawl this URL: line 6 wins.")
	}},
	{"error", func(t *testing.T, b *tab) {
		b.visit("/")
		b.expect("status of 422")
		b.fill("#site", "ftp://files.example")
		b.press(kb.Enter)
		b.until(`document.querySelector("#err-site").innerText !== ""`)
	}},
	{"failed fetch", func(t *testing.T, b *tab) {
		site := testkit.NewSite(t)
		site.Status(503)
		b.visit("/")
		b.fill("#robots", ownText)
		b.fetch(site)
		b.until(`document.querySelector("#undo")`)
	}},
	{"stale copy", func(t *testing.T, b *tab) {
		b.fails()
		b.click("#stale-copy summary")
		b.click(".said summary")
	}},
	{"pretended", func(t *testing.T, b *tab) {
		site := testkit.NewSite(t)
		site.Serve(testkit.RedirectChain(1, testkit.File(ownText)))
		b.visit("/?site=" + site.Origin() + "&crawler=Googlebot&crawler=YandexBot&crawler=GPTBot&url=/private/&url=/private/open&simulate=503")
		b.untilIs(seenMatrix, "/private/: blocked, allowed, blocked\n/private/open: blocked, allowed, blocked")
	}},
	{"pretended paste", func(t *testing.T, b *tab) {
		b.visit("/")
		b.click("#simulate summary")
		b.click("#simulate-html")
		b.until(`document.querySelector("#pretended")`)
	}},
	{"pretended share", func(t *testing.T, b *tab) {
		site := testkit.NewSite(t)
		site.File(ownText)
		b.visit("/?site=" + site.Origin() + "&crawler=Googlebot&crawler=YandexBot&url=/private/open&simulate=503")
		b.openShare()
		b.untilIs(`document.querySelector("h1").innerText`, "If the server answers 503: Googlebot may not crawl /private/open: the robots.txt could not be fetched")
	}},
	{"web page", func(t *testing.T, b *tab) {
		site := testkit.NewSite(t)
		site.Serve(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Header().Set("Cache-Control", "public, max-age=86400")
			w.Header().Set("Age", "600")
			io.WriteString(w, "<!doctype html>\n<title>Shop</title>\n<p>Welcome</p>\n")
		})
		b.visit("/?site=" + site.Origin())
		b.until(seenFacts + `.includes("A web page came instead of the file.")`)
	}},
	{"picker", func(t *testing.T, b *tab) {
		b.visit("/")
		b.click("#picker summary")
		b.press("bot")
		b.fill("#other", "Mine")
		b.press(kb.Enter)
		b.until(`document.querySelector('#chips input[value="Mine"]')`)
	}},
	{"shared", func(t *testing.T, b *tab) {
		b.visit("/")
		b.click("#share")
		b.until(`document.querySelector("#shared-url")`)
	}},
	{"share", func(t *testing.T, b *tab) {
		b.visit("/")
		b.click("#share")
		b.until(`document.querySelector("#shared-url")`)
		b.visit(eval[string](b, `document.querySelector("#shared-url").value`))
		b.untilIs(`document.querySelector("h1").innerText`, "Googlebot may not crawl /shop/boots/print: line 8")
	}},
	{"live", func(t *testing.T, b *tab) {
		site := testkit.NewSite(t)
		b.shareOf(site, liveThen)
		site.File(liveNow)
		b.visit(eval[string](b, `location.pathname + "/live"`))
		b.until(`document.querySelector(".diff")`)
	}},
	{"live gone", func(t *testing.T, b *tab) {
		site := testkit.NewSite(t)
		b.shareOf(site, liveThen)
		site.Status(503)
		b.visit(eval[string](b, `location.pathname + "/live"`))
		b.until(`document.querySelector("#h-else")`)
	}},
	{"hosts", func(t *testing.T, b *tab) {
		b.visit("/hosts?site=" + twoFiles(t).Allow())
		b.until(`document.querySelector(".diff")`)
	}},
	{"hosts silent", func(t *testing.T, b *tab) {
		site := testkit.NewSite(t)
		site.Stop()
		b.expect("status of 502")
		b.visit("/hosts?site=" + site.Origin())
		b.until(`document.querySelector(".hosts")`)
	}},
	{"hosts form", func(t *testing.T, b *tab) {
		b.expect("status of 422")
		b.visit("/hosts?site=a+b")
		b.until(`document.querySelector("#e-site")`)
	}},
	{"folded share", func(t *testing.T, b *tab) {
		b.visit(shareOf(t, foldedText, "/cart/now\n/cart/"))
		b.until(`document.querySelector("#excerpt .fold")`)
	}},
	{"paged", func(t *testing.T, b *tab) {
		b.visit("/")
		b.fill("#url", numbered(501))
		b.click("#next-end")
		b.untilIs(seenPage, "Page 2 of 2: /p501, 1")
	}},
	{"manage", func(t *testing.T, b *tab) {
		b.visit("/")
		b.click("#share")
		b.click("#sharebox a")
		b.until(`location.pathname.endsWith("/manage")`)
	}},
	{"crawlers", func(t *testing.T, b *tab) { b.visit("/crawlers") }},
	{"crawlers filtered", func(t *testing.T, b *tab) {
		b.visit("/crawlers")
		b.fill("#q", "ChatGPT")
		b.until(`document.querySelector("#list .status")`)
	}},
	{"no crawlers", func(t *testing.T, b *tab) { b.visit("/crawlers?q=Googlebott&category=ads") }},
	{"crawler", func(t *testing.T, b *tab) { b.visit("/crawlers/GPTBot") }},
	{"crawler with a chain", func(t *testing.T, b *tab) { b.visit("/crawlers/Applebot") }},
	{"crawler that does not obey", func(t *testing.T, b *tab) { b.visit("/crawlers/Google-GeminiNotebook") }},
	{"crawler not confirmed", func(t *testing.T, b *tab) { b.visit("/crawlers/GrokBot") }},
	{"no crawler", func(t *testing.T, b *tab) {
		b.expect("status of 404")
		b.visit("/crawlers/Googlebott")
	}},
	{"about", func(t *testing.T, b *tab) { b.visit("/about") }},
	{"404", func(t *testing.T, b *tab) {
		b.expect("status of 404")
		b.visit("/nothing-here")
		b.untilIs(`document.querySelector("h1").innerText`, "Page not found")
	}},
}

//go:embed testdata/axe/axe.min.js
var axe string

// Every page follows WCAG 2.2 AA and good practice as far as a machine can
// see, never scrolls sideways, and can be used with a thumb.
func TestPages(t *testing.T) {
	for _, p := range pages {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			b := open(t, looks[0])
			p.open(t, b)
			eval[any](b, axe+"\n;null")
			for _, l := range looks {
				b.look(l)
				for _, v := range eval[[]string](b, `axe.run(document, {
					runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
					resultTypes: ["violations"],
				}).then(r => r.violations.flatMap(v => v.nodes.map(n => v.id + ": " + n.target.join(" ") + ": " + n.failureSummary)))`) {
					t.Errorf("%v: %s", l, v)
				}
			}
			for _, width := range []int64{320, 390, 768, 1366, 2560} {
				b.look(look{width: width})
				if got := eval[int64](b, "document.documentElement.scrollWidth"); got > width {
					t.Errorf("%d wide, the page scrolls sideways to %d", width, got)
				}
				// WCAG 2.5.8 asks for 24 pixels, and leaves out what stands within a sentence.
				for _, small := range eval[[]string](b, `[...document.querySelectorAll("button:not(.link):not(.sr), .button, [data-cell], .chip, summary, nav a, input[type=text], main textarea, #gutter a")]
					.filter(e => e.checkVisibility()).map(e => [e, e.getBoundingClientRect()])
					.filter(([e, r]) => r.width < 24 || r.height < 24)
					.map(([e, r]) => e.outerHTML.slice(0, 80) + " is " + r.width + " x " + r.height)`) {
					t.Errorf("%d wide, too small to touch: %s", width, small)
				}
			}
		})
	}
}

// Pictures show a page as wide as its window, dark where that is asked for.
// With -pictures they are there to be looked at, of all pages.
func TestPictures(t *testing.T) {
	for _, p := range pages {
		if *pictures == "" && p.name != "home" && p.name != "404" {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			b := open(t, looks[0])
			p.open(t, b)
			for _, l := range looks {
				b.look(l)
				data := b.picture()
				picture, err := png.Decode(bytes.NewReader(data))
				if err != nil {
					t.Fatal(err)
				}
				if got := picture.Bounds().Dx(); got != int(l.width) {
					t.Errorf("%v: the picture is %d wide", l, got)
				}
				if got := darkness(picture); l.dark != (got > 0.6) {
					t.Errorf("%v: %.0f%% of the picture is dark", l, 100*got)
				}
				b.keepPicture(p.name+" "+l.String(), data)
			}
		})
	}
}

// darkness gives the share of a picture's pixels that are dark.
func darkness(p image.Image) float64 {
	dark, all := 0, 0
	for y := p.Bounds().Min.Y; y < p.Bounds().Max.Y; y += 7 {
		for x := p.Bounds().Min.X; x < p.Bounds().Max.X; x += 7 {
			r, g, b, _ := p.At(x, y).RGBA()
			if r+g+b < 3*0x8000 {
				dark++
			}
			all++
		}
	}
	return float64(dark) / float64(all)
}
