package asm_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
)

var depths = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255, 256, 257}

// A lie says where element (i, j) of a matrix is in a slice.
type lie func(i, j int) int

// laid returns a slice that ends with the last element of a matrix that lies so in
// it, NaN where it has no element.
func laid(x mat.Matrix, at lie) []float64 {
	last := -1
	for i := range x.Rows {
		for j := range x.Cols {
			last = max(last, at(i, j))
		}
	}
	v := slices.Repeat([]float64{fuzz.Canary()}, last+1)
	for i := range x.Rows {
		for j := range x.Cols {
			v[at(i, j)] = x.At(i, j)
		}
	}
	return v
}

// An order is a way in which the left operand of GemmPanel may lie.
type order struct {
	name    string
	strides func(m, k int) (rsa, csa, stepa int)
}

var orders = []order{
	{"packed", func(_, k int) (int, int, int) { mr, _ := asm.Tile(); return 1, mr, mr * k }},
	{"packed with gaps", func(_, k int) (int, int, int) { mr, _ := asm.Tile(); return 1, mr + 3, (mr+3)*k + 5 }},
	{"rows", func(_, k int) (int, int, int) { mr, _ := asm.Tile(); return k, 1, mr * k }},
	{"rows with gaps", func(_, k int) (int, int, int) { mr, _ := asm.Tile(); return k + 7, 1, mr * (k + 7) }},
	{"columns", func(m, _ int) (int, int, int) { mr, _ := asm.Tile(); return 1, m, mr }},
	{"columns with gaps", func(m, _ int) (int, int, int) { mr, _ := asm.Tile(); return 1, m + 5, mr }},
	{"spread", func(_, k int) (int, int, int) { mr, _ := asm.Tile(); return 3*k + 2, 3, mr * (3*k + 2) }},
	{"tiles interleaved", func(m, _ int) (int, int, int) { mr, _ := asm.Tile(); return m/mr + 1, m*mr + 9, 1 }},
}

// A panel is a product that GemmPanel is asked for, and how its operands lie.
type panel struct {
	m, n, k     int
	alpha, beta float64
	order       order
	gapB, gapC  int // numbers between rows; B is packed where gapB is below 0
	align       int // the alignments of the three operands: three bits for each
}

// draw returns a panel of any layout and factors.
func draw(s *fuzz.Source, m, n, k int) panel {
	return panel{
		m: m, n: n, k: k,
		alpha: []float64{1, -1, 2, 0.5, -1.3, 0}[s.IntN(6)],
		beta:  []float64{0, math.Copysign(0, -1), 1, -1, 0.7}[s.IntN(5)],
		order: orders[s.IntN(len(orders))],
		gapB:  []int{-1, -1, 0, 1, 7, 600}[s.IntN(6)],
		gapC:  []int{0, 1, 7}[s.IntN(3)],
		align: s.IntN(512),
	}
}

func (p panel) String() string {
	return fmt.Sprintf("%d×%d = %d×%d · %d×%d, A by %s, gaps of %d in B and %d in C, alpha %g, beta %g, alignment %o",
		p.m, p.n, p.m, p.k, p.k, p.n, p.order.name, p.gapB, p.gapC, p.alpha, p.beta, p.align)
}

func (p panel) ldb() int {
	if p.gapB < 0 {
		_, nr := asm.Tile()
		return nr
	}
	return p.n + p.gapB
}

// operands lays the operands out.
func (p panel) operands(a, b mat.Matrix) (va, vb []float64) {
	mr, _ := asm.Tile()
	rsa, csa, stepa := p.order.strides(p.m, p.k)
	return laid(a, func(i, l int) int { return i/mr*stepa + i%mr*rsa + l*csa }), laid(b, func(l, j int) int { return l*p.ldb() + j })
}

// do calls GemmPanel.
func (p panel) do(a, b, c []float64) {
	rsa, csa, stepa := p.order.strides(p.m, p.k)
	asm.GemmPanel(p.k, p.alpha, a, rsa, csa, stepa, b, p.ldb(), p.beta, c, p.n+p.gapC, p.m, p.n)
}

