package app

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/whichrule/whichrule/internal/config"
)

// The files that deploy the program repeat what the code says. These tests keep them in step.

func readRoot(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("../..", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// readFly reads fly.toml into section.name -> value, as far as that file goes: values on one line, no lists.
func readFly(t *testing.T) map[string]string {
	t.Helper()
	values, section := map[string]string{}, ""
	for line := range strings.Lines(readRoot(t, "fly.toml")) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if line[0] == '[' {
			section = strings.Trim(line, "[]") + "."
			continue
		}
		name, value, _ := strings.Cut(line, " = ")
		values[section+name] = strings.Trim(value, `"`)
	}
	return values
}

// settings reads the WHICHRULE_ settings, which the program would refuse if one were unknown or wrong.
func settings(t *testing.T, environ []string) config.Config {
	t.Helper()
	c, err := config.Read(environ)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func port(t *testing.T, addr string) string {
	t.Helper()
	host, port, err := net.SplitHostPort(addr)
	if err != nil || host != "" {
		t.Fatalf("got the address %q; want a port on every interface", addr)
	}
	return port
}

func TestFly(t *testing.T) {
	fly := readFly(t)
	var environ []string
	for name, value := range fly {
		if env, ok := strings.CutPrefix(name, "env."); ok {
			environ = append(environ, env+"="+value)
		}
	}
	c := settings(t, environ)
	for _, tt := range []struct{ name, want string }{
		{"http_service.internal_port", port(t, c.Addr)},
		{"checks.alive.port", port(t, c.Addr)},
		{"metrics.port", port(t, c.MetricsAddr)},
		{"metrics.path", "/metrics"},
		{"http_service.checks.path", "/readyz"},
		{"checks.alive.path", "/healthz"},
		{"kill_signal", "SIGTERM"},
		{"env.WHICHRULE_CLIENT_IP_HEADER", "Fly-Client-IP"},
	} {
		if got := fly[tt.name]; got != tt.want {
			t.Errorf("%s: got %q; want %q", tt.name, got, tt.want)
		}
	}
	if !strings.HasPrefix(c.BaseURL, "https://") {
		t.Errorf("got WHICHRULE_BASE_URL %q; want https, which force_https enforces", c.BaseURL)
	}
	if _, ok := fly["env.WHICHRULE_REDIS_URL"]; ok {
		t.Error("WHICHRULE_REDIS_URL is in fly.toml; want a secret")
	}
}

// A program that is killed while it drains fails the requests under way.
func TestTimeToStop(t *testing.T) {
	unit := regexp.MustCompile(`TimeoutStopSec=(\w+)`).FindStringSubmatch(readRoot(t, "README.md"))
	docker := regexp.MustCompile(`--stop-timeout (\w+)`).FindStringSubmatch(readRoot(t, "README.md"))
	if unit == nil || docker == nil {
		t.Fatal("README.md says nothing of TimeoutStopSec or --stop-timeout")
	}
	for _, tt := range []struct{ name, in string }{
		{"fly.toml, kill_timeout", readFly(t)["kill_timeout"]},
		{"README.md, TimeoutStopSec", unit[1] + "s"},
		{"README.md, --stop-timeout", docker[1] + "s"},
	} {
		if got, err := time.ParseDuration(tt.in); err != nil || got <= notice+drain {
			t.Errorf("%s: got %q; want more than %v", tt.name, tt.in, notice+drain)
		}
	}
}

func TestDockerfile(t *testing.T) {
	file := readRoot(t, "Dockerfile")
	release := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(readRoot(t, "go.mod"))[1]
	if image := "golang:" + release + "-"; !strings.Contains(file, image) {
		t.Errorf("the program is not built in %s, the release of go.mod", image)
	}
	var environ []string
	for _, m := range regexp.MustCompile(`(?m)^ENV (WHICHRULE_\S+)`).FindAllStringSubmatch(file, -1) {
		environ = append(environ, m[1])
	}
	c := settings(t, environ)
	if want := "\nEXPOSE " + port(t, c.Addr) + " " + port(t, c.MetricsAddr) + "\n"; !strings.Contains(file, want) {
		t.Errorf("want %q", strings.TrimSpace(want))
	}
	if want := "\nSTOPSIGNAL SIGTERM\n"; !strings.Contains(file, want) {
		t.Errorf("want %q, on which the program drains", strings.TrimSpace(want))
	}
}

// The build in a container sees the packages of the program.
func TestDockerignore(t *testing.T) {
	var let, kept []string
	for line := range strings.Lines(readRoot(t, ".dockerignore")) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "!"); ok {
			let = append(let, name)
		} else {
			kept = append(kept, strings.TrimSpace(line))
		}
	}
	cmd := exec.Command("go", "list", "-deps", "./cmd/whichrule")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for path := range strings.FieldsSeq(string(out)) {
		folder, ok := strings.CutPrefix(path, "github.com/whichrule/whichrule/")
		if !ok {
			continue
		}
		top, _, _ := strings.Cut(folder, "/")
		if !slices.Contains(let, top) || slices.Contains(kept, folder) {
			t.Errorf("%s is needed, and .dockerignore keeps it out", folder)
		}
	}
}
