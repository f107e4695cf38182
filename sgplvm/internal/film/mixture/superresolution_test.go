package mixture

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/internal/opticalflow"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/drawn"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/filmtest"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/motion"
)

// A resolvedFilm is a film of waves that move, and how it is enlarged.
type resolvedFilm struct {
	filmtest.WavesFilm
	detail *Detail
}

func filmOf(t *testing.T, w drawn.Waves, count int, where func(i int, x, y float64) (float64, float64)) resolvedFilm {
	t.Helper()
	f := resolvedFilm{WavesFilm: filmtest.Waves(t, w, count, where)}
	var err error
	if f.detail, err = Measure(t.Context(), f.Frames, f.Frames.Width, f.Frames.Height); err != nil {
		t.Fatal(err)
	}
	return f
}

// error returns the mean square error of frame 3, at a place of a shot, in pixels twice as fine, within a margin, in units of the frames' variance.
func (f *resolvedFilm) error(s motion.Sequence, place int) float64 {
	m := f.Fine[3]
	f.Frames.Cache = nil
	picture := Sharp(f.Frames, f.detail, s, place, -1, m.Width)
	var squares, n float64
	value := make([]float64, 1)
	for y := 8; y < m.Height-8; y++ {
		for x := 8; x < m.Width-8; x++ {
			picture.At(value, (float64(x)-0.5)/2, (float64(y)-0.5)/2)
			squares, n = squares+frame.Square(value[0]-float64(m.Row(y)[x])), n+1
		}
	}
	return frame.Square(f.Frames.Step) * squares / n / f.Frames.Variances()[0]
}

// Frames show each what the others do not where contents move by parts of pixels or are enlarged. Where they stand still or move by whole pixels nothing is lost.
func TestSuperResolution(t *testing.T) {
	whole := func(i int, x, y float64) (float64, float64) { return x + 2*float64(i), y }
	for _, c := range []struct {
		name        string
		where       func(i int, x, y float64) (float64, float64)
		least, most float64 // of the error over that of frames by themselves
	}{
		{"by parts of pixels", func(i int, x, y float64) (float64, float64) { return x + 0.7*float64(i), y + 1.1*float64(i) }, 0, 0.25},
		{"what comes nearer", func(i int, x, y float64) (float64, float64) {
			s := math.Pow(0.99, float64(i))
			return 63.5 + s*(x-63.5), 47.5 + s*(y-47.5)
		}, 0, 0.4},
		{"by whole pixels", whole, 0.95, 1.05},
		{"still", func(_ int, x, y float64) (float64, float64) { return x, y }, 0.95, 1.05},
	} {
		f := filmOf(t, drawn.NewWaves(rand.New(rand.NewPCG(1, 3)), 3, 24), 7, c.where)
		alone := motion.Sequence{Sequence: data.Sequence{Examples: []int{3}, Times: []float64{3}}}
		if ratio := f.error(f.Motion.Sequences[0], 3) / f.error(alone, 0); !(ratio >= c.least && ratio <= c.most) {
			t.Errorf("%s: %.3f of the error of the frame by itself, want %v to %v", c.name, ratio, c.least, c.most)
		}
	}
}

