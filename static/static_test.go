package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
)

func load1(t *testing.T) *Assets {
	t.Helper()
	a, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func get(t *testing.T, a *Assets, method, target string, header http.Header) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, target, nil)
	r.Header = header
	w := httptest.NewRecorder()
	a.ServeHTTP(w, r)
	return w.Result()
}

func read(t *testing.T, r io.Reader) []byte {
	t.Helper()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func decode(t *testing.T, coding string, body io.Reader) []byte {
	t.Helper()
	switch coding {
	case "gzip":
		z, err := gzip.NewReader(body)
		if err != nil {
			t.Fatal(err)
		}
		return read(t, z)
	case "zstd":
		z, err := zstd.NewReader(body)
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		return read(t, z)
	}
	return read(t, body)
}

func TestURLChangesWithContent(t *testing.T) {
	old, err := load(fstest.MapFS{"css/app.css": {Data: []byte("a{}")}, "js/app.js": {Data: []byte("1")}})
	if err != nil {
		t.Fatal(err)
	}
	renewed, err := load(fstest.MapFS{"css/app.css": {Data: []byte("b{}")}, "js/app.js": {Data: []byte("1")}})
	if err != nil {
		t.Fatal(err)
	}
	if got := old.URL("css/app.css"); !regexp.MustCompile(`^/static/css/app\.[0-9a-f]{12}\.css$`).MatchString(got) {
		t.Errorf("got %s; want a hash in the name", got)
	}
	if old.URL("css/app.css") == renewed.URL("css/app.css") {
		t.Error("a changed file kept its address")
	}
	if got, want := renewed.URL("js/app.js"), old.URL("js/app.js"); got != want {
		t.Errorf("an unchanged file moved: got %s; want %s", got, want)
	}
	if res := get(t, renewed, "GET", old.URL("css/app.css"), nil); res.StatusCode != 404 {
		t.Errorf("old address: got %d; want 404", res.StatusCode)
	}
}

func TestServe(t *testing.T) {
	a := load1(t)
	want, err := fs.ReadFile(files, HTMX)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, in, want string }{
		{"a browser of today", "gzip, deflate, br, zstd", "zstd"},
		{"an older browser", "gzip, deflate, br", "gzip"},
		{"nothing said", "", identity},
		{"only what we do not have", "br", identity},
		{"anything", "*", "zstd"},
		{"anything but", "*, zstd;q=0", "gzip"},
		{"weighed", "zstd;q=0.5, gzip;q=0.9", "gzip"},
		{"letter case and spaces", " GZIP ; Q=1 ,identity;q=0.5", "gzip"},
		{"identity asked for", "identity, gzip;q=0.5", identity},
		{"smallest weight beats silence", "gzip;q=0.001", "gzip"},
		{"everything refused", "*;q=0, identity;q=0", identity},
		{"a weight that is none", "gzip;q=abc", identity},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res := get(t, a, "GET", a.URL(HTMX), http.Header{"Accept-Encoding": {tt.in}})
			if res.StatusCode != 200 {
				t.Fatalf("got %d; want 200", res.StatusCode)
			}
			coding := res.Header.Get("Content-Encoding")
			if coding == "" {
				coding = identity
			}
			if coding != tt.want {
				t.Errorf("coding: got %s; want %s", coding, tt.want)
			}
			raw := read(t, res.Body)
			if got := res.Header.Get("Content-Length"); got != strconv.Itoa(len(raw)) {
				t.Errorf("length: got %s; want %d", got, len(raw))
			}
			if got := decode(t, coding, bytes.NewReader(raw)); !bytes.Equal(got, want) {
				t.Errorf("body: got %d other bytes; want the file", len(got))
			}
			for name, value := range map[string]string{
				"Content-Type":  "text/javascript; charset=utf-8",
				"Cache-Control": "public, max-age=31536000, immutable",
				"Vary":          "Accept-Encoding",
			} {
				if got := res.Header.Get(name); got != value {
					t.Errorf("%s: got %q; want %q", name, got, value)
				}
			}
		})
	}
}

func TestServeTypes(t *testing.T) {
	a, err := load(fstest.MapFS{
		"css/app.css": {Data: []byte("a{}")}, "js/app.js": {Data: []byte("1")}, Favicon: {Data: []byte("<svg/>")},
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"css/app.css": "text/css; charset=utf-8", "js/app.js": "text/javascript; charset=utf-8", Favicon: "image/svg+xml",
	} {
		if got := get(t, a, "GET", a.URL(name), nil).Header.Get("Content-Type"); got != want {
			t.Errorf("%s: got %q; want %q", name, got, want)
		}
	}
}

func TestHead(t *testing.T) {
	a := load1(t)
	res := get(t, a, "HEAD", a.URL(HTMX), http.Header{"Accept-Encoding": {"gzip"}})
	if body := read(t, res.Body); res.StatusCode != 200 || len(body) != 0 || res.Header.Get("Content-Length") == "" {
		t.Errorf("got %d with %d bytes and length %q; want 200, none, and the length of the GET",
			res.StatusCode, len(body), res.Header.Get("Content-Length"))
	}
}

func TestRevalidation(t *testing.T) {
	a := load1(t)
	tag := func(coding string) string {
		return get(t, a, "GET", a.URL(HTMX), http.Header{"Accept-Encoding": {coding}}).Header.Get("ETag")
	}
	if tag("gzip") == tag("zstd") {
		t.Error("two codings share a strong tag")
	}
	res := get(t, a, "GET", a.URL(HTMX), http.Header{"Accept-Encoding": {"gzip"}, "If-None-Match": {tag("gzip")}})
	if body := read(t, res.Body); res.StatusCode != 304 || len(body) != 0 {
		t.Errorf("got %d with %d bytes; want 304 with none", res.StatusCode, len(body))
	}
}

func TestNotServed(t *testing.T) {
	a := load1(t)
	for _, tt := range []struct {
		name, method, path string
		want               int
	}{
		{"a name without a hash", "GET", "/static/css/app.css", 404},
		{"a folder", "GET", "/static/css/", 404},
		{"a list that is not for browsers", "GET", "/static/vendor/vendor.json", 404},
		{"out of the folder", "GET", "/static/../go.mod", 404},
		{"another method", "POST", a.URL(HTMX), 405},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res := get(t, a, tt.method, tt.path, nil)
			if res.StatusCode != tt.want {
				t.Errorf("got %d; want %d", res.StatusCode, tt.want)
			}
			if got := res.Header.Get("Cache-Control"); tt.want == 404 && got != "no-store" {
				t.Errorf("Cache-Control: got %q; want no-store", got)
			}
		})
	}
	if res := get(t, new(Assets), "GET", "/static/css/app.css", nil); res.StatusCode != 404 {
		t.Errorf("zero value: got %d; want 404", res.StatusCode)
	}
}

