package views

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
)

// The error below clouds over smooth fields is at most half the noise of a value, and smaller than without points; a table of the same causes, with a hundred times their noise,
// does not disturb them, and rows that it lacks come from the fields.
func TestByComponents(t *testing.T) {
	const n, points, columns, causes, noise = 40, 60, 5, 3, .3
	rng := rand.New(rand.NewPCG(9, 9))
	z, x := mat.New(n, causes), mat.New(points, 1)
	for k := range z.Data {
		z.Data[k] = rng.NormFloat64()
	}
	loads := []mat.Matrix{mat.New(points, causes), mat.New(columns, causes)}
	for q := range causes {
		f, phase := 1+3*rng.Float64(), 6*rng.Float64()
		for p := range points {
			x.Data[p] = float64(p)
			loads[0].Set(p, q, math.Cos(f*float64(p)/float64(points)*math.Pi+phase))
		}
	}
	for k := range loads[1].Data {
		loads[1].Data[k] = 100 * rng.NormFloat64()
	}
	all, truth := make([]Incomplete, 2), make([]mat.Matrix, 2)
	for v, l := range loads {
		truth[v] = mat.New(n, l.Rows)
		mat.Mul(truth[v], 1, z, l.T(), 0)
		y, missing := truth[v].Clone(), make([]bool, n*l.Rows)
		rows := make([]int, n)
		for i := range n {
			rows[i] = i
			from := rng.IntN(2 * points / 3)
			for j := range l.Rows {
				y.Row(i)[j] += []float64{noise, 100 * noise}[v] * rng.NormFloat64()
				missing[i*l.Rows+j] = v == 0 && j >= from && j < from+points/3 || v == 1 && i%4 == 0
			}
		}
		all[v] = Incomplete{completion.Filled{Y: y, Holes: &completion.Mask{Size: l.Rows, Missing: missing}, Channels: []int{1, columns}[v]}, rows}
	}
	errorOf := func(v int) float64 {
		filled, err := ByComponents(t.Context(), n, all, 1)
		if err != nil {
			t.Fatal(err)
		}
		var sum, count float64
		for k, hidden := range all[v].Holes.Missing {
			if hidden {
				sum, count = sum+(filled[v].Y.Data[k]-truth[v].Data[k])*(filled[v].Y.Data[k]-truth[v].Data[k]), count+1
			}
		}
		return math.Sqrt(sum / count)
	}
	nowhere := errorOf(0)
	all[0].Points, all[1].Points = x, mat.New(1, 1)
	if got := errorOf(0); got > noise/2 || got > .8*nowhere {
		t.Errorf("error %.3f below clouds, of columns that lie nowhere %.3f", got, nowhere)
	}
	if got := errorOf(1); got > 50 {
		t.Errorf("error %.3g of rows whose values differ by 170", got)
	}
}
