package views

import (
	"time"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// A View is data of some of the examples, and what a model of the view by itself has learned.
type View struct {
	Data   *data.Scaled // of which values may be missing where the noise is white
	Filled *data.Scaled // the same with all values, from which training starts
	Grid   field.Grid
	Rows   []int // the examples that the data are of, in order; nil: all

	Own      *bound.Params
	Jitter   float64
	Strength float64 // of the prior of a learned noise, in examples
}

// Options say how to train.
type Options struct {
	Dims  int // latent dimensions at most
	Steps int // of L-BFGS; with a learned noise as many again follow
	Seed  uint64

	Until time.Time // when training ends early; zero: when its steps are done

	Plain bool // latent kernels have no linear part

	From *Joint // what training goes on from; nil: principal components
	In   []int  // which of its examples these are
}

// A Joint is what training has come to.
type Joint struct {
	X      bound.Latents   // q(X) of all examples
	Params []*bound.Params // of each view, with X of its examples
	Late   bool            // training ended early

	examples int
	views    []View
	bound    *bound.Joint
	each     []*bound.Evaluator
}
