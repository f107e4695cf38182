package training

import (
	"runtime"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// A Footprint is what docs/measurements.md says about memory, in numbers beside the data as stored.
type Footprint struct {
	start         float64 // principal components, as training begins
	P, H, S, X, B float64 // the symbols there
	K, free       float64
}

// FootprintOf evaluates the formulas for some examples of channels on a grid.
func FootprintOf(examples, channels, latents, inducing int, grid field.Grid, space []Spatial) (f Footprint) {
	nx, dy, d, m := float64(examples), float64(channels), float64(latents), float64(inducing)
	procs := float64(runtime.GOMAXPROCS(0))
	ns, j := 1.0, 1.0
	for i, x := range grid {
		nf, mf := float64(x.Rows), float64(x.Rows)
		if space[i].Inducing.Rows > 0 {
			mf = float64(space[i].Inducing.Rows)
			f.S += 4 * nf * mf
			f.free = max(f.free, nf/mf)
		}
		ns, j = ns*nf, j*mf
		f.S += 8 * mf * mf
	}
	all := nx * ns * dy
	f.P, f.H = nx*dy*j, m*dy*j
	f.S += 5 * j
	f.X = 32*nx*m + 60*m*m + 50*(2*nx+m)*d + procs*min(3000*m+1<<19, nx*m) + min(1<<19, nx*m) + min(1<<22, nx*m*(m+2)/2)
	f.B, f.K = 1.25*min(all, max(1<<20, ns*dy)), min(5, 2+float64(len(grid)))
	if least := min(nx, ns*dy); least > 1000 {
		f.start = 16*ns*dy*(d+10) + nx*d + f.B
	} else {
		f.start = 5*least*least + nx*d + min(all, max(all/4, 1<<23)) + f.B
	}
	return f
}

// Covariances adds those of all points that are learned, one in each of the parameters that training keeps.
func (f *Footprint) Covariances(points int) { f.S += 16 * float64(points) * float64(points) }

// LeavingOut adds what predicts examples from all others to calibrate variances over time: their spreads, twice.
func (f *Footprint) LeavingOut(examples, inducing, size int) {
	spread := float64(inducing) * float64(inducing)
	f.X += 2 * spread * min(float64(examples), max(1, slabsLeftOut*float64(data.SlabNumbers)/max(float64(size), spread)))
}

// Bytes of the stages.
func (f Footprint) Trainer() float64  { return 8 * f.start }
func (f Footprint) Warmup() float64   { return 8 * (f.P + f.S + f.X + f.K*f.B) }
func (f Footprint) Training() float64 { return f.Warmup() + 8*(1+f.free)*f.H }
func (f Footprint) Save() float64     { return f.Warmup() + f.Inducing() }

// Inducing returns the bytes that grow with the inducing points: H and α.
func (f Footprint) Inducing() float64 { return 8 * max(2, 1+f.free) * f.H }
