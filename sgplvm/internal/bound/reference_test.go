package bound_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
)

// Bound, divergence, latent marginals and every derivative against evaluations with 50 digits.
func TestReference(t *testing.T) {
	for _, c := range reference.Cases(t) {
		t.Run(c.Name, func(t *testing.T) {
			s := newSubject(c.Model(t))
			p, want := s.Params, c.Expected
			compare.NearOne(t, "bound", s.bound(t), want.Bound, reference.Digits)
			compare.NearOne(t, "divergence", s.evaluator.Divergence(p), want.KL, reference.Digits)
			compare.Near(t, "latent mean", p.X.Mu.Data, slices.Concat(want.LatentMean...), reference.Digits)
			compare.Near(t, "latent variance", p.X.S.Data, slices.Concat(want.LatentVariance...), reference.Digits)

			got := slopesByName(s.gradient(t, bound.GroupAll))
			slopes := c.Slopes(t)
			for name, values := range slopes {
				if got[name] == nil {
					t.Errorf("no derivative in %s", name)
					continue
				}
				compare.Near(t, "derivative in "+name, got[name], values, reference.Digits)
			}
			for name := range got {
				if slopes[name] == nil {
					t.Errorf("the file has no derivative in %s", name)
				}
			}
		})
	}
}

// slopesByName lists a gradient by the names that reference files have.
func slopesByName(grad *bound.Params) map[string][]float64 {
	all := map[string][]float64{"beta": {grad.Noise.Beta}, "Z": grad.Z.Data}
	if paths := grad.X.Paths; paths != nil {
		all["mubar"], all["lam"], all["tkern.lengthscale"] = paths.MuBar.Data, paths.Lambda.Data, paths.Prior.Kernel.LengthScale
	} else {
		all["mu"], all["S"] = grad.X.Mu.Data, grad.X.S.Data
	}
	for _, part := range grad.Latent.Parts {
		switch part := part.(type) {
		case *psi.RBF:
			all["latent.variance"], all["latent.lengthscale"] = []float64{part.Variance}, part.LengthScale
		case *psi.Linear:
			all["latent.linear"] = part.Variance
		case *psi.Bias:
			all["latent.bias"] = []float64{part.Variance}
		}
	}
	for f, s := range grad.Space {
		all[fmt.Sprintf("spatial.%d.variance", f)] = []float64{s.Kernel.Variance}
		if len(s.Kernel.LengthScale) > 0 {
			all[fmt.Sprintf("spatial.%d.lengthscale", f)] = s.Kernel.LengthScale
		}
		if !s.Tied() {
			all[fmt.Sprintf("spatial.%d.Xu", f)] = s.Xu.Data
		}
	}
	return all
}
