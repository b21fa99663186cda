package store

import (
	"time"

	"github.com/whichrule/whichrule/internal/fetch"
)

const (
	// freshLife is how long an answer serves for its origin: long enough for a
	// person who edits and tests, short enough to see a deploy soon.
	freshLife = 5 * time.Minute
	// freshFloor is the shortest time that an outcome serves, whatever the
	// answer allows, so that no setting of a site has us ask it all the time.
	// It is also how long a failure serves, which may pass soon.
	freshFloor = 30 * time.Second
	// spread is the part of the life that jitter may take off, so that
	// outcomes of one moment do not all end in one moment.
	spread = 0.1
)

// freshFor is how long an outcome serves as the answer for its origin. jitter,
// from 0 to 1, shortens it by up to a tenth, but not below the floor.
func freshFor(o *fetch.Outcome, jitter float64) time.Duration {
	if o.Kind != fetch.OK && o.Kind != fetch.ClientError {
		return freshFloor
	}
	life := freshLife
	if allowed, ok := allowedAge(o.CacheControl); ok {
		life = min(life, allowed-fetch.AgeIn(o.Age))
	}
	life -= time.Duration(jitter * spread * float64(life))
	return max(life, freshFloor)
}

// allowedAge reads how old a Cache-Control field lets an answer get in a cache
// that many share (RFC 9111 §5.2.2); false when it does not say. s-maxage goes
// before max-age, the first of equal directives counts, and a number that
// cannot be read allows nothing (RFC 9111 §4.2.1).
func allowedAge(field string) (time.Duration, bool) {
	values := fetch.Directives(field)
	for _, name := range []string{"no-store", "no-cache", "private"} {
		if _, ok := values[name]; ok {
			return 0, true
		}
	}
	for _, name := range []string{"s-maxage", "max-age"} {
		if value, ok := values[name]; ok {
			d, _ := fetch.Seconds(value)
			return d, true
		}
	}
	return 0, false
}