func TestURLOfUnknownName(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a name that is not embedded gave an address")
		}
	}()
	load1(t).URL("css/ap.css")
}

func TestTinyFilesStayPlain(t *testing.T) {
	a, err := load(fstest.MapFS{"js/app.js": {Data: []byte("1")}})
	if err != nil {
		t.Fatal(err)
	}
	res := get(t, a, "GET", a.URL("js/app.js"), http.Header{"Accept-Encoding": {"gzip, zstd"}})
	if got := res.Header.Get("Content-Encoding"); got != "" {
		t.Errorf("got %q; want none", got)
	}
}

// What a page loads from us is exactly what its authors published, and its licence comes with it.
func TestVendored(t *testing.T) {
	a := load1(t)
	list, err := fs.ReadFile(files, "vendor/vendor.json")
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(list, []byte("//")) {
		t.Error("vendor.json holds an address; want names and hashes only")
	}
	var entries []struct {
		Name        string `json:"name"`
		Version     string `json:"version"`
		File        string `json:"file"`
		Licence     string `json:"licence"`
		LicenceFile string `json:"licence_file"`
		Integrity   string `json:"integrity"`
	}
	d := json.NewDecoder(bytes.NewReader(list))
	d.DisallowUnknownFields()
	if err := d.Decode(&entries); err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{"vendor/vendor.json": true}
	for _, e := range entries {
		file, licence := path.Join("vendor", e.File), path.Join("vendor", e.LicenceFile)
		listed[file], listed[licence] = true, true
		body, err := fs.ReadFile(files, file)
		if err != nil {
			t.Error(err)
			continue
		}
		sum := sha512.Sum384(body)
		if got := "sha384-" + base64.StdEncoding.EncodeToString(sum[:]); got != e.Integrity {
			t.Errorf("%s: got %s; want %s", e.Name, got, e.Integrity)
		}
		if got := a.Integrity(file); got != e.Integrity {
			t.Errorf("%s, in the page: got %s; want %s", e.Name, got, e.Integrity)
		}
		if !strings.Contains(path.Base(file), e.Version) {
			t.Errorf("%s: the file name %s does not say version %s", e.Name, e.File, e.Version)
		}
		if text, err := fs.ReadFile(files, licence); err != nil || len(text) == 0 || e.Licence == "" {
			t.Errorf("%s: no licence beside it: %v", e.Name, err)
		}
	}
	err = fs.WalkDir(files, "vendor", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !listed[name] {
			t.Errorf("%s is not in vendor.json", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	// Written out once more, so that file and list cannot change together unseen.
	const htmx = "sha384-Qp9rdC8H7EqOoX+nR0P3RPG2Noji+qdwJlGpfzwQJsfOpp3sGwIdSP9xO3+UlEhn"
	if got := a.Integrity(HTMX); got != htmx {
		t.Errorf("htmx: got %s; want %s", got, htmx)
	}
}

// Our own files name no other file: the name would lack the hash and be 404.
func TestNoReferencesBetweenFiles(t *testing.T) {
	refers := map[string]*regexp.Regexp{
		".css": regexp.MustCompile(`(?i)@import|url\(`),
		".js":  regexp.MustCompile(`(?m)^\s*import\b|\bimport\(|\bfrom\s+['"]|/static/`),
	}
	for _, dir := range []string{"css", "js"} {
		err := fs.WalkDir(files, dir, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			body, err := fs.ReadFile(files, name)
			if err != nil {
				return err
			}
			re := refers[path.Ext(name)]
			if re == nil {
				return errors.New(name + ": neither style sheet nor script")
			}
			if hit := re.Find(body); hit != nil {
				t.Errorf("%s: got %q; want no reference to another file", name, hit)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// An SVG with a mistake is no icon at all.
func TestFaviconIsWellFormed(t *testing.T) {
	body, err := fs.ReadFile(files, Favicon)
	if err != nil {
		t.Fatal(err)
	}
	var root struct {
		XMLName xml.Name
		ViewBox string `xml:"viewBox,attr"`
	}
	if err := xml.Unmarshal(body, &root); err != nil {
		t.Fatal(err)
	}
	want := xml.Name{Space: "http://www.w3.org/2000/svg", Local: "svg"}
	if diff := cmp.Diff(want, root.XMLName); diff != "" || root.ViewBox == "" {
		t.Errorf("root element (-want +got):\n%s viewBox %q", diff, root.ViewBox)
	}
}
