package web

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/go-chi/chi/v5"

	"github.com/whichrule/whichrule/internal/tester"
	"github.com/whichrule/whichrule/templates"
)

// Lengths in base58 characters, 5.86 bits each: an id that nobody guesses
// (70 bits), and a token that lets its holder delete (128 bits and more).
const (
	idLength    = 12
	tokenLength = 22
	nonceLength = 12
)

// base58 leaves out what a reader may confuse: 0 O I l.
const base58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

// random gives n random base58 characters.
func random(n int) string {
	out := make([]byte, 0, n)
	var b [64]byte
	for {
		_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the program instead
		for _, c := range b {
			// 232 is the largest multiple of 58 in a byte: above it the
			// first characters would come more often.
			if c < 232 {
				if out = append(out, base58[c%58]); len(out) == n {
					return string(out)
				}
			}
		}
	}
}

// validID bounds what is looked up.
func validID(id string) bool {
	if len(id) != idLength {
		return false
	}
	for _, c := range id {
		switch {
		case '0' <= c && c <= '9', 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
		default:
			return false
		}
	}
	return true
}

// serveShare answers POST /share: the test is run and its report kept.
func (s *Site) serveShare(w http.ResponseWriter, r *http.Request) error {
	f, err := readForm(w, r)
	if err != nil {
		if fragment(r) {
			return s.shareFailed(w, r, form{}, err)
		}
		return err
	}
	f.do = tester.DoTest
	f, err = s.fill(f)
	var share *tester.Share
	if err == nil {
		share, err = s.share(r, f)
	}
	if err != nil {
		return s.shareFailed(w, r, f, err)
	}
	noStore(w.Header())
	base := s.base(r)
	link := base + "/r/" + share.ID
	query := "?token=" + url.QueryEscape(share.Token)
	manage, remove := "/r/"+share.ID+"/manage"+query, link+"/delete"+query
	switch {
	case formatOf(r) == formatJSON:
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Header().Set("Location", link)
		w.WriteHeader(http.StatusCreated)
		return json.NewEncoder(w).Encode(map[string]string{"id": share.ID, "url": link, "delete_url": remove})
	case fragment(r):
		return render(w, r, http.StatusCreated, templates.Shared(templates.ShareBox{URL: link, ManageURL: manage}))
	}
	http.Redirect(w, r, manage, http.StatusSeeOther)
	return nil
}

// shareFailed answers a share that was not made: beside the button for htmx,
// else with everything that was typed.
func (s *Site) shareFailed(w http.ResponseWriter, r *http.Request, f form, err error) error {
	if formatOf(r) != formatHTML || hungUp(r, err) {
		return err
	}
	p := asProblem(err)
	if fragment(r) {
		s.logProblem(r, p)
		p.retryAfter(w.Header())
		noStore(w.Header())
		return render(w, r, p.Status, templates.Shared(templates.ShareBox{Error: p.sentence(words(r))}))
	}
	return s.answerTester(w, r, f, nil, p)
}

// share runs the test of the form and keeps it.
func (s *Site) share(r *http.Request, f form) (*tester.Share, error) {
	report, err := s.test(r.Context(), f)
	if err != nil {
		return nil, err
	}
	if err := s.limit(r.Context(), "shares", client(r.Context()), s.SharesRate); err != nil {
		return nil, err
	}
	id := random(idLength)
	share, err := s.Shares.Create(r.Context(), &tester.Share{
		ID:      id,
		Token:   random(tokenLength),
		Nonce:   f.shareNonce(),
		Created: s.Now().UTC(),
		Report:  report,
	})
	if errors.Is(err, tester.ErrUnavailable) {
		return nil, &problem{Status: http.StatusServiceUnavailable, Kind: "store-unavailable", Retry: retryStore, Log: err}
	}
	if err != nil {
		return nil, fmt.Errorf("keep share: %w", err)
	}
	if share.ID == id { // else a second click has found the first one's
		s.Metrics.ShareCreated()
	}
	return share, nil
}

// shareNonce makes a double click give the same share. It covers what is
// shared too: a page that was gone back to, and changed, is another share.
func (f form) shareNonce() string {
	if f.nonce == "" {
		return ""
	}
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q %q %q %q %q", f.nonce, f.robots, f.site, f.crawlers, f.urls, f.outcome, f.simulate)
	return hex.EncodeToString(h.Sum(nil))
}

// shared finds the share that the address names.
func (s *Site) shared(r *http.Request) (*tester.Share, error) {
	id := chi.URLParam(r, "id")
	if !validID(id) {
		return nil, errNoShare
	}
	if err := take(r.Context(), perShare); err != nil {
		return nil, err
	}
	share, err := s.Shares.Share(r.Context(), id)
	if err != nil {
		return nil, fmt.Errorf("find share: %w", err)
	}
	return share, nil
}

