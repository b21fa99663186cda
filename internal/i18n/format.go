package i18n

import (
	"fmt"
	"strconv"
	"time"
)

// Time words a moment, to the minute, in UTC.
func (w *Words) Time(t time.Time) string { return t.UTC().Format("2 January 2006, 15:04 UTC") }

// Clock words the time of day of a moment, in UTC.
func (w *Words) Clock(t time.Time) string { return t.UTC().Format("15:04 UTC") }

// Bytes words a size: bytes up to 1,023, then KiB.
func (w *Words) Bytes(n int) string {
	if n < 1<<10 {
		return w.T("size.bytes", "N", n)
	}
	kib := float64(n) / (1 << 10)
	if kib < 9.95 {
		return w.T("size.kib", "Size", strconv.FormatFloat(kib, 'f', 1, 64))
	}
	return w.T("size.kib", "Size", w.Number(int(kib+0.5)))
}

// Span words a stretch of time in its largest whole unit, or near enough.
func (w *Words) Span(d time.Duration) string {
	const day = 24 * time.Hour
	units := []struct {
		id string
		d  time.Duration
	}{{"span.days", day}, {"span.hours", time.Hour}, {"span.minutes", time.Minute}, {"span.seconds", time.Second}}
	for _, u := range units {
		// Whole, or so many that the rest does not matter.
		if d >= u.d && d%u.d == 0 || d >= 10*u.d {
			return w.T(u.id, "N", int(d.Round(u.d)/u.d))
		}
	}
	return w.T("span.seconds", "N", int(d/time.Second))
}

// Number words a whole number, its thousands apart.
func (w *Words) Number(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Lines words runs of neighbouring line numbers, each given by its first and
// last: "7–9 and 12". Beyond five runs it counts the rest of total lines.
func (w *Words) Lines(runs [][2]int, total int) Marked {
	const most = 5
	var parts []string
	for i, r := range runs {
		if i == most {
			parts = append(parts, w.T("lines.more", "N", total))
			break
		}
		total -= r[1] - r[0] + 1
		part := lineOpen + strconv.Itoa(r[0]) + lineClose
		if r[1] > r[0] {
			part += fmt.Sprint("–", lineOpen, r[1], lineClose)
		}
		parts = append(parts, part)
	}
	switch n := len(parts); n {
	case 0:
		return ""
	case 1:
		return Marked(parts[0])
	default:
		s := parts[0]
		for _, p := range parts[1 : n-1] {
			s += ", " + p
		}
		return Marked(s + w.T("lines.and") + parts[n-1])
	}
}
