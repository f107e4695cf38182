package chroma

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
)

// One weight for each distance is what least squares of the coarser octave have, over all frames and both differences of channels.
func TestChromaSlopes(t *testing.T) {
	var s slopeSums
	line := make([]float64, 0, 3*64)
	for k := range 64 {
		c := math.Sin(0.4 * float64(k/2)) // of pairs
		line = append(line, c, 0, -2*c)
	}
	pairing{Shared: true}.eachHalf(line, 1, 0, 64, 3, s.add)
	near, far := s.weights()
	// Of a sine of phase φ a pair of pairs, the half difference is tan(φ/2)·cos, and those ahead less those behind are 2·sin(2φ)·cos and
	// 2·sin(4φ)·cos of the means: any weights with 2·near·sin(2φ) + 2·far·sin(4φ) = tan(φ/2) do, but at the ends.
	if got, want := 2*near*math.Sin(0.8)+2*far*math.Sin(1.6), math.Tan(0.2); !(math.Abs(got-want) < 0.02) {
		t.Errorf("weights %v and %v have %v of a sine, want %v", near, far, got, want)
	}
	if near, far := new(slopeSums).weights(); near != 0.125 || far != 0 {
		t.Errorf("of nothing the weights are %v and %v, want those of a straight line", near, far)
	}
	if near, far := (&slopeSums{nn: 4, ff: 2, nf: 1, n: 4*0.2 + 1*0.1, f: 0.2 + 2*0.1}).weights(); !(math.Abs(near-0.2) < 1e-12 && math.Abs(far-0.1) < 1e-12) {
		t.Errorf("weights %v and %v, want 0.2 and 0.1", near, far)
	}
}

// What interpolation misses is the slope of its squared errors over g, whatever noise there is where nothing changes, and nothing where nothing was seen.
func TestChromaMisses(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	s := missSums{near: 0.2, far: -0.05}
	for range 100000 {
		near, far := 10*rng.NormFloat64()*rng.Float64(), 12*rng.NormFloat64()
		s.add(0.2*near-0.05*far+math.Sqrt(0.7+0.03*near*near)*rng.NormFloat64(), near, far)
	}
	if got := s.slope(); !(math.Abs(got-0.03) < 0.002) {
		t.Errorf("%v is missed, want 0.03", got)
	}
	for _, c := range []struct {
		errors func(g float64) float64
		want   float64
	}{{func(g float64) float64 { return 5 * g }, 5}, {func(g float64) float64 { return 9 - g }, 0}} {
		s := missSums{}
		for k := range 9 {
			near := float64(k) / 3
			s.add(math.Sqrt(c.errors(near*near)), near, 0)
		}
		if got := s.slope(); !(math.Abs(got-c.want) < 1e-9) {
			t.Errorf("%v is missed, want %v", got, c.want)
		}
	}
	if got := new(missSums).slope(); got != 0 {
		t.Errorf("%v is missed of nothing", got)
	}
}

// Of smooth chroma nearly nothing is missed. Noise of its own in each pair is not taken for what is missed, and gives neighbours little weight. Each axis learns from
// its own pairs.
func TestLearnChroma(t *testing.T) {
	const width, height = 64, 40
	rng := rand.New(rand.NewPCG(5, 6))
	find := func(noise float64, pair func(x, y int) (int, int)) Chroma {
		_, shared := colourful(2, width, height, pair)
		own := map[[3]int][2]float64{}
		for k := 0; k < len(shared); k += 3 {
			x, y := pair(k/3%width, k/3/width%height)
			at := [3]int{k / 3 / width / height, x, y}
			if _, ok := own[at]; !ok {
				own[at] = [2]float64{noise * rng.NormFloat64(), noise * rng.NormFloat64()}
			}
			u, v := own[at][0], own[at][1]
			g := -luma[0]*u - luma[2]*v
			shared[k], shared[k+1], shared[k+2] = shared[k]+g+u, shared[k+1]+g, shared[k+2]+g+v
		}
		found, err := Find(context.Background(), field.NewSource(shared, 2, width*height, 3), width, height)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	rows, columns := func(x, y int) (int, int) { return x / 2, y }, func(x, y int) (int, int) { return x, y / 2 }
	if c := find(0, rows); !(c.Across.Missed < 2e-3) || c.Down != (pairing{}) {
		t.Errorf("of smooth chroma %+v", c)
	}
	// Errors of noise are noise wherever chroma changes.
	if c := find(200, rows); !(c.Across.Missed < 0.1) || !(math.Abs(c.Across.Near) < 0.05) {
		t.Errorf("of noise along rows %+v", c)
	}
	a, b := find(30, rows), find(30, columns)
	if b.Across != (pairing{}) || !(b.Down.Near > 0 && b.Down.Near < 0.25 && b.Down.Near != 0.125) || !(a.Across.Near > 0 && a.Across.Near < 0.25) {
		t.Errorf("along rows %+v, along columns %+v", a, b)
	}
}
