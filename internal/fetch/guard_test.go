package fetch

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/whichrule/whichrule/internal/testkit"
)

// guardNames are the names that TestGuard types.
var guardNames = testkit.Names{
	"private.example":              {"10.0.0.1"},
	"private6.example":             {"fd00::1"},
	"mixed.example":                {"8.8.8.8", "10.0.0.1"},
	"mixed6.example":               {"2606:4700:4700::1111", "::1"},
	"public-first.example":         {"8.8.8.8", "1.1.1.1", "2606:4700:4700::1111", "169.254.169.254"},
	"public-last.example":          {"::1", "8.8.8.8"},
	"public-many.example":          {"8.8.8.8", "8.8.4.4", "1.1.1.1", "1.0.0.1", "9.9.9.9", "127.0.0.1"}, // beyond maxDials
	"mapped.example":               {"::ffff:127.0.0.1"},
	"zone.example":                 {"fe80::1%eth0"},
	"nat64.example":                {"64:ff9b::7f00:1"},
	"127.0.0.1.nip.example":        {"127.0.0.1"},
	"metadata.internal":            {"169.254.169.254"},
	"metadata.google.internal":     {"169.254.169.254", "fd20:ce::254"},
	"host.docker.internal":         {"192.168.65.254"},
	"kubernetes.default.svc":       {"10.96.0.1"},
	"_api.internal":                {"fdaa::3"},
	"top1.nearest.of.app.internal": {"fdaa:0:1::3"},
}

