package access

import (
	"net/url"
	"regexp"
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

// classes lists every class.
func classes() []Class { return append(of(fetch.Kinds()...), WebPage, TooBig, Not200) }

// want is an effect, the reason of it, and what the row rests on.
type want struct {
	effect     Effect
	reason     string
	confidence Confidence
	basis      Basis
}

// What is said of each class in general, by RFC 9309 or because the failure is
// ours alone.
var general = map[Class]want{
	"refused":           {Unknown, "refused-by-us", "", ""},
	"tls":               {Unknown, "tls-for-us", "", ""},
	"challenge":         {Unknown, "challenge-for-us", "", ""},
	"ok":                {Rules, "rfc9309-ok", High, Stated},
	"not-200":           {Rules, "rfc9309-ok", High, Stated},
	"web-page":          {Rules, "rfc9309-web-page", High, Stated},
	"too-big":           {Rules, "rfc9309-too-big", High, Stated},
	"client-error":      {AllowAll, "rfc9309-unavailable", High, Stated},
	"too-many-requests": {AllowAll, "rfc9309-429", High, Stated},
	"server-error":      {BlockAll, "rfc9309-unreachable", High, Stated},
	"redirect-limit":    {AllowAll, "rfc9309-redirects", High, Stated},
	"redirect-loop":     {AllowAll, "rfc9309-redirects", High, Stated},
	"bad-redirect":      {AllowAll, "rfc9309-bad-redirect", Medium, Reading},
	"dns":               {BlockAll, "rfc9309-no-answer", High, Stated},
	"connect":           {BlockAll, "rfc9309-no-answer", High, Stated},
	"timeout":           {BlockAll, "rfc9309-no-answer", High, Stated},
	"broken":            {BlockAll, "rfc9309-no-answer", High, Stated},
}

// What operators say of their own.
var own = []struct {
	name, operator string
	says           map[Class]want
}{
	{"Google", "Google", map[Class]want{
		"ok":                {Rules, "google-ok", High, Stated},
		"not-200":           {Rules, "google-ok", High, Stated},
		"web-page":          {Rules, "google-web-page", High, Stated},
		"too-big":           {Rules, "google-too-big", High, Stated},
		"client-error":      {AllowAll, "google-4xx", High, Stated},
		"too-many-requests": {BlockAll, "google-429", Medium, Reading},
		"server-error":      {BlockAll, "google-5xx", High, Stated},
		"redirect-limit":    {AllowAll, "google-redirects", High, Stated},
		"redirect-loop":     {AllowAll, "google-redirects", High, Stated},
		"bad-redirect":      {AllowAll, "google-bad-redirect", Medium, Reading},
		"dns":               {BlockAll, "google-no-answer", High, Stated},
		"connect":           {BlockAll, "google-no-answer", High, Stated},
		"timeout":           {BlockAll, "google-no-answer", High, Stated},
		"broken":            {BlockAll, "google-no-answer", High, Stated},
	}},
	{"Yandex: what is not 200, no text or too big opens the site", "Yandex", map[Class]want{
		"ok":                {Rules, "yandex-ok", Medium, Stated},
		"not-200":           {AllowAll, "yandex-not-200", Medium, Stated},
		"web-page":          {AllowAll, "yandex-web-page", Medium, Stated},
		"too-big":           {AllowAll, "yandex-too-big", Medium, Stated},
		"client-error":      {AllowAll, "yandex-not-200", Medium, Stated},
		"too-many-requests": {AllowAll, "yandex-not-200", Medium, Stated},
		"server-error":      {AllowAll, "yandex-not-200", Medium, Stated},
		"redirect-limit":    {AllowAll, "yandex-redirects", Medium, Reading},
		"redirect-loop":     {AllowAll, "yandex-redirects", Medium, Reading},
		"bad-redirect":      {AllowAll, "yandex-redirects", Medium, Reading},
		"dns":               {AllowAll, "yandex-no-answer", Medium, Reading},
		"connect":           {AllowAll, "yandex-no-answer", Medium, Reading},
		"timeout":           {AllowAll, "yandex-no-answer", Medium, Reading},
		"broken":            {AllowAll, "yandex-no-answer", Medium, Reading},
	}},
	{"Amazon: what cannot be fetched is absent", "Amazon", map[Class]want{
		"client-error":      {AllowAll, "amazon-not-fetched", High, Stated},
		"too-many-requests": {AllowAll, "amazon-not-fetched", High, Stated},
		"server-error":      {AllowAll, "amazon-not-fetched", High, Stated},
		"redirect-limit":    {AllowAll, "amazon-redirects", Medium, Reading},
		"redirect-loop":     {AllowAll, "amazon-redirects", Medium, Reading},
		"bad-redirect":      {AllowAll, "amazon-redirects", Medium, Reading},
		"dns":               {AllowAll, "amazon-not-fetched", High, Stated},
		"connect":           {AllowAll, "amazon-not-fetched", High, Stated},
		"timeout":           {AllowAll, "amazon-not-fetched", High, Stated},
		"broken":            {AllowAll, "amazon-not-fetched", High, Stated},
	}},
	{"Semrush", "Semrush", map[Class]want{
		"client-error":      {AllowAll, "semrush-4xx", High, Stated},
		"too-many-requests": {AllowAll, "semrush-4xx", High, Stated},
		"server-error":      {BlockAll, "semrush-5xx", High, Stated},
	}},
	{"Naver, as others report it", "Naver", map[Class]want{
		"client-error":      {AllowAll, "naver-4xx", Medium, SecondHand},
		"too-many-requests": {AllowAll, "naver-4xx", Medium, SecondHand},
		"server-error":      {BlockAll, "naver-5xx", Medium, SecondHand},
		"redirect-limit":    {AllowAll, "naver-redirects", Medium, SecondHand},
		"redirect-loop":     {AllowAll, "naver-redirects", Medium, SecondHand},
	}},
	{"Majestic: what cannot be fetched was permission once", "Majestic", map[Class]want{
		"client-error":      {AllowAll, "majestic-not-fetched", Low, OlderText},
		"too-many-requests": {AllowAll, "majestic-not-fetched", Low, OlderText},
		"server-error":      {AllowAll, "majestic-not-fetched", Low, OlderText},
		"redirect-limit":    {AllowAll, "majestic-not-fetched", Low, OlderText},
		"redirect-loop":     {AllowAll, "majestic-not-fetched", Low, OlderText},
		"bad-redirect":      {AllowAll, "majestic-not-fetched", Low, OlderText},
		"dns":               {AllowAll, "majestic-not-fetched", Low, OlderText},
		"connect":           {AllowAll, "majestic-not-fetched", Low, OlderText},
		"timeout":           {AllowAll, "majestic-not-fetched", Low, OlderText},
		"broken":            {AllowAll, "majestic-not-fetched", Low, OlderText},
	}},
	{"nobody in particular", "", nil},
	{"an operator that says nothing", "OpenAI", nil},
	{"Amazon's page is not about Amazon Web Services", "Amazon Web Services", nil},
	{"names are exact", "google", nil},
}

func TestOf(t *testing.T) {
	tested := map[string]bool{Pasted().Reason: true, noOutcome: true}
	for _, tt := range own {
		t.Run(tt.name, func(t *testing.T) {
			for _, class := range classes() {
				w, ok := tt.says[class]
				if !ok {
					w = general[class]
				}
				a := Of(class, tt.operator)
				if got := (want{a.Effect, a.Reason, a.Confidence, a.Basis}); got != w {
					t.Errorf("%s: got %v; want %v", class, got, w)
				}
				if u, err := url.Parse(a.Source); a.Effect != Unknown && (err != nil || u.Host == "") {
					t.Errorf("%s: %q is no page to read on", class, a.Source)
				}
				if a.Effect == Unknown && a.Source != "" {
					t.Errorf("%s: got source %q of what nobody says", class, a.Source)
				}
				tested[a.Reason] = true
			}
		})
	}
	for _, r := range Reasons() {
		if !tested[r] {
			t.Errorf("no test reaches reason %q", r)
		}
	}
}

// All names those who say something of their own, and then everybody else.
func TestAll(t *testing.T) {
	for _, class := range classes() {
		var want []Said
		for _, tt := range own {
			if _, ok := tt.says[class]; ok {
				want = append(want, Said{tt.operator, Of(class, tt.operator)})
			}
		}
		want = append(want, Said{"", Of(class, "")})
		if diff := cmp.Diff(want, All(class)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", class, diff)
		}
	}
}

func TestNoClass(t *testing.T) {
	want := Access{Effect: Unknown, Reason: "no-outcome"}
	for _, class := range []Class{"", "pasted", "OK"} {
		if diff := cmp.Diff(want, Of(class, "Google")); diff != "" {
			t.Errorf("%q (-want +got):\n%s", class, diff)
		}
		if diff := cmp.Diff([]Said{{"", want}}, All(class)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", class, diff)
		}
	}
}

func TestClassOf(t *testing.T) {
	big := strings.Repeat("#\n", bigBytes/2)
	tests := []struct {
		name string
		in   fetch.Outcome
		text string
		want Class
	}{
		{"a file", fetch.Outcome{Kind: fetch.OK, Status: 200}, "User-agent: *\n", "ok"},
		{"an empty file", fetch.Outcome{Kind: fetch.OK, Status: 200}, "", "ok"},
		{"no content", fetch.Outcome{Kind: fetch.OK, Status: 204}, "", "not-200"},
		{"a web page", fetch.Outcome{Kind: fetch.OK, Status: 200, ContentType: "text/html"}, "<!doctype html><p>", "web-page"},
		{"a web page that is said to be text", fetch.Outcome{Kind: fetch.OK, Status: 200, ContentType: "text/plain"}, "\n <html>", "web-page"},
		{"a text that is said to be a web page", fetch.Outcome{Kind: fetch.OK, Status: 200, ContentType: "text/html"}, "User-agent: *\n", "ok"},
		{"as big as may be", fetch.Outcome{Kind: fetch.OK, Status: 200}, big, "ok"},
		{"a byte more", fetch.Outcome{Kind: fetch.OK, Status: 200}, big + "#", "too-big"},
		{"a page of an error", fetch.Outcome{Kind: fetch.ClientError, Status: 404, ContentType: "text/html"}, "", "client-error"},
		{"no answer", fetch.Outcome{Kind: fetch.Timeout}, "", "timeout"},
	}
	for _, tt := range tests {
		if got := ClassOf(&tt.in, []byte(tt.text)); got != tt.want {
			t.Errorf("%s: got %s; want %s", tt.name, got, tt.want)
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
func TestRows(t *testing.T) {
	c, err := crawlers.Load()
	if err != nil {
		t.Fatal(err)
	}
	date := regexp.MustCompile(`^(\d{4}-\d{2}(-\d{2})?)?$`)
	for _, r := range rows {
		if !date.MatchString(r.source.date) {
			t.Errorf("%s: %q is no day or month", r.reason, r.source.date)
		}
		for _, class := range r.classes {
			if !slices.Contains(classes(), class) {
				t.Errorf("%s: there is no class %q", r.reason, class)
			}
		}
		if r.operator == anyone || r.operator == rfc9309 {
			continue
		}
		if !slices.ContainsFunc(c.Offered(), func(cr crawlers.Crawler) bool { return cr.Operator == r.operator }) {
			t.Errorf("no crawler of operator %q is offered", r.operator)
		}
		if !strings.HasPrefix(r.reason, strings.ToLower(r.operator)+"-") {
			t.Errorf("reason %q does not name %s", r.reason, r.operator)
		}
	}
	for i, a := range rows {
		for _, b := range rows[i+1:] {
			for _, class := range a.classes {
				if a.operator == b.operator && slices.Contains(b.classes, class) {
					t.Errorf("%q has two rows for %s", a.operator, class)
				}
			}
		}
	}
}
