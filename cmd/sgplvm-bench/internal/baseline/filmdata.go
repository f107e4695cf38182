package baseline

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
)

// A FrameSource gives frames, some at a time; package sgplvm's sources and package
// dataset's frames are some.
type FrameSource interface {
	// Dims returns the numbers of frames n, of points n_s and of channels d_y.
	Dims() (frames, points, channels int)

	// ReadExamples sets dst to the values of the frames from ≤ i < to, one after the
	// other, each point by point with the channels of a point side by side.
	ReadExamples(dst []float64, from, to int) error
}

// Film are complete training frames, in the user's units.
type Film struct {
	// Times are those of the frames, n different numbers in any order and unit.
	Times []float64

	// Width and Height are the size of a frame; point row·Width + column is a pixel.
	Width, Height int

	// Frames are the n frames.
	Frames FrameSource
}

// FilmOptions steer FitFilm. The zero value works.
type FilmOptions struct {
	// Period is that of Climatology, in units of Film.Times: 12 for months. No default.
	Period float64

	// Progress, if not nil, is called while a method is fitted: done of total steps of
	// what doing says.
	Progress func(doing string, done, total int)
}

func (o *FilmOptions) check() {
	if o.Progress == nil {
		o.Progress = func(string, int, int) {}
	}
}

// standardised holds the frames of a film, each channel centred and scaled to unit
// variance.
type standardised struct {
	times                   []float64
	height, width, channels int
	level, scale            []float64  // of each channel
	y                       mat.Matrix // n×(d_y·height·width): the planes of the channels one after the other
}

func standardise(ctx context.Context, f Film) (*standardised, error) {
	if f.Frames == nil {
		return nil, &SizeError{"training frames", 0, "at least 3"}
	}
	n, points, channels := f.Frames.Dims()
	switch {
	case n < 3:
		return nil, &SizeError{"training frames", n, "at least 3"}
	case len(f.Times) != n:
		return nil, &SizeError{"times", len(f.Times), fmt.Sprintf("%d, one for each frame", n)}
	case channels < 1:
		return nil, &SizeError{"channels", channels, "at least 1"}
	case f.Width < 1 || f.Height < 1 || points/f.Width != f.Height || points%f.Width != 0:
		return nil, &SizeError{"points of a frame", points, fmt.Sprintf("%d×%d", f.Height, f.Width)}
	}
	first := map[float64]int{}
	for i, t := range f.Times {
		if t-t != 0 {
			return nil, &ValueError{"time", i, 0, t, "a finite number"}
		}
		if j, found := first[t]; found {
			return nil, &ValueError{"time", i, 0, t, fmt.Sprintf("another one than that of frame %d", j)}
		}
		first[t] = i
	}
	s := &standardised{slices.Clone(f.Times), f.Height, f.Width, channels, make([]float64, channels), make([]float64, channels), mat.New(n, points*channels)}
	frame := make([]float64, points*channels)
	for i := range n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := f.Frames.ReadExamples(frame, i, i+1); err != nil {
			return nil, err
		}
		row := s.y.Row(i)
		for j, v := range frame {
			if v-v != 0 {
				return nil, &ValueError{"training frame", i, j, v, "a finite number"}
			}
			row[j%channels*points+j/channels] = v
		}
	}
	mat.Parallel(channels, func(c int) {
		plane := s.y.Slice(0, n, c*points, (c+1)*points)
		mean := make([]float64, n)
		for i := range mean {
			for _, v := range plane.Row(i) {
				mean[i] += v / float64(points)
			}
			s.level[c] += mean[i] / float64(n)
		}
		var squares float64
		for i := range n {
			for k, v := range plane.Row(i) {
				plane.Row(i)[k] = v - s.level[c]
				squares += square(v-s.level[c]) / float64(n)
			}
		}
		s.scale[c] = 1
		if squares > 0 {
			s.scale[c] = math.Sqrt(squares / float64(points))
		}
		mat.Scale(plane, 1/s.scale[c], plane)
	})
	return s, nil
}

// points returns n_s.
func (s *standardised) points() int { return s.height * s.width }

// spacing returns the median distance of neighbouring times.
func spacing(times []float64) float64 {
	t := slices.Sorted(slices.Values(times))
	gaps := make([]float64, len(t)-1)
	for i := range gaps {
		gaps[i] = t[i+1] - t[i]
	}
	slices.Sort(gaps)
	return gaps[len(gaps)/2]
}
