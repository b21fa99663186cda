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
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/whichrule/whichrule/internal/crawlers"
	"github.com/whichrule/whichrule/internal/i18n"
	"github.com/whichrule/whichrule/internal/lint"
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
	findings := flags.Bool("lint", false, "print what is worth a look in the file")
	var file string
	flags.Func("robots", "the robots.txt to test, - for standard input", func(v string) error {
		if file != "" {
			return errors.New("given twice")
		}
		file = v
		return nil
	})
	var crawlers []string
	flags.Func("crawler", "a crawler's product token, or *; several with commas or by repeating it", func(v string) error {
		for _, name := range splitNames(v) {
			if name = strings.TrimSpace(name); name == "" {
				return errors.New("no name")
			}
			crawlers = append(crawlers, name)
		}
		return nil
	})
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return exitOK
		}
		return exitUsage
	}
	if *jsonl {
		if file != "" || *findings || crawlers != nil || flags.NArg() > 0 {
			fmt.Fprintf(stderr, "whichrule: --jsonl takes nothing else\n\n%s", usage)
			return exitUsage
		}
		if err := checkCases(stdin, stdout); err != nil {
			fmt.Fprintln(stderr, "whichrule: check:", err)
			return exitUsage
		}
		return exitOK
	}
	for _, u := range flags.Args() {
		// A gate must not pass on a variable that was not set, or on a flag
		// that stands too late to be one.
		if strings.TrimSpace(u) == "" || strings.HasPrefix(u, "-") || strings.ContainsFunc(u, unicode.IsControl) {
			fmt.Fprintf(stderr, "whichrule: check: %q is not one URL; flags stand before URLs\n\n%s", u, usage)
			return exitUsage
		}
	}
	bare := *findings && crawlers == nil && flags.NArg() == 0 // findings alone
	if file == "" || !bare && (crawlers == nil || flags.NArg() == 0) {
		fmt.Fprintf(stderr, "whichrule: check needs --robots, and --crawler with a URL, or --lint\n\n%s", usage)
		return exitUsage
	}
	bad, err := checkFile(file, crawlers, flags.Args(), *findings, stdin, stdout, stderr)
	switch {
	case err != nil:
		fmt.Fprintln(stderr, "whichrule: check:", err)
		return exitUsage
	case bad:
		return exitBlocked
	}
	return exitOK
}

// testCase is a line of --jsonl. A field that is not there is nil.
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
		if _, err := w.Write(c.answer(w.AvailableBuffer(), body)); err != nil {
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

// answer appends the line that answers the case.
func (c *testCase) answer(out, body []byte) []byte {
	d := robots.Parse(body, robots.Options{}).
		Select(robots.Agent{Names: c.Agents, Star: true, Cut: true, Merge: true}).
		Match(robots.Path(*c.URL))
	out = append(out, `{"id":`...)
	if c.ID == nil {
		out = append(out, "null"...)
	}
	out = append(out, c.ID...)
	out = append(out, `,"allowed":`...)
	out = strconv.AppendBool(out, d.Allowed)
	out = append(out, `,"line":`...)
	out = strconv.AppendInt(out, int64(d.Line), 10)
	return append(out, "}\n"...)
}

// splitNames splits at commas, unless the text holds "(": then it is one full
// user-agent string.
func splitNames(s string) []string {
	if strings.Contains(s, "(") {
		return []string{s}
	}
	return strings.Split(s, ",")
}

// checkFile prints verdict, line and reason of each URL for each crawler, and
// with findings what is worth a look in the file. It says whether a URL is blocked,
// or the file has a problem. It is the test that the site makes of a pasted
// text.
func checkFile(file string, names, urls []string, findings bool, stdin io.Reader, stdout, stderr io.Writer) (bad bool, err error) {
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
	if len(urls) > 0 {
		if err := plausible(body, names, urls, catalogue); err != nil {
			return false, err
		}
	}
	for _, name := range names {
		if meant, ok := catalogue.Closest(name); ok && name != "*" && !catalogue.Resolve(name).Known {
			fmt.Fprintf(stderr, "whichrule: check: %s is not in our list; did you mean %s?\n", oneLine(name), meant.Token)
		}
	}
	wd := words.Words("")
	t := tester.Tester{Catalogue: catalogue, Now: time.Now}
	tested := urls
	if len(tested) == 0 {
		tested = []string{"/"}
	}
	report, err := t.Check(body, names, tested)
	if bad := (*tester.Error)(nil); errors.As(err, &bad) {
		return false, errors.New(wd.T("error."+bad.Kind, "N", bad.Limit, "Limit", bad.Limit, "Got", bad.Got))
	}
	if err != nil {
		return false, err
	}
	if robots.Parse(body, robots.Options{}).Groups() == 0 {
		fmt.Fprintf(stderr, "whichrule: check: %s has no User-agent line, so it blocks nothing; is it a robots.txt?\n", file)
	}
	if report.CutLine > 0 {
		fmt.Fprintf(stderr, "whichrule: check: only the first 500 KiB of %s count: crawlers stop reading in line %d\n", file, report.CutLine)
	}
	if findings {
		bad = printFindings(stdout, report, wd)
	}
	if len(urls) == 0 {
		return bad, nil
	}
	for row, u := range report.URLs {
		for col := range report.Crawlers {
			res := report.At(row, col)
			line := "-"
			if res.Line > 0 {
				line = fmt.Sprint("line ", res.Line)
			}
			why := i18n.Plain(report.Sentence(row, col, wd))
			if res.Rule != "" {
				why += " " + res.Rule
			}
			fmt.Fprintf(stdout, "%s\t%s\t%s\t%s\n", wd.T("verdict."+string(res.Verdict)), line, u.URL, oneLine(why))
			if res.Verdict == tester.NotTested {
				return false, fmt.Errorf("%q cannot be tested: %s", u.URL, res.Reason)
			}
			bad = bad || res.Verdict == tester.Blocked
		}
	}
	return bad, nil
}

// printFindings prints what is worth a look, the worst first, and says whether
// there is a problem.
func printFindings(out io.Writer, report *tester.Report, wd *i18n.Words) (problem bool) {
	for _, f := range report.Findings {
		line := "-"
		if len(f.Lines) > 0 {
			line = fmt.Sprint("line ", f.Lines[0])
		}
		said := i18n.Plain(string(f.Message.In(wd)))
		if f.Effect != nil {
			said += " " + i18n.Plain(string(f.Effect.In(wd)))
		}
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\n", f.Severity, line, f.Kind, oneLine(said))
		problem = problem || f.Severity == lint.Problem
	}
	return problem
}

// plausible refuses what would let a gate pass by mistake: a file that is no
// text, an unknown crawler that is no product token (RFC 9309 §2.2.1, and the
// digits and dots that names have), and a URL that is neither whole nor a path.
func plausible(body []byte, names, urls []string, catalogue *crawlers.Catalogue) error {
	if bytes.IndexByte(body, 0) >= 0 || bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")) {
		return errors.New("the file is no plain text, so it is no robots.txt")
	}
	for _, name := range names {
		if name != "*" && !catalogue.Resolve(name).Known && strings.ContainsFunc(name, notInToken) {
			return fmt.Errorf("%q is no crawler that we know; give its product token, such as FooBot", name)
		}
	}
	for _, u := range urls {
		if !tester.Whole(u) && !strings.HasPrefix(u, "/") {
			return fmt.Errorf("%q is neither a whole URL nor a path; start a path with /", u)
		}
	}
	return nil
}

func notInToken(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.", r)
}

// oneLine keeps a rule from breaking the table.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return '\ufffd'
		}
		return r
	}, s)
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
