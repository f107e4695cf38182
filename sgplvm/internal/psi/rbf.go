package psi

import (
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/internal/text"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// RBF is the part σ²·exp(−½ Σ_q (x_q − x′_q)²/ℓ_q²), with a length scale for each latent
// dimension: one that is not needed switches itself off, ℓ_q → ∞. Its statistics are in
// rbf_psi1.go, rbf_example.go, rbf_psi2.go and rbf_psi2_gradient.go.
type RBF struct {
	Variance    float64   // σ²
	LengthScale []float64 // ℓ, d
}

// Name is rbf.
func (p *RBF) Name() string { return "rbf" }

func (p *RBF) clone() Part { return &RBF{p.Variance, slices.Clone(p.LengthScale)} }

func (p *RBF) zero() {
	p.Variance = 0
	clear(p.LengthScale)
}

func (p *RBF) visit(other Part, f Visitor) {
	o := other.(*RBF)
	VisitScalar(&p.Variance, &o.Variance, f)
	f(p.LengthScale, o.LengthScale, true)
}

func (p *RBF) validate(d int) error {
	if len(p.LengthScale) != d {
		return text.Errorf("kernel has %d length scales, expected %d", len(p.LengthScale), d)
	}
	if err := p.kernel().Validate(d); err != nil {
		return err
	}
	for q, l := range p.LengthScale {
		if l < minLength || l > maxLength {
			return text.Errorf("rbf kernel: length scale %v of dimension %d, expected %v to %v", l, q, minLength, maxLength)
		}
	}
	return nil
}

// minLength and maxLength bound length scales, in units of the prior's deviation: their squares have inverses.
const minLength, maxLength = 1e-100, 1e100

// start gives weak components long length scales.
func (p *RBF) start(s Setting) error {
	p.Variance = 1
	for _, f := range s.Fractions {
		p.LengthScale = append(p.LengthScale, 1/math.Sqrt(max(f, least)))
	}
	return nil
}

func (p *RBF) save(w Writer) {
	w.Numbers("latent.variance", []float64{p.Variance})
	w.Numbers("latent.lengthscale", p.LengthScale)
}

func (p *RBF) load(r Reader) bool {
	if !r.Has("latent.variance") && !r.Has("latent.lengthscale") {
		return false
	}
	p.Variance, p.LengthScale = r.Number("latent.variance"), r.Numbers("latent.lengthscale")
	return true
}

func (p *RBF) describe() string { return text.Sprintf("rbf, variance %.4g", p.Variance) }

// relevance is the inverse length scales.
func (p *RBF) relevance() (string, []float64) {
	slopes := make([]float64, len(p.LengthScale))
	for q, l := range p.LengthScale {
		slopes[q] = 1 / l
	}
	return "relevance", slopes
}

func (p *RBF) diagonal() (*float64, []float64) { return &p.Variance, nil }

// kernel returns the part as a kernel of points, which shares the length scales.
func (p *RBF) kernel() kernel.Kernel {
	return kernel.Kernel{Kind: kernel.RBF, Variance: p.Variance, LengthScale: p.LengthScale}
}

func (p *RBF) addMatrix(dst mat.Matrix, in Inducing) {
	m := in.Z.Rows
	buffer := mat.Borrow(m * m)
	values := mat.NewDense(m, m, *buffer)
	p.kernel().Matrix(values, in.Z, in.Z)
	mat.Add(dst, dst, 1, values)
	mat.GiveBack(buffer)
}

// addMatrixGradient needs products alone: with W = g∘K, w = W·1 and z relative to the mean of all
//
//	∂L/∂z = 2·(W·z − w∘z)/ℓ²,   ∂L/∂ℓ = Σ W·(z_k − z_j)²/ℓ³ = 2·Σ z∘(w∘z − W·z)/ℓ³
func (p *RBF) addMatrixGradient(grad Part, dz, g, values mat.Matrix, in Inducing) {
	to, m, d := grad.(*RBF), in.Z.Rows, in.Z.Cols
	buffer := mat.Borrow(m*m + 2*m*(d+1) + d)
	room := *buffer
	w, z, wz := carve(&room, m, m), carve(&room, m, d+1), carve(&room, m, d+1)
	mat.MulElem(w, g, values)
	z.Fill(1)
	centre(z.Slice(0, m, 0, d), room, in.Z)
	mat.Mul(wz, 1, w, z, 0)
	for k := range m {
		to.Variance += wz.Row(k)[d] / p.Variance
	}
	for q, l := range p.LengthScale {
		var sum float64
		perSquare := 2 / (l * l)
		for k := range m {
			row, at := wz.Row(k), z.Row(k)[q]
			move := perSquare * (row[q] - row[d]*at)
			dz.Row(k)[q] += move
			sum += move * at
		}
		to.LengthScale[q] -= sum / l
	}
	mat.GiveBack(buffer)
}

// centre sets dst to z less the mean of its rows, which it leaves in mean.
func centre(dst mat.Matrix, mean []float64, z mat.Matrix) {
	clear(mean)
	for k := range z.Rows {
		asm.Axpy(1/float64(z.Rows), z.Row(k), mean)
	}
	for k := range z.Rows {
		asm.AddScaled(dst.Row(k), z.Row(k), -1, mean)
	}
}

func (p *RBF) expectations() expectations { return new(rbfPsi) }
