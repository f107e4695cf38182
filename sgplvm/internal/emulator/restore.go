package emulator

import (
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// Restore checks a model that was read from a file, and conditions it.
func (m *Model) Restore() error {
	d, modes, size := m.X.Cols, m.P.Cols, m.V.Rows
	channels := len(m.Scaler.Mean)
	components := 0
	if m.Fields != nil {
		components = m.Fields.V.Cols
		if !positive(m.Fields.Scaler.Scale) || len(m.Fields.Scaler.Scale) != len(m.Fields.Scaler.Mean) || m.Fields.Points < 1 ||
			m.Fields.V.Rows != len(m.Fields.Mean) || m.Fields.V.Rows != m.Fields.Points*len(m.Fields.Scaler.Mean) {
			return fmt.Errorf("input fields of which the parts do not fit together")
		}
	}
	width := 0
	for q := range m.Encodings {
		width += m.Encodings[q].Width()
	}
	switch {
	case m.X.Rows < 1 || m.X.Rows > maxRuns || m.X.Rows != m.P.Rows || d != width+components || len(m.Mean) != width || len(m.Scale) != width || !positive(m.Scale):
		return fmt.Errorf("inputs of which the parts do not fit together")
	case channels < 1 || len(m.Scaler.Scale) != channels || !positive(m.Scaler.Scale) || m.Points < 1 || size != m.Points*channels || m.V.Cols != modes ||
		len(m.Centre) != size || len(m.Left) != size || len(m.Deviations) != modes || !positive(m.Deviations) || !(m.Factor >= 0) || !(m.Reach >= 0):
		return fmt.Errorf("outputs of which the parts do not fit together")
	case len(m.Kernels) == 0 || len(m.Kernels) != len(m.Modes) || len(m.Errors.Each) != len(m.Errors.Runs):
		return fmt.Errorf("%d kernels for %d groups of modes", len(m.Kernels), len(m.Modes))
	}
	for _, t := range m.Transforms {
		if len(m.Transforms) != channels || t < work.Identity || t > work.Logit {
			return fmt.Errorf("%d transforms of %d channels, of which one is %d", len(m.Transforms), channels, t)
		}
	}
	for _, i := range m.Unseen {
		if i < 0 || i >= size {
			return fmt.Errorf("value %d that no run has, expected less than %d", i, size)
		}
	}
	for _, v := range m.Left {
		if v < 0 {
			return fmt.Errorf("variance %v, expected 0 or more", v)
		}
	}
	if err := m.checkKernels(d, modes); err != nil {
		return err
	}
	return m.Condition()
}

// checkKernels checks those of a model of d inputs.
func (m *Model) checkKernels(d, modes int) error {
	for _, k := range m.Kernels {
		parts := 0
		if k != nil && k.Form == Product {
			parts = d
		}
		if k == nil || k.Form < RBF || k.Form > Product || !(k.Share >= 0 && k.Share <= 1) || len(k.Scales) != d || !positive(k.Scales) || len(k.Linear) != d || len(k.Parts) != parts {
			return fmt.Errorf("a kernel that does not fit %d inputs", d)
		}
		for q, u := range k.Linear {
			if !(u >= 0) || parts > 0 && !(k.Parts[q] >= 0 && k.Parts[q] <= 1) {
				return fmt.Errorf("a kernel with the weight %v", u)
			}
		}
	}
	next := 0
	for _, list := range m.Modes {
		for _, j := range list {
			if j != next {
				return fmt.Errorf("mode %d, expected %d", j, next)
			}
			next++
		}
	}
	if next != modes {
		return fmt.Errorf("kernels for %d modes, expected %d", next, modes)
	}
	return nil
}

// positive tells whether all numbers are positive and finite.
func positive(v []float64) bool {
	for _, x := range v {
		if !(x > 0 && x <= math.MaxFloat64) {
			return false
		}
	}
	return true
}
