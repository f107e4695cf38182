package dataset

import (
	"fmt"
	"io"
	"math"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/mat/npy"
)

// whole returns values in the order of the source, where nothing exists what stood there.
func (s *Set) whole(values []float64) []float64 {
	all := make([]float64, len(values))
	for k := range all {
		i := s.place(k)
		if all[k] = values[i]; !s.exists(i) {
			all[k] = s.kept(i)
		}
	}
	return all
}

// typ is the type of results.
func (s *Set) typ() npy.Type {
	if s.Type == npy.Float32 {
		return npy.Float32
	}
	return npy.Float64
}

// writeArray writes values, in the order of the source, as a .npy file.
func (s *Set) writeArray(w io.Writer, values []float64) error {
	if s.typ() == npy.Float64 {
		return npy.Write(w, npy.New(values, s.Shape...))
	}
	single := make([]float32, len(values))
	for i, v := range values {
		if single[i] = float32(v); math.IsInf(float64(single[i]), 0) && !math.IsInf(v, 0) {
			return &Error{Path: s.Name, Place: "element " + quote.Index(i, s.Shape), Found: fmt.Sprint(v), Want: "a number in the range of float32"}
		}
	}
	return npy.Write(w, npy.New(single, s.Shape...))
}

// coordinateNames are the names of the coordinates of points, those of the source or row, column or x0, x1, ….
func (s *Set) coordinateNames() []string {
	dims := 0
	for _, f := range s.Grid {
		dims += f.Cols
	}
	switch {
	case len(s.coordinates) == dims:
		return s.coordinates
	case !s.Scattered && dims == 2:
		return []string{"row", "column"}
	}
	names := make([]string, dims)
	for k := range names {
		names[k] = fmt.Sprintf("x%d", k)
	}
	return names
}
