package asm_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/internal/tier"
)

func init() {
	differential["cholUpdate"] = "TestCholUpdate"
	differential["cholSolve"] = "TestCholSolve"
	differential["cholFactor"] = "TestCholFactor"
}

// cholDepths are numbers of finished columns: all around the unrolled loop, and
// some long ones.
func cholDepths() []int { return []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 31, 32, 33, 100, 257} }

// less is x − l·v as the level in use rounds it.
func less(x, l, v float64) float64 {
	if asm.Level() == "generic" {
		return x - float64(l*v)
	}
	return math.FMA(-l, v, x)
}

// quotient is x/p as the level in use rounds it.
func quotient(x, p float64) float64 {
	if asm.Level() == "generic" {
		return x / p
	}
	inv := 1 / p
	q := x * inv
	return math.FMA(math.FMA(-q, p, x), inv, q)
}

// cholPanel returns d+w rows of a panel: numbers of either sign below the
// diagonal block, a well conditioned one in it.
func cholPanel(s *fuzz.Source, d int) []float64 {
	w := asm.CholPanel()
	b := fuzz.Normal(s, d+w, w)
	for k := range w {
		b.Set(d+k, k, 3*float64(d+w)+b.At(d+k, k))
	}
	return b.Data
}

// canaried returns a copy of x between numbers that must stay, and a check of them.
func canaried(x []float64) (mine []float64, check func(t *testing.T)) {
	const margin = 30
	all := make([]float64, len(x)+2*margin)
	for i := range all {
		all[i] = fuzz.Canary()
	}
	mine = all[margin : margin+len(x) : margin+len(x)]
	copy(mine, x)
	return mine, func(t *testing.T) {
		t.Helper()
		for i, v := range all {
			if (i < margin || i >= margin+len(x)) && math.Float64bits(v) != math.Float64bits(fuzz.Canary()) {
				t.Fatalf("number %d of %d has been written", i-margin, len(x))
			}
		}
	}
}

func sameNumbers(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for i, v := range want {
		if math.Float64bits(got[i]) != math.Float64bits(v) {
			t.Fatalf("%s: number %d: got %v, want %v", what, i, got[i], v)
		}
	}
}

func TestCholUpdate(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		s := fuzz.New(31)
		w := asm.CholPanel()
		for _, d := range cholDepths() {
			a, b := fuzz.Normal(s, max(d, 1), w).Data[:d*w], fuzz.Normal(s, max(d, 1), w).Data[:d*w]
			want := fuzz.Normal(s, w, w).Data
			got, check := canaried(want)
			asm.CholUpdate(d, a, b, got)
			for k := range w {
				for r := range w {
					for j := range d {
						want[k*w+r] = less(want[k*w+r], a[j*w+k], b[j*w+r])
					}
				}
			}
			sameNumbers(t, fmt.Sprintf("%d columns", d), got, want)
			check(t)
		}
	})
}

func TestCholSolve(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		s := fuzz.New(32)
		w := asm.CholPanel()
		for _, d := range cholDepths() {
			a := cholPanel(s, d)
			inv := make([]float64, w)
			for k := range inv {
				inv[k] = 1 / a[(d+k)*w+k]
			}
			want := fuzz.Normal(s, d+w, w).Data
			got, check := canaried(want)
			asm.CholSolve(d, a, got, inv)
			for k := d; k < d+w; k++ {
				for r := range w {
					x := want[k*w+r]
					for j := range k {
						x = less(x, a[j*w+k-d], want[j*w+r])
					}
					want[k*w+r] = quotient(x, a[k*w+k-d])
				}
			}
			sameNumbers(t, fmt.Sprintf("%d columns", d), got, want)
			check(t)
		}
	})
}

// factorModel is CholFactor, one number after the other. What is right of the
// diagonal block's diagonal becomes 0.
func factorModel(d, w int, b, inv []float64) (good int, pivot float64) {
	for k := range w {
		for r := range w {
			x := b[(d+k)*w+r]
			for j := range d + k {
				x = less(x, b[j*w+k], b[j*w+r])
			}
			switch {
			case r < k:
				b[(d+k)*w+r] = 0
			case r > k:
				b[(d+k)*w+r] = quotient(x, b[(d+k)*w+k])
			case !(x > 0) || math.IsInf(x, 1):
				return k, x
			default:
				b[(d+k)*w+k] = math.Sqrt(x)
				inv[k] = 1 / b[(d+k)*w+k]
			}
		}
	}
	return w, 0
}

func TestCholFactor(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		s := fuzz.New(33)
		w := asm.CholPanel()
		for _, d := range cholDepths() {
			want := cholPanel(s, d)
			for k := range w { // what is right of the diagonal does not matter
				for r := range k {
					want[(d+k)*w+r] = []float64{math.NaN(), math.Inf(1), -1, 0}[s.IntN(4)]
				}
			}
			got, check := canaried(want)
			inv, checkInv := canaried(make([]float64, w))
			wantInv := make([]float64, w)
			good, pivot := asm.CholFactor(d, got, inv)
			wantGood, _ := factorModel(d, w, want, wantInv)
			if good != w || wantGood != w || pivot != 0 {
				t.Fatalf("%d columns: pivot %d is %v, model %d", d, good, pivot, wantGood)
			}
			sameNumbers(t, fmt.Sprintf("%d columns", d), got, want)
			sameNumbers(t, "reciprocals", inv, wantInv)
			check(t)
			checkInv(t)
		}
	})
}

