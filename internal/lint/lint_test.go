package lint

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/whichrule/whichrule/internal/crawlers"
	"github.com/whichrule/whichrule/internal/fetch"
	"github.com/whichrule/whichrule/internal/i18n"
	"github.com/whichrule/whichrule/internal/robots"
)

var update = flag.Bool("update", false, "write what the cases give into their want sections, to be read before it is kept")

// A case is testdata/KIND/NAME.txtar. Its comment says what is in the file and why
// that is, or is not, a finding of the kind. Sections:
//
//	robots.txt  the file, {{N x}} for N times x; "\x" escapes when the section is called robots.quoted
//	paths       tested paths, one a line
//	crawlers    tested crawlers, one a line
//	site        whose file it is
//	outcome     the outcome of the fetch, as JSON
//	want        the findings of the kind, as told writes them; nothing for a near miss
//	changes     what the fixes change: "FIX CRAWLER PATH now VERDICT"
//
// Files in testdata/examples, in the form of those of RFC 9309 and of Google's pages, and
// in testdata/mistakes, with what guides warn of, belong to no kind: their want tells
// every finding.
type testCase struct {
	name, kind string
	archive    *txtar.Archive
	file       string
}

func cases(t testing.TB) []testCase {
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	var all []testCase
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		kind := filepath.Base(filepath.Dir(file))
		name := kind + "/" + strings.TrimSuffix(filepath.Base(file), ".txtar")
		all = append(all, testCase{name, kind, txtar.Parse(b), file})
	}
	return all
}

func (c *testCase) whole() bool { return c.kind == "examples" || c.kind == "mistakes" }

func (c *testCase) section(name string) (string, bool) {
	for _, f := range c.archive.Files {
		if f.Name == name {
			return string(f.Data), true
		}
	}
	return "", false
}

// text gives the robots.txt of the case. That of a quoted section has escapes as Go
// strings have, and no line end that is not written so.
func (c *testCase) text(t testing.TB) []byte {
	if s, ok := c.section("robots.quoted"); ok {
		s, err := strconv.Unquote(`"` + strings.ReplaceAll(strings.ReplaceAll(s, "\n", ""), `"`, `\"`) + `"`)
		if err != nil {
			t.Fatal(err)
		}
		return []byte(s)
	}
	s, ok := c.section("robots.txt")
	if !ok {
		t.Fatal("no robots.txt in the case")
	}
	return []byte(filler.ReplaceAllStringFunc(s, func(s string) string {
		parts := filler.FindStringSubmatch(s)
		n, _ := strconv.Atoi(parts[1])
		return strings.Repeat(parts[2], n)
	}))
}

// filler stands in a robots.txt for what is behind the number, that many times.
var filler = regexp.MustCompile(`\{\{(\d+) ([^}]+)\}\}`)

func (c *testCase) lines(section string) []string {
	s, _ := c.section(section)
	return slices.DeleteFunc(strings.Split(s, "\n"), func(l string) bool { return l == "" })
}

func (c *testCase) input(t testing.TB, text []byte) Input {
	in := inputOf(t, text)
	in.Paths = c.lines("paths")
	for _, name := range c.lines("crawlers") {
		in.Crawlers = append(in.Crawlers, in.Catalogue.Resolve(name))
	}
	if s, ok := c.section("site"); ok {
		site, err := fetch.ParseSite(strings.TrimSpace(s))
		if err != nil {
			t.Fatal(err)
		}
		in.Site = &site.Origin
	}
	if s, ok := c.section("outcome"); ok {
		in.Outcome = new(fetch.Outcome)
		if err := json.Unmarshal([]byte(s), in.Outcome); err != nil {
			t.Fatal(err)
		}
	}
	return in
}

var load = sync.OnceValues(crawlers.Load)

func inputOf(t testing.TB, text []byte) Input {
	catalogue, err := load()
	if err != nil {
		t.Fatal(err)
	}
	return Input{Text: text, File: robots.Parse(text, robots.Options{Limit: robots.GoogleLimit}), Catalogue: catalogue}
}

// of keeps the findings of a kind.
func of(kind string, all []Finding) []Finding {
	return slices.DeleteFunc(all, func(f Finding) bool { return string(f.Kind) != kind })
}

