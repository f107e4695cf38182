package sgplvm

import (
	"context"
	"io"
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/seed-08962ecc/kronfield/mat"
)

// A footprint is what doc.go says about memory, in bytes beside the data as stored.
type footprint struct{ new, warmup, training, save float64 }

// expectedFootprint evaluates the formulas in doc.go.
func expectedFootprint(examples, channels, latents, inducing int, space []SpatialFactor) footprint {
	var (
		nx, dy, d, m = float64(examples), float64(channels), float64(latents), float64(inducing)
		ns, j        = 1.0, 1.0
		squares      float64
		procs        = float64(runtime.GOMAXPROCS(0))
		cross, free  float64
	)
	for _, f := range space {
		nf, mf := float64(f.X.Rows), float64(f.X.Rows)
		if f.Xu.Rows > 0 {
			mf = float64(f.Xu.Rows)
			cross += nf * mf
			free = max(free, nf/mf)
		}
		ns, j = ns*nf, j*mf
		squares += mf * mf
	}
	data := nx * ns * dy
	p, h := nx*dy*j, m*dy*j
	b := 1.25 * min(data, max(1<<20, ns*dy))
	k := min(5, 2+float64(len(space)))
	s := 8*squares + 5*j + 4*cross
	x := 32*nx*m + 60*m*m + 50*(2*nx+m)*d + procs*(3000*m+1<<19) + 1<<19
	f := footprint{
		new:      8 * (5*nx*nx + min(data, max(data/4, 1<<23)) + b),
		warmup:   8 * (p + s + x + k*b),
		training: 8 * (p + (1+free)*h + s + x + k*b),
		save:     8 * (p + 2*h + s + x + k*b),
	}
	return f
}

// peakHeap returns the most that any garbage collection found live while f ran and
// after it, in bytes above base.
func peakHeap(base float64, f func()) float64 {
	var peak float64
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			peak = max(peak, liveBytes())
			select {
			case <-done:
				return
			case <-time.After(100 * time.Microsecond):
			}
		}
	}()
	f()
	runtime.GC()
	close(done)
	<-ended
	return max(peak, liveBytes()) - base
}

// liveBytes returns what the last garbage collection found live.
func liveBytes() float64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return float64(sample[0].Value.Uint64())
}

// New, either phase of Fit and Save hold no more than doc.go says, and training and
// Save not much less where what grows with the data counts most.
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
		n := c.examples * c.channels
		cfg := Config{LatentDims: c.d, Inducing: c.m}
		for f, k := range c.points {
			n *= k
			s := SpatialFactor{X: line(k)}
			if c.inducing != nil && c.inducing[f] > 0 {
				s.Xu = mat.New(c.inducing[f], 1)
				for i := range c.inducing[f] {
					s.Xu.Data[i] = (float64(i) + 0.5) * float64(k) / float64(c.inducing[f])
				}
			}
			cfg.Space = append(cfg.Space, s)
		}
		y := make([]uint8, n)
		for i := range y {
			y[i] = uint8(100 + 50*math.Sin(float64(i%1009)*float64(i/n*c.examples+1)) + float64(i%7))
		}
		want := expectedFootprint(c.examples, c.channels, c.d, c.m, cfg.Space)
		runtime.GC()
		base := liveBytes()
		var m *Model
		var err error
		stage := func(name string, want float64, least bool, f func()) {
			got := peakHeap(base, f)
			t.Logf("%d examples, %v points, %s: %.1f MB, formula %.1f MB", c.examples, c.points, name, got/1e6, want/1e6)
			if err != nil {
				t.Fatal(err)
			}
			// What is allocated during a collection counts as live, and under the race
			// detector or an emulator collections are long. Earlier tests may have left
			// slabs that are used again.
			tolerance := 1.05
			if testing.Short() {
				tolerance = 1.5
			}
			if !(got <= tolerance*want+1e6) || least && !(got >= 0.5*want) {
				t.Errorf("%d examples, %v points, %s: %.1f MB, expected up to %.1f MB", c.examples, c.points, name, got/1e6, want/1e6)
			}
		}
		stage("New", want.new, false, func() {
			m, err = New(Data{Source: NewSource(y, c.examples, n/c.examples/c.channels, c.channels)}, cfg)
		})
		stage("warm-up", max(want.new, want.warmup), false, func() { _, err = m.Fit(context.Background(), FitOptions{Iterations: 2, Warmup: 2}) })
		stage("training", max(want.new, want.training), c.large, func() { _, err = m.Fit(context.Background(), FitOptions{Iterations: 2, Warmup: -1, Schedule: Joint}) })
		stage("Save", max(want.new, want.training, want.save), c.large, func() { err = m.Save(io.Discard) })
	}
}
