package mixture

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/detail"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/drawn"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/filmtest"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/training"
)

// Between the frames of a film that moves by parts of pixels little is left, and all where it moves by whole ones or stands still. Variances are less by that.
func TestUnresolved(t *testing.T) {
	for _, c := range []struct {
		name        string
		pace        float64 // in pixels twice as fine
		least, most float64
	}{{"by parts of pixels", 0.7, 0, 0.3}, {"by whole pixels", 2, 0.8, 1}, {"still", 0, 0.99, 1}} {
		f := filmOf(t, drawn.NewWaves(rand.New(rand.NewPCG(1, 3)), 3, 24), 7, func(i int, x, y float64) (float64, float64) { return x + c.pace*float64(i), y + c.pace*float64(i) })
		d := *f.detail
		d.SuperResolution = detail.SuperResolution{Noise: 0.1, Mismatch: 1, Frames: detail.FewShown}
		x := filmtest.MomentAt(t, f.Motion, 2.5, -1)
		for _, resolvable := range []float64{1, 0.5, 0} {
			d.Resolvable = resolvable
			o := NewOthers(f.Frames, &d, x, 128, 96)
			var mean float64
			for _, v := range o.unresolved.Data {
				mean += v / (128 * 96)
			}
			if !(mean >= c.least && mean <= c.most+1e-9) {
				t.Errorf("%s: %.3f is left, want %v to %v", c.name, mean, c.least, c.most)
			}
			all, left := frame.New(128, 96, 1), frame.New(128, 96, 1)
			copy(all.Mean.Data, o.means[others-1].Data)
			copy(left.Mean.Data, o.means[others-1].Data)
			d.AddTo(all, detail.Unresolved{})
			d.AddTo(left, o.Unresolved())
			for _, k := range []int{50*128 + 60, 20*128 + 90} {
				cell := frame.NewImage[float64](64/detail.DetailCell, 48/detail.DetailCell, 1)
				frame.DownsampleImage(cell, o.unresolved)
				row := make([]float64, 128)
				cell.RowOver(row, k/128, 128, 96)
				if got, want := left.Variance.Data[k]/all.Variance.Data[k], d.Left(row[k%128]); math.Abs(got-want) > 0.05 {
					t.Errorf("%s: variance %.3f of all, want %.3f", c.name, got, want)
				}
			}
		}
		last := detail.Sharp(f.Frames, &d, f.Motion.Sequences[0], 6, -1, 128)
		if o := NewOthers(f.Frames, &d, filmtest.MomentAt(t, f.Motion, 9, -1), 128, 96); o.beyond == 0 || len(o.unresolved.Data) == 0 || o.unresolved.Data[50*128+60] != last.UnresolvedAt(29.75, 24.75) {
			t.Errorf("%s: another part than that of the last frame is left beyond it", c.name)
		}
		if o := NewOthers(f.Frames, &d, x, 64, 48); len(o.unresolved.Data) != 0 {
			t.Errorf("%s: part of the detail of training pixels is left", c.name)
		}
	}
}

