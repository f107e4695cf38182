package detail

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// White noise is of the highest class, and what changes slowly beside it of the lowest ones, whatever their energies; a picture of one brightness has one class as well.
func TestSpectralClasses(t *testing.T) {
	const width, height = 64, 32
	rng := rand.New(rand.NewPCG(8, 8))
	m := frame.NewImage[float64](width, height, 2)
	for k := range m.Data {
		if x := k / 2 % width; x < width/2 {
			m.Data[k] = 3 * rng.NormFloat64()
		} else {
			m.Data[k] = 30 * math.Sin(float64(x)/3)
		}
	}
	classes := SpectralClassesOf(m)
	if a, b := ClassAt(classes, 8, 8), ClassAt(classes, width-8, height-1); a != SpectralClasses-1 || b > 1 {
		t.Errorf("class %d of white noise and %d of waves", a, b)
	}
	clear(m.Data)
	if c := ClassAt(SpectralClassesOf(m), width-1, height-1); c != 0 {
		t.Errorf("class %d of one brightness", c)
	}
	if c := ClassAt(SpectralClassesOf(frame.NewImage[float64](8, 8, 1)), 7, 7); c != 0 {
		t.Errorf("class %d of a picture that is too small", c)
	}
}

// A picture of one row or column has halves of one, and an energy.
func TestOctaveOfLine(t *testing.T) {
	for _, s := range [][2]int{{40, 1}, {1, 40}, {1, 1}} {
		m := frame.NewImage[float64](s[0], s[1], 2)
		for k := range m.Data {
			m.Data[k] = float64(k * k % 7)
		}
		if half := HalfOf(m); half.Width != max(1, s[0]/2) || half.Height != max(1, s[1]/2) {
			t.Errorf("halves of %v: %d×%d", s, half.Width, half.Height)
		}
		for _, u := range OctaveEnergy(m).Data {
			if !(u >= 0) || u == 0 && s != [2]int{1, 1} {
				t.Errorf("energy %v of %v", u, s)
			}
		}
	}
}

// Finer pixels miss the part that their texture has, noise is no part of it, and a part is not less than noise may be.
func TestDetailByParts(t *testing.T) {
	const width, height = 32, 32
	rng := rand.New(rand.NewPCG(8, 9))
	noise, waves := frame.New(2*width, 2*height, 1), frame.New(2*width, 2*height, 1)
	for k := range noise.Mean.Data {
		noise.Mean.Data[k], waves.Mean.Data[k] = 20*rng.NormFloat64(), 5*math.Sin(float64(k%(2*width))/6)
	}
	d := &Detail{Width: width, Height: height, Energy: []float64{3}, White: []float64{0.2}}
	added := func(d *Detail, f frame.Frame) float64 {
		f.Variance.Fill(0)
		d.AddTo(f, Unresolved{})
		return f.Variance.At(height*2*width+width, 0) - 0.6
	}
	all := d.Parts([]float64{0.25, 0.25, 1, 1, 1, 0.5}, nil)
	if a, b := added(all, noise)/added(d, noise), added(all, waves)/added(d, waves); math.Abs(a-0.5) > 1e-9 || math.Abs(b-0.25) > 1e-9 {
		t.Errorf("parts %v of white noise and %v of waves, expected 0.5 and 0.25", a, b)
	}
	parts := []float64{0, 0.3, 0.5, 1, 1, 1}
	expected := 3 - WhiteMissed*0.2
	for _, c := range []struct {
		noise []float64
		want  []float64
	}{
		{nil, []float64{LeastEnlarging, 0.3, 0.5, 1, 1, 1}},
		{[]float64{0.1}, []float64{LeastEnlarging, 0.3, 0.5, 1, 1, 1}},
		{[]float64{0.2 + 0.4*expected/3}, []float64{0.4, 0.4, 0.5, 1, 1, 1}},
		{[]float64{math.Inf(1)}, []float64{1, 1, 1, 1, 1, 1}},
	} {
		if got := d.Parts(parts, c.noise).parts; !slices.EqualFunc(got, c.want, func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }) {
			t.Errorf("parts %v with the noise %v at most, expected %v", got, c.noise, c.want)
		}
	}
	text, err := all.Encode()
	if err != nil {
		t.Fatal(err)
	}
	var again Detail
	if err := again.Decode(text); err != nil || !reflect.DeepEqual(&again, all) {
		t.Errorf("%+v after %+v, error %v", again, all, err)
	}
	for _, bad := range []string{`[1]`, `[0,1,1,1,1,1]`, `[1,1,1,1,1,2]`} {
		wrong := strings.Replace(string(text), `[0.25,0.25,1,1,1,0.5]`, bad, 1)
		if err := new(Detail).Decode([]byte(wrong)); err == nil {
			t.Errorf("no error of %s", wrong)
		}
	}
}
