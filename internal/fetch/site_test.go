package fetch

import (
	"errors"
	"net/netip"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func origin(scheme, host string, port int) Origin { return Origin{scheme, host, port} }

func TestParseSite(t *testing.T) {
	shop := origin("https", "shop.example.com", 443)
	tests := []struct {
		name, in string
		want     Site
	}{
		{"host", "shop.example.com", Site{Origin: shop}},
		{"blanks around", " \t shop.example.com \r\n", Site{Origin: shop}},
		{"no-break space and byte order mark", "\ufeff\u00a0shop.example.com\u200b", Site{Origin: shop}},
		{"upper case", "SHOP.Example.COM", Site{Origin: shop}},
		{"https", "https://shop.example.com", Site{Origin: shop, SchemeGiven: true}},
		{"http", "http://shop.example.com", Site{Origin: origin("http", "shop.example.com", 80), SchemeGiven: true}},
		{"scheme in capitals", "HTTPS://shop.example.com/A", Site{Origin: shop, SchemeGiven: true, Path: "/A"}},
		{"default port", "https://shop.example.com:443/", Site{Origin: shop, SchemeGiven: true, Path: "/"}},
		{"default port of the other scheme", "http://shop.example.com:443/", Site{Origin: origin("http", "shop.example.com", 443), SchemeGiven: true, Path: "/"}},
		{"port without a scheme", "example.com:8080/x", Site{Origin: origin("https", "example.com", 8080), Path: "/x"}},
		{"port of a name without dots", "localhost:3000", Site{Origin: origin("https", "localhost", 3000)}},
		{"port with zeros", "example.com:0080", Site{Origin: origin("https", "example.com", 80)}},
		{"port left empty", "example.com:/x", Site{Origin: origin("https", "example.com", 443), Path: "/x"}},
		{"no scheme but slashes", "//shop.example.com/a", Site{Origin: shop, Path: "/a"}},
		{"no scheme but backslashes", `\\shop.example.com\a`, Site{Origin: shop, Path: "/a"}},
		{"backslashes", `https:\\shop.example.com\a\b`, Site{Origin: shop, SchemeGiven: true, Path: `/a\b`}},
		{"one slash", "https:/shop.example.com/", Site{Origin: shop, SchemeGiven: true, Path: "/"}},
		{"three slashes", "https:///shop.example.com/", Site{Origin: shop, SchemeGiven: true, Path: "/"}},
		{"path kept as typed", "shop.example.com/Söße %7e/../x?q=1&r=ä", Site{Origin: shop, Path: "/Söße %7e/../x?q=1&r=ä"}},
		{"fragment dropped", "shop.example.com/a#b", Site{Origin: shop, Path: "/a"}},
		{"fragment right behind the host", "shop.example.com#b", Site{Origin: shop}},
		{"query right behind the host", "shop.example.com?a=1", Site{Origin: shop, Path: "/?a=1"}},
		{"at sign behind a backslash", `https://shop.example.com\@example.org/`, Site{Origin: shop, SchemeGiven: true, Path: "/@example.org/"}},
		{"at sign in the path", "shop.example.com/@me", Site{Origin: shop, Path: "/@me"}},
		{"robots.txt", "https://shop.example.com/robots.txt", Site{Origin: shop, SchemeGiven: true, Path: "/robots.txt"}},
		{"robots.txt in a folder", "shop.example.com/x/robots.txt", Site{Origin: shop, Path: "/x/robots.txt", OtherRobots: true}},
		{"robots.txt in capitals", "shop.example.com/Robots.TXT", Site{Origin: shop, Path: "/Robots.TXT", OtherRobots: true}},
		{"robots.txt in capitals, with a query", "shop.example.com/ROBOTS.txt?v=1", Site{Origin: shop, Path: "/ROBOTS.txt?v=1", OtherRobots: true}},
		{"robots.txt in a query", "shop.example.com/a?/robots.txt", Site{Origin: shop, Path: "/a?/robots.txt"}},
		{"a name that ends like it", "shop.example.com/myrobots.txt", Site{Origin: shop, Path: "/myrobots.txt"}},
		{"dot at the end", "shop.example.com./a", Site{Origin: shop, Path: "/a"}},
		{"IDN", "bücher.example", Site{Origin: origin("https", "xn--bcher-kva.example", 443)}},
		{"IDN in capitals", "BÜCHER.example", Site{Origin: origin("https", "xn--bcher-kva.example", 443)}},
		{"IDN, letters decomposed", "bu\u0308cher.example", Site{Origin: origin("https", "xn--bcher-kva.example", 443)}},
		{"IDN already in ASCII", "XN--BCHER-KVA.example", Site{Origin: origin("https", "xn--bcher-kva.example", 443)}},
		{"IDN, sharp s kept", "faß.example", Site{Origin: origin("https", "xn--fa-hia.example", 443)}},
		{"full-width letters and dots", "ｓｈｏｐ．example。com", Site{Origin: shop}},
		{"soft hyphen", "shop.exam\u00adple.com", Site{Origin: shop}},
		{"underscore", "my_shop.example.com", Site{Origin: origin("https", "my_shop.example.com", 443)}},
		{"hyphens at third and fourth place", "r3---sn-abc.example.com", Site{Origin: origin("https", "r3---sn-abc.example.com", 443)}},
		{"one label", "intranet", Site{Origin: origin("https", "intranet", 443)}},
		{"IPv4", "192.0.2.7", Site{Origin: origin("https", "192.0.2.7", 443)}},
		{"IPv4 in full-width digits", "１９２．０．２．７", Site{Origin: origin("https", "192.0.2.7", 443)}},
		{"IPv4 in two parts", "127.1", Site{Origin: origin("https", "127.0.0.1", 443)}},
		{"IPv4 in three parts", "10.1.258", Site{Origin: origin("https", "10.1.1.2", 443)}},
		{"IPv4 as one number", "2130706433", Site{Origin: origin("https", "127.0.0.1", 443)}},
		{"IPv4 as one hex number", "0x7f000001", Site{Origin: origin("https", "127.0.0.1", 443)}},
		{"IPv4 in hex with capitals", "0X7F.0x0.0x0.0x1", Site{Origin: origin("https", "127.0.0.1", 443)}},
		{"IPv4 in octal", "0177.0.0.01", Site{Origin: origin("https", "127.0.0.1", 443)}},
		{"IPv4, mixed", "0x7f.0.01", Site{Origin: origin("https", "127.0.0.1", 443)}},
		{"IPv4 with a dot at the end", "127.0.0.1.", Site{Origin: origin("https", "127.0.0.1", 443)}},
		{"IPv4, hex without digits", "0x", Site{Origin: origin("https", "0.0.0.0", 443)}},
		{"IPv4 with a port", "http://127.1:8080/", Site{Origin: origin("http", "127.0.0.1", 8080), SchemeGiven: true, Path: "/"}},
		{"number first is a name", "0x7f.example", Site{Origin: origin("https", "0x7f.example", 443)}},
		{"IPv6", "[2001:DB8:0:0::1]/a", Site{Origin: origin("https", "2001:db8::1", 443), Path: "/a"}},
		{"IPv6 with a port", "http://[2001:db8::1]:8080/a", Site{Origin: origin("http", "2001:db8::1", 8080), SchemeGiven: true, Path: "/a"}},
		{"IPv6 without brackets", "2001:db8::1", Site{Origin: origin("https", "2001:db8::1", 443)}},
		{"IPv4-mapped", "[::ffff:7f00:1]", Site{Origin: origin("https", "::ffff:127.0.0.1", 443)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ParseSite(tt.in)
			if err != nil {
				t.Fatalf("ParseSite(%q): got error %v; want none", tt.in, err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("ParseSite(%q): got +; want -\n%s", tt.in, diff)
			}
		})
	}
}

func TestParseSiteErrors(t *testing.T) {
	tests := []struct {
		name, in, want string
	}{
		{"nothing", "", SiteEmpty},
		{"blanks", " \t\n", SiteEmpty},
		{"too long", "example.com/" + strings.Repeat("a", SiteLimit), SiteTooLong},
		{"ftp", "ftp://example.com/", SiteScheme},
		{"file", "file:///etc/passwd", SiteScheme},
		{"javascript", "javascript:alert(1)", SiteScheme},
		{"data", "data:text/plain,x", SiteScheme},
		{"user", "https://me@example.com/", SiteUserinfo},
		{"user and password", "https://me:secret@example.com/", SiteUserinfo},
		{"user and password without a scheme", "me:secret@example.com", SiteUserinfo},
		{"host in disguise", "https://example.com@127.0.0.1/", SiteUserinfo},
		{"mail address", "me@example.com", SiteUserinfo},
		{"empty user", "https://@example.com/", SiteUserinfo},
		{"no host", "https://", SiteHost},
		{"only a path", "/robots.txt", SiteHost},
		{"only a port", ":8080", SiteHost},
		{"only a dot", ".", SiteHost},
		{"two dots at the end", "example.com..", SiteHost},
		{"dot first", ".example.com", SiteHost},
		{"dots in a row", "www..example.com", SiteHost},
		{"blank inside", "exam ple.com", SiteHost},
		{"tab inside", "exam\tple.com", SiteHost},
		{"line end inside", "example.com\r\nX-Header", SiteHost},
		{"NUL inside", "exam\x00ple.com", SiteHost},
		{"escaped", "127%2e0.0.1", SiteHost},
		{"bytes outside UTF-8", "ex\xffample.com", SiteHost},
		{"full-width slash", "example.com／a", SiteHost},
		{"full-width colon", "example.com：80", SiteHost},
		{"full-width at", "me＠example.com", SiteHost},
		{"angle brackets", "<script>", SiteHost},
		{"invalid punycode", "xn--a", SiteHost},
		{"punycode of ASCII", "xn--example-.com", SiteHost},
		{"zero-width joiner", "a\u200db.example", SiteHost},
		{"directions mixed", "a\u05d0b.example", SiteHost},
		{"label too long", strings.Repeat("a", 64) + ".example", SiteHost},
		{"name too long", strings.Repeat("a.", 127) + "example", SiteHost},
		{"name far too long", strings.Repeat("ü", 1000), SiteHost},
		{"IPv4 with five parts", "127.0.0.0.1", SiteHost},
		{"IPv4 part too large", "256.0.0.1", SiteHost},
		{"IPv4 last part too large", "127.0.256.1.1", SiteHost},
		{"IPv4 number too large", "4294967296", SiteHost},
		{"IPv4 with an octal 8", "0178.0.0.1", SiteHost},
		{"a name that ends in a number", "example.1", SiteHost},
		{"IPv6 with a zone", "[fe80::1%eth0]", SiteHost},
		{"IPv6 with an escaped zone", "[fe80::1%25eth0]", SiteHost},
		{"IPv6 with a zone, without brackets", "fe80::1%eth0", SiteHost},
		{"IPv6 never closed", "[::1", SiteHost},
		{"IPv6 with a tail", "[::1]x", SiteHost},
		{"IPv6 without brackets, with a scheme", "http://::1/", SiteHost},
		{"IPv4 in brackets", "[127.0.0.1]", SiteHost},
		{"port is no number", "example.com:http", SitePort},
		{"port is negative", "example.com:-1", SitePort},
		{"port is zero", "example.com:0", SitePort},
		{"port too large", "example.com:65536", SitePort},
		{"port in full-width digits", "example.com:８０", SitePort},
		{"two ports", "example.com:80:80", SiteHost},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			site, err := ParseSite(tt.in)
			var se *SiteError
			if !errors.As(err, &se) || !errors.Is(err, ErrSite) {
				t.Fatalf("ParseSite(%q): got %v, %v; want a SiteError", tt.in, site, err)
			}
			if se.Kind != tt.want {
				t.Errorf("ParseSite(%q): got kind %s; want %s", tt.in, se.Kind, tt.want)
			}
			if tt.in != "" && strings.Contains(se.Error(), tt.in) && len(tt.in) > 4 {
				t.Errorf("error text %q: got the address; want it left out", se)
			}
		})
	}
}

