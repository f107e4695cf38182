package mat_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
)

// layoutsOf returns the layouts number i, i/2 and i/4 of the list, so that
// running through i combines them.
func layoutsOf(i int) (p, q, r fuzz.Layout) {
	n := len(fuzz.Layouts)
	return fuzz.Layouts[i%n], fuzz.Layouts[i/2%n], fuzz.Layouts[i/4%n]
}

// Products of integers are exact, so that every path gives the bits of the
// definition, at every size around the tile and the blocks.
func TestMulExact(t *testing.T) {
	tier.Skip(t, tier.Race)
	eachVariant(t, func(t *testing.T) {
		s := fuzz.New(10)
		ms := []int{0, 1, 2, mr - 1, mr, mr + 1, 2*mr - 1, 2 * mr, 2*mr + 1}
		ns := []int{0, 1, nr - 1, nr, nr + 1, 2*nr - 1, 2 * nr, 2*nr + 1, 17}
		ks := []int{0, 1, 4, 5, 6, 7, 8, 9, 16, 33}
		at := 0
		for _, m := range ms {
			for _, n := range ns {
				for _, k := range ks {
					at++
					checkMulExact(t, s, m, n, k, at)
				}
			}
		}
	})
}

func checkMulExact(t *testing.T, s *fuzz.Source, m, n, k, at int) {
	t.Helper()
	alpha, beta := []float64{1, -1, 2, 0, 0.5}[at%5], []float64{0, 1, 2, -0.5}[at%4]
	a, b, c := fuzz.Integers(s, m, k, 8), fuzz.Integers(s, k, n, 8), fuzz.Integers(s, m, n, 8)
	mat.Add(c, c, 1, ones(m, n, 9)) // no zero whose sign beta could turn
	want := fuzz.NaiveMul(alpha, a, b, beta, c)
	p, q, r := layoutsOf(at)
	ga, gb, gc := fuzz.Guard(a, p), fuzz.Guard(b, q), fuzz.Guard(c, r)
	if beta == 0 {
		gc.Fill(math.NaN())
	}
	mat.Mul(gc.Matrix, alpha, ga.Matrix, gb.Matrix, beta)
	for _, err := range []error{
		fuzz.SameBits(gc.Matrix, want), fuzz.SameBits(ga.Matrix, a), fuzz.SameBits(gb.Matrix, b),
		ga.Check(), gb.Check(), gc.Check(),
	} {
		if err != nil {
			t.Errorf("%d×%d×%d, alpha %g, beta %g, layouts %+v %+v %+v: %v", m, k, n, alpha, beta, p, q, r, err)
		}
	}
}

func ones(r, c int, v float64) mat.Matrix {
	m := mat.New(r, c)
	m.Fill(v)
	return m
}

// Sizes at which the default tuning constants change the path.
func TestMulExactDefault(t *testing.T) {
	s := fuzz.New(11)
	shapes := [][3]int{ // m, n, k
		{191, 33, 65}, {192, 31, 64}, {193, 2, 63}, {385, 5, 10}, // mc
		{9, 17, 319}, {9, 17, 320}, {9, 17, 321}, {5, 3, 641}, // kc
		{4, 1023, 9}, {5, 1024, 8}, {3, 1025, 9}, {2, 1032, 9}, {1040, 1033, 3}, // nc
		{40, 144, 143}, {40, 144, 144}, {40, 144, 145}, {145, 40, 144}, {144, 30, 145}, // direct
		{40, 300, 300}, {40, 300, 301}, {301, 9, 300},
		{1, 512, 1}, {2, 2, 129}, {25, 1024, 25}, {25, 30, 1024}, // clash
		{3, 2, 4095}, {3, 2, 4096}, {3, 2, 4097}, {2, 3, 6145}, // longK
		{300, 301, 302}, {500, 500, 500}, // all of them
		{1, 300, 200}, {300, 1, 200}, {1, 1, 5000}, {200, 300, 1}, // vectors
	}
	for at, d := range shapes {
		if testing.Short() && d[0]*d[1]*d[2] > 1<<20 {
			continue
		}
		checkMulExact(t, s, d[0], d[1], d[2], at)
		if d[0] < 500 {
			checkMulExact(t, s, d[0], d[1], d[2], at+7)
		}
	}
}

