package asm_test

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/seed-08962ecc/kronfield/fuzz"
)

// A double is the unevaluated sum of two numbers, the second below half a unit
// of the first: some 106 bits (Dekker 1971).
type double struct{ hi, lo float64 }

func twoSum(a, b float64) double {
	s := a + b
	t := s - a
	return double{s, (a - (s - t)) + (b - t)}
}

func (a double) add(b double) double {
	s, t := twoSum(a.hi, b.hi), twoSum(a.lo, b.lo)
	s = twoSum(s.hi, s.lo+t.hi)
	return twoSum(s.hi, s.lo+t.lo)
}

func (a double) mul(b double) double {
	p := float64(a.hi * b.hi)
	return twoSum(p, math.FMA(a.hi, b.hi, -p)+(math.FMA(a.hi, b.lo, float64(a.lo*b.hi))))
}

func (a double) div(b double) double {
	q := a.hi / b.hi
	r := a.add(b.mul(double{-q, 0}))
	s := r.hi / b.hi
	r = r.add(b.mul(double{-s, 0}))
	return twoSum(q, s).add(double{r.hi / b.hi, 0})
}

// ln2 to 159 bits.
var ln2 = [3]float64{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56, 0x1.7b57a079a1934p-111}

// trueExp returns exp(x) = m·2^k for |x| < 2000, with √½ ≤ m ≤ √2 but for a few
// units, to 2^−98 (TestReference).
func trueExp(x float64) (m double, k int) {
	n := math.RoundToEven(x / ln2[0])
	r := double{x, 0}
	for _, c := range ln2 {
		p := float64(n * c)
		r = r.add(double{-p, -math.FMA(n, c, -p)})
	}
	m = double{1, 0}
	for i := 28.; i > 0; i-- {
		m = double{1, 0}.add(m.mul(r).div(double{i, 0}))
	}
	return m, int(n)
}

// trueLog returns ln x for a positive finite x, to 2^−95 of itself.
func trueLog(x float64) double {
	if f := x - 1; math.Abs(f) < 1./64 {
		s := double{f, 0}.div(twoSum(2, f))
		z := s.mul(s)
		sum := double{}
		for i := 19.; i > 0; i -= 2 {
			sum = sum.mul(z).add(double{1, 0}.div(double{i, 0}))
		}
		return sum.mul(s).mul(double{2, 0})
	}
	f, e := math.Frexp(x)
	y := math.Log(f) + float64(float64(e)*math.Ln2) // math.Log(x) is wrong on amd64 where x is subnormal
	m, k := trueExp(-y)
	p := m.mul(double{f, 0})
	d := double{math.Ldexp(p.hi, e+k), math.Ldexp(p.lo, e+k)}.add(double{-1, 0}) // x·exp(−y) − 1
	return double{y, 0}.add(d.add(d.mul(d).mul(double{-0.5, 0})))
}

// The references themselves, against Taylor's series at 250 bits.
func TestReference(t *testing.T) {
	const bits = 250
	number := func(v float64) *big.Float { return new(big.Float).SetPrec(bits).SetFloat64(v) }
	value := func(d double) *big.Float { return number(d.hi).Add(number(d.hi), number(d.lo)) }
	// exp of a big number, by halving it ten times.
	exp := func(x *big.Float) *big.Float {
		r := number(0).SetMantExp(x, -10-max(0, x.MantExp(nil)))
		sum := number(1)
		for i := 40; i > 0; i-- {
			sum.Mul(sum, r).Quo(sum, number(float64(i))).Add(sum, number(1))
		}
		for range 10 + max(0, x.MantExp(nil)) {
			sum.Mul(sum, sum)
		}
		return sum
	}
	s := fuzz.New(11)
	for i := range 300 {
		x := 760 * (2*s.Float64() - 1)
		if i%3 == 0 {
			x *= 0x1p-10 * s.Float64()
		}
		m, k := trueExp(x)
		got := value(m)
		got.SetMantExp(got, k)
		want := exp(number(x))
		if e, _ := got.Sub(got, want).Quo(got, want).Float64(); !(math.Abs(e) < 0x1p-98) {
			t.Errorf("exp(%v): reference is wrong by %g", x, e)
		}
	}
	for i := range 300 {
		x := math.Exp(700 * (2*s.Float64() - 1))
		if i%3 == 0 {
			x = 1 + (2*s.Float64()-1)*math.Ldexp(1, -s.IntN(52))
		}
		if i%3 == 1 {
			x = math.Float64frombits(1 + s.Uint64()>>(12+s.IntN(52))) // subnormal
		}
		if x == 1 {
			continue
		}
		y := value(trueLog(x))
		e := exp(y)
		e.Quo(e, number(x)).Sub(e, number(1)).Quo(e, y)
		if e, _ := e.Float64(); !(math.Abs(e) < 0x1p-95) {
			t.Errorf("log(%v): reference is wrong by %g", x, e)
		}
	}
}

// ulps returns the error of got as a value of m·2^k, in units of the last place
// of that, which is never below 2^−1074. An infinity stands for 2^1024 and more.
func ulps(got float64, m double, k int) float64 {
	_, e := math.Frexp(m.hi)
	unit := max(e+k-53, -1074) - k // the unit's exponent beside m
	if math.IsInf(got, 1) && e+k > 1024 {
		return 0
	}
	g, d := math.Frexp(got)
	if math.IsInf(got, 1) {
		g, d = 0.5, 1025
	}
	diff := double{math.Ldexp(g, d-k), 0}.add(double{-m.hi, -m.lo})
	return math.Ldexp(diff.hi, -unit)
}

// errors collects the errors of a function.
type errors struct {
	worst, at float64
	tenths    [11]int // how many in each tenth of a unit
	n         int
}

func (e *errors) add(x, err float64) {
	err = math.Abs(err)
	if !(err <= e.worst) {
		e.worst, e.at = err, x
	}
	e.tenths[int(10*min(err, 1))]++
	e.n++
}

func (e *errors) String() string {
	s := fmt.Sprintf("largest error %.4f units at %v; per cent in each tenth of a unit:", e.worst, e.at)
	for _, c := range e.tenths {
		s += fmt.Sprintf(" %.2g", 100*float64(c)/float64(e.n))
	}
	return s
}
