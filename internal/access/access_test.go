package access

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/whichrule/whichrule/internal/crawlers"
	"github.com/whichrule/whichrule/internal/fetch"
)

func TestPasted(t *testing.T) {
	if diff := cmp.Diff(Access{Effect: Rules, Reason: "pasted"}, Pasted()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestOf(t *testing.T) {
	type want struct {
		effect Effect
		reason string
	}
	// What is only our failure means the same to everybody.
	ours := map[fetch.Kind]want{
		fetch.Refused:   {Unknown, "refused-by-us"},
		fetch.TLS:       {Unknown, "tls-for-us"},
		fetch.Challenge: {Unknown, "challenge-for-us"},
	}
	rfc := map[fetch.Kind]want{
		fetch.OK:              {Rules, "rfc9309-ok"},
		fetch.ClientError:     {AllowAll, "rfc9309-unavailable"},
		fetch.TooManyRequests: {AllowAll, "rfc9309-429"},
		fetch.ServerError:     {BlockAll, "rfc9309-unreachable"},
		fetch.RedirectLimit:   {AllowAll, "rfc9309-redirects"},
		fetch.RedirectLoop:    {AllowAll, "rfc9309-redirects"},
		fetch.BadRedirect:     {AllowAll, "rfc9309-bad-redirect"},
		fetch.DNS:             {BlockAll, "rfc9309-no-answer"},
		fetch.Connect:         {BlockAll, "rfc9309-no-answer"},
		fetch.Timeout:         {BlockAll, "rfc9309-no-answer"},
		fetch.Broken:          {BlockAll, "rfc9309-no-answer"},
	}
	absent := func(reason string) map[fetch.Kind]want {
		m := map[fetch.Kind]want{}
		for _, k := range []fetch.Kind{
			fetch.ClientError, fetch.TooManyRequests, fetch.ServerError,
			fetch.RedirectLimit, fetch.RedirectLoop, fetch.BadRedirect,
			fetch.DNS, fetch.Connect, fetch.Timeout, fetch.Broken,
		} {
			m[k] = want{AllowAll, reason}
		}
		return m
	}
	tests := []struct {
		name, operator string
		own            map[fetch.Kind]want // where the operator differs from the RFC
	}{
		{"nobody in particular", "", nil},
		{"an operator that says nothing", "OpenAI", nil},
		{"Amazon's page is not about Amazon Web Services", "Amazon Web Services", nil},
		{"names are exact", "google", nil},
		{"Google", "Google", map[fetch.Kind]want{
			fetch.OK:              {Rules, "google-ok"},
			fetch.ClientError:     {AllowAll, "google-4xx"},
			fetch.TooManyRequests: {BlockAll, "google-429"},
			fetch.ServerError:     {BlockAll, "google-5xx"},
			fetch.RedirectLimit:   {AllowAll, "google-redirects"},
			fetch.RedirectLoop:    {AllowAll, "google-redirects"},
			fetch.BadRedirect:     {AllowAll, "google-bad-redirect"},
			fetch.DNS:             {BlockAll, "google-no-answer"},
			fetch.Connect:         {BlockAll, "google-no-answer"},
			fetch.Timeout:         {BlockAll, "google-no-answer"},
			fetch.Broken:          {BlockAll, "google-no-answer"},
		}},
		{"Yandex: what is not 200 opens the site", "Yandex", map[fetch.Kind]want{
			fetch.OK:              {Rules, "yandex-ok"},
			fetch.ClientError:     {AllowAll, "yandex-not-200"},
			fetch.TooManyRequests: {AllowAll, "yandex-not-200"},
			fetch.ServerError:     {AllowAll, "yandex-not-200"},
			fetch.RedirectLimit:   {AllowAll, "yandex-not-200"},
			fetch.RedirectLoop:    {AllowAll, "yandex-not-200"},
			fetch.BadRedirect:     {AllowAll, "yandex-not-200"},
			fetch.DNS:             {AllowAll, "yandex-no-answer"},
			fetch.Connect:         {AllowAll, "yandex-no-answer"},
			fetch.Timeout:         {AllowAll, "yandex-no-answer"},
			fetch.Broken:          {AllowAll, "yandex-no-answer"},
		}},
		{"Amazon: what cannot be fetched is absent", "Amazon", absent("amazon-not-fetched")},
		{"Majestic: what cannot be fetched is permission", "Majestic", absent("majestic-not-fetched")},
		{"Semrush", "Semrush", map[fetch.Kind]want{
			fetch.ClientError:     {AllowAll, "semrush-4xx"},
			fetch.TooManyRequests: {AllowAll, "semrush-4xx"},
			fetch.ServerError:     {BlockAll, "semrush-5xx"},
		}},
		{"Naver", "Naver", map[fetch.Kind]want{
			fetch.ClientError:     {AllowAll, "naver-4xx"},
			fetch.TooManyRequests: {AllowAll, "naver-4xx"},
			fetch.ServerError:     {BlockAll, "naver-5xx"},
			fetch.RedirectLimit:   {AllowAll, "naver-redirects"},
			fetch.RedirectLoop:    {AllowAll, "naver-redirects"},
		}},
	}
	tested := map[string]bool{Pasted().Reason: true, noOutcome: true}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, k := range fetch.Kinds() {
				w, ok := tt.own[k]
				if !ok {
					w, ok = rfc[k]
				}
				if !ok {
					w = ours[k]
				}
				got := Of(k, tt.operator)
				if (want{got.Effect, got.Reason}) != w {
					t.Errorf("%s: got %s, %s; want %s, %s", k, got.Effect, got.Reason, w.effect, w.reason)
				}
				if u, err := url.Parse(got.Source); got.Effect != Unknown && (err != nil || u.Host == "") {
					t.Errorf("%s: %q is no page to read on", k, got.Source)
				}
				tested[got.Reason] = true
			}
		})
	}
	for _, r := range Reasons() {
		if !tested[r] {
			t.Errorf("no test reaches reason %q", r)
		}
	}
}

func TestOfNoKind(t *testing.T) {
	want := Access{Effect: Unknown, Reason: "no-outcome"}
	for _, kind := range []fetch.Kind{"", "pasted", "OK"} {
		if diff := cmp.Diff(want, Of(kind, "Google")); diff != "" {
			t.Errorf("%q (-want +got):\n%s", kind, diff)
		}
	}
}

func TestReasonsStandOnce(t *testing.T) {
	all := Reasons()
	slices.Sort(all)
	if once := slices.Compact(slices.Clone(all)); len(once) != len(all) {
		t.Errorf("got %q; want each once", all)
	}
}

// A row under a name that the catalogue does not use would never be read, and
// a source that belongs to another operator would mislead.
func TestRowsAreAboutOperatorsOfTheCatalogue(t *testing.T) {
	c, err := crawlers.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if r.operator == anyone || r.operator == rfc9309 {
			continue
		}
		if !slices.ContainsFunc(c.Offered(), func(cr crawlers.Crawler) bool { return cr.Operator == r.operator }) {
			t.Errorf("no crawler of operator %q is offered", r.operator)
		}
		if !strings.HasPrefix(r.access.Reason, strings.ToLower(r.operator)+"-") {
			t.Errorf("reason %q does not name %s", r.access.Reason, r.operator)
		}
	}
	for i, a := range rows {
		for _, b := range rows[i+1:] {
			for _, k := range a.kinds {
				if a.operator == b.operator && slices.Contains(b.kinds, k) {
					t.Errorf("%q has two rows for %s", a.operator, k)
				}
			}
		}
	}
}
