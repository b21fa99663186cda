package robots

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// candidates renders line, outcome and length of each candidate.
func candidates(e Explanation) string {
	var parts []string
	for _, c := range e.Candidates {
		part := fmt.Sprint(c.Rule.Line, " ", c.Outcome, " ", c.Length)
		if c.IndexHTML {
			part += " index"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

// spans renders the parts of path that the winner covered, wildcards with a star.
func spans(e Explanation, path string) string {
	var parts []string
	for _, s := range e.Spans {
		part := path[s.Start:s.End]
		if s.Wildcard {
			part = "*" + part
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, " ")
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("\xEF\xBB\xBFUser-agent: a\r\nDisallow: /\u00e9%2f # x\n\rAllow /x\r\r\nfoo: bar\x00"), 0)
	f.Add([]byte("User-agent: *\nDisallow: /private\n"), 20)
	f.Fuzz(func(t *testing.T, body []byte, limit int) {
		file := Parse(body, Options{Limit: limit})
		counted := body
		if limit > 0 && limit < len(body) {
			counted = body[:limit]
			if cut := file.CutLine(); cut != file.Lines() && cut != file.Lines()+1 {
				t.Errorf("cut in line %d of %d", cut, file.Lines())
			}
		} else if file.CutLine() != 0 {
			t.Errorf("cut in line %d; want 0", file.CutLine())
		}
		if got := strings.Count(TextareaForm(counted), "\n") + 1; got != file.Lines() {
			t.Errorf("a textarea has %d lines; Parse counts %d", got, file.Lines())
		}

		agents := 0
		for i := range file.Lines() {
			if file.Kind(i+1) == LineUserAgent {
				agents++
			}
		}
		for g := range file.Groups() {
			agents -= len(slices.Collect(file.Agents(g)))
		}
		if agents != 0 {
			t.Errorf("%d User-agent lines are in no group", agents)
		}

		// A line has a key when it was read as one with a key.
		for n := range min(file.Lines(), 20) {
			switch kind := file.Kind(n + 1); kind {
			case LineEmpty, LineComment, LineGarbage:
				if l := file.Line(n + 1); l.Key != "" {
					t.Errorf("line %d of kind %d: got %+v; want no key", n+1, kind, l)
				}
			default:
				if l := file.Line(n + 1); l.Key == "" {
					t.Errorf("line %d of kind %d: got %+v; want a key", n+1, kind, l)
				}
			}
		}

		// Written out tidily, the groups are read as the same groups.
		if longLines(file) {
			return
		}
		var tidy strings.Builder
		for g := range file.Groups() {
			for a := range file.Agents(g) {
				fmt.Fprintln(&tidy, "User-agent:", a.Value)
			}
			for r := range file.Rules(g) {
				fmt.Fprintln(&tidy, r)
			}
		}
		again := Parse([]byte(tidy.String()), Options{})
		if diff := cmp.Diff(outlineWithoutLines(file), outlineWithoutLines(again)); diff != "" {
			t.Errorf("read again: want -, got +:\n%s", diff)
		}
	})
}

// longLines reports whether the file has a line that, written out with its full
// key, would be cut.
func longLines(file *File) bool {
	for g := range file.Groups() {
		for a := range file.Agents(g) {
			if len("User-agent: "+a.Value) > maxLine {
				return true
			}
		}
		for r := range file.Rules(g) {
			if len(r.String()) > maxLine {
				return true
			}
		}
	}
	return false
}

func outlineWithoutLines(file *File) [][]string {
	var groups [][]string
	for g := range file.Groups() {
		var parts []string
		for a := range file.Agents(g) {
			parts = append(parts, fmt.Sprint("User-agent: ", a.Value, " ", a.Token(), a.Star()))
		}
		for r := range file.Rules(g) {
			parts = append(parts, fmt.Sprint(r, " ", r.Pattern))
		}
		groups = append(groups, parts)
	}
	return groups
}

// slowMatch is the obvious matcher: it keeps every place of the path that the
// pattern so far can end at.
func slowMatch(pattern, path string) bool {
	ends := map[int]bool{0: true}
	for i := range len(pattern) {
		next := make(map[int]bool)
		for at := range ends {
			switch {
			case pattern[i] == '$' && i == len(pattern)-1:
				if at == len(path) {
					next[at] = true
				}
			case pattern[i] == '*':
				for to := at; to <= len(path); to++ {
					next[to] = true
				}
			case at < len(path) && path[at] == pattern[i]:
				next[at+1] = true
			}
		}
		ends = next
	}
	return len(ends) > 0
}

// slowLength returns the length with which a rule matches, or -1.
func slowLength(r Rule, path string) int {
	if slowMatch(r.Pattern, path) {
		return len(r.Pattern)
	}
	if slash := strings.LastIndex(r.Pattern, "/"); r.Allow && slash >= 0 && strings.HasPrefix(r.Pattern[slash:], "/index.htm") {
		if directory := r.Pattern[:slash+1] + "$"; slowMatch(directory, path) {
			return len(directory)
		}
	}
	return -1
}

func FuzzMatch(f *testing.F) {
	f.Add("Disallow: /*a*b$\nAllow: /x/index.html\nDisallow: /x/*\nAllow:\nDisallow: /**/\n", "/x/")
	f.Add("Disallow: /a\nDisallow: /*\nAllow: /a\nDisallow: *$\nAllow: /$$", "/a$")
	f.Fuzz(func(t *testing.T, lines, path string) {
		if len(lines) > 500 || len(path) > 100 {
			return // the slow matcher is cubic
		}
		path = Path(path)
		file := Parse([]byte("User-agent: *\n"+lines), Options{})
		s := file.Select(Agent{Star: true})

		// The running maxima of the published matcher.
		type best struct{ line, length int }
		allow, disallow, total := best{0, -1}, best{0, -1}, 0
		for _, i := range s.Groups {
			for r := range file.Rules(i) {
				length := slowLength(r, path)
				if length >= 0 {
					total++
				}
				side := &disallow
				if r.Allow {
					side = &allow
				}
				if length > side.length {
					*side = best{r.Line, length}
				}
			}
		}
		want := allow
		if disallow.length > allow.length {
			want = disallow
		}
		allowed := max(allow.length, disallow.length) <= 0 || disallow.length <= allow.length

		d := s.Match(path)
		if d.Allowed != allowed || d.Line != want.line || d.Line > 0 && d.Length != want.length {
			t.Fatalf("got allowed %t by line %d of length %d; want %t, %d, %d", d.Allowed, d.Line, d.Length, allowed, want.line, want.length)
		}
		if got, want := d.Reason == TieAllowWins, allow.length > 0 && allow.length == disallow.length; got != want {
			t.Errorf("reason %s; want a tie: %t", d.Reason, want)
		}

		indexed := withIndex(s)
		if got := indexed.Match(path); got != d {
			t.Errorf("got %+v by the index; want %+v", got, d)
		}

		e := s.Explain(path, 3)
		if diff := cmp.Diff(e, indexed.Explain(path, 3)); diff != "" {
			t.Errorf("explained by the index: want -, got +:\n%s", diff)
		}
		if e.Decision != d {
			t.Errorf("Explain decides %+v; Match %+v", e.Decision, d)
		}
		if e.Total != total || len(e.Candidates) != min(total, 3) {
			t.Errorf("got %d candidates of %d; want %d of %d", len(e.Candidates), e.Total, min(total, 3), total)
		}
		for i, c := range e.Candidates {
			if c.Length != slowLength(c.Rule, path) || c.IndexHTML != (c.Length != len(c.Rule.Pattern)) {
				t.Errorf("candidate %+v; want length %d", c, slowLength(c.Rule, path))
			}
			if (i == 0) != (c.Outcome == Wins) || i > 0 && c.Length > e.Candidates[i-1].Length {
				t.Errorf("out of order: %s", candidates(e))
			}
		}

		// The text under the spans is that of the pattern, without gaps.
		at, text := 0, ""
		for _, span := range e.Spans {
			if span.Start != at || span.End <= at {
				t.Errorf("span %+v starts at %d", span, at)
			}
			at = span.End
			if !span.Wildcard {
				text += path[span.Start:span.End]
			}
		}
		if d.Line > 0 {
			pattern := d.Rule.Pattern
			if e.IndexHTML {
				pattern = pattern[:strings.LastIndex(pattern, "/")+1] + "$"
			}
			anchored := strings.HasSuffix(pattern, "$")
			if want := strings.ReplaceAll(strings.TrimSuffix(pattern, "$"), "*", ""); text != want {
				t.Errorf("spans cover %q; want %q", text, want)
			}
			if anchored && at != len(path) {
				t.Errorf("spans end at %d; want %d", at, len(path))
			}
		}
	})
}

func FuzzURL(f *testing.F) {
	f.Add("/a/./b/%2e%2E/\u2713 %zz?x=../y\\#f")
	f.Add("\\..\\\t.\n?")
	f.Fuzz(func(t *testing.T, s string) {
		got := NormalizePath(s)
		if !strings.HasPrefix(got, "/") {
			t.Errorf("%q: got %q; want a leading slash", s, got)
		}
		for _, c := range []byte(got) {
			if c <= ' ' || c >= 0x7F || c == '#' {
				t.Errorf("%q: got %q with byte %#x", s, got, c)
			}
		}
		if again := NormalizePath(got); again != got {
			t.Errorf("%q: got %q, then %q", s, got, again)
		}
		path, _, _ := strings.Cut(got, "?")
		for _, segment := range strings.Split(path, "/") {
			switch strings.ReplaceAll(segment, "%2E", ".") {
			case ".", "..":
				t.Errorf("%q: got %q with dot segments", s, got)
			}
		}
	})
}

func FuzzPath(f *testing.F) {
	f.Add("http://h.example/a;b?c#d")
	f.Add("//h?u=http://x#y")
	f.Fuzz(func(t *testing.T, url string) {
		got := Path(url)
		if !strings.HasPrefix(got, "/") || strings.ContainsAny(got, "#\x00") {
			t.Errorf("%q: got %q", url, got)
		}
		if !strings.Contains(url, got) && !strings.Contains(url, got[1:]) {
			t.Errorf("%q: got %q, which is no part of it", url, got)
		}
	})
}

// FuzzSelect compares groups, merging and verdict with the way in which the
// published matcher walks once through the lines.
func FuzzSelect(f *testing.F) {
	f.Add("User-agent: *\nDisallow: /\nUser-agent: a\nUser-agent: b/1\nAllow: /x\nUser-agent: 1\nDisallow:\nUser-agent: A", "a,b", "/x")
	f.Add("Disallow: /\nUseragent * all\nCrawl-delay: 1\nUser-agent: c\nDisallow: /x", "", "/x")
	f.Fuzz(func(t *testing.T, body, names, path string) {
		if len(body) > 500 || len(path) > 100 {
			return
		}
		path = Path(path)
		file := Parse([]byte(body), Options{})
		agent := Agent{Names: strings.Split(names, ","), Star: true, Cut: true, Merge: true}

		type best struct{ line, length int }
		type pair struct{ allow, disallow best }
		none := pair{best{0, -1}, best{0, -1}}
		specific, global := none, none
		ever := false
		for g := range file.Groups() {
			us, all := false, false
			for a := range file.Agents(g) {
				if a.Star() {
					all = true
					continue
				}
				for _, name := range agent.Names {
					us = us || strings.ToLower(a.Token()) == asciiLower(name)
				}
			}
			ever = ever || us
			side := &global
			if us {
				side = &specific
			} else if !all {
				continue
			}
			for r := range file.Rules(g) {
				b := &side.disallow
				if r.Allow {
					b = &side.allow
				}
				if length := slowLength(r, path); length > b.length {
					*b = best{r.Line, length}
				}
			}
		}
		side := global
		if ever {
			side = specific
		}
		line := side.allow.line
		if side.disallow.length > side.allow.length {
			line = side.disallow.line
		}
		allowed := side.disallow.length <= max(side.allow.length, 0)

		s := file.Select(agent)
		if d := s.Match(path); d.Allowed != allowed || d.Line != line {
			t.Errorf("got allowed %t by line %d; want %t, %d", d.Allowed, d.Line, allowed, line)
		}
		if got := s.Index >= 0; got != ever {
			t.Errorf("named: got %t; want %t", got, ever)
		}
	})
}

func asciiLower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r - 'A' + 'a'
		}
		return r
	}, s)
}
