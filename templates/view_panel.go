package templates

// FactsView is the panel above the editor: what the text, and the answer that it
// came with, means to crawlers, and then where it came from.
type FactsView struct {
	Simulate string       // the field's value, "" for none
	Pretend  *PretendView // nil when nothing is pretended
	Lead     string       // rich; the meaning, in one sentence
	State    string       // ok, bad, mid for the sign before Lead; screen for a lead that is not printed
	What     string       // rich: what the server did in place of serving a file
	Hops     []HopView
	Facts    []FactView
	Effects  []EffectView
	Line     []string   // Google's time line for server errors, three steps
	Said     []NoteView // what each operator says, a sentence each
	Notes    []NoteView
	Stale    *StaleView // nil for none
	Offer    *OfferView // a site to try instead: http where https cannot connect
	Hosts    string     // address of the check of all hosts, "" for none
}

// PretendView says that an answer is pretended.
type PretendView struct {
	Text    string // rich
	Changes string // rich: what that does to verdicts
	Stop    bool   // offer to stop
}

// FactView is a fact with its name.
type FactView struct {
	Name  string
	Parts []NoteView
	Again bool // offer "fetch again"
}

// EffectView is what some operators make of an answer.
type EffectView struct {
	Effect string // rules, allow-all, block-all
	Word   string
	Who    []WhoView
}

// WhoView is one operator, or all others.
type WhoView struct {
	Name   string
	Tested string // its crawlers among those tested, "" for none
	Note   string // how sure this is, "" for sure
	Source string
	Label  string // of the link to the source
}

// StaleView is the last good copy of a site that fails now.
type StaleView struct {
	Summary string // rich
	Note    string // rich
	Text    string
	Use     bool // offer to put it into the editor
}

// SimulateView offers answers to pretend.
type SimulateView struct {
	Open    bool
	Choices []ChoiceView
}

// ChoiceView is one of them.
type ChoiceView struct {
	Value   string
	Text    string
	Current bool
}
