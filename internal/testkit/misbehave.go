package testkit

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// drip is how long a site that drips waits between two bytes: short enough that no gap looks like the end.
const drip = 20 * time.Millisecond

// SlowHeader takes the request and never answers.
func SlowHeader() http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
}

// DripHeader sends a header byte by byte, without an end. HTTP/1.1 only.
func DripHeader() http.HandlerFunc {
	return hijack(func(c *net.TCPConn) {
		io.WriteString(c, "HTTP/1.1 200 OK\r\nX-Drip: ")
		for {
			if _, err := io.WriteString(c, "x"); err != nil {
				return
			}
			time.Sleep(drip)
		}
	})
}

// SlowBody sends header and text, and then nothing, without ending the body.
func SlowBody(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, text)
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
}

// DripBody sends a body byte by byte, without an end.
func DripBody() http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			io.WriteString(w, "#")
			http.NewResponseController(w).Flush()
			time.Sleep(drip)
		}
	}
}

// EndlessBody repeats a line until the client hangs up.
func EndlessBody(line string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		block := strings.Repeat(line, 1+4096/len(line))
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, block); err != nil {
				return
			}
		}
	}
}

// Endless sends a start as it is and then repeats a part until the client hangs up. HTTP/1.1 only.
func Endless(start, part string) http.HandlerFunc {
	return hijack(func(c *net.TCPConn) {
		_, err := io.WriteString(c, start)
		for block := strings.Repeat(part, 1+4096/len(part)); err == nil; {
			_, err = io.WriteString(c, block)
		}
	})
}

// HugeHeader answers 200 with one header of n bytes.
func HugeHeader(n int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Huge", strings.Repeat("x", n))
	}
}

// Header adds a header to an answer, also a second one of the same name.
func Header(name, value string, h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add(name, value)
		h(w, r)
	}
}

// Untyped answers 200 with a text and no content type.
func Untyped(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Content-Type"] = nil
		io.WriteString(w, text)
	}
}

// Encoded answers 200 with a body as it is, said to be of a content encoding.
func Encoded(encoding, body string) http.HandlerFunc {
	return Header("Content-Encoding", encoding, Typed("text/plain", body))
}

// Compressed answers 200 with a text in content encodings, several separated by commas and applied in that order.
func Compressed(encoding, text string) http.HandlerFunc {
	return Encoded(encoding, compress(encoding, text))
}

// RawDeflate answers 200 with a text compressed by deflate without the header of zlib that belongs there.
func RawDeflate(text string) http.HandlerFunc {
	var b bytes.Buffer
	z, _ := flate.NewWriter(&b, flate.DefaultCompression) // fails for unknown levels only
	io.WriteString(z, text)
	z.Close()
	return Encoded("deflate", b.String())
}

// Spoilt answers as Compressed does, with a byte in the middle of the body changed.
func Spoilt(encoding, text string) http.HandlerFunc {
	z := []byte(compress(encoding, text))
	z[len(z)/2] ^= 0xff
	return Encoded(encoding, string(z))
}

// Cut answers as Compressed does and leaves out the second half of the body.
func Cut(encoding, text string) http.HandlerFunc {
	z := compress(encoding, text)
	return Encoded(encoding, z[:len(z)/2])
}

// Bomb answers 200 with a small body that is n zero bytes when it is decoded.
func Bomb(encoding string, n int) http.HandlerFunc {
	body := sync.OnceValue(func() string { return compress(encoding, string(make([]byte, n))) })
	return func(w http.ResponseWriter, r *http.Request) { Encoded(encoding, body())(w, r) }
}

// emptyBlocks are, for each content encoding, how a body starts and a part of it that holds nothing.
var emptyBlocks = map[string][2]string{
	"gzip":    {"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff", "\x00\x00\x00\xff\xff"}, // RFC 1952 §2.3; stored block, RFC 1951 §3.2.4
	"deflate": {"\x78\x9c", "\x00\x00\x00\xff\xff"},                                 // RFC 1950 §2.2
	"br":      {"\x0c", "\x06"},                                                     // metadata of no bytes, RFC 7932 §9.2
	"zstd":    {"", "\x50\x2a\x4d\x18\x00\x00\x00\x00"},                             // skippable frame, RFC 8878 §3.1.2
}

// EmptyBlocks answers 200 with a body that goes on for ever and holds nothing: gzip, deflate, br or zstd.
func EmptyBlocks(encoding string) http.HandlerFunc {
	body := emptyBlocks[encoding]
	return Header("Content-Encoding", encoding, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, body[0])
		EndlessBody(body[1])(w, r)
	})
}

// WideWindow answers 200 with a zstd body that asks for a window of 16 MiB, twice what RFC 9659 allows.
func WideWindow(text string) http.HandlerFunc {
	frame := "\x28\xb5\x2f\xfd\x00" + "\x70" // magic, no sizes, window of 2^(10+14) bytes: RFC 8878 §3.1.1
	block := uint32(len(text))<<3 | 1        // last, raw
	return Encoded("zstd", frame+string([]byte{byte(block), byte(block >> 8), byte(block >> 16)})+text)
}

// compress applies content encodings, the first one first.
func compress(encoding, text string) string {
	for c := range strings.SplitSeq(encoding, ",") {
		var (
			b bytes.Buffer
			z io.WriteCloser
		)
		switch c = strings.TrimSpace(c); c {
		case "gzip", "x-gzip":
			z = gzip.NewWriter(&b)
		case "deflate":
			z = zlib.NewWriter(&b)
		case "br":
			z = brotli.NewWriter(&b)
		case "zstd":
			z, _ = zstd.NewWriter(&b) // fails for bad options only
		default:
			panic("testkit: no content encoding " + c)
		}
		io.WriteString(z, text)
		z.Close()
		text = b.String()
	}
	return text
}

// Short announces more bytes than it sends.
func Short(text string) http.HandlerFunc {
	return Raw(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s", len(text)+1, text))
}

// Long sends more bytes than it announces.
func Long(text string) http.HandlerFunc {
	return Raw(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s# more", len(text), text))
}

// Chunks sends a body that is written as chunks, header of the answer excepted. HTTP/1.1 only.
func Chunks(chunks string) http.HandlerFunc {
	return Raw("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks)
}

// Raw sends an answer, header and all, as it is and closes the connection. HTTP/1.1 only.
func Raw(answer string) http.HandlerFunc {
	return hijack(func(c *net.TCPConn) { io.WriteString(c, answer) })
}

// Reset tears the connection down (TCP RST) after the request. HTTP/1.1 without TLS only.
func Reset() http.HandlerFunc {
	return hijack(func(c *net.TCPConn) { c.SetLinger(0) })
}

func hijack(f func(*net.TCPConn)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		defer c.Close()
		f(c.(*net.TCPConn))
	}
}

// CloudflareChallenge answers as Cloudflare does when it wants a browser to prove itself.
func CloudflareChallenge() http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Server", "cloudflare")
		w.Header().Set("Cf-Mitigated", "challenge")
		w.Header().Set("Content-Type", "text/html; charset=UTF-8")
		w.WriteHeader(http.StatusForbidden)
		io.WriteString(w, "<!DOCTYPE html><html><head><title>Just a moment...</title></head></html>")
	}
}

// AWSChallenge answers as the firewall of AWS does when it wants a browser to prove itself.
func AWSChallenge() http.HandlerFunc {
	return Header("X-Amzn-Waf-Action", "challenge", Status(http.StatusAccepted))
}
