package sgplvm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// factorShape is one spatial factor of a random model.
type factorShape struct {
	points, dims int
	inducing     int // 0: tied
	kind         KernelKind
	ard          bool
}

// modelShape describes a random model; equal shapes give equal models.
type modelShape struct {
	examples, inducing, latent, channels int
	space                                []factorShape
	jitter                               float64
	parts                                LatentParts // of the latent kernel; 0: RBF
	residual                             KernelKind  // of a structured residual; "": none
	time                                 string      // kernel of a dynamical prior; "": none
	sequences                            int         // of that prior
	timePart                             string      // kernel of the latent kernel's time part; "": none
	seed                                 uint64
}

func (s modelShape) String() string {
	text := fmt.Sprintf("n=%d m=%d d=%d c=%d jitter=%g %v", s.examples, s.inducing, s.latent, s.channels, s.jitter, s.parts)
	for _, f := range s.space {
		text += fmt.Sprintf(" %s(%d×%d", f.kind, f.points, f.dims)
		if f.inducing > 0 {
			text += fmt.Sprintf(" free %d", f.inducing)
		}
		if f.ard {
			text += " ard"
		}
		text += ")"
	}
	if s.residual != "" {
		text += fmt.Sprintf(" residual %s", s.residual)
	}
	if s.time != "" {
		text += fmt.Sprintf(" time %s, %d sequences", s.time, s.sequences)
	}
	if s.timePart != "" {
		text += " part " + s.timePart
	}
	return fmt.Sprintf("%s seed=%d", text, s.seed)
}

// residualShape is randomShape with one tied spatial factor and a structured residual.
func residualShape(seed uint64) modelShape {
	s := randomShape(seed)
	rng := rand.New(rand.NewPCG(seed, 8))
	s.space = []factorShape{{points: 1 + rng.IntN(6), dims: 1 + rng.IntN(2), kind: KernelKinds[rng.IntN(len(KernelKinds))], ard: rng.IntN(2) == 0}}
	s.residual = []KernelKind{Matern12, Matern32, Matern52, RBF}[rng.IntN(4)]
	return s
}

// randomShape draws a shape small enough for the dense formulas: up to 6
// examples, 8 spatial points and 3 channels.
func randomShape(seed uint64) modelShape {
	rng := rand.New(rand.NewPCG(seed, 1))
	upTo := func(n int) int { return 1 + rng.IntN(n) }
	s := modelShape{examples: upTo(6), latent: upTo(3), channels: upTo(3), seed: seed}
	s.inducing = upTo(s.examples)
	if rng.IntN(3) == 0 {
		s.inducing = s.examples
	}
	if rng.IntN(2) == 0 {
		s.jitter = 1e-4
	}
	most := [][]int{{8}, {4, 2}, {2, 2, 2}}[rng.IntN(3)]
	for _, n := range most {
		f := factorShape{points: upTo(n), dims: upTo(2), kind: KernelKinds[rng.IntN(len(KernelKinds))], ard: rng.IntN(2) == 0}
		if f.kind != White && rng.IntN(2) == 0 {
			f.inducing = upTo(f.points)
		}
		s.space = append(s.space, f)
	}
	if rng.IntN(2) == 0 {
		s = s.of(LatentParts(1 + rng.IntN(7)))
	}
	return s
}

// of returns the shape with another latent kernel. Without an RBF part the latent
// kernel matrix may be singular, and rests on jitter then.
func (s modelShape) of(parts LatentParts) modelShape {
	s.parts = parts
	if parts&LatentRBF == 0 {
		s.jitter = 1e-3
	}
	return s
}

