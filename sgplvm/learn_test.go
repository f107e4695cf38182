package sgplvm

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/edge"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/points"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/predict"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/streams"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/sums"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// loadings draws frames of 6×5 points: three patterns whose amounts follow smooth processes in time, a fourth one from a frame on, and noise.
func loadings(frames, channels, from int, seed uint64) (truth, seen mat.Matrix) {
	const patterns = 4
	rng, amounts := rand.New(rand.NewPCG(seed, 40)), [patterns][2]float64{}
	truth, seen = mat.New(frames, 30*channels), mat.New(frames, 30*channels)
	b := mat.New(patterns, truth.Cols)
	for i := range b.Data {
		b.Data[i] = rng.NormFloat64()
		if i >= 3*b.Cols {
			b.Data[i] *= 2
		}
	}
	for t := range frames {
		for k := range amounts {
			x := &amounts[k]
			x[1] += 0.3*rng.NormFloat64() - 0.1*x[1] - 0.05*x[0]
			x[0] += 0.5 * x[1]
			for i := range truth.Cols {
				if k < patterns-1 || t >= from {
					truth.Row(t)[i] += x[0] * b.Row(k)[i]
				}
			}
		}
		for i, v := range truth.Row(t) {
			seen.Row(t)[i] = v + 0.3*rng.NormFloat64()
		}
	}
	return truth, seen
}

// learning are models that streams learn from: with the points as inducing points, with others.
var learning = map[string]Config{
	"tied": {LatentKernel: "linear+bias", LatentDims: 3, Inducing: 12, Training: steps(60)},
	"free": {LatentKernel: "rbf+linear", LatentDims: 3, Inducing: 12, Training: steps(60),
		Spatial: []SpatialConfig{{Kernel: kernel.Kernel{Kind: kernel.RBF, LengthScale: []float64{1.5}}, Inducing: mat.NewDense(3, 1, []float64{0.5, 2.5, 4.5})}, {}}},
}

// learningModel is one of the first frames.
func learningModel(t *testing.T, cfg Config, seen mat.Matrix, trained int) *Model {
	t.Helper()
	d := Data{Examples: trained, Y: mat.NewDense(trained*30, seen.Cols/30, seen.Data[:trained*seen.Cols]), Grid: Grid{line(6), line(5)}}
	for i := range trained {
		d.Times = append(d.Times, float64(i))
	}
	return modelOf(t, firstOf(fit(t, d, cfg)))
}

