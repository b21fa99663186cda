package app_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const module = "github.com/whichrule/whichrule/"

// mayImport says which packages of ours a package may import, internal/ left out. Imports point one way, so that the
// engine can be read, tested and trusted alone. A package that is not here fails the test: it needs a row.
var mayImport = map[string]string{
	"robots":        "",
	"crawlers":      "robots i18n obs",
	"fetch":         "robots i18n obs",
	"access":        "robots crawlers fetch i18n obs",
	"lint":          "robots crawlers fetch i18n obs",
	"tester":        "robots crawlers fetch access lint i18n obs",
	"store":         "fetch tester i18n obs",
	"ratelimit":     "i18n obs",
	"templates":     "i18n",
	"web":           "templates tester robots crawlers fetch access lint ratelimit i18n obs",
	"app":           "config static templates web tester robots crawlers fetch access lint store ratelimit i18n obs",
	"cmd/whichrule": "app",

	// These know nothing of the others.
	"config":  "",
	"i18n":    "",
	"obs":     "",
	"static":  "",
	"testkit": "",
	"web/e2e": "",
}

// testsMayImport says what the tests of a package may import besides what it may itself, all that those packages
// import in turn (to make values for them), and testkit. Tests of the site drive the whole program.
var testsMayImport = map[string]string{
	"web":     "app",
	"web/e2e": "app",
}

// stdOnly are the packages that import nothing from outside the standard library.
var stdOnly = []string{"robots", "cmd/whichrule"}

// onlyIn are the modules that stay behind a few packages, tests included.
var onlyIn = map[string]string{
	"github.com/go-chi/chi":         "web",
	"github.com/a-h/templ":          "templates web",
	"github.com/redis/go-redis":     "store ratelimit",
	"github.com/sony/gobreaker":     "store ratelimit",
	"code.dny.dev/ssrf":             "fetch",
	"github.com/nicksnyder/go-i18n": "i18n",
	"github.com/prometheus":         "obs",
}

// listed is a package as go list tells it.
type listed struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

func TestImports(t *testing.T) {
	noteFolders(t)
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Imports,TestImports,XTestImports", "./...")
	cmd.Dir = "../.." // tests run in their own folder
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	d := json.NewDecoder(strings.NewReader(string(out)))
	seen := 0
	for {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		seen++
		for _, wrong := range wrongImports(p) {
			t.Error(wrong)
		}
	}
	if seen < 2 {
		t.Errorf("go list told of %d packages; want all of the module", seen)
	}
}

// noteFolders looks at every folder of the module. A result of go test is kept until something changes that the test
// has looked at, and what go list looks at does not count.
func noteFolders(t *testing.T) {
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && strings.HasPrefix(d.Name(), ".") && d.Name() != ".." {
			return fs.SkipDir
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// wrongImports says of each import of a package that it must not have what is wrong with it.
func wrongImports(p listed) []string {
	name := short(p.ImportPath)
	row, ok := mayImport[name]
	if !ok {
		return []string{name + " is not in the table of imports"}
	}
	allowed := set(row)
	forTests := reachable(row + " " + testsMayImport[name])
	forTests["testkit"], forTests[name] = true, true

	var wrong []string
	check := func(imports []string, allowed map[string]bool, what string, std bool) {
		for _, path := range imports {
			if strings.HasPrefix(path, module) {
				if dep := short(path); !allowed[dep] {
					wrong = append(wrong, fmt.Sprintf("%s%s imports %s", name, what, dep))
				}
				continue
			}
			if first, _, _ := strings.Cut(path, "/"); !strings.Contains(first, ".") {
				continue // the standard library
			}
			if std {
				wrong = append(wrong, fmt.Sprintf("%s%s imports %s; want the standard library alone", name, what, path))
				continue
			}
			for _, m := range slices.Sorted(maps.Keys(onlyIn)) {
				if (path == m || strings.HasPrefix(path, m+"/")) && !set(onlyIn[m])[name] {
					wrong = append(wrong, fmt.Sprintf("%s%s imports %s, which stays in %s", name, what, path, onlyIn[m]))
				}
			}
		}
	}
	check(p.Imports, allowed, "", slices.Contains(stdOnly, name))
	check(p.TestImports, forTests, " (test)", false)
	check(p.XTestImports, forTests, " (test)", false)
	return wrong
}

func short(importPath string) string {
	return strings.TrimPrefix(strings.TrimPrefix(importPath, module), "internal/")
}

func set(names string) map[string]bool {
	s := map[string]bool{}
	for _, n := range strings.Fields(names) {
		s[n] = true
	}
	return s
}

// reachable adds to names all that they may import, directly or not.
func reachable(names string) map[string]bool {
	s := map[string]bool{}
	todo := strings.Fields(names)
	for len(todo) > 0 {
		n := todo[0]
		todo = todo[1:]
		if !s[n] {
			s[n] = true
			todo = append(todo, strings.Fields(mayImport[n])...)
		}
	}
	return s
}

// A rule that nothing breaks proves little: here are imports that it must see.
func TestWrongImports(t *testing.T) {
	ours := func(name string) string {
		if _, ok := mayImport[name]; ok && name != "web" && name != "templates" && name != "static" && !strings.Contains(name, "/") {
			return module + "internal/" + name
		}
		return module + name
	}
	for _, tt := range []struct {
		name string
		in   listed
		want []string
	}{
		{"the engine alone", listed{ImportPath: ours("robots"), Imports: []string{"strings"}}, nil},
		{"the engine with help", listed{ImportPath: ours("robots"), Imports: []string{ours("i18n"), "golang.org/x/text/cases"}},
			[]string{"robots imports i18n", "robots imports golang.org/x/text/cases; want the standard library alone"}},
		{"the engine's tests", listed{ImportPath: ours("robots"), TestImports: []string{"github.com/google/go-cmp/cmp", ours("testkit")}}, nil},
		{"backwards", listed{ImportPath: ours("fetch"), Imports: []string{ours("tester")}}, []string{"fetch imports tester"}},
		{"the site past its interfaces", listed{ImportPath: ours("web"), Imports: []string{ours("store")}}, []string{"web imports store"}},
		{"a router elsewhere", listed{ImportPath: ours("app"), Imports: []string{"github.com/go-chi/chi/v5"}},
			[]string{"app imports github.com/go-chi/chi/v5, which stays in web"}},
		{"a name that only begins alike", listed{ImportPath: ours("app"), Imports: []string{"github.com/go-chi/chichi"}}, nil},
		{"test help in the program", listed{ImportPath: ours("app"), Imports: []string{ours("testkit")}}, []string{"app imports testkit"}},
		{"values for a test", listed{ImportPath: ours("store"), TestImports: []string{ours("robots")}}, nil},
		{"the same in the program", listed{ImportPath: ours("store"), Imports: []string{ours("robots")}}, []string{"store imports robots"}},
		{"a test of the whole", listed{ImportPath: ours("web"), XTestImports: []string{ours("app"), ours("web"), ours("store")}}, nil},
		{"a test that reaches up", listed{ImportPath: ours("crawlers"), XTestImports: []string{ours("web")}}, []string{"crawlers (test) imports web"}},
		{"main with more than app", listed{ImportPath: ours("cmd/whichrule"), Imports: []string{ours("config"), ours("app")}},
			[]string{"cmd/whichrule imports config"}},
		{"a package nobody placed", listed{ImportPath: ours("util")}, []string{"util is not in the table of imports"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, wrongImports(tt.in)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
