package bound

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// A step is an evaluation of the size of a training step on pictures: n examples, m latent inducing
// points, d latent dimensions, and a spatial factor for each number of points, with one kernel.
type step struct {
	n, m, d, channels int
	kind              kernel.Kind
	points            []int
}

// evaluator draws data and parameters.
func (s step) evaluator() (*Evaluator, *Params) {
	rng := rand.New(rand.NewPCG(1, 2))
	normal := func(r, c int) mat.Matrix {
		x := mat.New(r, c)
		for i := range x.Data {
			x.Data[i] = rng.NormFloat64()
		}
		return x
	}
	rbf := &psi.RBF{Variance: 1, LengthScale: make([]float64, s.d)}
	p := &Params{Noise: Noise{Beta: 50}, Latent: psi.Kernel{Parts: []psi.Part{rbf}},
		X: Latents{Mu: normal(s.n, s.d), S: mat.New(s.n, s.d)}, Z: normal(s.m, s.d)}
	for q := range s.d {
		rbf.LengthScale[q] = 2 + 6*rng.Float64()
	}
	for i := range p.X.S.Data {
		p.X.S.Data[i] = 0.05 + 0.2*rng.Float64()
	}
	var space field.Grid
	for _, k := range s.points {
		x := mat.New(k, 1)
		for i := range k {
			x.Data[i] = float64(i)
		}
		space = append(space, x)
		own := kernel.Kernel{Kind: s.kind, Variance: 1}
		if s.kind != kernel.White {
			own.LengthScale = []float64{3}
		}
		p.Space = append(p.Space, Spatial{Kernel: own})
	}
	y := normal(s.n*space.Len(), s.channels)
	scaled := &data.Scaled{Source: field.MatrixSource(y, s.n), Examples: s.n, Points: space.Len(), Channels: s.channels,
		Scaler: data.Scaler{Mean: make([]float64, s.channels), Scale: work.Ones(s.channels)}}
	return NewEvaluator(scaled, space, 1e-6), p
}

// phases is time and work of the parts of evaluations.
type phases struct {
	names  []string
	took   map[string]time.Duration
	flops  map[string]float64
	at     time.Time
	peak   time.Duration // of the multiply-add loop that all is compared with
	rounds float64
}

func newPhases() *phases {
	return &phases{took: map[string]time.Duration{}, flops: map[string]float64{}}
}

func (p *phases) begin() { p.at = time.Now() }

// end books the time since begin, or the last end, and the work done.
func (p *phases) end(name string, flops float64) {
	if p.took[name] == 0 {
		p.names = append(p.names, name)
	}
	p.took[name] += time.Since(p.at)
	p.flops[name] += flops
	p.at = time.Now()
}

// report gives milliseconds of each phase and which fraction of the peak of all processors in use its
// work is.
func (p *phases) report(b *testing.B) {
	var all time.Duration
	var flops float64
	gflops := func(work float64, took time.Duration) float64 { return work / took.Seconds() / 1e9 }
	peak := gflops(p.rounds, p.peak) * float64(runtime.GOMAXPROCS(0))
	for _, name := range p.names {
		b.ReportMetric(1e3*p.took[name].Seconds()/float64(b.N), name+"-ms")
		if p.flops[name] > 0 {
			b.ReportMetric(gflops(p.flops[name], p.took[name])/peak, name+"-of-peak")
		}
		all += p.took[name]
		flops += p.flops[name]
	}
	b.ReportMetric(1e3*all.Seconds()/float64(b.N), "ms")
	b.ReportMetric(gflops(flops, all)/peak, "of-peak")
	b.ReportMetric(0, "ns/op")
}

// evaluate is Evaluate with a stop watch, for white noise and tied inducing points. The work counts additions
// and multiplications of the matrix products alone.
func (w *phases) evaluate(t testing.TB, e *Evaluator, grad, p *Params, free Group) {
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx := context.Background()
	n, m, d := float64(e.y.Examples), float64(p.Z.Rows), float64(p.Z.Cols)
	ns, dy := float64(e.y.Points), float64(e.y.Channels)
	pairs := m * (m + 1) / 2
	w.begin()
	check(e.Derive(p))
	if !e.holds(p, 0) {
		var project, decompose float64
		for f, x := range e.x {
			check(p.space().factor(e.factors[f+1], &e.works[f+1], p, f, x, e.jitter))
			if e.factors[f+1].Coord.Rows > 0 {
				project += 2 * n * ns * dy * float64(x.Rows)
				decompose += 22. / 3 * math.Pow(float64(x.Rows), 3) // with all vectors, divide and conquer without deflation
			}
		}
		w.end("space", decompose)
		check(e.project(ctx, false))
		e.held = p.Clone()
		w.end("project", project)
	}
	e.psi.Set(p.Latent, p.Inducing())
	s, own := e.factors[0], &e.works[0]
	work.Resize(&s.K, p.Z.Rows, p.Z.Rows)
	work.Resize(&s.Psi1, p.X.Mu.Rows, p.Z.Rows)
	work.Resize(&own.psi2, p.Z.Rows, p.Z.Rows)
	e.psi.Matrix(s.K)
	e.psi.Forward(s.Psi1, own.psi2, p.Q())
	w.end("psi", 2*n*(pairs*(d+2)+m*(4*d+2)))
	check(s.diagonalise(own, e.jitter))
	w.end("factor", 2*n*m*m+10*m*m*m)
	check(e.sweep.run(ctx, e, p.Noise.Precision(), e.wanted(true, p, free)))
	contract := 2 * ns * dy * (2*n*m + m*m)
	if e.sweep.oneRow() {
		contract = 2 * (n*n*m + n*m*m/2)
	}
	w.end("contract", contract)
	grad.zero()
	if free&GroupSpatial != 0 {
		var flops float64
		for f, x := range e.x {
			check(e.spatialGradient(ctx, grad, p, f))
			if r := float64(x.Rows); e.factors[f+1].Coord.Rows > 0 && ns*dy*m/r < r {
				flops += 2*m*ns*dy*r + m*ns*dy*r + r*r*r
			} else if e.factors[f+1].Coord.Rows > 0 {
				flops += m*ns*dy*r + 3*r*r*r
			}
		}
		w.end("gradient-space", flops)
	}
	e.latentGradient(grad, p)
	e.prior.backward(&grad.X, &p.X)
	w.end("gradient-latent", 2*n*(pairs*(3*d+4)+m*m+m*(10*d+5))+10*m*m*m)
	at := time.Now()
	w.rounds += asm.Peak(1 << 14)
	w.peak += time.Since(at)
}