// A learner's sums are those of package sums over all examples, whole or filled in, to 10⁻¹². Of whole ones its predictions are those of the training code for all examples at the same latent variables,
// and the precision of its noise is where the training code's bound is highest.
func TestLearnerIsTraining(t *testing.T) {
	const trained, fresh, channels = 40, 30, 2
	_, y := loadings(trained+fresh, channels, math.MaxInt, 1)
	for name, cfg := range learning {
		for _, whole := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				m := learningModel(t, cfg, y, trained)
				c, err := m.posterior.Compile(nil, InferOptions{}, 32, false)
				if err == nil {
					err = streams.SetLearning(c, m.posterior, nil)
				}
				if err != nil {
					t.Fatal(err)
				}
				o := m.posterior.Options()
				b := sums.NewBasis(m.posterior.Params(), m.Grid(), m.posterior.Jitter(), channels)
				all := b.Recover(sums.Solution{Alpha: m.posterior.Alpha(), Spectra: m.posterior.Options().Spectra}, o.Totals)
				l, model := points.NewLearner(c)
				w, q, scaler := model.NewWorkspace(0), m.posterior.Params().Q(), m.posterior.Scaler()
				for i := trained; i < trained+fresh; i++ {
					values := y.Slice(i, i+1, 0, y.Cols).Clone()
					scaler.ApplyTo(values)
					for k := range values.Data {
						if !whole && (k+i)%4 == 0 {
							values.Data[k] = math.NaN()
						}
					}
					w.Observe(values.Data)
					err := w.Infer()
					if err == nil {
						err = w.Complete()
					}
					if err != nil {
						t.Fatal(err)
					}
					forget := 1.
					if !whole {
						forget = 0.97
						all.Scale(forget)
					}
					l.Take(w)
					l.Add(forget)
					variance := mat.New(1, y.Cols)
					mean, own := w.Result()
					for k, v := range values.Data {
						if v != v {
							values.Data[k], variance.Data[k] = mean.Data[k], own.Data[k]
						}
					}
					v := psi.One(w.Latent().Mu, w.Latent().S, nil)
					b.AddExamples(all, v, values, variance)
					q.Mu, q.S = work.Stacked(q.Mu, v.Mu), work.Stacked(q.S, v.S)
				}
				features := sums.Solution{Alpha: m.posterior.Alpha(), Spectra: m.posterior.Options().Spectra}
				features.Spectra[0].Vectors = mat.Identity(12)
				g, _ := b.Features(all, features)
				numbers := l.Numbers()[1:]
				size := len(g.Data)
				compare.Near(t, "Ψ2", numbers[:144], all.Psi2.Data, 1e-12)
				compare.Near(t, "G", numbers[144:144+size], g.Data, 1e-12)
				compare.Near(t, "totals", numbers[144+size:], all.Totals, 1e-12)
				if err := l.Learn(); err != nil {
					t.Fatal(err)
				}
				if whole {
					holdToTraining(t, m, l, w, q, y)
				}
			})
		}
	}
}

