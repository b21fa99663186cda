// Package i18n holds every sentence that a person reads, by message id, and
// gives them in the reader's language. English is the first; a language is one
// more file beside en.json.
//
// A message is plain text with two kinds of marks. {{.Name}} stands for a
// value. `Backticks` set code: package templates shows what stands between
// them as code, plain text drops the marks. Values never carry marks of their
// own, so text typed by a person cannot change how a sentence looks.
package i18n

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"sort"
	"strings"

	goi18n "github.com/nicksnyder/go-i18n/v2/i18n"
	"golang.org/x/text/language"
)

//go:embed en.json
var files embed.FS

// The marks inside a rendered message: private-use characters, which no
// catalogue text and no cleaned value holds.
const (
	codeOpen  = "\ue000"
	codeClose = "\ue001"
	lineOpen  = "\ue002"
	lineClose = "\ue003"
)

var (
	cleaner = strings.NewReplacer(codeOpen, "\ufffd", codeClose, "\ufffd", lineOpen, "\ufffd", lineClose, "\ufffd")
	plainer = strings.NewReplacer(codeOpen, "", codeClose, "", lineOpen, "", lineClose, "")
)

// Line is a line number of the file under test; pages make it a link to the
// line.
type Line int

// Code is a value that is shown as code.
type Code string

// Marked is a value that this package worded, whose marks are its own.
type Marked string

// Catalogue holds the messages of all languages.
type Catalogue struct {
	bundle *goi18n.Bundle
	ids    map[string]bool
}

// Load reads the embedded messages. It fails only when the files themselves
// are wrong.
func Load() (*Catalogue, error) {
	c := &Catalogue{bundle: goi18n.NewBundle(language.English), ids: map[string]bool{}}
	c.bundle.RegisterUnmarshalFunc("json", func(b []byte, v any) error {
		return json.Unmarshal([]byte(setCode(string(b))), v)
	})
	f, err := c.bundle.LoadMessageFileFS(files, "en.json")
	if err != nil {
		return nil, fmt.Errorf("load messages: %w", err)
	}
	for _, m := range f.Messages {
		c.ids[m.ID] = true
	}
	return c, nil
}

// setCode turns backtick pairs into the marks.
func setCode(s string) string {
	var b strings.Builder
	open := false
	for _, r := range s {
		if r != '`' {
			b.WriteRune(r)
			continue
		}
		if open {
			b.WriteString(codeClose)
		} else {
			b.WriteString(codeOpen)
		}
		open = !open
	}
	return b.String()
}

// IDs lists the ids of all messages, sorted.
func (c *Catalogue) IDs() []string {
	ids := make([]string, 0, len(c.ids))
	for id := range c.ids {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	return ids
}

// Words gives the messages for a reader who prefers these languages, in the
// form of an Accept-Language header.
func (c *Catalogue) Words(accept string) *Words {
	return &Words{c: c, loc: goi18n.NewLocalizer(c.bundle, accept), Lang: "en"}
}

// Words gives messages in one language.
type Words struct {
	c    *Catalogue
	loc  *goi18n.Localizer
	Lang string // BCP 47 tag, for <html lang>
}

// Rich gives the message with that id, with its marks, for [Segments]. args
// are pairs of a name and a value; the whole number named "N" chooses the
// plural form and is shown with its thousands apart. An id that does not exist
// is shown as it stands: a test finds it.
func (w *Words) Rich(id string, args ...any) string {
	cfg := goi18n.LocalizeConfig{MessageID: id}
	if len(args) > 0 {
		data := make(map[string]any, len(args)/2)
		for i := 0; i+1 < len(args); i += 2 {
			name := args[i].(string)
			switch v := args[i+1].(type) {
			case string:
				data[name] = cleaner.Replace(v)
			case Code:
				data[name] = codeOpen + cleaner.Replace(string(v)) + codeClose
			case Marked:
				data[name] = string(v)
			case Line:
				data[name] = fmt.Sprint(lineOpen, int(v), lineClose)
			default:
				data[name] = v
			}
			if n, ok := args[i+1].(int); ok && name == "N" {
				cfg.PluralCount = n
				data[name] = w.Number(n)
			}
		}
		cfg.TemplateData = data
	}
	s, err := w.loc.Localize(&cfg)
	if err != nil && cfg.PluralCount != nil {
		// One form for every number.
		cfg.PluralCount = nil
		s, err = w.loc.Localize(&cfg)
	}
	if err != nil {
		return id
	}
	return s
}

// T gives the message as plain text.
func (w *Words) T(id string, args ...any) string { return plainer.Replace(w.Rich(id, args...)) }

// Has says whether there is a message with that id.
func (w *Words) Has(id string) bool { return w.c.ids[id] }

// Plain drops the marks from a message that Rich gave.
func Plain(rich string) string { return plainer.Replace(rich) }

// Segment is a piece of a message.
type Segment struct {
	Text string
	Code bool
	Line bool // Text is a line number
}

// Segments cuts a message that Rich gave at its marks.
func Segments(rich string) []Segment {
	var out []Segment
	var cur Segment
	flush := func(next Segment) {
		if cur.Text != "" {
			out = append(out, cur)
		}
		cur = next
	}
	for _, r := range rich {
		switch string(r) {
		case codeOpen:
			flush(Segment{Code: true})
		case lineOpen:
			flush(Segment{Line: true, Code: cur.Code})
		case codeClose, lineClose:
			flush(Segment{})
		default:
			cur.Text += string(r)
		}
	}
	flush(Segment{})
	return out
}

type key struct{}

// With gives a context that carries the reader's words.
func With(ctx context.Context, w *Words) context.Context { return context.WithValue(ctx, key{}, w) }

// From gives the words of a context that With made.
func From(ctx context.Context) *Words { return ctx.Value(key{}).(*Words) }

// T gives a message as plain text in the language of the context.
func T(ctx context.Context, id string, args ...any) string { return From(ctx).T(id, args...) }
