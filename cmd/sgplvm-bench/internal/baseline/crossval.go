package baseline

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
)

// A conditional is a fitted distribution of complete pictures that is asked for
// missing values. Many goroutines may ask at once.
type conditional interface {
	// fill sets mean and variance (noise included) of the missing values, b×|missing|
	// each, given the seen ones, b×|seen|, of b pictures with one pattern.
	fill(mean, variance, seen mat.Matrix, p pattern) error
}

// A fitter fits a kind of model to training pictures, as far as its parameters do
// not matter, and returns what does the rest for one value of each parameter.
type fitter func(pictures mat.Matrix) (func(parameters []float64) (conditional, error), error)

// An axis is a parameter with the values among which cross-validation selects.
type axis struct {
	name   string
	values []float64
	start  int // index of the value from which the search starts
}

// validation is cross-validation of one kind of model on one set of pictures.
type validation struct {
	tasks []task
	axes  []axis
	known map[string]score // by indices of the parameters
}

// A task is one mask put on some pictures of one fold.
type task struct {
	model    func(parameters []float64) (conditional, error) // fitted without the fold
	pictures mat.Matrix                                      // those with the mask
	pattern  pattern
}

// score is what residuals r and predicted variances v say of parameters.
type score struct {
	count   int
	logs    float64 // Σ ½·log v
	chi     float64 // Σ r²/v
	failure error   // the model cannot be fitted with these parameters
}

// negativeLogDensity is the mean of −log N(r | 0, c²·v) at the best scale c² of
// all variances, which is the mean of r²/v.
func (s score) negativeLogDensity() float64 {
	if s.failure != nil {
		return math.Inf(1)
	}
	return s.logs/float64(s.count) + 0.5*math.Log(2*math.Pi*s.scale()) + 0.5
}

// scale is the best c². Pictures that are all alike leave no residuals, but are
// not known to the last bit.
func (s score) scale() float64 { return max(s.chi/float64(s.count), 1e-4) }

// A selected is what cross-validation has found.
type selected struct {
	parameters []float64
	scale      float64 // c²
}

// selectParameters returns the best parameters of a kind of model for training pictures.
func selectParameters(ctx context.Context, d Data, o Options, axes []axis, fit fitter) (selected, error) {
	v, err := newValidation(ctx, d.Pictures, o, axes, fit)
	if err != nil {
		return selected{}, err
	}
	var best selected
	if best.parameters, err = v.search(ctx); err != nil {
		return selected{}, err
	}
	s, err := v.measure(ctx, best.parameters)
	if err == nil {
		err = s.failure
	}
	if err != nil {
		return selected{}, err
	}
	best.scale = s.scale()
	return best, nil
}

// newValidation divides the pictures into folds and fits the kind of model
// without each of them.
func newValidation(ctx context.Context, y mat.Matrix, o Options, axes []axis, fit fitter) (*validation, error) {
	rng := rand.New(rand.NewPCG(o.Seed, 0x626173656c696e65))
	order := rng.Perm(y.Rows)
	masks, folds := o.Masks, o.Folds
	perFold := max(1, o.Cases/folds)
	v := &validation{axes: axes, known: map[string]score{}}
	for f := range folds {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		fold := order[f*y.Rows/folds : (f+1)*y.Rows/folds]
		model, err := fit(withoutRows(y, slices.Sorted(slices.Values(fold))))
		if err != nil {
			return nil, err
		}
		// Masks of a fold take its pictures in turn. One mask is put on several
		// pictures, which then share all work that depends on the mask.
		count := min(max(1, len(masks)/folds), perFold)
		next := 0
		for k := range count {
			t := task{model: model, pattern: patternOf(masks[(f*count+k)%len(masks)])}
			size := min(len(fold), (k+1)*perFold/count-k*perFold/count)
			t.pictures = mat.New(size, y.Cols)
			for i := range size {
				r := fold[next%len(fold)]
				mat.Copy(t.pictures.Slice(i, i+1, 0, y.Cols), y.Slice(r, r+1, 0, y.Cols))
				next++
			}
			v.tasks = append(v.tasks, t)
		}
	}
	return v, nil
}

// measure scores parameters.
func (v *validation) measure(ctx context.Context, parameters []float64) (score, error) {
	scores := make([]score, len(v.tasks))
	mat.Parallel(len(v.tasks), func(k int) {
		if ctx.Err() != nil {
			return
		}
		t, s := v.tasks[k], &scores[k]
		model, err := t.model(parameters)
		b, m := t.pictures.Rows, len(t.pattern.missing)
		mean, variance := mat.New(b, m), mat.New(b, m)
		if err == nil {
			err = model.fill(mean, variance, columns(t.pictures, t.pattern.seen), t.pattern)
		}
		if err != nil {
			s.failure = err
			return
		}
		truth := columns(t.pictures, t.pattern.missing)
		for i := range b {
			for j, y := range truth.Row(i) {
				r, w := y-mean.At(i, j), variance.At(i, j)
				s.count++
				s.logs += 0.5 * math.Log(w)
				s.chi += r * r / w
			}
		}
	})
	if err := ctx.Err(); err != nil {
		return score{}, err
	}
	var sum score
	for _, s := range scores {
		sum.count += s.count
		sum.logs += s.logs
		sum.chi += s.chi
		if sum.failure == nil {
			sum.failure = s.failure
		}
	}
	return sum, nil
}

// look scores the parameters with the given indices, once.
func (v *validation) look(ctx context.Context, index []int) (float64, error) {
	key := fmt.Sprint(index)
	s, found := v.known[key]
	if !found {
		var err error
		if s, err = v.measure(ctx, valuesAt(v.axes, index)); err != nil {
			return 0, err
		}
		v.known[key] = s
	}
	return s.negativeLogDensity(), nil
}

// search returns the parameters that a walk finds.
func (v *validation) search(ctx context.Context) ([]float64, error) {
	if len(v.axes) == 0 {
		return nil, nil
	}
	index, _, err := walk(v.axes, func(index []int) (float64, error) { return v.look(ctx, index) })
	if err != nil {
		return nil, err
	}
	return valuesAt(v.axes, index), nil
}

// valuesAt returns the values of axes with the given indices.
func valuesAt(axes []axis, index []int) []float64 {
	v := make([]float64, len(index))
	for a, i := range index {
		v[a] = axes[a].values[i]
	}
	return v
}

// walk returns the indices from which no step along one axis leads to a lower loss, and that loss: on the
// grid of values, axis by axis, with steps as long as they help. A loss is asked for once.
func walk(axes []axis, look func(index []int) (float64, error)) (index []int, lowest float64, err error) {
	known := map[string]float64{}
	loss := func(index []int) (float64, error) {
		key := fmt.Sprint(index)
		s, found := known[key]
		if !found {
			var err error
			if s, err = look(index); err != nil {
				return 0, err
			}
			known[key] = s
		}
		return s, nil
	}
	index = make([]int, len(axes))
	for a, x := range axes {
		index[a] = x.start
	}
	if lowest, err = loss(index); err != nil {
		return nil, 0, err
	}
	for moved := true; moved; {
		moved = false
		for a, x := range axes {
			for _, step := range []int{1, -1} {
				for {
					next := slices.Clone(index)
					if next[a] += step; next[a] < 0 || next[a] >= len(x.values) {
						break
					}
					s, err := loss(next)
					if err != nil {
						return nil, 0, err
					}
					if !(s < lowest) {
						break
					}
					lowest, index, moved = s, next, true
				}
			}
		}
	}
	return index, lowest, nil
}
