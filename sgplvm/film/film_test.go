package film_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/film"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/flow"
)

const width, height = 32, 24

// scene draws frames of scale times the usual pixels at some times: structure that swings to and fro, and a
// spot that flickers.
func scene(times []float64, scale int) []float64 {
	var v []float64
	for _, t := range times {
		for y := range height * scale {
			for x := range width * scale {
				u := (float64(x)+0.5)/float64(scale) - 3*math.Sin(t/2)
				w := (float64(y)+0.5)/float64(scale) - 2*math.Cos(t/3)
				spot := math.Exp(-((u-8)*(u-8) + (w-8)*(w-8)) / 8)
				v = append(v, 100+40*math.Sin(u/2)*math.Cos(w/2.5)+10*math.Sin(1.3*u+w)+30*spot*math.Sin(37*t*t))
			}
		}
	}
	return v
}

func evenTimes(n int) []float64 {
	t := make([]float64, n)
	for i := range t {
		t[i] = float64(i)
	}
	return t
}

// learned returns a film, as yet uncalibrated, and the trainer of its model, after a few steps.
func learned(t testing.TB, times []float64) (*film.Film, *sgplvm.Trainer, sgplvm.Source) {
	t.Helper()
	ctx, source := context.Background(), sgplvm.NewSource(scene(times, 1), len(times), width*height, 1)
	d := sgplvm.Data{Source: source, Grid: sgplvm.Grid{column(height), column(width)}, Times: times}
	f, err := film.New(ctx, d, width, height, nil)
	if err != nil {
		t.Fatal(err)
	}
	d.Source, _ = f.Register(source)
	cfg := sgplvm.Config{LatentDims: 2, LatentKernel: "rbf+time", Training: sgplvm.TrainingConfig{Iterations: 25}}
	trainer, err := sgplvm.NewTrainer(d, cfg)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := trainer.Fit(ctx); err != nil {
		t.Fatal(err)
	}
	return f, trainer, source
}

