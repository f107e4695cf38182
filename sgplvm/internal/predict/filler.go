package predict

import (
	"sync"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/points"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
)

// A filler fills in examples at the points of one grid.
type filler struct {
	on    *projection
	model *points.Model
	start []int        // training example of each starting point
	spare [3]sync.Pool // of examples, by the width of their rooms
}

// RoomMemory is about how many bytes the room of one example takes that has so many values, beside matrices of its observed points, with a model of so many inducing points and
// latent dimensions.
func RoomMemory(values, inducing, latents int) float64 {
	const others = 20 // numbers for each value, as measured
	return 8 * float64(values*(inducing+latents+others))
}

// shapeTolerance is up to which part of it the covariance given x may be another one, as a sum of a few matrices. Tests set it; 0: it is exact.
var shapeTolerance = 1e-3

// filler returns that of projection on, of which the training grid's is kept and, of others, the last one.
func (q *Posterior) filler(on *projection) *filler {
	if on == q.training() {
		return q.atTraining()
	}
	if last := q.lastFiller.Load(); last != nil && last.on == on {
		return last
	}
	f := q.newFiller(on)
	q.lastFiller.Store(f)
	return f
}

// newFiller makes one of the posterior's own matrices, without copies of the large ones.
func (q *Posterior) newFiller(on *projection) *filler {
	f := &filler{on: on}
	s := q.starts()
	f.start = s.example
	kept := q.keeps() && on.training != nil
	least := 0.0
	if kept {
		least = shapeTolerance * 1e-2
	}
	c := q.contents(on, points.View, least)
	if c.Memory.Statistics, c.Memory.At = q.psi, q.params.Q().At; q.incomplete != nil {
		c.Memory.Taken, c.Memory.Version = q.taken(), q.version
	}
	if kept && len(s.example) < q.params.X.Mu.Rows { // all of them are kept
		f.start = nil
	} else {
		c.Memory.Catalogue = func() *psi.Catalogue { return s.catalogue() }
	}
	q.compileStarts(c, f.start)
	if kept {
		q.compileExamples(c, on, points.View)
	}
	if kept && c.Whitened && shapeTolerance > 0 {
		c.Shape(shapeTolerance, points.Float32)
	}
	c.Options = q.pointOptions(field.InferOptions{}, scoredStarts)
	f.model = points.New(c)
	return f
}