// One column more than a few panels, and every other rest, where work is shared and where
// the rows of b are contiguous: what the last panel lacks is packed from what there is.
func TestMulRestOfPanels(t *testing.T) {
	s := fuzz.New(12)
	for rest := range nr {
		for _, n := range []int{4*nr + rest, 9*nr + rest} {
			if testing.Short() && (rest > 2 && rest < nr-1 || n > 8*nr) {
				continue
			}
			const m = 64
			k := 1<<20/(m*n) + 3
			a, b, dst := fuzz.Integers(s, m, k, 8), fuzz.Integers(s, k, n, 8), ones(m, n, math.NaN())
			mat.Mul(dst, 1, a, b, 0)
			if err := fuzz.SameBits(dst, fuzz.NaiveMul(1, a, b, 0, mat.Matrix{})); err != nil {
				t.Errorf("%d×%d·%d: %v", m, n, k, err)
			}
		}
	}
}

// The sum is what alpha multiplies, in products of any shape and layout: factors that would
// vanish or overflow by it do neither, and rows of a product are products of rows.
func TestMulSmallAlpha(t *testing.T) {
	for _, alpha := range []float64{1e-200, 1e200} {
		for _, n := range []int{1, 2, 30, 600} {
			for _, m := range []int{1, 2} {
				a, b := ones(m, 3, alpha), ones(3, n, 1e100/alpha) // alpha·a is 0 or infinite
				want := 3 * (alpha * (1e100 / alpha)) * alpha
				for i, f := range []func(dst mat.Matrix){
					func(dst mat.Matrix) { mat.Mul(dst, alpha, a, b, 0) },
					func(dst mat.Matrix) { mat.Mul(dst, alpha, a, b.T().Clone().T(), 0) },
					func(dst mat.Matrix) { mat.Mul(dst.T(), alpha, b.T(), a.T(), 0) },
				} {
					dst := mat.New(m, n)
					if f(dst); !(math.Abs(dst.At(m-1, n-1)-want) <= 1e-14*want) {
						t.Errorf("%g·a·b, %d×%d, way %d: %g, want %g", alpha, m, n, i, dst.At(m-1, n-1), want)
					}
				}
			}
		}
	}
	s := fuzz.New(13)
	for _, n := range []int{1, 511, 512, 513, 1200} {
		a, b, c := fuzz.Normal(s, 1, 150), fuzz.Normal(s, 150, n), fuzz.Normal(s, 1, n)
		got := c.Clone()
		mat.Mul(got, 1.7, a, b, -0.3)
		if r := fuzz.MulError(got, 1.7, a, b, -0.3, c); !(r <= 1) {
			t.Errorf("a row times 150×%d: the worst element is off by %.3g of its error bound", n, r)
		}
	}
}

// A product into a place whose numbers do not lie side by side is formed some rows at a time:
// the bits are those of the product elsewhere, and little is left in the store.
func TestMulScattered(t *testing.T) {
	s := fuzz.New(14)
	former := mat.SetTuning(mat.Tuning{MC: 192, KC: 320, NC: 1024, Direct: 144 * 144, Clash: 1024, LongK: 2048, LongMN: 128 * 128, Bands: 400, Triangle: 32, Solve: 288, Narrow: 8, Parallel: 1 << 20, Scattered: 1})
	defer mat.SetTuning(former)
	for _, n := range []int{2, 2 * mr, 2*mr + 1, 5*mr - 1, 100} {
		a, b := fuzz.Normal(s, n, 40), fuzz.Normal(s, 40, n+1)
		want := fuzz.Normal(s, n, n+1)
		g := fuzz.Guard(want, fuzz.Layout{Offset: 2, Gap: 3, Spread: 1})
		mat.Mul(want, 1.5, a, b, 0.5)
		mat.Mul(g.Matrix, 1.5, a, b, 0.5)
		if r := difference(g.Matrix, want); !(r <= 1e-13*mat.NormMax(want)) {
			t.Errorf("Mul of order %d: difference %g", n, r)
		}
		sym := fuzz.Normal(s, n, n)
		for _, l := range []fuzz.Layout{{Transposed: true}, {Offset: 2, Gap: 3, Spread: 1}, {Gap: 1, Transposed: true}} {
			h := fuzz.Guard(sym, l)
			fuzz.PoisonUpper(h.Matrix)
			want := sym.Clone()
			mat.Syrk(want, 1.5, a, 0.5)
			mat.Syrk(h.Matrix, 1.5, a, 0.5)
			if err := fuzz.CheckUpper(h.Matrix); err != nil {
				t.Errorf("Syrk of order %d: %v", n, err)
			}
			if r := difference(fuzz.Lower(h.Matrix), fuzz.Lower(want)); !(r <= 1e-13*mat.NormMax(want)) {
				t.Errorf("Syrk of order %d, %+v: difference %g", n, l, r)
			}
			if err := h.Check(); err != nil {
				t.Error(err)
			}
		}
		if err := g.Check(); err != nil {
			t.Error(err)
		}
	}
}

