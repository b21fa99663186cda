package crawlers

import (
	"strings"

	"github.com/agnivade/levenshtein"
)

// Closest finds the crawler that a name which the catalogue does not know was
// probably meant for, for "did you mean": the same name but for blanks, hyphens,
// underscores and dots, else, in names of many letters that start alike, one with
// one letter too many, too few, or another, or two neighbours swapped. What is
// further off is mostly a bot that the catalogue does not know. Short names, and
// those that are as near to two crawlers, mean nobody; so do names that the
// catalogue knows.
func (c *Catalogue) Closest(name string) (Crawler, bool) {
	const shortest = 5 // bytes: of four letters every other name is near
	name = lower(name)
	if _, known := c.byName[name]; known || len(name) > c.longest+2 {
		return Crawler{}, false
	}
	bare := squeeze(name)
	if len(bare) < shortest {
		return Crawler{}, false
	}
	found, least, tie := -1, 2, false
	for _, known := range c.bare {
		if len(known.name) < shortest {
			continue
		}
		d := 0
		if bare != known.name {
			if d = 1; !slip(bare, known.name) {
				continue
			}
		}
		switch {
		case d < least:
			found, least, tie = known.i, d, false
		case d == least && known.i != found:
			tie = true
		}
	}
	if found < 0 || tie {
		return Crawler{}, false
	}
	return c.all[found], true
}

// slip says whether a slip of the pen makes one name of another.
func slip(a, b string) bool {
	const shortest = 7 // bytes: "Aipbot" is not AI2Bot
	return len(a) >= shortest && len(b) > 0 && a[0] == b[0] && len(a)-len(b) <= 1 && len(b)-len(a) <= 1 &&
		(levenshtein.ComputeDistance(a, b) == 1 || swapped(a, b))
}

// swapped says whether two neighbouring letters changed places.
func swapped(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}

// bareName is a name without what people leave out or put in, and whose it is.
type bareName struct {
	name string
	i    int // index in all
}

// squeezer drops what people leave out of names, or put in.
var squeezer = strings.NewReplacer(" ", "", "-", "", "_", "", ".", "")

func squeeze(name string) string { return squeezer.Replace(name) }