// noIndex asks search engines to leave an answer out.
func noIndex(h http.Header) { h.Set("X-Robots-Tag", "noindex") }

// serveShared answers GET /r/{id}.
func (s *Site) serveShared(w http.ResponseWriter, r *http.Request) error {
	noIndex(w.Header())
	q, err := readQuery(r)
	if err != nil {
		return err
	}
	share, err := s.shared(r)
	if err != nil {
		return err
	}
	s.Metrics.ShareViewed()
	noStore(w.Header())
	p := page{Site: s, words: words(r), report: share.Report, shared: share.ID, form: form{
		cell: readCell(q.Get("cell")), page: readPage(q.Get("page")), unfolded: q.Get("fold") == "0",
	}}
	v := p.shareView(share)
	v.Link = s.base(r) + "/r/" + share.ID
	if fragment(r) {
		w.Header().Set("HX-Push-Url", r.URL.RequestURI())
		return render(w, r, http.StatusOK, templates.ShareFragment(v))
	}
	title, description := p.shareTitle()
	return s.page(w, r, http.StatusOK, templates.PageView{
		Title:       title,
		Description: description,
		Canonical:   s.base(r) + "/r/" + share.ID,
		NoIndex:     true,
	}, templates.Share(v))
}

// serveSharedJSON answers GET /r/{id}.json.
func (s *Site) serveSharedJSON(w http.ResponseWriter, r *http.Request) error {
	noIndex(w.Header())
	share, err := s.shared(r)
	if err != nil {
		return err
	}
	noStore(w.Header())
	return writeReportJSON(w, r, share.Report, tester.Cell{})
}

// serveSharedCSV answers GET /r/{id}.csv.
func (s *Site) serveSharedCSV(w http.ResponseWriter, r *http.Request) error {
	noIndex(w.Header())
	share, err := s.shared(r)
	if err != nil {
		return err
	}
	noStore(w.Header())
	return writeReportCSV(w, share.Report, "whichrule-"+share.ID+".csv")
}

// owned finds the share that the address names for who holds its token.
func (s *Site) owned(r *http.Request, token string) (*tester.Share, error) {
	share, err := s.shared(r)
	if err != nil {
		return nil, err
	}
	if subtle.ConstantTimeCompare([]byte(token), []byte(share.Token)) != 1 {
		return nil, errToken
	}
	return share, nil
}

// serveManage answers GET /r/{id}/manage, the sharer's page.
func (s *Site) serveManage(w http.ResponseWriter, r *http.Request) error {
	noIndex(w.Header())
	q, err := readQuery(r)
	if err != nil {
		return err
	}
	share, err := s.owned(r, q.Get("token"))
	if err != nil {
		return err
	}
	noStore(w.Header())
	p := page{Site: s, words: words(r), report: share.Report, shared: share.ID}
	title, _ := p.shareTitle()
	v := templates.ManageView{
		Heading: title,
		Life:    p.stored(),
		Box: templates.ShareBox{
			URL:       s.base(r) + "/r/" + share.ID,
			DeleteURL: "/r/" + share.ID + "/delete",
			Token:     share.Token,
		},
	}
	return s.page(w, r, http.StatusOK, templates.PageView{Title: p.words.T("page.title", "Title", p.words.T("manage.title")), NoIndex: true}, templates.Manage(v))
}

// serveDelete answers POST /r/{id}/delete.
func (s *Site) serveDelete(w http.ResponseWriter, r *http.Request) error {
	noIndex(w.Header())
	if err := parseBody(w, r); err != nil {
		return err
	}
	share, err := s.owned(r, r.Form.Get("token")) // of the body, or else of the address
	if err == nil {
		err = s.Shares.Delete(r.Context(), share.ID)
	}
	if errors.Is(err, tester.ErrUnavailable) {
		return &problem{Status: http.StatusServiceUnavailable, Kind: "delete-unavailable", Retry: retryStore, Log: err}
	}
	if err != nil {
		return fmt.Errorf("delete share: %w", err)
	}
	s.Metrics.ShareDeleted()
	noStore(w.Header())
	if formatOf(r) == formatJSON {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		return json.NewEncoder(w).Encode(map[string]any{"id": share.ID, "deleted": true})
	}
	wd := words(r)
	return s.page(w, r, http.StatusOK, templates.PageView{Title: wd.T("page.title", "Title", wd.T("deleted.title")), NoIndex: true},
		templates.Message(templates.MessageView{Heading: wd.T("deleted.title"), Text: wd.Rich("deleted.text"), Link: wd.T("error.back"), LinkTo: "/"}))
}
