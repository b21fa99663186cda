// Package store keeps what was fetched, what was computed from it, and the
// reports that people share. [Memory] does it inside the process, [Redis] for
// many processes; both keep the same promises, which contract_test.go spells
// out.
//
// Three things are kept, each under a promise of its own:
//
//   - an outcome of a fetch, found by its id, and for a few minutes the answer
//     for its origin, so that a crowd that asks about one site costs that site
//     one request;
//   - a report of a test of a fetched file, or another result that is slow to
//     come by, for an hour: losing it costs the time to compute it again;
//   - a share, which is never given up to make room for another.
//
// Values are kept encoded (see codec), so that what a caller does to a value
// before or after never shows in what another caller gets.
package store

import "time"

const (
	// outcomeLife is how long an outcome is found by its id: a page left open
	// over a working day keeps its facts.
	outcomeLife = 24 * time.Hour
	// goodLife is how long the last good copy of an origin's file is kept: as
	// long as a crawler may go on with its own (Google: 30 days).
	goodLife = 30 * 24 * time.Hour
	// resultLife is how long a result is kept: as long as people usually work
	// on one file.
	resultLife = time.Hour
	// loadTime bounds one load, which nobody's leaving ends: the 10 seconds of
	// a fetch and some time to read and keep its answer.
	loadTime = 15 * time.Second
)
