package sgplvm

import (
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
)

// TimePart is the part of a latent kernel that depends on nothing but the times of the
// two examples:
//
//	k = v·k_t(t − t′) within a sequence, 0 between sequences
//
// With it f is the sum of a map of the latent variables and a process in time and space
// that they do not explain. That process alone is Gaussian process regression on time
// and space, so the model holds structured regression as the case of no latent
// variables. An example of unknown time knows nothing of it beforehand.
//
// Times are known, so the psi statistics need no expectation. With κ[n,k] = k(t_n, t_k),
// where inducing point k has the time of one of the examples, and Ψ1, Ψ2 of all other
// parts,
//
//	Ψ1 + κ  and  Ψ2 + Ψ1ᵀκ + κᵀΨ1 + κᵀκ
type TimePart struct {
	Variance float64 // v; 0: there is no such part
	Kernel   TimeKernel
}

// Instants returns those of the examples.
func (d Dynamics) Instants() []Instant {
	at := make([]Instant, len(d.Times))
	for i, t := range d.Times {
		at[i].Time = t
		if d.Sequences != nil {
			at[i].Sequence = d.Sequences[i]
		}
	}
	return at
}

// inducingInstants returns those of the latent inducing points.
func (p *Params) inducingInstants() []Instant {
	all := p.Dynamics.Instants()
	at := make([]Instant, len(p.ZExamples))
	for k, i := range p.ZExamples {
		at[k] = all[i]
	}
	return at
}

// matrix sets dst[i,j] = k(a_i, b_j), len(a)×len(b).
func (k TimePart) matrix(dst mat.Matrix, a, b []Instant) {
	mat.Parallel(len(a), func(i int) {
		row, delta := dst.Row(i), mat.Borrow(len(b))
		k.Kernel.values(row, k.differences(*delta, a[i], b))
		mat.GiveBack(delta)
		for j := range row {
			row[j] *= k.Variance
			if a[i].Sequence != b[j].Sequence {
				row[j] = 0
			}
		}
	})
}

// differences sets dst[j] to the time from b_j to a and returns it.
func (k TimePart) differences(dst []float64, a Instant, b []Instant) []float64 {
	for j, at := range b {
		dst[j] = a.Time - at.Time
	}
	return dst
}

// addGradient chains g = ∂L/∂K, where K[i,j] = k(a_i, b_j), into the parameters.
func (k TimePart) addGradient(grad *TimePart, g mat.Matrix, a, b []Instant) {
	buffer := mat.Borrow(3 * len(b))
	delta, values, slope := (*buffer)[:len(b)], (*buffer)[len(b):2*len(b)], (*buffer)[2*len(b):]
	for i := range a {
		k.Kernel.values(values, k.differences(delta, a[i], b))
		copy(slope, g.Row(i))
		for j := range b {
			if a[i].Sequence != b[j].Sequence {
				slope[j] = 0
			}
		}
		grad.Variance += asm.Dot(slope, values)
		asm.Scale(slope, k.Variance, slope)
		k.Kernel.addGradient(&grad.Kernel, slope, delta)
	}
	mat.GiveBack(buffer)
}

// addTime adds the time part to K_0, Ψ1 (in f) and Ψ2 (in w) of the other parts.
func (f *factor) addTime(w *factorWork, p *Params) {
	part := p.Latent.Time
	if part.Variance == 0 {
		return
	}
	m, z := p.Z.Rows, p.inducingInstants()
	resize(&w.time, m, m)
	part.matrix(w.time, z, z)
	mat.Add(f.k, f.k, 1, w.time)
	resize(&f.kappa, p.Mu.Rows, m)
	part.matrix(f.kappa, p.Dynamics.Instants(), z)
	mat.Add(f.psi1, f.psi1, 0.5, f.kappa)
	mat.Mul(w.time, 1, f.psi1.T(), f.kappa, 0)
	mat.Add(w.psi2, w.psi2, 1, w.time)
	mat.Add(w.psi2, w.psi2, 1, w.time.T())
	mat.Add(f.psi1, f.psi1, 0.5, f.kappa)
}

