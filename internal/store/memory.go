package store

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/maypok86/otter/v2"

	"github.com/whichrule/whichrule/internal/fetch"
	"github.com/whichrule/whichrule/internal/tester"
)

// What each kind may take of the process's memory, in bytes. Together they
// leave half of the 300 MiB that the process is to stay under to the work.
const (
	// outcomesRoom holds some thousands of sites' files: the usual one is
	// below 2 KiB, the largest 1 MiB.
	outcomesRoom = 40 << 20
	// goodsRoom is for the last good copies, which are looked at seldom.
	goodsRoom = 8 << 20
	// originsRoom is for which outcome serves for which origin, and as much
	// again for which was the last one: about 15,000 origins, more than are
	// fetched in the five minutes that one counts.
	originsRoom = 4 << 20
	// againsRoom is for which origins were fetched again in the last minute:
	// some thousands.
	againsRoom = 1 << 20
	// resultsRoom is for reports and other results.
	resultsRoom = 16 << 20
	// maxResult is the largest result kept, encoded: an eighth of the room, so
	// that a few large ones do not push out all others.
	maxResult = resultsRoom / 8
	// entryWeight is what an entry takes besides its bytes: the node of the
	// cache, slice and string headers, the slot in the table.
	entryWeight = 256
)

var errEmptyLoad = errors.New("store: load gave no outcome")

// Memory keeps everything inside the process, for as long as that runs. It
// implements [tester.Outcomes], [tester.Reports] and [tester.Shares].
//
// Outcomes and reports make room for newer ones; a share is never given up.
// Its methods are safe for concurrent use.
type Memory struct {
	now    func() time.Time
	jitter func() float64 // 0 to 1
	codec  codec

	outcomes *otter.Cache[string, entry] // by id
	origins  *otter.Cache[string, entry] // by origin: the id of the outcome that serves
	lasts    *otter.Cache[string, entry] // by origin: the id of its last outcome
	agains   *otter.Cache[string, entry] // by origin: it was fetched again
	goods    *otter.Cache[string, entry] // by origin: its last good outcome
	results  *otter.Cache[string, entry] // by key
	flights  flights

	mu     sync.Mutex // for all below, see shares.go
	shares map[string]*share
	nonces map[string]string // the id of the share that each nonce made
	graves []string          // ids of deleted shares, oldest first
	room   int               // bytes that shares may take
	used   int               // bytes that they take
	sweep  time.Time         // no share ends before
}

// entry is a value in a cache, with how long it lasts there.
type entry struct {
	data []byte
	life time.Duration
	only bool // which serves for an origin: Redis did not take it
}

// NewMemory gives an empty store that tells the time by now.
func NewMemory(now func() time.Time) *Memory {
	return &Memory{
		now:      now,
		jitter:   rand.Float64,
		codec:    newCodec(),
		outcomes: newCache(now, outcomesRoom),
		origins:  newCache(now, originsRoom),
		lasts:    newCache(now, originsRoom),
		agains:   newCache(now, againsRoom),
		goods:    newCache(now, goodsRoom),
		results:  newCache(now, resultsRoom),
		shares:   map[string]*share{},
		nonces:   map[string]string{},
		room:     sharesRoom,
	}
}

func newCache(now func() time.Time, room uint64) *otter.Cache[string, entry] {
	return otter.Must(&otter.Options[string, entry]{
		MaximumWeight: room,
		Weigher: func(key string, e entry) uint32 {
			return uint32(entryWeight + len(key) + len(e.data))
		},
		ExpiryCalculator: otter.ExpiryWritingFunc(func(e otter.Entry[string, entry]) time.Duration {
			return e.Value.life
		}),
		Clock: clock(now),
	})
}

// clock is a time source for the caches. It does not tick: entries whose time
// has come go with the next write, and the rooms bound what waits for that.
type clock func() time.Time

func (c clock) NowNano() int64                    { return c().UnixNano() }
func (clock) Tick(time.Duration) <-chan time.Time { return nil }

// Outcome gives the outcome with that id, or [tester.ErrNotFound].
func (m *Memory) Outcome(_ context.Context, id string) (*fetch.Outcome, error) {
	if e, ok := m.outcomes.GetIfPresent(id); ok {
		if o, err := m.codec.decodeOutcome(e.data); err == nil {
			return o, nil
		}
	}
	return nil, tester.ErrNotFound
}