// One evaluation of the bound with all gradients, at new length scales each time ("joint"), or with the
// spatial parameters held ("latent"). The sizes are those of Frey faces, of the eye clip at 640×360 in three
// channels, and of ever more examples.
func BenchmarkStep(b *testing.B) {
	for _, c := range []step{
		{50, 50, 30, 1, kernel.White, []int{560}},
		{1000, 100, 30, 1, kernel.White, []int{560}},
		{1000, 100, 30, 1, kernel.Matern32, []int{560}},
		{500, 100, 30, 1, kernel.White, []int{560}},
		{2000, 100, 30, 1, kernel.White, []int{560}},
		{4000, 100, 30, 1, kernel.White, []int{560}},
		{8000, 100, 30, 1, kernel.White, []int{560}},
		{78, 78, 30, 3, kernel.Matern32, []int{640, 360}},
	} {
		for _, free := range []Group{GroupAll, GroupLatent | GroupNoise} {
			name := map[Group]string{GroupAll: "joint", GroupLatent | GroupNoise: "latent"}[free]
			if c.kind == kernel.White && free != GroupAll {
				continue // the same
			}
			b.Run(fmt.Sprintf("n=%d/m=%d/%s%v/%s", c.n, c.m, c.kind, c.points, name), func(b *testing.B) {
				e, p := c.evaluator()
				grad := p.Clone()
				newPhases().evaluate(b, e, grad, p, free)
				w := newPhases()
				b.ReportAllocs()
				for b.Loop() {
					if free == GroupAll {
						for i := range p.Space[0].Kernel.LengthScale {
							p.Space[0].Kernel.LengthScale[i] *= 1.0000001
						}
					}
					w.evaluate(b, e, grad, p, free)
				}
				w.report(b)
			})
		}
	}
}

// Where spatial kernels are white the examples' Gram matrix gives the sums of a sweep over all components, where that is less work.
func TestOneRow(t *testing.T) {
	for _, c := range []struct {
		step
		is bool
	}{
		{step{20, 7, 3, 1, kernel.White, []int{90}}, true},
		{step{20, 7, 3, 3, kernel.White, []int{6, 5}}, true},
		{step{20, 2, 3, 1, kernel.White, []int{20}}, false}, // more work
		{step{20, 7, 3, 1, kernel.Matern32, []int{90}}, false},
	} {
		e, p := c.evaluator()
		for f := range p.Space {
			p.Space[f].Kernel.Variance = 1.5
		}
		if err := e.Factorize(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		var sums [2]sweepSums
		for i, w := range []wanted{e.wanted(true, p, GroupLatent), wantCross} {
			if err := e.sweep.run(t.Context(), e, 50, w); err != nil {
				t.Fatal(err)
			}
			if is := e.sweep.oneRow(); is != (c.is && i == 0) {
				t.Errorf("%+v: %v", c, is)
			}
			sums[i], e.sweep.sums = e.sweep.sums, sweepSums{}
		}
		got, want := &sums[0], &sums[1]
		compare.NearOne(t, "log|D|", got.logDet, want.logDet, 1e-13)
		compare.Near(t, "r1", got.r1, want.r1, 1e-13)
		compare.Near(t, "r2", got.r2, want.r2, 1e-13)
		compare.Near(t, "gram", got.gram.Data, want.gram.Data, 1e-12)
		compare.Near(t, "weighted", got.weighted.Data, want.weighted.Data, 1e-12)
		compare.Near(t, "cross", got.cross.Data, want.cross.Data, 1e-12)
	}
}

// The benchmark does what Evaluate does: its derivatives have the bits of Evaluate's.
func TestBenchmarkIsTheStep(t *testing.T) {
	for _, c := range []step{{20, 5, 3, 2, kernel.White, []int{30}}, {20, 5, 3, 2, kernel.Matern32, []int{6, 7}}} {
		for _, free := range []Group{GroupAll, GroupLatent} {
			e, p := c.evaluator()
			got, want := p.Clone(), p.Clone()
			newPhases().evaluate(t, e, got, p, free)
			e, _ = c.evaluator()
			if _, err := e.Evaluate(t.Context(), p, want, free); err != nil {
				t.Fatal(err)
			}
			coordinates := Coordinates{Free: free}
			x, y := make([]float64, coordinates.Count(p)), make([]float64, coordinates.Count(p))
			coordinates.PackGradient(x, p, got)
			coordinates.PackGradient(y, p, want)
			for i := range x {
				if free == GroupAll && i == 0 {
					continue // β, which costs nothing
				}
				if math.Float64bits(x[i]) != math.Float64bits(y[i]) {
					t.Fatalf("%+v: derivative %d is %v, Evaluate has %v", c, i, x[i], y[i])
				}
			}
		}
	}
}
