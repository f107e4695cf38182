package simple

import (
	"context"
	"math"
	"math/rand/v2"
	"time"

	"github.com/seed-08962ecc/kronfield/mat"
)

const (
	tryRounds     = 8       // of EM with each number of components that is tried
	lastRounds    = 60      // at most with the number chosen
	lastTolerance = 1e-3    // relative change of the noise that ends them
	realFall      = 0.9     // of the noise by each further component, which goes on with the search
	patience      = 3       // numbers without a better error that end the search
	triedValues   = 1 << 18 // of so many, and at least so many examples, the number of components is chosen
	triedExamples = 200
	judgedValues  = 500 // that are hidden at least, in several trials where one has too few
	maxTrials     = 10
	maxMoments    = 1 << 24 // numbers in second moments of the components, one of each column, which bound their number
	maxWork       = 1 << 27 // multiplications of a round with a number that is tried, with an inverse for each column: up to 26 of 300 faces of 560 pixels, 19 of 50 frames of 3000
)

// A Start is principal components of some data, for all methods that begin with them, one after the other: their number is chosen once, and they are fitted once to all that was
// observed. The zero value is one of no data yet.
type Start struct {
	digest  uint64 // of the data
	moments *moments
	chosen  choice
	fitted  *factors // nil: they were not yet
}

// start returns what components begin with, that of the data if it was begun already.
func (d *Data) start() *Start {
	s := d.Start
	if s == nil {
		s = new(Start)
	}
	if digest := d.digest(); s.digest != digest {
		*s = Start{digest: digest}
	}
	return s
}

// digest tells apart what components depend on (FNV-1a, by words).
func (d *Data) digest() uint64 {
	sum := uint64(14695981039346656037)
	add := func(v uint64) { sum = (sum ^ v) * 1099511628211 }
	add(d.Seed)
	add(uint64(d.Y.Cols))
	add(uint64(d.Points.Rows))
	for i := range d.Y.Rows {
		y := d.Y.Row(i)
		for j, missing := range d.missing(i) {
			if missing {
				add(1)
			} else {
				add(math.Float64bits(y[j]))
			}
		}
	}
	return sum
}

// of returns components of d, which are those of all data or of some of the examples, not yet fitted to these, with what was chosen on all.
func (s *Start) of(ctx context.Context, all, d Data) (e *em, err error) {
	if s.moments == nil {
		m := all.moments()
		if s.chosen, err = chosenComponents(ctx, all, m); err != nil {
			return nil, err
		}
		s.moments = m
	}
	e = newEM(d, s.moments)
	e.model = s.chosen.model
	return e, nil
}

// fillComponents is probabilistic principal component analysis by variational EM with missing values (M. E. Tipping and C. M. Bishop, Journal of the Royal
// Statistical Society B 61(3), 1999; A. Ilin and T. Raiko, Journal of Machine Learning Research 11, 2010), with a noise variance for
// each column, so that units do not matter (D. B. Rubin and D. T. Thayer, Psychometrika 47(1), 1982). Weights of neighbouring points
// are alike. Hidden values choose the number of components, and a factor of all variances of examples partly seen.
func (s *Start) fillComponents(ctx context.Context, d Data, mean, variance mat.Matrix) error {
	e, err := s.of(ctx, d, d)
	if err != nil {
		return err
	}
	if s.fitted != nil {
		e.model = *s.fitted
	} else if err := e.climb(ctx, lastRounds, lastTolerance); err != nil {
		return err
	}
	s.fitted = &e.model
	return e.fill(ctx, mean, variance, s.chosen.scale)
}

// chosenComponents chooses components of some of the examples by hidden values.
func chosenComponents(ctx context.Context, d Data, m *moments) (choice, error) {
	some := d.some(max(triedExamples, triedValues/d.Y.Cols))
	scales := m.scales(d.parts()) // points whose values hardly vary count for no more than others
	var trials []*trial
	truth := some
	for judged := 0; len(trials) == 0 || judged < judgedValues && len(trials) < maxTrials; {
		left, cells := truth.hide()
		trials = append(trials, &trial{e: newEM(left, m), cells: cells})
		judged += len(cells)
		truth.Seed++
	}
	return chooseComponents(ctx, trials, truth, scales)
}

// momentsKept is how many models there are at a time, about, as measured (docs/measurements.md, "Memory").
const momentsKept = 5

