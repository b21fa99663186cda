package web

import (
	"testing"

	"github.com/whichrule/whichrule/internal/tester"
)

// What all URLs of a table begin with is told once, where that leaves a URL.
func TestCommonOrigin(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   []string
		want string
	}{
		{"one host", []string{"https://a.example/x", "https://a.example/y?z"}, "https://a.example"},
		{"a port", []string{"http://a.example:8080/", "http://a.example:8080/y"}, "http://a.example:8080"},
		{"no path", []string{"https://a.example", "https://a.example?q", "https://a.example#f"}, "https://a.example"},
		{"a single URL", []string{"https://a.example/x"}, ""},
		{"two hosts", []string{"https://a.example/x", "https://b.example/x"}, ""},
		{"a longer host", []string{"https://a.example/x", "https://a.example.org/x"}, ""},
		{"a longer port", []string{"https://a.example:80/x", "https://a.example:8080/x"}, ""},
		{"two schemes", []string{"https://a.example/x", "http://a.example/x"}, ""},
		{"a path between", []string{"https://a.example/x", "/x"}, ""},
		{"paths", []string{"/x", "/y"}, ""},
		{"a URL in a path", []string{"/to?u=https://a.example/", "/to?u=https://a.example/"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var rows []tester.Row
			for _, u := range tt.in {
				rows = append(rows, tester.Row{URL: u})
			}
			if got := commonOrigin(rows); got != tt.want {
				t.Errorf("got %q; want %q", got, tt.want)
			}
		})
	}
}