// Every pivot fails in turn, with every sort of number that is no pivot; every
// sort that is one passes.
func TestCholPivots(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		w := asm.CholPanel()
		for _, d := range []int{0, 5} {
			for k := range w {
				for _, p := range []float64{0, math.Copysign(0, -1), -1, -5e-324, math.Inf(-1), math.Inf(1), math.NaN()} {
					b, inv := make([]float64, (d+w)*w), make([]float64, w)
					for i := range w {
						b[(d+i)*w+i] = 1
					}
					b[(d+k)*w+k] = p
					good, pivot := asm.CholFactor(d, b, inv)
					if good != k || pivot != p && (pivot == pivot || p == p) {
						t.Fatalf("%d columns, pivot %d is %v: got pivot %d is %v", d, k, p, good, pivot)
					}
				}
				for _, p := range []float64{5e-324, 0x1p-1022, 2, math.MaxFloat64} {
					b, inv := make([]float64, (d+w)*w), make([]float64, w)
					for i := range w {
						b[(d+i)*w+i] = p
					}
					if good, _ := asm.CholFactor(d, b, inv); good != w || b[(d+k)*w+k] != math.Sqrt(p) || inv[k] != 1/math.Sqrt(p) {
						t.Fatalf("diagonal %v: pivot %d fails, root %d is %v", p, good, k, b[(d+k)*w+k])
					}
				}
			}
		}
	})
}

// A quotient is the division, to half a unit in the last place and 2^−50 of one,
// so that exact quotients are exact.
func TestCholQuotients(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		s := fuzz.New(34)
		w := asm.CholPanel()
		differ, total := 0, 0
		for range 200 {
			a, b, inv := make([]float64, w*w), fuzz.Wide(s, w, w, 200).Data, make([]float64, w)
			exact := make([]bool, w*w)
			for k := range w {
				a[k*w+k] = math.Abs(fuzz.Wide(s, 1, 1, 100).Data[0])
				inv[k] = 1 / a[k*w+k]
				for r := range w {
					if exact[k*w+r] = r%3 == 0; exact[k*w+r] {
						a[k*w+k] = float64(float32(a[k*w+k]))
						inv[k] = 1 / a[k*w+k]
						b[k*w+r] = a[k*w+k] * float64(s.IntN(1000))
					}
				}
			}
			x := append([]float64(nil), b...)
			asm.CholSolve(0, a, b, inv)
			for i, v := range x {
				want := v / a[i/w*w+i/w]
				total++
				if b[i] == want {
					continue
				}
				differ++
				if exact[i] || b[i] != math.Nextafter(want, b[i]) {
					t.Fatalf("%v / %v: got %v, want %v", v, a[i/w*w+i/w], b[i], want)
				}
			}
		}
		if differ > total/1000 {
			t.Errorf("%d of %d quotients are not those of the division", differ, total)
		}
	})
}

func TestCholRefuses(t *testing.T) {
	w := asm.CholPanel()
	short := make([]float64, 2*w*w-1)
	long := make([]float64, 2*w*w)
	for _, c := range []struct {
		want string
		do   func()
	}{
		{fmt.Sprintf("asm: CholUpdate: a has %d numbers, want %d rows of %d", len(short), 2*w, w), func() { asm.CholUpdate(2*w, short, long, long) }},
		{fmt.Sprintf("asm: CholUpdate: b has %d numbers, want %d rows of %d", len(short), 2*w, w), func() { asm.CholUpdate(2*w, long, short, long) }},
		{fmt.Sprintf("asm: CholUpdate: c has 1 numbers, want %d rows of %d", w, w), func() { asm.CholUpdate(0, long, long, long[:1]) }},
		{fmt.Sprintf("asm: CholSolve: a has %d numbers, want %d rows of %d", len(short), 2*w, w), func() { asm.CholSolve(w, short, long, long) }},
		{fmt.Sprintf("asm: CholSolve: b has %d numbers, want %d rows of %d", len(short), 2*w, w), func() { asm.CholSolve(w, long, short, long) }},
		{fmt.Sprintf("asm: CholSolve: inv has 1 numbers, want at least %d", w), func() { asm.CholSolve(w, long, long, long[:1]) }},
		{fmt.Sprintf("asm: CholFactor: b has %d numbers, want %d rows of %d", len(short), 2*w, w), func() { asm.CholFactor(w, short, long) }},
		{fmt.Sprintf("asm: CholFactor: b has %d numbers, want -1 rows of %d", len(long), w), func() { asm.CholFactor(-1-w, long, long) }},
		{fmt.Sprintf("asm: CholFactor: inv has 1 numbers, want at least %d", w), func() { asm.CholFactor(w, long, long[:1]) }},
	} {
		if got := tier.Panic(c.do); got != c.want {
			t.Errorf("panic %q, want %q", got, c.want)
		}
	}
}
