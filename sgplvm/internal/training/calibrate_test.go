package training

import (
	"bytes"
	"context"
	"errors"
	"math"
	"sync"
	"testing"

	"github.com/seed-08962ecc/kronfield/internal/record"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/predict"
)

// Errors change nothing: neither a Fit that fails nor a calibration that fails takes an earlier calibration
// away.
func TestErrorsChangeNothing(t *testing.T) {
	d := swelling()
	source := &failing{Source: d.Source}
	d.Source = source
	tr := newTrainer(t, d, swellingSettings())
	if err := tr.Calibrate(context.Background()); err != nil { // of the start
		t.Fatal(err)
	}
	before := learned(t, tr)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	fresh := func() *bound.Evaluator { return bound.NewEvaluator(tr.evaluator.Data(), d.Grid, tr.config.Jitter) }
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
		if !bytes.Equal(learned(t, tr), before) {
			t.Errorf("%s: another model", name)
		}
	}
	finish(t, tr)
	if tr.calibration != nil {
		t.Error("other parameters have the calibration of earlier ones")
	}
}

// A failing source counts calls, and fails at the one that is numbered so.
type failing struct {
	field.Source
	mu            sync.Mutex
	calls, failAt int
}

var errSource = errors.New("no such frame")

func (s *failing) ReadExamples(dst []float64, from, to int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls++; s.calls == s.failAt {
		return errSource
	}
	return s.Source.ReadExamples(dst, from, to)
}

// learned is all that predictions of a trainer's models depend on.
func learned(t testing.TB, tr *Trainer) []byte {
	t.Helper()
	if _, err := tr.Posterior(); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := record.Write(&b, checkpoint{Params: tr.params, Alpha: tr.alpha, Totals: tr.totals, Calibration: tr.calibration, Residuals: tr.residuals}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// scene draws frames of 32×24 pixels: structure that swings to and fro, and a spot that flickers.
func scene(times []float64) (v []float64) {
	for _, t := range times {
		for y := range 24 {
			for x := range 32 {
				u, w := float64(x)+0.5-3*math.Sin(t/2), float64(y)+0.5-2*math.Cos(t/3)
				spot := math.Exp(-((u-8)*(u-8) + (w-8)*(w-8)) / 8)
				v = append(v, 100+40*math.Sin(u/2)*math.Cos(w/2.5)+10*math.Sin(1.3*u+w)+30*spot*math.Sin(37*t*t))
			}
		}
	}
	return v
}

// Of a film the variances of registered frames fit the errors of those frames that are left out, and nothing is learned of them
// over time.
func TestCalibrateSomeFrames(t *testing.T) {
	times := line(14).Data
	frames := field.NewSource(scene(times), len(times), 32*24, 1)
	grid := field.Grid{line(24), line(32)}
	motion, err := film.New(context.Background(), frames, grid, times, nil, 4)
	if err != nil {
		t.Fatal(err)
	}
	registered, _ := motion.Register(frames)
	trainer, err := New(Data{Source: registered, Grid: grid, Times: times, Film: true, Motion: motion}, Settings{LatentDims: 2, LatentKernel: "rbf+time", Training: Training{Iterations: 10}}, nil)
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
	wanted := motion.Examined()
	var square, expected float64
	count := 0
	if err := trainer.leftUnexplained(context.Background(), wanted, func(_ int, residual, variance mat.Matrix) {
		count++
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
		compare.Near(t, "a frame left out with some others", mean.Data, all[i].Data, 1e-8)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if count < 4 || count > 6 {
		t.Errorf("%d frames left out, want 4 and the ends", count)
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
