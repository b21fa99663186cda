package tester

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/whichrule/whichrule/internal/fetch"
)

// seen is what a test of readURL looks at. Where the URL's own file is to be
// found is left out when that is the site's.
type seen struct {
	Matched string
	Path    string
	Other   string // origin of the URL when another file decides
	Error   string
}

func see(r Row, site *fetch.Origin) seen {
	s := seen{Matched: r.Matched, Path: r.Path, Error: r.Error}
	if r.Origin != nil && (site == nil || *r.Origin != *site) {
		s.Other = r.Origin.String()
	}
	if r.Covered != (s.Other == "" && s.Error == "") {
		s.Error += " covered is wrong"
	}
	return s
}

const shop = "https://shop.example.com"

func TestReadURLWithSite(t *testing.T) {
	on := func(path string) seen { return seen{Matched: shop + path, Path: path} }
	off := func(origin, path string) seen { return seen{Matched: origin + path, Path: path, Other: origin} }
	bad := func(kind string) seen { return seen{Error: kind} }
	for _, tt := range []struct {
		name, in string
		want     seen
	}{
		{"a path", "/cart/", on("/cart/")},
		{"a path without its slash", "cart/", on("/cart/")},
		{"a query alone", "?sort=price", on("/?sort=price")},
		{"parameters alone", ";v=1", on("/;v=1")},
		{"a fragment alone", "#top", on("/")},
		{"absolute", shop + "/cart/", on("/cart/")},
		{"absolute without a path", shop, on("/")},
		{"absolute with a query behind the host", shop + "?a=b", on("/?a=b")},
		{"absolute with a fragment behind the host", shop + "#x", on("/")},

		{"the host without a scheme", "shop.example.com/cart/", on("/cart/")},
		{"the host alone", "shop.example.com", on("/")},
		{"the host and a query", "shop.example.com?a", on("/?a")},
		{"the host in other case", "SHOP.Example.COM/Cart", on("/Cart")},
		{"the host with a dot at its end", "shop.example.com./cart/", on("/cart/")},
		{"the host with www", "www.shop.example.com/cart/", off("https://www.shop.example.com", "/cart/")},
		{"another host without a scheme is a path", "other.example.com/cart/", on("/other.example.com/cart/")},
		{"a subdomain without a scheme is a path", "m.shop.example.com/", on("/m.shop.example.com/")},
		{"a first segment that only begins like the host", "shop.example.common/x", on("/shop.example.common/x")},
		{"the host and a name before it", "me@shop.example.com/x", on("/me@shop.example.com/x")},

		{"host and the default port", "shop.example.com:443/x", on("/x")},
		{"host and another port", "shop.example.com:8443/x", off("https://shop.example.com:8443", "/x")},
		{"absolute, default port", "https://shop.example.com:443/x", on("/x")},
		{"absolute, empty port", "https://shop.example.com:/x", on("/x")},
		{"absolute, port with zeros", "https://shop.example.com:00443/x", on("/x")},
		{"absolute, another port", "https://shop.example.com:8443/x", off("https://shop.example.com:8443", "/x")},
		{"absolute, port out of range", "https://shop.example.com:65536/x", bad("port")},
		{"absolute, port 0", "https://shop.example.com:0/x", bad("port")},
		{"absolute, port of letters", "https://shop.example.com:http/x", bad("port")},

		{"RFC 9309 §2.3: another scheme", "http://shop.example.com/x", off("http://shop.example.com", "/x")},
		{"RFC 9309 §2.3: another host", "https://other.example.com/x", off("https://other.example.com", "/x")},
		{"the scheme in other case", "HTTPS://shop.example.com/x", on("/x")},
		{"the scheme and the host in other case", "Http://SHOP.example.com/X", off("http://shop.example.com", "/X")},
		{"as a link on a page: //host", "//shop.example.com/x", on("/x")},
		{"as a link on a page: another //host", "//cdn.example.net/x", off("https://cdn.example.net", "/x")},
		{"// and nothing", "//", bad("host")},
		{"URL Standard: more slashes change nothing", "///x", off("https://x", "/")},

		{"URL Standard: backslashes for slashes", `https:\\shop.example.com\cart\x?a\b`, on(`/cart/x?a\b`)},
		{"URL Standard: a backslash as the first slash", `\cart\x`, on("/cart/x")},
		{"URL Standard: \\\\host", `\\cdn.example.net\x`, off("https://cdn.example.net", "/x")},
		{"URL Standard: /\\host", `/\cdn.example.net/x`, off("https://cdn.example.net", "/x")},
		{"URL Standard: \\/host", `\/cdn.example.net/x`, off("https://cdn.example.net", "/x")},
		{"one slash behind the scheme", "https:/shop.example.com/x", bad("host")},
		{"no slash behind the scheme", "https:shop.example.com/x", bad("host")},
		{"a scheme and nothing", "https://", bad("host")},

		{"javascript:", "javascript:alert(1)", bad("scheme")},
		{"javascript: in other case", "JavaScript:alert(1)", bad("scheme")},
		{"mailto:", "mailto:me@shop.example.com", bad("scheme")},
		{"tel:", "tel:+491234", bad("scheme")},
		{"data:", "data:text/plain,x", bad("scheme")},
		{"ftp://", "ftp://shop.example.com/x", bad("scheme")},
		{"file://", "file:///etc/passwd", bad("scheme")},
		{"wss://", "wss://shop.example.com/x", bad("scheme")},
		{"a colon behind the first segment is no scheme", "/a:b", on("/a:b")},
		{"a URL inside a path is no scheme", "/go/https://x.example", on("/go/https://x.example")},
		{"a scheme starts with a letter", "1a:b", on("/1a:b")},

		{"IDN, absolute", "https://bücher.example/x", off("https://xn--bcher-kva.example", "/x")},
		{"a blank inside the host", "https://shop example.com/x", bad("host")},
		{"two dots in the host", "https://shop..example.com/x", bad("host")},
		{"markup for a host", "https://<b>/x", bad("host")},
		{"a user name", "https://me@shop.example.com/x", bad("userinfo")},
		{"a user name and a password", "https://me:secret@shop.example.com/x", bad("userinfo")},
		{"@ in the path is no user name", "https://shop.example.com/@me", on("/@me")},
		{"an IPv4 address", "https://192.0.2.1/x", off("https://192.0.2.1", "/x")},
		{"an IPv6 address", "https://[2001:db8::1]:8080/x", off("https://[2001:db8::1]:8080", "/x")},

		{"ENGINE C1: a blank inside is escaped", "/a b", on("/a%20b")},
		{"ENGINE C1: UTF-8", "/✓.html", on("/%E2%9C%93.html")},
		{"ENGINE C1: escapes in upper case", "/%E2%9C%93.html", on("/%E2%9C%93.html")},
		{"ENGINE C1: escapes in lower case", "/%e2%9c%93.html", on("/%E2%9C%93.html")},
		{"ENGINE C1: nothing is decoded", "/%7Euser/%61", on("/%7Euser/%61")},
		{"ENGINE C1: %2f is no slash", "/a%2fb", on("/a%2Fb")},
		{"ENGINE C1: a lone %", "/100%", on("/100%")},
		{"ENGINE C1: dot segments", "/a/./b/../c", on("/a/c")},
		{"ENGINE C1: escaped dot segments", "/a/%2e%2E/c", on("/c")},
		{"ENGINE C1: above the root", "/../../x", on("/x")},
		{"ENGINE C1: dots in the query stay", "/a?b=../c", on("/a?b=../c")},
		{"ENGINE C1: an empty segment stays", shop + "//x", on("//x")},
		{"ENGINE C1: the fragment is dropped", "/a#b?c", on("/a")},
		{"ENGINE C1: an empty query stays", "/a?", on("/a?")},
		{"ENGINE C1: quotes and brackets stay", `/"<>^{|}` + "`", on(`/"<>^{|}` + "`")},
		{"ENGINE C1: a tab inside is dropped", "/a\tb", on("/ab")},
		{"a byte that is no UTF-8", "/caf\xe9", on("/caf%E9")},
		{"a NUL", "/a\x00b", on("/a%00b")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			site := originOf(shop)
			row := readURL(tt.in, &site)
			if diff := cmp.Diff(tt.want, see(row, &site)); diff != "" {
				t.Errorf("readURL(%q) (-want +got):\n%s", tt.in, diff)
			}
			if row.URL != strings.ToValidUTF8(tt.in, "\ufffd") {
				t.Errorf("got typed %q; want %q", row.URL, tt.in)
			}
		})
	}
}

