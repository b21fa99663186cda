package robots

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// rules returns the selection of a file's only group. Its rules start on line 2.
func rules(lines ...string) *Selection {
	body := "User-agent: *\n" + strings.Join(lines, "\n")
	return Parse([]byte(body), Options{}).Select(Agent{Star: true})
}

func TestMatchPattern(t *testing.T) {
	tests := []struct {
		name, pattern string
		match, other  []string // paths that it matches, and that it does not
	}{
		{"RFC 9309 §2.2.2: from the start", "/fish", []string{"/fish", "/fish.html", "/fish/x", "/fishheads?id=1"}, []string{"/", "/Fish", "/x/fish", "/fis"}},
		{"RFC 9309 §2.2.2: everything", "/", []string{"/", "/x", "//"}, nil},
		{"RFC 9309 §2.2.3: star", "/*.php", []string{"/.php", "/a.php", "/a/b.php5?x"}, []string{"/", "/a.PHP", "/windows.ph"}},
		{"RFC 9309 §2.2.3: star is any bytes, also none", "/a*b*c", []string{"/abc", "/axxbxxcxx", "/a?b/c"}, []string{"/acb", "/ab"}},
		{"RFC 9309 §2.2.3: end", "/a$", []string{"/a"}, []string{"/", "/ab", "/a?"}},
		{"RFC 9309 §2.2.3: star and end", "/*.php$", []string{"/a.php", "/a.php.php"}, []string{"/a.php?x=1", "/a.php5"}},
		{"RFC 9309 §2.2.3: end needs the last place", "/*.gif$", []string{"/a.gif.gif"}, []string{"/a.gif."}},
		{"google: parts do not overlap", "/*ab*ba$", []string{"/abba", "/ab.ba"}, []string{"/aba"}},
		{"google: the start does not overlap the end", "/aa*a$", []string{"/aaa", "/aaxa"}, []string{"/aa"}},
		{"google: star in front", "*.php", []string{"/a.php"}, []string{"/a"}},
		{"google: star alone", "*", []string{"/", "/a"}, nil},
		{"google: star behind changes nothing", "/a*", []string{"/a", "/ab"}, []string{"/b"}},
		{"google: star before the end takes it away", "/a*$", []string{"/a", "/ab"}, []string{"/b"}},
		{"google: stars are one", "/a***b", []string{"/ab", "/axb"}, []string{"/a"}},
		{"google: $ elsewhere is a character", "/a$b", []string{"/a$b", "/a$bc"}, []string{"/a", "/ab"}},
		{"google: only the last $ is the end", "/a$$", []string{"/a$"}, []string{"/a", "/a$$"}},
		{"google: $ before a star is a character", "/a$*", []string{"/a$", "/a$x"}, []string{"/a"}},
		{"google: $ alone", "$", nil, []string{"/", "/$"}},
		{"google: no other character is special", "/a.b+(c)?[d]|^", []string{"/a.b+(c)?[d]|^"}, []string{"/aXbb(c)", "/a"}},
		{"google: no slash in front", "admin/", nil, []string{"/admin/", "/"}},
		{"google: a whole URL", "http://h/a", nil, []string{"/a", "/http://h/a"}},
		{"google: escapes are text", "/a%2Ab%24", []string{"/a%2Ab%24"}, []string{"/aXb", "/a*b$", "/a%2ab%24"}},
		{"google: the rule is encoded, the path is not", "/ü", []string{"/%C3%BC"}, []string{"/ü", "/%c3%bc"}},
		{"google: empty", "", []string{"/", "/a"}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := rules("Disallow: " + test.pattern)
			for _, path := range test.match {
				if s.Match(path).Line != 2 {
					t.Errorf("%s does not match %s", test.pattern, path)
				}
			}
			for _, path := range test.other {
				if s.Match(path).Line != 0 {
					t.Errorf("%s matches %s", test.pattern, path)
				}
			}
		})
	}
}

