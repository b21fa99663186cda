package web

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/whichrule/whichrule/internal/access"
	"github.com/whichrule/whichrule/internal/crawlers"
	"github.com/whichrule/whichrule/internal/fetch"
	"github.com/whichrule/whichrule/internal/i18n"
	"github.com/whichrule/whichrule/internal/lint"
	"github.com/whichrule/whichrule/internal/robots"
	"github.com/whichrule/whichrule/internal/tester"
)

// wording is where sentences are made.
var wording = []string{".", "../templates", "../internal/app", "../internal/i18n", "../internal/lint", "../internal/tester"}

// families gives the ids of calls that make an id of parts: what is no literal
// is written *, and a call that names a variable is known by that and its
// function. A new call of the kind fails the test until it has a row here.
func families() map[string][]string {
	reasons := texts(
		robots.LongestRule, robots.TieAllowWins, robots.EmptyRule, robots.NoRuleMatches, robots.EmptyNamedGroup, robots.NoGroup,
	)
	verdicts := texts(tester.Allowed, tester.Blocked, tester.NotTested)
	decided := texts(tester.Allowed, tester.Blocked)
	categories := texts(crawlers.Categories()...)
	fetching := slices.DeleteFunc(slices.Clone(categories), func(c string) bool { return c == string(crawlers.ControlOnly) })
	hows := texts(tester.HowNamed, tester.HowFallback, tester.HowStar, tester.HowNone)
	accessReasons := texts(tester.ReasonAccessAllowAll, tester.ReasonAccessBlockAll, tester.ReasonUnknown)
	urlKinds := texts(fetch.SiteScheme, fetch.SiteUserinfo, fetch.SiteHost, fetch.SitePort, fetch.SiteTooLong)
	problems := []string{
		"content-type",
		errNotFound.Kind, errMethod.Kind, errGone.Kind, errNoShare.Kind, errToken.Kind, errOrigin.Kind, errNoCrawler.Kind,
		limited("limit-tests", 0).Kind, limited("limit-fetches", 0).Kind, limited("limit-shares", 0).Kind,
		"form", "internal", "interrupted", "store-full", "store-unavailable", "share-unavailable", "delete-unavailable", "share-too-large", errBusy.Kind, errSlow.Kind,
		"too-large-body", "too-large-robots", "too-large-url",
		"nothing-given", "simulate", "crawler-too-long", "too-many-crawlers", "too-many-urls", "url-too-long", "too-much-work",
		"site-" + fetch.SiteEmpty, errNoLive.Kind, "preset", "fix",
	}
	for _, k := range urlKinds {
		problems = append(problems, "site-"+k)
	}
	states := texts(tester.Open, tester.Partly, tester.Closed, tester.NotControlled, tester.Untold)
	marks := []string{"retired", "legacy", "unconfirmed", "listed"}
	bases := []string{"operator-text", "operator-implied", "third-party", "general-knowledge", "rfc9309-operator", "rfc9309-third-party", "not-applied"}
	honours := []string{"yes", "partly", "no", "silent", "unknown"}
	stars := []string{"yes", "assumed", "no", "unclear", "unknown"}
	alarms := texts(tester.AISearchInverted, tester.SearchInverted, tester.StarMissed, tester.Ignored)
	rules := slices.DeleteFunc(slices.Clone(reasons), func(r string) bool { return r == robots.LongestRule.String() })
	return map[string][]string{
		"shared.frozen.*":      join("shared.frozen.", []string{"paste", "fetch", "answer", "silent"}, ""),
		"share.file.*":         join("share.file.", []string{"answer", "silent"}, ""),
		"about.*":              join("about.", []string{"what", "stored", "remove", "wrong", "contact"}, ""),
		"about.*.*":            {"about.what.question", "about.what.rules", "about.what.fetch", "about.stored.tests", "about.stored.fetches", "about.stored.shares", "about.stored.logs", "about.remove.own", "about.remove.other", "about.wrong.how", "about.contact.who"},
		"access.*":             join("access.", access.Reasons(), ""),
		"basis.*":              join("basis.", texts(access.Stated, access.Reading, access.SecondHand, access.OlderText), ""),
		"cache.*":              {"cache.none", "cache.max-age", "cache.no"},
		"effect.*":             join("effect.", texts(access.BlockAll, access.AllowAll, access.Rules), ""),
		"fact.*":               join("fact.", []string{"final", "counts", "fetched"}, ""),
		"fact.*.is":            join("fact.", []string{"final", "counts", "fetched"}, ".is"),
		"held.*":               join("held.", texts(tester.HeldDomain, tester.HeldAgain), ""),
		"lead.*":               join("lead.", append(texts(fetch.Kinds()...), texts(access.WebPage, access.TooBig, access.Not200)...), ""),
		"line.*":               {"line.first", "line.then", "line.after"},
		"simulate.*":           join("simulate.", append(texts(fetch.Kinds()...), string(tester.SimulatePage)), ""),
		"simulate.name.*":      {"simulate.name.timeout", "simulate.name.html", "simulate.name.redirect-loop"},
		"candidate.*":          join("candidate.", texts(robots.Wins, robots.Shorter, robots.Tie, robots.Repeated, robots.Empty), ""),
		"category.*":           join("category.", categories, ""),
		"crawler.agent.*":      join("crawler.agent.", []string{"operator", "third-party", "none"}, ""),
		"crawler.by.*":         join("crawler.by.", bases, ""),
		"crawler.confidence.*": join("crawler.confidence.", []string{"high", "medium", "low"}, ""),
		"crawler.delay.*":      join("crawler.delay.", honours, ""),
		"crawler.does.*":       join("crawler.does.", categories, ""),
		"crawler.honours.*":    join("crawler.honours.", honours, ""),
		"crawler.star.*":       join("crawler.star.", stars, ""),
		"crawler.status.*":     join("crawler.status.", marks, ""),
		"crawlers.by.*":        join("crawlers.by.", bases, ""),
		"crawlers.honours.*":   join("crawlers.honours.", honours, ""),
		"crawlers.mark.*":      join("crawlers.mark.", marks, ""),
		"crawlers.star.*":      join("crawlers.star.", stars, ""),
		"does.*":               join("does.", fetching, ""),
		"preset.*":             {"preset.four", "preset.search", "preset.ai-search", "preset.ai-training", "preset.user-triggered"},
		"purpose.*":            join("purpose.", categories, ""),
		"error.*":              join("error.", problems, ""),
		"hosts.differ.*":       join("hosts.differ.", []string{"2", "3", "4"}, ""),
		"hosts.effect.*":       join("hosts.effect.", texts(access.Rules, access.AllowAll, access.BlockAll, access.Unknown), ""),
		"hosts.held.*":         join("hosts.held.", texts(tester.HeldDomain, tester.HeldAgain), ""),
		"hosts.kind.*":         join("hosts.kind.", texts(fetch.Kinds()[1:]...), ""), // but ok
		"hosts.lead.*":         join("hosts.lead.", []string{"2", "4"}, ""),
		"hosts.none.*":         join("hosts.none.", []string{"2", "4"}, ""),
		"hosts.silent.*":       join("hosts.silent.", []string{"2", "4"}, ""),
		"hosts.same.*":         join("hosts.same.", []string{"2", "4"}, ""),
		"how.*":                join("how.", hows, ""),
		"live.count.*":         join("live.count.", verdicts, ""),
		"meaning.unknown.*":    join("meaning.unknown.", decided, ""),
		"nav.*":                {"nav.tester", "nav.hosts", "nav.crawlers", "nav.about"},
		"copy.*":               {"copy.robots-txt", "copy.not-controlled", "copy.access-allow-all", "copy.access-block-all", "copy.no-rule-matches", "copy.empty-named-group", "copy.no-group"},
		"copy.line.*":          join("copy.line.", decided, ""),
		"not-tested.*":         join("not-tested.", texts(tester.ReasonBadURL, tester.ReasonNotCovered, tester.ReasonUnknown), ""),
		"id in forgiven":       {"rules.typo", "rules.longer", "rules.no-colon", "rules.line-cut", "rules.cut"},
		"id in rulesStep":      {"others.allowed", "others.allowed.no-line", "others.blocked"},
		"parser.*":             {"parser.rfc9309", "parser.first-match"},
		"outcome.*":            join("outcome.", texts(fetch.Kinds()...), ""),
		"overview.*":           {"overview.no-rule", "overview.not-controlled", "overview.honours.partly", "overview.honours.silent", "overview.honours.unknown"},
		"overview.all.*":       join("overview.all.", states, ""),
		"overview.some.*":      join("overview.some.", states, ""),
		"overview.state.*":     join("overview.state.", states, ""),
		"pages.*":              {"pages.first", "pages.previous", "pages.next", "pages.last", "pages.top", "pages.end"},
		"row.*":                join("row.", urlKinds, ""),
		"rules.*":              join("rules.", reasons, ""),
		"verdict.*":            join("verdict.", verdicts, ""),
		"why.*":                append(join("why.", rules, ""), append(join("why.", accessReasons, ""), "why.robots-txt", "why.not-controlled")...),
		"why.*.*":              join("why.longest-rule.", decided, ""),

		"id in alarm":    join("overview.alarm.", alarms, ""),
		"alarm: *.text":  join("overview.alarm.", alarms, ".text"),
		"id in overview": append(join("overview.name.", texts(tester.NameString, tester.NameClose, tester.NameRetired, tester.NameLegacy, tester.NameDoubted, tester.NameListed), ""), "overview.name.agent-string.nobody", "overview.name.unknown.nobody"),

		"id in example":       {"findings.example.allowed", "findings.example.blocked", "findings.example.allowed.star", "findings.example.blocked.star"},
		"findings.after.*":    join("findings.after.", states, ""),
		"findings.count.*":    join("findings.count.", texts(severities...), ""),
		"findings.filter.*":   append(join("findings.filter.", texts(severities...), ""), "findings.filter.all"),
		"findings.severity.*": join("findings.severity.", texts(severities...), ""),

		"id in T": nil, // passes on what it is asked for

		// These are built over several lines.
		"id in answerError":     join("error.", []string{"not-found", "share-deleted", "share-not-found", "share-unavailable", "delete-unavailable", "token"}, ".heading"),
		"id in heading":         {"live.same", "live.flipped", "live.file", "live.kept"},
		"sentence: *":           {"limit.domain", "live.failed"},
		"In: *":                 lint.MessageIDs(),
		"size in size":          {"facts.size", "facts.size.over"},
		"id in fetchFacts":      {"facts.dns", "facts.not-googlebot", "facts.more", "facts.html-type", "facts.root-only"},
		"Span: *":               join("span.", []string{"days", "hours", "minutes", "seconds"}, ""),
		"id in textNotes":       {"facts.cut", "facts.utf16", "facts.binary", "facts.invalid", "facts.mark"},
		"id in groupStep":       {"group.named", "group.fallback", "group.star", "group.star.asked", "group.none.asked", "group.none.no-star", "group.none.not-read"},
		"whose in meaning":      {"meaning.source", "meaning.source.other"},
		"id in meaning":         {"honours.partly", "honours.partly.other", "honours.silent", "honours.unknown"},
		"said in notControlled": {"why.obeys", "why.obeys.unknown"},
		"id in notControlled":   {"would.allowed", "would.allowed.no-line", "would.blocked"},
		"id in shareTitle":      {"share.title.blocked", "share.title.blocked-no-line"},
		"step: *.title":         {"why.robots-txt.title"},
		"step: *.text":          {"why.robots-txt.text"},
	}
}

