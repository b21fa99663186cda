// Package access says what the answer to a request for /robots.txt means to
// those who run crawlers: follow the rules, everything allowed, everything
// blocked (RFC 9309 §2.3.1), or nothing that can be known from here.
//
// Operators differ: a server error shuts the site for Google and opens it for
// Yandex. What each of them says stands in one table, rows, with the page that
// says so. Where an operator is not known to say anything, RFC 9309 stands in,
// and the reason tells that.
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

// Access is an effect and what it rests on.
type Access struct {
	Effect Effect `json:"effect"`
	// Reason is the id of the sentence that explains the effect, one of Reasons.
	Reason string `json:"reason"`
	// Source is the page that says so; "" where there is nothing to quote: for
	// a paste and for the Unknown effect.
	Source string `json:"source"`
}

// noOutcome is the reason for a kind that is in no row. Nothing that package
// fetch gives leads here.
const noOutcome = "no-outcome"

// Pasted is the access of a text that no server gave: its rules count.
func Pasted() Access { return Access{Effect: Rules, Reason: "pasted"} }

// Of says what an outcome means to crawlers of an operator, by the operator's
// name in the catalogue. For an operator without a row of its own, also for "",
// it is what RFC 9309 says. A kind that is none of fetch.Kinds is Unknown.
func Of(kind fetch.Kind, operator string) Access {
	for _, who := range [...]string{anyone, operator, rfc9309} {
		for _, r := range rows {
			if r.operator == who && slices.Contains(r.kinds, kind) {
				return r.access
			}
		}
	}
	return Access{Effect: Unknown, Reason: noOutcome}
}

// Reasons lists every reason that an Access can have, each once, for whoever
// has to hold a sentence for each.
func Reasons() []string {
	all := []string{Pasted().Reason}
	for _, r := range rows {
		all = append(all, r.access.Reason)
	}
	return append(all, noOutcome)
}
