package fetch

import (
	"bytes"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"
)

// lookPeek is how far into a text [LookAt] looks for zero bytes in every other place: a thousand characters settle it.
const lookPeek = 2 << 10

// A Look is what a text is, told by its bytes and by the type that came with it. Nothing of it changes the text:
// crawlers get the same bytes.
type Look struct {
	Type    string // media type as named, in lower case; "" when none was, or it cannot be read
	Charset string // charset as named, in lower case; "" when none was
	Mark    bool   // starts with the byte order mark of UTF-8, which crawlers skip
	UTF16   bool   // is UTF-16, by its mark or by zero bytes in every other place: not one line of it can be read
	HTML    bool   // starts as a web page does (MIME Sniffing Standard §7.1), whatever its type
	NUL     int    // number of the first line with a zero byte, 0: none
	Invalid int    // number of the first line with bytes that are no UTF-8, 0: none
}

// LookAt looks at a text and the Content-Type that it came with, "" for none.
func LookAt(contentType string, body []byte) Look {
	var l Look
	l.Type, l.Charset = mediaType(contentType)
	body, l.Mark = bytes.CutPrefix(body, []byte("\ufeff"))
	l.HTML = strings.HasPrefix(http.DetectContentType(body), "text/html")
	l.UTF16 = isUTF16(body)
	l.NUL = lineAt(body, bytes.IndexByte(body, 0))
	l.Invalid = lineAt(body, invalidAt(body))
	return l
}

// mediaType reads a Content-Type. Of several the last that can be read counts, as in browsers (Fetch Standard §3.6).
func mediaType(contentType string) (name, charset string) {
	for value := range strings.SplitSeq(contentType, ",") {
		if t, params, err := mime.ParseMediaType(value); err == nil && strings.Contains(t, "/") {
			name, charset = t, strings.ToLower(params["charset"])
		}
	}
	return name, charset
}

// isUTF16 says whether a text is UTF-16: most of robots.txt is ASCII, of which every other byte is zero then.
func isUTF16(body []byte) bool {
	if bytes.HasPrefix(body, []byte("\xff\xfe")) || bytes.HasPrefix(body, []byte("\xfe\xff")) {
		return true
	}
	var zeros [2]int
	peek := body[:min(len(body), lookPeek)]
	for i, c := range peek {
		if c == 0 {
			zeros[i%2]++
		}
	}
	most, least := max(zeros[0], zeros[1]), min(zeros[0], zeros[1])
	return most > len(peek)/4 && least == 0
}

// invalidAt gives the offset of the first byte that is no UTF-8, or -1.
func invalidAt(body []byte) int {
	if utf8.Valid(body) {
		return -1
	}
	for i := 0; i < len(body); {
		r, n := utf8.DecodeRune(body[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// lineAt gives the number of the line at an offset, 0 for -1. Lines end in LF, CR or both.
func lineAt(body []byte, offset int) int {
	if offset < 0 {
		return 0
	}
	before := body[:offset]
	return 1 + bytes.Count(before, []byte("\n")) + bytes.Count(before, []byte("\r")) - bytes.Count(before, []byte("\r\n"))
}
