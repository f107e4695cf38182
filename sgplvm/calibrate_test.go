package sgplvm

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/predict"
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
	for j := range size {
		if f := tr.calibration.Factor.At(j, 0); f != 1 {
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

// Errors change nothing: neither a Fit that fails nor a calibration that fails takes an earlier calibration
// away.
func TestErrorsChangeNothing(t *testing.T) {
	s := set{swelling(), swellingConfig()}
	source, tr := s.counted(t)
	if err := tr.Calibrate(context.Background()); err != nil { // of the start
		t.Fatal(err)
	}
	before := fileOf(t, tr)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	fresh := func() *bound.Evaluator { return bound.NewEvaluator(tr.evaluator.Data(), s.data.Grid, tr.config.Jitter) }
	for name, act := range map[string]func() error{
		"fit, source": func() error {
			source.failAt = 1
			tr.evaluator = fresh()
			_, err := tr.Fit(context.Background())
			return err
		},
		"fit, cancelled":       func() error { _, err := tr.Fit(ended); return err },
		"step, cancelled":      func() error { _, err := tr.Step(ended); return err },
		"calibrate, source":    func() error { source.failAt = 1; return tr.Calibrate(context.Background()) },
		"calibrate, late":      func() error { source.failAt = 12; return tr.Calibrate(context.Background()) },
		"calibrate, cancelled": func() error { return tr.Calibrate(ended) },
		"densities, source":    func() error { source.failAt = 3; _, err := tr.LeftOutDensities(context.Background()); return err },
	} {
		source.calls, source.failAt = 0, 0
		err := act()
		if !errors.Is(err, errSource) && !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v", name, err)
		}
		source.failAt = 0
		if !bytes.Equal(fileOf(t, tr), before) {
			t.Errorf("%s: another model", name)
		}
	}
	finish(t, tr)
	if modelOf(t, tr).Summary().Calibrated {
		t.Error("other parameters have the calibration of earlier ones")
	}
}

// Of a film the variances of registered frames fit the errors of those frames that are left out, and nothing is learned of them
// over time.
func TestCalibrateSomeFrames(t *testing.T) {
	times := evenly(14)
	d, err := register(context.Background(), trainingSet{Data: sceneData(times)}, 4)
	if err != nil {
		t.Fatal(err)
	}
	trainer, err := trainerOf(d, Config{LatentDims: 2, LatentKernel: "rbf+time", Training: TrainingConfig{Iterations: 10}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := trainer.Fit(context.Background()); err != nil {
		t.Fatal(err)
	}
	c := trainer.calibration
	if c.Power != 1 || c.Inflation.Reach != 0 || len(c.Inflation.Ratios) != len(times) {
		t.Errorf("power %v, inflation over %v of %d frames", c.Power, c.Inflation.Reach, len(c.Inflation.Ratios))
	}
	wanted := d.film.Examined()
	var square, expected float64
	frames := 0
	if err := trainer.leftUnexplained(context.Background(), wanted, func(_ int, residual, variance mat.Matrix) {
		frames++
		for i := range residual.Rows {
			for k, r := range residual.Row(i) {
				square, expected = square+r*r, expected+variance.At(i, k)
			}
		}
	}); err != nil {
		t.Fatal(err)
	}
	all := map[int]mat.Matrix{}
	if err := trainer.LeaveOneOut(context.Background(), func(i int, mean, _ mat.Matrix) error { all[i] = mean.Clone(); return nil }); err != nil {
		t.Fatal(err)
	}
	if err := trainer.leaveSomeOut(context.Background(), wanted, func(i int, mean, _ mat.Matrix) error {
		if d := distance(mean.Data, all[i].Data); !(d < 1e-6) {
			t.Errorf("frame %d left out with some others: %v away from what it is with all others", i, d)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if frames < 4 || frames > 6 {
		t.Errorf("%d frames left out, want 4 and the ends", frames)
	}
	if r := square / expected; !(math.Abs(math.Log(r)) < 0.1) {
		t.Errorf("errors are %v times as large as expected", r)
	}
	checkFactorsOfOthers(t, trainer, wanted)
}

// The film learns from frames whose factors the other frames tell.
func checkFactorsOfOthers(t *testing.T, trainer *Trainer, wanted func(int) bool) {
	t.Helper()
	squares, variances := map[int]mat.Matrix{}, map[int]mat.Matrix{}
	c := trainer.calibration
	trainer.calibration = nil
	if err := trainer.leftUnexplained(context.Background(), wanted, func(i int, residual, variance mat.Matrix) {
		squares[i], variances[i] = residual.Clone(), variance.Clone()
		for k, r := range residual.Data {
			squares[i].Data[k] = r * r
		}
	}); err != nil {
		t.Fatal(err)
	}
	trainer.calibration = c
	leaveOut, err := trainer.leavingFramesOut(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	frames := 0
	if err := leaveOut(context.Background(), wanted, func(i int, _, variance mat.Matrix) error {
		frames++
		square, expected := mat.New(variance.Rows, variance.Cols), mat.New(variance.Rows, variance.Cols)
		for j, s := range squares {
			if j != i {
				mat.Add(square, square, 1, s)
				mat.Add(expected, expected, 1, variances[j])
			}
		}
		for k, f := range predict.Factors(trainer.data.Grid, square, expected, len(squares)-1).Data {
			compare.NearOne(t, "variance by the factors of others", variance.Data[k]/(f*variances[i].Data[k]), 1, 1e-9)
		}
		return nil
	}); err != nil || frames != len(squares) {
		t.Errorf("%d frames of %d, error %v", frames, len(squares), err)
	}
	trainer.calibration = nil // of nothing that is calibrated
	defer func() { trainer.calibration = c }()
	if leaveOut, err = trainer.leavingFramesOut(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := leaveOut(context.Background(), wanted, func(i int, _, variance mat.Matrix) error {
		compare.SameBits(t, "variance without calibration", variance.Data, variances[i].Data)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// What is said of an example seen in part: the more is seen nearby, the less is left of the calibration.
func TestCalibratedAsFarAsOpen(t *testing.T) {
	d, ctx := swelling(), context.Background()
	tr, _ := fit(t, d, swellingConfig())
	plain := modelOf(t, tr)
	if err := tr.Calibrate(ctx); err != nil {
		t.Fatal(err)
	}
	m, points := modelOf(t, tr), d.Grid.Len()
	at, err := m.LatentAt(0, []float64{7.5})
	if err != nil {
		t.Fatal(err)
	}
	impute := func(m *Model, prior *Latent, seen ...int) Prediction {
		v := mat.New(points, 1)
		v.Fill(math.NaN())
		for _, j := range seen {
			v.Set(j, 0, d.Y.At(7*points+j, 0))
		}
		p, _, err := m.Impute(ctx, Observed{Values: v, Prior: prior}, InferOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	alone, err := plain.Predict(at[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	calibrated, err := m.Predict(at[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, seen := range [][]int{{}, {8, 14}, {0, 1, 2, 3, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 23}} {
		before, got := impute(plain, &at[0], seen...), impute(m, &at[0], seen...)
		compare.Near(t, "mean", got.Mean.Data, before.Mean.Data, 1e-12)
		for j := range points {
			v, v0 := before.Variance.At(j, 0), alone.Variance.At(j, 0)
			want := v
			if len(seen) == 0 {
				want = calibrated.Variance.At(j, 0)
			} else if v > 0 {
				want = 1 / (1/v + min(1/v0, 1/v)*(v0/calibrated.Variance.At(j, 0)-1))
			}
			if g := got.Variance.At(j, 0); math.Abs(g-want) > 1e-9*v0 {
				t.Errorf("%d points seen, point %d: variance %v, expected %v", len(seen), j, g, want)
			}
		}
	}
	compare.SameBits(t, "variance at no time", impute(m, nil).Variance.Data, impute(plain, nil).Variance.Data)
}
