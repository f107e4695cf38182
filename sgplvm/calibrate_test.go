package sgplvm

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Calibrated variances find where space is restless, are what predictions use at the training
// points and between them, and survive the model file.
func TestCalibrate(t *testing.T) {
	const n, width, height = 30, 12, 5
	rng := rand.New(rand.NewPCG(8, 1))
	y, times := mat.New(n*width*height, 1), make([]float64, n)
	for i := range n {
		times[i] = float64(i)
		for j := range width * height {
			noise := 0.01
			if j%width >= width/2 {
				noise = 0.3 // half of the picture
			}
			y.Set(i*width*height+j, 0, math.Sin(float64(i)/5+float64(j)/9)+noise*rng.NormFloat64())
		}
	}
	m, err := New(Data{Examples: n, Y: y}, Config{Space: []SpatialFactor{{X: line(height)}, {X: line(width)}}, LatentDims: 2, LatentKernel: LatentRBF | LatentTime, Dynamics: Dynamics{Times: times}})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	if _, err := m.Fit(ctx, FitOptions{Iterations: 60}); err != nil {
		t.Fatal(err)
	}
	at, err := m.LatentAt(0, []float64{7.5})
	if err != nil {
		t.Fatal(err)
	}
	fine := Grid{line(height), mat.NewDense(4, 1, []float64{0.5, 2.25, 8.5, 10.25})}
	predict := func(g Grid) (p Prediction) {
		p, err := m.Predict(at[0], g)
		if err != nil {
			t.Fatal(err)
		}
		err = m.PredictSlabs(ctx, at, g, SlabOptions{Numbers: 1}, func(s Slab) error {
			for i := range s.Variance[0].Rows {
				near(t, "variance in slabs", one(s.Variance[0].At(i, 0)), one(p.Variance.At(s.First+i, 0)), 1e-9)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	plain := predict(fine)
	if err := m.Calibrate(ctx); err != nil {
		t.Fatal(err)
	}
	got := predict(fine)
	sameBits(t, "mean", got.Mean.Data, plain.Mean.Data)
	for i := range got.Variance.Rows {
		quiet := i%4 < 2
		if ratio := got.Variance.At(i, 0) / plain.Variance.At(i, 0); quiet != (ratio < 0.4) || !quiet != (ratio > 1) {
			t.Errorf("point %d: variance %v times as large when calibrated", i, ratio)
		}
	}
	var file bytes.Buffer
	if err := m.Save(&file); err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(bytes.NewReader(file.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	again, err := loaded.Predict(at[0], fine)
	if err != nil {
		t.Fatal(err)
	}
	sameBits(t, "variance of the loaded model", again.Variance.Data, got.Variance.Data)
	latent := at[0]
	latent.At = nil
	timeless, err := m.Predict(latent, nil)
	if err != nil {
		t.Fatal(err)
	}
	m.calibration = nil
	want, err := m.Predict(latent, nil)
	if err != nil {
		t.Fatal(err)
	}
	sameBits(t, "variance at no time", timeless.Variance.Data, want.Variance.Data)
	for _, shape := range []modelShape{{examples: 3, inducing: 3, latent: 1, channels: 1, space: []factorShape{{points: 3, dims: 1, kind: Matern32}}},
		{examples: 3, inducing: 3, latent: 1, channels: 1, time: "rbf", sequences: 1, space: []factorShape{{points: 3, dims: 1, kind: Matern32, inducing: 2}}}} {
		if err := shape.model(t).Calibrate(ctx); err == nil || err.Error() != "sgplvm: LeaveOneOut: "+errUncalibrated.Error() {
			t.Errorf("%v: error %v", shape, err)
		}
	}
	if err := loaded.Calibrate(ctx); err != errNoData {
		t.Errorf("a loaded model: error %v", err)
	}
}

// Ratios that change slowly are believed of the times around, ratios without order are not.
func TestUnrest(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 8))
	var examples []Instant
	var slow, none []float64
	for i := range 200 {
		examples = append(examples, Instant{Sequence: i % 2, Time: float64(i)})
		slow = append(slow, math.Exp(1.5*math.Sin(float64(i)/20))*(0.9+0.2*rng.Float64()))
		none = append(none, rng.ExpFloat64())
	}
	u := newUnrest(slow, examples)
	calm, restless := u.at(Instant{Sequence: 0, Time: 3 * math.Pi / 2 * 20}, examples, -1), u.at(Instant{Sequence: 1, Time: math.Pi / 2 * 20}, examples, -1)
	if u.reach == 0 || !(restless > 5*calm) {
		t.Errorf("reach %v: %v at a restless time, %v at a calm one", u.reach, restless, calm)
	}
	if got := u.at(Instant{Sequence: 7, Time: 30}, examples, -1); got != 1 {
		t.Errorf("%v in a sequence that nobody has seen, want 1", got)
	}
	if u := newUnrest(none, examples); u.reach > 0 && math.Abs(u.at(Instant{Sequence: 0, Time: 50.5}, examples, -1)-1) > 0.5 {
		t.Errorf("without order: reach %v, %v at a time", u.reach, u.at(Instant{Sequence: 0, Time: 50.5}, examples, -1))
	}
	if got := medianSpacing(examples); got != 2 {
		t.Errorf("median spacing %v, want 2", got)
	}
}

// A channel that is the same everywhere at all times leaves nothing unexplained: it keeps its
// variances, and the file can be read.
func TestCalibrateConstant(t *testing.T) {
	const n, size = 8, 6
	for _, channels := range []int{1, 2} { // a constant one, and one beside it
		y, times := mat.New(n*size, channels), make([]float64, n)
		for i := range n {
			times[i] = float64(i)
			for j := range size {
				y.Set(i*size+j, 0, 5)
				if channels == 2 {
					y.Set(i*size+j, 1, math.Sin(float64(i*i+j*j)))
				}
			}
		}
		m, err := New(Data{Examples: n, Y: y}, Config{Space: []SpatialFactor{{X: line(size)}}, LatentDims: 1, Dynamics: Dynamics{Times: times}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Fit(context.Background(), FitOptions{Iterations: 5, Calibrate: true}); err != nil {
			t.Fatal(err)
		}
		for j := range size {
			if f := m.calibration.factor.At(j, 0); f != 1 {
				t.Errorf("factor %v at point %d of a constant channel", f, j)
			}
		}
		loaded(t, saved(t, m))
	}
}
