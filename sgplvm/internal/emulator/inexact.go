package emulator

import (
	"context"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/journal"
)

// Inexact inputs are inferred in inexactRounds rounds from at most inexactModes coordinates of the outputs, by a kernel conditioned on the runs of other folds, which are
// inexactFolds.
const inexactRounds, inexactFolds, inexactModes = 3, 5, 32

// without returns the inputs with those that are inexact inferred from the outputs of some runs alone; of other runs they are as given.
func (in *Inputs) without(ctx context.Context, runs []int, gram mat.Matrix) (*Inputs, error) {
	if in.Errors.Rows == 0 {
		return in, nil
	}
	w, some := *in, in.some(runs)
	some.Numbers = some.Given.Clone()
	w.Numbers = in.Given.Clone()
	err := some.infer(ctx, submatrix(gram, runs), 0)
	for k, i := range runs {
		copy(w.Numbers.Row(i), some.Numbers.Row(k))
	}
	return &w, err
}

// inexact returns the runs of which an input is not known exactly.
func (in *Inputs) inexact() (list []int) {
	for i := range in.Errors.Rows {
		if slices.ContainsFunc(in.Errors.Row(i), func(e float64) bool { return e > 0 }) {
			list = append(list, i)
		}
	}
	return list
}

// start sets inputs that are not known to the mean of the others.
func (in *Inputs) start() {
	for q := range in.Errors.Cols {
		sum, count := 0., 0.
		for i := range in.Errors.Rows {
			if !math.IsInf(in.Errors.At(i, q), 1) {
				sum, count = sum+in.Numbers.At(i, q), count+1
			}
		}
		for i := range in.Errors.Rows {
			if math.IsInf(in.Errors.At(i, q), 1) {
				in.Numbers.Set(i, q, sum/max(1, count))
			}
		}
	}
}

// inferOnce is infer, or takes from the journal what it has found before.
func (in *Inputs) inferOnce(ctx context.Context, gram mat.Matrix, j *journal.Journal, seed uint64) error {
	if in.Errors.Rows == 0 {
		return nil
	}
	given := in.Numbers.Clone()
	numbers, err := journal.Once(j, "inputs", func() (mat.Matrix, error) {
		err := in.infer(ctx, gram, seed)
		return in.Numbers, err
	})
	in.Numbers, in.Given = numbers, given
	return err
}

// infer sets inexact inputs to the most probable ones given their errors, the distribution of the others, and the outputs, of which gram has the products.
func (in *Inputs) infer(ctx context.Context, gram mat.Matrix, seed uint64) error {
	inexact, n := in.inexact(), in.Numbers.Rows
	if len(inexact) == 0 {
		return nil
	}
	all := sample(n, n, seed)
	known := slices.DeleteFunc(slices.Clone(all), func(i int) bool { return slices.Contains(inexact, i) })
	if 3*len(known) < n {
		known = all
	}
	basis, err := NewBasis(gram, all, min(modes(n), inexactModes))
	if err != nil {
		return err
	}
	p, _ := basis.of(gram, all)
	divide(p, basis.Deviations)
	scaling, err := newScaling(in, all, inexactModes)
	if err != nil {
		return err
	}
	given := scaling.apply(in, all)
	errs := mat.New(n, given.Cols)
	for q, scale := range scaling.Scale {
		mat.Scale(errs.Slice(0, n, q, q+1), 1/scale, in.Errors.Slice(0, n, q, q+1))
	}
	x, u := given.Clone(), normalised(given, scaling.weights())
	m := &Model{Encodings: in.columns, Mean: scaling.Mean, Scale: scaling.Scale, Factor: 1, X: rows(x, known)}
	prior := m.NewPrior(FromRuns)
	var kernel *Kernel
	for round := range inexactRounds {
		fit := all
		if round == 0 {
			fit = known
		}
		fit = gather(fit, sample(len(fit), fitRuns, seed))
		if kernel, err = fitShared(ctx, rows(x, fit), u, rows(p, fit), Choice{}, kernel); err != nil {
			return err
		}
		next := x.Clone()
		for f := range inexactFolds {
			var held []int
			for k := f; k < len(inexact); k += inexactFolds {
				held = append(held, inexact[k])
			}
			others := slices.DeleteFunc(slices.Clone(fit), func(i int) bool { return slices.Contains(held, i) })
			m.X, m.P = rows(x, others), rows(p, others)
			if m.process, err = newProcess(m.X, m.P, []*Kernel{kernel}, [][]int{sample(p.Cols, p.Cols, 0)}); err != nil {
				return err
			}
			s, errors := newSurface(m), make([]error, len(held))
			mat.Parallel(len(held), func(k int) {
				i := held[k]
				errors[k] = s.mostProbable(ctx, next.Row(i), p.Row(i), prior.given(given.Row(i), errs.Row(i)))
			})
			if err := first(errors); err != nil {
				return err
			}
		}
		x = next
	}
	for _, i := range inexact {
		for q, mean := range scaling.Mean {
			if errs.At(i, q) > 0 {
				in.Numbers.Set(i, q, mean+scaling.Scale[q]*x.At(i, q))
			}
		}
	}
	return nil
}

// exactly is the weight of coordinates that are observed without errors.
const exactly = 1e3

// mostProbable sets x to the most probable ξ of a prior for an output with coordinates p.
func (s *surface) mostProbable(ctx context.Context, x, p []float64, prior *Prior) error {
	if err := prior.combine(); err != nil {
		return err
	}
	w, z := mat.New(len(p), len(p)), make([]float64, len(p))
	for j, v := range p {
		w.Set(j, j, exactly)
		z[j] = exactly * v
	}
	list, err := s.problem(prior, w, z).search(ctx)
	if err == nil {
		prior.set(x, list[0].t, list[0].combo)
	}
	return err
}
