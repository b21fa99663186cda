package tester

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// Comparison is a frozen report beside the same test on the file as it is now.
type Comparison struct {
	Then, Now *Report
	// Flips are the cells whose verdict is another one, those first that are
	// blocked now, then those that are allowed; else in the order of the table.
	Flips []Flip
	// Moved counts the cells whose verdict is the same while another rule, or
	// another reason, decides.
	Moved int
	Text  Diff
}

// Flip is a cell of the frozen report whose verdict is another one now.
type Flip struct {
	Row, Col int // in the frozen report, from 0
	NowCol   int // the crawler's column in the new one
}

// Compare compares a frozen report with a new one of the same crawlers and
// URLs. The error is that of ctx.
func (t *Tester) Compare(ctx context.Context, then, now *Report) (*Comparison, error) {
	leave, err := t.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	c := &Comparison{Then: then, Now: now, Text: DiffText(then.Source.Text, now.Source.Text)}
	cols := t.match(then, now)
	for row := range min(len(then.URLs), len(now.URLs)) {
		for col, nowCol := range cols {
			a, b := then.At(row, col), now.At(row, nowCol)
			switch {
			case a.Verdict != b.Verdict:
				c.Flips = append(c.Flips, Flip{Row: row, Col: col, NowCol: nowCol})
			case a.Verdict != NotTested && (a.Reason != b.Reason || a.Rule != b.Rule):
				c.Moved++
			}
		}
	}
	rank := map[Verdict]int{Blocked: 0, Allowed: 1, NotTested: 2}
	slices.SortStableFunc(c.Flips, func(a, b Flip) int {
		return cmp.Compare(rank[now.At(a.Row, a.NowCol).Verdict], rank[now.At(b.Row, b.NowCol).Verdict])
	})
	return c, nil
}

// match gives, for every column of the frozen report, that of the same crawler
// in the new one. A name that the catalogue has learnt since can stand for a
// crawler that another column has too, so places alone do not do.
func (t *Tester) match(then, now *Report) []int {
	at := map[string]int{}
	for i, c := range now.Crawlers {
		at[strings.ToLower(c.Choice.Crawler.Token)] = i
	}
	cols := make([]int, len(then.Crawlers))
	for i, c := range then.Crawlers {
		cols[i] = at[strings.ToLower(t.Catalogue.Resolve(c.Choice.Typed).Crawler.Token)]
	}
	return cols
}
