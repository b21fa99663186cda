package web

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"

	"github.com/whichrule/whichrule/internal/tester"
)

// Bounds on the body of a request, in bytes.
const (
	// maxPaste is for a form with a text of one's own: one that escapes every
	// byte of the largest text (three for one), its URLs, and room to spare, so
	// that a text over its own bound can be named and given back.
	maxPaste = 5 << 20
	// maxBody is for one that gives back a file that was fetched, and names it:
	// a byte that is no UTF-8, and NUL, comes as U+FFFD, which is nine bytes
	// escaped, a line end as six; with URLs, each byte escaped, and 1 MiB for
	// all else.
	maxBody = 9*tester.MaxText + 3*tester.MaxURLBytes + 1<<20
)

// The forms in which a result is given.
type format int

const (
	formatHTML format = iota
	formatJSON
	formatCSV
)

// form is the fields of /test and /share as sent.
type form struct {
	robots   string
	site     string
	crawlers []string // split, each as typed
	presets  []string // sets of crawlers, by id
	fix      int      // number of the finding whose fix is to be made, from 1; 0 for none, -1 for nonsense
	urls     string   // newline separated, as typed
	do       tester.Do
	outcome  string
	cell     tester.Cell
	page     int  // of a large table, from 1; 0 for none asked for
	unfolded bool // all lines of a share are asked for
	nonce    string
	simulate string // the answer that the server is pretended to give, as typed
	taken    bool   // robots is not what stood in the editor, but a copy shown beside it
}

// readForm reads the fields of a POST. The form is as complete as it can be
// even with an error, so that the page can give back what was typed.
func readForm(w http.ResponseWriter, r *http.Request) (form, error) {
	if err := parseBody(w, r); err != nil {
		return form{}, err
	}
	f := formOf(r.PostForm)
	if r.MultipartForm != nil {
		text, ok, err := readFile(r.MultipartForm)
		if err != nil {
			return f, err
		}
		if ok {
			f.robots, f.outcome = text, ""
		}
	}
	if last(r.PostForm["take"]) == "stale" {
		f.robots, f.outcome, f.taken = last(r.PostForm["stale"]), "", true
	}
	f.robots = strings.ReplaceAll(f.robots, "\r\n", "\n")
	if r.PostForm.Get("example") != "" {
		f.leaveExample(last(r.PostForm["do"]))
	}
	return f, nil
}

// enter is the value of do when a person presses Enter in a text field of a
// page without scripts: a test, or what leaveExample makes of it.
const enter = "enter"

// leaveExample reads a form that started with the example. A site typed above
// the untouched example, and Enter, is a wish to fetch; the example's URLs say
// nothing about a site that is fetched.
func (f *form) leaveExample(do string) {
	if do == enter && strings.TrimSpace(f.site) != "" && f.robots == exampleText {
		f.do = tester.DoFetch
	}
	if f.do != tester.DoTest && f.urls == exampleURLs {
		f.urls = ""
	}
}

// parseBody parses a body of either kind.
func parseBody(w http.ResponseWriter, r *http.Request) error {
	t, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch t {
	case "", "application/x-www-form-urlencoded", "multipart/form-data":
	default:
		return &problem{Status: http.StatusBadRequest, Kind: "content-type"}
	}
	body, err := receive(w, r)
	defer body.free()
	var (
		known    *problem
		tooLarge *http.MaxBytesError
	)
	switch {
	case errors.As(err, &known), errors.As(err, &tooLarge), r.Context().Err() != nil:
		return err
	case err != nil:
		return &problem{Status: http.StatusBadRequest, Kind: "form", Log: err}
	}
	if err := take(r.Context(), perBodyByte*body.size); err != nil {
		return err
	}
	// ParseForm has a bound of its own for readers without one.
	r.Body = http.MaxBytesReader(w, body.reader(), maxBody)
	// Not ParseMultipartForm alone: it hides the error of the other kind.
	err = r.ParseForm()
	if err == nil && t == "multipart/form-data" {
		err = r.ParseMultipartForm(maxBody)
	}
	r.Body = http.NoBody // so that the pieces can go
	switch {
	case err != nil:
		return &problem{Status: http.StatusBadRequest, Kind: "form", Log: err}
	case body.size > maxPaste && last(r.PostForm["outcome"]) == "":
		return &http.MaxBytesError{Limit: maxPaste}
	}
	return nil
}

// readFile reads the uploaded file; an empty file field is no upload.
func readFile(m *multipart.Form) (string, bool, error) {
	files := m.File["file"]
	if len(files) == 0 || files[0].Filename == "" {
		return "", false, nil
	}
	f, err := files[0].Open()
	if err != nil {
		return "", false, fmt.Errorf("open upload: %w", err)
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		return "", false, fmt.Errorf("read upload: %w", err)
	}
	return string(b), true, nil
}

