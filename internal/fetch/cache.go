package fetch

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Directives reads a Cache-Control field (RFC 9111 §5.2): values by names in lower case, of equal directives the first,
// as RFC 9111 §4.2.1 has it.
func Directives(field string) map[string]string {
	values := map[string]string{}
	for directive := range strings.SplitSeq(field, ",") {
		name, value, _ := strings.Cut(directive, "=")
		name = strings.ToLower(strings.TrimSpace(name))
		if _, seen := values[name]; !seen {
			values[name] = strings.Trim(strings.TrimSpace(value), `"`)
		}
	}
	return values
}

// Seconds reads delta-seconds (RFC 9111 §1.2.2): digits alone, and what does not fit is as good as forever.
func Seconds(s string) (time.Duration, bool) {
	if s == "" || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil {
		n = math.MaxInt32
	}
	return time.Duration(n) * time.Second, true
}

// AgeIn reads an Age field: the first member counts, one that cannot be read is as none (RFC 9111 §5.1).
func AgeIn(field string) time.Duration {
	first, _, _ := strings.Cut(field, ",")
	d, _ := Seconds(strings.TrimSpace(first))
	return d
}
