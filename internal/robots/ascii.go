package robots

// Letter case and blanks are those of ASCII only, as in Google's matcher; the
// functions of package strings know Unicode's and would find more.

func isLetter(c byte) bool  { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isLineEnd(c byte) bool { return c == '\n' || c == '\r' }

func isBlank(c byte) bool {
	switch c {
	case ' ', '\t', '\n', '\v', '\f', '\r':
		return true
	}
	return false
}

// trim returns what is left of s[from:to] without the blanks at both ends.
func trim(s string, from, to int) (int, int) {
	for from < to && isBlank(s[from]) {
		from++
	}
	for from < to && isBlank(s[to-1]) {
		to--
	}
	return from, to
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func hasPrefixFold(s, prefix string) bool {
	if len(s) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		if lower(s[i]) != lower(prefix[i]) {
			return false
		}
	}
	return true
}

func equalFold(s, t string) bool { return len(s) == len(t) && hasPrefixFold(s, t) }

// isEscape reports whether s starts with "%" and two hex digits.
func isEscape(s string) bool {
	return len(s) >= 3 && s[0] == '%' && isHex(s[1]) && isHex(s[2])
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

func upperHex(c byte) byte {
	if 'a' <= c {
		return c - ('a' - 'A')
	}
	return c
}

// appendEscaped appends s with its bytes outside ASCII percent-encoded and the
// hex digits of its escapes in upper case; with controls, blanks and control
// characters are encoded too. A "%" that starts no escape stays.
func appendEscaped(out []byte, s string, controls bool) []byte {
	const digits = "0123456789ABCDEF"
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case isEscape(s[i:]):
			out = append(out, '%', upperHex(s[i+1]), upperHex(s[i+2]))
			i += 2
		case c >= 0x80, controls && (c <= ' ' || c == 0x7F):
			out = append(out, '%', digits[c>>4], digits[c&15])
		default:
			out = append(out, c)
		}
	}
	return out
}
