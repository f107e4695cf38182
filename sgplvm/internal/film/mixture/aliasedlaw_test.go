package mixture

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/detail"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/drawn"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/filmtest"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/motion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/training"
)

// textured returns frames of what moves by shift quarters of a pixel to the right and down at each time: means of 4×4 values of a scene of blocks of random
// brightness, from 1 to 32 values wide, with as much variance in each size.
func textured(width, height, frames, shift int) []float64 {
	const side = 512
	rng := rand.New(rand.NewPCG(2, 7))
	scene := make([]float64, side*side)
	for block := 1; block <= 32; block *= 2 {
		values := make([]float64, side*side)
		for k := range values {
			values[k] = 20 * rng.NormFloat64()
		}
		for k := range scene {
			scene[k] += values[k/side/block*side+k%side/block]
		}
	}
	film := make([]float64, 0, frames*width*height)
	for t := range frames {
		for y := range height {
			for x := range width {
				var sum float64
				for k := range 16 {
					column, row := 4*x+k%4+(frames-1-t)*shift, 4*y+k/4+(frames-1-t)*shift
					sum += scene[row%side*side+column%side] / 16
				}
				film = append(film, 120+sum)
			}
		}
	}
	return film
}

// still returns the motion of frames at the times 0, 1, …, none of which is displaced, and the frames and their detail.
func still(t *testing.T, film []float64, width, height int) (*motion.Motion, *training.Frames, *detail.Detail) {
	t.Helper()
	n := len(film) / (width * height)
	m := filmtest.Still(width, height, drawn.Times(n, 1))
	frames, d := trained(t, m, data.NewSource(film, n, width*height, 1))
	return m, frames, d
}

// byFlow learns a mixture where the model predicts as the flow does.
func byFlow(film []float64, m *motion.Motion, frames *training.Frames, d *detail.Detail) *Law {
	law := NewLaw(m, frames, d, 0)
	truth, predicted := frame.New(frames.Width, frames.Height, 1), frame.New(frames.Width, frames.Height, 1)
	for i := range frames.Frames {
		copy(truth.Mean.Data, film[i*len(truth.Mean.Data):])
		o := NewOthers(frames, d, m.LeftOut(i), frames.Width, frames.Height)
		copy(predicted.Mean.Data, o.means[others-1].Data)
		predicted.Variance.Fill(1)
		law.Add(truth, predicted, o)
	}
	return law
}

// Where frames that are left out are displaced by whole pixels, and those to be predicted by half of one, the variance is that of the latter.
func TestVarianceBetweenPixels(t *testing.T) {
	const width, height, n = 64, 48, 17
	all := textured(width, height, n, 2)
	var film []float64
	for i := 0; i < n; i += 2 {
		film = append(film, all[i*width*height:(i+1)*width*height]...)
	}
	m, frames, d := still(t, film, width, height)
	law := byFlow(film, m, frames, d)
	if parts := law.Aliased(d); slices.Min(parts) < 1 {
		t.Errorf("parts %v of what is missed between pixels, which no frame that was left out shows", parts)
	}
	x := law.Mixture()
	var squares, expected, values float64
	truth, f := frame.New(width, height, 1), frame.New(width, height, 1)
	for i := 3; i < n-3; i += 2 {
		copy(truth.Mean.Data, all[i*width*height:])
		o := NewOthers(frames, d, filmtest.MomentAt(t, m, float64(i)/2, -1), width, height)
		copy(f.Mean.Data, o.means[others-1].Data)
		f.Variance.Fill(1)
		x.Combine(f, o, x.Recipe(f, o))
		for y := 8; y < height-8; y++ {
			for k := y*width + 8; k < (y+1)*width-8; k++ {
				squares += frame.Square(f.Mean.Data[k] - truth.Mean.Data[k])
				expected += f.Variance.Data[k]
				values++
			}
		}
	}
	t.Logf("errors %.4g, expected %.4g, left out %v, aliased %v", squares/values, expected/values, x.laws[0], x.aliased)
	if !(expected > squares/3 && expected < 3*squares) {
		t.Errorf("mean square %v of the errors, expected %v", squares/values, expected/values)
	}
}

// A drawing is how drawErrors draws samples of frames.
type drawing struct {
	frames     int
	part       func(frame int) float64 // of what is expected, that is missed between pixels
	own        float64                 // errors of the flow itself, over what is expected
	turn, vary float64                 // turns are from turn to turn + vary
	never      float64                 // the part of places that lie on whole pixels
}

// drawErrors returns a law of the errors of a flow, which are far larger where paths miss a point; the model and others have larger ones, and light flickers.
func drawErrors(c drawing) *Law {
	const samples = 2400
	rng := rand.New(rand.NewPCG(6, 1))
	law := &Law{mixture: Mixture{scale: []float64{1}}, frames: c.frames}
	for i := range samples * c.frames {
		s := errorSample{frame: i % c.frames, class: 2}
		energy, turn := math.Exp(0.4*rng.NormFloat64()), c.turn+c.vary*rng.Float64()
		if rng.Float64() < c.never {
			turn = 0.01
		}
		v := 0.25 * energy * (c.own + c.part(s.frame)*turn)
		s.traits = traitsOf{traitTexture: energy, traitMissed: turn * energy, traitEnergy: energy}
		if i/c.frames%8 < 5 { // paths miss
			s.traits[traitDoubt], v = (2+rng.Float64())*energy, 30*energy
		}
		s.errors = [1 + others]float64{5, 5, 5, 7*float64(s.frame%3) + math.Sqrt(v)*rng.NormFloat64()}
		law.samples = append(law.samples, s)
	}
	return law
}

