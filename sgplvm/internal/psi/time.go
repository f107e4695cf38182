package psi

import (
	"errors"
	"math"
	"strconv"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/internal/text"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// Time is the part that depends on nothing but the times of two examples:
//
//	k = v·k_t(t − t′) within a sequence, 0 between sequences
//
// With it f is the sum of a map of the latent variables and a process in time and space
// that they do not explain. That process alone is Gaussian process regression on time
// and space, the case of no latent variables.
type Time struct {
	Variance float64       // v
	Kernel   kernel.Kernel // k_t, of time and unit variance: its own Variance does not count
}

// Name is time.
func (p *Time) Name() string { return "time" }

func (p *Time) clone() Part { return &Time{p.Variance, p.Kernel.Clone()} }

func (p *Time) zero() {
	p.Variance = 0
	p.Kernel.Zero()
}

func (p *Time) visit(other Part, f Visitor) {
	o := other.(*Time)
	VisitScalar(&p.Variance, &o.Variance, f)
	p.Kernel.Visit(&o.Kernel, f)
}

func (p *Time) validate(int) error {
	if !(p.Variance > 0) || math.IsInf(p.Variance, 0) {
		return text.Errorf("time part: variance %v, expected a positive number", p.Variance)
	}
	return p.Kernel.ValidateTime()
}

// start gives the process a tenth of the data's variance.
func (p *Time) start(s Setting) error {
	if s.Time.Kind == "" {
		return errors.New("a time part, but the examples have no times")
	}
	p.Variance, p.Kernel = 0.1/s.Spatial, s.Time.Clone()
	return nil
}

func (p *Time) save(w Writer) {
	w.Text("latent.time.kernel", p.Kernel.String())
	w.Numbers("latent.time.variance", []float64{p.Variance})
}

func (p *Time) load(r Reader) bool {
	if !r.Has("latent.time.variance") {
		return false
	}
	p.Variance = r.Number("latent.time.variance")
	var err error
	if p.Kernel, err = kernel.Parse(r.Text("latent.time.kernel")); err != nil {
		r.Fail(text.Errorf("metadata entry latent.time.kernel: %w", err))
	}
	return true
}

func (p *Time) describe() string {
	return text.Sprintf("time, variance %.4g, %s", p.Variance, rounded(p.Kernel))
}

// rounded returns a kernel with four digits of each number, to be read.
func rounded(k kernel.Kernel) kernel.Kernel {
	k = k.Clone()
	round := func(v *float64) {
		if r, err := strconv.ParseFloat(text.Sprintf("%.4g", *v), 64); err == nil {
			*v = r
		}
	}
	round(&k.Period)
	for _, v := range [][]float64{k.LengthScale, k.Weights} {
		for i := range v {
			round(&v[i])
		}
	}
	for i, term := range k.Terms {
		k.Terms[i] = rounded(term)
	}
	return k
}

func (p *Time) relevance() (string, []float64) { return "", nil }

func (p *Time) diagonal() (*float64, []float64) { return &p.Variance, nil }

func (p *Time) addMatrix(dst mat.Matrix, in Inducing) {
	m := len(in.At)
	buffer := mat.Borrow(m * m)
	values := mat.NewDense(m, m, *buffer)
	p.values(values, in.At, in.At)
	mat.Add(dst, dst, 1, values)
	mat.GiveBack(buffer)
}

func (p *Time) addMatrixGradient(grad Part, _, g, _ mat.Matrix, in Inducing) {
	p.valuesBackward(grad, g, in.At, in.At)
}

func (p *Time) values(dst mat.Matrix, a, b []kernel.Instant) {
	rows := timeRows.Take()
	*rows = timeValues{p, dst, a, b}
	mat.Run(len(a), rows)
	*rows = timeValues{}
	timeRows.Give(rows)
}

// timeValues are those of a time part, row by row.
type timeValues struct {
	p    *Time
	to   mat.Matrix
	a, b []kernel.Instant
}

var timeRows mat.Pool[timeValues]

// Do sets those of a row.
func (v *timeValues) Do(i int) {
	row, delta, a := v.to.Row(i), mat.Borrow(len(v.b)), v.a[i]
	differences(*delta, a, v.b)
	v.p.Kernel.Values(row, *delta)
	mat.GiveBack(delta)
	for j := range row {
		row[j] *= v.p.Variance
		if a.Sequence != v.b[j].Sequence {
			row[j] = 0
		}
	}
}

// differences sets dst[j] to the time from b_j to a.
func differences(dst []float64, a kernel.Instant, b []kernel.Instant) {
	for j, at := range b {
		dst[j] = a.Time - at.Time
	}
}

func (p *Time) valuesBackward(grad Part, g mat.Matrix, a, b []kernel.Instant) {
	to := grad.(*Time)
	buffer := mat.Borrow(3 * len(b))
	delta, values, slope := (*buffer)[:len(b)], (*buffer)[len(b):2*len(b)], (*buffer)[2*len(b):]
	for i := range a {
		differences(delta, a[i], b)
		p.Kernel.Values(values, delta)
		copy(slope, g.Row(i))
		for j := range b {
			if a[i].Sequence != b[j].Sequence {
				slope[j] = 0
			}
		}
		to.Variance += asm.Dot(slope, values)
		asm.Scale(slope, p.Variance, slope)
		p.Kernel.AddValuesGradient(&to.Kernel, slope, delta)
	}
	mat.GiveBack(buffer)
}
