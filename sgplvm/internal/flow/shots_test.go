package flow

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// cutFilm draws frames of which those from one on show something else, darker and mirrored.
func cutFilm(times []float64, from int, m move) []float64 {
	film := draw(times, testWidth, testHeight, 1, m)
	for k := from * testWidth * testHeight; k < len(film); k += testWidth {
		slices.Reverse(film[k : k+testWidth])
		for x := range testWidth {
			film[k+x] = 40 - 0.9*film[k+x]
		}
	}
	return film
}

// shotsOf returns the shots that Fit finds first.
func shotsOf(t *testing.T, film, times []float64) []sequence {
	t.Helper()
	p, err := load(context.Background(), data.NewSource(film, len(times), testWidth*testHeight, 1), testWidth, testHeight, maxPixels)
	if err != nil {
		t.Fatal(err)
	}
	return p.shots(sequencesOf(times, nil))
}

// A film is cut where frames have nothing to do with one another, and nowhere else: neither where contents move fast and
// evenly, nor where only the brightness changes, nor where no frame is like another. A single frame between two cuts is a shot.
func TestShots(t *testing.T) {
	times := line(9, 1)
	size := testWidth * testHeight
	flash := cutFilm(times, 4, rotation)
	copy(flash[5*size:], draw(times, testWidth, testHeight, 1, rotation)[5*size:])
	brighter := draw(times, testWidth, testHeight, 1, rotation)
	for k := 5 * size; k < len(brighter); k++ {
		brighter[k] = 1.5*brighter[k] + 30
	}
	fast := cutFilm(times, 4, func(t, u, v float64) (x, y float64) { return u + 0.09*t, v })
	p, err := load(context.Background(), data.NewSource(fast, 9, size, 1), testWidth, testHeight, maxPixels)
	if err != nil {
		t.Fatal(err)
	}
	if level := p.levels[len(p.levels)-1]; !(unlikeness(level[3], level[4]) < cutRatio*unlikeness(level[0], level[1])) {
		t.Fatalf("frames beside a cut are too unlike beside others: %v and %v", unlikeness(level[3], level[4]), unlikeness(level[0], level[1]))
	}
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
		{"one shot", draw(times, testWidth, testHeight, 1, rotation), []int{9}},
		{"a cut", cutFilm(times, 4, rotation), []int{4, 5}},
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
	for name, m := range map[string]move{
		"moves": func(t, u, v float64) (x, y float64) { return u + 0.07*t, v },
		"turns": func(t, u, v float64) (x, y float64) {
			sin, cos := math.Sincos(0.15 * t)
			return 0.5 + (u-0.5)*cos - (v-0.375)*sin, 0.375 + (u-0.5)*sin + (v-0.375)*cos
		},
	} {
		far := draw(slices.Concat(line(5, 0.1), []float64{4, 4.1, 4.2, 4.3}), testWidth, testHeight, 1, m)
		p, err := load(context.Background(), data.NewSource(far, 9, size, 1), testWidth, testHeight, maxPixels)
		if err != nil {
			t.Fatal(err)
		}
		if level := p.levels[len(p.levels)-1]; !(unlikeness(level[4], level[5]) > leastCut) || !(unlikeness(level[3], level[4]) < leastCut/cutRatio) {
			t.Fatalf("frames that are far apart are too much alike where the picture %s: %v and %v", name, unlikeness(level[4], level[5]), unlikeness(level[3], level[4]))
		}
		if shots := shotsOf(t, far, times); len(shots) != 1 {
			t.Errorf("%d shots where the picture %s far between two frames", len(shots), name)
		}
	}
	times[4] = times[3] // views of one moment
	if shots := shotsOf(t, cutFilm(times, 4, rotation), times); len(shots) != 1 {
		t.Errorf("%d shots where the frames beside a cut have one time", len(shots))
	}
}

