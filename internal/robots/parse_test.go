package robots

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// outline renders a file's groups in one line: the line numbers and values of
// User-agent lines, then the rules.
func outline(f *File) string {
	var groups []string
	for g := range f.Groups() {
		var parts []string
		for a := range f.Agents(g) {
			parts = append(parts, fmt.Sprintf("%d %s", a.Line, a.Value))
		}
		for r := range f.Rules(g) {
			parts = append(parts, fmt.Sprintf("%d %v", r.Line, r))
		}
		groups = append(groups, strings.Join(parts, ", "))
	}
	return strings.Join(groups, " | ")
}

func TestParseGroups(t *testing.T) {
	long := strings.Repeat("a", maxLine)
	tests := []struct{ name, in, want string }{
		{"RFC 9309 §2.2: an empty file", "", ""},
		{"RFC 9309 §2.2.1: a group", "User-agent: a\nDisallow: /x\nAllow: /y", "1 a, 2 Disallow: /x, 3 Allow: /y"},
		{"RFC 9309 §2.2.1: several agents", "User-agent: a\nUser-agent: b\nDisallow: /", "1 a, 2 b, 3 Disallow: /"},
		{"RFC 9309 §2.2.1: an agent after a rule starts a group", "User-agent: a\nDisallow: /x\nUser-agent: b\nDisallow: /y", "1 a, 2 Disallow: /x | 3 b, 4 Disallow: /y"},
		{"RFC 9309 §2.2.1: rules above the first agent belong to nobody", "Disallow: /\nUser-agent: a\nAllow: /", "2 a, 3 Allow: /"},
		{"RFC 9309 §2.2.1: the last group may have no rules", "User-agent: a\nAllow: /\nUser-agent: b", "1 a, 2 Allow: / | 3 b"},
		{"RFC 9309 §2.2.4: other lines do not end a run of agents", "User-agent: a\n\n# x\nSitemap: /s\nCrawl-delay: 1\nrubbish\nUser-agent: b\nDisallow: /", "1 a, 7 b, 8 Disallow: /"},
		{"RFC 9309 §2.2.2: an empty value is a rule", "User-agent: a\nDisallow:\nUser-agent: b", "1 a, 2 Disallow: | 3 b"},
		{"google: a rule that never matches ends a run of agents", "User-agent: a\nDisallow: x\nUser-agent: b\nDisallow: /", "1 a, 2 Disallow: x | 3 b, 4 Disallow: /"},
		{"google: an empty agent starts a group of nobody", "User-agent: a\nDisallow: /\nUser-agent:\nDisallow: /b", "1 a, 2 Disallow: / | 3 , 4 Disallow: /b"},

		{"google: byte order mark", "\xEF\xBB\xBFUser-agent: a", "1 a"},
		{"google: part of a byte order mark", "\xEF\xBBUser-agent: a", "1 a"},
		{"google: nothing but a byte order mark", "\xEF\xBB\xBF", ""},
		{"google: broken byte order mark", "\xEF\x11\xBFUser-agent: a\nUser-agent: b", "2 b"},
		{"google: second byte order mark", "\xEF\xBB\xBF\xEF\xBB\xBFUser-agent: a\nUser-agent: b", "2 b"},
		{"google: byte order mark on a later line", "User-agent: a\n\xEF\xBB\xBFUser-agent: b", "1 a"},
		{"google: UTF-16 is not read", "U\x00s\x00e\x00r\x00-\x00a\x00g\x00e\x00n\x00t\x00:\x00a\x00", ""},

		{"RFC 9309 §2.2: CR ends a line", "User-agent: a\rDisallow: /", "1 a, 2 Disallow: /"},
		{"RFC 9309 §2.2: CR LF ends one line", "User-agent: a\r\n\r\nDisallow: /", "1 a, 3 Disallow: /"},
		{"google: LF CR ends two", "User-agent: a\n\rDisallow: /", "1 a, 3 Disallow: /"},
		{"google: CR CR LF ends two", "User-agent: a\r\r\nDisallow: /", "1 a, 3 Disallow: /"},
		{"google: CR LF LF ends two", "User-agent: a\r\n\nDisallow: /", "1 a, 3 Disallow: /"},
		{"google: other separators end none", "User-agent: a\u2028Disallow: /\vDisallow: /\u0085", "1 a\u2028Disallow: /\vDisallow: /\u0085"},

		{"google: a line keeps 16,663 bytes", "User-agent:" + long, "1 " + long[len("User-agent:"):]},
		{"google: what is dropped may hold a comment", "User-agent: a" + strings.Repeat(" ", maxLine) + "#\nDisallow: /", "1 a, 2 Disallow: /"},
		{"google: the mark does not count in the length", "\xEF\xBB\xBFUser-agent:" + long, "1 " + long[len("User-agent:"):]},

		{"google: NUL ends a line's text", "User-agent: a\x00b\nDisallow: /\x00x", "1 a, 2 Disallow: /"},
		{"google: NUL in front leaves nothing", "User-agent: a\n\x00Disallow: /", "1 a"},
		{"RFC 9309 §2.2: comments", "User-agent: a # b\nDisallow: /#x\n#Disallow: /y\nDisallow: # z", "1 a, 2 Disallow: /, 4 Disallow:"},
		{"RFC 9309 §2.2: blanks around key and value", " \tUser-agent\t : \ta \t\nDisallow:/\t", "1 a, 2 Disallow: /"},
		{"google: VT and FF are blanks", "\vUser-agent:\fa\v", "1 a"},
		{"google: NBSP is none", "User-agent: a\nDisallow:\u00a0/x", "1 a, 2 Disallow: \u00a0/x"},
		{"google: blanks inside a value stay", "User-agent: a b\nDisallow: /x y", "1 a b, 2 Disallow: /x y"},
		{"google: no colon between two words", "User-agent a\nDisallow \t /", "1 a, 2 Disallow: /"},
		{"google: no colon among three", "User-agent a\nDisallow / x\nDisallow", "1 a"},
		{"google: a later colon wins over the blank", "User-agent: a\nDisallow /x:y", "1 a, 2 Disallow: y"},
		{"google: no key", ": a\nUser-agent: a\n: /", "2 a"},
		{"RFC 9309 §2.2: keys in any case", "USER-AGENT: a\ndisAllow: /\naLLOW: /", "1 a, 2 Disallow: /, 3 Allow: /"},
		{"google: keys by their beginning", "User-agents: a\nDisallowed: /\nDisallow-all: /\nAllowance: /", "1 a, 2 Disallow: /, 3 Disallow: /, 4 Allow: /"},
		{"google: typos of User-agent", "Useragent: a\nUser agent: b\nUser_agent: c\nUser  agent: d", "1 a, 2 b"},
		{"google: typos of Disallow", "User-agent: a\nDissallow: /1\nDissalow: /2\nDisalow: /3\nDiasllow: /4\nDisallaw: /5\nDiaslow: /6\nDissllow: /7", "1 a, 2 Disallow: /1, 3 Disallow: /2, 4 Disallow: /3, 5 Disallow: /4, 6 Disallow: /5"},
		{"google: no typos of Allow", "User-agent: a\nAlow: /\nAlllow: /", "1 a"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := outline(Parse([]byte(test.in), Options{})); got != test.want {
				t.Errorf("got %q; want %q", got, test.want)
			}
		})
	}
}

