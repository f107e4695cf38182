package sgplvm

import (
	"math"

	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
)

// A problem is the data that a bound is evaluated on: scaled values, spatial
// inputs and the fixed jitter. It keeps the factorisation of its last
// evaluation, so spatial factors whose parameters did not move, and the data in
// their eigenbasis, are not computed again.
type problem struct {
	x      []mat.Matrix    // X_f, n_f×d_f
	y      kronprod.Tensor // n_ξ × n_1 × … × d_y
	yy     float64         // ‖Y‖²
	jitter float64         // on the latent and free spatial K_f, relative to their mean diagonal

	psi     *latentPsi
	factors []*factor // latent first
	held    *Params   // parameters of the spatial factors above

	projected kronprod.Tensor // Y contracted with every spatial factor's data basis
	d         kronprod.Tensor // D, m_ξ × m_1 × …
	h         kronprod.Tensor // D⁻¹ times Y contracted with all data bases, with d_y as last mode
	work      kronprod.Workspace
	buffer    []float64
}

func newProblem(y mat.Matrix, examples int, x []mat.Matrix, jitter float64) *problem {
	dims := []int{examples}
	for _, xf := range x {
		dims = append(dims, xf.Rows)
	}
	dims = append(dims, y.Cols)
	p := &problem{x: x, y: kronprod.Shaped(y.Data, dims...), jitter: jitter}
	p.yy = mat.Dot(mat.Vector(p.y.Data), mat.Vector(p.y.Data))
	return p
}

func (b *problem) channels() int { return b.y.Dims[len(b.y.Dims)-1] }

// factorize brings factors, projected, d and h up to date with the parameters.
func (b *problem) factorize(p *Params) error {
	if b.factors == nil {
		b.factors = make([]*factor, 1+len(b.x))
	}
	moved := false
	for f, x := range b.x {
		if b.factors[f+1] != nil && equalKernel(b.held.Spatial[f], p.Spatial[f]) && equalMatrix(b.held.Xu[f], p.Xu[f]) {
			continue
		}
		s, err := newSpatialFactor(p.Spatial[f], x, p.Xu[f], b.jitter)
		if err != nil {
			b.factors = nil // those before f are not the held ones any more
			return &FactorizationError{Factor: f + 1, Err: err}
		}
		b.factors[f+1] = s
		moved = true
	}
	if moved {
		b.held = &Params{}
		for f := range b.x {
			b.held.Spatial = append(b.held.Spatial, p.Spatial[f].clone())
			b.held.Xu = append(b.held.Xu, p.Xu[f].Clone())
		}
		b.project()
	}
	if b.psi == nil {
		b.psi = new(latentPsi)
	}
	b.psi.set(p.Latent, p.Z)
	latent, err := newLatentFactor(b.psi, p, b.jitter)
	if err != nil {
		return &FactorizationError{Factor: 0, Err: err}
	}
	b.factors[0] = latent

	// D = β⁻¹ + ⊗λ and H = D⁻¹·(W_0 ⊗ V_1 ⊗ …)ᵀ·Y.
	lambda := kronprod.Vectors(b.lambdas()...)
	dims := make([]int, len(b.factors))
	for f, s := range b.factors {
		dims[f] = s.size()
	}
	if len(b.d.Data) != len(lambda) {
		b.d = kronprod.NewTensor(dims...)
		b.h = kronprod.NewTensor(append(dims, b.channels())...)
	}
	kronprod.MulMode(b.h, latent.data.T(), b.projected, 0)
	for i, l := range lambda {
		d := 1/p.Beta + l
		b.d.Data[i] = d
		row := b.h.Data[i*b.channels() : (i+1)*b.channels()]
		for c := range row {
			row[c] /= d
		}
	}
	return nil
}

