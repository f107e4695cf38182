package baseline

import (
	"context"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/internal/opticalflow"
	"github.com/seed-08962ecc/kronfield/mat"
)

// flowing predicts a frame from those before and after it, each warped along the dense optical flow between them: the frame
// w of the way from a to b is (1 − w)·a(x − w·f_ab(x)) + w·b(x − (1 − w)·f_ba(x)).
type flowing struct {
	film   *standardised
	line   *line     // weights, and variances up to a factor
	scale  []float64 // of the variance of each pixel, by planes
	detail []float64 // mean square of what one octave of finer resolution adds
}

// maxFlowFrames is about how many frames are left out to measure the errors, and flowShrinkage how many squares of the
// mean size each pixel's are added to.
const maxFlowFrames, flowShrinkage = 32, 4

// fitFlow measures the errors of some frames that are left out.
func fitFlow(ctx context.Context, f *standardised, o FilmOptions) (*flowing, []Parameter, error) {
	n := f.y.Rows
	m := &flowing{film: f, scale: make([]float64, f.y.Cols)}
	left := make([]int, min(n, maxFlowFrames))
	squares := mat.New(len(left), f.y.Cols)
	for k := range left {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		left[k] = k * n / len(left)
		m.line = &line{f.times, spacing(f.times), 0}
		row := squares.Row(k)
		m.frame(row, f.times[left[k]], left[k])
		for j, v := range f.y.Row(left[k]) {
			row[j] = square(row[j] - v)
		}
		o.Progress("frames left out", k+1, len(left))
	}
	best := math.Inf(1)
	for _, s := range interpolations(f.times) {
		l := s.(*line)
		if score := m.score(l, left, squares); score < best {
			best, m.line = score, l
		}
	}
	m.fitScale(left, squares)
	detail, err := f.lostDetail(ctx, lanczos, o)
	m.detail = detail
	return m, m.line.parameters(), err
}

// score returns −2/n times the log density of frames left out but for a constant.
func (m *flowing) score(l *line, left []int, squares mat.Matrix) float64 {
	var logs, factor float64
	w, per := make([]float64, len(l.times)), 1/float64(len(left))
	for k, i := range left {
		v := l.without(w, l.times[i], i)
		var mean float64
		for _, q := range squares.Row(k) {
			mean += q / float64(squares.Cols)
		}
		logs += per * math.Log(v)
		factor += per * mean / v
	}
	return logs + math.Log(max(factor, minVariance))
}

// fitScale finds the scale of each pixel.
func (m *flowing) fitScale(left []int, squares mat.Matrix) {
	w, points := make([]float64, len(m.line.times)), m.film.points()
	level := make([]float64, m.film.channels)
	for k, i := range left {
		v := m.line.without(w, m.line.times[i], i)
		for j, q := range squares.Row(k) {
			m.scale[j] += q / v
			level[j/points] += q / v / float64(len(left)*points)
		}
	}
	for j, total := range m.scale {
		m.scale[j] = max(shrunk(total, len(left), level[j/points], flowShrinkage), minVariance)
	}
}

// frame sets dst to the planes of a frame at a time, without using one frame (−1: all), and returns its variance up to the
// pixels' scale.
func (m *flowing) frame(dst []float64, t float64, without int) (variance float64) {
	f, w := m.film, make([]float64, len(m.line.times))
	variance = m.line.without(w, t, without)
	var around []int
	for i, v := range w {
		if v > 0 {
			around = append(around, i)
		}
	}
	slices.SortFunc(around, func(i, j int) int {
		if f.times[i] < f.times[j] {
			return -1
		}
		return 1
	})
	if len(around) == 1 {
		copy(dst, f.y.Row(around[0]))
		return variance
	}
	a, b := f.luminance(around[0]), f.luminance(around[1])
	there, back := opticalflow.Between(a, b)
	flows := [2]opticalflow.Flow{there, back}
	clear(dst)
	for k, i := range around {
		f.addWarped(dst, i, flows[k], w[i], 1-w[i])
	}
	return variance
}

// luminance returns a frame's mean of channels.
func (f *standardised) luminance(i int) opticalflow.Picture {
	points := f.points()
	p := opticalflow.Picture{Width: f.width, Height: f.height, Pixels: make([]float32, points)}
	for j, v := range f.y.Row(i) {
		p.Pixels[j%points] += float32(v / float64(f.channels))
	}
	return p
}

// addWarped adds weight·y(x − part·flow(x)) of a frame y, bicubically.
func (f *standardised) addWarped(dst []float64, i int, flow opticalflow.Flow, weight, part float64) {
	points := f.points()
	mat.Parallel(f.height, func(y int) {
		for x := range f.width {
			k := y*f.width + x
			sx, sy := float64(x)-float64(part*float64(flow.Right[k])), float64(y)-float64(part*float64(flow.Down[k]))
			sx, sy = min(max(sx, 0), float64(f.width-1)), min(max(sy, 0), float64(f.height-1))
			columns, rows := math.Floor(sx), math.Floor(sy)
			wx, wy := cubicWeights(sx-columns), cubicWeights(sy-rows)
			for c := range f.channels {
				plane := f.y.Row(i)[c*points : (c+1)*points]
				var sum float64
				for q, v := range wy {
					row := plane[min(max(int(rows)-1+q, 0), f.height-1)*f.width:][:f.width]
					var line float64
					for p, u := range wx {
						line += float64(u * row[min(max(int(columns)-1+p, 0), f.width-1)])
					}
					sum += float64(v * line)
				}
				dst[c*points+k] += float64(weight * sum)
			}
		}
	})
}

// predict enlarges by Lanczos what the flows give, with variances as those of interpolation.
func (m *flowing) predict(ctx context.Context, times []float64, height, width, rows int, body func(from, to int, mean, variance []float64) error) error {
	f := m.film
	v := make([]float64, len(times))
	coarse := mat.New(len(times), f.y.Cols)
	for i, t := range times {
		if err := ctx.Err(); err != nil {
			return err
		}
		v[i] = m.frame(coarse.Row(i), t, -1)
	}
	e := enlarging{f, lanczos, v, m.scale, m.detail}
	return e.predict(ctx, coarse, height, width, rows, body)
}