// Memory is about how many bytes it takes at most to fill in n examples of p columns: what grows with the components are second moments of each column, in several models; local
// regression has its references five times, and standardises all examples beside means and variances.
func Memory(n, p int) float64 {
	tried, q := min(n, max(triedExamples, triedValues/p)), float64(min(n, p))
	return 8*momentsKept*min(maxMoments, maxWork/float64(tried), float64(p)*q*q) + 8*float64(p)*float64(5*min(n, maxReferences)+3*n)
}

// A round of components is how all methods together are foretold: in fields, maps and faces they took 118 to 226 of rounds with 4 components, and 430 and 680 where 19 and 31 were found.
const roundsForetold, foretoldComponents = 200, 4

// Foretold is about how long all methods take together to fill in the data.
func Foretold(d Data) time.Duration {
	some := d.some(max(triedExamples, triedValues/d.Y.Cols))
	e := newEM(some, d.moments())
	e.grow(min(foretoldComponents, some.Y.Rows, some.Y.Cols), rand.New(rand.NewPCG(d.Seed, 0)))
	begin := time.Now()
	if _, err := e.round(); err != nil {
		return 0 // which filling in says
	}
	return roundsForetold * time.Since(begin)
}

// A choice is a model and how it predicts hidden values.
type choice struct {
	model   factors
	squares float64 // of its errors, over the scales of the columns
	scale   float64 // by what factor squared errors exceed the variances told
}

// some returns every so manyeth example, about so many.
func (d Data) some(most int) Data {
	step := (d.Y.Rows + most - 1) / most
	if step == 1 {
		return d
	}
	n := (d.Y.Rows + step - 1) / step
	some := d
	some.Y = mat.New(n, d.Y.Cols)
	some.Missing = nil
	for i := range n {
		copy(some.Y.Row(i), d.Y.Row(i*step))
		some.Missing = append(some.Missing, d.missing(i*step)...)
	}
	some.Times, some.Sequences = nil, nil
	return some
}

// A trial is a fit without hidden values.
type trial struct {
	e     *em
	cells []int // hidden

	squares, chi float64 // of errors of the hidden values, over the scales of the columns and over the variances told
}

// judge fits the model further, and predicts the hidden values.
func (t *trial) judge(ctx context.Context, truth Data, scales []float64) error {
	n, p := truth.Y.Rows, truth.Y.Cols
	mean, variance := mat.New(n, p), mat.New(n, p)
	if err := t.e.climb(ctx, tryRounds, lastTolerance); err != nil {
		return err
	}
	if err := t.e.fill(ctx, mean, variance, 1); err != nil {
		return err
	}
	t.squares, t.chi = 0, 0
	for _, k := range t.cells {
		i, j := k/p, k%p
		r := square(truth.Y.At(i, j) - mean.At(i, j))
		t.squares += r / scales[j]
		t.chi += r / variance.At(i, j)
	}
	return nil
}

// chooseComponents adds components as long as hidden values are predicted better, or better than without any while the noise falls. It returns the best model of the first trial.
func chooseComponents(ctx context.Context, trials []*trial, truth Data, scales []float64) (best choice, err error) {
	n, p := truth.Y.Rows, truth.Y.Cols
	last, from, since, first := math.Inf(1), 0, 0, math.Inf(1)
	rng := rand.New(rand.NewPCG(truth.Seed, 0x656d))
	for q := 0; q < min(n, p) && since < patience && p*q*q <= min(maxMoments, maxWork/(n+2*q)); q += max(1, q/5) {
		for _, t := range trials {
			if q > 0 {
				t.e.grow(q-t.e.model.w.Cols, rng)
			}
		}
		failures := make([]error, len(trials))
		mat.Parallel(len(trials), func(k int) { failures[k] = trials[k].judge(ctx, truth, scales) })
		var squares, chi, count float64
		for k, t := range trials {
			if failures[k] != nil {
				return best, failures[k]
			}
			squares, chi, count = squares+t.squares, chi+t.chi, count+float64(len(t.cells))
		}
		if q == 0 {
			first = squares
		}
		since++
		if noise := trials[0].e.last; squares < first && noise < math.Pow(realFall, float64(q-from))*last {
			since, last, from = 0, noise, q
		}
		if squares < best.squares || q == 0 {
			since, best = 0, choice{model: trials[0].e.model, squares: squares, scale: 1}
			if count > 0 {
				best.scale = chi / count
			}
		}
	}
	return best, nil
}
