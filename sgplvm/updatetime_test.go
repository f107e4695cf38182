package sgplvm

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/edge"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/predict"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// patterns returns frames of three patterns whose amounts move, as they are and as they were seen, and those from ≤ i < to at their times, of a sequence.
func patterns(frames int, seed uint64) (truth mat.Matrix, part func(from, to, sequence int) Data) {
	truth, seen := loadings(frames, 1, frames, seed)
	return truth, func(from, to, sequence int) Data {
		d := Data{Examples: to - from, Y: mat.NewDense((to-from)*30, 1, slices.Clone(seen.Data[30*from:30*to])), Grid: Grid{plane(6, 5)}}
		for i := from; i < to; i++ {
			d.Times, d.Sequences = append(d.Times, float64(i)), append(d.Sequences, sequence)
		}
		return d
	}
}

// updatingInTime are configurations of models in time that take in examples.
func updatingInTime() map[string]Config {
	white := Config{Effort: EffortNone, LatentKernel: "linear+bias", LatentDims: 3, Inducing: 15, Training: steps(100)}
	structured := white
	structured.NoiseFloor, structured.Residual = 1e-4, updating()["learned covariance"].Residual
	return map[string]Config{"white noise": white, "learned covariance": structured}
}

// A model in time with a new sequence predicts as the training code does of all examples, at its parameters and latent variables, and survives its file.
func TestUpdateAtIsTraining(t *testing.T) {
	_, part := patterns(60, 4)
	old, fresh := part(0, 40, 0), part(40, 60, 3)
	for name, cfg := range updatingInTime() {
		t.Run(name, func(t *testing.T) {
			m := modelOf(t, firstOf(fit(t, old, cfg)))
			next, r, err := m.UpdateAt(t.Context(), sourceOf(fresh), data.Instants(fresh.Times, fresh.Sequences), 1)
			if err != nil {
				t.Fatal(err)
			}
			if r.Count != 60 || next.Examples() != 60 || !(r.After < r.Before) || next.Times()[59] != (Instant{Sequence: 3, Time: 59}) {
				t.Errorf("%+v, %d examples, the last at %v", r, next.Examples(), next.Times()[59])
			}
			y, p := work.Stacked(old.Y, fresh.Y), next.posterior.Params()
			all := &data.Scaled{Source: sourceOf(Data{Examples: 60, Y: y}), Examples: 60, Points: 30, Channels: 1, Scaler: m.posterior.Scaler()}
			e := bound.NewEvaluator(all, m.Grid(), m.posterior.Jitter())
			alpha, err := e.Alpha(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			want, err := predict.New(p, m.Grid(), m.posterior.Scaler(), alpha, m.posterior.Jitter(), predict.Options{Spectra: e.Spectra()})
			if err != nil {
				t.Fatal(err)
			}
			for i := range 60 {
				got, err := next.Predict(next.TrainingLatent(i), nil)
				if err != nil {
					t.Fatal(err)
				}
				same, err := want.Predict(next.TrainingLatent(i), nil)
				if err != nil {
					t.Fatal(err)
				}
				compare.Near(t, "mean", got.Mean.Data, same.Mean.Data, 1e-7) // the kernel of patterns has the condition of its jitter
			}
			if got, want := next.posterior.Options().Totals, e.Totals(p); !(math.Abs(got[3]-want[3]) < 1e-6*want[3]) {
				t.Errorf("a divergence of %v, that of the training code %v", got[3], want[3])
			}
			if again := loaded(t, saved(t, next)); string(saved(t, again)) != string(saved(t, next)) {
				t.Error("another file after it was read")
			}
		})
	}
}

// A model that took in the frames behind its own, some values of which are missing, predicts the next ones as a stream does that followed these frames: nearer to the truth than the last frame.
func TestUpdateFollows(t *testing.T) {
	const trained, all = 60, 90
	truth, part := patterns(all+3, 5)
	for name, cfg := range updatingInTime() {
		t.Run(name, func(t *testing.T) {
			m := modelOf(t, firstOf(fit(t, part(0, trained, 0), cfg)))
			file, err := m.Compile(CompileOptions{})
			if err != nil {
				t.Fatal(err)
			}
			c, err := edge.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			s, err := c.NewWorkspace(0).NewStream(edge.StreamOptions{Believe: true})
			if err == nil {
				err = s.Continue(0)
			}
			if err != nil {
				t.Fatal(err)
			}
			fresh, mean := part(trained, all, 0), make([]float64, 30)
			for i := range fresh.Examples {
				values, mask := fresh.Y.Data[30*i:][:30], make([]bool, 30)
				for k := range values {
					if mask[k] = (i+k)%5 > 0; !mask[k] {
						values[k] = math.NaN()
					}
				}
				if err := s.Fill(float64(trained+i), mean, nil, values, mask); err != nil {
					t.Fatal(err)
				}
			}
			next, r, err := m.Update(t.Context(), sourceOf(fresh), 1)
			if err != nil {
				t.Fatal(err)
			}
			if at := next.Times()[all-1]; at.Time != all-1 || r.Count != all {
				t.Errorf("%v examples, the last at %v", r.Count, at)
			}
			var ours, streams, last float64
			for step := range 3 {
				at := float64(all + step)
				latents, err := next.LatentAt(0, []float64{at})
				if err != nil {
					t.Fatal(err)
				}
				p, err := next.Predict(latents[0], nil)
				if err == nil {
					err = s.Predict(at, mean, nil)
				}
				if err != nil {
					t.Fatal(err)
				}
				for k, v := range truth.Row(all + step) {
					ours += (p.Mean.Data[k] - v) * (p.Mean.Data[k] - v) / 90
					streams += (mean[k] - v) * (mean[k] - v) / 90
					last += (truth.At(all-1, k) - v) * (truth.At(all-1, k) - v) / 90
				}
			}
			t.Logf("squared error %.3f, of a stream %.3f, of the last frame %.3f", ours, streams, last)
			if !(ours < 1.15*streams && ours < last) {
				t.Errorf("squared error %.3f, of a stream %.3f, of the last frame %.3f", ours, streams, last)
			}
		})
	}
}

// What a model in time cannot take in is refused by name.
func TestUpdateAtRefuses(t *testing.T) {
	_, part := patterns(30, 6)
	cfg := updatingInTime()["white noise"]
	cfg.Training = steps(3)
	parts := cfg
	parts.LatentKernel = "rbf+time"
	several := part(0, 20, 0)
	several.Sequences[0] = 1
	fresh := part(20, 30, 0)
	at := data.Instants(fresh.Times, nil)
	model := func(d Data, cfg Config) *Model { return modelOf(t, firstOf(fit(t, d, cfg))) }
	plain := Data{Examples: 20, Y: several.Y, Grid: several.Grid}
	for _, c := range []struct {
		m    *Model
		at   []Instant
		want string
	}{
		{model(plain, cfg), at, "examples without"},
		{model(part(0, 20, 0), parts), at, "a part of time in the latent kernel"},
		{model(several, cfg), nil, "several sequences"},
		{model(several, cfg), at[1:], "9 times, expected 10"},
		{model(several, cfg), append([]Instant{{Time: math.NaN()}}, at[1:]...), "time 0 is NaN"},
	} {
		var err error
		if c.at == nil {
			_, _, err = c.m.Update(t.Context(), sourceOf(fresh), 1)
		} else {
			_, _, err = c.m.UpdateAt(t.Context(), sourceOf(fresh), c.at, 1)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, expected something about %q", err, c.want)
		}
	}
}
