package access

import (
	"slices"

	"github.com/whichrule/whichrule/internal/fetch"
)

// The operators of rows beside those of the catalogue: anyone goes before
// them, rfc9309 after them.
const (
	anyone  = "*"
	rfc9309 = ""
)

// page is a text that rows quote, and the day of it: when it was published,
// else when it was read; "" for one that says neither.
type page struct{ url, date string }

// The pages that rows quote, as collected on 2026-11-30.
var (
	rfcSuccess     = page{"https://www.rfc-editor.org/rfc/rfc9309.html#section-2.3.1.1", "2022-09"}
	rfcRedirects   = page{"https://www.rfc-editor.org/rfc/rfc9309.html#section-2.3.1.2", "2022-09"}
	rfcUnavailable = page{"https://www.rfc-editor.org/rfc/rfc9309.html#section-2.3.1.3", "2022-09"}
	rfcUnreachable = page{"https://www.rfc-editor.org/rfc/rfc9309.html#section-2.3.1.4", "2022-09"}
	rfcParsing     = page{"https://www.rfc-editor.org/rfc/rfc9309.html#section-2.3.1.5", "2022-09"}
	rfcLimits      = page{"https://www.rfc-editor.org/rfc/rfc9309.html#section-2.5", "2022-09"}
	googleSpec     = page{"https://developers.google.com/crawling/docs/robots-txt/robots-txt-spec", "2026-08-31"}
	yandexRobots   = page{"https://yandex.com/support/webmaster/en/controlling-robot/robots-txt", ""}
	amazonBot      = page{"https://developer.amazon.com/amazonbot", "2026-09-04"}
	semrushBot     = page{"https://www.semrush.com/bot/", "2026-08"}
	// What Naver's guide says, as a reader of it reports.
	naverReported = page{"https://naligi.com/entry/%EA%B2%80%EC%83%89-%EC%97%94%EC%A7%84-%EA%B2%80%EC%83%89%EC%9D%84-%EC%9C%84%ED%95%9C-robotstxt-%EC%84%A4%EC%A0%95-Naver-Daum-Google-%EB%93%B1", "2024-01"}
	// An older page; today's mj12bot.com is silent on it.
	majesticWiki = page{"http://www.majestic12.co.uk/projects/dsearch/wiki/index.php?title=MJ12Bot", ""}
)

// row is what one operator makes of some classes of outcome.
type row struct {
	operator   string
	classes    []Class
	effect     Effect
	reason     string
	source     page
	confidence Confidence
	basis      Basis
}

func (r *row) access() Access {
	return Access{Effect: r.effect, Reason: r.reason, Source: r.source.url, Date: r.source.date, Confidence: r.confidence, Basis: r.basis}
}

// of gives the classes of kinds.
func of(kinds ...fetch.Kind) []Class {
	var classes []Class
	for _, k := range kinds {
		classes = append(classes, Class(k))
	}
	return classes
}

// The classes that rows treat alike.
var (
	ok = of(fetch.OK)
	// Answers of 2xx that hold something to read.
	read = slices.Concat(ok, []Class{Not200})
	// No answer came, or none that HTTP can read.
	noAnswer = of(fetch.DNS, fetch.Connect, fetch.Timeout, fetch.Broken)
	// Redirects led to no file. A loop is longer than any limit.
	tooManyRedirects = of(fetch.RedirectLimit, fetch.RedirectLoop)
	client           = of(fetch.ClientError, fetch.TooManyRequests)
	failed           = of(fetch.ClientError, fetch.TooManyRequests, fetch.ServerError)
	anyRedirect      = of(fetch.RedirectLimit, fetch.RedirectLoop, fetch.BadRedirect)
	notFetched       = slices.Concat(failed, noAnswer)
)

