package lint

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// What a fix puts anew is read by a person before it is taken: no more than some
// screens of it.
const (
	maxFixLines = 200
	maxFixBytes = 32 << 10
)

// raw gives a line as it stands in the text, without its line end.
func (in *input) raw(r record) string { return string(in.Text[r.Start:r.End]) }

// rewrite makes a fix that puts other lines in the place of some, and what stands
// between them back as it was. It is nil when that would be too much to read, when the
// lines hold bytes that a page cannot send back, or end in more than one way, and when
// Google reads a part of one only: the rest would be lost, or begin to count.
func (in *input) rewrite(sentence Message, old []record, change func(record) []string) *Fix {
	if slices.ContainsFunc(old, func(r record) bool { return r.Cut }) {
		return nil
	}
	first, last := old[0], old[len(old)-1]
	block := in.Text[first.Start:last.End]
	if last.n-first.n >= maxFixLines || len(block) > maxFixBytes || !utf8.Valid(block) || bytes.IndexByte(block, 0) >= 0 {
		return nil
	}
	end := usualEnd(in.Text, first.Start)
	lines := strings.Split(string(block), end)
	if len(lines) != last.n-first.n+1 || slices.ContainsFunc(lines, func(s string) bool { return strings.ContainsAny(s, "\r\n") }) {
		return nil
	}
	f := &Fix{Sentence: sentence, Start: first.n, Delete: len(lines)}
	for i, s := range lines {
		if old[0].n == first.n+i {
			f.Insert = append(f.Insert, change(old[0])...)
			old = old[1:]
			continue
		}
		f.Insert = append(f.Insert, s)
	}
	return f
}

// put is a change for rewrite: the line with that key and value, its indent and its
// comment as they were.
func (in *input) put(r record, key, value string) string {
	raw := in.raw(r)
	indent := raw[:len(raw)-len(strings.TrimLeft(raw, " \t"))]
	comment := ""
	for _, c := range in.remark(r) {
		comment = " " + c
	}
	return strings.TrimRight(indent+key+": "+value, " ") + comment
}

// remark is a change for rewrite: of the line its comment, as a line, is all that stays.
func (in *input) remark(r record) []string {
	if _, comment, ok := strings.Cut(in.raw(r), "#"); ok {
		return []string{"#" + comment}
	}
	return nil
}

// collect is for kinds that tell of all lines of a sort at once: sorts in the order in
// which they come first, with their lines.
type collect struct {
	sorts []string
	lines map[string][]record
}

func (c *collect) add(sort string, r record) {
	if c.lines == nil {
		c.lines = map[string][]record{}
	}
	if c.lines[sort] == nil {
		c.sorts = append(c.sorts, sort)
	}
	c.lines[sort] = append(c.lines[sort], r)
}

// numbers gives the numbers of lines.
func numbers(records []record) []int {
	out := make([]int, len(records))
	for i, r := range records {
		out[i] = r.n
	}
	return out
}

// record gives the line with a number; there is one unless it is blank.
func (in *input) record(n int) record { return in.from(n)[0] }