func texts[T any](vs ...T) []string {
	var out []string
	for _, v := range vs {
		out = append(out, fmt.Sprint(v))
	}
	return out
}

func join(before string, mid []string, after string) []string {
	var ids []string
	for _, m := range mid {
		ids = append(ids, before+m+after)
	}
	return ids
}

// Every message that is asked for exists and gets the values that it shows,
// and every message that exists is asked for.
func TestMessages(t *testing.T) {
	catalogue, err := i18n.Load()
	if err != nil {
		t.Fatal(err)
	}
	words := catalogue.Words("en")
	used := map[string]bool{}
	ask := func(id string, a asked) {
		used[id] = true
		if !words.Has(id) {
			t.Errorf("%s: there is no message %q", a.where, id)
			return
		}
		if a.names == nil {
			return
		}
		for _, n := range []int{1, 2} {
			args := []any{}
			for name := range a.names {
				if name == "N" {
					args = append(args, name, n)
				} else {
					args = append(args, name, "x")
				}
			}
			if s := words.T(id, args...); strings.Contains(s, "<no value>") || s == id {
				t.Errorf("%s: got %q for %s with %v", a.where, s, id, slices.Sorted(maps.Keys(a.names)))
			}
		}
	}
	known := families()
	seen := map[string]bool{}
	for _, folder := range wording {
		for pattern, calls := range askedFor(t, folder) {
			ids := []string{pattern}
			if strings.ContainsAny(pattern, "* ") {
				var ok bool
				if ids, ok = known[pattern]; !ok {
					t.Errorf("%s: %q is in no row of families", calls[0].where, pattern)
				}
				seen[pattern] = true
			}
			for _, a := range calls {
				for _, id := range ids {
					ask(id, a)
				}
			}
		}
	}
	for pattern := range known {
		if !seen[pattern] {
			t.Errorf("families has %q, which nothing asks for", pattern)
		}
	}
	for _, id := range catalogue.IDs() {
		if !used[id] {
			t.Errorf("nothing asks for the message %q", id)
		}
	}
}

