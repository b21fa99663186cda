// Package config reads the settings of the server from environment variables. It is the only package that looks at
// the environment; everything else is handed values.
//
// Every setting is optional and its name starts with WHICHRULE_. [Read] refuses what it does not know, since a
// misspelt limit that is silently ignored is worse than a server that does not start, and it reports everything
// that is wrong at once.
package config

import (
	"errors"
	"fmt"
	"net"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Config holds the settings, checked. [Read] makes it; the zero value is no useful server.
type Config struct {
	// Addr is where the site listens, host:port (WHICHRULE_ADDR, default ":8080").
	Addr string
	// MetricsAddr is where metrics and profiles are served, host:port, or empty for nowhere (WHICHRULE_METRICS_ADDR,
	// default "127.0.0.1:9090"; set to empty: off).
	MetricsAddr string
	// BaseURL is the origin that links start with, such as "https://whichrule.example", without a slash at the end;
	// empty means that it is taken from each request (WHICHRULE_BASE_URL).
	BaseURL string
	// Contact says on the about page who runs the site: an address, a URL or free text (WHICHRULE_CONTACT).
	Contact string
	// RedisURL says where shared results, fetched files and what clients have used are kept, in the notation of the store;
	// it may hold a password. Empty means in the memory of this process (WHICHRULE_REDIS_URL).
	RedisURL string
	// ClientIPHeader names the one request header, in canonical spelling, whose value a proxy of ours sets to the
	// client's address; empty means the address of the peer (WHICHRULE_CLIENT_IP_HEADER).
	ClientIPHeader string
	// TestsPerMinute, FetchesPerMinute and SharesPerMinute are how much one client may do; 0 means no limit
	// (WHICHRULE_TESTS_PER_MINUTE 240, WHICHRULE_FETCHES_PER_MINUTE 20, WHICHRULE_SHARES_PER_MINUTE 10).
	TestsPerMinute, FetchesPerMinute, SharesPerMinute int
	// UnsafeFetchAllow lists addresses that the fetcher's guard lets through, for tests only, in the fetcher's own
	// notation (WHICHRULE_UNSAFE_FETCH_ALLOW).
	UnsafeFetchAllow string
}

// prefix is what the name of every setting starts with.
const prefix = "WHICHRULE_"

// maxPerMinute is far above what one client can send to one process; who wants more wants no limit, which is 0.
const maxPerMinute = 1_000_000

type setting struct {
	name  string // without the prefix
	parse func(c *Config, value string) error
}

var settings = []setting{
	{"ADDR", func(c *Config, v string) (err error) { c.Addr, err = parseAddr(v); return err }},
	{"METRICS_ADDR", func(c *Config, v string) (err error) { c.MetricsAddr, err = parseAddr(v); return err }},
	{"BASE_URL", func(c *Config, v string) (err error) { c.BaseURL, err = parseOrigin(v); return err }},
	{"CONTACT", func(c *Config, v string) (err error) { c.Contact, err = parseText(v); return err }},
	{"REDIS_URL", func(c *Config, v string) (err error) { c.RedisURL, err = parseRedisURL(v); return err }},
	{"CLIENT_IP_HEADER", func(c *Config, v string) (err error) { c.ClientIPHeader, err = parseHeaderName(v); return err }},
	{"TESTS_PER_MINUTE", func(c *Config, v string) (err error) { c.TestsPerMinute, err = parseRate(v); return err }},
	{"FETCHES_PER_MINUTE", func(c *Config, v string) (err error) { c.FetchesPerMinute, err = parseRate(v); return err }},
	{"SHARES_PER_MINUTE", func(c *Config, v string) (err error) { c.SharesPerMinute, err = parseRate(v); return err }},
	{"UNSAFE_FETCH_ALLOW", func(c *Config, v string) error { c.UnsafeFetchAllow = v; return nil }},
}

// Read makes a Config from an environment as [os.Environ] gives it. Values are trimmed; an empty one counts as not
// set, except that an empty WHICHRULE_METRICS_ADDR turns the metrics off. Of a name that comes twice the first counts,
// as in [os.Getenv]. The error joins one sentence for every setting that is unknown or wrong, each with its name.
func Read(environ []string) (Config, error) {
	c := Config{
		Addr:             ":8080",
		MetricsAddr:      "127.0.0.1:9090",
		TestsPerMinute:   240,
		FetchesPerMinute: 20,
		SharesPerMinute:  10,
	}
	var errs []error
	seen := map[string]bool{}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, prefix) || seen[name] {
			continue
		}
		seen[name] = true
		if err := c.set(name, strings.TrimSpace(value)); err != nil {
			errs = append(errs, err)
		}
	}
	if len(errs) > 0 {
		return Config{}, errors.Join(errs...)
	}
	return c, nil
}

