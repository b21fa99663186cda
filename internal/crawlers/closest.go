package crawlers

import (
	"strings"

	"github.com/agnivade/levenshtein"
)

// Closest finds the crawler that a name which the catalogue does not know was
// probably meant for, for "did you mean": the same name but for blanks, hyphens,
// underscores and dots, else the one that takes the fewest edits to get to, at
// most one, or two for a name of eight bytes and more. Short names, and those that
// are as near to two crawlers, mean nobody; so do names that the catalogue knows.
func (c *Catalogue) Closest(name string) (Crawler, bool) {
	const shortest, long = 5, 8 // bytes: of four letters every other name is near
	name = lower(name)
	if _, known := c.byName[name]; known || len(name) > c.longest+2 {
		return Crawler{}, false
	}
	bare := squeeze(name)
	most := 1
	if len(bare) >= long {
		most = 2
	}
	if len(bare) < shortest {
		return Crawler{}, false
	}
	found, least, tie := -1, most+1, false
	for _, known := range c.bare {
		if len(known.name) < shortest || max(len(known.name)-len(bare), len(bare)-len(known.name)) > most {
			continue
		}
		switch d := levenshtein.ComputeDistance(bare, known.name); {
		case d < least:
			found, least, tie = known.i, d, false
		case d == least && d <= most && known.i != found:
			tie = true
		}
	}
	if found < 0 || tie {
		return Crawler{}, false
	}
	return c.all[found], true
}

// bareName is a name without what people leave out or put in, and whose it is.
type bareName struct {
	name string
	i    int // index in all
}

// squeezer drops what people leave out of names, or put in.
var squeezer = strings.NewReplacer(" ", "", "-", "", "_", "", ".", "")

func squeeze(name string) string { return squeezer.Replace(name) }
