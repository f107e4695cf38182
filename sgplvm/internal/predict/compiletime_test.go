package predict

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/edge"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// streamShape returns a random shape with a Markov kernel in time.
func streamShape(seed uint64) reference.Shape {
	s := reference.RandomShape(73000 + seed)
	if seed%3 == 2 {
		s = reference.ResidualShape(73000 + seed)
	}
	s.Time, s.Sequences = []string{"matern12", "matern32", "matern52", "0.3*matern12+0.7*matern52", "matern32*matern12", "matern32*periodic"}[seed%6], 1+int(seed%3)
	return s
}

// timedShape is streamShape with a part in time of the latent kernel.
func timedShape(seed uint64) reference.Shape {
	s := streamShape(seed)
	s.TimePart, s.Parts = []string{"matern32", "matern12+matern52", "matern52*periodic", "rbf"}[seed%4], s.Parts|reference.Time
	return s
}

// stream returns one that believes all values.
func (m model) stream(t testing.TB, kind edge.Type) (*edge.Workspace, *edge.Stream) {
	return m.streamOf(t, kind, edge.StreamOptions{Believe: true, Still: true})
}

func (m model) streamOf(t testing.TB, kind edge.Type, o edge.StreamOptions) (*edge.Workspace, *edge.Stream) {
	t.Helper()
	w := m.compiled(t, nil, field.InferOptions{}, kind)
	s, err := w.NewStream(o)
	if err != nil {
		t.Fatal(err)
	}
	return w, s
}

// seenOf returns which values are there.
func seenOf(values mat.Matrix) (mask []bool, some bool) {
	mask = make([]bool, len(values.Data))
	for i, v := range values.Data {
		mask[i] = v == v
		some = some || mask[i]
	}
	return mask, some
}

// priorAt returns what a stream says of the latent variables at a time of which nothing is seen.
func priorAt(t testing.TB, w *edge.Workspace, s *edge.Stream, time float64, n int) field.Latent {
	t.Helper()
	dst := make([]float64, n)
	if err := s.Fill(time, dst, nil, make([]float64, n), make([]bool, n)); err != nil {
		t.Fatal(err)
	}
	if score := s.Surprise(nil); score != edge.NoEvidence {
		t.Errorf("nothing was seen, and the score is %v", score)
	}
	l := w.Latent()
	return field.Latent{Mu: append([]float64{}, l.Mu...), S: append([]float64{}, l.S...)}
}

// ownKernels gives the latent dimensions kernels of their own.
func ownKernels(t testing.TB, m *reference.Model) *reference.Model {
	p := m.Params.X.Paths
	for q := range m.Params.X.Mu.Cols {
		k := reference.Parsed(t, []string{"0.2*matern12+0.8*matern32", "matern52", "matern12"}[q%3])
		p.Prior.Own = append(p.Prior.Own, k.Complete(0.5+float64(q), 3))
	}
	reference.SetMarginals(t, m.Params)
	return m
}

// Behind the training examples a stream says what the posterior over time does: with one kernel and kernels of each latent dimension, with a part in time of
// the latent kernel and without. Where a kernel is periodic, what its harmonics leave is told.
func TestStreamContinues(t *testing.T) {
	for seed := range uint64(compare.Sizes(40)) {
		shape, tolerance := streamShape(seed), 1e-9
		if seed%2 == 1 {
			shape = timedShape(seed)
		}
		if strings.Contains(shape.Time, "periodic") {
			tolerance = 1e-6
		}
		random := shape.Model(t)
		if _, err := random.Evaluator().Alpha(t.Context(), random.Params); errors.As(err, new(*field.FactorizationError)) {
			continue // inducing points that lie too close for a kernel without jitter
		}
		m := modelOf(t, shape)
		if seed%3 == 0 {
			m, tolerance = saying(t, ownKernels(t, shape.Model(t)), Options{}), 1e-9
		}
		w, s := m.stream(t, edge.Float64)
		n := m.grid.Len() * m.channels()
		mean, variance := make([]float64, n), make([]float64, n)
		for _, at := range m.times {
			if err := s.Continue(at.Sequence); err != nil {
				t.Fatal(err)
			}
			last, _ := s.Last()
			for _, ahead := range []float64{0, 0.4, 3, 1e7} {
				want, err := m.LatentAt(at.Sequence, []float64{last + ahead})
				if err != nil {
					t.Fatal(err)
				}
				p, err := m.Predict(want[0], nil)
				if err != nil {
					t.Fatal(err)
				}
				if err := s.Predict(last+ahead, mean, variance); err != nil {
					t.Fatal(err)
				}
				name := fmt.Sprintf("seed %d, sequence %d, %v ahead", seed, at.Sequence, ahead)
				compare.Near(t, name+": mean", mean, p.Mean.Data, tolerance)
				compare.Near(t, name+": variance", variance, p.Variance.Data, tolerance)
				l := priorAt(t, w, s, last+ahead, n)
				compare.Near(t, name+": latent mean", l.Mu, want[0].Mu, tolerance)
				compare.Near(t, name+": latent variance", l.S, want[0].S, tolerance)
				if err := s.Continue(at.Sequence); err != nil {
					t.Fatal(err)
				}
			}
		}
		var unknown *edge.SequenceError
		if err := s.Continue(99); !errors.As(err, &unknown) || unknown.Sequence != 99 {
			t.Errorf("seed %d: a sequence that is none: %v", seed, err)
		}
	}
}

