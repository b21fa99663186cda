package app

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/whichrule/whichrule/internal/crawlers"
	"github.com/whichrule/whichrule/internal/i18n"
	"github.com/whichrule/whichrule/internal/robots"
	"github.com/whichrule/whichrule/internal/tester"
)

// maxCase bounds one line of --jsonl, in bytes: a file of 1 MiB in the longest
// JSON spelling (\u00XX), and room for the rest.
const maxCase = 8 << 20

// check tests files from the command line.
func check(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("check", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { fmt.Fprint(stderr, usage) }
	jsonl := flags.Bool("jsonl", false, "read cases from standard input, one JSON object a line")
	file := flags.String("robots", "", "the robots.txt to test, - for standard input")
	crawler := flags.String("crawler", "", "the crawler's product token, or *")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return exitOK
		}
		return exitUsage
	}
	if *jsonl {
		if *file != "" || *crawler != "" || flags.NArg() > 0 {
			fmt.Fprintf(stderr, "whichrule: --jsonl takes nothing else\n\n%s", usage)
			return exitUsage
		}
		if err := checkCases(stdin, stdout); err != nil {
			fmt.Fprintln(stderr, "whichrule: check:", err)
			return exitUsage
		}
		return exitOK
	}
	if *file == "" || strings.TrimSpace(*crawler) == "" || flags.NArg() == 0 {
		fmt.Fprintf(stderr, "whichrule: check needs --robots, --crawler and a URL\n\n%s", usage)
		return exitUsage
	}
	blocked, err := checkURLs(*file, *crawler, flags.Args(), stdin, stdout)
	switch {
	case err != nil:
		fmt.Fprintln(stderr, "whichrule: check:", err)
		return exitUsage
	case blocked:
		return exitBlocked
	}
	return exitOK
}

// testCase is a line of --jsonl.
type testCase struct {
	ID        json.RawMessage `json:"id"`
	Robots    *string         `json:"robots"`
	RobotsB64 *string         `json:"robots_b64"`
	Agents    []string        `json:"agents"`
	URL       *string         `json:"url"`
}

// checkCases answers every case with what the published matcher says of it:
// the URL as it stands, the whole file, and no rule for /robots.txt itself.
func checkCases(in io.Reader, out io.Writer) error {
	w := bufio.NewWriter(out)
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 64<<10), maxCase)
	n := 0
	for lines.Scan() {
		n++
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		c, body, err := readCase(lines.Bytes())
		if err != nil {
			_ = w.Flush()
			return fmt.Errorf("case in line %d: %w", n, err)
		}
		d := robots.Parse(body, robots.Options{}).
			Select(robots.Agent{Names: c.Agents, Star: true, Cut: true, Merge: true}).
			Match(robots.Path(*c.URL))
		id := c.ID
		if id == nil {
			id = json.RawMessage("null")
		}
		if _, err := fmt.Fprintf(w, `{"id":%s,"allowed":%t,"line":%d}`+"\n", id, d.Allowed, d.Line); err != nil {
			return fmt.Errorf("write answer: %w", err)
		}
	}
	if err := lines.Err(); err != nil {
		_ = w.Flush()
		return fmt.Errorf("read line %d: %w", n+1, err)
	}
	return w.Flush()
}

// readCase reads one case.
func readCase(line []byte) (c testCase, body []byte, err error) {
	if err := json.Unmarshal(line, &c); err != nil {
		return c, nil, err
	}
	switch {
	case c.Robots == nil && c.RobotsB64 == nil:
		return c, nil, errors.New(`neither "robots" nor "robots_b64"`)
	case c.Robots != nil && c.RobotsB64 != nil:
		return c, nil, errors.New(`both "robots" and "robots_b64"`)
	case c.URL == nil:
		return c, nil, errors.New(`no "url"`)
	case c.Agents == nil:
		return c, nil, errors.New(`no "agents"`)
	case c.Robots != nil:
		return c, []byte(*c.Robots), nil
	}
	body, err = base64.StdEncoding.DecodeString(*c.RobotsB64)
	if err != nil {
		return c, nil, fmt.Errorf("robots_b64: %w", err)
	}
	return c, body, nil
}

// checkURLs prints verdict, line and reason of each URL, and says whether one
// is blocked. It is the test that the site makes of a pasted text.
func checkURLs(file, crawler string, urls []string, stdin io.Reader, stdout io.Writer) (blocked bool, err error) {
	body, err := readRobots(file, stdin)
	if err != nil {
		return false, err
	}
	catalogue, err := crawlers.Load()
	if err != nil {
		return false, fmt.Errorf("load crawlers: %w", err)
	}
	words, err := i18n.Load()
	if err != nil {
		return false, err
	}
	t := tester.Tester{Catalogue: catalogue, Now: time.Now}
	report, err := t.Check(body, crawler, urls)
	if err != nil {
		return false, err
	}
	wd := words.Words("")
	for row, u := range report.URLs {
		res := report.At(row, 0)
		line := "-"
		if res.Line > 0 {
			line = fmt.Sprint("line ", res.Line)
		}
		why := i18n.Plain(report.Sentence(row, 0, wd))
		if res.Rule != "" {
			why += " " + res.Rule
		}
		fmt.Fprintf(stdout, "%s\t%s\t%s\t%s\n", wd.T("verdict."+string(res.Verdict)), line, u.URL, why)
		if res.Verdict == tester.NotTested {
			return false, fmt.Errorf("%s cannot be tested: %s", u.URL, res.Reason)
		}
		blocked = blocked || res.Verdict == tester.Blocked
	}
	return blocked, nil
}

// readRobots reads the file, or standard input for "-".
func readRobots(name string, stdin io.Reader) ([]byte, error) {
	in := stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	b, err := io.ReadAll(io.LimitReader(in, tester.MaxText+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if len(b) > tester.MaxText {
		return nil, fmt.Errorf("read %s: larger than %d bytes", name, tester.MaxText)
	}
	return b, nil
}
