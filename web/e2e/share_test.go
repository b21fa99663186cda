package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
)

// "Copy link" puts a link on the clipboard and shows it.
func TestCopyLink(t *testing.T) {
	// Not beside other tests: there is one clipboard for all tabs.
	b := open(t, look{width: 390})
	b.visit("/")
	b.grantClipboard()
	b.click("#share")
	b.untilIs(`document.querySelector("#sharebox button")?.textContent ?? ""`, "Copied")
	link := eval[string](b, `document.querySelector("#shared-url").value`)
	b.untilIs("navigator.clipboard.readText()", link)
	b.until(`!document.querySelector("#earlier")`)
	b.fill("#url", "/changed")
	b.untilIs(`document.querySelector("#earlier")?.innerText ?? ""`, "You have changed something since: this link shows the test before that.")

	b.click("#sharebox a")
	b.until(`location.pathname.endsWith("/manage")`)
	b.untilIs(`document.querySelector("#shared-url").value`, link)
	b.click("main button[data-copy]")
	b.untilIs(`document.querySelector("main button[data-copy]").textContent`, "Copied")
}

// However often somebody presses, the same test has one link; another test has another.
func TestDoubleClickGivesOneShare(t *testing.T) {
	t.Parallel()
	const link = `(document.querySelector("#shared-url")?.value ?? "")`
	b := open(t, look{})
	b.visit("/")
	eval[any](b, `{window.links = new Set(); new MutationObserver(() => { const l = `+link+`; if (l) links.add(l) }).observe(document.querySelector("#sharebox"), {childList: true, subtree: true})}`)
	x, y := b.find("#share")
	b.do(chromedp.MouseClickXY(x, y), chromedp.MouseClickXY(x, y, chromedp.ClickCount(2)))
	b.until(link + ` !== ""`)
	first := eval[string](b, link)
	eval[any](b, `{document.querySelector("#sharebox").replaceChildren()}`)
	b.click("#share")
	b.until(link + ` !== ""`)
	b.untilIs("[...links].join()", first)

	eval[any](b, `{document.querySelector("#sharebox").replaceChildren()}`)
	b.fill("#url", "/elsewhere")
	b.click("#share")
	b.until(link + ` !== "" && ` + link + ` !== ` + quote(first))
}

// A share that cannot be made says so beside its button, and keeps the link
// away.
func TestShareFails(t *testing.T) {
	t.Parallel()
	b := open(t, look{})
	b.visit("/")
	b.expect("status of 422")
	b.fill("#url", strings.Repeat("/a\n", 1001))
	b.until(`document.querySelector("#err-url").innerText !== ""`)
	b.click("#share")
	b.until(`document.querySelector("#sharebox .error")?.innerText.includes("Test 1000 URLs at most")`)
	b.untilIs(`document.querySelector("#result").innerText.trim()`, "Not tested yet. See the message beside the field.")
}

// The downloads hold what the page shows, with and without scripts.
func TestDownloads(t *testing.T) {
	for _, l := range []look{{width: 1366}, {width: 390, noJS: true}} {
		t.Run(l.String(), func(t *testing.T) {
			t.Parallel()
			b := open(t, l)
			dir := t.TempDir()
			if _, err := chromedp.CallBrowser(b.ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
				Behavior: browser.SetDownloadBehaviorBehaviorAllow, BrowserContextID: chromedp.FromContext(b.ctx).BrowserContextID, DownloadPath: dir,
			}); err != nil {
				t.Fatal(err)
			}
			b.visit("/")
			b.fill("#url", "/cart/")
			if !l.noJS {
				b.click("#picker summary")
				b.press("not a name to test") // it was never added
			}
			b.click(`button[value="csv"]`)
			if got, want := download(t, dir, "whichrule.csv"), "url,matched_url,crawler,verdict,line,rule,group,reason\n"+
				"/cart/,/cart/,Googlebot,allowed,0,,Googlebot,no-rule-matches\n"+
				"/cart/,/cart/,GPTBot,blocked,13,Disallow: /,GPTBot,longest-rule\n"+
				"/cart/,/cart/,ClaudeBot,blocked,13,Disallow: /,ClaudeBot,longest-rule\n"+
				"/cart/,/cart/,OAI-SearchBot,blocked,4,Disallow: /cart/,*,longest-rule\n"; got != want {
				t.Errorf("CSV: got\n%s\nwant\n%s", got, want)
			}
			b.click(`button[value="json"]`)
			var report struct {
				Results []struct {
					Crawler string
					Line    int
				}
			}
			if err := json.Unmarshal([]byte(download(t, dir, "whichrule.json")), &report); err != nil {
				t.Fatal(err)
			}
			if n := len(report.Results); n != 4 || report.Results[3].Line != 4 {
				t.Errorf("JSON: got %d results %v; want 4, the last by line 4", n, report.Results)
			}
			b.untilIs(`document.querySelector("#url").value`, "/cart/") // and the page stayed
		})
	}
}

