package sgplvm

import (
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
)

// matrixSource reads Data.Y.
type matrixSource struct {
	y        mat.Matrix
	examples int
}

func (s *matrixSource) Dims() (examples, points, channels int) {
	return s.examples, s.y.Rows / s.examples, s.y.Cols
}

func (s *matrixSource) ReadExamples(dst []float64, from, to int) error {
	n := s.y.Rows / s.examples
	rows := s.y.Slice(from*n, to*n, 0, s.y.Cols)
	if rows.IsContiguous() {
		copy(dst, rows.Data)
		return nil
	}
	mat.Copy(mat.NewDense(rows.Rows, rows.Cols, dst), rows)
	return nil
}

// slabNumbers is about how many numbers are read at a time, 8 MiB, and gramNumbers
// how many are held for the Gram matrix at any rate, 32 MiB. Tests lower them.
var slabNumbers, gramNumbers = 1 << 20, 1 << 22

// scaledSource reads a source in the model's units.
type scaledSource struct {
	source                     Source
	examples, points, channels int
	scaler                     Scaler
}

// size returns the number of values of an example.
func (s *scaledSource) size() int { return s.points * s.channels }

// slab returns how many examples are read at a time: about slabNumbers numbers,
// at least one example.
func (s *scaledSource) slab() int {
	return max(1, min(s.examples, slabNumbers/s.size()))
}

// read sets dst to the scaled examples from ≤ i < to. Calls with different dst may
// run at once. Errors: *ReadError.
func (s *scaledSource) read(dst []float64, from, to int) error {
	err := s.readRaw(dst, from, to)
	if err == nil {
		s.scaler.scale(dst)
	}
	return err
}

// readRaw is read in the user's units.
func (s *scaledSource) readRaw(dst []float64, from, to int) error {
	if len(dst) != (to-from)*s.size() {
		panic(fmt.Sprintf("sgplvm: %d numbers for examples %d to %d of %d values", len(dst), from, to-1, s.size()))
	}
	if err := s.source.ReadExamples(dst, from, to); err != nil {
		return &ReadError{From: from, To: to, Err: err}
	}
	return nil
}

// eachSlab reads slab after slab in the user's units and hands it to body, which may
// overwrite it, with the number of its first example.
func (s *scaledSource) eachSlab(body func(slab []float64, from int) error) error {
	step := s.slab()
	buffer := mat.Borrow(step * s.size())
	defer mat.GiveBack(buffer)
	for from := 0; from < s.examples; from += step {
		to := min(from+step, s.examples)
		slab := (*buffer)[:(to-from)*s.size()]
		if err := s.readRaw(slab, from, to); err != nil {
			return err
		}
		if err := body(slab, from); err != nil {
			return err
		}
	}
	return nil
}

// refuse reports value number i, which is not finite.
func (s *scaledSource) refuse(i int, v float64) error {
	e := &ValueError{Example: i / s.size(), Point: i % s.size() / s.channels, Channel: i % s.channels, Value: v, Want: "a finite number"}
	if math.IsNaN(v) {
		e.Want = "a number: training needs complete examples"
	}
	return e
}

// gram returns the Gram matrix of the scaled examples, G_ij = y_i·y_j (n_ξ×n_ξ),
// block by block: all examples are held if they are few, else two bands of them at a
// time, each an eighth of all or of gramNumbers numbers. So the source is read 4½
// times at most; bands of columns would need one pass, but of a source that can read
// parts of an example.
func (s *scaledSource) gram() (mat.Matrix, error) {
	n := s.examples
	g := mat.New(n, n)
	bands := max(1, min(8, (n*s.size()+gramNumbers-1)/gramNumbers))
	step := (n + bands - 1) / bands
	band := func(buffer []float64, from int) (mat.Matrix, error) {
		to := min(from+step, n)
		y := mat.NewDense(to-from, s.size(), buffer[:(to-from)*s.size()])
		return y, s.read(y.Data, from, to)
	}
	upper, lower := make([]float64, step*s.size()), []float64(nil)
	if step < n {
		lower = make([]float64, step*s.size())
	}
	for j := 0; j < n; j += step {
		a, err := band(upper, j)
		if err != nil {
			return g, err
		}
		mat.Syrk(g.Slice(j, j+a.Rows, j, j+a.Rows), 1, a, 0)
		for i := j + step; i < n; i += step {
			b, err := band(lower, i)
			if err != nil {
				return g, err
			}
			mat.Mul(g.Slice(i, i+b.Rows, j, j+a.Rows), 1, b, a.T(), 0)
		}
	}
	mat.MirrorLower(g)
	return g, nil
}
