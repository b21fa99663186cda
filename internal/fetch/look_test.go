package fetch

import (
	"encoding/binary"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
)

func utf16Bytes(order binary.AppendByteOrder, s string) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		b = order.AppendUint16(b, u)
	}
	return string(b)
}

func TestLookAt(t *testing.T) {
	tests := []struct {
		name, contentType, in string
		want                  Look
	}{
		{"as it should be", "text/plain; charset=utf-8", file, Look{Type: "text/plain", Charset: "utf-8"}},
		{"nothing", "", "", Look{}},
		{"no charset", "text/plain", file, Look{Type: "text/plain"}},
		{"another charset, in capitals", "TEXT/PLAIN; Charset=\"ISO-8859-1\"", file, Look{Type: "text/plain", Charset: "iso-8859-1"}},
		{"type that is none", "plain", file, Look{}},
		{"type that cannot be read", "text/plain; charset=", file, Look{}},
		{"two types", "text/plain, text/html; charset=utf-8", file, Look{Type: "text/html", Charset: "utf-8"}},
		{"two types, the last unreadable", "text/plain; charset=utf-8, x", file, Look{Type: "text/plain", Charset: "utf-8"}},
		{"byte order mark", "text/plain", "\ufeff" + file, Look{Type: "text/plain", Mark: true}},
		{"web page", "text/html", "<!DOCTYPE html><title>x</title>", Look{Type: "text/html", HTML: true}},
		{"web page called text", "text/plain", "\r\n <HTML>", Look{Type: "text/plain", HTML: true}},
		{"web page behind a mark", "", "\ufeff<!-- x --><html>", Look{Mark: true, HTML: true}},
		{"rules called a web page", "text/html", file, Look{Type: "text/html"}},
		{"UTF-16, big endian, marked", "", utf16Bytes(binary.BigEndian, "\ufeff"+file), Look{UTF16: true, NUL: 1, Invalid: 1}},
		{"UTF-16, little endian, marked", "", utf16Bytes(binary.LittleEndian, "\ufeff"+file), Look{UTF16: true, NUL: 1, Invalid: 1}},
		{"UTF-16, big endian", "", utf16Bytes(binary.BigEndian, file), Look{UTF16: true, NUL: 1}},
		{"UTF-16, little endian", "", utf16Bytes(binary.LittleEndian, file), Look{UTF16: true, NUL: 1}},
		{"one zero byte", "", "a\r\nb\rc\n\x00", Look{NUL: 4}},
		{"nothing but zero bytes", "", "\x00\x00\x00\x00", Look{NUL: 1}},
		{"Latin-1", "", "a\n\nDisallow: /caf\xe9\n", Look{Invalid: 3}},
		{"UTF-8", "", "Disallow: /café\n", Look{}},
		{"cut in a character", "", "Disallow: /caf\xc3", Look{Invalid: 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, LookAt(tt.contentType, []byte(tt.in))); diff != "" {
				t.Errorf("got +; want -\n%s", diff)
			}
		})
	}
}
