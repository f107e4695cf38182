package dataset

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/mat/npy"
)

// Filled is a completed [Set]: the mean and the variance of all values, in the set's order, NaN at points that do
// not exist.
type Filled struct {
	Mean, Variance []float64
}

// deviation is the standard error of value i.
func (r *Filled) deviation(i int) float64 { return math.Sqrt(r.Variance[i]) }

// Fill puts what a model says into the places of the set. mean and variance are of the given points, which [Set.Data] has returned, for all
// examples: Count·len(points)·Channels. What was observed stays as it is, with variance 0; where smooth is true the model's
// values take its place, too. Points that do not exist stay as they are. Errors: [*Error] for a number that is not finite or a variance
// below 0 at a point that exists. It panics if the sizes do not fit.
func (s *Set) Fill(points []int, mean, variance []float64, smooth bool) (*Filled, error) {
	if n := s.Count * len(points) * s.Channels; len(mean) != n || len(variance) != n {
		panic(fmt.Sprintf("dataset: Fill: %d means and %d variances for %d values", len(mean), len(variance), n))
	}
	r := &Filled{s.put(mean, points), s.put(variance, points)}
	for i, v := range s.Values {
		switch {
		case !s.exists(i):
			r.Mean[i], r.Variance[i] = math.NaN(), math.NaN()
		case !smooth && !math.IsNaN(v):
			r.Mean[i], r.Variance[i] = v, 0
		default:
			if m, d := r.Mean[i], r.deviation(i); m-m != 0 || d-d != 0 {
				return nil, &Error{Path: s.Name, Place: s.Form.place(i/s.size(), i%s.size()), Found: fmt.Sprintf("filled in %v with variance %v", m, r.Variance[i]), Want: "finite numbers"}
			}
		}
	}
	return r, nil
}

// errorWriter counts what is written.
type errorWriter struct {
	io.Writer
	n int64
}

func (w *errorWriter) Write(b []byte) (int, error) {
	n, err := w.Writer.Write(b)
	w.n += int64(n)
	return n, err
}

// wantResult are the endings of the names of results.
const wantResult = "a name that ends in .npy, .npz, .nc or .csv"

// CheckOutput says whether results can be written under a name, before any work: the ending must be known, and names in the file that
// is to be completed must be free. Errors: [*Error].
func (s *Set) CheckOutput(path string) error {
	switch {
	case s.store != nil && isKind(path, s.store.endings()):
		return s.store.check()
	case isKind(path, []string{".npy", ".csv"}) || isKind(path, npzEndings):
		return nil
	case isKind(path, netcdfEndings):
		return nil
	}
	return &Error{Path: path, Found: "the ending " + quote.Text(filepath.Ext(path)), Want: wantResult}
}

// Write writes the completed set in the form that the ending of a name asks for:
//
//	.npy   the means, an array of the source's shape
//	.npz   all members of a source that is one, and NAME_filled and NAME_standard_error
//	.nc    all of a source that is a NetCDF file, and the variables NAME_filled and NAME_standard_error
//	.csv   a table as the source, the means; or, of a long one and of all others, a row for each value: example, coordinates,
//	       value and standard error
//
// From a source of another form the last three are made afresh, with the names filled and filled_standard_error. Float32 numbers of
// the source give float32 results, all others float64. Points that do not exist have what stood there in the source, no rows in a long
// .csv, and the fill value in NetCDF. Errors: [*Error], and those of w.
func (s *Set) Write(w io.Writer, path string, r *Filled) error {
	if s.store != nil && isKind(path, s.store.endings()) {
		return s.store.write(&errorWriter{Writer: w}, s, r)
	}
	switch {
	case isKind(path, []string{".npy"}):
		return s.writeArray(w, s.whole(r.Mean))
	case isKind(path, npzEndings):
		return s.writeNPZ(w, r)
	case isKind(path, netcdfEndings):
		return s.writeNetCDF(w, r)
	case (s.Table || s.wide) && isCSV(path):
		return s.writeTable(w, s.whole(r.Mean))
	case isCSV(path):
		return s.writeLong(w, r)
	}
	return s.CheckOutput(path)
}

// WriteVariance writes the variances alone, as [Set.Write] does of a source that is no file of several arrays.
func (s *Set) WriteVariance(w io.Writer, path string, r *Filled) error {
	v := r.Variance
	plain := *s
	plain.store, plain.original = nil, nil
	plain.Values = make([]float64, len(v))
	for i := range plain.Values {
		plain.Values[i] = math.NaN()
	}
	switch {
	case isKind(path, []string{".npy"}):
		return plain.writeArray(w, plain.whole(v))
	case (s.Table || s.wide) && isCSV(path):
		return plain.writeTable(w, plain.whole(v))
	case isCSV(path):
		return plain.writeLong(w, &Filled{Mean: v})
	case isKind(path, npzEndings):
		return plain.writeNPZ(w, &Filled{Mean: v})
	case isKind(path, netcdfEndings):
		return plain.writeNetCDF(w, &Filled{Mean: v})
	}
	return s.CheckOutput(path)
}

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

// exampleName is what examples are called.
func (s *Set) exampleName() string {
	name := strings.ToLower(s.examples)
	if name == "" || slices.Contains(s.coordinateNames(), name) {
		return "example"
	}
	return name
}
