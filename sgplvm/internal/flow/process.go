package flow

import (
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
)

// maxWindow bounds how many frames of a sequence are regressed together: longer sequences are cut
// for the marginal likelihood, and predicted from the frames nearest in time. The processes here
// are nearly Markov, so that frames further away hardly matter.
const maxWindow = 256

// The kernels of a process.
const matern12, matern32, matern52 = "matern12", "matern32", "matern52"

// processKernels are the kernels of a process, and minNoise the least noise.
var processKernels = []string{matern12, matern32, matern52}

const minNoise = 1e-6

// Process is the Gaussian process over time that every component of every node follows: mean 0, a
// covariance of its own for the two components of a node, and one correlation function for all.
type Process struct {
	Kernel      string  `json:"kernel"`      // matern12, matern32 or matern52
	LengthScale float64 `json:"lengthScale"` // in units of the times
	Noise       float64 `json:"noise"`       // variance of the estimates about the process, relative to the process's
}

// correlation returns the process's correlation over a time dt.
func (p Process) correlation(dt float64) float64 {
	r := min(math.Abs(dt)/p.LengthScale, 300)
	switch p.Kernel {
	case matern12:
		return math.Exp(-r)
	case matern32:
		r *= math.Sqrt(3)
		return (1 + r) * math.Exp(-r)
	default:
		r *= math.Sqrt(5)
		return (1 + r + r*r/3) * math.Exp(-r)
	}
}

// correlations sets dst to those of the process at a time with the process at some times, and returns it.
func (p Process) correlations(dst []float64, t float64, times []float64) []float64 {
	for j, other := range times {
		dst[j] = p.correlation(t - other)
	}
	return dst
}

// covariance returns that of the estimates at some times, its lower triangle: the correlations, and the noise on
// the diagonal.
func (p Process) covariance(times []float64) mat.Matrix {
	k := mat.New(len(times), len(times))
	for i, t := range times {
		p.correlations(k.Row(i)[:i], t, times[:i])
		k.Row(i)[i] = 1 + p.Noise
	}
	return k
}

// factorize returns the Cholesky factor of the covariance.
func (p Process) factorize(times []float64) *chol.Factor {
	f, _, err := chol.FactorizeJitter(p.covariance(times), []float64{0, 1e-10, 1e-8, 1e-6})
	if err != nil {
		panic(err) // correlations of finite times with a positive noise
	}
	return f
}

// A window is a part of a sequence that is regressed at once: its times, and the displacements
// there, a row for each.
type window struct {
	times []float64
	d     mat.Matrix
}

// whiten returns L⁻¹·d, where L is the Cholesky factor of the covariance at the window's times, and the
// logarithm of the covariance's determinant.
func (p Process) whiten(w window) (half mat.Matrix, logDet float64, err error) {
	f, err := chol.Factorize(p.covariance(w.times))
	if err != nil {
		return half, 0, err
	}
	half = w.d.Clone()
	f.SolveHalf(half)
	return half, f.LogDet(), nil
}

// likelihood returns the log marginal likelihood of the windows, up to a constant, with the variance of
// each component at its maximum (Rasmussen and Williams 2006, equation 5.8).
// A variance is at least floor times their mean, so that a node that never moves does not decide.
func (p Process) likelihood(windows []window) float64 {
	const floor = 1e-3
	components, n := windows[0].d.Cols, 0
	variance := make([]float64, components)
	var logDet float64
	for _, w := range windows {
		half, l, err := p.whiten(w)
		if err != nil {
			return math.Inf(-1)
		}
		for i := range half.Rows {
			for j, v := range half.Row(i) {
				variance[j] += v * v
			}
		}
		logDet += l
		n += half.Rows
	}
	var mean float64
	for j := range variance {
		variance[j] /= float64(n)
		mean += variance[j] / float64(components)
	}
	value := -0.5 * float64(components) * logDet
	for _, v := range variance {
		used := max(v, floor*mean, 1e-30)
		value -= 0.5 * float64(n) * (math.Log(used) + v/used)
	}
	return value
}

// nodeCovariance returns the covariance of the two components of each node that maximises the
// marginal likelihood: uu, uv and vv of all nodes.
func (p Process) nodeCovariance(windows []window, l lattice) []float64 {
	nodes, n := l.nodes(), 0
	c := make([]float64, 3*nodes)
	for _, w := range windows {
		half, _, err := p.whiten(w)
		if err != nil {
			panic(err) // its likelihood was finite
		}
		n += half.Rows
		for i := range half.Rows {
			u, v := half.Row(i)[:nodes], half.Row(i)[nodes:]
			for j := range nodes {
				c[j] += u[j] * u[j]
				c[nodes+j] += u[j] * v[j]
				c[2*nodes+j] += v[j] * v[j]
			}
		}
	}
	for j := range c {
		c[j] /= float64(n)
	}
	return c
}

// fitProcess returns the process of largest marginal likelihood, by a direct search over
// the logarithms of length scale and noise for each kernel (Hooke and Jeeves 1961). unit is the
// median spacing of the frames and span how long the longest sequence is.
func fitProcess(windows []window, unit, span float64) Process {
	var best Process
	highest := math.Inf(-1)
	for _, kind := range processKernels {
		now := Process{kind, 4 * unit, 1e-2}
		value := now.likelihood(windows)
		for factor := 4.; factor > 1.05; {
			moved := false
			for _, next := range []Process{
				{kind, now.LengthScale * factor, now.Noise}, {kind, now.LengthScale / factor, now.Noise},
				{kind, now.LengthScale, now.Noise * factor}, {kind, now.LengthScale, now.Noise / factor},
			} {
				if next.LengthScale < unit/4 || next.LengthScale > 10*span+unit || next.Noise < minNoise || next.Noise > 10 {
					continue
				}
				if v := next.likelihood(windows); v > value {
					now, value, moved = next, v, true
					break
				}
			}
			if !moved {
				factor = math.Sqrt(factor)
			}
		}
		if value > highest {
			best, highest = now, value
		}
	}
	return best
}

// medianSpacing returns the median time between frames that follow one another, 1 if all are 0
// or there are none, and how long the longest sequence is.
func medianSpacing(sequences []sequence) (unit, span float64) {
	var all []float64
	for _, s := range sequences {
		for p := range s.Times[1:] {
			if dt := s.Times[p+1] - s.Times[p]; dt > 0 {
				all = append(all, dt)
			}
		}
		span = max(span, s.Times[len(s.Times)-1]-s.Times[0])
	}
	if len(all) == 0 {
		return 1, span
	}
	slices.Sort(all)
	return all[len(all)/2], span
}
