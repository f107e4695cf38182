package dynamics

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
)

// R of both forms is the factor of K + 0.1·I, and its products are those of the matrix.
func TestRootOf(t *testing.T) {
	for _, text := range markovKernels {
		p := many(t, text, 40)
		s := p.Prior.sequences()[1]
		n := len(s.Times)
		want := covarianceOf(p, s)
		for i := range n {
			want.Set(i, i, want.At(i, i)+0.1)
		}
		b := mat.New(n, 3)
		for i := range b.Data {
			b.Data[i] = math.Sin(float64(i * i))
		}
		var products []mat.Matrix
		withEachForm(func(states bool) {
			r, err := rootOf(p.Prior.Kernel, s.Times, 0.1)
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := r.(*innovations); ok != states {
				t.Errorf("%s: %T", text, r)
			}
			square := mat.Identity(n)
			r.mulT(square)
			r.mul(square)
			compare.Near(t, text+": R·Rᵀ", square.Data, want.Data, 1e-12)
			for i, do := range []func(mat.Matrix){r.mul, r.mulT, r.SolveHalf, r.SolveHalfT} {
				c := b.Clone()
				do(c)
				if states {
					products = append(products, c)
				} else {
					compare.Near(t, fmt.Sprintf("%s: product %d", text, i), products[i].Data, c.Data, 1e-12)
				}
			}
		})
	}
}

// Long series and large precisions do no harm; the work is linear, or this would not end.
func TestLongSeries(t *testing.T) {
	tier.Skip(t, tier.Race)
	const n = 20000
	p := many(t, "0.5*matern32(3)+0.5*matern52(40)", n)
	for i := range p.Lambda.Data {
		p.Lambda.Data[i] *= 1e4
		p.MuBar.Data[i] *= 1e-2
	}
	values, slopes := result(t, p)
	for i, v := range slices.Concat(values, slopes) {
		if v-v != 0 {
			t.Fatalf("number %d is %v", i, v)
		}
	}
	for i, v := range values[1+2*n:] {
		if l := p.Lambda.Data[i]; !(v >= minVariance && v <= 1/(1+l)*(1+1e-6)+1e-12) {
			t.Errorf("variance %v with a precision of %v", v, l)
		}
	}
	if !(values[0] > 0) {
		t.Errorf("divergence %v", values[0])
	}
}
