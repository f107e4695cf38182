package dynamics

import (
	"cmp"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// Where training starts.
const (
	startShare    = 0.2  // S over the prior variance
	startNoise    = 0.1  // share of the variance of principal component scores that is not smooth in time
	startScores   = 3    // leading ones, from which the kernel is found
	startTimes    = 400  // examples of a sequence that are looked at for it
	startSpacings = 8    // length scales are 2⁰ to 2⁷ median spacings
	startPeriods  = 64   // periods are the span over 1, 2, …, at most
	minPrecision  = 1e-3 // keeps Λ positive where neighbours in time say all that there is
)

// Start returns the parameters from which training starts, with means near the scores of principal
// components (n×d), of which fractions are the shares of the variance, and variances of a fifth of the
// prior's: the kernel is that of StartKernel for the three leading scores, μ̄ solves (K + 0.1·I)·μ̄ =
// scores. prior is copied.
func Start(prior Prior, scores mat.Matrix, fractions []float64) (*Params, error) {
	return start(prior, scores, fractions)
}

// start is Start with the kernels of single dimensions that prior has.
func start(prior Prior, scores mat.Matrix, fractions []float64) (*Params, error) {
	if err := prior.Validate(scores.Rows); err != nil {
		return nil, err
	}
	leading := 0
	for leading < min(startScores, len(fractions)) && fractions[leading] > 0 {
		leading++
	}
	k, err := StartKernel(prior, scores.Slice(0, scores.Rows, 0, leading))
	if err != nil {
		return nil, err
	}
	prior.Kernel = k
	p := &Params{prior.Clone(), mat.New(scores.Rows, scores.Cols), mat.New(scores.Rows, scores.Cols)}
	for _, s := range prior.sequences() {
		if err := p.startSequence(s, scores); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// startSequence solves (K + startNoise·I)·μ̄ = μ and finds one Λ for all dimensions of a kernel under which
// S is startShare, by steps λ ← λ·S/startShare. These converge, since the logarithm of S
// falls by no more than those of all λ rise.
func (p *Params) startSequence(s data.Sequence, mu mat.Matrix) error {
	kernels := p.Prior.kernels()
	for q, k := range kernels {
		from, to := 0, mu.Cols
		if len(kernels) > 1 {
			from, to = q, q+1
		}
		if err := p.startDimensions(*k, s, mu, from, to); err != nil {
			return err
		}
	}
	return nil
}

// startDimensions is startSequence of the dimensions from ≤ q < to, which have one kernel.
func (p *Params) startDimensions(kernel kernel.Kernel, s data.Sequence, mu mat.Matrix, from, to int) error {
	root, err := rootOf(kernel, s.Times, startNoise)
	if err != nil {
		return err
	}
	block := work.Gather(mu, s.Examples).Slice(0, len(s.Times), from, to).Clone()
	root.SolveHalf(block)
	root.SolveHalfT(block)
	k := newCovariance(kernel, len(s.Times))
	k.set(kernel, s.Times)
	lambda, variance := make([]float64, len(s.Times)), make([]float64, len(s.Times))
	for i := range lambda {
		lambda[i] = 1/startShare - 1
	}
	for range 6 {
		if _, err := k.marginals(0, variance, lambda); err != nil {
			return err
		}
		for i, v := range variance {
			lambda[i] = max(lambda[i]*v/startShare, minPrecision)
		}
	}
	for i, e := range s.Examples {
		copy(p.MuBar.Row(e)[from:to], block.Row(i))
		for q := from; q < to; q++ {
			p.Lambda.Row(e)[q] = lambda[i]
		}
	}
	return nil
}

// StartKernel returns the kernel of a prior with all that it leaves to the data: Matern32 where it has
// no kind, equal weights, and length scales and periods from a grid, all of a kind alike, under which
// the scores (n×count) have the highest density as Gaussian processes with a tenth of their variance
// as noise. At most 400 examples of the longest sequence are looked at.
func StartKernel(prior Prior, scores mat.Matrix) (kernel.Kernel, error) {
	k := prior.Kernel
	if k.Kind == "" {
		k.Kind = kernel.Matern32
	}
	all := prior.sequences()
	longest := all[0]
	for _, s := range all {
		if len(s.Times) > len(longest.Times) {
			longest = s
		}
	}
	if n := len(longest.Times); n > startTimes {
		longest.Times, longest.Examples = longest.Times[:startTimes], longest.Examples[:startTimes]
	}
	scales, periods := startGrid(k, medianGap(all), longest.Times[len(longest.Times)-1]-longest.Times[0])
	type candidate struct {
		kernel   kernel.Kernel
		evidence float64
	}
	var found []candidate
	y := work.Gather(scores, longest.Examples)
	for _, scale := range scales {
		for _, period := range periods {
			c := k.Complete(scale, period)
			if err := c.ValidateTime(); err != nil {
				return k, err
			}
			found = append(found, candidate{c, evidence(c, longest.Times, y)})
		}
	}
	best := slices.MaxFunc(found, func(a, b candidate) int { return cmp.Compare(a.evidence, b.evidence) })
	return best.kernel, nil
}

// startGrid returns the length scales and periods that are tried; one of each where k needs none.
func startGrid(k kernel.Kernel, spacing, span float64) (scales, periods []float64) {
	needsScale, needsPeriod := k.Missing()
	scales, periods = []float64{spacing}, []float64{spacing}
	if needsScale {
		for len(scales) < startSpacings {
			scales = append(scales, 2*scales[len(scales)-1])
		}
	}
	if needsPeriod {
		periods = []float64{max(span, spacing)}
		for span/float64(len(periods)+1) >= 3*spacing && len(periods) < startPeriods {
			periods = append(periods, span/float64(len(periods)+1))
		}
	}
	return scales, periods
}

// medianGap returns the median time from an example to the next at another time; 1 where there is none.
func medianGap(all []data.Sequence) float64 {
	var gaps []float64
	for _, s := range all {
		for i, t := range s.Times[1:] {
			if gap := t - s.Times[i]; gap > 0 {
				gaps = append(gaps, gap)
			}
		}
	}
	if len(gaps) == 0 {
		return 1
	}
	slices.Sort(gaps)
	return gaps[len(gaps)/2]
}

// evidence returns the log density of the columns of y (n×count) under
// N(0, (1 − startNoise)·K + startNoise·I), but for a constant; −∞ where that fails.
func evidence(k kernel.Kernel, times []float64, y mat.Matrix) float64 {
	n := len(times)
	matrix := mat.New(n, n)
	k.TimeMatrix(matrix, times, times)
	mat.Scale(matrix, 1-startNoise, matrix)
	var f chol.Factor
	if f.RefactorizeShifted(matrix, startNoise) != nil {
		return math.Inf(-1)
	}
	white := y.Clone()
	f.SolveHalf(white)
	return -0.5*asm.SumSquares(white.Data) - 0.5*float64(y.Cols)*f.LogDet()
}
