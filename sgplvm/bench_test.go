package sgplvm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
)

// stepProblem is a problem of the size of a training step on pictures: n examples,
// m latent inducing points, d latent dimensions, and a spatial factor for each
// number of points, with one kernel.
func stepProblem(n, m, d, channels int, kind KernelKind, points ...int) (*problem, *Params) {
	rng := rand.New(rand.NewPCG(1, 2))
	normal := func(r, c int, scale float64) mat.Matrix {
		x := mat.New(r, c)
		for i := range x.Data {
			x.Data[i] = scale * rng.NormFloat64()
		}
		return x
	}
	p := &Params{Beta: 50, Latent: LatentKernel{Variance: 1, LengthScale: make([]float64, d)}, Mu: normal(n, d, 1), S: mat.New(n, d), Z: normal(m, d, 1)}
	for q := range d {
		p.Latent.LengthScale[q] = 2 + 6*rng.Float64()
	}
	for i := range p.S.Data {
		p.S.Data[i] = 0.05 + 0.2*rng.Float64()
	}
	var space []mat.Matrix
	total := 1
	for _, k := range points {
		x := mat.New(k, 1)
		for i := range k {
			x.Data[i] = float64(i)
		}
		space = append(space, x)
		kernel := Kernel{Kind: kind, Variance: 1}
		if kind != White {
			kernel.LengthScale = []float64{3}
		}
		p.Spatial = append(p.Spatial, kernel)
		p.Xu = append(p.Xu, mat.Matrix{})
		total *= k
	}
	return problemOf(normal(n*total, channels, 1), n, space, 1e-6), p
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

// report gives milliseconds of each phase and which fraction of the peak of all
// processors in use its work is.
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

// evaluatePhases is problem.evaluate with a stop watch. The work counts additions and
// multiplications of the matrix products alone.
func evaluatePhases(t testing.TB, w *phases, b *problem, grad, p *Params, free group) {
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	n, m, d := float64(b.y.examples), float64(p.Z.Rows), float64(p.Z.Cols)
	ns, dy := float64(b.y.points), float64(b.y.channels)
	pairs := m * (m + 1) / 2
	moved := b.held == nil || !equalKernel(b.held.Spatial[0], p.Spatial[0])
	w.begin()
	if moved {
		var project, decompose float64
		for f, x := range b.x {
			check(b.factors[f+1].setSpatial(&b.works[f+1], p.Spatial[f], x, p.Xu[f], b.jitter))
			if b.factors[f+1].coord.Rows > 0 {
				project += 2 * n * ns * dy * float64(x.Rows)
				decompose += 22. / 3 * math.Pow(float64(x.Rows), 3) // with all vectors, divide and conquer without deflation
			}
		}
		w.end("space", decompose)
		check(b.project(false))
		b.held = p.clone()
		w.end("project", project)
	}
	b.psi.set(p.Latent, p.Z)
	s, work := b.factors[0], &b.works[0]
	resize(&s.k, p.Z.Rows, p.Z.Rows)
	resize(&s.psi1, p.Mu.Rows, p.Z.Rows)
	resize(&work.psi2, p.Z.Rows, p.Z.Rows)
	p.Latent.matrix(s.k, p.Z, p.Z)
	b.psi.psi1(s.psi1, p.Mu, p.S)
	b.psi.psi2(work.psi2, p.Mu, p.S)
	w.end("psi", 2*n*(pairs*(d+2)+m*(4*d+2)))
	check(s.diagonalise(work, b.jitter))
	w.end("factor", 2*n*m*m+10*m*m*m)
	b.sweep.run(b, p.Beta, b.wanted(true, free))
	w.end("contract", 2*ns*dy*(2*n*m+m*m))
	grad.zero()
	if free&groupSpatial != 0 {
		var flops float64
		for f, x := range b.x {
			check(b.spatialGradient(grad, p, f))
			if r := float64(x.Rows); b.factors[f+1].coord.Rows > 0 && ns*dy*m/r < r {
				flops += 2*m*ns*dy*r + m*ns*dy*r + r*r*r
			} else if b.factors[f+1].coord.Rows > 0 {
				flops += m*ns*dy*r + 3*r*r*r
			}
		}
		w.end("gradient-space", flops)
	}
	b.latentGradient(grad, p)
	w.end("gradient-latent", 2*n*(pairs*(3*d+4)+m*m+m*(10*d+5))+10*m*m*m)
	at := time.Now()
	w.rounds += asm.Peak(1 << 14)
	w.peak += time.Since(at)
}

// One evaluation of the bound with all gradients, at new length scales each time
// ("joint"), or with the spatial parameters held ("latent"). The sizes are those of
// Frey faces, of the eye clip at 640×360 in three channels, and of ever more examples.
func BenchmarkStep(b *testing.B) {
	for _, c := range []struct {
		n, m, d, channels int
		kind              KernelKind
		points            []int
	}{
		{50, 50, 30, 1, White, []int{560}},
		{1000, 100, 30, 1, White, []int{560}},
		{1000, 100, 30, 1, Matern32, []int{560}},
		{500, 100, 30, 1, White, []int{560}},
		{2000, 100, 30, 1, White, []int{560}},
		{4000, 100, 30, 1, White, []int{560}},
		{8000, 100, 30, 1, White, []int{560}},
		{78, 78, 30, 3, Matern32, []int{640, 360}},
	} {
		for _, free := range []group{groupAll, groupLatent | groupNoise} {
			name := map[group]string{groupAll: "joint", groupLatent | groupNoise: "latent"}[free]
			if c.kind == White && free != groupAll {
				continue // the same
			}
			b.Run(fmt.Sprintf("n=%d/m=%d/%s%v/%s", c.n, c.m, c.kind, c.points, name), func(b *testing.B) {
				prob, p := stepProblem(c.n, c.m, c.d, c.channels, c.kind, c.points...)
				grad := p.clone()
				w := &phases{took: map[string]time.Duration{}, flops: map[string]float64{}}
				evaluatePhases(b, w, prob, grad, p, free)
				*w = phases{took: map[string]time.Duration{}, flops: map[string]float64{}}
				b.ReportAllocs()
				for b.Loop() {
					if free == groupAll {
						for i := range p.Spatial[0].LengthScale {
							p.Spatial[0].LengthScale[i] *= 1.0000001
						}
					}
					evaluatePhases(b, w, prob, grad, p, free)
				}
				w.report(b)
			})
		}
	}
}
