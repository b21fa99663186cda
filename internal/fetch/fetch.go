// Package fetch gets the /robots.txt of one origin that a stranger named, safely, and leaves a trail of what happened.
//
// [ParseSite] and [ParseURL] turn what people type into an [Origin]. [Fetcher.Fetch] asks that origin and gives
// an [Outcome]: the file, or the [Kind] of failure, every request on the way, and the facts that a page shows. What an
// outcome means to a crawler is not decided here.
//
// The request is one that any crawler could send: a plain GET, never conditional, with an honest User-Agent, no
// cookies, no proxy. Redirects are followed by a loop of our own, five of them as RFC 9309 §2.3.1.2 asks, and each one
// starts again at the top: scheme, port, resolve, address guard, dial. The guard (guard.go) is what keeps a public
// service from being a way into the network it runs in.
//
// A body is decoded from whatever content encodings it came in, within bounds (body.go), and kept byte for byte: whether
// it is UTF-16, a web page or no UTF-8 is for [LookAt] to tell.
//
// Nothing is kept between fetches: no connections, no cookies, no cache. Whoever calls decides how often a site is
// asked ([Config.Ask]), and who shares an outcome.
package fetch

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// FetchTimeout is the default for one fetch, redirects and body included. A person waits for it.
	FetchTimeout = 10 * time.Second

	// MaxRedirects bounds the redirects followed: RFC 9309 §2.3.1.2 and Google both name five.
	MaxRedirects = 5

	// headerLimit bounds the headers of one answer in bytes, well above what servers send by default.
	headerLimit = 64 << 10

	// valueLimit bounds every header value and error text that an Outcome keeps, in bytes.
	valueLimit = 1 << 10

	// idLength is the length of an Outcome.ID: 16 characters of base58 are 93 random bits, nothing to guess.
	idLength = 16
)

// DefaultUserAgent is sent when [Config] names none.
const DefaultUserAgent = "Whichrule/1 (+https://github.com/whichrule/whichrule)"

// A Kind is what became of a fetch, in one word. The strings are those of the JSON report.
type Kind string

// The kinds of an [Outcome].
const (
	OK              Kind = "ok"                // 2xx
	ClientError     Kind = "client-error"      // 4xx but 429
	TooManyRequests Kind = "too-many-requests" // 429
	ServerError     Kind = "server-error"      // 5xx, and every status that nobody describes for robots.txt: 1xx, 304, 600
	RedirectLimit   Kind = "redirect-limit"    // one redirect more than MaxRedirects
	RedirectLoop    Kind = "redirect-loop"     // back to an address that was asked before
	BadRedirect     Kind = "bad-redirect"      // no usable Location, or not http(s)
	DNS             Kind = "dns"               // the name has no address
	Refused         Kind = "refused"           // by us: an address or a port that we do not ask
	Connect         Kind = "connect"           // no TCP connection
	TLS             Kind = "tls"               // handshake or certificate
	Timeout         Kind = "timeout"           // in any phase, or the caller gave up
	Broken          Kind = "broken"            // reset, cut short, malformed, too large a header, unreadable encoding
	Challenge       Kind = "challenge"         // a firewall answered in place of the site
)

// Kinds lists every kind, for tables that must know them all.
func Kinds() []Kind {
	return []Kind{
		OK, ClientError, TooManyRequests, ServerError, RedirectLimit, RedirectLoop, BadRedirect,
		DNS, Refused, Connect, TLS, Timeout, Broken, Challenge,
	}
}

// A Hop is one request of a fetch.
type Hop struct {
	URL    string `json:"url"`
	Status int    `json:"status"` // 0: no answer
}

