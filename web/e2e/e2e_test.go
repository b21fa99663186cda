// Package e2e drives the whole site in a browser, as a person does: the real
// program on a loopback port, Debian's Chromium, and sites to fetch from.
//
// All tests share one server and one browser; each has tabs of its own, whose
// cookies, storage and history nobody else sees. A tab fails its test when the
// page throws, logs an error or breaks its content security policy. Nothing
// sleeps: [tab.until] asks the page until it says yes.
//
// With -args -pictures DIR, pictures of the pages are written to that folder.
package e2e

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/whichrule/whichrule/internal/app"
)

// patience is how long a page may take for anything, on a machine that runs
// other tests too; only a failing test waits so long.
const patience = 20 * time.Second

var pictures = flag.String("pictures", "", "folder for pictures of the pages")

// What TestMain starts for all tests.
var (
	base     string          // the site's origin
	chromium context.Context // a started browser
)

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	path, err := exec.LookPath("chromium")
	if err != nil {
		fmt.Fprintln(os.Stderr, "The browser tests need Chromium in PATH. On Debian: apt-get install chromium")
		return 1
	}
	forget, err := trustLoopback()
	if err != nil {
		fmt.Fprintln(os.Stderr, "trust loopback sites:", err)
		return 1
	}
	defer forget()
	addr, stop, err := serve("WHICHRULE_TESTS_PER_MINUTE=0", "WHICHRULE_FETCHES_PER_MINUTE=0", "WHICHRULE_SHARES_PER_MINUTE=0")
	if err != nil {
		fmt.Fprintln(os.Stderr, "serve the site:", err)
		return 1
	}
	defer stop()
	base = addr

	allocator, cancel := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path),
		chromedp.NoSandbox,
		chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true),
		// Every tab has a window, which would load pages for its address bar and
		// keep a renderer in store: more work than the tests themselves.
		chromedp.Flag("disable-features", "Translate,WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup,SpareRendererForSitePerProcess"),
	)...)
	defer cancel()
	chromium, _ = chromedp.NewContext(allocator)
	defer func() { _ = chromedp.Cancel(chromium) }()
	if err := chromedp.Do(chromium); err != nil {
		fmt.Fprintf(os.Stderr, "start %s: %v\n", path, err)
		return 1
	}
	return m.Run()
}

// trustLoopback makes the certificate of the sites of package testkit the only
// one that this process trusts. It has to come before the first https request.
func trustLoopback() (forget func(), err error) {
	site := httptest.NewTLSServer(nil)
	defer site.Close()
	dir, err := os.MkdirTemp("", "whichrule-certs")
	if err != nil {
		return nil, err
	}
	forget = func() { os.RemoveAll(dir) }
	file := filepath.Join(dir, "certs.pem")
	certs := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: site.Certificate().Raw})
	err = errors.Join(os.WriteFile(file, certs, 0o600), os.Setenv("SSL_CERT_FILE", file), os.Setenv("SSL_CERT_DIR", dir))
	return forget, err
}

// serve starts the site as the program does, open to fetches from loopback,
// and gives its origin.
func serve(settings ...string) (origin string, stop func(), err error) {
	ctx, cancel := context.WithCancel(context.Background())
	addr, done := make(chan string, 1), make(chan error, 1)
	go func() {
		done <- app.Serve(ctx, append([]string{
			"WHICHRULE_ADDR=127.0.0.1:0",
			"WHICHRULE_METRICS_ADDR=",
			"WHICHRULE_UNSAFE_FETCH_ALLOW=127.0.0.1",
			"WHICHRULE_CONTACT=mail@whichrule.example",
		}, settings...), io.Discard, func(a net.Addr) { addr <- a.String() })
	}()
	select {
	case a := <-addr:
		return "http://" + a, func() { cancel(); <-done }, nil
	case err := <-done:
		cancel()
		return "", nil, err
	}
}

// look is how a tab looks at the site. The zero value is a desktop in light
// colours with JavaScript.
type look struct {
	width int64 // CSS pixels; 0 is 1366
	dark  bool
	noJS  bool
}

func (l look) String() string {
	s := fmt.Sprint(l.width)
	if l.dark {
		s += " dark"
	}
	if l.noJS {
		s += " no JavaScript"
	}
	return s
}

