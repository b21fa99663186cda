package lint

// longLine finds lines of which Google's matcher drops the end.
func longLine(in *input) []Finding {
	var out []Finding
	for _, r := range in.records {
		if !r.Cut || keys[r.kind] == "" || len(out) == MaxFindings {
			continue
		}
		word := "other"
		if key := keys[r.kind]; key == "Allow" || key == "Disallow" {
			word = "rule"
		}
		out = append(out, Finding{
			Severity: Warning, Lines: []int{r.n}, Source: googleMatcher,
			Message: LongLine.say(word, "Line", line(r.n), "N", r.End-r.Start),
		})
	}
	return out
}
