package bound_test

import (
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// racing reports whether the race detector runs, under which pools forget.
func racing() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// One evaluation allocates a few numbers for each datum and a fixed number of m_ξ×m_ξ tiles, not one for
// each example: twice the examples take at most twice the memory, and all of it is far below n_ξ·m_ξ²
// numbers, but for the exponentials of Ψ2 that wait for the gradient. A second evaluation allocates next to nothing.
func TestAllocations(t *testing.T) {
	tier.Skip(t, tier.Emulated)
	if racing() {
		t.Skip("the race detector makes pools forget")
	}
	const inducing = 100
	var last float64
	for _, examples := range []int{200, 400} {
		m := shape{Examples: examples, Inducing: inducing, Latent: 3, Channels: 1, Jitter: 1e-6,
			Space: []factor{{Points: 8, Dims: 1, Kind: matern32}, {Points: 6, Dims: 1, Kind: matern32}}}.Model(t)
		first, again := math.Inf(1), math.Inf(1)
		for range 3 { // a pool may lose a buffer at any moment
			s, grad := newSubject(m), m.Params.Clone()
			evaluate := func() float64 {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				if _, err := s.evaluator.Evaluate(t.Context(), s.Params, grad, bound.GroupAll); err != nil {
					t.Fatal(err)
				}
				runtime.ReadMemStats(&after)
				return float64(after.TotalAlloc - before.TotalAlloc)
			}
			first, again = min(first, evaluate()), min(again, evaluate())
		}
		if last > 0 && first > 2.2*last {
			t.Errorf("%d examples: %.0f bytes, %.0f for half as many", examples, first, last)
		}
		if again > first/10 {
			t.Errorf("%d examples: %.0f bytes, and %.0f in the second evaluation", examples, first, again)
		}
		last = first
	}
	waiting := 8 * 400 * inducing * (inducing + 1) / 2.
	if limit := float64(8 * 400 * inducing * inducing); last-waiting > limit/2 {
		t.Errorf("%.0f bytes beside %.0f of exponentials, expected far less than %.0f", last-waiting, waiting, limit)
	}
}

// A footprint is what an evaluator holds at most, in bytes beside the data as stored: of evaluations with the
// spatial parameters held, with all free, and of Alpha.
type footprint struct{ held, all, alpha float64 }

// expectedFootprint evaluates the formulas of docs/measurements.md for n_ξ examples, d_y channels, d_ξ
// latent dimensions and m_ξ inducing points.
func expectedFootprint(examples, channels, latents, inducing int, space field.Grid, own []bound.Spatial) footprint {
	var (
		nx, dy, d, m = float64(examples), float64(channels), float64(latents), float64(inducing)
		ns, j        = 1.0, 1.0
		squares      float64
		procs        = float64(runtime.GOMAXPROCS(0))
		cross, free  float64
	)
	for f, x := range space {
		nf, mf := float64(x.Rows), float64(x.Rows)
		if !own[f].Tied() {
			mf = float64(own[f].Xu.Rows)
			cross += nf * mf
			free = max(free, nf/mf)
		}
		ns, j = ns*nf, j*mf
		squares += mf * mf
	}
	p, h := nx*dy*j, m*dy*j
	buffers := min(5, 2+float64(len(space))) * 1.25 * min(nx*ns*dy, max(1<<20, ns*dy))
	fixed := 8*squares + 5*j + 4*cross + 32*nx*m + 60*m*m + 50*(2*nx+m)*d + procs*(3000*m+1<<19) + 1<<19 + min(1<<22, nx*m*(m+2)/2)
	return footprint{held: 8 * (p + fixed + buffers), all: 8 * (p + (1+free)*h + fixed + buffers), alpha: 8 * (p + 2*h + fixed + buffers)}
}

// Evaluations hold no more than the formulas say, and not much less where what grows with the data counts
// most.
func TestMemory(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	defer debug.SetGCPercent(debug.SetGCPercent(5)) // collect often
	for _, c := range []struct {
		examples, channels, d, m int
		points, inducing         []int
		large                    bool // what grows with the data counts most
	}{
		{32, 1, 4, 16, []int{256, 256}, nil, true},
		{16, 3, 4, 16, []int{128, 256}, nil, true},
		{300, 1, 8, 60, []int{400}, nil, false},
		{40, 1, 4, 16, []int{20, 30, 40}, nil, false},
		{24, 1, 4, 12, []int{512, 128}, []int{64, 0}, false},
	} {
		if testing.Short() && c.points[0] > 100 {
			continue
		}
		p, grid := params(c.examples, c.m, c.d), field.Grid{}
		for f, n := range c.points {
			grid = append(grid, line(n))
			s := bound.Spatial{Kernel: kernel.Kernel{Kind: matern32, Variance: 1, LengthScale: []float64{3}}}
			if c.inducing != nil && c.inducing[f] > 0 {
				s.Xu = mat.New(c.inducing[f], 1)
				for i := range s.Xu.Data {
					s.Xu.Data[i] = (float64(i) + 0.5) * float64(n) / float64(c.inducing[f])
				}
			}
			p.Space = append(p.Space, s)
		}
		pixels := make([]uint8, c.examples*grid.Len()*c.channels)
		for i := range pixels {
			pixels[i] = uint8(100 + 50*math.Sin(float64(i%1009)*float64(i/grid.Len()+1)) + float64(i%7))
		}
		source := field.NewSource(pixels, c.examples, grid.Len(), c.channels)
		scaled := &data.Scaled{Source: source, Examples: c.examples, Points: grid.Len(), Channels: c.channels, Scaler: data.Scaler{Mean: slices.Repeat([]float64{100}, c.channels), Scale: slices.Repeat([]float64{35}, c.channels)}}
		want := expectedFootprint(c.examples, c.channels, c.d, c.m, grid, p.Space)
		grad := p.Clone()
		runtime.GC()
		base := reference.LiveBytes()
		e := bound.NewEvaluator(scaled, grid, 1e-6)
		var err error
		stage := func(name string, want float64, f func()) {
			got := reference.PeakHeap(base, f)
			t.Logf("%d examples, %v points, %s: %.1f MB, formula %.1f MB", c.examples, c.points, name, got/1e6, want/1e6)
			if err != nil {
				t.Fatal(err)
			}
			// What is allocated during a collection counts as live, and under the race detector or an
			// emulator collections are long. Earlier tests may have left slabs that are used again.
			tolerance := 1.05
			if testing.Short() || racing() {
				tolerance = 1.5
			}
			if !(got <= tolerance*want+1e6) || c.large && !(got >= 0.5*want) {
				t.Errorf("%d examples, %v points, %s: %.1f MB, expected up to %.1f MB", c.examples, c.points, name, got/1e6, want/1e6)
			}
		}
		stage("held", want.held, func() { _, err = e.Evaluate(t.Context(), p, grad, held) })
		stage("all", max(want.held, want.all), func() { _, err = e.Evaluate(t.Context(), p, grad, bound.GroupAll) })
		stage("α", max(want.all, want.alpha), func() { _, err = e.Alpha(t.Context(), p) })
	}
}

// params are latent parameters of a size.
func params(n, m, d int) *bound.Params {
	rbf := &psi.RBF{Variance: 1, LengthScale: make([]float64, d)}
	for q := range d {
		rbf.LengthScale[q] = 2 + float64(q%5)
	}
	p := &bound.Params{Noise: bound.Noise{Beta: 50}, Latent: psi.Kernel{Parts: []psi.Part{rbf}},
		X: bound.Latents{Mu: mat.New(n, d), S: mat.New(n, d)}, Z: mat.New(m, d)}
	for i := range p.X.Mu.Data {
		p.X.Mu.Data[i], p.X.S.Data[i] = 1.5*math.Sin(float64(i*i)), 0.1
	}
	for i := range p.Z.Data {
		p.Z.Data[i] = 1.5 * math.Sin(float64(i*i)+0.5)
	}
	return p
}

// line returns n equally spaced points.
func line(n int) mat.Matrix {
	x := mat.New(n, 1)
	for i := range n {
		x.Data[i] = float64(i)
	}
	return x
}
