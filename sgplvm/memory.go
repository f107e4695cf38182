package sgplvm

import (
	"runtime"

	"github.com/seed-08962ecc/kronfield/internal/simple"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film"
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
func MemoryNeeded(d Data, cfg Config) (Memory, error) {
	d, err := d.checked()
	if err != nil {
		return Memory{}, err
	}
	n, points, channels := d.Source.Dims()
	grid, err := training.Points(d.Grid, cfg.Factors)
	if err != nil {
		return Memory{}, err
	}
	open := cfg.Effort != EffortNone && cfg.Start == nil
	if cfg, err = cfg.completed(n, grid, channels); err != nil {
		return Memory{}, err
	}
	holes, err := d.incomplete()
	if holes = holes && err == nil; holes && points == 1 {
		n = min(n, maxLearned(points, cfg.Effort))
	}
	f := footprintOf(n, channels, cfg.LatentDims, cfg.Inducing, grid, cfg.Spatial)
	joint := trainingSet{Data: d}.newSearch(cfg).Joint()
	if cfg.Residual.Rounds > 0 || open && joint {
		f.covariances(points)
	}
	if open && joint && len(grid) > 1 {
		f.s += 8 * float64(points) * float64(points) // the points may become one factor
	}
	m := Memory{Inducing: f.inducing(), Space: 8 * f.s, Data: 8 * (f.p + f.k*f.b), Latent: 8 * f.x}
	numbers := float64(n * points * channels)
	if d.Film && cfg.Motion != Off {
		m.Data += (2 + 4) * numbers // frames, and registered ones
		m.Film = film.Memory(n, points, channels)
	}
	if d.Times != nil {
		numbers = min(numbers, float64(selection.MaxDownsampled))
	}
	if open && numbers <= selection.MaxNumbers {
		at := float64(min(points, selection.CoarseFrom))
		folds := float64(selection.Plans[cfg.Effort].Folds)
		beside := min(folds, float64(runtime.GOMAXPROCS(0))) // trainings side by side, which are of fewer examples
		m.Search = m.Latent*(1+beside)/2 + 8*numbers*min(1, at/float64(points))*(1+3*folds)
		if joint {
			m.Search += 8 * at * at * covariancesKept(d, cfg.Effort)
		}
	}
	if open && holes {
		m.Search = max(m.Search, m.Data+simple.Memory(n, points*channels))
	}
	return m, nil
}

// A footprint is what docs/measurements.md says about memory, in numbers beside the data as stored.
type footprint struct {
	start         float64 // principal components, as training begins
	p, h, s, x, b float64 // the symbols there
	k, free       float64
}

// footprintOf evaluates the formulas for some examples of channels on a grid.
func footprintOf(examples, channels, latents, inducing int, grid Grid, space []SpatialConfig) (f footprint) {
	nx, dy, d, m := float64(examples), float64(channels), float64(latents), float64(inducing)
	procs := float64(runtime.GOMAXPROCS(0))
	ns, j := 1.0, 1.0
	for i, x := range grid {
		nf, mf := float64(x.Rows), float64(x.Rows)
		if space[i].Inducing.Rows > 0 {
			mf = float64(space[i].Inducing.Rows)
			f.s += 4 * nf * mf
			f.free = max(f.free, nf/mf)
		}
		ns, j = ns*nf, j*mf
		f.s += 8 * mf * mf
	}
	data := nx * ns * dy
	f.p, f.h = nx*dy*j, m*dy*j
	f.s += 5 * j
	f.x = 32*nx*m + 60*m*m + 50*(2*nx+m)*d + procs*(3000*m+1<<19) + 1<<19 + min(1<<22, nx*m*(m+2)/2)
	f.b, f.k = 1.25*min(data, max(1<<20, ns*dy)), min(5, 2+float64(len(grid)))
	if least := min(nx, ns*dy); least > 1000 {
		f.start = 16*ns*dy*(d+10) + nx*d + f.b
	} else {
		f.start = 5*least*least + nx*d + min(data, max(data/4, 1<<23)) + f.b
	}
	return f
}

// covariances adds those of all points that are learned, one in each of the parameters that training keeps.
func (f *footprint) covariances(points int) { f.s += 16 * float64(points) * float64(points) }

// Bytes of the stages.
func (f footprint) trainer() float64  { return 8 * f.start }
func (f footprint) warmup() float64   { return 8 * (f.p + f.s + f.x + f.k*f.b) }
func (f footprint) training() float64 { return f.warmup() + 8*(1+f.free)*f.h }
func (f footprint) save() float64     { return f.warmup() + f.inducing() }

// inducing returns the bytes that grow with the inducing points: H and α.
func (f footprint) inducing() float64 { return 8 * max(2, 1+f.free) * f.h }

// covariancesKept returns how many matrices of all points a search has at once, as measured (docs/measurements.md, "Memory"): those of trainings side by side, one
// in each fold, of models that are remembered, and of what fills in holes.
func covariancesKept(d Data, e Effort) float64 {
	kept := 58. + 22*float64(selection.Plans[e].Folds-1)
	if d.Times != nil {
		kept = 30
	}
	if holes, err := d.incomplete(); err == nil && holes {
		kept += 20
	}
	return kept
}
