package mixture

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/detail"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/drawn"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/filmtest"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// With enlarged frames pixels of training have another flow, and miss between them what other frames leave; the rest stays, and all of it where there are none.
func TestByEnlarged(t *testing.T) {
	o := Others{doubts: frame.NewImage[float64](2, 1, doubts)}
	for k := range o.means {
		o.means[k] = frame.Image[float64]{Width: 2, Height: 1, Channels: 1, Data: []float64{float64(k), 10}}
	}
	for i := range o.doubts.Data {
		o.doubts.Data[i] = 1
	}
	if e := o.byEnlarged(); e.means[others-1].Data[0] != others-1 || slices.Min(e.doubts.Data) != 1 {
		t.Error("others without enlarged frames have changed")
	}
	o.enlarged = frame.Image[float64]{Width: 2, Height: 1, Channels: 1, Data: []float64{20, 21}}
	o.unresolved = frame.Image[float64]{Width: 2, Height: 1, Channels: 1, Data: []float64{0.2, 0.5}}
	e := o.byEnlarged()
	if !slices.Equal(e.means[others-1].Data, o.enlarged.Data) {
		t.Errorf("flow %v, want %v", e.means[others-1].Data, o.enlarged.Data)
	}
	for k := range others - 1 {
		if !slices.Equal(e.means[k].Data, o.means[k].Data) {
			t.Errorf("prediction %d has changed", k)
		}
	}
	for i, d := range e.doubts.Data {
		want := 1.0
		if i%doubts == doubtMissed {
			want = []float64{0.2, 0.5}[i/doubts]
		}
		if d != want {
			t.Errorf("number %d of the doubts of pixel %d is %v, want %v", i%doubts, i/doubts, d, want)
		}
	}
	if o.means[others-1].Data[0] != others-1 || o.doubts.Data[doubtMissed] != 1 {
		t.Error("the others that were given have changed")
	}
}

// Pixels of training are means over the finer ones of the flow between enlarged frames, moving or at rest; and as much of them is unresolved.
func TestEnlargedFlow(t *testing.T) {
	for _, pace := range []float64{0.7, 0} {
		f := filmOf(t, drawn.NewWaves(rand.New(rand.NewPCG(1, 3)), 3, 24), 7, func(i int, x, y float64) (float64, float64) { return x + pace*float64(i), y + pace*float64(i) })
		d := *f.detail
		d.SuperResolution = detail.SuperResolution{Noise: 0.1, Mismatch: 1, Frames: detail.FewShown}
		x := filmtest.MomentAt(t, f.Motion, 2.5, 3)
		o, finer, mean := predictOthers(f.Frames, &d, x, 64, 48, true), NewOthers(f.Frames, &d, x, 128, 96), frame.NewImage[float64](64, 48, 1)
		frame.DownsampleImage(mean, finer.means[others-1])
		var off, change, left, want float64
		for k, v := range o.enlarged.Data {
			off += frame.Square(v - mean.Data[k])
			change += frame.Square(v - o.means[others-1].Data[k])
			left += o.unresolved.Data[k] / (64 * 48)
			want += (finer.unresolved.Data[4*k] + finer.unresolved.Data[4*k+1] + finer.unresolved.Data[4*k+2] + finer.unresolved.Data[4*k+3]) / (4 * 64 * 48)
		}
		if !(off < 0.01*change) && !(off < 1e-3) {
			t.Errorf("pace %v: off the means of finer pixels by %.4g, squared, where they differ by %.4g from the flow between frames as they are", pace, off, change)
		}
		if math.Abs(left-want) > 0.03 {
			t.Errorf("pace %v: %.3f is unresolved, %.3f in finer pixels", pace, left, want)
		}
		if plain := NewOthers(f.Frames, &d, x, 64, 48); !slices.Equal(plain.means[others-1].Data, o.means[others-1].Data) || !slices.Equal(plain.doubts.Data, o.doubts.Data) || len(plain.enlarged.Data) > 0 {
			t.Errorf("pace %v: the flow between frames as they are is another one", pace)
		}
	}
}