// asked is a call that asks for a message.
type asked struct {
	where string
	// names are the values that it gives; nil when it passes on what it has.
	names map[string]bool
}

// askedFor finds the calls of T and Rich in a folder, by id or pattern.
func askedFor(t *testing.T, folder string) map[string][]asked {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no Go files in %s: %v", folder, err)
	}
	found := map[string][]asked{}
	fset := token.NewFileSet()
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			ast.Inspect(fn, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok {
					if id, args := messageID(call); id != nil {
						p := pattern(id)
						if v, ok := id.(*ast.Ident); ok {
							p = v.Name + " in " + fn.Name.Name
						} else if strings.HasPrefix(p, "*") {
							p = fn.Name.Name + ": " + p
						}
						a := asked{where: fset.Position(call.Pos()).String()}
						if !call.Ellipsis.IsValid() {
							a.names = map[string]bool{}
							for i := 0; i < len(args); i += 2 {
								a.names[pattern(args[i])] = true
							}
						}
						found[p] = append(found[p], a)
					}
				}
				return true
			})
		}
	}
	return found
}

// messageID gives the argument that is a message's id, or nil, and those that
// are its values.
func messageID(call *ast.CallExpr) (id ast.Expr, args []ast.Expr) {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || len(call.Args) == 0 || sel.Sel.Name != "T" && sel.Sel.Name != "Rich" {
		return nil, nil
	}
	if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Name == "i18n" {
		return call.Args[1], call.Args[2:] // behind the context
	}
	return call.Args[0], call.Args[1:]
}

// pattern writes an expression: literals as they are, the rest as *.
func pattern(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, _ := strconv.Unquote(e.Value)
		return s
	case *ast.BinaryExpr:
		return pattern(e.X) + pattern(e.Y)
	}
	return "*"
}