// model is what GemmPanel makes of C.
func (p panel) model(a, b, c mat.Matrix) {
	sums := make([]float64, p.n)
	for i := range p.m {
		row := c.Row(i)
		clear(sums)
		for l := range p.k {
			addMultiple(sums, a.At(i, l), b.Row(l))
		}
		for j, sum := range sums {
			var scaled float64
			if p.beta != 0 {
				scaled = p.beta * row[j]
			}
			row[j] = mulAdd(p.alpha, sum, scaled)
		}
	}
}

// check compares GemmPanel with its model, on numbers of one kind.
func (p panel) check(t *testing.T, s *fuzz.Source, number func(s *fuzz.Source, r, c int) mat.Matrix) {
	t.Helper()
	a, b, c := number(s, p.m, p.k), number(s, p.k, p.n), number(s, p.m, p.n)
	if p.beta == 0 {
		c.Fill(math.NaN())
	}
	va, vb := p.operands(a, b)
	ga, gb := guard(va, p.align%8), guard(vb, p.align/8%8)
	gc := fuzz.Guard(c, fuzz.Layout{Offset: 16 + p.align/64%8, Gap: p.gapC})
	p.do(ga.v, gb.v, gc.Data)
	p.model(a, b, c)
	name := p.String()
	equal(t, name, gc.Clone().Data, c.Data)
	if err := gc.Check(); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	same(t, name+", a", ga.v, va)
	same(t, name+", b", gb.v, vb)
	ga.check(t, name+", a")
	gb.check(t, name+", b")
}

// matrixKinds are kinds of numbers that go through GemmPanel.
var matrixKinds = []func(s *fuzz.Source, r, c int) mat.Matrix{
	fuzz.Normal,
	func(s *fuzz.Source, r, c int) mat.Matrix { return mat.NewDense(r, c, samples(s, r*c)) },
	func(s *fuzz.Source, r, c int) mat.Matrix { return mat.NewDense(r, c, tiny(s, r*c)) },
	func(s *fuzz.Source, r, c int) mat.Matrix { return fuzz.Integers(s, r, c, 8) },
	func(s *fuzz.Source, r, c int) mat.Matrix { return fuzz.Wide(s, r, c, 300) },
	func(s *fuzz.Source, r, c int) mat.Matrix { // zeros of either sign
		x := mat.New(r, c)
		for i := range x.Data {
			x.Data[i] = math.Copysign(0, s.Float64()-0.5)
		}
		return x
	},
	anyBits,
}

// anyBits returns a matrix of numbers of any bits.
func anyBits(s *fuzz.Source, r, c int) mat.Matrix {
	x := mat.New(r, c)
	for i := range x.Data {
		x.Data[i] = math.Float64frombits(s.Uint64())
	}
	return x
}

// The panel has the bits of its model for every number of rows up to two tiles and
// one, and of columns, for every depth, layout, alignment and factor, on any
// numbers, reads no element that is not there, and writes nothing but its elements
// of C, which it does not read with beta = 0.
func TestGemmPanel(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		mr, nr := asm.Tile()
		s := fuzz.New(4)
		for m := range 2*mr + 2 {
			for n := range nr + 1 {
				for _, k := range depths {
					repeat := 2
					switch {
					case testing.Short() && k > 33 && (m+n)%5 != 0:
						continue
					case testing.Short() || k > 65:
						repeat = 1
					}
					for range repeat {
						draw(s, m, n, k).check(t, s, matrixKinds[s.IntN(len(matrixKinds))])
					}
				}
				if t.Failed() {
					return
				}
			}
		}
		for at, d := range [][3]int{{mr, nr, 7}, {mr, nr, 8}, {1, 1, 5}, {mr - 1, nr - 1, 9}, {mr, 1, 3}, {1, nr, 4}, {2*mr + 1, nr, 3}} {
			p := draw(s, d[0], d[1], d[2])
			p.order, p.gapB = orders[at%len(orders)], at%3-1
			for p.align = range 512 { // the alignments of all three operands
				p.check(t, s, fuzz.Normal)
			}
		}
		for _, order := range orders { // with every factor
			for at := range 30 {
				p := draw(s, 2*mr+mr/2+1, nr, 5)
				p.order, p.alpha, p.beta = order, []float64{1, -1, 2, 0.5, -1.3, 0}[at%6], []float64{0, math.Copysign(0, -1), 1, -1, 0.7}[at%5]
				p.check(t, s, matrixKinds[at%len(matrixKinds)])
			}
		}
	})
}

