package lbfgs_test

import (
	"context"
	"testing"

	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/lbfgs"
)

func library() fuzz.Library {
	return fuzz.Library{Minimize: func(ctx context.Context, f func(x, grad []float64) float64, x0 []float64) ([]float64, float64, error) {
		r, err := lbfgs.Minimize(ctx, f, x0, lbfgs.Options{})
		return r.X, r.F, err
	}}
}

// What package fuzz asks of every optimiser.
func TestLaws(t *testing.T) { fuzz.Test(t, library(), fuzz.Options{Draws: 60}) }

func FuzzMinimize(f *testing.F) { fuzz.Target(f, library()) }
