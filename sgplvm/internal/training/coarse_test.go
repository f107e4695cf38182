package training

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// The coarse trainer has the values and places of the points it was given, each once, and the parameters
// of the whole.
func TestCoarse(t *testing.T) {
	s := sets()["coarse"]
	s.config.Training.CoarsePoints = 0
	tr := newTrainer(t, s.data, s.config)
	for _, count := range []int{1, 7, 30} {
		c, err := tr.coarseTrainer(context.Background(), count)
		if err != nil {
			t.Fatal(err)
		}
		at, missing := data.Among(c.data.Grid[0], tr.data.Grid[0])
		asked := count
		count = len(at)
		if missing >= 0 || count > asked || count < asked-3 {
			t.Fatalf("%d points, the training points %v, missing %d", asked, at, missing)
		}
		for k, i := range at {
			if k > 0 && i <= at[k-1] {
				t.Errorf("%d points: not ascending: %v", count, at)
			}
		}
		whole, some := make([]float64, 12*30), make([]float64, 12*count)
		if tr.evaluator.Data().Read(whole, 0, 12) != nil || c.evaluator.Data().Read(some, 0, 12) != nil {
			t.Fatal("data cannot be read")
		}
		for e := range 12 {
			for k, i := range at {
				compare.SameBits(t, fmt.Sprintf("%d points, example %d", count, e), some[e*count+k:][:1], whole[e*30+i:][:1])
			}
		}
		if d := diff(c.params, tr.params); d != "" {
			t.Error(d)
		}
	}
	if c, err := tr.coarseTrainer(context.Background(), 30); err != nil || boundOf(t, c) != boundOf(t, tr) {
		t.Errorf("bound of all points %v, expected %v, error %v", boundOf(t, c), boundOf(t, tr), err)
	}
}

// Of mirrored points some are mirrored too, about as many as are asked for, and other ones with another seed.
func TestSubsetOfMirroredPoints(t *testing.T) {
	x := mat.New(9*7, 2)
	for i := range x.Rows {
		x.Set(i, 0, float64(i%9))
		x.Set(i, 1, float64(i/9))
	}
	var before []int
	for _, count := range []int{3, 4, 20, 33, 62, 63} {
		points := subset(x, count, rand.New(rand.NewPCG(uint64(count), 1)))
		if len(points) > count || len(points) < count-3 || !slices.IsSorted(points) || len(slices.Compact(slices.Clone(points))) != len(points) {
			t.Errorf("%d points, expected %d, about as many: %v", len(points), count, points)
		}
		mirrored := data.FindMirrors(work.Gather(x, points)) != nil
		for _, i := range points {
			mirrored = mirrored && slices.Contains(points, i/9*9+8-i%9) && slices.Contains(points, (6-i/9)*9+i%9)
		}
		if mirrored != (count > 3) {
			t.Errorf("%d points %v are mirrored: %v", count, points, mirrored)
		}
		if len(before) > 4 && slices.Equal(points[:4], before[:4]) && count < 62 {
			t.Errorf("%d points begin as others do: %v", count, points)
		}
		before = points
	}
}

// Training with CoarsePoints trains kernels and noise at these alone, then the latent side and the
// covariance of the noise at all, and counts its steps through.
func TestCoarseTraining(t *testing.T) {
	s := sets()["coarse"]
	s.config.Training.Iterations = 40
	last := 0
	tr, r := fit(t, s.data, s.config, func(p field.Progress) bool {
		if p.Iteration != last+1 || p.Iteration > p.Total {
			t.Errorf("step %d of %d follows step %d", p.Iteration, p.Total, last)
		}
		last = p.Iteration
		return true
	})
	if last != r.Iterations {
		t.Errorf("progress of %d steps, %d reported", last, r.Iterations)
	}
	c, err := newTrainer(t, s.data, s.config).coarseTrainer(context.Background(), 12)
	if err != nil {
		t.Fatal(err)
	}
	first := finish(t, c)
	n := len(first.Phases)
	if len(r.Phases) != n+2 || r.Phases[n].Name != "warm-up" || r.Phases[n].Steps > AdaptSteps || r.Phases[n+1].Name != "residual 1" {
		t.Errorf("phases %+v after %+v", r.Phases, first.Phases)
	}
	p, q := tr.params, c.params
	if p.Noise.Beta != q.Noise.Beta || !p.Noise.Residual.Equal(q.Noise.Residual) || diff(p.Space, q.Space) != "" {
		t.Errorf("noise and kernels %v %v %v, expected %v %v %v", p.Noise.Beta, p.Noise.Residual, p.Space, q.Noise.Beta, q.Noise.Residual, q.Space)
	}
	if p.Noise.Covariance.Rows != 30 || tr.residuals.Rows != 12 || diff(p.X.Mu, q.X.Mu) == "" {
		t.Errorf("Σ %d×%d, %d residuals, expected 30×30, 12 and adapted means", p.Noise.Covariance.Rows, p.Noise.Covariance.Cols, tr.residuals.Rows)
	}
	compare.NearOne(t, "bound", boundOf(t, tr), r.Bound, 1e-9)
}

