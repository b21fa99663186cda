package web_test

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"github.com/whichrule/whichrule/internal/fetch"
	"github.com/whichrule/whichrule/internal/testkit"
	"github.com/whichrule/whichrule/web"
)

// webOfHosts is a fetcher of hosts that no loopback server can be, with ports 80
// and 443: their files, or the kind of their failure, and where they redirect to.
type webOfHosts struct {
	files, moved map[string]string
	clock        *clock
}

func (w webOfHosts) Fetchable(fetch.Origin) bool { return true }

func (w webOfHosts) Fetch(_ context.Context, o fetch.Origin) (*fetch.Outcome, error) {
	at := o.String()
	out := &fetch.Outcome{
		ID: "of " + at, Origin: o, Kind: fetch.OK, Status: 200, FetchedAt: w.clock.now(),
		ContentType: "text/plain", FinalURL: o.RobotsURL(), Hops: []fetch.Hop{{URL: o.RobotsURL(), Status: 200}},
	}
	if to := w.moved[at]; to != "" {
		at, out.FinalURL = to, to+"/robots.txt"
		out.Hops[0].Status = http.StatusMovedPermanently
		out.Hops = append(out.Hops, fetch.Hop{URL: out.FinalURL, Status: 200})
	}
	text := w.files[at]
	if kind, ok := strings.CutPrefix(text, "!"); ok {
		out.Kind, out.Status = fetch.Kind(kind), 0
		switch out.Kind {
		case fetch.ClientError:
			out.Status = 404
		case fetch.ServerError:
			out.Status = 503
		}
		out.Hops[len(out.Hops)-1].Status = out.Status
		return out, nil
	}
	out.Body = []byte(text)
	return out, nil
}

const (
	bareHTTPS, wwwHTTPS = "https://example.com", "https://www.example.com"
	bareHTTP, wwwHTTP   = "http://example.com", "http://www.example.com"
)

// The summary says first how the hosts stand to each other.
func TestHostsSummary(t *testing.T) {
	t.Parallel()
	const four = bareHTTPS + ", " + wwwHTTPS + ", " + bareHTTP + " and " + wwwHTTP
	for _, tt := range []struct {
		name         string
		files, moved map[string]string
		status       int
		state        string
		lead, more   string
		notes        string // the first words of each, in order
	}{
		{
			name:  "all redirect to one",
			files: map[string]string{wwwHTTPS: "a"},
			moved: map[string]string{bareHTTPS: wwwHTTPS, bareHTTP: wwwHTTPS, wwwHTTP: wwwHTTPS},
			state: "ok", lead: "All four lead to https://www.example.com: one file.",
			notes: "A redirect",
		},
		{
			name:  "copies",
			files: map[string]string{bareHTTPS: "a", wwwHTTPS: "a", bareHTTP: "a", wwwHTTP: "a"},
			state: "ok", lead: "All four hosts give the same file.",
			notes: "The same file",
		},
		{
			name:  "two files",
			files: map[string]string{bareHTTPS: "a", wwwHTTPS: "a", wwwHTTP: "b"},
			moved: map[string]string{bareHTTP: bareHTTPS},
			state: "mid", lead: "Two different files.",
			more:  "File A: https://example.com, https://www.example.com and http://example.com. File B: http://www.example.com.",
			notes: "Rules count|Google says|If all|A redirect",
		},
		{
			name:  "two files, and one is missing",
			files: map[string]string{bareHTTPS: "a", wwwHTTPS: "!client-error", bareHTTP: "b", wwwHTTP: "!dns"},
			state: "mid", lead: "Two different files.",
			more:  "File A: https://example.com. File B: http://example.com. https://www.example.com has no robots.txt: the answer is 404. http://www.example.com does not answer: the host name was not found.",
			notes: "Rules count|Google says|If all|A host|We asked",
		},
		{
			name:  "some redirect, some do not answer",
			files: map[string]string{bareHTTPS: "a", wwwHTTPS: "!dns", wwwHTTP: "!dns"},
			moved: map[string]string{bareHTTP: bareHTTPS},
			state: "mid", lead: "2 of 4 hosts lead to https://example.com: one file.",
			more:  "https://www.example.com and http://www.example.com do not answer: the host name was not found.",
			notes: "A redirect|A host",
		},
		{
			name:  "some copies",
			files: map[string]string{bareHTTPS: "a", wwwHTTPS: "a", bareHTTP: "!connect", wwwHTTP: "!connect"},
			state: "mid", lead: "2 of 4 hosts give a file, the same one.",
			more:  "http://example.com and http://www.example.com do not answer: the connection failed.",
			notes: "The same file|A host",
		},
		{
			name:  "one alone",
			files: map[string]string{bareHTTPS: "a", wwwHTTPS: "!server-error", bareHTTP: "!redirect-loop", wwwHTTP: "!timeout"},
			state: "mid", lead: "Only https://example.com gives a file.",
			more:  "https://www.example.com answers with a server error (503). http://example.com redirects in a circle. http://www.example.com did not answer within 10 seconds.",
			notes: "A host|We asked",
		},
		{
			name:  "no files",
			files: map[string]string{bareHTTPS: "!client-error", wwwHTTPS: "!client-error", bareHTTP: "!client-error", wwwHTTP: "!dns"},
			state: "mid", lead: "None of the four hosts has a robots.txt to read.",
			more:  "https://example.com, https://www.example.com and http://example.com have no robots.txt: the answer is 404. http://www.example.com does not answer: the host name was not found.",
			notes: "A host|We asked",
		},
		{
			name:   "none answers",
			files:  map[string]string{bareHTTPS: "!dns", wwwHTTPS: "!dns", bareHTTP: "!dns", wwwHTTP: "!timeout"},
			status: http.StatusBadGateway, state: "bad", lead: "None of the four hosts answers.",
			more:  "https://example.com, https://www.example.com and http://example.com do not answer: the host name was not found. http://www.example.com did not answer within 10 seconds.",
			notes: "A host",
		},
		{
			name:   "all time out",
			files:  map[string]string{bareHTTPS: "!timeout", wwwHTTPS: "!timeout", bareHTTP: "!timeout", wwwHTTP: "!timeout"},
			status: http.StatusGatewayTimeout, state: "bad", lead: "None of the four hosts answers.",
			more:  four + " did not answer within 10 seconds.",
			notes: "A host",
		},
		{
			name:   "a firewall before all of them",
			files:  map[string]string{bareHTTPS: "!challenge", wwwHTTPS: "!challenge", bareHTTP: "!challenge", wwwHTTP: "!challenge"},
			status: http.StatusBadGateway, state: "bad", lead: "None of the four hosts answers.",
			more:  four + " answer with a firewall’s check for humans instead of the file.",
			notes: "We asked",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil, func(c *web.Config) {
				c.Tester.Fetcher = webOfHosts{files: tt.files, moved: tt.moved, clock: &clock{at: noon}}
			})
			resp, body := w.get(t, "/hosts?site=example.com")
			if tt.status == 0 {
				tt.status = http.StatusOK
			}
			if resp.StatusCode != tt.status {
				t.Errorf("got %d; want %d", resp.StatusCode, tt.status)
			}
			doc, err := goquery.NewDocumentFromReader(strings.NewReader(body))
			check(t, err)
			words := func(css string) []string {
				return doc.Find(css).Map(func(_ int, e *goquery.Selection) string { return strings.Join(strings.Fields(e.Text()), " ") })
			}
			lead := doc.Find("#h-hosts")
			if got := strings.Join(words("#h-hosts"), ""); got != tt.lead || !lead.HasClass(tt.state) {
				t.Errorf("got %s %q; want %s %q", lead.AttrOr("class", ""), got, tt.state, tt.lead)
			}
			if got := strings.Join(words(".facts .note"), " "); got != tt.more {
				t.Errorf("got  %s\nwant %s", got, tt.more)
			}
			notes, heads := words(".notes li"), strings.Split(tt.notes, "|")
			if len(notes) != len(heads) {
				t.Errorf("got notes %q; want %q", notes, heads)
			} else {
				for i, head := range heads {
					if !strings.HasPrefix(notes[i], head) {
						t.Errorf("got note %q; want %q", notes[i], head)
					}
				}
			}
		})
	}
}