// difference returns max|a − b|.
func difference(a, b mat.Matrix) float64 {
	d := mat.New(a.Rows, a.Cols)
	mat.Add(d, a, -1, b)
	return mat.NormMax(d)
}

// The law of package fuzz: error bounds on normal, wide and cancelling entries,
// layouts, scalars, transposition.
func TestMulLaw(t *testing.T) {
	tier.Skip(t, tier.Race|tier.Emulated)
	eachVariant(t, func(t *testing.T) {
		draws := 800
		if testing.Short() {
			draws = 300
		}
		for seed := range uint64(draws) {
			if broken := (fuzz.Library{Mul: mat.Mul}).Try(fuzz.New(seed)); broken != nil {
				t.Errorf("seed %d: %v", seed, broken)
			}
		}
	})
}

// Panels hold the block in the tile's order, the last one filled up with zeros,
// whatever stood in the buffer.
func TestPack(t *testing.T) {
	s := fuzz.New(16)
	for _, p := range []struct {
		name  string
		width int
		pack  func(dst []float64, m mat.Matrix)
		at    func(m mat.Matrix, i, l int) float64
		t     bool
	}{
		{"packA", mr, mat.PackA, func(m mat.Matrix, i, l int) float64 { return m.At(i, l) }, false},
		{"packB", nr, mat.PackB, func(m mat.Matrix, j, l int) float64 { return m.At(l, j) }, true},
	} {
		for size := range 5*p.width + 2 { // from four panels on packB goes row by row
			for _, k := range []int{1, 2, 7} {
				for _, l := range fuzz.Layouts {
					m := fuzz.Normal(s, size, k)
					if p.t {
						m = m.T()
					}
					panels := (size + p.width - 1) / p.width
					dst := ones(1, panels*p.width*k+1, math.NaN()).Data
					p.pack(dst, fuzz.Guard(m, l).Matrix)
					for at, got := range dst[:len(dst)-1] {
						i, l := at/(p.width*k)*p.width+at%p.width, at/p.width%k
						if i >= size { // beyond the last panel's rows
							if got == got {
								t.Fatalf("%s of %d by %d: element %d is %g, want it untouched", p.name, size, k, at, got)
							}
						} else if want := p.at(m, i, l); got != want {
							t.Fatalf("%s of %d by %d: element %d is %g, want %g", p.name, size, k, at, got, want)
						}
					}
					if last := dst[len(dst)-1]; last == last {
						t.Errorf("%s of %d by %d writes behind the last panel", p.name, size, k)
					}
				}
			}
		}
	}
}

// A NaN or an infinity in the factors makes exactly its row or column of the
// product non-finite, also against zeros.
func TestMulNonFinite(t *testing.T) {
	eachVariant(t, func(t *testing.T) {
		s := fuzz.New(13)
		for _, d := range [][3]int{{1, 1, 1}, {3, 1, 4}, {1, 3, 5}, {5, 3, 4}, {4, 4, 9}, {9, 5, 8}} {
			m, n, k := d[0], d[1], d[2]
			for at := range (m + n) * k {
				for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
					a, b := fuzz.Normal(s, m, k), fuzz.Normal(s, k, n)
					row, col := -1, -1
					if i := at / k; i < m {
						row = i
						a.Set(i, at%k, v)
						if math.IsNaN(v) {
							b.Fill(0)
						}
					} else {
						col = i - m
						b.Set(at%k, col, v)
						if math.IsNaN(v) {
							a.Fill(0)
						}
					}
					p, q, r := layoutsOf(at)
					dst := fuzz.Guard(ones(m, n, 1), r)
					mat.Mul(dst.Matrix, 1, fuzz.Guard(a, p).Matrix, fuzz.Guard(b, q).Matrix, 1)
					for i := range m {
						for j := range n {
							x := dst.At(i, j)
							if bad := x-x != 0; bad != (i == row || j == col) {
								t.Fatalf("%d×%d×%d, %g in row %d or column %d: element (%d, %d) is %g", m, k, n, v, row, col, i, j, x)
							}
						}
					}
				}
			}
		}
	})
}