func TestParseURL(t *testing.T) {
	tests := []struct {
		name, in string
		want     Origin
		rest     string
	}{
		{"plain", "https://example.com/a?b#c", origin("https", "example.com", 443), "/a?b#c"},
		{"no path", "https://example.com", origin("https", "example.com", 443), ""},
		{"query first", "https://example.com?a", origin("https", "example.com", 443), "?a"},
		{"fragment first", "https://example.com#a", origin("https", "example.com", 443), "#a"},
		{"capitals", "HTTP://Example.COM/A", origin("http", "example.com", 80), "/A"},
		{"default port", "http://example.com:80/", origin("http", "example.com", 80), "/"},
		{"other port", "http://example.com:8080/", origin("http", "example.com", 8080), "/"},
		{"backslashes", `https:\\example.com\a`, origin("https", "example.com", 443), `\a`},
		{"blanks around", " https://example.com/a ", origin("https", "example.com", 443), "/a"},
		{"rest untouched", "https://example.com/ä b\t%zz", origin("https", "example.com", 443), "/ä b\t%zz"},
		{"IDN", "https://bücher.example/", origin("https", "xn--bcher-kva.example", 443), "/"},
		{"IPv6", "https://[2001:DB8::1]/", origin("https", "2001:db8::1", 443), "/"},
		{"odd IPv4", "http://0x7f.1/", origin("http", "127.0.0.1", 80), "/"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, rest, err := ParseURL(tt.in)
			if err != nil || got != tt.want || rest != tt.rest {
				t.Errorf("ParseURL(%q): got %v, %q, %v; want %v, %q", tt.in, got, rest, err, tt.want, tt.rest)
			}
		})
	}
}

