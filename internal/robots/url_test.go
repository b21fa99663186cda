package robots

import "testing"

func TestPath(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"google: nothing", "", "/"},
		{"google: a path", "/a", "/a"},
		{"google: a host", "h.example", "/"},
		{"google: a host and path", "h.example/a", "/a"},
		{"google: a URL", "http://h.example/a/b", "/a/b"},
		{"google: a URL without a path", "http://h.example", "/"},
		{"google: relative", "a/b", "/b"},
		{"google: without a scheme", "//a/b/c", "/b/c"},
		{"google: a query behind the host", "http://h?x", "/?x"},
		{"google: parameters behind the host", "http://h;x", "/;x"},
		{"google: query and parameters stay", "http://h/a;p?q", "/a;p?q"},
		{"google: an empty query stays", "http://h/a?", "/a?"},
		{"google: no authority", "mailto:x@h", "/"},
		{"google: one slash", "http:/a", "/a"},
		{"google: three slashes", "http:///a", "/a"},
		{"google: a URL in the path", "/go/http://x", "/go/http://x"},
		{"google: a URL in the query", "h?u=http://x/y", "/?u=http://x/y"},
		{"google: two slashes in the path", "http://h//b", "//b"},
		{"google: dot segments stay", "http://h/a/../b", "/a/../b"},
		{"google: nothing is encoded", "http://h/ü b%2f", "/ü b%2f"},
		{"google: a backslash is nothing special", `http://h\a/b`, "/b"},
		{"google: fragment", "http://h/a?b#c/d", "/a?b"},
		{"google: fragment before the path", "http://h#/a", "/"},
		{"google: fragment in front", "#http://h/a", "/"},
		{"google: user and port", "http://u:p@h:8080/a", "/a"},
		{"google: NUL", "http://h/a\x00b", "/a"},
		{"google: NUL in the host", "http://h\x00/a", "/a"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := Path(test.in); got != test.want {
				t.Errorf("%q: got %q; want %q", test.in, got, test.want)
			}
		})
	}
}

func TestNormalizePath(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"nothing", "", "/"},
		{"a query only", "?q", "/?q"},
		{"no slash in front", "a", "/a"},
		{"fragment", "/a#b?c#d", "/a"},
		{"fragment only", "#a", "/"},
		{"an empty query stays", "/a?#b", "/a?"},
		{"not ASCII", "/✓.html?ü", "/%E2%9C%93.html?%C3%BC"},
		{"hex digits", "/%e2%9c%93?%3a", "/%E2%9C%93?%3A"},
		{"nothing is decoded", "/%7E%61%2F", "/%7E%61%2F"},
		{"no escape", "/100%/%zz%4", "/100%/%zz%4"},
		{"bytes outside UTF-8", "/\xE9", "/%E9"},
		{"blank and controls", "/a b\x01\x7F?c d\x00", "/a%20b%01%7F?c%20d%00"},
		{"tab and line ends", "/a\tb\r\nc/d/.\t./e?f\ng", "/abc/e?fg"},
		{"an escape with a tab inside", "/%e\t2", "/%E2"},
		{"what browsers treat unalike", "/\"<>^{|}`?\"<>^{|}`", "/\"<>^{|}`?\"<>^{|}`"},
		{"backslashes", `\a\b?c\d`, `/a/b?c\d`},
		{"two slashes", "//a//b/", "//a//b/"},
		{"RFC 3986 §5.2.4: up", "/a/b/c/./../../g", "/a/g"},
		{"RFC 3986 §5.2.4: up at the end", "/a/b/..", "/a/"},
		{"RFC 3986 §5.2.4: here at the end", "/a/.", "/a/"},
		{"RFC 3986 §5.2.4: beyond the top", "/../../a", "/a"},
		{"RFC 3986 §5.2.4: only up", "..", "/"},
		{"RFC 3986 §5.2.4: up from an empty segment", "/a//../b", "/a/b"},
		{"WHATWG: an encoded dot is a dot", "/a/%2e/b/%2E%2e/c/.%2E/d/%2e.", "/a/"},
		{"WHATWG: backslashes part segments", `/a\..\b`, "/b"},
		{"more dots are a name", "/.../a/..b/.c/%2e%2e%2e", "/.../a/..b/.c/%2E%2E%2E"},
		{"no segments in the query", "/a?b/../c/%2e", "/a?b/../c/%2E"},
		{"parameters stay", "/a;b/../c;d", "/c;d"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := NormalizePath(test.in); got != test.want {
				t.Errorf("%q: got %q; want %q", test.in, got, test.want)
			}
		})
	}
}