// alpha 0 leaves the factors unread, beta 0 the destination; NaN as a scalar
// reaches every element.
func TestMulScalars(t *testing.T) {
	nan := math.NaN()
	eachVariant(t, func(t *testing.T) {
		for _, d := range [][3]int{{1, 1, 1}, {1, 5, 9}, {6, 1, 9}, {5, 7, 9}, {5, 7, 0}, {3, 2, 40}} {
			m, n, k := d[0], d[1], d[2]
			sum := float64(k)
			for _, c := range []struct {
				alpha, beta, a, dst float64
				want                float64
			}{
				{0, 2, nan, 3, 6},
				{0, 0, nan, nan, 0},
				{2, 0, 1, nan, 2 * sum},
				{2, 0, 1, math.Inf(1), 2 * sum},
				{-1, 1, 1, 5, 5 - sum},
				{1, nan, 1, 5, nan},
				{0, nan, 1, 5, nan},
				{0, math.Inf(1), 1, 5, math.Inf(1)},
			} {
				dst := ones(m, n, c.dst)
				mat.Mul(dst, c.alpha, ones(m, k, c.a), ones(k, n, 1), c.beta)
				want := ones(m, n, c.want)
				for i := range m {
					for j := range n {
						if got := dst.At(i, j); got != want.At(i, j) && !(got != got && c.want != c.want) {
							t.Fatalf("%d×%d×%d, alpha %g, beta %g: element (%d, %d) is %g, want %g", m, k, n, c.alpha, c.beta, i, j, got, c.want)
						}
					}
				}
			}
			if k == 0 {
				continue // without a product there is nothing to scale
			}
			dst := ones(m, n, 1)
			mat.Mul(dst, nan, ones(m, k, 1), ones(k, n, 1), 1)
			for _, x := range dst.Data {
				if x == x {
					t.Fatalf("%d×%d×%d, alpha NaN: an element is %g", m, k, n, x)
				}
			}
		}
	})
}

// Syrk and MulSym form the lower triangle and leave the rest alone.
func TestSymmetricProducts(t *testing.T) {
	tier.Skip(t, tier.Race|tier.Emulated)
	eachVariant(t, func(t *testing.T) {
		s := fuzz.New(14)
		at := 0
		for _, n := range []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 63, 64, 65} {
			for _, k := range []int{0, 1, 3, 8, 17} {
				at++
				alpha, beta := []float64{1, -2, 0.5}[at%3], []float64{0, 1, -0.5, 2}[at%4]
				a, c := fuzz.Integers(s, n, k, 8), ones(n, n, 3)
				d := fuzz.Integers(s, k, 1, 4).Data
				b := mat.New(k, n) // diag(d)·aᵀ: a·b is symmetric
				mat.ScaleRows(b, d, a.T())
				p, q, r := layoutsOf(at)
				for _, f := range []struct {
					name string
					b    mat.Matrix
					do   func(dst mat.Matrix, a, b fuzz.Guarded)
				}{
					{"Syrk", a.T(), func(dst mat.Matrix, a, _ fuzz.Guarded) { mat.Syrk(dst, alpha, a.Matrix, beta) }},
					{"MulSym", b, func(dst mat.Matrix, a, b fuzz.Guarded) { mat.MulSym(dst, alpha, a.Matrix, b.Matrix, beta) }},
				} {
					want := fuzz.NaiveMul(alpha, a, f.b, beta, c)
					dst, ga, gb := fuzz.Guard(c, p), fuzz.Guard(a, q), fuzz.Guard(f.b, r)
					if beta == 0 {
						dst.Fill(math.NaN())
					}
					fuzz.PoisonUpper(dst.Matrix)
					f.do(dst.Matrix, ga, gb)
					for _, err := range []error{
						fuzz.SameBits(fuzz.Lower(dst.Matrix), fuzz.Lower(want)),
						fuzz.CheckUpper(dst.Matrix), dst.Check(), ga.Check(), gb.Check(),
					} {
						if err != nil {
							t.Errorf("%s, n=%d, k=%d, alpha %g, beta %g: %v", f.name, n, k, alpha, beta, err)
						}
					}
				}
			}
		}
	})
}

