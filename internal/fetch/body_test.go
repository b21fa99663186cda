package fetch

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/whichrule/whichrule/internal/testkit"
)

// TestReadBodyGivenUp: a body that ends in good order because we hung up is no whole one.
func TestReadBodyGivenUp(t *testing.T) {
	ctx, giveUp := context.WithCancel(t.Context())
	end := readerFunc(func([]byte) (int, error) {
		giveUp()
		return 0, io.EOF
	})
	resp := &http.Response{Body: io.NopCloser(io.MultiReader(strings.NewReader(testkit.Rules), end))}
	if body, _, err := New(Config{}).readBody(ctx, resp, BodyLimit); !errors.Is(err, context.Canceled) {
		t.Errorf("got %q, %v; want %v", body, err, context.Canceled)
	}
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// FuzzDecode: whatever a body holds, decoding ends, gives no more than was asked for, and a text without an encoding is
// itself.
func FuzzDecode(f *testing.F) {
	for _, seed := range []struct{ coding, body string }{
		{"gzip", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00"},
		{"x-gzip", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\x4b\x04\x00\x43\xbe\xb7\xe8\x01\x00\x00\x00garbage"},
		{"deflate", "\x78\x9c\x4b\x04\x00\x00\x62\x00\x62"},
		{"deflate", "\x4b\x04\x00"},
		{"br", "\x0b\x00\x80a\x03"},
		{"zstd", "\x28\xb5\x2f\xfd\x04\x00\x09\x00\x00a\x3b\xb8\xd6\x4f"},
		{"utf-8", "User-agent: *"},
		{"", "\x00\x01"},
	} {
		f.Add(seed.coding, []byte(seed.body))
	}
	const most = 1 << 10
	f.Fuzz(func(t *testing.T, coding string, body []byte) {
		out, err := decodeOne(slices.Clone(body), coding, most)
		if known := slices.Contains([]string{"gzip", "x-gzip", "deflate", "br", "zstd"}, coding); known && len(out) > most {
			t.Errorf("%s of %d bytes: got %d; want at most %d", coding, len(body), len(out), most)
		} else if !known && err == nil && string(out) != string(body) {
			t.Errorf("%q: got %q; want %q as it is", coding, out, body)
		}
	})
}
