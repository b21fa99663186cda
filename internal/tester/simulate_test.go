package tester

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/whichrule/whichrule/internal/access"
	"github.com/whichrule/whichrule/internal/fetch"
)

func TestReadSimulation(t *testing.T) {
	big := make([]byte, 600_000)
	for _, tt := range []struct {
		in    string
		text  []byte
		want  Simulation
		kind  fetch.Kind
		class access.Class
	}{
		{"200", nil, "200", fetch.OK, "ok"},
		{"ok", nil, "ok", fetch.OK, "ok"},
		{"200", big, "200", fetch.OK, "too-big"},
		{"204", nil, "204", fetch.OK, "not-200"},
		{"299", nil, "299", fetch.OK, "not-200"},
		{"400", nil, "400", fetch.ClientError, "client-error"},
		{"429", nil, "429", fetch.TooManyRequests, "too-many-requests"},
		{"499", nil, "499", fetch.ClientError, "client-error"},
		{"500", nil, "500", fetch.ServerError, "server-error"},
		{"599", nil, "599", fetch.ServerError, "server-error"},
		{" HTML\n", big, "html", fetch.OK, "web-page"},
		{"Timeout", nil, "timeout", fetch.Timeout, "timeout"},
		{"redirect-loop", nil, "redirect-loop", fetch.RedirectLoop, "redirect-loop"},
		{"challenge", nil, "challenge", fetch.Challenge, "challenge"},
	} {
		got, err := readSimulation(tt.in)
		if err != nil || got != tt.want || got.Kind() != tt.kind || got.class(tt.text) != tt.class {
			t.Errorf("%q: got %q, %s, %s, %v; want %q, %s, %s", tt.in, got, got.Kind(), got.class(tt.text), err, tt.want, tt.kind, tt.class)
		}
	}
	if got, err := readSimulation(" "); got != "" || err != nil {
		t.Errorf("a blank: got %q, %v; want nothing", got, err)
	}
	for _, in := range []string{"100", "199", "300", "301", "304", "399", "600", "0503", "+503", "5e2", "503 timeout", "pasted", "web-page"} {
		_, err := readSimulation(in)
		if bad := (*Error)(nil); !errors.As(err, &bad) || bad.Kind != "simulate" || bad.Field != "simulate" || bad.Got != in {
			t.Errorf("%q: got %v; want an error of the field", in, err)
		}
	}
}

// A report holds what would be without what is pretended, cell by cell.
func TestReal(t *testing.T) {
	for _, tt := range []struct {
		name, simulate string
		want, real     []Verdict
	}{
		{"nothing", "", []Verdict{Blocked, Blocked, Allowed, Allowed, NotTested, NotTested}, nil},
		{"a server error", "503", []Verdict{Blocked, Allowed, Blocked, Allowed, NotTested, NotTested}, []Verdict{Blocked, Blocked, Allowed, Allowed, NotTested, NotTested}},
		{"a web page", "html", []Verdict{Allowed, Allowed, Allowed, Allowed, NotTested, NotTested}, []Verdict{Blocked, Blocked, Allowed, Allowed, NotTested, NotTested}},
		{"a challenge", "challenge", []Verdict{NotTested, NotTested, NotTested, NotTested, NotTested, NotTested}, []Verdict{Blocked, Blocked, Allowed, Allowed, NotTested, NotTested}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			r, err := w.Test(t.Context(), Request{
				Text: []byte("User-agent: *\nDisallow: /a\n"), Site: "https://shop.example", Simulate: tt.simulate,
				Crawlers: []string{"Googlebot", "YandexBot"}, URLs: []string{"/a", "/b", "https://elsewhere.example/a"},
			})
			if err != nil {
				t.Fatal(err)
			}
			var got []Verdict
			for _, res := range r.Results {
				got = append(got, res.Verdict)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("verdicts (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.real, r.Real); diff != "" {
				t.Errorf("real ones (-want +got):\n%s", diff)
			}
		})
	}
}
