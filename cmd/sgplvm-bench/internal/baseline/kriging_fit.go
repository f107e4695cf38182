package baseline

import (
	"context"
	"errors"
	"math"

	"github.com/seed-08962ecc/kronfield/chol"
)

// scaled returns the data with points and times in mean spacings. Without times pictures are so far apart that
// they have only what is persistent in common.
func (d Incomplete) scaled() (s Incomplete, timed bool) {
	s = d
	s.Points = inSpacings(d.Points)
	low, high := 0.0, 0.0
	if len(d.Times) > 0 {
		low, high = d.Times[0], d.Times[0]
	}
	for _, t := range d.Times {
		low, high = min(low, t), max(high, t)
	}
	timed = high > low
	s.Times = make([]float64, d.Pictures.Rows)
	for i := range s.Times {
		s.Times[i] = float64(i)
		if timed {
			s.Times[i] = (d.Times[i] - low) * float64(d.Pictures.Rows-1) / (high - low)
		}
	}
	return s, timed
}

// krige predicts values of all channels.
func krige(ctx context.Context, d Incomplete, p krigingParameters, list []cell) (mean, variance []float64, err error) {
	mean, variance = make([]float64, len(list)), make([]float64, len(list))
	for c := range d.Channels {
		var some []cell
		var place []int
		for k, x := range list {
			if x.value%d.Channels == c {
				some, place = append(some, x), append(place, k)
			}
		}
		mu, v := make([]float64, len(some)), make([]float64, len(some))
		if err := newKriging(d, c, p).cells(ctx, some, mu, v); err != nil {
			return nil, nil, err
		}
		for k, to := range place {
			mean[to], variance[to] = mu[k], v[k]
		}
	}
	return mean, variance, nil
}

// completeKriging selects the covariance by the densities of hidden values, and fills in what is missing.
func completeKriging(ctx context.Context, d Incomplete, o HoleOptions) (Completion, error) {
	s, timed := d.scaled()
	h := hideSome(s, o.Seed)
	left := s
	left.Pictures = h.pictures
	cells, truth := h.some(o.Most)
	axes := krigingAxes(d.Points.Cols, timed)
	scores := map[float64]score{} // by loss, to find that of the best
	loss := func(index []int) (float64, error) {
		mean, variance, err := krige(ctx, left, krigingOf(valuesAt(axes, index), d.Points.Cols, timed), cells)
		var bad *chol.NotPositiveDefiniteError
		switch {
		case errors.As(err, &bad):
			return math.Inf(1), nil // too smooth for so little noise
		case err != nil:
			return 0, err
		}
		sum := judge(truth, mean, variance)
		v := sum.negativeLogDensity()
		scores[v] = sum
		return v, nil
	}
	index, lowest, err := walk(axes, loss)
	if err != nil {
		return Completion{}, err
	}
	best := valuesAt(axes, index)
	missing := missingCells(d.Pictures)
	mean, variance, err := krige(ctx, s, krigingOf(best, d.Points.Cols, timed), missing)
	if err != nil {
		return Completion{}, err
	}
	scale := scores[lowest].scale()
	c := Completion{Prediction: put(d, missing, mean, variance, scale)}
	for a, x := range axes {
		c.Parameters = append(c.Parameters, Parameter{x.name, best[a]})
	}
	c.Parameters = append(c.Parameters, Parameter{"variance factor", scale})
	return c, nil
}
