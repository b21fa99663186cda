package web

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/whichrule/whichrule/internal/access"
	"github.com/whichrule/whichrule/internal/fetch"
	"github.com/whichrule/whichrule/internal/i18n"
	"github.com/whichrule/whichrule/internal/tester"
	"github.com/whichrule/whichrule/templates"
)

// The pages that say for what a file counts.
const (
	rfcLocation  = "https://www.rfc-editor.org/rfc/rfc9309.html#section-2.3"
	rfcRedirects = "https://www.rfc-editor.org/rfc/rfc9309.html#section-2.3.1.2"
	googleScope  = "https://developers.google.com/crawling/docs/robots-txt/robots-txt-spec"
)

// perHosts is what a check is reckoned to take besides the request, in bytes:
// two files of ordinary size while they are compared, and the page of it.
const perHosts = 512 << 10

// serveHosts answers GET /hosts: all the hosts of a site, side by side; without
// a site the form alone.
func (s *Site) serveHosts(w http.ResponseWriter, r *http.Request) error {
	noIndex(w.Header())
	noStore(w.Header())
	query, err := readQuery(r)
	if err != nil {
		return err
	}
	site := last(query["site"])
	if strings.TrimSpace(site) == "" && !query.Has("do") && formatOf(r) == formatHTML && !fragment(r) {
		return s.answerHosts(w, r, site, nil, nil)
	}
	h, err := s.checkHosts(r, site, tester.Do(last(query["do"])))
	if formatOf(r) == formatJSON {
		if err != nil {
			return err
		}
		return writeHostsJSON(w, r, h)
	}
	var p *problem
	if err != nil {
		p = asProblem(err)
	}
	return s.answerHosts(w, r, site, h, p)
}

// checkHosts checks the hosts of a site, within the client's limits: a check
// counts as one test, and as one fetch where it leaves this machine.
func (s *Site) checkHosts(r *http.Request, site string, do tester.Do) (*tester.Hosts, error) {
	ctx, who := r.Context(), client(r.Context())
	if err := s.limit(ctx, "tests", who, s.Tests); err != nil {
		return nil, err
	}
	if err := take(ctx, perHosts); err != nil {
		return nil, err
	}
	h, err := s.Tester.Hosts(ctx, tester.Request{
		Site:       site,
		Do:         do,
		AllowFetch: func() error { return s.limit(ctx, "fetches", who, s.Fetches) },
	})
	if err != nil {
		return nil, err
	}
	for i := range h.Hosts {
		s.Metrics.Held(string(h.Hosts[i].Held))
	}
	return h, nil
}

// answerHosts answers with a check, or with what is wrong with what was typed,
// and in any case with what was typed.
func (s *Site) answerHosts(w http.ResponseWriter, r *http.Request, site string, h *tester.Hosts, p *problem) error {
	wd := words(r)
	v := templates.HostsView{Site: site, Title: wd.T("page.title", "Title", wd.T("hosts.title"))}
	status := http.StatusOK
	switch {
	case p != nil:
		s.logProblem(r, p)
		p.retryAfter(w.Header())
		status = p.Status
		if v.Say = i18n.Plain(p.sentence(wd)); p.Field == "site" {
			v.Error = p.sentence(wd)
		} else {
			v.Notice = &templates.NoticeView{Text: p.sentence(wd), Bad: true}
		}
	case h != nil:
		c := hosts{words: wd, Hosts: h}
		status = c.status()
		v.Result = c.view(site)
		v.Title = wd.T("page.title", "Title", wd.T("hosts.title.of", "Site", h.Site.Host))
		v.Say = c.plain()
	}
	if fragment(r) {
		if h != nil {
			setHostsAddress(w.Header(), r, site)
		}
		return render(w, r, status, templates.HostsFragment(v))
	}
	head := templates.PageView{Title: v.Title, Description: wd.T("hosts.description"), NoIndex: true, Nav: "hosts"}
	return s.page(w, r, status, head, templates.Hosts(v))
}

// hostsAddress is where the hosts of a site are checked.
func hostsAddress(site string) string { return "/hosts?site=" + url.QueryEscape(site) }

