package access

import "github.com/whichrule/whichrule/internal/fetch"

// The operators of rows beside those of the catalogue: anyone goes before
// them, rfc9309 after them.
const (
	anyone  = "*"
	rfc9309 = ""
)

// The pages that rows quote.
const (
	rfcSuccess     = "https://www.rfc-editor.org/rfc/rfc9309.html#section-2.3.1.1"
	rfcRedirects   = "https://www.rfc-editor.org/rfc/rfc9309.html#section-2.3.1.2"
	rfcUnavailable = "https://www.rfc-editor.org/rfc/rfc9309.html#section-2.3.1.3"
	rfcUnreachable = "https://www.rfc-editor.org/rfc/rfc9309.html#section-2.3.1.4"
	googleSpec     = "https://developers.google.com/crawling/docs/robots-txt/robots-txt-spec"
	yandexRobots   = "https://yandex.com/support/webmaster/en/controlling-robot/robots-txt"
	amazonBot      = "https://developer.amazon.com/amazonbot"
	semrushBot     = "https://www.semrush.com/bot/"
	// What Naver's guide says, as a reader of it reports.
	naverReported = "https://naligi.com/entry/%EA%B2%80%EC%83%89-%EC%97%94%EC%A7%84-%EA%B2%80%EC%83%89%EC%9D%84-%EC%9C%84%ED%95%9C-robotstxt-%EC%84%A4%EC%A0%95-Naver-Daum-Google-%EB%93%B1"
	// An older page; today's mj12bot.com is silent on it.
	majesticWiki = "http://www.majestic12.co.uk/projects/dsearch/wiki/index.php?title=MJ12Bot"
)

// row is what one operator makes of some kinds of outcome.
type row struct {
	operator string
	kinds    []fetch.Kind
	access   Access
}

// The kinds that rows treat alike.
var (
	// No answer came, or none that HTTP can read.
	noAnswer = []fetch.Kind{fetch.DNS, fetch.Connect, fetch.Timeout, fetch.Broken}
	// Redirects led to no file. A loop is longer than any limit.
	tooManyRedirects = []fetch.Kind{fetch.RedirectLimit, fetch.RedirectLoop}
	client           = []fetch.Kind{fetch.ClientError, fetch.TooManyRequests}
	notFetched       = []fetch.Kind{
		fetch.ClientError, fetch.TooManyRequests, fetch.ServerError,
		fetch.RedirectLimit, fetch.RedirectLoop, fetch.BadRedirect,
		fetch.DNS, fetch.Connect, fetch.Timeout, fetch.Broken,
	}
)

// rows is the table. Within an operator each kind stands once.
var rows = []row{
	// These say something about our fetch, not about the site.
	{anyone, []fetch.Kind{fetch.Refused}, Access{Unknown, "refused-by-us", ""}},
	{anyone, []fetch.Kind{fetch.TLS}, Access{Unknown, "tls-for-us", ""}},
	{anyone, []fetch.Kind{fetch.Challenge}, Access{Unknown, "challenge-for-us", ""}},

	{"Google", []fetch.Kind{fetch.OK}, Access{Rules, "google-ok", googleSpec}},
	{"Google", []fetch.Kind{fetch.ClientError}, Access{AllowAll, "google-4xx", googleSpec}},
	// Google takes 429 out of the 4xx rule without saying where it goes; with
	// the server errors is our reading.
	{"Google", []fetch.Kind{fetch.TooManyRequests}, Access{BlockAll, "google-429", googleSpec}},
	{"Google", []fetch.Kind{fetch.ServerError}, Access{BlockAll, "google-5xx", googleSpec}},
	{"Google", noAnswer, Access{BlockAll, "google-no-answer", googleSpec}},
	{"Google", tooManyRedirects, Access{AllowAll, "google-redirects", googleSpec}},
	{"Google", []fetch.Kind{fetch.BadRedirect}, Access{AllowAll, "google-bad-redirect", googleSpec}},

	{"Yandex", []fetch.Kind{fetch.OK}, Access{Rules, "yandex-ok", yandexRobots}},
	{"Yandex", []fetch.Kind{
		fetch.ClientError, fetch.TooManyRequests, fetch.ServerError,
		fetch.RedirectLimit, fetch.RedirectLoop, fetch.BadRedirect,
	}, Access{AllowAll, "yandex-not-200", yandexRobots}},
	// Yandex asks for an answer of 200; that no answer is no 200 is our reading.
	{"Yandex", noAnswer, Access{AllowAll, "yandex-no-answer", yandexRobots}},

	{"Amazon", notFetched, Access{AllowAll, "amazon-not-fetched", amazonBot}},

	{"Semrush", client, Access{AllowAll, "semrush-4xx", semrushBot}},
	{"Semrush", []fetch.Kind{fetch.ServerError}, Access{BlockAll, "semrush-5xx", semrushBot}},

	{"Naver", client, Access{AllowAll, "naver-4xx", naverReported}},
	{"Naver", []fetch.Kind{fetch.ServerError}, Access{BlockAll, "naver-5xx", naverReported}},
	{"Naver", tooManyRedirects, Access{AllowAll, "naver-redirects", naverReported}},

	{"Majestic", notFetched, Access{AllowAll, "majestic-not-fetched", majesticWiki}},

	{rfc9309, []fetch.Kind{fetch.OK}, Access{Rules, "rfc9309-ok", rfcSuccess}},
	{rfc9309, []fetch.Kind{fetch.ClientError}, Access{AllowAll, "rfc9309-unavailable", rfcUnavailable}},
	// 429 lies within 400 to 499, and the RFC makes no exception for it.
	{rfc9309, []fetch.Kind{fetch.TooManyRequests}, Access{AllowAll, "rfc9309-429", rfcUnavailable}},
	{rfc9309, []fetch.Kind{fetch.ServerError}, Access{BlockAll, "rfc9309-unreachable", rfcUnreachable}},
	{rfc9309, noAnswer, Access{BlockAll, "rfc9309-no-answer", rfcUnreachable}},
	// "MAY assume that the file is unavailable" after five redirects.
	{rfc9309, tooManyRedirects, Access{AllowAll, "rfc9309-redirects", rfcRedirects}},
	// Nobody describes a redirect that leads nowhere; as 404 is our reading.
	{rfc9309, []fetch.Kind{fetch.BadRedirect}, Access{AllowAll, "rfc9309-bad-redirect", rfcRedirects}},
}
