package emulator

import (
	"math"
	"math/rand/v2"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// A world is runs of a drawn simulator: inputs, coordinates and fields.
type world struct {
	x, p, y mat.Matrix
}

// worlds draws n runs of d inputs from −1.7 to 1.7; modes smooth functions of them, of which the first input counts most, times patterns of 60 values that
// fall in size.
func worlds(n, d, modes int, seed uint64) world {
	rng := rand.New(rand.NewPCG(seed, 7))
	w := world{mat.New(n, d), mat.New(n, modes), mat.New(n, 60)}
	for i := range w.x.Data {
		w.x.Data[i] = 3.4*rng.Float64() - 1.7
	}
	for j := range modes {
		phase, slope := rng.Float64(), rng.NormFloat64()
		for i := range n {
			x := w.x.Row(i)
			v := math.Sin(x[0]*(1+0.3*float64(j)) + phase)
			for q, u := range x[1:] {
				v += slope * u / float64(q+1)
			}
			w.p.Set(i, j, v)
		}
		for i := range n {
			for s := range w.y.Cols {
				w.y.Row(i)[s] += w.p.At(i, j) * math.Cos(float64((j+1)*s)/19) / float64(1+j)
			}
		}
	}
	return w
}

// data returns the world as runs.
func (w world) data() Data {
	y, err := data.NewScaled(field.NewSource(w.y.Data, w.y.Rows, w.y.Cols, 1))
	if err != nil {
		panic(err)
	}
	d := Data{Outputs: y}
	for q := range w.x.Cols {
		c := Column{}
		for i := range w.x.Rows {
			c.Numbers = append(c.Numbers, w.x.At(i, q))
		}
		d.Columns = append(d.Columns, c)
	}
	return d
}
