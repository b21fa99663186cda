package web

import "testing"

// OWASP, "CSV Injection": what starts like a formula is none any more.
func TestNoFormula(t *testing.T) {
	for in, want := range map[string]string{
		"":          "",
		"/a":        "/a",
		"=1+1":      "'=1+1",
		"+1":        "'+1",
		"-1":        "'-1",
		"@SUM(A1)":  "'@SUM(A1)",
		"\t=1":      "'\t=1",
		"\r=1":      "'\r=1",
		"/=1":       "/=1",
		"Googlebot": "Googlebot",
		"'=1":       "'=1",
		"日本":        "日本",
	} {
		if got := noFormula(in); got != want {
			t.Errorf("%q: got %q; want %q", in, got, want)
		}
	}
}
