package web

import (
	"context"
	"fmt"

	"github.com/whichrule/whichrule/internal/ratelimit"
)

// limit counts one use against a client's limit; beyond it the error says when
// to come again.
func (s *Site) limit(ctx context.Context, name, who string, rate ratelimit.Rate) error {
	res, err := s.Limiter.Allow(ctx, name, who, rate)
	if err != nil {
		return fmt.Errorf("rate limit %s: %w", name, err)
	}
	if !res.OK {
		s.Metrics.RateLimited(name)
		return limited("limit-"+name, res.RetryAfter)
	}
	return nil
}
