package emulator

import (
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// Inputs are those of n runs: numbers, and fields of which only products are known.
type Inputs struct {
	Numbers mat.Matrix // n×d, NaN nowhere
	Fixed   []bool     // columns that are not scaled
	Errors  mat.Matrix // standard errors of the numbers, +Inf where one is not known, n×d, or 0×0
	Given   mat.Matrix // numbers before those with errors were inferred, n×d, or 0×0
	columns []Encoding // that became numbers
	Gram    mat.Matrix // of the fields, n×n, or 0×0
}

// some returns the inputs of some runs.
func (in *Inputs) some(runs []int) *Inputs {
	s := &Inputs{Numbers: rows(in.Numbers, runs), Fixed: in.Fixed, columns: in.columns}
	if in.Errors.Rows > 0 {
		s.Errors, s.Given = rows(in.Errors, runs), rows(in.Given, runs)
	}
	if in.Gram.Rows > 0 {
		s.Gram = submatrix(in.Gram, runs)
	}
	return s
}

// submatrix returns some rows and columns of a symmetric matrix.
func submatrix(a mat.Matrix, list []int) mat.Matrix {
	s := mat.New(len(list), len(list))
	work.Submatrix(s, a, list, list)
	return s
}

// gather returns some elements.
func gather(v, list []int) []int {
	s := make([]int, len(list))
	for i, k := range list {
		s[i] = v[k]
	}
	return s
}

// groups numbers different inputs in order, and gives runs with the same inputs the same number.
func (in *Inputs) groups() []int {
	of := make([]int, max(in.Numbers.Rows, in.Gram.Rows))
	var firsts []int
	for i := range of {
		of[i] = len(firsts)
		for g, k := range firsts {
			if in.same(i, k) {
				of[i] = g
				break
			}
		}
		if of[i] == len(firsts) {
			firsts = append(firsts, i)
		}
	}
	return of
}

// same tells whether two runs have the same inputs.
func (in *Inputs) same(i, k int) bool {
	if in.Gram.Rows > 0 && in.Gram.At(i, i)+in.Gram.At(k, k)-2*in.Gram.At(i, k) > 1e-12*(in.Gram.At(i, i)+in.Gram.At(k, k)) {
		return false
	}
	return slices.Equal(in.Numbers.Row(i), in.Numbers.Row(k))
}

// distinct returns the number of different groups.
func distinct(groups []int) int {
	count := 0
	for _, g := range groups {
		count = max(count, g+1)
	}
	return count
}

// A Scaling turns inputs into ξ: numbers less their mean over their deviation, then components of fields.
type Scaling struct {
	Mean, Scale []float64
	Fields      *Basis // nil: none
}

// newScaling learns from some runs; components limits those of fields.
func newScaling(in *Inputs, runs []int, components int) (*Scaling, error) {
	s := &Scaling{}
	for q := range in.Numbers.Cols {
		mean, square := 0., 0.
		for _, i := range runs {
			mean += in.Numbers.At(i, q) / float64(len(runs))
		}
		for _, i := range runs {
			d := in.Numbers.At(i, q) - mean
			square += d * d / float64(len(runs))
		}
		scale := math.Sqrt(square)
		if !(scale > 1e-12*math.Abs(mean)) || in.Fixed[q] {
			scale = 1
		}
		s.Mean, s.Scale = append(s.Mean, mean), append(s.Scale, scale)
	}
	if in.Gram.Rows > 0 {
		var err error
		if s.Fields, err = NewBasis(in.Gram, runs, components); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// weights returns those of the linear part: a component of a field counts by its deviation once more, since outputs are smoother than inputs.
func (s *Scaling) weights() []float64 {
	var u []float64
	for range s.Mean {
		u = append(u, 1)
	}
	if s.Fields != nil {
		for _, d := range s.Fields.Deviations {
			u = append(u, d/s.Fields.largest())
		}
	}
	return u
}

// apply returns ξ of some runs.
func (s *Scaling) apply(in *Inputs, runs []int) mat.Matrix {
	d := len(s.Mean)
	var fields mat.Matrix
	if s.Fields != nil {
		fields, _ = s.Fields.of(in.Gram, runs)
	}
	x := mat.New(len(runs), d+fields.Cols)
	for i, r := range runs {
		for q := range d {
			x.Set(i, q, (in.Numbers.At(r, q)-s.Mean[q])/s.Scale[q])
		}
	}
	if fields.Cols > 0 {
		mat.Scale(x.Slice(0, x.Rows, d, x.Cols), 1/s.Fields.largest(), fields)
	}
	return x
}
