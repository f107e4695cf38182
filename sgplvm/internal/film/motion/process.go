package motion

import (
	"math"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// maxWindow bounds how many frames of a sequence are regressed together: longer sequences are cut
// for the marginal likelihood, and predicted from the frames nearest in time. The processes here
// are nearly Markov, so that frames further away hardly matter.
const maxWindow = 256

// processKernels are the kernels of a process, and minNoise the least noise.
var processKernels = []kernel.Kind{kernel.Matern12, kernel.Matern32, kernel.Matern52}

const minNoise = 1e-6

// process is the Gaussian process over time that every component of every node follows: mean 0, a
// covariance of its own for the two components of a node, and one correlation function for all.
type process struct {
	Kernel      kernel.Kind `json:"kernel"`      // of processKernels
	LengthScale float64     `json:"lengthScale"` // in units of the times
	Noise       float64     `json:"noise"`       // variance of the estimates about the process, relative to the process's
}

// correlations sets dst, len(s)×len(t), to the correlations between the times s and t.
func (p process) correlations(dst mat.Matrix, s, t []float64) {
	kernel.Kernel{Kind: p.Kernel, LengthScale: []float64{p.LengthScale}}.TimeMatrix(dst, s, t)
}

// covariance returns that of the estimates at some times: the correlations, and the noise on the diagonal.
func (p process) covariance(times []float64) mat.Matrix {
	k := mat.New(len(times), len(times))
	p.correlations(k, times, times)
	for i := range times {
		k.Row(i)[i] = 1 + p.Noise
	}
	return k
}

// factorize returns the Cholesky factor of the covariance.
func (p process) factorize(times []float64) *chol.Factor {
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
func (p process) whiten(w window) (half mat.Matrix, logDet float64, err error) {
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
func (p process) likelihood(windows []window) float64 {
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
func (p process) nodeCovariance(windows []window, l Lattice) []float64 {
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
// median spacing of the frames and span how long the longest sequence lasts.
func fitProcess(windows []window, unit, span float64) process {
	var best process
	highest := math.Inf(-1)
	for _, kind := range processKernels {
		now := process{kind, 4 * unit, 1e-2}
		value := now.likelihood(windows)
		for factor := 4.; factor > 1.05; {
			moved := false
			for _, next := range []process{
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

// rootOf2 returns the lower Cholesky factor (a 0; b c) of the matrix (uu uv; uv vv).
func rootOf2(uu, uv, vv float64) (a, b, c float64) {
	if a = math.Sqrt(max(uu, 0)); a > 0 {
		b = uv / a
	}
	return a, b, math.Sqrt(max(vv-b*b, 0))
}
