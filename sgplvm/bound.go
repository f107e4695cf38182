package sgplvm

import "math"

// evaluate returns the collapsed lower bound on log p(Y): Atkinson and Zabaras
// (2018), equation of the collapsed bound, with q(U) at its optimum. Unless
// grad is nil it overwrites grad with the bound's derivatives in the natural parameters of
// the free groups and 0 elsewhere. With a dynamical prior it sets Mu and S of p.
func (b *problem) evaluate(p, grad *Params, free group) (float64, error) {
	if grad != nil && free&groupSpatial != 0 {
		b.restore()
	}
	if err := b.factorize(p); err != nil {
		return math.NaN(), err
	}
	beta := p.precision()
	b.sweep.run(b, beta, b.wanted(grad != nil, free))
	if grad != nil {
		if err := b.gradient(grad, p, free); err != nil {
			return math.NaN(), err
		}
	}
	sums := &b.sweep.sums
	n := float64(b.y.examples * b.points())
	m := float64(b.factors[0].size() * b.components())
	dy := float64(b.channels())
	return dy/2*(-b.logNoise(p)-m*math.Log(beta)-n*math.Log(2*math.Pi)-sums.logDet) -
		beta/2*(b.yy-sums.fit(beta, b.factors[0].lambda)+dy*(b.psi0(p)-b.tracePsi2())) -
		b.divergence(p), nil
}

// wanted says which sums of a sweep the derivatives in the free groups need.
func (b *problem) wanted(gradient bool, free group) wanted {
	var w wanted
	if gradient && free&groupLatent != 0 {
		w |= wantCross
	}
	if gradient && free&groupSpatial != 0 {
		w |= wantSpace
		for f := range b.x {
			if b.held.structured() || !b.held.tiedWhite(f) {
				w |= wantH
			}
		}
	}
	return w
}

// bound is evaluate without derivatives.
func (b *problem) bound(p *Params) (float64, error) { return b.evaluate(p, nil, 0) }

// logNoise is log|Σ| of all examples: n_ξ times that of one, or −n·log β where the noise
// is white.
func (b *problem) logNoise(p *Params) float64 {
	if p.structured() {
		return float64(b.y.examples) * b.factors[1].logNoise
	}
	return -float64(b.y.examples*b.points()) * math.Log(p.Beta)
}

// psi0 is the whole trace Σ_n E k(x_n, x_n)·Π_f tr K(X_f, X_f).
func (b *problem) psi0(p *Params) float64 {
	return p.Latent.psi0(p.Mu, p.S) * b.spatialTrace(p)
}

// spatialTrace is Π_f tr K(X_f, X_f), of whitened data tr Σ⁻¹K(X, X).
func (b *problem) spatialTrace(p *Params) float64 {
	if p.structured() {
		return b.factors[1].sumLambda()
	}
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

func ones(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = 1
	}
	return v
}