// An Outcome is what one fetch gave. Status, headers and body are those of the last request in Hops, also when it got
// none of them.
type Outcome struct {
	ID           string        `json:"id"` // random, made by the fetcher
	Origin       Origin        `json:"origin"`
	Kind         Kind          `json:"kind"`
	Status       int           `json:"status"` // 0: no answer
	Hops         []Hop         `json:"hops"`   // every request, first and last included, also one that was refused
	FinalURL     string        `json:"final_url"`
	Location     string        `json:"location,omitempty"` // as sent, when it was not followed: redirect-limit, redirect-loop, bad-redirect
	ContentType  string        `json:"content_type,omitempty"`
	Encoding     string        `json:"encoding,omitempty"` // Content-Encoding
	CacheControl string        `json:"cache_control,omitempty"`
	Age          string        `json:"age,omitempty"`
	RetryAfter   string        `json:"retry_after,omitempty"`
	Body         []byte        `json:"body,omitempty"` // decoded, at most BodyLimit bytes, only with OK
	More         bool          `json:"more,omitempty"` // the body went on beyond BodyLimit
	FetchedAt    time.Time     `json:"fetched_at"`     // UTC: the last header arrived, or the fetch gave up
	Took         time.Duration `json:"took"`           // in nanoseconds
	Detail       string        `json:"-"`              // what went wrong; never kept or shown: it may name addresses
}

// A Config sets up a [Fetcher]. The zero value is fit for a public service.
type Config struct {
	UserAgent string           // empty: DefaultUserAgent; it should hold an address where a site owner finds us
	Allow     Allow            // tests only: addresses that pass the guard
	Resolver  Resolver         // nil: the system's name servers
	RootCAs   *x509.CertPool   // nil: the system's
	Timeout   time.Duration    // 0: FetchTimeout
	Now       func() time.Time // nil: time.Now

	// Ask says whether a registrable domain may be asked now: an error ends the fetch. It is asked before the first
	// request of a fetch to each domain that a name on its way belongs to, and not about what Allow opens. nil: yes.
	Ask func(ctx context.Context, domain string) error
}

// A Fetcher fetches robots.txt files. It is safe for concurrent use and holds nothing that needs closing.
type Fetcher struct {
	userAgent string
	timeout   time.Duration
	now       func() time.Time
	resolver  Resolver
	guard     guard
	asks      func(ctx context.Context, domain string) error
	decoders  chan struct{} // holds one for each body that is being decoded
	transport *http.Transport
}

// New gives a Fetcher.
func New(c Config) *Fetcher {
	f := &Fetcher{
		userAgent: cmp.Or(c.UserAgent, DefaultUserAgent),
		timeout:   cmp.Or(c.Timeout, FetchTimeout),
		now:       c.Now,
		resolver:  c.Resolver,
		guard:     newGuard(c.Allow),
		asks:      c.Ask,
		decoders:  make(chan struct{}, maxDecodings),
	}
	if f.now == nil {
		f.now = time.Now
	}
	if f.resolver == nil {
		f.resolver = &net.Resolver{PreferGo: true} // the C library's cannot be cancelled
	}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	// The transport makes single connections (NewClientConn) and pools none, so that the guard sees every dial, each
	// phase has its own error, and a fetch that is over leaves nothing open.
	f.transport = &http.Transport{
		DialContext:            f.dial,
		TLSClientConfig:        &tls.Config{RootCAs: c.RootCAs, MinVersion: tls.VersionTLS12},
		Protocols:              protocols,
		DisableCompression:     true,
		MaxResponseHeaderBytes: headerLimit,
	}
	return f
}

// Fetchable says whether the origin could be asked at all: http or https on port 80 or 443, or on one that the allow
// list opens, and no address that the guard refuses. Which addresses a name has is another question.
func (f *Fetcher) Fetchable(o Origin) bool {
	if o.Host == "" || defaultPort(o.Scheme) == 0 || !f.guard.mayHavePort(o.Port) {
		return false
	}
	a, err := netip.ParseAddr(o.Host)
	return err != nil || f.guard.check(netip.AddrPortFrom(a, uint16(o.Port))) == nil
}

