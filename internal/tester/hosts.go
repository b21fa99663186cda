package tester

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/publicsuffix"

	"github.com/whichrule/whichrule/internal/fetch"
)

// How long a check of hosts serves, from its oldest fetch on.
const (
	// hostsLife is for one in which every host answered what a site goes on
	// answering: its file, or that there is none.
	hostsLife = time.Hour
	// hostsFailedLife is for one in which something failed that may pass soon:
	// as long as the same host is not asked again anyway.
	hostsFailedLife = time.Minute
)

// Results holds what slow checks found, by a key that covers all that they were
// asked.
type Results interface {
	// Result gives what was kept under that key, or ErrNotFound.
	Result(ctx context.Context, key string) ([]byte, error)
	// PutResult keeps a result; that it could not is no fault of the check.
	PutResult(ctx context.Context, key string, b []byte)
}

// Hosts is what all the hosts of a site gave when they were asked side by side.
// Rules count per host, scheme and port (RFC 9309 §2.3), so each has a file of
// its own, and usually all are meant to have the same.
type Hosts struct {
	Site  fetch.Origin // as typed
	At    time.Time    // the oldest of the fetches
	Hosts []Host       // https first, the host without www. before the one with it
	Files []File       // what they gave, the file of most hosts first
}

// Host is what one host gave. With a redirect it is what that led to, which
// counts for the host first asked (RFC 9309 §2.3.1.2).
type Host struct {
	Fetch *fetch.Outcome // without its body
	Held  Held           // as in Source
	File  int            // index in Hosts.Files; -1 where there was none to read
}

// File is a text that one host gave or several, byte for byte the same.
type File struct {
	SHA256 string
	Size   int // in bytes
	// Diff is what is different from the first file; nil for that one, and when
	// one of the two texts was not to be had any more.
	Diff *Diff
}

// Hosts checks the hosts of a site: http and https, with and without www. Of
// the request Site, Do and AllowFetch count. What an earlier check found serves
// unless Do is DoRefetch; Hosts.At says how old it is. However many hosts are
// asked, AllowFetch is, and each registrable domain counts, once at most. The
// error is an *Error for a site that cannot be read, that of a limit, or that of
// ctx.
func (t *Tester) Hosts(ctx context.Context, q Request) (*Hosts, error) {
	if q.Do != DoRefetch {
		q.Do = DoFetch
	}
	site, err := readSite(q)
	if err != nil {
		return nil, err
	}
	h := &Hosts{Site: site.Origin}
	origins := hostsOf(site)
	key := hostsKey(origins)
	if q.Do == DoFetch {
		if known := t.knownHosts(ctx, key); known != nil {
			known.Site = h.Site
			return known, nil
		}
	}
	if err := t.askHosts(ctx, q, h, origins); err != nil {
		return nil, err
	}
	if err := t.compareFiles(ctx, h); err != nil {
		return nil, err
	}
	t.keepHosts(ctx, key, h)
	return h, nil
}

// hostsOf gives the origins that a site is meant to be reached at.
//
// The host with or without www. is one of them where people type either: at a
// name that was registered under a public suffix. Below that (shop.example.com)
// hardly anyone has set up www., and what was never there would be reported as
// broken; a www. that was typed is taken off all the same. Nor is there one for
// an address, a single name such as localhost, a name under a suffix whose owner
// hands out names (example.github.io), and where a port was typed: those are for
// machines and tests.
//
// A typed port belongs to the scheme that was typed with it. Without a scheme
// either could be meant, so both are asked there.
func hostsOf(site *fetch.Site) []fetch.Origin {
	at := site.Origin
	ports := map[string]int{"https": 443, "http": 80}
	plain := at.Port == ports[at.Scheme] || !site.SchemeGiven && at.Port == ports["http"]
	switch {
	case plain:
	case site.SchemeGiven:
		ports[at.Scheme] = at.Port
	default:
		ports["https"], ports["http"] = at.Port, at.Port
	}
	names := []string{at.Host}
	if plain {
		names = withWWW(at.Host)
	}
	var origins []fetch.Origin
	for _, scheme := range []string{"https", "http"} {
		for _, name := range names {
			origins = append(origins, fetch.Origin{Scheme: scheme, Host: name, Port: ports[scheme]})
		}
	}
	return origins
}

const www = "www."

// withWWW gives a host without and with www., or the host alone.
func withWWW(host string) []string {
	bare, typed := strings.CutPrefix(host, www)
	if _, err := netip.ParseAddr(host); err == nil || !strings.Contains(bare, ".") {
		return []string{host}
	}
	if typed {
		return []string{bare, host}
	}
	// A suffix of one label that is in no list counts as public.
	suffix, public := publicsuffix.PublicSuffix(host)
	public = public || !strings.Contains(suffix, ".")
	registered, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil || !public || registered != host {
		return []string{host}
	}
	return []string{host, www + host}
}

