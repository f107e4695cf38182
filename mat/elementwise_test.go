package mat_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/mat"
)

// Elementwise operations are one rounding, or two, each: the bits are known.
func TestElementwise(t *testing.T) {
	for _, op := range []struct {
		name string
		do   func(dst, a, b mat.Matrix, d []float64)
		want func(a, b, di, dj float64) float64
	}{
		{"Copy", func(dst, a, _ mat.Matrix, _ []float64) { mat.Copy(dst, a) },
			func(a, b, di, dj float64) float64 { return a }},
		{"Scale", func(dst, a, _ mat.Matrix, _ []float64) { mat.Scale(dst, 0.3, a) },
			func(a, b, di, dj float64) float64 { return 0.3 * a }},
		{"Scale by 0", func(dst, a, _ mat.Matrix, _ []float64) { mat.Scale(dst, 0, a) },
			func(a, b, di, dj float64) float64 { return 0 * a }},
		{"Add", func(dst, a, b mat.Matrix, _ []float64) { mat.Add(dst, a, 0.3, b) },
			func(a, b, di, dj float64) float64 { return a + float64(0.3*b) }},
		{"MulElem", func(dst, a, b mat.Matrix, _ []float64) { mat.MulElem(dst, a, b) },
			func(a, b, di, dj float64) float64 { return a * b }},
		{"ScaleRows", func(dst, a, _ mat.Matrix, d []float64) { mat.ScaleRows(dst, d[:a.Rows], a) },
			func(a, b, di, dj float64) float64 { return di * a }},
		{"ScaleCols", func(dst, a, _ mat.Matrix, d []float64) { mat.ScaleCols(dst, a, d[:a.Cols]) },
			func(a, b, di, dj float64) float64 { return a * dj }},
	} {
		t.Run(op.name, func(t *testing.T) {
			s := fuzz.New(40)
			at := 0
			for _, shape := range [][2]int{{0, 0}, {0, 3}, {3, 0}, {1, 1}, {1, 9}, {9, 1}, {4, 5}, {17, 8}} {
				for range len(fuzz.Layouts) * 4 {
					at++
					r, c := shape[0], shape[1]
					a, b, d := fuzz.Normal(s, r, c), fuzz.Normal(s, r, c), fuzz.Normal(s, 20, 1).Data
					if r > 0 && c > 0 {
						a.Set(r-1, c/2, math.Inf(1))
						b.Set(r/2, c-1, math.NaN())
					}
					want := mat.New(r, c)
					for i := range r {
						for j := range c {
							want.Set(i, j, op.want(a.At(i, j), b.At(i, j), d[i], d[j]))
						}
					}
					p, q, l := layoutsOf(at)
					dst, ga, gb := fuzz.Guard(ones(r, c, 5), p), fuzz.Guard(a, q), fuzz.Guard(b, l)
					op.do(dst.Matrix, ga.Matrix, gb.Matrix, d)
					inPlace := ga.Matrix // after ga has been read
					for _, err := range []error{equal(dst.Matrix, want), dst.Check(), ga.Check(), gb.Check(), equal(ga.Matrix, a), equal(gb.Matrix, b)} {
						if err != nil {
							t.Errorf("%d×%d, layouts %+v %+v %+v: %v", r, c, p, q, l, err)
						}
					}
					op.do(inPlace, ga.Matrix, gb.Matrix, d)
					if err := equal(inPlace, want); err != nil {
						t.Errorf("%d×%d, in place, layouts %+v %+v: %v", r, c, q, l, err)
					}
				}
			}
		})
	}
}

// equal compares numbers, any NaN with any other.
func equal(got, want mat.Matrix) error {
	for i := range want.Rows {
		for j := range want.Cols {
			if g, w := got.At(i, j), want.At(i, j); g != w && !(g != g && w != w) {
				return fmt.Errorf("element (%d, %d) is %g, want %g", i, j, g, w)
			}
		}
	}
	return nil
}

func TestSums(t *testing.T) {
	s := fuzz.New(41)
	at := 0
	for _, n := range []int{0, 1, 2, 3, 4, 5, 8, 33} {
		for range 2 * len(fuzz.Layouts) {
			at++
			a, b := fuzz.Normal(s, n, n), fuzz.Normal(s, n, n)
			p, q, _ := layoutsOf(at)
			ga, gb := fuzz.Guard(a, p), fuzz.Guard(b, q)
			// The bound of MulError, for a sum of n² terms and one of n.
			dot := mat.NewDense(1, 1, []float64{mat.Dot(ga.Matrix, gb.Matrix)})
			x, y := mat.NewDense(1, n*n, a.Data), mat.NewDense(n*n, 1, b.Data)
			if r := fuzz.MulError(dot, 1, x, y, 0, mat.Matrix{}); !(r <= 1) {
				t.Errorf("Dot, n=%d, layouts %+v %+v: %.3g of the bound", n, p, q, r)
			}
			trace := mat.NewDense(1, 1, []float64{mat.Trace(ga.Matrix)})
			if r := fuzz.MulError(trace, 1, a.Diag().T(), ones(n, 1, 1), 0, mat.Matrix{}); !(r <= 1) {
				t.Errorf("Trace, n=%d, layout %+v: %.3g of the bound", n, p, r)
			}
		}
	}
}

