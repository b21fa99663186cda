// Package templates holds the pages and fragments as templ components, and the
// view models that they show. Components only show: plain values in, markup
// out. Package web makes the view models, addresses included.
//
// Sentences that need values come ready as rich text (see package i18n) and
// are shown with the component rich; fixed words are looked up here by id.
package templates

// PageView is what every page has around its content.
type PageView struct {
	Title       string
	Description string
	Canonical   string // absolute address, "" for none
	NoIndex     bool
	Nav         string // id of the current page in the navigation, "" for none
	Assets      AssetsView
}

// AssetsView has the addresses of static files.
type AssetsView struct {
	CSS, JS, HTMX, HTMXIntegrity, Icon string
}

// TesterView is the tester: the form with everything in it.
type TesterView struct {
	Title    string // of the page; a fragment changes it
	Printed  PrintedView
	Site     string
	URLs     string
	NewURLs  bool // the URLs are not the ones that were sent
	Nonce    string
	Editor   EditorView
	Facts    FactsView
	Simulate SimulateView
	Chips    []ChipView
	Presets  []PresetView
	Picker   []PickerGroup
	Other    string // the text in the field for another crawler
	Result   ResultView
	Findings FindingsView
	Overview OverviewView
	Notice   *NoticeView // above everything, for what concerns no single field
	Errors   map[string]string
	Stored   string // rich: what sharing stores, and for how long
	Share    *ShareBox
	Example  string // the example's URLs, where the page shows it
}

// PrintedView is what a printed result begins with.
type PrintedView struct {
	Heading string
	Text    string // on which file, and when
}

// EditorView is the text under test with the marks of the chosen cell.
type EditorView struct {
	Text      string // in the form in which a textarea sends it back
	Lines     int    // numbered lines
	Cols      int    // of the longest line, for the size without style sheets
	Runs      []Run
	Flags     []Flag
	OutcomeID string // "" for a paste
	Invalid   bool   // FieldError says what is wrong with it
	ReadOnly  bool
	Scripted  bool // a script draws the line numbers
	// Folded is set when the excerpt stands in the text's place.
	Folded  bool
	Excerpt []ExcerptLine
	// Unfold and Fold lead to all lines of a share and back, "" for neither.
	Unfold, Fold string
}

// Flag is a line in which something was found, or a run of others.
type Flag struct {
	Lines       int    // of a run of others
	Severity    string // problem, warning, note; "" for a run of others
	Href, Title string // the finding
}

// ExcerptLine is a line of a file, or the sign that some are left out.
type ExcerptLine struct {
	Number int    // of the line, of the first one left out
	Kind   string // RunPlain, ...
	Text   string
	Label  string // at the end of the line: "wins"
	Folded string // "… 312 lines", "" for a line
	Runs   []Run  // the lines left out
	Href   string // where they are shown
}

// Run is a run of neighbouring lines that look alike.
type Run struct {
	Kind  string // RunPlain, ...
	Lines int
	Text  string // of a line that is underlined
	Label string // at the end of the line: "wins"
}

// The looks of a line.
const (
	RunPlain = "plain" // nothing to show
	RunDim   = "dim"   // not in the chosen group
	RunAgent = "agent" // a User-agent line of the chosen group
	RunGroup = "group" // another line of the chosen group
	RunWins  = "wins"
	RunLost  = "lost" // a rule that matches too, and loses
	RunCut   = "cut"  // beyond the bytes that count
)

// HopView is one request of a fetch.
type HopView struct {
	URL    string
	Status string
	Good   bool
	Last   bool
	Note   string // what changed with it: the host, or https was left; "" for nothing
}

// NoteView is a sentence with its source.
type NoteView struct {
	Text   string // rich
	Source string // address, "" for none
	Label  string // of the link to it, where "source" alone would not do
}

// OfferView is a button or link that fetches another file.
type OfferView struct {
	Text string
	Href string
}

// ChipView is a crawler to tick.
type ChipView struct {
	Value   string
	Name    string
	Purpose string
	Checked bool
}

