package baseline

import (
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
)

// localGaussian is a distribution of its own for every picture: training pictures count
// by how much they look like it on the observed values. The covariance is
// (1−ρ)·S_w∘C + ρ·γ·Σ with the weighted covariance S_w, a taper C as in fitGaussian
// and the shrunk covariance Σ of all training pictures, γ = tr S_w/tr Σ.
type localGaussian struct {
	pictures   mat.Matrix // n×p
	global     *gaussian  // all training pictures, Σ
	trace      float64    // of Σ
	taper      mat.Matrix // C, p×p
	neighbours float64    // effective number of training pictures
	shrinkage  float64    // ρ
	degrees    float64    // ν
}

// localAxes are the parameters of fitLocal for n training pictures.
func localAxes(n int) []axis {
	a := axis{name: "neighbours"}
	for v := 3.0; v < float64(n); v *= math.Sqrt2 {
		a.values = append(a.values, math.Round(v))
	}
	a.values = append(a.values, float64(n))
	a.start = len(a.values) / 2
	return []axis{
		{"taper", tapers, 5},
		a,
		{"shrinkage", []float64{0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1}, 5},
		{"degrees of freedom", degreesOfFreedom, 0},
	}
}

// fitLocal returns a fitter for given parameters of fitGaussian. The number of
// neighbours is that among n training pictures, and in proportion among others.
func fitLocal(points mat.Matrix, channels, n int, globalParameters []float64) fitter {
	fit := fitGaussian(points, channels)
	return func(y mat.Matrix) (func(parameters []float64) (conditional, error), error) {
		withParameters, err := fit(y)
		if err != nil {
			return nil, err
		}
		all, err := withParameters(globalParameters)
		if err != nil {
			return nil, err
		}
		global := all.(*gaussian)
		return func(parameters []float64) (conditional, error) {
			return &localGaussian{y, global, mat.Trace(global.covariance), taper(points, channels, parameters[0]),
				parameters[1] * float64(y.Rows) / float64(n), parameters[2], parameters[3]}, nil
		}, nil
	}
}

func (m *localGaussian) fill(mean, variance, seen mat.Matrix, p pattern) error {
	known := columns(m.pictures, p.seen)
	for i := range seen.Rows {
		w := m.weights(known, seen.Row(i))
		err := m.fillOne(mean.Slice(i, i+1, 0, mean.Cols), variance.Slice(i, i+1, 0, mean.Cols), seen.Slice(i, i+1, 0, seen.Cols), w, p)
		if err != nil {
			return err
		}
	}
	return nil
}

// weights returns weights of the training pictures, given by their values at the
// observed values (n×|O|), which sum to 1: exp(−δ²/2h²) of the distance δ, with h
// such that the effective number of pictures 1/Σw² is that of the parameters.
func (m *localGaussian) weights(known mat.Matrix, seen []float64) []float64 {
	n := known.Rows
	d := make([]float64, n)
	nearest := math.Inf(1)
	for i := range d {
		for k, v := range known.Row(i) {
			d[i] += square(v - seen[k])
		}
		nearest = min(nearest, d[i])
	}
	var mean float64
	for i := range d {
		d[i] -= nearest
		mean += d[i] / float64(n)
	}
	if mean > 0 {
		asm.Scale(d, 1/mean, d)
	}
	w := make([]float64, n)
	setWeights := func(precision float64) (effective float64) {
		asm.Scale(w, -0.5*precision, d)
		asm.Exp(w, w)
		var sum float64
		for _, v := range w {
			sum += v
		}
		asm.Scale(w, 1/sum, w)
		return 1 / asm.SumSquares(w)
	}
	if setWeights(0) <= m.neighbours*(1+1e-12) || mean == 0 {
		return w
	}
	// The effective number falls as the precision mean(δ²)/h² grows.
	low, high := math.Log(1e-6), math.Log(1e12)
	for range 60 {
		middle := (low + high) / 2
		if setWeights(math.Exp(middle)) > m.neighbours {
			low = middle
		} else {
			high = middle
		}
	}
	setWeights(math.Exp(low))
	return w
}

// negligible is a weight, as a part of the largest, that does not count.
const negligible = 1e-6

func (m *localGaussian) fillOne(mean, variance, seen mat.Matrix, w []float64, p pattern) error {
	cols := m.pictures.Cols
	largest, kept := asm.MaxAbs(w), 0
	mu := make([]float64, cols)
	var total float64
	for i, v := range w {
		if v < negligible*largest {
			w[i] = 0
			continue
		}
		kept++
		total += v
		asm.Axpy(v, m.pictures.Row(i), mu)
	}
	asm.Scale(mu, 1/total, mu)
	// Deviations times √w, the seen values first.
	order := append(append(make([]int, 0, cols), p.seen...), p.missing...)
	a, k := mat.New(kept, cols), 0
	for i, v := range w {
		if v == 0 {
			continue
		}
		row, from, root := a.Row(k), m.pictures.Row(i), math.Sqrt(v/total)
		for l, j := range order {
			row[l] = root * (from[j] - mu[j])
		}
		k++
	}
	own, shared := 1-m.shrinkage, m.shrinkage*max(mat.Dot(a, a)/m.trace, least)
	o := len(p.seen)
	ao, am := a.Slice(0, kept, 0, o), a.Slice(0, kept, o, cols)
	oo, om := mat.New(o, o), mat.New(o, cols-o)
	mat.Syrk(oo, own, ao.T(), 0)
	mat.Mul(om, own, ao.T(), am, 0)
	diagonal := make([]float64, len(p.missing))
	for k, j := range p.missing {
		diagonal[k] = shared * m.global.covariance.At(j, j)
	}
	squares := make([]float64, len(p.missing))
	for i := range kept {
		asm.MulTo(squares, am.Row(i), am.Row(i))
		asm.Axpy(own, squares, diagonal)
	}
	for k, i := range p.seen {
		blend(oo.Row(k)[:k+1], m.taper.Row(i), shared, m.global.covariance.Row(i), p.seen)
		blend(om.Row(k), m.taper.Row(i), shared, m.global.covariance.Row(i), p.missing)
	}
	return condition(mean, variance, centre(seen, mu, p.seen), gather(mu, p.missing), oo, om, diagonal, m.degrees)
}

// blend sets row[k] to row[k]·taper[list[k]] + weight·global[list[k]].
func blend(row, taper []float64, weight float64, global []float64, list []int) {
	for k := range row {
		j := list[k]
		row[k] = float64(row[k]*taper[j]) + float64(weight*global[j])
	}
}
