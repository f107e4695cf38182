package chol_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/mat"
)

var ladder = []float64{0, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4}

// rbf is the covariance exp(−(x−y)²/2) of the points x.
func rbf(x []float64) mat.Matrix {
	a := mat.New(len(x), len(x))
	for i := range x {
		for j := range x {
			a.Set(i, j, math.Exp(-(x[i]-x[j])*(x[i]-x[j])/2))
		}
	}
	return a
}

func points(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i) / float64(n)
	}
	return x
}

func TestJitter(t *testing.T) {
	s := fuzz.New(8)
	scaledRank := fuzz.LowRank(s, 40, 10).Scaled(30)
	// One eigenvalue is −1e-7 of the mean diagonal.
	indefinite := mat.Identity(20)
	indefinite.Set(19, 19, -1e-7)
	for _, c := range []struct {
		name string
		a    mat.Matrix
		step int // of the ladder; -1: whichever is the first
	}{
		{"identity", mat.Identity(5), 0},
		{"0×0", mat.New(0, 0), 0},
		{"well conditioned", fuzz.SPD(s, 40).A, 0},
		{"RBF, 60 points", rbf(points(60)), -1},
		{"RBF, duplicated points", rbf(append(points(30), points(30)...)), -1},
		{"rank 10 of 40", fuzz.LowRank(s, 40, 10).A, 1},
		{"rank 10 of 40, scaled", scaledRank.A, 1},
		{"a negative eigenvalue", indefinite, 5},
	} {
		before := c.a.Clone()
		f, jitter, err := chol.FactorizeJitter(c.a, nil)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var mean float64
		for i := range c.a.Rows {
			mean += c.a.At(i, i) / float64(c.a.Rows)
		}
		step := slices.IndexFunc(ladder, func(step float64) bool { return jitter == step*mean })
		if step < 0 || c.step >= 0 && step != c.step {
			t.Errorf("%s: jitter %g is %g of the mean diagonal, step %d, want step %d", c.name, jitter, jitter/mean, step, c.step)
			continue
		}
		shifted := c.a.Clone()
		for i := range shifted.Rows {
			shifted.Set(i, i, shifted.At(i, i)+jitter)
		}
		if r := fuzz.CholResidual(shifted, f.L()); !(r <= gate) {
			t.Errorf("%s: residual %.3g of A + jitter·I, want at most %d", c.name, r, gate)
		}
		if step > 0 {
			var other chol.Factor
			if other.RefactorizeShifted(c.a, ladder[step-1]*mean) == nil {
				t.Errorf("%s: the step before, %g, is enough", c.name, ladder[step-1])
			}
		}
		if err := fuzz.SameBits(c.a, before); err != nil {
			t.Errorf("%s: the argument changed: %v", c.name, err)
		}
	}
	if _, jitter, _ := chol.FactorizeJitter(rbf(points(60)), nil); jitter == 0 {
		t.Error("RBF, 60 points: positive definite without jitter, so the ladder was not tried")
	}
}

func TestJitterFails(t *testing.T) {
	negative := mat.Identity(4)
	negative.Set(2, 2, -1)
	nan := mat.Identity(4)
	nan.Set(3, 1, math.NaN())
	for _, c := range []struct {
		name   string
		a      mat.Matrix
		ladder []float64
		jitter float64 // the last one tried
		index  int     // failing pivot; -1: not finite
	}{
		{"indefinite", negative, nil, 1e-4 * 0.5, 2},
		{"indefinite, own ladder", negative, []float64{0.5, 1}, 0.5, 2},
		{"zero matrix", mat.New(3, 3), nil, 0, 0},
		{"negative definite", mat.NewDense(1, 1, []float64{-1}), nil, 0, 0},
		{"NaN", nan, nil, 0, -1},
	} {
		f, jitter, err := chol.FactorizeJitter(c.a, c.ladder)
		if f != nil || err == nil || jitter != c.jitter {
			t.Errorf("%s: got %v, jitter %g, error %v, want jitter %g and an error", c.name, f, jitter, err, c.jitter)
		}
		var failed *chol.NotPositiveDefiniteError
		var named *chol.NonFiniteError
		switch {
		case c.index >= 0 && (!errors.As(err, &failed) || failed.Index != c.index):
			t.Errorf("%s: got error %v, want pivot %d", c.name, err, c.index)
		case c.index < 0 && (!errors.As(err, &named) || named.Row != 3 || named.Col != 1):
			t.Errorf("%s: got error %v, want element (3, 1)", c.name, err)
		}
	}
	if _, jitter, err := chol.FactorizeJitter(negative, []float64{0.5, 1, 3}); err != nil || jitter != 1.5 {
		t.Errorf("own ladder: jitter %g, error %v, want 1.5", jitter, err)
	}
}
