package fuzz

import (
	"fmt"
	"runtime"
	"sync"

	"github.com/seed-08962ecc/kronfield/mat"
)

// call is one operation of a library on operands drawn before.
type call struct {
	name string
	do   func() [32]byte
}

// calls returns one call of each operation that x has, on operands of one order.
func (t *Trial) calls(x Library, n int) []call {
	var all []call
	add := func(has bool, name string, do func() []mat.Matrix) {
		if has {
			all = append(all, call{name, func() [32]byte { return Digest(do()...) }})
		}
	}
	a, b := t.Given("a", Normal(t.Source, n, n)), t.Given("b", Normal(t.Source, n, n))
	spd := fill(n, n, func(i, j int) float64 { return mat.Dot(a.Slice(i, i+1, 0, n), a.Slice(j, j+1, 0, n)) })
	mat.MirrorLower(spd)
	for i := range n {
		spd.Set(i, i, spd.At(i, i)+float64(n))
	}
	v := b.Slice(0, n, 0, min(n, 1)).Clone().Data
	into := func(f func(t, b mat.Matrix)) func() []mat.Matrix {
		return func() []mat.Matrix { c := b.Clone(); f(spd, c); return []mat.Matrix{c} }
	}
	add(x.Mul != nil, "Mul", func() []mat.Matrix { return []mat.Matrix{mul(x, a, b)} })
	add(x.MulSym != nil, "MulSym", func() []mat.Matrix { c := mat.New(n, n); x.MulSym(c, 1, a, a.T(), 0); return []mat.Matrix{c} })
	add(x.MulLower != nil, "MulLower", into(x.MulLower))
	add(x.MulUpper != nil, "MulUpper", into(x.MulUpper))
	add(x.SolveLower != nil, "SolveLower", into(x.SolveLower))
	add(x.SolveUpper != nil, "SolveUpper", into(x.SolveUpper))
	add(x.Syrk != nil, "Syrk", func() []mat.Matrix { c := mat.New(n, n); x.Syrk(c, 1, a, 0); return []mat.Matrix{c} })
	add(x.Cholesky != nil, "Cholesky", func() []mat.Matrix { l, _ := x.Cholesky(spd); return []mat.Matrix{Lower(l)} })
	add(x.SolveSPD != nil, "SolveSPD", func() []mat.Matrix { y, _ := x.SolveSPD(spd, b); return []mat.Matrix{y} })
	add(x.InverseSPD != nil, "InverseSPD", func() []mat.Matrix { y, _ := x.InverseSPD(spd); return []mat.Matrix{y} })
	add(x.LogDetSPD != nil, "LogDetSPD", func() []mat.Matrix { log, _ := x.LogDetSPD(spd); return []mat.Matrix{mat.Vector([]float64{log})} })
	add(x.Update != nil && n > 0, "Update", func() []mat.Matrix { l, _ := x.Update(spd, v); return []mat.Matrix{Lower(l)} })
	add(x.Downdate != nil && n > 0, "Downdate", func() []mat.Matrix { l, _ := x.Downdate(plusOuter(spd, 1, v), v); return []mat.Matrix{Lower(l)} })
	add(x.Eig != nil, "Eig", func() []mat.Matrix { w, v, _ := x.Eig(spd); return []mat.Matrix{mat.Vector(w), v} })
	add(x.EigValues != nil, "EigValues", func() []mat.Matrix { w, _ := x.EigValues(spd); return []mat.Matrix{mat.Vector(w)} })
	add(x.Solve != nil, "Solve", func() []mat.Matrix { y, _ := x.Solve(a, b); return []mat.Matrix{y} })
	add(x.Inverse != nil, "Inverse", func() []mat.Matrix { y, _ := x.Inverse(a); return []mat.Matrix{y} })
	add(x.LogDet != nil, "LogDet", func() []mat.Matrix {
		log, sign, _ := x.LogDet(a)
		return []mat.Matrix{mat.Vector([]float64{log, sign})}
	})
	add(x.LU != nil, "LU", func() []mat.Matrix { _, l, u, _ := x.LU(a); return []mat.Matrix{l, u} })
	add(x.QR != nil, "QR", func() []mat.Matrix { q, r, _ := x.QR(a); return []mat.Matrix{q, r} })
	add(x.SVD != nil, "SVD", func() []mat.Matrix { u, s, v, _ := x.SVD(a); return []mat.Matrix{u, mat.Vector(s), v} })
	k := min(n, 4)
	f, g := a.Slice(0, k, 0, k), spd.Slice(0, k, 0, k)
	factors := []mat.Matrix{g, g}
	add(x.KronMul != nil, "KronMul", func() []mat.Matrix { return []mat.Matrix{x.KronMul([]mat.Matrix{f, f}, mat.Identity(k*k))} })
	add(x.KronSolve != nil, "KronSolve", func() []mat.Matrix { y, _ := x.KronSolve(factors, mat.Identity(k*k)); return []mat.Matrix{y} })
	add(x.KronLogDet != nil, "KronLogDet", func() []mat.Matrix { log, _ := x.KronLogDet(factors); return []mat.Matrix{mat.Vector([]float64{log})} })
	add(x.KronEig != nil, "KronEig", func() []mat.Matrix { w, v, _ := x.KronEig(factors); return append(v, mat.Vector(w)) })
	return all
}

// one draws one operation of x, and returns a call of it on each of some sets of
// operands of order n.
func (t *Trial) one(x Library, n, sets int) []call {
	var some []call
	which := -1
	for range sets {
		all := t.calls(x, n)
		t.Assume(len(all) > 0)
		if which < 0 {
			which = t.IntN(len(all))
		}
		some = append(some, all[which])
	}
	return some
}

// several returns calls of all operations in one trial of five, and of one in the
// others and at high orders: all of them cost as much as all other laws.
func (t *Trial) several(x Library) []call {
	n := t.Size(maxEig)
	if n > maxEig || t.IntN(5) > 0 {
		return t.one(x, n, 1)
	}
	return t.calls(x, n)
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
	var first [][32]byte
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
	first := make([][32]byte, len(calls))
	for i, c := range calls {
		first[i] = c.do()
	}
	var wrong sync.Map
	var all sync.WaitGroup
	begin := make(chan struct{})
	for g := range 4 {
		all.Add(1)
		go func() {
			defer all.Done()
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
		}()
	}
	close(begin)
	all.Wait()
	wrong.Range(func(name, _ any) bool {
		t.Failf("%v: other bits beside other goroutines", name)
		return false
	})
}
