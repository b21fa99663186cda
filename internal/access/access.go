// Package access says what the answer to a request for /robots.txt means to
// those who run crawlers: follow the rules, everything allowed, everything
// blocked (RFC 9309 §2.3.1), or nothing that can be known from here.
//
// Operators differ: a server error shuts the site for Google and opens it for
// Yandex. What each of them says stands in one table, rows, with the page that
// says so, of which day that is, and how sure it is. Where an operator is not
// known to say anything, RFC 9309 stands in, and the reason tells that.
package access

import (
	"slices"

	"github.com/whichrule/whichrule/internal/fetch"
)

// Effect is what an outcome makes of the rules.
type Effect string

// The effects.
const (
	Rules    Effect = "rules"     // the file was read and its rules count
	AllowAll Effect = "allow-all" // everything may be crawled, whatever was served
	BlockAll Effect = "block-all" // nothing may be crawled while this lasts
	Unknown  Effect = "unknown"   // the failure may be ours alone
)

// Confidence is how sure a row of the table is.
type Confidence string

// The degrees of confidence.
const (
	High   Confidence = "high"
	Medium Confidence = "medium"
	Low    Confidence = "low"
)

// Basis is what a row of the table rests on.
type Basis string

// The bases.
const (
	Stated     Basis = "stated"      // the page says so
	Reading    Basis = "our-reading" // the page is silent or vague on it: our reading
	SecondHand Basis = "second-hand" // others report that the operator says so
	OlderText  Basis = "older-text"  // an older page said so; that of today is silent
)

// Access is an effect and what it rests on.
type Access struct {
	Effect Effect `json:"effect"`
	// Reason is the id of the sentence that explains the effect, one of Reasons.
	Reason string `json:"reason"`
	// Source is the page that says so; "" where there is nothing to quote: for
	// a paste and for the Unknown effect.
	Source string `json:"source"`
	// Date is the day or month of the source's text, as 2026-09-04 or 2026-08;
	// "" for one without a date.
	Date string `json:"date"`
	// Confidence and Basis are "" without a source.
	Confidence Confidence `json:"confidence"`
	Basis      Basis      `json:"basis"`
}

// noOutcome is the reason for a class that is in no row. Nothing that package
// fetch gives leads here.
const noOutcome = "no-outcome"

// Pasted is the access of a text that no server gave: its rules count.
func Pasted() Access { return Access{Effect: Rules, Reason: "pasted"} }

// Class is what operators tell apart in outcomes: every fetch.Kind is one, and
// of answers that were read there are a few more.
type Class string

// The classes beside the kinds of package fetch, all of them of fetch.OK.
const (
	WebPage Class = "web-page" // what was served is a web page, whatever its type
	TooBig  Class = "too-big"  // more than bigBytes
	Not200  Class = "not-200"  // another 2xx than 200
)

// bigBytes is what Yandex and Google read, 500 KB and 500 KiB. Yandex does not
// say which kilobytes it means; taking the larger ones claims less.
const bigBytes = 500 << 10

// ClassOf gives the class of an outcome with that text, which the outcome itself
// need not hold.
func ClassOf(o *fetch.Outcome, text []byte) Class {
	switch {
	case o.Kind != fetch.OK:
	case o.Status != 200:
		return Not200
	case fetch.LookAt(o.ContentType, text).HTML:
		return WebPage
	case len(text) > bigBytes || o.More:
		return TooBig
	}
	return Class(o.Kind)
}

// Of says what a class of outcome means to crawlers of an operator, by the
// operator's name in the catalogue. For an operator without a row of its own,
// also for "", it is what RFC 9309 says. A class that there is not is Unknown.
func Of(class Class, operator string) Access {
	for _, who := range [...]string{anyone, operator, rfc9309} {
		for _, r := range rows {
			if r.operator == who && slices.Contains(r.classes, class) {
				return r.access()
			}
		}
	}
	return Access{Effect: Unknown, Reason: noOutcome}
}

// Said is what one operator makes of a class of outcome.
type Said struct {
	// Operator is its name in the catalogue; "" stands for all others.
	Operator string
	Access
}

// All lists what operators make of a class of outcome: those that say something
// of their own about it in the order of the table, then all others.
func All(class Class) []Said {
	var all []Said
	for _, r := range rows {
		if r.operator != anyone && r.operator != rfc9309 && slices.Contains(r.classes, class) {
			all = append(all, Said{r.operator, r.access()})
		}
	}
	return append(all, Said{Access: Of(class, rfc9309)})
}

// Reasons lists every reason that an Access can have, each once, for whoever
// has to hold a sentence for each.
func Reasons() []string {
	all := []string{Pasted().Reason}
	for _, r := range rows {
		all = append(all, r.reason)
	}
	return append(all, noOutcome)
}
