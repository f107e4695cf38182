package sgplvm

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// A filmKind draws the frame at a time, channel by channel, at a point in pixels of filmWidth×filmHeight.
type filmKind struct {
	name     string
	channels int
	at       func(t, x, y float64, c int) float64
}

func texture(u, v float64) float64 {
	return 100 + 30*math.Sin(0.9*u+0.4*v) + 25*math.Cos(0.7*v-0.5*u) + 20*math.Sin(0.23*u*math.Cos(0.05*v))
}

// grain is noise of variance 1.
func grain(t, x, y float64) float64 {
	return rand.New(rand.NewPCG(math.Float64bits(t), uint64(1000*x+y))).NormFloat64()
}

// filmKinds are films with known motion.
var filmKinds = []filmKind{
	{"rotation", 1, func(t, x, y float64, c int) float64 {
		a, dx, dy := 0.06*t, x-16, y-12
		return texture(dx*math.Cos(a)-dy*math.Sin(a), dx*math.Sin(a)+dy*math.Cos(a))
	}},
	{"zoom in colour", 3, func(t, x, y float64, c int) float64 {
		s := math.Exp(-0.02 * t)
		return texture(s*(x-16)+float64(3*c), s*(y-12))
	}},
	{"a cut", 1, func(t, x, y float64, c int) float64 {
		if t > 9.5 {
			return texture(y+50, x-0.3*t) + 40
		}
		return texture(x-0.3*t, y)
	}},
	{"standing still", 1, func(t, x, y float64, c int) float64 { return texture(x, y) + 0.3*grain(t, x, y) }},
}

// drawKind returns frames at some times.
func drawKind(k filmKind, times []float64) (v []float64) {
	for _, t := range times {
		for y := range filmHeight {
			for x := range filmWidth {
				for c := range k.channels {
					v = append(v, k.at(t, float64(x), float64(y), c))
				}
			}
		}
	}
	return v
}

// halfWay returns the mean of the frames at two times.
func halfWay(k filmKind, a, b float64) []float64 {
	mean, other := drawKind(k, []float64{a}), drawKind(k, []float64{b})
	for i, v := range other {
		mean[i] = 0.5 * (mean[i] + v)
	}
	return mean
}

