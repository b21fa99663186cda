package fetch

import (
	"errors"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

const (
	// SiteLimit bounds the site field in bytes. 2,083 is the longest address that Internet Explorer took; it lives on
	// as the length that every client and crawler copes with.
	SiteLimit = 2083

	// URLLimit bounds one URL in bytes, typed or in a Location header. 8 KiB is what common web servers take as a
	// request line.
	URLLimit = 8 << 10

	// hostLimit bounds a host name before it is mapped to ASCII: 253 characters, the longest DNS name (RFC 1035
	// §2.3.4), of at most four bytes each.
	hostLimit = 4 * nameLimit

	nameLimit  = 253 // bytes of a DNS name without its last dot, RFC 1035 §2.3.4
	labelLimit = 63  // bytes of one label, RFC 1035 §2.3.4
)

// An Origin is the scheme, host and port that one robots.txt counts for (RFC 9309 §2.3, RFC 6454 §4). Origins are
// comparable: two spellings of one origin parse to equal values.
type Origin struct {
	Scheme string `json:"scheme"` // http or https
	Host   string `json:"host"`   // lower-case ASCII name, or an address: dotted IPv4, IPv6 without brackets
	Port   int    `json:"port"`   // 1 to 65535, also when it is the default
}

// String gives the origin as an address, without a default port: https://shop.example.com, http://[2001:db8::1]:8080.
func (o Origin) String() string {
	return o.Scheme + "://" + o.hostPort()
}

// RobotsURL is the one address whose file counts for the origin.
func (o Origin) RobotsURL() string {
	return o.String() + "/robots.txt"
}

// hostPort is the authority part, as a URL and a Host header write it.
func (o Origin) hostPort() string {
	host := o.Host
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if o.Port == defaultPort(o.Scheme) {
		return host
	}
	return host + ":" + strconv.Itoa(o.Port)
}

func defaultPort(scheme string) int {
	switch scheme {
	case "http":
		return 80
	case "https":
		return 443
	}
	return 0
}

// A Site is the site field as typed, read.
type Site struct {
	Origin Origin

	// Path is what stood behind the host, path and query as typed, the fragment left out. It is "" or starts with a
	// slash. "", "/" and "/robots.txt" name no page to test.
	Path string

	// OtherRobots says that Path names a robots.txt that no crawler reads, /x/robots.txt or /Robots.TXT: only
	// the lower-case file at the root counts (RFC 9309 §2.3).
	OtherRobots bool

	// SchemeGiven says that the scheme was typed; otherwise https was assumed.
	SchemeGiven bool
}

// ErrSite is what every [SiteError] wraps.
var ErrSite = errors.New("not the address of a site")

// The kinds of a [SiteError].
const (
	SiteEmpty    = "empty"    // nothing but blanks
	SiteScheme   = "scheme"   // another scheme than http and https, or none where one is needed
	SiteUserinfo = "userinfo" // a name or password before an @
	SiteHost     = "host"     // no host, or one that no browser would ask
	SitePort     = "port"     // not a number from 1 to 65535
	SiteTooLong  = "too-long" // longer than SiteLimit or URLLimit
)

// A SiteError says why an address was not taken. Its text never repeats the address.
type SiteError struct {
	Kind string // one of the Site constants above
}

func (e *SiteError) Error() string { return "read site: " + e.Kind + ": " + ErrSite.Error() }

// Unwrap gives [ErrSite].
func (e *SiteError) Unwrap() error { return ErrSite }

// ParseSite reads the site field: a host or an http(s) address, as people type and paste them. Without a scheme it
// means https. Host names are mapped to ASCII (UTS #46), one dot at the end is dropped, odd spellings of IPv4 addresses
// (127.1, 0x7f000001) become the address that a browser reads in them, so that no resolver gets to read them in its
// own way. Errors are of type *[SiteError].
func ParseSite(s string) (Site, error) {
	s = trim(s)
	switch {
	case s == "":
		return Site{}, &SiteError{SiteEmpty}
	case len(s) > SiteLimit:
		return Site{}, &SiteError{SiteTooLong}
	}
	if a, err := netip.ParseAddr(s); err == nil && a.Is6() {
		s = "[" + s + "]"
	}

	scheme, rest, given := cutScheme(s)
	given = given && !isHostPort(s)
	if !given {
		scheme, rest = "https", s
		if len(s) > 1 && isSlash(s[0]) && isSlash(s[1]) {
			rest = strings.TrimLeft(s, `/\`)
		}
	}
	o, rest, err := parseRest(scheme, rest)
	if err != nil {
		return Site{}, err
	}

	path, _, _ := strings.Cut(rest, "#")
	path = trim(path)
	switch {
	case path == "":
	case path[0] == '\\':
		path = "/" + path[1:]
	case path[0] == '?':
		path = "/" + path
	}
	return Site{Origin: o, Path: path, OtherRobots: isOtherRobots(path), SchemeGiven: given}, nil
}

// ParseURL reads an absolute http(s) URL as browsers do: letter case of scheme and host, backslashes for slashes, IDN
// and odd IPv4 spellings are taken. It gives the origin, and the path, query and fragment exactly as typed ("" when
// there are none; they may start with a slash, a backslash, ? or #). Errors are of type *[SiteError].
func ParseURL(s string) (Origin, string, error) {
	s = trim(s)
	switch {
	case s == "":
		return Origin{}, "", &SiteError{SiteEmpty}
	case len(s) > URLLimit:
		return Origin{}, "", &SiteError{SiteTooLong}
	}
	scheme, rest, ok := cutScheme(s)
	if !ok {
		return Origin{}, "", &SiteError{SiteScheme}
	}
	return parseRest(scheme, rest)
}

// parseRest reads what follows the scheme and its slashes.
func parseRest(scheme, rest string) (Origin, string, error) {
	if scheme != "http" && scheme != "https" {
		return Origin{}, "", &SiteError{SiteScheme}
	}
	authority := rest
	if i := strings.IndexAny(rest, `/\?#`); i >= 0 {
		authority, rest = rest[:i], rest[i:]
	} else {
		rest = ""
	}
	o, err := parseAuthority(scheme, authority)
	return o, rest, err
}

// parseAuthority reads host and port. A user name is refused and not dropped: the address in front of the @ is there to
// be mistaken for the host.
func parseAuthority(scheme, s string) (Origin, error) {
	if strings.Contains(s, "@") {
		return Origin{}, &SiteError{SiteUserinfo}
	}
	host, port, hasPort := s, "", false
	if i := strings.LastIndexByte(s, ':'); i > strings.LastIndexByte(s, ']') {
		host, port, hasPort = s[:i], s[i+1:], true
	}
	o := Origin{Scheme: scheme, Port: defaultPort(scheme)}
	if hasPort && port != "" {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			return Origin{}, &SiteError{SitePort}
		}
		o.Port = int(n)
	}
	var ok bool
	if o.Host, ok = parseHost(host); !ok {
		return Origin{}, &SiteError{SiteHost}
	}
	return o, nil
}

// originOf reads scheme, host and port of a URL that a server named.
func originOf(u *url.URL) (Origin, error) {
	if u.User != nil {
		return Origin{}, &SiteError{SiteUserinfo}
	}
	o, _, err := parseRest(u.Scheme, u.Host)
	return o, err
}

// lookupNames maps host names as browsers do (UTS #46, non-transitional). Unlike idna.Lookup it takes underscores and
// hyphens anywhere, since names such as r3---sn-x.example.com and my_shop.example.com are in use.
var lookupNames = idna.New(
	idna.MapForLookup(),
	idna.BidiRule(),
	idna.CheckJoiners(true),
	idna.CheckHyphens(false),
	idna.StrictDomainName(false),
	idna.Transitional(false),
)

// parseHost gives a host in its one spelling: an address by its numbers, a name in lower-case ASCII.
func parseHost(s string) (string, bool) {
	if s == "" || len(s) > hostLimit || !utf8.ValidString(s) {
		return "", false
	}
	if inner, ok := strings.CutPrefix(s, "["); ok {
		inner, ok = strings.CutSuffix(inner, "]")
		a, err := netip.ParseAddr(inner)
		if !ok || err != nil || !a.Is6() || a.Zone() != "" {
			return "", false
		}
		return a.String(), true
	}
	name, err := lookupNames.ToASCII(s)
	if err != nil {
		return "", false
	}
	name = strings.TrimSuffix(strings.ToLower(name), ".")
	if len(name) > nameLimit {
		return "", false
	}
	labels := strings.Split(name, ".")
	for _, l := range labels {
		if l == "" || len(l) > labelLimit || strings.Trim(l, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return "", false
		}
	}
	if isNumber(labels[len(labels)-1]) {
		return parseIPv4(labels)
	}
	return name, true
}

// isNumber says whether a last label makes the whole host an IPv4 address (URL Standard, "ends in a number").
func isNumber(label string) bool {
	if hex, ok := strings.CutPrefix(label, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(label, "0123456789") == ""
}

// parseIPv4 reads one to four numbers, decimal, octal (017) or hexadecimal (0xf), the last of which fills all the bytes
// that are left (URL Standard, "IPv4 parser").
func parseIPv4(parts []string) (string, bool) {
	if len(parts) > 4 {
		return "", false
	}
	var addr uint64
	for i, p := range parts {
		base := 10
		if hex, ok := strings.CutPrefix(p, "0x"); ok {
			base, p = 16, "0"+hex
		} else if len(p) > 1 && p[0] == '0' {
			base = 8
		}
		bits := 8
		if i == len(parts)-1 {
			bits = 8 * (4 - i)
		}
		n, err := strconv.ParseUint(p, base, bits)
		if err != nil {
			return "", false
		}
		addr = addr<<bits | n
	}
	a := netip.AddrFrom4([4]byte{byte(addr >> 24), byte(addr >> 16), byte(addr >> 8), byte(addr)})
	return a.String(), true
}

// cutScheme splits off a scheme (RFC 3986 §3.1), in lower case, and the slashes behind it, of which http has
// any number and in either direction for browsers.
func cutScheme(s string) (scheme, rest string, ok bool) {
	scheme, rest, ok = strings.Cut(s, ":")
	if !ok || scheme == "" || !isLetter(scheme[0]) {
		return "", s, false
	}
	for i := range len(scheme) {
		if c := scheme[i]; !isLetter(c) && !isDigit(c) && !strings.ContainsRune("+-.", rune(c)) {
			return "", s, false
		}
	}
	return strings.ToLower(scheme), strings.TrimLeft(rest, `/\`), true
}

// isHostPort says whether what looks like a scheme is a host or a user name: example.com:8080/x, localhost:80,
// me:secret@example.com.
func isHostPort(s string) bool {
	name, rest, _ := strings.Cut(s, ":")
	if strings.EqualFold(name, "http") || strings.EqualFold(name, "https") {
		return false
	}
	if i := strings.IndexAny(rest, `/\?#`); i >= 0 {
		rest = rest[:i]
	}
	return strings.Contains(name, ".") || strings.Contains(rest, "@") || rest != "" && strings.Trim(rest, "0123456789") == ""
}

// isOtherRobots says whether a path names a file that looks like robots.txt and is not the one at the root.
func isOtherRobots(path string) bool {
	path, _, _ = strings.Cut(path, "?")
	last := path[strings.LastIndexAny(path, `/\`)+1:]
	return strings.EqualFold(last, "robots.txt") && path != "/robots.txt"
}

// trim drops what copying drags along: blanks, control characters, byte order marks and zero-width spaces.
func trim(s string) string {
	return strings.TrimFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || r == '\ufeff' || r == '\u200b'
	})
}

func isSlash(c byte) bool  { return c == '/' || c == '\\' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
