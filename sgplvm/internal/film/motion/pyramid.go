package motion

import (
	"context"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// pyramids are the frames of a film in some sizes, in standard units less a constant, as cubic B-spline
// coefficients.
type pyramids struct {
	aspect    float64                  // width over height of a frame
	levels    [][]frame.Image[float32] // of each size, the finest first, all frames
	estimated int                      // the level down to which motion is estimated; trials are judged on the first
	gradient  float64                  // mean squared derivative of the intensities over that level, per frame's width
}

// maxPixels bounds the pixels of the finest level where nothing else is asked for, and maxNumbers the numbers of all frames on it.
const maxPixels, maxNumbers = 1 << 16, 1 << 27

// levelSizes returns the sizes of n frames' levels: the frame's, halved until there are few enough pixels, and
// then halved while both sides have 24 at least.
func levelSizes(width, height, channels, n, pixels int) []frame.Size {
	sizes := []frame.Size{{Width: width, Height: height}}
	for most := max(256, min(pixels, maxNumbers/channels/n)); sizes[0].Width*sizes[0].Height > most; {
		sizes[0] = sizes[0].Half()
	}
	for s := sizes[0]; min(s.Width, s.Height) >= 24; {
		s = s.Half()
		sizes = append(sizes, s)
	}
	return sizes
}

// load reads the frames and builds their pyramids, motion estimated on so many pixels at most.
func load(ctx context.Context, source data.Source, width, height, pixels int) (*pyramids, error) {
	n, points, channels := source.Dims()
	sizes := levelSizes(width, height, channels, n, pixels)
	frames := &pyramids{aspect: float64(width) / float64(height)}
	for s := levelSizes(width, height, channels, n, max(pixels, maxPixels))[0]; s != sizes[frames.estimated]; s = s.Half() {
		sizes = slices.Insert(sizes, frames.estimated, s)
		frames.estimated++
	}
	frames.levels = make([][]frame.Image[float32], len(sizes))
	for k := range sizes {
		frames.levels[k] = make([]frame.Image[float32], n)
	}
	shift := make([]float64, points*channels) // the first pixel's values are taken off, so that sums keep their digits
	if err := source.ReadExamples(shift, 0, 1); err != nil {
		return nil, &data.ReadError{From: 0, To: 1, Err: err}
	}
	shift = shift[:channels]
	sums, errs := mat.New(n, 2*channels), make([]error, n)
	mat.Parallel(n, func(i int) {
		if errs[i] = ctx.Err(); errs[i] != nil {
			return
		}
		buffer := mat.Borrow(points * channels)
		defer mat.GiveBack(buffer)
		raw := frame.Image[float64]{Width: width, Height: height, Channels: channels, Data: *buffer}
		if errs[i] = readFrame(raw, source, i, shift, sums.Row(i)); errs[i] != nil {
			return
		}
		for k, s := range sizes {
			frames.levels[k][i] = frame.NewImage[float32](s.Width, s.Height, channels)
			if k == 0 {
				frame.DownsampleImage(frames.levels[k][i], raw)
			} else {
				frame.DownsampleImage(frames.levels[k][i], frames.levels[k-1][i])
			}
		}
	})
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	frames.standardize(sums, points)
	return frames, nil
}

// readFrame sets dst to frame i less shift, and sums to the sums and the sums of squares of its channels, by turns.
func readFrame(dst frame.Image[float64], source data.Source, i int, shift, sums []float64) error {
	if err := source.ReadExamples(dst.Data, i, i+1); err != nil {
		return &data.ReadError{From: i, To: i + 1, Err: err}
	}
	for j, v := range dst.Data {
		c := j % dst.Channels
		if v-v != 0 {
			return &data.ValueError{Example: i, Point: j / dst.Channels, Channel: c, Value: v, Want: "a finite number"}
		}
		v -= shift[c]
		dst.Data[j] = v
		sums[2*c] += v
		sums[2*c+1] += v * v
	}
	return nil
}

// standardize divides all pictures by the standard deviations of the channels, given the sums of the frames, measures
// the gradient, and makes splines of the pictures.
func (f *pyramids) standardize(sums mat.Matrix, points int) {
	n, channels := sums.Rows, sums.Cols/2
	inverse := make([]float32, channels)
	for c := range channels {
		var s, q float64
		for i := range n {
			s += sums.Row(i)[2*c]
			q += sums.Row(i)[2*c+1]
		}
		total := float64(n) * float64(points)
		if v := q/total - frame.Square(s/total); v > 1e-12*q/total {
			inverse[c] = float32(1 / math.Sqrt(v))
		}
	}
	gradients := make([]float64, n)
	mat.Parallel(n, func(i int) {
		for k := range f.levels {
			m := f.levels[k][i]
			for j := range m.Data {
				m.Data[j] *= inverse[j%channels]
			}
			if k == f.estimated {
				gradients[i] = meanSquaredGradient(m)
			}
			m.ToSpline()
		}
	})
	for _, g := range gradients {
		f.gradient += g / float64(n)
	}
}

// meanSquaredGradient returns the mean over pixels and channels of the squared derivative per
// width of the frame, both components.
func meanSquaredGradient(m frame.Image[float32]) float64 {
	var s float64
	n := m.Channels
	for y := range m.Height {
		row := m.Row(y)
		for i := n; i < len(row); i++ {
			s += frame.Square(float64(row[i] - row[i-n]))
		}
		if y > 0 {
			before := m.Row(y - 1)
			for i, v := range row {
				s += frame.Square(float64(v - before[i]))
			}
		}
	}
	return s * frame.Square(float64(m.Width)) / float64(len(m.Data))
}

// maxFactors bounds the numbers of the normal equations' factors, a block for each frame.
const maxFactors = 1 << 27

// latticeOf returns the lattice with the given number of nodes across, or one with fewer whose factors can be held.
func (f *pyramids) latticeOf(across int) Lattice {
	for {
		l := f.latticeAcross(across)
		if across <= 2 || l.size()*l.size() <= maxFactors/len(f.levels[0]) {
			return l
		}
		across--
	}
}

// latticeAcross returns the lattice with the given number of nodes across the frames, whose cells
// are nearly square and have four pixels each way at least on the level down to which motion is estimated.
func (f *pyramids) latticeAcross(across int) Lattice {
	level := f.levels[f.estimated][0]
	bounded := func(nodes, pixels int) int { return max(2, min(nodes, maxNodes, 1+pixels/4)) }
	down := int(math.Round(float64(across-1)/f.aspect)) + 1
	return Lattice{bounded(across, level.Width), bounded(down, level.Height), f.aspect}
}
