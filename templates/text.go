package templates

import (
	"context"
	"io"
	"strings"

	"github.com/a-h/templ"

	"github.com/whichrule/whichrule/internal/i18n"
)

// rich shows a message with its code and line marks, lines as links. Written by
// hand, since white space between its parts must stay as it is.
func rich(text string) templ.Component { return segments(text, true) }

// richText is rich without links, for what is inside something that one clicks.
func richText(text string) templ.Component { return segments(text, false) }

func segments(text string, links bool) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		var b strings.Builder
		for _, s := range i18n.Segments(text) {
			t := templ.EscapeString(s.Text)
			switch {
			case s.Line && links:
				b.WriteString(`<a class="ln" href="#L` + t + `">` + t + `</a>`)
			case s.Code:
				b.WriteString("<code>" + t + "</code>")
			default:
				b.WriteString(t)
			}
		}
		_, err := io.WriteString(w, b.String())
		return err
	})
}

// marked shows a URL with its marked parts, without a blank between them.
func marked(parts []URLPart) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		var b strings.Builder
		for _, p := range parts {
			t := templ.EscapeString(p.Text)
			if p.Mark != "" {
				t = `<mark class="` + templ.EscapeString(p.Mark) + `">` + t + "</mark>"
			}
			b.WriteString(t)
		}
		_, err := io.WriteString(w, b.String())
		return err
	})
}
