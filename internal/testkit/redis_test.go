package testkit

import (
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestRedis(t *testing.T) {
	r := Redis(t, "--appendonly", "yes", "--appendfsync", "always")
	if got := r.Command("SET", "a key", "a\r\nvalue"); got != "OK" {
		t.Errorf("SET: got %q; want OK", got)
	}
	r.Kill()
	if _, err := command(r.Addr(), "PING"); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("after Kill: got %v; want that nobody listens", err)
	}
	r.Start()
	if got := r.Command("GET", "a key"); got != "a\r\nvalue" {
		t.Errorf("after Start: got %q; want the value of before", got)
	}
	if got := r.Command("GET", "none"); got != "" {
		t.Errorf("a key that is not there: got %q; want nothing", got)
	}
	if got := r.Command("CONFIG", "GET", "save"); got != "save\n" {
		t.Errorf("CONFIG GET save: got %q; want it to be off", got)
	}
	if _, err := command(r.Addr(), "LPUSH", "a key", "b"); err == nil || !strings.HasPrefix(err.Error(), "WRONGTYPE") {
		t.Errorf("a wrong command: got %v; want its error", err)
	}
}

func TestRedisCluster(t *testing.T) {
	c := RedisCluster(t)
	want := "redis://" + c.Nodes[0].Addr() + "?addr=" + c.Nodes[1].Addr() + "&addr=" + c.Nodes[2].Addr()
	if got := c.URL(); got != want {
		t.Errorf("got %s; want %s", got, want)
	}
	taken, moved := 0, 0
	for _, n := range c.Nodes {
		_, err := command(n.Addr(), "SET", "key", "value")
		if err == nil {
			taken++
		} else if strings.HasPrefix(err.Error(), "MOVED ") {
			moved++
		}
	}
	if taken != 1 || moved != 2 {
		t.Errorf("a key: got %d nodes that take it and %d that know better; want 1 and 2", taken, moved)
	}
}

func TestRedisSentinel(t *testing.T) {
	s := RedisSentinel(t)
	got := s.Sentinel.Command("SENTINEL", "get-master-addr-by-name", sentinelMaster)
	if got := strings.ReplaceAll(got, "\n", ":"); got != s.Master.Addr() {
		t.Errorf("got %s; want %s", got, s.Master.Addr())
	}
}

func TestRelay(t *testing.T) {
	redis := Redis(t)
	relay := NewRelay(t, redis.Addr())
	ping := func() error {
		_, err := command(relay.Addr(), "PING")
		return err
	}
	if err := ping(); err != nil {
		t.Errorf("at first: %v", err)
	}

	relay.Refuse()
	if err := ping(); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("refused: got %v", err)
	}

	relay.Hang()
	answer := make(chan error)
	go func() { answer <- ping() }()
	select {
	case err := <-answer:
		t.Errorf("hung: got an answer, or %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	relay.Pass()
	if err := <-answer; err == nil {
		t.Error("hung, then passed on: got an answer; want the connection cut")
	}

	relay.Delay(30 * time.Millisecond)
	begin := time.Now()
	if err := ping(); err != nil || time.Since(begin) < 30*time.Millisecond {
		t.Errorf("delayed: got %v after %v", err, time.Since(begin))
	}

	relay.Pass()
	redis.Kill()
	if err := ping(); err == nil || errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("without a server: got %v; want a connection that ends", err)
	}
}
