package psi

import (
	"math"

	"github.com/seed-08962ecc/kronfield/internal/text"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// Bias is the part that is b everywhere.
type Bias struct {
	Variance float64 // b
}

// Name is bias.
func (p *Bias) Name() string { return "bias" }

func (p *Bias) clone() Part { return &Bias{p.Variance} }

func (p *Bias) zero() { p.Variance = 0 }

func (p *Bias) visit(other Part, f Visitor) {
	VisitScalar(&p.Variance, &other.(*Bias).Variance, f)
}

func (p *Bias) validate(int) error {
	if !(p.Variance > 0) || math.IsInf(p.Variance, 0) {
		return text.Errorf("bias %v, expected a positive number", p.Variance)
	}
	return nil
}

// start explains the mean of the examples.
func (p *Bias) start(s Setting) error {
	p.Variance = max(s.Common, least) / s.Spatial
	return nil
}

func (p *Bias) save(w Writer) { w.Numbers("latent.bias", []float64{p.Variance}) }

func (p *Bias) load(r Reader) bool {
	if !r.Has("latent.bias") {
		return false
	}
	p.Variance = r.Number("latent.bias")
	return true
}

func (p *Bias) describe() string { return text.Sprintf("bias %.4g", p.Variance) }

func (p *Bias) relevance() (string, []float64) { return "", nil }

func (p *Bias) diagonal() (*float64, []float64) { return &p.Variance, nil }

func (p *Bias) addMatrix(dst mat.Matrix, _ Inducing) { work.AddToAll(dst, p.Variance) }

func (p *Bias) addMatrixGradient(grad Part, _, g, _ mat.Matrix, _ Inducing) {
	to := grad.(*Bias)
	for i := range g.Rows {
		for _, v := range g.Row(i) {
			to.Variance += v
		}
	}
}

func (p *Bias) offset() *float64 { return &p.Variance }
