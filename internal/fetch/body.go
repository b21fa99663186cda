package fetch

import (
	"bytes"
	"cmp"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

const (
	// BodyLimit bounds the body kept, in bytes after content decoding: twice the 500 KiB that crawlers read, so that
	// the page can show where they stop.
	BodyLimit = 1 << 20

	// padding is how much longer than the text looked for a compressed body may be. Text never grows by compression, so
	// beyond this there is nothing but filling meant to keep us reading.
	padding = 64 << 10

	// maxCodings bounds the content encodings of one body. Servers that compress twice by mistake send two; every one
	// more only multiplies what a small body costs.
	maxCodings = 3

	// zstdWindow bounds the memory of one zstd body: the most that a content encoding may ask for, RFC 9659 §3.
	zstdWindow = 8 << 20

	// maxDecodings bounds the bodies decoded at the same time in one Fetcher, since one may take 16 MiB, the window of
	// brotli (RFC 7932 §9.1). Each takes milliseconds, so that waiting for another is not felt.
	maxDecodings = 4

	// challengePeek is how far into an error page we look for the title of a challenge: titles stand in the first
	// hundreds of bytes.
	challengePeek = 16 << 10
)

// acceptEncoding names what decode reads, in the order that crawlers and browsers name it.
const acceptEncoding = "gzip, deflate, br, zstd"

// readBody reads at most limit bytes of an answer, decoded, and says whether there were more.
func (f *Fetcher) readBody(ctx context.Context, resp *http.Response, limit int) (body []byte, more bool, err error) {
	codings, err := codingsOf(resp.Header)
	if err != nil {
		return nil, false, fmt.Errorf("read body: %w", err)
	}
	most := limit
	if len(codings) > 0 {
		most += padding
	}
	// All of it comes before anything is decoded, so that a slow body keeps no decoder from others.
	body, err = io.ReadAll(io.LimitReader(resp.Body, int64(most)+1))
	// A server that sees us hang up may end its body in good order, and half a file look like a whole one.
	err = cmp.Or(err, ctx.Err())
	if len(codings) > 0 {
		decoded, decodeErr := f.decode(ctx, body, codings, limit)
		body, err = decoded, cmp.Or(err, decodeErr)
	}
	if len(body) > limit {
		return body[:limit], true, nil // whatever became of the rest
	}
	if err != nil {
		return nil, false, fmt.Errorf("read body: %w", err)
	}
	return body, false, nil
}

// codingsOf gives the content encodings of an answer in the order in which they were applied (RFC 9110 §8.4), in lower
// case, without those that change nothing.
func codingsOf(h http.Header) ([]string, error) {
	var codings []string
	for c := range strings.SplitSeq(contentEncoding(h), ",") {
		if c = strings.ToLower(strings.TrimSpace(c)); c != "" && c != "identity" {
			codings = append(codings, c)
		}
	}
	if len(codings) > maxCodings {
		return nil, fmt.Errorf("%d content encodings", len(codings))
	}
	return codings, nil
}

func contentEncoding(h http.Header) string { return strings.Join(h.Values("Content-Encoding"), ", ") }

// decode takes content encodings off a body, the last one first. Of a body that is longer than a text of limit bytes can
// be, it needs no more than the start. It gives one byte beyond limit to say that there are more.
func (f *Fetcher) decode(ctx context.Context, body []byte, codings []string, limit int) ([]byte, error) {
	select {
	case f.decoders <- struct{}{}:
		defer func() { <-f.decoders }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	for i, coding := range slices.Backward(codings) {
		cut := len(body) > limit+padding
		most := limit
		if i > 0 {
			most += padding
		}
		out, err := decodeOne(body, coding, most+1)
		if err == nil && cut {
			err = errors.New("goes on without a text")
		}
		if err != nil && len(out) <= most {
			return nil, fmt.Errorf("decode %s: %w", bound(coding), err)
		}
		body = out
	}
	return body, nil
}

// decodeOne takes one content encoding off and gives at most so many bytes.
func decodeOne(body []byte, coding string, most int) ([]byte, error) {
	if len(body) == 0 {
		return nil, nil // an empty body, which servers label like a full one
	}
	in := bytes.NewReader(body)
	var r io.Reader
	switch coding {
	case "gzip", "x-gzip": // the same, RFC 9110 §8.4.1.3
		return gunzip(in, most)
	case "deflate":
		r = flate.NewReader(in)
		if len(body) > 1 && body[0]&0x0f == 8 && binary.BigEndian.Uint16(body)%31 == 0 { // a header of zlib, RFC 1950 §2.2
			z, err := zlib.NewReader(in)
			if err != nil {
				return nil, err
			}
			r = z
		}
		// Else without one, against RFC 9110 §8.4.1.2 and as old servers do.
	case "br":
		r = brotli.NewReader(in)
	case "zstd":
		z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(zstdWindow), zstd.WithDecodeBuffersBelow(0))
		if err != nil {
			return nil, err
		}
		defer z.Close()
		r = z
	default:
		// A label that no one knows (a charset, "none") is mostly a wrong one: browsers take the body as it is.
		if utf8.Valid(body) && bytes.IndexByte(body, 0) < 0 {
			return body, nil
		}
		return nil, errors.New("unknown content encoding")
	}
	return io.ReadAll(io.LimitReader(r, int64(most)))
}

// gunzip reads the members of a gzip body (RFC 1952 §2.2). What follows the last and is no member is left out, as
// browsers do: servers append padding, and text by mistake.
func gunzip(in *bytes.Reader, most int) ([]byte, error) {
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, err
	}
	var out []byte
	for {
		z.Multistream(false)
		member, err := io.ReadAll(io.LimitReader(z, int64(most-len(out))))
		out = append(out, member...)
		if err != nil || len(out) == most || z.Reset(in) != nil {
			return out, err
		}
	}
}

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
	name, _ := mediaType(resp.Header.Get("Content-Type"))
	return strings.EqualFold(resp.Header.Get("Server"), "cloudflare") && name == "text/html" &&
		slices.Contains([]int{200, 202, 403, 429, 503}, resp.StatusCode)
}
