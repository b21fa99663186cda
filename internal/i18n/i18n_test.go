package i18n

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func load(t *testing.T) *Words {
	t.Helper()
	c, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	return c.Words("en")
}

// show writes a message with its marks as <code> and [line].
func show(rich string) string {
	return strings.NewReplacer(codeOpen, "<", codeClose, ">", lineOpen, "[", lineClose, "]").Replace(rich)
}

// The file is read by people who translate it: sorted, with one message once.
func TestFileSorted(t *testing.T) {
	b, err := files.ReadFile("en.json")
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(strings.NewReader(string(b)))
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for d.More() {
		id, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id.(string))
		var message any
		if err := d.Decode(&message); err != nil {
			t.Fatalf("%s: %v", id, err)
		}
	}
	for i := 1; i < len(ids); i++ {
		if ids[i-1] >= ids[i] {
			t.Errorf("%s stands before %s", ids[i-1], ids[i])
		}
	}
	c, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(ids, c.IDs()); diff != "" {
		t.Errorf("ids of the file and of the catalogue (-file +catalogue):\n%s", diff)
	}
	if !strings.HasSuffix(string(b), "}\n") {
		t.Error("the file does not end with a line end")
	}
}

// forms gives every form of every message.
func forms(t *testing.T) map[string]map[string]string {
	t.Helper()
	b, err := files.ReadFile("en.json")
	if err != nil {
		t.Fatal(err)
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(b, &raw); err != nil {
		t.Fatal(err)
	}
	all := map[string]map[string]string{}
	for id, m := range raw {
		var s string
		if json.Unmarshal(m, &s) == nil {
			all[id] = map[string]string{"": s}
			continue
		}
		var f map[string]string
		if err := json.Unmarshal(m, &f); err != nil {
			t.Errorf("%s: %v", id, err)
		}
		all[id] = f
	}
	return all
}

func TestSentences(t *testing.T) {
	for id, fs := range forms(t) {
		for form, s := range fs {
			name := strings.TrimSuffix(id+"/"+form, "/")
			if s == "" {
				t.Errorf("%s is empty", name)
			}
			if strings.ContainsAny(s, `'"`) {
				t.Errorf("%s: %s\nuse ’ “ and ”", name, s)
			}
			if strings.Count(s, "`")%2 != 0 {
				t.Errorf("%s: %s\nhas a backquote too many", name, s)
			}
			if strings.Contains(s, "...") {
				t.Errorf("%s: %s\nuse …", name, s)
			}
			if strings.Contains(s, "  ") {
				t.Errorf("%s: %s\nhas two blanks in a row", name, s)
			}
			if s != strings.TrimSpace(s) && id != "lines.and" {
				t.Errorf("%s: %q\nhas blanks around it", name, s)
			}
			if strings.ContainsAny(s, codeOpen+codeClose+lineOpen+lineClose+"<>") {
				t.Errorf("%s: %s\nholds marks or markup", name, s)
			}
			if strings.Count(s, "“") != strings.Count(s, "”") {
				t.Errorf("%s: %s\nhas a quotation mark too many", name, s)
			}
		}
	}
}

var value = regexp.MustCompile(`\{\{\.([A-Za-z]+)\}\}`)

// values gives the names of the values in a sentence.
func values(s string) map[string]bool {
	names := map[string]bool{}
	for _, m := range value.FindAllStringSubmatch(s, -1) {
		names[m[1]] = true
	}
	return names
}

// A message with plural forms has those that English has. What "one" tells,
// "other" tells too, but for a line or a path, of which there are several then.
func TestPluralForms(t *testing.T) {
	for id, fs := range forms(t) {
		if len(fs) == 1 && fs[""] != "" {
			continue
		}
		if fs["one"] == "" || fs["other"] == "" || len(fs) != 2 {
			t.Errorf("%s: got forms %v; want one and other", id, fs)
		}
		one, other := values(fs["one"]), values(fs["other"])
		for name := range one {
			if !other[name] && name != "Line" && name != "Path" {
				t.Errorf("%s: one has {{.%s}}, other has not", id, name)
			}
		}
	}
	w := load(t)
	for _, tt := range []struct {
		n    int
		want string
	}{{0, "0 lines"}, {1, "1 line"}, {2, "2 lines"}, {1000, "1,000 lines"}} {
		if got := w.T("facts.lines", "N", tt.n); got != tt.want {
			t.Errorf("N = %d: got %q; want %q", tt.n, got, tt.want)
		}
	}
}

// A message without plural forms stands for every number.
func TestNumberWithoutForms(t *testing.T) {
	w := load(t)
	for _, n := range []int{0, 1, 2} {
		if got, want := w.T("tester.test", "N", n), "Test"; got != want {
			t.Errorf("N = %d: got %q; want %q", n, got, want)
		}
	}
}

func TestUnknownMessage(t *testing.T) {
	w := load(t)
	if w.Has("no.such.message") {
		t.Error("has a message that does not exist")
	}
	if !w.Has("tester.test") {
		t.Error("has not a message that exists")
	}
	if got, want := w.T("no.such.message"), "no.such.message"; got != want {
		t.Errorf("got %q; want %q", got, want)
	}
}

// What a person typed cannot change how a sentence looks.
func TestValuesCarryNoMarks(t *testing.T) {
	w := load(t)
	for _, tt := range []struct {
		name string
		in   any
		want string // the value as shown
	}{
		{"text", "a", "a"},
		{"code", Code("a"), "<a>"},
		{"a line", Line(7), "[7]"},
		{"a number", 7, "7"},
		{"our own marks", w.Lines([][2]int{{1, 2}}, 2), "[1]–[2]"},
		{"marks in text", "a" + codeOpen + "b" + codeClose + lineOpen + "c" + lineClose, "a\ufffdb\ufffd\ufffdc\ufffd"},
		{"marks in code", Code(codeClose + "b" + lineOpen), "<\ufffdb\ufffd>"},
		{"backquotes", "`a`", "`a`"},
		{"markup", "<b>&amp;</b>", "<b>&amp;</b>"},
		{"a template", "{{.N}}", "{{.N}}"},
		{"a template in code", Code("{{.N}}"), "<{{.N}}>"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := show(w.Rich("facts.type", "Type", tt.in)); got != tt.want {
				t.Errorf("got %q; want %q", got, tt.want)
			}
		})
	}
}

