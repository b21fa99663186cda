package robots

import "strings"

// Path returns the part of a URL that rules are matched against: path,
// parameters and query, as Google's matcher cuts them out. Nothing is parsed,
// resolved, decoded or encoded. It starts at the first "/", "?" or ";" behind the
// host, ends before the fragment or a NUL, and always begins with "/". Without a
// scheme everything up to that first character is the host: "a/b" gives "/b",
// "//a/b" gives "/b", "" gives "/".
func Path(url string) string {
	rest := strings.TrimPrefix(url, "//")
	search := rest
	// A "://" behind the first delimiter belongs to the path.
	early := strings.IndexAny(rest, "/?;")
	if scheme := strings.Index(rest, "://"); scheme >= 0 && scheme < early {
		search = rest[scheme+len("://"):]
	}
	start := strings.IndexAny(search, "/?;")
	if start < 0 {
		return "/"
	}
	start += len(rest) - len(search)
	end := len(rest)
	if hash := strings.IndexByte(rest, '#'); hash >= 0 {
		if hash < start {
			return "/"
		}
		end = hash
	}
	path, _, _ := strings.Cut(rest[start:end], "\x00")
	if path[0] != '/' {
		return "/" + path
	}
	return path
}

// NormalizePath brings what a person typed behind the host of an http or https
// URL into the form in which browsers and crawlers ask for it, following the
// WHATWG URL standard. The result is what Selection.Match takes (not Path, which
// reads a leading "//" as a host): it starts with "/" and is ASCII.
//
//   - tabs and line ends are removed, the fragment is dropped
//   - backslashes before the first "?" become slashes
//   - "." and ".." segments of the path are resolved, "%2e" is a dot too
//   - blanks, control characters and bytes outside ASCII are percent-encoded
//   - hex digits of escapes are put in upper case
//
// Nothing else changes: nothing is decoded, an empty segment stays, and so do
// the characters " < > ^ { | } and the backquote, which browsers treat unalike.
func NormalizePath(s string) string {
	if strings.ContainsAny(s, "\t\n\r") {
		s = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(s)
	}
	s, _, _ = strings.Cut(s, "#")
	path, query, hasQuery := strings.Cut(s, "?")

	// out always holds whole segments, each behind its slash, so that going up
	// means to cut at the last slash.
	out := make([]byte, 0, len(s)+1)
	if path != "" && isSlash(path[0]) {
		path = path[1:]
	}
	for more := true; more; {
		segment := path
		i := strings.IndexAny(path, `/\`)
		if more = i >= 0; more {
			segment, path = path[:i], path[i+1:]
		}
		switch dots(segment) {
		case 2:
			n := len(out)
			for n > 0 && out[n-1] != '/' {
				n--
			}
			out = out[:max(n-1, 0)]
			if !more {
				out = append(out, '/')
			}
		case 1:
			if !more {
				out = append(out, '/')
			}
		default:
			out = appendEscaped(append(out, '/'), segment, true)
		}
	}
	if hasQuery {
		out = appendEscaped(append(out, '?'), query, true)
	}
	return string(out)
}

func isSlash(c byte) bool { return c == '/' || c == '\\' }

// dots returns 1 for the segment ".", 2 for "..", however the dots are written,
// and 0 for any other.
func dots(segment string) int {
	n := 0
	for segment != "" {
		switch {
		case segment[0] == '.':
			segment = segment[1:]
		case hasPrefixFold(segment, "%2e"):
			segment = segment[len("%2e"):]
		default:
			return 0
		}
		if n++; n > 2 {
			return 0
		}
	}
	return n
}