func TestMatchDecision(t *testing.T) {
	tests := []struct {
		name    string
		rules   []string
		path    string
		allowed bool
		line    int
		length  int
		reason  Reason
	}{
		{"RFC 9309 §2.2.2: the longest wins", []string{"Disallow: /", "Allow: /x"}, "/xy", true, 3, 2, LongestRule},
		{"RFC 9309 §2.2.2: whatever the order", []string{"Allow: /x", "Disallow: /xy"}, "/xy", false, 3, 3, LongestRule},
		{"RFC 9309 §2.2.2: Allow wins a tie", []string{"Disallow: /x", "Allow: /x"}, "/x", true, 3, 2, TieAllowWins},
		{"google: unlike rules tie too", []string{"Allow: /ab", "Disallow: /a*"}, "/ab", true, 2, 3, TieAllowWins},
		{"google: a tie below the winner is none", []string{"Allow: /ab", "Allow: /a", "Disallow: /a"}, "/ab", true, 2, 3, LongestRule},
		{"google: two of a kind are no tie", []string{"Allow: /a", "Allow: /*"}, "/a", true, 2, 2, LongestRule},
		{"google: the first line of a kind", []string{"Disallow: /a", "Disallow: /*"}, "/ab", false, 2, 2, LongestRule},
		{"google: star and $ count", []string{"Allow: /a", "Disallow: /a$"}, "/a", false, 3, 3, LongestRule},
		{"google: every star counts", []string{"Allow: /ab", "Disallow: /a**"}, "/ab", false, 3, 4, LongestRule},
		{"google: the encoded length counts", []string{"Disallow: /é*", "Allow: /%C3%A9"}, "/%C3%A9x", false, 2, 8, LongestRule},
		{"RFC 9309 §2.2.2: no rule matches", []string{"Disallow: /x"}, "/y", true, 0, 0, NoRuleMatches},
		{"google: an empty rule has a line", []string{"Disallow:"}, "/y", true, 2, 0, EmptyRule},
		{"google: of empty rules the Allow", []string{"Disallow:", "Allow:"}, "/y", true, 3, 0, EmptyRule},
		{"google: an empty rule loses", []string{"Allow:", "Disallow: /"}, "/y", false, 3, 1, LongestRule},
		{"google: /robots.txt is a path", []string{"Disallow: /"}, "/robots.txt", false, 2, 1, LongestRule},

		{"google: index.html opens its directory", []string{"Disallow: /", "Allow: /d/index.html"}, "/d/", true, 3, 4, LongestRule},
		{"google: index.html, with the length of the directory", []string{"Disallow: /d/*", "Allow: /d/index.html"}, "/d/", true, 3, 4, TieAllowWins},
		{"google: index.html, shorter than others", []string{"Disallow: /d/*$", "Allow: /d/index.html"}, "/d/", false, 2, 5, LongestRule},
		{"google: index.html itself", []string{"Disallow: /", "Allow: /d/index.html"}, "/d/index.html", true, 3, 13, LongestRule},
		{"google: index.html, no more than the directory", []string{"Disallow: /", "Allow: /d/index.html"}, "/d/x", false, 2, 1, LongestRule},
		{"google: index.htm and anything", []string{"Disallow: /", "Allow: /d/index.htmfoo?x"}, "/d/", true, 3, 4, LongestRule},
		{"google: index.htm below the last slash only", []string{"Disallow: /", "Allow: /index.htm/x"}, "/", false, 2, 1, LongestRule},
		{"google: index.html, not for Disallow", []string{"Disallow: /d/index.html"}, "/d/", true, 0, 0, NoRuleMatches},
		{"google: index.html with a wildcard", []string{"Disallow: /", "Allow: /*/index.html"}, "/d/e/", true, 3, 4, LongestRule},
		{"google: index.html, the first line of equal lengths", []string{"Allow: /d/index.html", "Allow: /d/$", "Allow: /*/$"}, "/d/", true, 2, 4, LongestRule},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := rules(test.rules...)
			want := Decision{Allowed: test.allowed, Line: test.line, Length: test.length, Reason: test.reason}
			for r := range s.file.Rules(0) {
				if r.Line == test.line {
					want.Rule = r
				}
			}
			if diff := cmp.Diff(want, s.Match(test.path)); diff != "" {
				t.Errorf("Match: want -, got +:\n%s", diff)
			}
			if diff := cmp.Diff(want, s.Explain(test.path, 1).Decision); diff != "" {
				t.Errorf("Explain: want -, got +:\n%s", diff)
			}
		})
	}
}

func TestMatchWithoutRules(t *testing.T) {
	bot := Agent{Names: []string{"bot"}, Star: true}
	tests := []struct {
		name, in string
		agent    Agent
		want     Reason
	}{
		{"no group at all", "", bot, NoGroup},
		{"groups of others", "User-agent: x\nDisallow: /", bot, NoGroup},
		{"star not read", "User-agent: *\nDisallow: /", Agent{Names: []string{"bot"}}, NoGroup},
		{"google: a named group without rules hides star", "User-agent: *\nDisallow: /\nUser-agent: bot", bot, EmptyNamedGroup},
		{"google: not when merged with one that has", "User-agent: bot\nDisallow: /x\nUser-agent: bot", bot, NoRuleMatches},
		{"a star group without rules", "User-agent: *", bot, NoRuleMatches},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := Parse([]byte(test.in), Options{}).Select(test.agent).Match("/")
			if want := (Decision{Allowed: true, Reason: test.want}); got != want {
				t.Errorf("got %+v; want %+v", got, want)
			}
		})
	}
	if got, want := new(Selection).Explain("/", 1).Decision, (Decision{Allowed: true, Reason: NoGroup}); got != want {
		t.Errorf("zero Selection: got %+v; want %+v", got, want)
	}
}

