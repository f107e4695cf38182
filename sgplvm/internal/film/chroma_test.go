package film

import (
	"context"
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/mixture"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// Chroma that pixels share is interpolated in all that is learned from, and in finer pixels. These and those of training repeat it in pairs of their own, also where they are drawn.
func TestShownChroma(t *testing.T) {
	var film []float64
	times := make([]float64, n)
	for i := range times {
		times[i] = float64(i)
		for k := range width * height {
			x, y := float64(k%width/2*2)-0.6*float64(i), float64(k/width)
			u, v, g := 30*math.Sin(0.3*x+0.1*y), 25*math.Cos(0.35*x-0.2*y), 100+30*math.Sin(1.1*(float64(k%width)-0.6*float64(i))+0.7*y)
			film = append(film, g+0.7*u-0.114*v, g-0.3*u-0.114*v, g-0.3*u+0.886*v)
		}
	}
	within := func(frame []float64) (most float64) { // pairs, the difference of chroma
		for k := 0; k+5 < len(frame); k += 6 {
			most = max(most, math.Abs(frame[k]-frame[k+1]-frame[k+3]+frame[k+4]), math.Abs(frame[k+2]-frame[k+1]-frame[k+5]+frame[k+4]))
		}
		return most
	}
	source := field.NewSource(film, n, width*height, 3)
	f, err := New(context.Background(), source, field.Grid{axis(height), axis(width)}, times, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	if f.String() != "1 shot, chroma of 2×1 pixels interpolated" {
		t.Fatalf("the film is %q", f)
	}
	registered, other := f.Register(source)
	learned, kept := make([]float64, len(film)), make([]float64, len(film))
	if err := registered.ReadExamples(learned, 0, n); err != nil {
		t.Fatal(err)
	}
	if err := f.frames.ReadExamples(kept, 0, n); err != nil {
		t.Fatal(err)
	}
	if !other || !(within(film) < 1e-9) || !(within(learned) > 5) {
		t.Errorf("frames to learn from are others: %v; their chroma differs by %v within pairs, that of the film by %v", other, within(learned), within(film))
	}
	compare.Near(t, "training frames", kept, learned, 1e-3)

	l := field.Latent{At: &data.Instant{Time: 3.5}}
	mean := frame.Frame{Width: width, Height: height, Mean: mat.NewDense(width*height, 3, learned[:3*width*height]), Variance: mat.New(width*height, 3)}
	for _, c := range []struct {
		width, height int
		shared        bool
	}{{width, height, true}, {2 * width, 2 * height, true}, {width / 2, height / 2, false}} {
		m := &Model{Film: f}
		dst := f.room(c.width, c.height, true)
		if err := m.show(dst, mean, l); err != nil {
			t.Fatal(err)
		}
		d := &drawing{Model: m, width: dst.Width, height: dst.Height, wanted: [2]int{dst.Width, dst.Height}}
		drawn := d.asked(frame.Frame{Width: dst.Width, Height: dst.Height, Mean: wavy(dst.Mean)}, -1)
		for name, got := range map[string]mat.Matrix{"shown": dst.Mean, "drawn": drawn} {
			if most := within(got.Clone().Data); (most < 1e-9) != c.shared {
				t.Errorf("%s in %d×%d pixels: chroma differs by %v within pairs", name, c.width, c.height, most)
			}
		}
	}
	// Finer ones than those of training are drawn where coarser ones are asked for.
	d := &drawing{Model: &Model{Film: f}, width: 2 * width, height: 2 * height, wanted: [2]int{width, height}}
	if got := d.asked(frame.Frame{Width: d.width, Height: d.height, Mean: wavy(mat.New(4*width*height, 3)), Variance: mat.New(4*width*height, 3)}, 0); got.Rows != width*height || !(within(got.Data) < 1e-9) {
		t.Errorf("%d pixels whose chroma differs by %v within pairs", got.Rows, within(got.Data))
	}
}

// Each possible film of finer pixels has pairs down or none, in all of its frames, and the mean of all has what lies between.
func TestDrawnChroma(t *testing.T) {
	const w, h, draws = 6, 4, 64
	f := &Film{shape: frame.Shape{Width: w, Height: h, Channels: 3}, detail: new(mixture.Detail)}
	f.chroma.Across.Shared = true
	d := &drawing{Model: &Model{Film: f}, width: 2 * w, height: 2 * h, wanted: [2]int{2 * w, 2 * h}, seed: 5}
	shown := func(seed uint64, draw int) (apart float64) {
		m := wavy(mat.New(4*w*h, 3))
		d.seed = seed
		for k, v := range m.Data {
			m.Data[k] = v + float64(k*k%7)
		}
		got := d.asked(frame.Frame{Width: d.width, Height: d.height, Mean: m, Variance: mat.New(4*w*h, 3)}, draw)
		for x := range d.width {
			apart += math.Abs(got.At(x, 0) - got.At(x, 1) - got.At(x+d.width, 0) + got.At(x+d.width, 1))
		}
		return apart
	}
	between := shown(5, -1)
	var paired int
	for k := range draws {
		switch apart := shown(5, k); {
		case apart < 1e-9:
			paired++
		case math.Abs(apart-2*between) > 1e-9:
			t.Errorf("draw %d has rows whose chroma is %v apart, want 0 or %v", k, apart, 2*between)
		}
		if shown(5, k) != shown(5, k) {
			t.Errorf("draw %d is drawn in two ways", k)
		}
	}
	if paired < draws/4 || paired > draws*3/4 {
		t.Errorf("%d of %d films have pairs down, want about half", paired, draws)
	}
	var differ bool
	for k := range draws {
		differ = differ || (shown(5, k) < 1e-9) != (shown(6, k) < 1e-9)
	}
	if !differ {
		t.Error("another seed draws the same")
	}
}

// wavy returns a mean and something for each number of it.
func wavy(mean mat.Matrix) mat.Matrix {
	m := mean.Clone()
	for k := range m.Data {
		m.Data[k] += 10 * math.Sin(float64(k*k))
	}
	return m
}