func TestParseURLErrors(t *testing.T) {
	tests := []struct {
		name, in, want string
	}{
		{"nothing", " ", SiteEmpty},
		{"no scheme", "example.com/a", SiteScheme},
		{"a path", "/a", SiteScheme},
		{"a host and a port", "example.com:8080/", SiteScheme},
		{"javascript", "javascript:alert(1)", SiteScheme},
		{"mailto", "mailto:me@example.com", SiteScheme},
		{"user", "https://me@example.com/", SiteUserinfo},
		{"no host", "https:///", SiteHost},
		{"bad port", "https://example.com:x/", SitePort},
		{"too long", "https://example.com/" + strings.Repeat("a", URLLimit), SiteTooLong},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := ParseURL(tt.in)
			var se *SiteError
			if !errors.As(err, &se) || se.Kind != tt.want {
				t.Errorf("ParseURL(%q): got %v; want kind %s", tt.in, err, tt.want)
			}
		})
	}
}

func TestOriginString(t *testing.T) {
	tests := []struct {
		name string
		in   Origin
		want string
	}{
		{"https", origin("https", "example.com", 443), "https://example.com"},
		{"http", origin("http", "example.com", 80), "http://example.com"},
		{"other port", origin("https", "example.com", 80), "https://example.com:80"},
		{"IPv6", origin("https", "2001:db8::1", 443), "https://[2001:db8::1]"},
		{"IPv6 and a port", origin("http", "2001:db8::1", 8080), "http://[2001:db8::1]:8080"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.in.String(); got != tt.want {
				t.Errorf("String: got %s; want %s", got, tt.want)
			}
			if got, want := tt.in.RobotsURL(), tt.want+"/robots.txt"; got != want {
				t.Errorf("RobotsURL: got %s; want %s", got, want)
			}
		})
	}
}

