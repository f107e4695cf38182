package mixture

import (
	"math"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/drawn"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/filmtest"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/motion"
)

func rms(a, b []float64) float64 {
	var s float64
	for i, v := range a {
		s += frame.Square(v-b[i]) / float64(len(a))
	}
	return math.Sqrt(s)
}

// A frame that was registered and warped back is itself again with its motion-compensated residual; one
// between two frames comes much closer to the truth.
func TestAddResidual(t *testing.T) {
	const size = drawn.Width * drawn.Height
	times := drawn.Times(9, 0.25)
	film := drawn.GrainFilm(times)
	source := data.NewSource(film, len(times), size, 1)
	m := filmtest.Fit(t, film, times, 1, filmtest.Quick())
	frames := filmtest.Keep(t, m, source)
	registered := mat.New(len(times), size)
	if err := m.Register(source).ReadExamples(registered.Data, 0, len(times)); err != nil {
		t.Fatal(err)
	}
	framed := func(v []float64) frame.Frame {
		return frame.Frame{Width: drawn.Width, Height: drawn.Height, Mean: mat.NewDense(size, 1, v), Variance: mat.Matrix{}}
	}
	for i := range times {
		own := motion.Field{Across: m.Lattice.Across, Down: m.Lattice.Down, Mean: m.Sequences[0].Displacements.Row(i), Aspect: m.Lattice.Aspect}
		back := make([]float64, size)
		own.Warp(framed(back), framed(registered.Row(i)))
		AddResidual(framed(back), m, frames, own, new(Detail), filmtest.MomentAt(t, m, times[i], -1))
		// Half a unit of 16 bits, float32 splines of values up to 2¹⁶ units, and what the
		// inversion of the field leaves, 1e-6 pixels.
		for k, v := range back {
			if d := math.Abs(v - film[i*size+k]); d > 0.6*frames.Step+1e-3 {
				t.Fatalf("frame %d, pixel %d: off by %v in units of %v", i, k, d, frames.Step)
			}
		}
	}
	// A middle frame by linear interpolation of the others, without its help.
	const gone = 4
	mean := make([]float64, size)
	for k := range mean {
		mean[k] = (registered.At(gone-1, k) + registered.At(gone+1, k)) / 2
	}
	x := m.LeftOut(gone)
	fields, err := m.Fields(0, times[gone:gone+1])
	if err != nil {
		t.Fatal(err)
	}
	own, without := fields[0], make([]float64, size)
	own.Warp(framed(without), framed(mean))
	with := slices.Clone(without)
	AddResidual(framed(with), m, frames, own, new(Detail), x)
	truth := film[gone*size : (gone+1)*size]
	if a, b := rms(with, truth), rms(without, truth); !(a < 0.7*b) {
		t.Errorf("error %v with the residual, %v without", a, b)
	}
	// The neighbours count by their weights in linear interpolation.
	sum, parts := make([]float64, size), mat.New(2, size)
	AddResidual(framed(sum), m, frames, own, new(Detail), filmtest.MomentAt(t, m, 0.75*times[2]+0.25*times[3], -1))
	for k := range 2 {
		addNeighbours(framed(parts.Row(k)), m, frames, own, new(Detail), motion.Moment{Shot: m.Sequences[0], Without: -1}, []motion.Neighbour{{Place: 2 + k, Weight: 1}})
	}
	for k, v := range sum { // to the rounding of float32 splines of values up to 2¹⁶ units
		if want := 0.75*parts.At(0, k) + 0.25*parts.At(1, k); math.Abs(v-want) > 0.2*frames.Step {
			t.Fatalf("pixel %d: %v added at a quarter of the way, want %v", k, v, want)
		}
	}
	before := slices.Clone(sum)
	still := &motion.Motion{Width: drawn.Width, Height: drawn.Height, Frames: len(times), Sequences: m.Sequences}
	if AddResidual(framed(sum), still, frames, motion.Field{}, new(Detail), x); !slices.Equal(sum, before) {
		t.Error("a residual where nothing moves")
	}
	if _, err := m.Moments(data.Instant{Sequence: 3}); err == nil {
		t.Error("an unknown sequence: no error")
	}
	for what, call := range map[string]func(){
		"channels": func() { AddResidual(frame.New(4, 4, 2), m, frames, own, new(Detail), x) },
		"frames": func() {
			AddResidual(frame.New(4, 4, 1), m, &motion.Frames{Head: motion.Head{Channels: 1, Frames: 2}}, own, new(Detail), x)
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s that do not fit: no panic", what)
				}
			}()
			call()
		}()
	}
}

// At times that several frames have, also the first and the last one, there is a residual.
func TestResidualEqualTimes(t *testing.T) {
	times := []float64{0, 0, 0, 1, 2, 2, 3, 4, 4}
	film := drawn.Disc(times, 0.02)
	m := filmtest.Fit(t, film, times, 1, motion.Options{Nodes: []int{4}, Strengths: []float64{1e-2}, Gain: -1e9})
	frames := filmtest.Keep(t, m, data.NewSource(film, len(times), drawn.Width*drawn.Height, 1))
	for _, time := range []float64{-1, 0, 0.5, 2, 4, 5} {
		f, x := frame.New(drawn.Width, drawn.Height, 1), filmtest.MomentAt(t, m, time, 4)
		AddResidual(f, m, frames, m.Field(x), new(Detail), x)
		if i, _, bad := mat.NonFinite(f.Mean); bad || slices.Max(f.Mean.Data) == 0 {
			t.Errorf("time %v: %v at pixel %d", time, f.Mean.At(i, 0), i)
		}
	}
}
