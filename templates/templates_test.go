package templates

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/a-h/templ"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"github.com/whichrule/whichrule/internal/i18n"
)

// draw shows a component as a browser reads it.
func draw(t *testing.T, c templ.Component) *goquery.Document {
	t.Helper()
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(markup(t, c)))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func markup(t *testing.T, c templ.Component) string {
	t.Helper()
	words, err := i18n.Load()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := c.Render(i18n.With(context.Background(), words.Words("en")), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// runs is a file of ten lines with a run of every kind.
var runs = []Run{
	{Kind: RunDim, Lines: 2},
	{Kind: RunAgent, Lines: 1},
	{Kind: RunGroup, Lines: 2},
	{Kind: RunLost, Lines: 1, Text: "Allow: /<b>&amp;"},
	{Kind: RunWins, Lines: 1, Label: "wins"},
	{Kind: RunPlain, Lines: 1},
	{Kind: RunCut, Lines: 2, Label: "nothing below counts"},
}

// breaks counts line breaks, and complains of anything else that is drawn
// outside the elements named.
func breaks(t *testing.T, layer *goquery.Selection, but string) int {
	t.Helper()
	n := 0
	layer.Contents().Each(func(_ int, e *goquery.Selection) {
		n += strings.Count(e.Text(), "\n")
		e.Contents().Each(func(_ int, in *goquery.Selection) {
			if in.Nodes[0].Type == html.TextNode && strings.Trim(in.Text(), " \n") != "" {
				t.Errorf("%s holds the text %q", but, in.Text())
			}
		})
	})
	return n
}

// The layers behind and above the text have a line break for each of its
// lines, so that marks stand where the lines are.
func TestLayersAlign(t *testing.T) {
	v := EditorView{Lines: 10, Runs: runs, Text: strings.Repeat("\n", 9)}
	doc := draw(t, Editor(v))
	for _, id := range []string{"marks", "veil"} {
		layer := doc.Find("#" + id)
		if got := breaks(t, layer, id); got != v.Lines {
			t.Errorf("%s: got %d line breaks; want %d", id, got, v.Lines)
		}
		var kinds []string
		at := 1
		layer.Find("span").Each(func(i int, e *goquery.Selection) {
			kinds = append(kinds, e.AttrOr("class", ""))
			if got := strings.Count(e.Text(), "\n"); got != runs[i].Lines {
				t.Errorf("%s: run %d from line %d: got %d line breaks; want %d", id, i, at, got, runs[i].Lines)
			}
			at += runs[i].Lines
		})
		if diff := cmp.Diff([]string{"dim", "agent", "group", "lost", "wins", "plain", "cut"}, kinds); diff != "" {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
	}
	if got, want := doc.Find("#marks .lost u").Text(), "Allow: /<b>&amp;"; got != want {
		t.Errorf("got underlined %q; want %q", got, want)
	}
	// A label stands in its run's first line.
	for _, kind := range []string{"wins", "cut"} {
		if got := doc.Find("#veil ." + kind).Text(); strings.HasPrefix(strings.TrimLeft(got, " "), "\n") {
			t.Errorf("%s: got %q; want the label before the first line break", kind, got)
		}
	}
	if got := doc.Find("#gutter a").Length(); got != v.Lines {
		t.Errorf("got %d line numbers; want %d", got, v.Lines)
	}
	if got := draw(t, Sheet(v)).Find("#outcome").AttrOr("data-wins", ""); got != "7" {
		t.Errorf("got winning line %q; want 7", got)
	}
}

// Layers are decoration: a screen reader reads the text alone.
func TestLayersHidden(t *testing.T) {
	doc := draw(t, Editor(EditorView{Lines: 1, Runs: []Run{{Kind: RunDim, Lines: 1}}}))
	for _, id := range []string{"gutter", "marks", "veil"} {
		if got := doc.Find("#"+id).AttrOr("aria-hidden", ""); got != "true" {
			t.Errorf("%s: got aria-hidden %q; want true", id, got)
		}
	}
	if doc.Find("textarea#robots").AttrOr("aria-label", "") == "" {
		t.Error("the text has no name")
	}
}

// Every line number leads to its line; beyond a bound they are numbers only,
// each in a line of its own.
func TestGutter(t *testing.T) {
	for _, n := range []int{1, 3, maxNumberLinks, maxNumberLinks + 3} {
		doc := draw(t, Gutter(EditorView{Lines: n}))
		var got []string
		doc.Find("a").Each(func(i int, e *goquery.Selection) {
			want := "L" + strconv.Itoa(i+1)
			if id, to := e.AttrOr("id", ""), e.AttrOr("href", ""); id != want || to != "#"+want {
				t.Fatalf("number %d: got %s that leads to %s; want %s that leads to itself", i+1, id, to, want)
			}
			got = append(got, e.Text())
		})
		got = append(got, strings.Fields(doc.Find("pre").Text())...)
		var want []string
		for i := range n {
			want = append(want, strconv.Itoa(i+1))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d lines: got %d numbers; want 1 to %d", n, len(got), n)
		}
		if links := doc.Find("a").Length(); links > maxNumberLinks {
			t.Errorf("%d lines: got %d links; want %d at most", n, links, maxNumberLinks)
		}
	}
}

// A text comes back from a textarea as it went in: HTML drops one line break
// after the tag, so there is one more.
func TestTextareas(t *testing.T) {
	for _, text := range []string{"", "a", "\n", "\n\na\n", " a ", "</textarea><b>", "&amp;&lt;", "\ufeffa", "\ufffd\t✓"} {
		for name, c := range map[string]templ.Component{
			"robots": Editor(EditorView{Text: text}),
			"shared": Editor(EditorView{Text: text, ReadOnly: true}),
			"folded": Sheet(EditorView{Text: text, ReadOnly: true, Folded: true}),
			"url":    URLs(TesterView{URLs: text}),
			"rerun":  Share(ShareView{URLs: text}),
		} {
			doc := draw(t, c)
			area := doc.Find(map[string]string{"robots": "#robots", "shared": "#robots", "folded": "#robots", "url": "#url", "rerun": "textarea[name=url]"}[name])
			if got := area.Text(); got != text {
				t.Errorf("%s: got %q; want %q", name, got, text)
			}
			if doc.Find("b").Length() > 0 {
				t.Errorf("%s: %q became markup", name, text)
			}
		}
	}
}

func TestReadOnly(t *testing.T) {
	for _, readOnly := range []bool{false, true} {
		_, got := draw(t, Editor(EditorView{ReadOnly: readOnly})).Find("#robots").Attr("readonly")
		if got != readOnly {
			t.Errorf("got readonly %t; want %t", got, readOnly)
		}
	}
}

// Sentences are text with marks of two kinds, and nothing that a person typed
// becomes one of them.
func TestRich(t *testing.T) {
	words, err := i18n.Load()
	if err != nil {
		t.Fatal(err)
	}
	w := words.Words("en")
	for _, tt := range []struct {
		name, in, want string
	}{
		{"text", "a < b & c", "a &lt; b &amp; c"},
		{"nothing", "", ""},
		{"code of the message", w.Rich("error.site-empty"), "Type the site whose robots.txt to fetch, for example <code>shop.example.com</code>."},
		{"a value as code", w.Rich("facts.type", "Type", i18n.Code("<b>")), "<code>&lt;b&gt;</code>"},
		{"a value as text", w.Rich("facts.type", "Type", `"<b>'&`), "&#34;&lt;b&gt;&#39;&amp;"},
		{"a line", w.Rich("facts.type", "Type", i18n.Line(8)), `<a class="ln" href="#L8">8</a>`},
		{"lines", w.Rich("facts.type", "Type", w.Lines([][2]int{{7, 9}}, 3)), `<a class="ln" href="#L7">7</a>–<a class="ln" href="#L9">9</a>`},
		{"marks that a person typed", w.Rich("facts.type", "Type", "\ue000x\ue001\ue0028\ue003"), "\ufffdx\ufffd\ufffd8\ufffd"},
		{"blanks stay as they are", " a  b\n", " a  b\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := markup(t, rich(tt.in)); got != tt.want {
				t.Errorf("got %s; want %s", got, tt.want)
			}
		})
	}
}

// The marked URL is the URL: its parts stand side by side.
func TestMarkedURL(t *testing.T) {
	parts := []URLPart{{Text: "https://shop.example.com"}, {"/<shop>/", "literal"}, {"a&b", "wild"}, {"/print", "literal"}, {Text: "?x"}}
	doc := draw(t, Why(WhyView{URL: parts}))
	if got, want := doc.Find(".url").Text(), "https://shop.example.com/<shop>/a&b/print?x"; got != want {
		t.Errorf("got %q; want %q", got, want)
	}
	var marks []string
	doc.Find(".url mark").Each(func(_ int, e *goquery.Selection) {
		marks = append(marks, e.AttrOr("class", "")+" "+e.Text())
	})
	if diff := cmp.Diff([]string{"literal /<shop>/", "wild a&b", "literal /print"}, marks); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A row's URL is cut in two so that its end stays visible; together they are
// the URL.
func TestRowURL(t *testing.T) {
	v := ResultView{Rows: []RowView{{URL: "/a/long/url", Start: "/a/lo", End: "ng/url", Cells: []CellView{{ID: "c1-1", Word: "Blocked", Verdict: "blocked", How: "named", Line: "8", Label: "by its own group", Value: "1.1"}}}}, Cols: []ColView{{Name: "Googlebot"}}}
	doc := draw(t, Result(v))
	th := doc.Find("tbody th")
	if got := th.Text(); got != "/a/long/url" {
		t.Errorf("got %q; want /a/long/url", got)
	}
	if got := th.AttrOr("title", ""); got != "/a/long/url" {
		t.Errorf("got title %q; want /a/long/url", got)
	}
	// A screen reader hears the verdict, the line and how in one go.
	if got, want := strings.Join(strings.Fields(doc.Find("#c1-1").Text()), " "), "✕ Blocked line 8 , by its own group"; got != want {
		t.Errorf("got %q; want %q", got, want)
	}
}

// A cell is a link where an address holds the test, else a button of the form.
func TestCell(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   CellView
		want string // selector
	}{
		{"a link", CellView{ID: "c", Href: "/?site=a&cell=1.1"}, `a#c[href="/?site=a&cell=1.1#why"]:not([aria-current])`},
		{"a button", CellView{ID: "c", Value: "1.1"}, `button#c[name=cell][value="1.1"][formaction="/test#why"]:not([hx-post])`},
		{"the open one", CellView{ID: "c", Value: "1.1", Current: true}, `button#c[aria-current=true]`},
		{"the open link", CellView{ID: "c", Href: "/x", Current: true}, `a#c[aria-current=true]`},
		{"allowed", CellView{ID: "c", Verdict: "allowed", How: "other"}, `#c.v.allowed.other`},
		{"not tested", CellView{ID: "c", Verdict: "not-tested", How: "none"}, `#c.v.not-tested.none`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if draw(t, Cell(tt.in)).Find(tt.want).Length() != 1 {
				t.Errorf("got %s; want %s", markup(t, Cell(tt.in)), tt.want)
			}
		})
	}
	signs := map[string]string{"allowed": "✓", "blocked": "✕", "not-tested": "–"}
	for verdict, want := range signs {
		if got := draw(t, Cell(CellView{Verdict: verdict})).Find("[aria-hidden]").Text(); got != want {
			t.Errorf("%s: got sign %q; want %q", verdict, got, want)
		}
	}
}

