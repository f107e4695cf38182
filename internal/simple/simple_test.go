package simple

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/seed-08962ecc/kronfield/mat"
)

// grid returns the points of a grid, row by row.
func grid(rows, columns int) mat.Matrix {
	x := mat.New(rows*columns, 2)
	for j := range x.Rows {
		x.Set(j, 0, float64(j/columns))
		x.Set(j, 1, float64(j%columns))
	}
	return x
}

// lowRank draws n examples of p columns: rank components and noise.
func lowRank(n, p, rank int, noise float64, seed uint64) mat.Matrix {
	rng := rand.New(rand.NewPCG(seed, 1))
	y, w, z := mat.New(n, p), mat.New(p, rank), mat.New(n, rank)
	for _, m := range []mat.Matrix{w, z, y} {
		for k := range m.Data {
			m.Data[k] = rng.NormFloat64()
		}
	}
	mat.Mul(y, 1, z, w.T(), noise)
	return y
}

// scattered marks a share of n·p values.
func scattered(n int, share float64, seed uint64) []bool {
	rng := rand.New(rand.NewPCG(seed, 2))
	missing := make([]bool, n)
	for k := range missing {
		missing[k] = rng.Float64() < share
	}
	return missing
}

// judge returns the root mean squared error and the coverage of 90 % intervals of what was filled in, and how much was not.
func judge(d Data, mean, variance mat.Matrix) (rmse, coverage float64, none int) {
	var squares, covered, count float64
	for k, missing := range d.Missing {
		if !missing {
			continue
		}
		if r := d.Y.Data[k] - mean.Data[k]; r != r {
			none++
		} else {
			squares += r * r
			count++
			if math.Abs(r) < 1.6449*math.Sqrt(variance.Data[k]) {
				covered++
			}
		}
	}
	return math.Sqrt(squares / count), covered / count, none
}

func TestTime(t *testing.T) {
	for _, c := range []struct{ n, p, rank int }{{5000, 200, 12}, {100000, 20, 3}, {60, 2000, 5}, {300, 20, 4}, {50, 10, 2}} {
		d := Data{Y: lowRank(c.n, c.p, c.rank, 0.3, 1), Missing: scattered(c.n*c.p, 0.1, 1), Channels: 1}
		for _, m := range Methods(d) {
			start := time.Now()
			mean, variance, err := m.Fill(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Println(c, m.Name, time.Since(start))
			fmt.Println(judge(d, mean, variance))
		}
	}
}
