package fetch

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"syscall"

	"code.dny.dev/ssrf"
)

// errRefused is what every refusal of the guard wraps. The texts around it name addresses: they are for the log.
var errRefused = errors.New("refused by the address guard")

// An Allow lists addresses that the guard lets pass although it would refuse them. It is for tests against local
// servers and never for a public service. The zero value allows nothing.
type Allow struct {
	prefixes []netip.Prefix   // any port
	ports    []netip.AddrPort // that port only
}

// ParseAllow reads a comma list: an address or a CIDR prefix opens every port, an address with a port only that one
// (127.0.0.1, 10.1.0.0/16, ::1, 127.0.0.1:8080, [::1]:8080). The empty string allows nothing.
func ParseAllow(s string) (Allow, error) {
	var a Allow
	for entry := range strings.SplitSeq(s, ",") {
		entry = strings.TrimSpace(entry)
		if entry == "" {
			continue
		}
		if ap, err := netip.ParseAddrPort(entry); err == nil && ap.Addr().Zone() == "" && ap.Port() != 0 {
			a.ports = append(a.ports, netip.AddrPortFrom(ap.Addr().Unmap(), ap.Port()))
			continue
		}
		if p, err := netip.ParsePrefix(entry); err == nil && !p.Addr().Is4In6() {
			a.prefixes = append(a.prefixes, p.Masked())
			continue
		}
		addr, err := netip.ParseAddr(entry)
		if err != nil || addr.Zone() != "" {
			return Allow{}, fmt.Errorf("read allow list: %q is not IP, IP:port or CIDR", entry)
		}
		addr = addr.Unmap()
		a.prefixes = append(a.prefixes, netip.PrefixFrom(addr, addr.BitLen()))
	}
	return a, nil
}

// IsZero says that nothing is allowed beyond what the guard allows to everyone.
func (a Allow) IsZero() bool { return len(a.prefixes) == 0 && len(a.ports) == 0 }

func (a Allow) contains(ap netip.AddrPort) bool {
	return slices.Contains(a.ports, ap) ||
		slices.ContainsFunc(a.prefixes, func(p netip.Prefix) bool { return p.Contains(ap.Addr()) })
}

// hasPort says whether there is any address at which the port is allowed.
func (a Allow) hasPort(port uint16) bool {
	return len(a.prefixes) > 0 ||
		slices.ContainsFunc(a.ports, func(ap netip.AddrPort) bool { return ap.Port() == port })
}

// A guard decides which addresses may be dialled: global unicast ones on ports 80 and 443, by the special-purpose
// registries of IANA (https://www.iana.org/assignments/iana-ipv4-special-registry and -ipv6-), and what the allow list
// adds. It is asked twice: about every address that a name resolves to, and by the dialer about the address of the
// socket at hand, which has the last word.
type guard struct {
	allow  Allow
	policy *ssrf.Guardian
}

// fetchPorts are the ports that everyone may have fetched: anything else would make the service a port scanner.
var fetchPorts = []uint16{80, 443}

func newGuard(allow Allow) guard {
	return guard{
		allow: allow,
		policy: ssrf.New(
			ssrf.WithPorts(fetchPorts...),
			// The other metadata services live at link-local, shared or unique-local addresses.
			ssrf.WithDeniedV4Prefixes(netip.MustParsePrefix("168.63.129.16/32")), // Azure's platform address, a public one
			ssrf.WithDeniedV6Prefixes(netip.MustParsePrefix("3ffe::/16")),        // 6bone, handed back (RFC 3701)
		),
	}
}

// check refuses an address, or returns nil. The error wraps errRefused.
func (g guard) check(ap netip.AddrPort) error {
	switch {
	case !ap.IsValid():
		return fmt.Errorf("%w: no address", errRefused)
	case ap.Addr().Zone() != "":
		return fmt.Errorf("%w: %s has a zone", errRefused, ap)
	case ap.Addr().Is4In6():
		// No host has such an address of its own; allowed or not, it says IPv4 in disguise.
		return fmt.Errorf("%w: %s is IPv4-mapped", errRefused, ap)
	case g.allow.contains(ap):
		return nil
	}
	if err := g.policy.SafeAddrPort(ap); err != nil {
		return fmt.Errorf("%w: %w", errRefused, err)
	}
	return nil
}

// control is [net.Dialer.Control].
func (g guard) control(network, address string, _ syscall.RawConn) error {
	if network != "tcp4" && network != "tcp6" {
		return fmt.Errorf("%w: network %s", errRefused, network)
	}
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%w: %w", errRefused, err)
	}
	return g.check(ap)
}

// mayHavePort says whether a port could be dialled at all, whatever the address turns out to be.
func (g guard) mayHavePort(port int) bool {
	if port < 1 || port > 65535 {
		return false
	}
	return slices.Contains(fetchPorts, uint16(port)) || g.allow.hasPort(uint16(port))
}