// tab is a browser tab of its own.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	said     []string // what no page should say
	expected []string // parts of what this test makes it say
}

// open opens an empty tab, which closes with the test.
func open(t *testing.T, l look) *tab {
	t.Helper()
	if l.width == 0 {
		l.width = 1366
	}
	b := &tab{t: t}
	b.start(l, chromedp.WithNewBrowserContext())
	return b
}

func (b *tab) start(l look, opts ...chromedp.ContextOption) {
	b.t.Helper()
	ctx, cancel := chromedp.NewContext(chromium, append(opts, chromedp.WithListener(b.listen))...)
	b.ctx = ctx
	b.t.Cleanup(func() {
		if b.t.Failed() && *pictures != "" {
			b.keepPicture("failed "+b.t.Name(), b.picture())
		}
		cancel()
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, s := range b.said {
			b.t.Errorf("the page says: %s", s)
		}
	})
	if err := chromedp.Do(ctx); err != nil { // opens the tab, which lives as long as this context
		b.t.Fatal(err)
	}
	b.look(l)
	b.do(
		// Every tab acts as the one in front, so that tests can run beside each other.
		command(emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}),
		command(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: l.noJS}),
		command(page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
			Source: `document.addEventListener("securitypolicyviolation", e => console.error("CSP:", e.violatedDirective, e.blockedURI, e.sourceFile))`,
		}),
	)
}

// look changes how the tab looks at its page; whether scripts run is decided
// when it opens.
func (b *tab) look(l look) {
	b.t.Helper()
	scheme := "light"
	if l.dark {
		scheme = "dark"
	}
	b.do(
		chromedp.EmulateViewport(l.width, 900),
		command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		}),
	)
	b.until(fmt.Sprintf(`innerWidth === %d && matchMedia("(prefers-color-scheme: %s)").matches`, l.width, scheme))
}

// listen notes what no page should say. It runs while the browser's messages
// are read, and must not ask the browser anything.
func (b *tab) listen(ev any) {
	var s string
	switch ev := ev.(type) {
	case *runtime.EventExceptionThrown:
		s = (&chromedp.ExceptionError{ExceptionDetails: ev.ExceptionDetails}).Error()
	case *runtime.EventConsoleAPICalled:
		if ev.Type != runtime.ConsoleAPICalledTypeError && ev.Type != runtime.ConsoleAPICalledTypeWarning {
			return
		}
		s = string(ev.Type)
		for _, a := range ev.Args {
			s += " " + strings.Trim(string(a.Value), `"`) + a.Description
		}
	case *log.EventEntryAdded:
		if ev.Entry.Level != log.EntryLevelError && ev.Entry.Level != log.EntryLevelWarning {
			return
		}
		s = fmt.Sprintf("%s %s: %s (%s)", ev.Entry.Source, ev.Entry.Level, ev.Entry.Text, ev.Entry.URL)
	default:
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, part := range b.expected {
		if strings.Contains(s, part) {
			return
		}
	}
	b.said = append(b.said, s)
}

// expect names a part of what the browser may say from now on: it logs every
// answer of 400 and more, however right that is.
func (b *tab) expect(part string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.expected = append(b.expected, part)
}

// command makes an action of a protocol command whose answer nobody needs.
func command[P, R any](cmd cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, cmd, params)
		return err
	})
}

// do runs actions.
func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// visit opens an address of the site and waits until it is loaded.
func (b *tab) visit(path string) {
	b.t.Helper()
	if !strings.HasPrefix(path, "http") {
		path = base + path
	}
	b.do(chromedp.Navigate(path))
}

// click clicks an element with the mouse, as soon as it is there to be hit.
func (b *tab) click(css string) {
	b.t.Helper()
	x, y := b.find(css)
	b.do(chromedp.MouseClickXY(x, y))
}

