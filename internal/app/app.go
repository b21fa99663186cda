// Package app is the program: it reads the arguments, builds everything from
// the configuration, serves until it is told to stop, and drains. It is the
// only package that imports all others.
package app

import (
	"fmt"
	"io"
)

// Exit codes of the program.
const (
	exitOK      = 0
	exitBlocked = 1 // check: a URL is blocked, or the file has a problem; others: they could not go on
	exitUsage   = 2 // arguments or input that cannot be read
)

const usage = `usage: whichrule [serve]
       whichrule check --robots FILE --crawler TOKEN URL...
       whichrule check --robots FILE --lint [--crawler TOKEN URL...]
       whichrule check --jsonl < CASES
       whichrule shares delete ID

serve   serves the site; its settings are WHICHRULE_* environment variables
        Without a command, whichrule serves.
check   tests URLs against a file: prints verdict, line and reason of each, and
        exits with 0 when all are allowed, 1 when one is blocked, 2 when the
        arguments or the file cannot be read. Several crawlers: commas, or
        --crawler more than once. With --lint it prints what is worth a look in
        the file, severity, line, kind and sentence, and exits with 1 when there
        is a problem; warnings and notes do not count. With --jsonl it reads a case a
        line, {"id","robots" or "robots_b64","agents":[...],"url"}, and writes
        {"id","allowed","line"} for each, as Google's published matcher answers.
shares delete
        takes a shared result down: ID is what follows /r/ in its link, or the
        link. From then on the link says that the result was deleted. Needs
        WHICHRULE_REDIS_URL; exits with 0 when the result is gone, also when it
        was before, and with 1 when there is none or Redis does not answer.
`

// Main is the program as a function: arguments without the program's name,
// environment, and the three streams in, exit code out.
func Main(args, environ []string, stdin io.Reader, stdout, stderr io.Writer) int {
	command := "serve"
	if len(args) > 0 {
		command, args = args[0], args[1:]
	}
	switch command {
	case "serve":
		if len(args) > 0 {
			fmt.Fprintf(stderr, "whichrule: serve takes no arguments\n\n%s", usage)
			return exitUsage
		}
		return serve(environ, stderr)
	case "check":
		return check(args, stdin, stdout, stderr)
	case "shares":
		return shares(args, environ, stdout, stderr)
	case "help", "-h", "-help", "--help":
		fmt.Fprint(stdout, usage)
		return exitOK
	}
	fmt.Fprintf(stderr, "whichrule: unknown command %q\n\n%s", command, usage)
	return exitUsage
}
