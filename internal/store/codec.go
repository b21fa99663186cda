package store

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"

	"github.com/whichrule/whichrule/internal/fetch"
	"github.com/whichrule/whichrule/internal/tester"
)

const (
	// format is the first byte of every value kept. It stands for all of the
	// form: zstd, the parts, and the names in their JSON. A change that an
	// older or a newer build would read wrongly takes the next number; to them
	// the value is then a miss.
	format = 1
	// maxPlain bounds a value before compression, in bytes, on the way in and
	// on the way out, where a few bytes could stand for gigabytes. The largest
	// report of ordinary rules takes about half of it: 60,000 cells, the
	// candidates' text at its bound, 1 MiB of robots.txt.
	maxPlain = 32 << 20
)

var (
	errForeign  = errors.New("not of this format")
	errTooLarge = errors.New("too large")
)

// codec turns values into the bytes that are kept, and back: the format byte,
// then in zstd the parts of the value, each behind its length. What is large
// and binary, the text of a robots.txt, is a part as it is, since inside JSON
// it would take a third more and compress badly.
type codec struct {
	enc *zstd.Encoder
	dec *zstd.Decoder
}

func newCodec() codec {
	// The window is what a robots.txt needs; the default keeps 8 MiB for each
	// encoder.
	enc, err := zstd.NewWriter(nil, zstd.WithWindowSize(1<<20), zstd.WithLowerEncoderMem(true))
	if err != nil {
		panic(err) // only for an option that does not exist
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(maxPlain), zstd.WithDecoderLowmem(true))
	if err != nil {
		panic(err)
	}
	return codec{enc, dec}
}

func (c codec) encodeOutcome(o *fetch.Outcome) ([]byte, error) {
	lean := *o
	lean.Body = nil
	head, err := json.Marshal(&lean)
	if err != nil {
		return nil, fmt.Errorf("encode outcome: %w", err)
	}
	return c.pack(head, o.Body)
}

func (c codec) decodeOutcome(b []byte) (*fetch.Outcome, error) {
	parts, err := c.unpack(b, 2)
	if err != nil {
		return nil, fmt.Errorf("decode outcome: %w", err)
	}
	o := new(fetch.Outcome)
	if err := json.Unmarshal(parts[0], o); err != nil {
		return nil, fmt.Errorf("decode outcome: %w", err)
	}
	o.Body = bytes.Clone(parts[1])
	return o, nil
}

// decodeFresh reads what answers for an origin. Who did not ask for it again is
// not told that somebody else did.
func (c codec) decodeFresh(l loaded, again bool) (*fetch.Outcome, tester.Held, error) {
	o, err := c.decodeOutcome(l.data)
	if err != nil {
		return nil, "", err
	}
	if l.held == tester.HeldAgain && !again {
		l.held = ""
	}
	return o, l.held, nil
}

func (c codec) encodeReport(r *tester.Report) ([]byte, error) {
	head, err := leanReport(r)
	if err != nil {
		return nil, err
	}
	return c.pack(head, r.Source.Text)
}

func (c codec) decodeReport(b []byte) (*tester.Report, error) {
	parts, err := c.unpack(b, 2)
	if err != nil {
		return nil, fmt.Errorf("decode report: %w", err)
	}
	return wholeReport(parts[0], parts[1])
}

func (c codec) encodeShare(s *tester.Share) ([]byte, error) {
	if s.Report == nil {
		return nil, errors.New("encode share: no report")
	}
	report, err := leanReport(s.Report)
	if err != nil {
		return nil, err
	}
	lean := *s
	lean.Report = nil
	head, err := json.Marshal(&lean)
	if err != nil {
		return nil, fmt.Errorf("encode share: %w", err)
	}
	return c.pack(head, report, s.Report.Source.Text)
}

func (c codec) decodeShare(b []byte) (*tester.Share, error) {
	parts, err := c.unpack(b, 3)
	if err != nil {
		return nil, fmt.Errorf("decode share: %w", err)
	}
	s := new(tester.Share)
	if err := json.Unmarshal(parts[0], s); err != nil {
		return nil, fmt.Errorf("decode share: %w", err)
	}
	if s.Report, err = wholeReport(parts[1], parts[2]); err != nil {
		return nil, err
	}
	return s, nil
}

// leanReport encodes a report without its text.
func leanReport(r *tester.Report) ([]byte, error) {
	lean := *r
	lean.Source.Text = nil
	head, err := lean.MarshalBinary()
	if err != nil {
		return nil, fmt.Errorf("encode report: %w", err)
	}
	return head, nil
}

// wholeReport reads what leanReport gave and puts the text back.
func wholeReport(head, text []byte) (*tester.Report, error) {
	r := new(tester.Report)
	if err := r.UnmarshalBinary(head); err != nil {
		return nil, fmt.Errorf("decode report: %w", err)
	}
	r.Source.Text = bytes.Clone(text)
	return r, nil
}

// pack makes one value of the parts.
func (c codec) pack(parts ...[]byte) ([]byte, error) {
	size := 0
	for _, p := range parts {
		size += binary.MaxVarintLen64 + len(p)
	}
	if size > maxPlain {
		return nil, fmt.Errorf("encode %d bytes: %w", size, errTooLarge)
	}
	plain := make([]byte, 0, size)
	for _, p := range parts {
		plain = binary.AppendUvarint(plain, uint64(len(p)))
		plain = append(plain, p...)
	}
	// The copy has no spare room, so that what is kept weighs what it says.
	return bytes.Clone(c.enc.EncodeAll(plain, []byte{format})), nil
}

// unpack gives the n parts of a value. They share memory: what is to last is
// copied, so that a text does not hold all that came with it.
func (c codec) unpack(b []byte, n int) ([][]byte, error) {
	if len(b) == 0 || b[0] != format {
		return nil, errForeign
	}
	plain, err := c.dec.DecodeAll(b[1:], nil)
	if err != nil {
		return nil, err
	}
	parts := make([][]byte, n)
	for i := range parts {
		size, w := binary.Uvarint(plain)
		if w <= 0 || size > uint64(len(plain)-w) {
			return nil, errForeign
		}
		parts[i] = plain[w : w+int(size)]
		plain = plain[w+int(size):]
	}
	if len(plain) > 0 {
		return nil, errForeign
	}
	return parts, nil
}
