package mixture

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/internal/opticalflow"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/detail"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/drawn"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/filmtest"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/motion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/training"
)

// unsteady returns frames at some times, a picture with so much grain of its own in each, with flows between neighbours that are waves of up to three pixels and lead back to a fifth of a pixel or so, and of some speed.
func unsteady(t *testing.T, times []float64, grain, speed float64) (*training.Frames, motion.Sequence) {
	const width, height, channels = 14, 11, 2
	rng := rand.New(rand.NewPCG(7, 3))
	values := make([]float64, len(times)*width*height*channels)
	for k := range values {
		values[k] = drawn.Pattern(float64(k/channels%width)/width, float64(k/channels/width%height)/width, k%channels) + grain*rng.NormFloat64()
	}
	m := filmtest.Still(width, height, times)
	f := filmtest.Keep(t, m, data.NewSource(values, len(times), width*height, channels))
	for i := range times[1:] {
		flow := func(sign float64) opticalflow.Flow {
			to := opticalflow.Flow{Width: width, Height: height, Right: make([]float32, width*height), Down: make([]float32, width*height)}
			for k := range to.Right {
				x, y := float64(k%width), float64(k/width)
				to.Right[k] = float32(speed * (sign*(1.5+1.5*math.Sin(0.3*x+0.2*y)) + 0.2*rng.NormFloat64()))
				to.Down[k] = float32(speed * (sign*math.Cos(0.25*x-0.3*y) + 0.2*rng.NormFloat64()))
			}
			return to
		}
		f.Cache.Flows(i, i+1, func() motion.PairFlow { return motion.PairFlow{There: flow(1), Back: flow(-1)} })
	}
	return f, m.Sequences[0]
}