// What pixels miss is what errors of the flow have more of between pixels than on them, and not more than there are. It is judged where paths meet a
// point, by frames that agree, and counts for the texture that was asked.
func TestAliased(t *testing.T) {
	d := &detail.Detail{Energy: []float64{3}} // as much in the next octave: a quarter of it half way between pixels
	if parts := new(Law).Aliased(d); len(parts) != detail.SpectralClasses || slices.Min(parts) < 1 {
		t.Errorf("parts %v of nothing", parts)
	}
	always := func(part float64) func(int) float64 { return func(int) float64 { return part } }
	ending := func(part float64) float64 { return math.Pow(part, 5./3) }
	for name, c := range map[string]struct {
		drawing
		least, most float64
	}{
		"all of it":                  {drawing{9, always(1), 0, 0.1, 1.4, 0}, 0.95, 1},
		"a part":                     {drawing{9, always(0.4), 0, 0.1, 1.4, 0}, ending(0.36), ending(0.56)},
		"a part beside other errors": {drawing{9, always(0.3), 2, 0.1, 1.4, 0}, ending(0.2), ending(0.7)},
		"nothing":                    {drawing{9, always(0), 1, 0.1, 1.4, 0}, 0, 0.15},
		"turns that are alike":       {drawing{9, always(0.4), 0, 0.9, 0, 0}, ending(0.38), ending(0.5)},
		"the same with other errors": {drawing{9, always(0.4), 0.3, 0.9, 0, 0}, ending(0.6), ending(0.9)},
		"turns that hardly differ":   {drawing{9, always(-1), 2, 0.9, 0.2, 0}, 0.95, 1},
		"never between pixels":       {drawing{9, always(0.1), 0, 0.01, 0.1, 0}, 1, 1},
		"half of it":                 {drawing{9, always(0.2), 0, 0.5, 0.8, 0.5}, 0.5, 0.6},
		"three frames":               {drawing{3, always(0.1), 0, 0.1, 1.4, 0}, 1, 1},
		"frames that do not agree":   {drawing{8, func(f int) float64 { return 0.05 + 1.2*float64(f/7) }, 0, 0.9, 0.2, 0}, ending(0.4), 1},
	} {
		if part := drawErrors(c.drawing).Aliased(d)[2]; !(part >= c.least && part <= c.most) {
			t.Errorf("%s: part %v of what is missed, expected %v to %v", name, part, c.least, c.most)
		}
	}
	// Of this octave 3/4 are noise: a part of 0.2 of four times as much is 0.8 of the rest.
	noisy := &detail.Detail{Energy: []float64{3}, White: []float64{0.75 * 3 / detail.WhiteMissed}}
	if part := drawErrors(drawing{9, always(0.2), 0, 0.1, 1.4, 0}).Aliased(noisy)[2]; !(part > 0.6) {
		t.Errorf("part %v of what is missed beside noise", part)
	}
	// Another class, and one of which there are few places, do not change it.
	law, other := drawErrors(drawing{9, always(0.2), 0, 0.1, 1.4, 0}), drawErrors(drawing{9, always(1), 0, 0.1, 1.4, 0})
	alone := law.Aliased(d)[2]
	for i, s := range other.samples {
		if s.class = 4; i%100 == 0 {
			s.class, s.errors[others] = 5, 0
		}
		law.samples = append(law.samples, s)
	}
	if parts := law.Aliased(d); math.Abs(parts[2]-alone) > 0.1 || parts[4] < 0.9 || parts[5] < 1 {
		t.Errorf("parts %v of several classes, %v of one alone", parts, alone)
	}
}

// A mixture keeps what pixels miss, of which there may be so much; older texts, with laws of six numbers, have none.
func TestAliasedText(t *testing.T) {
	x := &Mixture{scale: []float64{2}, laws: []varianceLaw{{1, 0, 0, 0, 0, 0.5, 0.1}}, byPaths: true, aliased: 0.2}
	text, err := x.Encode()
	if err != nil {
		t.Fatal(err)
	}
	var again, older Mixture
	if err := again.Decode(text); err != nil || !reflect.DeepEqual(&again, x) {
		t.Errorf("%+v after %+v, error %v", again, x, err)
	}
	old := strings.NewReplacer(`,0.1,0,0,0,0,0,0,0]`, `]`, `,"Aliased":0.2`, ``).Replace(string(text))
	if err := older.Decode([]byte(old)); err != nil || older.aliased != 0 || older.laws[0] != (varianceLaw{1, 0, 0, 0, 0, 0.5, 0}) {
		t.Errorf("%+v of %s, error %v", older, old, err)
	}
	for _, bad := range []string{"-1", "1e9"} {
		wrong := strings.Replace(string(text), `"Aliased":0.2`, `"Aliased":`+bad, 1)
		if err := new(Mixture).Decode([]byte(wrong)); err == nil || !strings.Contains(err.Error(), "aliased part") {
			t.Errorf("error %v of %s", err, wrong)
		}
	}
}
