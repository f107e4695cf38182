package sgplvm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/mat/safetensors"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/rounds"
)

const filmWidth, filmHeight = 32, 24

// scene draws frames of scale times the usual pixels at some times: structure that swings to and fro, and a
// spot that flickers.
func scene(times []float64, scale int) []float64 {
	var v []float64
	for _, t := range times {
		for y := range filmHeight * scale {
			for x := range filmWidth * scale {
				u := (float64(x)+0.5)/float64(scale) - 3*math.Sin(t/2)
				w := (float64(y)+0.5)/float64(scale) - 2*math.Cos(t/3)
				spot := math.Exp(-((u-8)*(u-8) + (w-8)*(w-8)) / 8)
				v = append(v, 100+40*math.Sin(u/2)*math.Cos(w/2.5)+10*math.Sin(1.3*u+w)+30*spot*math.Sin(37*t*t))
			}
		}
	}
	return v
}

// inSpot reports whether a pixel of the scene shows the spot that flickers.
func inSpot(t float64, pixel, scale int) bool {
	u := (float64(pixel%(filmWidth*scale))+0.5)/float64(scale) - 3*math.Sin(t/2)
	w := (float64(pixel/(filmWidth*scale))+0.5)/float64(scale) - 2*math.Cos(t/3)
	return math.Hypot(u-8, w-8) < 4
}

func evenly(n int) []float64 {
	t := make([]float64, n)
	for i := range t {
		t[i] = float64(i)
	}
	return t
}

// pixelsOf returns the pixels of a film, scale times as many each way.
func pixelsOf(width, height, scale int) Grid {
	side := func(n int) mat.Matrix {
		x := mat.New(n*scale, 1)
		for i := range x.Data {
			x.Data[i] = (float64(i)+0.5)/float64(scale) - 0.5
		}
		return x
	}
	return Grid{side(height), side(width)}
}

// sceneData are the frames of a scene.
func sceneData(times []float64) Data {
	return Data{Source: NewSource(scene(times, 1), len(times), filmWidth*filmHeight, 1), Grid: pixelsOf(filmWidth, filmHeight, 1), Times: times, Film: true}
}

// filmTrainer returns a trainer of a film's model after a few steps; the film is not calibrated.
func filmTrainer(t testing.TB, times []float64) *Trainer {
	t.Helper()
	return filmTrainerOf(t, setOf(t, sceneData(times)))
}