// download gives a file once it is complete: until then it has another name.
func download(t *testing.T, dir, name string) (text string) {
	t.Helper()
	wait(t, name+" is downloaded", func() bool {
		data, err := os.ReadFile(filepath.Join(dir, name))
		text = string(data)
		return err == nil && text != ""
	})
	return text
}

// A file from disk becomes the text, and the text that it replaced can come back.
func TestOpenFile(t *testing.T) {
	for _, l := range []look{{width: 390}, {width: 1366, noJS: true}} {
		t.Run(l.String(), func(t *testing.T) {
			t.Parallel()
			name := filepath.Join(t.TempDir(), "robots.txt")
			if err := os.WriteFile(name, []byte("User-agent: *\r\nDisallow: /gr\xc3\xb6\xc3\x9fe/\r\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			b := open(t, l)
			b.visit("/")
			b.fill("#robots", ownText)
			b.fill("#url", "/größe/\n/private/")
			b.do(chromedp.SetUploadFiles(chromedp.CSS("#file"), []string{name}))
			if l.noJS {
				b.click(`button[formenctype]`)
			}
			b.untilIs(seenMatrix, "/größe/: blocked 2, blocked 2, blocked 2, blocked 2\n/private/: allowed, allowed, allowed, allowed")
			b.untilIs(seenText, "User-agent: *\nDisallow: /größe/\n")
			if !l.noJS {
				b.until(`!document.querySelector("button[formenctype]").checkVisibility()`)
				b.click("#undo button")
				b.untilIs(seenText, ownText)
			}
		})
	}
}

// A file or a text larger than we take says so, freezes nothing, and stays.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	huge := strings.Repeat("Disallow: /"+strings.Repeat("x", 988)+"\n", 6_000)
	name := filepath.Join(t.TempDir(), "huge.txt")
	if err := os.WriteFile(name, []byte(strings.Repeat(huge, 4)), 0o644); err != nil {
		t.Fatal(err)
	}
	b := open(t, look{})
	b.visit("/")
	b.expect("status of 413")
	b.do(chromedp.SetUploadFiles(chromedp.CSS("#file"), []string{name}))
	b.until(`document.querySelector("#err-robots").innerText.includes("This text is larger than 1 MiB.")`)
	b.fill("#robots", ownText)
	b.until(`document.querySelector("#err-robots").innerText === ""`)
	b.fill("#robots", huge)
	b.until(`document.querySelector("#err-robots").innerText.includes("This text is larger than 1 MiB.")`)
	b.until(seenText + fmt.Sprintf(`.length === %d`, len(huge)))
}

// The card of a short file ends with the file where no script can copy it.
func TestNoEmptyBar(t *testing.T) {
	t.Parallel()
	link := shareOf(t, ownText, "/private/")
	for _, l := range []look{{}, {noJS: true}} {
		b := open(t, l)
		b.visit(link)
		b.untilIs(`String([...document.querySelectorAll(".bar")].filter(e => e.checkVisibility() && e.innerText.trim() === "").length)`, "0")
	}
}
