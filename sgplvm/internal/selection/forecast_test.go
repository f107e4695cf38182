package selection

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/training"
)

// What is expected is as many times as much as each piece of work, and more where there is more to do.
func TestExpected(t *testing.T) {
	for _, effort := range []field.Effort{field.EffortQuick, field.EffortNormal, field.EffortThorough} {
		s := newSearch(t, waves(24), training.Settings{Effort: effort, LatentDims: 2})
		j, err := s.thinnedFolds(1)
		if err != nil {
			t.Fatal(err)
		}
		cfg, q := s.structures()
		p := probe{held: time.Millisecond, free: 10 * time.Millisecond, filled: 3 * time.Millisecond}
		one := s.expected(j, p, cfg, q)
		if twice := s.expected(j, probe{held: 2 * p.held, free: 2 * p.free, filled: 2 * p.filled}, cfg, q); (twice-2*one).Abs() > time.Microsecond || one <= 0 {
			t.Errorf("%v: %v, of everything twice as long %v", effort, one, twice)
		}
		for name, slower := range map[string]probe{"held": {held: 2 * p.held, free: p.free, filled: p.filled}, "free": {held: p.held, free: 2 * p.free, filled: p.filled}, "filled": {held: p.held, free: p.free, filled: 2 * p.filled}} {
			if d := s.expected(j, slower, cfg, q); d <= one {
				t.Errorf("%v: %v, with a longer %s %v", effort, one, name, d)
			}
		}
		longer := cfg
		longer.Training.Iterations *= 2
		if d := s.expected(j, p, longer, q); d <= one {
			t.Errorf("%v: %v, of twice as many steps %v", effort, one, d)
		}
		s.data.Holes = new(completion.Mask) // of which few examples are asked for no more steps
		if d := s.expected(j, p, cfg, q); effort == field.EffortNormal && d >= one {
			t.Errorf("%v: %v, with holes %v", effort, one, d)
		}
	}
	s := newSearch(t, waves(24), training.Settings{Effort: field.EffortNormal, LatentDims: 2})
	j, err := s.thinnedFolds(1)
	if err != nil {
		t.Fatal(err)
	}
	cfg, q := s.structures()
	cfg.Training.CoarsePoints = 5
	p := probe{held: time.Millisecond, free: 11 * time.Millisecond, dense: time.Millisecond, filled: 3 * time.Millisecond}
	slower := func(by probe) time.Duration {
		return s.expected(j, probe{held: p.held, free: p.free + by.free, dense: p.dense + by.dense, filled: p.filled}, cfg, q) - s.expected(j, p, cfg, q)
	}
	const longer = 10 * time.Millisecond
	free, dense := slower(probe{free: longer}), slower(probe{dense: longer})
	if dense != 0 {
		t.Errorf("%v of dense eigenproblems at all points, expected none", dense)
	}
	j.folds[0].data.Source = sized{22, 5, 1} // a quarter of the points: at all an eigenproblem takes 64 times as long, and twice there is the work
	folds := time.Duration(len(j.folds))
	if d, want := slower(probe{free: longer}), 2*64*longer/folds; d < want || d > want+2*free {
		t.Errorf("%v at a quarter of the points, %v at all, expected %v more", d, free, want)
	}
	if d, want := slower(probe{dense: longer}), time.Duration(2*64*learnNoise*float64(cfg.Residual.Rounds)*float64(longer)); (d - want).Abs() > time.Microsecond {
		t.Errorf("%v of dense eigenproblems at a quarter of the points, expected %v", d, want)
	}
	for warmup, held := range map[int]float64{0: 100 - 25*3./23, 54: 100 - 46*3./23, 100: 100} { // of the steps after the warm-up 3 in 23 are free; by default these are 25
		cfg := training.Settings{Training: training.Training{Iterations: 100, Warmup: warmup}}
		if got, want := (probe{held: time.Second, validated: time.Minute}).inTime(cfg), 1e9*(60+held); math.Abs(got-want) > 1 {
			t.Errorf("in time with a warm-up of %d steps %v, expected %v", warmup, time.Duration(got), time.Duration(want))
		}
	}
}

// The eigenproblem of a learned covariance is measured where most of training is at some points, and nowhere else.
func TestProbeDense(t *testing.T) {
	s := newSearch(t, waves(24), training.Settings{Effort: field.EffortQuick, LatentDims: 2})
	j, err := s.thinnedFolds(1)
	if err != nil {
		t.Fatal(err)
	}
	cfg, _ := s.structures()
	for _, coarse := range []int{0, 5} {
		cfg.Training.CoarsePoints = coarse
		if p, err := j.probe(t.Context(), cfg); err != nil || (p.dense > 0) != (coarse > 0) {
			t.Errorf("%d points of coarse training: %v, error %v", coarse, p.dense, err)
		}
	}
}

// Of more examples steps take longer, but not what is done at all points.
func TestProbeOfExamples(t *testing.T) {
	p := probe{held: time.Second, free: 5 * time.Second, dense: 9 * time.Second, filled: time.Minute, validated: time.Hour}
	if got, want := p.ofExamples(3), (probe{held: 3 * time.Second, free: 7 * time.Second, dense: 9 * time.Second, filled: time.Minute, validated: time.Hour}); got != want {
		t.Errorf("%v, expected %v", got, want)
	}
}

// The choice of a model for examples seen in part takes time, with as many candidates as are tried.
func TestExpectedPartly(t *testing.T) {
	for _, factors := range []field.Factors{"", field.FactorsProduct} {
		s := newSearch(t, correlated(12, 6, 5).at(line(12).Data, nil), training.Settings{Effort: field.EffortNormal, Factors: factors})
		options := s.partlyOptions(s.plainInTime())
		d, err := s.expectedPartly(s.plainInTime())
		if err != nil || d <= 0 || len(options) != map[field.Factors]int{"": 5, field.FactorsProduct: 3}[factors] {
			t.Errorf("factors %q: %v for %d candidates, error %v", factors, d, len(options), err)
		}
	}
}

// A source that fails while a step is measured ends the search; what cannot be trained is the first candidate's matter. What comes after counts.
func TestForetell(t *testing.T) {
	s := newSearch(t, waves(14), training.Settings{Effort: field.EffortQuick})
	s.run.After = func() time.Duration { return time.Minute }
	for _, c := range []struct {
		err  error
		want bool
	}{{&field.ReadError{Err: errSource}, true}, {errors.New("of any other kind"), false}, {nil, false}} {
		told := time.Duration(0)
		s.run.Forecast = func(d time.Duration) { told = d }
		err := s.foretell(func() (time.Duration, error) { return time.Second, c.err })
		if (err != nil) != c.want || (told == time.Second+time.Minute) != (c.err == nil) {
			t.Errorf("%v: error %v, forecast %v", c.err, err, told)
		}
	}
}
