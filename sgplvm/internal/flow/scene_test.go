package flow

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// A move is the place in the frame, both coordinates in widths, where the contents of the
// reference point (u, v) are at time t.
type move func(t, u, v float64) (x, y float64)

// pattern is a smooth picture with structure everywhere, for u and v in widths.
func pattern(u, v float64, c int) float64 {
	return 100 + 40*math.Sin(17*u+5*v+float64(c))*math.Cos(13*v-6*u) + 25*math.Sin(23*v+9*u+2*float64(c)) + 15*math.Cos(31*u-8*v)
}

// draw returns frames of a moving pattern: at each pixel the pattern at the point that m brings
// there.
func draw(times []float64, width, height, channels int, m move) []float64 {
	film := make([]float64, 0, len(times)*width*height*channels)
	for _, t := range times {
		for y := range height {
			for x := range width {
				px, py := (float64(x)+0.5)/float64(width), (float64(y)+0.5)/float64(width)
				u, v := px, py
				for range 40 {
					mx, my := m(t, u, v)
					u, v = u+px-mx, v+py-my
					if math.Abs(px-mx)+math.Abs(py-my) < 1e-15 {
						break
					}
				}
				for c := range channels {
					film = append(film, pattern(u, v, c))
				}
			}
		}
	}
	return film
}

const testWidth, testHeight = 64, 48

func translation(t, u, v float64) (x, y float64) {
	return u + 0.03*math.Sin(0.9*t), v + 0.025*math.Cos(0.7*t) - 0.01
}

func rotation(t, u, v float64) (x, y float64) {
	a := 0.08 * math.Sin(0.8*t)
	du, dv := u-0.5, v-0.375
	return 0.5 + du*math.Cos(a) - dv*math.Sin(a), 0.375 + du*math.Sin(a) + dv*math.Cos(a)
}

func bending(t, u, v float64) (x, y float64) {
	return u + 0.02*math.Sin(0.8*t)*math.Sin(3*v), v + 0.025*math.Cos(0.6*t)*math.Sin(4*u+1)
}

func line(n int, spacing float64) []float64 {
	t := make([]float64, n)
	for i := range t {
		t[i] = float64(i) * spacing
	}
	return t
}

func mustFit(t testing.TB, film []float64, times []float64, channels int, sequences []int, o Options) *Motion {
	t.Helper()
	o.Width, o.Height = testWidth, testHeight
	m, err := Fit(context.Background(), data.NewSource(film, len(times), testWidth*testHeight, channels), times, sequences, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// trained returns what a source has to learn from besides motion: its frames and their detail.
func trained(t testing.TB, m *Motion, src data.Source) (*TrainingFrames, *Detail) {
	t.Helper()
	frames, err := m.TrainingFrames(context.Background(), src)
	if err != nil {
		t.Fatal(err)
	}
	d, err := MeasureDetail(context.Background(), src, m.width, m.height)
	if err != nil {
		t.Fatal(err)
	}
	return frames, d
}

// quick are options with one trial beside no motion, which takes motion whatever it brings.
func quick() Options { return Options{Nodes: []int{5}, Strengths: []float64{1e-5}, Gain: -100} }

// failing is a source whose disk fails at a frame.
type failing struct {
	data.Source
	at int
}

var errDisk = errors.New("the disk is gone")

func (f failing) ReadExamples(dst []float64, from, to int) error {
	if from <= f.at && f.at < to {
		return errDisk
	}
	return f.Source.ReadExamples(dst, from, to)
}

// momentAt returns the likelier moment of a time of sequence 0, at which a training frame is unknown (−1: none is).
func momentAt(t *testing.T, m *Motion, time float64, without int) Moment {
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
	x.without = without
	return x
}
