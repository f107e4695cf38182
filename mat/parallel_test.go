package mat_test

import (
	"crypto/sha256"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
)

// products are the digests of products of many shapes: tall, wide, long and
// thin, triangular, symmetric.
func products() [][sha256.Size]byte {
	s := fuzz.New(50)
	var sums [][sha256.Size]byte
	for _, d := range [][3]int{
		{300, 64, 40}, {1000, 8, 64}, {8, 1000, 64}, {140, 140, 140}, {7, 9, 5000}, {3, 2, 40000}, {1, 900, 300}, {400, 1, 500},
	} {
		dst := mat.New(d[0], d[1])
		mat.Mul(dst, 1.1, fuzz.Normal(s, d[0], d[2]), fuzz.Normal(s, d[2], d[1]), 0)
		sums = append(sums, fuzz.Digest(dst))
	}
	a, b := fuzz.Normal(s, 300, 60), fuzz.Normal(s, 300, 70)
	dst := mat.New(300, 300)
	mat.Syrk(dst, 1, a, 0)
	mat.SolveLower(fuzz.Triangular(s, 300, 100, true), b)
	return append(sums, fuzz.Digest(dst), fuzz.Digest(b))
}

// The number of processors does not change a bit.
func TestSameBitsAtAnyGOMAXPROCS(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	eachVariantHere(t, func(t *testing.T) {
		runtime.GOMAXPROCS(1)
		want := products()
		for _, n := range []int{2, 3, 4, 8} {
			runtime.GOMAXPROCS(n)
			for i, sum := range products() {
				if sum != want[i] {
					t.Errorf("GOMAXPROCS %d: product %d has other bits than with 1", n, i)
				}
			}
		}
	})
}

// eachVariantHere runs f with the default tuning constants and with such as
// share even the smallest product out.
func eachVariantHere(t *testing.T, f func(t *testing.T)) {
	t.Run("default", f)
	former := mat.SetTuning(mat.Tuning{MC: 32, KC: 64, NC: 64, Direct: 512, Clash: 100, LongK: 100, LongMN: 1 << 12, Bands: 100, Triangle: 16, Solve: 48, Narrow: 4, Parallel: 1})
	defer mat.SetTuning(former)
	t.Run("small blocks", f)
}

// Parallel calls each index once, for any number of indices and processors,
// also from within itself.
func TestParallel(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, procs := range []int{1, 2, 4, 8} {
		runtime.GOMAXPROCS(procs)
		for _, n := range []int{-1, 0, 1, 2, 3, 17, 1000} {
			calls := make([]atomic.Int32, max(n, 0))
			mat.Parallel(n, func(i int) { calls[i].Add(1) })
			for i := range calls {
				if c := calls[i].Load(); c != 1 {
					t.Errorf("GOMAXPROCS %d, n=%d: index %d called %d times", procs, n, i, c)
				}
			}
		}
		const outer, inner = 9, 7
		var calls [outer][inner]atomic.Int32
		mat.Parallel(outer, func(i int) {
			mat.Parallel(inner, func(j int) {
				mat.Parallel(2, func(int) { calls[i][j].Add(1) })
			})
		})
		for i := range outer {
			for j := range inner {
				if c := calls[i][j].Load(); c != 2 {
					t.Errorf("GOMAXPROCS %d: nested indices (%d, %d) called %d times", procs, i, j, c)
				}
			}
		}
	}
}

// A panic reaches the caller with its value, after all running calls have
// returned, and leaves Parallel in working order.
func TestParallelPanics(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, procs := range []int{1, 4} {
		runtime.GOMAXPROCS(procs)
		for _, bad := range []int{0, 5, 99} {
			var running atomic.Int32
			want := fmt.Sprintf("index %d", bad)
			got := tier.Panic(func() {
				mat.Parallel(100, func(i int) {
					running.Add(1)
					defer running.Add(-1)
					if i == bad {
						panic(want)
					}
					runtime.Gosched()
				})
			})
			if got != want {
				t.Errorf("GOMAXPROCS %d: panic %q, want %q", procs, got, want)
			}
			if r := running.Load(); r != 0 {
				t.Errorf("GOMAXPROCS %d: %d calls still run when Parallel panics", procs, r)
			}
		}
		if got := tier.Panic(func() {
			mat.Parallel(3, func(i int) { mat.Parallel(3, func(j int) { panic("inner") }) })
		}); got != "inner" {
			t.Errorf("GOMAXPROCS %d: nested panic %q", procs, got)
		}
		var sum atomic.Int32
		mat.Parallel(100, func(i int) { sum.Add(int32(i)) })
		if sum.Load() != 4950 {
			t.Errorf("GOMAXPROCS %d: after panics the sum of the indices is %d", procs, sum.Load())
		}
	}
}

