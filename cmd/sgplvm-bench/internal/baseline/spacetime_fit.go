package baseline

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/lbfgs"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

const (
	// Steps of L-BFGS at most: on the excerpt, for each choice of correlations and for the best
	// one; on all pixels, with the length scales of space fixed and with all of them free.
	choiceSteps, excerptSteps, timeSteps, allSteps = 20, 40, 12, 8
)

// Correlations and starting points are tried on an excerpt: at most as many runs of
// neighbouring rows and columns, spread over the frames, and of this length. Tests lower it.
var excerptRuns, excerptLength = 4, 16

// timeStarts are length scales in time to start from, in median spacings.
var timeStarts = []float64{2, 6, 20, 60}

// fitSpaceTime maximises the marginal likelihood: on an excerpt, which is a sample of the
// same process, for each choice of correlations from the likeliest starting point and for
// the best one from all of them; then on all pixels, first with the length scales of space
// fixed.
func fitSpaceTime(ctx context.Context, f *standardised, o FilmOptions) (*spaceTime, []Parameter, error) {
	n := f.y.Rows
	values := kronprod.Shaped(f.y.Data, n, f.channels, f.height, f.width)
	x := coordinates(f.times, values)
	rows, columns := runs(f.height), runs(f.width)
	part := excerpt(values, rows, columns)
	partX := [axesCount][]float64{f.times, gather(x[rowAxis], rows), gather(x[columnAxis], columns)}
	choices := kindChoices()
	unit := spacing(f.times)
	var best *structure
	var theta []float64
	lowest := math.Inf(1)
	total, done := len(choices)+len(timeStarts), 0
	try := func(s *structure, start []float64, steps int) error {
		r, err := s.maximise(ctx, start, true, steps, nil)
		if err == nil && r.F < lowest {
			best, theta, lowest = s, r.X, r.F
		}
		done++
		o.Progress("correlations and starting points", done, total)
		return err
	}
	starts := make([][]float64, len(timeStarts))
	for k, l := range timeStarts {
		starts[k] = []float64{0, math.Log(0.01), math.Log(l * unit), math.Log(8), math.Log(8)}
	}
	for _, kinds := range choices {
		s := newStructure(part, kinds, partX)
		likeliest := slices.MinFunc(starts, func(a, b []float64) int { return cmp.Compare(s.value(a), s.value(b)) })
		if err := try(s, likeliest, choiceSteps); err != nil {
			return nil, nil, err
		}
	}
	for _, start := range starts {
		if best == nil {
			break
		}
		if err := try(best, start, excerptSteps); err != nil {
			return nil, nil, err
		}
	}
	if best == nil {
		return nil, nil, fmt.Errorf("baseline: the marginal likelihood is not finite for any of %d choices of correlations", len(choices))
	}
	s := newStructure(values, best.kinds, x)
	for _, stage := range []struct {
		doing string
		space bool
		steps int
	}{{"marginal likelihood in time", false, timeSteps}, {"marginal likelihood", true, allSteps}} {
		r, err := s.maximise(ctx, theta, stage.space, stage.steps, func(done int) { o.Progress(stage.doing, done, stage.steps) })
		if err != nil {
			return nil, nil, err
		}
		theta = r.X
	}
	parameters := []Parameter{
		{"signal variance", math.Exp(theta[logSignal])},
		{"noise variance", math.Exp(theta[logNoise]) + minNoise},
	}
	for k, name := range []string{"in time", "of rows", "of columns"} {
		parameters = append(parameters, Parameter{fmt.Sprintf("%s length scale %s", s.kinds[k], name), math.Exp(theta[logLength+k])})
	}
	p, err := s.posterior(theta)
	return p, parameters, err
}

// kindChoices returns all choices of correlations, the same for rows and columns.
func kindChoices() (list [][axesCount]kernel.Kind) {
	for _, t := range timeKinds {
		for _, s := range spaceKinds {
			list = append(list, [axesCount]kernel.Kind{t, s, s})
		}
	}
	return list
}

// coordinates returns times and pixels of a tensor n × d_y × height × width.
func coordinates(times []float64, y kronprod.Tensor) [axesCount][]float64 {
	return [axesCount][]float64{times, centres(y.Dims[2], y.Dims[2]), centres(y.Dims[3], y.Dims[3])}
}

// excerpt returns the values at some rows and columns.
func excerpt(y kronprod.Tensor, rows, columns []int) kronprod.Tensor {
	h, w := y.Dims[2], y.Dims[3]
	dst := kronprod.NewTensor(y.Dims[0], y.Dims[1], len(rows), len(columns))
	for p := range y.Dims[0] * y.Dims[1] {
		for i, r := range rows {
			row := dst.Data[(p*len(rows)+i)*len(columns):][:len(columns)]
			for k, c := range columns {
				row[k] = y.Data[(p*h+r)*w+c]
			}
		}
	}
	return dst
}

// runs returns up to excerptRuns·excerptLength of n numbers: runs of neighbours spread evenly.
func runs(n int) []int {
	var list []int
	if n <= excerptRuns*excerptLength {
		for i := range n {
			list = append(list, i)
		}
		return list
	}
	for k := range excerptRuns {
		first := k * (n - excerptLength) / (excerptRuns - 1)
		for i := range excerptLength {
			list = append(list, first+i)
		}
	}
	return list
}

// maximise runs L-BFGS on the marginal likelihood, over the length scales of space too if
// space is set.
func (s *structure) maximise(ctx context.Context, theta []float64, space bool, steps int, progress func(done int)) (lbfgs.Result, error) {
	count := variables
	if !space {
		count = logLength + 1 // those of rows and columns come last
	}
	full, gradient := slices.Clone(theta), make([]float64, variables)
	r, err := lbfgs.Minimize(ctx, func(x, grad []float64) float64 {
		copy(full, x)
		value := s.objective(full, gradient, space)
		copy(grad, gradient)
		return value
	}, theta[:count], lbfgs.Options{MaxIterations: steps, GradTolerance: 1e-6, RelativeDecrease: -1, InitialStep: 0.5,
		Progress: func(p lbfgs.Progress) bool {
			if progress != nil {
				progress(p.Iteration)
			}
			return true
		}})
	if ctx.Err() != nil {
		return r, ctx.Err()
	}
	if err != nil {
		return r, fmt.Errorf("baseline: marginal likelihood: %w", err)
	}
	r.X = append(r.X, theta[count:]...)
	return r, nil
}

// value is objective without a gradient, +Inf where that is not finite.
func (s *structure) value(theta []float64) float64 {
	v := s.objective(theta, make([]float64, variables), false)
	if math.IsNaN(v) {
		return math.Inf(1)
	}
	return v
}
