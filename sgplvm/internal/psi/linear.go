package psi

import (
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/internal/text"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// Linear is the part Σ_q v_q·x_q·x′_q, with a variance for each latent dimension: one that
// is not needed switches itself off, v_q → 0. A(z)_q = v_q·z_q.
type Linear struct {
	Variance []float64 // v, d
}

// Name is linear.
func (p *Linear) Name() string { return "linear" }

func (p *Linear) clone() Part { return &Linear{slices.Clone(p.Variance)} }

func (p *Linear) zero() { clear(p.Variance) }

func (p *Linear) visit(other Part, f Visitor) { f(p.Variance, other.(*Linear).Variance, true) }

func (p *Linear) validate(d int) error {
	if len(p.Variance) != d {
		return text.Errorf("kernel has %d linear variances, expected %d", len(p.Variance), d)
	}
	for q, v := range p.Variance {
		if !(v > 0) || math.IsInf(v, 0) {
			return text.Errorf("linear variance %v of dimension %d, expected a positive number", v, q)
		}
	}
	return nil
}

// start explains what principal components do.
func (p *Linear) start(s Setting) error {
	for _, f := range s.Fractions {
		p.Variance = append(p.Variance, max((1-s.Common)*f, least)/s.Spatial)
	}
	return nil
}

func (p *Linear) save(w Writer) { w.Numbers("latent.linear", p.Variance) }

func (p *Linear) load(r Reader) bool {
	if !r.Has("latent.linear") {
		return false
	}
	p.Variance = r.Numbers("latent.linear")
	return true
}

func (p *Linear) describe() string {
	return text.Sprintf("linear, variances of %.4g in all", work.Sum(p.Variance))
}

// relevance is the slopes' standard deviations.
func (p *Linear) relevance() (string, []float64) {
	slopes := make([]float64, len(p.Variance))
	for q, v := range p.Variance {
		slopes[q] = math.Sqrt(v)
	}
	return "linear relevance", slopes
}

func (p *Linear) diagonal() (*float64, []float64) { return nil, p.Variance }

func (p *Linear) addMatrix(dst mat.Matrix, in Inducing) {
	buffer := mat.Borrow(in.Z.Rows * in.Z.Cols)
	a := mat.NewDense(in.Z.Rows, in.Z.Cols, *buffer)
	p.slope(a, in.Z)
	mat.Mul(dst, 1, in.Z, a.T(), 1)
	mat.GiveBack(buffer)
}

func (p *Linear) addMatrixGradient(grad Part, dz, g, _ mat.Matrix, in Inducing) {
	to, m, d := grad.(*Linear), in.Z.Rows, in.Z.Cols
	buffer := mat.Borrow(m * d)
	gz := mat.NewDense(m, d, *buffer)
	mat.Mul(gz, 1, g, in.Z, 0)
	for i := range m {
		zi, row, move := in.Z.Row(i), gz.Row(i), dz.Row(i)
		for q, v := range p.Variance {
			to.Variance[q] += row[q] * zi[q]
			move[q] += 2 * v * row[q]
		}
	}
	mat.GiveBack(buffer)
}

func (p *Linear) slope(a, z mat.Matrix) { mat.ScaleCols(a, z, p.Variance) }

func (p *Linear) slopeBackward(grad Part, dz, da, z mat.Matrix) {
	to := grad.(*Linear)
	for k := range z.Rows {
		zk, row, move := z.Row(k), da.Row(k), dz.Row(k)
		for q, v := range p.Variance {
			to.Variance[q] += row[q] * zk[q]
			move[q] += row[q] * v
		}
	}
}
