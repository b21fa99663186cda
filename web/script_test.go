package web_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"github.com/whichrule/whichrule/internal/testkit"
)

// The files in testdata are the site's manual, one topic each, and the tests
// of what they say. A file has a site of its own, and its cases run one after
// the other. A case is a comment, a request and what has to come back:
//
//	# What the case shows.
//	> POST /test                   method and address
//	> Accept: application/json     a header
//	| robots "User-agent: *\n"     a field of the form, quoted or as it stands
//	| @file robots.txt "..."       an uploaded file
//	| = a=b                        the body as it stands
//	< 200                          the status; from here on the answer is checked
//	< Vary: Accept                 a header; "< !Name" for none, "~" for a part
//	has TEXT, not TEXT             somewhere in the body, nowhere
//	line 2 = TEXT                  the second line of the body
//	json results.0.line = 4        also #, for the length, and ~, !
//	css .cell.blocked = Blocked    the text of the first element, blanks joined;
//	                               == for the text as it stands, ~ for a part of
//	                               all of them, !~ for none, # for how many;
//	                               "css a @href = /x" for an attribute
//	keep id = json id              into {id}; also "css SELECTOR @attr", "header NAME"
//
// Before a request stand what the world is like: "config NAME VALUE" at the top
// of a file, "site file TEXT" and the like for the site that is fetched, at
// {site}, "clock 6m" for time that goes by, "asked 2" for how many requests the
// site has seen so far.
type script struct {
	*world
	vars map[string]string
	resp *http.Response
	body string
	doc  *goquery.Document
	data any

	method, target string
	header         http.Header
	fields         [][2]string
	files          [][3]string
	raw            *string
}

func TestScripts(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			t.Parallel()
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			runScript(t, path, string(b))
		})
	}
}

type line struct {
	n    int
	text string
}

// runScript cuts a file into cases, each with the comment before it, and runs
// them in one world.
func runScript(t *testing.T, path, text string) {
	var cases [][]line
	config := map[string]string{}
	inComment := false
	for i, l := range strings.Split(text, "\n") {
		comment := strings.HasPrefix(l, "#")
		if comment && !inComment {
			cases = append(cases, nil)
		}
		inComment = comment
		switch {
		case strings.TrimSpace(l) == "":
		case strings.HasPrefix(l, "config "):
			key, value, _ := strings.Cut(strings.TrimPrefix(l, "config "), " ")
			config[key] = value
		case len(cases) == 0:
			t.Fatalf("%s:%d: a case starts with a comment", path, i+1)
		default:
			last := len(cases) - 1
			cases[last] = append(cases[last], line{i + 1, l})
		}
	}
	s := &script{world: newWorld(t, config)}
	s.vars = map[string]string{"site": s.origin.Origin(), "port": strconv.Itoa(s.origin.Port()), "host": strings.TrimPrefix(s.server.URL, "http://"), "base": s.server.URL, "escaped": url.QueryEscape(s.origin.Origin())}
	for _, c := range cases {
		if strings.HasPrefix(c[len(c)-1].text, "#") {
			continue // about the file
		}
		ok := t.Run(strings.TrimSpace(strings.TrimPrefix(c[0].text, "#")), func(t *testing.T) {
			at := 0
			defer func() {
				if t.Failed() {
					t.Logf("%s:%d: %s", path, at, c[0].text)
				}
			}()
			for _, l := range c {
				at = l.n
				if !strings.HasPrefix(l.text, "#") {
					s.do(t, fmt.Sprintf("%s:%d: %s", path, l.n, l.text), l.text)
				}
			}
		})
		if !ok && s.resp == nil {
			break
		}
	}
	s.checkLog(t)
}

