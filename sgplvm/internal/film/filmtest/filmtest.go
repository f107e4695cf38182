// Package filmtest finds the shots of drawn films for the tests of what stands on it.
package filmtest

import (
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/drawn"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/motion"
)

// Find returns the shots of frames of drawn.Width×drawn.Height pixels.
func Find(t testing.TB, film []float64, times []float64, channels int) *motion.Motion {
	t.Helper()
	f, err := motion.Keep(t.Context(), field.NewSource(film, len(times), drawn.Width*drawn.Height, channels), drawn.Width, drawn.Height)
	if err != nil {
		t.Fatal(err)
	}
	m, err := motion.Find(t.Context(), f, times, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// MomentAt returns the likelier moment of a time of sequence 0, at which a training frame is unknown (−1: none is).
func MomentAt(t testing.TB, m *motion.Motion, time float64, without int) motion.Moment {
	t.Helper()
	all, err := m.Moments(data.Instant{Time: time})
	if err != nil {
		t.Fatal(err)
	}
	x := all[0]
	for _, y := range all[1:] {
		if y.Chance > x.Chance {
			x = y
		}
	}
	x.Without = without
	return x
}

// Keep returns the frames of a source.
func Keep(t testing.TB, m *motion.Motion, src field.Source) *motion.Frames {
	t.Helper()
	f, err := motion.Keep(t.Context(), src, m.Width, m.Height)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A WavesFilm is a film of waves that move, and its frames in pixels twice as fine.
type WavesFilm struct {
	Motion *motion.Motion // none
	Frames *motion.Frames
	Fine   []frame.Image[float32] // in units of the frames
}

// Waves draws frames of 64×48 pixels; where tells which point of the waves a point of frame i shows, in pixels twice as fine.
func Waves(t testing.TB, w drawn.Waves, count int, where func(i int, x, y float64) (float64, float64)) WavesFilm {
	t.Helper()
	const width, height = 64, 48
	var values []float64
	f := WavesFilm{Motion: Still(width, height, drawn.Times(count, 1))}
	for i := range count {
		fine, coarse := frame.NewImage[float32](2*width, 2*height, 1), frame.NewImage[float64](width, height, 1)
		for k := range fine.Data {
			x, y := where(i, float64(k%fine.Width), float64(k/fine.Width))
			fine.Data[k] = float32(w.At(x, y, 1))
		}
		frame.DownsampleImage(coarse, fine)
		for k, v := range coarse.Data {
			coarse.Data[k] = math.Round(v) // so that frames of half the size have a smaller step
		}
		values, f.Fine = append(values, coarse.Data...), append(f.Fine, fine)
	}
	f.Frames = Keep(t, f.Motion, field.NewSource(values, count, width*height, 1))
	for _, m := range f.Fine {
		for k, v := range m.Data {
			m.Data[k] = float32((float64(v) - f.Frames.Least) / f.Frames.Step)
		}
	}
	return f
}

// Still returns the motion of frames of one shot.
func Still(width, height int, times []float64) *motion.Motion {
	return &motion.Motion{Width: width, Height: height, Frames: len(times), Sequences: motion.SequencesOf(times, nil)}
}
