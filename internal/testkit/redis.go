package testkit

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// patience is how long a server of this package may take to start, and how long one command may take: far more than
// either needs on a busy machine.
const patience = 20 * time.Second

// A RedisServer is a process of its own on a loopback port. It lives as long as the test.
type RedisServer struct {
	t    testing.TB
	port int
	args []string

	process *exec.Cmd
	exited  chan struct{}
	output  *bytes.Buffer // to be read once exited is closed
}

// Redis starts redis-server with nothing in it, and with further arguments such as "--appendonly", "yes". It keeps its
// files in a directory of the test.
func Redis(t testing.TB, args ...string) *RedisServer {
	t.Helper()
	return startRedis(t, append([]string{"--save", "", "--dir", t.TempDir()}, args...)...)
}

func startRedis(t testing.TB, args ...string) *RedisServer {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		t.Fatal("these tests need redis-server, which is not on the PATH; `make test` installs it")
	}
	r := &RedisServer{t: t, port: freePort(t), args: args}
	r.Start()
	t.Cleanup(r.Kill)
	return r
}

// Addr is the address of the server: 127.0.0.1:PORT.
func (r *RedisServer) Addr() string { return address(r.port) }

// URL is the address as a setting: redis://127.0.0.1:PORT.
func (r *RedisServer) URL() string { return "redis://" + r.Addr() }

// Start runs the server and waits until it answers. After [RedisServer.Kill] it has its port and its files again.
func (r *RedisServer) Start() {
	r.t.Helper()
	// A sentinel's file comes first, if there is one: args begin with it.
	args := append(append([]string(nil), r.args...),
		"--bind", "127.0.0.1", "--port", strconv.Itoa(r.port), "--daemonize", "no", "--loglevel", "warning")
	r.output = &bytes.Buffer{}
	r.process = exec.Command("redis-server", args...)
	r.process.Stdout, r.process.Stderr = r.output, r.output
	if err := r.process.Start(); err != nil {
		r.t.Fatalf("start redis-server: %v", err)
	}
	process, exited := r.process, make(chan struct{})
	r.exited = exited
	go func() {
		process.Wait()
		close(exited)
	}()
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		answer, err := command(r.Addr(), "PING")
		if answer == "PONG" {
			return
		}
		select {
		case <-exited:
			r.t.Fatalf("redis-server ended at once:\n%s", r.output)
		default:
		}
		if time.Now().After(end) {
			r.t.Fatalf("redis-server does not answer: %v", err)
		}
	}
}

// Kill ends the server as a crash would (SIGKILL), and waits until it is gone.
func (r *RedisServer) Kill() {
	r.process.Process.Kill() // fails only when it has ended by itself
	<-r.exited
}

// Command runs one command, such as "CONFIG", "SET", "maxmemory", "1mb", and gives its reply as text: elements of an
// array one a line, nothing for a null. An error reply fails the test.
func (r *RedisServer) Command(args ...string) string {
	r.t.Helper()
	answer, err := command(r.Addr(), args...)
	if err != nil {
		r.t.Fatalf("redis: %s: %v", strings.Join(args, " "), err)
	}
	return answer
}

// A Cluster is three masters of Redis Cluster that share the slots.
type Cluster struct {
	Nodes []*RedisServer
}

// RedisCluster starts a cluster with nothing in it and waits until every node takes commands.
func RedisCluster(t testing.TB) *Cluster {
	t.Helper()
	const slots = 16384
	c := &Cluster{}
	var buses []string
	for range 3 {
		bus := strconv.Itoa(freePort(t))
		buses = append(buses, bus)
		c.Nodes = append(c.Nodes, Redis(t, "--cluster-enabled", "yes", "--cluster-port", bus))
	}
	for i, n := range c.Nodes {
		first, last := i*slots/len(c.Nodes), (i+1)*slots/len(c.Nodes)-1
		n.Command("CLUSTER", "SET-CONFIG-EPOCH", strconv.Itoa(i+1))
		n.Command("CLUSTER", "ADDSLOTSRANGE", strconv.Itoa(first), strconv.Itoa(last))
	}
	for i, n := range c.Nodes {
		for j, other := range c.Nodes[:i] {
			n.Command("CLUSTER", "MEET", "127.0.0.1", strconv.Itoa(other.port), buses[j])
		}
	}
	for _, n := range c.Nodes {
		waitFor(t, "the cluster", func() bool {
			info := n.Command("CLUSTER", "INFO")
			return strings.Contains(info, "cluster_state:ok") && strings.Contains(info, fmt.Sprintf("cluster_slots_ok:%d", slots))
		})
	}
	return c
}

