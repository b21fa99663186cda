package robots

import "iter"

// Agent is who asks.
type Agent struct {
	// Names are tried in order. The first that any group names is used alone,
	// with all its groups merged (RFC 9309 §2.2.1). It never holds "*".
	Names []string
	// Star lets the groups of "*" serve when no name is found.
	Star bool
	// Cut reads User-agent values as Google's own crawlers do: only their leading
	// letters, "-" and "_" count and must equal a name. Otherwise a value speaks
	// to a name that it equals, or that it starts with and goes on behind with a
	// blank or one of / * , ; ( and of several names to the longest, so that
	// crawlers called "MJ12bot" or "Screaming Frog SEO Spider" find their groups.
	// Letter case never counts.
	Cut bool
	// Merge gives all names equal rank, as Google's matcher does when it is
	// called with a list. No crawler works like that.
	Merge bool
}

// Selection is the group that serves one crawler: one or more groups of the file
// as if they were one. The zero Selection allows everything.
type Selection struct {
	Index int    // of the name found in Agent.Names; -1 for the groups of "*" and for none
	Star  bool   // the groups of "*" serve
	Name  string // the name found as it stands in Agent.Names, "*", or "" for none
	// Groups are the numbers of the groups, ascending. Crawlers with equal
	// Groups have the same rules, so a decision on a path can be shared among them
	// when Star is equal too: of a group without rules Star sets the Reason.
	Groups []int
	// Loose says that the group was found although Google's own code would have
	// cut the name in the file ("MJ12bot" to "MJ") and not recognised it.
	Loose bool

	file  *File
	rules int
	index *lazyIndex // nil when the rules are too few for one
}

// Select returns the groups that serve a.
func (f *File) Select(a Agent) *Selection {
	s := &Selection{Index: -1, file: f}
	var stars []int
	for i := range f.groups {
		star, found := false, -1
		for j := f.groups[i].agents; j < f.groups[i].rules; j++ {
			line := f.agent(j)
			star = star || line.Star()
			if n := f.dialect.find(&a, line); n >= 0 && (found < 0 || n < found) {
				found = n
			}
		}
		if star {
			stars = append(stars, i)
		}
		if found < 0 || !a.Merge && s.Index >= 0 && s.Index < found {
			continue
		}
		if !a.Merge && found != s.Index {
			s.Groups = s.Groups[:0]
		}
		s.Groups = append(s.Groups, i)
		if s.Index < 0 || found < s.Index {
			s.Index = found
		}
	}
	switch {
	case s.Index >= 0:
		s.Name = a.Names[s.Index]
		s.Loose = !a.Cut && token(s.Name) != s.Name
	case a.Star && stars != nil:
		s.Star, s.Name, s.Groups = true, "*", stars
	}
	if f.dialect == FirstMatch && len(s.Groups) > 1 {
		s.Groups = s.Groups[:1]
	}
	for _, i := range s.Groups {
		from, to := f.rules(i)
		s.rules += int(to - from)
	}
	if s.rules >= indexFrom && f.dialect != FirstMatch {
		s.index = new(lazyIndex)
	}
	return s
}

// Agents returns every User-agent line of the groups, in file order.
func (s *Selection) Agents() iter.Seq[AgentLine] {
	return func(yield func(AgentLine) bool) {
		for _, i := range s.Groups {
			for a := range s.file.Agents(i) {
				if !yield(a) {
					return
				}
			}
		}
	}
}

// Rules returns the number of rules of the groups.
func (s *Selection) Rules() int { return s.rules }

// Find returns the index of the name that a User-agent line speaks to, or -1:
// of a group that several lines name, these are the ones that name the crawler.
func (a *Agent) Find(line AgentLine) int {
	if line.Star() {
		return -1
	}
	found, longest := -1, 0
	for i, name := range a.Names {
		if a.Cut {
			if hasPrefixFold(line.Value, name) && len(line.Token()) == len(name) {
				return i
			}
		} else if len(name) > longest && startsWithName(line.Value, name) {
			found, longest = i, len(name)
		}
	}
	return found
}

func startsWithName(value, name string) bool {
	if !hasPrefixFold(value, name) {
		return false
	}
	if len(value) == len(name) {
		return true
	}
	switch c := value[len(name)]; c {
	case '/', '*', ',', ';', '(':
		return true
	default:
		return isBlank(c)
	}
}