func TestExplainCandidates(t *testing.T) {
	tests := []struct {
		name  string
		rules []string
		path  string
		most  int
		want  string // line, outcome and length of each, longest first
		total int
	}{
		{"none", []string{"Disallow: /x"}, "/", 9, "", 0},
		{"shorter", []string{"Disallow: /", "Disallow: /a", "Allow: /abc", "Disallow: /x"}, "/abc", 9, "4 wins 4, 3 shorter 2, 2 shorter 1", 3},
		{"an Allow wins over as long a Disallow", []string{"Disallow: /a", "Allow: /*"}, "/a", 9, "3 wins 2, 2 tie 2", 2},
		{"an earlier line of the kind", []string{"Disallow: /a", "Disallow: /*"}, "/a", 9, "2 wins 2, 3 tie 2", 2},
		{"the same again", []string{"Disallow: /é", "Disallow: /%c3%a9", "Allow: /"}, "/%C3%A9", 9, "2 wins 7, 3 repeated 7, 4 shorter 1", 3},
		{"the same of the other kind is a tie", []string{"Disallow: /a", "Allow: /a", "Allow: /a"}, "/a", 9, "3 wins 2, 4 repeated 2, 2 tie 2", 3},
		{"a repeated loser is shorter", []string{"Disallow: /", "Disallow: /", "Disallow: /a"}, "/a", 9, "4 wins 2, 2 shorter 1, 3 shorter 1", 3},
		{"empty", []string{"Disallow:", "Disallow: /", "Allow:"}, "/", 9, "3 wins 1, 4 empty 0, 2 empty 0", 3},
		{"empty only", []string{"Disallow:", "Allow:", "Allow:"}, "/", 9, "3 wins 0, 4 repeated 0, 2 empty 0", 3},
		{"no more than asked for", []string{"Disallow: /", "Disallow: /a", "Disallow: /ab"}, "/abc", 2, "4 wins 3, 3 shorter 2", 3},
		{"not even the winner", []string{"Disallow: /"}, "/abc", 0, "", 1},
		{"google: index.html", []string{"Disallow: /d/*", "Allow: /d/index.html", "Allow: /d/index.htm", "Allow: /d/index.html"}, "/d/", 9, "3 wins 4 index, 4 tie 4 index, 5 repeated 4 index, 2 tie 4", 4},
		{"google: index.html that itself matches is one candidate", []string{"Disallow: /", "Allow: /*/index.html"}, "/a/index.html/", 9, "3 wins 13, 2 shorter 1", 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			e := rules(test.rules...).Explain(test.path, test.most)
			if got := candidates(e); got != test.want || e.Total != test.total {
				t.Errorf("got %q of %d; want %q of %d", got, e.Total, test.want, test.total)
			}
		})
	}
}

func TestExplainSpans(t *testing.T) {
	tests := []struct{ name, rule, path, want string }{
		{"text", "Disallow: /ab", "/abc", "/ab"},
		{"the whole path", "Disallow: /ab$", "/ab", "/ab"},
		{"a wildcard", "Disallow: /*.php", "/a/b.php?x=1", "/ *a/b .php"},
		{"a wildcard over nothing", "Disallow: /a*b", "/abc", "/a b"},
		{"the leftmost place", "Disallow: /*x*y", "/1x2x3y4y", "/ *1 x *2x3 y"},
		{"the end", "Disallow: /*.gif$", "/a.gif.gif", "/ *a.gif .gif"},
		{"the end, twice the text", "Disallow: /*a*a$", "/aaa", "/ a *a a"},
		{"a wildcard in front", "Disallow: *.php", "/a.php", "*/a .php"},
		{"a wildcard behind", "Disallow: /a/*", "/a/b?c", "/a/ *b?c"},
		{"a wildcard behind with nothing left", "Disallow: /a/*", "/a/", "/a/"},
		{"a wildcard before the end", "Disallow: /a*$", "/abc", "/a *bc"},
		{"a wildcard alone", "Disallow: *", "/abc", "*/abc"},
		{"wildcards in a row", "Disallow: /***c", "/abc", "/ *ab c"},
		{"empty", "Disallow:", "/abc", ""},
		{"nothing", "Disallow: /x", "/abc", ""},
		{"encoded", "Disallow: /é", "/%C3%A9x", "/%C3%A9"},
		{"google: index.html", "Allow: /d/index.html", "/d/", "/d/"},
		{"google: index.html with a wildcard", "Allow: /*/index.html", "/d/e/", "/ *d/e /"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			e := rules(test.rule).Explain(test.path, 0)
			if got := spans(e, test.path); got != test.want {
				t.Errorf("got %q; want %q", got, test.want)
			}
			if want := strings.HasPrefix(test.name, "google: index"); e.IndexHTML != want {
				t.Errorf("IndexHTML: got %t; want %t", e.IndexHTML, want)
			}
		})
	}
}

// Reasons and outcomes are part of the JSON that programs read.
func TestNames(t *testing.T) {
	want := "longest-rule tie-allow-wins empty-rule no-rule-matches empty-named-group no-group wins shorter tie repeated empty"
	var got []string
	for r := LongestRule; r <= NoGroup; r++ {
		got = append(got, r.String())
	}
	for o := Wins; o <= Empty; o++ {
		got = append(got, o.String())
	}
	if got := strings.Join(got, " "); got != want {
		t.Errorf("got %q; want %q", got, want)
	}
}
