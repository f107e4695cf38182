package mixture

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/detail"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/drawn"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/filmtest"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/motion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/training"
)

// smoothedFilm keeps a picture that moves evenly by 1.2 pixels a frame, with noise of so much deviation, at times a unit apart.
func smoothedFilm(t *testing.T, count int, noise float64) (m *motion.Motion, f *training.Frames, truth func(time float64) []float64) {
	times := drawn.Times(count, 1)
	truth = func(time float64) []float64 {
		return drawn.Film([]float64{time}, drawn.Width, drawn.Height, 2, func(t, u, v float64) (float64, float64) { return u + 0.015*t, v + 0.0075*t })
	}
	rng := rand.New(rand.NewPCG(5, 11))
	var values []float64
	for _, time := range times {
		for _, v := range truth(time) {
			values = append(values, math.Round(v+noise*rng.NormFloat64()))
		}
	}
	m = filmtest.Still(drawn.Width, drawn.Height, times)
	return m, filmtest.Keep(t, m, data.NewSource(values, count, drawn.Width*drawn.Height, 2)), truth
}

// Frames are averaged with those beside them as the formula has it, pixel by pixel, with frames before and with those after.
func TestSmoothedFrame(t *testing.T) {
	const noise = 0.2
	f, s := unsteady(t, []float64{0, 1, 1.5, 3}, 12, 0.3)
	var scale float64
	for _, v := range f.Variances() {
		scale += v / frame.Square(f.Step) / 2
	}
	show := func(i int, x, y float64) []float64 {
		v := make([]float64, 2)
		frame.Sample(v, detail.SplineOf(f, i, detail.Sharpening{}, 0), x, y)
		return v
	}
	inside := func(x, y float64) bool {
		return x >= 0 && y >= 0 && x <= float64(f.Width-1) && y <= float64(f.Height-1)
	}
	for _, c := range []struct{ place, step int }{{2, -1}, {1, 1}, {3, -1}} {
		beside, next := c.place+c.step, c.place+2*c.step
		// What is added to frame i at a pixel, how much of noise is left of it, and the gain; how the frame beside is smoothed is given.
		averaged := func(i, j int, x, y int, besides smoothed) (added []float64, gain, less float64) {
			flows := f.FlowsBetween(min(i, j), max(i, j))
			there, back := flows.There, flows.Back
			if i > j {
				there, back = back, there
			}
			differ := func(x, y int) float64 {
				u, v := there.At(float64(x), float64(y))
				p, q := float64(x)+u, float64(y)+v
				if !inside(p, q) {
					return 0
				}
				a, b := show(i, float64(x), float64(y)), show(j, p, q)
				return (frame.Square(a[0]-b[0]) + frame.Square(a[1]-b[1])) / 2 / scale
			}
			var d float64
			for n := -2; n <= 2; n++ {
				for k := -2; k <= 2; k++ {
					d += differ(min(max(x+k, 0), f.Width-1), min(max(y+n, 0), f.Height-1)) / 25
				}
			}
			u, v := there.At(float64(x), float64(y))
			p, q := float64(x)+u, float64(y)+v
			if !inside(p, q) {
				return []float64{0, 0}, 0, 0
			}
			r, w := back.At(p, q)
			agreement := math.Exp(-0.5 * (frame.Square(u+r) + frame.Square(v+w)) / (0.25 + 0.0025*(u*u+v*v)))
			other, more, before := show(j, p, q), make([]float64, 2), []float64{0}
			if len(besides.added.Data) > 0 {
				frame.Sample(more, besides.added, p, q)
				frame.SampleLinear(before, besides.gain, p, q)
			}
			gain = agreement * noise / ((2-before[0])*noise + max(d-2*noise, 0))
			a := show(i, float64(x), float64(y))
			return []float64{gain * (other[0] + more[0] - a[0]), gain * (other[1] + more[1] - a[1])}, gain, 1 - frame.Square(1-gain) - gain*gain*(1-before[0])
		}
		for frames := 1; frames <= 2; frames++ {
			var besides smoothed
			if frames == 2 && next >= 0 && next < len(s.Examples) {
				besides = smoothedFrame(f, s, beside, c.step, detail.Smoothing{Noise: noise, Frames: 1})
			}
			got := smoothedFrame(f, s, c.place, c.step, detail.Smoothing{Noise: noise, Frames: frames})
			var gained, less float64
			for y := range f.Height {
				for x := range f.Width {
					want, gain, l := averaged(c.place, beside, x, y, besides)
					added := make([]float64, 2)
					frame.Sample(added, got.added, float64(x), float64(y))
					if k := y*f.Width + x; math.Abs(added[0]-want[0])+math.Abs(added[1]-want[1]) > 2e-2 || math.Abs(float64(got.gain.Data[k])-gain) > 1e-3 {
						t.Fatalf("place %d, step %d, %d frames, pixel %d, %d: %v with the gain %v, want %v with %v", c.place, c.step, frames, x, y, added, got.gain.Data[k], want, gain)
					}
					gained, less = gained+gain, less+l/float64(f.Width*f.Height)
				}
			}
			if math.Abs(got.less-less) > 1e-3 || !(gained > 10) {
				t.Errorf("place %d, step %d, %d frames: noise is less by %v, want %v; gains of %v", c.place, c.step, frames, got.less, less, gained)
			}
		}
	}
}

