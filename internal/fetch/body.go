package fetch

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
)

const (
	// BodyLimit bounds the body kept, in bytes after content decoding: twice the 500 KiB that crawlers read, so that
	// the page can show where they stop.
	BodyLimit = 1 << 20

	// wireLimit bounds a compressed body as sent. Text never grows by compression, so beyond this there is nothing but
	// padding meant to keep us reading.
	wireLimit = BodyLimit + 64<<10

	// challengePeek is how far into an error page we look for the title of a challenge: titles stand in the first
	// hundreds of bytes.
	challengePeek = 16 << 10
)

// readBody reads at most limit bytes of an answer, decoded, and says whether there were more.
func readBody(resp *http.Response, limit int) (body []byte, more bool, err error) {
	var r io.Reader = resp.Body
	switch encoding := strings.ToLower(strings.TrimSpace(contentEncoding(resp.Header))); encoding {
	case "", "identity":
	case "gzip", "x-gzip": // the same, RFC 9110 §8.4.1.3
		z, err := gzip.NewReader(io.LimitReader(r, wireLimit))
		if errors.Is(err, io.EOF) {
			return nil, false, nil // an empty body, which servers label like a full one
		}
		if err != nil {
			return nil, false, fmt.Errorf("read gzip: %w", err)
		}
		r = z
	default:
		return nil, false, fmt.Errorf("read body: unknown content encoding %q", bound(encoding))
	}
	body, err = io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if len(body) > limit {
		return body[:limit], true, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("read body: %w", err)
	}
	return body, false, nil
}

func contentEncoding(h http.Header) string { return strings.Join(h.Values("Content-Encoding"), ", ") }

// isChallenge recognises the page of a firewall that asks a browser to prove itself, in place of the answer of the
// site. It knows only what the makers document, and one title, so that a page of the site itself is never taken for
// one. body may be empty.
//
//   - Cloudflare: "cf-mitigated: challenge" on every challenge page,
//     https://developers.cloudflare.com/cloudflare-challenges/challenge-types/challenge-pages/detect-response/
//   - Cloudflare without that header: its server name and the title of its waiting page.
//   - AWS WAF: "x-amzn-waf-action" with 202 (challenge) or 405 (captcha),
//     https://docs.aws.amazon.com/waf/latest/developerguide/waf-captcha-and-challenge-actions.html
func isChallenge(resp *http.Response, body []byte) bool {
	if strings.EqualFold(resp.Header.Get("Cf-Mitigated"), "challenge") {
		return true
	}
	switch strings.ToLower(resp.Header.Get("X-Amzn-Waf-Action")) {
	case "challenge", "captcha":
		return true
	}
	return mayBeChallenge(resp) && bytes.Contains(body[:min(len(body), challengePeek)], []byte("<title>Just a moment...</title>"))
}

// mayBeChallenge says whether the body of an answer is worth a look for a challenge.
func mayBeChallenge(resp *http.Response) bool {
	mediaType, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return strings.EqualFold(resp.Header.Get("Server"), "cloudflare") && mediaType == "text/html" &&
		slices.Contains([]int{200, 202, 403, 429, 503}, resp.StatusCode)
}
