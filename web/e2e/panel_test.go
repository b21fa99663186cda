package e2e

import (
	"net/http"

	"github.com/whichrule/whichrule/internal/testkit"
)

// fails fetches a site that answers, and again when it fails.
func (b *tab) fails() *testkit.Site {
	b.t.Helper()
	site := testkit.NewSite(b.t)
	site.File(ownText)
	b.visit("/?site=" + site.Origin() + "&url=/private/")
	b.untilIs(seenMatrix, "/private/: blocked 2, blocked 2, blocked 2, blocked 2")
	site.Status(http.StatusServiceUnavailable)
	b.click("#refetch")
	b.untilIs(seenMatrix, "/private/: blocked, blocked, blocked, blocked")
	return site
}