// What hypotheses make of an interpolation is their mean and their variance as the formula has them, point by point.
func TestHypotheses(t *testing.T) {
	times := []float64{0, 2, 3, 4.5}
	for _, c := range []struct {
		time    float64
		bending bool
		grain   float64
		speed   float64
	}{{2.3, false, 60, 1}, {2.6, true, 60, 1}, {0.5, false, 3, 1}, {4, true, 3, 1}, {2.4, false, 1, 0.1}} {
		f, s := unsteady(t, times, c.grain, c.speed)
		at, x := c.time, motion.Moment{Shot: s, Time: c.time, Without: -1}
		around := x.Neighbours()
		first, second, w := around[0].Place, around[1].Place, around[1].Weight
		flows := f.FlowsBetween(first, second)
		var bends [2]*bend
		if c.bending {
			bends = bendsAround(f, x, around, flows)
		}
		var pictures []training.SharpPicture
		for i := range times {
			pictures = append(pictures, training.SharpPicture{Image: detail.SplineOf(f, i, detail.Sharpening{}, 0), Finer: 1})
		}
		path := newDense(w, pictures[first], pictures[second], flows, bends)
		var scale float64
		for _, v := range f.Variances() {
			scale += v / frame.Square(f.Step) / 2
		}
		differ := func(p, q []float64) float64 { return (frame.Square(p[0]-q[0]) + frame.Square(p[1]-q[1])) / 2 / scale }
		show := func(i int, x, y float64) []float64 {
			v := make([]float64, 2)
			pictures[i].At(v, x, y)
			return v
		}
		// Of the pixel (x, y), what a hypothesis misses there, its prior and what it shows: the path from frame `from` through the point (right, down) away, with the contents shown by both frames, or one.
		type shown struct {
			missed, prior float64
			value         []float64
		}
		hypothesis := func(x, y int, from int, right, down, prior float64, showing int) shown {
			near := func(v, most int) float64 { return float64(min(max(v, 0), most-1)) } // whole pixels apart
			px, py := near(x+int(right), f.Width), near(y+int(down), f.Height)
			paths := [2]detail.Path{}
			paths[0], paths[1] = path.paths(px, py)
			p := paths[from]
			ax, ay := float64(x)+p.Ax-px, float64(y)+p.Ay-py
			bx, by := float64(x)+p.Bx-px, float64(y)+p.By-py
			prior *= (p.Agreement + 0.02) * math.Exp(-p.Miss/(2*0.5*0.5))
			a, b, u, v := show(first, ax, ay), show(second, bx, by), bx-ax, by-ay
			switch {
			case showing == shownByBoth:
				return shown{differ(a, b), prior, []float64{(1-w)*a[0] + w*b[0], (1-w)*a[1] + w*b[1]}}
			case showing == shownByFirst && first > 0:
				h := (times[first] - times[first-1]) / (times[second] - times[first])
				flow := f.FlowsBetween(first-1, first)
				r, d := flow.Back.At(ax, ay)
				agree := motion.Agreement(frame.Square(u+r/h)+frame.Square(v+d/h), u, v, 0.5)
				return shown{differ(a, show(first-1, ax-h*u, ay-h*v)), 0.05 * (1 - w) * prior * agree, a}
			case showing == shownBySecond && second+1 < len(times):
				h := (times[second+1] - times[second]) / (times[second] - times[first])
				flow := f.FlowsBetween(second, second+1)
				r, d := flow.There.At(bx, by)
				agree := motion.Agreement(frame.Square(-u+r/h)+frame.Square(-v+d/h), u, v, 0.5)
				return shown{differ(b, show(second+1, bx+h*u, by+h*v)), 0.05 * w * prior * agree, b}
			}
			return shown{}
		}
		window := func(x, y int, of func(x, y int) float64) (mean float64) {
			for j := -2; j <= 2; j++ {
				for i := -2; i <= 2; i++ {
					mean += of(min(max(x+i, 0), f.Width-1), min(max(y+j, 0), f.Height-1)) / 25
				}
			}
			return mean
		}
		own := func(x, y int) (value []float64, mismatch float64) {
			value = make([]float64, 2)
			return value, path.at(value, make([]float64, 4), float64(x), float64(y)).mismatch / scale
		}
		ownMissed := func(x, y int) float64 {
			return window(x, y, func(x, y int) float64 {
				_, m := own(x, y)
				return m
			})
		}
		var all []float64
		for y := range f.Height {
			for x := range f.Width {
				all = append(all, ownMissed(x, y))
			}
		}
		slices.Sort(all)
		least := max(1e-3, all[len(all)/2]/2)
		got := hypothesize(f, x, around, flows, bends)
		var hidden float64
		for _, p := range [][2]int{{0, 0}, {13, 10}, {5, 4}, {8, 7}, {3, 9}} {
			var sum, square [2]float64
			var weights float64
			add := func(weight float64, value []float64) {
				weights += weight
				for c, v := range value {
					sum[c] += weight * v
					square[c] += weight * v * v
				}
			}
			value, _ := own(p[0], p[1])
			add(1/frame.Square(ownMissed(p[0], p[1])+least), value)
			for _, ring := range []struct{ far, prior float64 }{{3, 0.3}, {6, 0.1}} {
				for _, o := range [][2]float64{{ring.far, 0}, {-ring.far, 0}, {0, ring.far}, {0, -ring.far}} {
					for from := range 2 {
						for showing := range showings {
							h := hypothesis(p[0], p[1], from, o[0], o[1], ring.prior, showing)
							if h.prior == 0 {
								continue
							}
							missed := window(p[0], p[1], func(x, y int) float64 {
								return hypothesis(x, y, from, o[0], o[1], ring.prior, showing).missed
							})
							misfit := least
							if showing != shownByBoth {
								hidden += h.prior
								misfit = max(least, 0.03)
							}
							add(h.prior/frame.Square(missed+misfit), h.value)
						}
					}
				}
			}
			added, spread := append([]float64(nil), value...), 0.
			frame.Sample(added, got.added, float64(p[0]), float64(p[1]))
			for c := range 2 {
				mean := sum[c] / weights
				if math.Abs(value[c]+added[c]-mean) > 2e-3 {
					t.Errorf("time %v, pixel %v: %v in channel %d, want %v after %v", at, p, value[c]+added[c], c, mean, value[c])
				}
				spread += (square[c]/weights - mean*mean) / 2
			}
			if math.Abs(got.spreadAt(p[1]*f.Width+p[0])-spread) > 1e-4*spread+1e-3 {
				t.Errorf("time %v, pixel %v: hypotheses differ by %v, want %v", c.time, p, got.spreadAt(p[1]*f.Width+p[0]), spread)
			}
		}
		if !(hidden > 0) {
			t.Errorf("time %v: nothing is hidden", c.time)
		}
	}
}