// setHostsAddress tells htmx what the address bar shows: the address of the
// check. Another site is a step that "back" undoes; the same one checked again
// is not.
func setHostsAddress(h http.Header, r *http.Request, site string) {
	to := hostsAddress(site)
	shown, err := url.Parse(r.Header.Get("HX-Current-URL"))
	if err == nil && last(shown.Query()["site"]) == site {
		h.Set("HX-Replace-Url", to)
		return
	}
	h.Set("HX-Push-Url", to)
}

// hosts words a check.
type hosts struct {
	words *i18n.Words
	*tester.Hosts
}

// silent says whether a host gave no answer of its own.
func (c *hosts) silent(i int) bool { return notFetched(c.words, c.Hosts.Hosts[i].Fetch.Kind) != nil }

// status is that of the answer: a failure of a gateway where no host answers.
func (c *hosts) status() int {
	status := http.StatusGatewayTimeout
	for i := range c.Hosts.Hosts {
		if !c.silent(i) {
			return http.StatusOK
		}
		if c.Hosts.Hosts[i].Fetch.Kind != fetch.Timeout {
			status = http.StatusBadGateway
		}
	}
	return status
}

// plain is the whole summary without marks.
func (c *hosts) plain() string {
	lead, more := c.summary()
	return i18n.Plain(strings.Join(append([]string{lead}, more...), " "))
}

// summary says in one sentence how the hosts stand to each other, and in
// further ones what is to be known of some.
func (c *hosts) summary() (lead string, more []string) {
	all, given := len(c.Hosts.Hosts), 0
	for i := range c.Files {
		given += len(c.Of(i))
	}
	to := c.address()
	switch {
	case c.status() != http.StatusOK:
		lead = c.words.Rich("hosts.silent." + strconv.Itoa(all))
	case given == 0:
		lead = c.words.Rich("hosts.none." + strconv.Itoa(all))
	case len(c.Files) > 1:
		lead = c.words.Rich("hosts.differ." + strconv.Itoa(len(c.Files)))
		for i := range c.Files {
			more = append(more, c.words.Rich("hosts.file", "File", fileName(i), "Hosts", c.list(c.Of(i))))
		}
	case given == 1:
		lead = c.words.Rich("hosts.only", "Host", c.Of(0)[0].Fetch.Origin.String())
	case given < all && to != "":
		lead = c.words.Rich("hosts.some.lead", "N", given, "All", all, "To", to)
	case given < all:
		lead = c.words.Rich("hosts.some.same", "N", given, "All", all)
	case to != "":
		lead = c.words.Rich("hosts.lead."+strconv.Itoa(all), "To", to)
	default:
		lead = c.words.Rich("hosts.same." + strconv.Itoa(all))
	}
	return lead, append(more, c.others()...)
}

// others says what became of the hosts without a file, those together that
// failed alike.
func (c *hosts) others() []string {
	type answer struct {
		kind   fetch.Kind
		status int
	}
	var order []answer
	who := map[answer][]*tester.Host{}
	for _, h := range c.Of(-1) {
		a := answer{h.Fetch.Kind, h.Fetch.Status}
		if who[a] == nil {
			order = append(order, a)
		}
		who[a] = append(who[a], h)
	}
	var out []string
	for _, a := range order {
		out = append(out, c.words.Rich("hosts.kind."+string(a.kind), "N", len(who[a]), "Hosts", c.list(who[a]), "Status", strconv.Itoa(a.status)))
	}
	return out
}

// address gives where the hosts that gave a file all end, without the name of
// the file; "" when that is not one place.
func (c *hosts) address() string {
	to := ""
	for i := range c.Hosts.Hosts {
		h := &c.Hosts.Hosts[i]
		if h.File < 0 {
			continue
		}
		if to != "" && to != h.Fetch.FinalURL {
			return ""
		}
		to = h.Fetch.FinalURL
	}
	return strings.TrimSuffix(to, "/robots.txt")
}

// list words the origins of hosts.
func (c *hosts) list(of []*tester.Host) string {
	var b strings.Builder
	for i, h := range of {
		switch {
		case i == 0:
		case i == len(of)-1:
			b.WriteString(c.words.T("lines.and"))
		default:
			b.WriteString(", ")
		}
		b.WriteString(h.Fetch.Origin.String())
	}
	return b.String()
}

