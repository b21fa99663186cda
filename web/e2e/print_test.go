package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// pdfPage finds the pages of a PDF, not the list of them.
var pdfPage = regexp.MustCompile(`/Type\s*/Page\b`)

// print prints the page as a person does with the browser's own choices, on A4,
// and gives the number of sheets.
func (b *tab) print(name string) int {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	pdf, err := chromedp.Call(ctx, page.PrintToPDF, page.PrintToPDFParams{PaperWidth: 8.27, PaperHeight: 11.69, PreferCSSPageSize: new(true)})
	if err != nil {
		b.t.Fatal(err)
	}
	if *pictures != "" {
		if err := os.WriteFile(filepath.Join(*pictures, name+".pdf"), pdf.Data, 0o644); err != nil {
			b.t.Error(err)
		}
	}
	return len(pdfPage.FindAll(pdf.Data, -1))
}

// onPaper makes the page look as it does on paper, and gives what can be read.
func (b *tab) onPaper(name string) string {
	b.t.Helper()
	b.do(
		chromedp.EmulateViewport(688, 1000), // A4 without the margins, in CSS pixels
		command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"}),
	)
	b.keepPicture(name, b.picture())
	return eval[string](b, `document.body.innerText`)
}

// A result is one sheet of paper with all that it takes to understand it, and
// nothing to press; also of a file that is far longer than a sheet.
func TestPrint(t *testing.T) {
	long := "User-agent: *\nDisallow: /private/\n" + strings.Repeat("# filler\n", 15_000) + "Disallow: /shop/boots\n"
	for _, tt := range []struct {
		name string
		open func(b *tab)
		want []string
	}{
		{"example", func(b *tab) {}, []string{
			"Googlebot may not crawl /shop/boots/print: line 8",
			"Tested with a pasted robots.txt on ",
			"/shop/?color=red&sort=price",
			"Googlebot may not crawl this URL: line 8 wins.",
			"Disallow: /shop/*/print\nwins",
			"Sitemap: https://shop.example.com/sitemap.xml",
		}},
		{"share", func(b *tab) { b.openShare() }, []string{
			"Googlebot may not crawl /shop/boots/print: line 8",
			"with a pasted text",
			"Disallow: /shop/*/print\nwins",
			"/r/",
		}},
		{"long file", func(b *tab) {
			b.fill("#robots", long)
			b.fill("#url", "/shop/boots?with=a-query-that-is-much-too-long-for-a-narrow-column-of-the-table&and=more")
			b.untilIs(seenMatrix, "/shop/boots?with=a-query-that-is-much-too-long-for-a-narrow-column-of-the-table&and=more: blocked 15003, blocked 15003, blocked 15003, blocked 15003")
		}, []string{
			"a-query-that-is-much-too-long-for-a-narrow-column-of-the-table&and=more",
			"User-agent: *",
			"… 14,997 lines",
			"15003",
			"Disallow: /shop/boots\nwins",
		}},
		{"long share", func(b *tab) {
			b.fill("#robots", long)
			b.fill("#url", "/shop/boots")
			b.untilIs(seenMatrix, "/shop/boots: blocked 15003, blocked 15003, blocked 15003, blocked 15003")
			b.openShare()
		}, []string{"… 14,997 lines", "Disallow: /shop/boots\nwins"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := open(t, look{dark: true})
			b.visit("/")
			b.untilIs(seenMatrix, exampleMatrix)
			tt.open(b)
			if got := b.print("print-" + strings.ReplaceAll(tt.name, " ", "-")); got != 1 {
				t.Errorf("got %d sheets; want one", got)
			}
			text := b.onPaper("print " + tt.name)
			for _, want := range tt.want {
				if !strings.Contains(strings.Join(strings.Fields(text), " "), strings.Join(strings.Fields(want), " ")) {
					t.Errorf("the paper does not say %q but\n%s", want, text)
				}
			}
			for _, button := range []string{"Copy", "Download", "Fetch", "another", "your own text"} {
				if strings.Contains(text, button) {
					t.Errorf("the paper says %q", button)
				}
			}
			if got := eval[string](b, `getComputedStyle(document.body).backgroundColor`); got != "rgb(255, 255, 255)" {
				t.Errorf("the paper is %s", got)
			}
			if got := eval[string](b, `[...document.querySelectorAll("main *")].filter(e => e.checkVisibility() && !e.matches(".sr") && e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX !== "visible").map(e => e.outerHTML.slice(0, 100)).join("\n")`); got != "" {
				t.Errorf("cut on paper: %s", got)
			}
		})
	}
}

// openShare shares what the page shows, and opens the link.
func (b *tab) openShare() {
	b.t.Helper()
	b.click("#share")
	b.until(`document.querySelector("#shared-url")`)
	link := eval[string](b, `document.querySelector("#shared-url").value`)
	b.visit(link)
	b.until(fmt.Sprintf(`location.href === %s && document.querySelector("#matrix")`, quote(link)))
}
