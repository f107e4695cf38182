package baseline

import (
	"context"
	"fmt"
	"math"

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
	OpticalFlow   FilmKind = "flow"
)

// FilmKinds lists all methods for films.
var FilmKinds = []FilmKind{Interpolation, Climatology, TimeGP, SpaceTimeGP, OpticalFlow}

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
	parameters []Parameter
	film       *standardised
	model      filmModel
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
		m.model, m.parameters, err = fitSmoother(ctx, s, interpolations(s.times), o)
	case Climatology:
		m.model, m.parameters, err = fitSmoother(ctx, s, []smoother{&climate{s.times, o.Period}}, o)
	case TimeGP:
		m.model, m.parameters, err = fitSmoother(ctx, s, krigings(s.times, timeKinds), o)
	case SpaceTimeGP:
		m.model, m.parameters, err = fitSpaceTime(ctx, s, o)
		s.y = mat.Matrix{} // of which the regression holds what it needs
	case OpticalFlow:
		m.model, m.parameters, err = fitFlow(ctx, s, o)
	default:
		panic(fmt.Sprintf("baseline: FitFilm: kind %q, expected one of %v", kind, FilmKinds))
	}
	return m, err
}

// Parameters returns what the training frames have selected.
func (m *FilmMethod) Parameters() []Parameter { return m.parameters }

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
