package learn

import (
	"context"
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/lbfgs"
)

// A White is the bound of sums as a function of the precision of the noise, where that is white.
type White struct {
	Squares       []float64 // Σ_c of squared coefficients, m_ξ×Π m_f
	Latent, Space []float64 // eigenvalues
	Square, Slack float64   // ‖Y‖² and d_y·(ψ0·tr K − tr Λ_0·tr Λ)
	Values        float64   // of a channel of all examples
	Channels      float64
	KL            float64
	LogNoise      float64 // log|Σ| of all examples, where the noise is structured

	minimizer lbfgs.Minimizer
	floor     float64
	slopes    lbfgs.Objective
	start     [1]float64
}

// SetSquares sets the squares of coefficients, of which spatial ones have weights; nil: ones.
func (v *White) SetSquares(h, weights []float64, channels int) {
	n := len(h) / channels
	if len(v.Squares) != n {
		v.Squares = make([]float64, n)
	}
	for k := range v.Squares {
		v.Squares[k] = asm.SumSquares(h[k*channels : (k+1)*channels])
		if weights != nil {
			v.Squares[k] *= weights[k%len(weights)]
		}
	}
}

// At returns the bound at a precision and its derivative there.
func (v *White) At(beta float64) (value, slope float64) {
	m := float64(len(v.Squares))
	var logs, inverse, fit, coefficients float64
	for i, l0 := range v.Latent {
		for j, l := range v.Space {
			d := 1/beta + l0*l
			square := v.Squares[i*len(v.Space)+j] / d
			logs += math.Log(d)
			inverse += 1 / d
			fit += square
			coefficients += square / d
		}
	}
	left := v.Square - fit + v.Slack
	value = v.Channels/2*((v.Values-m)*math.Log(beta)-v.Values*math.Log(2*math.Pi)-logs-v.LogNoise) - beta/2*left - v.KL
	return value, v.Channels/2*((v.Values-m)/beta+inverse/(beta*beta)) - left/2 + coefficients/(2*beta)
}

// Maximum returns the precision at which the bound is highest near beta, of a variance above a floor. Errors: *lbfgs.NonFiniteError, ctx.Err().
func (v *White) Maximum(ctx context.Context, beta, floor float64) (float64, error) {
	if v.slopes == nil {
		v.slopes = func(x, slope []float64) float64 {
			above := math.Exp(x[0])
			beta := 1 / (v.floor + above)
			value, rise := v.At(beta)
			slope[0] = rise * beta * beta * above
			return -value
		}
	}
	v.floor, v.start[0] = floor, math.Log(1/beta-floor)
	r, err := v.minimizer.Minimize(ctx, v.slopes, v.start[:], lbfgs.Options{MaxIterations: 100, RelativeDecrease: 1e-13, InitialStep: 0.1})
	if err != nil {
		return 0, err
	}
	return 1 / (floor + math.Exp(r.X[0])), nil
}
