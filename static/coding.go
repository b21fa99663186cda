package static

import (
	"strconv"
	"strings"
)

// identity is the coding of a body as it is (RFC 9110 §12.5.3).
const identity = "identity"

// codings are those we may send, the one we like best first.
var codings = [...]string{"zstd", "gzip", identity}

// negotiate picks the content coding of an answer (RFC 9110 §12.5.3): of those in have, the one the client weighs
// highest, and among equals the first of codings. A client that refuses them all gets identity, which the RFC
// prefers to an error.
func negotiate(acceptEncoding []string, have map[string][]byte) string {
	weights := parseWeights(strings.Join(acceptEncoding, ","))
	best, bestWeight := identity, 0.0
	for _, c := range codings {
		if _, ok := have[c]; !ok {
			continue
		}
		if w := weightOf(weights, c); w > bestWeight {
			best, bestWeight = c, w
		}
	}
	return best
}

// weightOf is what a client thinks of a coding: its own weight, else that of "*", else nothing. Identity without a
// weight is acceptable, but less than anything asked for by name.
func weightOf(weights map[string]float64, coding string) float64 {
	if w, ok := weights[coding]; ok {
		return w
	}
	if coding == identity {
		return leastWeight / 2
	}
	return weights["*"]
}

// leastWeight is the smallest weight that can be written: three decimals (RFC 9110 §12.4.2).
const leastWeight = 0.001

// parseWeights reads the field's codings in lower case. A weight that cannot be read counts as 0: rather a larger
// answer than one that the client cannot decode.
func parseWeights(field string) map[string]float64 {
	weights := map[string]float64{}
	for part := range strings.SplitSeq(field, ",") {
		coding, params, _ := strings.Cut(part, ";")
		coding = strings.ToLower(strings.TrimSpace(coding))
		if coding == "" {
			continue
		}
		weight := 1.0
		if name, q, ok := strings.Cut(strings.TrimSpace(params), "="); ok && strings.EqualFold(name, "q") {
			weight, _ = strconv.ParseFloat(q, 64)
		}
		weights[coding] = weight
	}
	return weights
}
