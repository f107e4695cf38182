package training

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/limit"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/predict"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// Calibrate is that of sgplvm.Trainer.
func (t *Trainer) Calibrate(ctx context.Context) error {
	earlier := t.calibration
	t.calibration = nil
	c, err := t.calibrated(ctx)
	if err != nil {
		t.calibration = earlier
		return err
	}
	t.calibration = c
	return nil
}

// calibrated finds the calibration in three passes over what examples left out say: the mean variances with first
// factors, then power and inflation over time, then the factors for what these leave to them. Of a film there is one pass:
// it tells the first factors, and the film itself learns where and when its variances are to grow.
func (t *Trainer) calibrated(ctx context.Context) (*predict.Calibration, error) {
	each := t.keptUnexplained(ctx, t.calibratedBy())
	sums, logs, err := t.leftOutSums(each, t.calibratedBy())
	if err != nil {
		return nil, err
	}
	c := &predict.Calibration{Factor: sums.factors()}
	for _, l := range logs {
		c.Mean = append(c.Mean, math.Exp(l))
	}
	if t.data.Motion != nil {
		c.Power, c.Inflation = 1, predict.Inflation{Ratios: make([]float64, t.evaluator.Data().Examples)}
		return c, nil
	}
	if err := t.calibrateInTime(each, c); err != nil {
		return nil, err
	}
	sums.square.Fill(0)
	sums.expected.Fill(0)
	at := t.params.X.At()
	inflations := c.Inflation.Over(at)
	err = each(func(example int, residual, variance mat.Matrix) {
		inflation := inflations(at[example], example)
		for i := range residual.Rows {
			for k, r := range residual.Row(i) {
				v := variance.At(i, k)
				sums.square.Set(i, k, sums.square.At(i, k)+r*r/(inflation*v*math.Pow(v/c.Mean[k], c.Power-1)))
				sums.expected.Set(i, k, sums.expected.At(i, k)+1)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	c.Factor = sums.factors()
	if i, k, bad := mat.NonFinite(c.Factor); bad {
		return nil, fmt.Errorf("sgplvm: calibration: factor %v at point %d, channel %d", c.Factor.At(i, k), i, k)
	}
	return c, nil
}

// calibratedBy tells which examples tell factors: those of a film that it examines, else all.
func (t *Trainer) calibratedBy() (wanted func(example int) bool) {
	if f := t.data.Motion; f != nil {
		return f.Examined()
	}
	return every
}

// leftOutSums are sums over examples that were left out, at the training points: of squared errors and of variances, n_s×d_y each in the user's units.
type leftOutSums struct {
	grid             field.Grid
	square, expected mat.Matrix
	examples         int
}

// An unexplained calls body as leftUnexplained does.
type unexplained func(body func(example int, residual, variance mat.Matrix)) error

// maxUnexplained is how many numbers of residuals and variances are kept, 64 MiB: more are computed again.
const maxUnexplained = 1 << 23

// keptUnexplained is leftUnexplained for several times.
func (t *Trainer) keptUnexplained(ctx context.Context, wanted func(example int) bool) unexplained {
	type leftOut struct {
		example            int
		residual, variance mat.Matrix
	}
	y := t.evaluator.Data()
	few, all := 2*y.Examples*y.Size() <= maxUnexplained, false
	var kept []leftOut
	return func(body func(example int, residual, variance mat.Matrix)) error {
		if all {
			for _, k := range kept {
				body(k.example, k.residual, k.variance)
			}
			return nil
		}
		err := t.leftUnexplained(ctx, wanted, func(example int, residual, variance mat.Matrix) {
			if few {
				kept = append(kept, leftOut{example, residual.Clone(), variance.Clone()})
			}
			body(example, residual, variance)
		})
		all = few && err == nil
		return err
	}
}

// leftOutSums returns those of the examples that are wanted, each of which is left out, and the mean logarithm of each channel's variances.
func (t *Trainer) leftOutSums(each unexplained, wanted func(example int) bool) (s leftOutSums, logs []float64, err error) {
	y := t.evaluator.Data()
	s = leftOutSums{grid: t.data.Grid, square: mat.New(y.Points, y.Channels), expected: mat.New(y.Points, y.Channels)}
	for i := range y.Examples {
		if wanted(i) {
			s.examples++
		}
	}
	all := s.examples * y.Points
	logs = make([]float64, y.Channels)
	err = each(func(_ int, residual, variance mat.Matrix) {
		mat.Parallel(residual.Cols, func(c int) {
			for i := range residual.Rows {
				r, v := residual.At(i, c), variance.At(i, c)
				s.square.Set(i, c, s.square.At(i, c)+r*r)
				s.expected.Set(i, c, s.expected.At(i, c)+v)
				logs[c] += math.Log(v) / float64(all)
			}
		})
	})
	return s, logs, err
}

// factors returns those under which squared errors are as large as expected.
func (s *leftOutSums) factors() mat.Matrix {
	return predict.Factors(s.grid, s.square, s.expected, s.examples)
}

// without returns the sums without an example, of which residual is what was left unexplained.
func (s *leftOutSums) without(residual, variance mat.Matrix) *leftOutSums {
	others := &leftOutSums{s.grid, s.square.Clone(), s.expected.Clone(), s.examples - 1}
	work.EachRow(residual.Rows, func(i int) {
		square, expected, v := others.square.Row(i), others.expected.Row(i), variance.Row(i)
		for c, r := range residual.Row(i) {
			square[c], expected[c] = max(square[c]-r*r, 0), max(expected[c]-v[c], 0)
		}
	})
	return others
}

// calibrateInTime sets power and inflation from one number each for every example: how large its squares
// are, and its variances.
func (t *Trainer) calibrateInTime(each unexplained, c *predict.Calibration) error {
	n := t.evaluator.Data().Examples
	ratios, sizes := make([]float64, n), make([]float64, n)
	err := each(func(example int, residual, variance mat.Matrix) {
		per := 1 / float64(residual.Rows*residual.Cols)
		for i := range residual.Rows {
			for k, r := range residual.Row(i) {
				v := variance.At(i, k)
				ratios[example] += per * r * r / (c.Factor.At(i, k) * v)
				sizes[example] += per * math.Log(v/c.Mean[k])
			}
		}
	})
	if err != nil {
		return err
	}
	_, slope := work.LogLinearVariance(ratios, sizes, -1, 1)
	c.Power = 1 + slope
	for i := range ratios {
		ratios[i] *= math.Exp(-(c.Power - 1) * sizes[i])
	}
	c.Inflation = predict.NewInflation(ratios, t.params.X.At())
	return nil
}

// CalibrateFilm finds where variances of the film's frames are too small or too large, and how their errors are
// correlated, by predicting every frame from the others. Progress may stop it.
func (t *Trainer) CalibrateFilm(ctx context.Context) error {
	leaveOut, err := t.leavingFramesOut(ctx)
	if err != nil {
		return err
	}
	f, err := t.data.Motion.Calibrated(ctx, leaveOut, func(done, total int) error {
		if step := t.Progress; step != nil && !step(field.Progress{Phase: FilmPhase, Iteration: done, Total: total, Bound: t.state.BestBound}) {
			return errStopped
		}
		if t.data.Clock.Over(limit.LeavingShare) {
			return errLate
		}
		return nil
	})
	if err == nil {
		t.film = f
	}
	if err == errStopped {
		t.stopped, err = true, nil
	} else if err == errLate {
		t.data.Clock.Unknown, err = true, nil
	}
	return err
}

// leavingFramesOut returns LeaveOneOut of a film's frames, each with the factors that the others tell: a frame would know by its own where it is wrong.
func (t *Trainer) leavingFramesOut(ctx context.Context) (film.LeaveOut, error) {
	if t.calibration == nil {
		return t.leaveSomeOut, nil
	}
	tells, c := t.calibratedBy(), t.calibration
	t.calibration = nil
	sums, _, err := t.leftOutSums(func(body func(example int, residual, variance mat.Matrix)) error {
		return t.leftUnexplained(ctx, tells, body)
	}, tells)
	t.calibration = c
	if err != nil || sums.examples < 2 {
		return t.leaveSomeOut, err
	}
	y, all := t.evaluator.Data(), t.calibration.Factor
	residual := mat.New(y.Points, y.Channels)
	return func(ctx context.Context, wanted func(example int) bool, body func(example int, mean, variance mat.Matrix) error) error {
		return t.leaveSomeOut(ctx, wanted, func(example int, mean, variance mat.Matrix) error {
			if !tells(example) {
				return body(example, mean, variance)
			}
			if err := y.ReadRaw(residual.Data, example, example+1); err != nil {
				return err
			}
			mat.Add(residual, residual, -1, mean)
			for k, f := range all.Data {
				variance.Data[k] /= f
			}
			for k, f := range sums.without(residual, variance).factors().Data {
				variance.Data[k] *= f
			}
			return body(example, mean, variance)
		})
	}, nil
}

// FilmPhase is the phase that Progress tells of meanwhile. Interrupted, it begins anew.
const FilmPhase = "film"

// errStopped ends what Progress stops.
var errStopped = errors.New("stopped")

// errLate says that the limit of the run has come.
var errLate = errors.New("late")
