// Package static holds the files a browser loads beside a page: style sheets, scripts, the icon and what is
// vendored. They are embedded in the binary and served under names that carry a hash of their content, so a
// browser may keep each of them for ever and a new release never meets an old copy.
//
// [Load] hashes and compresses everything once, at start. Pages ask [Assets.URL] for addresses and
// [Assets.Integrity] for the hash of a script tag; [Assets] itself is the handler behind [Prefix].
//
// A file must not refer to another one by name (an import between scripts, url() in a style sheet): it would
// ask for a name without a hash. A test refuses such references.
package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"crypto/sha512"
	"embed"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
)

// Prefix is the path under which every asset lives; the router sends all of it to [Assets.ServeHTTP], unstripped.
const Prefix = "/static/"

// HTMX is the name of the vendored htmx, for [Assets.URL] and [Assets.Integrity].
const HTMX = "vendor/htmx/htmx-4.0.1.min.js"

// Favicon is the name of the icon.
const Favicon = "favicon.svg"

// hashLength is how many hex digits of the content's SHA-256 go into a name. Twelve tell 16 million versions of
// one file apart with a chance of collision under one half; a file sees some hundreds.
const hashLength = 12

// cacheForever is a year, the longest that caches promise to honour, and tells browsers not even to ask on reload
// (RFC 8246): the name changes whenever the content does.
const cacheForever = "public, max-age=31536000, immutable"

// zstdWindow is more than our largest file needs and far below the 8 MiB that browsers accept (RFC 9659 §3); the
// encoder's tables grow with it.
const zstdWindow = 256 << 10

//go:embed css js vendor favicon.svg
var files embed.FS

// contentTypes lists what is served. Other files (licences, vendor.json) are embedded for the tests and the reader.
var contentTypes = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
}

// Assets are the embedded files, ready to serve. Make them with [Load]; the zero value serves nothing.
type Assets struct {
	byName map[string]*asset
	byPath map[string]*asset
}

type asset struct {
	path        string // with the hash, below Prefix
	contentType string
	hash        string
	integrity   string
	bodies      map[string][]byte // by content coding; always holds identity
}

// Load reads the embedded files and prepares their hashes and compressed forms, in some ten milliseconds.
func Load() (*Assets, error) { return load(files) }

func load(fsys fs.FS) (*Assets, error) {
	a := &Assets{byName: map[string]*asset{}, byPath: map[string]*asset{}}
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression),
		zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(zstdWindow))
	if err != nil {
		return nil, fmt.Errorf("load assets: %w", err)
	}
	defer z.Close()
	err = fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		contentType, served := contentTypes[path.Ext(name)]
		if err != nil || d.IsDir() || !served {
			return err
		}
		body, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		f := newAsset(name, contentType, body)
		zipped, err := gzipped(body)
		if err != nil {
			return fmt.Errorf("compress %s: %w", name, err)
		}
		f.keep("gzip", zipped)
		f.keep("zstd", z.EncodeAll(body, nil))
		a.byName[name], a.byPath[f.path] = f, f
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("load assets: %w", err)
	}
	return a, nil
}

func newAsset(name, contentType string, body []byte) *asset {
	short, long := sha256.Sum256(body), sha512.Sum384(body)
	hash := hex.EncodeToString(short[:])[:hashLength]
	ext := path.Ext(name)
	return &asset{
		path:        Prefix + strings.TrimSuffix(name, ext) + "." + hash + ext,
		contentType: contentType,
		hash:        hash,
		integrity:   "sha384-" + base64.StdEncoding.EncodeToString(long[:]),
		bodies:      map[string][]byte{identity: body},
	}
}

// keep holds on to a compressed body if it is smaller than the plain one: decoding costs the browser time.
func (f *asset) keep(coding string, body []byte) {
	if len(body) < len(f.bodies[identity]) {
		f.bodies[coding] = body
	}
}

func gzipped(b []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(b); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// URL gives the address of a file named by its path in this folder: "css/app.css" becomes
// "/static/css/app.3f9a1c2b5d6e.css". It panics for a file that is not there: only our own code names files, so
// that is a typing error that the first page shows.
func (a *Assets) URL(name string) string { return a.named(name).path }

// Integrity gives the value of the integrity attribute of a script or link that loads the named file: its SHA-384
// (W3C Subresource Integrity §3.1). It panics like [Assets.URL].
func (a *Assets) Integrity(name string) string { return a.named(name).integrity }

func (a *Assets) named(name string) *asset {
	f := a.byName[name]
	if f == nil {
		panic(fmt.Sprintf("static: no file %q", name))
	}
	return f
}

// ServeHTTP answers GET and HEAD for an address that [Assets.URL] gave. Anything else is 404 with an empty body,
// which no cache may keep: during a release a page may ask an instance that does not have the new file yet.
func (a *Assets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	f := a.byPath[r.URL.Path]
	if f == nil {
		h.Set("Cache-Control", "no-store")
		w.WriteHeader(http.StatusNotFound)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	coding := negotiate(r.Header.Values("Accept-Encoding"), f.bodies)
	body := f.bodies[coding]
	h.Add("Vary", "Accept-Encoding")
	h.Set("Cache-Control", cacheForever)
	h.Set("Content-Type", f.contentType)
	// One tag per coding: a strong tag promises the same bytes (RFC 9110 §8.8.3).
	h.Set("ETag", `"`+f.hash+"-"+coding+`"`)
	if coding != identity {
		h.Set("Content-Encoding", coding)
		// ServeContent leaves the length out of encoded answers, since it cannot know whether ours is the encoded one.
		h.Set("Content-Length", strconv.Itoa(len(body)))
	}
	http.ServeContent(w, r, f.path, time.Time{}, bytes.NewReader(body))
}