// project contracts Y with the data basis of every spatial factor.
func (b *problem) project() {
	o := kronprod.Operator{Factors: make([]mat.Matrix, len(b.factors))}
	n := b.y.Dims[0] * b.channels()
	for f, s := range b.factors[1:] {
		o.Factors[f+1] = s.data.T()
		n *= s.size()
	}
	if len(b.projected.Data) != n {
		b.projected.Data = make([]float64, n)
	}
	b.projected = o.MulTensor(b.projected.Data, b.y, &b.work)
}

// lambdas returns Λ_f of every factor, latent first.
func (b *problem) lambdas() [][]float64 {
	l := make([][]float64, len(b.factors))
	for f, s := range b.factors {
		l[f] = s.lambda
	}
	return l
}

// omegas returns the weights of every factor and of the channels; nil entries
// stand for ones.
func (b *problem) omegas() [][]float64 {
	w := make([][]float64, len(b.factors)+1)
	for f, s := range b.factors {
		w[f] = s.omega
	}
	return w
}

// bound factorizes and returns the collapsed lower bound on log p(Y): Atkinson
// and Zabaras (2018), equation of the collapsed bound, with q(U) at its
// optimum; the independent prior.
func (b *problem) bound(p *Params) (float64, error) {
	if err := b.factorize(p); err != nil {
		return math.NaN(), err
	}
	n := float64(len(b.y.Data) / b.channels())
	m := float64(len(b.d.Data))
	dy := float64(b.channels())
	fit, _ := b.quadratic() // Σ b²/d
	return dy/2*((n-m)*math.Log(p.Beta)-n*math.Log(2*math.Pi)-b.logDet()) -
		p.Beta/2*(b.yy-fit+dy*(b.psi0(p)-b.tracePsi2())) -
		independentKL(p.Mu, p.S), nil
}

// psi0 is the whole trace: the latent ψ0 times Π_f tr K(X_f, X_f).
func (b *problem) psi0(p *Params) float64 {
	return p.Latent.psi0(p.Mu, p.S) * b.spatialTrace(p)
}

// spatialTrace is Π_f tr K(X_f, X_f).
func (b *problem) spatialTrace(p *Params) float64 {
	t := 1.0
	for f, x := range b.x {
		t *= float64(x.Rows) * p.Spatial[f].Variance
	}
	return t
}

// tracePsi2 is tr K_uu⁻¹Ψ2 = Π_f tr Λ_f.
func (b *problem) tracePsi2() float64 {
	t := 1.0
	for _, f := range b.factors {
		t *= f.sumLambda()
	}
	return t
}

// logDet is Σ log d_i.
func (b *problem) logDet() float64 {
	var s float64
	for _, d := range b.d.Data {
		s += math.Log(d)
	}
	return s
}

// quadratic returns Σ b²/d and Σ e², where b = √ω·d·h and e = √ω·h.
func (b *problem) quadratic() (fit, coefficients float64) {
	omega := kronprod.Vectors(b.fullOmegas()...)
	dy := b.channels()
	for i, d := range b.d.Data {
		var square float64
		for _, h := range b.h.Data[i*dy : (i+1)*dy] {
			square += float64(h * h)
		}
		fit += omega[i] * square * d
		coefficients += omega[i] * square
	}
	return fit, coefficients
}

// fullOmegas is omegas without the channels and with ones written out.
func (b *problem) fullOmegas() [][]float64 {
	w := b.omegas()[:len(b.factors)]
	for f, s := range b.factors {
		if w[f] == nil {
			w[f] = ones(s.size())
		}
	}
	return w
}

func ones(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = 1
	}
	return v
}

func equalKernel(a, b Kernel) bool {
	if a.Kind != b.Kind || a.Variance != b.Variance || len(a.LengthScale) != len(b.LengthScale) {
		return false
	}
	for q, l := range a.LengthScale {
		if l != b.LengthScale[q] {
			return false
		}
	}
	return true
}

func equalMatrix(a, b mat.Matrix) bool {
	if a.Rows != b.Rows || a.Cols != b.Cols {
		return false
	}
	for i := range a.Rows {
		for j, v := range a.Row(i) {
			if v != b.At(i, j) {
				return false
			}
		}
	}
	return true
}
