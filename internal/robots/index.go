package robots

import (
	"slices"
	"strings"
	"sync/atomic"
)

const (
	// indexFrom is the number of rules from which on an index answers faster than
	// a look at every rule.
	indexFrom = 32

	// indexAfter is the number of questions after which an index is made: it costs
	// about as much as that many looks at every rule, so that at worst twice the
	// least possible is spent, however many questions follow.
	indexAfter = 10
)

// lazyIndex is the index of a selection, made when it pays.
type lazyIndex struct {
	asked atomic.Int32
	made  atomic.Pointer[index]
}

// get returns the index, or nil as long as there is none. While one goroutine makes
// it, others look at every rule.
func (l *lazyIndex) get(s *Selection) *index {
	if l == nil {
		return nil
	}
	if ix := l.made.Load(); ix != nil {
		return ix
	}
	if l.asked.Add(1) != indexAfter {
		return nil
	}
	ix := newIndex(s)
	l.made.Store(ix)
	return ix
}

// index finds the rules that may match a path by their heads, the plain text in
// front of the wildcards: the path must start with it. Most rules of real files are
// nothing but head, so a few look-ups find them, one for each length that heads
// have. Of the rules with one head, often "/", what follows the wildcards is looked
// for in the path's grams, which takes a nanosecond a rule.
type index struct {
	heads   map[string]int32 // by text, their numbers from 0
	lengths []int            // of heads, each once, the longest first
	starts  []int32          // by number, where their entries start; one more for the end
	entries []entry
}

// entry is a rule under its head. An Allow for an index page has another under the
// head of its directory.
type entry struct {
	rule        int32  // its record
	first, last uint16 // the grams at both ends of the longest part behind the head, or anyGram
	directory   bool
}

func newIndex(s *Selection) *index {
	ix := &index{heads: make(map[string]int32, s.rules)}
	// The entries in the order of the file, and the numbers of their heads.
	entries, numbers := make([]entry, 0, s.rules), make([]int32, 0, s.rules)
	var lengths [3*maxLine + 1]bool // which there are
	longest := 0
	add := func(rule int32, text string, directory bool) {
		head := headOf(text)
		number, ok := ix.heads[head]
		if !ok {
			number = int32(len(ix.heads))
			ix.heads[head] = number
			lengths[len(head)] = true
			longest = max(longest, len(head))
		}
		entries = append(entries, newEntry(rule, text[len(head):], directory))
		numbers = append(numbers, number)
	}
	for _, g := range s.Groups {
		from, to := s.file.rules(g)
		for i := from; i < to; i++ {
			r := &s.file.records[i]
			pattern := s.file.pattern(r)
			text, _ := cutAnchor(pattern)
			add(i, text, false)
			if r.kind == LineAllow {
				if dir := directory(pattern); dir != "" {
					add(i, dir, true)
				}
			}
		}
	}

	for length := longest; length >= 0; length-- {
		if lengths[length] {
			ix.lengths = append(ix.lengths, length)
		}
	}

	// Sorted by head, by counting.
	ix.starts = make([]int32, len(ix.heads)+1)
	for _, number := range numbers {
		ix.starts[number+1]++
	}
	for i := range len(ix.heads) {
		ix.starts[i+1] += ix.starts[i]
	}
	ix.entries = make([]entry, len(entries))
	next := slices.Clone(ix.starts)
	for i, number := range numbers {
		ix.entries[next[number]] = entries[i]
		next[number]++
	}
	return ix
}

// newEntry makes the entry of a rule; rest is what it has behind its head.
func newEntry(rule int32, rest string, directory bool) entry {
	longest := ""
	for part := range strings.SplitSeq(rest, "*") {
		if len(part) > len(longest) {
			longest = part
		}
	}
	e := entry{rule: rule, first: anyGram, last: anyGram, directory: directory}
	if n := len(longest); n >= 3 {
		e.first, e.last = gramOf(longest), gramOf(longest[n-3:])
	}
	return e
}

// each is Selection.each by the index.
func (ix *index) each(q *query, yield func(match)) {
	for _, length := range ix.lengths {
		if length > len(q.path) {
			continue
		}
		number, ok := ix.heads[q.path[:length]]
		if !ok {
			continue
		}
		set, entries := q.fill(), ix.entries[ix.starts[number]:ix.starts[number+1]]
		for i := range entries {
			e := &entries[i]
			if !set.has(e.last) || !set.has(e.first) {
				continue
			}
			// A rule with two entries is met by both, and counts once.
			if m, ok := q.match(e.rule); ok && m.directory == e.directory {
				yield(m)
			}
		}
	}
}