// On real servers: a site whose http and https have files of their own, with
// what is different between them.
func TestHostsDiffer(t *testing.T) {
	t.Parallel()
	site := testkit.NewSchemesSite(t)
	site.Serve(func(w http.ResponseWriter, r *http.Request) {
		rule := "Disallow: /new/\n"
		if r.TLS != nil {
			rule = "Disallow: /old/\n"
		}
		testkit.File("User-agent: *\n"+rule+"Allow: /\n")(w, r)
	})
	w := newWorld(t, nil, func(c *web.Config) {
		allow, err := fetch.ParseAllow(site.Allow())
		check(t, err)
		certs := x509.NewCertPool()
		certs.AddCert(site.Certificate())
		c.Tester.Fetcher = fetch.New(fetch.Config{Allow: allow, RootCAs: certs, Now: func() time.Time { return noon }})
	})
	_, body := w.get(t, "/hosts?site="+site.Allow())
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(body))
	check(t, err)
	text := func(css string) string {
		return strings.Join(doc.Find(css).Map(func(_ int, e *goquery.Selection) string { return strings.Join(strings.Fields(e.Text()), " ") }), " ")
	}
	for _, tt := range []struct{ css, want string }{
		{"#h-hosts", "Two different files."},
		{".facts .note", fmt.Sprintf("File A: https://%[1]s. File B: http://%[1]s.", site.Allow())},
		{".hosts tbody .lead", "File A, 39 bytes File B, 39 bytes"},
		{"#h-B", "File B beside file A"},
		{"[aria-labelledby=h-B] > .note", "1 line only in file A, 1 line only in file B."},
		{".diff .removed", "2−only in file ADisallow: /old/"},
		{".diff .added", "2+only in file BDisallow: /new/"},
		{".diff #A-2", "2"},
	} {
		if got := text(tt.css); got != tt.want {
			t.Errorf("%s: got %q; want %q", tt.css, got, tt.want)
		}
	}

	asked := site.Count()
	_, body = w.get(t, "/hosts?format=json&site="+site.Allow())
	var j struct {
		Hosts []struct {
			Origin, SHA256 string
			SameAs         []string `json:"same_as"`
		}
		Files []struct {
			SHA256 string
			Hosts  []string
			Diff   *struct {
				From           string
				Added, Removed int
			}
		}
	}
	check(t, json.Unmarshal([]byte(body), &j))
	if len(j.Files) != 2 || j.Files[0].Diff != nil || j.Files[1].Diff == nil || j.Files[1].Diff.From != j.Files[0].SHA256 ||
		j.Files[1].Diff.Added != 1 || j.Files[1].Diff.Removed != 1 || j.Hosts[1].SHA256 != j.Files[1].SHA256 || len(j.Hosts[0].SameAs) != 0 {
		t.Errorf("got %s", body)
	}
	if got := site.Count(); got != asked {
		t.Errorf("got %d more requests; want none", got-asked)
	}
}
