package app

import (
	"context"
	"fmt"
	"time"

	"github.com/whichrule/whichrule/internal/fetch"
	"github.com/whichrule/whichrule/internal/obs"
	"github.com/whichrule/whichrule/internal/ratelimit"
	"github.com/whichrule/whichrule/internal/tester"
)

// A registrable domain is asked domainBurst times at once and then at
// domainPerMinute, whoever wants it: six fetches in a minute at most, so that
// nobody can use the service to flood a site. People test a few hosts of one
// site in a row, and what was fetched serves for minutes.
const (
	domainBurst     = 3
	domainPerMinute = 4
)

// domainLimit is the limit's name, which keeps domains apart from clients.
const domainLimit = "domain"

// politeness counts fetches by registrable domain.
type politeness struct {
	limiter ratelimit.Limiter
	metrics *obs.Metrics
}

// ask counts a fetch of a domain; the error is a *tester.BusyError when there
// are too many.
func (p *politeness) ask(ctx context.Context, domain string) error {
	res, err := p.limiter.Allow(ctx, domainLimit, domain, domainRate())
	if err != nil {
		return fmt.Errorf("count fetches of a domain: %w", err)
	}
	return p.answer(domain, res.RetryAfter)
}

// mayAsk says what ask would say about an origin, and counts nothing.
func (p *politeness) mayAsk(ctx context.Context, o fetch.Origin) error {
	wait, err := p.limiter.Wait(ctx, domainLimit, o.Domain(), domainRate())
	if err != nil {
		return fmt.Errorf("look up fetches of a domain: %w", err)
	}
	return p.answer(o.Domain(), wait)
}

func (p *politeness) answer(domain string, wait time.Duration) error {
	if wait == 0 {
		return nil
	}
	p.metrics.RateLimited(domainLimit)
	return &tester.BusyError{Domain: domain, Retry: wait}
}

func domainRate() ratelimit.Rate {
	return ratelimit.Rate{PerMinute: domainPerMinute, Burst: domainBurst}
}