// Of several factors coarse training takes every second, third, … point along each, so many at most, and goes on at all
// points with everything free, for two rounds or an eighth of the steps at most.
func TestCoarseFactors(t *testing.T) {
	s := sets()["coarse factors"]
	s.config.Training.Iterations = 200
	tr, r := fit(t, s.data, s.config)
	for count, want := range map[int][]int{29: {3, 3}, 9: {3, 3}, 8: {2, 2}, 3: {2, 1}, 1: {1, 1}} {
		c, err := tr.coarseTrainer(context.Background(), count)
		if err != nil {
			t.Fatal(err)
		}
		rows, columns := c.data.Grid[0], c.data.Grid[1]
		if rows.Rows != want[0] || columns.Rows != want[1] {
			t.Errorf("%d×%d of %d points, expected %v", rows.Rows, columns.Rows, count, want)
		}
		whole, some := make([]float64, 12*30), make([]float64, 12*rows.Rows*columns.Rows)
		if tr.evaluator.Data().Read(whole, 0, 12) != nil || c.evaluator.Data().Read(some, 0, 12) != nil {
			t.Fatal("data cannot be read")
		}
		width, columnsOf := s.data.Grid[1].Rows, columns.Rows
		for k, v := range some {
			example, row, column := k/(rows.Rows*columnsOf), k/columnsOf%rows.Rows, k%columnsOf
			y, x := int(rows.At(row, 0)), int(columns.At(column, 0))
			compare.SameBits(t, fmt.Sprintf("example %d, pixel (%d, %d)", example, x, y), []float64{v}, whole[example*30+y*width+x:][:1])
		}
	}
	first := finish(t, newTestCoarse(t, s))
	n := len(first.Phases)
	if len(r.Phases) != n+1 || r.Phases[n].Name != "alternating" || r.Phases[n].Steps > 25 {
		t.Errorf("phases %+v after %+v", r.Phases, first.Phases)
	}
	coarse := newTestCoarse(t, s)
	finish(t, coarse)
	if p, q := tr.params, coarse.params; p.Noise.Beta == q.Noise.Beta || diff(p.Space, q.Space) == "" {
		t.Errorf("noise and kernels of all points are those of some")
	}
	compare.NearOne(t, "bound", boundOf(t, tr), r.Bound, 1e-9)
	s.config.Training.CoarsePoints = 30
	all, _ := fit(t, s.data, s.config)
	s.config.Training.CoarsePoints = 0
	plain, _ := fit(t, s.data, s.config)
	if d := diff(all.params, plain.params); d != "" {
		t.Errorf("all points are some: %s", d)
	}
}