// do does what one line says. where stands before complaints.
func (s *script) do(t *testing.T, where, text string) {
	t.Helper()
	verb, rest, _ := strings.Cut(text, " ")
	rest = s.expand(t, where, rest)
	switch verb {
	case ">":
		if name, value, ok := strings.Cut(rest, ": "); ok && !strings.Contains(name, " ") {
			s.header.Add(name, unquote(value))
			return
		}
		s.method, s.target, _ = strings.Cut(rest, " ")
		s.header, s.fields, s.files, s.raw, s.resp = http.Header{}, nil, nil, nil, nil
	case "|":
		name, value, _ := strings.Cut(rest, " ")
		switch name {
		case "=":
			value = unquote(value)
			s.raw = &value
		case "@file":
			file, content, _ := strings.Cut(value, " ")
			s.files = append(s.files, [3]string{"file", file, unquote(content)})
		default:
			s.fields = append(s.fields, [2]string{name, unquote(value)})
		}
	case "<":
		if code, err := strconv.Atoi(rest); err == nil {
			s.send(t)
			if s.resp.StatusCode != code {
				t.Errorf("%s\ngot %d; want %d\n%.2000s", where, s.resp.StatusCode, code, s.body)
			}
			return
		}
		s.wantHeader(t, where, rest)
	case "has":
		if v := unquote(rest); !strings.Contains(s.body, v) {
			t.Errorf("%s\nnot in %.4000s", where, s.body)
		}
	case "not":
		if v := unquote(rest); strings.Contains(s.body, v) {
			t.Errorf("%s\nfound in %.4000s", where, s.body)
		}
	case "line":
		n, want, _ := strings.Cut(rest, " = ")
		i, err := strconv.Atoi(n)
		got := strings.Split(s.body, "\n")
		if err != nil || i < 1 || i > len(got) || strings.TrimSuffix(got[i-1], "\r") != unquote(want) {
			t.Errorf("%s\nthe body is\n%.2000s", where, s.body)
		}
	case "json":
		s.wantJSON(t, where, rest)
	case "css":
		s.wantCSS(t, where, rest)
	case "keep":
		name, from, _ := strings.Cut(rest, " = ")
		v := s.find(t, where, from)
		if v == "" {
			t.Fatalf("%s\nfound nothing in %.2000s", where, s.body)
		}
		s.vars[name] = v
	case "site":
		s.serve(t, where, rest)
	case "clock":
		d, err := time.ParseDuration(rest)
		if err != nil {
			t.Fatalf("%s: %v", where, err)
		}
		s.clock.advance(d)
	case "asked":
		if got := strconv.Itoa(s.origin.Count()); got != rest {
			t.Errorf("%s\ngot %s requests", where, got)
		}
	default:
		t.Fatalf("%s\nwhat is this?", where)
	}
}