// hostsKey covers what is asked, and the form in which a check is kept.
func hostsKey(origins []fetch.Origin) string {
	const version = "hosts 1"
	h := sha256.New()
	h.Write([]byte(version))
	for _, o := range origins {
		h.Write([]byte("\n" + o.String()))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// knownHosts gives an earlier check that is young enough to serve, or nil.
func (t *Tester) knownHosts(ctx context.Context, key string) *Hosts {
	if t.Results == nil {
		return nil
	}
	b, err := t.Results.Result(ctx, key)
	if err != nil {
		return nil
	}
	var h Hosts
	if err := json.Unmarshal(b, &h); err != nil || t.Now().Sub(h.At) >= h.life() {
		return nil
	}
	return &h
}

// keepHosts keeps a check for the next who asks, if all in it is of today.
func (t *Tester) keepHosts(ctx context.Context, key string, h *Hosts) {
	if t.Results == nil || !h.whole() {
		return
	}
	if b, err := json.Marshal(h); err == nil {
		t.Results.PutResult(ctx, key, b)
	}
}

// whole says whether every host was asked and every file compared.
func (h *Hosts) whole() bool {
	for i := 1; i < len(h.Files); i++ {
		if h.Files[i].Diff == nil {
			return false
		}
	}
	return !slices.ContainsFunc(h.Hosts, func(host Host) bool { return host.Held != "" })
}

// life is how long the check serves.
func (h *Hosts) life() time.Duration {
	for i := range h.Hosts {
		if kind := h.Hosts[i].Fetch.Kind; kind != fetch.OK && kind != fetch.ClientError {
			return hostsFailedLife
		}
	}
	return hostsLife
}

// askHosts asks the origins side by side.
func (t *Tester) askHosts(ctx context.Context, q Request, h *Hosts, origins []fetch.Origin) error {
	ctx = fetch.Together(ctx)
	q.AllowFetch = sync.OnceValue(t.leave(ctx, q, h.Site))
	// A text is not kept: until the slowest host has answered, four of them
	// would be in memory for nothing.
	type answer struct {
		host Host
		file File
		err  error
	}
	answers := make([]answer, len(origins))
	var wait sync.WaitGroup
	for i := range origins {
		wait.Go(func() {
			a := &answers[i]
			s, err := t.fetch(ctx, q, &Source{Site: &origins[i]})
			if err != nil {
				a.err = err
				return
			}
			sum := sha256.Sum256(s.Text)
			a.file = File{SHA256: hex.EncodeToString(sum[:]), Size: len(s.Text)}
			a.host = Host{Fetch: s.Fetch, Held: s.Held, File: -1}
		})
	}
	wait.Wait()
	for i := range answers {
		a := &answers[i]
		if a.err != nil {
			return a.err
		}
		if a.host.Fetch.Kind == fetch.OK {
			a.host.File = h.file(a.file)
		}
		h.Hosts = append(h.Hosts, a.host)
		if at := a.host.Fetch.FetchedAt; i == 0 || at.Before(h.At) {
			h.At = at
		}
	}
	h.sortFiles()
	return nil
}

// file gives the index of a file, which is a new one if no host gave it before.
func (h *Hosts) file(f File) int {
	i := slices.IndexFunc(h.Files, func(g File) bool { return g.SHA256 == f.SHA256 })
	if i < 0 {
		i = len(h.Files)
		h.Files = append(h.Files, f)
	}
	return i
}

// sortFiles puts the file of most hosts first, which is most likely the one
// that is meant; else the one that a host further up gave.
func (h *Hosts) sortFiles() {
	order := make([]int, len(h.Files))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(h.Of(b)), len(h.Of(a))) })
	files := make([]File, len(order))
	at := make([]int, len(order))
	for i, was := range order {
		files[i], at[was] = h.Files[was], i
	}
	for i := range h.Hosts {
		if was := h.Hosts[i].File; was >= 0 {
			h.Hosts[i].File = at[was]
		}
	}
	h.Files = files
}

// Of gives the hosts that gave a file.
func (h *Hosts) Of(file int) []*Host {
	var of []*Host
	for i := range h.Hosts {
		if h.Hosts[i].File == file {
			of = append(of, &h.Hosts[i])
		}
	}
	return of
}

// compareFiles compares the first file with each of the others. The error is
// that of ctx.
func (t *Tester) compareFiles(ctx context.Context, h *Hosts) error {
	if len(h.Files) < 2 {
		return nil
	}
	leave, err := t.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	first, ok := t.heldText(ctx, h.Of(0))
	for i := 1; ok && i < len(h.Files); i++ {
		if text, ok := t.heldText(ctx, h.Of(i)); ok {
			d := DiffText(first, text)
			h.Files[i].Diff = &d
		}
	}
	return ctx.Err()
}

// heldText gives the text that hosts gave, if it is still held for one of them.
func (t *Tester) heldText(ctx context.Context, of []*Host) ([]byte, bool) {
	for _, host := range of {
		if o, err := t.Outcomes.Outcome(ctx, host.Fetch.ID); err == nil {
			return o.Body, true
		}
	}
	return nil, false
}