// PresetView is a button that ticks a set of crawlers.
type PresetView struct {
	ID, Name string
	Members  string // joined by commas
	On       bool   // all of them are ticked
}

// PickerGroup is the crawlers of one purpose.
type PickerGroup struct {
	Name    string
	Purpose string // in a word, for their chips on the card
	Chips   []ChipView
}

// ResultView is the matrix and the explanation of the chosen cell.
type ResultView struct {
	Summary string // for a screen reader, plain
	Error   string // instead of a result, rich
	Origin  string // what all URLs begin with and rows leave out, "" for none
	Changed bool   // some cells have another verdict by what is pretended
	Wide    bool   // more columns than fit on an upright sheet of paper
	Cols    []ColView
	Rows    []RowView
	Why     *WhyView
	Cell    string // "2.1" when it was chosen by the person
	Pages   *PagesView
}

// PagesView is the page of a large table that is shown, and the way to the
// others.
type PagesView struct {
	Chosen string // its number when it was chosen by the person
	Text   string // which page this is, and in which order rows come, rich
	Links  []PageLink
}

// PageLink leads to another page.
type PageLink struct {
	ID     string // "next"
	Text   string
	Number string // of the page, "" where there is none
	Href   string // the address of the test with this page, "" for a button
}

// ColView is the head of a column.
type ColView struct {
	Name string
	Note string // turned from a user-agent string, ...
}

// RowView is one URL.
type RowView struct {
	URL   string
	Start string // the URL without the table's origin, cut in two, so that its end stays visible
	End   string
	Note  string // rich; why the row has no verdicts
	Offer *OfferView
	Cells []CellView
}

// CellView is a verdict.
type CellView struct {
	ID      string // "c2-1"
	Value   string // "2.1"
	Href    string // the address of the test with this cell open, "" for a button
	Verdict string // allowed, blocked, not-tested
	How     string // named, other (* or a fallback), none
	Word    string
	Line    string
	Label   string // for a screen reader
	Current bool
	Was     string // what it would be if nothing were pretended, "" for the same
	// Scripted is set when a script answers to the button. With every submit
	// button that a page gains, a browser looks through all of its form again
	// for the first one: two thousand would take half a second.
	Scripted bool
}

// WhyView explains one cell.
type WhyView struct {
	Heading string     // rich
	URL     []URLPart  // what was matched, marked
	Typed   string     // rich; when it differs from what was typed
	Steps   []StepView // the explanation
	Copy    string     // the results for this URL, for a mail
	Offer   *OfferView
}

// URLPart is a part of the URL; Mark is "", "literal" or "wild".
type URLPart struct{ Text, Mark string }

// StepView is one step of the explanation.
type StepView struct {
	Title      string
	Text       string // rich
	Candidates []CandidateView
	More       string // rich; about candidates not listed
	Notes      []NoteView
}

// CandidateView is a rule that matches.
type CandidateView struct {
	Rule    string
	Line    int
	Outcome string // plain words
	Wins    bool
}

// NoticeView is a sentence about the whole page.
type NoticeView struct {
	Text string // rich
	Bad  bool
}

// ShareBox is what the person who shared gets.
type ShareBox struct {
	URL       string
	ManageURL string
	DeleteURL string // action of the delete form
	Token     string
	Error     string // rich, instead of the link
}

// ShareView is a shared result.
type ShareView struct {
	Heading  string // rich
	Frozen   string // rich: when, on what
	Link     string // its own address, for paper
	Live     string // address of the comparison with the live file, "" for none
	CSV      string
	JSON     string
	Editor   EditorView
	NoFile   bool // there is nothing to show in the editor
	Facts    FactsView
	Result   ResultView
	Findings FindingsView
	Overview OverviewView
	Crawlers []string // fields of the form that re-runs the test
	URLs     string
	Site     string
}

