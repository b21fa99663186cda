package lint

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestApply(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		fix        Fix
		want       string
	}{
		{"a line in front", "a\nb\n", Fix{Start: 1, Insert: []string{"x"}}, "x\na\nb\n"},
		{"behind a byte order mark", "\xef\xbb\xbfa\n", Fix{Start: 1, Insert: []string{"x"}}, "\xef\xbb\xbfx\na\n"},
		{"between", "a\nb\n", Fix{Start: 2, Insert: []string{"x", "y"}}, "a\nx\ny\nb\n"},
		{"at the end", "a\nb\n", Fix{Start: 3, Insert: []string{"x"}}, "a\nb\nx\n"},
		{"at an end without line end", "a\nb", Fix{Start: 3, Insert: []string{"x"}}, "a\nb\nx\n"},
		{"into nothing", "", Fix{Start: 1, Insert: []string{"x"}}, "x\n"},
		{"into a mark alone", "\xef\xbb\xbf", Fix{Start: 1, Insert: []string{"x"}}, "\xef\xbb\xbfx\n"},
		{"a line away", "a\nb\nc", Fix{Start: 2, Delete: 1}, "a\nc"},
		{"the first away", "\xef\xbb\xbfa\nb", Fix{Start: 1, Delete: 1}, "\xef\xbb\xbfb"},
		{"the last away", "a\nb", Fix{Start: 2, Delete: 1}, "a\n"},
		{"all away", "a\nb", Fix{Start: 1, Delete: 2}, ""},
		{"a line for another", "a\nb\nc", Fix{Start: 2, Delete: 1, Insert: []string{"x"}}, "a\nx\nc"},
		{"the last for another", "a\nb", Fix{Start: 2, Delete: 1, Insert: []string{"x", "y"}}, "a\nx\ny"},
		{"two for one", "a\nb\r\nc", Fix{Start: 1, Delete: 2, Insert: []string{"x"}}, "x\r\nc"},
		{"CR LF", "a\r\nb\r\n", Fix{Start: 2, Insert: []string{"x"}}, "a\r\nx\r\nb\r\n"},
		{"CR", "a\rb", Fix{Start: 3, Insert: []string{"x"}}, "a\rb\rx\r"},
		{"LF CR is two", "a\n\rb", Fix{Start: 2, Delete: 1, Insert: []string{"x"}}, "a\nx\rb"},
		{"as the line in front ends", "a\nb\r\nc\n", Fix{Start: 3, Insert: []string{"x"}}, "a\nb\r\nx\r\nc\n"},
		{"every other byte", "a\x00#\xff\r\n\xe2\x80\xa8b", Fix{Start: 2, Insert: []string{"x"}}, "a\x00#\xff\r\nx\r\n\xe2\x80\xa8b"},
		{"beyond the text", "a", Fix{Start: 9, Delete: 9}, "a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := []byte(tt.text)
			if diff := cmp.Diff(tt.want, string(tt.fix.Apply(in))); diff != "" || string(in) != tt.text {
				t.Errorf("(-want +got):\n%s\nand the text is now %q", diff, in)
			}
		})
	}
}