// Of what pixels miss between them a mixture has as much as is left, as far as it is resolvable; all of it where errors between enlarged frames were learned from.
func TestMixtureUnresolved(t *testing.T) {
	const width, height = 10, 5
	x := &Mixture{scale: []float64{4, 9}, levels: make([]weights, mixtureLevels), laws: make([]varianceLaw, 2), byPaths: true}
	x.width, x.height = mixtureCells(width, height)
	for k := range x.levels {
		x.levels[k] = weights{1}
	}
	for c := range x.laws {
		x.laws[c] = varianceLaw{0: 1, missing: 0.5 * float64(c+1)}
	}
	resolvable := 1.0
	predict := func(left []float64) frame.Frame {
		f := frame.New(width, height, 2)
		f.Variance.Fill(1)
		o := Others{doubts: frame.NewImage[float64](width, height, doubts), resolvable: resolvable}
		for k := range o.means {
			o.means[k] = frame.NewImage[float64](width, height, 2)
		}
		for k := range width * height {
			o.doubts.Data[doubts*k+doubtMissed] = 13 // in units of 6.5, the mean variance
		}
		if left != nil {
			o.unresolved = frame.Image[float64]{Width: width, Height: height, Channels: 1, Data: left}
		}
		x.Combine(f, o, x.Recipe(f, o))
		return f
	}
	left := make([]float64, width*height)
	for k := range left {
		left[k] = float64(k) / float64(len(left))
	}
	all, some := predict(nil), predict(left)
	resolvable = 0.4
	most := predict(left)
	x.enlarged = true
	whole := predict(left)
	for k, l := range left {
		for c, scale := range x.scale {
			missed := scale * x.laws[c][missing] * 2
			if a, b := all.Variance.At(k, c), some.Variance.At(k, c); math.Abs(a-1-missed) > 1e-9 || math.Abs(b-1-l*missed) > 1e-9 {
				t.Fatalf("pixel %d, channel %d: variance %v and %v with %v left, want %v and %v", k, c, a, b, l, 1+missed, 1+l*missed)
			}
			if v := most.Variance.At(k, c); math.Abs(v-1-(0.6+0.4*l)*missed) > 1e-9 {
				t.Fatalf("pixel %d, channel %d: variance %v with %v left, of 0.4 that is resolvable", k, c, v, l)
			}
			if a, b := all.Variance.At(k, c), whole.Variance.At(k, c); a != b {
				t.Fatalf("pixel %d, channel %d: variance %v, want all of it, %v", k, c, b, a)
			}
		}
	}
}

// Frames of half the size tell how much of detail other frames can show: of what moves by parts of pixels, and not of what stands still.
func TestResolvableOfHalvedFrames(t *testing.T) {
	for _, c := range []struct {
		pace        float64 // in pixels twice as fine
		least, most float64 // of what other frames leave at half the size
	}{{0.7, 0.02, 0.5}, {0, 1, 1}} {
		f := filmOf(t, drawn.NewWaves(rand.New(rand.NewPCG(1, 3)), 3, 24), 7, func(i int, x, y float64) (float64, float64) { return x + c.pace*float64(i), y + c.pace*float64(i) })
		law, truth := NewEnlargingLaw(f.Motion, f.Frames, f.detail), frame.New(64, 48, 1)
		for i := range 7 {
			if err := f.Frames.ReadExamples(truth.Mean.Data, i, i+1); err != nil {
				t.Fatal(err)
			}
			law.Add(truth, f.Motion.LeftOut(i))
		}
		left := law.left / law.expected[0]
		d := law.Detail(f.detail, nil)
		if !(left >= c.least-1e-9 && left <= c.most+1e-9) || (d.Resolvable > 0) != (c.pace > 0) {
			t.Errorf("pace %v: %.3f is left at half the size, %.3f resolvable", c.pace, left, d.Resolvable)
		}
		if got, want := math.Exp(d.A-f.detail.A)*d.Left(left), min(max(law.missed[0]/law.expected[0], detail.LeastEnlarging), 1); math.Abs(got-want) > 1e-9 {
			t.Errorf("pace %v: %.4f of detail is left at half the size, measured %.4f", c.pace, got, want)
		}
	}
}

