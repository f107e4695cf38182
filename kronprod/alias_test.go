package kronprod_test

import (
	"math"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
)

// Wherever in one slice the operands, the weights and the destination of a contraction or a
// product lie, the result is that of operands of their own and nothing else is written, or the
// call is refused; and it is refused only where the destination overlaps an operand.
func TestAliasing(t *testing.T) {
	type operands struct {
		dst, x, y, a, b, w []float64 // dst 3×3, x and y 2×3×2, a 3×3, b 2×2, w 3 numbers
	}
	square := func(v []float64, n int) mat.Matrix { return mat.NewDense(n, n, v[:n*n]) }
	tensor := func(v []float64) kronprod.Tensor { return kronprod.Shaped(v, 2, 3, 2) }
	weights := func(o operands) [][]float64 { return [][]float64{o.w[:2], nil, o.w[1:3]} }
	s := fuzz.New(82)
	for name, op := range map[string]struct {
		size  int // of the destination
		reads string
		f     func(o operands)
	}{
		"MulMode":     {12, "xa", func(o operands) { kronprod.MulMode(tensor(o.dst), square(o.a, 3), tensor(o.x), 1) }},
		"Gram":        {9, "x", func(o operands) { kronprod.Gram(square(o.dst, 3), tensor(o.x), 1, weights(o)) }},
		"Gram 1":      {9, "x", func(o operands) { kronprod.Gram(square(o.dst, 3), kronprod.Shaped(o.x, 3, 4), 0, nil) }},
		"Cross":       {9, "xy", func(o operands) { kronprod.Cross(square(o.dst, 3), tensor(o.x), tensor(o.y), 1, weights(o)) }},
		"Cross 1":     {9, "xy", func(o operands) { kronprod.Cross(square(o.dst, 3), tensor(o.x), tensor(o.y), 1, nil) }},
		"Marginal":    {3, "x", func(o operands) { kronprod.Marginal(o.dst[:3], tensor(o.x), 1, weights(o)) }},
		"MulTensor":   {12, "xab", func(o operands) { kronprod.Of(square(o.b, 2), square(o.a, 3)).MulTensor(o.dst, tensor(o.x), nil) }},
		"MulTensor 0": {12, "x", func(o operands) { kronprod.Of().MulTensor(o.dst, tensor(o.x), nil) }},
		"Mul": {12, "xab", func(o operands) {
			kronprod.Of(square(o.b, 2), square(o.a, 3)).Mul(mat.NewDense(6, 2, o.dst[:12]), mat.NewDense(6, 2, o.x[:12]), nil)
		}},
		"Mul strided": {12, "xab", func(o operands) {
			kronprod.Of(square(o.b, 2), square(o.a, 3)).Mul(mat.NewDense(2, 6, o.dst[:12]).T(), mat.NewDense(2, 6, o.x[:12]).T(), nil)
		}},
	} {
		refused, met, draws := 0, 0, 300
		for range draws {
			data := make([]float64, 70)
			for i := range data {
				data[i] = 1 + s.Float64()
			}
			take := func(n int) []float64 { return data[s.IntN(len(data)-n+1):][:n] }
			o := operands{take(op.size), take(12), take(12), take(9), take(4), take(3)}
			cloned := func(v []float64) []float64 { return append([]float64(nil), v...) }
			own := operands{cloned(o.dst), cloned(o.x), cloned(o.y), cloned(o.a), cloned(o.b), cloned(o.w)}
			op.f(own)
			may := false
			for _, c := range op.reads {
				v := map[rune][]float64{'x': o.x, 'y': o.y, 'a': o.a, 'b': o.b}[c]
				may = may || mat.Overlap(mat.Vector(o.dst), mat.Vector(v))
			}
			if may {
				met++
			}
			before := cloned(data)
			if text := tier.Panic(func() { op.f(o) }); text != "" {
				refused++
				kind, _, _ := strings.Cut(name, " ")
				if !may || !strings.HasPrefix(text, "kronprod: "+kind) && !strings.HasPrefix(text, "kronprod: MulMode") || !strings.Contains(text, "overlaps") {
					t.Fatalf("%s: refused: %s", name, text)
				}
				continue
			}
			for i, want := range own.dst {
				if !(math.Abs(o.dst[i]-want) <= 1e-13*math.Abs(want)) {
					t.Fatalf("%s: number %d is %g, with operands of their own %g", name, i, o.dst[i], want)
				}
			}
			for i, v := range data {
				if v != before[i] && !mat.Overlap(mat.Vector(data[i:i+1]), mat.Vector(o.dst)) {
					t.Fatalf("%s: number %d, which is not of the destination, has changed", name, i)
				}
			}
		}
		if refused == 0 || met < draws/10 || met > draws*19/20 {
			t.Errorf("%s: %d of %d draws overlap, %d are refused: a poor choice", name, met, draws, refused)
		}
	}
}

// Dimensions that are negative or whose product an int cannot hold make no tensor, nor do
// two negative ones; an empty one among large ones does only where the others can be counted.
func TestDimensions(t *testing.T) {
	const half = 1 << 31
	data := make([]float64, 12)
	for _, dims := range [][]int{{-1}, {-2, -3}, {0, -1}, {half - 1, half - 1, half - 1}, {0, half - 1, half - 1, half - 1}, {math.MaxInt}, {math.MaxInt, 2}} {
		if got := tier.Panic(func() { kronprod.NewTensor(dims...) }); !strings.HasPrefix(got, "kronprod: NewTensor: ") {
			t.Errorf("NewTensor(%v): panic %q", dims, got)
		}
		if got := tier.Panic(func() { kronprod.Shaped(data, dims...) }); !strings.HasPrefix(got, "kronprod: Shaped: ") {
			t.Errorf("Shaped(%v): panic %q", dims, got)
		}
		x := kronprod.Tensor{Dims: dims, Data: data[:6]}
		if got := tier.Panic(func() { kronprod.Marginal(data[:1], x, 0, nil) }); !strings.HasPrefix(got, "kronprod: Marginal: ") {
			t.Errorf("Marginal of %v: panic %q", dims, got)
		}
	}
	if x := kronprod.NewTensor(3, 0, 5); len(x.Data) != 0 {
		t.Errorf("an empty tensor has %d numbers", len(x.Data))
	}
	tall := mat.Matrix{Rows: half - 1, Cols: 0}
	if got := tier.Panic(func() { kronprod.Of(tall, tall, tall).Rows() }); !strings.HasPrefix(got, "kronprod: ") || !strings.Contains(got, "rows") {
		t.Errorf("a product of 2^93 rows: panic %q", got)
	}
}
