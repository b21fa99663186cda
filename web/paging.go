package web

import (
	"strconv"

	"github.com/whichrule/whichrule/internal/tester"
	"github.com/whichrule/whichrule/templates"
)

// A table of more than tester.MaxExplained cells is shown in pages, rows with
// a blocked verdict first.

// paging says which rows stand on which page.
type paging struct {
	rows    []int // all, in the order of the pages
	blocked int   // how many of them have a blocked verdict
	most    int   // rows of a page
	last    int   // number of the last page
	shown   int   // number of the page to show, from 1
	usual   int   // the one that is shown when none is asked for
}

func (p *page) paging() paging {
	if p.pages.most > 0 {
		return p.pages
	}
	cols := len(p.report.Crawlers)
	g := paging{most: max(tester.MaxExplained/cols, 1), usual: 1}
	g.last = (len(p.report.URLs) + g.most - 1) / g.most
	var rest []int
	for row := range p.report.URLs {
		blocked := false
		for col := range cols {
			blocked = blocked || p.report.At(row, col).Verdict == tester.Blocked
		}
		if blocked || g.last == 1 {
			g.rows = append(g.rows, row)
		} else {
			rest = append(rest, row)
		}
	}
	g.blocked = len(g.rows)
	g.rows = append(g.rows, rest...)
	for i, row := range g.rows {
		if row == p.form.cell.Row-1 {
			g.usual = i/g.most + 1
		}
	}
	g.shown = g.usual
	if p.form.page > 0 {
		g.shown = min(p.form.page, g.last)
	}
	p.pages = g
	return g
}

// firstOf gives the cell that a later page opens when none is chosen: its first
// blocked one, else its first.
func (p *page) firstOf(g paging) tester.Cell {
	rows := g.rows[(g.shown-1)*g.most:]
	for _, row := range rows[:min(g.most, len(rows))] {
		for col := range p.report.Crawlers {
			if p.report.At(row, col).Verdict == tester.Blocked {
				return tester.Cell{Row: row + 1, Col: col + 1}
			}
		}
	}
	return tester.Cell{Row: rows[0] + 1, Col: 1}
}

// rows gives the rows to show, and the pages of a table that has several.
func (p *page) rows() ([]int, *templates.PagesView) {
	g := p.paging()
	first := (g.shown - 1) * g.most
	rows := g.rows[first:min(first+g.most, len(g.rows))]
	if g.last == 1 {
		return rows, nil
	}
	v := &templates.PagesView{Text: p.words.Rich("pages.number", "Page", g.shown, "Last", g.last) + " "}
	switch g.blocked {
	case len(g.rows):
		v.Text += p.words.Rich("pages.all-blocked", "All", p.words.Number(len(g.rows)))
	case 0:
		v.Text += p.words.Rich("pages.none-blocked", "All", p.words.Number(len(g.rows)))
	default:
		v.Text += p.words.Rich("pages.blocked", "N", g.blocked, "Blocked", p.words.Number(g.blocked), "All", p.words.Number(len(g.rows)))
	}
	if p.form.page > 0 {
		v.Chosen = strconv.Itoa(g.shown)
	}
	to := p.address()
	if to != "" && p.form.cell.Row > 0 {
		to = with(to, "cell", cellValue(p.form.cell))
	}
	for _, l := range []struct {
		id string
		to int
	}{{"first", 1}, {"previous", g.shown - 1}, {"next", g.shown + 1}, {"last", g.last}} {
		link := templates.PageLink{ID: l.id, Text: p.words.T("pages." + l.id)}
		if l.to != g.shown && l.to >= 1 && l.to <= g.last {
			link.Number = strconv.Itoa(l.to)
			if to != "" {
				link.Href = with(to, "page", link.Number)
			}
		}
		v.Links = append(v.Links, link)
	}
	return rows, v
}

// turned gives the number of the page for the address, "" when the address
// opens that page without it.
func (p *page) turned() string {
	g := p.paging()
	if g.shown == g.usual {
		return ""
	}
	return strconv.Itoa(g.shown)
}
