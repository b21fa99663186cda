package app

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/whichrule/whichrule/internal/testkit"
)

// An operator takes a shared result down.
func TestSharesDelete(t *testing.T) {
	redis := "WHICHRULE_REDIS_URL=" + testkit.Redis(t).URL()
	s := start(t, redis)
	resp, err := http.PostForm(s.base+"/share", url.Values{"robots": {"User-agent: *\nDisallow: /a\n"}})
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	_, id, _ := strings.Cut(resp.Request.URL.Path, "/r/")
	id, _, _ = strings.Cut(id, "/")
	link := s.base + "/r/" + id

	for _, tt := range []struct {
		name    string
		args    []string
		environ []string
		code    int
		says    string
		status  int // of the link afterwards
	}{
		{"without Redis", []string{"delete", id}, nil, exitUsage, "WHICHRULE_REDIS_URL", 200},
		{"a Redis that is away", []string{"delete", id}, []string{"WHICHRULE_REDIS_URL=redis://127.0.0.1:1"}, exitBlocked, "unavailable", 200},
		{"an address that is none", []string{"delete", id}, []string{"WHICHRULE_REDIS_URL=redis://:secret@127.0.0.1:1/x/y"}, exitUsage, "WHICHRULE_REDIS_URL", 200},
		{"another id", []string{"delete", "abcdefghjkmn"}, []string{redis}, exitBlocked, "no shared result abcdefghjkmn", 200},
		{"no id", []string{"delete"}, []string{redis}, exitUsage, "usage", 200},
		{"another command", []string{"list", id}, []string{redis}, exitUsage, "usage", 200},
		{"the link", []string{"delete", link + ".json?cell=1.1"}, []string{redis}, exitOK, id + " is deleted", 410},
		{"the id, again", []string{"delete", id}, []string{redis}, exitOK, id + " was deleted before", 410},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out strings.Builder
			if got := Main(append([]string{"shares"}, tt.args...), tt.environ, nil, &out, &out); got != tt.code {
				t.Errorf("got exit code %d; want %d", got, tt.code)
			}
			if got := out.String(); !strings.Contains(got, tt.says) || strings.Contains(got, "secret") {
				t.Errorf("got %q; want %q, and no password", got, tt.says)
			}
			if status, _ := get(t, link); status != tt.status {
				t.Errorf("the link: got %d; want %d", status, tt.status)
			}
		})
	}
}
