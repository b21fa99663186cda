package templates

// FindingsView is what is worth a look in the file.
type FindingsView struct {
	Lead  string // how many there are
	About string // what they are not about; "" without need
	Bad   bool   // there are problems
	Items []FindingView
	// Filters are the severities that there are, when there are several.
	Filters []FilterView
}

// FilterView shows the findings of one severity alone.
type FilterView struct{ Severity, Text string }

// FindingView is one finding.
type FindingView struct {
	ID       string // "f3"
	Severity string // problem, warning, note
	Word     string
	Message  string   // rich
	Lines    string   // rich: "lines 3 and 7"
	More     []string // rich: what it does, and an example
	Source   string   // address of the page that says so, "" for none
	Fix      *FixView
}

// FixView is a change that can be made with one click.
type FixView struct {
	Number   string // the value of the form's field
	Sentence string // rich: what it does
	Lines    []FixLine
	After    string // rich: what it would change; "" where nobody tried
}

// FixLine is a line of the text around a fix.
type FixLine struct {
	Kind string // DiffSame, DiffAdded, DiffRemoved, or DiffFold for lines left out
	N    int    // its number in the text as it is, 0 for a new one
	Text string
}
