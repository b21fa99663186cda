package lint

import (
	"bytes"
	"strings"

	"github.com/whichrule/whichrule/internal/fetch"
)

// looks gives what the text is, by its bytes and the type that came with it.
func (in *input) looks() fetch.Look {
	if in.look == nil {
		contentType := ""
		if in.Outcome != nil {
			contentType = in.Outcome.ContentType
		}
		l := fetch.LookAt(contentType, in.Text)
		// A remark of HTML may stand in front of a file of rules.
		if len(in.groups) > 0 && bytes.HasPrefix(bytes.TrimLeft(bytes.TrimPrefix(in.Text, []byte("\ufeff")), " \t\r\n"), []byte("<!--")) {
			l.HTML = false
		}
		in.look = &l
	}
	return *in.look
}

// html finds web pages in the place of the file, and files that are sent as one.
func html(in *input) []Finding {
	look := in.looks()
	rules := 0
	for _, g := range in.groups {
		rules += len(g.rules)
	}
	switch {
	case look.HTML && rules == 0:
		return []Finding{{Severity: Problem, Source: googleSpec, Message: HTML.say("page")}}
	case look.HTML:
		return []Finding{{Severity: Problem, Source: googleSpec, Message: HTML.say("rules", "N", rules)}}
	case look.Type != "" && look.Type != "text/plain" && rules > 0:
		return []Finding{{Severity: Note, Source: yandexRobots, Crawlers: []string{"YandexBot"}, Message: HTML.say("type", "Type", code(strings.ToLower(look.Type)))}}
	}
	return nil
}
