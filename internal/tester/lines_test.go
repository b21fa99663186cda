package tester

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// A group with more runs of rules than a report keeps is still shown whole, and
// its rules are counted all.
func TestLinesBeyondMaxRanges(t *testing.T) {
	const runs = MaxRanges + 500
	text := "User-agent: *\n" + strings.Repeat("Disallow: /x\n\n", runs)
	w := newWorld(t)
	r := w.test(t, Request{Text: []byte(text)})

	if got := len(r.Crawlers[0].Rules); got != MaxRanges {
		t.Errorf("kept: got %d runs; want %d", got, MaxRanges)
	}
	if got := r.Crawlers[0].RulesTotal; got != runs {
		t.Errorf("counted: got %d rules; want %d", got, runs)
	}
	names, rules := r.Lines(0)
	if len(names) != 1 || names[0] != (Range{1, 1}) {
		t.Errorf("names: got %v; want line 1", names)
	}
	if len(rules) != runs || rules[runs-1] != (Range{2 * runs, 2 * runs}) {
		t.Errorf("rules: got %d runs, the last %v; want %d, the last in line %d", len(rules), rules[len(rules)-1], runs, 2*runs)
	}
}

// Tests beyond the slots wait, and one whose caller leaves meanwhile ends.
func TestSlots(t *testing.T) {
	w := newWorld(t)
	w.Slots = make(chan struct{}, 1)
	w.test(t, Request{Text: []byte("a")})
	w.test(t, Request{Text: []byte("a")}) // the first gave its slot back

	w.Slots <- struct{}{}
	ctx, leave := context.WithCancel(context.Background())
	leave()
	if _, err := w.Test(ctx, Request{Text: []byte("a")}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v; want %v", err, context.Canceled)
	}
}