// Fresh gives the outcome that serves for the origin, or calls load once for
// all who wait for that origin; see [tester.Outcomes].
func (m *Memory) Fresh(ctx context.Context, origin string, again bool, load tester.Load) (*fetch.Outcome, tester.Held, error) {
	if !again {
		if o, held, err := m.codec.decodeFresh(loaded{data: m.held(m.origins, origin)}, again); err == nil {
			return o, held, nil
		}
	}
	got, err := m.flights.do(ctx, origin, func(ctx context.Context) (loaded, error) {
		// The flight before this one may have landed since the look above.
		held, pass := tester.Held(""), again
		if _, spent := m.agains.GetIfPresent(origin); again && spent {
			held, pass = tester.HeldAgain, false
		}
		if !pass {
			if data := m.readable(m.origins, origin); data != nil {
				return loaded{data, held}, nil
			}
		}
		o, err := load(ctx)
		if err != nil {
			if last := m.readable(m.lasts, origin); last != nil && busy(err) {
				return loaded{last, tester.HeldDomain}, nil
			}
			return loaded{}, err
		}
		data, err := m.keep(origin, pass, o)
		return loaded{data: data}, err
	})
	if err != nil {
		return nil, "", err
	}
	return m.codec.decodeFresh(got, again)
}

// held gives the encoded outcome whose id a cache has for the origin, or nil.
func (m *Memory) held(ids *otter.Cache[string, entry], origin string) []byte {
	id, ok := ids.GetIfPresent(origin)
	if !ok {
		return nil
	}
	e, _ := m.outcomes.GetIfPresent(string(id.data))
	return e.data
}

// readable is held for an outcome that can be decoded.
func (m *Memory) readable(ids *otter.Cache[string, entry], origin string) []byte {
	data := m.held(ids, origin)
	if _, err := m.codec.decodeOutcome(data); err != nil {
		return nil
	}
	return data
}

// keep keeps a new outcome by its id and as the answer for its origin, and
// gives its encoded form. again notes that it passed by one that was held.
func (m *Memory) keep(origin string, again bool, o *fetch.Outcome) ([]byte, error) {
	if o == nil || o.ID == "" {
		return nil, errEmptyLoad
	}
	data, err := m.codec.encodeOutcome(o)
	if err != nil {
		return nil, err
	}
	m.outcomes.Set(o.ID, entry{data: data, life: outcomeLife})
	if again {
		m.agains.Set(origin, entry{life: tester.AgainAfter})
	}
	m.origins.Set(origin, entry{data: []byte(o.ID), life: freshFor(o, m.jitter())})
	m.lasts.Set(origin, entry{data: []byte(o.ID), life: outcomeLife})
	if o.Kind == fetch.OK {
		m.goods.Set(origin, entry{data: data, life: goodLife})
	}
	return data, nil
}

// LastGood gives the last outcome of the origin that had a file, kept for 30
// days unless others need the room, or [tester.ErrNotFound].
func (m *Memory) LastGood(_ context.Context, origin string) (*fetch.Outcome, error) {
	if e, ok := m.goods.GetIfPresent(origin); ok {
		if o, err := m.codec.decodeOutcome(e.data); err == nil {
			return o, nil
		}
	}
	return nil, tester.ErrNotFound
}

// The keys of reports and of other results.
const (
	reportKey = "report:"
	resultKey = "result:"
)

// Report gives the report under that key, or [tester.ErrNotFound].
func (m *Memory) Report(_ context.Context, key string) (*tester.Report, error) {
	if e, ok := m.results.GetIfPresent(reportKey + key); ok {
		if r, err := m.codec.decodeReport(e.data); err == nil {
			return r, nil
		}
	}
	return nil, tester.ErrNotFound
}

// PutReport keeps a report for an hour, or less when others need the room. One
// above 2 MiB encoded is not kept.
func (m *Memory) PutReport(_ context.Context, key string, r *tester.Report) {
	if data, err := m.codec.encodeReport(r); err == nil {
		m.put(reportKey+key, data, resultLife)
	}
}

// Result gives what a slow check has found under that key, or
// [tester.ErrNotFound].
func (m *Memory) Result(_ context.Context, key string) ([]byte, error) {
	if e, ok := m.results.GetIfPresent(resultKey + key); ok {
		if parts, err := m.codec.unpack(e.data, 1); err == nil {
			return parts[0], nil
		}
	}
	return nil, tester.ErrNotFound
}

// PutResult keeps what a slow check has found, under the terms of PutReport.
func (m *Memory) PutResult(_ context.Context, key string, b []byte) {
	if data, err := m.codec.pack(b); err == nil {
		m.put(resultKey+key, data, resultLife)
	}
}

// put keeps an encoded result that is not too large.
func (m *Memory) put(key string, data []byte, life time.Duration) {
	if len(data) <= maxResult {
		m.results.Set(key, entry{data: data, life: life})
	}
}
