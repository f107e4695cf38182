package page

import (
	"math"
	"math/rand/v2"

	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

const (
	// What the page has room for, so that it stays below 3 MB.
	maxExamples  = 1500    // dots on the map
	maxMu        = 30_000  // numbers of their means
	maxSprites   = 1 << 20 // bytes of all sprites
	fewSprites   = 600_000 // the same, of models with more inducing points than manyInducing
	manyInducing = 250
	maxRotation  = 80_000 // numbers of the rotation
	maxWeights   = 32_000 // of the fields of means

	meanTolerance      = 0.004 // of means, in deviations of the data
	deviationTolerance = 0.04  // of variances, relative
	maxMeanFields      = 64
	maxVarianceFields  = 12
)

// An explorer is what the page's scripts evaluate predictions from. Texts of numbers are in base64, little-endian: float64 of
// what is multiplied up, float32 of the rest.
type explorer struct {
	shape
	tones
	Names  []string  `json:"names,omitempty"` // of columns
	Offset []float64 `json:"offset"`          // of each channel that is shown: value = Offset + Unit·field
	Unit   []float64 `json:"unit"`

	Dims     int       `json:"dims"`
	Inducing int       `json:"inducing"`
	Z        string    `json:"z"`
	Variance float64   `json:"variance"`
	Lengths  []float64 `json:"lengths"`
	Linear   []float64 `json:"linear"`
	Bias     float64   `json:"bias"`
	Time     float64   `json:"time"`
	Prior    float64   `json:"prior"`

	Columns  int     `json:"columns"`  // of the rotation
	Rotation string  `json:"rotation"` // Inducing×Columns
	Flat     string  `json:"flat"`     // what each column takes off the mean variance
	Noise    float64 `json:"noise"`    // mean variance of the noise

	Mean       *lowRank `json:"mean"`
	Taken      *lowRank `json:"taken"`
	NoiseField sprite   `json:"noiseField"`

	Relevance []float64 `json:"relevance"` // of each latent dimension, the largest 1
	Axes      []int     `json:"axes"`      // the first two
	Examples  examples  `json:"examples"`
	Path      *path     `json:"path,omitempty"`
	Idle      bool      `json:"idle"` // the latent variables count for nothing
	Labels    []string  `json:"labelColours"`
	Colours   string    `json:"colours"` // of the map of colours, 256 of six digits

	basis               *sgplvm.Basis
	kept                []int // columns of the rotation
	meanError, devError float64
}

// examples are the training examples on the map.
type examples struct {
	Count  int       `json:"count"`
	Number []int     `json:"number"`
	Mu     string    `json:"mu"` // Count×Dims
	Sd     string    `json:"sd"`
	Times  []float64 `json:"times,omitempty"`
	Label  []int     `json:"label,omitempty"`

	mu       mat.Matrix
	variance []float64        // of q(x), the mean of each latent dimension
	at       []sgplvm.Instant // nil without times
}

// A path is where the latent variables go in time.
type path struct {
	Times  []float64 `json:"times"`
	Mu     string    `json:"mu"`               // a row for each time
	Values string    `json:"values,omitempty"` // of the part of time, a row for each time
	Frames []string  `json:"frames,omitempty"` // of a film whose contents move, JPEG
}

// setExamples takes the training examples, of many every k-th.
func (x *explorer) setExamples(m *sgplvm.Model, label []int) {
	most, times := max(1, min(maxExamples, maxMu/x.Dims)), m.Times()
	step := (m.Examples() + most - 1) / most
	var mu, sd []float64
	several := false
	x.Examples.variance = make([]float64, x.Dims)
	for i := 0; i < m.Examples(); i += step {
		l := m.TrainingLatent(i)
		x.Examples.Number = append(x.Examples.Number, i)
		mu = append(mu, l.Mu...)
		for q, v := range l.S {
			x.Examples.variance[q] += v / float64((m.Examples()+step-1)/step)
			sd = append(sd, math.Sqrt(v))
		}
		if times != nil {
			x.Examples.Times = append(x.Examples.Times, times[i].Time)
			x.Examples.at = append(x.Examples.at, times[i])
			several = several || times[i].Sequence != times[0].Sequence
		}
		if label != nil {
			x.Examples.Label = append(x.Examples.Label, label[i])
		}
	}
	if several && label == nil {
		for _, t := range x.Examples.at {
			x.Examples.Label = append(x.Examples.Label, t.Sequence)
		}
	}
	x.Examples.Count = len(x.Examples.Number)
	x.Examples.mu = mat.NewDense(x.Examples.Count, x.Dims, mu)
	x.Examples.Mu, x.Examples.Sd = floats(mu), floats(sd)
}

// spread returns the standard deviation of the examples along each latent dimension.
func (x *explorer) spread() []float64 {
	s := make([]float64, x.Dims)
	for q := range s {
		var sum, squares float64
		for i := range x.Examples.Count {
			v := x.Examples.mu.At(i, q)
			sum += v
			squares += v * v
		}
		n := float64(x.Examples.Count)
		s[q] = math.Sqrt(max(0, squares/n-(sum/n)*(sum/n)))
	}
	return s
}

// setRelevance says how much changes along each latent dimension, and chooses the two along which the examples change most.
func (x *explorer) setRelevance() {
	weights := x.spread()
	largest := 0.0
	certain := false // the examples differ by more than is unknown of each
	for q := range weights {
		certain = certain || weights[q]*weights[q] > x.Examples.variance[q]/2
		slope := 0.0
		if x.Lengths != nil {
			slope += x.Variance / (x.Lengths[q] * x.Lengths[q])
		}
		if x.Linear != nil {
			slope += x.Linear[q]
		}
		weights[q] *= math.Sqrt(slope)
		largest = max(largest, weights[q])
	}
	for _, w := range weights {
		if largest > 0 {
			w /= largest
		}
		x.Relevance = append(x.Relevance, w)
	}
	x.Idle = x.Idle || x.Time > 0 && !certain
	x.Axes = engine.Descending(x.Relevance)[:min(2, x.Dims)]
}

// places returns some latent points where people will look, rows ψ1 and k(x, x) of each: the examples, and points around them.
func (x *explorer) places(examples, around int, reach float64) (psi mat.Matrix, prior []float64) {
	rng := rand.New(rand.NewPCG(1, 0x706c61636573))
	spread := x.spread()
	var points []float64
	var at []sgplvm.Instant
	add := func(i int, reach float64) {
		for q := range x.Dims {
			points = append(points, x.Examples.mu.At(i, q)+reach*spread[q]*rng.NormFloat64())
		}
		if x.Examples.at != nil {
			at = append(at, x.Examples.at[i])
		}
	}
	n := x.Examples.Count
	for k := range min(examples, n) {
		add(k*n/min(examples, n), 0)
	}
	for k := range around {
		add(k*n/around, reach)
	}
	p := mat.NewDense(len(points)/x.Dims, x.Dims, points)
	psi, prior = mat.New(p.Rows, x.Inducing), make([]float64, p.Rows)
	if at != nil {
		mat.Copy(psi, x.basis.TimeValues(at))
	}
	for i := range p.Rows {
		prior[i] = x.psi(psi.Row(i), p.Row(i))
	}
	return psi, prior
}

// psi adds ψ1 at a point to dst, which has the part of time, and returns k(x, x): what field.js does.
func (x *explorer) psi(dst, point []float64) (prior float64) {
	b := x.basis
	for k := range dst {
		z, distance := b.Z.Row(k), 0.0
		for q, l := range b.LengthScale {
			d := (point[q] - z[q]) / l
			distance += d * d
		}
		if b.LengthScale != nil {
			dst[k] += b.Variance * math.Exp(-distance/2)
		}
		for q, v := range b.Linear {
			dst[k] += v * point[q] * z[q]
		}
		dst[k] += b.Bias
	}
	prior = b.Variance + b.Bias + b.Time
	for q, v := range b.Linear {
		prior += v * point[q] * point[q]
	}
	return prior
}

// squares returns τ, a row for each of psi's, in the columns that are kept.
func (x *explorer) squares(psi mat.Matrix) mat.Matrix {
	rotated := mat.New(psi.Rows, x.Inducing)
	mat.Mul(rotated, 1, psi, x.basis.Rotation, 0)
	mat.MulElem(rotated, rotated, rotated)
	tau := mat.New(psi.Rows, len(x.kept))
	for i := range psi.Rows {
		for k, j := range x.kept {
			tau.Set(i, k, rotated.At(i, j))
		}
	}
	return tau
}