// formOf reads the fields that a query and a body share.
func formOf(v url.Values) form {
	f := form{
		robots:   last(v["robots"]),
		site:     last(v["site"]),
		urls:     strings.Join(v["url"], "\n"),
		do:       tester.DoTest,
		outcome:  last(v["outcome"]),
		cell:     readCell(last(v["cell"])),
		page:     readPage(last(v["page"])),
		nonce:    last(v["nonce"]),
		simulate: last(v["simulate"]),
		presets:  v["preset"],
		fix:      readFix(last(v["fix"])),
	}
	f.urls = strings.ReplaceAll(f.urls, "\r\n", "\n")
	for _, c := range v["crawler"] {
		f.crawlers = append(f.crawlers, splitCrawlers(c)...)
	}
	switch do := tester.Do(last(v["do"])); do {
	case tester.DoFetch, tester.DoRefetch:
		f.do = do
	}
	return f
}

// readQuery reads the query of an address; one that cannot be read is refused,
// rather than answered as if a part of it were not there.
func readQuery(r *http.Request) (url.Values, error) {
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, &problem{Status: http.StatusBadRequest, Kind: "form", Log: err}
	}
	return q, nil
}

// last gives the last value: the pressed button's, which stands behind a
// hidden field of the same name.
func last(vs []string) string {
	if len(vs) == 0 {
		return ""
	}
	return vs[len(vs)-1]
}

// splitCrawlers splits at newlines, then each line at commas, unless it holds
// "(": then it is one full user-agent string.
func splitCrawlers(s string) []string {
	var out []string
	for _, l := range strings.Split(s, "\n") {
		names := []string{l}
		if !strings.Contains(l, "(") {
			names = strings.Split(l, ",")
		}
		for _, n := range names {
			if n = strings.TrimSpace(n); n != "" {
				out = append(out, n)
			}
		}
	}
	return out
}

// readCell reads ROW.COL, both from 1; anything else is no cell.
func readCell(s string) tester.Cell {
	row, col, ok := strings.Cut(s, ".")
	r, errR := strconv.Atoi(row)
	c, errC := strconv.Atoi(col)
	if !ok || errR != nil || errC != nil || r < 1 || c < 1 {
		return tester.Cell{}
	}
	return tester.Cell{Row: r, Col: c}
}

// readPage reads the number of a page; what is below the first page means the
// first, and what is no number is none.
func readPage(s string) int {
	n, err := strconv.Atoi(s) // too large a number is the largest
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0
	}
	return max(n, 1)
}

// readFix reads the index of a finding, from 0, as its number from 1.
func readFix(s string) int {
	if s == "" {
		return 0
	}
	n, err := strconv.ParseUint(s, 10, 16)
	if err != nil {
		return -1
	}
	return int(n) + 1
}

// request makes the test that the form asks for.
func (f form) request() tester.Request {
	return tester.Request{
		Text:     []byte(f.robots),
		Site:     f.site,
		Crawlers: f.crawlers,
		URLs:     strings.Split(f.urls, "\n"),
		Do:       f.do,
		Outcome:  f.outcome,
		Cell:     f.cell,
		Simulate: f.simulate,
		Fix:      f.fix,
	}
}

// formatOf gives the form in which an answer is wanted: the field "format"
// overrides the header Accept, of which an exactly named type counts before
// any wildcard (RFC 9110 §12.5.1), and */* means a page.
func formatOf(r *http.Request) format {
	name := r.URL.Query().Get("format")
	switch path.Ext(r.URL.Path) {
	case ".json", ".csv":
		// A share's data has its form in its address, errors included.
		name = path.Ext(r.URL.Path)[1:]
	}
	if r.PostForm != nil && r.PostForm.Has("format") {
		name = last(r.PostForm["format"])
	}
	switch name {
	case "html":
		return formatHTML
	case "json":
		return formatJSON
	case "csv":
		return formatCSV
	}
	best, bestQ := formatHTML, 0.0
	for _, part := range strings.Split(strings.Join(r.Header.Values("Accept"), ","), ",") {
		media, params, _ := strings.Cut(part, ";")
		q := quality(params)
		f := formatHTML
		switch strings.ToLower(strings.TrimSpace(media)) {
		case "text/html", "application/xhtml+xml":
		case "application/json":
			f = formatJSON
		case "text/csv":
			f = formatCSV
		default:
			continue
		}
		if q > bestQ {
			best, bestQ = f, q
		}
	}
	return best
}

// quality reads the weight of a media range; 1 where none is given, 0 where it
// cannot be read.
func quality(params string) float64 {
	for _, p := range strings.Split(params, ";") {
		if k, v, _ := strings.Cut(strings.TrimSpace(p), "="); strings.EqualFold(k, "q") {
			q, err := strconv.ParseFloat(v, 64)
			if err != nil || q < 0 || q > 1 {
				return 0
			}
			return q
		}
	}
	return 1
}
