package chroma

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/drawn"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// The variance of what rounding luma, chroma and numbers does to colours, by drawing them: the errors of a frame that was made of them, and how far it is from one in other pixels whose
// numbers alone are rounded.
func TestChromaRounding(t *testing.T) {
	const step, draws = 1. / 255, 200000
	rng := rand.New(rand.NewPCG(1, 2))
	round := func(v, step float64) float64 { return step * math.Round(v/step) }
	var once, finer [3]float64
	for range draws {
		y, u, v := rng.Float64(), rng.Float64()-0.5, rng.Float64()-0.5
		rgb := func(y, u, v float64) [3]float64 { // ITU-R BT.601
			return [3]float64{y + 1.402*v, y - 0.344136*u - 0.714136*v, y + 1.772*u}
		}
		exact, rounded := rgb(y, u, v), rgb(round(y, 1./219), round(u, 1./224), round(v, 1./224))
		for c := range once {
			once[c] += frame.Square(round(rounded[c], step)-exact[c]) / draws
			finer[c] += frame.Square(round(rounded[c], step)-round(exact[c], step)) / draws
		}
	}
	r := rounding{Step: step}
	for c := range once {
		compare.NearOne(t, "variance", r.once()[c]/frame.Square(step), once[c]/frame.Square(step), 0.01)
		compare.NearOne(t, "variance, rounded twice", r.finer()[c]/truncated/frame.Square(step), finer[c]/frame.Square(step), 0.01)
	}

	// Variances lose what frames of training have of it and grow where they are small, but for what is clipped.
	c := Chroma{Across: pairing{Shared: true}, Rounding: rounding{Step: 2, Least: [3]float64{0, 10, 0}, Most: [3]float64{100, 100, 50}}}
	v, own := c.Rounding.finer(), c.Rounding.once()
	f := frame.New(3, 2, 3)
	for k, pixel := range [][3]float64{{50, 50, 25}, {0, 10, 50}, {1, 99, 49.5}, {-3, 5, 60}, {2, 12, 48}, {50, 50, 25}} {
		copy(f.Mean.Row(k), pixel[:])
	}
	f.Variance.Row(5)[0], f.Variance.Row(5)[1], f.Variance.Row(1)[2] = 1000, 3, 4
	c.AddVariance(f, 2, 1)
	compare.Near(t, "variances", f.Variance.Data, []float64{
		v[0], v[1], v[2], 0, 0, 4, v[0] / 2, v[1] / 2, v[2] / 4, 0, 0, 0, v[0], v[1], v[2], math.Hypot(1000-own[0], v[0]), math.Hypot(3-own[1], v[1]), v[2],
	}, 1e-12)
	before := f.Variance.Clone()
	new(Chroma).AddVariance(f, 2, 1)
	compare.SameBits(t, "nothing known", f.Variance.Data, before.Data)
}

// Numbers are rounded that are few multiples of their least difference, whatever is added to all.
func TestFindRounding(t *testing.T) {
	for _, c := range []struct {
		name  string
		value func(k int) float64
		step  float64
	}{
		{"bytes", func(k int) float64 { return float64(k * 37 % 256) }, 1},
		{"parts of one, of 32 bits", func(k int) float64 { return float64(float32(k*37%256) / 255) }, 1. / 255},
		{"with a constant", func(k int) float64 { return 0.3 + 0.25*float64(k%17) }, 0.25},
		{"15 values", func(k int) float64 { return float64(k % 15) }, 0},
		{"16 values", func(k int) float64 { return float64(k % 16) }, 1},
		{"257 values", func(k int) float64 { return float64(k % 257) }, 0},
		{"no multiples", func(k int) float64 { return float64(k%20) + 0.3*float64(k%20/19) }, 0},
		{"few values far apart", func(k int) float64 { return float64(k%20) + 1001*float64(k%2) }, 0},
		{"numbers", func(k int) float64 { return math.Sin(float64(k)) }, 0},
	} {
		values := make([]float64, 3*600)
		for k := range values {
			values[k] = c.value(k)
		}
		r, err := findRounding(context.Background(), data.NewSource(values, 2, 300, 3))
		if err != nil || !(math.Abs(r.Step-c.step) <= 1e-6) {
			t.Errorf("%s: step %v, want %v, error %v", c.name, r.Step, c.step, err)
		}
		if c.step == 0 && r != (rounding{}) {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
	values := make([]float64, 3*40)
	for k := range values {
		values[k] = float64(k/3 + 100*(k%3))
	}
	values = append(values, -1, 150, 200)
	r, err := findRounding(context.Background(), data.NewSource(values, 1, 41, 3))
	if want := (rounding{1, [3]float64{-1, 100, 200}, [3]float64{39, 150, 239}}); err != nil || r != want {
		t.Errorf("found %+v, want %+v, error %v", r, want, err)
	}
	if _, err := findRounding(context.Background(), drawn.Failing{Source: data.NewSource(values, 1, 41, 3), At: 0}); !errors.Is(err, drawn.ErrDisk) {
		t.Errorf("frames that cannot be read: error %v", err)
	}
}

// Frames whose pixels share their chroma are asked, and no others.
func TestChromaRounded(t *testing.T) {
	const width, height = 32, 20
	truth, shared := colourful(1, width, height, func(x, y int) (int, int) { return x / 2, y })
	for k := range truth {
		truth[k], shared[k] = math.Round(truth[k]), math.Round(shared[k])
	}
	for _, c := range []struct {
		values []float64
		step   float64
	}{{shared, 1}, {truth, 0}} {
		found, err := Find(context.Background(), data.NewSource(c.values, 1, width*height, 3), width, height)
		if err != nil || found.Rounding.Step != c.step || found.Shared() != (c.step > 0) {
			t.Errorf("found %+v, want the step %v, error %v", found, c.step, err)
		}
	}
}
