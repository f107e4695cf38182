package sgplvm

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
)

// Where training with a dynamical prior starts.
const (
	startShare    = 0.2 // S over the prior variance
	startNoise    = 0.1 // share of the variance of principal component scores that is not smooth in time
	startScores   = 3   // leading ones, from which the time kernel is found
	startTimes    = 400 // examples of a sequence that are looked at for it
	startSpacings = 8   // length scales are 2⁰ to 2⁷ median spacings
)

// startDynamics sets the time kernel, μ̄, Λ and from them Mu and S of p, whose Mu holds the
// scores of principal components. Length scales and periods that are not given are those
// with the highest evidence for the leading scores, of which fractions are the shares of
// the variance.
func (p *Params) startDynamics(d Dynamics, fractions []float64) error {
	if d.Kernel.Kind == "" {
		d.Kernel.Kind = Matern32
	}
	if d.Times == nil {
		return fmt.Errorf("no times, expected one for each example")
	}
	if err := d.validate(p.Mu.Rows); err != nil {
		return err
	}
	p.Dynamics = d.clone()
	scores := 0
	for scores < min(startScores, len(fractions)) && fractions[scores] > 0 {
		scores++
	}
	all := d.series()
	kernel, err := startTimeKernel(d.Kernel, all, p.Mu.Slice(0, p.Mu.Rows, 0, scores))
	if err != nil {
		return err
	}
	p.Dynamics.Kernel = kernel
	p.MuBar, p.Lambda = mat.New(p.Mu.Rows, p.Mu.Cols), mat.New(p.Mu.Rows, p.Mu.Cols)
	for _, s := range all {
		if err := p.startSeries(s); err != nil {
			return err
		}
	}
	return newTimePrior(p.Dynamics).set(p)
}

// startSeries solves (K + startNoise·I)·μ̄ = μ and finds one Λ for all dimensions under which
// S is startShare, by steps λ ← λ·S/startShare. These converge, since the logarithm of S
// falls by no more than those of all λ rise.
func (p *Params) startSeries(s series) error {
	n := len(s.times)
	k, b, v := mat.New(n, n), mat.New(n, n), mat.New(n, n)
	p.Dynamics.Kernel.matrix(k, s.times, s.times)
	var f chol.Factor
	if err := f.RefactorizeShifted(k, startNoise); err != nil {
		return err
	}
	block := gather(p.Mu, s.examples)
	f.Solve(block)
	lambda := make([]float64, n)
	for i := range lambda {
		lambda[i] = 1/startShare - 1
	}
	for range 6 {
		if err := precisionFactor(&f, b, v, k, lambda); err != nil {
			return err
		}
		f.SolveHalf(v)
		for i, explained := range columnSquares(v) {
			lambda[i] *= (k.At(i, i) - explained) / startShare
			lambda[i] = max(lambda[i], leastStartPrecision)
		}
	}
	for i, e := range s.examples {
		copy(p.MuBar.Row(e), block.Row(i))
		for q := range p.Lambda.Row(e) {
			p.Lambda.Row(e)[q] = lambda[i]
		}
	}
	return nil
}

// leastStartPrecision keeps Λ positive where neighbours in time say all that there is.
const leastStartPrecision = 1e-3

// startTimeKernel fills in what a kernel leaves to the data: equal weights, and length scales
// and periods from a grid, all of a kind alike, under which the scores (n_ξ×count) have the
// highest density as Gaussian processes with startNoise of their variance as noise.
func startTimeKernel(k TimeKernel, all []series, scores mat.Matrix) (TimeKernel, error) {
	longest := all[0]
	var gaps []float64
	for _, s := range all {
		if len(s.times) > len(longest.times) {
			longest = s
		}
		for i, t := range s.times[1:] {
			if gap := t - s.times[i]; gap > 0 {
				gaps = append(gaps, gap)
			}
		}
	}
	spacing := 1.0
	if len(gaps) > 0 {
		slices.Sort(gaps)
		spacing = gaps[len(gaps)/2]
	}
	if n := len(longest.times); n > startTimes {
		longest.times, longest.examples = longest.times[:startTimes], longest.examples[:startTimes]
	}
	needsScale, needsPeriod := k.incomplete()
	scales, periods := []float64{spacing}, []float64{spacing}
	if needsScale {
		for len(scales) < startSpacings {
			scales = append(scales, 2*scales[len(scales)-1])
		}
	}
	if needsPeriod {
		span := longest.times[len(longest.times)-1] - longest.times[0]
		periods = []float64{max(span, spacing)}
		for span/float64(len(periods)+1) >= 3*spacing && len(periods) < 64 {
			periods = append(periods, span/float64(len(periods)+1))
		}
	}
	type candidate struct {
		kernel   TimeKernel
		evidence float64
	}
	var found []candidate
	y := gather(scores, longest.examples)
	for _, scale := range scales {
		for _, period := range periods {
			c := k.completed(scale, period)
			if err := c.validate(); err != nil {
				return k, err
			}
			found = append(found, candidate{c, timeEvidence(c, longest.times, y)})
		}
	}
	best := slices.MaxFunc(found, func(a, b candidate) int { return cmp.Compare(a.evidence, b.evidence) })
	return best.kernel, nil
}

// incomplete reports whether length scales and periods are missing.
func (k TimeKernel) incomplete() (scale, period bool) {
	for _, term := range k.Terms {
		s, p := term.incomplete()
		scale, period = scale || s, period || p
	}
	switch k.Kind {
	case Sum, Product:
	case Periodic:
		period = k.Period == 0
	default:
		scale = k.LengthScale == 0
	}
	return scale, period
}

// completed returns the kernel with everything that is missing.
func (k TimeKernel) completed(scale, period float64) TimeKernel {
	k = k.clone()
	for i, term := range k.Terms {
		k.Terms[i] = term.completed(scale, period)
	}
	switch {
	case k.Kind == Product:
	case k.Kind == Sum:
		if k.Weights == nil {
			for range k.Terms {
				k.Weights = append(k.Weights, 1/float64(len(k.Terms)))
			}
		}
	case k.Kind == Periodic:
		if k.Period == 0 {
			k.Period = period
		}
		if k.LengthScale == 0 {
			k.LengthScale = 1
		}
	case k.LengthScale == 0:
		k.LengthScale = scale
	}
	return k
}

// timeEvidence returns the log density of the columns of y (n×count) under
// N(0, (1 − startNoise)·K + startNoise·I), but for a constant; −∞ where that fails.
func timeEvidence(kernel TimeKernel, times []float64, y mat.Matrix) float64 {
	n := len(times)
	k := mat.New(n, n)
	kernel.matrix(k, times, times)
	mat.Scale(k, 1-startNoise, k)
	var f chol.Factor
	if f.RefactorizeShifted(k, startNoise) != nil {
		return math.Inf(-1)
	}
	white := y.Clone()
	f.SolveHalf(white)
	return -0.5*asm.SumSquares(white.Data) - 0.5*float64(y.Cols)*f.LogDet()
}
