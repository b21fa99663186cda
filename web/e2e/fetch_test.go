package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/whichrule/whichrule/internal/testkit"
)

const seenNotice = `document.querySelector("#notice").innerText.trim()`

func TestFetchTrail(t *testing.T) {
	t.Parallel()
	b := open(t, look{})
	site := testkit.NewSite(t)
	site.Serve(testkit.RedirectChain(2, testkit.File("User-agent: *\nDisallow: /x/\n")))
	b.visit("/")
	b.fill("#site", site.Origin())
	b.press(kb.Enter)
	b.untilIs(`[...document.querySelectorAll("#facts .hops li")].map(l => l.innerText.trim()).join("\n")`,
		fmt.Sprintf("%[1]s/robots.txt 302\n%[1]s/1 302\n%[1]s/2 200", site.Origin()))
	b.untilIs(seenText, "User-agent: *\nDisallow: /x/\n")
	b.untilIs(`document.querySelector("#url").value`, "/") // the example's URLs say nothing about this site
	b.until(seenFacts + `.includes("text/plain, UTF-8")`)

	site.File("User-agent: *\nDisallow: /y/\n")
	b.click("#refetch")
	b.untilIs(seenText, "User-agent: *\nDisallow: /y/\n")
}

// A fetch that fails says so in place, and costs nobody their text.
func TestFetchFails(t *testing.T) {
	t.Parallel()
	b := open(t, look{width: 390})
	site := testkit.NewSite(t)
	site.Status(http.StatusServiceUnavailable)
	b.visit("/")
	b.fill("#robots", ownText)
	b.fill("#url", "/private/")
	b.untilIs(seenMatrix, "/private/: blocked 2, blocked 2, blocked 2, blocked 2")
	b.fill("#site", site.Origin())
	b.click("#fetch")
	b.until(seenFacts + `.includes("The site answered with a server error instead of the file.")`)
	b.untilIs(seenMatrix, "/private/: blocked, blocked, blocked, blocked")

	// Whatever happens next, the text can come back.
	b.click("#c1-2")
	b.until(`document.querySelector("#c1-2").ariaCurrent === "true"`)
	b.click("#undo button")
	b.untilIs(seenText, ownText)
	b.untilIs(seenMatrix, "/private/: blocked 2, blocked 2, blocked 2, blocked 2")
	b.until(`!document.querySelector("#undo")`)

	b.expect("status of 422")
	b.fill("#site", "ftp://files.example")
	b.press(kb.Enter)
	b.until(`document.querySelector("#err-site").innerText.includes("only http and https addresses")`)
	b.until(`document.querySelector("#site").ariaInvalid === "true"`)
	b.untilIs(seenText, ownText)
	b.fill("#site", "")
	b.click("#test")
	b.untilIs(seenMatrix, "/private/: blocked 2, blocked 2, blocked 2, blocked 2")
	b.until(`!document.querySelector("#site").ariaInvalid && document.querySelector("#err-site").innerText === ""`)
}

func TestSlowFetch(t *testing.T) {
	t.Parallel()
	b := open(t, look{width: 390})
	site := testkit.NewSite(t)
	site.Serve(testkit.SlowHeader())
	b.visit("/")
	b.fill("#robots", ownText)
	b.fill("#url", "/private/")
	b.untilIs(seenMatrix, "/private/: blocked 2, blocked 2, blocked 2, blocked 2")
	b.until(`!document.querySelector("#fetching").checkVisibility()`)
	b.fill("#site", site.Origin())
	b.press(kb.Enter)
	b.until(`document.querySelector("#fetching").checkVisibility()`)
	b.untilIs(`document.querySelector("#say").textContent`, "Asking the site …")

	b.fill("#url", "/private/open") // the tester goes on meanwhile
	b.untilIs(seenMatrix, "/private/open: allowed 3, allowed 3, allowed 3, allowed 3")
	b.until(`document.querySelector("#fetching").checkVisibility()`)

	b.click("#fetching button")
	b.until(`!document.querySelector("#fetching").checkVisibility()`)
	b.untilIs("document.activeElement.id", "fetch")
	b.untilIs(seenText, ownText)
	b.untilIs(seenMatrix, "/private/open: allowed 3, allowed 3, allowed 3, allowed 3")
}

