package bound_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/dynamics"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
)

// threeFactors has 4 examples in 2 latent dimensions, 3 inducing points, and one spatial factor each
// with free inducing points (3×2) and two length scales, with a white kernel, and with one length scale.
func threeFactors() shape {
	return shape{Examples: 4, Inducing: 3, Latent: 2, Channels: 1,
		Space: []factor{{Points: 4, Dims: 2, Inducing: 3, Kind: rbf, ARD: true}, {Points: 3, Dims: 1, Kind: white}, {Points: 2, Dims: 2, Kind: matern32}}}
}

func structuredNoise() shape {
	return shape{Examples: 4, Inducing: 3, Latent: 2, Channels: 1, Residual: matern32, Seed: 1, Space: []factor{{Points: 4, Dims: 2, Kind: rbf, ARD: true}}}
}

func dynamical() shape {
	return shape{Examples: 6, Inducing: 3, Latent: 2, Channels: 1, Jitter: 1e-6, Time: "0.5*matern32+0.5*periodic", Sequences: 2, Seed: 2,
		TimePart: "rbf", Parts: reference.RBF | reference.Time, Space: []factor{{Points: 4, Dims: 1, Kind: matern32}}}
}

// Every group packs its own parameters and nothing else, and unpacking gives them back.
func TestPack(t *testing.T) {
	const latent, fixed = 1 + 2 + 8 + 8 + 6, bound.GroupNoise | bound.GroupSpatial
	for _, c := range []struct {
		name  string
		shape shape
		free  bound.Group
		want  int
	}{
		{"nothing", threeFactors(), 0, 0},
		{"noise", threeFactors(), bound.GroupNoise, 1},
		{"latent", threeFactors(), bound.GroupLatent, latent},
		{"space", threeFactors(), bound.GroupSpatial, 2 + 6 + 0 + 1},
		{"all", threeFactors(), bound.GroupAll, latent + 1 + 9},
		{"noise and space", threeFactors(), fixed, 1 + 9},
		{"structured noise without space", structuredNoise(), bound.GroupNoise, 0},
		{"space under structured noise", structuredNoise(), bound.GroupSpatial, 2 + 1 + 2},
		{"structured noise and space", structuredNoise(), fixed, 1 + 2 + 1 + 2},
		{"paths", dynamical(), bound.GroupLatent, 1 + 2 + 1 + 1 + 12 + 12 + 4 + 6}, // the sum has a weight ratio, two scales and a period
	} {
		t.Run(c.name, func(t *testing.T) {
			p := c.shape.Model(t).Params
			coordinates := bound.Coordinates{Free: c.free}
			before := flat(p)
			if n := coordinates.Count(p); n != c.want {
				t.Fatalf("%d coordinates, want %d", n, c.want)
			}
			x := make([]float64, c.want+1)
			x[c.want] = 42
			coordinates.Pack(x, p)
			compare.SameBits(t, "packing changes nothing", flat(p), before)
			coordinates.Unpack(p, x)
			compare.Near(t, "packed and unpacked", flat(p), before, 16*0x1p-52) // exp(log v) errs by ε·(1 + |log v|)
			if x[c.want] != 42 {
				t.Error("wrote beyond the end")
			}
			// Each coordinate moves one parameter, the weight ratio two.
			for i := range c.want {
				x[i]++
			}
			coordinates.Unpack(p, x)
			changed := 0
			for i, v := range natural(p).values() {
				if math.Abs(v-before[i]) > 1e-3 {
					changed++
				}
			}
			if want := c.want + map[bool]int{true: 1}[c.name == "paths"]; changed != want {
				t.Errorf("%d parameters moved, want %d", changed, want)
			}
		})
	}
}

// A learned Σ is not an optimiser's.
func TestPackLearnedNoise(t *testing.T) {
	s := subjectOf(t, structuredNoise())
	if err := s.evaluator.LearnNoise(t.Context(), s.Params, 3, mat.Matrix{}); err != nil {
		t.Fatal(err)
	}
	for free, want := range map[bound.Group]int{bound.GroupNoise: 0, bound.GroupSpatial: 2, bound.GroupNoise | bound.GroupSpatial: 2} {
		if n := (bound.Coordinates{Free: free}).Count(s.Params); n != want {
			t.Errorf("group %b: %d coordinates, want %d", free, n, want)
		}
	}
}

// Positive parameters are packed as logarithms, so that any number unpacks to a positive one.
func TestPackLogarithms(t *testing.T) {
	p := threeFactors().Model(t).Params
	c := bound.Coordinates{Free: bound.GroupAll}
	x := packed(c, p)
	kernel := p.Latent.Part("rbf").(*psi.RBF)
	want := []float64{math.Log(p.Noise.Beta), math.Log(kernel.Variance), math.Log(kernel.LengthScale[0]), p.X.Mu.Data[0], math.Log(p.X.S.Data[0])}
	compare.SameBits(t, "packed", []float64{x[0], x[1], x[2], x[4], x[12]}, want)
	for i := range x {
		x[i] = -30
	}
	c.Unpack(p, x)
	for _, v := range slices.Concat([]float64{p.Noise.Beta, kernel.Variance}, kernel.LengthScale, p.X.S.Data, p.Space[0].Kernel.LengthScale) {
		compare.SameBits(t, "positive parameter", []float64{v}, []float64{math.Exp(-30)})
	}
	if p.X.Mu.Data[3] != -30 || p.Z.Data[0] != -30 || p.Space[0].Xu.Data[1] != -30 {
		t.Errorf("coordinates %v, %v, %v", p.X.Mu.Data[3], p.Z.Data[0], p.Space[0].Xu.Data[1])
	}
}

