package lint

import (
	"strings"
	"testing"

	"github.com/whichrule/whichrule/internal/i18n"
)

// The size is that which the page shows elsewhere.
func TestTooBigSize(t *testing.T) {
	catalogue, err := i18n.Load()
	if err != nil {
		t.Fatal(err)
	}
	words := catalogue.Words("en")
	for _, size := range []int{512_100, 512_511, 512_512, 600_000, 1_000_000} {
		text := []byte("User-agent: *\nDisallow: /a\n" + strings.Repeat("#\n", size/2))[:size]
		found := of("too-big", Run(inputOf(t, text)))
		if len(found) != 1 {
			t.Fatalf("%d bytes: got %d findings; want 1", size, len(found))
		}
		got, want := i18n.Plain(string(found[0].Message.In(words))), "The file has "+words.Bytes(size)+"."
		if !strings.HasPrefix(got, want) {
			t.Errorf("%d bytes: got %q; want it to start with %q", size, got, want)
		}
	}
}
