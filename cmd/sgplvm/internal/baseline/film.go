package baseline

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
)

// FilmKind names a method that predicts frames of a film at other times.
type FilmKind string

// The methods for films; the package documentation says what they do.
const (
	Interpolation FilmKind = "interpolation"
	Climatology   FilmKind = "climatology"
	TimeGP        FilmKind = "gp-time"
	SpaceTimeGP   FilmKind = "gp-space-time"
)

// FilmKinds lists all methods for films.
var FilmKinds = []FilmKind{Interpolation, Climatology, TimeGP, SpaceTimeGP}

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

// Criterion says how the structured Gaussian process selects what concerns time.
type Criterion string

// The criteria.
const (
	// Evidence is the marginal likelihood of all values.
	Evidence Criterion = "evidence"

	// LeaveOneOut is the likelihood of each frame given all others, with the length
	// scales in space of the largest marginal likelihood.
	LeaveOneOut Criterion = "leave-one-out"
)

// FilmOptions steer FitFilm. The zero value works.
type FilmOptions struct {
	// Criterion is how the structured Gaussian process is fitted. Default Evidence.
	Criterion Criterion

	// Period is that of Climatology, in units of Film.Times: 12 for months. No default.
	Period float64

	// Progress, if not nil, is called while a method is fitted: done of total steps of
	// what doing says.
	Progress func(doing string, done, total int)
}

// A Slab holds predicted rows From ≤ i < To of some frames, a frame a row: row by row
// of the frame, the channels of a pixel side by side. It belongs to the method and is
// overwritten when the function that received it has returned.
type Slab struct {
	From, To int
	Mean     mat.Matrix // N×((To−From)·width·d_y), in the user's units
	Variance mat.Matrix // of the same shape, noise included
}

// FilmMethod is a fitted method for films. Any number of goroutines may use it at
// once.
type FilmMethod struct {
	settings []Setting
	film     *standardised
	model    filmModel
}

// filmModel predicts standardised frames.
type filmModel interface {
	// predict calls body with slabs of at most rows rows, from the first on; mean is of N·d_y
	// planes and variance of N·d_y, (To−From)×width each, frame by frame and channel by
	// channel.
	predict(ctx context.Context, times []float64, height, width, rows int, body func(from, to int, mean, variance []float64) error) error
}

// FitFilm fits a method to the frames of a film, which it holds in memory as float64.
// Errors: *SizeError, *ValueError, those of the source, ctx.Err(), or one that says
// which matrix could not be factored. It panics for an unknown kind or
// criterion.
func FitFilm(ctx context.Context, kind FilmKind, f Film, o FilmOptions) (*FilmMethod, error) {
	o.check()
	if kind == Climatology && !(o.Period > 0 && !math.IsInf(o.Period, 0)) {
		return nil, fmt.Errorf("baseline: period: found %v, expected a positive number", o.Period)
	}
	s, err := standardise(ctx, f)
	if err != nil {
		return nil, err
	}
	m := &FilmMethod{film: s}
	switch kind {
	case Interpolation:
		m.model, m.settings, err = fitSmoother(ctx, s, interpolations(s.times), o)
	case Climatology:
		m.model, m.settings, err = fitSmoother(ctx, s, []smoother{&climate{s.times, o.Period}}, o)
	case TimeGP:
		m.model, m.settings, err = fitSmoother(ctx, s, krigings(s.times, timeKinds), o)
	case SpaceTimeGP:
		m.model, m.settings, err = fitSpaceTime(ctx, s, o)
		s.y = mat.Matrix{} // of which the regression holds what it needs
	default:
		panic(fmt.Sprintf("baseline: FitFilm: kind %q, expected one of %v", kind, FilmKinds))
	}
	return m, err
}

func (o *FilmOptions) check() {
	if o.Criterion == "" {
		o.Criterion = Evidence
	}
	if o.Criterion != Evidence && o.Criterion != LeaveOneOut {
		panic(fmt.Sprintf("baseline: FitFilm: criterion %q, expected %s or %s", o.Criterion, Evidence, LeaveOneOut))
	}
	if o.Progress == nil {
		o.Progress = func(string, int, int) {}
	}
}

// Settings returns what the training frames have selected.
func (m *FilmMethod) Settings() []Setting { return m.settings }

// slabValues bounds the means of a slab, unless a single row has more. Tests lower it.
var slabValues = 1 << 21

// Predict calls body with slabs of the frames at some times, height×width pixels each,
// from the first row to the last. The pixels of both grids cover the same area, so that
// where height and width are twice those in training, a training pixel is where four
// predicted ones are; they must not be fewer. Memory grows with the number of times: ask
// for some frames at a time. Errors: *SizeError, *ValueError for a time that is not
// finite, ctx.Err(), or what body returns.
func (m *FilmMethod) Predict(ctx context.Context, times []float64, height, width int, body func(s Slab) error) error {
	f := m.film
	if height < f.height {
		return &SizeError{"rows to predict", height, fmt.Sprintf("at least %d, as many as in training", f.height)}
	}
	if width < f.width {
		return &SizeError{"columns to predict", width, fmt.Sprintf("at least %d, as many as in training", f.width)}
	}
	for i, t := range times {
		if t-t != 0 {
			return &ValueError{"time", i, 0, t, "a finite number"}
		}
	}
	if len(times) == 0 {
		return nil
	}
	rows := min(height, max(1, slabValues/(len(times)*width*f.channels)))
	size := rows * width * f.channels
	buffer := make([]float64, 2*len(times)*size)
	return m.model.predict(ctx, times, height, width, rows, func(from, to int, mean, variance []float64) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := (to - from) * width
		s := Slab{from, to, mat.NewDense(len(times), n*f.channels, buffer[:len(times)*n*f.channels]),
			mat.NewDense(len(times), n*f.channels, buffer[len(times)*size:][:len(times)*n*f.channels])}
		mat.Parallel(len(times), func(i int) {
			mu, v := s.Mean.Row(i), s.Variance.Row(i)
			for c := range f.channels {
				plane := (i*f.channels + c) * n
				level, scale := f.level[c], f.scale[c]
				for k := range n {
					mu[k*f.channels+c] = level + float64(scale*mean[plane+k])
					v[k*f.channels+c] = scale * scale * variance[plane+k]
				}
			}
		})
		return body(s)
	})
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
