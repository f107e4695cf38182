package baseline

import (
	"context"
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
)

// smoothed is a smoother with the variances of the pixels.
type smoothed struct {
	film     *standardised
	smoother smoother
	scale    []float64 // of the variance of each pixel, by planes; d_y·n_s
	detail   []float64 // mean square of what one octave of finer resolution adds, d_y·n_s
}

// fitSmoother selects the candidate under which frames left out are likeliest, with one
// factor for all variances that takes its best value. Each pixel has a factor of its
// own, the mean of its squared residuals over their variances, shrunk towards that of the
// whole channel as by ν residuals more; ν is selected by leaving out residuals.
func fitSmoother(ctx context.Context, f *standardised, candidates []smoother, o FilmOptions) (*smoothed, []Parameter, error) {
	n, p := f.y.Rows, f.y.Cols
	gram := mat.New(n, n)
	mat.Syrk(gram, 1/float64(p), f.y, 0)
	mat.MirrorLower(gram)
	scores := make([]float64, len(candidates))
	failures := make([]error, len(candidates))
	mat.Parallel(len(candidates), func(i int) {
		if ctx.Err() == nil {
			scores[i], failures[i] = leftOut(candidates[i], gram)
		}
	})
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	best := -1
	for i, s := range scores {
		if failures[i] == nil && (best < 0 || s < scores[best]) {
			best = i
		}
	}
	if best < 0 {
		return nil, nil, failures[0]
	}
	m := &smoothed{film: f, smoother: candidates[best]}
	if err := m.smoother.prepare(); err != nil {
		return nil, nil, err
	}
	residual, v, err := m.smoother.leaveOneOut()
	if err != nil {
		return nil, nil, err
	}
	for i := range v {
		asm.Scale(residual.Row(i), 1/math.Sqrt(v[i]), residual.Row(i))
	}
	shrinkage, err := m.fitScale(ctx, residual, o)
	if err != nil {
		return nil, nil, err
	}
	if err := m.fitDetail(ctx, o); err != nil {
		return nil, nil, err
	}
	return m, append(m.smoother.parameters(), Parameter{"shrinkage of variances", shrinkage}), nil
}

// leftOut returns −2/n times the log density of frames left out but for a constant; gram
// is the mean over all values of a frame of yyᵀ.
func leftOut(s smoother, gram mat.Matrix) (float64, error) {
	p, v, err := s.leaveOneOut()
	if err != nil {
		return 0, err
	}
	n := len(v)
	squares := mat.New(n, n)
	mat.Mul(squares, 1, p, gram, 0)
	var logs, factor float64
	for i := range v {
		logs += math.Log(v[i]) / float64(n)
		factor += asm.Dot(squares.Row(i), p.Row(i)) / v[i] / float64(n)
	}
	return logs + math.Log(max(factor, minVariance)), nil
}

const (
	// minVariance is that of a prediction in units of the variance of a channel.
	minVariance = 1e-12

	// smootherBlock is how many pixels are treated at a time, and one block in
	// scaleSample is looked at for the shrinkage, at least.
	smootherBlock = 4096
	scaleSample   = 16
)

// shrinkages are the candidates for ν.
var shrinkages = []float64{0.5, 1, 2, 4, 8, 16, 32, 64, math.Inf(1)}

// fitScale finds the scale of each pixel from standardised residuals of leaving out, which
// are a matrix times the frames.
func (m *smoothed) fitScale(ctx context.Context, residual mat.Matrix, o FilmOptions) (float64, error) {
	f := m.film
	n, points := f.y.Rows, f.points()
	m.scale = make([]float64, f.y.Cols)
	blocks := (points + smootherBlock - 1) / smootherBlock
	each := func(c, b int, body func(from int, squares mat.Matrix)) {
		from := c*points + b*smootherBlock
		to := min(from+smootherBlock, (c+1)*points)
		buffer := mat.Borrow(n * (to - from))
		squares := mat.NewDense(n, to-from, (*buffer)[:n*(to-from)])
		mat.Mul(squares, 1, residual, f.y.Slice(0, n, from, to), 0)
		mat.MulElem(squares, squares, squares)
		body(from, squares)
		mat.GiveBack(buffer)
	}
	level := make([]float64, f.channels) // the mean of all squares of a channel
	for c := range f.channels {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		mat.Parallel(blocks, func(b int) {
			each(c, b, func(from int, squares mat.Matrix) {
				for i := range n {
					asm.Axpy(1, squares.Row(i), m.scale[from:from+squares.Cols])
				}
			})
		})
		for _, s := range m.scale[c*points : (c+1)*points] {
			level[c] += s / float64(n*points)
		}
		level[c] = max(level[c], minVariance)
		o.Progress("variances of pixels", c+1, 2*f.channels)
	}
	step := max(1, blocks/scaleSample)
	sampled := (blocks + step - 1) / step
	scores := mat.New(f.channels*sampled, len(shrinkages))
	mat.Parallel(scores.Rows, func(part int) {
		c := part / sampled
		each(c, part%sampled*step, func(from int, squares mat.Matrix) {
			for i := range n {
				for j, q := range squares.Row(i) {
					total := m.scale[from+j]
					for k, nu := range shrinkages {
						v := shrunk(total-q, n-1, level[c], nu)
						scores.Row(part)[k] += math.Log(v) + q/v
					}
				}
			}
		})
	})
	best, lowest := 0, math.Inf(1)
	for k := range shrinkages {
		var sum float64
		for part := range scores.Rows {
			sum += scores.At(part, k)
		}
		if sum < lowest {
			best, lowest = k, sum
		}
	}
	for j, total := range m.scale {
		m.scale[j] = shrunk(total, n, level[j/points], shrinkages[best])
	}
	return shrinkages[best], ctx.Err()
}