// fileName is how a file is called: A, B, ...
func fileName(i int) string { return string(rune('A' + i)) }

// view makes the view model of the check of a site as typed: whether a scheme
// was, decides which hosts are asked.
func (c *hosts) view(site string) *templates.HostsResult {
	to := hostsAddress(site)
	v := &templates.HostsResult{
		State:   "ok",
		Checked: c.words.Rich("hosts.checked", "Time", c.words.Time(c.At)),
		Again:   to + "&do=" + string(tester.DoRefetch),
		JSON:    to + "&format=json",
	}
	v.Lead, v.More = c.summary()
	for i := range c.Hosts.Hosts {
		h := c.host(&c.Hosts.Hosts[i])
		if h.State != "ok" || len(c.Files) > 1 {
			v.State = "mid"
		}
		v.Hosts = append(v.Hosts, h)
	}
	if c.status() != http.StatusOK {
		v.State = "bad"
	}
	for i := range c.Files {
		if i > 0 {
			v.Diffs = append(v.Diffs, c.diff(i))
		}
	}
	v.Notes = c.notes()
	return v
}

// host shows what one host gave.
func (c *hosts) host(h *tester.Host) templates.HostView {
	o := h.Fetch
	v := templates.HostView{
		Origin: o.Origin.String(), State: "ok", Answer: c.words.Rich("outcome." + string(o.Kind)),
		Hops:      hops(c.words, o),
		Test:      "/?site=" + url.QueryEscape(o.Origin.String()),
		TestText:  c.words.T("hosts.test"),
		TestLabel: c.words.T("hosts.test.of", "Host", o.Origin.String()),
	}
	if h.File < 0 {
		v.TestText, v.TestLabel = c.words.T("hosts.answer"), c.words.T("hosts.answer.of", "Host", o.Origin.String())
	}
	switch {
	case h.File < 0 && o.Kind == fetch.ClientError:
		v.State = "mid" // no file is no fault
	case h.File < 0:
		v.State = "bad"
	default:
		v.Answer = c.words.Rich("hosts.gives", "Size", c.words.Bytes(c.Files[h.File].Size))
		if len(c.Files) > 1 {
			v.Answer = c.words.Rich("hosts.gives.one", "File", fileName(h.File), "Size", c.words.Bytes(c.Files[h.File].Size))
		}
		if isHTML(o) {
			v.State, v.Facts = "mid", append(v.Facts, c.words.Rich("hosts.html"))
		}
		if o.More {
			v.Facts = append(v.Facts, c.words.Rich("facts.more"))
		}
	}
	switch at := c.words.Time(o.FetchedAt); {
	case h.Held != "":
		v.Facts = append(v.Facts, c.words.Rich("hosts.held."+string(h.Held), "Time", at))
	case o.FetchedAt.Sub(c.At) >= time.Minute:
		v.Facts = append(v.Facts, c.words.Rich("facts.fetched", "Time", at))
	}
	for _, m := range hostAccess(o) {
		v.Means = append(v.Means, templates.MeansView{
			Text:   c.words.Rich("hosts.effect."+string(m.Effect), "Who", m.who),
			Source: m.Source,
			Label:  c.words.T("hosts.source", "Who", m.who),
		})
	}
	return v
}

// hops shows every request of a fetch.
func hops(wd *i18n.Words, o *fetch.Outcome) []templates.HopView {
	var out []templates.HopView
	for i, h := range o.Hops {
		hop := templates.HopView{URL: h.URL, Status: wd.T("facts.no-answer"), Last: i == len(o.Hops)-1}
		if h.Status > 0 {
			hop.Status = strconv.Itoa(h.Status)
		}
		hop.Good = h.Status >= 200 && h.Status < 300
		if i > 0 {
			hop.Note = hopNote(wd, o.Hops[i-1].URL, h.URL)
		}
		out = append(out, hop)
	}
	return out
}

