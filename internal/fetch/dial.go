package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

const (
	// connectTimeout bounds one TCP connect: under a third of FetchTimeout, so that a silent address leaves time for
	// the next one and for an answer.
	connectTimeout = 3 * time.Second

	// maxDials bounds the addresses tried for one name: two of each family is what a site with a broken one needs.
	maxDials = 4

	// maxAddrs bounds the addresses looked at for one name, well above what real names have.
	maxAddrs = 64
)

// A Resolver looks up the addresses of a host; [net.Resolver] is one. The name it is asked for ends in a dot, so that
// no search list of the machine is tried.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// A failure is an error with the kind of outcome that it makes.
type failure struct {
	kind Kind
	err  error
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// dial connects to host:port. The name is resolved once, every address of the answer must pass the guard, and exactly
// those are dialled: a name that points to a public and to a private address is refused as a whole, and a second
// answer of its server has nobody to reach. Errors are of type *failure or *askError.
func (f *Fetcher) dial(ctx context.Context, _, address string) (net.Conn, error) {
	host, service, err := net.SplitHostPort(address)
	if err != nil {
		return nil, &failure{Refused, err}
	}
	port, err := strconv.ParseUint(service, 10, 16)
	if err != nil {
		return nil, &failure{Refused, err}
	}
	addrs, err := f.resolve(ctx, host)
	if err != nil {
		return nil, &failure{DNS, err}
	}
	open := true
	for _, a := range addrs {
		if err := f.guard.check(netip.AddrPortFrom(a, uint16(port))); err != nil {
			return nil, &failure{Refused, err}
		}
		open = open && f.guard.allow.contains(netip.AddrPortFrom(a, uint16(port)))
	}
	if !open {
		if err := f.mayAsk(ctx, host); err != nil {
			return nil, err
		}
	}

	var errs []error
	kind := Connect
	for _, a := range attempts(addrs) {
		conn, err := f.connect(ctx, netip.AddrPortFrom(a, uint16(port)))
		if err == nil {
			return conn, nil
		}
		fail := err.(*failure)
		if fail.kind == Refused {
			return nil, err
		}
		if fail.kind == Timeout {
			kind = Timeout // of several reasons the longest wait: an unreachable network is often ours alone
		}
		errs = append(errs, err)
	}
	return nil, &failure{kind, errors.Join(errs...)}
}

// connect opens one TCP connection, unless the guard refuses the address of its socket. Errors are of type *failure.
func (f *Fetcher) connect(ctx context.Context, ap netip.AddrPort) (net.Conn, error) {
	dialer := net.Dialer{Timeout: connectTimeout, Control: f.guard.control}
	conn, err := dialer.DialContext(ctx, "tcp", ap.String())
	switch {
	case err == nil:
		return conn, nil
	case errors.Is(err, errRefused):
		return nil, &failure{Refused, err}
	case isTimeout(err):
		return nil, &failure{Timeout, err}
	}
	return nil, &failure{Connect, err}
}

// resolve gives the addresses of a host, at least one.
func (f *Fetcher) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}, nil
	}
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		// RFC 6761 §6.3. Browsers do the same; a hosts file may know the name or not, and does not know it with a dot.
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1})}, nil
	}
	addrs, err := f.resolver.LookupNetIP(ctx, "ip", host+".")
	if err != nil {
		return nil, fmt.Errorf("resolve: %w", err)
	}
	if len(addrs) == 0 || len(addrs) > maxAddrs {
		return nil, fmt.Errorf("resolve: %d addresses", len(addrs))
	}
	plain := make([]netip.Addr, len(addrs))
	for i, a := range addrs {
		plain[i] = a.Unmap() // resolvers may write A records as IPv4-mapped
	}
	return plain, nil
}

// attempts orders addresses for dialling: families in turn, starting with the one that the resolver prefers, so that a
// family without a route costs one attempt (the idea of RFC 8305 §4).
func attempts(addrs []netip.Addr) []netip.Addr {
	var first, second []netip.Addr
	for _, a := range addrs {
		if a.Is4() == addrs[0].Is4() {
			first = append(first, a)
		} else {
			second = append(second, a)
		}
	}
	var order []netip.Addr
	for i := range max(len(first), len(second)) {
		if i < len(first) {
			order = append(order, first[i])
		}
		if i < len(second) {
			order = append(order, second[i])
		}
	}
	return order[:min(len(order), maxDials)]
}

// isTimeout says whether an error is a deadline that passed, ours or the system's.
func isTimeout(err error) bool {
	var ne net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &ne) && ne.Timeout()
}
