package emulator

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// simulator draws a function of d inputs between 0 and 1: waves in them, of which one counts more than the others, times patterns.
func simulator(d int, rng *rand.Rand) func(y, x []float64) {
	const waves = 10
	w := mat.New(waves, d+3)
	for j := range waves {
		row := w.Row(j)
		for q := range row {
			row[q] = 2 * rng.NormFloat64() / float64(1+q%d)
		}
	}
	return func(y, x []float64) {
		for s := range y {
			y[s] = 0
			for j := range waves {
				row, at := w.Row(j), 0.
				for q, v := range x {
					at += row[q] * v
				}
				y[s] += math.Sin(at+3*row[d]) * row[d+1] * math.Cos(3*row[d+2]+float64((j+1)*s)/20) / float64(1+j)
			}
		}
	}
}

// On grids, Latin hypercubes and scattered inputs of drawn simulators the foretold error is between half of and twice the true one in the median, 90 % intervals
// hold 80 to 97 % in the median, and no input within a grid is far from all of its runs.
func TestForetold(t *testing.T) {
	designs := map[string]func(d int, rng *rand.Rand) mat.Matrix{
		"grid": func(d int, _ *rand.Rand) mat.Matrix {
			levels := []int{0, 0, 5, 4}[d]
			x := mat.New(int(math.Pow(float64(levels), float64(d))+0.5), d)
			for i := range x.Rows {
				for q, k := 0, i; q < d; q, k = q+1, k/levels {
					x.Set(i, q, float64(k%levels)/float64(levels-1))
				}
			}
			return x
		},
		"Latin hypercube": func(d int, rng *rand.Rand) mat.Matrix {
			x := mat.New(30, d)
			for q := range d {
				for i, k := range rng.Perm(30) {
					x.Set(i, q, (float64(k)+rng.Float64())/30)
				}
			}
			return x
		},
		"scattered": func(d int, rng *rand.Rand) mat.Matrix { return uniform(36, d, rng) },
	}
	for name, design := range designs {
		var ratios, covers []float64
		for k := range 7 {
			d, rng := 2+k%2, rand.New(rand.NewPCG(uint64(k), 5))
			ratio, cover, far := foretold(t, design(d, rng), uniform(200, d, rng), simulator(d, rng))
			ratios, covers = append(ratios, ratio), append(covers, cover)
			if far > 1.5 && name == "grid" {
				t.Errorf("%s, simulator %d: an input %v times as far as runs", name, k, far)
			}
		}
		slices.Sort(ratios)
		slices.Sort(covers)
		if r, c := ratios[3], covers[3]; !(r > 0.5 && r < 2) || !(c > 0.8 && c < 0.97) {
			t.Errorf("%s: foretold over true errors %.3v, covered %.3v", name, ratios, covers)
		}
	}
}

// uniform draws n rows between 0 and 1.
func uniform(n, d int, rng *rand.Rand) mat.Matrix {
	x := mat.New(n, d)
	for i := range x.Data {
		x.Data[i] = rng.Float64()
	}
	return x
}

// foretold returns the foretold error over the true one, how much 90 % intervals hold, and how far the farthest input is.
func foretold(t *testing.T, x, at mat.Matrix, output func(y, x []float64)) (ratio, cover, far float64) {
	t.Helper()
	w, truth := world{x: x, y: mat.New(x.Rows, 30)}, mat.New(at.Rows, 30)
	for i := range x.Rows {
		output(w.y.Row(i), x.Row(i))
	}
	m, err := Fit(context.Background(), w.data(), Options{Quick: true})
	if err != nil {
		t.Fatal(err)
	}
	xi, _, err := m.Coordinates(world{x: at, y: truth}.data().Columns, nil, at.Rows)
	if err != nil {
		t.Fatal(err)
	}
	mean, variance := m.Predict(xi)
	sum, within := 0., 0.
	y, v := make([]float64, 30), make([]float64, 30)
	for i := range at.Rows {
		output(truth.Row(i), at.Row(i))
		m.Field(y, mean.Row(i))
		m.Variance(v, variance.Row(i))
		for s := range y {
			e := y[s] - truth.At(i, s)
			sum += e * e
			if math.Abs(e) < within90*math.Sqrt(v[s]) {
				within++
			}
		}
	}
	n := float64(len(truth.Data))
	return m.Errors.Foretold * m.Scaler.Scale[0] / math.Sqrt(sum/n), within / n, slices.Max(m.Far(xi))
}

// Where outputs are noise, or lines with noise, the errors of held-out runs are not larger than those of the mean of the runs and of ridge regression in the same folds.
func TestNotWorseThanSimplest(t *testing.T) {
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(seed, 6))
		w := world{x: uniform(14, 3, rng), y: mat.New(14, 20)}
		for i := range w.y.Rows {
			for s := range w.y.Row(i) {
				w.y.Row(i)[s] = float64(seed%2)*w.x.At(i, s%3) + rng.NormFloat64()
			}
		}
		m, err := Fit(context.Background(), w.data(), Options{Quick: seed%4 < 2, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range m.Errors.Simplest {
			if s.Name != "nearest run" && m.Errors.Mean > s.Mean {
				t.Errorf("seed %d: error %v, of %s %v", seed, m.Errors.Mean, s.Name, s.Mean)
			}
		}
	}
}

// Of an input over several powers of ten whose logarithm the outputs follow, and of one that they follow as it is, the right scale is taken; inputs of the outputs come back in
// their unit, and what has no logarithm is refused.
func TestLogarithms(t *testing.T) {
	for _, log := range []bool{true, false} {
		rng := rand.New(rand.NewPCG(3, 7))
		w := world{x: uniform(40, 2, rng), y: mat.New(40, 20)}
		for i := range w.y.Rows {
			x := w.x.Row(i)
			at := x[0]
			if log {
				x[0] = math.Exp(9 * (x[0] - 0.5))
			} else {
				x[0] = 0.001 + x[0]
			}
			for s := range w.y.Row(i) {
				w.y.Row(i)[s] = math.Sin(3*at+float64(s)/5) * (1 + x[1])
			}
		}
		d := w.data()
		m, err := Fit(context.Background(), d, Options{Quick: true})
		if err != nil {
			t.Fatal(err)
		}
		if m.Encodings[0].Log != log || m.Errors.Foretold > 0.05 {
			t.Errorf("logarithms %v, want %v; error %v", m.Encodings[0].Log, log, m.Errors.Foretold)
		}
		x, _, err := m.Coordinates(d.Columns, nil, 40)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range m.Columns(x)[0].Numbers {
			near(t, "input", v/w.x.At(i, 0), 1, 1e-12)
		}
		d.Columns[0].Numbers[5] = -1
		if _, _, err := m.Coordinates(d.Columns, nil, 40); (err != nil) != log {
			t.Errorf("logarithm of −1: %v", err)
		}
	}
}