// Parts and parameters that an optimiser drives towards nothing stay: the coordinates keep their places
// and are finite.
func TestPackOutlivesUnderflow(t *testing.T) {
	for _, shape := range []shape{threeFactors().With(reference.RBF | reference.Linear | reference.Bias), structuredNoise(), dynamical()} {
		p := shape.Model(t).Params
		c := bound.Coordinates{Free: bound.GroupAll}
		n, names := c.Count(p), p.Latent.Names()
		x := make([]float64, n)
		for i := range x {
			x[i] = -1e4
		}
		c.Unpack(p, x)
		if got := p.Latent.Names(); !slices.Equal(got, names) || c.Count(p) != n {
			t.Errorf("%v with %d coordinates, %v with %d before", got, c.Count(p), names, n)
		}
		for i, v := range packed(c, p) {
			if math.IsInf(v, 0) || math.IsNaN(v) {
				t.Errorf("%v: coordinate %d is %v", shape, i, v)
			}
		}
	}
}

// Under a floor the variance above it is packed, so that any number unpacks to noise above the floor,
// which has finite coordinates again and is valid.
func TestPackNoiseFloor(t *testing.T) {
	for name, shape := range map[string]shape{"white": threeFactors(), "structured": structuredNoise()} {
		m := shape.Model(t)
		noise := &m.Params.Noise
		noise.Floor = 0.25 / noise.Beta
		c := bound.Coordinates{Free: bound.GroupNoise | bound.GroupSpatial}
		x, before := packed(c, m.Params), noise.Beta
		compare.NearOne(t, name+": packed", x[0], math.Log(0.75/before), 1e-14)
		c.Unpack(m.Params, x)
		compare.NearOne(t, name+": there and back", noise.Beta, before, 1e-14)
		for _, v := range []float64{-1e4, -1e3, -50, -40, -36, -35, -34, -30, -7, -5, -3, -2, -1, 0, 30} {
			x[0] = v
			c.Unpack(m.Params, x)
			if err := m.Params.Validate(m.Space); err != nil {
				t.Errorf("%s: coordinate %v: %v", name, v, err)
			}
			precision := noise.Beta
			again := packed(c, m.Params)[0]
			compare.SameBits(t, name+": precision after packing", []float64{noise.Beta}, []float64{precision})
			if math.IsInf(again, 0) || math.IsNaN(again) {
				t.Errorf("%s: coordinate %v becomes %v", name, v, again)
			}
			if v >= 0 { // below, the sum with the floor loses digits of the coordinate
				compare.NearOne(t, name+": packed again", again, v, 1e-12)
			}
		}
	}
}

// A noise that lies next to its floor stays where it is when its own coordinates are unpacked.
func TestNoiseAtItsFloor(t *testing.T) {
	for ulps := range 6 {
		p := threeFactors().Model(t).Params
		p.Noise.Floor = 1 / p.Noise.Beta
		for range ulps {
			p.Noise.Floor = math.Nextafter(p.Noise.Floor, 0)
		}
		c := bound.Coordinates{Free: bound.GroupNoise}
		before, x := p.Noise.Beta, packed(c, p)
		if math.IsInf(x[0], 0) || math.IsNaN(x[0]) {
			t.Errorf("%d units of rounding above the floor: coordinate %v", ulps, x[0])
		}
		if p.Noise.Beta != before {
			t.Errorf("%d units of rounding above the floor: packing made a precision of %v from %v", ulps, p.Noise.Beta, before)
		}
		c.Unpack(p, x)
		if math.Abs(p.Noise.Beta-before) > 8*0x1p-52*before {
			t.Errorf("%d units of rounding above the floor: precision %v, was %v", ulps, p.Noise.Beta, before)
		}
	}
}

// Derivatives in the coordinates of every set of groups that training frees, with a preconditioner
// and under a noise floor.
func TestPackedGradient(t *testing.T) {
	for i, shape := range seeded(50) {
		s := subjectOf(t, shape)
		var preconditioner *dynamics.Preconditioner
		if paths := s.Params.X.Paths; paths != nil && i%2 == 0 {
			var err error
			if preconditioner, err = dynamics.NewPreconditioner(paths.Prior); err != nil {
				t.Fatal(err)
			}
		}
		if i%3 == 0 {
			s.Params.Noise.Floor = 0.3 / s.Params.Noise.Beta
		}
		groups := []bound.Group{bound.GroupAll, bound.GroupLatent, bound.GroupNoise, bound.GroupSpatial, held}
		if testing.Short() {
			groups = groups[:1]
		}
		for _, free := range groups {
			c := bound.Coordinates{Free: free, Preconditioner: preconditioner}
			x, slope := packed(c, s.Params), make([]float64, c.Count(s.Params))
			c.PackGradient(slope, s.Params, s.gradient(t, free))
			name := func(i int) string { return fmt.Sprintf("%v: group %b, coordinate %d", shape, free, i) }
			compare.CheckGradient(t, name, compare.Pointers(x), slope, func() float64 {
				c.Unpack(s.Params, x)
				return s.bound(t)
			})
			c.Unpack(s.Params, x)
		}
	}
}
