package dataset

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/table"
)

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

// SetEndings are the endings of the names of results that hold several arrays.
var SetEndings = append(slices.Clone(npzEndings), netcdfEndings...)

// wantResult are the endings of the names of results.
const wantResult = "a name that ends in .npy, .csv, .tsv or .txt, or in .nc or .npz where the data are such a file"

// CheckOutput says whether results can be written under a name, before any work: the ending must be known, and names in the file that
// is to be completed must be free. Errors: [*Error].
func (s *Set) CheckOutput(path string) error {
	switch {
	case s.store != nil && isKind(path, s.store.endings()):
		return s.store.check()
	case isKind(path, []string{".npy"}) || isKind(path, TableEndings):
		return nil
	}
	return &Error{Path: path, Found: "the ending " + quote.Text(filepath.Ext(path)), Want: wantResult}
}

// WriteVariance writes the variances alone, as [Set.Write] does the means, but into no file of several arrays.
func (s *Set) WriteVariance(w io.Writer, path string, r *Filled) error {
	v := r.Variance
	plain := *s
	plain.original = nil
	plain.Values = make([]float64, len(v))
	for i := range plain.Values {
		plain.Values[i] = math.NaN()
	}
	switch {
	case isKind(path, []string{".npy"}):
		return plain.writeArray(w, plain.whole(v))
	case isKind(path, TableEndings) && s.isTableOf(v):
		return s.text.write(w, v, table.Result{Exact: true})
	case isKind(path, TableEndings) && s.Table:
		return plain.writeTable(w, path, plain.whole(v))
	case isKind(path, TableEndings):
		return plain.writeLong(w, path, &Filled{Mean: v})
	}
	return s.CheckOutput(path)
}

// ResultNames returns by which names a file that Write makes of one with several arrays has the means and the standard errors; empty ones elsewhere.
func (s *Set) ResultNames(path string) (means, deviations string) {
	if s.store == nil || !isKind(path, s.store.endings()) {
		return "", ""
	}
	names := s.store.names()
	return names[0], names[1]
}

// Write writes the completed set in the form that the ending of a name asks for:
//
//	.npy   the means, an array of the source's shape
//	.npz   all members of a source that is one, and NAME_filled and NAME_standard_error
//	.nc    all of a source that is a NetCDF file, and the variables NAME_filled and NAME_standard_error
//	.csv   and other tables of text: the table that is the source, in which gaps are numbers of as many digits as others of their column have, and all
//	       else is as it was (WriteErrors writes the standard errors); of others a row for each value: example, coordinates, value and standard error
//
// Float32 numbers of the source give float32 results, all others float64. Points that do not exist have what stood there in the source, and no rows in a long
// .csv. Errors: [*Error], and those of w.
func (s *Set) Write(w io.Writer, path string, r *Filled) error {
	if s.store != nil && isKind(path, s.store.endings()) {
		return s.store.write(&errorWriter{Writer: w}, s, r)
	}
	switch {
	case isKind(path, []string{".npy"}):
		return s.writeArray(w, s.whole(r.Mean))
	case isKind(path, TableEndings) && s.isTableOf(r.Mean):
		return s.text.write(w, r.Mean, table.Result{})
	case isKind(path, TableEndings) && s.Table:
		return s.writeTable(w, path, s.whole(r.Mean))
	case isKind(path, TableEndings):
		return s.writeLong(w, path, r)
	}
	return s.CheckOutput(path)
}
