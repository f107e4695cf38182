package data_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// FuzzScaled looks through data of any numbers: they are refused in one line that names a place, or have channels of mean 0 and
// variance 1, whatever their offset and unit.
func FuzzScaled(f *testing.F) {
	f.Fuzz(func(t *testing.T, input []byte) {
		s := fuzz.FromBytes(input)
		n, points, channels := 1+s.IntN(6), 1+s.IntN(8), 1+s.IntN(3)
		y := mat.New(n*points, channels)
		for c := range channels {
			offset, unit := math.Pow(10, float64(s.IntN(41)-20)), math.Pow(10, float64(s.IntN(41)-20))
			for i := range y.Rows {
				switch y.Set(i, c, offset+unit*s.NormFloat64()); s.IntN(8) {
				case 1:
					y.Set(i, c, math.NaN())
				case 2:
					y.Set(i, c, offset)
				}
			}
		}
		if s.IntN(4) == 1 {
			y.Data[s.IntN(len(y.Data))] = s.Bits()
		}
		source := field.NewSource(slices.Clone(y.Data), n, points, channels)
		warnings, err := data.Check(source)
		for _, w := range warnings {
			if w == "" || strings.Contains(w, "\n") || len(w) > 400 {
				t.Errorf("warning %q", w)
			}
		}
		refused(t, err)
		scaled, err := data.NewScaled(source)
		if refused(t, err); err == nil {
			checkScaled(t, y, scaled)
		}
	})
}

func refused(t *testing.T, err error) {
	t.Helper()
	var config *field.ConfigError
	var value *field.ValueError
	if err != nil && !errors.As(err, &config) && !errors.As(err, &value) || err != nil && (strings.Contains(err.Error(), "\n") || len(err.Error()) > 400) {
		t.Errorf("error %q of type %T", err, err)
	}
}

// checkScaled compares scaled values with means and deviations by definition, in units of the largest value.
func checkScaled(t *testing.T, y mat.Matrix, scaled *data.Scaled) {
	t.Helper()
	z := make([]float64, len(y.Data))
	if err := scaled.Read(z, 0, scaled.Examples); err != nil {
		t.Fatal(err)
	}
	missing := 0
	for c := range y.Cols {
		var largest, sum, squares, count float64
		for i := range y.Rows {
			v := z[i*y.Cols+c]
			if missing += map[bool]int{true: 1}[v != v]; (v != v) != (y.At(i, c) != y.At(i, c)) {
				t.Fatalf("value %v became %v", y.At(i, c), v)
			}
			if v == v {
				largest = max(largest, math.Abs(y.At(i, c)))
				sum, squares, count = sum+v, squares+v*v, count+1
			}
		}
		rounding := 1e-9 + 0x1p-50*largest/scaled.Scaler.Scale[c]
		if mean := sum / count; !(math.Abs(mean) <= rounding) {
			t.Errorf("channel %d: mean %v", c, mean)
		}
		constant := scaled.Scaler.Scale[c] == 1
		if v := squares / count; !(math.Abs(v-1) <= 1e-6+rounding) && !constant {
			t.Errorf("channel %d: variance %v, unit %v", c, v, scaled.Scaler.Scale[c])
		}
	}
	if scaled.Missing != missing {
		t.Errorf("%d values are missing, said to be %d", missing, scaled.Missing)
	}
	compare.SameBits(t, "applied", slices.DeleteFunc(scaled.Scaler.Apply(y).Data, math.IsNaN), slices.DeleteFunc(z, math.IsNaN))
}