// find brings an element into view and gives a point where the mouse hits it,
// once it stands still: a page that is still being laid out moves.
func (b *tab) find(css string) (x, y float64) {
	b.t.Helper()
	at := fmt.Sprintf(`(() => {
		const e = document.querySelector(%s);
		if (!e?.checkVisibility()) return null;
		e.scrollIntoViewIfNeeded();
		const r = e.getClientRects()[0], x = r.x + r.width / 2, y = r.y + r.height / 2;
		return e.contains(document.elementFromPoint(x, y)) ? [x, y] : null;
	})()`, quote(css))
	b.until(at)
	for p := eval[[]float64](b, at); ; {
		time.Sleep(50 * time.Millisecond) // a few frames
		b.until(at)
		q := eval[[]float64](b, at)
		if slices.Equal(p, q) {
			return p[0], p[1]
		}
		p = q
	}
}

// fill replaces what a field holds, as pasting does.
func (b *tab) fill(css, text string) {
	b.t.Helper()
	eval[any](b, fmt.Sprintf(`{const f = document.querySelector(%s); f.focus(); f.select()}`, quote(css)))
	if text == "" {
		b.press(kb.Delete)
		return
	}
	if strings.Count(text, "\n") > 100 {
		// The browser types as an input method would, which takes long for
		// many lines; pasting, which does not, has one clipboard for all tests.
		eval[any](b, fmt.Sprintf(`{const f = document.querySelector(%s); f.value = %s; f.dispatchEvent(new Event("input", {bubbles: true}))}`, quote(css), quote(text)))
		return
	}
	b.do(command(input.InsertText, input.InsertTextParams{Text: text}))
}

// press presses keys one after the other where the focus is. A character comes
// with its key going down, as from a keyboard: a page that cancels the key
// cancels the character too.
func (b *tab) press(keys string, modifiers ...chromedp.Modifier) {
	b.t.Helper()
	for _, r := range keys {
		for _, e := range kb.Encode(r) {
			if e.Type == kb.KeyChar {
				continue
			}
			for _, m := range modifiers {
				e.Modifiers |= int64(m)
			}
			if k := kb.Keys[r]; e.Type == kb.KeyDown && k != nil && k.Print && len(modifiers) == 0 {
				e.Text = k.Text
			}
			b.do(command(input.DispatchKeyEvent, *e))
		}
	}
}

// picture takes a picture of the whole page.
func (b *tab) picture() []byte {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	data, err := chromedp.Run(ctx, chromedp.FullScreenshot(100)) // 100 is PNG
	if err != nil {
		b.t.Errorf("take a picture: %v", err)
	}
	return data
}

// keepPicture writes a picture if pictures are wanted.
func (b *tab) keepPicture(name string, data []byte) {
	b.t.Helper()
	if *pictures == "" {
		return
	}
	name = strings.NewReplacer("/", "-", " ", "-").Replace(name) + ".png"
	if err := os.WriteFile(filepath.Join(*pictures, name), data, 0o644); err != nil {
		b.t.Error(err)
	}
}

// eval gives the value of a JavaScript expression. It works with JavaScript
// off as well, and in spite of the page's policy.
func eval[T any](b *tab, js string) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](js, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %v", js, err)
	}
	return v
}

// until waits until a JavaScript expression is true.
func (b *tab) until(js string) {
	b.t.Helper()
	b.untilIs("String(!!("+js+"))", "true")
}

// untilIs waits until a JavaScript expression gives a string, or the promise
// of one.
func (b *tab) untilIs(js, want string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	tick := time.NewTicker(25 * time.Millisecond)
	defer tick.Stop()
	for got := ""; ; {
		s, err := chromedp.Run(ctx, chromedp.Evaluate[string](js, chromedp.EvalAwaitPromise))
		if err == nil && s == want {
			return
		}
		switch {
		case err == nil:
			got = s
		case ctx.Err() == nil: // while a page loads there is none to ask
			got = err.Error()
		}
		select {
		case <-ctx.Done():
			b.t.Fatalf("%s\ngot  %s\nwant %s\nat %s", js, got, want, eval[string](b, "location.href"))
		case <-tick.C:
		}
	}
}

// wait waits until something outside the page is so.
func wait(t *testing.T, what string, so func() bool) {
	t.Helper()
	late := time.After(patience)
	tick := time.NewTicker(25 * time.Millisecond)
	defer tick.Stop()
	for !so() {
		select {
		case <-late:
			t.Fatalf("never so: %s", what)
		case <-tick.C:
		}
	}
}

// quote writes a string as JavaScript.
func quote(s string) string {
	b, _ := json.Marshal(s) // a string always works
	return string(b)
}
