package crawlers

import "strings"

// MaxName is how many bytes of a crawler name are taken from outside. The
// longest user-agent string of the catalogue has 223; twice that leaves room
// for longer browser versions.
const MaxName = 500

// Choice is what a person chose in the crawler field.
type Choice struct {
	// Typed is what was typed, without blanks around it.
	Typed string
	// Crawler is the catalogue's entry, or one made up for a name it does not
	// know: Token and only name as typed, obeys, reads *, no category. For "*"
	// it has no names and reads the * group alone. For nothing typed it has no
	// name and the empty Token.
	Crawler Crawler
	// Known says that Crawler comes from the catalogue. It is false for "*".
	Known bool
	// FromUserAgent says that a full user-agent string was typed and Crawler
	// is the one it names, which the page has to say.
	FromUserAgent bool
}

// Resolve finds out whom a typed name means: a token or alias of the catalogue
// in any case, *, the crawler that a full user-agent string names, or else
// somebody unknown of that very name. A user-agent string that names nobody
// stays as it is; it never turns into *. Time is linear in the length of typed,
// which callers bound by MaxName.
func (c *Catalogue) Resolve(typed string) Choice {
	typed = strings.TrimSpace(typed)
	if cr, ok := c.Lookup(typed); ok {
		return Choice{Typed: typed, Crawler: cr, Known: true}
	}
	if strings.ContainsAny(typed, "(/") {
		if cr, ok := c.named(typed); ok {
			return Choice{Typed: typed, Crawler: cr, Known: true, FromUserAgent: true}
		}
	}
	cr := Crawler{Token: typed, Star: true, Obeys: true}
	if typed != "" && typed != star {
		cr.Names, cr.Own = []string{typed}, 1
	}
	return Choice{Typed: typed, Crawler: cr}
}

// What a name in a user-agent string can follow and what can follow it (RFC
// 9110 §10.1.5: products, versions, comments). A slash does not start a name:
// the last word of https://openai.com/gptbot is none.
const (
	beforeName = " ;,()\"'"
	afterName  = beforeName + "/+"
)

// named finds the crawler that a user-agent string names. Of several names
// the one right after "compatible" wins, then the longest, then the first.
// What follows "like" is what the sender resembles, not who it is.
func (c *Catalogue) named(userAgent string) (Crawler, bool) {
	ua := lower(userAgent)
	best, bestLen, bestCompatible := -1, 0, false
	for start := range len(ua) {
		if start > 0 && !cuts(ua[start-1], beforeName) || cuts(ua[start], afterName) {
			continue
		}
		i, n := c.nameAt(ua[start:])
		if n == 0 {
			continue
		}
		before := strings.TrimRight(ua[:start], beforeName)
		if strings.HasSuffix(before, "like") {
			continue
		}
		compatible := strings.HasSuffix(before, "compatible")
		if compatible == bestCompatible && n > bestLen || compatible && !bestCompatible {
			best, bestLen, bestCompatible = i, n, compatible
		}
	}
	if best < 0 {
		return Crawler{}, false
	}
	return c.all[best], true
}

// nameAt gives the index and length of the longest name that s, in lower case,
// starts with as a word; length 0 for none.
func (c *Catalogue) nameAt(s string) (i, n int) {
	for n = min(len(s), c.longest); n > 0; n-- {
		if n < len(s) && !cuts(s[n], afterName) {
			continue
		}
		if i, ok := c.byName[s[:n]]; ok {
			return i, n
		}
	}
	return 0, 0
}

// cuts says whether a byte ends a word: one of the set, or a control byte.
func cuts(ch byte, set string) bool {
	return ch < ' ' || ch == 0x7f || strings.IndexByte(set, ch) >= 0
}