// Strides of 0 repeat rows and columns.
func TestGemmPanelRepeats(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		mr, nr := asm.Tile()
		s := fuzz.New(7)
		const k = 5
		m, n := 3*mr, nr
		x := fuzz.Normal(s, 40, nr).Data
		for strides := range 16 {
			on := func(bit, stride int) int { return strides >> bit & 1 * stride }
			rsa, csa, stepa, ldb := on(0, 2), on(1, 3), on(2, 5), on(3, nr)
			p := panel{m: m, n: n, k: k, alpha: 1, beta: 1}
			a, b, c := mat.New(m, k), mat.New(k, n), fuzz.Normal(s, m, n)
			for l := range k {
				for i := range m {
					a.Set(i, l, x[i/mr*stepa+i%mr*rsa+l*csa])
				}
				for j := range n {
					b.Set(l, j, x[l*ldb+j])
				}
			}
			got := c.Clone()
			asm.GemmPanel(k, 1, x, rsa, csa, stepa, x, ldb, 1, got.Data, n, m, n)
			p.model(a, b, c)
			same(t, fmt.Sprintf("strides %d, %d, %d and %d", rsa, csa, stepa, ldb), got.Data, c.Data)
		}
	})
}

// Panels of so many rows that they are cut have the bits of their model.
func TestGemmPanelOfManyRows(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		mr, nr := asm.Tile()
		s := fuzz.New(8)
		for _, c := range []struct{ k, n int }{{0, 1}, {1, 2}, {600, nr}, {8192, nr}} {
			together := mr * asm.TilesTogether(c.k)
			for at, m := range []int{2*together + mr/2, 2*together - 1, 2 * together} {
				if testing.Short() && c.k > 0 && at > 0 {
					break
				}
				p := panel{m: m, n: c.n, k: c.k, alpha: alpha, beta: float64(at), order: orders[2*at], gapB: at - 1, gapC: at}
				p.check(t, s, fuzz.Normal)
			}
		}
	})
}

// A NaN or an infinity at one place of A or B makes its row or its column of the
// panel non-finite, one in C its element, but with beta = 0; and nothing else.
func TestGemmPanelNonFinite(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		mr, nr := asm.Tile()
		m := mr + mr/2
		for at, k := range []int{1, 2, 3, 4, 9} {
			for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				p := panel{m: m, n: nr, k: k, alpha: 1, order: orders[at], gapB: at%2 - 1, gapC: at % 3}
				try := func(a, b, c mat.Matrix, bad func(i, j int) bool, where string, row, col int) {
					va, vb := p.operands(a, b)
					gc := fuzz.Guard(c, fuzz.Layout{Gap: p.gapC})
					p.do(va, vb, gc.Data)
					for i := range m {
						for j := range nr {
							if x := gc.At(i, j); (x-x != 0) != bad(i, j) {
								t.Fatalf("%v, %g at (%d, %d) of %s: element (%d, %d) is %g", p, v, row, col, where, i, j, x)
							}
						}
					}
				}
				for _, p.beta = range []float64{0, 1} {
					a, b, c := mat.New(m, k), mat.New(k, nr), mat.New(m, nr)
					for l := range k {
						for i := range m {
							a.Set(i, l, v)
							try(a, b, c, func(r, _ int) bool { return r == i }, "A", i, l)
							a.Set(i, l, 0)
						}
						for j := range nr {
							b.Set(l, j, v)
							try(a, b, c, func(_, s int) bool { return s == j }, "B", l, j)
							b.Set(l, j, 0)
						}
					}
					for i := range m {
						j := (5 * i) % nr
						c.Set(i, j, v)
						try(a, b, c, func(r, s int) bool { return r == i && s == j && p.beta != 0 }, "C", i, j)
						c.Set(i, j, 0)
					}
				}
			}
		}
	})
}