// fitKind fits a film to frames at some times.
func fitKind(t *testing.T, k filmKind, times []float64) *Model {
	t.Helper()
	m, _, err := Fit(context.Background(), Data{Source: NewSource(drawKind(k, times), len(times), filmWidth*filmHeight, k.channels),
		Grid: pixelsOf(filmWidth, filmHeight, 1), Times: times, Film: true}, Config{Effort: EffortQuick, Training: TrainingConfig{Iterations: 25}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// frameKind returns what a model predicts at a time, in pixels of a size.
func frameKind(t *testing.T, m *Model, time float64, g Grid) Prediction {
	t.Helper()
	l, err := m.LatentAt(0, []float64{time})
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.Predict(l[0], g)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range p.Variance.Data {
		if w := p.Mean.Data[i]; !(v > 0) || math.IsInf(v, 0) || w-w != 0 {
			t.Fatalf("time %v, value %d: %v with variance %v", time, i, w, v)
		}
	}
	return p
}

// Films of all kinds are predicted between their frames no worse than by linear interpolation, beyond them by about
// the nearest frame with larger variances, and in pixels of any size.
func TestFilmKinds(t *testing.T) {
	if testing.Short() {
		t.Skip("four films to learn")
	}
	for _, k := range filmKinds {
		t.Run(k.name, func(t *testing.T) {
			var times []float64
			for i := range 10 {
				times = append(times, float64(2*i))
			}
			m := fitKind(t, k, times)
			var own, linear float64
			for _, time := range []float64{3, 5, 9, 13, 15} {
				truth := drawKind(k, []float64{time})
				own += distance(frameKind(t, m, time, nil).Mean.Data, truth)
				linear += distance(halfWay(k, time-1, time+1), truth)
			}
			if own > 1.02*linear+0.5 {
				t.Errorf("error %v, that of linear interpolation is %v", own/5, linear/5)
			}
			ends := drawKind(k, []float64{0, 18})
			inside := average(frameKind(t, m, 9, nil).Variance.Data)
			for e, end := range []float64{0, 18} {
				near := frameKind(t, m, end+2*float64(2*e-1), nil)
				far := frameKind(t, m, end+40*float64(2*e-1), nil)
				frame := ends[e*len(ends)/2 : (e+1)*len(ends)/2]
				if d := math.Abs(average(far.Mean.Data) - average(frame)); d > 4 {
					t.Errorf("long beyond the end %v the brightness is off by %v", end, d)
				}
				if d := distance(far.Mean.Data, frame); d > 6 {
					t.Errorf("long beyond the end %v the nearest frame is off by %v", end, d)
				}
				if v, w := average(near.Variance.Data), average(far.Variance.Data); k.name != "standing still" && k.name != "a cut" && !(w > 0.99*v && w > inside) {
					t.Errorf("variance %v beyond the end %v, %v long beyond it, %v between frames", v, end, w, inside)
				}
			}
			// Odd sizes: finer, and coarser than those of training.
			same := frameKind(t, m, 5, nil).Mean.Data
			for _, s := range [][2]int{{45, 31}, {16, 12}} {
				p := frameKind(t, m, 5, sizedGrid(s[0], s[1]))
				if d := math.Abs(average(p.Mean.Data) - average(same)); d > 1.5 {
					t.Errorf("%d×%d pixels are off by %v in the mean", s[0], s[1], d)
				}
			}
			coarse := frameKind(t, m, 5, sizedGrid(filmWidth/2, filmHeight/2)).Mean
			for i := range coarse.Rows {
				x, y := 2*(i%(filmWidth/2)), 2*(i/(filmWidth/2))
				at := func(x, y int) float64 { return same[(y*filmWidth+x)*k.channels] }
				if want := (at(x, y) + at(x+1, y) + at(x, y+1) + at(x+1, y+1)) / 4; math.Abs(coarse.At(i, 0)-want) > 1e-9*math.Abs(want) {
					t.Fatalf("pixel %d of half the size: %v, want the mean of four, %v", i, coarse.At(i, 0), want)
				}
			}
		})
	}
}

// sizedGrid returns width×height pixels that cover those of the test films.
func sizedGrid(width, height int) Grid {
	g := Grid{line(height), line(width)}
	for f, n := range []int{filmHeight, filmWidth} {
		for i := range g[f].Data {
			g[f].Data[i] = (g[f].Data[i]+0.5)*float64(n)/float64(g[f].Rows) - 0.5
		}
	}
	return g
}

// Of two frames each shows what the other misses.
func TestFillTwoFrames(t *testing.T) {
	k, times := filmKinds[0], []float64{0, 1}
	truth := drawKind(k, times)
	v := slices.Clone(truth)
	hidden := func(i int) bool {
		frame, x, y := i/(filmWidth*filmHeight), i%filmWidth, i/filmWidth%filmHeight
		return x >= 8+8*frame && x < 14+8*frame && y >= 6 && y < 14
	}
	for i := range v {
		if hidden(i) {
			v[i] = math.NaN()
		}
	}
	d := Data{Source: NewSource(v, 2, filmWidth*filmHeight, 1), Grid: pixelsOf(filmWidth, filmHeight, 1), Times: times, Film: true}
	c, err := Complete(context.Background(), d, Config{Effort: EffortQuick, Training: TrainingConfig{Iterations: 25}})
	if err != nil {
		t.Fatal(err)
	}
	var own, square float64
	for i, v := range truth {
		if hidden(i) {
			own += (c.Mean.Data[i] - v) * (c.Mean.Data[i] - v)
			square += (v - average(truth)) * (v - average(truth))
		}
	}
	if own > 0.01*square {
		t.Errorf("what is missing is %v off, in the mean square, where its variance is %v", own, square)
	}
}
