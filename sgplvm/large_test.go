package sgplvm

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/seed-08962ecc/kronfield/mat"
)

// ripples are examples of height×width points of one byte: a wave around a centre
// that moves from one to the next.
func ripples(examples, height, width int) []uint8 {
	y := make([]uint8, examples*height*width)
	mat.Parallel(examples, func(n int) {
		angle := 2 * math.Pi * float64(n) / float64(examples)
		a, b := float64(height)*(0.5+0.3*math.Cos(angle)), float64(width)*(0.5+0.3*math.Sin(angle))
		noise := uint32(n + 1)
		for i := range height {
			for j := range width {
				r := math.Hypot(float64(i)-a, float64(j)-b) / float64(height)
				noise = noise*1664525 + 1013904223 // Numerical Recipes' generator
				y[(n*height+i)*width+j] = uint8(128 + 90*math.Cos(12*r)*math.Exp(-r) + float64(noise>>28))
			}
		}
	})
	return y
}

// peakRSS returns the largest resident size of the process so far, in bytes; 0 where
// the system does not tell.
func peakRSS() float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	var kilobytes float64
	fmt.Sscan(rest, &kilobytes)
	return 1024 * kilobytes
}

// Training on 10⁸ bytes, 64 pictures of 1250×1250 points: the time of NewTrainer, of a step
// of either phase and of a Model that is saved, and the largest resident size. It takes minutes and
// gigabytes.
func BenchmarkLarge(b *testing.B) {
	if testing.Short() {
		b.Skip("takes minutes")
	}
	const examples, side = 64, 1250
	y := ripples(examples, side, side)
	for b.Loop() {
		begin := time.Now()
		lap := func(unit string, steps int) {
			b.ReportMetric(time.Since(begin).Seconds()/float64(steps), unit)
			begin = time.Now()
		}
		d := Data{Source: NewSource(y, examples, side*side, 1), Grid: Grid{line(side), line(side)}}
		for _, phase := range []struct {
			unit string
			o    TrainingConfig
		}{{"s/warm-up-evaluation", TrainingConfig{Iterations: 4, Warmup: 4}}, {"s/evaluation", TrainingConfig{Iterations: 3, Warmup: -1}}} {
			phase.o.Uncalibrated = true
			t, err := NewTrainer(d, Config{LatentDims: 8, Inducing: 32, Training: phase.o})
			if err != nil {
				b.Fatal(err)
			}
			lap("s/trainer", 1)
			r, err := t.Fit(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			lap(phase.unit, r.Evaluations)
			m, err := t.Model()
			if err == nil {
				err = m.Save(io.Discard)
			}
			if err != nil {
				b.Fatal(err)
			}
			lap("s/save", 1)
		}
		b.ReportMetric(peakRSS()/(1<<20), "MiB-peak")
	}
}