// told writes findings for a want section.
func told(all []Finding) string {
	var b strings.Builder
	for _, f := range all {
		fmt.Fprintf(&b, "%s %s %s\n", f.Severity, ranges(f.Lines), f.Message.ID)
		if len(f.Crawlers) > 0 {
			fmt.Fprintf(&b, "  crawlers %s\n", strings.Join(f.Crawlers, ", "))
		}
		if f.Example != nil {
			fmt.Fprintf(&b, "  example %s %s %s\n", f.Example.Crawler, f.Example.Path, verdict(f.Example.Allowed))
		}
		if f.Fix != nil {
			fmt.Fprintf(&b, "  fix %d -%d\n", f.Fix.Start, f.Fix.Delete)
			for _, l := range f.Fix.Insert {
				fmt.Fprintf(&b, "  + %s\n", l)
			}
		}
	}
	return b.String()
}

func verdict(allowed bool) string {
	if allowed {
		return "allowed"
	}
	return "blocked"
}

// ranges writes ascending numbers as 1-3,7.
func ranges(lines []int) string {
	var parts []string
	for i := 0; i < len(lines); {
		j := i
		for j+1 < len(lines) && lines[j+1] == lines[j]+1 {
			j++
		}
		part := strconv.Itoa(lines[i])
		if j > i {
			part += "-" + strconv.Itoa(lines[j])
		}
		parts = append(parts, part)
		i = j + 1
	}
	if parts == nil {
		return "0"
	}
	return strings.Join(parts, ",")
}

// changes tells which verdicts fixes change, each made alone: of everybody whom the
// file names and some more, for the paths of its rules and of the case.
func (c *testCase) changes(t *testing.T, in Input, found []Finding) string {
	var b strings.Builder
	for i, f := range found {
		if f.Fix == nil {
			continue
		}
		fixed := f.Fix.Apply(in.Text)
		after := c.input(t, fixed)
		for _, g := range of(string(f.Kind), Run(after)) {
			if g.Message.ID == f.Message.ID && cmp.Equal(g.Message, f.Message) && slices.Equal(g.Lines, f.Lines) {
				t.Errorf("the fix of finding %d leaves it:\n%s", i+1, fixed)
			}
		}
		for _, l := range differences(in, after) {
			fmt.Fprintf(&b, "%d %s\n", i+1, l)
		}
	}
	return b.String()
}

// differences tells the verdicts that differ between two files.
func differences(before, after Input) []string {
	names := map[string]bool{"Googlebot": true, "bingbot": true, "GPTBot": true, "*": true}
	paths := map[string]bool{"/": true, "/other": true, "/robots.txt": true}
	for _, in := range []Input{before, after} {
		for _, p := range in.Paths {
			paths[p] = true
		}
		for _, c := range in.Crawlers {
			names[c.Crawler.Token] = true
		}
		for _, r := range newInput(in).records {
			switch r.kind {
			case robots.LineUserAgent:
				names[newInput(in).spelling(r.Value)] = true
			case robots.LineAllow, robots.LineDisallow:
				if p := sample(r.Value); p != "" {
					paths[p], paths[p+"x"] = true, true
				}
			}
		}
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(names)) {
		was, is := newInput(before), newInput(after)
		from, to := was.stars, is.stars
		if name != "*" {
			from, to = was.reader(name), is.reader(name)
		}
		for _, p := range slices.Sorted(maps.Keys(paths)) {
			if now := to.Match(p).Allowed; now != from.Match(p).Allowed {
				out = append(out, fmt.Sprintf("%s %s now %s", name, p, verdict(now)))
			}
		}
	}
	return out
}

