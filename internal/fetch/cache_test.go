package fetch

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestDirectives(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     map[string]string
	}{
		{"RFC 9111 §5.2: names in any case, blanks around", " Max-Age=60 ,NO-STORE", map[string]string{"max-age": "60", "no-store": ""}},
		{"RFC 9111 §5.2: quoted", `max-age="60"`, map[string]string{"max-age": "60"}},
		{"RFC 9111 §4.2.1: the first of equal ones", "max-age=60, max-age=9", map[string]string{"max-age": "60"}},
		{"nothing", "", map[string]string{"": ""}},
	} {
		if diff := cmp.Diff(tt.want, Directives(tt.in)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestSeconds(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want time.Duration
		ok   bool
	}{
		{"0", 0, true},
		{"3600", time.Hour, true},
		{"99999999999999999999", math.MaxInt32 * time.Second, true},
		{"", 0, false},
		{"-1", 0, false},
		{"1.5", 0, false},
	} {
		if got, ok := Seconds(tt.in); got != tt.want || ok != tt.ok {
			t.Errorf("%q: got %v, %t; want %v, %t", tt.in, got, ok, tt.want, tt.ok)
		}
	}
	for in, want := range map[string]time.Duration{"60": time.Minute, "60, 9": time.Minute, "x": 0} {
		if got := AgeIn(in); got != want {
			t.Errorf("age %q: got %v; want %v", in, got, want)
		}
	}
}
