package store

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/whichrule/whichrule/internal/tester"
)

// errNoLoad is what comes of a load that ended its goroutine.
var errNoLoad = errors.New("store: load did not return")

// flights lets one load at a time run for each key. The usual single flight
// gives one error to all who wait; here it goes to the caller whose load it
// was, since the limit that stopped one caller need not stop the next. Only a
// [tester.BusyError], which stops all, is everybody's.
type flights struct {
	mu      sync.Mutex
	running map[string]*flight
}

// flight is one load under way. got and err are set before done is closed.
type flight struct {
	done chan struct{}
	got  loaded
	err  error
}

// loaded is what a load gives: an encoded value, and why it is an earlier one.
type loaded struct {
	data []byte
	held tester.Held
}

// do gives what load gives, or what a load of that key gives that is under way
// already. When that one fails, the caller's own is tried. The end of ctx ends
// the wait but no load.
func (g *flights) do(ctx context.Context, key string, load func(context.Context) (loaded, error)) (loaded, error) {
	for {
		if err := ctx.Err(); err != nil {
			return loaded{}, err
		}
		f, own := g.join(ctx, key, load)
		select {
		case <-f.done:
		case <-ctx.Done():
			return loaded{}, ctx.Err()
		}
		if own || f.err == nil || busy(f.err) {
			return f.got, f.err
		}
	}
}

// busy says whether an error stops everybody's load.
func busy(err error) bool {
	var e *tester.BusyError
	return errors.As(err, &e)
}

// join gives the flight of that key, and whether the caller has started it.
func (g *flights) join(ctx context.Context, key string, load func(context.Context) (loaded, error)) (f *flight, own bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if f := g.running[key]; f != nil {
		return f, false
	}
	if g.running == nil {
		g.running = map[string]*flight{}
	}
	f = &flight{done: make(chan struct{}), err: errNoLoad}
	g.running[key] = f
	go g.run(ctx, key, f, load)
	return f, true
}

// run runs one load to its end. It has a goroutine of its own, where a panic
// would end the process, so a panic becomes the error.
func (g *flights) run(ctx context.Context, key string, f *flight, load func(context.Context) (loaded, error)) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), loadTime)
	defer func() {
		if v := recover(); v != nil {
			f.err = fmt.Errorf("store: load: panic: %v\n%s", v, debug.Stack())
		}
		cancel()
		g.mu.Lock()
		delete(g.running, key)
		g.mu.Unlock()
		close(f.done)
	}()
	f.got, f.err = load(ctx)
}