func TestCases(t *testing.T) {
	catalogue, err := i18n.Load()
	if err != nil {
		t.Fatal(err)
	}
	words := catalogue.Words("en")
	said := map[string]bool{}
	severities := map[Kind]map[Severity]bool{}
	hits, misses := map[string]bool{}, map[string]bool{}
	all, ran := cases(t), 0
	for _, c := range all {
		t.Run(c.name, func(t *testing.T) {
			ran++
			if len(bytes.TrimSpace(c.archive.Comment)) == 0 {
				t.Error("no comment that says why")
			}
			in := c.input(t, c.text(t))
			found := Run(in)
			if !c.whole() {
				found = of(c.kind, found)
			}
			hits[c.kind] = hits[c.kind] || len(found) > 0
			misses[c.kind] = misses[c.kind] || len(found) == 0
			for _, f := range found {
				if severities[f.Kind] == nil {
					severities[f.Kind] = map[Severity]bool{}
				}
				severities[f.Kind][f.Severity] = true
				for _, m := range messages(f) {
					said[m.ID] = true
					if s := i18n.Plain(string(m.In(words))); s == m.ID || strings.Contains(s, "<no value>") || !words.Has(m.ID) {
						t.Errorf("got %q for %+v", s, m)
					} else {
						t.Log(s)
					}
				}
				checkFinding(t, in, f)
			}
			c.compare(t, "want", told(found))
			c.compare(t, "changes", c.changes(t, in, found))
			if *update {
				if err := os.WriteFile(c.file, txtar.Format(c.archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
	if ran < len(all) {
		return // some were asked for
	}
	for _, c := range checks {
		if !hits[string(c.kind)] || !misses[string(c.kind)] {
			t.Errorf("%s has a true case: %t; a near miss: %t; want both", c.kind, hits[string(c.kind)], misses[string(c.kind)])
		}
		var got []Severity
		for _, s := range []Severity{Problem, Warning, Note} {
			if severities[c.kind][s] {
				got = append(got, s)
			}
		}
		if !slices.Equal(got, c.severities) {
			t.Errorf("%s: got the severities %v in its cases; want %v, as in the table", c.kind, got, c.severities)
		}
		if c.why == "" {
			t.Errorf("%s: nothing in the table says why it has its severities", c.kind)
		}
	}
	for _, id := range MessageIDs() {
		if !said[id] {
			t.Errorf("no case says %s", id)
		}
	}
	for id := range said {
		if !slices.Contains(MessageIDs(), id) {
			t.Errorf("%s is not in the table", id)
		}
	}
}

// compare holds a section against what the case gives.
func (c *testCase) compare(t *testing.T, section, got string) {
	want, ok := c.section(section)
	if *update {
		c.archive.Files = slices.DeleteFunc(c.archive.Files, func(f txtar.File) bool { return f.Name == section })
		if got != "" || section == "want" {
			c.archive.Files = append(c.archive.Files, txtar.File{Name: section, Data: []byte(got)})
		}
		return
	}
	if !ok && section == "want" {
		t.Error("no section want")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", section, diff)
	}
}

func messages(f Finding) []Message {
	all := []Message{f.Message}
	if f.Effect != nil {
		all = append(all, *f.Effect)
	}
	if f.Fix != nil {
		all = append(all, f.Fix.Sentence)
	}
	return all
}

// checkFinding holds a finding against what is true of every one.
func checkFinding(t *testing.T, in Input, f Finding) {
	t.Helper()
	if !strings.HasPrefix(f.Message.ID, "lint."+string(f.Kind)+".") {
		t.Errorf("got the message %s of a %s", f.Message.ID, f.Kind)
	}
	lines := robots.Parse(in.Text, robots.Options{}).Lines() // some findings are about what does not count
	if !slices.IsSorted(f.Lines) || len(slices.Compact(slices.Clone(f.Lines))) != len(f.Lines) || len(f.Lines) > MaxLines || f.LinesTotal < len(f.Lines) {
		t.Errorf("%s: got the lines %v of %d; want them ascending, each once", f.Kind, f.Lines, f.LinesTotal)
	}
	for _, n := range f.Lines {
		if n < 1 || n > lines {
			t.Errorf("%s: got line %d of %d", f.Kind, n, lines)
		}
	}
	if e := f.Example; e != nil {
		s := newInput(in)
		sel := s.stars
		if e.Crawler != "*" {
			sel = s.reader(e.Crawler)
		}
		if got := sel.Match(e.Path).Allowed; got != e.Allowed {
			t.Errorf("%s: the example %s says %t for %s; the engine says %t", f.Kind, e.Path, e.Allowed, e.Crawler, got)
		}
	}
	if x := f.Fix; x != nil {
		if x.Start < 1 || x.Delete < 0 || x.Start+x.Delete > lines+1 {
			t.Errorf("%s: got a fix of %d lines from %d on; the file has %d", f.Kind, x.Delete, x.Start, lines)
		}
		for _, l := range x.Insert {
			if strings.ContainsAny(l, "\r\n") {
				t.Errorf("%s: got a fix with the line %q", f.Kind, l)
			}
		}
	}
	b, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	var back Finding
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	again, _ := json.Marshal(back)
	if !bytes.Equal(b, again) {
		t.Errorf("%s: got %s from JSON; want %s", f.Kind, again, b)
	}
}

// The kinds are those of the JSON report, which others rely on, in its order.
func TestKinds(t *testing.T) {
	want := strings.Fields(`swallowed-group site-closed group-drops-star wide-pattern narrow-pattern case resources-closed
		ignored-line typo agent-list agent-string agent-digits unknown-agent rule-before-group shadowed-rule tie scattered-group
		too-big encoding html long-line sitemap private-path noindex-hidden parsers-disagree generated-by fetch-status wrong-host`)
	var got []string
	for _, k := range Kinds() {
		got = append(got, string(k))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