// rows is the table. Within an operator each class stands once.
var rows = []row{
	// These say something about our fetch, not about the site.
	{anyone, of(fetch.Refused), Unknown, "refused-by-us", page{}, "", ""},
	{anyone, of(fetch.TLS), Unknown, "tls-for-us", page{}, "", ""},
	{anyone, of(fetch.Challenge), Unknown, "challenge-for-us", page{}, "", ""},

	{"Google", read, Rules, "google-ok", googleSpec, High, Stated},
	{"Google", []Class{WebPage}, Rules, "google-web-page", googleSpec, High, Stated},
	{"Google", []Class{TooBig}, Rules, "google-too-big", googleSpec, High, Stated},
	{"Google", of(fetch.ClientError), AllowAll, "google-4xx", googleSpec, High, Stated},
	// Google takes 429 out of the 4xx rule without saying where it goes; with
	// the server errors is our reading.
	{"Google", of(fetch.TooManyRequests), BlockAll, "google-429", googleSpec, Medium, Reading},
	{"Google", of(fetch.ServerError), BlockAll, "google-5xx", googleSpec, High, Stated},
	{"Google", noAnswer, BlockAll, "google-no-answer", googleSpec, High, Stated},
	{"Google", tooManyRedirects, AllowAll, "google-redirects", googleSpec, High, Stated},
	{"Google", of(fetch.BadRedirect), AllowAll, "google-bad-redirect", googleSpec, Medium, Reading},

	{"Yandex", ok, Rules, "yandex-ok", yandexRobots, Medium, Stated},
	{"Yandex", []Class{WebPage}, AllowAll, "yandex-web-page", yandexRobots, Medium, Stated},
	{"Yandex", []Class{TooBig}, AllowAll, "yandex-too-big", yandexRobots, Medium, Stated},
	{"Yandex", slices.Concat(failed, []Class{Not200}), AllowAll, "yandex-not-200", yandexRobots, Medium, Stated},
	// Yandex follows redirects and says nothing of those that lead to no file.
	{"Yandex", anyRedirect, AllowAll, "yandex-redirects", yandexRobots, Medium, Reading},
	// Yandex asks for an answer of 200; that no answer is no 200 is our reading.
	{"Yandex", noAnswer, AllowAll, "yandex-no-answer", yandexRobots, Medium, Reading},

	{"Amazon", notFetched, AllowAll, "amazon-not-fetched", amazonBot, High, Stated},
	// An older text of Amazon's counted every redirect as a failure.
	{"Amazon", anyRedirect, AllowAll, "amazon-redirects", amazonBot, Medium, Reading},

	{"Semrush", client, AllowAll, "semrush-4xx", semrushBot, High, Stated},
	{"Semrush", of(fetch.ServerError), BlockAll, "semrush-5xx", semrushBot, High, Stated},

	{"Naver", client, AllowAll, "naver-4xx", naverReported, Medium, SecondHand},
	{"Naver", of(fetch.ServerError), BlockAll, "naver-5xx", naverReported, Medium, SecondHand},
	{"Naver", tooManyRedirects, AllowAll, "naver-redirects", naverReported, Medium, SecondHand},

	{"Majestic", slices.Concat(notFetched, anyRedirect), AllowAll, "majestic-not-fetched", majesticWiki, Low, OlderText},

	{rfc9309, read, Rules, "rfc9309-ok", rfcSuccess, High, Stated},
	{rfc9309, []Class{WebPage}, Rules, "rfc9309-web-page", rfcParsing, High, Stated},
	{rfc9309, []Class{TooBig}, Rules, "rfc9309-too-big", rfcLimits, High, Stated},
	{rfc9309, of(fetch.ClientError), AllowAll, "rfc9309-unavailable", rfcUnavailable, High, Stated},
	// 429 lies within 400 to 499, and the RFC makes no exception for it.
	{rfc9309, of(fetch.TooManyRequests), AllowAll, "rfc9309-429", rfcUnavailable, High, Stated},
	{rfc9309, of(fetch.ServerError), BlockAll, "rfc9309-unreachable", rfcUnreachable, High, Stated},
	{rfc9309, noAnswer, BlockAll, "rfc9309-no-answer", rfcUnreachable, High, Stated},
	// "MAY assume that the file is unavailable" after five redirects.
	{rfc9309, tooManyRedirects, AllowAll, "rfc9309-redirects", rfcRedirects, High, Stated},
	// Nobody describes a redirect that leads nowhere; as 404 is our reading.
	{rfc9309, of(fetch.BadRedirect), AllowAll, "rfc9309-bad-redirect", rfcRedirects, Medium, Reading},
}