// keep makes the trainer's model the film's.
func keep(t testing.TB, f *film.Film, trainer *sgplvm.Trainer) *sgplvm.Model {
	t.Helper()
	m, err := trainer.Model()
	if err == nil {
		m, err = f.Keep(m)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func average(v []float64) (mean float64) {
	for _, x := range v {
		mean += x / float64(len(v))
	}
	return mean
}

// distance is the root mean square of a − b.
func distance(a, b []float64) float64 {
	square := make([]float64, len(a))
	for i, v := range a {
		square[i] = (v - b[i]) * (v - b[i])
	}
	return math.Sqrt(average(square))
}

func column(n int) mat.Matrix { return mat.NewDense(n, 1, evenTimes(n)) }

// predict returns mean and variance of the film at some times.
func predict(t testing.TB, f *film.Film, m *sgplvm.Model, times []float64, scale int) (mean, variance []float64) {
	t.Helper()
	latents, err := m.LatentAt(0, times)
	if err != nil {
		t.Fatal(err)
	}
	next := 0
	err = f.Predict(context.Background(), latents, scale*width, scale*height, func(i int, p flow.Frame) error {
		if i != next {
			t.Errorf("frame %d, expected %d", i, next)
		}
		next++
		mean, variance = append(mean, p.Mean.Data...), append(variance, p.Variance.Data...)
		return nil
	})
	if err != nil || next != len(times) {
		t.Fatalf("%d frames, error %v", next, err)
	}
	return mean, variance
}

// A film is predicted between its frames in finer pixels; calibrated it says where it errs, and
// what the file keeps predicts the same bits.
func TestFilm(t *testing.T) {
	if testing.Short() {
		t.Skip("a motion and a model to learn")
	}
	f, trainer, source := learned(t, evenTimes(16))
	m := keep(t, f, trainer)
	between := []float64{3.5, 6.5, 10.5}
	truth := scene(between, 2)
	_, before := predict(t, f, m, between, 2)
	if err := f.Calibrate(context.Background(), trainer, source, nil); err != nil {
		t.Fatal(err)
	}
	mean, variance := predict(t, f, m, between, 2)
	var square, inside, loss, lossBefore float64
	for i, v := range variance {
		e2 := (truth[i] - mean[i]) * (truth[i] - mean[i])
		square += e2 / float64(len(mean))
		if e2 < 2.706*v {
			inside += 1 / float64(len(mean))
		}
		loss += math.Log(v) + e2/v
		lossBefore += math.Log(before[i]) + e2/before[i]
	}
	if rmse := math.Sqrt(square); !(rmse < 8) {
		t.Errorf("error %v", rmse)
	}
	if !(inside > 0.8 && inside < 0.98) {
		t.Errorf("90 %% intervals hold %v of the values", inside)
	}
	if !(loss < lossBefore) {
		t.Errorf("calibration raises the negative log density by %v", (loss-lossBefore)/float64(2*len(mean)))
	}
	// At a training time the film shows the frame as it is, not as it was warped to and fro.
	shown, coarse := predict(t, f, m, []float64{5}, 1)
	var warped []float64
	latents, err := m.LatentAt(0, []float64{5})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.PredictSlabs(context.Background(), latents, nil, sgplvm.SlabOptions{}, func(s sgplvm.Slab) error {
		fields, err := f.Motion().Fields(0, []float64{5})
		registered, there := flow.NewFrame(width, height, 1), flow.NewFrame(width, height, 1)
		mat.Copy(registered.Mean, s.Mean[0])
		fields[0].Warp(there, registered)
		warped = there.Mean.Data
		return err
	}); err != nil {
		t.Fatal(err)
	}
	frame := scene([]float64{5}, 1)
	if a, b := distance(shown, frame), distance(warped, frame); !(a < 0.7*b) {
		t.Errorf("training frame 5 is shown with the error %v, warped alone %v", a, b)
	}
	// Finer pixels are less sure.
	if _, fine := predict(t, f, m, []float64{5}, 2); !(average(fine) > 1.01*average(coarse)) {
		t.Errorf("mean variance %v in finer pixels, %v in those of training", average(fine), average(coarse))
	}
	if text := f.String(); !strings.Contains(text, " nodes, strength ") || !strings.Contains(text, ", variance inflation over ") {
		t.Errorf("the film is %q", text)
	}

	unlearned := m.Attached("detail")
	m = keep(t, f, trainer)
	if bytes.Equal(m.Attached("detail"), unlearned) {
		t.Error("calibration has changed nothing in the law of detail")
	}
	var file bytes.Buffer
	if err := m.Save(&file); err != nil {
		t.Fatal(err)
	}
	loaded, err := sgplvm.Load(&file)
	if err != nil {
		t.Fatal(err)
	}
	back, err := film.Of(loaded)
	if err != nil {
		t.Fatal(err)
	}
	old := runtime.GOMAXPROCS(1)
	mean2, variance2 := predict(t, back, loaded, between, 2)
	runtime.GOMAXPROCS(old)
	if !slices.Equal(mean2, mean) || !slices.Equal(variance2, variance) {
		t.Error("the film in the file predicts other bits")
	}

	stop, cancel := context.WithCancel(context.Background())
	done := 0
	if err := f.Calibrate(stop, trainer, source, func(n, total int) {
		if done = n; n == 2 {
			cancel()
		}
	}); !errors.Is(err, context.Canceled) || done != 2 {
		t.Errorf("cancelled after 2 frames: %v after %d", err, done)
	}
	if err := f.Predict(context.Background(), []sgplvm.Latent{{Mu: make([]float64, 2), S: make([]float64, 2)}}, width, height, nil); err == nil || !strings.Contains(err.Error(), "posterior 0 has no time") {
		t.Errorf("a posterior without a time: error %v", err)
	}

	// Parts of another film are refused.
	for _, c := range []struct{ part, content, want string }{
		{"motion", `{"format":1,"width":4,"height":2,"sequences":[{"label":0,"frames":[0],"times":[0]}],"chosen":{},"trials":null}`, "film: frames of 4×2 pixels, expected 768 points"},
		{"motion", fmt.Sprintf(`{"format":1,"width":%d,"height":%d,"sequences":[{"label":0,"frames":[0],"times":[0]}],"chosen":{},"trials":null}`, height, width), "1 frames of 24×32 pixels, expected 16"},
		{"originals", `{"Width":32,"Height":24,"Channels":3,"Step":1}`, "and 3 channels, expected"},
		{"detail", `{"Width":32,"Height":24,"Energy":[1,1]}`, "and 2 channels, expected"},
		{"unrest", `{"Width":6,"Height":4,"Ratios":"","Prior":1,"Factor":1}`, "0 frames of 6×4 cells, expected 16"},
	} {
		if _, err := film.Of(loaded.With(map[string][]byte{c.part: []byte(c.content)})); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: error %v, expected %q", c.part, c.content, err, c.want)
		}
	}
	if f, err := film.Of(loaded.With(map[string][]byte{"motion": nil})); f != nil || err != nil {
		t.Errorf("a model without a film: %v, %v", f, err)
	}
}
