package web

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"time"

	"github.com/whichrule/whichrule/internal/access"
	"github.com/whichrule/whichrule/internal/fetch"
	"github.com/whichrule/whichrule/internal/i18n"
	"github.com/whichrule/whichrule/internal/lint"
	"github.com/whichrule/whichrule/internal/tester"
)

// reportJSON is a report as programs get it, without its results, which follow
// one by one so that a large table never stands in memory as text.
type reportJSON struct {
	Engine   string                   `json:"engine"`
	TestedAt time.Time                `json:"tested_at"`
	Source   sourceJSON               `json:"source"`
	Access   map[string]access.Access `json:"access"`
	// Operators is what operators make of the answer, "*" all others.
	Operators []operatorJSON    `json:"access_by_operator"`
	Overview  []tester.Standing `json:"overview"`
	Alarms    []alarmJSON       `json:"alarms"`
	Names     []tester.Name     `json:"names"`
	Findings  []findingJSON     `json:"findings"`
}

type sourceJSON struct {
	Kind        string      `json:"kind"`
	Site        string      `json:"site"`
	Outcome     string      `json:"outcome"`
	Status      int         `json:"status"`
	Hops        []fetch.Hop `json:"hops"`
	FinalURL    string      `json:"final_url"`
	Bytes       int         `json:"bytes"`
	More        bool        `json:"more"`
	Counted     int         `json:"counted_bytes"`
	ContentType string      `json:"content_type"`
	FetchedAt   *time.Time  `json:"fetched_at"`
	Text        string      `json:"text"`
	SHA256      string      `json:"sha256"`
	Error       *errorJSON  `json:"error"`
	Held        tester.Held `json:"held"`
	Stale       *staleJSON  `json:"stale"`

	// The headers as they came, bounded.
	Encoding     string `json:"content_encoding"`
	CacheControl string `json:"cache_control"`
	Age          string `json:"age"`
	RetryAfter   string `json:"retry_after"`
	// What the text is by its bytes.
	Mark  bool `json:"byte_order_mark"`
	UTF16 bool `json:"utf16"`
	HTML  bool `json:"html"`
	// Simulate is what the server is pretended to answer, "" for nothing.
	Simulate tester.Simulation `json:"simulate"`
}

// operatorJSON is what one operator makes of the answer.
type operatorJSON struct {
	Operator string `json:"operator"`
	access.Access
	Message string `json:"message"`
}

// staleJSON is the last good copy of a site that fails now.
type staleJSON struct {
	FetchedAt time.Time `json:"fetched_at"`
	Bytes     int       `json:"bytes"`
	SHA256    string    `json:"sha256"`
	Text      string    `json:"text"`
}

// findingJSON is one thing worth a look.
type findingJSON struct {
	Kind     lint.Kind     `json:"kind"`
	Severity lint.Severity `json:"severity"`
	Lines    []int         `json:"lines"`
	Total    int           `json:"lines_total"`
	Message  string        `json:"message"`
	Effect   string        `json:"effect"`
	Crawlers []string      `json:"crawlers"`
	Example  *lint.Example `json:"example"`
	Fix      *fixJSON      `json:"fix"`
	Source   string        `json:"source"`
}

type fixJSON struct {
	Sentence string   `json:"sentence"`
	Start    int      `json:"start_line"`
	Delete   int      `json:"delete"`
	Insert   []string `json:"insert"`
}

// alarmJSON is a contradiction in who may come.
type alarmJSON struct {
	Kind     tester.AlarmKind `json:"kind"`
	Crawlers []string         `json:"crawlers"`
	Others   []string         `json:"others"`
	Line     int              `json:"line"`
	Message  string           `json:"message"`
}

// errorJSON is what was wrong with the fetch or with a URL.
type errorJSON struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
}

type resultJSON struct {
	Crawler    string             `json:"crawler"`
	URL        string             `json:"url"`
	MatchedURL string             `json:"matched_url"`
	Covered    bool               `json:"covered"`
	Allowed    *bool              `json:"allowed"`
	Line       int                `json:"line"`
	Rule       string             `json:"rule"`
	Reason     tester.Reason      `json:"reason"`
	Message    string             `json:"message"`
	Group      groupJSON          `json:"group"`
	Candidates []tester.Candidate `json:"candidates"`
	Total      int                `json:"candidates_total"`
	Error      *errorJSON         `json:"error"`
}

