package lint

import (
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/whichrule/whichrule/internal/robots"
)

const googleMatcher = "https://github.com/google/robotstxt"

// keys are those of RFC 9309 and the Sitemap line, by what their lines are read as.
var keys = map[robots.LineKind]string{
	robots.LineUserAgent: "User-agent",
	robots.LineAllow:     "Allow",
	robots.LineDisallow:  "Disallow",
	robots.LineSitemap:   "Sitemap",
}

// typo finds keys that only Google forgives, and lines that nobody reads although they
// look much like one of those that count.
func typo(in *input) []Finding {
	var c collect
	meant := map[int][2]string{} // key and value by line
	for _, r := range in.records {
		key := keys[r.kind]
		if word := blanks(r); word != "" {
			c.add(word+" "+key, r)
		}
		switch {
		case key == "":
			if k, v := in.misspelt(r); k != "" {
				meant[r.n] = [2]string{k, v}
				c.add("unread "+k, r)
			} else if r.kind == robots.LineGarbage && isLonePath(in.text(r)) {
				c.add("path", r)
			}
		case strings.ContainsAny(r.Key, "/*"): // "Disallow /a:b"
			if _, v, _ := strings.Cut(in.text(r), " "); isPath(strings.TrimSpace(v)) {
				meant[r.n] = [2]string{key, strings.TrimSpace(v)}
				c.add("unread "+key, r)
			}
		case r.Typo:
			c.add("forgiven "+key, r)
		case r.Longer:
			c.add("longer "+key, r)
		case r.NoColon:
			c.add("colon "+key, r)
		}
	}
	var out []Finding
	for _, sort := range c.sorts {
		lines := c.lines[sort]
		first := lines[0]
		word, key, _ := strings.Cut(sort, " ")
		f := Finding{Severity: Warning, Lines: numbers(lines), Source: googleMatcher}
		switch word {
		case "path":
			f.Message = Typo.say("path", "N", len(lines), "Line", line(first.n), "Path", code(in.text(first)))
			f.Source = rfc9309Rules
		case "unread":
			f.Message = Typo.say("unread", "N", len(lines), "Line", line(first.n), "Written", code(in.text(first)), "Key", code(key+":"))
			f.Source = rfc9309Rules
			f.Fix = in.rewrite(Typo.say("fix.unread", "N", len(lines), "Key", code(key+":")), lines, func(r record) []string {
				return in.putEach(r, key, meant[r.n][1])
			})
		case "paths":
			f.Message = Typo.say("paths", "N", len(lines), "Line", line(first.n), "Value", code(first.Value))
			f.Source = rfc9309Rules
			f.Fix = in.rewrite(Typo.say("fix.paths"), lines, func(r record) []string { return in.putEach(r, key, r.Value) })
		case "joined":
			f.Message = Typo.say("joined", "N", len(lines), "Line", line(first.n), "Second", code(joined(first.Value)[1]))
			f.Source = rfc9309Rules
			f.Fix = in.rewrite(Typo.say("fix.joined"), lines, func(r record) []string {
				all := joined(r.Value)
				return append([]string{in.put(r, key, all[0])}, all[1:]...)
			})
		case "blank", "odd":
			f.Message = Typo.say("blank", "N", len(lines), "Line", line(first.n), "Value", code(first.Value))
			f.Source = rfc9309Rules
			if word == "blank" {
				f.Fix = in.rewrite(Typo.say("fix.blank"), lines, func(r record) []string {
					return []string{in.put(r, key, strings.ReplaceAll(r.Value, " ", "%20"))}
				})
			}
		case "colon":
			f.Message = Typo.say("colon", "N", len(lines), "Line", line(first.n), "Key", code(key))
			f.Fix = in.respell(Typo.say("fix.colon", "N", len(lines)), lines)
		default:
			f.Message = Typo.say(word, "N", len(lines), "Line", line(first.n), "Written", code(first.Key), "Key", code(key))
			f.Fix = in.respell(Typo.say("fix.key", "N", len(lines), "Key", code(key)), lines)
		}
		out = append(out, f)
	}
	return out
}

// blanks says what a blank in the value of a rule was meant for: "joined" when it stands
// in the place of a line end, "paths" when it parts some, "blank" when it stands in the name of a folder or file, "odd" when nobody can
// say, and "" where there is none. No URL has one, so such a rule never matches.
func blanks(r record) string {
	if r.kind != robots.LineAllow && r.kind != robots.LineDisallow || !isPath(r.Value) || !strings.ContainsAny(r.Value, " \t") {
		return ""
	}
	switch {
	case len(joined(r.Value)) > 1:
		return "joined"
	case paths(r.Value) != nil:
		return "paths"
	}
	for i := range len(r.Value) {
		if c := r.Value[i]; c == '\t' || c == ':' || c == ' ' && (!isWord(r.Value[i-1:i]) || !isWord(r.Value[i+1:i+2])) {
			return "odd"
		}
	}
	return "blank"
}