// Nothing is added where no frame is beside, where nobody asked for it and where light fades; and each pair, noise and number of frames is kept by itself.
func TestSmoothedFrameNone(t *testing.T) {
	f, s := unsteady(t, []float64{0, 1, 2, 3}, 12, 0.3)
	how := detail.Smoothing{Noise: 0.02, Frames: 2}
	first := smoothedFrame(f, s, 1, -1, how)
	if &smoothedFrame(f, s, 1, -1, how).added.Data[0] != &first.added.Data[0] {
		t.Error("made twice")
	}
	for name, other := range map[string]smoothed{"the frame after": smoothedFrame(f, s, 1, 1, how), "another frame": smoothedFrame(f, s, 2, -1, how), "more noise": smoothedFrame(f, s, 1, -1, detail.Smoothing{Noise: 0.03, Frames: 2})} {
		if slices.Equal(other.added.Data, first.added.Data) {
			t.Errorf("%s: the same", name)
		}
	}
	if slices.Equal(smoothedFrame(f, s, 2, -1, how).added.Data, smoothedFrame(f, s, 2, -1, detail.Smoothing{Noise: 0.02, Frames: 1}).added.Data) {
		t.Error("fewer frames: the same")
	}
	faded := *f
	faded.Cache = new(training.Cache)
	flows := f.FlowsBetween(0, 1)
	flows.Light = new([2]motion.Light)
	faded.Cache.Flows(0, 1, func() motion.PairFlow { return flows })
	for name, none := range map[string]smoothed{"before the first": smoothedFrame(f, s, 0, -1, how), "after the last": smoothedFrame(f, s, 3, 1, how), "no frames": smoothedFrame(f, s, 1, -1, detail.Smoothing{}), "fading light": smoothedFrame(&faded, s, 1, -1, how)} {
		value := []float64{3, 4}
		if none.addTo(value, make([]float64, 2), 1, 2, 2); len(none.added.Data) > 0 || none.less != 0 || value[0] != 3 || value[1] != 4 {
			t.Errorf("%s: something is added", name)
		}
	}
}