// hopNote says what a redirect changed that people overlook: https was left, or
// the host; "" for neither.
func hopNote(wd *i18n.Words, from, to string) string {
	a, errA := url.Parse(from)
	b, errB := url.Parse(to)
	switch {
	case errA != nil || errB != nil:
		return ""
	case a.Scheme == "https" && b.Scheme == "http" && a.Host != b.Host:
		return wd.T("hop.both")
	case a.Scheme == "https" && b.Scheme == "http":
		return wd.T("hop.downgrade")
	case a.Hostname() != b.Hostname():
		return wd.T("hop.host")
	}
	return ""
}

// whoAccess is what an answer means to those named.
type whoAccess struct {
	access.Access
	who string
}

// hostAccess gives what an answer means to Google, and by the standard.
func hostAccess(o *fetch.Outcome) []whoAccess {
	const google, standard = "Google", "RFC 9309"
	return []whoAccess{{access.Of(access.Class(o.Kind), google), google}, {access.Of(access.Class(o.Kind), ""), standard}}
}

// diff shows what is different in a file from the first.
func (c *hosts) diff(i int) templates.HostsDiff {
	first, name := fileName(0), fileName(i)
	v := templates.HostsDiff{
		Heading: c.words.T("hosts.diff.title", "File", name, "First", first),
		Table: templates.DiffTable{
			Label: "h-" + name,
			Lines: [2]string{c.words.T("hosts.diff.line", "File", first), c.words.T("hosts.diff.line", "File", name)},
			Only:  [2]string{c.words.T("hosts.diff.in", "File", first), c.words.T("hosts.diff.in", "File", name)},
		},
	}
	switch d := c.Files[i].Diff; {
	case d == nil:
		v.Lead = c.words.Rich("hosts.diff.gone")
	case d.TooDifferent:
		v.Lead = c.words.Rich("hosts.diff.too-different", "First", c.words.Number(d.Removed), "Other", c.words.Number(d.Added))
	case d.Removed+d.Added == 0:
		v.Lead = c.words.Rich("hosts.diff.ends")
	default:
		v.Lead = c.words.Rich("hosts.diff.lead",
			"First", c.words.T("hosts.diff.only", "N", d.Removed, "File", first),
			"Other", c.words.T("hosts.diff.only", "N", d.Added, "File", name))
		test := "/?site=" + url.QueryEscape(c.Of(0)[0].Fetch.Origin.String())
		v.Table.Rows = diffRows(c.words, d, first, name, func(line int) string { return test + "#L" + strconv.Itoa(line) })
		if d.Hidden > 0 {
			v.More = c.words.Rich("live.text.more", "N", d.Hidden)
		}
	}
	return v
}

// notes says what is to be made of what was found.
func (c *hosts) notes() []templates.NoteView {
	var notes []templates.NoteView
	add := func(text, source string) {
		notes = append(notes, templates.NoteView{Text: text, Source: source})
	}
	redirected, ours, silent := false, false, false
	for i := range c.Hosts.Hosts {
		h := &c.Hosts.Hosts[i]
		redirected = redirected || h.File >= 0 && len(h.Fetch.Hops) > 1
		ours = ours || answered(h.Fetch)
		switch h.Fetch.Kind {
		case fetch.DNS, fetch.Connect, fetch.TLS, fetch.Timeout, fetch.Broken:
			silent = true
		}
	}
	if len(c.Files) > 1 {
		add(c.words.Rich("hosts.note.own"), rfcLocation)
		add(c.words.Rich("hosts.note.google"), googleScope)
		add(c.words.Rich("hosts.note.one"), "")
	}
	if redirected {
		add(c.words.Rich("hosts.note.redirect"), rfcRedirects)
	}
	if len(c.Files) == 1 && len(c.Of(0)) > 1 && c.address() == "" {
		add(c.words.Rich("hosts.note.copies"), "")
	}
	if silent {
		add(c.words.Rich("hosts.note.silent"), "")
	}
	if ours {
		add(c.words.Rich("hosts.note.not-googlebot"), "")
	}
	return notes
}

