package web

import (
	"strconv"
	"strings"

	"github.com/whichrule/whichrule/internal/tester"
)

// copied words the results for one URL, for a mail: crawlers with the same
// result stand together.
func (p *page) copied(row int) string {
	u := &p.report.URLs[row]
	url := u.Matched
	if u.Error != "" || !u.Covered {
		url = u.URL
	}
	var order []string
	who := map[string][]string{}
	for col, c := range p.report.Crawlers {
		what := p.outcome(p.report.At(row, col))
		if who[what] == nil {
			order = append(order, what)
		}
		who[what] = append(who[what], c.Choice.Crawler.Token)
	}
	for i, what := range order {
		order[i] = p.words.T("copy.crawlers", "Crawlers", strings.Join(who[what], ", "), "What", what)
	}
	return p.pretending(p.words.T("copy.row", "URL", url, "Results", strings.Join(order, "; ")))
}

// outcome words one result in a few words.
func (p *page) outcome(res *tester.Result) string {
	switch {
	case res.Verdict == tester.NotTested:
		return p.words.T("copy.not-tested", "Why", p.words.T("not-tested."+string(res.Reason)))
	case res.Line > 0 && res.Reason != tester.ReasonNotControlled:
		return p.words.T("copy.line."+string(res.Verdict), "Line", strconv.Itoa(res.Line), "Rule", res.Rule)
	}
	if res.Reason == tester.ReasonAccessAllowAll && !p.report.Source.Missing() {
		return p.words.T("copy.access-allow-all.read")
	}
	return p.words.T("copy." + string(res.Reason))
}
