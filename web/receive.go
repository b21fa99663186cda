package web

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"syscall"
	"time"
)

// Bounds on a body while it arrives. A phone on a bad line sends 1 MiB in half
// a minute, and pauses now and then.
const (
	receiveAll  = 30 * time.Second // for all of it
	receiveStep = 5 * time.Second  // without a byte
	// smallBody is the most that counts as small while it arrives, in bytes: an
	// ordinary form.
	smallBody = 64 << 10
	// firstPiece and largestPiece are what room is taken for at once, in bytes:
	// each piece is twice the one before.
	firstPiece   = 4 << 10
	largestPiece = 256 << 10
)

// errSlow says that a body came too slowly.
var errSlow = &problem{Status: http.StatusRequestTimeout, Kind: "slow"}

// received is a body that has arrived.
type received struct {
	pieces [][]byte
	size   int64
	frees  []func()
}

// receive reads the body of a request and takes room for it as it comes: what
// is only announced takes none. The error is errSlow, errBusy, errHungUp,
// or that of the reader; what is held is given back by free in any case.
func receive(w http.ResponseWriter, r *http.Request) (*received, error) {
	b := &received{}
	body, control := r.Body, http.NewResponseController(w)
	h, _ := r.Context().Value(holdKey{}).(*hold)
	end := time.Now().Add(receiveAll)
	for next := firstPiece; ; next = min(2*next, largestPiece) {
		if h != nil {
			if err := b.take(r.Context(), h.budget, int64(next)); err != nil {
				return b, err
			}
		}
		piece := make([]byte, next)
		n := 0
		var err error
		for n < next && err == nil {
			step := time.Now().Add(receiveStep)
			if step.After(end) {
				step = end
			}
			// Not every writer has deadlines; a server's has.
			_ = control.SetReadDeadline(step)
			var got int
			got, err = body.Read(piece[n:])
			n += got
		}
		b.pieces, b.size = append(b.pieces, piece[:n]), b.size+int64(n)
		switch {
		case err == nil:
		case errors.Is(err, io.EOF):
			// The server goes on reading, to see the client hang up: a
			// deadline that passes would look like that.
			_ = control.SetReadDeadline(time.Time{})
			return b, nil
		case errors.Is(err, os.ErrDeadlineExceeded):
			return b, errSlow
		case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET):
			return b, errHungUp
		default:
			return b, err
		}
	}
}

// take takes room for the next piece.
func (b *received) take(ctx context.Context, of *budget, bytes int64) error {
	pool := of.rest
	if b.size+bytes <= smallBody {
		pool = of.start
	}
	if err := acquire(ctx, pool, bytes); err != nil {
		return err
	}
	b.frees = append(b.frees, func() { pool.Release(bytes) })
	return nil
}

// reader reads what has arrived.
func (b *received) reader() io.ReadCloser {
	readers := make([]io.Reader, len(b.pieces))
	for i, p := range b.pieces {
		readers[i] = bytes.NewReader(p)
	}
	return io.NopCloser(io.MultiReader(readers...))
}

// free gives the room back.
func (b *received) free() {
	for _, free := range b.frees {
		free()
	}
	b.pieces, b.frees = nil, nil
}