// model draws the parameters and the data. Points are jittered lattices and
// length scales about their spacing, so that kernel matrices have condition
// numbers below 10⁶ and the dense formulas 9 digits or more. The scaler is not
// the identity; the data are drawn in the model's units.
func (s modelShape) model(t testing.TB) *Model {
	t.Helper()
	rng := rand.New(rand.NewPCG(s.seed, 2))
	uniform := func(low, high float64) float64 { return low + (high-low)*rng.Float64() }
	lattice := func(n, d int, spacing float64) mat.Matrix {
		x := mat.New(n, d)
		for i := range n {
			for q := range d {
				x.Set(i, q, 0.2*rng.NormFloat64())
			}
			x.Row(i)[i%d] += spacing * (float64(i) - float64(n-1)/2)
		}
		return x
	}
	p := &Params{Beta: uniform(2, 20), Latent: LatentKernel{Variance: uniform(0.5, 2), LengthScale: make([]float64, s.latent)},
		Mu: lattice(s.examples, s.latent, 1), S: mat.New(s.examples, s.latent), Z: lattice(s.inducing, s.latent, 1.2)}
	for q := range s.latent {
		p.Latent.LengthScale[q] = uniform(0.6, 1.2)
		for n := range s.examples {
			p.S.Set(n, q, uniform(0.05, 0.6))
		}
	}
	m := &Model{channels: s.channels, params: p, jitter: s.jitter, seed: s.seed}
	for _, f := range s.space {
		x, k, xu := lattice(f.points, f.dims, 1), Kernel{Kind: f.kind, Variance: uniform(0.5, 2)}, mat.Matrix{}
		scales := 1
		if f.ard {
			scales = f.dims
		}
		for range scales {
			if f.kind != White {
				k.LengthScale = append(k.LengthScale, uniform(0.6, 1.2))
			}
		}
		if f.inducing > 0 {
			xu = lattice(f.inducing, f.dims, float64(f.points)/float64(f.inducing))
		}
		m.space = append(m.space, x)
		p.Spatial = append(p.Spatial, k)
		p.Xu = append(p.Xu, xu)
	}
	other := rand.New(rand.NewPCG(s.seed, 2020))
	if s.parts&LatentLinear != 0 {
		for range s.latent {
			p.Latent.Linear = append(p.Latent.Linear, 0.2+other.Float64())
		}
	}
	if s.parts&LatentBias != 0 {
		p.Latent.Bias = 0.2 + other.Float64()
	}
	if s.parts != 0 && s.parts&LatentRBF == 0 {
		p.Latent.Variance, p.Latent.LengthScale = 0, nil
	}
	if s.residual != "" {
		p.Residual = Kernel{Kind: s.residual, Variance: 0.1 + 0.5*other.Float64()}
		for range max(1, len(p.Spatial[0].LengthScale)) {
			p.Residual.LengthScale = append(p.Residual.LengthScale, 0.5+other.Float64())
		}
		p.NoiseFloor = 0.5 / p.Beta * other.Float64()
	}
	if s.time != "" {
		s.addDynamics(t, p)
	}
	if s.timePart != "" {
		kernel, err := ParseTimeKernel(s.timePart)
		if err != nil {
			t.Fatal(err)
		}
		p.Latent.Time = TimePart{uniform(0.5, 1.5), kernel.completed(1.1, 3)}
		p.ZExamples = rand.New(rand.NewPCG(s.seed, 78)).Perm(s.examples)[:s.inducing]
	}
	if err := p.validate(m.space); err != nil {
		t.Fatal(err)
	}
	y := mat.New(s.examples*m.space.Len(), s.channels)
	for i := range y.Data {
		y.Data[i] = rng.NormFloat64()
	}
	for range s.channels {
		m.scaler.Mean = append(m.scaler.Mean, 5*rng.NormFloat64())
		m.scaler.Scale = append(m.scaler.Scale, uniform(0.1, 10))
	}
	m.problem = problemOf(y, s.examples, m.space, s.jitter)
	return m
}

// addDynamics gives p a dynamical prior under which its latent means and variances are
// about what they are: irregular times in no order, two of them equal, of sequences of
// unequal lengths with labels in no order.
func (s modelShape) addDynamics(t testing.TB, p *Params) {
	t.Helper()
	rng := rand.New(rand.NewPCG(s.seed, 77))
	kernel, err := ParseTimeKernel(s.time)
	if err != nil {
		t.Fatal(err)
	}
	p.Dynamics = Dynamics{Kernel: kernel.completed(1.7, 2.5)}
	for i := range s.examples {
		p.Dynamics.Times = append(p.Dynamics.Times, float64((3*i)%s.examples)+0.4*rng.Float64())
		if s.sequences > 1 {
			p.Dynamics.Sequences = append(p.Dynamics.Sequences, 5-(i*i)%s.sequences)
		}
	}
	if s.examples > 3 {
		p.Dynamics.Times[3] = p.Dynamics.Times[0]
	}
	p.MuBar, p.Lambda = p.Mu.Clone(), p.S.Clone()
	for i := range p.Lambda.Data {
		p.Lambda.Data[i] = 0.3 + 5*rng.Float64()
	}
	if err := newTimePrior(p.Dynamics).set(p); err != nil {
		t.Fatal(err)
	}
}

// randomLatent draws a latent posterior.
func randomLatent(rng *rand.Rand, d int) Latent {
	l := Latent{Mu: make([]float64, d), S: make([]float64, d)}
	for q := range d {
		l.Mu[q] = rng.NormFloat64()
		l.S[q] = 0.05 + rng.Float64()
	}
	return l
}

// randomGrid draws points that are not those of the model, a few per factor.
func randomGrid(rng *rand.Rand, m *Model) Grid {
	var g Grid
	for _, x := range m.space {
		points := mat.New(1+rng.IntN(3), x.Cols)
		for i := range points.Data {
			points.Data[i] = 2 * rng.NormFloat64()
		}
		g = append(g, points)
	}
	return g
}

func (m *Model) mustBound(t testing.TB) float64 {
	t.Helper()
	b, err := m.problem.bound(m.params)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (m *Model) mustReady(t testing.TB) *posterior {
	t.Helper()
	q, err := m.ready()
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// near fails unless max|got − want| ≤ tolerance·max(1, max|want|); a NaN fails.
func near(t testing.TB, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d numbers, want %d", what, len(got), len(want))
		return
	}
	if d := disagreement(got, want); !(d <= tolerance) {
		t.Errorf("%s: relative difference %.3g, at most %.3g expected\n got %v\nwant %v", what, d, tolerance, got, want)
	}
}

// one is a list of one number.
func one(v float64) []float64 { return []float64{v} }

// sizes returns how many random models a test takes.
func sizes(full int) int {
	if testing.Short() {
		return max(1, full/5)
	}
	return full
}

// atEveryWidth calls f at several GOMAXPROCS.
func atEveryWidth(f func(procs int)) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, procs := range []int{1, 2, 4} {
		runtime.GOMAXPROCS(procs)
		f(procs)
	}
}

// sameBits fails unless got has want's bits.
func sameBits(t testing.TB, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d numbers, want %d", what, len(got), len(want))
		return
	}
	for i, w := range want {
		if math.Float64bits(got[i]) != math.Float64bits(w) {
			t.Errorf("%s: number %d is %v, want %v", what, i, got[i], w)
			return
		}
	}
}
