package predict

import (
	"fmt"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
)

// Everything that a model says has the same bits at any number of processors.
func TestSameBitsAtAnyWidth(t *testing.T) {
	fine := field.Grid{line(23), line(19)}
	l := field.Latent{Mu: []float64{0.4, -1}, S: []float64{0.3, 0.01}}
	half := mat.New(30, 1)
	for i := range half.Data {
		half.Data[i] = 100 + float64(7*i%11)
	}
	values := slices.Clone(half.Data)
	for i := 0; i < 30; i += 2 {
		half.Data[i] = missing(1, 1).Data[0]
	}
	for name, say := range map[string]func(m model) ([]float64, error){
		"a prediction": func(m model) ([]float64, error) {
			p, err := m.Predict(l, fine)
			return slices.Concat(p.Mean.Data, p.Variance.Data), err
		},
		"a covariance": func(m model) ([]float64, error) {
			mean, cov, err := m.PredictCovariance(l, fine)
			return slices.Concat(mean.Data, cov[0].Data), err
		},
		"an example": func(m model) ([]float64, error) {
			p, l, err := m.Impute(t.Context(), field.Observed{Values: half}, field.InferOptions{})
			return slices.Concat(l.Mu, l.S, one(l.Bound), p.Mean.Data, p.Variance.Data), err
		},
		"a mixture": func(m model) ([]float64, error) {
			r, err := m.PredictMixture(m.TrainingLatent(3), nil, field.MixtureOptions{Seed: 5})
			p := r.Moments()
			return slices.Concat(p.Mean.Data, p.Variance.Data, r.LogDensity(mat.NewDense(30, 1, values)).Data), err
		},
		"a sample": func(m model) ([]float64, error) {
			r, err := m.Sample(t.Context(), l, fine, field.SampleOptions{Count: 3, Seed: 9, Noise: true})
			return slices.Concat(r.X.Data, r.Y[0].Data, r.Y[1].Data, r.Y[2].Data), err
		},
		"slabs": func(m model) ([]float64, error) {
			latents := []field.Latent{l, m.TrainingLatent(3), m.PriorLatent()}
			mean, variance, _ := assembled(t, m, latents, field.Grid{line(23), line(190)}, field.SlabOptions{Numbers: 1 << 16})
			return slices.Concat(mean[0].Data, mean[2].Data, variance[1].Data), nil
		},
	} {
		var want []float64
		compare.AtEveryWidth(func(procs int) {
			got, err := say(trained(t))
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = got
			}
			compare.SameBits(t, fmt.Sprintf("%s, GOMAXPROCS %d", name, procs), got, want)
		})
	}
}
