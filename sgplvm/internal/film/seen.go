package film

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// Missing pixels are predicted in groups of neighbours, each given the seen pixels nearest to its centre.
const groupPixels, nearPixels = 64, 256

// A seenFrame is a predicted frame, and what was seen of the frame.
type seenFrame struct {
	law          *errorLaw
	lags         *lags // of the law in the frame, from when they are needed
	frame        frame.Frame
	values       mat.Matrix // NaN where nothing was seen
	unitX, unitY float64    // pixels of training in a pixel
}

// keep puts what was seen in its place, with variance 0, and multiplies other variances.
func (s *seenFrame) keep(dst frame.Frame, inflation float64) {
	for i := range s.values.Rows {
		for c := range s.values.Cols {
			if v := s.values.At(i, c); v == v {
				dst.Mean.Set(i, c, v)
				dst.Variance.Set(i, c, 0)
			} else {
				dst.Variance.Set(i, c, inflation*dst.Variance.At(i, c))
			}
		}
	}
}

// fill sets the missing pixels of dst to their distribution given those seen, channels that miss the same ones
// together, and says how.
func (s *seenFrame) fill(ctx context.Context, dst frame.Frame) (how string, err error) {
	how = "none"
	byMissing := map[int][]int{} // channels by the first that misses the same pixels
	var firsts []int
	for c := range s.values.Cols {
		first := slices.IndexFunc(firsts, func(d int) bool { return s.alike(c, d) })
		if first < 0 {
			first, firsts = len(firsts), append(firsts, c)
		}
		byMissing[firsts[first]] = append(byMissing[firsts[first]], c)
	}
	for _, c := range firsts {
		var missing []int
		for i := range s.values.Rows {
			if math.IsNaN(s.values.At(i, c)) {
				missing = append(missing, i)
			}
		}
		seen := s.values.Rows - len(missing)
		if seen == 0 || len(missing) == 0 {
			continue
		}
		how = "film"
		if s.lags == nil {
			s.lags = s.law.lags(s.frame.Width, s.frame.Height, s.unitX, s.unitY)
		}
		groups := s.groups(missing)
		failures := make([]error, len(groups))
		mat.Parallel(len(groups), func(g int) {
			if failures[g] = ctx.Err(); failures[g] == nil {
				failures[g] = s.condition(dst, byMissing[c], groups[g], s.near(groups[g], c, seen))
			}
		})
		if err := cmp.Or(failures...); err != nil {
			return how, err
		}
	}
	return how, nil
}

// alike reports whether two channels miss the same pixels.
func (s *seenFrame) alike(c, d int) bool {
	for i := range s.values.Rows {
		if math.IsNaN(s.values.At(i, c)) != math.IsNaN(s.values.At(i, d)) {
			return false
		}
	}
	return true
}

// groups divides pixels into groups of neighbours by halving along the longer side, again and again.
func (s *seenFrame) groups(pixels []int) [][]int {
	if len(pixels) <= groupPixels {
		return [][]int{pixels}
	}
	w := s.frame.Width
	left, right, top, bottom := w, 0, s.frame.Height, 0
	for _, i := range pixels {
		left, right, top, bottom = min(left, i%w), max(right, i%w), min(top, i/w), max(bottom, i/w)
	}
	pixels = slices.Clone(pixels)
	slices.SortFunc(pixels, func(i, j int) int {
		if right-left > bottom-top {
			return cmp.Or(cmp.Compare(i%w, j%w), cmp.Compare(i, j))
		}
		return cmp.Compare(i, j)
	})
	h := len(pixels) / 2
	return append(s.groups(pixels[:h]), s.groups(pixels[h:])...)
}

