package robots

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// What RFC 9309 says of the cases in which it is clear, many of them those in
// which Google's matcher is more lenient.
func TestRFC9309Traps(t *testing.T) {
	right := 0
	for _, a := range readAnswers(t, filepath.Join("testdata", "traps.jsonl")) {
		if a.RFC9309 == nil {
			continue
		}
		want := *a.RFC9309
		if a.ID == "pct-reserved-query" {
			// One row of the RFC's table encodes reserved characters of a query, the
			// other leaves them alone (§2.2.2). We leave them alone.
			want = true
		}
		d := Parse(a.body(), Options{Dialect: RFC9309}).Select(Agent{Names: a.Agents, Star: true}).Match(Path(a.URL))
		if d.Allowed != want {
			t.Errorf("%s (%s): got allowed %t, line %d; want %t", a.ID, a.Note, d.Allowed, d.Line, want)
			continue
		}
		right++
	}
	t.Logf("%d right", right)
}

// verdict renders a decision: allowed or blocked, and the line.
func verdict(d Decision) string {
	if d.Allowed {
		return fmt.Sprint("allowed ", d.Line)
	}
	return fmt.Sprint("blocked ", d.Line)
}

func TestDialects(t *testing.T) {
	const star = "User-agent: *\n"
	for _, tt := range []struct {
		name, robots, path  string
		google, strict, old string // verdict and line
	}{
		{"a longer Allow below", star + "Disallow: /a\nAllow: /a/b\n", "/a/b", "allowed 3", "allowed 3", "blocked 2"},
		{"an Allow above", star + "Allow: /a\nDisallow: /a/b\n", "/a/b", "blocked 3", "blocked 3", "allowed 2"},
		{"no rule fits", star + "Disallow: /a\n", "/b", "allowed 0", "allowed 0", "allowed 0"},
		{"an empty Disallow", star + "Disallow:\nDisallow: /\n", "/a", "blocked 3", "blocked 3", "allowed 2"},
		{"an empty Disallow alone", star + "Disallow:\n", "/a", "allowed 2", "allowed 2", "allowed 2"},
		{"a wildcard", star + "Disallow: /*.pdf\n", "/x.pdf", "blocked 2", "blocked 2", "allowed 0"},
		{"a wildcard as it stands", star + "Disallow: /a*\n", "/a*b", "blocked 2", "blocked 2", "blocked 2"},
		{"an end", star + "Disallow: /a$\n", "/a", "blocked 2", "blocked 2", "allowed 0"},
		{"an end in the middle", star + "Disallow: /a$b\n", "/a$b", "blocked 2", "blocked 2", "blocked 2"},
		{"a leading wildcard", star + "Disallow: *.pdf\n", "/x.pdf", "blocked 2", "blocked 2", "allowed 0"},
		{"§2.2.2 an unreserved character, escaped in the path", star + "Disallow: /~joe\n", "/%7Ejoe", "allowed 0", "blocked 2", "allowed 0"},
		{"§2.2.2 an unreserved character, escaped in the rule", star + "Disallow: /%62%61%7A\n", "/baz", "allowed 0", "blocked 2", "allowed 0"},
		{"§2.2.2 an escape in lower case", star + "Disallow: /a%2fb\n", "/a%2fb", "allowed 0", "blocked 2", "allowed 0"},
		{"§2.2.2 an escaped slash is no slash", star + "Disallow: /a/b\n", "/a%2Fb", "allowed 0", "allowed 0", "allowed 0"},
		{"§2.2.2 the longest as compared", star + "Disallow: /%61%61%61\nAllow: /aaaa\n", "/aaaa", "allowed 3", "allowed 3", "allowed 3"},
		{"§2.2.2 no longer for its escapes", star + "Disallow: /%61*\nAllow: /aa*\n", "/aab", "allowed 3", "allowed 3", "allowed 0"},
		{"§2.2.3 an escaped star is a star", star + "Disallow: /a%2Ab\n", "/a*b", "allowed 0", "blocked 2", "allowed 0"},
		{"§2.2.3 an escaped end is a dollar sign", star + "Disallow: /a%24\n", "/a$b", "allowed 0", "blocked 2", "allowed 0"},
		{"§2.2.3 a wildcard fits an escaped star", star + "Disallow: /a*c\n", "/a%2Abc", "blocked 2", "blocked 2", "allowed 0"},
		{"§2.2.2 the file itself", star + "Disallow: /\n", "/robots.txt", "blocked 2", "allowed 0", "blocked 2"},
		{"§2.2.2 the file itself, with a query", star + "Disallow: /\n", "/robots.txt?x", "blocked 2", "allowed 0", "blocked 2"},
		{"§2.2.2 the file itself, escaped", star + "Disallow: /\n", "/robots%2Etxt", "blocked 2", "allowed 0", "blocked 2"},
		{"§2.2.2 not the file itself", star + "Disallow: /\n", "/robots.txt.gz", "blocked 2", "blocked 2", "blocked 2"},
		{"§2.2 a key with a typo", star + "Dissalow: /\n", "/a", "blocked 2", "allowed 0", "allowed 0"},
		{"§2.2 a longer key", star + "Disallowed: /\n", "/a", "blocked 2", "allowed 0", "allowed 0"},
		{"§2.2 a key in capitals, with blanks", star + " DISALLOW\t: /\n", "/a", "blocked 2", "blocked 2", "blocked 2"},
		{"§2.2 no colon", star + "Disallow /\n", "/a", "blocked 2", "allowed 0", "allowed 0"},
		{"§2.2 a blank in a value", star + "Disallow: /a b\n", "/a b", "blocked 2", "allowed 0", "blocked 2"},
		{"§2.2 a rule without slash does not end the run", "User-agent: Testbot\nDisallow: x\n" + star + "Disallow: /\n", "/a", "allowed 0", "blocked 4", "allowed 0"},
		{"§2.2 a vertical tab is no blank", star + "Disallow:\v/\n", "/a", "blocked 2", "allowed 0", "allowed 0"},
		{"§2.2 a comment", star + "Disallow: /a # all\n#x\n", "/a", "blocked 2", "blocked 2", "blocked 2"},
		{"§2.2.1 a version behind the token", "User-agent: Testbot/1.0\nDisallow: /\n", "/a", "blocked 2", "allowed 0", "allowed 0"},
		{"§2.2.1 several tokens", "User-agent: Testbot, other\nDisallow: /\n", "/a", "blocked 2", "allowed 0", "allowed 0"},
		{"§2.2.1 a star and more", "User-agent: * all\nDisallow: /\n", "/a", "blocked 2", "allowed 0", "blocked 2"},
		{"§2.2.1 groups of one token are one", "User-agent: testbot\nDisallow: /a\n" + star + "Disallow: /b\nUser-agent: TESTBOT\nDisallow: /c\n", "/c", "blocked 6", "blocked 6", "allowed 0"},
		{"part of the name", "User-agent: test\nDisallow: /\n", "/a", "allowed 0", "allowed 0", "blocked 2"},
		{"more than the name", "User-agent: Testbot-Image\nDisallow: /\n", "/a", "allowed 0", "allowed 0", "allowed 0"},
		{"no name at all", "User-agent:\nDisallow: /\n", "/a", "allowed 0", "allowed 0", "allowed 0"},
		{"the first group of several", "User-agent: bot\nDisallow: /a\nUser-agent: testbot\nDisallow: /b\n", "/b", "blocked 4", "blocked 4", "allowed 0"},
		{"§2.2.4 Crawl-delay ends nothing", "User-agent: Testbot\nCrawl-delay: 5\n" + star + "Disallow: /\n", "/a", "blocked 4", "blocked 4", "allowed 0"},
		{"§2.2.4 Sitemap ends nothing", "User-agent: Testbot\nSitemap: /s\n" + star + "Disallow: /\n", "/a", "blocked 4", "blocked 4", "allowed 0"},
		{"§2.2.4 unknown lines end nothing", "User-agent: Testbot\nNoindex: /s\n" + star + "Disallow: /\n", "/a", "blocked 4", "blocked 4", "blocked 4"},
		{"an index page", star + "Disallow: /\nAllow: /d/index.html\n", "/d/", "allowed 3", "blocked 2", "blocked 2"},
		{"a mark, CR alone", "\ufeffUser-agent: *\rDisallow: /a\r\rDisallow: /b", "/b", "blocked 4", "blocked 4", "blocked 4"},
		{"UTF-8 in a rule", star + "Disallow: /é\n", "/%C3%A9", "blocked 2", "blocked 2", "blocked 2"},
		{"UTF-8 in a path", star + "Disallow: /é\n", "/é", "allowed 0", "blocked 2", "allowed 0"},
		{"an empty file", "", "/a", "allowed 0", "allowed 0", "allowed 0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for dialect, want := range map[Dialect]string{Google: tt.google, RFC9309: tt.strict, FirstMatch: tt.old} {
				agent := Agent{Names: []string{"Testbot"}, Star: true}
				sel := Parse([]byte(tt.robots), Options{Dialect: dialect}).Select(agent)
				d := sel.Match(tt.path)
				if got := verdict(d); got != want {
					t.Errorf("dialect %d: got %s (%s); want %s", dialect, got, d.Reason, want)
				}
				if e := sel.Explain(tt.path, 10); e.Decision != d {
					t.Errorf("dialect %d: explained as %+v, decided as %+v", dialect, e.Decision, d)
				}
			}
		})
	}
}

