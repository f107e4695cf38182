package kernel

import (
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/internal/text"
)

// Kernel is a covariance function with its parameters: a function of the distance between
// points, a periodic one, or a sum or product of kernels.
type Kernel struct {
	Kind        Kind
	Variance    float64   // σ², positive; used in space, of the whole kernel only: not in time, and not of Terms
	LengthScale []float64 // ℓ, in units of the points (without unit for Periodic): one for all dimensions, or one each. None for White, Sum and Product; nil or 0: from the data
	Period      float64   // p of Periodic, in units of the points. 0: from the data
	Terms       []Kernel  // of a Sum or Product, two or more
	Weights     []float64 // of a Sum's terms, positive, adding up to 1. nil: equal ones
}

// Clone returns a copy that shares nothing with k.
func (k Kernel) Clone() Kernel {
	k.LengthScale = slices.Clone(k.LengthScale)
	k.Weights = slices.Clone(k.Weights)
	k.Terms = slices.Clone(k.Terms)
	for i, term := range k.Terms {
		k.Terms[i] = term.Clone()
	}
	return k
}

// Equal reports whether two kernels are of one form and have equal parameters.
func (k Kernel) Equal(other Kernel) bool {
	return k.Kind == other.Kind && k.Variance == other.Variance && k.Period == other.Period &&
		slices.Equal(k.LengthScale, other.LengthScale) && slices.Equal(k.Weights, other.Weights) &&
		slices.EqualFunc(k.Terms, other.Terms, Kernel.Equal)
}

// simple returns the row of a kernel that is one function of the distance, and panics in
// the name of op if its kind is unknown.
func (k *Kernel) simple(op string) *row {
	kind := k.Kind
	if kind == Periodic {
		kind = RBF
	}
	r := lookup(kind)
	if r == nil {
		panic(text.Sprintf("kernel: %s: unknown kind %s", op, quoted(string(k.Kind))))
	}
	return r
}

// hasScale reports whether a kernel of this kind has length scales.
func (k *Kernel) hasScale() bool {
	r := lookup(k.Kind)
	return k.Kind == Periodic || r != nil && r.scaled
}

// Validate reports whether the kernel is complete and can be used on points of d
// dimensions.
func (k Kernel) Validate(d int) error {
	if err := k.validateForm("kernel"); err != nil {
		return err
	}
	if !(k.Variance > 0) || math.IsInf(k.Variance, 0) {
		return text.Errorf("%s kernel: variance %v, expected a positive number", k.Kind, k.Variance)
	}
	return k.validateScales(d)
}

// ValidateTime reports whether the kernel is complete and can be used in time, where it has
// no variance, and white kernels do not serve.
func (k Kernel) ValidateTime() error {
	if err := k.validateForm("time kernel"); err != nil {
		return err
	}
	if k.hasWhite() {
		return text.Errorf("time kernel: %s kernels have no place in time", White)
	}
	return k.validateScales(1)
}

func (k *Kernel) hasWhite() bool {
	return k.Kind == White || slices.ContainsFunc(k.Terms, func(term Kernel) bool { return term.hasWhite() })
}

// validateForm checks kinds, terms and weights.
func (k *Kernel) validateForm(what string) error {
	many := k.Kind == Sum || k.Kind == Product
	if lookup(k.Kind) == nil && !slices.Contains(composed, k.Kind) {
		return text.Errorf("unknown %s %s, expected one of %v or %v", what, quoted(string(k.Kind)), names(Kinds()), names(composed))
	}
	if many != (len(k.Terms) > 0) || len(k.Terms) == 1 {
		return text.Errorf("%s: %d terms of %s, expected two or more of a sum or product and none elsewhere", what, len(k.Terms), k.Kind)
	}
	for i := range k.Terms {
		if err := k.Terms[i].validateForm(what); err != nil {
			return err
		}
	}
	if k.Kind != Sum {
		return nil
	}
	if len(k.Weights) != len(k.Terms) {
		return text.Errorf("%s: %d weights for %d terms of a sum", what, len(k.Weights), len(k.Terms))
	}
	return validWeights(k.Weights)
}

// validWeights reports whether weights are positive and add up to 1.
func validWeights(w []float64) error {
	for _, v := range w {
		if !(v > 0) {
			return text.Errorf("weight %v of a sum, expected a positive number", v)
		}
	}
	if total := sum(w); !(math.Abs(total-1) <= 1e-9) {
		return text.Errorf("weights add up to %v, expected 1", total)
	}
	return nil
}

func sum(v []float64) float64 {
	var s float64
	for _, x := range v {
		s += x
	}
	return s
}

// validateScales checks length scales and periods for points of d dimensions.
func (k *Kernel) validateScales(d int) error {
	n := len(k.LengthScale)
	if !k.hasScale() {
		if n != 0 {
			return text.Errorf("%s kernel: %d length scales, expected none", k.Kind, n)
		}
		for i := range k.Terms {
			if err := k.Terms[i].validateScales(d); err != nil {
				return err
			}
		}
		return nil
	}
	if k.Kind == Periodic {
		if d != 1 {
			return text.Errorf("periodic kernel: points of %d dimensions, expected 1", d)
		}
		if !(k.Period > 0) || math.IsInf(k.Period, 0) {
			return text.Errorf("periodic kernel: period %v, expected a positive number", k.Period)
		}
	}
	if n != 1 && n != d {
		return text.Errorf("%s kernel: %d length scales for %d dimensions, expected 1 or %d", k.Kind, n, d, d)
	}
	for q, l := range k.LengthScale {
		if !(l > 0) || math.IsInf(l, 0) {
			return text.Errorf("%s kernel: length scale %v of dimension %d, expected a positive number", k.Kind, l, q)
		}
	}
	return nil
}
