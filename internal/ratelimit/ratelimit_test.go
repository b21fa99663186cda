package ratelimit

import (
	"net/netip"
	"testing"
)

func TestKey(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"IPv4", "192.0.2.1", "192.0.2.1"},
		{"IPv4-mapped", "::ffff:192.0.2.1", "192.0.2.1"},
		{"IPv6", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"},
		{"the same /64", "2001:db8:1:2:ffff::", "2001:db8:1:2::/64"},
		{"the next /64", "2001:db8:1:3::", "2001:db8:1:3::/64"},
		{"with a zone", "fe80::1%eth0", "fe80::/64"},
		{"loopback", "::1", "::/64"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Key(netip.MustParseAddr(tt.in)); got != tt.want {
				t.Errorf("got %s; want %s", got, tt.want)
			}
		})
	}
	if got := Key(netip.Addr{}); got != "unknown" {
		t.Errorf("no address: got %q; want unknown", got)
	}
}
