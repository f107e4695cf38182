package completion

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/internal/simple"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// What the other columns say is least squares with one more observation of each column, as the normal equations of each have it; columns that do not vary, or have no numbers, say nothing.
func TestBesideOthers(t *testing.T) {
	const n, varied, p = 40, 3, 5
	rng := rand.New(rand.NewPCG(1, 2))
	y := mat.New(n, p)
	for i := range n {
		common := rng.NormFloat64()
		for j := range varied {
			y.Set(i, j, 10*float64(j)+common*float64(j+1)+rng.NormFloat64())
		}
		y.Set(i, varied, 7)
		y.Set(i, varied+1, math.NaN())
	}
	said, err := besideOthers(y)
	if err != nil {
		t.Fatal(err)
	}
	z, mean, sd := mat.New(n, varied), make([]float64, varied), make([]float64, varied)
	for j := range varied {
		for i := range n {
			mean[j] += y.At(i, j) / n
		}
		for i := range n {
			sd[j] += math.Pow(y.At(i, j)-mean[j], 2) / n
		}
		sd[j] = math.Sqrt(sd[j])
		for i := range n {
			z.Set(i, j, (y.At(i, j)-mean[j])/sd[j])
		}
	}
	for j := range varied { // two others: normal equations of two unknowns
		k, l := (j+1)%varied, (j+2)%varied
		var kk, kl, ll, kj, lj float64
		for i := range n {
			r := z.Row(i)
			kk, kl, ll, kj, lj = kk+r[k]*r[k], kl+r[k]*r[l], ll+r[l]*r[l], kj+r[k]*r[j], lj+r[l]*r[j]
		}
		kk, ll = kk+1, ll+1
		a, b := (ll*kj-kl*lj)/(kk*ll-kl*kl), (kk*lj-kl*kj)/(kk*ll-kl*kl)
		for i := range n {
			want := mean[j] + sd[j]*(a*z.At(i, k)+b*z.At(i, l))
			if math.Abs(said.At(i, j)-want) > 1e-9 {
				t.Fatalf("row %d, column %d: %v, expected %v", i, j, said.At(i, j), want)
			}
		}
	}
	for i := range n {
		if math.Abs(said.At(i, varied)-7) > 1e-12 {
			t.Fatalf("row %d of a column of sevens: %v", i, said.At(i, varied))
		}
	}
}

// Columns that share a walk, and have walks of their own: gaps of a column are filled in much better beside the others than by itself, and than by principal components, which know no time.
func TestFillBesideOthers(t *testing.T) {
	const n, p = 400, 5
	rng := rand.New(rand.NewPCG(3, 4))
	y, missing, at := mat.New(n, p), make([]bool, n*p), make([]float64, n)
	var common float64
	var own [p]float64
	for i := range n {
		at[i] = float64(i)
		common += rng.NormFloat64()
		for j := range p {
			own[j] = 0.97*own[j] + 0.3*rng.NormFloat64()
			y.Set(i, j, common+own[j]+0.1*rng.NormFloat64())
			missing[i*p+j] = (i+j*37)%100 < 12
		}
	}
	of := map[string]float64{}
	for _, m := range fillers(nil, y, missing, nil, mat.New(1, 1), p, data.Instants(at, nil), 0) {
		mean, variance, err := m.Fill(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var square, inside, count float64
		for k, v := range y.Data {
			if missing[k] {
				e := mean.Data[k] - v
				square, count = square+e*e, count+1
				if e*e < 2.706*variance.Data[k] {
					inside++
				}
			}
		}
		of[m.Name] = math.Sqrt(square / count)
		if m.Name == "each column over time beside the others" && !(inside/count > 0.75 && inside/count < 0.99) {
			t.Errorf("90 %% intervals hold %v", inside/count)
		}
	}
	t.Log(of)
	beside := of["each column over time beside the others"]
	if !(beside > 0 && beside < 0.6*of["each column over time by itself"] && beside < 0.8*of[simple.Components]) {
		t.Errorf("errors %v", of)
	}
}
