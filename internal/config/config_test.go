package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func defaults() Config {
	return Config{
		Addr: ":8080", MetricsAddr: "127.0.0.1:9090",
		TestsPerMinute: 240, FetchesPerMinute: 20, SharesPerMinute: 10,
	}
}

func TestRead(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   []string
		want func(*Config)
	}{
		{"an empty environment", nil, func(*Config) {}},
		{"variables of others", []string{"PATH=/bin", "WHICHRULE=x", "whichrule_addr=x", "=C:=C:\\"}, func(*Config) {}},
		{"everything", []string{
			"WHICHRULE_ADDR=127.0.0.1:0",
			"WHICHRULE_METRICS_ADDR=[::1]:9100",
			"WHICHRULE_BASE_URL=https://whichrule.example",
			"WHICHRULE_CONTACT=Anna Kovács, post@whichrule.example",
			"WHICHRULE_REDIS_URL=rediss://:secret@redis.example:6380/1?addr=two.example:6380",
			"WHICHRULE_CLIENT_IP_HEADER=fly-client-ip",
			"WHICHRULE_TESTS_PER_MINUTE=1",
			"WHICHRULE_FETCHES_PER_MINUTE=2",
			"WHICHRULE_SHARES_PER_MINUTE=3",
			"WHICHRULE_UNSAFE_FETCH_ALLOW=127.0.0.0/8,::1",
		}, func(c *Config) {
			*c = Config{
				Addr: "127.0.0.1:0", MetricsAddr: "[::1]:9100", BaseURL: "https://whichrule.example",
				Contact: "Anna Kovács, post@whichrule.example", ClientIPHeader: "Fly-Client-Ip",
				RedisURL:       "rediss://:secret@redis.example:6380/1?addr=two.example:6380",
				TestsPerMinute: 1, FetchesPerMinute: 2, SharesPerMinute: 3, UnsafeFetchAllow: "127.0.0.0/8,::1",
			}
		}},
		{"empty counts as not set", []string{
			"WHICHRULE_ADDR=", "WHICHRULE_BASE_URL=", "WHICHRULE_TESTS_PER_MINUTE= ", "WHICHRULE_REDIS_URL=",
		}, func(*Config) {}},
		{"empty metrics address: off", []string{"WHICHRULE_METRICS_ADDR="}, func(c *Config) { c.MetricsAddr = "" }},
		{"zero rate: no limit", []string{"WHICHRULE_TESTS_PER_MINUTE=0"}, func(c *Config) { c.TestsPerMinute = 0 }},
		{"spaces around", []string{"WHICHRULE_ADDR= :80 "}, func(c *Config) { c.Addr = ":80" }},
		{"twice: the first", []string{"WHICHRULE_ADDR=:1", "WHICHRULE_ADDR=:2"}, func(c *Config) { c.Addr = ":1" }},
		{"a socket of Redis", []string{"WHICHRULE_REDIS_URL=unix:///run/redis.sock?db=1"},
			func(c *Config) { c.RedisURL = "unix:///run/redis.sock?db=1" }},
		{"an origin with slash, port and capitals", []string{"WHICHRULE_BASE_URL=HTTP://LocalHost:8080/"},
			func(c *Config) { c.BaseURL = "http://localhost:8080" }},
		{"a value with =", []string{"WHICHRULE_CONTACT=https://whichrule.example/?a=b"},
			func(c *Config) { c.Contact = "https://whichrule.example/?a=b" }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := defaults()
			tt.want(&want)
			got, err := Read(tt.in)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"no port", "WHICHRULE_ADDR=localhost", `"localhost" is not host:port`},
		{"a bare port", "WHICHRULE_ADDR=8080", `"8080" is not host:port`},
		{"a port too high", "WHICHRULE_METRICS_ADDR=:65536", "not a number up to 65535"},
		{"a service name", "WHICHRULE_ADDR=:http", "not a number up to 65535"},
		{"an origin without scheme", "WHICHRULE_BASE_URL=whichrule.example", "not an http or https address"},
		{"an origin of another scheme", "WHICHRULE_BASE_URL=ftp://whichrule.example", "not an http or https address"},
		{"an origin without host", "WHICHRULE_BASE_URL=https://", "not an http or https address"},
		{"an origin with a port alone", "WHICHRULE_BASE_URL=https://:443", "not an http or https address"},
		{"an origin with a path", "WHICHRULE_BASE_URL=https://whichrule.example/app", "more than scheme, host and port"},
		{"an origin with a query", "WHICHRULE_BASE_URL=https://whichrule.example?a", "more than scheme, host and port"},
		{"an origin with a fragment", "WHICHRULE_BASE_URL=https://whichrule.example/#a", "more than scheme, host and port"},
		{"an origin with a user", "WHICHRULE_BASE_URL=https://me@whichrule.example", "more than scheme, host and port"},
		{"an origin in letters beyond ASCII", "WHICHRULE_BASE_URL=https://bücher.example", "xn-- form"},
		{"control characters", "WHICHRULE_CONTACT=a\nb", "control characters"},
		{"bytes that are no text", "WHICHRULE_CONTACT=\xff", "control characters"},
		{"a header with a colon", "WHICHRULE_CLIENT_IP_HEADER=X-Real-IP:", "not the name of a header"},
		{"two headers", "WHICHRULE_CLIENT_IP_HEADER=X-Real-IP, Forwarded", "not the name of a header"},
		{"a negative rate", "WHICHRULE_TESTS_PER_MINUTE=-1", "not a whole number from 0"},
		{"a broken rate", "WHICHRULE_FETCHES_PER_MINUTE=2.5", "not a whole number from 0"},
		{"a rate beyond sense", "WHICHRULE_SHARES_PER_MINUTE=1000001", "not a whole number from 0"},
		{"Redis without scheme", "WHICHRULE_REDIS_URL=:secret@localhost:6379", "not an address such as redis://"},
		{"Redis of another scheme", "WHICHRULE_REDIS_URL=http://:secret@localhost:6379", "not an address such as redis://"},
		{"Redis without host", "WHICHRULE_REDIS_URL=redis:secret", "not an address such as redis://"},
		{"Redis without socket", "WHICHRULE_REDIS_URL=unix://secret", "not an address such as redis://"},
		{"Redis with an escape that is none", "WHICHRULE_REDIS_URL=redis://:secret%@localhost:6379", "not an address such as redis://"},
		{"Redis with a port that is none", "WHICHRULE_REDIS_URL=redis://:secret@localhost:redis", "not an address such as redis://"},
		{"a letter missing", "WHICHRULE_METRIC_ADDR=", "did you mean WHICHRULE_METRICS_ADDR?"},
		{"a word missing", "WHICHRULE_TESTS_MINUTE=1", "did you mean WHICHRULE_TESTS_PER_MINUTE?"},
		{"lower case", "WHICHRULE_Addr=:1", "did you mean WHICHRULE_ADDR?"},
		{"nothing alike", "WHICHRULE_LOG_LEVEL=debug", "no such setting; there are WHICHRULE_ADDR, WHICHRULE_METRICS_ADDR"},
		{"the prefix alone", "WHICHRULE_=1", "no such setting; there are"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := Read([]string{tt.in})
			if err == nil {
				t.Fatalf("got %+v; want an error", c)
			}
			name, _, _ := strings.Cut(tt.in, "=")
			if got := err.Error(); !strings.HasPrefix(got, name+": ") || !strings.Contains(got, tt.want) {
				t.Errorf("got %q; want it to start with %q and to say %q", got, name, tt.want)
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("the error tells a password: %v", err)
			}
		})
	}
}

// Who sets up a server wants to hear of all mistakes in one go.
func TestReadReportsEverything(t *testing.T) {
	_, err := Read([]string{"WHICHRULE_ADDR=x", "WHICHRULE_TESTS_PER_MINUTE=y", "WHICHRULE_Z=1"})
	if err == nil {
		t.Fatal("got no error")
	}
	for _, name := range []string{"WHICHRULE_ADDR", "WHICHRULE_TESTS_PER_MINUTE", "WHICHRULE_Z"} {
		if !strings.Contains(err.Error(), name+": ") {
			t.Errorf("got %q; want %s in it", err, name)
		}
	}
}
