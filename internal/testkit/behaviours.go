package testkit

import (
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"unicode/utf16"
)

// A Behaviour is one way in which a site answers for /robots.txt.
type Behaviour struct {
	Name   string // fit for the first label of a host name
	Does   string // what, for a person who tries it
	Kind   string // the outcome of a fetch, in the words of the JSON report
	Handle http.HandlerFunc
}

// Rules is the file of behaviours that serve one.
const Rules = "User-agent: *\nDisallow: /cart/\n"

// Behaviours lists the ways in which a site can answer over HTTP/1.1. What happens before an answer needs no site: a
// name that ends in .invalid is not found, a port where nobody listens refuses, and https to one of these fails.
func Behaviours() []Behaviour {
	rules := File(Rules)
	long := strings.Repeat(Rules, 100)
	status := func(code int, kind string) Behaviour {
		return Behaviour{fmt.Sprint("status-", code), fmt.Sprintf("answers %d", code), kind, Status(code)}
	}
	return []Behaviour{
		{"file", "serves a file as it should be", "ok", rules},
		status(204, "ok"),
		{"status-206", "answers 206, a part that nobody asked for", "ok", Raw("HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-4/9\r\nContent-Length: 5\r\n\r\n# one")},
		status(304, "server-error"),
		status(401, "client-error"), status(403, "client-error"), status(404, "client-error"), status(410, "client-error"),
		status(429, "too-many-requests"), status(500, "server-error"), status(503, "server-error"),
		{"status-600", "answers 600, which is no status", "server-error", Raw("HTTP/1.1 600 Odd\r\nContent-Length: 0\r\n\r\n")},
		{"status-60", "answers a status of two digits", "broken", Raw("HTTP/1.1 60 Odd\r\nContent-Length: 0\r\n\r\n")},
		{"hints", "answers 100, 102 and 103 first", "ok", Raw("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n# ok")},
		{"hints-endless", "answers 103 for ever", "broken", Endless("", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")},
		{"switch", "answers 101 unasked", "server-error", Raw("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n")},

		{"redirects-5", "serves the file behind five redirects", "ok", RedirectChain(5, rules)},
		{"redirects-6", "serves the file behind six redirects", "redirect-limit", RedirectChain(6, rules)},
		{"redirects-endless", "redirects for ever", "redirect-limit", RedirectChain(-1, nil)},
		{"redirect-loop", "redirects to itself", "redirect-loop", Redirect(301, "/robots.txt")},
		{"redirect-nowhere", "redirects without an address", "bad-redirect", Redirect(302, "")},
		{"redirect-ftp", "redirects to ftp", "bad-redirect", Redirect(302, "ftp://files.example/robots.txt")},
		{"redirect-two", "redirects to two addresses at once", "bad-redirect", Header("Location", "/1", Header("Location", "/2", Redirect(302, "")))},
		{"redirect-twice", "names the address of its redirect twice", "ok", onlyFirst(Header("Location", "/1", Header("Location", "/1", Redirect(302, ""))))},
		{"redirect-user", "redirects to an address with a password", "bad-redirect", Redirect(302, "http://me:secret@example.com/")},
		{"redirect-odd", "redirects to an address with blanks, letters that are not ASCII, and dots", "ok", onlyFirst(Redirect(302, " ./a/../ö b?ö b#x "))},
		{"redirect-long", "redirects to an address of 9 KiB", "bad-redirect", Redirect(302, "/"+strings.Repeat("a", 9<<10))},
		{"redirect-private", "redirects to a private address", "refused", Redirect(302, "http://10.0.0.1/robots.txt")},
		{"redirect-metadata", "redirects to where clouds keep the secrets of a machine", "refused", Redirect(302, "http://169.254.169.254/latest/meta-data/")},
		{"redirect-odd-private", "redirects to a private address in an odd spelling", "refused", Redirect(302, "http://0x0a.0.0.1/")},
		{"redirect-port", "redirects to a port of another service", "refused", Redirect(302, "http://10.0.0.1:6379/")},

		{"gzip", "compresses by gzip", "ok", Compressed("gzip", Rules)},
		{"x-gzip", "compresses by gzip under its old name", "ok", Compressed("x-gzip", Rules)},
		{"deflate", "compresses by deflate", "ok", Compressed("deflate", Rules)},
		{"deflate-raw", "compresses by deflate without the header of zlib", "ok", RawDeflate(Rules)},
		{"br", "compresses by brotli", "ok", Compressed("br", Rules)},
		{"zstd", "compresses by zstd", "ok", Compressed("zstd", Rules)},
		{"gzip-twice", "compresses twice", "ok", Compressed("gzip, gzip", Rules)},
		{"stacked", "compresses by three encodings in turn", "ok", Compressed("deflate, br, zstd", Rules)},
		{"stacked-4", "compresses by four encodings in turn", "broken", Compressed("gzip, deflate, br, zstd", Rules)},
		{"gzip-empty", "says gzip and sends nothing", "ok", Encoded("gzip", "")},
		{"gzip-none", "says gzip and sends plain text", "broken", Encoded("gzip", Rules)},
		{"gzip-trailing", "sends garbage behind a gzip body", "ok", Encoded("gzip", compress("gzip", Rules)+"\x00\x00garbage")},
		{"gzip-members", "sends two gzip bodies in one", "ok", Encoded("gzip", compress("gzip", "User-agent: *\n")+compress("gzip", "Disallow: /cart/\n"))},
		{"gzip-spoilt", "sends a gzip body with a byte changed", "broken", Spoilt("gzip", long)},
		{"gzip-cut", "sends half a gzip body", "broken", Cut("gzip", long)},
		{"deflate-spoilt", "sends a deflate body with a byte changed", "broken", Spoilt("deflate", long)},
		{"deflate-cut", "sends half a deflate body", "broken", Cut("deflate", long)},
		{"br-spoilt", "sends garbage in place of brotli", "broken", Encoded("br", "\xff\xff\xff\xff"+Rules)},
		{"br-cut", "sends half a brotli body", "broken", Cut("br", long)},
		{"zstd-spoilt", "sends a zstd body with a byte changed", "broken", Spoilt("zstd", long)},
		{"zstd-cut", "sends half a zstd body", "broken", Cut("zstd", long)},
		{"zstd-window", "asks for 16 MiB of memory to read a line", "broken", WideWindow(Rules)},
		{"gzip-bomb", "sends 4 MiB of zero bytes as a small gzip body", "ok", Bomb("gzip", 4<<20)},
		{"deflate-bomb", "sends 4 MiB of zero bytes as a small deflate body", "ok", Bomb("deflate", 4<<20)},
		{"br-bomb", "sends 4 MiB of zero bytes as a small brotli body", "ok", Bomb("br", 4<<20)},
		{"zstd-bomb", "sends 4 MiB of zero bytes as a small zstd body", "ok", Bomb("zstd", 4<<20)},
		{"bomb-in-bomb", "sends a bomb in a bomb", "ok", Bomb("gzip, gzip", 4<<20)},
		{"gzip-nothing", "sends gzip for ever, without content", "broken", EmptyBlocks("gzip")},
		{"deflate-nothing", "sends deflate for ever, without content", "broken", EmptyBlocks("deflate")},
		{"br-nothing", "sends brotli for ever, without content", "broken", EmptyBlocks("br")},
		{"zstd-nothing", "sends zstd for ever, without content", "broken", EmptyBlocks("zstd")},
		{"encoding-charset", "names a charset as content encoding", "ok", Encoded("utf-8", Rules)},
		{"encoding-unknown", "compresses by what nobody knows", "broken", Encoded("pack200", "\x00\x01\x02\xff")},

		{"mark", "starts the file with a byte order mark", "ok", File("\ufeff" + Rules)},
		{"utf-16", "serves UTF-16, little endian, with a mark", "ok", Typed("text/plain; charset=utf-16", utf16Text(binary.LittleEndian, "\ufeff"+Rules))},
		{"utf-16be", "serves UTF-16, big endian, without a mark", "ok", Typed("text/plain", utf16Text(binary.BigEndian, Rules))},
		{"latin-1", "serves Latin-1", "ok", Typed("text/plain; charset=iso-8859-1", Rules+"Disallow: /caf\xe9\n")},
		{"zero", "serves a zero byte in a line", "ok", File(Rules + "Disallow: /a\x00b\n")},
		{"html", "serves a web page", "ok", Typed("text/html; charset=utf-8", "<!DOCTYPE html><title>Shop</title>\n<p>Welcome</p>\n")},
		{"html-as-text", "serves a web page and calls it plain text", "ok", Typed("text/plain", "<!DOCTYPE html><title>Shop</title>\n")},
		{"text-as-html", "serves rules and calls them a web page", "ok", Typed("text/html", Rules)},
		{"no-charset", "names no charset", "ok", Typed("text/plain", Rules)},
		{"no-type", "names no type", "ok", Untyped(Rules)},
		{"odd-type", "names a type that cannot be read", "ok", Typed("text; /plain;;", Rules)},
		{"two-types", "names two types", "ok", Header("Content-Type", "text/html", Header("Content-Type", "text/plain", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, Rules) }))},

		{"cache-two", "names two times for which its answer may be kept", "ok", Header("Cache-Control", "max-age=60", Header("Cache-Control", "max-age=3600", rules))},
		{"header-huge", "sends a header of 70 KiB", "broken", HugeHeader(70 << 10)},
		{"header-endless", "sends header lines for ever", "broken", Endless("HTTP/1.1 200 OK\r\n", "X-More: x\r\n")},
		{"header-line-endless", "sends a header line without an end", "broken", Endless("HTTP/1.1 200 OK\r\nX-More: ", "x")},
		{"header-slow", "never answers", "timeout", SlowHeader()},
		{"header-drip", "sends its header byte by byte", "timeout", DripHeader()},
		{"header-cut", "hangs up in its header", "broken", Raw("HTTP/1.1 200 OK\r\nContent-Ty")},
		{"header-bad", "sends a header line that is none", "broken", Raw("HTTP/1.1 200 OK\r\nno colon\r\n\r\n")},

		{"body-slow", "stops in its body", "timeout", SlowBody(Rules)},
		{"body-drip", "sends its body byte by byte", "timeout", DripBody()},
		{"body-endless", "sends lines for ever", "ok", EndlessBody("Disallow: /a\n")},
		{"length-more", "announces more bytes than it sends", "broken", Short(Rules)},
		{"length-less", "sends more bytes than it announces", "ok", Long(Rules)},
		{"length-two", "announces two lengths", "broken", Raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n#ok")},
		{"length-bad", "announces a length that is none", "broken", Raw("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n# ok")},
		{"chunks", "sends chunks and a trailer", "ok", Chunks("4\r\n# ok\r\n0\r\nX-Trailer: x\r\n\r\n")},
		{"chunk-bad", "sends a chunk whose length is none", "broken", Chunks("zz\r\n# ok\r\n0\r\n\r\n")},
		{"chunk-short", "sends a chunk that is longer than it says", "broken", Chunks("2\r\n# ok\r\n0\r\n\r\n")},
		{"chunks-cut", "hangs up between chunks", "broken", Chunks("4\r\n# ok\r\n")},
		{"chunk-padding", "sends chunks of one byte with kilobytes around them, for ever", "broken", Endless("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1;"+strings.Repeat("x", 2<<10)+"\r\n#\r\n")},
		{"trailer-endless", "sends a trailer for ever", "broken", Endless("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n# ok\r\n0\r\n", "X-More: x\r\n")},

		{"reset", "tears the connection down", "broken", Reset()},
		{"nothing", "hangs up without an answer", "broken", Raw("")},
		{"http-09", "sends the text alone, as HTTP/0.9 did", "broken", Raw(Rules)},
		{"http-10", "answers in HTTP/1.0", "ok", Raw("HTTP/1.0 200 OK\r\n\r\n" + Rules)},
		{"not-http", "speaks another protocol", "broken", Raw("SSH-2.0-OpenSSH_9.2\r\n")},

		{"cloudflare", "asks for proof of a browser, as Cloudflare does", "challenge", CloudflareChallenge()},
		{"aws", "asks for proof of a browser, as AWS does", "challenge", AWSChallenge()},
	}
}

// ByHost answers as the behaviour that the first label of the host names: gzip-bomb.localhost. Any other host gets the
// list.
func ByHost() http.HandlerFunc {
	all := Behaviours()
	return func(w http.ResponseWriter, r *http.Request) {
		label, _, _ := strings.Cut(r.Host, ".")
		if i := slices.IndexFunc(all, func(b Behaviour) bool { return b.Name == label }); i >= 0 {
			all[i].Handle(w, r)
			return
		}
		_, port, _ := strings.Cut(r.Host, ":")
		for _, b := range all {
			fmt.Fprintf(w, "http://%s.localhost:%s\t%s\t%s\n", b.Name, port, b.Kind, b.Does)
		}
	}
}

// onlyFirst answers the request for /robots.txt with h and every other with the file.
func onlyFirst(h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			h(w, r)
			return
		}
		File(Rules)(w, r)
	}
}

func utf16Text(order binary.AppendByteOrder, s string) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		b = order.AppendUint16(b, u)
	}
	return string(b)
}