// near returns the pixels seen in channel c, of which there are seen, that are nearest to a group's centre. It looks
// in ever larger squares.
func (s *seenFrame) near(group []int, c, seen int) []int {
	w, h := s.frame.Width, s.frame.Height
	var x, y float64
	for _, i := range group {
		x += float64(i%w) / float64(len(group))
		y += float64(i/w) / float64(len(group))
	}
	want := min(nearPixels, seen)
	for side := 8.; ; side *= 1.5 {
		var all, order []int
		var distances []float64 // squared
		inside := 0             // a circle in the square
		for row := max(0, int(y-side)); row <= min(h-1, int(y+side)); row++ {
			for column := max(0, int(x-side)); column <= min(w-1, int(x+side)); column++ {
				if i := row*w + column; !math.IsNaN(s.values.At(i, c)) {
					d := square(float64(column)-x) + square(float64(row)-y)
					all, order, distances = append(all, i), append(order, len(order)), append(distances, d)
					if d < square(side-1) {
						inside++
					}
				}
			}
		}
		if inside < want && len(all) < seen {
			continue
		}
		near := work.Least(order, distances, make([]float64, len(all)), want)
		for k, i := range near {
			near[k] = all[i]
		}
		return near
	}
}

// condition predicts some missing pixels in some channels given seen ones: Gaussian, with variances that are
// larger or smaller as the seen errors are, near these (Student, section "Variances that follow the example" of
// docs/math.md, with the mean of the channels' distances).
func (s *seenFrame) condition(dst frame.Frame, channels, missing, seen []int) error {
	n := len(seen)
	room := mat.Borrow(3 * n * n)
	defer mat.GiveBack(room)
	matrix := func(k int) mat.Matrix { return mat.NewDense(n, n, (*room)[k*n*n:(k+1)*n*n]) }
	between, plain, shifted, root := matrix(0), matrix(1), matrix(2), new(chol.Factor)
	s.lags.distances(plain, shifted, s.sites(seen, channels[0]))
	gains, residuals := make([]mat.Matrix, len(channels)), make([]mat.Matrix, len(channels))
	var chi float64
	for k, c := range channels {
		at := s.sites(seen, c)
		s.law.among(between, plain, shifted, at)
		if err := root.Refactorize(between); err != nil {
			return err
		}
		gain, residual := mat.New(n, len(missing)), mat.New(n, 1)
		s.lags.correlations(gain, at, s.sites(missing, c))
		for j, i := range seen {
			residual.Data[j] = (s.values.At(i, c) - s.frame.Mean.At(i, c)) / math.Sqrt(s.frame.Variance.At(i, c))
		}
		root.SolveHalf(gain)
		root.SolveHalf(residual)
		chi += mat.Dot(residual, residual) / float64(len(channels))
		gains[k], residuals[k] = gain, residual
	}
	nu := s.law.Freedom - 2
	scale := (nu + chi) / (nu + float64(n))
	wider := make([]float64, len(missing))
	for j, i := range missing {
		wider[j] = 1 + math.Exp(-s.distance(i, seen)/s.law.Far)*(scale-1)
	}
	for k, c := range channels {
		shift, explained := mat.New(len(missing), 1), work.ColumnSquares(gains[k])
		mat.Mul(shift, 1, gains[k].T(), residuals[k], 0)
		for j, i := range missing {
			v := s.frame.Variance.At(i, c)
			dst.Mean.Set(i, c, s.frame.Mean.At(i, c)+math.Sqrt(v)*shift.Data[j])
			dst.Variance.Set(i, c, v*wider[j]*max(1e-6, 1-explained[j]))
		}
	}
	return nil
}

// distance is that of a pixel to the nearest of others, in pixels of training.
func (s *seenFrame) distance(pixel int, others []int) float64 {
	least, w := math.Inf(1), s.frame.Width
	for _, i := range others {
		least = min(least, square(float64(i%w-pixel%w)*s.unitX)+square(float64(i/w-pixel/w)*s.unitY))
	}
	return math.Sqrt(least)
}

// sites returns where some pixels are and how steep the mean is there in channel c.
func (s *seenFrame) sites(pixels []int, c int) []site {
	all := make([]site, len(pixels))
	for k, i := range pixels {
		x, y := i%s.frame.Width, i/s.frame.Width
		dx, dy := slopes(s.frame, x, y, c)
		deviation := math.Sqrt(s.frame.Variance.At(i, c))
		all[k] = site{x, y, dx / deviation / s.unitX, dy / deviation / s.unitY}
	}
	return all
}

func square(x float64) float64 { return x * x }
