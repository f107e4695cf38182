package selection

import (
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// absentFolds is in how many parts the examples are held out in turn.
const absentFolds = 4

// HoldOutWhole holds out each example once as a whole, of the first part alone where little is to be tried. All of the model is learned without them: kernels
// and latent variables of examples left out afterwards know them, the more the more parameters they have. Errors: *ReadError.
func (s *Search) HoldOutWhole() (*Folds, error) {
	_, points, _ := s.data.Source.Dims()
	heldOut := s.wholeHeldOut()
	return s.foldsWithout(heldOut, work.AllBut(points, nil), s.data.Grid, func(fold, example int, values []float64) []Case {
		missing := make([]bool, len(values))
		for k := range missing {
			missing[k] = true
		}
		c := newCase(fold, example, values, missing, s.data)
		if g := s.data.Guessed; g != nil {
			c.truth = slices.Clone(values)
			for k, guessed := range g.Of(example) {
				if guessed {
					c.truth[k] = math.NaN()
				}
			}
		}
		return []Case{c}
	})
}

// wholeHeldOut returns which whole examples are held out of each fold.
func (s *Search) wholeHeldOut() [][]int {
	rng := s.validationRandom()
	if s.data.Absent != nil {
		return completion.HoldOutRuns(rng, data.Instants(s.data.Times, s.data.Sequences), s.data.Absent, 1+s.plan.Folds)
	}
	n, _, _ := s.data.Source.Dims()
	heldOut := make([][]int, min(n, absentFolds))
	for k, i := range rng.Perm(n) {
		heldOut[k%len(heldOut)] = append(heldOut[k%len(heldOut)], i)
	}
	for _, out := range heldOut {
		slices.Sort(out)
	}
	if s.given.Effort == field.EffortQuick {
		heldOut = heldOut[:1]
	}
	return heldOut
}