// Fetch gets the /robots.txt of an origin. What went wrong is the Kind of the Outcome. When ctx ends before the fetch
// does, the kind is Timeout; that outcome says nothing about the site, and a caller who gave up should not keep it. The
// error is never one of the site: it wraps that of [Config.Ask], and there is no Outcome then.
func (f *Fetcher) Fetch(ctx context.Context, o Origin) (*Outcome, error) {
	start := f.now()
	ctx, cancel := context.WithTimeout(together(ctx), f.timeout)
	defer cancel()

	out := &Outcome{ID: newID(), Origin: o}
	if err := f.follow(ctx, out); err != nil {
		if no := (*askError)(nil); errors.As(err, &no) {
			return nil, fmt.Errorf("fetch: %w", no)
		}
		out.Kind = Broken
		if fail := (*failure)(nil); errors.As(err, &fail) {
			out.Kind = fail.kind
		}
		// What a passed deadline breaks looks like a fault of the site: the deadline explains it.
		if out.Kind != Refused && (ctx.Err() != nil || isTimeout(err)) {
			out.Kind = Timeout
		}
		out.Detail = bound(err.Error())
	}
	end := f.now()
	if out.FetchedAt.IsZero() {
		out.FetchedAt = utc(end)
	}
	out.Took = end.Sub(start)
	return out, nil
}

// follow asks for the file and goes where redirects lead. It fills out; an error is what ended the fetch, a *failure
// or something that broke.
func (f *Fetcher) follow(ctx context.Context, out *Outcome) error {
	o, target := out.Origin, out.Origin.RobotsURL()
	seen := map[string]bool{}
	for {
		seen[target] = true
		out.Hops = append(out.Hops, Hop{URL: target})
		out.FinalURL = target
		out.FetchedAt = time.Time{}

		location, err := f.ask(ctx, out, o, target)
		if err != nil || out.Kind != "" {
			return err
		}
		if len(out.Hops) > MaxRedirects {
			out.Kind = RedirectLimit
			return nil
		}
		o, target, err = resolveLocation(target, location)
		if err != nil {
			return &failure{BadRedirect, err}
		}
		if seen[target] {
			out.Kind = RedirectLoop
			return nil
		}
		out.Location = ""
	}
}

// ask sends one request and reads its answer into out. For a redirect it sets no Kind and gives the Location as sent.
func (f *Fetcher) ask(ctx context.Context, out *Outcome, o Origin, target string) (location string, err error) {
	out.record(&http.Response{})
	if !f.Fetchable(o) {
		return "", &failure{Refused, fmt.Errorf("%w: %s, port %d", errRefused, o.Scheme, o.Port)}
	}
	conn, err := f.transport.NewClientConn(ctx, o.Scheme, net.JoinHostPort(o.Host, strconv.Itoa(o.Port)))
	if err != nil {
		fail, no := (*failure)(nil), (*askError)(nil)
		if errors.As(err, &fail) || errors.As(err, &no) {
			return "", err
		}
		return "", &failure{TLS, err} // the dial has its own errors, so this is what comes after it
	}
	defer conn.Close()

	req, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return "", err
	}
	req.Close = true // nobody asks twice, and what comes behind the answer would get into the log of the process
	req.Header.Set("User-Agent", f.userAgent)
	req.Header.Set("Accept", "text/plain, */*;q=0.8")
	req.Header.Set("Accept-Encoding", acceptEncoding)
	resp, err := conn.RoundTrip(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	out.FetchedAt = utc(f.now())
	out.record(resp)

	switch kind := kindOf(resp.StatusCode); {
	case isChallenge(resp, nil):
		out.Kind = Challenge
	case kind == "":
		locations := slices.Compact(resp.Header.Values("Location"))
		out.Location = bound(strings.Join(locations, ", "))
		if len(locations) != 1 {
			return "", &failure{BadRedirect, fmt.Errorf("redirect: %d values of Location", len(locations))}
		}
		return locations[0], nil
	case kind == OK:
		body, more, err := f.readBody(ctx, resp, BodyLimit)
		if err != nil {
			return "", err
		}
		if isChallenge(resp, body) {
			out.Kind = Challenge
			return "", nil
		}
		out.Kind, out.Body, out.More = OK, body, more
	default:
		out.Kind = kind
		if mayBeChallenge(resp) {
			// What the status says stands, whatever becomes of the body.
			if body, _, err := f.readBody(ctx, resp, challengePeek); err == nil && isChallenge(resp, body) {
				out.Kind = Challenge
			}
		}
	}
	return "", nil
}