// A stream's priors are those of Gaussian processes given all examples so far, each by its site q/prior, at once; with missing values,
// missing and uneven instants. What it fills in is what the model does with that prior.
func TestStreamAgainstBatch(t *testing.T) {
	for seed := range uint64(compare.Sizes(20)) {
		rng := rand.New(rand.NewPCG(seed, 82))
		m := modelOf(t, streamShape(6*seed+seed%5)) // of Markov kernels
		w, s := m.stream(t, edge.Float64)
		d, n := m.params.X.Mu.Cols, m.grid.Len()*m.channels()
		var times []float64
		var precisions, shifts [][]float64 // of the sites, by example
		now := 5 * rng.NormFloat64()
		for step := range 8 {
			if step%3 != 1 { // else a second example of the same instant
				now += 2 * rng.ExpFloat64()
			}
			prior := priorAt(t, w, s, now, n)
			values := m.ref.UserValues(reference.Masked(rng, m.grid.Len(), m.channels(), 0.5, false))
			mask, some := seenOf(values)
			filledIn := field.Prediction{Mean: mat.New(m.grid.Len(), m.channels()), Variance: mat.New(m.grid.Len(), m.channels())}
			if err := s.Fill(now, filledIn.Mean.Data, filledIn.Variance.Data, values.Data, mask); err != nil {
				t.Fatal(err)
			}
			name := fmt.Sprintf("seed %d, step %d", seed, step)
			want, _, err := m.Impute(t.Context(), field.Observed{Values: values, Prior: &prior}, field.InferOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if d := apart(t, filledIn, want); !(d < 1e-7) {
				t.Errorf("%s: filled in %g apart", name, d)
			}
			post := w.Latent()
			precision, shift := make([]float64, d), make([]float64, d)
			for q := range d {
				mean, variance := atOnce(t, m, times, precisions, shifts, q, now)
				compare.NearOne(t, name+": mean before", prior.Mu[q], mean, 1e-8)
				compare.NearOne(t, name+": variance before", prior.S[q], variance, 1e-8)
				if some {
					precision[q] = max(0, 1/post.S[q]-1/variance)
					shift[q] = (post.Mu[q]-mean)*(1/variance+precision[q]) + precision[q]*mean
				}
			}
			times, precisions, shifts = append(times, now), append(precisions, precision), append(shifts, shift)
		}
	}
}

// atOnce returns mean and variance of a latent dimension at a time given Gaussian sites at others, by the matrix of all.
func atOnce(t testing.TB, m model, times []float64, precisions, shifts [][]float64, q int, at float64) (mean, variance float64) {
	t.Helper()
	n, k := len(times), m.params.X.Paths.Prior.Kernel
	all := append(append([]float64{}, times...), at)
	full := mat.New(n+1, n+1)
	k.TimeMatrix(full, all, all)
	b, right := mat.New(n, n), mat.New(n, 2) // I + √Λ·K·√Λ
	for i := range n {
		root := math.Sqrt(precisions[i][q])
		for j := range n {
			b.Set(i, j, root*math.Sqrt(precisions[j][q])*full.At(i, j))
			right.Set(i, 0, right.At(i, 0)+root*full.At(i, j)*shifts[j][q])
		}
		right.Set(i, 1, root*full.At(n, i))
		mean += full.At(n, i) * shifts[i][q]
	}
	var f chol.Factor
	if err := f.RefactorizeShifted(b, 1); err != nil {
		t.Fatal(err)
	}
	f.SolveHalf(right)
	variance = full.At(n, n)
	for i := range n {
		mean -= right.At(i, 1) * right.At(i, 0)
		variance -= right.At(i, 1) * right.At(i, 1)
	}
	return mean, variance
}

// Of a part in time alone whole examples that come late by up to two are as good as in their order; one that is later is refused, and changes nothing.
func TestStreamLate(t *testing.T) {
	shape := reference.Shape{Examples: 4, Inducing: 4, Latent: 1, Channels: 2, Jitter: 1e-9, Time: "matern32", Sequences: 1, Parts: reference.Time,
		TimePart: "matern32", Space: []reference.Factor{{Points: 4, Dims: 1, Kind: "matern32"}}}
	m := modelOf(t, shape)
	n, rng := 4*m.channels(), rand.New(rand.NewPCG(1, 85))
	var values [6][]float64
	for k := range values {
		for i := range n {
			values[k] = append(values[k], m.scaler.Mean[i%m.channels()]+rng.NormFloat64())
		}
	}
	after := func(order ...int) (mean, variance []float64) {
		_, s := m.streamOf(t, edge.Float64, edge.StreamOptions{Believe: true, Still: true, Lag: 2})
		mean, variance = make([]float64, n), make([]float64, n)
		for _, k := range order {
			if err := s.Fill(100+0.7*float64(k), mean, nil, values[k], nil); err != nil {
				t.Fatal(err)
			}
		}
		var late *edge.TimeError
		if err := s.Fill(100.1, mean, nil, values[0], nil); !errors.As(err, &late) || late.Last != 103.5 {
			t.Errorf("an example that is too late: %v", err)
		}
		if err := s.Predict(104, mean, variance); err != nil {
			t.Fatal(err)
		}
		return mean, variance
	}
	mean, variance := after(0, 1, 2, 3, 4, 5)
	for _, order := range [][]int{{0, 2, 1, 3, 4, 5}, {0, 2, 3, 1, 5, 4}, {1, 0, 3, 5, 2, 4}} {
		late, lateVariance := after(order...)
		compare.Near(t, fmt.Sprint(order, ": mean"), late, mean, 1e-9)
		compare.Near(t, fmt.Sprint(order, ": variance"), lateVariance, variance, 1e-9)
	}
}

// Scores are by what was predicted before the example was seen: of each value and, decorrelated, of all.
func TestStreamSurprise(t *testing.T) {
	for seed := range uint64(compare.Sizes(20)) {
		rng := rand.New(rand.NewPCG(seed, 83))
		m := modelOf(t, streamShape(seed))
		w, s := m.stream(t, edge.Float64)
		n := m.grid.Len() * m.channels()
		filledIn, scores := make([]float64, n), make([]float64, n)
		for step := range 3 {
			prior := priorAt(t, w, s, float64(step), n)
			values := m.ref.UserValues(reference.Masked(rng, m.grid.Len(), m.channels(), 0.4, false))
			for i := range values.Data { // one channel: covariances between channels are not at hand
				if i%m.channels() != step%m.channels() {
					values.Data[i] = math.NaN()
				}
			}
			mask, some := seenOf(values)
			if !some {
				continue
			}
			want, err := m.Predict(prior, nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Fill(float64(step), filledIn, nil, values.Data, mask); err != nil {
				t.Fatal(err)
			}
			mean, covariances, err := m.PredictDataCovariance(prior, nil)
			if err != nil {
				t.Fatal(err)
			}
			total := s.Surprise(scores)
			var seen []int
			for i, v := range values.Data {
				expected := (v - want.Mean.Data[i]) / math.Sqrt(want.Variance.Data[i])
				if mask[i] {
					seen = append(seen, i/m.channels())
					compare.NearOne(t, fmt.Sprintf("seed %d: score", seed), scores[i], expected, 1e-8)
				} else if scores[i] != edge.NoEvidence {
					t.Errorf("seed %d: a missing value has the score %v", seed, scores[i])
				}
			}
			c := step % m.channels()
			cov, residual := mat.New(len(seen), len(seen)), mat.New(len(seen), 1)
			for k, i := range seen {
				residual.Set(k, 0, values.At(i, c)-mean.At(i, c))
				for l, j := range seen {
					cov.Set(k, l, covariances[c].At(i, j))
				}
			}
			f, err := chol.Factorize(cov)
			if err != nil {
				t.Fatal(err)
			}
			f.SolveHalf(residual)
			compare.NearOne(t, fmt.Sprintf("seed %d: score of all", seed), total, mat.Dot(residual, residual)/float64(len(seen)), 1e-6)
		}
	}
}

// Where too many values are observed to be used at once, the values have scores and the example has none.
func TestStreamNeighbourhoods(t *testing.T) {
	limited(t, 1, 2, 2)
	shape := streamShape(2)
	shape.Space[0].Points = 5
	m := modelOf(t, shape)
	_, s := m.stream(t, edge.Float64)
	n := m.grid.Len() * m.channels()
	dst, scores := make([]float64, n), make([]float64, n)
	if err := s.Fill(0, dst, nil, make([]float64, n), nil); err != nil {
		t.Fatal(err)
	}
	if total := s.Surprise(scores); total != edge.NoEvidence || scores[0] == edge.NoEvidence {
		t.Errorf("scores %v and %v", total, scores)
	}
}

// After an error a stream is where it was, and times do not go back.
func TestStreamErrors(t *testing.T) {
	m := modelOf(t, streamShape(0))
	w, s := m.stream(t, edge.Float64)
	n := m.grid.Len() * m.channels()
	dst, values := make([]float64, n), make([]float64, n)
	if err := s.Fill(3, dst, nil, values, nil); err != nil {
		t.Fatal(err)
	}
	before := priorAt(t, w, s, 3.5, n)
	for _, time := range []float64{2, math.NaN(), math.Inf(1)} {
		var wrong *edge.TimeError
		if err := s.Fill(time, dst, nil, values, nil); !errors.As(err, &wrong) || wrong.Last != 3.5 {
			t.Errorf("time %v: %v", time, err)
		}
	}
	values[0] = math.NaN()
	if err := s.Fill(9, dst, nil, values, nil); err == nil {
		t.Error("NaN without a mask was taken")
	}
	if after := priorAt(t, w, s, 3.5, n); after.Mu[0] != before.Mu[0] || after.S[0] != before.S[0] {
		t.Error("errors moved the stream")
	}
	s.Reset()
	if _, begun := s.Last(); begun {
		t.Error("a new stream has a last example")
	}
	if l := priorAt(t, w, s, -7, n); l.Mu[0] != 0 || math.Abs(l.S[0]-1) > 1e-12 {
		t.Errorf("a new stream begins with %v, %v", l.Mu, l.S)
	}
}

// quadratic is 1/(1 + r²/2), which is not Markov.
type quadratic struct{}

func (quadratic) Values(r2 []float64, variance float64) {
	for i, v := range r2 {
		r2[i] = variance / (1 + v/2)
	}
}

func (quadratic) Slopes(r2 []float64, variance float64) {
	for i, v := range r2 {
		r2[i] = variance / ((1 + v/2) * (1 + v/2))
	}
}

func init() { kernel.Register("quadratic", quadratic{}) }

// A model without times, and a kernel in time without a state, have no streams, and say so.
func TestStreamRefused(t *testing.T) {
	for inTime, want := range map[string]string{"": "no times", "quadratic": "kernel quadratic"} {
		shape := reference.RandomShape(73000)
		shape.Time, shape.Sequences = inTime, 1
		m := modelOf(t, shape)
		w := m.compiled(t, nil, field.InferOptions{}, edge.Float64)
		var refused *edge.StreamError
		if _, err := w.NewStream(edge.StreamOptions{Still: true}); !errors.As(err, &refused) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", inTime, err)
		}
	}
}

// A stream allocates nothing, at even and uneven times.
func TestStreamAllocations(t *testing.T) {
	allocateNothing(t, 84, func(seed uint64, rng *rand.Rand) map[string]func() error {
		m := modelOf(t, []func(uint64) reference.Shape{streamShape, timedShape}[seed%2](seed))
		_, s := m.streamOf(t, edge.Float32, edge.StreamOptions{Still: true, Lag: 2})
		values := m.ref.UserValues(reference.Masked(rng, m.grid.Len(), m.channels(), 0.5, false))
		mask, _ := seenOf(values)
		dst, variance, scores := make([]float64, len(mask)), make([]float64, len(mask)), make([]float64, len(mask))
		now := 0.0
		return map[string]func() error{"an example": func() error {
			now += 0.5 + math.Mod(now, 0.7)
			if err := s.Predict(now, dst, variance); err != nil {
				return err
			}
			if err := s.Fill(now, dst, variance, values.Data, mask); err != nil {
				return err
			}
			s.Surprise(scores)
			return nil
		}}
	})
}