// FuzzSite: nothing panics; what was read, written out, is read as the same again; a host has one spelling; and no address
// that is not public may be asked.
func FuzzSite(f *testing.F) {
	for _, s := range []string{
		"shop.example.com", "https://shop.example.com/a?b#c", "example.com:8080/x", "//example.com", `\\example.com\a`,
		"bücher.example", "127.1", "0x7f000001", "0177.0.0.1", "[::ffff:7f00:1]", "fe80::1%eth0", "me:secret@example.com",
		"１２７。０．０．１", "example.com./", "example.com/x/robots.txt", "javascript:alert(1)", "exam\tple.com", "a?#",
		"http://8.8.8.8", "[2606:4700:4700::1111]", "0x08.8.2056", "xn--bcher-kva.example", "a.0x", "[::ffff:8.8.8.8]:443",
	} {
		f.Add(s)
	}
	strict := New(Config{})
	f.Fuzz(func(t *testing.T, in string) {
		if o, rest, err := ParseURL(in); err == nil {
			again, restAgain, err := ParseURL(o.String() + rest)
			if len(in) < URLLimit/2 && (err != nil || again != o || restAgain != rest) {
				t.Errorf("ParseURL(%q): got %v %q, then %v %q %v; want the same", in, o, rest, again, restAgain, err)
			}
		}
		site, err := ParseSite(in)
		if err != nil {
			if !errors.Is(err, ErrSite) {
				t.Errorf("ParseSite(%q): got %v; want an ErrSite", in, err)
			}
			return
		}
		out := site.Origin.String() + site.Path
		if len(out) > SiteLimit {
			return // the scheme was not typed
		}
		again, err := ParseSite(out)
		site.SchemeGiven = true
		if err != nil || again != site {
			t.Errorf("ParseSite(%q): got %+v, then from %q %+v, %v; want the same", in, site, out, again, err)
		}
		checkHost(t, in, site.Origin, strict.Fetchable(site.Origin))
	})
}

// asNumber is a last label that makes C libraries and browsers read a host as an IPv4 address.
var asNumber = regexp.MustCompile(`^([0-9]*|0x[0-9a-f]*)$`)

// checkHost reads a host by rules of its own: an address as net/netip writes it, or a name that no one takes for one.
func checkHost(t *testing.T, in string, o Origin, fetchable bool) {
	t.Helper()
	if a, err := netip.ParseAddr(o.Host); err == nil {
		if a.String() != o.Host || a.Zone() != "" {
			t.Errorf("ParseSite(%q): got host %s; want %s", in, o.Host, a.WithZone(""))
		}
		private := a.IsPrivate() || !a.IsGlobalUnicast() || a.Is4In6() || a.Is6() && a.As16()[0]>>5 != 1 // 2000::/3
		if fetchable && (private || o.Port != 80 && o.Port != 443) {
			t.Errorf("ParseSite(%q): got %s to be fetched; want it refused", in, o)
		}
		return
	}
	last := o.Host[strings.LastIndexByte(o.Host, '.')+1:]
	if asNumber.MatchString(last) {
		t.Errorf("ParseSite(%q): got host %s; want no name that may be read as an address", in, o.Host)
	}
	if strings.Trim(o.Host, "abcdefghijklmnopqrstuvwxyz0123456789-_.") != "" || o.Host[0] == '.' {
		t.Errorf("ParseSite(%q): got host %q; want a name in lower-case ASCII", in, o.Host)
	}
}
