package fetch

import (
	"context"
	"net/netip"
	"sync"

	"golang.org/x/net/publicsuffix"
)

// An askError is the answer of [Config.Ask] to a domain that may not be asked now.
type askError struct{ err error }

func (e *askError) Error() string { return "ask for a domain: " + e.err.Error() }
func (e *askError) Unwrap() error { return e.err }

// asked remembers the domains that [Config.Ask] was asked about, and its answers.
type asked struct {
	mu      sync.Mutex // held while asking, so that a second fetch waits for the answer to the first
	answers map[string]error
}

type askedKey struct{}

// Together gives a context in which all fetches count as one: [Config.Ask] is asked once for each domain. Fetches may
// run at the same time.
func Together(ctx context.Context) context.Context {
	return context.WithValue(ctx, askedKey{}, &asked{answers: map[string]error{}})
}

// together is Together, unless ctx comes from it.
func together(ctx context.Context) context.Context {
	if _, ok := ctx.Value(askedKey{}).(*asked); ok {
		return ctx
	}
	return Together(ctx)
}

// mayAsk asks whether the domain of a host may be asked now, unless that is known. Errors are of type *askError.
func (f *Fetcher) mayAsk(ctx context.Context, host string) error {
	if f.asks == nil {
		return nil
	}
	known := ctx.Value(askedKey{}).(*asked)
	known.mu.Lock()
	defer known.mu.Unlock()
	domain := domainOf(host)
	err, ok := known.answers[domain]
	if !ok {
		err = f.asks(ctx, domain)
		if ctx.Err() == nil { // else it may be the answer of one fetch alone
			known.answers[domain] = err
		}
	}
	if err != nil {
		return &askError{err}
	}
	return nil
}

// Domain gives the registrable domain that [Config.Ask] is asked about before a request to the origin.
func (o Origin) Domain() string { return domainOf(o.Host) }

// domainOf gives the registrable domain of a host: one label more than its public suffix, so that the hosts of one owner
// count together. An address, and a name without such a domain, is one by itself.
func domainOf(host string) string {
	if _, err := netip.ParseAddr(host); err == nil {
		return host
	}
	domain, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil {
		return host
	}
	return domain
}