// After a panic no further part is begun but those that others have taken already.
func TestNothingGoesOnAfterAPanic(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, procs := range []int{1, 2, 4} {
		runtime.GOMAXPROCS(procs)
		for _, inOrder := range []bool{false, true} {
			var panicked atomic.Bool
			var late atomic.Int32
			part := partFunc(func(i int) {
				if i == 7 {
					panicked.Store(true)
					panic("part 7")
				}
				if panicked.Load() {
					late.Add(1)
				}
				time.Sleep(50 * time.Microsecond)
			})
			run := mat.Run
			if inOrder {
				run = mat.RunInOrder
			}
			if text := tier.Panic(func() { run(2000, part) }); text != "part 7" {
				t.Errorf("GOMAXPROCS %d: panic %q, want that of part 7", procs, text)
			}
			// One for each other processor is on its way; some more if this one was
			// kept waiting between the two.
			if n := late.Load(); n > 500 {
				t.Errorf("GOMAXPROCS %d: %d parts of 2000 were begun after a panic", procs, n)
			}
		}
	}
}

// partFunc is a function as work.
type partFunc func(i int)

func (f partFunc) Do(i int) { f(i) }

// Callers beside one another, calls within parts, panics and sleeping helpers: every
// part is called once, nothing hangs, and products have the bits that they have alone.
func TestParallelTogether(t *testing.T) {
	tier.Skip(t, tier.Emulated)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, processors := range []int{2, 5} {
		runtime.GOMAXPROCS(processors)
		var callers sync.WaitGroup
		for g := range 6 {
			callers.Add(1)
			go func() {
				defer callers.Done()
				s := fuzz.New(uint64(g))
				n := 60 + 30*g
				x, y, want, got := fuzz.Normal(s, n, n), fuzz.Normal(s, n, n), mat.New(n, n), mat.New(n, n)
				mat.Mul(want, 1, x, y, 0)
				for k := range 25 {
					var calls atomic.Int64
					mat.Parallel(5, func(int) { mat.Parallel(3, func(int) { calls.Add(1) }) })
					if calls.Load() != 15 {
						t.Errorf("%d calls of 15 parts", calls.Load())
					}
					if k%10 == 3 {
						if text := tier.Panic(func() {
							mat.Parallel(9, func(i int) {
								if i == 5 {
									panic("part 5")
								}
							})
						}); text != "part 5" {
							t.Errorf("panic %q, want that of part 5", text)
						}
					}
					if k%20 == g {
						time.Sleep(3 * time.Millisecond) // helpers fall asleep
					}
					mat.Mul(got, 1, x, y, 0)
					if err := fuzz.SameBits(got, want); err != nil {
						t.Errorf("a product of order %d: %v", n, err)
					}
				}
			}()
		}
		callers.Wait()
	}
}

// begun counts parts that are begun and keeps the least lead of any over the parts
// before it: how many were begun, less how many there are.
type begun struct{ count, lead atomic.Int64 }

func (b *begun) Do(i int) {
	lead := b.count.Add(1) - 1 - int64(i)
	for least := b.lead.Load(); lead < least && !b.lead.CompareAndSwap(least, lead); least = b.lead.Load() {
	}
	runtime.Gosched()
}

// Parts in order: when one begins, each other processor may be on its way into one
// part before it, and no more are missing. Run itself has no such order.
func TestRunInOrder(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, processors := range []int{1, 2, 5} {
		runtime.GOMAXPROCS(processors)
		for range 200 {
			var b begun
			mat.RunInOrder(300, &b)
			if lead, least := b.lead.Load(), int64(1-processors); lead < least || b.count.Load() != 300 {
				t.Fatalf("GOMAXPROCS %d: %d parts of 300; %d parts before one were not begun, want at most %d", processors, b.count.Load(), -lead, -least)
			}
		}
	}
}