// LiveView is a shared result beside the same test on the file as it is now.
type LiveView struct {
	Heading   string   // rich: is it still so?
	Lede      string   // rich
	Then, Now string   // rich: when each file was fetched
	Notes     []string // rich: what may mislead
	// Addresses: the shared result, this page on a file fetched anew, the test
	// on the live file ("" if too long), and the data.
	Frozen, Again, Test, CSV, JSON string
	Counts                         []CountView
	Flips                          []FlipView
	Kept                           string // rich: that no verdict changed
	Moved                          string // rich: about verdicts that another rule decides
	Hidden                         string // rich: about flips that are not shown
	Text                           DiffView
	Changes                        []ChangeView
}

// CountView says how many verdicts changed to one.
type CountView struct{ Verdict, Text string }

// FlipView is a verdict that changed.
type FlipView struct {
	URL, Crawler string
	Then, Now    SideView
}

// SideView is one of the two verdicts.
type SideView struct {
	Verdict  string // allowed, blocked, not-tested
	How      string // named, other, none
	Word     string
	Href     string // the test with this cell open, "" for none
	Line     int    // 0 for none
	LineHref string // "" where the line is not to be seen
	Rule     string
	Why      string // in place of a rule
}

// DiffView is what changed in the text.
type DiffView struct {
	Lead      string // rich
	Table     DiffTable
	More      string // rich: about lines that are not shown
	Then, Now string // addresses of the whole texts
}

// DiffTable is the lines in which two texts differ.
type DiffTable struct {
	Label string    // id of its heading
	Lines [2]string // heads of the numbers of either text
	Only  [2]string // says that a line is in one of them only
	Rows  []DiffRow
}

// DiffRow is a line of either text or of both, or a stretch left out.
type DiffRow struct {
	Kind          string // DiffSame, ...
	Then, Now     int    // its numbers, 0 where a text does not have it
	ThenID, NowID string
	Text          string
	More          string // "cut, 3 KiB in all"
	Href          string // of a stretch left out
}

// The kinds of a DiffRow.
const (
	DiffSame    = "same"
	DiffAdded   = "added"
	DiffRemoved = "removed"
	DiffFold    = "fold"
)

// ChangeView is something else that is different.
type ChangeView struct{ What, Then, Now string } // Then and Now rich

// ManageView is the sharer's page.
type ManageView struct {
	Box     ShareBox
	Heading string // rich: what was shared
	Life    string // rich
}

// MessageView is a page that says one thing: an error, a deleted share.
type MessageView struct {
	Heading string
	Text    string // rich
	Link    string
	LinkTo  string
	Again   string // the label of another try, "" for none
	AgainTo string
}

// AboutView is the page about the service.
type AboutView struct {
	Sections []AboutSection
}

// AboutSection is a heading with paragraphs.
type AboutSection struct {
	Heading string
	Text    []string // rich
	Contact string   // address or text, "" for none
	Mail    string   // mailto or http address for Contact, "" for plain text
}

// HostsView is the page that checks all the hosts of a site.
type HostsView struct {
	Title  string
	Site   string // as typed
	Error  string // rich: what is wrong with it
	Notice *NoticeView
	Say    string // read aloud
	Result *HostsResult
}

// HostsResult is what the hosts gave, the answer first.
type HostsResult struct {
	State       string   // ok, mid, bad
	Lead        string   // rich
	More        []string // rich
	Checked     string   // rich: when
	Again, JSON string   // addresses
	Hosts       []HostView
	Diffs       []HostsDiff
	Notes       []NoteView
}

// HostView is what one host gave.
type HostView struct {
	Origin                    string
	State                     string // ok, mid, bad
	Answer                    string // rich
	Hops                      []HopView
	Facts                     []string // rich
	Means                     []MeansView
	Test, TestText, TestLabel string // the test of its answer: address, words, and words for a screen reader
}

// MeansView is what an answer means to those who go by one source.
type MeansView struct {
	Text   string // rich
	Source string // address, "" for none
	Label  string // of the link to it
}

// HostsDiff is what is different in a file from the first.
type HostsDiff struct {
	Heading, Lead, More string // Lead and More rich
	Table               DiffTable
}
