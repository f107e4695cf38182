package fuzz

import (
	"crypto/sha256"
	"fmt"
	"runtime"
	"sync"

	"github.com/seed-08962ecc/kronfield/mat"
)

// asked is a call on operands drawn before, and the digest of its answers.
type asked struct {
	name string
	do   func() [sha256.Size]byte
}

// ask returns one call of each operation that x has, on operands of one order.
func (t *Trial) ask(x Library, n int) []asked {
	a, b := t.Given("a", Normal(t.Source, n, n)), t.Given("b", Normal(t.Source, n, n))
	spd := fill(n, n, func(i, j int) float64 { return mat.Dot(a.Slice(i, i+1, 0, n), a.Slice(j, j+1, 0, n)) })
	mat.MirrorLower(spd)
	for i := range n {
		spd.Set(i, i, spd.At(i, i)+float64(n))
	}
	k := min(n, 4)
	f, g, unit := a.Slice(0, k, 0, k), spd.Slice(0, k, 0, k), mat.Identity(k*k)
	operands := [...][2]mat.Matrix{anyMatrix: {a, b}, definiteMatrix: {spd, b}, anyFactors: {f, unit}, definiteFactors: {g, unit}}
	var all []asked
	for _, c := range calls {
		if x.has(c.field) && (n > 0 || c.field != "Update" && c.field != "Downdate") {
			o := operands[c.takes]
			all = append(all, asked{c.field, func() [sha256.Size]byte {
				answers, _ := c.do(x, o[0], o[1].Clone())
				return Digest(answers...)
			}})
		}
	}
	return all
}

// one draws one operation of x, and returns a call of it on each of some sets of operands of order n.
func (t *Trial) one(x Library, n, sets int) []asked {
	var some []asked
	which := -1
	for range sets {
		all := t.ask(x, n)
		t.Assume(len(all) > 0)
		if which < 0 {
			which = t.IntN(len(all))
		}
		some = append(some, all[which])
	}
	return some
}

// several returns calls of all operations in one trial of five, and of one in the others and at high orders: all of them cost as
// much as all other laws.
func (t *Trial) several(x Library) []asked {
	n := t.Size(maxEig)
	if n > maxEig || t.IntN(5) > 0 {
		return t.one(x, n, 1)
	}
	return t.ask(x, n)
}

func againLaw(t *Trial, x Library) {
	for _, c := range t.several(x) {
		first := c.do()
		for range 2 {
			if c.do() != first {
				t.Failf("%s: another answer to the same call", c.name)
			}
		}
	}
}

func processorsLaw(t *Trial, x Library) {
	calls := t.several(x)
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	var first [][sha256.Size]byte
	for _, processors := range []int{1, 2, 3} {
		runtime.GOMAXPROCS(processors)
		for i, c := range calls {
			switch sum := c.do(); {
			case processors == 1:
				first = append(first, sum)
			case sum != first[i]:
				t.Failf("%s: other bits with %d processors than with 1", c.name, processors)
			}
		}
	}
}

func goroutinesLaw(t *Trial, x Library) {
	calls := t.one(x, t.Size(maxEig), 2)
	first := make([][sha256.Size]byte, len(calls))
	for i, c := range calls {
		first[i] = c.do()
	}
	var wrong sync.Map
	var all sync.WaitGroup
	begin := make(chan struct{})
	for g := range 4 {
		all.Go(func() {
			<-begin
			defer func() {
				if p := recover(); p != nil {
					wrong.Store(fmt.Sprintf("panic: %v", p), true)
				}
			}()
			for k := range 8 { // the same operation side by side, on other operands
				i := (k + g) % len(calls)
				if calls[i].do() != first[i] {
					wrong.Store(calls[i].name, true)
				}
			}
		})
	}
	close(begin)
	all.Wait()
	wrong.Range(func(name, _ any) bool {
		t.Failf("%v: other bits beside other goroutines", name)
		return false
	})
}
