package bound

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// holed returns the evaluator of a step with a share of the values missing at random.
func (s step) holed(share float64) (*Evaluator, *Params) {
	e, p := s.evaluator()
	rng := rand.New(rand.NewPCG(3, 4))
	source := holedSource{e.y.Source, make([]bool, e.y.Examples*e.y.Points)}
	for i := range source.missing {
		if source.missing[i] = rng.Float64() < share; source.missing[i] {
			e.y.Missing += e.y.Channels
		}
	}
	y := *e.y
	y.Source = source
	return NewEvaluator(&y, e.x, e.jitter), p
}

// A holedSource hides values of a source, in all channels.
type holedSource struct {
	source interface {
		Dims() (examples, points, channels int)
		ReadExamples(dst []float64, from, to int) error
	}
	missing []bool
}

func (s holedSource) Dims() (examples, points, channels int) { return s.source.Dims() }

func (s holedSource) ReadExamples(dst []float64, from, to int) error {
	_, points, channels := s.Dims()
	err := s.source.ReadExamples(dst, from, to)
	for i := range dst {
		if s.missing[from*points+i/channels] {
			dst[i] = math.NaN()
		}
	}
	return err
}

// phases of an evaluation with holes.
func (w *phases) evaluateHoled(t testing.TB, e *Evaluator, grad, p *Params, free Group) {
	ctx, m := context.Background(), e.masked
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	w.begin()
	check(m.load(ctx))
	check(e.Derive(p))
	check(m.follow(ctx, p))
	check(m.setSpace(ctx, p))
	w.end("space", 0)
	check(m.setLatent(ctx, p))
	w.end("psi", 0)
	check(m.addUp(ctx, p))
	w.end("sums", 0)
	check(m.system.solve(ctx, m))
	w.end("solve", 0)
	grad.zero()
	wd := m.scaledTable()
	if free&GroupSpatial != 0 {
		check(m.spaceGradient(ctx, grad, p, wd))
		w.end("gradient-space", 0)
	}
	check(m.latentGradient(ctx, grad, p, wd))
	e.prior.backward(&grad.X, &p.X)
	w.end("gradient-latent", 0)
	at := time.Now()
	w.rounds += 1
	w.peak += time.Since(at)
}

// One evaluation with a third of the values missing, as BenchmarkStep has it without.
func BenchmarkHoles(b *testing.B) {
	for _, c := range []step{
		{50, 50, 30, 1, kernel.Matern32, []int{560}},
		{1000, 100, 30, 1, kernel.White, []int{560}},
		{1000, 100, 30, 1, kernel.Matern32, []int{560}},
		{78, 78, 30, 3, kernel.Matern32, []int{180, 320}},
	} {
		for _, free := range []Group{GroupAll, GroupLatent | GroupNoise} {
			name := map[Group]string{GroupAll: "joint", GroupLatent | GroupNoise: "latent"}[free]
			b.Run(fmt.Sprintf("n=%d/m=%d/%s%v/%s", c.n, c.m, c.kind, c.points, name), func(b *testing.B) {
				e, p := c.holed(1. / 3)
				grad := p.Clone()
				w := newPhases()
				for b.Loop() {
					if free == GroupAll {
						for i := range p.Space[0].Kernel.LengthScale {
							p.Space[0].Kernel.LengthScale[i] *= 1.0000001
						}
					}
					w.evaluateHoled(b, e, grad, p, free)
				}
				w.report(b)
				b.ReportMetric(float64(e.Steps()), "steps")
			})
		}
	}
}