// TestGuard has the ends of every range and the neighbours outside, so that no prefix is a bit too short, and what
// people type to get past a careless check. An address that is refused is so in every way to it: at the socket, typed,
// as one of a name, beside a public one, and behind a redirect of a public site. Nothing is sent, and nothing that
// leaves the package tells which address a name has.
func TestGuard(t *testing.T) {
	const (
		refused = "refused"
		ok      = "ok"
		noSite  = "no site" // not even taken for one
	)
	tests := []struct{ name, in, want string }{
		{"this network, first", "0.0.0.0", refused},
		{"this network", "0.0.0.1", refused},
		{"this network, last", "0.255.255.255", refused},
		{"after this network", "1.0.0.0", ok},
		{"public resolver", "1.1.1.1", ok},
		{"public", "8.8.8.8", ok},
		{"before private 10", "9.255.255.255", ok},
		{"private 10, first", "10.0.0.0", refused},
		{"private 10", "10.1.2.3", refused},
		{"private 10, last", "10.255.255.255", refused},
		{"after private 10", "11.0.0.0", ok},
		{"before shared", "100.63.255.255", ok},
		{"shared (CGNAT), first", "100.64.0.0", refused},
		{"shared: Alibaba metadata", "100.100.100.200", refused},
		{"shared: Tailscale", "100.101.102.103", refused},
		{"shared, last", "100.127.255.255", refused},
		{"after shared", "100.128.0.0", ok},
		{"before loopback", "126.255.255.255", ok},
		{"loopback, first", "127.0.0.0", refused},
		{"loopback", "127.0.0.1", refused},
		{"loopback, systemd-resolved", "127.0.0.53", refused},
		{"loopback, last", "127.255.255.255", refused},
		{"after loopback", "128.0.0.0", ok},
		{"before Azure's platform", "168.63.129.15", ok},
		{"Azure's platform", "168.63.129.16", refused},
		{"after Azure's platform", "168.63.129.17", ok},
		{"before link-local", "169.253.255.255", ok},
		{"link-local, first", "169.254.0.0", refused},
		{"link-local: Tencent metadata", "169.254.0.23", refused},
		{"link-local: container credentials", "169.254.170.2", refused},
		{"link-local: metadata", "169.254.169.254", refused},
		{"link-local, last", "169.254.255.255", refused},
		{"after link-local", "169.255.0.0", ok},
		{"before private 172.16", "172.15.255.255", ok},
		{"private 172.16, first", "172.16.0.0", refused},
		{"private 172.16: docker", "172.17.0.1", refused},
		{"private 172.16, last", "172.31.255.255", refused},
		{"after private 172.16", "172.32.0.0", ok},
		{"before protocol assignments", "191.255.255.255", ok},
		{"protocol assignments, first", "192.0.0.0", refused},
		{"protocol assignments: DS-Lite", "192.0.0.1", refused},
		{"protocol assignments: PCP anycast", "192.0.0.9", refused},
		{"protocol assignments: NAT64 discovery", "192.0.0.170", refused},
		{"protocol assignments: Oracle metadata", "192.0.0.192", refused},
		{"protocol assignments, last", "192.0.0.255", refused},
		{"between protocol and documentation", "192.0.1.255", ok},
		{"documentation 1, first", "192.0.2.0", refused},
		{"documentation 1", "192.0.2.1", refused},
		{"documentation 1, last", "192.0.2.255", refused},
		{"after documentation 1", "192.0.3.0", ok},
		{"AS112", "192.31.196.1", refused},
		{"AMT", "192.52.193.1", refused},
		{"before 6to4 relays", "192.88.98.255", ok},
		{"6to4 relays, first", "192.88.99.0", refused},
		{"6to4 relays", "192.88.99.1", refused},
		{"6to4 relays, last", "192.88.99.255", refused},
		{"after 6to4 relays", "192.88.100.0", ok},
		{"before private 192.168", "192.167.255.255", ok},
		{"private 192.168, first", "192.168.0.0", refused},
		{"private 192.168", "192.168.1.1", refused},
		{"private 192.168, last", "192.168.255.255", refused},
		{"after private 192.168", "192.169.0.0", ok},
		{"AS112, direct delegation", "192.175.48.1", refused},
		{"before benchmarking", "198.17.255.255", ok},
		{"benchmarking, first", "198.18.0.0", refused},
		{"benchmarking", "198.19.1.1", refused},
		{"benchmarking, last", "198.19.255.255", refused},
		{"after benchmarking", "198.20.0.0", ok},
		{"before documentation 2", "198.51.99.255", ok},
		{"documentation 2, first", "198.51.100.0", refused},
		{"documentation 2, last", "198.51.100.255", refused},
		{"after documentation 2", "198.51.101.0", ok},
		{"before documentation 3", "203.0.112.255", ok},
		{"documentation 3, first", "203.0.113.0", refused},
		{"documentation 3, last", "203.0.113.255", refused},
		{"after documentation 3", "203.0.114.0", ok},
		{"before multicast", "223.255.255.255", ok},
		{"multicast, first", "224.0.0.0", refused},
		{"multicast: mDNS", "224.0.0.251", refused},
		{"multicast: SSDP", "239.255.255.250", refused},
		{"multicast, last", "239.255.255.255", refused},
		{"reserved, first", "240.0.0.0", refused},
		{"reserved: used inside clouds", "241.0.0.1", refused},
		{"reserved, last", "255.255.255.254", refused},
		{"broadcast", "255.255.255.255", refused},

		{"unspecified", "::", refused},
		{"loopback", "::1", refused},
		{"IPv4-compatible", "::7f00:1", refused},
		{"IPv4-compatible, dotted", "::127.0.0.1", refused},
		{"IPv4-compatible, public", "::8.8.8.8", refused},
		{"IPv4-mapped, loopback", "::ffff:127.0.0.1", refused},
		{"IPv4-mapped, loopback in hex", "::ffff:7f00:1", refused},
		{"IPv4-mapped, private", "::ffff:10.0.0.1", refused},
		{"IPv4-mapped, metadata", "::ffff:169.254.169.254", refused},
		{"IPv4-mapped, public", "::ffff:8.8.8.8", refused},
		{"IPv4-mapped, spelled out", "0:0:0:0:0:ffff:7f00:0001", refused},
		{"IPv4-translated", "::ffff:0:127.0.0.1", refused},
		{"NAT64, first", "64:ff9b::", refused},
		{"NAT64, loopback", "64:ff9b::7f00:1", refused},
		{"NAT64, metadata", "64:ff9b::169.254.169.254", refused},
		{"NAT64, public", "64:ff9b::8.8.8.8", refused},
		{"NAT64, last", "64:ff9b::255.255.255.255", refused},
		{"local NAT64, first", "64:ff9b:1::", refused},
		{"local NAT64, private", "64:ff9b:1::10.0.0.1", refused},
		{"local NAT64, last", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", refused},
		{"discard only", "100::1", refused},
		{"dummy prefix", "100:0:0:1::1", refused},
		{"unassigned low", "400::1", refused},
		{"before global unicast", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", refused},
		{"protocol assignments, first", "2001::", refused},
		{"Teredo", "2001::1", refused},
		{"Teredo, loopback inside", "2001:0:808:808:0:0:80ff:fffe", refused},
		{"Teredo, last", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff", refused},
		{"PCP anycast", "2001:1::1", refused},
		{"benchmarking", "2001:2::1", refused},
		{"benchmarking, last", "2001:2:0:ffff:ffff:ffff:ffff:ffff", refused},
		{"AMT", "2001:3::1", refused},
		{"AS112", "2001:4:112::1", refused},
		{"ORCHID", "2001:10::1", refused},
		{"ORCHIDv2", "2001:20::1", refused},
		{"drone ids", "2001:30::1", refused},
		{"protocol assignments, last", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", refused},
		{"after protocol assignments", "2001:200::1", ok},
		{"before documentation", "2001:db7:ffff::1", ok},
		{"documentation, first", "2001:db8::", refused},
		{"documentation", "2001:db8::1", refused},
		{"documentation, last", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", refused},
		{"after documentation", "2001:db9::1", ok},
		{"public", "2001:4860:4860::8888", ok},
		{"6to4, first", "2002::", refused},
		{"6to4, loopback", "2002:7f00:1::1", refused},
		{"6to4, private", "2002:a00:1::1", refused},
		{"6to4, metadata", "2002:a9fe:a9fe::", refused},
		{"6to4, public", "2002:808:808::1", refused},
		{"6to4, last", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", refused},
		{"after 6to4", "2003::1", ok},
		{"public", "2606:4700:4700::1111", ok},
		{"AS112, direct delegation", "2620:4f:8000::1", refused},
		{"after AS112", "2620:4f:8001::1", ok},
		{"public", "2a00:1450:4001::1", ok},
		{"before 6bone", "3ffd:ffff::1", ok},
		{"6bone", "3ffe::1", refused},
		{"documentation 3fff, first", "3fff::", refused},
		{"documentation 3fff", "3fff::1", refused},
		{"documentation 3fff, last", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", refused},
		{"after documentation 3fff", "3fff:1000::1", ok},
		{"after global unicast", "4000::", refused},
		{"segment routing ids", "5f00::1", refused},
		{"unassigned high", "8000::1", refused},
		{"unique-local fc", "fc00::1", refused},
		{"unique-local fc, last", "fcff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", refused},
		{"unique-local fd", "fd00::1", refused},
		{"unique-local: AWS metadata", "fd00:ec2::254", refused},
		{"unique-local: AWS resolver", "fd00:ec2::253", refused},
		{"unique-local: Google metadata", "fd20:ce::254", refused},
		{"unique-local: Fly private network", "fdaa::1", refused},
		{"unique-local: Fly resolver", "fdaa::3", refused},
		{"unique-local: Tailscale", "fd7a:115c:a1e0::1", refused},
		{"unique-local, last", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", refused},
		{"unassigned fe", "fe00::1", refused},
		{"link-local, first", "fe80::", refused},
		{"link-local", "fe80::1", refused},
		{"link-local with a zone", "fe80::1%eth0", refused},
		{"link-local: metadata over IPv6", "fe80::a9fe:a9fe", refused},
		{"link-local, last", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", refused},
		{"site-local", "fec0::1", refused},
		{"site-local, last", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", refused},
		{"public with a zone", "2606:4700:4700::1111%1", refused},
		{"multicast, interface", "ff01::1", refused},
		{"multicast, link", "ff02::1", refused},
		{"multicast, site", "ff05::1", refused},
		{"multicast, global", "ff0e::1", refused},
		{"all ones", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", refused},

		{"loopback by name", "localhost", refused},
		{"loopback by name", "LOCALHOST", refused},
		{"loopback by name", "localhost.", refused},
		{"loopback by name", "http://localhost/", refused},
		{"loopback by name", "app.localhost", refused},
		{"loopback by name", "LOCALHOST:443", refused},
		{"loopback by name", "ｌｏｃａｌｈｏｓｔ", refused},
		{"name", "private.example", refused},
		{"name", "private6.example", refused},
		{"name", "mixed.example", refused},
		{"name", "mixed6.example", refused},
		{"name", "mapped.example", refused},
		{"name", "metadata.internal", refused},
		{"name", "zone.example", refused},
		{"name", "nat64.example", refused},
		{"name", "127.0.0.1.nip.example", refused},
		{"name", "https://metadata.google.internal/", refused},
		{"name", "host.docker.internal", refused},
		{"name", "kubernetes.default.svc", refused},
		{"name", "_api.internal", refused},
		{"name", "top1.nearest.of.app.internal", refused},
		{"name", "public-first.example", refused},
		{"name", "public-last.example", refused},
		{"name", "public-many.example", refused},
		{"odd IPv4", "127.0.0.1.", refused},
		{"odd IPv4", "127.1", refused},
		{"odd IPv4", "127.0.1", refused},
		{"odd IPv4", "127.255.255.254", refused},
		{"odd IPv4", "2130706433", refused},
		{"odd IPv4", "0x7f000001", refused},
		{"odd IPv4", "0x7F.1", refused},
		{"odd IPv4", "0177.1", refused},
		{"odd IPv4", "0177.0.0.1", refused},
		{"odd IPv4", "0x7f.0x0.0x0.0x1", refused},
		{"odd IPv4", "017700000001", refused},
		{"odd IPv4", "00000177.0.0.1", refused},
		{"odd IPv4", "127.0.0.0x1", refused},
		{"odd IPv4", "127。0。0。1", refused},
		{"odd IPv4", "１２７．０．０．１", refused},
		{"odd IPv4", "①②⑦.0.0.1", refused},
		{"odd IPv4", "①②⑦。⓪。⓪。①", refused},
		{"odd IPv4", "0", refused},
		{"odd IPv4", "00", refused},
		{"odd IPv4", "0x0", refused},
		{"odd IPv4", "0.0", refused},
		{"odd IPv4", "10.1", refused},
		{"odd IPv4", "0xa.1", refused},
		{"odd IPv4", "167772161", refused},
		{"odd IPv4", "192.168.257", refused},
		{"odd IPv4", "2852039166", refused},
		{"odd IPv4", "0xa9fea9fe", refused},
		{"odd IPv4", "0251.0376.0251.0376", refused},
		{"odd IPv4", "169.254.43518", refused},
		{"odd IPv4", "0xa83f8110", refused},
		{"odd IPv4", "https://127.1:443/", refused},
		{"odd IPv4", "127.0.0.1:80", refused},
		{"odd IPv4", "http://0300.0250.1.1/", refused},
		{"odd IPv4", "http://3232235777/", refused},
		{"odd IPv4", "http://0xc0a80101", refused},
		{"odd IPv4", "http://0xA9.0xFE.0xA9.0xFE", refused},
		{"odd IPv4", "http://127.0.0.1:080/", refused},
		{"odd IPv4", "http://127.0.0.1.:443", refused},
		{"odd IPv4", "₁₂₇.0.0.1", refused},
		{"odd IPv4", "127．1", refused},
		{"odd IPv4", "127.0.0.1/robots.txt", refused},
		{"IPv6", "[::]", refused},
		{"IPv6", "[::1]", refused},
		{"IPv6", "[0:0:0:0:0:0:0:1]", refused},
		{"IPv6", "[::127.0.0.1]", refused},
		{"IPv6", "[::ffff:7f00:1]", refused},
		{"IPv6", "[::ffff:127.0.0.1]", refused},
		{"IPv6", "[::FFFF:8.8.8.8]", refused},
		{"IPv6", "[64:ff9b::7f00:1]", refused},
		{"IPv6", "[2002:7f00:1::]", refused},
		{"IPv6", "[2001::1]", refused},
		{"IPv6", "[fc00::1]", refused},
		{"IPv6", "[fe80::1]", refused},
		{"IPv6", "[fec0::1]", refused},
		{"IPv6", "[fdaa::3]", refused},
		{"IPv6", "[fd00:ec2::254]", refused},
		{"IPv6", "http://[::1]:80", refused},
		{"IPv6", "[::ffff:0a00:1]", refused},
		{"IPv6", "http://[0:0:0:0:0:ffff:169.254.169.254]/", refused},
		{"IPv6", "http://[fdaa:0:1::3]:443", refused},
		{"IPv6", "[64:ff9b:1::a00:1]", refused},
		{"IPv6", "[2001:0:7f00:1::]", refused},
		{"IPv6", "http://[::7f00:1]/", refused},
		{"IPv6", "[::ffff:127.0.0.1]:80", refused},
		{"zone", "[fe80::1%25lo]", noSite},
		{"zone", "[::1%lo]", noSite},
		{"zone", "fe80::1%lo", refused},
		{"zone", "[fe80::1%25eth0]:80", noSite},
		{"disguise", "http://example.com@127.0.0.1/", noSite},
		{"disguise", "http://127.0.0.1\\@example.com/", refused},
		{"disguise", "http:\\\\127.0.0.1", refused},
		{"disguise", "http:127.0.0.1", refused},
		{"disguise", "http:///127.0.0.1", refused},
		{"disguise", "//127.0.0.1", refused},
		{"disguise", "\\\\127.0.0.1", refused},
		{"disguise", "http://127.0.0.1#@example.com", refused},
		{"disguise", "http://127.0.0.1?@example.com", refused},
		{"disguise", "127.0.0.1:80@example.com", noSite},
		{"blanks, control characters and escapes", "127.0.0.1\t", refused},
		{"blanks, control characters and escapes", "127.\t0.0.1", noSite},
		{"blanks, control characters and escapes", "127.0.0.1\x00.example", noSite},
		{"blanks, control characters and escapes", "127.0.0.1%00", noSite},
		{"blanks, control characters and escapes", "127%2e0%2e0%2e1", noSite},
		{"blanks, control characters and escapes", "%31%32%37.0.0.1", noSite},
		{"blanks, control characters and escapes", "127.0.0.1\r\nHost: example.com", noSite},
		{"blanks, control characters and escapes", "127.0.0.1 ", refused},
		{"blanks, control characters and escapes", " 127.0.0.1", refused},
		{"blanks, control characters and escapes", "127.0.0.1/ ", refused},
		{"blanks, control characters and escapes", "http://\u00ad127.0.0.1/", refused},
		{"port", "8.8.8.8:22", refused},
		{"port", "8.8.8.8:6379", refused},
		{"port", "example.com:25", refused},
		{"port", "http://8.8.8.8:8080/", refused},
		{"port", "[2606:4700:4700::1111]:8443", refused},
		{"port", "http://192.168.0.1:8080", refused},
		{"port", "01.02.03.04:25", refused},
	}
	if len(tests) < 200 {
		t.Errorf("got %d rows; want 200", len(tests))
	}

	public := testkit.NewSite(t)
	names := testkit.Names{"public.example": {"127.0.0.1"}} // the one that the allow list makes public
	for name, addrs := range guardNames {
		names[name] = addrs
	}
	f := fetcherFor(t, Config{Resolver: names}, public)
	strict := newGuard(Allow{})
	fetched := func(t *testing.T, o Origin, secret string) {
		t.Helper()
		out := must(f.Fetch(t.Context(), o))
		if out.Kind != Refused || out.Status != 0 || len(out.Hops) != 1 {
			t.Errorf("fetch of %s: got %s (%s), hops %v; want refused, one hop", o, out.Kind, out.Detail, out.Hops)
		}
		tellsNot(t, out, secret)
	}
	redirected := func(t *testing.T, to, secret string) {
		t.Helper()
		public.Serve(testkit.Redirect(302, to))
		out := must(f.Fetch(t.Context(), origin("http", "public.example", public.Port())))
		followed := out.Kind == Refused && len(out.Hops) == 2 && out.Status == 0
		if notTaken := out.Kind == BadRedirect || out.Kind == Broken; !followed && (!notTaken || len(out.Hops) != 1) {
			t.Errorf("redirect to %q: got %s (%s), hops %v; want refused", to, out.Kind, out.Detail, out.Hops)
		}
		tellsNot(t, out, secret)
	}

	for _, tt := range tests {
		addr, err := netip.ParseAddr(tt.in)
		if err != nil { // typed
			t.Run(tt.name+" "+tt.in, func(t *testing.T) {
				site, err := ParseSite(tt.in)
				if (err != nil) != (tt.want == noSite) {
					t.Fatalf("ParseSite: got %v, %v; want %s", site.Origin, err, tt.want)
				}
				if err == nil {
					fetched(t, site.Origin, "")
				}
				to := tt.in
				if !strings.HasPrefix(to, "http") && !strings.HasPrefix(to, "//") {
					to = "http://" + to
				}
				redirected(t, to, "")
			})
			continue
		}
		t.Run(tt.name+" "+tt.in, func(t *testing.T) {
			literal := tt.in
			if addr.Is6() {
				literal = "[" + literal + "]"
			}
			for _, port := range fetchPorts {
				err := strict.check(netip.AddrPortFrom(addr, port))
				if got := err != nil; got != (tt.want == refused) || got && !errors.Is(err, errRefused) {
					t.Errorf("check on port %d: got %v; want %s", port, err, tt.want)
				}
				network := map[bool]string{true: "tcp4", false: "tcp6"}[addr.Is4()]
				if err := strict.control(network, fmt.Sprintf("%s:%d", literal, port), nil); (err != nil) != (tt.want == refused) {
					t.Errorf("control on port %d: got %v; want %s", port, err, tt.want)
				}
			}
			site, err := ParseSite(literal)
			if (err != nil) != (addr.Zone() != "") {
				t.Errorf("ParseSite(%s): got %v; want an error for a zone alone", literal, err)
			}
			if err == nil && f.Fetchable(site.Origin) != (tt.want == ok) {
				t.Errorf("Fetchable(%s): got %t; want %s", site.Origin, tt.want != ok, tt.want)
			}
			if tt.want == ok {
				return
			}
			if err == nil {
				fetched(t, site.Origin, "")
				redirected(t, "http://"+literal+"/", "")
				redirected(t, "https://"+literal+":443/", "")
			}
			if addr.Is4In6() && strict.check(netip.AddrPortFrom(addr.Unmap(), 80)) == nil {
				return // resolvers write IPv4 addresses so
			}
			names["alone.example"] = []string{tt.in}
			names["first.example"] = []string{tt.in, "8.8.8.8"}
			names["last.example"] = []string{"2606:4700:4700::1111", "8.8.8.8", tt.in}
			for _, name := range []string{"alone.example", "first.example", "last.example"} {
				fetched(t, origin("https", name, 443), tt.in)
				redirected(t, "//"+name+":80/a", tt.in)
			}
		})
	}
	if n := public.Count(); n == 0 || strict.check(netip.AddrPort{}) == nil {
		t.Errorf("got %d redirects, no address refused: %v; want both", n, strict.check(netip.AddrPort{}))
	}
}

// tellsNot: what an outcome says outside must not hold the address of a name.
func tellsNot(t *testing.T, out *Outcome, secret string) {
	t.Helper()
	data, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	if secret != "" && strings.Contains(string(data), secret) {
		t.Errorf("outcome tells the address %s: %s", secret, data)
	}
}

func TestGuardPorts(t *testing.T) {
	g := newGuard(Allow{})
	public := netip.MustParseAddr("8.8.8.8")
	for _, port := range []uint16{0, 1, 21, 22, 25, 53, 79, 81, 442, 444, 2375, 3306, 6379, 8000, 8080, 8443, 9200, 65535} {
		if err := g.check(netip.AddrPortFrom(public, port)); !errors.Is(err, errRefused) {
			t.Errorf("port %d: got %v; want refused", port, err)
		}
	}
}

// TestGuardControl is about the last word: what the dialer is about to connect to, whatever was resolved before.
func TestGuardControl(t *testing.T) {
	tests := []struct {
		name, network, address string
		want                   bool
	}{
		{"public", "tcp4", "8.8.8.8:443", true},
		{"public IPv6", "tcp6", "[2606:4700:4700::1111]:80", true},
		{"loopback", "tcp4", "127.0.0.1:80", false},
		{"loopback IPv6", "tcp6", "[::1]:80", false},
		{"mapped", "tcp6", "[::ffff:127.0.0.1]:80", false},
		{"zone", "tcp6", "[fe80::1%eth0]:80", false},
		{"port", "tcp4", "8.8.8.8:22", false},
		{"udp", "udp4", "8.8.8.8:443", false},
		{"unix", "unix", "/run/docker.sock", false},
		{"name", "tcp4", "example.com:443", false},
		{"nothing", "tcp4", "", false},
	}
	g := newGuard(Allow{})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := g.control(tt.network, tt.address, nil)
			if (err == nil) != tt.want || err != nil && !errors.Is(err, errRefused) {
				t.Errorf("control(%s, %s): got %v; want allowed %t", tt.network, tt.address, err, tt.want)
			}
		})
	}
}

func TestParseAllow(t *testing.T) {
	tests := []struct {
		name, allow, addr string
		want              bool
	}{
		{"nothing", "", "127.0.0.1:80", false},
		{"address, any port", "127.0.0.1", "127.0.0.1:8080", true},
		{"address, not its neighbour", "127.0.0.1", "127.0.0.2:8080", false},
		{"prefix", "10.1.0.0/16", "10.1.255.255:1", true},
		{"prefix, not beyond", "10.1.0.0/16", "10.2.0.0:80", false},
		{"prefix not masked", "10.1.2.3/16", "10.1.9.9:80", true},
		{"address and port", "127.0.0.1:8080", "127.0.0.1:8080", true},
		{"address and port, not another port", "127.0.0.1:8080", "127.0.0.1:80", false},
		{"address and port, not another address", "127.0.0.1:8080", "127.0.0.2:8080", false},
		{"IPv6", "::1", "[::1]:8080", true},
		{"IPv6, not IPv4", "::1", "127.0.0.1:8080", false},
		{"IPv6 and port", "[::1]:8080", "[::1]:8080", true},
		{"IPv6 prefix", "fd00::/8", "[fdaa::3]:53", true},
		{"all of IPv4, not IPv6", "0.0.0.0/0", "[::1]:80", false},
		{"all of IPv4, not mapped", "0.0.0.0/0", "[::ffff:127.0.0.1]:80", false},
		{"list with blanks", " 127.0.0.1:1 , 127.0.0.1:2 ,", "127.0.0.1:2", true},
		{"mapped is meant as IPv4", "::ffff:127.0.0.1", "127.0.0.1:8080", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			allow, err := ParseAllow(tt.allow)
			if err != nil {
				t.Fatal(err)
			}
			err = newGuard(allow).check(netip.MustParseAddrPort(tt.addr))
			if (err == nil) != tt.want {
				t.Errorf("allow %q, check %s: got %v; want allowed %t", tt.allow, tt.addr, err, tt.want)
			}
		})
	}
	for _, in := range []string{"localhost", "127.0.0.1:http", "127.0.0.1:0", "127.0.0.1/33", "10.0.0.0/8:80", "fe80::1%eth0", "::ffff:0:0/96", "127.1"} {
		if _, err := ParseAllow(in); err == nil {
			t.Errorf("ParseAllow(%q): got no error; want one", in)
		}
	}
}

func TestFetchable(t *testing.T) {
	allow, err := ParseAllow("127.0.0.1:8080")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		in   Origin
		want bool
	}{
		{"https", origin("https", "example.com", 443), true},
		{"http", origin("http", "example.com", 80), true},
		{"https on 80", origin("https", "example.com", 80), true},
		{"other port", origin("https", "example.com", 8443), false},
		{"port of the allow list", origin("http", "127.0.0.1", 8080), true},
		{"a public address", origin("https", "8.8.8.8", 443), true},
		{"a private address", origin("http", "10.0.0.1", 80), false},
		{"a private IPv6 address", origin("https", "::1", 443), false},
		{"other scheme", origin("ftp", "example.com", 80), false},
		{"nothing", Origin{}, false},
	}
	f := New(Config{Allow: allow})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := f.Fetchable(tt.in); got != tt.want {
				t.Errorf("got %t; want %t", got, tt.want)
			}
		})
	}
}