// Without a site every URL with a path is tested against the text.
func TestReadURLWithoutSite(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     seen
	}{
		{"a path", "/cart/", seen{Matched: "/cart/", Path: "/cart/"}},
		{"a path without its slash", "cart/", seen{Matched: "/cart/", Path: "/cart/"}},
		{"absolute", "https://shop.example.com/cart/", seen{Matched: "/cart/", Path: "/cart/"}},
		{"absolute, any host, port and scheme", "http://other.example.com:8080/x", seen{Matched: "/x", Path: "/x"}},
		{"//host", "//cdn.example.net/x", seen{Matched: "/x", Path: "/x"}},
		{"a host without a scheme", "shop.example.com/cart/", seen{Matched: "/cart/", Path: "/cart/"}},
		{"a host alone", "example.com", seen{Matched: "/", Path: "/"}},
		{"a host and a query", "www.example.co.uk?x", seen{Matched: "/?x", Path: "/?x"}},
		{"a host and a port", "shop.example.com:8080/cart/", seen{Matched: "/cart/", Path: "/cart/"}},
		{"a host of one word and a port", "intranet:80/cart/", seen{Matched: "/cart/", Path: "/cart/"}},
		{"localhost and a port", "localhost:8080", seen{Matched: "/", Path: "/"}},
		{"localhost", "localhost/cart/", seen{Matched: "/cart/", Path: "/cart/"}},
		{"an address", "127.0.0.1/cart/", seen{Matched: "/cart/", Path: "/cart/"}},
		{"an IPv6 address and a port", "[::1]:8080/cart/", seen{Matched: "/cart/", Path: "/cart/"}},
		{"a host inside a network", "shop.internal/cart/", seen{Matched: "/cart/", Path: "/cart/"}},
		{"a folder that is a number", "2024/cart/", seen{Matched: "/2024/cart/", Path: "/2024/cart/"}},
		{"a folder that is called test", "test/cart/", seen{Matched: "/test/cart/", Path: "/test/cart/"}},
		{"a telephone number", "tel:1", seen{Error: "scheme"}},
		{"a host whose ending is a file's too", "example.md/cart/", seen{Matched: "/cart/", Path: "/cart/"}},
		{"a file whose ending is a domain's too", "readme.md", seen{Matched: "/readme.md", Path: "/readme.md"}},
		{"a file", "index.html", seen{Matched: "/index.html", Path: "/index.html"}},
		{"a folder with a dot", "v1.2/x", seen{Matched: "/v1.2/x", Path: "/v1.2/x"}},
		{"a file in a folder", "docs/example.com", seen{Matched: "/docs/example.com", Path: "/docs/example.com"}},
		{"javascript:", "javascript:alert(1)", seen{Error: "scheme"}},
		{"file:", "file:///etc/passwd", seen{Error: "scheme"}},
		{"no host", "https:///", seen{Error: "host"}},
		{"userinfo", "https://me@shop.example.com/", seen{Error: "userinfo"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, see(readURL(tt.in, nil), nil)); diff != "" {
				t.Errorf("readURL(%q) (-want +got):\n%s", tt.in, diff)
			}
		})
	}
}