func TestParseAgentLine(t *testing.T) {
	tests := []struct {
		name, in, token string
		star            bool
	}{
		{"RFC 9309 §2.2.1: a product token", "Google_bot-Image", "Google_bot-Image", false},
		{"RFC 9309 §2.2.1: the star", "*", "", true},
		{"google: version", "Googlebot/2.1", "Googlebot", false},
		{"google: list", "bot, other", "bot", false},
		{"google: star behind", "bot*", "bot", false},
		{"google: digits", "MJ12bot", "MJ", false},
		{"google: digits in front", "360Spider", "", false},
		{"google: not ASCII", "日本", "", false},
		{"google: nothing", "", "", false},
		{"google: star and blank", "* all robots", "", true},
		{"google: star and tab", "*\tx", "", true},
		{"google: star and name", "*bot", "", false},
		{"google: star and version", "*/1.0", "", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l := Parse([]byte("User-agent: "+test.in), Options{}).agent(0)
			if l != (AgentLine{1, test.in}) || l.Token() != test.token || l.Star() != test.star {
				t.Errorf("got %+v, token %q, star %t; want %q, %t", l, l.Token(), l.Star(), test.token, test.star)
			}
		})
	}
}

func TestParsePattern(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"RFC 9309 §2.2.2: not ASCII", "/ツ", "/%E3%83%84"},
		{"RFC 9309 §2.2.2: hex digits", "/a%2fb%e3", "/a%2Fb%E3"},
		{"google: nothing is decoded", "/%61%7E", "/%61%7E"},
		{"google: bytes outside UTF-8", "/caf\xE9", "/caf%E9"},
		{"google: no escape", "/100%/%zz/%4", "/100%/%zz/%4"},
		{"google: % in front of an escape", "/%%c3", "/%%C3"},
		{"google: the rest stays", `/a b"<>$*?`, `/a b"<>$*?`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := Parse([]byte("User-agent: *\nAllow: "+test.in), Options{}).rule(1)
			if r.Value != test.in || r.Pattern != test.want {
				t.Errorf("got %q as %q; want %q as %q", r.Value, r.Pattern, test.in, test.want)
			}
		})
	}
}