// The block of A has its share of the cache, in whole tiles: as many rows as were the fastest where that was measured.
func TestBlockRows(t *testing.T) {
	for _, c := range []struct{ kib, mr, want int }{{0, 4, 192}, {1, 4, 4}, {256, 4, 36}, {512, 4, 76}, {512, 8, 72}, {1024, 8, 152}, {2048, 8, 192}, {2048, 6, 192}} {
		if got := mat.BlockRows(c.kib<<10, c.mr); got != c.want {
			t.Errorf("%d KiB, tiles of %d rows: %d, want %d", c.kib, c.mr, got, c.want)
		}
	}
}

// Bits depend on the depth of blocks alone, not on what is chosen by the size of caches.
func TestBlocksKeepBits(t *testing.T) {
	s := fuzz.New(16)
	a, b := fuzz.Normal(s, 131, 37), fuzz.Normal(s, 37, 131)
	tuning := mat.Tuning{KC: 10, Clash: 1024, LongK: 2048, Bands: 100, Triangle: 32, Solve: 288, Narrow: 8, Parallel: 1}
	var want []float64
	for _, blocks := range [][2]int{{192, 1024}, {76, 1024}, {2 * mr, 3 * nr}, {mr, nr}} {
		tuning.MC, tuning.NC = blocks[0], blocks[1]
		former := mat.SetTuning(tuning)
		dst, sym := mat.New(131, 131), mat.New(131, 131)
		mat.Mul(dst, 1, a, b, 0)
		mat.MulSym(sym, 1, a, b, 0)
		mat.SetTuning(former)
		got := append(dst.Data, sym.Data...)
		if want == nil {
			want = got
		}
		if !slices.Equal(got, want) {
			t.Errorf("blocks of %d rows and %d columns give other bits", blocks[0], blocks[1])
		}
	}
}

// Square products, wide and thin ones, and transposed operands.
func BenchmarkMul(b *testing.B) {
	for _, n := range sizes {
		benchmarkMul(b, fmt.Sprintf("n=%d", n), n, n, n, false, false)
	}
	benchmarkMul(b, "640x640x28080", 640, 640, 28080, false, false)
	benchmarkMul(b, "78x78x691200", 78, 78, 691200, false, false)
	benchmarkMul(b, "1000x60x5050", 1000, 60, 5050, false, false)
	benchmarkMul(b, "78x691200x78t", 78, 691200, 78, false, true)
	for _, n := range []int{64, 256, 560} {
		benchmarkMul(b, fmt.Sprintf("n=%d,bt", n), n, n, n, false, true)
		benchmarkMul(b, fmt.Sprintf("n=%d,at", n), n, n, n, true, false)
	}
}

func benchmarkMul(b *testing.B, name string, m, k, n int, ta, tb bool) {
	b.Run(asm.Level()+"/"+name, func(b *testing.B) {
		s := fuzz.New(1)
		numbers := func(r, c int, t bool) mat.Matrix {
			if t {
				return fuzz.Normal(s, c, r).T()
			}
			return fuzz.Normal(s, r, c)
		}
		x, y, dst := numbers(m, k, ta), numbers(k, n, tb), mat.New(m, n)
		tier.Rate(b, asm.Peak, 2*float64(m)*float64(k)*float64(n), func() { mat.Mul(dst, 1, x, y, 0) })
	})
}

func BenchmarkSyrk(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprintf("%s/n=%d", asm.Level(), n), func(b *testing.B) {
			x, dst := fuzz.Normal(fuzz.New(1), n, n), mat.New(n, n)
			tier.Rate(b, asm.Peak, cube(n), func() { mat.Syrk(dst, 1, x, 0) })
		})
	}
}

// The right-hand side is solved again and again: it stays about as large as it is,
// since the triangle is nearly orthogonal.
func BenchmarkSolveLower(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprintf("%s/n=%d", asm.Level(), n), func(b *testing.B) {
			s := fuzz.New(1)
			l, x := fuzz.Normal(s, n, n), fuzz.Normal(s, n, n)
			mat.Scale(l, 1e-3/float64(n), l)
			for i := range n {
				l.Set(i, i, 1)
			}
			tier.Rate(b, asm.Peak, cube(n), func() { mat.SolveLower(l, x) })
		})
	}
}

var sizes = []int{64, 128, 256, 560, 1000, 2000}

func cube(n int) float64 { return float64(n) * float64(n) * float64(n) }
