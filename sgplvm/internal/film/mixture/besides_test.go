package mixture

import (
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/detail"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/drawn"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/motion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/training"
)

// What two frames show of one between them is sampled where the flows from it lead; it counts where these come back, inside both.
func TestBesides(t *testing.T) {
	m, f, _ := smoothedFilm(t, 6, 0)
	values := make([]float64, 6*f.Width*f.Height*f.Channels)
	if err := f.ReadExamples(values, 0, 6); err != nil {
		t.Fatal(err)
	}
	_, d := trained(t, m, data.NewSource(values, 6, f.Width*f.Height, f.Channels))
	law := NewEnlargingLaw(m, f, d)
	half, x, size := law.half, m.LeftOut(2), frame.Size{Width: f.Width, Height: f.Height}
	shown, both, ok := besidesOf(half, law.detail, x, size)
	if !ok {
		t.Fatal("not between two frames")
	}
	unsure, shot := unsteady(t, []float64{0, 1, 2}, 12, 0.4)
	_, doubted, ok := besidesOf(unsure, &detail.Detail{Width: unsure.Width, Height: unsure.Height}, motion.Moment{Shot: shot, Time: 1, Without: 1, Chance: 1}, unsure.Picture(1).Size())
	if !ok {
		t.Fatal("not between two frames")
	}
	var left, lost int
	for _, c := range []struct {
		f    *training.Frames
		at   int
		both frame.Image[float64]
	}{{half, 2, both}, {unsure, 1, doubted}} {
		back, on := c.f.FlowsBetween(c.at-1, c.at), c.f.FlowsBetween(c.at, c.at+1)
		var counted float64
		for row := range c.f.Height {
			for column := range c.f.Width {
				want := 1.
				for _, way := range [2]struct {
					there, back func(x, y float64) (float64, float64)
				}{{back.Back.At, back.There.At}, {on.There.At, on.Back.At}} {
					u, v := way.there(float64(column), float64(row))
					p, q := float64(column)+u, float64(row)+v
					a, b := way.back(p, q)
					switch {
					case p < 0 || q < 0 || p > float64(c.f.Width-1) || q > float64(c.f.Height-1):
						want = 0
						left++
					case (u+a)*(u+a)+(v+b)*(v+b) > 0.04:
						want = 0
						lost++
					}
				}
				if got := c.both.Data[row*c.f.Width+column]; got != want {
					t.Fatalf("pixel (%d, %d) counts as %v, want %v", column, row, got, want)
				}
				counted += want
			}
		}
		if counted < float64(c.f.Width*c.f.Height)/20 {
			t.Errorf("%v pixels count", counted)
		}
	}
	if left < 10 || lost < 10 {
		t.Errorf("%d pixels leave a frame, %d are not found again", left, lost)
	}
	back, on := half.FlowsBetween(1, 2), half.FlowsBetween(2, 3)
	first, second := detail.Sharp(half, law.detail, x.Shot, 1, 2, f.Width), detail.Sharp(half, law.detail, x.Shot, 3, 2, f.Width)
	a, b := make([]float64, f.Channels), make([]float64, f.Channels)
	for row := 0; row < f.Height; row += 5 {
		for column := 0; column < f.Width; column += 7 {
			p, q := float64(half.Width)/float64(f.Width)*(float64(column)+0.5)-0.5, float64(half.Height)/float64(f.Height)*(float64(row)+0.5)-0.5
			u, v := back.Back.At(p, q)
			first.At(a, p+u, q+v)
			u, v = on.There.At(p, q)
			second.At(b, p+u, q+v)
			for c := range a {
				want := half.Least + half.Step*(a[c]+b[c])/2
				if got := shown.Data[(row*f.Width+column)*f.Channels+c]; math.Abs(got-want) > 1e-9 {
					t.Fatalf("pixel (%d, %d): %v, want %v", column, row, got, want)
				}
			}
		}
	}
	if _, _, ok := besidesOf(half, law.detail, m.LeftOut(0), size); ok {
		t.Error("two frames around the first one")
	}
}

// Frames with noise lose what is sharp in them by noise alone, and are nearer to the truth; those without lose little. So finer pixels miss less.
func TestCoringOfNoise(t *testing.T) {
	for _, c := range []struct{ noise, least, most, mostMissed float64 }{{0, 0.9, 1.02, 1.2}, {12, 0.3, 0.93, 0.95}} {
		m, f, _ := smoothedFilm(t, 8, c.noise)
		values := make([]float64, 8*f.Width*f.Height*f.Channels)
		if err := f.ReadExamples(values, 0, 8); err != nil {
			t.Fatal(err)
		}
		_, d := trained(t, m, data.NewSource(values, 8, f.Width*f.Height, f.Channels))
		law, all, whole := NewEnlargingLaw(m, f, d), NewEnlargingLaw(m, f, d), frame.New(f.Width, f.Height, f.Channels)
		all.coring = detail.NewCoringLaw(d) // nothing is taken off
		for i := range 8 {
			copy(whole.Mean.Data, values[i*len(whole.Mean.Data):])
			law.Add(whole, m.LeftOut(i))
			all.Add(whole, m.LeftOut(i))
		}
		for k, missed := range law.missed {
			if ratio := missed / all.missed[k]; law.expected[k] != all.expected[k] || !(ratio < c.mostMissed) || ratio < c.least {
				t.Errorf("noise %v: %v missed where %v are expected, %v and %v of all that is sharp", c.noise, missed, law.expected[k], all.missed[k], all.expected[k])
			}
		}
		cored := law.Detail(d, nil)
		o := NewOthers(f, cored, m.LeftOut(3), 2*drawn.Width, 2*drawn.Height)
		shown := frame.FrameOf(o.means[others-1])
		truth := drawn.Film([]float64{3}, 2*drawn.Width, 2*drawn.Height, 2, func(t, u, v float64) (float64, float64) { return u + 0.015*t, v + 0.0075*t }) // as smoothedFilm moves
		errors := func() (sum float64) {
			for k, v := range shown.Mean.Data {
				sum += frame.Square(v - truth[k])
			}
			return sum
		}
		before := errors()
		cored.Core(shown)
		if after := errors(); !(after > c.least*before && after < c.most*before) {
			t.Errorf("noise %v: squared errors %v after %v", c.noise, after, before)
		}
	}
}
