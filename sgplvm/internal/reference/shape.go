package reference

import (
	"fmt"
	"math/rand/v2"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// Kinds are the spatial kernels that random models have.
var Kinds = []kernel.Kind{kernel.Matern12, kernel.Matern32, kernel.Matern52, kernel.RBF, kernel.White}

// Factor is one spatial factor of a random model.
type Factor struct {
	Points, Dims int
	Inducing     int // 0: tied
	Kind         kernel.Kind
	ARD          bool // a length scale for each dimension
}

// Shape describes a random model; equal shapes give equal models.
type Shape struct {
	Examples, Inducing, Latent, Channels int
	Space                                []Factor
	Jitter                               float64
	Parts                                Parts       // of the latent kernel; 0: RBF
	Residual                             kernel.Kind // of structured noise; "": none
	Time                                 string      // kernel of a dynamical prior; "": none
	Sequences                            int         // of that prior
	TimePart                             string      // kernel of the latent kernel's time part; "": none
	Seed                                 uint64
}

// Parts is a set of parts of the latent kernel, so that tests can run through all sets.
type Parts int

// The parts.
const (
	RBF Parts = 1 << iota
	Linear
	Bias
	Time
)

// Has reports whether some part of q is in p.
func (p Parts) Has(q Parts) bool { return p&q != 0 }

// Names returns the parts as package psi names them.
func (p Parts) Names() psi.Names {
	var names psi.Names
	for i, name := range []string{"rbf", "linear", "bias", "time"} {
		if p.Has(1 << i) {
			names = append(names, name)
		}
	}
	return names
}

func (p Parts) String() string { return p.Names().String() }

func (s Shape) String() string {
	text := fmt.Sprintf("n=%d m=%d d=%d c=%d jitter=%g %v", s.Examples, s.Inducing, s.Latent, s.Channels, s.Jitter, s.Parts)
	for _, f := range s.Space {
		text += fmt.Sprintf(" %s(%d×%d", f.Kind, f.Points, f.Dims)
		if f.Inducing > 0 {
			text += fmt.Sprintf(" free %d", f.Inducing)
		}
		if f.ARD {
			text += " ard"
		}
		text += ")"
	}
	if s.Residual != "" {
		text += fmt.Sprintf(" residual %s", s.Residual)
	}
	if s.Time != "" {
		text += fmt.Sprintf(" time %s, %d sequences", s.Time, s.Sequences)
	}
	if s.TimePart != "" {
		text += " part " + s.TimePart
	}
	return fmt.Sprintf("%s seed=%d", text, s.Seed)
}

// RandomShape draws a shape small enough for the dense formulas: up to 6 examples, 8 spatial
// points and 3 channels.
func RandomShape(seed uint64) Shape {
	rng := rand.New(rand.NewPCG(seed, 1))
	upTo := func(n int) int { return 1 + rng.IntN(n) }
	s := Shape{Examples: upTo(6), Latent: upTo(3), Channels: upTo(3), Seed: seed}
	s.Inducing = upTo(s.Examples)
	if rng.IntN(3) == 0 {
		s.Inducing = s.Examples
	}
	if rng.IntN(2) == 0 {
		s.Jitter = 1e-4
	}
	most := [][]int{{8}, {4, 2}, {2, 2, 2}}[rng.IntN(3)]
	for _, n := range most {
		f := Factor{Points: upTo(n), Dims: upTo(2), Kind: Kinds[rng.IntN(len(Kinds))], ARD: rng.IntN(2) == 0}
		if f.Kind != kernel.White && rng.IntN(2) == 0 {
			f.Inducing = upTo(f.Points)
		}
		s.Space = append(s.Space, f)
	}
	if rng.IntN(2) == 0 {
		s = s.With(Parts(1 + rng.IntN(7)))
	}
	return s
}

// ShapeOf makes a shape of such kinds of choices, for tests whose input makes them: pick returns a number from 0 to n−1.
func ShapeOf(pick func(n int) int) Shape {
	upTo := func(n int) int { return 1 + pick(n) }
	seldom := func() bool { return pick(2) == 1 }
	s := Shape{Examples: upTo(6), Latent: upTo(3), Channels: upTo(3), Jitter: []float64{0, 1e-4}[pick(2)], Seed: uint64(pick(1 << 30))}
	s.Inducing = upTo(s.Examples)
	most := [][]int{{8}, {4, 2}, {2, 2, 2}}[pick(3)]
	for _, n := range most {
		f := Factor{Points: upTo(n), Dims: upTo(2), Kind: Kinds[pick(len(Kinds))], ARD: seldom()}
		if f.Kind != kernel.White && seldom() {
			f.Inducing = upTo(f.Points)
		}
		s.Space = append(s.Space, f)
	}
	if len(most) == 1 && s.Space[0].Inducing == 0 && seldom() {
		s.Residual = Kinds[pick(4)]
	}
	if parts := Parts(pick(8)); parts != 0 {
		s = s.With(parts)
	}
	kernels := []string{"matern32", "rbf", "0.4*matern52+0.6*periodic*rbf"}
	if seldom() {
		s.Time, s.Sequences = kernels[pick(3)], upTo(3)
		if seldom() {
			s.TimePart = kernels[pick(3)]
			s = s.With(Time | s.Parts)
		}
	}
	return s
}

// ResidualShape is RandomShape with one tied spatial factor and structured noise.
func ResidualShape(seed uint64) Shape {
	s := RandomShape(seed)
	rng := rand.New(rand.NewPCG(seed, 8))
	s.Space = []Factor{{Points: 1 + rng.IntN(6), Dims: 1 + rng.IntN(2), Kind: Kinds[rng.IntN(len(Kinds))], ARD: rng.IntN(2) == 0}}
	s.Residual = []kernel.Kind{kernel.Matern12, kernel.Matern32, kernel.Matern52, kernel.RBF}[rng.IntN(4)]
	return s
}

// TimeShape draws a shape with a dynamical prior and a time part beside any other parts, or none.
func TimeShape(seed uint64) Shape {
	s := RandomShape(600 + seed)
	if seed%4 == 3 {
		s = ResidualShape(600 + seed)
	}
	s.Time, s.Sequences = "matern32", 1+int(seed%3)
	s.TimePart = []string{"matern12", "rbf", "0.4*matern52+0.6*periodic*rbf"}[seed%3]
	return s.With(Time | Parts(seed%8))
}

// With returns the shape with another latent kernel. Without an RBF part the latent kernel matrix
// may be singular, and rests on jitter then.
func (s Shape) With(parts Parts) Shape {
	s.Parts = parts
	if !parts.Has(RBF) {
		s.Jitter = 1e-3
	}
	return s
}