func TestMirrorLower(t *testing.T) {
	s := fuzz.New(42)
	for _, n := range []int{0, 1, 2, 31, 32, 33, 65} {
		for _, l := range fuzz.Layouts {
			a := fuzz.Normal(s, n, n)
			g := fuzz.Guard(a, l)
			mat.MirrorLower(g.Matrix)
			for _, err := range []error{
				fuzz.SameBits(fuzz.Lower(g.Matrix), fuzz.Lower(a)), fuzz.SameBits(g.T(), g.Matrix), g.Check(),
			} {
				if err != nil {
					t.Errorf("n=%d, %+v: %v", n, l, err)
				}
			}
		}
	}
}

func TestNorms(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	const big, tiny = 0x1p1000, 0x1p-1060
	for _, c := range []struct {
		name                string
		m                   mat.Matrix
		one, infinity, most float64
		frobenius           float64
	}{
		{"empty", mat.New(0, 3), 0, 0, 0, 0},
		{"zero", mat.New(2, 3), 0, 0, 0, 0},
		{"signs", mat.NewDense(2, 2, []float64{-1, 2, -5, 4}), 6, 9, 5, math.Sqrt(46)},
		{"wide", mat.NewDense(1, 2, []float64{3, -4}), 4, 7, 4, 5},
		{"large", mat.NewDense(2, 1, []float64{3 * big, -4 * big}), 7 * big, 4 * big, 4 * big, 5 * big},
		{"subnormal", mat.NewDense(2, 1, []float64{3 * tiny, -4 * tiny}), 7 * tiny, 4 * tiny, 4 * tiny, 5 * tiny},
		{"both", mat.NewDense(2, 1, []float64{tiny, big}), big, big, big, big},
		{"NaN", mat.NewDense(2, 2, []float64{1, nan, 3, 4}), nan, nan, nan, nan},
		{"NaN last", mat.NewDense(2, 2, []float64{1, 2, 3, nan}), nan, nan, nan, nan},
		{"NaN first", mat.NewDense(2, 2, []float64{nan, 2, 3, 4}), nan, nan, nan, nan},
		{"infinite", mat.NewDense(2, 2, []float64{1, 2, -inf, 4}), inf, inf, inf, inf},
		{"infinite and NaN", mat.NewDense(2, 2, []float64{inf, 2, 3, nan}), nan, nan, nan, nan},
		{"NaN and infinite", mat.NewDense(2, 2, []float64{nan, 2, 3, inf}), nan, nan, nan, nan},
	} {
		for _, l := range fuzz.Layouts {
			m := fuzz.Guard(c.m, l).Matrix
			for name, v := range map[string][2]float64{
				"Norm1":   {mat.Norm1(m), c.one},
				"NormInf": {mat.NormInf(m), c.infinity},
				"NormMax": {mat.NormMax(m), c.most},
				"NormFro": {mat.NormFro(m), c.frobenius},
			} {
				// A sum of four squares and a root: a few roundings.
				if got, want := v[0], v[1]; got != want && !(math.Abs(got-want) <= 4*fuzz.Eps*want) && !(got != got && want != want) {
					t.Errorf("%s of %s: %g, want %g", name, c.name, got, want)
				}
			}
		}
	}
	a := fuzz.Normal(fuzz.New(43), 40, 30)
	if got, want := mat.NormFro(a), math.Sqrt(mat.Dot(a, a)); math.Abs(got-want) > 1200*fuzz.Eps*want {
		t.Errorf("NormFro = %g, want %g", got, want)
	}
}

// The first bad element, row by row, whatever the layout.
func TestNonFinite(t *testing.T) {
	for _, l := range fuzz.Layouts {
		for i := range 4 {
			for j := range 4 {
				for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
					m := fuzz.Guard(ones(4, 4, math.MaxFloat64), l)
					m.Set(3, 3, v)
					m.Set(i, j, v)
					if r, c, found := mat.NonFinite(m.Matrix); !found || r != i || c != j {
						t.Errorf("NonFinite is (%d, %d), %v, want (%d, %d)", r, c, found, i, j)
					}
					wantI, wantJ := i, j
					if j > i {
						wantI, wantJ = 3, 3
					}
					if r, c, found := mat.NonFiniteLower(m.Matrix); !found || r != wantI || c != wantJ {
						t.Errorf("NonFiniteLower is (%d, %d), %v, want (%d, %d)", r, c, found, wantI, wantJ)
					}
				}
			}
		}
		m := fuzz.Guard(ones(3, 3, -math.MaxFloat64), l)
		if i, j, found := mat.NonFinite(m.Matrix); found {
			t.Errorf("NonFinite finds (%d, %d) in a finite matrix", i, j)
		}
		fuzz.PoisonUpper(m.Matrix)
		if i, j, found := mat.NonFiniteLower(m.Matrix); found {
			t.Errorf("NonFiniteLower finds (%d, %d) above a finite triangle", i, j)
		}
	}
}
