package predict

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/points"
)

// divergence returns how far N(0, b) is from N(0, a), in nats (Kullback and Leibler).
func divergence(t *testing.T, a, b mat.Matrix) float64 {
	t.Helper()
	fa, err := chol.Factorize(a)
	if err != nil {
		t.Fatal(err)
	}
	fb, err := chol.Factorize(b)
	if err != nil {
		t.Fatal(err)
	}
	l := fa.L().Clone()
	fb.SolveHalf(l)
	return 0.5 * (mat.Dot(mat.Vector(l.Data), mat.Vector(l.Data)) - float64(a.Rows) + fb.LogDet() - fa.LogDet())
}

// Second moments of rows that are drawn are nearer to the truth than a wrong prior, where rows are few and where some values are missing too, and than what was found alone; of many rows they are the truth.
func TestSecondMoments(t *testing.T) {
	tier.Skip(t, tier.Race)
	const n = 20
	rng := rand.New(rand.NewPCG(1, 91))
	truth, prior := mat.New(n, n), mat.New(n, n)
	for i := range n {
		for j := range n {
			far := math.Abs(float64(i - j))
			truth.Set(i, j, 1.5*math.Exp(-far*far/18))
			prior.Set(i, j, 0.9*math.Exp(-far/3))
		}
		truth.Row(i)[i] += 0.1
		prior.Row(i)[i] += 0.1
	}
	f, err := chol.Factorize(truth)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		rows          int
		missing, most float64 // nats
	}{{25, 0, 3}, {25, 0.3, 3.5}, {400, 0, 0.35}, {400, 0.3, 1.2}, {20000, 0, 0.01}} {
		rows, whole := mat.New(c.rows, n), mat.New(n, n)
		for i := range c.rows {
			x := mat.New(n, 1)
			for k := range n {
				x.Data[k] = rng.NormFloat64()
			}
			f.MulHalf(x)
			mat.Syrk(whole, 1/float64(c.rows), x, 1)
			copy(rows.Row(i), x.Data)
			for k := range n {
				if rng.Float64() < c.missing {
					rows.Set(i, k, math.NaN())
				}
			}
		}
		mat.MirrorLower(whole)
		got, share, err := secondMoments(rows, prior)
		if err != nil {
			t.Fatal(err)
		}
		off, before := divergence(t, truth, got), divergence(t, truth, prior)
		t.Logf("%d rows, %v missing: %.3f nats, the prior %.3f, what was found %.3f; a row counts %.2g", c.rows, c.missing, off, before, divergence(t, truth, whole), share)
		if !(off < before && off < c.most) || c.missing == 0 && off > divergence(t, truth, whole) && c.rows < 20000 || !(share > 0 && share*float64(c.rows) <= 1) {
			t.Errorf("%d rows, %v missing: %v nats off, the prior %v; a row counts %v", c.rows, c.missing, off, before, share)
		}
	}
}

// Factors of variance and noise under which squared errors were drawn are found again.
func TestCalibrate(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 91))
	c := &points.Contents{Beta: 20}
	var squares, variances []float64
	for range 4000 {
		f := rng.ExpFloat64() / 10
		var mean float64
		for range 30 {
			z := rng.NormFloat64()
			mean += z * z / 30
		}
		squares, variances = append(squares, mean*(2.5*math.Pow(f, 1.3)+0.4/c.Beta)), append(variances, f+1/c.Beta)
	}
	Calibrate(c, squares, variances)
	compare.Near(t, "factors", c.Calibration, []float64{2.5, 1.3, 0.4}, 0.05)
}