// A frame that is left out has no part in what it is predicted from, whatever it shows.
func TestEnlargedWithout(t *testing.T) {
	const without = 3
	var shown [2]Others
	for k := range shown {
		f := filmOf(t, drawn.NewWaves(rand.New(rand.NewPCG(1, 3)), 3, 24), 7, func(i int, x, y float64) (float64, float64) {
			if k == 1 && i == without {
				y += 5
			}
			return x + 0.7*float64(i), y + 0.7*float64(i)
		})
		d := detail.Detail{Width: 64, Height: 48, SuperResolution: detail.SuperResolution{Noise: 0.1, Mismatch: 1, Frames: detail.FewShown}}
		o := predictOthers(f.Frames, &d, f.Motion.LeftOut(without), 64, 48, true)
		for i, v := range o.enlarged.Data {
			o.enlarged.Data[i] = (v - f.Frames.Least) / f.Frames.Step // the units may differ
		}
		shown[k] = o
	}
	if !slices.Equal(shown[0].enlarged.Data, shown[1].enlarged.Data) || !slices.Equal(shown[0].unresolved.Data, shown[1].unresolved.Data) {
		t.Error("what is predicted of a frame depends on it")
	}
}

// Whatever pixels are asked for, weights and variances go by the same pixels of training, and these have the flow between enlarged frames if that was chosen.
func TestOthersOfMixture(t *testing.T) {
	f := filmOf(t, drawn.NewWaves(rand.New(rand.NewPCG(1, 3)), 3, 24), 7, func(i int, x, y float64) (float64, float64) { return x + 0.7*float64(i), y + 0.7*float64(i) })
	d := *f.detail
	d.SuperResolution = detail.SuperResolution{Noise: 0.1, Mismatch: 1, Frames: detail.FewShown}
	moment := filmtest.MomentAt(t, f.Motion, 2.5, -1)
	both := predictOthers(f.Frames, &d, moment, 64, 48, true)
	for _, x := range []*Mixture{{}, {enlarged: true}} {
		want := both
		if x.enlarged {
			want = both.byEnlarged()
		}
		for _, size := range []frame.Size{{Width: 64, Height: 48}, {Width: 128, Height: 96}, {Width: 160, Height: 96}} {
			at, around := x.Others(f.Frames, &d, moment, size.Width, size.Height)
			if !slices.Equal(around.means[others-1].Data, want.means[others-1].Data) || !slices.Equal(around.doubts.Data, want.doubts.Data) {
				t.Errorf("%v pixels, enlarged %t: weights go by others than of training", size, x.enlarged)
			}
			if size.Width == 64 {
				if !slices.Equal(at.means[others-1].Data, want.means[others-1].Data) {
					t.Errorf("enlarged %t: pixels of training show something else than what weights go by", x.enlarged)
				}
			} else if finer := NewOthers(f.Frames, &d, moment, size.Width, size.Height); !slices.Equal(at.means[others-1].Data, finer.means[others-1].Data) {
				t.Errorf("%v pixels, enlarged %t: another flow", size, x.enlarged)
			}
		}
	}
}

