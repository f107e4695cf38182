package completion

import (
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
)

const (
	minPeriod      = 4   // steps
	periodStrength = 0.3 // the least rise of the autocorrelation at a period above its least value at smaller lags, as a share of the possible
	periodLonger   = 0.1 // by how much more a longer period must correlate
)

// A Folding makes examples of a series: row k of the series is step Place[k], and an example has Steps steps.
type Folding struct {
	Steps int
	Place []int

	Source field.Source // of the examples
	Grid   field.Grid   // of the steps of a period and of the points
	Times  []float64    // when each example begins
}

// String says it in a sentence for the user.
func (f *Folding) String() string {
	return fmt.Sprintf("the series repeats itself every %d steps: each period is an example of the model", f.Steps)
}

// Unfold returns the rows of the series, n examples of so many points and channels, from folded examples, one in a row of src.
func (f *Folding) Unfold(src mat.Matrix, n, points, channels int) mat.Matrix {
	dst, size := mat.New(n*points, channels), points*channels
	for i, at := range f.Place {
		copy(dst.Data[i*size:], src.Row(at / f.Steps)[at%f.Steps*size:][:size])
	}
	return dst
}

// regular returns the number of steps from the first time to each, and the first time and the step; nil if times are not regular.
func regular(times []float64) (place []int, first, step float64) {
	sorted := slices.Sorted(slices.Values(times))
	var gaps []float64
	for i, t := range sorted[1:] {
		gaps = append(gaps, t-sorted[i])
	}
	slices.Sort(gaps)
	if step = gaps[len(gaps)/2]; !(step > 0) || gaps[0] < 0.5*step {
		return nil, 0, 0
	}
	first = sorted[0]
	if (sorted[len(sorted)-1]-first)/step > 2*float64(len(times)) {
		return nil, 0, 0
	}
	for _, t := range times {
		k := math.Round((t - first) / step)
		if math.Abs((t-first)/step-k) > 0.1 {
			return nil, 0, 0
		}
		place = append(place, int(k))
	}
	return place, first, step
}

// findPeriod returns the period of columns in steps, at most limit, 0 if they show none. It is the shortest lag at which their mean
// autocorrelation has a maximum well above its minimum at smaller lags, and at twice the lag too. A longer lag must correlate clearly more
// (docs/math.md, 22.12).
func findPeriod(y mat.Matrix, limit int) int {
	if limit < minPeriod {
		return 0
	}
	r := autocorrelations(y, min(2*limit+1, y.Rows/2))
	least, best, period := 1., 0., 0
	for lag := 1; lag <= limit && lag+1 < len(r); lag++ {
		strength := (r[lag] - least) / (1 - least)
		peak := r[lag] > r[lag-1] && r[lag] >= r[lag+1]
		if peak && lag >= minPeriod && strength > periodStrength && 2*lag < len(r) && (r[2*lag]-least)/(1-least) > periodStrength && r[lag] > best+periodLonger {
			best, period = r[lag], lag
		}
		least = min(least, r[lag])
	}
	return period
}

// autocorrelations returns the mean autocorrelation of columns at lags from 0 on, from pairs of observed values.
func autocorrelations(y mat.Matrix, lags int) []float64 {
	n, p := y.Rows, y.Cols
	columns := mat.New(p, n) // of deviation 1, 0 where missing
	seen := mat.New(p, n)
	used := 0.
	for c := range p {
		mean, squares, count := 0., 0., 0.
		for i := range n {
			if v := y.At(i, c); v == v {
				count++
				delta := v - mean
				mean += delta / count
				squares += delta * (v - mean)
			}
		}
		if !(squares > 0) {
			continue
		}
		used++
		for i := range n {
			if v := y.At(i, c); v == v {
				columns.Set(c, i, (v-mean)/math.Sqrt(squares/count))
				seen.Set(c, i, 1)
			}
		}
	}
	r := make([]float64, lags)
	mat.Parallel(lags, func(lag int) {
		for c := range p {
			a, b := columns.Row(c), seen.Row(c)
			if pairs := asm.Dot(b[:n-lag], b[lag:]); pairs > 0 {
				r[lag] += asm.Dot(a[:n-lag], a[lag:]) / pairs / used
			}
		}
	})
	return r
}