// holdToTraining holds a learner's model to the training code, for all examples at the latent variables q.
func holdToTraining(t *testing.T, m *Model, l *points.Learner, w *points.Workspace, q psi.Q, y mat.Matrix) {
	t.Helper()
	p, scaler, beta := m.posterior.Params().Clone(), m.posterior.Scaler(), l.Numbers()[0]
	p.X, p.Noise.Beta = bound.Latents{Mu: q.Mu, S: q.S}, beta
	all := &data.Scaled{Source: field.MatrixSource(mat.NewDense(y.Rows*30, 2, y.Data), y.Rows), Examples: y.Rows, Points: 30, Channels: 2, Scaler: scaler}
	e := bound.NewEvaluator(all, m.Grid(), m.posterior.Jitter())
	alpha, err := e.Alpha(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	want, err := predict.New(p, m.Grid(), scaler, alpha, m.posterior.Jitter(), predict.Options{Spectra: e.Spectra()})
	if err != nil {
		t.Fatal(err)
	}
	for i := range y.Rows {
		w.Predict(q.Mu.Row(i), q.S.Row(i))
		mean, variance := w.Result()
		r, err := want.Predict(Latent{Mu: q.Mu.Row(i), S: q.S.Row(i)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for k, v := range r.Mean.Data { // sums are recovered from α, which has the digits that the condition of K leaves
			scale := scaler.Scale[k%2]
			compare.NearOne(t, "mean", mean.Data[k], (v-scaler.Mean[k%2])/scale, 1e-9)
			compare.NearOne(t, "variance", variance.Data[k], r.Variance.Data[k]/(scale*scale), 1e-9)
		}
	}
	at := func(beta float64) float64 {
		p.Noise.Beta = beta
		v, err := e.Bound(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, other := range []float64{beta * 1.001, beta / 1.001, m.posterior.Params().Noise.Beta} {
		if at(other) >= at(beta) {
			t.Errorf("bound %.12g at the precision %g, and %.12g at %g", at(beta), beta, at(other), other)
		}
	}
}

// compiledToLearn returns a compiled model of the first 30 frames, with the next 150 for alarms.
func compiledToLearn(t *testing.T, from *Model, seen mat.Matrix, kind edge.Type) *edge.Model {
	t.Helper()
	o := CompileOptions{Learn: true, Type: kind, Held: seen.Slice(30, 180, 0, seen.Cols).Clone()}
	for i := range o.Held.Rows {
		o.HeldTimes = append(o.HeldTimes, float64(30+i))
	}
	file, err := from.Compile(o)
	if err != nil {
		t.Fatal(err)
	}
	m, err := edge.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Of a stream that learns, what is missing of later frames is nearer to the truth than of one that does not, frames of garbage and a pattern that training had not are not learned, and the latter is
// said. Nothing is allocated, also where it solves.
func TestLearnerHelps(t *testing.T) {
	truth, seen := loadings(900, 1, 700, 1)
	m := compiledToLearn(t, learningModel(t, learning["tied"], seen, 30), seen, edge.Float64)
	plain, err := m.NewWorkspace(0).NewStream(edge.StreamOptions{})
	if err != nil {
		t.Fatal(err)
	}
	l, err := m.NewLearner(edge.LearnOptions{Every: 50})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 3))
	dst, mask, values := make([]float64, 30), make([]bool, 30), make([]float64, 30)
	var before, after, unexplained float64
	for k := 180; k < 900; k++ {
		copy(values, seen.Row(k))
		garbage := k%20 == 0
		for i := range mask {
			if mask[i] = rng.Float64() > 0.3; garbage {
				values[i] = 3 * rng.NormFloat64()
			}
		}
		count := l.Examples()
		for _, fill := range []func(float64, []float64, []float64, []float64, []bool) error{plain.Fill, l.Fill} {
			if err := fill(float64(k), dst, nil, values, mask); err != nil {
				t.Fatal(err)
			}
			before, after = after, before
			for i, v := range truth.Row(k) {
				if !mask[i] && !garbage && k >= 400 && k < 700 {
					after += (dst[i] - v) * (dst[i] - v)
				}
			}
		}
		if garbage && l.Examples() != count {
			t.Errorf("frame %d of garbage was learned from", k)
		}
		if k == 699 {
			unexplained = l.Unexplained()
		}
	}
	t.Logf("squares %.3f, learned %.3f of %.0f; unexplained %.3f, then %.3f; %.0f count", before, after, m.About().Mean, unexplained, l.Unexplained(), l.Examples())
	if !(after < 0.8*before) {
		t.Errorf("squared errors of %v where it learns, %v where it does not", after, before)
	}
	if !(unexplained < 0.05 && l.Unexplained() > 0.1) {
		t.Errorf("%v of frames like those of training is not explained, and %v of others", unexplained, l.Unexplained())
	}
	k := 900
	if n := testing.AllocsPerRun(3, func() {
		if err := l.Fill(float64(k), dst, nil, seen.Row(600), nil); err != nil || l.Learn() != nil {
			t.Fatal(err)
		}
		k++
	}); n > 0 {
		t.Errorf("a frame that is learned from allocates %v times", n)
	}
}

// A state gives another learner the same bits, which go back to those before the last solve when it is rolled back. States cut off anywhere, damaged ones and those of another model are refused, and change nothing. A file is replaced as a whole. What numbers of 32 bits make of sums is near what 64 do.
func TestLearnerStates(t *testing.T) {
	_, seen := loadings(330, 1, math.MaxInt, 2)
	trained := learningModel(t, learning["tied"], seen, 30)
	m := compiledToLearn(t, trained, seen, edge.Float64)
	learner := func(m *edge.Model) *edge.Learner {
		l, err := m.NewLearner(edge.LearnOptions{Every: -1, Forget: 0.99})
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	dst := make([]float64, 30)
	ran := func(l *edge.Learner, from, to int) {
		for k := from; k < to; k++ {
			if err := l.Fill(float64(k), dst, nil, seen.Row(k), nil); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.Learn(); err != nil {
			t.Fatal(err)
		}
	}
	answer := func(l *edge.Learner) []float64 {
		l.Reset()
		defer l.Reset()
		mean, variance := make([]float64, 30), make([]float64, 30)
		for k := 320; k < 330; k++ {
			if err := l.Stream.Fill(float64(k), mean, variance, seen.Row(k), nil); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.Predict(331, mean, variance); err != nil {
			t.Fatal(err)
		}
		return append(mean, variance...)
	}
	same := func(what string, got, want []float64) {
		t.Helper()
		for i, v := range want {
			if math.Float64bits(v) != math.Float64bits(got[i]) {
				t.Fatalf("%s: number %d is %v, expected %v", what, i, got[i], v)
			}
		}
	}
	l, short := learner(m), learner(compiledToLearn(t, trained, seen, edge.Float32))
	none := answer(l)
	ran(l, 180, 250)
	first := answer(l)
	ran(l, 250, 320)
	second, state := answer(l), l.State()
	ran(short, 180, 250)
	answer(short)
	ran(short, 250, 320)
	compare.Near(t, "32 bits", answer(short), second, 1e-4)
	again := learner(m)
	for n := 0; n < len(state); n += 8 {
		if err := again.SetState(state[:n]); err == nil {
			t.Fatalf("the first %d of %d bytes were taken", n, len(state))
		}
	}
	for at := 0; at < len(state); at += 5 {
		damaged := bytes.Clone(state)
		damaged[at]++
		if err := again.SetState(damaged); err == nil {
			t.Fatalf("a state with another byte %d was taken", at)
		}
	}
	if err := short.SetState(state); err == nil {
		t.Error("the state of another model was taken")
	}
	same("after what was refused", answer(again), none)
	if err := again.SetState(state); err != nil {
		t.Fatal(err)
	}
	same("from a state", answer(again), second)
	path := filepath.Join(t.TempDir(), "state")
	var files [2]os.FileInfo // the second one in the place of the first, which stays what it is until then
	for k := range files {
		err := l.Save(path)
		if err == nil {
			files[k], err = os.Stat(path)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if os.SameFile(files[0], files[1]) {
		t.Error("a state is saved within the old one")
	}
	if err := again.Load(path); err != nil {
		t.Fatal(err)
	}
	same("from a file", answer(again), second)
	for _, l := range []*edge.Learner{l, again} {
		if err := l.Rollback(); err != nil {
			t.Fatal(err)
		}
		same("rolled back", answer(l), first)
	}
}

// What streams do not learn is refused by name, when it is compiled and when a learner is asked for.
func TestLearnerRefuses(t *testing.T) {
	_, seen := loadings(60, 1, math.MaxInt, 1)
	m, timed := learningModel(t, learning["tied"], seen, 30), learning["tied"]
	timed.LatentKernel = "rbf+time"
	for want, c := range map[string]struct {
		m *Model
		o CompileOptions
	}{
		"a part of time in the latent kernel": {learningModel(t, timed, seen, 30), CompileOptions{Learn: true}},
		"other points than those of training": {m, CompileOptions{Learn: true, Grid: Grid{line(3), line(5)}}},
		"examples without times":              {spotModel(t, "white noise"), CompileOptions{Learn: true}},
	} {
		var bad *ConfigError
		if _, err := c.m.Compile(c.o); !errors.As(err, &bad) || bad.Field != "Learn" || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %q", err, want)
		}
	}
	for want, c := range map[string]struct {
		compiled CompileOptions
		o        edge.LearnOptions
	}{
		"expected compile -learn": {CompileOptions{}, edge.LearnOptions{}},
		"without alarms":          {CompileOptions{Learn: true}, edge.LearnOptions{}},
		"Forget is to be":         {CompileOptions{Learn: true}, edge.LearnOptions{Surprising: true, Forget: 2}},
	} {
		file, err := m.Compile(c.compiled)
		if err != nil {
			t.Fatal(err)
		}
		e, err := edge.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		var bad *edge.LearnError
		if _, err := e.NewLearner(c.o); !errors.As(err, &bad) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %q", err, want)
		}
	}
}
