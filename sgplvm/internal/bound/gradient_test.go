package bound_test

import (
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

const (
	matern12, matern32, matern52 = kernel.Matern12, kernel.Matern32, kernel.Matern52
	rbf, white                   = kernel.RBF, kernel.White
)

// plainShapes have every kernel kind, one to three spatial factors, tied and free inducing points, one
// and three channels, m_ξ = n_ξ and less, isotropic kernels and length scales per dimension, with
// jitter and without.
var plainShapes = []shape{
	{Examples: 5, Inducing: 5, Latent: 2, Channels: 1, Space: []factor{{Points: 6, Dims: 1, Kind: matern12}}},
	{Examples: 5, Inducing: 3, Latent: 2, Channels: 3, Space: []factor{{Points: 6, Dims: 2, Kind: matern32, ARD: true}}},
	{Examples: 4, Inducing: 2, Latent: 1, Channels: 1, Jitter: 1e-4, Space: []factor{{Points: 6, Dims: 2, Kind: matern52}}},
	{Examples: 4, Inducing: 4, Latent: 3, Channels: 3, Jitter: 1e-4, Space: []factor{{Points: 5, Dims: 2, Kind: rbf, ARD: true}}},
	{Examples: 4, Inducing: 3, Latent: 2, Channels: 1, Space: []factor{{Points: 4, Dims: 1, Kind: white}}},
	{Examples: 4, Inducing: 4, Latent: 2, Channels: 1, Space: []factor{{Points: 6, Dims: 2, Inducing: 4, Kind: matern12, ARD: true}}},
	{Examples: 5, Inducing: 2, Latent: 1, Channels: 3, Jitter: 1e-4, Space: []factor{{Points: 6, Dims: 1, Inducing: 3, Kind: matern32}}},
	{Examples: 4, Inducing: 3, Latent: 2, Channels: 1, Jitter: 1e-4, Space: []factor{{Points: 6, Dims: 2, Inducing: 6, Kind: matern52, ARD: true}}},
	{Examples: 3, Inducing: 3, Latent: 2, Channels: 3, Space: []factor{{Points: 7, Dims: 2, Inducing: 4, Kind: rbf}}},
	{Examples: 4, Inducing: 3, Latent: 2, Channels: 1, Space: []factor{{Points: 3, Dims: 1, Kind: matern32}, {Points: 4, Dims: 1, Kind: rbf}}},
	{Examples: 4, Inducing: 4, Latent: 2, Channels: 3, Jitter: 1e-4, Space: []factor{{Points: 3, Dims: 1, Inducing: 2, Kind: matern52}, {Points: 4, Dims: 1, Kind: matern12}}},
	{Examples: 5, Inducing: 2, Latent: 1, Channels: 1, Space: []factor{{Points: 4, Dims: 2, Kind: white}, {Points: 3, Dims: 1, Inducing: 3, Kind: matern32}}},
	{Examples: 3, Inducing: 2, Latent: 2, Channels: 3, Jitter: 1e-4, Space: []factor{{Points: 4, Dims: 2, Inducing: 3, Kind: rbf, ARD: true}, {Points: 3, Dims: 1, Inducing: 2, Kind: matern12}}},
	{Examples: 3, Inducing: 3, Latent: 2, Channels: 1, Space: []factor{{Points: 2, Dims: 1, Kind: matern32}, {Points: 3, Dims: 1, Kind: matern52}, {Points: 2, Dims: 2, Kind: rbf}}},
	{Examples: 4, Inducing: 3, Latent: 1, Channels: 3, Jitter: 1e-4, Space: []factor{{Points: 2, Dims: 1, Inducing: 2, Kind: matern32}, {Points: 3, Dims: 1, Kind: white}, {Points: 3, Dims: 2, Inducing: 2, Kind: rbf, ARD: true}}},
	{Examples: 4, Inducing: 2, Latent: 2, Channels: 1, Jitter: 1e-4, Space: []factor{{Points: 3, Dims: 1, Kind: rbf}, {Points: 3, Dims: 1, Inducing: 2, Kind: matern52}, {Points: 2, Dims: 1, Kind: matern12}}},
	{Examples: 3, Inducing: 1, Latent: 1, Channels: 1, Space: []factor{{Points: 6, Dims: 1, Kind: matern32}, {Points: 2, Dims: 1, Kind: rbf}}},
	{Examples: 3, Inducing: 2, Latent: 2, Channels: 1, Space: []factor{{Points: 2, Dims: 1, Kind: matern52}, {Points: 7, Dims: 2, Kind: matern12, ARD: true}}},
	{Examples: 1, Inducing: 1, Latent: 1, Channels: 1, Space: []factor{{Points: 1, Dims: 1, Kind: rbf}}},
	{Examples: 20, Inducing: 3, Latent: 1, Channels: 1, Space: []factor{{Points: 2, Dims: 1, Kind: matern32}}},
	{Examples: 2, Inducing: 2, Latent: 1, Channels: 1, Space: []factor{{Points: 35, Dims: 1, Inducing: 2, Kind: matern32}}},
}

// gradientShapes are those and more.
func gradientShapes() []shape {
	shapes := append([]shape(nil), plainShapes...)
	// Every other latent kernel with three of the shapes, m_ξ above its rank and not.
	for parts := reference.Linear; parts <= reference.RBF|reference.Linear|reference.Bias; parts++ {
		for i := range 3 {
			shapes = append(shapes, shapes[(5*int(parts)+4*i)%21].With(parts))
		}
	}
	// Structured residuals, of all kinds and over spatial kernels of all kinds.
	for i, kind := range []kernel.Kind{matern12, matern32, matern52, rbf, matern32} {
		shapes = append(shapes, shape{Examples: 4, Inducing: 3, Latent: 2, Channels: 1 + i%3, Jitter: 1e-6, Residual: kind,
			Space: []factor{{Points: 5 + i, Dims: 1 + i%2, Kind: reference.Kinds[i], ARD: i%2 == 1}}})
	}
	// Dynamical priors, one of them beside a structured residual.
	for i, text := range []string{"matern12", "matern32", "matern52", "rbf", "periodic", "rbf*periodic+matern12", "0.2*matern32(0.8)+0.5*matern52(2)*(rbf+periodic(3))+0.3*rbf(4)", "0.4*matern32*matern12+0.6*matern52"} {
		shapes = append(shapes, shape{Examples: 6, Inducing: 2 + i%2, Latent: 1 + i%2, Channels: 1, Jitter: 1e-6, Time: text, Sequences: 1 + i%3,
			Residual: map[int]kernel.Kind{2: matern32}[i], Space: []factor{{Points: 5, Dims: 1, Kind: matern32}}})
	}
	// Latent kernels with a part of time, of its own kernel, beside every other part and alone.
	for i, text := range []string{"matern12", "0.3*matern32+0.7*rbf*periodic", "matern52", "rbf", "matern32", "matern12", "matern32", "matern52"} {
		shapes = append(shapes, shape{Examples: 5, Inducing: 3 + i%3, Latent: 1 + i%2, Channels: 1 + i%2, Jitter: 1e-3, Time: "matern32", Sequences: 1 + i%2,
			TimePart: text, Parts: reference.Time | reference.Parts(i), Space: []factor{{Points: 4, Dims: 1, Kind: matern32, Inducing: 3 * (i % 2)}}})
	}
	return shapes
}

// seeded are the gradient's shapes with seeds; with -short every third.
func seeded(seed uint64) []shape {
	var shapes []shape
	for i, s := range gradientShapes() {
		if s.Seed = 100*uint64(i) + seed; !testing.Short() || i%3 == 0 {
			shapes = append(shapes, s)
		}
	}
	return shapes
}

// Every derivative in the natural parameters, the spatial variances included, which training never
// frees.
func TestGradient(t *testing.T) {
	for seed := range uint64(2) {
		for _, shape := range seeded(seed) {
			s := subjectOf(t, shape)
			s.bound(t)
			parameters, slopes := natural(s.Params), natural(s.gradient(t, bound.GroupAll))
			compare.CheckGradient(t, parameters.name(shape.String()), parameters.at, slopes.values(), func() float64 { return s.bound(t) })
		}
	}
}

// An evaluation gives the bound that is given without derivatives, and derivatives in fewer groups are
// those of all.
func TestGroups(t *testing.T) {
	for _, shape := range seeded(20) {
		s := subjectOf(t, shape)
		want, all := s.bound(t), s.gradient(t, bound.GroupAll)
		for _, free := range []bound.Group{0, bound.GroupLatent, bound.GroupNoise, bound.GroupSpatial, held, bound.GroupAll} {
			grad := s.Params.Clone()
			got, err := s.evaluator.Evaluate(t.Context(), s.Params, grad, free)
			if err != nil {
				t.Fatal(err)
			}
			what := shape.String()
			compare.SameBits(t, what+": bound", []float64{got}, []float64{want})
			c := bound.Coordinates{Free: free}
			x, y := make([]float64, c.Count(s.Params)), make([]float64, c.Count(s.Params))
			c.PackGradient(x, s.Params, grad)
			c.PackGradient(y, s.Params, all)
			compare.SameBits(t, what+": derivatives", x, y)
		}
	}
}

// Inducing points at data points: the Matérn 1/2 kernel has a kink there, and its slope is taken as 0; the
// others are smooth, so their derivatives hold.
func TestGradientAtCoincidentPoints(t *testing.T) {
	for _, kind := range []kernel.Kind{matern12, matern32, matern52, rbf} {
		s := subjectOf(t, shape{Examples: 3, Inducing: 2, Latent: 2, Channels: 2, Jitter: 1e-4, Seed: 5,
			Space: []factor{{Points: 5, Dims: 2, Inducing: 3, Kind: kind, ARD: true}}})
		u := s.Params.Space[0].Xu
		mat.Copy(u, s.Space[0].Slice(1, 4, 0, 2))
		grad := s.gradient(t, bound.GroupAll)
		if kind == matern12 {
			for i, v := range grad.Space[0].Xu.Data {
				if v-v != 0 {
					t.Errorf("%s: derivative %v in X_u[%d]", kind, v, i)
				}
			}
			s.Params.Space[0].Xu, grad.Space[0].Xu = mat.Matrix{}, mat.Matrix{} // leaves them out of the lists
		}
		parameters, slopes := natural(s.Params), natural(grad)
		s.Params.Space[0].Xu = u
		compare.CheckGradient(t, parameters.name(string(kind)), parameters.at, slopes.values(), func() float64 { return s.bound(t) })
	}
}
