package motion

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/drawn"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// shotsOf returns the shots that are found.
func shotsOf(t *testing.T, film, times []float64) []Sequence {
	t.Helper()
	return keptFrames(t, film).shots(SequencesOf(times, nil))
}

// keptFrames returns the frames of a film of drawn.Width×drawn.Height pixels.
func keptFrames(t *testing.T, film []float64) *Frames {
	t.Helper()
	size := drawn.Width * drawn.Height
	f, err := Keep(t.Context(), field.NewSource(film, len(film)/size, size, 1), drawn.Width, drawn.Height)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A film is cut where frames have nothing to do with one another, and nowhere else: neither where contents move fast and
// evenly, nor where only the brightness changes, nor where no frame is like another. A single frame between two cuts is a shot.
func TestShots(t *testing.T) {
	times := drawn.Times(9, 1)
	size := drawn.Width * drawn.Height
	flash := drawn.Cut(times, 4, drawn.Rotation)
	copy(flash[5*size:], drawn.Film(times, drawn.Width, drawn.Height, 1, drawn.Rotation)[5*size:])
	brighter := drawn.Film(times, drawn.Width, drawn.Height, 1, drawn.Rotation)
	for k := 5 * size; k < len(brighter); k++ {
		brighter[k] = 1.5*brighter[k] + 30
	}
	fast := drawn.Cut(times, 4, func(t, u, v float64) (x, y float64) { return u + 0.09*t, v })
	rng := rand.New(rand.NewPCG(7, 1))
	noise := make([]float64, 9*size)
	for k := range noise {
		noise[k] = rng.NormFloat64()
	}
	for _, c := range []struct {
		name string
		film []float64
		want []int // frames of each shot
	}{
		{"a cut where contents move fast", fast, []int{4, 5}},
		{"nothing that lasts", noise, []int{9}},
		{"one shot", drawn.Film(times, drawn.Width, drawn.Height, 1, drawn.Rotation), []int{9}},
		{"a cut", drawn.Cut(times, 4, drawn.Rotation), []int{4, 5}},
		{"a single frame", flash, []int{4, 1, 4}},
		{"another brightness", brighter, []int{9}},
		{"nothing at all", make([]float64, 9*size), []int{9}},
	} {
		var got []int
		for _, s := range shotsOf(t, c.film, times) {
			got = append(got, len(s.Examples))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: shots of %v frames, want %v", c.name, got, c.want)
		}
	}
	plain, bright := keptFrames(t, drawn.Film(times, drawn.Width, drawn.Height, 1, drawn.Rotation)).coarse(), keptFrames(t, brighter).coarse()
	if a, b := unlikeness(bright[4], bright[5]), unlikeness(plain[4], plain[5]); math.Abs(a-b) > 1e-3 {
		t.Errorf("frames are unlike by %v where they change in brightness too, by %v without", a, b)
	}
	for name, m := range map[string]drawn.Move{"moves": func(t, u, v float64) (x, y float64) { return u + 0.07*t, v }} {
		far := drawn.Film(slices.Concat(drawn.Times(5, 0.1), []float64{4, 4.1, 4.2, 4.3}), drawn.Width, drawn.Height, 1, m)
		if shots := shotsOf(t, far, times); len(shots) != 1 {
			t.Errorf("%d shots where the picture %s far between two frames", len(shots), name)
		}
	}
	times[4] = times[3] // views of one moment
	if shots := shotsOf(t, drawn.Cut(times, 4, drawn.Rotation), times); len(shots) != 1 {
		t.Errorf("%d shots where the frames beside a cut have one time", len(shots))
	}
}

// Shots come back from their file, in their order; whatever is wrong in it is refused by name.
func TestShotsOfFile(t *testing.T) {
	times := drawn.Times(9, 1)
	m, err := Find(t.Context(), keptFrames(t, drawn.Cut(times, 4, drawn.Rotation)), times, nil)
	if err != nil || len(m.Sequences) != 2 {
		t.Fatalf("%v, error %v", m, err)
	}
	text, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	back := new(Motion)
	if err := back.Decode(text); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(m, back); d != "" {
		t.Errorf("read back (-want +got):\n%s", d)
	}
	m.Sequences[0], m.Sequences[1] = m.Sequences[1], m.Sequences[0]
	if text, err = m.Encode(); err != nil || back.Decode(text) == nil {
		t.Errorf("shots in the wrong order are read (%v)", err)
	}
	const good = `{"width":4,"height":2,"sequences":[{"label":0,"examples":[1,0],"times":[0,1]}]}`
	if err := back.Decode([]byte(good)); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][3]string{
		{`"width":4`, `"width":0`, "side of a frame 0,"}, {`"height":2`, `"height":100000`, "side of a frame 100000,"}, {`"width":4`, `"width":1e99`, "number 1e99"},
		{`[1,0]`, `[1,1]`, "frame 1, expected each of 2 once"}, {`[1,0]`, `[-1,0]`, "frame -1, expected each of 2 once"}, {`[1,0]`, `[0]`, "1 frames and 2 times"},
		{`"times":[0,1]`, `"times":[1,0]`, "the times do not increase"}, {`"label":0`, `"label":3000000000`, "3000000000"}, {`[{"label":0`, `[],"x":[{"label":0`, "sequences: no frames"}, {good, `{`, "syntax"},
	} {
		m := Motion{Width: 77}
		err := m.Decode([]byte(strings.Replace(good, c[0], c[1], 1)))
		if err == nil || !strings.HasPrefix(err.Error(), "film: attached motion: ") || !strings.Contains(err.Error(), c[2]) || m.Width != 77 {
			t.Errorf("%s for %s: error %v, expected %q", c[1], c[0], err, c[2])
		}
	}
}

