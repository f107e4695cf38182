package mixture

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/drawn"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// Errors whose variance is a sum of parts give the parts back, those that are not there as next to nothing, and no law
// near the one that is found makes them likelier.
func TestVarianceLaw(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	truth := varianceLaw{modelled: 0.5, everywhere: 0.03, byMismatch: 2, bySlope: 0.1}
	const n = 40000
	rows, squares := make([]varianceLaw, n), make([]float64, n)
	for i := range rows {
		var v float64
		for k := range rows[i] {
			rows[i][k] = math.Exp(2 * rng.NormFloat64())
			if k == everywhere {
				rows[i][k] = 1
			}
			v += truth[k] * rows[i][k]
		}
		squares[i] = v * frame.Square(rng.NormFloat64())
	}
	l := fitVariances(rows, squares)
	loss := func(l varianceLaw) (sum float64) {
		for i, r := range rows {
			var v float64
			for k, a := range l {
				v += a * r[k]
			}
			sum += math.Log(v) + squares[i]/v
		}
		return sum / n
	}
	least := loss(l)
	for k, a := range truth {
		if math.Abs(l[k]-a) > 0.1*a+0.02 {
			t.Errorf("number %d is %v, drawn with %v", k, l[k], a)
		}
		for _, factor := range []float64{0.8, 1.25} {
			if other := l; a > 0 {
				other[k] *= factor
				if v := loss(other); v < least {
					t.Errorf("number %d times %v: loss %v, below the %v that was found", k, factor, v, least)
				}
			}
		}
	}
	if l := fitVariances(rows[:9], make([]float64, 9)); slices.Min(l[:]) < 0 || slices.Max(l[:]) > 0 {
		t.Errorf("law %v of no errors at all", l)
	}
}

// The harmonic mean of distances is the gap; a gap that was not learned in counts in proportion.
func TestGap(t *testing.T) {
	for _, c := range []struct{ before, after, want float64 }{{1, 1, 1}, {3, 3, 3}, {1, 3, 1.5}, {2, 0, 0}, {0, 0, 0}} {
		if got := gapOf(c.before, c.after); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("gap %v of frames %v before and %v after, expected %v", got, c.before, c.after, c.want)
		}
	}
	for _, c := range []struct{ gap, learned, want float64 }{{1, 2, 0.5}, {2, 2, 1}, {6, 2, 3}, {5, 0, 1}} {
		if got := spreadOf(c.gap, c.learned); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("spread %v in a gap of %v, learned in %v, expected %v", got, c.gap, c.learned, c.want)
		}
	}
	if g := typicalGap([]float64{0, 1, 4, 0}); math.Abs(g-2) > 1e-12 {
		t.Errorf("gap %v of learning, expected 2, the geometric mean", g)
	}
	if g := typicalGap([]float64{0, 0}); g != 0 {
		t.Errorf("gap %v of none", g)
	}
}

// Errors that texture has in proportion to the gap are expected to be so in gaps wider and narrower than those of learning.
func TestTextureAcrossGaps(t *testing.T) {
	_, law := mixtureOf(t, 0.01)
	rng := rand.New(rand.NewPCG(9, 4))
	for k := range law.gaps {
		law.gaps[k] = 0.5 + float64(k%3)
	}
	for k := range law.samples {
		s := &law.samples[k]
		s.traits = traitsOf(1e-9, 0, math.Exp2(-4+4*rng.Float64()), 1)
		e := math.Sqrt(0.1*law.gaps[s.frame]*s.traits[bySlope]) * rng.NormFloat64()
		for j := range s.errors {
			s.errors[j] = e
		}
	}
	x := law.Mixture()
	f, scale := frame.New(drawn.Width, drawn.Height, 1), x.scale[0]
	f.Variance.Fill(1e-9 * scale)
	for i := range f.Mean.Data {
		f.Mean.Data[i] = float64(i%drawn.Width) * math.Sqrt(scale)
	}
	for _, gap := range []float64{0.25, 1, 4} {
		o := Others{gap: gap}
		for k := range o.means {
			o.means[k] = frame.NewImage[float64](drawn.Width, drawn.Height, 1)
			copy(o.means[k].Data, f.Mean.Data)
		}
		r := x.Recipe(f, o)
		middle := drawn.Height/2*drawn.Width + drawn.Width/2
		texture := slope(o.means[others-1], drawn.Width/2, drawn.Height/2, 0) / scale
		if got, want := r.variances.Data[middle]/scale, 0.1*gap*texture; math.Abs(math.Log(got/want)) > 0.15 {
			t.Errorf("variance %v in a gap of %v, drawn with %v", got, gap, want)
		}
	}
}
