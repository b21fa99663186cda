package tester

import (
	"errors"
	"net/netip"
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"

	"github.com/whichrule/whichrule/internal/fetch"
	"github.com/whichrule/whichrule/internal/robots"
)

// Kinds of what can be wrong with a URL under test.
const (
	urlScheme = "scheme" // javascript:, mailto:, ftp: ...
	urlHost   = "host"   // no host, or one that no URL can have
)

// readURL reads one URL as typed, against the site (nil for none): an
// absolute URL stands for itself, everything else is resolved against the
// site, and a first segment that is the site's host is read as that host.
func readURL(typed string, site *fetch.Origin) Row {
	row := Row{URL: strings.ToValidUTF8(typed, "\ufffd"), Covered: true, Origin: site}
	rest := typed
	switch scheme, isScheme := cutScheme(typed); {
	case hasSlashes(typed):
		// As in a link on the site's pages: its scheme, another host.
		base := "https"
		if site != nil {
			base = site.Scheme
		}
		rest = row.readAbsolute(base, typed, site)
	case isScheme && (scheme == "http" || scheme == "https"):
		if rest = typed[len(scheme)+1:]; !hasSlashes(rest) {
			row.Error = urlHost
			break
		}
		rest = row.readAbsolute(scheme, rest, site)
	case site != nil && namesSite(typed, site):
		rest = row.readAbsolute(site.Scheme, typed, site)
	case hasPort(typed), site == nil && looksLikeHost(typed):
		rest = row.readAbsolute("https", typed, site)
	case isScheme:
		row.Error = urlScheme
	}
	if row.Error != "" {
		row.Covered, row.Origin = false, nil
		return row
	}
	if !strings.HasPrefix(rest, "/") && !strings.HasPrefix(rest, `\`) {
		rest = "/" + rest
	}
	row.MaybeHost = site != nil && row.Origin == site && looksLikeHost(typed)
	row.Path = robots.NormalizePath(rest)
	row.Matched = row.Path
	if row.Origin != nil && site != nil {
		row.Matched = row.Origin.String() + row.Path
	}
	return row
}

// readAbsolute reads what follows the scheme of an absolute URL into the row
// and gives what follows the host.
func (row *Row) readAbsolute(scheme, typed string, site *fetch.Origin) (rest string) {
	host := strings.TrimLeft(typed, `/\`)
	if i := strings.IndexAny(host, `/\?#`); i >= 0 {
		host, rest = host[:i], host[i:]
	}
	origin, _, err := fetch.ParseURL(scheme + "://" + host + "/")
	if err != nil {
		row.Error = urlHost
		var se *fetch.SiteError
		if errors.As(err, &se) && se.Kind != "" {
			row.Error = se.Kind
		}
		return ""
	}
	if site != nil {
		row.Origin = &origin
		row.Covered = origin == *site
	}
	return rest
}

// cutScheme gives the scheme that a text starts with, in lower case
// (RFC 3986 §3.1), and whether it starts with one.
func cutScheme(s string) (string, bool) {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case 'a' <= c|0x20 && c|0x20 <= 'z':
		case i > 0 && ('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'):
		case i > 0 && c == ':':
			return strings.ToLower(s[:i]), true
		default:
			return "", false
		}
	}
	return "", false
}

func hasSlashes(s string) bool {
	return len(s) >= 2 && (s[0] == '/' || s[0] == '\\') && (s[1] == '/' || s[1] == '\\')
}

// namesSite says whether the first segment of a URL without a scheme is the
// site's host, with or without www, so that shop.example.com/cart/ typed for
// shop.example.com is no path. A port may follow.
func namesSite(typed string, site *fetch.Origin) bool {
	end := strings.IndexAny(typed, `/\?#`)
	if end < 0 {
		end = len(typed)
	}
	if end == 0 {
		return false
	}
	o, _, err := fetch.ParseURL(site.Scheme + "://" + typed[:end])
	if err != nil {
		return false
	}
	if _, err := netip.ParseAddr(site.Host); err == nil {
		return o.Host == site.Host
	}
	return strings.TrimPrefix(o.Host, "www.") == strings.TrimPrefix(site.Host, "www.")
}

// fileEndings are top-level domains that are better known as endings of files:
// alone, "readme.md" is no host.
var fileEndings = []string{"md", "mov", "pl", "ps", "py", "rs", "sh", "zip"}

// privateEndings are the endings of hosts inside a network and of examples
// (RFC 6761, RFC 6762 appendix G), which no public list has.
var privateEndings = []string{"corp", "example", "home", "internal", "intranet", "invalid", "lan", "local", "localhost", "private", "test"}

// Whole says whether a URL as typed names its host: with a scheme, or without
// one as people type it.
func Whole(typed string) bool {
	_, isScheme := cutScheme(typed)
	return isScheme || hasSlashes(typed) || hasPort(typed) || looksLikeHost(typed)
}

// hasPort says whether a URL starts with a host and a port, and not with a
// scheme that a number follows, such as tel:1.
func hasPort(typed string) bool {
	end := strings.IndexAny(typed, `/\?#`)
	if end < 0 {
		end = len(typed)
	}
	host, port, ok := strings.Cut(typed[:end], ":")
	if i := strings.LastIndex(typed[:end], "]:"); i >= 0 {
		host, port, ok = typed[:i+1], typed[i+2:end], true
	}
	isHost := host == "localhost" || strings.ContainsAny(host, ".[") || end < len(typed)
	return ok && host != "" && isHost && port != "" && strings.Trim(port, "0123456789") == ""
}

// looksLikeHost says whether a URL typed without a scheme, for no site, starts
// with a host: people leave https:// out, and the name of a host read as a path
// would match no rule. A host ends in a known top-level domain; a single name
// and ending without a path behind it may be a file.
func looksLikeHost(typed string) bool {
	end := strings.IndexAny(typed, `/\?#`)
	alone := end < 0
	if alone {
		end = len(typed)
	}
	o, _, err := fetch.ParseURL("https://" + typed[:end])
	if err != nil {
		return false
	}
	if _, err := netip.ParseAddr(o.Host); err == nil {
		return strings.Count(typed[:end], ".") == 3 || typed[0] == '['
	}
	ending := o.Host[strings.LastIndexByte(o.Host, '.')+1:]
	if slices.Contains(privateEndings, ending) {
		return ending == "localhost" || ending != o.Host
	}
	suffix, known := publicsuffix.PublicSuffix(o.Host)
	if !known || suffix == o.Host {
		return false
	}
	return !alone || strings.Count(o.Host, ".") > 1 || !slices.Contains(fileEndings, suffix)
}
