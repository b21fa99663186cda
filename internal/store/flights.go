package store

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
)

// errNoLoad is what comes of a load that ended its goroutine.
var errNoLoad = errors.New("store: load did not return")

// flights lets one load at a time run for each key. The usual single flight
// gives one error to all who wait; here it goes to the caller whose load it
// was, since the limit that stopped one caller need not stop the next.
type flights struct {
	mu      sync.Mutex
	running map[string]*flight
}

// flight is one load under way. data and err are set before done is closed.
type flight struct {
	done chan struct{}
	data []byte
	err  error
}

// do gives what load gives, or what a load of that key gives that is under way
// already. When that one fails, the caller's own is tried. The end of ctx ends
// the wait but no load.
func (g *flights) do(ctx context.Context, key string, load func(context.Context) ([]byte, error)) ([]byte, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f, own := g.join(ctx, key, load)
		select {
		case <-f.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if own || f.err == nil {
			return f.data, f.err
		}
	}
}

// join gives the flight of that key, and whether the caller has started it.
func (g *flights) join(ctx context.Context, key string, load func(context.Context) ([]byte, error)) (f *flight, own bool) {
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
func (g *flights) run(ctx context.Context, key string, f *flight, load func(context.Context) ([]byte, error)) {
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
	f.data, f.err = load(ctx)
}