func TestParseKinds(t *testing.T) {
	in := "User-agent: *\nAllow: /\nDisallow: /x\nSitemap: /s\nsite-map: /s\nCrawl-delay: 1\n<html>\n \t\n # x\n\x00# x\n: x"
	want := []LineKind{
		LineUserAgent, LineAllow, LineDisallow, LineSitemap, LineSitemap, LineUnknown,
		LineGarbage, LineEmpty, LineComment, LineEmpty, LineGarbage,
	}
	f := Parse([]byte(in), Options{})
	var got []LineKind
	for i := range f.Lines() {
		got = append(got, f.Kind(i+1))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
	for _, line := range []int{-1, 0, f.Lines() + 1} {
		if got := f.Kind(line); got != LineEmpty {
			t.Errorf("kind of line %d: got %d; want LineEmpty", line, got)
		}
	}
}

func TestParseLimit(t *testing.T) {
	tests := []struct {
		name, in   string
		limit      int
		lines, cut int
	}{
		{"no limit", "a\nb\n", 0, 3, 0},
		{"not reached", "a\nb\n", 5, 3, 0},
		{"just reached", "a\nb\n", 4, 3, 0},
		{"an empty file", "", 1, 1, 0},
		{"within a line", "aa\nbb\ncc", 4, 2, 2},
		{"before a line end", "aa\nbb\ncc", 5, 2, 3},
		{"behind a line end", "aa\nbb\ncc", 6, 3, 3},
		{"before an empty line", "aa\n\ncc", 3, 2, 2},
		{"before CR LF", "aa\r\nbb", 2, 1, 2},
		{"between CR and LF", "aa\r\nbb", 3, 2, 2},
		{"behind CR LF", "aa\r\nbb", 4, 2, 2},
		{"before the last line end", "aa\n", 2, 1, 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := Parse([]byte(test.in), Options{Limit: test.limit})
			if f.Lines() != test.lines || f.CutLine() != test.cut {
				t.Errorf("got %d lines, cut in %d; want %d, %d", f.Lines(), f.CutLine(), test.lines, test.cut)
			}
		})
	}

	t.Run("google: a rule that the limit cuts is used as far as it goes", func(t *testing.T) {
		head := "User-agent: *\n" + strings.Repeat("# padding\n", 51198)
		body := head + "Disallow: /private\nDisallow: /lost\n"
		limit := len(head) + len("Disallow: /pri")
		got := slices.Collect(Parse([]byte(body), Options{Limit: limit}).Rules(0))
		want := []Rule{{Line: 51200, Value: "/pri", Pattern: "/pri"}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("want -, got +:\n%s", diff)
		}
	})
}

func TestParseKeepsNothingOfBody(t *testing.T) {
	body := []byte("User-agent: bot\nDisallow: /x")
	f := Parse(body, Options{})
	clear(body)
	if got, want := outline(f), "1 bot, 2 Disallow: /x"; got != want {
		t.Errorf("got %q; want %q", got, want)
	}
}

func TestTextareaForm(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"text stays", "a\nü 日本 \U0001F916\n", "a\nü 日本 \U0001F916\n"},
		{"line ends", "a\r\nb\rc\n\rd\r\r\ne\r", "a\nb\nc\n\nd\n\ne\n"},
		{"NUL", "a\x00b", "a\uFFFDb"},
		{"byte order mark stays", "\xEF\xBB\xBFa", "\uFEFFa"},
		{"other controls stay", "a\x01\v\f\x7F", "a\x01\v\f\x7F"},
		{"a stray byte", "a\x80b\xFFc", "a\uFFFDb\uFFFDc"},
		{"Unicode 3.9: truncated characters are one each", "\xE2\x82a\xF0\x90\x80\xF0\x90\n\xE2", "\uFFFDa\uFFFD\uFFFD\n\uFFFD"},
		{"Unicode 3.9: a surrogate is three", "\xED\xA0\x80", "\uFFFD\uFFFD\uFFFD"},
		{"Unicode 3.9: overlong forms are one each byte", "\xC0\xAF\xE0\x80\xBF", "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD"},
		{"Unicode 3.9: beyond the last character", "\xF4\x91\x92\x93", "\uFFFD\uFFFD\uFFFD\uFFFD"},
		{"U+FFFD itself", "\uFFFD", "\uFFFD"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := TextareaForm([]byte(test.in))
			if got != test.want {
				t.Errorf("got %q; want %q", got, test.want)
			}
			if got, want := 1+strings.Count(got, "\n"), Parse([]byte(test.in), Options{}).Lines(); got != want {
				t.Errorf("textarea has %d lines; Parse counts %d", got, want)
			}
		})
	}
}