func (c *Config) set(name, value string) error {
	for _, s := range settings {
		if prefix+s.name != name {
			continue
		}
		if value == "" {
			if s.name == "METRICS_ADDR" {
				c.MetricsAddr = ""
			}
			return nil
		}
		if err := s.parse(c, value); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	}
	if known, ok := closest(name); ok {
		return fmt.Errorf("%s: no such setting; did you mean %s?", name, known)
	}
	return fmt.Errorf("%s: no such setting; there are %s", name, strings.Join(names(), ", "))
}

func parseAddr(v string) (string, error) {
	_, port, err := net.SplitHostPort(v)
	if err != nil {
		return "", fmt.Errorf("%q is not host:port, such as \":8080\"", v)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return "", fmt.Errorf("%q: the port is not a number up to 65535", v)
	}
	return v, nil
}

func parseOrigin(v string) (string, error) {
	u, err := url.Parse(v)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" {
		return "", fmt.Errorf("%q is not an http or https address, such as \"https://whichrule.example\"", v)
	}
	origin := u.Scheme + "://" + strings.ToLower(u.Host)
	if !strings.EqualFold(strings.TrimSuffix(v, "/"), origin) {
		return "", fmt.Errorf("%q holds more than scheme, host and port", v)
	}
	if strings.ContainsFunc(origin, func(r rune) bool { return r > unicode.MaxASCII }) {
		return "", fmt.Errorf("%q: write the host in its xn-- form", v)
	}
	return origin, nil
}

// errRedisURL does not show the value, which may hold a password.
var errRedisURL = errors.New("not an address such as redis://user:password@host:6379, rediss:// (TLS) or unix:///path/to/socket")

func parseRedisURL(v string) (string, error) {
	u, err := url.Parse(v)
	if err != nil {
		return "", errRedisURL
	}
	switch {
	case (u.Scheme == "redis" || u.Scheme == "rediss") && u.Host != "":
	case u.Scheme == "unix" && u.Path != "":
	default:
		return "", errRedisURL
	}
	return v, nil
}

func parseText(v string) (string, error) {
	if !utf8.ValidString(v) || strings.ContainsFunc(v, unicode.IsControl) {
		return "", errors.New("holds control characters or is not UTF-8")
	}
	return v, nil
}

// parseHeaderName takes a field name, which is a token (RFC 9110 §5.1, §5.6.2).
func parseHeaderName(v string) (string, error) {
	if strings.ContainsFunc(v, func(r rune) bool {
		letterOrDigit := r <= unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r))
		return !letterOrDigit && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	}) {
		return "", fmt.Errorf("%q is not the name of a header", v)
	}
	return textproto.CanonicalMIMEHeaderKey(v), nil
}

func parseRate(v string) (int, error) {
	n, err := strconv.Atoi(v)
	if err != nil || n < 0 || n > maxPerMinute {
		return 0, fmt.Errorf("%q is not a whole number from 0 (no limit) to %d", v, maxPerMinute)
	}
	return n, nil
}
