package predict

import (
	"sync"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/points"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
)

// A filler fills in examples at the points of one grid.
type filler struct {
	on    *projection
	model *points.Model
	start []int // training example of each starting point
	spare sync.Pool
	wide  sync.Pool // of examples with room for covariances of all points
}

// conditionLimits say when and how missing values are conditioned on the
// observed ones directly.
type conditionLimits struct {
	exact      int     // observed points up to which all of them are used at once
	group      int     // missing points predicted together beyond that
	neighbours int     // observed points nearest to such a group that are used
	work       float64 // multiplications beyond which conditioning by groups is left out
}

// Tests change it.
var conditioning = conditionLimits{exact: 2048, group: 256, neighbours: 512, work: 2e13}

// shapeTolerance is up to which part of it the covariance given x may be another one, as a sum of a few matrices. Tests set it; 0: it is exact.
var shapeTolerance = 1e-3

// How many observed points near a part of what is missing tell what similar examples say of it, and of how many of these, the heaviest, covariances are made. Tests set them; 0: of all.
// Where the white noise is less than one part in localPrecision of the data's variance, points farther away tell too.
var partNeighbours, mostExamples = 192, 256

const localPrecision = 1e4

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
	c.Prior = 0
	if kept && len(s.example) < q.params.X.Mu.Rows { // all of them are kept
		f.start = nil
	} else {
		c.Memory.Catalogue = func() *psi.Catalogue { return s.catalogue }
	}
	q.compileStarts(c, f.start)
	if kept {
		q.compileExamples(c, on, points.View)
	}
	if kept && c.Whitened && shapeTolerance > 0 {
		c.Shape(shapeTolerance, points.Float32)
	}
	c.Options = q.pointOptions(InferOptions{}, scoredStarts)
	f.model = points.New(c)
	return f
}

// pointOptions returns options as package points has them.
func (q *Posterior) pointOptions(o InferOptions, starts int) points.Options {
	p := points.Options{Candidates: o.Candidates, Iterations: o.Iterations, Starts: starts, NoiseStrength: o.NoiseStrength, Degrees: o.degrees(q.keeps()),
		LocalBandwidth: o.bandwidth(), LocalStrength: o.strength(), FirstOrder: o.FirstOrder, LatentOnly: o.Conditioning == ConditionNone, Moments: o.Conditioning == ConditionMoments,
		Exact: conditioning.exact, Group: conditioning.group, Neighbours: conditioning.neighbours, Work: conditioning.work, Blends: o.Blends,
		MostExamples: mostExamples}
	if q.params.Noise.Beta <= localPrecision {
		p.PartNeighbours = partNeighbours
	}
	return p
}

// take returns an example with room for so many observed values of a channel.
func (f *filler) take(most int, wide bool) *example {
	spare := &f.spare
	if wide {
		spare = &f.wide
	}
	if e, _ := spare.Get().(*example); e != nil && e.w.Most() >= most {
		return e
	}
	n := f.on.grid.Len()
	e := &example{on: f.on, home: spare, start: f.start}
	if wide {
		e.w = f.model.NewWideWorkspace()
	} else {
		e.w = f.model.NewWorkspace(min(n, most+most/4+1))
	}
	size := n * len(f.on.p)
	e.values, e.squares, e.scores = make([]float64, size), make([]float64, size), make([]float64, size)
	return e
}

// matrix returns a view of values of all points, n_s*×d_y.
func (e *example) matrix(values []float64) mat.Matrix {
	return mat.NewDense(e.on.grid.Len(), len(e.on.p), values)
}