// timeGradient chains ∂L/∂Ψ1 and ∂L/∂Ψ2, in w, into the time part's parameters. It leaves in
// w the derivative in Ψ1 of the other parts and returns that Ψ1:
//
//	∂L/∂κ = ∂L/∂Ψ1 + 2·(Ψ1 + κ)·∂L/∂Ψ2,   ∂L/∂Ψ1 + 2·κ·∂L/∂Ψ2
func (w *gradientWork) timeGradient(grad *LatentKernel, f *factor, p *Params) (psi1 mat.Matrix) {
	part := p.Latent.Time
	if part.Variance == 0 {
		return f.psi1
	}
	n, m := f.psi1.Rows, f.psi1.Cols
	resize(&w.psi1, n, m)
	resize(&w.dKappa, n, m)
	mat.Copy(w.dKappa, w.dPsi1)
	mat.Mul(w.dKappa, 2, f.psi1, w.dPsi2, 1)
	part.addGradient(&grad.Time, w.dKappa, p.Dynamics.Instants(), p.inducingInstants())
	mat.Mul(w.dPsi1, 2, f.kappa, w.dPsi2, 1)
	mat.Add(w.psi1, f.psi1, -1, f.kappa)
	return w.psi1
}

// kappa returns κ of an example, m_ξ; nil where it is 0.
func (p *Params) kappa(at *Instant) []float64 {
	part := p.Latent.Time
	if part.Variance == 0 || at == nil {
		return nil
	}
	v := mat.New(1, p.Z.Rows)
	part.matrix(v, []Instant{*at}, p.inducingInstants())
	return v.Data
}

// addKappa adds the time part to ψ1 of examples (rows of m_ξ) that have one time.
func (p *Params) addKappa(psi1 mat.Matrix, at *Instant) {
	if kappa := p.kappa(at); kappa != nil {
		for i := range psi1.Rows {
			asm.Axpy(1, kappa, psi1.Row(i))
		}
	}
}

// addTime makes L* that of the other parts' ψ1 and Ψ2, given the time of the example: κ is
// a number there. g is G of L*.
func (v *evidence) addTime(p *Params, at *Instant, g mat.Matrix) {
	kappa := p.kappa(at)
	if kappa == nil {
		return
	}
	byKappa := mat.New(len(kappa), 1)
	mat.Mul(byKappa, 1, g, mat.Vector(kappa), 0)
	v.square += asm.Dot(v.dPsi1, kappa) + asm.Dot(byKappa.Data, kappa)
	asm.Axpy(2, byKappa.Data, v.dPsi1)
}

// validateTime checks the time part and the examples whose times the inducing points have.
func (p *Params) validateTime() error {
	part := p.Latent.Time
	switch {
	case part.Variance == 0 && p.ZExamples == nil:
		return nil
	case !(part.Variance > 0) || math.IsInf(part.Variance, 0):
		return fmt.Errorf("variance %v of the latent kernel's time part, expected a positive number", part.Variance)
	case !p.dynamic():
		return fmt.Errorf("the latent kernel has a time part, but the examples have no times")
	case len(p.ZExamples) != p.Z.Rows:
		return fmt.Errorf("times of %d latent inducing points, expected %d", len(p.ZExamples), p.Z.Rows)
	}
	for k, i := range p.ZExamples {
		if i < 0 || i >= p.Mu.Rows {
			return fmt.Errorf("latent inducing point %d has the time of example %d, of %d", k, i, p.Mu.Rows)
		}
	}
	return part.Kernel.validate()
}

// startTime starts the time part with a variance, and the kernel of the prior where none is
// given. inducing are the examples that the inducing points come from.
func (p *Params) startTime(k TimeKernel, inducing []int, variance float64) error {
	if !p.dynamic() {
		return &ConfigError{Field: "LatentKernel", Err: fmt.Errorf("a time part without Dynamics, which hold the times")}
	}
	p.ZExamples = inducing
	p.Latent.Time = TimePart{variance, p.Dynamics.Kernel.clone()}
	if k.Kind == "" {
		return nil
	}
	kernel, err := startTimeKernel(k, p.Dynamics.series(), p.Mu)
	if err != nil {
		return &ConfigError{Field: "LatentTime", Err: err}
	}
	p.Latent.Time.Kernel = kernel
	return nil
}
