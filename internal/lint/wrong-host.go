package lint

import (
	"strings"

	"golang.org/x/net/publicsuffix"

	"github.com/whichrule/whichrule/internal/fetch"
)

// wrongHost finds files that came, by a redirect, from somewhere else than a
// robots.txt of the same host: another site's file, or a page.
func wrongHost(in *input) []Finding {
	o := in.Outcome
	if o == nil || o.Kind != fetch.OK || o.FinalURL == "" {
		return nil
	}
	final, path, err := fetch.ParseURL(o.FinalURL)
	if err != nil {
		return nil
	}
	f := Finding{Severity: Warning, Source: rfc9309Redirects}
	from, to := strings.TrimPrefix(o.Origin.Host, "www."), strings.TrimPrefix(final.Host, "www.")
	switch {
	case from != to && domain(from) != domain(to):
		f.Message = WrongHost.say("site", "Host", code(o.Origin.Host), "Final", code(final.Host))
	case !strings.HasPrefix(path, "/robots.txt") && len(o.Hops) > 1:
		f.Message = WrongHost.say("page", "Final", code(o.FinalURL))
	case from != to:
		f.Severity = Note
		f.Message = WrongHost.say("part", "Host", code(o.Origin.Host), "Final", code(final.Host))
	default:
		return nil
	}
	return []Finding{f}
}

// domain gives the part of a host name that somebody registered; an address is its own.
func domain(host string) string {
	if d, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		return d
	}
	return host
}
