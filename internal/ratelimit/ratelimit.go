// Package ratelimit says whether a client may do one more thing of a kind now, or when.
//
// The arithmetic is the generic cell rate algorithm (ITU-T I.371): all that is known of a client is one point in time,
// the moment at which what it has used will have been given back. It is a pure function of that, of the clock and of
// the rate (gcra.go); a [Limiter] is a place to keep the point. [Memory] keeps it in this process, [Redis] in one place
// for many.
//
// [Key] makes the key of a client from its address.
package ratelimit

import (
	"context"
	"net/netip"
	"time"
)

// Rate is how much of something a client may do.
type Rate struct {
	// PerMinute is how often, in the long run; 0 or less means without limit.
	PerMinute int
	// Burst is how often at once; 0 means a quarter of PerMinute, but at least five times. In the first minute as much
	// as Burst and PerMinute together can come.
	Burst int
}

// Result is the answer to one request.
type Result struct {
	// OK says that it may happen, and that it has been counted. What may not happen costs nothing.
	OK bool
	// RetryAfter is how long to wait until it may happen, if nothing else is asked for meanwhile; 0 when OK.
	RetryAfter time.Duration
	// Remaining is how many more may follow at once; -1 without a limit.
	Remaining int
}

// Limiter counts what clients do. All methods may be called at the same time.
type Limiter interface {
	// Allow counts one more thing that the client called key does under the limit called name, unless it is too much.
	// Names, which hold no colon, and keys do not affect each other. An error means that nothing is known and nothing
	// was counted.
	Allow(ctx context.Context, name, key string, r Rate) (Result, error)
	// Wait gives the time after which Allow would say yes, 0 for now, and counts nothing.
	Wait(ctx context.Context, name, key string, r Rate) (time.Duration, error)
}

// clientBits is the part of an IPv6 address that stands for one client: a household or a rented server gets at least
// this much of the address to itself (RFC 6177 §2) and could use a new address for every request.
const clientBits = 64

// Key gives the name under which a client is counted: the IPv4 address, the /64 of an IPv6 address, the IPv4 address in
// an IPv4-mapped one. All clients whose address is not known share one key.
func Key(addr netip.Addr) string {
	addr = addr.Unmap()
	if addr.Is4() {
		return addr.String()
	}
	prefix, err := addr.Prefix(clientBits) // drops the zone
	if err != nil || !prefix.IsValid() {
		return "unknown"
	}
	return prefix.String()
}
