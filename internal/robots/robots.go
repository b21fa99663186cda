// Package robots answers one question exactly: which line of a robots.txt
// decides whether a crawler may fetch a path, and why.
//
// The way of a question through the package:
//
//	file := robots.Parse(body, robots.Options{Limit: robots.GoogleLimit})
//	sel := file.Select(robots.Agent{Names: []string{"Googlebot"}, Star: true, Cut: true})
//	d := sel.Match(robots.Path("https://shop.example/cart/"))
//
// Parse reads the bytes once into groups (RFC 9309 §2.2.1). Select picks the
// groups that speak to one crawler and merges them. Match gives the verdict
// with the deciding line, Explain everything behind it. A File and a Selection
// give the same answers for ever and may be used by many goroutines.
//
// Verdict and line are those of Google's published matcher
// (github.com/google/robotstxt), byte for byte; where it is more lenient than
// RFC 9309 the comments say so. All work is on bytes: letter case is ASCII only
// and nothing is ever decoded.
//
// Cost: Parse is linear in the bytes, and a parsed file takes about twice its size.
// Select is linear in the file. Match and Explain hold rules against the path, each
// in time linear in pattern and path, whatever number of wildcards it has; nothing
// backtracks or recurses. A selection of many rules that is asked more than a few
// times gets an index, and then only rules whose plain text is found in the path are
// tried.
package robots

// Version is the version of the engine. It is shown on reports and is part of
// cache keys, so it changes whenever a verdict, a line or a reason may change.
const Version = "1"

// GoogleLimit is the number of bytes of a body that Googlebot reads; what stands
// behind them does not count. Google's documentation says 500 KiB, which is also
// the least that RFC 9309 §2.5 allows; the file is cut at 512,000 bytes.
const GoogleLimit = 500 * 1024

// Options say how a body is read. The zero value reads all of it as Google does.
type Options struct {
	// Dialect is the way to read it; a decision of another one tells what other
	// parsers would say.
	Dialect Dialect
	// Limit is the number of body bytes that count; 0 means all, up to 1 GiB. The
	// cut falls on the byte: the line that it cuts is used as far as it goes.
	Limit int
}