// shrunk returns the mean of n squares of a sum and of ν more that are level each.
func shrunk(sum float64, n int, level, nu float64) float64 {
	if math.IsInf(nu, 1) {
		return level
	}
	return (max(sum, 0) + nu*level) / (float64(n) + nu)
}

// fitDetail finds what resampling loses, judged one octave lower: frames are halved by
// means of 2×2 pixels and resampled to where they were.
func (m *smoothed) fitDetail(ctx context.Context, o FilmOptions) (err error) {
	m.detail, err = m.film.lostDetail(ctx, bicubic, o)
	return err
}

// lostDetail returns the mean square of what a resampling loses of each pixel.
func (f *standardised) lostDetail(ctx context.Context, kind func(n, m int) resampling, o FilmOptions) ([]float64, error) {
	h, w := f.height/2, f.width/2
	detail := make([]float64, f.y.Cols)
	if h < 2 || w < 2 {
		return detail, nil
	}
	points := f.points()
	halved, finer := make([]float64, f.channels*h*w), make([]float64, f.channels*4*h*w)
	rows, columns := kind(h, 2*h), kind(w, 2*w)
	for i := range f.y.Rows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		frame := f.y.Row(i)
		mat.Parallel(f.channels*h, func(part int) {
			c, r := part/h, part%h
			top := frame[c*points+2*r*f.width:][:f.width]
			bottom := frame[c*points+(2*r+1)*f.width:][:f.width]
			for k := range w {
				halved[part*w+k] = 0.25 * ((top[2*k] + top[2*k+1]) + (bottom[2*k] + bottom[2*k+1]))
			}
		})
		resample(finer, halved, f.channels, h, w, rows, columns, 0, 2*h)
		mat.Parallel(f.channels*f.height, func(part int) {
			// An odd last row or column is taken to be as the one before.
			c, r := part/f.height, min(part%f.height, 2*h-1)
			from := c*points + r*f.width
			for k := range f.width {
				j := min(k, 2*w-1)
				detail[part*f.width+k] += square(frame[from+j]-finer[(c*2*h+r)*2*w+j]) / float64(f.y.Rows)
			}
		})
		o.Progress("detail that resampling loses", i+1, f.y.Rows)
	}
	return detail, nil
}

// predict resamples bicubically what the weights give. Finer resolution adds the
// variance of one octave for each doubling: the spectra of natural pictures have as much
// power in each (D. J. Field, Journal of the Optical Society of America A 4(12), 1987).
func (m *smoothed) predict(ctx context.Context, times []float64, height, width, rows int, body func(from, to int, mean, variance []float64) error) error {
	f := m.film
	w, v := mat.New(len(times), f.y.Rows), make([]float64, len(times))
	for i, t := range times {
		v[i] = m.smoother.weights(w.Row(i), t)
	}
	coarse := mat.New(len(times), f.y.Cols)
	mat.Mul(coarse, 1, w, f.y, 0)
	e := enlarging{f, bicubic, v, m.scale, m.detail}
	return e.predict(ctx, coarse, height, width, rows, body)
}

// enlarging is what turns frames at the training pixels into finer ones.
type enlarging struct {
	film     *standardised
	kind     func(n, m int) resampling
	variance []float64 // of each frame, up to the pixels' scale
	scale    []float64
	detail   []float64
}

// predict resamples frames, slab by slab, as filmModel's predict gives them.
func (e *enlarging) predict(ctx context.Context, coarse mat.Matrix, height, width, rows int, body func(from, to int, mean, variance []float64) error) error {
	f, count := e.film, coarse.Rows
	octaves := 0.5 * math.Log2(float64(height)/float64(f.height)*float64(width)/float64(f.width))
	cubic, smooth := [2]resampling{e.kind(f.height, height), e.kind(f.width, width)}, [2]resampling{linear(f.height, height), linear(f.width, width)}
	size := f.channels * rows * width
	mean, variance := make([]float64, count*size), make([]float64, count*size)
	scale, detail := make([]float64, size), make([]float64, size)
	for from := 0; from < height; from += rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		to := min(from+rows, height)
		n := f.channels * (to - from) * width
		resample(mean, coarse.Data, count*f.channels, f.height, f.width, cubic[0], cubic[1], from, to)
		resample(scale, e.scale, f.channels, f.height, f.width, smooth[0], smooth[1], from, to)
		resample(detail, e.detail, f.channels, f.height, f.width, smooth[0], smooth[1], from, to)
		mat.Parallel(count, func(i int) {
			part := variance[i*n : (i+1)*n]
			for k := range part {
				part[k] = max(float64(e.variance[i]*scale[k])+float64(octaves*detail[k]), minVariance)
			}
		})
		if err := body(from, to, mean[:count*n], variance[:count*n]); err != nil {
			return err
		}
	}
	return nil
}
