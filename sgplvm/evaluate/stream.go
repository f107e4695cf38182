package evaluate

import (
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Stream scores one picture that arrives in parts, such as slabs of rows of a film's
// frame. It keeps 8 bytes for each value scored, from which the median is exact.
// The zero value is ready; a Stream serves one goroutine at a time.
type Stream struct {
	squares, errs, logs float64
	nlp                 []float64
	inside              [len(Levels)]int
	reaches             [len(Levels)]float64
	points              int // of all parts so far
}

// Add scores the next points of the picture: matrices as in [Score], with as many
// rows as there are points in the part. The sums run over the values in the order in
// which they arrive, so that the scores do not depend, to the last bit, on where a
// picture is cut. seen may be the zero Matrix where nothing was. Errors:
// those of Score, with points counted from the first part on; the parts before it
// stay scored. It panics if the shapes differ.
func (s *Stream) Add(truth, seen, mean, variance mat.Matrix) error {
	unseen := seen.Rows == 0 && seen.Cols == 0
	for _, m := range []mat.Matrix{seen, mean, variance} {
		if (m.Rows != truth.Rows || m.Cols != truth.Cols) && !(unseen && m.Rows == 0 && m.Cols == 0) {
			panic(fmt.Sprintf("evaluate: Score: shapes %d×%d and %d×%d differ", truth.Rows, truth.Cols, m.Rows, m.Cols))
		}
	}
	if s.reaches[0] == 0 {
		for k, p := range Levels {
			s.reaches[k] = reach(p)
		}
	}
	for i := range truth.Rows {
		for j := range truth.Cols {
			y := truth.At(i, j)
			if math.IsNaN(y) || !unseen && !math.IsNaN(seen.At(i, j)) {
				continue
			}
			m, v := mean.At(i, j), variance.At(i, j)
			refuse := func(name string, found float64, want string) error {
				return fmt.Errorf("evaluate: %s at point %d, channel %d: found %v, expected %s", name, s.points+i, j, found, want)
			}
			switch {
			case math.IsInf(y, 0):
				return refuse("truth", y, "a finite number")
			case m-m != 0:
				return refuse("mean", m, "a finite number")
			case !(v > 0) || math.IsInf(v, 0):
				return refuse("variance", v, "a positive number")
			}
			d := math.Abs(y - m)
			s.squares += d * d
			s.errs += d
			l := negativeLogDensity(y, m, v)
			s.nlp = append(s.nlp, l)
			s.logs += l
			deviation := math.Sqrt(v)
			for k, z := range s.reaches {
				if d <= z*deviation {
					s.inside[k]++
				}
			}
		}
	}
	s.points += truth.Rows
	return nil
}

// Scores returns the scores of all parts added since Reset.
func (s *Stream) Scores() Scores {
	n := float64(len(s.nlp))
	r := Scores{Count: len(s.nlp), RMSE: math.Sqrt(s.squares / n), MAE: s.errs / n, MNLP: quantile(s.nlp, 0.5), NLP: s.logs / n}
	for k := range Levels {
		r.Coverage[k] = float64(s.inside[k]) / n
	}
	return r
}

// Reset begins another picture in the storage of the last one.
func (s *Stream) Reset() { *s = Stream{nlp: s.nlp[:0], reaches: s.reaches} }

// quantile is quantileOf, but it reorders the values and expects no NaN unless there is
// nothing else.
func quantile(values []float64, p float64) float64 {
	n := len(values)
	if n == 0 {
		return math.NaN()
	}
	position := p * float64(n-1)
	below := int(math.Floor(position))
	selectSmallest(values, below)
	low := values[below]
	t := position - float64(below)
	if !(t > 0) {
		return low
	}
	high := math.Inf(1)
	for _, v := range values[below+1:] {
		high = min(high, v)
	}
	return (1-t)*low + t*high
}

// selectSmallest reorders values so that values[k] is what it is in ascending order, with
// nothing larger before and nothing smaller behind it (C. A. R. Hoare, Algorithm 65:
// Find, Communications of the ACM 4(7), 1961).
func selectSmallest(values []float64, k int) {
	for low, high := 0, len(values)-1; low < high; {
		// The middle one of three is the pivot: sorted values take linear time.
		a, b, c := values[low], values[low+(high-low)/2], values[high]
		pivot := max(min(a, b), min(max(a, b), c))
		i, j := low, high
		for i <= j {
			for values[i] < pivot {
				i++
			}
			for values[j] > pivot {
				j--
			}
			if i <= j {
				values[i], values[j] = values[j], values[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case k <= j:
			high = j
		case k >= i:
			low = i
		default:
			return
		}
	}
}