// A first segment is read as a host only when it is the site's.
func TestReadURLNamesSite(t *testing.T) {
	for _, tt := range []struct {
		name, site, in string
		want           string // matched
		covered        bool
	}{
		{"www typed for a site without", "https://example.com", "www.example.com/x", "https://www.example.com/x", false},
		{"no www typed for a site with", "https://www.example.com", "example.com/x", "https://example.com/x", false},
		{"www for www", "https://www.example.com", "www.example.com/x", "https://www.example.com/x", true},
		{"the site's scheme is used", "http://example.com", "example.com/x", "http://example.com/x", true},
		{"the site's port is not", "http://example.com:8080", "example.com/x", "http://example.com/x", false},
		{"with the site's port", "http://example.com:8080", "example.com:8080/x", "http://example.com:8080/x", true},
		{"IDN typed for its ASCII form", "https://xn--bcher-kva.example", "BÜCHER.example/x", "https://xn--bcher-kva.example/x", true},
		{"a host of one label", "http://localhost", "localhost/x", "http://localhost/x", true},
		{"a port in front of a colon", "http://localhost:8080", "localhost:8080/x", "http://localhost:8080/x", true},
		{"an IPv4 address", "http://192.0.2.1", "192.0.2.1/x", "http://192.0.2.1/x", true},
		{"an IPv6 address", "http://[2001:db8::1]", "[2001:db8::1]/x", "http://[2001:db8::1]/x", true},
		{"another IPv4 address is a path", "http://192.0.2.1", "192.0.2.2/x", "http://192.0.2.1/192.0.2.2/x", true},
		{"//host takes the site's scheme", "http://example.com", "//example.com/x", "http://example.com/x", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			site := originOf(tt.site)
			row := readURL(tt.in, &site)
			if row.Matched != tt.want || row.Covered != tt.covered {
				t.Errorf("readURL(%q) for %s: got %q, covered %t; want %q, covered %t", tt.in, tt.site, row.Matched, row.Covered, tt.want, tt.covered)
			}
		})
	}
}

// The longest URL that is taken is taken in every form.
func TestReadURLLong(t *testing.T) {
	site := originOf(shop)
	for _, head := range []string{"/", shop + "/", "//shop.example.com/", "shop.example.com/"} {
		in := head + strings.Repeat("x", MaxURL-len(head))
		if row := readURL(in, &site); row.Error != "" || !row.Covered {
			t.Errorf("%s and x, %d bytes in all: got error %q, covered %t; want it tested", head, len(in), row.Error, row.Covered)
		}
	}
}