// record takes over the facts of an answer; those of an empty one forget the answer before.
func (out *Outcome) record(resp *http.Response) {
	out.Status = resp.StatusCode
	out.Hops[len(out.Hops)-1].Status = resp.StatusCode
	out.ContentType = bound(strings.Join(resp.Header.Values("Content-Type"), ", "))
	out.Encoding = bound(contentEncoding(resp.Header))
	out.CacheControl = bound(strings.Join(resp.Header.Values("Cache-Control"), ", "))
	out.Age = bound(resp.Header.Get("Age"))
	out.RetryAfter = bound(resp.Header.Get("Retry-After"))
}

// kindOf sorts a status code; "" is a redirect. RFC 9309 §2.3.1 describes 2xx, 3xx, 4xx and 5xx. Codes outside, and 3xx
// codes that lead nowhere (300, 304 to a request without conditions), count as a fault of the server: that is the
// careful reading, since it opens nothing.
func kindOf(status int) Kind {
	switch {
	case status >= 200 && status <= 299:
		return OK
	case status == http.StatusMovedPermanently, status == http.StatusFound, status == http.StatusSeeOther,
		status == http.StatusTemporaryRedirect, status == http.StatusPermanentRedirect:
		return ""
	case status == http.StatusTooManyRequests:
		return TooManyRequests
	case status >= 400 && status <= 499:
		return ClientError
	}
	return ServerError
}

// resolveLocation reads a Location header (RFC 9110 §10.2.2) seen at an address: the origin to ask next, and the URL in
// one spelling per address and without a fragment, so that loops are found.
func resolveLocation(base, location string) (Origin, string, error) {
	location = strings.TrimSpace(location)
	if location == "" || len(location) > URLLimit {
		return Origin{}, "", fmt.Errorf("redirect: Location of %d bytes", len(location))
	}
	b, err := url.Parse(base)
	if err != nil {
		return Origin{}, "", fmt.Errorf("redirect: %w", err)
	}
	u, err := b.Parse(location)
	if err != nil {
		return Origin{}, "", fmt.Errorf("redirect: %w", err)
	}
	o, err := originOf(u)
	if err != nil {
		return Origin{}, "", fmt.Errorf("redirect: %w", err)
	}
	next := url.URL{
		Scheme: o.Scheme, Host: o.hostPort(),
		Path: cmp.Or(u.Path, "/"), RawPath: u.RawPath,
		RawQuery: escapeQuery(u.RawQuery), ForceQuery: u.ForceQuery,
	}
	return o, next.String(), nil
}

// escapeQuery escapes what browsers escape in a query, blanks and bytes outside ASCII first of all: net/url leaves it as
// it came, and in a request line it would be malformed.
func escapeQuery(q string) string {
	var b strings.Builder
	for i := range len(q) {
		if c := q[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`"<>'`, c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// bound makes a value from outside fit to be kept: valid UTF-8 of at most valueLimit bytes.
func bound(s string) string {
	return strings.ToValidUTF8(s[:min(len(s), valueLimit)], "\ufffd")
}

// utc gives a time that survives JSON unchanged: without the monotonic clock.
func utc(t time.Time) time.Time { return t.UTC().Round(0) }

// newID gives idLength random characters of the base58 alphabet, which leaves out 0, O, I and l.
func newID() string {
	const alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	id := make([]byte, 0, idLength)
	for buf := make([]byte, 2*idLength); ; {
		rand.Read(buf) // never fails: see crypto/rand
		for _, c := range buf {
			if int(c) >= 256/len(alphabet)*len(alphabet) {
				continue // all characters must be equally likely
			}
			id = append(id, alphabet[int(c)%len(alphabet)])
			if len(id) == idLength {
				return string(id)
			}
		}
	}
}
