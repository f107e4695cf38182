package sgplvm

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
)

// A teller keeps how long it was told that a run takes, and whether that was before any candidate.
type teller struct {
	unwatched
	told  []time.Duration
	lines int
	late  bool
}

func (l *teller) Forecast(d time.Duration, _ bool) {
	l.told, l.late = append(l.told, d), l.late || l.lines > 0
}

func (l *teller) Tell(string) { l.lines++ }

// The time of a search is told before its first candidate, and is in the report.
func TestForetold(t *testing.T) {
	film := Data{Source: NewSource(drawKind(filmKinds[0], line(5).Data), 5, filmWidth*filmHeight, 1), Grid: pixelsOf(filmWidth, filmHeight, 1), Film: true}
	for name, c := range map[string]set{
		"pictures": {waves(14), Config{LatentDims: 2, Effort: EffortQuick, Training: steps(3)}},
		"in time":  {waves(14).at(line(14).Data, nil), Config{LatentDims: 2, Effort: EffortQuick, Training: steps(3)}},
		"a film":   {film, Config{LatentDims: 2, Training: steps(3)}},
	} {
		watch := new(teller)
		_, report, err := Run{Watch: watch}.Fit(context.Background(), c.data, c.config)
		if err != nil {
			t.Fatal(err)
		}
		if len(watch.told) != 1 || watch.late || !(report.Forecast > 0) || report.Forecast != watch.told[0] {
			t.Errorf("%s: told %v, after a candidate: %v; forecast %v", name, watch.told, watch.late, report.Forecast)
		}
	}
}

// What is expected is as many times as much as each piece of work, and more where there is more to do.
func TestExpected(t *testing.T) {
	for _, effort := range []Effort{EffortQuick, EffortNormal, EffortThorough} {
		s := newSearch(t, waves(24), Config{Effort: effort, LatentDims: 2})
		j, err := newFillValidator(s)
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
		s.data.holes = new(completion.Mask) // of which few examples are asked for no more steps
		if d := s.expected(j, p, cfg, q); effort == EffortNormal && d >= one {
			t.Errorf("%v: %v, with holes %v", effort, one, d)
		}
	}
	s := newSearch(t, waves(24), Config{Effort: EffortNormal, LatentDims: 2})
	j, err := newFillValidator(s)
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
		cfg := Config{Training: TrainingConfig{Iterations: 100, Warmup: warmup}}
		if got, want := (probe{held: time.Second, validated: time.Minute}).inTime(cfg), 1e9*(60+held); math.Abs(got-want) > 1 {
			t.Errorf("in time with a warm-up of %d steps %v, expected %v", warmup, time.Duration(got), time.Duration(want))
		}
	}
}

// The eigenproblem of a learned covariance is measured where most of training is at some points, and nowhere else.
func TestProbeDense(t *testing.T) {
	s := newSearch(t, waves(24), Config{Effort: EffortQuick, LatentDims: 2})
	j, err := newFillValidator(s)
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
	for _, factors := range []Factors{"", FactorsProduct} {
		s := newSearch(t, fieldsInTime(true, 12, 6, 5), Config{Effort: EffortNormal, Factors: factors})
		options := s.partlyOptions(s.plainInTime())
		d, err := s.expectedPartly(s.plainInTime())
		if err != nil || d <= 0 || len(options) != map[Factors]int{"": 5, FactorsProduct: 3}[factors] {
			t.Errorf("factors %q: %v for %d candidates, error %v", factors, d, len(options), err)
		}
	}
}

// A source that fails while a step is measured ends the search; what cannot be trained is the first candidate's matter.
func TestForetellFails(t *testing.T) {
	s := newSearch(t, waves(14), Config{Effort: EffortQuick})
	for _, c := range []struct {
		err  error
		want bool
	}{{&ReadError{Err: errSource}, true}, {errors.New("of any other kind"), false}, {nil, false}} {
		s.run.clock = &clock{begin: time.Now(), watch: unwatched{}}
		err := s.foretell(func() (time.Duration, error) { return time.Second, c.err })
		if (err != nil) != c.want || (s.run.clock.told > 0) != (c.err == nil) {
			t.Errorf("%v: error %v, forecast %v", c.err, err, s.run.clock.told)
		}
	}
}

// Where most of training is at some points of a film, all of them take as long for a few steps alone.
func TestLongerAtAll(t *testing.T) {
	s := &search{data: trainingSet{Data: Data{Grid: pixels(10, 6)}}}
	for coarse, want := range map[int]float64{-1: 4, 0: 4, 20: 20./15 + 4./8, 60: 4, 100: 4} {
		cfg := Config{Training: steps(100)}
		cfg.Training.CoarsePoints = coarse
		if got := s.longerAtAll(cfg, pixels(5, 3)); math.Abs(got-want) > 1e-12 {
			t.Errorf("with %d points of coarse training %v times as long, expected %v", coarse, got, want)
		}
	}
	cfg := Config{Training: TrainingConfig{CoarsePoints: 20}}
	if got, want := s.longerAtAll(cfg, pixels(5, 3)), 20./15+4*float64(coarseRounds*(latentSteps+jointSteps))/defaultIterations; math.Abs(got-want) > 1e-12 {
		t.Errorf("of as many steps as nobody says %v times as long, expected %v", got, want)
	}
}

// What is learned of a film after training is foretold too, and of data that are none nothing.
func TestExpectedFilm(t *testing.T) {
	if d := expectedFilm(nil); d != 0 {
		t.Errorf("%v of no film", d)
	}
	for _, n := range []int{2, 5} {
		times := line(n).Data
		d, err := register(t.Context(), trainingSet{Data: Data{Source: NewSource(drawKind(filmKinds[0], times), n, filmWidth*filmHeight, 1), Grid: pixelsOf(filmWidth, filmHeight, 1), Times: times, Film: true}}, 0)
		if err != nil {
			t.Fatal(err)
		}
		if d := expectedFilm(d.film); (d > 0) != (n > 2) {
			t.Errorf("%v of %d frames", d, n)
		}
	}
}