// Of a film that moves by parts of pixels the flow between enlarged frames is chosen, and errors at pixels of training are less by it; of one that moves by whole pixels, and of one that is not enlarged, that between frames as they are.
func TestChoice(t *testing.T) {
	const width, height = 64, 48
	for _, c := range []struct {
		name      string
		pace      float64 // in pixels twice as fine
		enlarging detail.SuperResolution
		want      bool
	}{
		{"by parts of pixels", 0.7, detail.SuperResolution{Noise: 0.1, Mismatch: 1, Frames: detail.FewShown}, true},
		{"not enlarged", 0.7, detail.SuperResolution{}, false},
		{"still", 0, detail.SuperResolution{Noise: 0.1, Mismatch: 1, Frames: detail.FewShown}, false},
	} {
		f := filmOf(t, drawn.NewWaves(rand.New(rand.NewPCG(1, 3)), 3, 24), 9, func(i int, x, y float64) (float64, float64) { return x + c.pace*float64(i), y + c.pace*float64(i) })
		enlarging := *f.detail
		enlarging.SuperResolution = c.enlarging
		choice := NewChoice(f.Motion, f.Frames, f.detail, &enlarging, 0)
		truth, predicted := frame.New(width, height, 1), frame.New(width, height, 1)
		predicted.Variance.Fill(1)
		var errors [2]float64
		for i := range 9 {
			if err := f.Frames.ReadExamples(truth.Mean.Data, i, i+1); err != nil {
				t.Fatal(err)
			}
			plain, enlarged := choice.Add(truth, predicted, f.Motion.LeftOut(i))
			if plain.beyond > 0 && !slices.Equal(plain.means[others-1].Data, enlarged.means[others-1].Data) {
				t.Errorf("%s: frame %d lies at an end and is predicted from enlarged ones", c.name, i)
			}
			for k, o := range []Others{plain, enlarged} {
				for j, v := range o.means[others-1].Data {
					errors[k] += frame.Square(v - truth.Mean.Data[j])
				}
			}
		}
		choice.TrainingErrors([]float64{1})
		x := choice.Mixture()
		if x.enlarged != c.want || c.want && !(errors[1] < 0.8*errors[0]) {
			t.Errorf("%s: enlarged %t, squared errors %.4g between frames as they are and %.4g between enlarged ones", c.name, x.enlarged, errors[0], errors[1])
		}
		if c.want && (choice.plain.trained != choice.enlarged.trained || choice.plain.trained == 0) {
			t.Errorf("training errors of %v and %v", choice.plain.trained, choice.enlarged.trained)
		}
	}
}

// Surely likelier is what loses less in the mean and two standard errors, of frames enough.
func TestSurelyLikelier(t *testing.T) {
	for _, c := range []struct {
		losses []float64
		want   bool
	}{
		{[]float64{-1, -1, -1, -1}, true},
		{[]float64{-1, -1, -1}, false},
		{[]float64{0, 0, 0, 0}, false},
		{[]float64{-3, -1, -3, -1}, true},    // mean −2, standard error 1/√3
		{[]float64{-2.2, 0, -2.2, 0}, false}, // mean −1.1, standard error 1.1/√3
		{[]float64{1, 1, 1, 1}, false},
		{nil, false},
	} {
		before := make([]float64, len(c.losses))
		for i := range before {
			before[i] = float64(i)
			c.losses[i] += float64(i)
		}
		if got := surelyLikelier(c.losses, before); got != c.want {
			t.Errorf("losses %v for %v: %t", c.losses, before, got)
		}
	}
}

// What a frame loses is the mean over its samples of half of log 2πv + e²/v, with v what the law and light expect; frames without samples lose nothing.
func TestLosses(t *testing.T) {
	x := &Mixture{levels: make([]weights, mixtureLevels), laws: make([]varianceLaw, 2), light: []float64{0.5, 0}, byPaths: true}
	for k := range x.levels {
		x.levels[k] = weights{0.25, 0, 0, 0.75}
	}
	x.laws[0][everywhere], x.laws[1][everywhere] = 1.5, 3
	l := &Law{frames: 3, gaps: make([]float64, 3), samples: []errorSample{
		{frame: 0, channel: 0, errors: [1 + others]float64{4, 9, 9, 0}},
		{frame: 0, channel: 1, errors: [1 + others]float64{0, 9, 9, 4}},
		{frame: 2, channel: 0, errors: [1 + others]float64{0, 9, 9, 0}},
	}}
	got := l.losses(x)
	want := []float64{(math.Log(4*math.Pi) + 1./2 + math.Log(6*math.Pi) + 9./3) / 4, math.Log(4*math.Pi) / 2}
	if len(got) != 2 || math.Abs(got[0]-want[0]) > 1e-12 || math.Abs(got[1]-want[1]) > 1e-12 {
		t.Errorf("losses %v, want %v", got, want)
	}
}
