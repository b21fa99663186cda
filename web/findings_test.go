package web

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/whichrule/whichrule/internal/lint"
)

// A preview shows what a fix changes, and no line of it twice.
func TestPreview(t *testing.T) {
	text := strings.Fields("a b c d e f g h i j k l m n o p")
	with := func(at map[int]string) []string { // lines 3 to 13, some of them others
		lines := append([]string(nil), text[2:13]...)
		for n, line := range at {
			lines[n-3] = line
		}
		return lines
	}
	many := strings.Split(strings.Repeat("x\n", 500)+"x", "\n")
	for _, tt := range []struct {
		name string
		fix  lint.Fix
		text []string
		want string // sign, number and text of each line
	}{
		{"one line more", lint.Fix{Start: 3, Insert: []string{"X"}}, text[:6], " 1a  2b + X  3c  4d  5e"},
		{"in an empty file", lint.Fix{Start: 1, Insert: []string{"X"}}, []string{""}, "+ X  1"},
		{"behind the last line", lint.Fix{Start: 3, Insert: []string{"X"}}, text[:2], " 1a  2b + X"},
		{"one line less", lint.Fix{Start: 1, Delete: 1}, text[:3], "-1a  2b  3c"},
		{"another line", lint.Fix{Start: 2, Delete: 1, Insert: []string{"X"}}, text[:3], " 1a -2b + X  3c"},
		{"lines between two changes", lint.Fix{Start: 3, Delete: 11, Insert: with(map[int]string{3: "X", 9: "Y"})}, text[:14],
			" 1a  2b -3c + X  4d  5e  6f  7g  8h -9i + Y  10j  11k  12l"},
		{"many lines between two changes", lint.Fix{Start: 3, Delete: 11, Insert: with(map[int]string{3: "X", 13: "Y"})}, text,
			" 1a  2b -3c + X  4d  5e  6f … …  10j  11k  12l -13m + Y  14n  15o  16p"},
		{"a long line", lint.Fix{Start: 1, Delete: 1}, []string{strings.Repeat("é", 300)}, "-1" + strings.Repeat("é", 200) + "…"},
		{"more than anybody reads", lint.Fix{Start: 1, Delete: 500}, many, strings.TrimSuffix(strings.Repeat("-%dx ", 12), " ")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, l := range preview(&tt.fix, tt.text) {
				n := fmt.Sprint(l.N)
				if l.N == 0 {
					n = " "
				}
				got = append(got, map[string]string{"same": " ", "added": "+", "removed": "-", "fold": "…"}[l.Kind]+n+l.Text)
			}
			want := tt.want
			if strings.Contains(want, "%d") {
				want = fmt.Sprintf(want, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)
			}
			if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