// Of frames with noise the flow has less of it, between frames and in finer pixels, and tells how much less.
func TestSmoothedFlow(t *testing.T) {
	const noise, at = 15, 3.5
	m, f, truth := smoothedFilm(t, 8, noise)
	x := motion.Moment{Shot: m.Sequences[0], Time: at, Without: -1}
	var variance float64
	for _, v := range f.Variances() {
		variance += v / 2
	}
	squares := func(how detail.Smoothing, finer int) (sum, left float64) {
		o := NewOthers(f, &detail.Detail{Width: drawn.Width, Height: drawn.Height, Smoothing: how}, x, finer*drawn.Width, finer*drawn.Height)
		coarse := frame.NewImage[float64](drawn.Width, drawn.Height, 2)
		frame.DownsampleImage(coarse, o.means[others-1])
		want := truth(at)
		for k, v := range coarse.Data {
			sum += frame.Square(v-want[k]) / float64(len(want))
		}
		return sum, o.noise
	}
	for finer := 1; finer <= 2; finer++ {
		before, all := squares(detail.Smoothing{}, finer)
		one, half := squares(detail.Smoothing{Noise: noise * noise / variance, Frames: 1}, finer)
		three, less := squares(detail.Smoothing{Noise: noise * noise / variance, Frames: 3}, finer)
		if !(one < 0.75*before && three < 0.85*one) {
			t.Errorf("%d times as fine: squared errors %v, %v with a frame beside each, %v with three", finer, before, one, three)
		}
		if all != 0.5 || !(half > 0.25 && half < 0.32) || !(less > 0.125 && less < 0.22) {
			t.Errorf("%d times as fine: %v, %v and %v of the noise", finer, all, half, less)
		}
	}
}