// newTestCoarse returns the coarse trainer of a set.
func newTestCoarse(t *testing.T, s set) *Trainer {
	t.Helper()
	c, err := newTrainer(t, s.data, s.config).coarseTrainer(context.Background(), s.config.Training.CoarsePoints)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// At all points kernels in space of one factor are held, even where what adapts is soon done; those of several factors, whose eigenproblems are small, move.
func TestAllPointsOfOneFactor(t *testing.T) {
	for name, moves := range map[string]bool{"coarse": false, "coarse factors": true} {
		s := sets()[name]
		s.config.Training.Iterations = 40
		tr := newTrainer(t, s.data, s.config)
		for tr.state.Stage == stageCoarse {
			if _, err := tr.Step(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		tr.freeNoise()
		tr.state.Stage, tr.state.Round = stageTraining, 1
		if p := tr.next(); p.free&bound.GroupSpatial != 0 != moves {
			t.Errorf("%s: the phase %q moves %v, spatial kernels: %v", name, p.name, p.free, moves)
		}
	}
}

// Training goes on at all points with the noise that these need, after some points that needed less.
func TestAllPointsNeedNoise(t *testing.T) {
	s := sets()["coarse"]
	s.config.Training.Iterations = 40
	tr := newTrainer(t, s.data, s.config)
	var err error
	if tr.coarse, err = tr.coarseTrainer(t.Context(), s.config.Training.CoarsePoints); err != nil {
		t.Fatal(err)
	}
	finish(t, tr.coarse)
	const beta = 1e18
	noise := &tr.coarse.params.Noise
	noise.Beta, noise.Residual.LengthScale = beta, []float64{1e9}
	if more, err := tr.Step(t.Context()); err != nil || !more || tr.state.Stage != stageWarmup {
		t.Fatalf("more to do: %v, at stage %d, error %v", more, tr.state.Stage, err)
	}
	if p := tr.state.Params; !(p.Noise.Beta < beta) || diff(p, tr.state.Origin) != "" {
		t.Errorf("noise of precision %v, at the start %v", p.Noise.Beta, tr.state.Origin.Noise.Beta)
	}
}

// A covariance that was learned and is none, to rounding or else, has as much noise more as makes it one.
func TestLearnedCovarianceNeedsNoise(t *testing.T) {
	s := sets()["coarse"]
	s.config.Training.CoarsePoints = 0
	tr := newTrainer(t, s.data, s.config)
	beta, wrong := tr.params.Noise.Beta, mat.New(tr.data.Grid.Len(), tr.data.Grid.Len())
	for i := range wrong.Rows {
		wrong.Row(i)[i] = -10
	}
	tr.data.Imputed.Covariance = wrong
	if err := tr.learnResidual(t.Context()); err != nil {
		t.Fatal(err)
	}
	if p := tr.state.Params; !(p.Noise.Beta < beta) || !p.Noise.Learned() || math.IsNaN(tr.state.Bound) {
		t.Errorf("noise of precision %v after %v, a bound of %v", p.Noise.Beta, beta, tr.state.Bound)
	}
}

// Where the bound cannot be evaluated at all points there is more noise, as little as serves, in a covariance that was learned too; what no noise helps is an error.
func TestRaiseNoise(t *testing.T) {
	s := sets()["coarse"]
	tr := newTrainer(t, s.data, s.config)
	p := tr.params
	raised := func(beta float64) (times float64) {
		t.Helper()
		p.Noise.Beta = beta
		before := p.Clone()
		value, err := tr.raiseNoise(t.Context(), p)
		if again, failed := tr.evaluator.Bound(t.Context(), p); err != nil || failed != nil || again != value {
			t.Fatalf("bound %v, then %v, errors %v and %v", value, again, err, failed)
		}
		q := before.Clone()
		q.Noise.Beta = p.Noise.Beta
		for i := range q.Noise.Covariance.Rows {
			q.Noise.Covariance.Row(i)[i] += 1/p.Noise.Beta - 1/beta
		}
		compare.Near(t, "covariance", p.Noise.Covariance.Data, q.Noise.Covariance.Data, 1e-9)
		times = math.Log2(beta/p.Noise.Beta) / 2
		if times != math.Round(times) {
			t.Errorf("precision %v became %v", beta, p.Noise.Beta)
		}
		if q.Noise.Beta *= raisedBy; times > 0 {
			for i := range q.Noise.Covariance.Rows {
				q.Noise.Covariance.Row(i)[i] -= 1/p.Noise.Beta - 1/q.Noise.Beta
			}
			if _, err := tr.evaluator.Bound(t.Context(), q); err == nil {
				t.Error("less noise would do")
			}
		}
		return times
	}
	if raised(100) != 0 {
		t.Error("noise that serves was raised")
	}
	p.Noise.Residual.LengthScale = []float64{1e9}
	if raised(1e18) == 0 {
		t.Error("noise that is too little was not raised")
	}
	ones := mat.New(tr.data.Grid.Len(), tr.data.Grid.Len())
	ones.Fill(1)
	p.Noise.Covariance = ones
	if raised(1e16) == 0 {
		t.Error("noise that is too little beside a learned covariance was not raised")
	}
	p.Noise.Covariance, p.Noise.Beta = mat.Matrix{}, 1e200
	var bad *startError
	if _, err := tr.raiseNoise(t.Context(), p); !errors.As(err, &bad) {
		t.Errorf("far less noise than serves: error %v", err)
	}
}