// An address that is none of the web is not put into a link.
func TestLinksAreClean(t *testing.T) {
	const bad = "javascript:alert(1)"
	for name, c := range map[string]templ.Component{
		"offer":   Facts(FactsView{Offer: &OfferView{Text: "x", Href: bad}}),
		"source":  Facts(FactsView{Notes: []NoteView{{Text: "x", Source: bad}}}),
		"cell":    Cell(CellView{Href: bad}),
		"share":   Share(ShareView{CSV: bad, JSON: bad}),
		"contact": About(AboutView{Sections: []AboutSection{{Contact: "x", Mail: bad}}}),
	} {
		if strings.Contains(markup(t, c), bad) {
			t.Errorf("%s: the link leads to %s", name, bad)
		}
	}
}

// A field with an error says so to a screen reader.
func TestFieldErrors(t *testing.T) {
	v := TesterView{Errors: map[string]string{"site": "no", "robots": "no", "crawler": "no", "url": "no"}}
	doc := draw(t, Tester(v))
	for _, field := range []string{"site", "robots", "crawler", "url"} {
		if got := doc.Find("#err-" + field + " #e-" + field + "[role=alert]").Length(); got != 1 {
			t.Errorf("%s: got %d messages; want one", field, got)
		}
	}
	for _, id := range []string{"site", "url"} {
		e := doc.Find("#" + id)
		if e.AttrOr("aria-invalid", "") != "true" || e.AttrOr("aria-describedby", "") != "e-"+id {
			t.Errorf("%s is not tied to its message", id)
		}
	}
	doc = draw(t, Tester(TesterView{}))
	if n := doc.Find("[aria-invalid], .error").Length(); n > 0 {
		t.Errorf("without errors: got %d marks of one", n)
	}
}

