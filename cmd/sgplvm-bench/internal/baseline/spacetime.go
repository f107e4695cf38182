package baseline

import (
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// The axes of a film, and their modes in a tensor of its values: n × d_y × height × width.
const (
	timeAxis = iota
	rowAxis
	columnAxis
	axesCount
)

var modes = [axesCount]int{0, 2, 3}

// The variables of the marginal likelihood: log σ², log τ and log ℓ of each axis.
const (
	logSignal = iota
	logNoise
	logLength // of the first axis
	variables = logLength + axesCount
)

// minNoise is added to the noise variance.
const minNoise = 1e-8

// structure is exact Gaussian-process regression in time and space with the covariance
// σ²·k_t ⊗ k_rows ⊗ k_columns + τ·I of each channel, through the eigendecompositions
// of the three factors, K_f = Q_f·diag(λ_f)·Q_fᵀ (Y. Saatçi, "Scalable Inference for
// Structured Gaussian Process Models", 2011, chapter 5).
type structure struct {
	kinds       [axesCount]kernel.Kind
	coordinates [axesCount][]float64 // times, and pixels

	y       kronprod.Tensor // n × d_y × height × width
	spatial kronprod.Tensor // y times Q_rowsᵀ and Q_columnsᵀ
	z       kronprod.Tensor // y times all Qᵀ, over d once solve has been called
	length  [axesCount]float64
	spectra [axesCount]eig.Spectrum
	valid   [axesCount]bool // the spectra are those of length; of rows and columns, spatial too
}

func newStructure(y kronprod.Tensor, kinds [axesCount]kernel.Kind, coordinates [axesCount][]float64) *structure {
	s := &structure{kinds: kinds, coordinates: coordinates, y: y}
	s.spatial, s.z = kronprod.NewTensor(y.Dims...), kronprod.NewTensor(y.Dims...)
	return s
}

// shape returns n, d_y and n_s.
func (s *structure) shape() (n, channels, points int) {
	return s.y.Dims[0], s.y.Dims[1], s.y.Dims[2] * s.y.Dims[3]
}

// turn finds the spectra for the length scales in θ and brings the values into the
// eigenbasis of space, as far as they are not known from the last call.
func (s *structure) turn(theta []float64) error {
	moved := false
	for f := range axesCount {
		length := math.Exp(theta[logLength+f])
		if s.valid[f] && length == s.length[f] {
			continue
		}
		s.valid[f] = false
		if err := s.decompose(f, length); err != nil {
			return err
		}
		moved = moved || f != timeAxis
	}
	if moved {
		kronprod.MulMode(s.z, s.spectra[rowAxis].Vectors.T(), s.y, modes[rowAxis])
		kronprod.MulMode(s.spatial, s.spectra[columnAxis].Vectors.T(), s.z, modes[columnAxis])
	}
	for f := range axesCount {
		s.valid[f] = true
	}
	return nil
}

func (s *structure) decompose(f int, length float64) error {
	s.length[f] = length
	spectrum, err := eig.Sym(correlations(s.kinds[f], s.coordinates[f], s.coordinates[f], length))
	if err != nil {
		return fmt.Errorf("baseline: correlations along %s: %w", [...]string{"time", "rows", "columns"}[f], err)
	}
	for i, v := range spectrum.Values {
		spectrum.Values[i] = max(v, 0) // below 0 by rounding
	}
	s.spectra[f] = spectrum
	return nil
}

// spatialValues returns λ_rows ⊗ λ_columns.
func (s *structure) spatialValues() []float64 {
	return kronprod.Vectors(s.spectra[rowAxis].Values, s.spectra[columnAxis].Values)
}

// sums are what one time component adds to the marginal likelihood and its gradient, with d =
// σ²λ + τ and z the values in the eigenbasis.
type sums struct {
	quadratic, logs float64   // Σ z²/d and Σ log d
	signal, noise   float64   // Σ λ·g and Σ g with g = ½ Σ_c z_c²/d² − ½ d_y/d
	marginal        float64   // Σ λ_rows·λ_columns/d
	rows, columns   []float64 // sums of the other axes' λ/d
}

// solve sets z to the values in the eigenbasis over d, and returns the sums over
// all of space for each time component.
func (s *structure) solve(theta []float64, space bool) ([]sums, error) {
	if err := s.turn(theta); err != nil {
		return nil, err
	}
	kronprod.MulMode(s.z, s.spectra[timeAxis].Vectors.T(), s.spatial, modes[timeAxis])
	n, channels, points := s.shape()
	signal, noise := math.Exp(theta[logSignal]), math.Exp(theta[logNoise])+minNoise
	values, inTime := s.spatialValues(), s.spectra[timeAxis].Values
	height, width := s.y.Dims[2], s.y.Dims[3]
	list := make([]sums, n)
	mat.Parallel(n, func(i int) {
		t := &list[i]
		if space {
			t.rows, t.columns = make([]float64, height), make([]float64, width)
		}
		d, inverse, squares := make([]float64, width), make([]float64, width), make([]float64, width)
		for r := range height {
			along := values[r*width:][:width]
			for k, v := range along {
				d[k] = signal*inTime[i]*v + noise
				inverse[k] = 1 / d[k]
			}
			t.logs += asm.SumLog(d)
			clear(squares)
			for c := range channels {
				z := s.z.Data[((i*channels+c)*points)+r*width:][:width]
				for k, v := range z {
					q := v * inverse[k]
					t.quadratic += float64(v * q)
					squares[k] += float64(q * q)
					z[k] = q
				}
			}
			var marginal float64
			for k, v := range along {
				g := 0.5*squares[k] - 0.5*float64(channels)*inverse[k]
				t.signal += float64(v * g)
				t.noise += g
				marginal += float64(v * inverse[k])
			}
			t.marginal += marginal
			if !space {
				continue
			}
			lr := s.spectra[rowAxis].Values[r]
			for k, v := range s.spectra[columnAxis].Values {
				t.rows[r] += float64(v * inverse[k])
				t.columns[k] += float64(lr * inverse[k])
			}
		}
		t.signal *= inTime[i]
	})
	return list, nil
}

// objective returns −log p(y | θ) for each value, and its gradient. Unless space is
// set, the length scales of rows and columns stay where they are.
func (s *structure) objective(theta, grad []float64, space bool) float64 {
	for _, t := range theta {
		if math.Abs(t) > 40 {
			return math.NaN()
		}
	}
	list, err := s.solve(theta, space)
	if err != nil {
		return math.NaN()
	}
	n, channels, points := s.shape()
	signal := math.Exp(theta[logSignal])
	perValue := 1 / (float64(n) * float64(channels) * float64(points))
	var total sums
	var marginal [axesCount][]float64
	marginal[timeAxis] = make([]float64, n)
	marginal[rowAxis], marginal[columnAxis] = make([]float64, s.y.Dims[2]), make([]float64, s.y.Dims[3])
	for i, t := range list {
		total.quadratic += t.quadratic
		total.logs += t.logs
		total.signal += t.signal
		total.noise += t.noise
		marginal[timeAxis][i] = t.marginal
		if space {
			asm.Axpy(s.spectra[timeAxis].Values[i], t.rows, marginal[rowAxis])
			asm.Axpy(s.spectra[timeAxis].Values[i], t.columns, marginal[columnAxis])
		}
	}
	clear(grad)
	grad[logSignal] = -perValue * signal * total.signal
	grad[logNoise] = -perValue * math.Exp(theta[logNoise]) * total.noise
	for f := range axesCount {
		if f == timeAxis || space {
			grad[logLength+f] = -perValue * signal * s.lengthGradient(f, marginal[f])
		}
	}
	value := 0.5*total.quadratic + 0.5*float64(channels)*total.logs
	return perValue*value + 0.5*math.Log(2*math.Pi)
}

// lengthGradient returns the derivative of log p(y) in log ℓ of an axis over σ²: that of
// ½ Σ_c a_cᵀ(∂K ⊗ others)a_c − ½ d_y tr(…), with a the values over d. marginal are the sums
// of the other axes' λ/d.
func (s *structure) lengthGradient(f int, marginal []float64) float64 {
	_, channels, _ := s.shape()
	weights := make([][]float64, len(s.y.Dims))
	for g := range axesCount {
		if g != f {
			weights[modes[g]] = s.spectra[g].Values
		}
	}
	m := len(marginal)
	inner, buffer := mat.New(m, m), mat.New(m, m)
	kronprod.Gram(inner, s.z, modes[f], weights)
	for i, v := range marginal {
		inner.Set(i, i, inner.At(i, i)-float64(channels)*v)
	}
	q := s.spectra[f].Vectors
	mat.Mul(buffer, 1, q, inner, 0)
	mat.Mul(inner, 0.5, buffer, q.T(), 0)
	return lengthSlope(s.kinds[f], s.coordinates[f], s.length[f], inner)
}
