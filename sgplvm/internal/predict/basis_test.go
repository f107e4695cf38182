package predict

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
)

// at returns mean and variance at a point as the documentation of Basis has them.
func (b *Basis) at(x []float64, time []float64, channels int) field.Prediction {
	m := b.Z.Rows
	psi, prior := mat.New(1, m), b.Variance+b.Bias+b.Time
	for k := range m {
		far, dot := 0.0, 0.0
		for q, v := range x {
			if b.LengthScale != nil {
				far += math.Pow((v-b.Z.At(k, q))/b.LengthScale[q], 2)
			}
			if b.Linear != nil {
				dot += b.Linear[q] * v * b.Z.At(k, q)
			}
		}
		psi.Data[k] = b.Variance*math.Exp(-far/2) + dot + b.Bias + time[k]
	}
	for q, v := range b.Linear {
		prior += v * x[q] * x[q]
	}
	tau := mat.New(1, m)
	mat.Mul(tau, 1, psi, b.Rotation, 0)
	mat.MulElem(tau, tau, tau)
	n := len(b.Noise) / channels
	p := field.Prediction{Mean: mat.New(n, channels), Variance: mat.New(n, channels)}
	row := func(v mat.Matrix) mat.Matrix { return mat.NewDense(1, n*channels, v.Data) }
	mat.Mul(row(p.Mean), 1, psi, b.Mean, 0)
	mat.Mul(row(p.Variance), -1, tau, b.Taken, 0)
	for i := range p.Variance.Data {
		p.Variance.Data[i] = max(0, p.Variance.Data[i]+prior*b.Prior) + b.Noise[i]
	}
	return p
}

// A basis makes the predictions at certain latent variables, on the training grid and on others, with any parts of the latent kernel.
func TestBasis(t *testing.T) {
	for seed := range uint64(compare.Sizes(30)) {
		shape := []func(uint64) reference.Shape{reference.RandomShape, reference.ResidualShape, reference.TimeShape}[seed%3](23000 + seed)
		rng := rand.New(rand.NewPCG(seed, 5))
		m := modelOf(t, shape)
		for _, g := range []field.Grid{nil, m.ref.RandomGrid(rng)} {
			b, err := m.Basis(g)
			if err != nil {
				t.Fatal(err)
			}
			l := randomLatent(rng, shape.Latent)
			clear(l.S)
			time := make([]float64, b.Z.Rows)
			if m.times != nil {
				at := m.times[rng.IntN(len(m.times))]
				l.At, l.Seen = &at, true
				time = b.TimeValues([]data.Instant{at}).Row(0)
			}
			want, err := m.Predict(l, g)
			if err != nil {
				t.Fatal(err)
			}
			got := b.at(l.Mu, time, m.channels())
			for i := range got.Mean.Data {
				c := i % m.channels()
				unit := m.scaler.Scale[c]
				compare.NearOne(t, shape.String()+": mean", got.Mean.Data[i], (want.Mean.Data[i]-m.scaler.Mean[c])/unit, 1e-9)
				compare.NearOne(t, shape.String()+": variance", got.Variance.Data[i], want.Variance.Data[i]/(unit*unit), 1e-9)
			}
		}
	}
}
