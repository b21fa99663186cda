package web_test

import (
	"net/http"
	"net/url"
	"testing"
)

// A query that cannot be read is refused on every page that reads one.
func TestBadQuery(t *testing.T) {
	w := newWorld(t, nil)
	id, token := w.share(t)
	for _, path := range []string{"/", "/hosts", "/crawlers", "/r/" + id, "/r/" + id + "/live", "/r/" + id + "/manage"} {
		for _, query := range []string{"?site=%zz", "?site=a;b", "?token=" + token + "&x=%", "?do=refetch&cell=1;1"} {
			if resp, _ := w.get(t, path+query); resp.StatusCode != http.StatusBadRequest {
				t.Errorf("GET %s%s: got %d; want 400", path, query, resp.StatusCode)
			}
		}
	}
	for _, path := range []string{"/test", "/share", "/r/" + id + "/delete"} {
		if resp, _ := w.post(t, path+"?format=%zz", nil, url.Values{"robots": {"a"}, "token": {token}}); resp.StatusCode != http.StatusBadRequest {
			t.Errorf("POST %s: got %d; want 400", path, resp.StatusCode)
		}
	}
	if resp, _ := w.post(t, "/r/"+id+"/delete?token="+token, nil, nil); resp.StatusCode != http.StatusOK {
		t.Errorf("delete with the token in the address: got %d; want 200", resp.StatusCode)
	}
}
