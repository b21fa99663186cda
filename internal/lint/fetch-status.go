package lint

import "github.com/whichrule/whichrule/internal/fetch"

const (
	rfc9309Redirects   = "https://www.rfc-editor.org/rfc/rfc9309.html#section-2.3.1.2"
	rfc9309Unavailable = "https://www.rfc-editor.org/rfc/rfc9309.html#section-2.3.1.3"
)

// fetchStatus tells of a fetch that gave no file. One that closes the whole site for
// those who do not get one is a Problem; one that opens it is a Warning where somebody
// seems to have wanted rules, and a Note where there simply is no file; so is a failure
// that may be ours alone.
func fetchStatus(in *input) []Finding {
	o := in.Outcome
	if o == nil {
		return nil
	}
	f := Finding{Severity: Problem, Source: googleSpec}
	switch o.Kind {
	case fetch.ServerError, fetch.TooManyRequests:
		f.Message = FetchStatus.say(string(o.Kind), "Status", o.Status)
	case fetch.DNS, fetch.Connect, fetch.Timeout, fetch.Broken:
		f.Message = FetchStatus.say("no-answer")
	case fetch.RedirectLimit, fetch.RedirectLoop, fetch.BadRedirect:
		f.Severity, f.Source = Warning, rfc9309Redirects
		f.Message = FetchStatus.say("redirect")
	case fetch.ClientError:
		f.Severity, f.Source = Note, rfc9309Unavailable
		f.Message = FetchStatus.say("missing", "Status", o.Status)
		if o.Status == 401 || o.Status == 403 {
			f.Severity = Warning
			f.Message = FetchStatus.say("locked", "Status", o.Status)
		}
	case fetch.TLS, fetch.Challenge:
		f.Severity, f.Source = Note, ""
		f.Message = FetchStatus.say(string(o.Kind))
	default: // a file, or an address that we do not ask
		return nil
	}
	return []Finding{f}
}
