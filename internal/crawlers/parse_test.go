package crawlers

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite crawlers.json in its canonical form")

// The keys of an entry, in the order of crawlers.json.
var keys = []string{
	"token", "aliases", "operator", "category", "also", "tier", "status",
	"fallback", "fallback_note",
	"honours_robots_txt", "honours_note", "honours_basis", "wildcard_applies", "wildcard_basis",
	"blocking_means", "crawl_delay", "crawl_delay_note", "http_status_handling", "other_lines",
	"user_agent", "user_agent_source",
	"documentation", "sources", "source_date", "confidence", "operator_documented", "notes",
}

// One key per line, keys in a fixed order, nothing empty, entries by token:
// so an edit shows as the lines that it changes. -update puts it right.
func TestDataIsCanonical(t *testing.T) {
	var file struct {
		Collected string
		Crawlers  []map[string]any
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&file); err != nil {
		t.Fatal(err)
	}
	slices.SortStableFunc(file.Crawlers, func(a, b map[string]any) int {
		return strings.Compare(lower(fmt.Sprint(a["token"])), lower(fmt.Sprint(b["token"])))
	})

	var want bytes.Buffer
	fmt.Fprintf(&want, "{\n\"collected\": %q,\n\"crawlers\": [\n", file.Collected)
	for i, entry := range file.Crawlers {
		var lines []string
		for _, k := range keys {
			v, ok := entry[k]
			delete(entry, k)
			empty, _ := v.([]any)
			if ok && v != nil && v != "" && (k == "fallback" || empty == nil || len(empty) > 0) {
				lines = append(lines, fmt.Sprintf("    %q: %s", k, inline(t, v)))
			}
		}
		for k := range entry {
			t.Errorf("entry %d: unknown key %q", i, k)
		}
		want.WriteString("  {\n" + strings.Join(lines, ",\n") + "\n  }")
		if i < len(file.Crawlers)-1 {
			want.WriteByte(',')
		}
		want.WriteByte('\n')
	}
	want.WriteString("]\n}\n")

	if *update {
		if err := os.WriteFile("crawlers.json", want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	gotLines, wantLines := strings.Split(string(data), "\n"), strings.Split(want.String(), "\n")
	for i := range max(len(gotLines), len(wantLines)) {
		if i >= len(gotLines) || i >= len(wantLines) || gotLines[i] != wantLines[i] {
			t.Fatalf("crawlers.json:%d is not in canonical form; run go test ./internal/crawlers -run Canonical -update", i+1)
		}
	}
}

// inline writes a value on one line, a blank after each comma.
func inline(t *testing.T, v any) string {
	if list, ok := v.([]any); ok {
		parts := make([]string, len(list))
		for i, e := range list {
			parts[i] = inline(t, e)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}

func TestEntryFitsOnAScreen(t *testing.T) {
	const screen = 30 // lines
	lines := 0
	for n, line := range strings.Split(string(data), "\n") {
		if lines++; strings.HasPrefix(line, "  {") {
			lines = 1
		}
		if strings.HasPrefix(line, "  }") && lines > screen {
			t.Errorf("crawlers.json:%d: the entry has %d lines; want %d at most", n+1, lines, screen)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	const good = `{"collected": "2026-11-30", "crawlers": [
		{"token": "Foobot", "aliases": ["Foobar"], "operator": "Foo", "category": "ai_search", "tier": 1, "status": "active",
			"fallback": ["Foobot", "Bazbot", "(other bots)", "*"],
			"honours_robots_txt": "yes", "honours_basis": "operator-text", "wildcard_applies": "yes", "wildcard_basis": "operator-text",
			"blocking_means": "Nothing.", "crawl_delay": "no", "user_agent": "Foobot/1.0", "user_agent_source": "operator",
			"documentation": "https://foo.example/bot", "sources": ["https://foo.example/src"], "source_date": "2026",
			"confidence": "high", "operator_documented": true},
		{"token": "Bazbot", "operator": "Google", "category": "ads", "tier": 2, "status": "retired", "fallback": [],
			"honours_robots_txt": "no", "honours_basis": "operator-text", "wildcard_applies": "no", "wildcard_basis": "not-applied",
			"blocking_means": "Nothing.", "crawl_delay": "unknown", "documentation": "https://baz.example/bot",
			"sources": ["https://baz.example"], "source_date": "2026", "confidence": "low", "operator_documented": true}]}`
	if _, err := parse([]byte(good)); err != nil {
		t.Fatal(err)
	}

	tests := []struct {
		name, old, new, want string
	}{
		{"no JSON", `{"collected"`, `{`, "read crawlers"},
		{"unknown key", `"tier": 1`, `"tier": 1, "rank": 1`, "rank"},
		{"no date of collection", `"2026-11-30"`, `"last week"`, "collected"},
		{"token twice, in another case", `"token": "Bazbot"`, `"token": "foobot"`, "token is taken"},
		{"alias is the token", `["Foobar"]`, `["foobot"]`, `alias "foobot" is taken`},
		{"alias twice", `["Foobar"]`, `["Foobar", "foobar"]`, `alias "foobar" is taken`},
		{"no token", `"token": "Bazbot"`, `"token": ""`, "cannot be a name"},
		{"token with a version", `"token": "Bazbot"`, `"token": "Bazbot/1"`, "cannot be a name"},
		{"star as alias", `["Foobar"]`, `["*"]`, "cannot be a name"},
		{"Google's code would cut the token", `"token": "Bazbot"`, `"token": "Baz2bot"`, "cannot be a name"},
		{"unknown category", `"ai_search"`, `"ai"`, `unknown category "ai"`},
		{"category twice", `"tier": 1`, `"also": ["ai_search"], "tier": 1`, "named twice"},
		{"unknown tier", `"tier": 1`, `"tier": 4`, "tier is 4"},
		{"unknown status", `"retired"`, `"dead"`, `status is "dead"`},
		{"no operator", `"Foo"`, `""`, "operator"},
		{"no source", `["https://foo.example/src"]`, `[]`, "sources"},
		{"empty source", `["https://foo.example/src"]`, `[""]`, "sources"},
		{"source is no address", `https://foo.example/src`, `the operator`, "no web address"},
		{"no date", `"source_date": "2026",
			"confidence": "high"`, `"confidence": "high"`, "source_date"},
		{"user agent from nowhere", `, "user_agent_source": "operator"`, ``, "go together"},
		{"claim without basis", `"honours_basis": "operator-text"`, `"honours_basis": "none"`, "on basis"},
		{"basis without claim", `"wildcard_applies": "yes"`, `"wildcard_applies": "unclear"`, "on basis"},
		{"operator text without its page", `"documentation": "https://foo.example/bot",`, ``, "without its page"},
		{"operator text of an undocumented crawler", `"operator_documented": true`, `"operator_documented": false`, "without its page"},
		{"assumed from a statement of the operator that there is not", `"wildcard_basis": "operator-text"`, `"wildcard_basis": "rfc9309-third-party"`, "not drawn from"},
		{"not applied, as somebody else says", `"honours_robots_txt": "no", "honours_basis": "operator-text"`, `"honours_robots_txt": "no", "honours_basis": "third-party"`, "not drawn from"},
		{"user agent from an operator that does not describe it", `"operator_documented": true`, `"operator_documented": false`, "does not describe the crawler"},
		{"obeys nothing but has a chain", `"fallback": []`, `"fallback": ["Bazbot"]`, "honours_robots_txt"},
		{"obeys without a chain", `"fallback": ["Foobot", "Bazbot", "(other bots)", "*"]`, `"fallback": []`, "honours_robots_txt"},
		{"star that does not apply", `"wildcard_applies": "yes"`, `"wildcard_applies": "no"`, "wildcard_applies"},
		{"no star although it applies", `, "*"]`, `]`, "wildcard_applies"},
		{"star in mid-chain", `"(other bots)", "*"`, `"*", "Foobar"`, "not the end"},
		{"token late in the chain", `["Foobot", "Bazbot",`, `["Bazbot", "Foobot",`, "not the start"},
		{"link twice", `"(other bots)"`, `"bazbot"`, "twice"},
		{"link is no crawler", `"(other bots)"`, `"Quxbot"`, "no token"},
		{"link is an alias", `"(other bots)"`, `"Foobar"`, "no token"},
		{"link is the token of another and an alias", `["Foobar"]`, `["Bazbot"]`, "implied"},
		{"link misspelt", `"Foobot", "Bazbot"`, `"Foobot", "BazBot"`, "no token"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			broken := strings.Replace(good, tt.old, tt.new, 1)
			if broken == good {
				t.Fatalf("%q is not in the sample", tt.old)
			}
			_, err := parse([]byte(broken))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %v; want one about %q", err, tt.want)
			}
		})
	}
}
