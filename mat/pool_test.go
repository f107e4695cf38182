package mat_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"weak"

	"github.com/seed-08962ecc/kronfield/mat"
)

// collect collects garbage until the pools have been swept once more.
func collect(t *testing.T) {
	t.Helper()
	before := mat.Collections()
	for deadline := time.Now().Add(10 * time.Second); mat.Collections() == before; time.Sleep(10 * time.Microsecond) {
		if runtime.GC(); time.Now().After(deadline) {
			t.Fatal("pools are not swept after a collection")
		}
	}
}

// gone reports whether what p pointed to is freed after a few collections.
func gone[T any](t *testing.T, p weak.Pointer[T]) bool {
	for range 3 * mat.IdleCollections {
		if collect(t); p.Value() == nil {
			return true
		}
	}
	return false
}

// Buffers that nobody borrows any more are freed, whatever others are in use.
func TestIdleBuffersAreFreed(t *testing.T) {
	lend := func(n int) weak.Pointer[float64] {
		p := mat.Borrow(n)
		first := &(*p)[0]
		mat.GiveBack(p)
		return weak.Make(first)
	}
	var buffers []weak.Pointer[float64]
	for n := 1000; n < 1<<22; n *= 3 {
		buffers = append(buffers, lend(n))
	}
	for i, b := range buffers {
		if !gone(t, b) {
			t.Errorf("buffer %d of %d is kept", i, len(buffers))
		}
	}
}

// A buffer serves who asks for two thirds of its numbers, and nobody who asks for a third.
func TestLargerBuffersAreLent(t *testing.T) {
	const n = 3_000_000
	large := mat.Borrow(n)
	first := &(*large)[0]
	mat.GiveBack(large)
	for _, c := range []struct {
		n    int
		lent bool
	}{{n * 2 / 3, true}, {n / 3, false}, {n, true}} {
		p := mat.Borrow(c.n)
		if lent := &(*p)[0] == first; lent != c.lent || len(*p) != c.n {
			t.Errorf("of a buffer of %d numbers %d are lent: %t, expected %t; got %d", n, c.n, lent, c.lent, len(*p))
		}
		mat.GiveBack(p)
	}
}

// However many buffers were lent at once, no more than maxKept numbers wait for a
// borrower, and products into strided places leave little.
func TestKeptIsBounded(t *testing.T) {
	const n = mat.MostKept / 5
	var lent []*[]float64
	for range 8 {
		lent = append(lent, mat.Borrow(n))
	}
	for _, p := range lent {
		mat.GiveBack(p)
		if k := mat.Kept(); k > mat.MostKept || k < 0 {
			t.Errorf("%d numbers are kept, want at most %d", k, mat.MostKept)
		}
	}
	lent = nil
	for range 3 * mat.IdleCollections {
		collect(t)
	}
	if k := mat.Kept(); k > n/10 {
		t.Errorf("%d numbers are kept after all have gone", k)
	}
	first := mat.Borrow(1000)
	mat.GiveBack(first)
	if mat.Kept() < 1000 {
		t.Error("nothing is kept of what is given back")
	}
	before := mat.Kept()
	big := mat.Matrix{Rows: 1500, Cols: 1500, RowStride: 3000, ColStride: 2, Data: make([]float64, 1500*3000)}
	x := mat.New(1500, 2)
	mat.Mul(big, 1, x, x.T(), 0)
	mat.Syrk(big, 1, x, 0)
	if k := mat.Kept() - before; k > 3<<20/2 {
		t.Errorf("products into a strided place of %d numbers leave %d", 1500*1500, k)
	}
}

// What is taken now and then stays, however many collections there are.
func TestPoolKeepsWhatIsUsed(t *testing.T) {
	var pool mat.Pool[[4096]byte]
	x := new([4096]byte)
	pool.Give(x)
	for i := range 5 * mat.IdleCollections {
		got := pool.Take()
		if got != x {
			t.Fatalf("after %d collections the pool has another object", i)
		}
		pool.Give(got)
		collect(t)
	}
}

// Of objects that were in use at once and of which one stays in use, the others go. A pool
// that nobody refers to any more goes too.
func TestPoolShrinks(t *testing.T) {
	pool := new(mat.Pool[[4096]byte])
	objects := []*[4096]byte{pool.Take(), pool.Take(), pool.Take()}
	var others []weak.Pointer[[4096]byte]
	for i, x := range objects {
		pool.Give(x)
		if i < len(objects)-1 {
			others = append(others, weak.Make(x))
		}
	}
	last := objects[len(objects)-1]
	objects = nil
	for range 2 * mat.IdleCollections {
		if pool.Take() != last {
			t.Fatal("the object given last is not taken first")
		}
		pool.Give(last)
		collect(t)
	}
	for i, x := range others {
		if !gone(t, x) {
			t.Errorf("object %d is kept", i)
		}
	}
	self := weak.Make(pool)
	pool = nil
	if !gone(t, self) {
		t.Error("an empty pool is kept")
	}
}

// While goroutines take and give objects, and pools are swept, no object has two owners.
func TestPoolIsSafe(t *testing.T) {
	var pool mat.Pool[atomic.Int32]
	var callers sync.WaitGroup
	for g := range 4 {
		callers.Go(func() {
			for i := range 3000 {
				x, y := pool.Take(), pool.Take()
				if x.Add(1) != 1 || y.Add(1) != 1 {
					t.Error("an object has two owners")
				}
				x.Add(-1)
				y.Add(-1)
				pool.Give(x)
				pool.Give(y)
				if i%100 == g {
					runtime.GC()
				}
			}
		})
	}
	callers.Wait()
}
