package bound_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

func (s *subject) learnNoise(t *testing.T, strength float64) {
	t.Helper()
	if err := s.evaluator.LearnNoise(t.Context(), s.Params, strength, mat.Matrix{}); err != nil {
		t.Fatal(err)
	}
}

func (s *subject) residualCovariance(t *testing.T) mat.Matrix {
	t.Helper()
	cov, err := s.evaluator.ResidualCovariance(t.Context(), s.Params)
	if err != nil {
		t.Fatal(err)
	}
	return cov.Clone()
}

// The mean of E_q (y − f)·(y − f)ᵀ over examples and channels, with q's own moments of every training
// example one by one.
func TestResidualCovariance(t *testing.T) {
	for seed := range uint64(compare.Sizes(40)) {
		shape := reference.ResidualShape(30000 + seed)
		s := subjectOf(t, shape)
		d := reference.NewDense(s.Model)
		n := len(d.Points)
		want := mat.New(n, n)
		share := 1 / float64(shape.Examples*shape.Channels)
		for e := range shape.Examples {
			f := d.Forecast(s.Params.X.Mu.Row(e), s.Params.X.S.Row(e), nil, s.Space)
			for c := range shape.Channels {
				for i := range n {
					for j := range n {
						left, right := s.Y.At(e*n+i, c)-f.Mean[c][i], s.Y.At(e*n+j, c)-f.Mean[c][j]
						want.Row(i)[j] += share * (float64(left*right) + f.Cov[c][i][j])
					}
				}
			}
		}
		compare.Near(t, shape.String(), s.residualCovariance(t).Data, want.Data, 1e-8) // the dense formulas use inverses
	}
}

// A learned Σ is the tapered mean of the residuals' squares, blended with the parametric one.
func TestLearnNoise(t *testing.T) {
	const strength = 3.0
	for seed := range uint64(compare.Sizes(20)) {
		s := subjectOf(t, reference.ResidualShape(42000+seed))
		p, x := s.Params, s.Space[0]
		d := reference.NewDense(s.Model)
		for _, again := range []bool{false, true} { // a learned Σ is drawn to the parametric one too
			cov := s.residualCovariance(t)
			for q := range x.Cols {
				p.Noise.Taper = append(p.Noise.Taper[:q:q], 0.7+float64(q))
			}
			learned := p.Noise.Covariance
			p.Noise.Covariance = mat.Matrix{}
			parametric := d.Noise(d.Points)
			p.Noise.Covariance = learned
			filled := mat.Matrix{}
			if again { // of values that were not observed
				filled = mat.New(x.Rows, x.Rows)
				for i := range x.Rows {
					filled.Set(i, i, 0.1*float64(i+1))
					filled.Set(i, 0, filled.At(i, 0)+0.01)
					filled.Set(0, i, filled.At(i, 0))
				}
				mat.Add(cov, cov, 1, filled)
			}
			if err := s.evaluator.LearnNoise(t.Context(), p, strength, filled); err != nil {
				t.Fatal(err)
			}
			n := float64(s.Examples())
			want := mat.New(x.Rows, x.Rows)
			for i := range x.Rows {
				for j := range x.Rows {
					var distance float64
					for q, l := range p.Noise.Taper {
						distance += math.Pow((x.At(i, q)-x.At(j, q))/l, 2)
					}
					want.Set(i, j, (n*cov.At(i, j)*math.Exp(-distance)+strength*parametric[i][j])/(n+strength))
				}
			}
			compare.Near(t, "Σ", p.Noise.Covariance.Data, want.Data, 1e-10)
			if !again {
				compare.NearOne(t, "bound with a learned Σ", s.bound(t), reference.NewDense(s.Model).Bound(), 1e-9)
			}
		}
	}
}

// Derivatives beside a learned Σ, which itself is held.
func TestLearnedNoiseGradient(t *testing.T) {
	for seed := range uint64(compare.Sizes(10)) {
		s := subjectOf(t, reference.ResidualShape(33000+seed))
		s.learnNoise(t, 3)
		c := bound.Coordinates{Free: bound.GroupAll}
		x, slope := packed(c, s.Params), make([]float64, c.Count(s.Params))
		c.PackGradient(slope, s.Params, s.gradient(t, bound.GroupAll))
		compare.CheckGradient(t, func(int) string { return "learned Σ" }, compare.Pointers(x), slope, func() float64 {
			c.Unpack(s.Params, x)
			return s.bound(t)
		})
	}
}

// What Σ is at points other than those of training: the learned one where all are training points, in any
// order, and the parametric one elsewhere.
func TestNoiseElsewhere(t *testing.T) {
	s := subjectOf(t, structuredNoise())
	noise, x := &s.Params.Noise, s.Space[0]
	points := work.Gather(x, []int{2, 0, 2})
	if at := noise.LearnedAt(points, x); at != nil {
		t.Errorf("nothing is learned, but at %v", at)
	}
	s.learnNoise(t, 2)
	at := noise.LearnedAt(points, x)
	if diff := cmp.Diff([]int{2, 0, 2}, at); diff != "" {
		t.Errorf("training points:\n%s", diff)
	}
	got, want := mat.New(3, 3), mat.New(3, 3)
	noise.WithoutWhite(got, points, at)
	for i, k := range at {
		for j, l := range at {
			want.Set(i, j, noise.Covariance.At(k, l))
		}
		want.Set(i, i, want.At(i, i)-1/noise.Beta)
	}
	compare.SameBits(t, "learned Σ", got.Data, want.Data)

	points.Set(1, 0, 0.123)
	if at := noise.LearnedAt(points, x); at != nil {
		t.Errorf("a point that is none of training: %v", at)
	}
	noise.WithoutWhite(got, points, nil)
	noise.Residual.Matrix(want, points, points)
	compare.SameBits(t, "parametric Σ", got.Data, want.Data)
}

// −0 is 0 to the kernel, and so it is to what was learned there.
func TestLearnedAtNegativeZero(t *testing.T) {
	noise := bound.Noise{Beta: 1, Residual: kernel.Kernel{Kind: matern32, Variance: 1, LengthScale: []float64{1}}, Covariance: mat.Identity(2)}
	negative := math.Copysign(0, -1)
	if diff := cmp.Diff([]int{1, 0}, noise.LearnedAt(mat.NewDense(2, 1, []float64{1, negative}), mat.NewDense(2, 1, []float64{0, 1}))); diff != "" {
		t.Error(diff)
	}
}
