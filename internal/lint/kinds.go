package lint

import (
	"strings"
	"unicode/utf8"
)

// Kind is what sort of thing a finding is about. The strings are those of the JSON
// report, and fixed.
type Kind string

// The kinds.
const (
	SwallowedGroup  Kind = "swallowed-group"
	SiteClosed      Kind = "site-closed"
	GroupDropsStar  Kind = "group-drops-star"
	WidePattern     Kind = "wide-pattern"
	NarrowPattern   Kind = "narrow-pattern"
	Case            Kind = "case"
	ResourcesClosed Kind = "resources-closed"
	IgnoredLine     Kind = "ignored-line"
	Typo            Kind = "typo"
	AgentList       Kind = "agent-list"
	AgentString     Kind = "agent-string"
	AgentDigits     Kind = "agent-digits"
	UnknownAgent    Kind = "unknown-agent"
	RuleBeforeGroup Kind = "rule-before-group"
	ShadowedRule    Kind = "shadowed-rule"
	Tie             Kind = "tie"
	ScatteredGroup  Kind = "scattered-group"
	TooBig          Kind = "too-big"
	Encoding        Kind = "encoding"
	HTML            Kind = "html"
	LongLine        Kind = "long-line"
	Sitemap         Kind = "sitemap"
	PrivatePath     Kind = "private-path"
	NoindexHidden   Kind = "noindex-hidden"
	ParsersDisagree Kind = "parsers-disagree"
	GeneratedBy     Kind = "generated-by"
	FetchStatus     Kind = "fetch-status"
	WrongHost       Kind = "wrong-host"
)

// check is one kind: how it is found and how much it can matter.
type check struct {
	kind       Kind
	find       func(*input) []Finding // without the kind; lines in any number
	severities []Severity             // that it can have
	why        string                 // they are these
	words      []string               // of its messages, as say takes them
}

// Kinds lists every kind that Run looks for, in the order of the report.
func Kinds() []Kind {
	var all []Kind
	for _, c := range checks {
		all = append(all, c.kind)
	}
	return all
}

// MessageIDs lists every message that a finding can hold.
func MessageIDs() []string {
	var ids []string
	for _, c := range checks {
		for _, w := range c.words {
			ids = append(ids, messageID(c.kind, w))
		}
	}
	return ids
}

func messageID(k Kind, word string) string { return "lint." + string(k) + "." + word }

// say makes a message of a kind. The values are pairs of a name and one of code,
// text (string), line or int.
func (k Kind) say(word string, args ...any) Message {
	m := Message{ID: messageID(k, word)}
	for i := 0; i < len(args); i += 2 {
		a := Arg{Name: args[i].(string)}
		switch v := args[i+1].(type) {
		case code:
			a.Code = shorten(string(v))
		case string:
			a.Text = shorten(v)
		case line:
			a.Line = int(v)
		case int:
			a.N = v
		}
		m.Args = append(m.Args, a)
	}
	return m
}

type (
	code string // a value that is shown as code
	line int    // a line number
)

// shorten keeps of what a file holds as much as a sentence can quote.
func shorten(s string) string {
	const most = 80 // runes: as long as a line of a mail
	if len(s) > most*utf8.UTFMax {
		s = s[:most*utf8.UTFMax]
	}
	s = strings.ToValidUTF8(s, "\ufffd")
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
