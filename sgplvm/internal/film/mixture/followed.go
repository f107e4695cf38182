package mixture

import (
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/motion"
)

// A Followed frame is what the training frames around a time show of one that was seen in part, in the units of the frames (docs/math.md, 19.6). What was seen and what was filled in tell where its contents
// are in those: the dense flow from it to them leads there, and they show what was not seen.
type Followed struct {
	mean  frame.Image[float64]
	apart frame.Image[float64] // of each value, the squared difference between what both frames show; 0 where there is one
}

// Follow follows the contents of a whole frame, in pixels of training and the units of the frames, at a moment to the training frames around it. A training frame counts by its nearness in time and by how far the flows there and back agree.
func Follow(f *motion.Frames, x motion.Moment, whole frame.Image[float64]) Followed {
	w, h, n := f.Width, f.Height, f.Channels
	picture := frame.NewImage[float32](w, h, n)
	for k, v := range whole.Data {
		picture.Data[k] = float32((v - f.Least) / f.Step)
	}
	around := x.Neighbours()
	paths, shown := make([]*dense, len(around)), make([]motion.SharpPicture, len(around))
	for k, a := range around {
		other := f.Picture(x.Shot.Examples[a.Place])
		flows := motion.FlowsBetween(picture, other)
		shown[k] = motion.SharpPicture{Image: other, Finer: 1}
		shown[k].ToSpline()
		paths[k] = newDense(0, motion.SharpPicture{}, shown[k], flows, [2]*bend{})
	}
	to := Followed{frame.NewImage[float64](w, h, n), frame.NewImage[float64](w, h, n)}
	mat.Parallel(h, func(row int) {
		values := make([]float64, n*len(around))
		for column := range w {
			pixel := row*w + column
			mean, apart := to.mean.Data[pixel*n:(pixel+1)*n], to.apart.Data[pixel*n:(pixel+1)*n]
			var all float64
			for k, a := range around {
				value := values[k*n : (k+1)*n]
				from, _ := paths[k].paths(float64(column), float64(row))
				shown[k].At(value, from.bx, from.by)
				weight := weightOf(from, a.Weight)
				all += weight
				for c, v := range value {
					value[c] = f.Least + f.Step*v
					mean[c] += weight * value[c]
				}
			}
			for c := range mean {
				mean[c] /= all
				if len(around) == 2 {
					apart[c] = frame.Square(values[c] - values[n+c])
				}
			}
		}
	})
	return to
}

// followedAreas is into how many areas a frame is divided each way, as errors in one hole are no more than one example. As many values of each channel must be known as there are areas.
const followedAreas = 8

// An area has sums over its values: of the squares by which both frames are apart, and of these differences times the truth's.
type area struct{ apart, right float64 }

func (a area) plus(b area, times float64) area {
	return area{a.apart + times*b.apart, a.right + times*b.right}
}

// partOf returns the regression of the truth on what both frames are apart, less one standard error by the jackknife over areas, from 0 to 1.
func partOf(areas []area) float64 {
	n := float64(len(areas))
	if n < 2 {
		return 0
	}
	var all area
	for _, a := range areas {
		all = all.plus(a, 1)
	}
	var mean, squares float64
	for _, a := range areas {
		rest := all.plus(a, -1)
		p := rest.right/rest.apart - all.right/all.apart
		mean += p / n
		squares += p * p / n
	}
	part := all.right/all.apart - math.Sqrt(max((n-1)*(squares-mean*mean), 0))
	if !(part > 0) {
		return 0
	}
	return min(part, 1)
}

// A FollowedLaw is how much a followed frame counts beside what was filled in without it, and how unsure that is: of each channel in proportion to the variance of what was filled in, to how far both are
// apart, to how far the frames that are followed to are apart, and everywhere alike.
type FollowedLaw struct {
	part float64
	laws []varianceLaw
}

// LearnFollowed returns the law under which squared errors are least, less one standard error over areas of the frame, and then likeliest at known values: filled in as the frame says, and followed. truth is n_s×d_y, in the
// units of the frames, NaN where values do not count. Nothing is known of few values, and where what was filled in is better.
func LearnFollowed(truth mat.Matrix, filled frame.Frame, followed Followed) (l FollowedLaw, known bool) {
	rows, squares := make([][]varianceLaw, truth.Cols), make([][]float64, truth.Cols)
	areas := make([]area, followedAreas*followedAreas)
	for k, v := range truth.Data {
		if v != v {
			continue
		}
		pixel, d := k/truth.Cols, followed.mean.Data[k]-filled.Mean.Data[k]
		a := &areas[pixel/filled.Width*followedAreas/filled.Height*followedAreas+pixel%filled.Width*followedAreas/filled.Width]
		*a = a.plus(area{d * d, d * (v - filled.Mean.Data[k])}, 1)
	}
	l.part = partOf(slices.DeleteFunc(areas, func(a area) bool { return !(a.apart > 0) }))
	if l.part == 0 {
		return l, false
	}
	for k, v := range truth.Data {
		if v == v {
			c := k % truth.Cols
			rows[c] = append(rows[c], followed.parts(filled, k))
			squares[c] = append(squares[c], frame.Square(v-l.mean(filled, followed, k)))
		}
	}
	l.laws = make([]varianceLaw, truth.Cols)
	for c := range l.laws {
		if len(rows[c]) < followedAreas*followedAreas {
			return FollowedLaw{}, false
		}
		l.laws[c] = fitVariances(rows[c], squares[c])
	}
	return l, true
}

// parts returns what the numbers of a law multiply, of value k.
func (f Followed) parts(filled frame.Frame, k int) varianceLaw {
	return varianceLaw{filled.Variance.Data[k], 1, f.apart.Data[k], frame.Square(f.mean.Data[k] - filled.Mean.Data[k])}
}

func (l *FollowedLaw) mean(filled frame.Frame, followed Followed, k int) float64 {
	return filled.Mean.Data[k] + l.part*(followed.mean.Data[k]-filled.Mean.Data[k])
}

// Apply changes those values of a frame that were not seen, NaN in seen, which is n_s×d_y.
func (l *FollowedLaw) Apply(filled frame.Frame, followed Followed, seen mat.Matrix) {
	for k, v := range seen.Data {
		if math.IsNaN(v) {
			law := &l.laws[k%len(l.laws)]
			mean, variance := l.mean(filled, followed, k), law.variance(followed.parts(filled, k))
			filled.Mean.Data[k], filled.Variance.Data[k] = mean, variance
		}
	}
}