// joined parts a value where a blank is followed by a key with its colon, as lines do
// that have lost their line ends.
func joined(value string) []string {
	var all []string
	start := 0
	for i := range len(value) {
		if (value[i] == ' ' || value[i] == '\t') && startsLine(value[i+1:]) {
			all = append(all, strings.TrimRight(value[start:i], " \t"))
			start = i + 1
		}
	}
	return append(all, value[start:])
}

// startsLine says whether a text starts with a key and a colon.
func startsLine(s string) bool {
	for _, key := range []string{"User-agent", "Disallow", "Allow", "Sitemap", "Crawl-delay"} {
		if n := len(key); len(s) > n && s[n] == ':' && strings.EqualFold(s[:n], key) {
			return true
		}
	}
	return false
}

// putEach writes a line with that key, one for each path in the value.
func (in *input) putEach(r record, key, value string) []string {
	all := paths(value)
	if len(all) < 2 {
		return []string{in.put(r, key, value)}
	}
	lines := []string{in.put(r, key, all[0])}
	for _, p := range all[1:] {
		lines = append(lines, key+": "+p)
	}
	return lines
}

// respell writes lines with the key that they are read with.
func (in *input) respell(sentence Message, lines []record) *Fix {
	return in.rewrite(sentence, lines, func(r record) []string { return []string{in.put(r, keys[r.kind], r.Value)} })
}

// text gives a line without its comment, trimmed.
func (in *input) text(r record) string {
	s, _, _ := strings.Cut(in.raw(r), "#")
	s, _, _ = strings.Cut(s, "\x00")
	return strings.Trim(s, " \t\v\f")
}

// misspelt gives what a line that nobody reads was meant as, or "". It takes no line whose
// value does not fit: plain words may start like a key.
func (in *input) misspelt(r record) (key, value string) {
	const most = 40 // bytes of a key: twice the longest with room for oddities
	if r.End-r.Start > maxFixBytes {
		return "", ""
	}
	text := in.text(r)
	switch {
	case hasInvisible(text): // kind encoding tells it
	case r.kind == robots.LineUnknown && !r.NoColon && len(r.Key) <= most:
		key, value = closeKey(r.Key), r.Value
	case r.kind == robots.LineGarbage || r.NoColon:
		key, value = keyInFront(text)
		if key != "User-agent" && key != "Sitemap" && paths(value) == nil {
			return "", "" // it goes on as a sentence
		}
	}
	switch {
	case key == "User-agent" && value != "":
	case key == "Sitemap" && strings.Contains(value, "://"):
	case (key == "Allow" || key == "Disallow") && (isPath(value) || value == "" && !r.NoColon && r.kind == robots.LineUnknown):
	default:
		return "", ""
	}
	return key, value
}

// closeKey gives the key that one is misspelt from: but for what is no letter it is the
// same, or one edit makes it so, or two where it is long.
func closeKey(written string) string {
	bare := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r
		}
		return -1
	}, strings.ToLower(written))
	if ignoredKeys[bare].word != "" {
		return ""
	}
	for _, k := range []string{"Disallow", "Allow", "User-agent", "Sitemap"} {
		to := strings.ToLower(strings.ReplaceAll(k, "-", ""))
		most := 1
		if len(to) >= 8 {
			most = 2
		}
		if d := len(bare) - len(to); d <= most && -d <= most && levenshtein.ComputeDistance(bare, to) <= most {
			return k
		}
	}
	return ""
}

// keyInFront finds a key at the start of a line without a colon that counts, such as
// "Disallow=/a", and what stands behind it.
func keyInFront(text string) (key, value string) {
	lower := strings.ToLower(text[:min(len(text), len("user-agent"))])
	for _, k := range []string{"Disallow", "Allow", "User-agent", "Sitemap"} {
		if !strings.HasPrefix(lower, strings.ToLower(k)) {
			continue
		}
		rest := text[len(k):]
		value = strings.TrimLeft(rest, " \t=;,.>\uff1a")
		odd := strings.Trim(rest[:len(rest)-len(value)], " \t") != ""
		if k == "User-agent" && !odd && value != "*" {
			return "", "" // it may go on as a sentence
		}
		return k, value
	}
	return "", ""
}

// paths gives the parts of a value between blanks, or nil if they are not all paths. Of
// several none may be everything: a stray "/" or "*" is no path that somebody listed.
func paths(value string) []string {
	all := strings.Fields(value)
	for _, p := range all {
		if !isPath(p) || len(all) > 1 && strings.Trim(p, "/*$") == "" {
			return nil
		}
	}
	return all
}

// isPath says whether a value can be a rule's.
func isPath(value string) bool {
	return strings.HasPrefix(value, "/") || strings.HasPrefix(value, "*")
}

// isLonePath says whether a line is nothing but a path. "//" and "/*" open remarks in
// other languages.
func isLonePath(text string) bool {
	if len(text) < 2 || text[0] != '/' || strings.ContainsAny(text, " \t<>") {
		return false
	}
	c := text[1]
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '_' || c == '.'
}
