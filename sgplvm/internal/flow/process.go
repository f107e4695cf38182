package flow

import (
	"math"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
)

// maxWindow bounds how many frames of a sequence are regressed together: longer sequences are cut
// for the marginal likelihood, and predicted from the frames nearest in time. The processes here
// are nearly Markov, so that frames further away hardly matter.
const maxWindow = 256

// The kernels of a process.
const matern12, matern32, matern52 = "matern12", "matern32", "matern52"

// Process is the Gaussian process over time that every component of every node follows: mean 0, a
// covariance of its own for the two components of a node, and one correlation function for all.
type Process struct {
	Kernel      string  `json:"kernel"`      // Matern12, Matern32 or Matern52
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

// covariance sets k to that of estimates at the given times: the correlations, and the noise on
// the diagonal.
func (p Process) covariance(k mat.Matrix, times []float64) {
	for i, t := range times {
		row := k.Row(i)
		for j := range i {
			row[j] = p.correlation(t - times[j])
		}
		row[i] = 1 + p.Noise
	}
}

// A window is a part of a sequence that is regressed at once: its times, and the displacements
// there, a row for each.
type window struct {
	times []float64
	d     mat.Matrix
}

// likelihood returns the log marginal likelihood of the windows, up to a constant, with the variance of
// each component at its maximum (Rasmussen and Williams 2006, equation 5.8), and those variances.
// A variance is at least floor times their mean, so that a node that never moves does not decide.
func (p Process) likelihood(windows []window) (float64, []float64) {
	const floor = 1e-3
	size, n := windows[0].d.Cols, 0
	variance := make([]float64, size)
	var logDet float64
	for _, w := range windows {
		k := mat.New(len(w.times), len(w.times))
		p.covariance(k, w.times)
		f, err := chol.Factorize(k)
		if err != nil {
			return math.Inf(-1), nil
		}
		half := w.d.Clone()
		f.SolveHalf(half)
		for i := range half.Rows {
			for j, v := range half.Row(i) {
				variance[j] += v * v
			}
		}
		logDet += f.LogDet()
		n += half.Rows
	}
	var mean float64
	for j := range variance {
		variance[j] /= float64(n)
		mean += variance[j] / float64(size)
	}
	value := -0.5 * float64(size) * logDet
	for _, v := range variance {
		used := max(v, floor*mean, 1e-30)
		value -= 0.5 * float64(n) * (math.Log(used) + v/used)
	}
	return value, variance
}

// fitProcess returns the process of largest marginal likelihood, by a direct search over
// the logarithms of length scale and noise for each kernel (Hooke and Jeeves 1961). unit is the
// median spacing of the frames and span how long the longest sequence is.
func fitProcess(windows []window, unit, span float64) Process {
	var best Process
	highest := math.Inf(-1)
	for _, kind := range processKernels {
		at := Process{kind, 4 * unit, 1e-2}
		value, _ := at.likelihood(windows)
		for factor := 4.; factor > 1.05; {
			moved := false
			for _, next := range []Process{
				{kind, at.LengthScale * factor, at.Noise}, {kind, at.LengthScale / factor, at.Noise},
				{kind, at.LengthScale, at.Noise * factor}, {kind, at.LengthScale, at.Noise / factor},
			} {
				if next.LengthScale < unit/4 || next.LengthScale > 10*span+unit || next.Noise < minNoise || next.Noise > 10 {
					continue
				}
				if v, _ := next.likelihood(windows); v > value {
					at, value, moved = next, v, true
					break
				}
			}
			if !moved {
				factor = math.Sqrt(factor)
			}
		}
		if value > highest {
			best, highest = at, value
		}
	}
	return best
}
