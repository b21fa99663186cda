package app

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// told is what a run of the program gave.
type told struct {
	Code int
	Out  string
}

// run runs the program with no settings.
func run(stdin string, args ...string) (got told, stderr string) {
	var out, errs strings.Builder
	got.Code = Main(args, nil, strings.NewReader(stdin), &out, &errs)
	got.Out = out.String()
	return got, errs.String()
}

// answer is a case of a conformance file or an answer to one.
type answer struct {
	ID      string `json:"id"`
	Allowed bool   `json:"allowed"`
	Line    int    `json:"line"`
}

func readAnswers(t *testing.T, text string) []answer {
	t.Helper()
	var all []answer
	lines := bufio.NewScanner(strings.NewReader(text))
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		var a answer
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			t.Fatal(err)
		}
		all = append(all, a)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// All 5,000 answers of Google's published matcher come back, in order.
func TestCheckConformance(t *testing.T) {
	b, err := os.ReadFile("../robots/testdata/google-5000.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	got, stderr := run(string(b), "check", "--jsonl")
	if got.Code != exitOK {
		t.Fatalf("got exit code %d: %s; want 0", got.Code, stderr)
	}
	want := readAnswers(t, string(b))
	if len(want) != 5000 {
		t.Fatalf("the file has %d cases; want 5,000", len(want))
	}
	if diff := cmp.Diff(want, readAnswers(t, got.Out)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCheckCases(t *testing.T) {
	const ok = `{"id":1,"robots":"User-agent: *\nDisallow: /a","agents":["x"],"url":"/a"}`
	const answered = `{"id":1,"allowed":false,"line":2}` + "\n"
	for _, tt := range []struct {
		name, in string
		want     told
	}{
		{"nothing", "", told{exitOK, ""}},
		{"blank lines", "\n \n\r\n", told{exitOK, ""}},
		{"one", ok, told{exitOK, answered}},
		{"in order", ok + "\r\n\n" + strings.Replace(ok, "1", `"two"`, 1) + "\n", told{exitOK, answered + strings.Replace(answered, "1", `"two"`, 1)}},
		{"base64", `{"id":1,"robots_b64":"VXNlci1hZ2VudDogKgpEaXNhbGxvdzogLwo=","agents":["x"],"url":"/a"}`, told{exitOK, answered}},
		{"no id", strings.Replace(ok, `"id":1,`, "", 1), told{exitOK, `{"id":null,"allowed":false,"line":2}` + "\n"}},
		{"an empty file", strings.Replace(ok, `User-agent: *\nDisallow: /a`, "", 1), told{exitOK, `{"id":1,"allowed":true,"line":0}` + "\n"}},
		{"no agents to name", strings.Replace(ok, `["x"]`, "[]", 1), told{exitOK, answered}},
		{"ENGINE A13: agents of equal rank", `{"id":1,"robots":"User-agent: a\nAllow: /\nUser-agent: b\nDisallow: /a","agents":["a","b"],"url":"/a"}`, told{exitOK, `{"id":1,"allowed":false,"line":4}` + "\n"}},
		{"ENGINE A10: nothing is normalised", strings.Replace(ok, `"/a"}`, `"/b/../a"}`, 1), told{exitOK, `{"id":1,"allowed":true,"line":0}` + "\n"}},
		{"ENGINE C7: no rule of our own for the file", strings.NewReplacer(`Disallow: /a`, `Disallow: /`, `"/a"}`, `"/robots.txt"}`).Replace(ok), told{exitOK, answered}},
		{"ENGINE A3: no limit on the file", strings.Replace(ok, `Disallow`, strings.Repeat(`#\n`, 300_000)+`Disallow`, 1), told{exitOK, strings.Replace(answered, "2", "300002", 1)}},
		{"a field more", strings.Replace(ok, `"id":1`, `"id":1,"note":"x"`, 1), told{exitOK, answered}},

		{"no JSON", "what", told{exitUsage, ""}},
		{"cut short", ok[:len(ok)-1], told{exitUsage, ""}},
		{"two on a line", ok + ok, told{exitUsage, ""}},
		{"a list", "[" + ok + "]", told{exitUsage, ""}},
		{"no robots", `{"id":1,"agents":["x"],"url":"/a"}`, told{exitUsage, ""}},
		{"both kinds of robots", strings.Replace(ok, `"id":1`, `"id":1,"robots_b64":""`, 1), told{exitUsage, ""}},
		{"no url", `{"id":1,"robots":"","agents":["x"]}`, told{exitUsage, ""}},
		{"no agents", `{"id":1,"robots":"","url":"/a"}`, told{exitUsage, ""}},
		{"agents of another type", strings.Replace(ok, `["x"]`, `"x"`, 1), told{exitUsage, ""}},
		{"no base64", `{"id":1,"robots_b64":"*","agents":["x"],"url":"/a"}`, told{exitUsage, ""}},
		{"answers before the bad line stand", ok + "\nwhat\n" + ok, told{exitUsage, answered}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, stderr := run(tt.in, "check", "--jsonl")
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if (stderr != "") != (tt.want.Code != exitOK) {
				t.Errorf("got complaint %q", stderr)
			}
		})
	}
}

// A complaint names the line that is wrong.
func TestCheckCasesLine(t *testing.T) {
	_, stderr := run("\n\nwhat\n", "check", "--jsonl")
	if want := "whichrule: check: case in line 3: "; !strings.HasPrefix(stderr, want) {
		t.Errorf("got %q; want it to start with %q", stderr, want)
	}
}

// Input that breaks off is no end of the cases.
func TestCheckCasesBroken(t *testing.T) {
	var out, errs strings.Builder
	if code := Main([]string{"check", "--jsonl"}, nil, brokenReader{}, &out, &errs); code != exitUsage {
		t.Errorf("got exit code %d; want %d", code, exitUsage)
	}
	if !strings.Contains(errs.String(), "cable was pulled") {
		t.Errorf("got complaint %q; want the reason", errs.String())
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errors.New("cable was pulled") }

func TestCheckURLs(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "robots.txt")
	large := filepath.Join(dir, "large.txt")
	const text = "User-agent: *\nDisallow: /a\n\nUser-agent: MJ12bot\nAllow: /a/b\nDisallow: /a\n"
	for name, content := range map[string]string{file: text, large: strings.Repeat("a", 1<<20+1)} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const blocked = "Googlebot may not crawl this URL: line 2 wins. Disallow: /a\n"
	const free = "Googlebot may crawl this URL: no rule of its group matches.\n"
	// These pass, with a word on what was read.
	warned := map[string]bool{"an empty file": true, "a file that goes on beyond what counts": true, "a crawler that is meant otherwise": true}
	for _, tt := range []struct {
		name  string
		args  []string
		stdin string
		want  told
	}{
		{"all allowed", []string{"--robots", file, "--crawler", "Googlebot", "/", "/b"}, "", told{exitOK,
			"Allowed\t-\t/\t" + free + "Allowed\t-\t/b\t" + free}},
		{"one blocked", []string{"--robots", file, "--crawler", "Googlebot", "/", "/a"}, "", told{exitBlocked,
			"Allowed\t-\t/\t" + free + "Blocked\tline 2\t/a\tGooglebot may not crawl this URL: line 2 wins. Disallow: /a\n"}},
		{"a crawler with digits and a group of its own", []string{"--robots", file, "--crawler", "mj12bot", "/a/b"}, "", told{exitOK,
			"Allowed\tline 5\t/a/b\tMJ12bot may crawl this URL: line 5 wins. Allow: /a/b\n"}},
		{"a whole URL", []string{"--robots", file, "--crawler", "*", "https://shop.example.com/a?x"}, "", told{exitBlocked,
			"Blocked\tline 2\thttps://shop.example.com/a?x\tA crawler that no group names may not crawl this URL: line 2 wins. Disallow: /a\n"}},
		{"the file itself", []string{"--robots", file, "--crawler", "*", "/robots.txt"}, "", told{exitOK,
			"Allowed\t-\t/robots.txt\tA crawler that no group names may always fetch robots.txt itself.\n"}},
		{"a URL that is normalised first", []string{"--robots", file, "--crawler", "*", "/b/../a"}, "", told{exitBlocked,
			"Blocked\tline 2\t/b/../a\tA crawler that no group names may not crawl this URL: line 2 wins. Disallow: /a\n"}},
		{"from standard input", []string{"--robots", "-", "--crawler", "Googlebot", "/a"}, text, told{exitBlocked,
			"Blocked\tline 2\t/a\tGooglebot may not crawl this URL: line 2 wins. Disallow: /a\n"}},
		{"an empty file", []string{"--robots", "-", "--crawler", "Googlebot", "/a"}, "", told{exitOK, "Allowed\t-\t/a\tGooglebot may crawl this URL: no group of rules applies to it.\n"}},
		{"somebody who does not obey", []string{"--robots", file, "--crawler", "Perplexity-User", "/a"}, "", told{exitOK, "Allowed\t-\t/a\tPerplexity-User does not obey robots.txt, so no rule stops it.\n"}},

		{"a URL that is none", []string{"--robots", file, "--crawler", "Googlebot", "/", "mailto:x", "/a"}, "", told{exitUsage,
			"Allowed\t-\t/\t" + free + "Not tested\t-\tmailto:x\tNot tested: robots.txt is for http and https addresses, and mailto:x is neither.\n"}},
		{"no such file", []string{"--robots", filepath.Join(dir, "none"), "--crawler", "Googlebot", "/"}, "", told{exitUsage, ""}},
		{"a folder", []string{"--robots", dir, "--crawler", "Googlebot", "/"}, "", told{exitUsage, ""}},
		{"a file over 1 MiB", []string{"--robots", large, "--crawler", "Googlebot", "/"}, "", told{exitUsage, ""}},
		{"no file", []string{"--crawler", "Googlebot", "/"}, "", told{exitUsage, ""}},
		{"no crawler", []string{"--robots", file, "/"}, "", told{exitUsage, ""}},
		{"a blank for a crawler", []string{"--robots", file, "--crawler", " ", "/a"}, "", told{exitUsage, ""}},
		{"a crawler's name that is too long", []string{"--robots", file, "--crawler", strings.Repeat("a", 501), "/"}, "", told{exitUsage, ""}},
		{"no URL", []string{"--robots", file, "--crawler", "Googlebot"}, "", told{exitUsage, ""}},
		{"several crawlers, with a comma", []string{"--robots", file, "--crawler", "Googlebot,MJ12bot", "/a/b"}, "", told{exitBlocked,
			"Blocked\tline 2\t/a/b\tGooglebot may not crawl this URL: line 2 wins. Disallow: /a\n" +
				"Allowed\tline 5\t/a/b\tMJ12bot may crawl this URL: line 5 wins. Allow: /a/b\n"}},
		{"several crawlers, one by one", []string{"--robots", file, "--crawler", "MJ12bot", "--crawler", "Googlebot", "/a/b"}, "", told{exitBlocked,
			"Allowed\tline 5\t/a/b\tMJ12bot may crawl this URL: line 5 wins. Allow: /a/b\n" +
				"Blocked\tline 2\t/a/b\tGooglebot may not crawl this URL: line 2 wins. Disallow: /a\n"}},
		{"a host without a scheme", []string{"--robots", file, "--crawler", "Googlebot", "shop.example.com/a"}, "", told{exitBlocked,
			"Blocked\tline 2\tshop.example.com/a\tGooglebot may not crawl this URL: line 2 wins. Disallow: /a\n"}},
		{"two URLs in one argument", []string{"--robots", file, "--crawler", "Googlebot", "/x\n/a"}, "", told{exitUsage, ""}},
		{"a path without its slash", []string{"--robots", file, "--crawler", "Googlebot", "staging-box/a"}, "", told{exitUsage, ""}},
		{"a host inside a network", []string{"--robots", file, "--crawler", "Googlebot", "localhost:8080/a", "shop.internal/a", "127.0.0.1/a", "[::1]:80/a"}, "", told{exitBlocked,
			"Blocked\tline 2\tlocalhost:8080/a\t" + blocked + "Blocked\tline 2\tshop.internal/a\t" + blocked +
				"Blocked\tline 2\t127.0.0.1/a\t" + blocked + "Blocked\tline 2\t[::1]:80/a\t" + blocked}},
		{"a user-agent string of a crawler that nobody knows", []string{"--robots", file, "--crawler", "Mozilla/5.0 (compatible; FooBot/1.0)", "/"}, "", told{exitUsage, ""}},
		{"a user-agent string of one that is known", []string{"--robots", file, "--crawler", "Mozilla/5.0 (compatible; Googlebot/2.1)", "/a"}, "", told{exitBlocked,
			"Blocked\tline 2\t/a\t" + blocked}},
		{"two names without a comma", []string{"--robots", file, "--crawler", "Googlebot GPTBot", "/"}, "", told{exitUsage, ""}},
		{"a version behind an unknown name", []string{"--robots", file, "--crawler", "FooBot/1.0", "/"}, "", told{exitUsage, ""}},
		{"two files", []string{"--robots", file, "--robots", file, "--crawler", "Googlebot", "/"}, "", told{exitUsage, ""}},
		{"UTF-16", []string{"--robots", "-", "--crawler", "Googlebot", "/"}, "\xff\xfeU\x00s\x00", told{exitUsage, ""}},
		{"a web page", []string{"--robots", "-", "--crawler", "Googlebot", "/"}, "\n<!doctype html>", told{exitUsage, ""}},
		{"a file that goes on beyond what counts", []string{"--robots", "-", "--crawler", "Googlebot", "/"}, strings.Repeat("#", 520_000) + "\nUser-agent: *\nDisallow: /\n", told{exitOK,
			"Allowed\t-\t/\tGooglebot may crawl this URL: no group of rules applies to it.\n"}},
		{"no name between commas", []string{"--robots", file, "--crawler", "Googlebot,", "/"}, "", told{exitUsage, ""}},
		{"an empty URL, as from a variable that is not set", []string{"--robots", file, "--crawler", "Googlebot", "/", ""}, "", told{exitUsage, ""}},
		{"a flag behind a URL", []string{"--robots", file, "--crawler", "Googlebot", "/", "--crawler", "MJ12bot"}, "", told{exitUsage, ""}},
		{"a flag behind a URL, and a file behind it too", []string{"/", "--robots", file, "--crawler", "MJ12bot"}, "", told{exitUsage, ""}},
		{"a crawler that is meant otherwise", []string{"--robots", file, "--crawler", "Gogglebot", "/a"}, "", told{exitBlocked,
			"Blocked\tline 2\t/a\t" + strings.Replace(blocked, "Googlebot", "Gogglebot", 1)}},
		{"an unknown flag", []string{"--what"}, "", told{exitUsage, ""}},
		{"nothing", nil, "", told{exitUsage, ""}},
		{"cases and a file", []string{"--jsonl", "--robots", file}, "", told{exitUsage, ""}},
		{"cases and a URL", []string{"--jsonl", "/a"}, "", told{exitUsage, ""}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, stderr := run(tt.stdin, append([]string{"check"}, tt.args...)...)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if (stderr != "") != (tt.want.Code == exitUsage || warned[tt.name]) {
				t.Errorf("got complaint %q", stderr)
			}
		})
	}
}

// What is said on standard error helps to make it right.
func TestCheckComplaints(t *testing.T) {
	const text = "User-agent: *\nDisallow: /a\n"
	for _, tt := range []struct {
		name string
		args []string
		want string // "" for none
	}{
		{"a flag behind a URL", []string{"--robots", "-", "--crawler", "Googlebot", "/", "--lint"}, `whichrule: check: "--lint" is not one URL; flags stand before URLs`},
		{"the file behind a URL", []string{"/", "--robots", "-", "--crawler", "Googlebot"}, `whichrule: check: "--robots" is not one URL; flags stand before URLs`},
		{"the crawler behind a URL", []string{"--robots", "-", "/", "--crawler", "Googlebot"}, `whichrule: check: "--crawler" is not one URL; flags stand before URLs`},
		{"a misspelt crawler", []string{"--robots", "-", "--crawler", "Googlebt,GPTBot", "/"}, "whichrule: check: Googlebt is not in our list; did you mean Googlebot?"},
		{"a misspelt crawler of findings", []string{"--robots", "-", "--lint", "--crawler", "GPTBott", "/"}, "whichrule: check: GPTBott is not in our list; did you mean GPTBot?"},
		{"a crawler like no other", []string{"--robots", "-", "--crawler", "MyOwnShopCrawler", "/"}, ""},
		{"crawlers of the list", []string{"--robots", "-", "--crawler", "gptbot,*,Googlebot", "/"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, stderr := run(text, append([]string{"check"}, tt.args...)...)
			if first, _, _ := strings.Cut(stderr, "\n"); first != tt.want {
				t.Errorf("got %q; want %q", first, tt.want)
			}
		})
	}
}

func TestMainArguments(t *testing.T) {
	for _, tt := range []struct {
		name string
		args []string
		code int
		out  bool // usage on standard output
	}{
		{"help", []string{"help"}, exitOK, true},
		{"-h", []string{"-h"}, exitOK, true},
		{"--help", []string{"--help"}, exitOK, true},
		{"help of check", []string{"check", "-h"}, exitOK, false},
		{"an unknown command", []string{"sreve"}, exitUsage, false},
		{"serve with arguments", []string{"serve", "--port", "80"}, exitUsage, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, stderr := run("", tt.args...)
			if got.Code != tt.code {
				t.Errorf("got exit code %d; want %d", got.Code, tt.code)
			}
			if text := map[bool]string{true: got.Out, false: stderr}[tt.out]; !strings.Contains(text, "usage: whichrule") {
				t.Errorf("got %q; want the usage", text)
			}
		})
	}
}

