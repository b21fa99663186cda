package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"github.com/whichrule/whichrule/internal/config"
	"github.com/whichrule/whichrule/internal/store"
	"github.com/whichrule/whichrule/internal/tester"
)

// shares runs the command that takes a shared result down.
func shares(args, environ []string, stdout, stderr io.Writer) int {
	if len(args) != 2 || args[0] != "delete" || shareID(args[1]) == "" || strings.HasPrefix(args[1], "-") {
		fmt.Fprintf(stderr, "whichrule: want shares delete ID\n\n%s", usage)
		return exitUsage
	}
	cfg, err := config.Read(environ)
	if err != nil {
		fmt.Fprintln(stderr, "whichrule:", err)
		return exitUsage
	}
	conn, err := dial(cfg, nil)
	if err != nil {
		fmt.Fprintln(stderr, "whichrule:", err)
		return exitUsage
	}
	if conn == nil {
		fmt.Fprintln(stderr, "whichrule: set WHICHRULE_REDIS_URL: without it, shared results are in the memory of the server that made them")
		return exitUsage
	}
	defer conn.Close()
	id := shareID(args[1])
	switch err := store.NewRedis(conn, time.Now).Delete(context.Background(), id); {
	case errors.Is(err, tester.ErrDeleted):
		fmt.Fprintf(stdout, "%s was deleted before\n", id)
	case errors.Is(err, tester.ErrNotFound):
		fmt.Fprintf(stderr, "whichrule: there is no shared result %s\n", id)
		return exitBlocked
	case err != nil:
		fmt.Fprintln(stderr, "whichrule:", err)
		return exitBlocked
	default:
		fmt.Fprintf(stdout, "%s is deleted\n", id)
	}
	return exitOK
}

// shareID takes an id, or the link that holds it.
func shareID(s string) string {
	if _, rest, ok := strings.Cut(s, "/r/"); ok {
		s, _, _ = strings.Cut(rest, "?")
		s, _, _ = strings.Cut(s, "#")
		s, _, _ = strings.Cut(s, "/")
		s = strings.TrimSuffix(s, path.Ext(s))
	}
	return s
}