// Many rules are found in every dialect, the last as well as the first.
func TestDialectsOfLargeFiles(t *testing.T) {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	for i := range 3000 {
		fmt.Fprintf(&b, "Disallow: /%%61/%d/\nAllow: /b/%d/index.html\n", i, i)
	}
	for _, dialect := range []Dialect{RFC9309, FirstMatch} {
		sel := Parse([]byte(b.String()), Options{Dialect: dialect}).Select(Agent{Star: true})
		for range 2 * indexAfter {
			for path, want := range map[string]string{
				"/a/2999/x": "blocked 6000", "/%61/2999/x": "blocked 6000", "/a/3000/": "allowed 0", "/b/7/": "allowed 0",
			} {
				if dialect == FirstMatch && path == "/a/2999/x" {
					want = "allowed 0"
				}
				if got := verdict(sel.Match(path)); got != want {
					t.Fatalf("dialect %d, %s: got %s; want %s", dialect, path, got, want)
				}
			}
		}
	}
}

func FuzzDialect(f *testing.F) {
	f.Add([]byte("User-agent: bot\nCrawl-delay: 1\nUser-agent: *\nDisallow: /%61*$\nAllow:\n"), "/a%2a$?é")
	f.Add([]byte("\xef\xbb\xbfallow /\rUSER-AGENT:*\rdisallow:/\x00x\r\n"), "/robots.txt")
	f.Fuzz(func(t *testing.T, body []byte, path string) {
		for _, dialect := range []Dialect{RFC9309, FirstMatch} {
			file := Parse(body, Options{Dialect: dialect})
			sel := file.Select(Agent{Names: []string{"Testbot", "bot"}, Star: true})
			first := sel.Match(path)
			for range indexAfter {
				if d := sel.Match(path); d != first {
					t.Fatalf("dialect %d: got %+v, and first %+v", dialect, d, first)
				}
			}
			if e := sel.Explain(path, 3); e.Decision != first {
				t.Errorf("dialect %d: explained as %+v, decided as %+v", dialect, e.Decision, first)
			}
			if n := Parse(body, Options{}).Lines(); file.Lines() != n {
				t.Errorf("dialect %d: %d lines; want %d as in every dialect", dialect, file.Lines(), n)
			}
			// Paths that the RFC holds to be the same get the same answer.
			if same := string(appendCanonical(nil, path, "*$")); dialect == RFC9309 && same != path {
				if d := sel.Match(same); d != first {
					t.Errorf("%q: got %+v; %q: %+v", path, first, same, d)
				}
			}
		}
	})
}
