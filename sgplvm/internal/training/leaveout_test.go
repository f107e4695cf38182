package training

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/dynamics"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/predict"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// trainedOf returns a trainer of a random model with its data, in the model's units.
func trainedOf(t testing.TB, m *reference.Model) *Trainer {
	t.Helper()
	n := m.Examples()
	y := &data.Scaled{Source: field.MatrixSource(m.Y, n), Examples: n, Points: m.Y.Rows / n, Channels: m.Y.Cols, Scaler: reference.Unscaled(m.Y.Cols)}
	cfg, err := Settings{}.Complete(n, m.Space, 1)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Jitter = m.Jitter
	d := Data{Source: y.Source, Grid: m.Space}
	if p := m.Params.X.Paths; p != nil {
		d.Times, d.Sequences = p.Prior.Times, p.Prior.Sequences
	}
	tr, err := At(y, d, cfg, "Start", m.Params)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// without returns what a model of all examples but one predicts, with the same kernels, inducing points and
// latent posteriors of the others.
func without(t *testing.T, m *reference.Model, gone int) *predict.Posterior {
	t.Helper()
	var keep []int
	for i := range m.Examples() {
		if i != gone {
			keep = append(keep, i)
		}
	}
	p := m.Params.Clone()
	p.X.Mu, p.X.S = work.Gather(p.X.Mu, keep), work.Gather(p.X.S, keep)
	paths := &dynamics.Params{Prior: p.X.Paths.Prior, MuBar: work.Gather(p.X.Paths.MuBar, keep), Lambda: work.Gather(p.X.Paths.Lambda, keep)}
	paths.Prior.Times = nil
	for _, i := range keep {
		paths.Prior.Times = append(paths.Prior.Times, m.Params.X.Paths.Prior.Times[i])
	}
	// μ̄ such that the means stay what they are: K·μ̄ = μ.
	n := len(keep)
	k := mat.New(n, n)
	paths.Prior.Kernel.TimeMatrix(k, paths.Prior.Times, paths.Prior.Times)
	rows := reference.NewRows(n, n)
	for i := range n {
		copy(rows[i], k.Row(i))
		rows[i][i] += 1e-12
	}
	l := reference.Cholesky(rows)
	for q := range p.X.Mu.Cols {
		for i, v := range reference.Solve(l, work.Column(p.X.Mu, q)) {
			paths.MuBar.Set(i, q, v)
		}
	}
	other := &reference.Model{Params: p, Space: m.Space, Jitter: m.Jitter, Y: mat.New(n*m.Space.Len(), m.Channels())}
	other.Params.X = bound.Latents{Mu: p.X.Mu, S: p.X.S, Paths: paths}
	for j, i := range p.ZExamples {
		if p.ZExamples[j] = slices.Index(keep, i); p.ZExamples[j] < 0 {
			return nil // the time of an inducing point is that of the example
		}
	}
	points := m.Space.Len()
	for r, i := range keep {
		mat.Copy(other.Y.Slice(r*points, (r+1)*points, 0, m.Channels()), m.Y.Slice(i*points, (i+1)*points, 0, m.Channels()))
	}
	alpha, err := other.Evaluator().Alpha(context.Background(), other.Params)
	if err != nil {
		t.Fatal(err)
	}
	q, err := predict.New(other.Params, m.Space, reference.Unscaled(m.Channels()), alpha, m.Jitter, predict.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// Leaving an example out is training without it, with all else as it is. With the time part alone, and
// with latent posteriors so sharp that Ψ2 is ψ1ψ1ᵀ, that is exact.
func TestLeaveOneOut(t *testing.T) {
	compared := 0
	for seed, shape := range []reference.Shape{
		{Examples: 7, Inducing: 3, Latent: 1, Channels: 2, Jitter: 1e-6, Time: "matern32", Sequences: 1, TimePart: "matern12", Parts: reference.Time, Space: []reference.Factor{{Points: 5, Dims: 2, Kind: kernel.Matern32}}},
		{Examples: 7, Inducing: 4, Latent: 2, Channels: 1, Jitter: 1e-6, Time: "matern32", Sequences: 1, TimePart: "matern32", Parts: reference.Time | reference.RBF, Space: []reference.Factor{{Points: 4, Dims: 1, Kind: kernel.Matern32}, {Points: 3, Dims: 1, Kind: kernel.White}}},
		{Examples: 5, Inducing: 3, Latent: 2, Channels: 2, Jitter: 1e-6, Time: "matern52", Sequences: 1, Space: []reference.Factor{{Points: 3, Dims: 1, Kind: kernel.RBF}, {Points: 4, Dims: 1, Kind: kernel.Matern12}}},
	} {
		shape.Seed = uint64(seed)
		m := shape.Model(t)
		paths := m.Params.X.Paths
		for i := range paths.Prior.Times { // no two equal
			paths.Prior.Times[i] += 0.1 * float64(i)
		}
		m.Params.X = bound.Latents{Mu: m.Params.X.Mu, S: m.Params.X.S, Paths: paths}
		paths.Lambda.Fill(1e7) // S of 1e-7 is what stays in
		reference.SetMarginals(t, m.Params)
		mu, s, err := dynamics.Cavities(paths, m.Params.X.Mu, m.Params.X.S)
		if err != nil {
			t.Fatal(err)
		}
		err = trainedOf(t, m).LeaveOneOut(context.Background(), func(example int, mean, variance mat.Matrix) error {
			q := without(t, m, example)
			if q == nil {
				return nil
			}
			compared++
			at := m.Params.X.At()[example]
			want, err := q.Predict(field.Latent{Mu: mu.Row(example), S: s.Row(example), At: &at}, nil)
			if err != nil {
				return err
			}
			compare.Near(t, shape.String()+": mean", mean.Data, want.Mean.Data, 1e-4)
			// What an uncertain cavity adds comes from the map that has seen the example.
			tolerance := map[bool]float64{true: 1e-4, false: 0.3}[shape.Parts == reference.Time]
			compare.Near(t, shape.String()+": variance", variance.Data, want.Variance.Data, tolerance)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if compared < 10 {
		t.Errorf("%d examples compared", compared)
	}
}

// A model of which no example can be left out says so; errors of the caller and of the context end the work.
func TestLeaveOneOutErrors(t *testing.T) {
	ctx := context.Background()
	all := sets()
	residual := all["residual"]
	residual.data.Times = line(12).Data
	free := all["free inducing points"]
	free.data.Times = line(12).Data
	inexact := all["moving"]
	deviations := make([]float64, 12*30)
	deviations[7] = 0.1
	inexact.data.Errors = field.NewSource(deviations, 12, 30, 1)
	for name, s := range map[string]set{"independent": all["product"], "residual": residual, "free inducing points": free, "known errors": inexact} {
		tr := newTrainer(t, s.data, s.config)
		_, err := tr.LeftOutDensities(ctx)
		for _, err := range []error{err, tr.Calibrate(ctx), tr.LeaveOneOut(ctx, func(int, mat.Matrix, mat.Matrix) error { return nil })} {
			var refused *field.ConfigError
			if !errors.As(err, &refused) || refused.Field != "LeaveOneOut" || !errors.Is(err, errNotLeftOut) {
				t.Errorf("%s: error %v", name, err)
			}
		}
	}
	tr := newTrainer(t, swelling(), swellingSettings())
	enough, calls := errors.New("enough"), 0
	if err := tr.LeaveOneOut(ctx, func(int, mat.Matrix, mat.Matrix) error { calls++; return enough }); err != enough || calls != 1 {
		t.Errorf("error %v after %d calls", err, calls)
	}
	ending, cancel := context.WithCancel(ctx)
	defer func(n int) { data.SlabNumbers = n }(data.SlabNumbers)
	data.SlabNumbers = 1
	calls = 0
	err := tr.LeaveOneOut(ending, func(example int, _, _ mat.Matrix) error {
		if calls++; example == 4 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || calls != 5 {
		t.Errorf("error %v after %d calls", err, calls)
	}
}
