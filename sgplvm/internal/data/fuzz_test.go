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
// variance 1, whatever their offset and unit. Sequences have every example once, in order.
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
		checkSequences(t, s)
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

func checkSequences(t *testing.T, s *fuzz.Source) {
	t.Helper()
	n := s.IntN(10)
	times, labels := make([]float64, n), make([]int, n)
	for i := range n {
		times[i], labels[i] = float64(s.IntN(5)), s.IntN(4)-1
	}
	seen, last := make([]bool, n), math.MinInt
	for _, q := range data.Sequences(times, labels) {
		if q.Label <= last || len(q.Examples) == 0 || len(q.Times) != len(q.Examples) || !slices.IsSorted(q.Times) {
			t.Errorf("sequence %+v after one of label %d", q, last)
		}
		last = q.Label
		for k, i := range q.Examples {
			if seen[i] || labels[i] != q.Label || times[i] != q.Times[k] {
				t.Errorf("example %d of %+v: label %d, time %v", i, q, labels[i], times[i])
			}
			seen[i] = true
		}
	}
	if slices.Contains(seen, false) {
		t.Errorf("examples in sequences: %v", seen)
	}
	if data.CheckInstants(times, labels, n) != nil || n > 0 && data.CheckInstants(append(times[:n-1:n-1], s.Bits()), labels, n+1) == nil {
		t.Error("times are refused that are right, or taken that are too few")
	}
}