// A frame that is left out says nothing of those beside it, and frames of other shots do not either.
func TestSuperResolutionLeavesOut(t *testing.T) {
	w := drawn.NewWaves(rand.New(rand.NewPCG(1, 4)), 3, 24)
	film := func(other int) resolvedFilm {
		return filmOf(t, w, 9, func(i int, x, y float64) (float64, float64) {
			if i == other {
				return y - 300, x + 200
			}
			return x + 0.7*float64(i), y + 0.3*float64(i)
		})
	}
	same := func(a, b resolvedFilm, s motion.Sequence, place, without int) bool {
		return slices.Equal(Sharp(a.Frames, a.detail, s, place, without, 128).Data, Sharp(b.Frames, b.detail, s, place, without, 128).Data)
	}
	a, b := film(-1), film(3)
	content, err := a.Frames.Encode()
	if err != nil {
		t.Fatal(err)
	}
	const frameBytes = 2 * 64 * 48
	content = slices.Clone(content)
	for k := len(content) - 6*frameBytes; k < len(content)-5*frameBytes; k++ { // frame 3 of 9
		content[k] /= 2
	}
	b.Frames = new(motion.Frames)
	if err := b.Frames.Decode(content); err != nil {
		t.Fatal(err)
	}
	b.detail = a.detail
	s := a.Motion.Sequences[0]
	if !same(a, b, s, 2, 3) || !same(a, b, s, 4, 3) {
		t.Error("a frame that is left out changes those beside it")
	}
	if same(a, b, s, 2, -1) {
		t.Error("a frame changes nothing beside it where it is known")
	}
	if same(a, b, s, 7, -1) || !same(a, b, s, 8, -1) {
		t.Error("frames four away change another one, those farther away do not")
	}
	a.Frames.Cache, b.Frames.Cache = nil, nil
	shot := motion.Sequence{Sequence: data.Sequence{Examples: s.Examples[:3], Times: s.Times[:3]}}
	if !same(a, b, shot, 2, -1) {
		t.Error("a frame changes one of another shot")
	}
	plain := *a.detail
	plain.Energy = nil
	for _, c := range []struct {
		d     *Detail
		width int
	}{{&plain, 128}, {a.detail, 64}, {a.detail, 32}} {
		if p := Sharp(a.Frames, c.d, s, 2, -1, c.width); p.Finer != 1 || p.Width != 64 {
			t.Errorf("%d pixels across are sampled from %d, %v times as fine", c.width, p.Width, p.Finer)
		}
	}
}

// The way from one frame to another leads over every second one between, and not over one that is left out. Each step leads there and back.
func TestWay(t *testing.T) {
	f := &motion.Frames{Head: motion.Head{Width: 8, Height: 8, Channels: 1}, Cache: new(motion.Cache)}
	s := motion.Sequence{Sequence: data.Sequence{Examples: []int{0, 1, 2, 3, 4, 5, 6, 7, 8}}}
	for _, c := range []struct {
		place, other, without int
		want                  [][2]int // the frames of each step, the one of each pair that comes first in time
	}{
		{4, 5, -1, [][2]int{{4, 5}}}, {4, 6, -1, [][2]int{{4, 6}}}, {4, 7, -1, [][2]int{{6, 7}, {4, 6}}}, {4, 8, -1, [][2]int{{6, 8}, {4, 6}}},
		{4, 0, -1, [][2]int{{0, 2}, {2, 4}}}, {4, 7, 5, [][2]int{{4, 7}}}, {4, 8, 6, [][2]int{{7, 8}, {4, 7}}}, {4, 1, 2, [][2]int{{1, 4}}},
	} {
		for a := range 9 {
			for b := range a { // flows that tell their frames
				f.Cache.Flows(b, a, func() motion.PairFlow {
					return motion.PairFlow{There: opticalflow.Flow{Width: 10*b + a}, Back: opticalflow.Flow{Width: -10*b - a}}
				})
			}
		}
		way := wayTo(f, s, c.place, c.other, c.without)
		var got [][2]int
		for _, step := range way {
			w := step.There.Width
			if step.Back.Width != -w || (w > 0) != (c.other < c.place) {
				t.Errorf("from %d to %d: flows %d and %d", c.other, c.place, w, step.Back.Width)
			}
			got = append(got, [2]int{max(w, -w) / 10, max(w, -w) % 10})
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("from %d to %d but for %d: %v, want %v", c.other, c.place, c.without, got, c.want)
		}
	}
}

