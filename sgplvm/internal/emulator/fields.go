package emulator

import (
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// A FieldBasis reduces input fields f to coordinates Vᵀ(f − mean).
type FieldBasis struct {
	Scaler data.Scaler
	Points int
	V      mat.Matrix `json:"-"` // values×components
	Mean   []float64  `json:"-"`
}

// newFieldBasis makes V of input fields: the first coordinate has the deviation 1 over the runs.
func newFieldBasis(y *data.Scaled, basis *Basis) (*FieldBasis, error) {
	b := &FieldBasis{Scaler: y.Scaler, Points: y.Points, V: mat.New(y.Size(), basis.Weights.Cols), Mean: make([]float64, y.Size())}
	return b, eachSlab(y, func(slab mat.Matrix, from int) error {
		v, mean := basis.expand(slab)
		copy(b.Mean[from:], mean)
		mat.Scale(b.V.Slice(from, from+v.Rows, 0, v.Cols), 1/basis.largest(), v)
		return nil
	})
}

// coordinates sets dst to those of fields.
func (b *FieldBasis) coordinates(dst mat.Matrix, fields field.Source) error {
	_, points, channels := fields.Dims()
	f := make([]float64, points*channels)
	for i := range dst.Rows {
		if err := fields.ReadExamples(f, i, i+1); err != nil {
			return &field.ReadError{From: i, To: i + 1, Err: err}
		}
		for k, v := range f {
			if v-v != 0 {
				return &field.ValueError{Example: i, Point: k / channels, Channel: k % channels, Value: v, Want: "a finite number: input fields must be known"}
			}
			c := k % channels
			f[k] = (v-b.Scaler.Mean[c])/b.Scaler.Scale[c] - b.Mean[k]
		}
		mat.Mul(dst.Slice(i, i+1, 0, dst.Cols), 1, mat.NewDense(1, len(f), f), b.V, 0)
	}
	return nil
}