// Where a disc passes before a picture there is less error beside it, and more of it where hypotheses differ; both in pixels of training and in finer ones.
func TestHypothesesOfDisc(t *testing.T) {
	const n, at, speed = 8, 3.5, 0.05
	times := drawn.Times(n, 1)
	size := drawn.Width * drawn.Height
	m := filmtest.Still(drawn.Width, drawn.Height, times)
	frames := filmtest.Keep(t, m, data.NewSource(drawn.Disc(times, speed), n, size, 1))
	truth, x := drawn.Disc([]float64{at}, speed), motion.Moment{Shot: m.Sequences[0], Time: at, Without: -1}
	plain := NewOthers(frames, &detail.Detail{Width: drawn.Width, Height: drawn.Height}, x, drawn.Width, drawn.Height)
	o := NewOthers(frames, &detail.Detail{Width: drawn.Width, Height: drawn.Height, Hypotheses: true}, x, drawn.Width, drawn.Height)
	var before, after, differs, differsMost float64
	for k, v := range truth {
		before += frame.Square(plain.means[others-1].Data[k] - v)
		after += frame.Square(o.means[others-1].Data[k] - v)
		if plain.doubts.Data[doubts*k+doubtHypotheses] != 0 {
			t.Fatal("hypotheses where there are none")
		}
		d := o.doubts.Data[doubts*k+doubtHypotheses]
		px, py := (float64(k%drawn.Width)+0.5)/drawn.Width, (float64(k/drawn.Width)+0.5)/drawn.Width
		if far := math.Hypot(px-0.3-speed*at, py-0.3-speed/2*at); far > 0.25 {
			differs = max(differs, d)
		} else {
			differsMost = max(differsMost, d)
		}
	}
	if !(after < 0.7*before) {
		t.Errorf("squared error %v, %v without hypotheses", after, before)
	}
	if !(differs < 0.1*differsMost) {
		t.Errorf("hypotheses differ by up to %v far from the disc, by up to %v beside it", differs, differsMost)
	}
	fine := NewOthers(frames, &detail.Detail{Width: drawn.Width, Height: drawn.Height, Hypotheses: true}, x, 2*drawn.Width, 2*drawn.Height)
	coarse := frame.NewImage[float64](drawn.Width, drawn.Height, 1)
	frame.DownsampleImage(coarse, fine.means[others-1])
	after = 0
	for k, v := range truth {
		after += frame.Square(coarse.Data[k] - v)
	}
	if !(after < 0.8*before) {
		t.Errorf("squared error %v in finer pixels, %v without hypotheses", after, before)
	}
}

// There are no hypotheses where the whole picture turns, where light fades and where nothing moves, and nothing is hidden behind what a frame beside shows in another light.
func TestHypothesesNone(t *testing.T) {
	f, s := unsteady(t, []float64{0, 1, 2, 3}, 60, 1)
	x := motion.Moment{Shot: s, Time: 1.5, Without: -1}
	around, flows := x.Neighbours(), f.FlowsBetween(1, 2)
	if h := hypothesize(f, x, around, flows, [2]*bend{}); len(h.added.Data) == 0 || len(h.spread.Data) == 0 {
		t.Fatal("no hypotheses")
	}
	rests := flows
	rests.There = opticalflow.Flow{Width: f.Width, Height: f.Height, Right: make([]float32, f.Width*f.Height), Down: make([]float32, f.Width*f.Height)}
	rests.Back = rests.There
	turns, fades := flows, flows
	turns.Turns, fades.Light = true, new([2]motion.Light)
	for name, flows := range map[string]motion.PairFlow{"turns": turns, "fades": fades, "rests": rests} {
		if h := hypothesize(f, x, around, flows, [2]*bend{}); len(h.added.Data) > 0 || h.spreadAt(3) != 0 {
			t.Errorf("%s: hypotheses", name)
		}
	}
	faded, others := *f, *f
	faded.Cache, others.Cache = new(training.Cache), new(training.Cache)
	for i := range 3 {
		flows := f.FlowsBetween(i, i+1)
		others.Cache.Flows(i, i+1, func() motion.PairFlow { return flows })
		if i != 1 {
			flows.Light = new([2]motion.Light)
		}
		faded.Cache.Flows(i, i+1, func() motion.PairFlow { return flows })
	}
	alone := motion.Moment{Shot: motion.SequencesOf([]float64{1, 2}, nil)[0], Time: 1.5, Without: -1}
	alone.Shot.Examples = []int{1, 2}
	got, want, with := hypothesize(&faded, x, around, flows, [2]*bend{}), hypothesize(&others, alone, alone.Neighbours(), flows, [2]*bend{}), hypothesize(&others, x, around, flows, [2]*bend{})
	if !slices.Equal(got.added.Data, want.added.Data) || slices.Equal(with.added.Data, want.added.Data) {
		t.Error("frames beside count in another light, or never")
	}
	h := &hypotheses{scale: 1}
	if missed, weight := h.evenly(0, []float64{1}, []float64{0}, 1, 1, 0, 0, 1); missed != 0 || weight != 0 {
		t.Errorf("without a frame beside, contents that one shows miss %v and weigh %v", missed, weight)
	}
}