// Plain text has no marks left.
func TestPlain(t *testing.T) {
	w := load(t)
	args := []any{"Got", Code("ftp://x")}
	const want = "ftp://x cannot be fetched: only http and https addresses have a robots.txt that we can ask for."
	if got := w.T("error.site-scheme", args...); got != want {
		t.Errorf("T: got %q; want %q", got, want)
	}
	if got := Plain(w.Rich("error.site-scheme", args...)); got != want {
		t.Errorf("Plain: got %q; want %q", got, want)
	}
}

func TestSegments(t *testing.T) {
	text := func(s string) Segment { return Segment{Text: s} }
	code := func(s string) Segment { return Segment{Text: s, Code: true} }
	line := func(s string) Segment { return Segment{Text: s, Line: true} }
	for _, tt := range []struct {
		name, in string
		want     []Segment
	}{
		{"nothing", "", nil},
		{"text", "a b", []Segment{text("a b")}},
		{"code", codeOpen + "a" + codeClose, []Segment{code("a")}},
		{"code amid text", "a " + codeOpen + "b" + codeClose + " c", []Segment{text("a "), code("b"), text(" c")}},
		{"a line", "in " + lineOpen + "7" + lineClose + ".", []Segment{text("in "), line("7"), text(".")}},
		{"side by side", codeOpen + "a" + codeClose + lineOpen + "1" + lineClose, []Segment{code("a"), line("1")}},
		{"empty code", "a" + codeOpen + codeClose + "b", []Segment{text("a"), text("b")}},
		{"beyond ASCII", codeOpen + "✓é" + codeClose, []Segment{code("✓é")}},
		{"never closed", codeOpen + "a", []Segment{code("a")}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Segments(tt.in)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestLines(t *testing.T) {
	w := load(t)
	for _, tt := range []struct {
		name  string
		in    [][2]int
		total int
		want  string
	}{
		{"none", nil, 0, ""},
		{"one", [][2]int{{8, 8}}, 1, "[8]"},
		{"a run", [][2]int{{7, 9}}, 3, "[7]–[9]"},
		{"two", [][2]int{{1, 1}, {3, 3}}, 2, "[1] and [3]"},
		{"three", [][2]int{{1, 1}, {3, 4}, {9, 9}}, 4, "[1], [3]–[4] and [9]"},
		{"five", [][2]int{{1, 1}, {3, 3}, {5, 5}, {7, 7}, {9, 9}}, 5, "[1], [3], [5], [7] and [9]"},
		{"more than five: lines are counted, not runs", [][2]int{{1, 1}, {3, 3}, {5, 5}, {7, 7}, {9, 9}, {11, 13}, {20, 20}}, 9, "[1], [3], [5], [7], [9] and 4 more"},
		{"runs that were not kept count too", [][2]int{{1, 2}, {4, 4}, {6, 6}, {8, 8}, {10, 10}, {12, 12}}, 2000, "[1]–[2], [4], [6], [8], [10] and 1,994 more"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := show(string(w.Lines(tt.in, tt.total))); got != tt.want {
				t.Errorf("got %q; want %q", got, tt.want)
			}
		})
	}
}

func TestBytes(t *testing.T) {
	w := load(t)
	for _, tt := range []struct {
		in   int
		want string
	}{
		{0, "0 bytes"},
		{1, "1 byte"},
		{1023, "1,023 bytes"},
		{1024, "1.0 KiB"},
		{1536, "1.5 KiB"},
		{10*1024 - 1, "10 KiB"},
		{10 * 1024, "10 KiB"},
		{512_000, "500 KiB"},
		{1 << 20, "1,024 KiB"},
	} {
		if got := w.Bytes(tt.in); got != tt.want {
			t.Errorf("%d: got %q; want %q", tt.in, got, tt.want)
		}
	}
}

func TestNumber(t *testing.T) {
	w := load(t)
	for in, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 60000: "60,000", 1234567: "1,234,567"} {
		if got := w.Number(in); got != want {
			t.Errorf("%d: got %q; want %q", in, got, want)
		}
	}
}

// Moments are worded in UTC, wherever they were taken.
func TestTime(t *testing.T) {
	w := load(t)
	at := time.Date(2026, 3, 1, 1, 5, 59, 0, time.FixedZone("", 2*60*60))
	if got, want := w.Time(at), "28 February 2026, 23:05 UTC"; got != want {
		t.Errorf("got %q; want %q", got, want)
	}
	if got, want := w.Clock(at), "23:05 UTC"; got != want {
		t.Errorf("got %q; want %q", got, want)
	}
}

// English is there whatever a reader asks for.
func TestLanguages(t *testing.T) {
	c, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, accept := range []string{"", "en", "xx", "de-AT,en;q=0.5", "*", ";;;q=", strings.Repeat("a,", 10_000)} {
		w := c.Words(accept)
		if got := w.T("tester.test"); got != "Test" || w.Lang != "en" {
			t.Errorf("Accept-Language %.20q: got %q in %s; want English", accept, got, w.Lang)
		}
	}
}

func TestContext(t *testing.T) {
	ctx := With(context.Background(), load(t))
	if got := T(ctx, "tester.test"); got != "Test" {
		t.Errorf("got %q; want %q", got, "Test")
	}
}

// Pages and programs get one sentence in two forms: the marks are the only
// difference.
func TestMarksOnly(t *testing.T) {
	w := load(t)
	for _, id := range w.c.IDs() {
		var b strings.Builder
		for _, s := range Segments(w.Rich(id, "N", 2)) {
			b.WriteString(s.Text)
		}
		if got := w.T(id, "N", 2); got != b.String() {
			t.Errorf("%s: got %q as text and %q in segments", id, got, b.String())
		}
	}
	if !slices.IsSorted(w.c.IDs()) {
		t.Error("ids are not sorted")
	}
}

func TestSpan(t *testing.T) {
	w := load(t)
	for _, tt := range []struct {
		in   time.Duration
		want string
	}{
		{0, "0 seconds"},
		{time.Second, "1 second"},
		{90 * time.Second, "90 seconds"},
		{time.Minute, "1 minute"},
		{time.Hour, "1 hour"},
		{90 * time.Minute, "90 minutes"},
		{24 * time.Hour, "1 day"},
		{36 * time.Hour, "36 hours"},
		{100_000 * time.Second, "28 hours"},
		{365*24*time.Hour + time.Second, "365 days"},
	} {
		if got := w.Span(tt.in); got != tt.want {
			t.Errorf("%v: got %q; want %q", tt.in, got, tt.want)
		}
	}
}
