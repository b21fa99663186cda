package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// openFile chooses a file of these bytes, as the dialog of a browser does.
func (b *tab) openFile(bytes string) {
	b.t.Helper()
	codes := strings.Trim(strings.ReplaceAll(fmt.Sprint([]byte(bytes)), " ", ","), "[]")
	eval[any](b, fmt.Sprintf(`{
		const files = new DataTransfer(), field = document.querySelector("#file");
		files.items.add(new File([new Uint8Array([%s])], "robots.txt"));
		field.files = files.files;
		field.dispatchEvent(new Event("change", {bubbles: true}));
	}`, codes))
}

// A whole file that is pasted, or opened, is shown where it decides, and tested
// without the example's URLs; what is typed moves nothing.
func TestPastingFile(t *testing.T) {
	long := "User-agent: *\n" + strings.Repeat("Allow: /a\n", 80) + "Disallow: /\n"
	// paste replaces all of the text as the browser does: pasting needs a
	// clipboard, of which all tests have one.
	paste := func(kind string) func(b *tab) {
		return func(b *tab) {
			eval[any](b, `{
				const text = document.querySelector("#robots");
				text.select();
				text.dispatchEvent(new InputEvent("beforeinput", {inputType: "`+kind+`", bubbles: true}));
				text.value = `+quote(long)+`;
				text.dispatchEvent(new InputEvent("input", {inputType: "`+kind+`", bubbles: true}));
			}`)
		}
	}
	for _, tt := range []struct {
		name, address string
		put           func(b *tab)
		urls, row     string
		seen          bool // the winning line
	}{
		{"pasted over the example", "/", paste("insertFromPaste"), "/", "/: blocked 82", true},
		{"opened over the example", "/", func(b *tab) { b.openFile(long) }, "/", "/: blocked 82", true},
		{"opened, and no text", "/", func(b *tab) { b.openFile(long + "#\xe9\n") }, "/", "/: blocked 82", true},
		{"URLs of a person's own", "/?url=/b", paste("insertFromPaste"), "/b", "/b: blocked 82", true},
		{"typed", "/", paste("insertText"), "/shop/boots/print\n/cart/\n/shop/?color=red&sort=price\n/", "/cart/: blocked 82", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := open(t, look{})
			b.visit(tt.address)
			b.until(seenMatrix + `.includes("/")`)
			tt.put(b)
			b.until(seenMatrix + `.includes(` + quote(tt.row) + `)`)
			b.untilIs(`document.querySelector("#url").value`, tt.urls)
			if tt.seen {
				b.until(inEditor(82))
			} else if eval[bool](b, inEditor(82)) {
				t.Error("line 82 came into view")
			}
		})
	}
}

// What is tested of a file that is opened is its bytes, not what they look like.
func TestOpeningFile(t *testing.T) {
	utf16 := "\xff\xfe"
	for _, c := range []byte("User-agent: *\nDisallow: /a\n") {
		utf16 += string([]byte{c, 0})
	}
	for _, tt := range []struct {
		name, file, url string
		text            string // in the editor; "" for any
		row, fact       string // parts of what the page says
	}{
		{"plain", "User-agent: *\r\nDisallow: /é\r\n", "/é", "User-agent: *\nDisallow: /é\n", "/é: blocked 2", ""},
		{"empty", "", "/a", "", "/a: allowed", ""},
		{"byte order mark", "\xef\xbb\xbfUser-agent: *\nDisallow: /a\n", "/a", "\ufeffUser-agent: *\nDisallow: /a\n", "/a: blocked 2", "byte order mark"},
		{"Latin-1", "User-agent: *\nDisallow: /caf\xe9\n", "/caf%E9", "User-agent: *\nDisallow: /caf\ufffd\n", "/caf%E9: blocked 2", "holds bytes that are not UTF-8"},
		{"NUL", "User-agent: *\nDisallow: /a\x00b\n", "/a%00b", "User-agent: *\nDisallow: /a\ufffdb\n", "/a%00b: ", "holds a zero byte"},
		{"UTF-16", utf16, "/a", "", "/a: allowed", "UTF-16"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := open(t, look{})
			b.visit("/?crawler=Googlebot&url=" + strings.NewReplacer("%", "%25", "é", "%C3%A9").Replace(tt.url))
			b.until(seenMatrix + `.includes("/")`)
			b.openFile(tt.file)
			if tt.text != "" {
				b.untilIs(`document.querySelector("#robots").value`, tt.text)
			}
			b.until(seenMatrix + `.includes(` + quote(tt.row) + `)`)
			b.until(`document.querySelector("#facts").innerText.includes(` + quote(tt.fact) + `)`)
			b.untilIs(`location.pathname`, "/")
		})
	}
}
