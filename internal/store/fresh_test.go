package store

import (
	"testing"
	"time"

	"github.com/whichrule/whichrule/internal/fetch"
)

func TestFreshFor(t *testing.T) {
	ok := func(cacheControl, age string) fetch.Outcome {
		return fetch.Outcome{Kind: fetch.OK, Status: 200, CacheControl: cacheControl, Age: age}
	}
	for _, tt := range []struct {
		name   string
		in     fetch.Outcome
		jitter float64
		want   time.Duration
	}{
		{"says nothing", ok("", ""), 0, 5 * time.Minute},
		{"says nothing, old", ok("", "9000"), 0, 5 * time.Minute},
		{"404", fetch.Outcome{Kind: fetch.ClientError, Status: 404}, 0, 5 * time.Minute},
		{"410 with max-age", fetch.Outcome{Kind: fetch.ClientError, Status: 410, CacheControl: "max-age=90"}, 0, 90 * time.Second},
		{"longer than ours", ok("max-age=86400", ""), 0, 5 * time.Minute},
		{"shorter than ours", ok("max-age=90", ""), 0, 90 * time.Second},
		{"less its age", ok("max-age=200", "80"), 0, 2 * time.Minute},
		{"older than it may get", ok("max-age=200", "300"), 0, 30 * time.Second},
		{"below the floor", ok("max-age=5", ""), 0, 30 * time.Second},
		{"zero", ok("max-age=0", ""), 0, 30 * time.Second},
		{"no-store", ok("no-store", ""), 0, 30 * time.Second},
		{"no-cache before max-age", ok("no-cache, max-age=200", ""), 0, 30 * time.Second},
		{"no-cache after max-age", ok("max-age=200, no-cache", ""), 0, 30 * time.Second},
		{"no-cache with a field", ok(`no-cache="set-cookie"`, ""), 0, 30 * time.Second},
		{"private", ok("private, max-age=200", ""), 0, 30 * time.Second},
		{"RFC 9111 §5.2.2.10 s-maxage before max-age", ok("max-age=200, s-maxage=60", ""), 0, time.Minute},
		{"RFC 9111 §4.2.1 the first of two", ok("max-age=60, max-age=200", ""), 0, time.Minute},
		{"any case and blanks", ok(" Public ,  MAX-AGE = 60 ", ""), 0, time.Minute},
		{"quoted", ok(`max-age="60"`, ""), 0, time.Minute},
		{"other directives", ok("public, must-revalidate, x-max-age=1, immutable", ""), 0, 5 * time.Minute},
		{"RFC 9111 §4.2.1 no number", ok("max-age=soon", ""), 0, 30 * time.Second},
		{"negative", ok("max-age=-1", ""), 0, 30 * time.Second},
		{"without a value", ok("max-age", ""), 0, 30 * time.Second},
		{"RFC 9111 §1.2.2 beyond any number", ok("max-age=99999999999999999999", ""), 0, 5 * time.Minute},
		{"age beyond any number", ok("max-age=200", "99999999999999999999"), 0, 30 * time.Second},
		{"RFC 9111 §5.1 age is no number", ok("max-age=200", "old"), 0, 200 * time.Second},
		{"RFC 9111 §5.1 first of two ages", ok("max-age=200", "80, 10"), 0, 2 * time.Minute},
		{"jitter takes a tenth", ok("", ""), 1, 270 * time.Second},
		{"jitter takes a twentieth", ok("", ""), 0.5, 285 * time.Second},
		{"jitter stays above the floor", ok("max-age=31", ""), 1, 30 * time.Second},
		{"timeout", fetch.Outcome{Kind: fetch.Timeout}, 1, 30 * time.Second},
		{"429", fetch.Outcome{Kind: fetch.TooManyRequests, Status: 429}, 0, 30 * time.Second},
		{"503 with max-age", fetch.Outcome{Kind: fetch.ServerError, Status: 503, CacheControl: "max-age=200"}, 0, 30 * time.Second},
		{"redirect loop", fetch.Outcome{Kind: fetch.RedirectLoop, Status: 302}, 0, 30 * time.Second},
		{"challenge", fetch.Outcome{Kind: fetch.Challenge, Status: 403}, 0, 30 * time.Second},
		{"no kind", fetch.Outcome{}, 0, 30 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := freshFor(&tt.in, tt.jitter); got != tt.want {
				t.Errorf("got %v; want %v", got, tt.want)
			}
		})
	}
}