// Left-out frames tell how much noise there is, and that there is none; where frames are no evidence of one another nothing is averaged.
func TestSmoothing(t *testing.T) {
	plain := &detail.Detail{Width: drawn.Width, Height: drawn.Height, Hypotheses: true}
	for _, c := range []struct {
		noise       float64
		least, most float64 // of the variance
		frames      int     // at least
	}{{0, 0, 0, 0}, {20, 0.1, 0.3, 2}, {8, 0.03, 0.1, 1}} {
		m, f, _ := smoothedFilm(t, 10, c.noise)
		d, err := Smoothing(t.Context(), m, f, plain)
		if err != nil {
			t.Fatal(err)
		}
		if s := d.Smoothing; s.Noise < c.least || s.Noise > c.most || s.Frames < c.frames || (s == detail.Smoothing{}) != (c.noise == 0) {
			t.Errorf("noise of %v: %+v", c.noise, s)
		}
	}
	m, f, _ := smoothedFilm(t, 10, 20)
	if d, err := Smoothing(t.Context(), m, f, &detail.Detail{Width: drawn.Width, Height: drawn.Height}); err != nil || d.Smoothing != (detail.Smoothing{}) {
		t.Errorf("frames that are no evidence: %+v, %v", d.Smoothing, err)
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Smoothing(done, m, f, plain); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	short, few, _ := smoothedFilm(t, 3, 20)
	if d, err := Smoothing(t.Context(), short, few, plain); err != nil || d.Smoothing != (detail.Smoothing{}) {
		t.Errorf("three frames: %+v, %v", d.Smoothing, err)
	}
}

// More noise and more frames count where they bring enough, one after the other.
func TestBestSmoothing(t *testing.T) {
	type errors map[detail.Smoothing]float64
	at := func(noise float64, frames int) detail.Smoothing {
		return detail.Smoothing{Noise: noise, Frames: frames}
	}
	for name, c := range map[string]struct {
		errors errors
		want   detail.Smoothing
	}{
		"nothing":           {errors{at(1e-4, 1): 0.998, at(1e-3, 1): 0.9975}, at(0, 0)},
		"a little":          {errors{at(1e-4, 1): 0.997}, at(1e-4, 1)},
		"no more":           {errors{at(1e-4, 1): 0.99, at(3e-4, 1): 0.9881}, at(1e-4, 1)},
		"more":              {errors{at(1e-4, 1): 0.99, at(3e-4, 1): 0.995, at(1e-3, 1): 0.988}, at(1e-3, 1)},
		"the most":          {errors{at(0.3, 1): 0.9, at(0.3, 2): 0.895}, at(0.3, 1)},
		"two":               {errors{at(1e-2, 1): 0.9, at(1e-2, 2): 0.89, at(1e-2, 3): 0.885, at(1e-2, 4): 0.8}, at(1e-2, 2)},
		"all":               {errors{at(1e-2, 1): 0.9, at(1e-2, 2): 0.8, at(1e-2, 3): 0.7, at(1e-2, 4): 0.6}, at(1e-2, 4)},
		"without any error": {errors{at(1e-2, 1): math.NaN()}, at(0, 0)},
	} {
		if got := bestSmoothing(func(how detail.Smoothing) float64 {
			if e, known := c.errors[how]; known {
				return e
			}
			return 1
		}); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	if (smoothingErrors{3, 4}).over(smoothingErrors{6, 5}) != 0.8 || (smoothingErrors{3, 1}).over(smoothingErrors{5, 5}) != 0.6 {
		t.Error("not the larger of both")
	}
}

// What averaging adds counts as the frames do, each at the end of its path.
func TestSmoothedPaths(t *testing.T) {
	f, s := unsteady(t, []float64{0, 1, 2, 3}, 12, 1)
	x := motion.Moment{Shot: s, Time: 1.3, Without: -1}
	path := pathBetween(f, x, false)
	how := detail.Smoothing{Noise: 0.2, Frames: 1}
	for side := range 2 {
		path.smoothed = [2]smoothed{}
		value, buffer := make([]float64, 2), make([]float64, 4)
		var differs float64
		for _, p := range [][2]float64{{3, 4}, {6.5, 5.25}, {9, 7}} {
			path.smoothed = [2]smoothed{}
			path.at(value, buffer, p[0], p[1])
			plain := slices.Clone(value)
			path.smoothed[side] = smoothedAround(f, x, x.Neighbours(), how)[side]
			path.at(value, buffer, p[0], p[1])
			from, to := path.paths(p[0], p[1])
			own, other := weightOf(from, 0.7), weightOf(to, 0.3)
			for c := range value {
				added := func(q detail.Path) float64 {
					v := make([]float64, 2)
					frame.Sample(v, path.smoothed[side].added, [2]float64{q.Ax, q.Bx}[side], [2]float64{q.Ay, q.By}[side])
					return v[c]
				}
				shares := [2]float64{1 - 0.3*from.Agreement, 0.7 * to.Agreement} // of the first frame
				if side == 1 {
					shares[0], shares[1] = 1-shares[0], 1-shares[1]
				}
				want := (own*shares[0]*added(from) + other*shares[1]*added(to)) / (own + other)
				if math.Abs(value[c]-plain[c]-want) > 1e-9 {
					t.Errorf("side %d, point %v, channel %d: %v more, want %v", side, p, c, value[c]-plain[c], want)
				}
				differs += math.Abs(want)
			}
		}
		if !(differs > 1) {
			t.Errorf("side %d: nothing is added", side)
		}
	}
}

// What one frame shows of the next, averaged, is judged where the flow leads.
func TestNextErrors(t *testing.T) {
	f, s := unsteady(t, []float64{0, 1, 2, 3, 4}, 12, 0.5)
	x := motion.Moment{Shot: s, Time: 2, Without: 2}
	by, scale := smoothedAround(f, x, x.Neighbours(), detail.Smoothing{Noise: 0.2, Frames: 1}), []float64{3, 5}
	var want float64
	truth, value, more := f.Picture(2), make([]float64, 2), make([]float64, 2)
	for k, other := range []int{1, 3} {
		flow := f.FlowsBetween(1, 2).Back
		if k == 1 {
			flow = f.FlowsBetween(2, 3).There
		}
		for y := range f.Height {
			for x := range f.Width {
				u, v := flow.At(float64(x), float64(y))
				frame.Sample(value, detail.SplineOf(f, other, detail.Sharpening{}, 0), float64(x)+u, float64(y)+v)
				frame.Sample(more, by[k].added, float64(x)+u, float64(y)+v)
				for c := range value {
					want += frame.Square(f.Step*(value[c]+more[c]-float64(truth.Data[2*(y*f.Width+x)+c]))) / scale[c]
				}
			}
		}
	}
	if got := nextErrors(f, x, by, scale); !(math.Abs(got-want) < 1e-9*want) {
		t.Errorf("%v, want %v", got, want)
	}
}
