package sgplvm

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
)

// A meter counts the numbers that are read of a source, and the bytes that are written.
type meter struct {
	Source
	read, written int
}

func (m *meter) ReadExamples(dst []float64, from, to int) error {
	m.read += len(dst)
	return m.Source.ReadExamples(dst, from, to)
}

func (m *meter) Write(p []byte) (int, error) {
	m.written += len(p)
	return len(p), nil
}

// scaled returns n examples of a table of 5 columns, or of fields of 5×height points, that change slowly.
func scaled(n, height int, times, holes bool) Data {
	rng := rand.New(rand.NewPCG(1, 2))
	y := mat.New(n, 5*height)
	for i := range n {
		for j, row := 0, y.Row(i); j < len(row); j++ {
			row[j] = math.Sin(float64(i)/9+float64(j)) + math.Cos(float64(i)/50+float64(j*j)) + 0.1*rng.NormFloat64()
			if holes && rng.IntN(10) == 0 {
				row[j] = math.NaN()
			}
		}
	}
	d := Data{Examples: n, Y: y, Grid: Grid{line(1)}}
	if height > 1 {
		d.Y, d.Grid = mat.NewDense(n*5*height, 1, y.Data), Grid{line(5), line(height)}
	}
	if times {
		d.Times = line(n).Data
	}
	return d
}

// The work of training, calibration and a model's file grows with the number of examples, counted by the bytes that are allocated, the numbers that are
// read and the bytes that are written: a matrix of n² numbers, or examples read once for each other one, would show. The slope of
// the logarithms is at most 1.15, and what doublings add doubles, but for a tenth or two in the power (of what hardly grows that says nothing), for tables and fields of 40 and 560 points, some with times or holes.
func TestWorkInExamples(t *testing.T) {
	sizes := [3]int{1100, 2200, 4400} // of up to 1000 examples in time small matrices are factored
	for _, c := range []struct {
		height       int
		times, holes bool
	}{{1, false, true}, {1, true, false}, {8, false, false}, {8, true, false}, {112, true, false}} {
		if testing.Short() && c.height > 1 {
			continue
		}
		work := map[string]*[3]float64{"bytes allocated": {}, "numbers read": {}, "bytes written": {}}
		for k, n := range sizes {
			d := scaled(n, c.height, c.times, c.holes)
			m := &meter{Source: field.MatrixSource(d.Y, n)}
			d.Source, d.Y, d.Examples = m, mat.Matrix{}, 0
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			tr, _ := fit(t, d, Config{LatentDims: 2, Inducing: 6, Training: TrainingConfig{Iterations: 2, Warmup: 1}})
			if err := modelOf(t, tr).Save(m); err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			work["bytes allocated"][k] = float64(after.TotalAlloc - before.TotalAlloc)
			work["numbers read"][k] = float64(m.read)
			work["bytes written"][k] = float64(m.written)
		}
		for what, w := range work {
			slope, power := math.Log2(w[2]/w[0])/2, math.Log2((w[2]-w[1])/(w[1]-w[0])) // without what does not grow
			if t.Logf("%+v: %.0f %s, a slope of %.2f, a power of %.2f", c, *w, what, slope, power); !(slope <= 1.15 && (slope < 0.5 || power <= 1.3)) {
				t.Errorf("%+v: %.0f %s of %d examples, a slope of %.2f, a power of %.2f", c, *w, what, sizes, slope, power)
			}
		}
	}
}