// What is changed while a fetch is on its way counts when the file is there.
func TestTypeDuringFetch(t *testing.T) {
	t.Parallel()
	b := open(t, look{})
	site := testkit.NewSite(t)
	arrive := make(chan struct{})
	site.Serve(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-arrive:
		case <-r.Context().Done():
		}
		testkit.File("User-agent: *\nDisallow: /late/\n")(w, r)
	})
	b.visit("/")
	b.fill("#robots", ownText)
	b.fill("#url", "/private/")
	b.untilIs(seenMatrix, "/private/: blocked 2, blocked 2, blocked 2, blocked 2")
	b.fill("#site", site.Origin())
	b.press(kb.Enter)
	b.until(`document.querySelector("#fetching").checkVisibility()`)
	b.fill("#robots", ownText+"# more\n")
	b.fill("#url", "/late/x")
	close(arrive)
	b.untilIs(seenText, "User-agent: *\nDisallow: /late/\n")
	b.untilIs(seenMatrix, "/late/x: blocked 2, blocked 2, blocked 2, blocked 2")
	b.click("#undo button")
	b.untilIs(seenText, ownText+"# more\n")
}

// A URL of another host gets no verdict from this file, and that host's file
// is one click away.
func TestOtherHost(t *testing.T) {
	t.Parallel()
	b := open(t, look{})
	one, other := shop(t), testkit.NewSite(t)
	other.File("User-agent: *\nDisallow: /other/\n")
	b.visit("/")
	b.fill("#site", one.Origin())
	b.press(kb.Enter)
	b.until(`location.search !== ""`)
	b.fill("#url", other.Origin()+"/other/page")
	b.until(seenMatrix + `.includes("Not tested: this file is for ")`)
	b.click("#matrix td.none a")
	b.untilIs(seenMatrix, other.Origin()+"/other/page: blocked 2, blocked 2, blocked 2, blocked 2")
	b.untilIs(seenText, "User-agent: *\nDisallow: /other/\n")
}

// An emptied editor says what to do, and is no wish to fetch.
func TestEmptyEditor(t *testing.T) {
	t.Parallel()
	b := open(t, look{})
	site := shop(t)
	b.visit("/")
	b.fill("#site", site.Origin())
	b.press(kb.Enter)
	b.until(`location.search !== ""`)
	b.expect("status of 422")
	b.fill("#robots", "")
	b.until(`document.querySelector("#err-robots").innerText.includes("Paste a robots.txt, or type a site")`)
	b.untilIs(seenText, "")
	b.untilIs(`[document.querySelector("#robots").ariaInvalid, document.querySelector("#robots").getAttribute("aria-describedby")].join()`, "true,e-robots facts")
	if n := site.Count(); n != 1 {
		t.Errorf("the site was asked %d times; want once", n)
	}
	b.fill("#robots", "User-agent: *\nDisallow: /\n")
	b.untilIs(seenMatrix, "/: blocked 2, blocked 2, blocked 2, blocked 2")
	b.untilIs(`document.querySelector("#err-robots").innerText`, "")
	b.untilIs(`[document.querySelector("#robots").ariaInvalid, document.querySelector("#robots").getAttribute("aria-describedby")].join()`, ",facts")
}

func TestTooManyURLs(t *testing.T) {
	for _, l := range []look{{width: 390}, {width: 1366, noJS: true}} {
		t.Run(l.String(), func(t *testing.T) {
			t.Parallel()
			b := open(t, l)
			b.visit("/")
			b.expect("status of 422")
			urls := strings.TrimSuffix(strings.Repeat("/a\n", 1001), "\n")
			b.fill("#robots", ownText)
			b.fill("#url", urls)
			b.test(l)
			b.untilIs(`document.querySelector("#err-url").innerText.trim()`, "Test 1000 URLs at most at a time.")
			b.untilIs(`document.querySelector("#url").value`, urls)
			b.untilIs(seenText, ownText)
			b.until(`document.querySelector("#url").ariaInvalid === "true"`)
			b.untilIs(`document.querySelector("#result").innerText.trim()`, "Not tested yet. See the message beside the field.")
		})
	}
}

