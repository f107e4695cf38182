package predict

import (
	"cmp"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/points"
)

func bandwidth(o field.InferOptions) float64 { return cmp.Or(o.LocalBandwidth, 0.7) }
func strength(o field.InferOptions) float64  { return cmp.Or(o.LocalStrength, 1) }

// degrees returns the degrees of freedom, 0 for infinitely many. kept says whether the model keeps its
// training residuals.
func degrees(o field.InferOptions, kept bool) float64 {
	if o.DegreesOfFreedom == 0 && kept {
		return 50
	}
	return max(0, o.DegreesOfFreedom)
}

// CheckOptions returns what is wrong with options. Errors: *ConfigError.
func CheckOptions(o field.InferOptions) error {
	refuse := func(format string, args ...any) error {
		return &field.ConfigError{Field: "InferOptions", Err: fmt.Errorf(format, args...)}
	}
	switch {
	case o.Candidates < 0 || o.Iterations < 0:
		return refuse("Candidates %d, Iterations %d, expected no negative number", o.Candidates, o.Iterations)
	case o.Conditioning != field.ConditionGivenLatent && o.Conditioning != field.ConditionMoments && o.Conditioning != field.ConditionNone:
		return refuse("Conditioning %q, expected nothing, %q or %q", string(o.Conditioning), field.ConditionMoments, field.ConditionNone)
	case !(o.LocalStrength >= 0) || math.IsInf(o.LocalStrength, 0) || math.IsNaN(o.LocalBandwidth) || math.IsInf(o.LocalBandwidth, 0):
		return refuse("LocalBandwidth %v, LocalStrength %v, expected finite numbers, the strength 0 or more", o.LocalBandwidth, o.LocalStrength)
	case math.IsNaN(o.DegreesOfFreedom) || math.IsInf(o.DegreesOfFreedom, 0):
		return refuse("DegreesOfFreedom %v, expected a finite number", o.DegreesOfFreedom)
	}
	if why := points.CheckBlends(o.Blends); why != "" {
		return refuse("%s", why)
	}
	return nil
}

// CopyLatent makes to a copy of l, in its storage.
func CopyLatent(to *field.Latent, l field.Latent) {
	l.Mu, l.S, l.At = append(to.Mu[:0], l.Mu...), append(to.S[:0], l.S...), copiedTime(to.At, l.At)
	*to = l
}

// copiedTime returns a copy of a time, in the storage of to where that is any.
func copiedTime(to, at *data.Instant) *data.Instant {
	if at == nil {
		return nil
	}
	if to == nil {
		to = new(data.Instant)
	}
	*to = *at
	return to
}

// CopyPrediction makes to a copy of p, in its storage where that is as large, and apart from observed values.
func CopyPrediction(to *field.Prediction, p field.Prediction, values mat.Matrix) {
	mean, variance := apartFrom(to.Mean, values, p.Mean.Rows, p.Mean.Cols), apartFrom(to.Variance, values, p.Variance.Rows, p.Variance.Cols)
	mat.Copy(mean, p.Mean)
	mat.Copy(variance, p.Variance)
	p.Mean, p.Variance = mean, variance
	p.Outliers = append(to.Outliers[:0], p.Outliers...)
	*to = p
}

// apartFrom is Sized of a matrix apart from the observed values.
func apartFrom(a, values mat.Matrix, rows, cols int) mat.Matrix {
	if mat.Overlap(a, values) {
		a = mat.Matrix{}
	}
	return Sized(a, rows, cols)
}

// Sized returns a matrix without gaps of some size, a where it is one.
func Sized(a mat.Matrix, rows, cols int) mat.Matrix {
	if a.Rows != rows || a.Cols != cols || a.RowStride != cols || a.ColStride != 1 {
		return mat.New(rows, cols)
	}
	return a
}