// hostsJSON is a check as programs get it.
type hostsJSON struct {
	Site      string       `json:"site"`       // the origin that was asked for
	CheckedAt time.Time    `json:"checked_at"` // the oldest of the fetches
	Summary   string       `json:"summary"`
	Hosts     []hostJSON   `json:"hosts"` // https first, then http
	Files     []fileJSON   `json:"files"` // what they gave; that of most hosts first
	Error     *problemJSON `json:"error"` // null, or why the status is 502 or 504: no host answered
}

type hostJSON struct {
	Origin      string                   `json:"origin"`
	Outcome     fetch.Kind               `json:"outcome"`
	Status      int                      `json:"status"` // 0 without an answer
	Hops        []fetch.Hop              `json:"hops"`
	FinalURL    string                   `json:"final_url"`
	Bytes       int                      `json:"bytes"`
	SHA256      string                   `json:"sha256"` // "" where no file was read
	ContentType string                   `json:"content_type"`
	FetchedAt   time.Time                `json:"fetched_at"`
	Held        tester.Held              `json:"held"`    // as in the source of a report
	SameAs      []string                 `json:"same_as"` // origins that gave the same bytes
	Access      map[string]access.Access `json:"access"`  // by "Google" and "RFC 9309"
	Error       *errorJSON               `json:"error"`
}

type fileJSON struct {
	SHA256 string    `json:"sha256"`
	Bytes  int       `json:"bytes"`
	Hosts  []string  `json:"hosts"`
	Diff   *diffJSON `json:"diff"` // from the first file; null for that one
}

type diffJSON struct {
	From         string `json:"from"` // sha256 of the first file
	Added        int    `json:"added"`
	Removed      int    `json:"removed"`
	TooDifferent bool   `json:"too_different"`
}

type problemJSON struct {
	errorJSON
	Field string `json:"field"`
}

// writeHostsJSON answers with a check.
func writeHostsJSON(w http.ResponseWriter, r *http.Request, h *tester.Hosts) error {
	c := hosts{words: words(r), Hosts: h}
	status := c.status()
	j := hostsJSON{Site: h.Site.String(), CheckedAt: h.At, Summary: c.plain(), Hosts: []hostJSON{}, Files: []fileJSON{}}
	switch lead, _ := c.summary(); status {
	case http.StatusOK:
	case http.StatusGatewayTimeout:
		j.Error = &problemJSON{errorJSON{string(fetch.Timeout), i18n.Plain(lead)}, "site"}
	default:
		j.Error = &problemJSON{errorJSON{"hosts-silent", i18n.Plain(lead)}, "site"}
	}
	for i := range h.Hosts {
		j.Hosts = append(j.Hosts, c.hostJSON(&h.Hosts[i]))
	}
	for i, f := range h.Files {
		file := fileJSON{SHA256: f.SHA256, Bytes: f.Size, Hosts: origins(h.Of(i))}
		if d := f.Diff; d != nil {
			file.Diff = &diffJSON{From: h.Files[0].SHA256, Added: d.Added, Removed: d.Removed, TooDifferent: d.TooDifferent}
		}
		j.Files = append(j.Files, file)
	}
	b, err := json.Marshal(j)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(append(b, '\n')) // the client went away
	return nil
}

func (c *hosts) hostJSON(h *tester.Host) hostJSON {
	o := h.Fetch
	j := hostJSON{
		Origin: o.Origin.String(), Outcome: o.Kind, Status: o.Status, Hops: o.Hops, FinalURL: o.FinalURL,
		ContentType: o.ContentType, FetchedAt: o.FetchedAt, Held: h.Held,
		SameAs: []string{}, Access: map[string]access.Access{}, Error: fetchError(c.words, o),
	}
	if h.File >= 0 {
		f := &c.Files[h.File]
		j.Bytes, j.SHA256 = f.Size, f.SHA256
		j.SameAs = slices.DeleteFunc(origins(c.Of(h.File)), func(other string) bool { return other == j.Origin })
	}
	for _, m := range hostAccess(o) {
		j.Access[m.who] = m.Access
	}
	return j
}

func origins(of []*tester.Host) []string {
	var out []string
	for _, h := range of {
		out = append(out, h.Fetch.Origin.String())
	}
	return out
}