type groupJSON struct {
	How   tester.How `json:"how"`
	Name  string     `json:"name"`
	Lines []int      `json:"lines"`
	Total int        `json:"lines_total"`
}

// writeReportJSON answers with a report. Above tester.MaxExplained cells only
// the one that cell names carries its lists.
func writeReportJSON(w http.ResponseWriter, r *http.Request, report *tester.Report, cell tester.Cell) error {
	wd := words(r)
	head, err := reportHead(report, wd)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	if downloaded(r) {
		w.Header().Set("Content-Disposition", `attachment; filename="whichrule.json"`)
	}
	out := bufio.NewWriter(w)
	writeReport(out, head, report, cell, wd)
	_ = out.WriteByte('\n')
	_ = out.Flush()
	return nil
}

// reportHead gives what stands before the results of a report.
func reportHead(report *tester.Report, wd *i18n.Words) ([]byte, error) {
	head := reportJSON{
		Engine:    report.Engine,
		TestedAt:  report.TestedAt,
		Source:    sourceOf(report, wd),
		Access:    accessOf(report),
		Operators: operatorsOf(report, wd),
		Overview:  []tester.Standing{},
		Alarms:    []alarmJSON{},
		Names:     []tester.Name{},
		Findings:  findingsOf(report, wd),
	}
	if o := report.Overview; o != nil {
		head.Overview = append(head.Overview, o.Standings...)
		head.Names = append(head.Names, o.Names...)
		for _, a := range o.Alarms {
			title, text := alarm(a, wd)
			head.Alarms = append(head.Alarms, alarmJSON{
				Kind: a.Kind, Crawlers: append([]string{}, a.Crawlers...), Others: append([]string{}, a.Others...), Line: a.Line,
				Message: i18n.Plain(title + " " + text),
			})
		}
	}
	return json.Marshal(head)
}

func findingsOf(report *tester.Report, wd *i18n.Words) []findingJSON {
	all := []findingJSON{}
	for _, f := range report.Findings {
		j := findingJSON{
			Kind: f.Kind, Severity: f.Severity, Lines: append([]int{}, f.Lines...), Total: f.LinesTotal,
			Message: i18n.Plain(string(f.Message.In(wd))), Crawlers: append([]string{}, f.Crawlers...), Example: f.Example, Source: f.Source,
		}
		if f.Effect != nil {
			j.Effect = i18n.Plain(string(f.Effect.In(wd)))
		}
		if f.Fix != nil {
			j.Fix = &fixJSON{
				Sentence: i18n.Plain(string(f.Fix.Sentence.In(wd))),
				Start:    f.Fix.Start, Delete: f.Fix.Delete, Insert: append([]string{}, f.Fix.Insert...),
			}
		}
		all = append(all, j)
	}
	return all
}

// writeReport writes a report whose head reportHead made.
func writeReport(out *bufio.Writer, head []byte, report *tester.Report, cell tester.Cell, wd *i18n.Words) {
	_, _ = out.Write(head[:len(head)-1]) // without the closing brace
	_, _ = out.WriteString(`,"results":[`)
	enc := json.NewEncoder(out)
	many := len(report.Results) > tester.MaxExplained
	for row := range report.URLs {
		for col := range report.Crawlers {
			if row+col > 0 {
				_ = out.WriteByte(',')
			}
			res := resultOf(report, row, col, wd)
			if many && cell != (tester.Cell{Row: row + 1, Col: col + 1}) {
				res.Candidates, res.Group.Lines = []tester.Candidate{}, []int{}
			}
			if err := enc.Encode(res); err != nil {
				return // the client went away
			}
		}
	}
	_, _ = out.WriteString("]}")
}

// downloaded says whether a person pressed a button to get a file, and not a
// program that reads the answer.
func downloaded(r *http.Request) bool { return r.PostForm.Get("format") != "" }