// What pixels miss between them looks like noise where two frames alone say what was between them, and less so where others are asked as well. Noise that was drawn stays.
func TestNoiseOfResolvedFrames(t *testing.T) {
	const count, width, height = 9, 64, 48
	w := drawn.NewWaves(rand.New(rand.NewPCG(1, 3)), 3, 24)
	found := func(where func(i int, x, y float64) (float64, float64), deviation float64) (plain, resolved float64) {
		f := filmOf(t, w, count, where)
		values := mat.New(count, width*height)
		if err := f.Frames.ReadExamples(values.Data, 0, count); err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(5, 7))
		for k := range values.Data {
			values.Data[k] += deviation * rng.NormFloat64()
		}
		frames, d := trained(t, f.Motion, data.NewSource(values.Data, count, width*height, 1))
		enlarged := NewEnlargingLaw(f.Motion, frames, d).Resolved(d)
		bending := *enlarged
		bending.Bends = true
		laws, truth := []*NoiseLaw{NewNoiseLaw(frames, d), NewNoiseLaw(frames, enlarged), NewNoiseLaw(frames, &bending)}, frame.New(width, height, 1)
		for i := range count {
			copy(truth.Mean.Data, values.Row(i))
			predicted, x := frame.New(width, height, 1), f.Motion.LeftOut(i)
			o := NewOthers(frames, d, x, width, height)
			copy(predicted.Mean.Data, o.means[others-1].Data)
			for k, law := range laws {
				finer := o
				if k > 0 {
					finer = predictOthers(frames, []*detail.Detail{d, enlarged, &bending}[k], x, width, height, true).byEnlarged()
				}
				law.Add(truth, predicted, x, o, finer)
			}
		}
		if between := float64(count - 2); laws[0].frames != [noisePredictions]float64{between, between} || laws[1].frames != [noisePredictions]float64{between, between, between} ||
			laws[2].frames != [noisePredictions]float64{between, between, between, between} {
			t.Errorf("%v, %v and %v frames", laws[0].frames, laws[1].frames, laws[2].frames)
		}
		for p, e := range laws[2].errors {
			var missed float64
			for _, parts := range e.parts[0][0] {
				missed += parts[missing]
			}
			if p >= inEnlarged != (missed > 0) {
				t.Errorf("errors %d: pixels miss %v between them", p, missed)
			}
		}
		if e := laws[2].errors; !reflect.DeepEqual(e[inStraight], laws[1].errors[inEnlarged]) || reflect.DeepEqual(e[inEnlarged], e[inStraight]) {
			t.Error("errors along straight paths are others where paths bend, or no others than along these")
		}
		if a, b := laws[2].Variances()[0], laws[1].Variances()[0]; !(a <= b) {
			t.Errorf("noise of %v where paths bend, of %v along straight ones", a, b)
		}
		if a, b := laws[0].Most()[0], laws[1].Most()[0]; !(b <= a && (deviation > 0 || b < 0.9*a)) {
			t.Errorf("noise of %v at most, %v without enlarged frames", b, a)
		}
		return laws[0].Variances()[0], laws[1].Variances()[0]
	}
	if plain, resolved := found(func(i int, x, y float64) (float64, float64) { return x + float64(i), y + float64(i) }, 0); !(plain > 0 && resolved < 0.7*plain) {
		t.Errorf("noise of %v where there is none, %v without enlarged frames", resolved, plain)
	}
	if plain, resolved := found(func(i int, x, y float64) (float64, float64) { return x + 0.7*float64(i), y + 1.1*float64(i) }, 60); !(plain > 1000 && resolved > 0.95*plain) {
		t.Errorf("noise of %v, %v without enlarged frames", resolved, plain)
	}
	if law := NewNoiseLaw(&training.Frames{Head: training.Head{Frames: 100}}, new(detail.Detail)); law.stride != mostMixtureFrames/straightFrames {
		t.Errorf("one of %d frames is predicted along straight paths", law.stride)
	}
}

// What pixels miss between them is no noise where places differ in it, and may be where they are alike.
func TestNoiseBesideMissed(t *testing.T) {
	l := &NoiseLaw{scale: []float64{1}}
	e := &l.errors[inEnlarged]
	for k := range noiseOctaves {
		e.parts[k], e.squares[k] = make([][]varianceLaw, 1), make([][]float64, 1)
		octave := detail.WhiteMissed / math.Pow(4, float64(k))
		for i := range 400 {
			missed := float64(i%20) / 20
			e.parts[k][0] = append(e.parts[k][0], varianceLaw{everywhere: 1, missing: missed})
			e.squares[k][0] = append(e.squares[k][0], octave*(2+3*missed))
		}
		l.white[inEnlarged][k] = octave
	}
	l.frames[inEnlarged] = 1
	l.turns = asking{texture: 1, turned: 0.5, turned2: 0.5}
	if v := l.variance(inEnlarged, 0); math.Abs(v-2) > 0.05 {
		t.Errorf("noise of %v, want 2", v)
	}
	l.turns.turned2 = 0.26
	if v := l.variance(inEnlarged, 0); !(v > 3) {
		t.Errorf("noise of %v where places are alike, want about 3.4", v)
	}
}
