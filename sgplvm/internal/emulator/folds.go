package emulator

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
)

// A fold is runs that are held out of a fit and the coordinates of all.
type fold struct {
	train, held []int
	basis       *Basis
	x, xHeld    mat.Matrix
	u           []float64 // weights of the linear part
	p, pHeld    mat.Matrix
	norms       []float64 // ‖y − mean‖² of those held out
	shared      sharedKernels
	predicted   map[Choice]prediction
}

// A prediction is the means and variances, noise included, of coordinates.
type prediction struct{ mean, variance mat.Matrix }

// split returns the runs that each fold holds out: a share of them, runs of the same group together. Where inputs have few levels, as those of a grid, the
// neighbours of such runs have all of their levels but one, which no further run has: there folds hold out the levels of an input, each in turn.
func split(in *Inputs, groups []int, seed uint64) (folds [][]int) {
	rng := rand.New(rand.NewPCG(seed, 0x656d75))
	folds, all := in.levelFolds(distinct(groups), rng)
	if all {
		return in.exact(folds)
	}
	count := distinct(groups)
	shares := make([][]int, min(5, count))
	if len(groups) < 10 {
		shares = make([][]int, count)
	}
	order := rng.Perm(count)
	for i, g := range groups {
		f := order[g] % len(shares)
		shares[f] = append(shares[f], i)
	}
	return in.exact(append(shares, folds...))
}

// exact leaves runs of inexact inputs out of what folds hold out, unless most runs are: what was inferred of their inputs knows their outputs.
func (in *Inputs) exact(folds [][]int) [][]int {
	inexact := in.inexact()
	if 2*len(inexact) > in.Numbers.Rows {
		return folds
	}
	var list [][]int
	for _, held := range folds {
		if held = slices.DeleteFunc(held, func(i int) bool { return slices.Contains(inexact, i) }); len(held) > 0 {
			list = append(list, held)
		}
	}
	return list
}

// An input has few levels if there are levelRuns runs of each. levelFolds is how many folds hold out levels, unless more inputs have few.
const levelRuns, levelFolds = 3, 6

// levelFolds returns the runs of levels between others, of so many different runs, and whether all inputs are numbers of few levels.
func (in *Inputs) levelFolds(count int, rng *rand.Rand) (folds [][]int, all bool) {
	all = in.Gram.Rows == 0
	var inputs [][][]int // of each input the levels, shuffled
	for q := range in.Numbers.Cols {
		if in.Fixed[q] {
			continue
		}
		levels := levels(in.Numbers, q)
		if len(levels) < 3 || levelRuns*len(levels) > count {
			all = all && len(levels) < 3
			continue
		}
		levels = slices.DeleteFunc(levels[1:len(levels)-1], func(runs []int) bool { return 2*len(runs) > in.Numbers.Rows })
		rng.Shuffle(len(levels), func(i, k int) { levels[i], levels[k] = levels[k], levels[i] })
		inputs = append(inputs, levels)
	}
	for k := range levelFolds {
		for _, levels := range inputs {
			if k < len(levels) && (k == 0 || len(folds) < levelFolds) {
				folds = append(folds, levels[k])
			}
		}
	}
	return folds, all && len(folds) > 1
}

// newFold fits bases to the runs that are not held out.
func newFold(ctx context.Context, in *Inputs, gram mat.Matrix, held []int, components int) (*fold, error) {
	o := &fold{held: held, shared: sharedKernels{}, predicted: map[Choice]prediction{}}
	for i := range gram.Rows {
		if !slices.Contains(held, i) {
			o.train = append(o.train, i)
		}
	}
	in, err := in.without(ctx, o.train, gram)
	if err != nil {
		return nil, err
	}
	s, err := newScaling(in, o.train, components)
	if err != nil {
		return nil, err
	}
	o.x, o.xHeld = s.apply(in, o.train), s.apply(in, o.held)
	o.u = normalised(o.x, s.weights())
	if o.basis, err = NewBasis(gram, o.train, modes(len(o.train))); err != nil {
		return nil, err
	}
	o.p, _ = o.basis.of(gram, o.train)
	o.pHeld, o.norms = o.basis.of(gram, o.held)
	divide(o.p, o.basis.Deviations)
	divide(o.pHeld, o.basis.Deviations)
	return o, nil
}

// predict fits a choice to the other runs and predicts those held out. What it took is kept: a shared kernel is where kernels near it begin.
func (o *fold) predict(ctx context.Context, c Choice) (prediction, error) {
	if p, ok := o.predicted[c]; ok {
		return p, nil
	}
	shared, err := o.shared.of(ctx, o.x, o.u, o.p, c)
	if err != nil {
		return prediction{}, err
	}
	kernels, modes, err := fitKernels(ctx, o.x, o.p, c, shared)
	if err != nil {
		return prediction{}, err
	}
	m, err := newProcess(o.x, o.p, kernels, modes)
	if err != nil {
		return prediction{}, err
	}
	mean, variance := m.Predict(o.xHeld)
	o.predicted[c] = prediction{mean, variance}
	return o.predicted[c], nil
}

// nearest predicts every run held out by the other with the nearest inputs.
func (o *fold) nearest() prediction {
	distances := mat.New(o.xHeld.Rows, o.x.Rows)
	squares(distances, o.xHeld, o.x)
	mean := mat.New(o.xHeld.Rows, o.p.Cols)
	for i := range mean.Rows {
		row, best := distances.Row(i), 0
		for k, d := range row {
			if d < row[best] {
				best = k
			}
		}
		copy(mean.Row(i), o.p.Row(best))
	}
	return prediction{mean: mean}
}

// errors returns the squared error of each field held out, summed over its points.
func (o *fold) errors(mean mat.Matrix) []float64 {
	sums := append([]float64{}, o.norms...)
	for i := range sums {
		for j, s := range o.basis.Deviations {
			p, e := s*o.pHeld.At(i, j), s*(o.pHeld.At(i, j)-mean.At(i, j))
			sums[i] += e*e - p*p
		}
		sums[i] = max(0, sums[i])
	}
	return sums
}
