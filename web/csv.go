package web

import (
	"encoding/csv"
	"net/http"
	"strconv"
	"strings"

	"github.com/whichrule/whichrule/internal/tester"
)

// writeReportCSV answers with a row for each cell.
func writeReportCSV(w http.ResponseWriter, report *tester.Report, name string) error {
	h := w.Header()
	h.Set("Content-Type", "text/csv; charset=utf-8")
	h.Set("Content-Disposition", `attachment; filename="`+name+`"`)
	out := csv.NewWriter(w)
	_ = out.Write([]string{"url", "matched_url", "crawler", "verdict", "line", "rule", "group", "reason"})
	for row, u := range report.URLs {
		for col, c := range report.Crawlers {
			res := report.At(row, col)
			group := ""
			if res.How != tester.HowNone {
				group = c.Name
			}
			record := []string{u.URL, u.Matched, c.Choice.Crawler.Token, string(res.Verdict), strconv.Itoa(res.Line), res.Rule, group, string(res.Reason)}
			for i := range record {
				record[i] = noFormula(record[i])
			}
			if err := out.Write(record); err != nil {
				return nil // the client went away
			}
		}
	}
	out.Flush()
	return nil
}

// noFormula keeps a spreadsheet from running what somebody typed: a cell that
// starts like a formula gets an apostrophe in front (OWASP, "CSV Injection").
func noFormula(s string) string {
	if s != "" && strings.IndexByte("=+-@\t\r", s[0]) >= 0 {
		return "'" + s
	}
	return s
}
