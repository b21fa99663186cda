package tester

import "github.com/whichrule/whichrule/internal/i18n"

// Sentence words a result in one sentence, with its marks: the heading of its
// explanation, what the JSON report calls message, and what the command line
// prints. Row and column count from 0.
func (r *Report) Sentence(row, col int, w *i18n.Words) string {
	u, c, res := &r.URLs[row], &r.Crawlers[col], r.At(row, col)
	name := c.Choice.Crawler.Token
	if name == "*" {
		name = w.T("why.star")
	}
	args := []any{"Crawler", name, "Line", i18n.Line(res.Line)}
	switch res.Reason {
	case ReasonBadURL:
		return w.Rich("row."+u.Error, "Got", i18n.Code(u.URL))
	case ReasonNotCovered:
		return w.Rich("row.not-covered", "Origin", i18n.Code(u.Origin.String()), "Site", i18n.Code(r.Source.Site.String()))
	case ReasonAccessAllowAll:
		if r.Source.Missing() {
			return w.Rich("why.access-allow-all", args...)
		}
		return w.Rich("why.access-allow-all.read", args...)
	case ReasonAccessBlockAll, ReasonUnknown:
		return w.Rich("why."+string(res.Reason), append(args, "Meaning", w.T("access."+r.Access[col].Reason))...)
	case ReasonLongestRule:
		return w.Rich("why."+string(res.Reason)+"."+string(res.Verdict), args...)
	}
	return w.Rich("why."+string(res.Reason), args...)
}
