// Package tester is the use case of the product: a robots.txt, crawlers and
// URLs go in, a [Report] comes out. It knows nothing of HTTP, HTML or Redis;
// it declares the small interfaces that it needs from those who do.
//
// The flow of [Tester.Test]: read the request within its bounds, get the text
// (given, held, or fetched), ask package access what the server's answer means
// to each crawler, parse once, choose each crawler's group once, then match
// every URL. Crawlers that read the same groups share the work.
package tester

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/whichrule/whichrule/internal/crawlers"
	"github.com/whichrule/whichrule/internal/fetch"
)

// ErrNotFound is what a store answers for something it does not hold (or no
// longer holds, or cannot decode).
var ErrNotFound = errors.New("not found")

// ErrDeleted is what a store answers for a share that its owner deleted.
var ErrDeleted = errors.New("deleted")

// ErrFull is what a store answers when it has no room for another share.
var ErrFull = errors.New("store is full")

// ErrUnavailable is what a store answers that cannot be reached now: nothing is
// known, nothing was kept for certain, and a later try may work.
var ErrUnavailable = errors.New("store is unavailable")

// ErrTooLarge is what a store answers for a share that it never takes.
var ErrTooLarge = errors.New("too large to keep")

// Outcomes holds what was fetched.
type Outcomes interface {
	// Outcome gives the outcome with that id, or ErrNotFound.
	Outcome(ctx context.Context, id string) (*fetch.Outcome, error)
	// Fresh gives an outcome for the origin that is still young enough to
	// serve, or calls load once for all who wait for that origin and keeps
	// what it gives. With again, what is held does not serve, unless that was
	// so less than AgainAfter ago: then it does, as HeldAgain.
	//
	// A *BusyError of load is everybody's who waits: they get the last outcome
	// held for the origin, as HeldDomain, or else that error. Any other error
	// goes to the caller whose load it was; those that waited try their own.
	// load's context outlives the caller's: one who gives up cancels nothing
	// for the others.
	Fresh(ctx context.Context, origin string, again bool, load Load) (*fetch.Outcome, Held, error)
	// LastGood gives the last outcome of the origin that had a file, or
	// ErrNotFound.
	LastGood(ctx context.Context, origin string) (*fetch.Outcome, error)
}

// Load makes an outcome. Its error says why none was made (a limit).
type Load func(context.Context) (*fetch.Outcome, error)

// BusyError says that a registrable domain has been asked as often as it may
// be, whoever wanted it.
type BusyError struct {
	Domain string
	Retry  time.Duration // after which it may be asked again
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("%s may be asked again in %v", e.Domain, e.Retry)
}

// Reports holds reports of tests of fetched files, by a key that covers all
// that went into them.
type Reports interface {
	// Report gives the report under that key, or ErrNotFound.
	Report(ctx context.Context, key string) (*Report, error)
	// PutReport keeps a report; that it could not is no fault of the test.
	PutReport(ctx context.Context, key string, r *Report)
}

// Shares holds reports under permalinks.
type Shares interface {
	// Create keeps a share. If one with the same Nonce was created before, the
	// earlier one comes back and nothing is kept. ErrFull when there is no
	// room, ErrTooLarge when there never is.
	Create(ctx context.Context, s *Share) (*Share, error)
	// Share gives a share and prolongs its life; ErrNotFound or ErrDeleted.
	Share(ctx context.Context, id string) (*Share, error)
	// Delete removes a share for good, leaving word that it was deleted;
	// ErrNotFound or ErrDeleted.
	Delete(ctx context.Context, id string) error
}

// Fetcher gets /robots.txt of an origin. What goes wrong at the site is in the
// outcome; the error says that it may not be asked now.
type Fetcher interface {
	Fetch(ctx context.Context, o fetch.Origin) (*fetch.Outcome, error)
	Fetchable(o fetch.Origin) bool
}

// ShareLife is how long a share is kept after it was last viewed.
const ShareLife = 365 * 24 * time.Hour

// Share is a report kept under a permalink.
type Share struct {
	ID      string    `json:"id"`    // 12 base58 characters
	Token   string    `json:"token"` // who holds it may delete the share
	Nonce   string    `json:"nonce"` // the same nonce gives the same share; "" for none
	Created time.Time `json:"created"`
	Report  *Report   `json:"report"`
}

// Tester tests. All fields are needed but MayAsk, Reports, Results and Slots.
type Tester struct {
	Catalogue *crawlers.Catalogue
	Fetcher   Fetcher
	// MayAsk says whether the domain of an origin may be asked now, with a
	// *BusyError if not, and counts nothing: then a client's limit is not
	// charged for a fetch that is not made. The fetcher decides; nil: yes.
	MayAsk   func(ctx context.Context, o fetch.Origin) error
	Outcomes Outcomes
	Reports  Reports
	Results  Results
	Now      func() time.Time
	// Slots bounds how many tests compute at once, so that the time that one
	// takes is its own; nil: no bound.
	Slots chan struct{}
}