// send sends the request that the lines before described, and looks at the
// answer for what holds for all of them.
func (s *script) send(t *testing.T) {
	t.Helper()
	var body bytes.Buffer
	switch {
	case s.raw != nil:
		body.WriteString(*s.raw)
	case len(s.files) > 0 || s.header.Get("Content-Type") == "multipart/form-data":
		m := multipart.NewWriter(&body)
		for _, f := range s.fields {
			_ = m.WriteField(f[0], f[1])
		}
		for _, f := range s.files {
			w, err := m.CreateFormFile(f[0], strings.Trim(f[1], `"`))
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.WriteString(w, f[2])
		}
		_ = m.Close()
		s.header.Set("Content-Type", m.FormDataContentType())
	case s.fields != nil:
		var pairs []string
		for _, f := range s.fields {
			pairs = append(pairs, url.QueryEscape(f[0])+"="+url.QueryEscape(f[1]))
		}
		body.WriteString(strings.Join(pairs, "&"))
		if s.header.Get("Content-Type") == "" {
			s.header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
	}
	for _, f := range s.fields {
		s.private(f[1])
	}
	for _, f := range s.files {
		s.private(f[2])
	}
	s.private(s.header.Get("X-Client"))
	if _, query, ok := strings.Cut(s.target, "?"); ok {
		s.private(query)
	}
	target := s.server.URL + strings.TrimPrefix(s.target, s.server.URL)
	req, err := http.NewRequestWithContext(t.Context(), s.method, target, &body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header = s.header
	if host := s.header.Get("Host"); host != "" {
		req.Host = host
	}
	s.resp, s.body = s.roundTrip(t, req)
	s.doc, s.data = nil, nil
	s.always(t, s.method+" "+s.target, s.resp, s.body)
}

func (s *script) wantHeader(t *testing.T, where, rest string) {
	t.Helper()
	if name, ok := strings.CutPrefix(rest, "!"); ok {
		if v, ok := s.resp.Header[http.CanonicalHeaderKey(name)]; ok {
			t.Errorf("%s\ngot %q", where, v)
		}
		return
	}
	if name, part, ok := strings.Cut(rest, " ~ "); ok {
		if got := s.resp.Header.Get(name); !strings.Contains(got, unquote(part)) {
			t.Errorf("%s\ngot %q", where, got)
		}
		return
	}
	name, want, _ := strings.Cut(rest, ": ")
	if got := s.resp.Header.Get(name); got != unquote(want) {
		t.Errorf("%s\ngot %q", where, got)
	}
}

// cutOp cuts a line at its operator, which has a blank on both sides.
func cutOp(s string, ops ...string) (left, op, right string) {
	best := len(s)
	for _, o := range ops {
		if i := strings.Index(s+" ", " "+o+" "); i >= 0 && i < best {
			best, op = i, o
		}
	}
	if op == "" {
		return s, "", ""
	}
	return s[:best], op, strings.TrimPrefix(s[best+1+len(op):], " ")
}

func (s *script) wantJSON(t *testing.T, where, rest string) {
	t.Helper()
	path, op, want := cutOp(rest, "=", "#", "~", "!")
	got, ok := s.json(t, where, path)
	if !ok && op != "!" {
		t.Errorf("%s\nnot there in %.2000s", where, s.body)
		return
	}
	switch op {
	case "=":
		var w any
		if err := json.Unmarshal([]byte(want), &w); err != nil {
			t.Fatalf("%s: %v", where, err)
		}
		if !reflect.DeepEqual(got, w) {
			t.Errorf("%s\ngot %v", where, got)
		}
	case "#":
		n := -1
		switch g := got.(type) {
		case []any:
			n = len(g)
		case map[string]any:
			n = len(g)
		case string:
			n = len(g)
		}
		if strconv.Itoa(n) != want {
			t.Errorf("%s\ngot %d", where, n)
		}
	case "~":
		if g, _ := got.(string); !strings.Contains(g, unquote(want)) {
			t.Errorf("%s\ngot %v", where, got)
		}
	case "!":
		if ok {
			t.Errorf("%s\ngot %v; want nothing there", where, got)
		}
	default:
		t.Fatalf("%s\nno operator", where)
	}
}

// json finds a value by its path, parts joined by dots.
func (s *script) json(t *testing.T, where, path string) (any, bool) {
	t.Helper()
	if s.data == nil {
		if err := json.Unmarshal([]byte(s.body), &s.data); err != nil {
			t.Fatalf("%s\nno JSON: %v\n%.2000s", where, err, s.body)
		}
	}
	v := s.data
	for part := range strings.SplitSeq(path, ".") {
		switch x := v.(type) {
		case map[string]any:
			next, ok := x[part]
			if !ok {
				return nil, false
			}
			v = next
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i >= len(x) {
				return nil, false
			}
			v = x[i]
		default:
			return nil, false
		}
	}
	return v, true
}

func (s *script) wantCSS(t *testing.T, where, rest string) {
	t.Helper()
	sel, op, want := cutOp(rest, "=", "==", "~", "!~", "#")
	sel, attr, _ := strings.Cut(sel, " @")
	found := s.css(t, where, sel)
	if op == "#" {
		if got := strconv.Itoa(found.Length()); got != want {
			t.Errorf("%s\ngot %s", where, got)
		}
		return
	}
	if found.Length() == 0 && op != "!~" {
		t.Errorf("%s\nno such element in %.6000s", where, s.body)
		return
	}
	want = unquote(want)
	one, all := found.First().Text(), found.Text()
	if attr != "" {
		one = found.First().AttrOr(attr, "(no such attribute)")
		all = one
	}
	switch op {
	case "=":
		if got := strings.Join(strings.Fields(one), " "); got != want {
			t.Errorf("%s\ngot %q", where, got)
		}
	case "==":
		if one != want {
			t.Errorf("%s\ngot %.2000q", where, one)
		}
	case "~":
		if got := strings.Join(strings.Fields(all), " "); !strings.Contains(got, want) {
			t.Errorf("%s\ngot %.2000q", where, got)
		}
	case "!~":
		if got := strings.Join(strings.Fields(all), " "); strings.Contains(got, want) {
			t.Errorf("%s\ngot %.2000q", where, got)
		}
	default:
		t.Fatalf("%s\nno operator", where)
	}
}

func (s *script) css(t *testing.T, where, sel string) *goquery.Selection {
	t.Helper()
	if s.doc == nil {
		doc, err := goquery.NewDocumentFromReader(strings.NewReader(s.body))
		if err != nil {
			t.Fatalf("%s: %v", where, err)
		}
		s.doc = doc
	}
	return s.doc.Find(sel)
}

// find gives what a keep line names.
func (s *script) find(t *testing.T, where, from string) string {
	t.Helper()
	kind, rest, _ := strings.Cut(from, " ")
	switch kind {
	case "json":
		v, _ := s.json(t, where, rest)
		str, _ := v.(string)
		return str
	case "header":
		return s.resp.Header.Get(rest)
	case "css":
		sel, attr, _ := strings.Cut(rest, " @")
		found := s.css(t, where, sel).First()
		if attr == "" {
			return found.Text()
		}
		return found.AttrOr(attr, "")
	}
	t.Fatalf("%s\nkeep what?", where)
	return ""
}

var braces = regexp.MustCompile(`\{([a-z]+)(?::(\d+):([^{}]*))?\}`)

// expand puts in what stands in braces: a kept value, {repeat:3:ab} for ababab,
// {lines:2:/p} for "/p1\n/p2\n" inside quotes.
func (s *script) expand(t *testing.T, where, text string) string {
	t.Helper()
	return braces.ReplaceAllStringFunc(text, func(m string) string {
		p := braces.FindStringSubmatch(m)
		n, _ := strconv.Atoi(p[2])
		switch {
		case p[1] == "repeat":
			return strings.Repeat(p[3], n)
		case p[1] == "lines":
			var b strings.Builder
			for i := range n {
				fmt.Fprintf(&b, `%s%d\n`, p[3], i+1)
			}
			return b.String()
		case s.vars[p[1]] != "":
			return s.vars[p[1]]
		}
		t.Fatalf("%s\nnothing was kept as %s", where, m)
		return ""
	})
}

// unquote reads a Go string, or gives the text as it stands.
func unquote(s string) string {
	if strings.HasPrefix(s, `"`) {
		if v, err := strconv.Unquote(s); err == nil {
			return v
		}
	}
	return s
}

// serve makes the site answer differently from now on.
func (s *script) serve(t *testing.T, where, text string) {
	t.Helper()
	verb, rest, _ := strings.Cut(text, " ")
	arg, more, _ := strings.Cut(rest, " ")
	n, _ := strconv.Atoi(arg)
	switch verb {
	case "file":
		s.origin.File(unquote(rest))
	case "type":
		s.origin.Serve(testkit.Typed(strings.ReplaceAll(arg, "_", " "), unquote(more)))
	case "status":
		s.origin.Status(n)
	case "redirect":
		s.origin.Serve(testkit.Redirect(n, more))
	case "chain":
		s.origin.Serve(testkit.RedirectChain(n, testkit.File(unquote(more))))
	case "slow":
		s.origin.Serve(testkit.SlowHeader())
	case "reset":
		s.origin.Serve(testkit.Reset())
	case "endless":
		s.origin.Serve(testkit.EndlessBody(unquote(rest)))
	case "challenge":
		s.origin.Serve(testkit.CloudflareChallenge())
	case "elsewhere": // every host but arg redirects there
		s.origin.Serve(func(w http.ResponseWriter, r *http.Request) {
			if r.Host != arg {
				http.Redirect(w, r, "http://"+arg+r.URL.Path, http.StatusMovedPermanently)
				return
			}
			testkit.File(unquote(more))(w, r)
		})
	case "cached":
		s.origin.Serve(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Cache-Control", arg)
			testkit.File(unquote(more))(w, r)
		})
	case "stop":
		s.origin.Stop()
	default:
		t.Fatalf("%s\nserve what?", where)
	}
}