func sourceOf(report *tester.Report, wd *i18n.Words) sourceJSON {
	s := report.Source
	sum := sha256.Sum256(s.Text)
	j := sourceJSON{
		Kind:    "paste",
		Outcome: "pasted",
		Hops:    []fetch.Hop{},
		Bytes:   len(s.Text),
		Counted: s.Counted(),
		Text:    string(s.Text),
		SHA256:  hex.EncodeToString(sum[:]),

		Simulate: s.Simulated,
	}
	look := fetch.LookAt("", s.Text)
	j.Mark, j.UTF16, j.HTML = look.Mark, look.UTF16, look.HTML
	if s.Site != nil {
		j.Site = s.Site.String()
	}
	o := s.Fetch
	if o == nil {
		return j
	}
	j.Kind, j.Outcome, j.Status, j.FinalURL = "fetch", string(o.Kind), o.Status, o.FinalURL
	j.ContentType, j.More = o.ContentType, o.More
	j.Encoding, j.CacheControl, j.Age, j.RetryAfter = o.Encoding, o.CacheControl, o.Age, o.RetryAfter
	at := o.FetchedAt.UTC()
	j.FetchedAt = &at
	if o.Hops != nil {
		j.Hops = o.Hops
	}
	j.Held = s.Held
	if old := s.Stale; old != nil {
		sum := sha256.Sum256(old.Body)
		j.Stale = &staleJSON{FetchedAt: old.FetchedAt.UTC(), Bytes: len(old.Body), SHA256: hex.EncodeToString(sum[:]), Text: string(old.Body)}
	}
	j.Error = fetchError(wd, o)
	return j
}

// fetchError says what was wrong with a fetch; nil for an answer of the site,
// whatever it was.
func fetchError(wd *i18n.Words, o *fetch.Outcome) *errorJSON {
	switch o.Kind {
	case fetch.OK, fetch.ClientError, fetch.TooManyRequests, fetch.ServerError:
		return nil
	}
	return &errorJSON{Kind: string(o.Kind), Message: wd.T("outcome." + string(o.Kind))}
}

func accessOf(report *tester.Report) map[string]access.Access {
	m := map[string]access.Access{}
	for i, c := range report.Crawlers {
		m[c.Choice.Crawler.Token] = report.Access[i]
	}
	return m
}

// operatorsOf lists what operators make of the answer; nobody for a paste.
func operatorsOf(report *tester.Report, wd *i18n.Words) []operatorJSON {
	list := []operatorJSON{}
	class := report.Source.Class()
	if class == "" {
		return list
	}
	for _, said := range access.All(class) {
		list = append(list, operatorJSON{cmp.Or(said.Operator, "*"), said.Access, wd.T("access." + said.Reason)})
	}
	return list
}

func resultOf(report *tester.Report, row, col int, wd *i18n.Words) resultJSON {
	u, c, res := &report.URLs[row], &report.Crawlers[col], report.At(row, col)
	j := resultJSON{
		Crawler:    c.Choice.Crawler.Token,
		URL:        u.URL,
		MatchedURL: u.Matched,
		Covered:    u.Covered,
		Allowed:    allowed(res),
		Line:       res.Line,
		Rule:       res.Rule,
		Reason:     res.Reason,
		Message:    i18n.Plain(report.Sentence(row, col, wd)),
		Group:      groupJSON{How: tester.HowNone, Lines: []int{}},
		Candidates: []tester.Candidate{},
	}
	if res.How != tester.HowNone {
		j.Group = groupJSON{How: res.How, Name: c.Name, Lines: c.Agents, Total: c.AgentsTotal}
	}
	if res.Why != nil {
		j.Total = res.Why.Total
		if res.Why.Candidates != nil {
			j.Candidates = res.Why.Candidates
		}
	}
	if u.Error != "" {
		j.Error = &errorJSON{Kind: u.Error, Message: wd.T("row."+u.Error, "Got", u.URL)}
	}
	return j
}

// allowed gives a verdict as true, false or nil, not tested.
func allowed(res *tester.Result) *bool {
	switch res.Verdict {
	case tester.Allowed, tester.Blocked:
		yes := res.Verdict == tester.Allowed
		return &yes
	}
	return nil
}
