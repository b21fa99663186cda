package store

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/whichrule/whichrule/internal/fetch"
	"github.com/whichrule/whichrule/internal/tester"
)

func TestMemory(t *testing.T) {
	testStore(t, func(t *testing.T, test func(*testing.T, backend)) {
		synctest.Test(t, func(t *testing.T) {
			m := newMemory()
			test(t, backend{
				Outcomes: m, Reports: m, Shares: m, rest: m,
				pass:   time.Sleep,
				settle: synctest.Wait,
				spoil:  m.spoil,
				fill:   func() { m.room = m.used },
			})
		})
	})
}

// newMemory gives a store without jitter.
func newMemory() *Memory {
	m := NewMemory(time.Now)
	m.jitter = func() float64 { return 0 }
	return m
}

// spoil changes every value held.
func (m *Memory) spoil(change func([]byte) []byte) {
	for k, e := range m.outcomes.All() {
		m.outcomes.Set(k, entry{data: change(e.data), life: e.life})
	}
	for k, e := range m.goods.All() {
		m.goods.Set(k, entry{data: change(e.data), life: e.life})
	}
	for k, e := range m.results.All() {
		m.results.Set(k, entry{data: change(e.data), life: e.life})
	}
	for _, s := range m.shares {
		s.data = change(s.data)
	}
}

func TestMemoryOutcomesStayWithinRoom(t *testing.T) {
	m := newMemory()
	for i := range 100 {
		o := &fetch.Outcome{ID: fmt.Sprint("o-", i), Kind: fetch.OK, Body: noise(1 << 20)}
		if _, _, err := m.Fresh(context.Background(), fmt.Sprint(i), false, func(context.Context) (*fetch.Outcome, error) { return o, nil }); err != nil {
			t.Fatal(err)
		}
	}
	m.outcomes.CleanUp()
	held := 0
	for _, e := range m.outcomes.All() {
		held += len(e.data)
	}
	if held > outcomesRoom || held < outcomesRoom*3/4 {
		t.Errorf("got %d bytes held; want up to %d, and not much less", held, outcomesRoom)
	}
}

func TestMemoryOutcomeGivenUpForRoom(t *testing.T) {
	m := newMemory()
	b := backend{Outcomes: m}
	s := &site{name: "a"}
	s.fresh(t, b, false)
	m.outcomes.Invalidate("a-1")
	if got := s.fresh(t, b, false); got != "a-2" {
		t.Errorf("got %s; want a-2", got)
	}
}

func TestMemorySharesThatEndedMakeRoom(t *testing.T) {
	synctest.Test(t, testSharesThatEndedMakeRoom)
}

func testSharesThatEndedMakeRoom(t *testing.T) {
	ctx := context.Background()
	m := newMemory()
	create := func(id string) error {
		_, err := m.Create(ctx, shared(t, id, "n-"+id))
		return err
	}
	for _, id := range []string{"a", "b"} {
		if err := create(id); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
	}
	m.room = m.used + 50 // their sizes differ by some bytes
	time.Sleep(tester.ShareLife - 2*time.Hour - time.Second)
	if err := create("c"); !errors.Is(err, tester.ErrFull) {
		t.Fatalf("before the first one ended: got %v; want %v", err, tester.ErrFull)
	}
	time.Sleep(time.Second)
	if err := create("c"); err != nil {
		t.Errorf("after the first one ended: got %v; want room", err)
	}
	if err := create("d"); !errors.Is(err, tester.ErrFull) {
		t.Errorf("full again: got %v; want %v", err, tester.ErrFull)
	}
	time.Sleep(time.Hour)
	if err := create("d"); err != nil {
		t.Errorf("after the second one ended: got %v; want room", err)
	}
	for id, want := range map[string]error{"a": tester.ErrNotFound, "b": tester.ErrNotFound, "c": nil, "d": nil} {
		if _, err := m.Share(ctx, id); !errors.Is(err, want) {
			t.Errorf("share %s: got error %v; want %v", id, err, want)
		}
	}
	time.Sleep(2 * tester.ShareLife)
	m.clean()
	if m.used != 0 || len(m.shares) != 0 || len(m.nonces) != 0 {
		t.Errorf("after all ended: got %d bytes, %d shares, %d nonces; want none", m.used, len(m.shares), len(m.nonces))
	}
}

func TestMemoryDeleteMakesRoom(t *testing.T) {
	ctx := context.Background()
	m := newMemory()
	if _, err := m.Create(ctx, shared(t, "a", "")); err != nil {
		t.Fatal(err)
	}
	m.room = m.used + shareWeight + 100
	if err := m.Delete(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Create(ctx, shared(t, "b", "")); err != nil {
		t.Errorf("got %v; want the room of the deleted one", err)
	}
}

func TestMemoryDeletedSharesAreBounded(t *testing.T) {
	synctest.Test(t, testDeletedSharesAreBounded)
}

func testDeletedSharesAreBounded(t *testing.T) {
	ctx := context.Background()
	m := newMemory()
	const extra = 10
	for i := range maxGraves + extra {
		id := fmt.Sprint(i)
		if _, err := m.putShare(id, "", []byte{format}); err != nil {
			t.Fatal(err)
		}
		if err := m.Delete(ctx, id); err != nil {
			t.Fatal(err)
		}
	}
	if len(m.shares) != maxGraves {
		t.Errorf("got %d deleted shares remembered; want %d", len(m.shares), maxGraves)
	}
	for id, want := range map[string]error{fmt.Sprint(extra - 1): tester.ErrNotFound, fmt.Sprint(extra): tester.ErrDeleted} {
		if _, err := m.Share(ctx, id); !errors.Is(err, want) {
			t.Errorf("share %s: got error %v; want %v", id, err, want)
		}
	}
	time.Sleep(2 * tester.ShareLife)
	m.clean()
	if m.used != 0 {
		t.Errorf("after all ended: got %d bytes used; want 0", m.used)
	}
}
