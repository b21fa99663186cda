package web

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// begin is a request that takes bytes of the budget.
func begin(b *budget, bytes int64) (*hold, error) {
	h := &hold{budget: b}
	return h, take(context.WithValue(context.Background(), holdKey{}, h), bytes)
}

// Large requests wait for one another, and small ones for none of them.
func TestBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBudget()
		first, err := begin(b, largeShare)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if _, err := begin(b, smallRequest); err != nil || time.Since(start) > 0 {
			t.Errorf("a small one: got %v after %v; want room at once", err, time.Since(start))
		}
		if _, err := begin(b, smallRequest+1); !errors.Is(err, errBusy) || time.Since(start) != admitWait {
			t.Errorf("another large one: got %v after %v; want %v after %v", err, time.Since(start), errBusy, admitWait)
		}
		go func() {
			time.Sleep(time.Second)
			first.release()
			first.release() // once more changes nothing
		}()
		start = time.Now()
		if _, err := begin(b, largeShare); err != nil || time.Since(start) != time.Second {
			t.Errorf("one that waits: got %v after %v; want room after a second", err, time.Since(start))
		}
	})
}

// Who gives up waiting gets the reason of his own context, and holds nothing.
func TestBudgetGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBudget()
		first, _ := begin(b, largeShare)
		h := &hold{budget: b}
		ctx, cancel := context.WithTimeout(context.WithValue(context.Background(), holdKey{}, h), time.Second)
		defer cancel()
		if err := take(ctx, largeShare); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v; want %v", err, context.DeadlineExceeded)
		}
		first.release()
		if _, err := begin(b, largeShare); err != nil {
			t.Errorf("got %v; want all the room", err)
		}
	})
}

// Nothing that is taken is more than there is: such a request would never get
// in.
func TestBudgetHoldsLargest(t *testing.T) {
	if most := int64(perRequest + perBodyByte*maxBody); most > largeShare {
		t.Errorf("the largest body takes %d bytes of %d", most, int64(largeShare))
	}
	if most := int64(maxBody + largestPiece); most > arrivingRest {
		t.Errorf("the largest body takes %d bytes of %d while it arrives", most, int64(arrivingRest))
	}
	if smallRequest > smallShare {
		t.Error("the largest small request does not fit")
	}
}