// Hypotheses are kept for a moment, of which all is told: the frames, the one that is left out, the time and whether paths bend.
func TestHypothesesKept(t *testing.T) {
	f, s := unsteady(t, []float64{0, 1, 2, 3}, 60, 1)
	at := func(time float64, without int, bending bool) hypothesized {
		x := motion.Moment{Shot: s, Time: time, Without: without}
		around := x.Neighbours()
		flows := f.FlowsBetween(s.Examples[around[0].Place], s.Examples[around[1].Place])
		var bends [2]*bend
		if bending {
			bends = bendsAround(f, x, around, flows)
		}
		return hypothesesAt(f, x, around, flows, bends)
	}
	first := at(1.5, -1, false)
	if &at(1.5, -1, false).added.Data[0] != &first.added.Data[0] {
		t.Error("made twice")
	}
	for name, h := range map[string]hypothesized{"another time": at(1.4, -1, false), "another frame": at(0.5, -1, false), "a frame left out": at(1.5, 2, false), "paths that bend": at(1.5, -1, true)} {
		if slices.Equal(h.added.Data, first.added.Data) {
			t.Errorf("%s: the same", name)
		}
	}
}

// A detail keeps whether there are hypotheses; a file that does not tell has none, and what is measured has.
func TestHypothesesFile(t *testing.T) {
	text, err := (&detail.Detail{Width: 64, Height: 48, Gamma: 1, Hypotheses: true}).Encode()
	if err != nil {
		t.Fatal(err)
	}
	d := new(detail.Detail)
	if err := d.Decode(text); err != nil || !d.Hypotheses || d.Bends {
		t.Errorf("%+v of %s, %v", d, text, err)
	}
	if err := d.Decode([]byte(`{"Width":64,"Height":48}`)); err != nil || d.Hypotheses {
		t.Errorf("without it: %v, %v", d.Hypotheses, err)
	}
	if err := d.Decode([]byte(`{"Width":64,"Height":48,"Hypotheses":2}`)); err == nil || !strings.HasPrefix(err.Error(), "film: attached detail: ") {
		t.Errorf("a number: %v", err)
	}
	times := drawn.Times(4, 1)
	if d, err = detail.Measure(t.Context(), data.NewSource(drawn.Film(times, drawn.Width, drawn.Height, 1, drawn.Translation), 4, drawn.Width*drawn.Height, 1), drawn.Width, drawn.Height); err != nil || !d.Hypotheses {
		t.Errorf("measured: %v, %v", d.Hypotheses, err)
	}
}

// How far hypotheses differ is a part of variances, in units of the channels' mean variance.
func TestHypothesesOfLaw(t *testing.T) {
	o := Others{doubts: frame.NewImage[float64](2, 1, doubts)}
	for k := range o.means {
		o.means[k] = frame.NewImage[float64](2, 1, 1)
	}
	o.doubts.Data[doubts+doubtHypotheses] = 6
	own := o.own(1, 0, 0, 4, 3)
	if own.hypotheses != 2 {
		t.Errorf("%v, want 2", own.hypotheses)
	}
	if p := new(traitsOf).parts(0, own, 0, 1); p[byHypotheses] != 2 {
		t.Errorf("the parts %v", p)
	}
	if own = o.own(0, 0, 0, 4, 3); own.hypotheses != 0 {
		t.Errorf("%v, want 0", own.hypotheses)
	}
}
