package config

import "strings"

// names lists all settings by their full names.
func names() []string {
	all := make([]string, len(settings))
	for i, s := range settings {
		all[i] = prefix + s.name
	}
	return all
}

// closest finds the known name that takes the fewest edits to get from name, and whether it is near enough to be
// what was meant: fewer edits than half of the name without the prefix, which all have in common.
func closest(name string) (known string, ok bool) {
	least := (len(name) - len(prefix) + 1) / 2
	for _, candidate := range names() {
		if d := distance(strings.ToUpper(name), candidate); d < least {
			known, ok, least = candidate, true, d
		}
	}
	return known, ok
}

// distance counts the bytes to insert, delete or replace to turn a into b (Levenshtein), a row of the table at a time.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
