// Command whichrule serves the robots.txt tester (whichrule, or whichrule
// serve), and tests files from the command line (whichrule check).
package main

import (
	"os"

	"github.com/whichrule/whichrule/internal/app"
)

func main() {
	os.Exit(app.Main(os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr))
}