// URL is the cluster as a setting: redis://HOST:PORT?addr=HOST:PORT&addr=HOST:PORT.
func (c *Cluster) URL() string {
	url := c.Nodes[0].URL()
	for i, n := range c.Nodes[1:] {
		url += string("?&"[min(i, 1)]) + "addr=" + n.Addr()
	}
	return url
}

// A Sentinel is a master and one sentinel that knows it.
type Sentinel struct {
	Master, Sentinel *RedisServer
}

// sentinelMaster is the name of the master at its sentinel.
const sentinelMaster = "whichrule"

// RedisSentinel starts a master with nothing in it, and a sentinel.
func RedisSentinel(t testing.TB) *Sentinel {
	t.Helper()
	master := Redis(t)
	file := filepath.Join(t.TempDir(), "sentinel.conf") // a sentinel writes to it
	monitor := fmt.Sprintf("sentinel monitor %s 127.0.0.1 %d 1\n", sentinelMaster, master.port)
	if err := os.WriteFile(file, []byte(monitor), 0o600); err != nil {
		t.Fatal(err)
	}
	return &Sentinel{Master: master, Sentinel: startRedis(t, file, "--sentinel")}
}

// URL is master and sentinel as a setting: redis://HOST:PORT?master_name=NAME with the sentinel's address.
func (s *Sentinel) URL() string { return s.Sentinel.URL() + "?master_name=" + sentinelMaster }

// freePort finds a port at which nobody listens, below those that systems hand out by themselves (from 32768 on Linux),
// so that it stays free while a server that had it is down.
func freePort(t testing.TB) int {
	t.Helper()
	for range 1000 {
		port := 10_000 + rand.IntN(20_000)
		if !firstUse(port) {
			continue
		}
		if l, err := net.Listen("tcp", address(port)); err == nil {
			l.Close()
			return port
		}
	}
	t.Fatal("found no free port")
	return 0
}

func address(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

// waitFor asks until the answer is yes.
func waitFor(t testing.TB, what string, ready func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ready(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s is not ready after %v", what, patience)
		}
	}
}

// command runs one command on a connection of its own, in the protocol of Redis 2 (RESP2).
func command(addr string, args ...string) (string, error) {
	c, err := net.DialTimeout("tcp", addr, patience)
	if err != nil {
		return "", err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(patience))
	var b strings.Builder
	fmt.Fprintf(&b, "*%d\r\n", len(args))
	for _, arg := range args {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(arg), arg)
	}
	if _, err := io.WriteString(c, b.String()); err != nil {
		return "", err
	}
	return reply(bufio.NewReader(c))
}

func reply(r *bufio.Reader) (string, error) {
	line, err := r.ReadString('\n')
	if err != nil {
		return "", err
	}
	kind, text := line[0], strings.TrimRight(line[1:], "\r\n")
	switch kind {
	case '+', ':':
		return text, nil
	case '-':
		return "", errors.New(text)
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return "", err
	}
	if kind == '$' {
		b := make([]byte, n+len("\r\n"))
		_, err := io.ReadFull(r, b)
		return string(b[:n]), err
	}
	elements := make([]string, n)
	for i := range elements {
		if elements[i], err = reply(r); err != nil {
			return "", err
		}
	}
	return strings.Join(elements, "\n"), nil
}
