package sgplvm

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
)

// restless are pictures of which one half is noisier.
func restless() Data {
	const n, width, height = 30, 12, 5
	rng := rand.New(rand.NewPCG(8, 1))
	d := Data{Examples: n, Y: mat.New(n*width*height, 1), Times: line(n).Data, Grid: Grid{line(height), line(width)}}
	for i := range n {
		for j := range width * height {
			noise := 0.01
			if j%width >= width/2 {
				noise = 0.3
			}
			d.Y.Set(i*width*height+j, 0, math.Sin(float64(i)/5+float64(j)/9)+noise*rng.NormFloat64())
		}
	}
	return d
}

// Calibrated variances find where space is noisier, are what predictions use at the training points and
// between them, and survive the model file; means stay, and so does what is said at no time.
func TestCalibrate(t *testing.T) {
	ctx := context.Background()
	tr, _ := fit(t, restless(), Config{LatentDims: 2, LatentKernel: "rbf+time", Training: TrainingConfig{Iterations: 60, Uncalibrated: true}})
	plain := modelOf(t, tr)
	if err := tr.Calibrate(ctx); err != nil {
		t.Fatal(err)
	}
	m := modelOf(t, tr)
	again := loaded(t, saved(t, m))
	at, err := m.LatentAt(0, []float64{7.5})
	if err != nil {
		t.Fatal(err)
	}
	fine := Grid{line(5), mat.NewDense(4, 1, []float64{0.5, 2.25, 8.5, 10.25})}
	predict := func(m *Model, l Latent) Prediction {
		p, err := m.Predict(l, fine)
		if err != nil {
			t.Fatal(err)
		}
		err = m.PredictSlabs(ctx, []Latent{l}, fine, SlabOptions{Numbers: 1}, func(s Slab) error {
			for i := range s.Variance[0].Rows {
				compare.NearOne(t, "variance in slabs", s.Variance[0].At(i, 0), p.Variance.At(s.First+i, 0), 1e-9)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	before, after := predict(plain, at[0]), predict(m, at[0])
	compare.SameBits(t, "mean", after.Mean.Data, before.Mean.Data)
	for i := range after.Variance.Rows {
		quiet := i%4 < 2
		if ratio := after.Variance.At(i, 0) / before.Variance.At(i, 0); quiet != (ratio < 0.4) || !quiet != (ratio > 1) {
			t.Errorf("point %d: variance %v times as large when calibrated", i, ratio)
		}
	}
	compare.SameBits(t, "variance of the loaded model", predict(again, at[0]).Variance.Data, after.Variance.Data)
	timeless := at[0]
	timeless.At = nil
	compare.SameBits(t, "variance at no time", predict(m, timeless).Variance.Data, predict(plain, timeless).Variance.Data)
	if s := m.Summary(); !s.Calibrated || !(s.Factor > 0) || !(s.Power >= 0 && s.Power <= 2) || plain.Summary().Calibrated || plain.Summary().Factor != 1 {
		t.Errorf("calibrated %v, factor %v, power %v; before %+v", s.Calibrated, s.Factor, s.Power, plain.Summary())
	}
}

// A channel that is the same everywhere at all times, beside another one, leaves nothing unexplained: it
// keeps its variances, and the file can be read.
func TestCalibrateConstant(t *testing.T) {
	const n, size = 8, 6
	d := Data{Examples: n, Y: mat.New(n*size, 2), Times: line(n).Data, Grid: Grid{line(size)}}
	for i := range n {
		for j := range size {
			d.Y.Set(i*size+j, 0, 5)
			d.Y.Set(i*size+j, 1, math.Sin(float64(i*i+j*j)))
		}
	}
	tr, _ := fit(t, d, Config{LatentDims: 1, Training: steps(5)})
	q, err := tr.inner.Posterior()
	if err != nil {
		t.Fatal(err)
	}
	for j := range size {
		if f := q.Options().Calibration.Factor.At(j, 0); f != 1 {
			t.Errorf("factor %v at point %d of a constant channel", f, j)
		}
	}
	loaded(t, fileOf(t, tr))
}

// A calibration that fails after training leaves what was trained, and Fit gives it beside the error.
func TestCalibrationFails(t *testing.T) {
	s := set{swelling(), swellingConfig()}
	source, tr := s.counted(t)
	finish(t, tr)
	before := modelOf(t, tr)
	before.config = nil // the other does not want to be uncalibrated
	trained, reads := saved(t, before), source.calls
	s.config.Training.Uncalibrated, s.config.KeepOutliers = false, true // which are not searched for
	source = &countingSource{Source: NewSource(s.data.Y.Data, 16, 24, 1)}
	d := Data{Source: source, Grid: s.data.Grid, Times: s.data.Times}
	newTestTrainer(t, d, s.config)
	reads += source.calls // those of NewTrainer
	for _, cancelled := range []bool{false, true} {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		*source = countingSource{Source: source.Source, failAt: reads + 1}
		want := errSource
		if cancelled {
			source.failAt, source.cancelAt, source.cancel, want = 0, reads+1, cancel, context.Canceled
		}
		m, r, err := Fit(ctx, d, s.config)
		if m == nil || !errors.Is(err, want) || r.Iterations == 0 {
			t.Fatalf("cancelled %v: model %v, error %v, %+v", cancelled, m, err, r)
		}
		m.config = nil
		if m.Summary().Calibrated || !bytes.Equal(saved(t, m), trained) {
			t.Errorf("cancelled %v: another model", cancelled)
		}
	}
}
