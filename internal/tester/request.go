package tester

// Bounds on what one test may hold. DESIGN names them; the comments say where
// the numbers come from.
const (
	// MaxText is the largest robots.txt taken, in bytes: twice what Google
	// reads (500 KiB), so that the part which does not count can be shown.
	MaxText = 1 << 20
	// MaxURLs is the most URLs in one test: a sitemap's worth of samples, and
	// with MaxCrawlers a matrix of 60,000 cells.
	MaxURLs = 1000
	// MaxURL is the longest URL, in bytes: what web servers commonly accept.
	MaxURL = 8 << 10
	// MaxURLBytes bounds all URLs of one test together, in bytes.
	MaxURLBytes = 256 << 10
	// MaxCrawlers is the most crawlers in one test.
	MaxCrawlers = 60
	// MaxExplained is the most cells of which every one carries its
	// candidates; above it only the chosen one does.
	MaxExplained = 2000
	// MaxCandidates and MaxGroupLines bound the lists in one result.
	MaxCandidates = 50
	MaxGroupLines = 50
	// MaxRanges bounds the runs of rule lines kept for one crawler.
	MaxRanges = 1000
	// MaxRule is the longest rule text kept, in bytes. A longer one is cut:
	// it is for reading; the line number says which it is. 2,083 is the length
	// that Google's matcher takes as the longest URL.
	MaxRule = 2083
	// MaxWhyBytes bounds the candidates' text of a whole report, in bytes;
	// beyond it only the chosen cell carries its candidates.
	MaxWhyBytes = 4 << 20
	// MaxSpans bounds the marked parts of one URL.
	MaxSpans = 200
)

// Do says where the text of a test comes from.
type Do string

// What a test can do for its text.
const (
	DoTest    Do = "test"    // take the given text; fetch only if there is none
	DoFetch   Do = "fetch"   // fetch, or take the copy that is a few minutes old
	DoRefetch Do = "refetch" // fetch now
)

// Cell names a cell of the matrix, both numbers from 1; zero for none.
type Cell struct{ Row, Col int }

// Request is what a person asks. Values are as typed.
type Request struct {
	Text     []byte // the given text; nil or empty for none
	Site     string
	Crawlers []string // one each, "" ignored; none means the catalogue's four
	URLs     []string // one each, "" ignored; none means the site's path or "/"
	Do       Do
	Outcome  string // id of the outcome that Text came from, "" for none
	Cell     Cell
	// Fix is the number of a finding in the report of this very request, from 1,
	// whose fix is made before the test; 0 for none.
	Fix int
	// Simulate is the answer that the server is pretended to give, as typed; ""
	// for none. See Simulation.
	Simulate string
	// AllowFetch is asked before a request leaves this machine; its error
	// ends the test. Nil means yes.
	AllowFetch func() error
}

// Error is a request that cannot be tested as it stands.
type Error struct {
	Kind  string // stable name: text-too-large, nothing-given, too-many-urls, ...
	Field string // the form field it is about
	Limit int    // the bound that was passed, 0 when there is none
	Got   string // what was given, shortened, "" where it does not help
}

func (e *Error) Error() string { return "tester: " + e.Kind + " in " + e.Field }
