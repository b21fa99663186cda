package config

import (
	"strings"

	"github.com/agnivade/levenshtein"
)

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
		if d := levenshtein.ComputeDistance(strings.ToUpper(name), candidate); d < least {
			known, ok, least = candidate, true, d
		}
	}
	return known, ok
}