func TestCheckLint(t *testing.T) {
	const staging = "User-agent: *\nDisallow: /\n"
	const tidy = "User-agent: *\nDisallow: /cart/\n"
	for _, tt := range []struct {
		name, in string
		args     []string
		code     int
		starts   string // of each line, joined by |
	}{
		{"a problem", staging, []string{"--robots", "-", "--lint"}, exitBlocked, "problem\tline 2\tsite-closed\t"},
		{"nothing to say", tidy, []string{"--robots", "-", "--lint"}, exitOK, ""},
		{"a note is no problem", tidy + "Content-Signal: search=yes\n", []string{"--robots", "-", "--lint"}, exitOK, "note\tline 3\tignored-line\t"},
		{"findings, then verdicts", staging, []string{"--robots", "-", "--lint", "--crawler", "GPTBot", "/"}, exitBlocked, "problem\tline 2\tsite-closed\t|Blocked\tline 2\t/\t"},
		{"a verdict that is blocked, and no finding", tidy, []string{"--robots", "-", "--lint", "--crawler", "GPTBot", "/cart/"}, exitBlocked, "Blocked\tline 2\t/cart/\t"},
		{"a web page", "<!doctype html>\n<title>Shop</title>\n", []string{"--robots", "-", "--lint"}, exitBlocked, "problem\t-\thtml\t"},
		{"with cases", "", []string{"--jsonl", "--lint"}, exitUsage, ""},
		{"a crawler without a URL", tidy, []string{"--robots", "-", "--lint", "--crawler", "GPTBot"}, exitUsage, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, _ := run(tt.in, append([]string{"check"}, tt.args...)...)
			lines := strings.Split(strings.TrimSuffix(got.Out, "\n"), "\n")
			starts := strings.Split(tt.starts, "|")
			ok := got.Code == tt.code && len(lines) == len(starts)
			for i := range starts {
				ok = ok && strings.HasPrefix(lines[i], starts[i]) && (starts[i] != "" || lines[i] == "")
			}
			if !ok {
				t.Errorf("got exit code %d and\n%swant %d and %q", got.Code, got.Out, tt.code, starts)
			}
		})
	}
}