// Nothing is interpolated across a cut: at a time between two shots one of them goes on, and a frame that is left out
// beside a cut is predicted from its own shot. The motion comes back from its file with its shots.
func TestNothingAcrossCut(t *testing.T) {
	times := line(9, 1)
	size := testWidth * testHeight
	film := cutFilm(times, 4, rotation)
	m := mustFit(t, film, times, 1, nil, Options{Nodes: []int{5}, Strengths: []float64{1e-3}, Gain: -1})
	text, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	back := new(Motion)
	if err := back.Decode(text); err != nil {
		t.Fatal(err)
	}
	frames, err := m.TrainingFrames(context.Background(), data.NewSource(film, len(times), size, 1))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []*Motion{m, back} {
		for _, c := range []struct {
			time          float64
			without, want int
			beyond        float64
		}{{3.4, -1, 3, 0.4}, {3.6, -1, 4, 0.4}, {3, 3, 2, 1}, {4, 4, 5, 1}, {8.5, -1, 8, 0.5}} {
			o := frames.Others(new(Detail), momentAt(t, m, c.time, c.without), testWidth, testHeight)
			if math.Abs(o.beyond-c.beyond) > 1e-12 {
				t.Errorf("time %v without %d: %v beyond, want %v", c.time, c.without, o.beyond, c.beyond)
			}
			for _, mean := range o.means {
				for k, v := range mean.data {
					if math.Abs(v-film[c.want*size+k]) > 1e-2 {
						t.Fatalf("time %v without %d: value %d is %v, want %v of frame %d", c.time, c.without, k, v, film[c.want*size+k], c.want)
					}
				}
			}
		}
	}
	both, err := m.Fields(0, []float64{5, 1, 6})
	if err != nil {
		t.Fatal(err)
	}
	for i, time := range []float64{5, 1, 6} {
		one, err := m.Fields(0, []float64{time})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(one[0].Mean, both[i].Mean) {
			t.Errorf("time %v has another field among others", time)
		}
	}
	m.sequences[0], m.sequences[1] = m.sequences[1], m.sequences[0]
	if text, err = m.Encode(); err != nil || back.Decode(text) == nil {
		t.Errorf("shots in the wrong order are read (%v)", err)
	}
}

// A time between two shots is in either, the more likely the nearer it is; any other time is in one.
func TestMoments(t *testing.T) {
	shot := func(label int, times ...float64) sequence {
		return sequence{Sequence: data.Sequence{Label: label, Examples: make([]int, len(times)), Times: times}}
	}
	m := &Motion{sequences: []sequence{shot(0, 0, 1, 2), shot(0, 4), shot(0, 4, 5), shot(3, 0, 9)}}
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
			if x.Chance != c.want[i] || x.shot.Times[0] != c.first[i] || x.shot.Label != c.at.Sequence || x.time != c.at.Time || x.without != -1 {
				t.Errorf("%v: moment %d is %+v, want the shot from %v with %v", c.at, i, x, c.first[i], c.want[i])
			}
		}
	}
	if k := shotAt(m.sequences[:3], 3); k != 0 {
		t.Errorf("half way between two shots the time is in shot %d, want the first", k)
	}
	if _, err := m.Moments(data.Instant{Sequence: 1}); err == nil {
		t.Error("an unknown sequence: no error")
	}
	m.sequences[0].Examples, m.sequences[1].Examples = []int{0, 1, 2}, []int{3}
	if m.LeftOut(1).Alone() || !m.LeftOut(3).Alone() {
		t.Error("a frame is alone in its shot, or not")
	}
}

// Of two frames of which one is right, mean and variance are those of numbers drawn from either.
func TestBlend(t *testing.T) {
	f, g := NewFrame(1, 1, 1), NewFrame(1, 1, 1)
	f.Mean.Data[0], f.Variance.Data[0], g.Mean.Data[0], g.Variance.Data[0] = 3, 4, 8, 1
	f.Blend(g, 0.3)
	if m, v := f.Mean.Data[0], f.Variance.Data[0]; math.Abs(m-(0.7*3+0.3*8)) > 1e-12 || math.Abs(v-(0.7*(4+9)+0.3*(1+64)-m*m)) > 1e-12 {
		t.Errorf("mean %v, variance %v", m, v)
	}
}

// Paths of two shots have nothing to do with one another, and each is what its own shot says.
func TestPathsAcrossCut(t *testing.T) {
	times := line(9, 1)
	m := mustFit(t, cutFilm(times, 4, rotation), times, 1, nil, Options{Nodes: []int{5}, Strengths: []float64{1e-3}, Gain: -1})
	at := []float64{1.5, 6.5, 2.5, 7.5}
	paths, err := m.FieldPaths(0, at, 3, func(k int) func() float64 {
		x := float64(k)
		return func() float64 { x = math.Mod(7.3*x+1.1, 2); return x - 1 }
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range paths {
		if len(p) != len(at) {
			t.Fatalf("%d fields for %d times", len(p), len(at))
		}
		for i := range p {
			if !m.lattice.valid(p[i].Mean) {
				t.Errorf("the field at %v folds", at[i])
			}
		}
	}
}
