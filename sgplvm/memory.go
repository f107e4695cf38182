package sgplvm

import (
	"runtime"

	"github.com/seed-08962ecc/kronfield/internal/simple"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/predict"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/rounds"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/selection"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/training"
)

// Memory is about how much room a run takes at most, in bytes beside the data as they are given (docs/measurements.md,
// "Memory").
type Memory struct {
	Inducing float64 // grows with the number of latent inducing points: derivatives and what predictions are linear in
	Space    float64 // grows with the squares of the points of spatial factors
	Data     float64 // the data in the basis of the spatial factors, some at a time as they are, and filled in
	Film     float64 // of a film whose contents move: flows, enlarged frames and what is learned from frames that are left out
	Latent   float64 // the rest
	Search   float64 // of model selection, which goes before
}

// Total returns what is taken at once at most.
func (m Memory) Total() float64 { return max(m.Inducing+m.Space+m.Data+m.Film+m.Latent, m.Search) }

// MemoryNeeded returns how much room Fit takes for data and configuration, a model and its file included. Complete holds the
// completed values and their variances besides. Errors: those of NewTrainer for sizes and settings that cannot be used.
func MemoryNeeded(of Data, cfg Config) (Memory, error) {
	d, err := of.set()
	if err != nil {
		return Memory{}, err
	}
	holes, err := incomplete(d)
	if holes = holes && err == nil; holes {
		if d, _, err = d.Folded(rounds.Options{Fold: true}); err != nil {
			return Memory{}, err
		}
	}
	n, points, channels := d.Source.Dims()
	grid, err := training.Points(d.Grid, cfg.Factors)
	if err != nil {
		return Memory{}, err
	}
	open := cfg.Effort != EffortNone && cfg.Start == nil
	s, err := cfg.open().Complete(n, grid, channels)
	if err != nil {
		return Memory{}, err
	}
	if holes && points == 1 {
		n = min(n, rounds.MaxLearned(points, cfg.Effort))
	}
	f := training.FootprintOf(n, channels, s.LatentDims, s.Inducing, grid, s.Spatial)
	joint := d.Search(cfg.open()).Joint()
	if s.Residual.Rounds > 0 || open && joint {
		f.Covariances(points)
	}
	if open && joint && len(grid) > 1 {
		f.S += 8 * float64(points) * float64(points) // the points may become one factor
	}
	if d.Times != nil {
		f.LeavingOut(n, s.Inducing, points*channels)
	}
	m := Memory{Inducing: f.Inducing(), Space: 8 * f.S, Data: 8 * (f.P + f.K*f.B), Latent: 8 * f.X}
	numbers := float64(n * points * channels)
	if open && holes && points > 1 {
		seen := float64(min(points, completedPoints))
		m.Data += 8 * completedMatrices * float64(runtime.GOMAXPROCS(0)) * seen * seen
	}
	if d.Film && cfg.Motion != Off {
		m.Data += (2 + 4) * numbers // frames, and registered ones
		m.Film = film.Memory(n, points, channels)
	}
	if open && numbers <= selection.MaxNumbers && !(d.Film || d.Times != nil && numbers > float64(selection.LargeFilm)) {
		folds := float64(selection.Plans[cfg.Effort].Folds)
		beside := min(folds, float64(runtime.GOMAXPROCS(0))) // trainings side by side, which are of fewer examples
		m.Search = m.Latent * (1 + beside) / 2
		if at := float64(min(points, selection.CoarseFrom)); joint { // of some points
			m.Search += 8*numbers*at/float64(points)*(1+3*folds) + 8*at*at*covariancesKept(d, cfg.Effort)
		} else {
			m.Search += 8*numbers*(1+5*folds) + float64(runtime.GOMAXPROCS(0))*predict.RoomMemory(points*channels, s.Inducing, s.LatentDims)
		}
	}
	if open && holes {
		m.Search = max(m.Search, m.Data+simple.Memory(n, points*channels))
		if d.Film { // its frames are filled in as pictures too
			of.Film, of.Times = false, nil
			if still, err := MemoryNeeded(of, cfg); err == nil && still.Total() > m.Total() {
				return still, nil
			}
		}
	}
	return m, nil
}

// An example is filled in by some matrices of the points that are seen of it, so many at most, as measured (2400 points, 16 % hidden: 2.5).
const completedMatrices, completedPoints = 2.5, 2000

// covariancesKept returns how many matrices of all points a search has at once, as measured (docs/measurements.md, "Memory"): those of trainings side by side, one
// in each fold, of models that are remembered, and of what fills in holes.
func covariancesKept(d rounds.Set, e Effort) float64 {
	kept := 58. + 22*float64(selection.Plans[e].Folds-1)
	if d.Times != nil {
		kept = 30
	}
	if holes, err := incomplete(d); err == nil && holes {
		kept += 20
	}
	return kept
}
