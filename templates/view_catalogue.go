package templates

// CrawlersView is the catalogue: the filters and what they leave.
type CrawlersView struct {
	Lede    string // rich
	Query   string // what is searched for
	Selects []SelectView
	List    CrawlerList
	Data    any // what search engines read of the page: schema.org as JSON-LD
}

// SelectView is a filter with its choices, the first of which filters nothing.
type SelectView struct {
	Name, Label string
	Options     []OptionView
}

// OptionView is a choice of a filter.
type OptionView struct {
	Value, Text string
	Chosen      bool
}

// CrawlerList is the crawlers that the filters leave.
type CrawlerList struct {
	Count    string // read aloud
	Filtered bool
	Note     string // rich: whose user-agent string was searched for, "" for nobody's
	Guess    string // rich: the crawler that was probably meant, "" for nobody
	GuessTo  string
	Groups   []CrawlerGroup
}

// CrawlerGroup is the crawlers of one purpose, or those that hardly count.
type CrawlerGroup struct {
	ID, Name, Count string
	Text            string // rich
	Rows            []CrawlerRow
}

// CrawlerRow is one crawler.
type CrawlerRow struct {
	Token, Href string
	Mark        string // retired, ... "" for none
	Operator    string
	Purposes    string
	Obeys, Star ClaimView
}

// ClaimView is a claim in a word, and who says so.
type ClaimView struct {
	State string // yes, partly, assumed, no, silent, unclear, unknown
	Word  string
	Basis string
}

// CrawlerView is one entry of the catalogue.
type CrawlerView struct {
	Token    string
	Lede     string
	Status   string // rich: that the name is retired, ... "" for none
	Means    string // what blocking it does
	Groups   []SnippetView
	Notes    []string // rich: what to know about the groups
	Chain    ChainView
	Facts    []DetailView
	Sources  []SourceView
	Dated    string // how old they are
	Sure     string // how sure the entry is
	Others   string // the heading of Related
	Related  []LinkView
	TestNote string
	TestLink LinkView
	Data     any // as in CrawlersView
}

// SnippetView is text to copy.
type SnippetView struct {
	ID, Name, Text string
	What           string // is copied, for a screen reader
}

// ChainView is which groups a crawler looks for, in order.
type ChainView struct {
	If      string // on which condition all this holds, "" for none
	Links   []ChainLink
	Notes   []string // rich
	Readers string   // rich: leads in Also
	Also    []LinkView
}

// ChainLink is one step of it.
type ChainLink struct {
	Text    string // rich
	Note    string // rich
	Assumed bool
	End     bool // no group
}

// DetailView is a fact with its name.
type DetailView struct {
	Name  string
	Texts []string     // rich
	Copy  *SnippetView // instead of the first of Texts
}

// SourceView is a page that an entry rests on.
type SourceView struct{ Href, Note string }

// LinkView is a link with what is said about it.
type LinkView struct {
	Text, Href string
	Note       string
}

// NoCrawlerView says that the catalogue does not know a name.
type NoCrawlerView struct {
	Heading string
	Name    string
	Guess   string // rich
	GuessTo string
}
