package store

import (
	"encoding/binary"
	"os"
	"testing"

	"github.com/whichrule/whichrule/internal/fetch"
	"github.com/whichrule/whichrule/internal/tester"
)

// undecodable gives ways in which a value can be unreadable.
func undecodable() []undecodableCase {
	c := newCodec()
	is := func(b []byte) func([]byte) []byte {
		return func([]byte) []byte { return b }
	}
	plain := func(plain []byte) func([]byte) []byte {
		return is(c.enc.EncodeAll(plain, []byte{format}))
	}
	packed := func(parts ...string) func([]byte) []byte {
		var bb [][]byte
		for _, p := range parts {
			bb = append(bb, []byte(p))
		}
		b, err := c.pack(bb...)
		if err != nil {
			panic(err)
		}
		return is(b)
	}
	// An outcome, but for the size of its body.
	bomb := binary.AppendUvarint([]byte{2, '{', '}'}, maxPlain)
	bomb = append(bomb, make([]byte, maxPlain)...)
	return []undecodableCase{
		{"an empty value", is([]byte{})},
		{"a format byte alone", is([]byte{format})},
		{"text", is([]byte(`{"id":"a-1"}`))},
		{"another format", func(b []byte) []byte { return append([]byte{format + 1}, b[1:]...) }},
		{"a value cut short", func(b []byte) []byte { return b[:len(b)-1] }},
		{"a value with a byte turned", func(b []byte) []byte {
			b = append([]byte{}, b...)
			b[len(b)-1] ^= 1
			return b
		}},
		{"a value with more behind it", func(b []byte) []byte { return append(append([]byte{}, b...), b[1:]...) }},
		{"a bomb", plain(bomb)},
		{"a length beyond the end", plain([]byte{5, '{', '}'})},
		{"a length beyond all", plain([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})},
		{"a length without end", plain([]byte{0xff, 0xff})},
		{"too few parts", packed("{}")},
		{"too many parts", packed("{}", "{}", "", "")},
		{"parts that are not JSON", packed("x", "x")},
		{"parts of a share that are not JSON", packed("{}", "x", "")},
		{"JSON of another shape", packed(`{"id":[1],"Report":[1]}`, `[]`)},
	}
}

type undecodableCase struct {
	name   string
	change func(b []byte) []byte
}

func TestCodecIsSmall(t *testing.T) {
	c := newCodec()
	text := []byte("User-agent: *\n")
	for range 2000 {
		text = append(text, "Disallow: /search?colour=\n"...)
	}
	b, err := c.encodeOutcome(&fetch.Outcome{ID: "o", Body: text})
	if err != nil {
		t.Fatal(err)
	}
	if len(b) > len(text)/50 {
		t.Errorf("got %d bytes for a text of %d that repeats; want at most %d", len(b), len(text), len(text)/50)
	}
}

// What a build has kept, every later one reads: links are good for years. The
// files in testdata were written by the first build of their format. A format
// that takes over gets files of its own beside them.
func TestCodecReadsEarlierBuilds(t *testing.T) {
	c := newCodec()
	read := func(name string) []byte {
		b, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	share, err := c.decodeShare(read("share-1"))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "share", share, shared(t, "a", "n"))
	got, err := c.decodeReport(read("report-1"))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "report", got, report(t))
	outcome, err := c.decodeOutcome(read("outcome-1"))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "outcome", outcome, report(t).Source.Fetch)
}

// A stale copy is text of any kind, inside the part that is JSON.
func TestCodecStale(t *testing.T) {
	c := newCodec()
	s := shared(t, "a", "n")
	s.Report.Source.Held = tester.HeldDomain
	s.Report.Source.Stale = &fetch.Outcome{ID: "good", Kind: fetch.OK, Status: 200, Body: everyByte(), FetchedAt: s.Created}
	b, err := c.encodeShare(s)
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.decodeShare(b)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "share", got, s)
}

// A later build of the same format may know more fields; this one reads the
// rest.
func TestCodecReadsLaterBuilds(t *testing.T) {
	c := newCodec()
	value, err := c.pack([]byte(`{"id":"o","kind":"ok","later":{"x":[1]}}`), []byte("Disallow:"))
	if err != nil {
		t.Fatal(err)
	}
	o, err := c.decodeOutcome(value)
	if err != nil || o.ID != "o" || string(o.Body) != "Disallow:" {
		t.Errorf("got %+v, %v; want the outcome o with its body", o, err)
	}
}

func FuzzCodec(f *testing.F) {
	c := newCodec()
	b, err := c.encodeOutcome(&fetch.Outcome{ID: "o", Kind: fetch.OK, Body: []byte("Disallow:")})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	for _, u := range undecodable() {
		f.Add(u.change(b))
	}
	// Whatever a store holds, reading it gives a value or an error.
	f.Fuzz(func(t *testing.T, b []byte) {
		if o, err := c.decodeOutcome(b); (o == nil) == (err == nil) {
			t.Errorf("outcome: got %v, error %v; want one of them", o, err)
		}
		if r, err := c.decodeReport(b); (r == nil) == (err == nil) {
			t.Errorf("report: got %v, error %v; want one of them", r, err)
		}
		if s, err := c.decodeShare(b); (s == nil) == (err == nil) || s != nil && s.Report == nil {
			t.Errorf("share: got %v, error %v; want a whole one or an error", s, err)
		}
	})
}