// Shapes and slices that do not fit panic with the operation and the shapes,
// whatever the capacities of the slices, before anything is written.
func TestGemmPanelPanics(t *testing.T) {
	type call struct{ k, a, rsa, csa, stepa, b, ldb, c, ldc, m, n int }
	eachLevel(t, func(t *testing.T) {
		mr, nr := asm.Tile()
		const k, huge = 3, math.MaxInt
		m := 2*mr + 1
		numbers := make([]float64, 4000)
		c := make([]float64, 4000)
		// fits is a call that uses all of its slices but for gaps.
		fits := call{k: k, a: 2*mr*k + (k-1)*mr + 1, rsa: 1, csa: mr, stepa: mr * k, b: k * nr, ldb: nr, c: m * nr, ldc: nr, m: m, n: nr}
		do := func(x call) string {
			return tier.Panic(func() {
				asm.GemmPanel(x.k, 1, numbers[:x.a], x.rsa, x.csa, x.stepa, numbers[:x.b], x.ldb, 1, c[:x.c], x.ldc, x.m, x.n)
			})
		}
		if text := do(fits); text != "" {
			t.Fatalf("%+v: panic %q", fits, text)
		}
		c = slices.Repeat([]float64{fuzz.Canary()}, 4000)
		for name, change := range map[string]func(x *call){
			"a":                   func(x *call) { x.a-- },
			"a, full tiles":       func(x *call) { x.m, x.a = 2*mr, 2*mr*k-1 },
			"a, last tile before": func(x *call) { x.stepa, x.a = 0, (k-1)*mr+mr-1 },
			"a, rows":             func(x *call) { x.rsa, x.csa, x.stepa, x.a = k, 1, mr*k, m*k-1 },
			"a, columns":          func(x *call) { x.csa, x.stepa, x.a = m, mr, m*k-1 },
			"a, rows apart":       func(x *call) { x.rsa = mr * k },
			"a, columns apart":    func(x *call) { x.csa++ },
			"a, tiles apart":      func(x *call) { x.stepa++ },
			"a empty":             func(x *call) { x.a = 0 },
			"b":                   func(x *call) { x.b-- },
			"b, rows apart":       func(x *call) { x.ldb++ },
			"b, one row":          func(x *call) { x.k, x.b = 1, nr-1 },
			"b empty":             func(x *call) { x.b = 0 },
			"c":                   func(x *call) { x.c-- },
			"c, rows apart":       func(x *call) { x.ldc++ },
			"c, k 0":              func(x *call) { x.k, x.a, x.b, x.c = 0, 0, 0, m*nr-1 },
			"c empty":             func(x *call) { x.c = 0 },
			"m":                   func(x *call) { x.m++ },
			"k":                   func(x *call) { x.k++ },
			"n above nr":          func(x *call) { x.n, x.ldb, x.ldc, x.b, x.c = nr+1, nr+1, nr+1, 4000, 4000 },
			"m below 0":           func(x *call) { x.m = -1 },
			"m least":             func(x *call) { x.m = math.MinInt },
			"m huge":              func(x *call) { x.m = huge },
			"n below 0":           func(x *call) { x.n = -1 },
			"n least":             func(x *call) { x.n = math.MinInt },
			"n huge":              func(x *call) { x.n = huge },
			"k below 0":           func(x *call) { x.k = -1 },
			"k least":             func(x *call) { x.k = math.MinInt },
			"k huge":              func(x *call) { x.k = huge },
			"rsa below 0":         func(x *call) { x.rsa = -1 },
			"rsa least":           func(x *call) { x.rsa = math.MinInt },
			"rsa huge":            func(x *call) { x.rsa = huge },
			"rsa nearly huge":     func(x *call) { x.rsa = huge/(mr-1) + 1 },
			"csa below 0":         func(x *call) { x.csa = -1 },
			"csa least":           func(x *call) { x.csa = math.MinInt },
			"csa huge":            func(x *call) { x.csa = huge },
			"csa nearly huge":     func(x *call) { x.csa = huge/2 + 1 },
			"stepa below 0":       func(x *call) { x.stepa = -1 },
			"stepa least":         func(x *call) { x.stepa = math.MinInt },
			"stepa huge":          func(x *call) { x.stepa = huge },
			"stepa nearly huge":   func(x *call) { x.stepa = huge/2 + 1 },
			"ldb below 0":         func(x *call) { x.ldb = -nr },
			"ldb least":           func(x *call) { x.ldb = math.MinInt },
			"ldb huge":            func(x *call) { x.ldb = huge },
			"ldb nearly huge":     func(x *call) { x.ldb = huge/2 + 1 },
			"ldc below n":         func(x *call) { x.ldc = nr - 1 },
			"ldc below 0":         func(x *call) { x.ldc = -nr },
			"ldc least":           func(x *call) { x.ldc = math.MinInt },
			"ldc huge":            func(x *call) { x.ldc = huge },
			"ldc nearly huge":     func(x *call) { x.ldc = huge/2 + 1 },
		} {
			x := fits
			change(&x)
			text := do(x)
			shapes := fmt.Sprintf("%d×%d = %d×%d · %d×%d with tiles of %d×%d", x.m, x.n, x.m, x.k, x.k, x.n, mr, nr)
			if !strings.HasPrefix(text, "asm: GemmPanel: ") || !strings.Contains(text, shapes) {
				t.Errorf("%s: panic %q, want one of GemmPanel with %s", name, text, shapes)
			}
		}
		same(t, "C after panics", c, slices.Repeat([]float64{fuzz.Canary()}, 4000))
		for name, x := range map[string]call{
			"no rows":                    {k: k, m: 0, n: nr},
			"no columns":                 {k: k, m: m, n: 0},
			"one row, ldc 0":             {k: 1, a: 1, b: nr, c: nr, m: 1, n: nr},
			"strides that lead nowhere":  {k: 1, a: 1, rsa: -9, csa: -9, stepa: -9, b: nr, ldb: -9, c: nr, ldc: -9, m: 1, n: nr},
			"huge ones too":              {k: 1, a: 1, rsa: huge, csa: huge, stepa: huge, b: nr, ldb: huge, c: nr, ldc: huge, m: 1, n: nr},
			"nothing to add":             {k: 0, rsa: huge, csa: -1, stepa: huge, ldb: -1, c: m * nr, ldc: nr, m: m, n: nr},
			"longer than used":           {k: 2, a: 500, rsa: 1, csa: mr, stepa: 2 * mr, b: 500, ldb: nr, c: 4000, ldc: nr + 1, m: m - 1, n: nr - 1},
			"B's rows over one another":  {k: k, a: fits.a, rsa: 1, csa: mr, stepa: mr * k, b: nr + 2, ldb: 1, c: m * nr, ldc: nr, m: m, n: nr},
			"the last row of C is short": {k: 0, c: m*nr + m - 1, ldc: nr + 1, m: m, n: nr},
		} {
			if text := do(x); text != "" {
				t.Errorf("%s: panic %q", name, text)
			}
		}
	})
}

