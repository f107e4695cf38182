package chol

import (
	"github.com/seed-08962ecc/kronfield/internal/text"
	"github.com/seed-08962ecc/kronfield/mat"
)

// defaultLadder holds the steps of FactorizeJitter, as multiples of the mean
// diagonal. The first that helps is about where rounding stops: n·ε of the
// largest eigenvalue is 1e-13 of the mean diagonal at n = 20, 1e-10 at n = 700.
var defaultLadder = []float64{0, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4}

// FactorizeJitter factors a + jitter·I for the first jitter of a ladder for
// which that is positive definite, and returns what was added, in the units of
// a. The ladder holds multiples of the mean diagonal of a, tried in order; nil
// stands for 0, 1e-10, 1e-9, …, 1e-4. Only the lower triangle of a is read, and
// a is not changed.
//
// When the last step fails too the error wraps that step's
// *[NotPositiveDefiniteError], and the jitter returned is the last one tried.
// When the mean diagonal is not positive only the first step is tried, because
// no step could help. Non-finite elements give a *[NonFiniteError].
//
// Jitter changes the problem. Where an objective must not jump between
// evaluations, find it once and keep it, with [Factor.RefactorizeShifted].
func FactorizeJitter(a mat.Matrix, ladder []float64) (f *Factor, jitter float64, err error) {
	f = new(Factor)
	if jitter, err = f.RefactorizeJitter(a, ladder); err != nil {
		return nil, jitter, err
	}
	return f, jitter, nil
}

// RefactorizeJitter is [FactorizeJitter] in the storage of f. After an error f
// is unusable until a later call succeeds.
func (f *Factor) RefactorizeJitter(a mat.Matrix, ladder []float64) (jitter float64, err error) {
	if ladder == nil {
		ladder = defaultLadder
	}
	if len(ladder) == 0 {
		panic("chol: RefactorizeJitter: the ladder has no step")
	}
	mat.CheckSource("chol: RefactorizeJitter", "the matrix", a)
	mean := meanDiagonal(a)
	for _, step := range ladder {
		jitter = step * mean
		err = f.RefactorizeShifted(a, jitter)
		if _, failed := err.(*NotPositiveDefiniteError); !failed {
			return jitter, err
		}
		if !(mean > 0) {
			break
		}
	}
	return jitter, text.Errorf("chol: with %g added to the diagonal, the last jitter tried: %w", jitter, err)
}

func meanDiagonal(a mat.Matrix) float64 {
	var mean float64
	for i := range min(a.Rows, a.Cols) {
		mean += a.At(i, i) / float64(a.Rows)
	}
	return mean
}