// filmTrainerOf is filmTrainer of some frames.
func filmTrainerOf(t testing.TB, d rounds.Set) *Trainer {
	t.Helper()
	d, err := d.Registered(context.Background(), 0)
	if err != nil {
		t.Fatal(err)
	}
	trainer, err := trainerOf(d, Config{LatentDims: 2, LatentKernel: "rbf+time", Training: TrainingConfig{Iterations: 25, Uncalibrated: true}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := trainer.Fit(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := trainer.Calibrate(context.Background()); err != nil {
		t.Fatal(err)
	}
	return trainer
}

func filmModel(t testing.TB, trainer *Trainer) *Model {
	t.Helper()
	m, err := trainer.Model()
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

// predictFilm returns mean and variance of the film at some times.
func predictFilm(t testing.TB, m *Model, times []float64, scale int) (mean, variance []float64) {
	t.Helper()
	latents, err := m.LatentAt(0, times)
	if err != nil {
		t.Fatal(err)
	}
	next := 0
	g := pixelsOf(filmWidth, filmHeight, scale)
	err = m.PredictSlabs(context.Background(), latents, g, SlabOptions{Numbers: 1 << 12}, func(s Slab) error {
		if s.Latent != next || s.From != 0 || s.To != g[0].Rows || s.First != 0 || len(s.Mean) != 1 {
			t.Errorf("slab of frame %d, rows %d to %d, expected frame %d", s.Latent, s.From, s.To, next)
		}
		next++
		mean, variance = append(mean, s.Mean[0].Data...), append(variance, s.Variance[0].Data...)
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
	trainer := filmTrainer(t, evenly(16))
	m := filmModel(t, trainer)
	between := []float64{3.5, 6.5, 10.5}
	truth := scene(between, 2)
	_, before := predictFilm(t, m, between, 2)
	if err := trainer.inner.CalibrateFilm(context.Background()); err != nil {
		t.Fatal(err)
	}
	m = filmModel(t, trainer)
	mean, variance := predictFilm(t, m, between, 2)
	var square, inside, loss, lossBefore float64
	for i, v := range variance {
		e2 := (truth[i] - mean[i]) * (truth[i] - mean[i])
		square += e2 / float64(len(mean))
		if e2 < 2.706*v {
			inside += 1 / float64(len(mean))
		}
		if frame := 4 * filmWidth * filmHeight; !inSpot(between[i/frame], i%frame, 2) { // whose light nothing tells
			loss += math.Log(v) + e2/v
			lossBefore += math.Log(before[i]) + e2/before[i]
		}
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
	// At a training time the film shows the frame as it is.
	shown, coarse := predictFilm(t, m, []float64{5}, 1)
	if a, b := distance(shown, scene([]float64{5}, 1)), distance(scene([]float64{4}, 1), scene([]float64{5}, 1)); !(a < 0.3*b) {
		t.Errorf("training frame 5 is shown with the error %v, the frame before is %v off", a, b)
	}
	// Finer pixels are less sure.
	if _, fine := predictFilm(t, m, []float64{5}, 2); !(average(fine) > 1.01*average(coarse)) {
		t.Errorf("mean variance %v in finer pixels, %v in those of training", average(fine), average(coarse))
	}
	if text := m.Summary().Motion; !strings.HasPrefix(text, "1 shot, mixed with ") {
		t.Errorf("the film is %q", text)
	}

	loaded := loaded(t, saved(t, m))
	old := runtime.GOMAXPROCS(1)
	mean2, variance2 := predictFilm(t, loaded, between, 2)
	runtime.GOMAXPROCS(old)
	if !slices.Equal(mean2, mean) || !slices.Equal(variance2, variance) {
		t.Error("the film in the file predicts other bits")
	}
	filmRefused(t, loaded, saved(t, m))
	filmStops(t, trainer)
}

// filmRefused asks a film for what it does not know, and for parts of another one.
func filmRefused(t *testing.T, m *Model, file []byte) {
	t.Helper()
	certain := Latent{Mu: make([]float64, 2), S: make([]float64, 2)}
	at := certain
	at.At = &Instant{}
	cover := Grid{mat.NewDense(2, 1, []float64{0, filmHeight - 1}), pixelsOf(filmWidth, filmHeight, 1)[1]}
	ctx := context.Background()
	for _, c := range []struct {
		want string
		call func() error
	}{
		{"Latent: posterior 0 has no time, expected one", func() error { _, err := m.Predict(certain, nil); return err }},
		{"Latent: posterior 0 has no time, expected one", func() error { _, err := m.Sample(ctx, certain, nil, SampleOptions{}); return err }},
		{"Prior: no time, expected one", func() error {
			_, _, err := m.Impute(ctx, Observed{Values: mat.New(filmWidth*filmHeight, 1)}, InferOptions{})
			return err
		}},
		{"Observed: values are 3×1, expected 768 points × 1 channels", func() error {
			_, _, err := m.Impute(ctx, Observed{Values: mat.New(3, 1), Prior: &at}, InferOptions{})
			return err
		}},
		{"Grid: a film with motion: row 0 of 2 at 0, expected rows that cover the 24 of training evenly", func() error { _, err := m.Predict(at, cover); return err }},
		{"Grid: a film with motion: 1 spatial factors that are no pixels, expected pixels as those of training", func() error {
			_, err := m.Predict(at, Grid{mat.New(5, 1)})
			return err
		}},
		{"sequence: no frames with the label 4", func() error { l := at; l.At = &Instant{Sequence: 4}; _, err := m.Predict(l, nil); return err }},
		{"PredictMixture: of a film with motion ", func() error { _, err := m.PredictMixture(at, nil, MixtureOptions{}); return err }},
		{"PredictCovariance: of a film with motion ", func() error { _, _, err := m.PredictCovariance(at, nil); return err }},
		{"PredictDataCovariance: of a film with motion ", func() error { _, _, err := m.PredictDataCovariance(at, nil); return err }},
	} {
		err := c.call()
		var config *ConfigError
		if !errors.As(err, &config) || !strings.HasPrefix(config.Field+": "+config.Err.Error(), c.want) {
			t.Errorf("error %v, expected %q", err, c.want)
		}
	}
	for _, c := range []struct{ part, content, want string }{
		{"motion", `{"width":4,"height":2,"sequences":[{"label":0,"examples":[0],"times":[0]}]}`, "film: frames of 4×2 pixels, expected 768 points"},
		{"inflation", `{}`, "film: attached "},
		{"errors", `{`, "film: attached errors: "},
	} {
		bad := resealed(t, file, func(f *safetensors.File) {
			p := tensor(f, "attached."+c.part)
			p.Data, p.Shape = []byte(c.content), []int{len(c.content)}
		})
		if _, err := Load(bytes.NewReader(bad)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: error %v, expected %q", c.part, c.content, err, c.want)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a caller attached the motion of a film")
		}
	}()
	m.With(map[string][]byte{"motion": {}})
}

// filmStops stops the calibration of a film after two frames.
func filmStops(t *testing.T, trainer *Trainer) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := 0
	trainer.inner.Progress = func(p Progress) bool {
		if done = p.Iteration; p.Phase != "film" || p.Total != 16 {
			t.Errorf("phase %q of %d frames", p.Phase, p.Total)
		}
		if done == 2 {
			cancel()
		}
		return true
	}
	if err := trainer.inner.CalibrateFilm(ctx); !errors.Is(err, context.Canceled) || done != 2 {
		t.Errorf("cancelled after 2 frames: %v after %d", err, done)
	}
	trainer.inner.Progress = func(p Progress) bool { done = p.Iteration; return done < 3 }
	if err := trainer.inner.CalibrateFilm(context.Background()); err != nil || done != 3 || !trainer.inner.Stopped() {
		t.Errorf("stopped after 3 frames: %v after %d", err, done)
	}
}

// The limits of a film with holes are those of what was observed, not of what was filled in, and frames are predicted, filled in and drawn within them.
func TestFilmLimitsOfHoles(t *testing.T) {
	ctx, times, at := context.Background(), evenly(6), []float64{2.5}
	seen := scene(times, 1)
	for k, v := range seen { // brighter than the camera can show
		seen[k] = min(v, 125)
	}
	most, least := slices.Max(seen), slices.Min(seen)
	for k := range seen {
		if k%7 == 3 {
			seen[k] = math.NaN()
		}
	}
	d := sceneData(times)
	d.Source = NewSource(seen, len(times), filmWidth*filmHeight, 1)
	filled := slices.Clone(seen)
	for k, v := range seen {
		if v != v {
			filled[k] = 50 + 400*math.Sin(float64(k))
		}
	}
	set := setOf(t, d)
	set.Observed, set.Source = set.Source, NewSource(filled, len(times), filmWidth*filmHeight, 1)
	r, err := set.Registered(ctx, quickExamined)
	if err != nil {
		t.Fatal(err)
	}
	parts, err := r.Motion.Encode()
	if err != nil {
		t.Fatal(err)
	}
	var found struct {
		Channels []struct{ Least, Most float64 }
	}
	if err := json.Unmarshal(parts["limits"], &found); err != nil {
		t.Fatal(err)
	}
	if l := found.Channels[0]; !(l.Least >= least && l.Least < least+20) || !(l.Most <= most && l.Most > most-20) {
		t.Errorf("limits %+v, want about %v to %v", l, least, most)
	}
	m := filmModel(t, filmTrainerOf(t, set))
	latents, err := m.LatentAt(0, at)
	if err != nil {
		t.Fatal(err)
	}
	partly := hide(scene(at, 1), func(x, y int) bool { return x%2 == 0 })
	for k, v := range partly.Data {
		partly.Data[k] = v + 300*math.Sin(float64(k)) // what is wrong there seems wrong beside it
	}
	p, _, err := m.Impute(ctx, Observed{Values: partly, Prior: &latents[0]}, InferOptions{})
	if err != nil {
		t.Fatal(err)
	}
	within := func(what string, values []float64) {
		t.Helper()
		for k, v := range values {
			if (what != "filled in" || math.IsNaN(partly.Data[k])) && !(v >= least && v <= most) {
				t.Fatalf("value %d is %s with %v, want %v to %v", k, what, v, least, most)
			}
		}
	}
	within("filled in", p.Mean.Data)
	mean, _ := predictFilm(t, m, at, 2)
	within("predicted", mean)
	err = m.SampleFilm(ctx, 0, at, pixelsOf(filmWidth, filmHeight, 2), SampleOptions{Count: 2, Seed: 1, Noise: true}, func(f SampledFrame) error {
		within("drawn", f.Values.Data)
		if slices.Max(f.Values.Data) != found.Channels[0].Most {
			t.Errorf("drawn with up to %v, want %v", slices.Max(f.Values.Data), found.Channels[0].Most)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A film must have pixels; without times it has those of its frames' numbers.
func TestRegister(t *testing.T) {
	ctx := context.Background()
	data := sceneData(evenly(3))
	data.Times = nil
	if r, err := setOf(t, data).Registered(ctx, 0); err != nil || !slices.Equal(r.Times, evenly(3)) {
		t.Errorf("without times: %v, error %v", r.Times, err)
	}
	data.Grid = Grid{mat.New(filmWidth*filmHeight, 1)}
	if _, _, err := Fit(ctx, data, Config{}); err == nil || !strings.Contains(err.Error(), "Grid: no pixels of pictures") {
		t.Errorf("scattered points: %v", err)
	}
	data.Film, data.Grid = false, sceneData(evenly(3)).Grid
	d := setOf(t, data)
	if same, err := d.Registered(ctx, 0); err != nil || same.Source != d.Source {
		t.Errorf("no film: %v", err)
	}
}

// hide returns frames of a scene with hidden pixels, NaN.
func hide(truth []float64, hidden func(x, y int) bool) mat.Matrix {
	v := mat.New(len(truth), 1)
	for i, value := range truth {
		v.Data[i] = value
		if hidden(i%filmWidth, i/filmWidth) {
			v.Data[i] = math.NaN()
		}
	}
	return v
}

// A frame seen in part is filled in better than by a model without motion, and than the whole frame is predicted that
// nothing was seen of; with the same bits at any GOMAXPROCS, and with variances that hold.
func TestFilmImpute(t *testing.T) {
	if testing.Short() {
		t.Skip("a motion and two models to learn")
	}
	ctx, times := context.Background(), evenly(16)
	cfg := Config{Effort: EffortNone, LatentDims: 2, LatentKernel: "rbf+time", Training: TrainingConfig{Iterations: 25}}
	moving, _, err := Fit(ctx, sceneData(times), cfg)
	if err != nil {
		t.Fatal(err)
	}
	d := sceneData(times)
	d.Film = false
	still, _, err := Fit(ctx, d, cfg)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	var inside, hiddenValues float64
	for _, c := range []struct {
		name   string
		most   float64 // mean square, over that of the whole frame
		hidden func(x, y int) bool
	}{
		{"scattered", 0.5, func(x, y int) bool { return rng.IntN(3) > 0 }},
		{"block", 0.9, func(x, y int) bool { return x >= 6 && x < 16 && y >= 8 && y < 16 }},
		{"half", 1, func(x, y int) bool { return x < filmWidth/2 }},
	} {
		errors := map[string]float64{}
		for _, at := range []float64{3.5, 6.3, 10.5} {
			truth := scene([]float64{at}, 1)
			seen := hide(truth, c.hidden)
			add := func(who string, p Prediction) {
				for i, v := range seen.Data {
					if e := p.Mean.Data[i] - truth[i]; math.IsNaN(v) {
						errors[who] += e * e
						if who == "filled" {
							hiddenValues++
							if e*e < 2.706*p.Variance.Data[i] {
								inside++
							}
						}
					} else if who == "filled" && (e != 0 || p.Variance.Data[i] != 0) {
						t.Fatalf("%s: seen pixel %d is off by %v, variance %v", c.name, i, e, p.Variance.Data[i])
					}
				}
			}
			for who, m := range map[string]*Model{"filled": moving, "still": still} {
				l, err := m.LatentAt(0, []float64{at})
				if err != nil {
					t.Fatal(err)
				}
				obs := Observed{Values: seen, Prior: &l[0]}
				p, _, err := m.Impute(ctx, obs, InferOptions{})
				if err != nil {
					t.Fatal(err)
				}
				add(who, p)
				if who == "filled" {
					filmSame(t, m, obs, p)
					wide, _, err := m.Impute(ctx, obs, InferOptions{Blends: []Blend{{Parts: 1, Inflation: 4}}})
					if err != nil || !slices.Equal(wide.Mean.Data, p.Mean.Data) || wide.Variance.Data[0] != 4*p.Variance.Data[0] || mat.NormMax(wide.Variance) != 4*mat.NormMax(p.Variance) {
						t.Errorf("%s: variances that are to be four times as large: %g, not %g; error %v", c.name, mat.NormMax(wide.Variance), mat.NormMax(p.Variance), err)
					}
					whole, err := m.Predict(l[0], nil)
					if err != nil {
						t.Fatal(err)
					}
					add("whole", whole)
				}
			}
		}
		if !(errors["filled"] < c.most*errors["whole"] && errors["filled"] < 0.5*errors["still"]) {
			t.Errorf("%s: mean squares %v", c.name, errors)
		}
	}
	if share := inside / hiddenValues; !(share > 0.7 && share < 0.98) {
		t.Errorf("90 %% intervals hold %v of the hidden values", share)
	}
}

// filmSame compares what is filled in with itself on one processor and on four.
func filmSame(t *testing.T, m *Model, obs Observed, p Prediction) {
	t.Helper()
	for _, n := range []int{1, 4} {
		old := runtime.GOMAXPROCS(n)
		again, _, err := m.Impute(context.Background(), obs, InferOptions{})
		runtime.GOMAXPROCS(old)
		if err != nil || !slices.Equal(again.Mean.Data, p.Mean.Data) || !slices.Equal(again.Variance.Data, p.Variance.Data) {
			t.Errorf("GOMAXPROCS %d: other bits, error %v", n, err)
		}
	}
}

// Frames of one drawn film belong together: they are nearer to one another than to those of another film. The
// same seed draws the same bits, a larger count the same films first, and single frames are drawn too.
func TestFilmSample(t *testing.T) {
	if testing.Short() {
		t.Skip("a motion and a model to learn")
	}
	ctx, m := context.Background(), filmModel(t, filmTrainer(t, evenly(12)))
	times := []float64{14, 14.02, 14.04, 14.06}
	at, err := m.LatentAt(0, times)
	if err != nil {
		t.Fatal(err)
	}
	draw := func(count, scale int, noise bool) (films [][]float64) {
		err := m.SampleFilm(ctx, 0, times, pixelsOf(filmWidth, filmHeight, scale), SampleOptions{Count: count, Seed: 3, Noise: noise}, func(f SampledFrame) error {
			if f.Draw*len(times)+f.Frame != len(films) || f.Mean.Rows != f.Values.Rows {
				t.Errorf("frame %d of film %d, expected number %d", f.Frame, f.Draw, len(films))
			}
			if p, err := m.Predict(at[f.Frame], pixelsOf(filmWidth, filmHeight, scale)); err != nil || distance(f.Mean.Clone().Data, p.Mean.Clone().Data) > 1e-9 {
				t.Errorf("scale %d: the mean of frame %d is not what is predicted (%v)", scale, f.Frame, err)
			}
			films = append(films, f.Values.Clone().Data)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return films
	}
	for _, scale := range []int{1, 2} {
		films := draw(2, scale, false)
		steps, others := distance(films[1], films[2]), distance(films[1], films[1+len(times)])
		if !(steps < 0.5*others) {
			t.Errorf("scale %d: frames that follow one another are %v apart, those of different films %v", scale, steps, others)
		}
		for _, n := range []int{1, 4} {
			old := runtime.GOMAXPROCS(n)
			again := draw(n, scale, false)
			runtime.GOMAXPROCS(old)
			for i := range min(len(films), len(again)) {
				if !slices.Equal(films[i], again[i]) {
					t.Errorf("scale %d, GOMAXPROCS %d: frame %d has other bits", scale, n, i)
				}
			}
		}
	}
	if a, b := draw(1, 1, true), draw(1, 1, false); distance(a[0], b[0]) == 0 {
		t.Error("noise changes nothing")
	}
	s, err := m.Sample(ctx, m.TrainingLatent(3), nil, SampleOptions{Count: 2})
	if err != nil {
		t.Fatal(err)
	}
	frame := scene([]float64{3}, 1)
	if a := distance(s.Y[0].Data, frame); !(a < 15) || slices.Equal(s.Y[0].Data, s.Y[1].Data) {
		t.Errorf("frame 3 is drawn %v off", a)
	}
}

// Data whose frames are no longer those that were registered are refused, and a film whose motion is off has none.
func TestFilmTrainer(t *testing.T) {
	ctx := context.Background()
	d, err := setOf(t, sceneData(evenly(6))).Registered(ctx, 0)
	if err != nil {
		t.Fatal(err)
	}
	other := d
	other.Times = []float64{0, 1, 2, 3, 4, 7}
	if _, err := trainerOf(other, Config{}); err == nil || !strings.Contains(err.Error(), "Film: film: attached motion: frame 5 at 5 of sequence 0, expected 7") {
		t.Errorf("other times: %v", err)
	}
	if m, _, err := Fit(ctx, sceneData(evenly(6)), Config{Effort: EffortNone, LatentDims: 2, Motion: Off, Training: TrainingConfig{Iterations: 3}}); err != nil || m.Summary().Motion != "" {
		t.Errorf("without motion: %v", err)
	}
}