// Enter in a text field presses the form's first button, which must be the one
// that costs nothing.
func TestFirstButton(t *testing.T) {
	first := draw(t, Tester(TesterView{})).Find("form#tester button").First()
	if first.AttrOr("name", "") != "do" || first.AttrOr("value", "") != "enter" {
		t.Errorf("got %s=%s; want do=enter", first.AttrOr("name", ""), first.AttrOr("value", ""))
	}
}

// Everything that a test answers to is a field of the form.
func TestFormFields(t *testing.T) {
	v := TesterView{Chips: []ChipView{{Value: "Googlebot", Checked: true}}, Nonce: "n", Editor: EditorView{OutcomeID: "o"}, Result: ResultView{Cell: "1.2"}}
	form := draw(t, Tester(v)).Find("form#tester")
	for name, want := range map[string]string{
		"nonce": "n", "outcome": "o", "cell": "1.2", "site": "", "file": "", "crawler": "Googlebot",
	} {
		if got := form.Find("input[name="+name+"]").First().AttrOr("value", ""); got != want {
			t.Errorf("%s: got %q; want %q", name, got, want)
		}
	}
	for _, sel := range []string{
		"textarea[name=robots]", "textarea[name=url]", "button[name=do][value=fetch]", "button[name=do][value=test]",
		"button[name=format][value=csv]", "button[name=format][value=json]", "button[formaction='/share']",
		"button[formenctype='multipart/form-data']", "input[name=crawler][type=text]",
	} {
		if form.Find(sel).Length() == 0 {
			t.Errorf("the form has no %s", sel)
		}
	}
}
