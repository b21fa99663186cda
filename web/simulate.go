package web

import (
	"strconv"
	"strings"

	"github.com/whichrule/whichrule/internal/tester"
	"github.com/whichrule/whichrule/templates"
)

// pretences are the answers that the page offers to pretend: those that people
// ask about before they touch a server.
var pretences = []tester.Simulation{"200", "404", "403", "429", "500", "503", "timeout", tester.SimulatePage, "redirect-loop"}

// simulate makes the choice of answers to pretend.
func (p *page) simulate() templates.SimulateView {
	now := tester.Simulation("")
	if p.report != nil {
		now = p.report.Source.Simulated
	}
	v := templates.SimulateView{Open: now != ""}
	for _, s := range pretences {
		text := string(s)
		if _, err := strconv.Atoi(text); err != nil {
			text = p.words.T("simulate.name." + text)
		}
		v.Choices = append(v.Choices, templates.ChoiceView{Value: string(s), Text: text, Current: s == now})
	}
	return v
}

// pretended words what the server is pretended to do, as a part of a sentence.
func (p *page) pretended() string {
	s := p.report.Source.Simulated
	if status, err := strconv.Atoi(string(s)); err == nil {
		return p.words.T("simulate.status", "Status", status)
	}
	return p.words.T("simulate." + string(s))
}

// pretending puts before a heading what it is under; the heading alone where
// nothing is pretended.
func (p *page) pretending(heading string) string {
	if p.report.Source.Simulated == "" {
		return heading
	}
	return p.words.T("pretend.heading", "What", p.pretended(), "Heading", heading)
}

// pretence says in a sentence that an answer is pretended, to whoever pretends or
// to a reader of the share.
func (p *page) pretence() string {
	if p.shared != "" {
		return p.words.Rich("pretend.shared", "What", p.pretended())
	}
	return p.words.Rich("pretend.text", "What", p.pretended())
}

// pretend says that an answer is pretended, and what it changes.
func (p *page) pretend() *templates.PretendView {
	r := p.report
	if r.Source.Simulated == "" {
		return nil
	}
	counts, changed := map[tester.Verdict]int{}, 0
	for i := range r.Results {
		if now := r.Results[i].Verdict; now != r.Real[i] {
			counts[now]++
			changed++
		}
	}
	var parts []string
	for _, verdict := range []tester.Verdict{tester.Blocked, tester.Allowed, tester.NotTested} {
		if n := counts[verdict]; n > 0 {
			parts = append(parts, p.words.T("live.count."+string(verdict), "N", n))
		}
	}
	v := &templates.PretendView{Text: p.pretence(), Changes: p.words.Rich("pretend.none"), Stop: p.shared == ""}
	if changed > 0 {
		v.Changes = p.words.Rich("pretend.changes", "N", changed, "Counts", strings.Join(parts, ", "))
	}
	return v
}
