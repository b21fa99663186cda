package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/whichrule/whichrule/internal/testkit"
)

// calls is what a connection told of its calls.
type calls struct {
	mu   sync.Mutex
	told []string // use result
	took time.Duration
}

func (c *calls) observe(use, result string, took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.told = append(c.told, use+" "+result)
	c.took += took
}

// last gives what was told since the last time.
func (c *calls) last() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer func() { c.told = nil }()
	return strings.Join(c.told, ", ")
}

func dialRelay(t *testing.T) (*Conn, *calls, *testkit.Relay, *testkit.RedisServer) {
	t.Helper()
	server := testkit.Redis(t)
	relay := testkit.NewRelay(t, server.Addr())
	told := &calls{}
	conn, err := Dial("redis://"+relay.Addr(), told.observe)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn, told, relay, server
}

// get asks for a key that is not there.
func get(ctx context.Context, c redis.UniversalClient) error { return c.Get(ctx, "none").Err() }

func TestConnTellsResults(t *testing.T) {
	ctx := context.Background()
	conn, told, relay, server := dialRelay(t)
	do := func(use, want string, call func(context.Context, redis.UniversalClient) error) {
		t.Helper()
		_ = conn.Do(ctx, use, call)
		if got := told.last(); got != want {
			t.Errorf("got %q; want %q", got, want)
		}
	}
	set := func(ctx context.Context, c redis.UniversalClient) error { return c.Set(ctx, "k", "v", time.Hour).Err() }
	do(useReport, "report miss", get)
	do(useReport, "report ok", set)
	server.Command("CONFIG", "SET", "maxmemory", "1")
	for range trips {
		do(useShare, "share full", set)
	}
	server.Command("CONFIG", "SET", "maxmemory", "0")
	server.Command("RPUSH", "none", "x")
	for range trips {
		do(useReport, "report error", get)
	}
	// These were answers: Redis is still asked. What comes now are none.
	relay.Refuse()
	for range trips {
		do(useOrigin, "origin error", get)
	}
	do(useOutcome, "outcome open", get)
	do(useShare, "share error", set)
}

// A Redis that takes connections and never answers costs a page little, and
// soon nothing; when it answers again, it is used again.
func TestConnHung(t *testing.T) {
	conn, told, relay, _ := dialRelay(t)
	if err := conn.Ping(context.Background()); err != nil {
		t.Fatal(err)
	}
	told.last()
	relay.Hang()
	page := Budget(context.Background())
	start := time.Now()
	for range 50 {
		if err := conn.Do(page, useOutcome, get); err == nil || errors.Is(err, redis.Nil) {
			t.Fatalf("got %v; want a failure", err)
		}
	}
	if took := time.Since(start); took > 2*pageTime {
		t.Errorf("50 calls of a page took %v; want about %v", took, pageTime)
	}
	if got := told.last(); !strings.HasPrefix(got, "outcome timeout, outcome timeout, ") {
		t.Errorf("got %q; want timeouts", got)
	}
	// Another page finds out for good.
	_ = conn.Do(Budget(context.Background()), useOutcome, get)
	told.last()
	start = time.Now()
	for range 1000 {
		_ = conn.Do(Budget(context.Background()), useOutcome, get)
	}
	if got, most := told.last(), 3; strings.Count(got, "timeout") > most {
		t.Errorf("got %d timeouts in %v; want at most %d", strings.Count(got, "timeout"), time.Since(start), most)
	}
	relay.Pass()
	for end := time.Now().Add(10 * time.Second); conn.Ping(context.Background()) != nil; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not used again: %s", told.last())
		}
	}
}

// A page that has given up says nothing about Redis.
func TestConnGivenUp(t *testing.T) {
	conn, told, _, _ := dialRelay(t)
	gone, leave := context.WithCancel(context.Background())
	leave()
	for range 2 * trips {
		_ = conn.Do(gone, useOutcome, get)
	}
	if got := told.last(); got != "" {
		t.Errorf("got %q; want nothing told", got)
	}
	if err := conn.Do(context.Background(), useOutcome, get); !errors.Is(err, redis.Nil) {
		t.Errorf("got %v; want that Redis was asked", err)
	}
}

func TestDial(t *testing.T) {
	for _, tt := range []struct {
		url    string
		client string // its type, or what the error says
	}{
		{"redis://127.0.0.1:6379", "*redis.Client"},
		{"rediss://user:secret@redis.example:6380/1", "*redis.Client"},
		{"unix:///run/redis.sock", "*redis.Client"},
		{"redis://127.0.0.1:26379?master_name=main&addr=127.0.0.1:26380", "*redis.Client"},
		{"redis://127.0.0.1:7000?addr=127.0.0.1:7001&addr=127.0.0.1:7002", "*redis.ClusterClient"},
		{"http://127.0.0.1", "redis url: "},
		{"redis://:secret@127.0.0.1:x", "redis url: "},
		{"redis://:secret@127.0.0.1/a/b", "redis url: "},
		{"redis://:secret@127.0.0.1?unknown=1", "redis url: "},
		{"redis://:sec\x7fret@127.0.0.1", "redis url: "},
	} {
		conn, err := Dial(tt.url, nil)
		if err != nil {
			if got := err.Error(); !strings.HasPrefix(got, tt.client) || strings.Contains(got, "sec") {
				t.Errorf("%s: got %v; want %s, without the password", tt.url, err, tt.client)
			}
			continue
		}
		if got := fmt.Sprintf("%T", conn.client); got != tt.client {
			t.Errorf("%s: got %s; want %s", tt.url, got, tt.client)
		}
		conn.Close()
	}
}