// A time between two shots is in either, the more likely the nearer it is; any other time is in one.
func TestMoments(t *testing.T) {
	shot := func(label int, times ...float64) Sequence {
		return Sequence{Sequence: data.Sequence{Label: label, Examples: make([]int, len(times)), Times: times}}
	}
	m := &Motion{Sequences: []Sequence{shot(0, 0, 1, 2), shot(0, 4), shot(0, 4, 5), shot(3, 0, 9)}}
	for _, c := range []struct {
		at    data.Instant
		first []float64 // the times of the shots' first frames
		want  []float64 // their chances
	}{
		{data.Instant{Time: 1.5}, []float64{0}, []float64{1}}, {data.Instant{Time: 2}, []float64{0}, []float64{1}},
		{data.Instant{Time: 2.5}, []float64{0, 4}, []float64{0.75, 0.25}}, {data.Instant{Time: 3}, []float64{0, 4}, []float64{0.5, 0.5}},
		{data.Instant{Time: 3.5}, []float64{0, 4}, []float64{0.25, 0.75}}, {data.Instant{Time: 4}, []float64{4}, []float64{1}},
		{data.Instant{Time: -1}, []float64{0}, []float64{1}}, {data.Instant{Time: 7}, []float64{4}, []float64{1}},
		{data.Instant{Time: 3, Sequence: 3}, []float64{0}, []float64{1}},
	} {
		all, err := m.Moments(c.at)
		if err != nil || len(all) != len(c.want) {
			t.Fatalf("%v: %d moments, want %d, error %v", c.at, len(all), len(c.want), err)
		}
		for i, x := range all {
			if x.Chance != c.want[i] || x.Shot.Times[0] != c.first[i] || x.Shot.Label != c.at.Sequence || x.Time != c.at.Time || x.Without != -1 {
				t.Errorf("%v: moment %d is %+v, want the shot from %v with %v", c.at, i, x, c.first[i], c.want[i])
			}
		}
	}
	if k := shotAt(m.Sequences[:3], 3); k != 0 {
		t.Errorf("half way between two shots the time is in shot %d, want the first", k)
	}
	if _, err := m.Moments(data.Instant{Sequence: 1}); err == nil {
		t.Error("an unknown sequence: no error")
	}
	m.Sequences[0].Examples, m.Sequences[1].Examples = []int{0, 1, 2}, []int{3}
	if m.LeftOut(1).Alone() || !m.LeftOut(3).Alone() {
		t.Error("a frame is alone in its shot, or not")
	}
}

// Of two frames of which one is right, mean and variance are those of numbers drawn from either.
func TestBlend(t *testing.T) {
	f, g := frame.New(1, 1, 1), frame.New(1, 1, 1)
	f.Mean.Data[0], f.Variance.Data[0], g.Mean.Data[0], g.Variance.Data[0] = 3, 4, 8, 1
	f.Blend(g, 0.3)
	if m, v := f.Mean.Data[0], f.Variance.Data[0]; math.Abs(m-(0.7*3+0.3*8)) > 1e-12 || math.Abs(v-(0.7*(4+9)+0.3*(1+64)-m*m)) > 1e-12 {
		t.Errorf("mean %v, variance %v", m, v)
	}
}

// The frames beside one are those before and after it, the nearest first, but for the one that is left out.
func TestBeside(t *testing.T) {
	s := Sequence{Sequence: data.Sequence{Examples: []int{10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20}}}
	for _, c := range []struct {
		place, without int
		want           []int
	}{{5, -1, []int{4, 3, 2, 1, 6, 7, 8, 9}}, {5, 16, []int{4, 3, 2, 1, 7, 8, 9, 10}}, {4, 11, []int{3, 2, 0, 5, 6, 7, 8}}, {0, -1, []int{1, 2, 3, 4}}, {10, 19, []int{8, 7, 6, 5}}} {
		if got := s.Beside(c.place, c.without, 4); !slices.Equal(got, c.want) {
			t.Errorf("beside %d but for %d: %v, want %v", c.place, c.without, got, c.want)
		}
	}
}