// The finer pixels that a pixel of training covers are as much of it as they overlap.
func TestCovered(t *testing.T) {
	const n = 12 // finer pixels
	for _, c := range []struct {
		x    float64
		want []float64 // from the first one on, in parts of a half
		from int
	}{{0, []float64{1, 1, 0}, 0}, {2.25, []float64{0.5, 1, 0.5}, 4}, {2.5, []float64{1, 1, 0}, 5}, {4.75, []float64{0.5, 1, 0.5}, 9}, {5, []float64{0, 1, 1}, 9}} {
		first, part, ok := covered(c.x, n)
		if !ok || int(first) != c.from || float64(part) != c.want[0] || 1-float64(part) != c.want[2] {
			t.Errorf("around %v: %v from %d, %v", c.x, part, first, ok)
		}
	}
	for _, x := range []float64{-0.01, 5.01, 100, math.Inf(1), math.NaN()} {
		if _, _, ok := covered(x, n); ok {
			t.Errorf("around %v: inside", x)
		}
	}
}

// The equations are those of the matrices written out, and a picture is improved to their solution.
func TestShownSystem(t *testing.T) {
	const width, height, channels = 9, 37, 2 // finer pixels, of three bands
	rng := rand.New(rand.NewPCG(1, 5))
	x := &shownPixels{bands: make([][]shownPixel, 3), texture: 2}
	m := frame.NewImage[float32](width, height, channels)
	for k := range m.Data {
		m.Data[k] = float32(rng.NormFloat64())
	}
	size := width * height
	normal, right := mat.New(size, size), [channels][]float64{make([]float64, size), make([]float64, size)}
	for i := range size {
		normal.Set(i, i, 1)
	}
	for range 400 {
		p := shownPixel{column: int32(rng.IntN(width - 2)), row: int32(rng.IntN(height - 2)), across: rng.Float32(), down: rng.Float32(), value: len(x.values), evidence: rng.Float32(), unlike: rng.Float32()}
		x.values = append(x.values, float32(rng.NormFloat64()), float32(rng.NormFloat64()))
		x.bands[p.row/bandRows] = append(x.bands[p.row/bandRows], p)
		mean, weight := make([]float64, size), float64(p.evidence)/(shownNoise*2+float64(p.unlike))
		for j, b := range [3]float64{float64(p.down) / 2, 0.5, (1 - float64(p.down)) / 2} {
			for i, a := range [3]float64{float64(p.across) / 2, 0.5, (1 - float64(p.across)) / 2} {
				mean[(int(p.row)+j)*width+int(p.column)+i] = a * b
			}
		}
		for i, a := range mean {
			if a == 0 {
				continue
			}
			for j, b := range mean {
				normal.Row(i)[j] += weight * a * b
			}
			for c := range channels {
				e := float64(x.values[p.value+c])
				for j, b := range mean {
					e -= b * float64(m.Data[j*channels+c])
				}
				right[c][i] += weight * a * e
			}
		}
	}
	s := newShownSystem(x, m)
	diagonal := make([]float32, len(m.Data))
	s.diagonal(diagonal)
	for k, v := range diagonal {
		if want := normal.At(k/channels, k/channels) - 1; math.Abs(float64(v)-want) > 1e-5*(1+want) {
			t.Fatalf("diagonal %d: %v, want %v", k, v, want)
		}
	}
	f, err := chol.Factorize(normal)
	if err != nil {
		t.Fatal(err)
	}
	improved := m
	improved.Data = slices.Clone(m.Data)
	x.improve(improved, 0.5)
	var miss, most float64
	for c := range channels {
		f.Solve(mat.Vector(right[c]))
		for k, want := range right[c] {
			got := float64(improved.Data[k*channels+c]-m.Data[k*channels+c]) / 0.5
			miss, most = max(miss, math.Abs(got-want)), max(most, math.Abs(want))
		}
	}
	if !(miss < 0.02*most) {
		t.Errorf("solution missed by %v of %v", miss, most)
	}
	(&shownPixels{bands: x.bands}).improve(improved, 1) // plain areas: nothing to divide by
	for _, v := range improved.Data {
		if v-v != 0 {
			t.Fatal("plain areas become no numbers")
		}
	}
}