// The yardstick counts its operations.
func TestPeak(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		one := asm.Peak(1)
		if one < 2 || asm.Peak(0) != 0 || asm.Peak(1000) != 1000*one {
			t.Errorf("0, 1 and 1000 rounds: %g, %g and %g operations", asm.Peak(0), one, asm.Peak(1000))
		}
	})
}

// Bits, shapes and layouts from the fuzzer: the panel against its model.
func FuzzGemmPanel(f *testing.F) {
	f.Add(uint64(1), uint8(8), uint8(24), uint16(9), uint16(0))
	f.Add(uint64(2), uint8(29), uint8(7), uint16(255), uint16(511))
	f.Fuzz(func(t *testing.T, seed uint64, m, n uint8, k, align uint16) {
		eachLevel(t, func(t *testing.T) {
			_, nr := asm.Tile()
			s := fuzz.New(seed)
			p := draw(s, int(m)%40, int(n)%(nr+1), int(k)%300)
			p.align = int(align) % 512
			p.check(t, s, anyBits)
		})
	})
}

// Bits and lengths from the fuzzer: the vector kernels against their models.
func FuzzVectors(f *testing.F) {
	f.Add(uint64(1), uint16(33), uint8(0), uint8(0))
	f.Fuzz(func(t *testing.T, seed uint64, n uint16, offset, kernel uint8) {
		k := vectors[int(kernel)%len(vectors)]
		eachLevel(t, func(t *testing.T) {
			checkVector(t, fuzz.New(seed), k, int(n)%1000, int(offset), k.name, func(s *fuzz.Source, n int) []float64 {
				x := make([]float64, n)
				for i := range x {
					x[i] = math.Float64frombits(s.Uint64())
				}
				return x
			})
		})
	})
}
