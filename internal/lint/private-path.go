package lint

import "strings"

// privatePath finds rules that tell everybody where something lies that nobody should
// find: the file is public. What every site has, such as /admin/ or /cart/, tells
// nothing.
func privatePath(in *input) []Finding {
	var c collect
	seen := map[string]bool{}
	for _, g := range in.groups {
		for _, r := range g.rules {
			if seen[r.Pattern] || !strings.HasPrefix(r.Pattern, "/") || len(r.Pattern) > maxPrivate {
				continue
			}
			seen[r.Pattern] = true
			if word := privacy(strings.ToLower(r.Pattern)); word != "" && !r.Allow {
				c.add(word, in.record(r.Line))
			}
		}
	}
	var out []Finding
	for _, word := range c.sorts {
		lines := c.lines[word]
		f := Finding{Severity: Note, Lines: numbers(lines), Source: "https://www.rfc-editor.org/rfc/rfc9309.html#section-3"}
		if word == "secret" {
			f.Severity = Warning
		}
		f.Message = PrivatePath.say(word, "N", len(lines), "Line", line(lines[0].n), "Path", code(lines[0].Value))
		out = append(out, f)
	}
	return out
}

// maxPrivate bounds the rules looked at, in bytes: longer paths name pages.
const maxPrivate = 200

// Ends of names of files that hold code, keys or copies of data, and folders of such.
var (
	privateEnds    = []string{".sql", ".sql.gz", ".sql.zip", ".bak", ".pem", ".htpasswd", ".mdb"}
	privateFolders = []string{".git", ".svn", ".hg", ".env", ".ssh", ".aws", ".htpasswd", "id_rsa", "passwd", "credentials", "secret", "secrets", "confidential"}
	hiddenFolders  = []string{"private", "internal", "intranet", "staff-only"}
)

// privacy says what a path gives away: "secret", "private" or "" for nothing.
func privacy(pattern string) string {
	word := ""
	for part := range strings.SplitSeq(strings.TrimRight(pattern, "$*"), "/") {
		for _, end := range privateEnds {
			if name, ok := strings.CutSuffix(part, end); ok && strings.Trim(name, "*") != "" {
				return "secret"
			}
		}
		for _, f := range privateFolders {
			if part == f {
				return "secret"
			}
		}
		if isBackup(part) || isHiddenAdmin(part) {
			return "secret"
		}
		for _, f := range hiddenFolders {
			if part == f {
				word = "private"
			}
		}
	}
	return word
}

// words cuts a part of a path at what stands between words, and before digits.
func words(part string) []string {
	return strings.FieldsFunc(part, func(r rune) bool { return r < 'a' || r > 'z' })
}

// isBackup says whether a part of a path names a copy of a site: "backup", and nothing
// but what such copies are called.
func isBackup(part string) bool {
	found := false
	for _, w := range words(part) {
		switch w {
		case "backup", "backups":
			found = true
		case "db", "database", "site", "www", "web", "sql", "mysql", "full", "old", "new", "daily", "weekly", "data", "files", "zip", "tar", "gz", "tgz", "html", "php":
		default:
			return false
		}
	}
	return found && !strings.Contains(part, "*")
}

// isHiddenAdmin says whether a part of a path names a way in that is to be hidden.
func isHiddenAdmin(part string) bool {
	secret, admin := false, false
	for _, w := range words(part) {
		switch w {
		case "secret", "hidden":
			secret = true
		case "admin", "login", "panel", "backend", "dashboard":
			admin = true
		}
	}
	return secret && admin
}