// A dead network costs nothing but the verdicts, and the next test works.
func TestDeadNetwork(t *testing.T) {
	t.Parallel()
	b := open(t, look{width: 390})
	b.visit("/")
	b.fill("#robots", ownText)
	b.fill("#url", "/private/")
	b.untilIs(seenMatrix, "/private/: blocked 2, blocked 2, blocked 2, blocked 2")

	b.expect("ERR_INTERNET_DISCONNECTED")
	b.expect("Failed to fetch")
	online := func(yes bool) {
		// The page hears of it when it is so.
		b.do(command(network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
			MatchedNetworkConditions: []*network.Conditions{{Offline: !yes, DownloadThroughput: -1, UploadThroughput: -1}},
		}), command(network.OverrideNetworkState, network.OverrideNetworkStateParams{Offline: !yes, DownloadThroughput: -1, UploadThroughput: -1}))
	}
	online(false)
	b.fill("#url", "/private/open")
	b.untilIs(seenNotice, "No connection. What you typed is kept; the verdicts are those of your last test.")
	b.untilIs(seenText, ownText)
	b.untilIs(`document.querySelector("#url").value`, "/private/open")
	b.untilIs(seenMatrix, "/private/: blocked 2, blocked 2, blocked 2, blocked 2")
	online(true) // which tests by itself
	b.untilIs(seenMatrix, "/private/open: allowed 3, allowed 3, allowed 3, allowed 3")
	b.untilIs(seenNotice, "")
}

// What a machine between us and the reader answers is not put into the page.
func TestForeignAnswer(t *testing.T) {
	t.Parallel()
	b := open(t, look{})
	b.visit("/")
	b.expect("status of 502")
	b.do(command(fetch.Enable, fetch.EnableParams{Patterns: []*fetch.RequestPattern{{URLPattern: "*/test"}}}))
	err := chromedp.Listen(b.ctx, func(ev any) {
		if e, ok := ev.(*fetch.EventRequestPaused); ok {
			go func() {
				_, _ = chromedp.Call(b.ctx, fetch.FulfillRequest, fetch.FulfillRequestParams{
					RequestID: e.RequestID, ResponseCode: http.StatusBadGateway,
					ResponseHeaders: []*fetch.HeaderEntry{{Name: "Content-Type", Value: "text/html"}},
				})
			}()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	b.fill("#robots", ownText)
	b.untilIs(seenNotice, "No connection. What you typed is kept; the verdicts are those of your last test.")
	b.untilIs(seenMatrix, exampleMatrix)
	b.do(command(fetch.Disable, cdp.Empty{}))
	b.fill("#url", "/private/")
	b.untilIs(seenMatrix, "/private/: blocked 2, blocked 2, blocked 2, blocked 2")
	b.untilIs(seenNotice, "")
}

// Who fetches too often is told when to go on, and keeps everything.
func TestTooManyFetches(t *testing.T) {
	t.Parallel()
	limited, stop, err := serve("WHICHRULE_FETCHES_PER_MINUTE=1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	b := open(t, look{})
	b.visit(limited + "/")
	b.expect("status of 429")
	for range 5 { // the first five are free
		b.fetch(shop(t))
	}
	b.fill("#robots", ownText)
	b.until(seenFacts + `.includes("Edited after the fetch of ")`)
	b.fill("#site", shop(t).Origin())
	b.click("#fetch")
	b.until(seenNotice + `.startsWith("You have fetched many files in a short time. Wait ")`)
	b.untilIs(seenText, ownText)
	b.do(chromedp.Reload())
	b.untilIs(seenText, ownText)
}

// Without htmx, which some network may keep away, the page is a plain form.
func TestWithoutHTMX(t *testing.T) {
	t.Parallel()
	b := open(t, look{})
	b.expect("ERR_BLOCKED_BY_CLIENT")
	b.do(command(network.SetBlockedURLs, network.SetBlockedURLsParams{URLPatterns: []*network.BlockPattern{{URLPattern: "*://*:*/static/vendor/*", Block: true}}}))
	b.visit("/")
	b.fill("#robots", ownText)
	b.fill("#url", "/private/")
	b.click("#picker summary")
	b.fill("#other", "MyBot")
	b.press(kb.Enter)
	b.untilIs(seenMatrix, "/private/: blocked 2, blocked 2, blocked 2, blocked 2, blocked 2")
	b.untilIs(seenText, ownText)
	b.click("#c1-5")
	b.untilIs(seenWhy, "MyBot may not crawl this URL: line 2 wins.")
}
