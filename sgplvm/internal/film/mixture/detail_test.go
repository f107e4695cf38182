package mixture

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/drawn"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// octaves draws a periodic picture whose octaves have variances that fall by a ratio.
func octaves(width, height int, ratio float64, rng *rand.Rand) []float64 {
	v := make([]float64, width*height)
	for wave, amplitude := float64(width)/2, 1.0; wave > 2; wave, amplitude = wave/2, amplitude*math.Sqrt(ratio) {
		for range 40 {
			angle, phase := 2*math.Pi*rng.Float64(), 2*math.Pi*rng.Float64()
			length := wave * math.Pow(2, rng.Float64()-0.5)
			kx, ky := 2*math.Pi/length*math.Cos(angle), 2*math.Pi/length*math.Sin(angle)
			for i := range v {
				v[i] += amplitude * math.Sin(kx*float64(i%width)+ky*float64(i/width)+phase) / math.Sqrt(20)
			}
		}
	}
	return v
}

// ofValues is a frame of one channel.
func ofValues(width, height int, v []float64) frame.Frame {
	return frame.Frame{Width: width, Height: height, Mean: mat.NewDense(width*height, 1, v)}
}

// What a spline misses of fine pixels is predicted from the means of 2×2 of them.
func TestDetail(t *testing.T) {
	const width, height, n = 192, 128, 2
	rng := rand.New(rand.NewPCG(6, 6))
	for _, ratio := range []float64{0.2, 0.4}[:drawn.Cases(2)] {
		var low []float64
		var truth float64
		for range n {
			fine := frame.Image[float64]{Width: width, Height: height, Channels: 1, Data: octaves(width, height, ratio, rng)}
			missed := frame.NewImage[float64](width, height, 1)
			half := missedByOctave(missed, fine)
			low = append(low, half.Data...)
			for _, v := range missed.Data {
				truth += v * v / float64(n*len(missed.Data))
			}
		}
		d, err := Measure(context.Background(), field.NewSource(low, n, width*height/4, 1), width/2, height/2)
		if err != nil {
			t.Fatal(err)
		}
		var mean float64
		for i := range n {
			f := frame.New(width, height, 1)
			frame.Resize(frame.Frame{Width: width, Height: height, Mean: f.Mean, Variance: mat.Matrix{}}, ofValues(width/2, height/2, low[i*width*height/4:(i+1)*width*height/4]))
			d.AddTo(f)
			for _, v := range f.Variance.Data {
				mean += v / float64(n*len(f.Variance.Data))
			}
			if i > 0 {
				continue
			}
			same := frame.New(width/2, height/2, 1)
			d.AddTo(same)
			if k, c, bad := nonZero(same.Variance); bad {
				t.Fatalf("pixel %d, channel %d of a frame as coarse as measured has detail", k, c)
			}
			again := new(Detail)
			text, err := d.Encode()
			if err == nil {
				err = again.Decode(text)
			}
			if err != nil {
				t.Fatal(err)
			}
			g := frame.New(width, height, 1)
			mat.Copy(g.Mean, f.Mean)
			again.AddTo(g)
			if !slices.Equal(g.Variance.Data, f.Variance.Data) {
				t.Fatal("other variances after reading")
			}
		}
		if !(mean > truth/2 && mean < 2*truth) {
			t.Errorf("octaves at %v: variance of detail %v, predicted %v", ratio, truth, mean)
		}
	}
}

func nonZero(m mat.Matrix) (i, j int, found bool) {
	for i := range m.Rows {
		for j := range m.Cols {
			if m.At(i, j) != 0 {
				return i, j, true
			}
		}
	}
	return 0, 0, false
}

// The law, octave by octave: a chequered picture has the energy 1 everywhere.
func TestDetailLaw(t *testing.T) {
	const width, height = 16, 16
	law := func(u float64) float64 { return 4 * 0.3 * math.Sqrt(u/4+0.001) } // s = 4, a = log 0.3, γ = 0.5
	first := law(1)
	for _, c := range []struct {
		finer int
		a     float64
		want  float64
	}{
		{1, math.Log(0.3), 0}, {2, math.Log(0.3), first}, {4, math.Log(0.3), first + law(first)}, {3, math.Log(0.3), first + (math.Log2(3)-1)*law(first)},
		{4, math.Log(3), 2 * 10 * first}, // no octave has more than that before it
	} {
		f := frame.New(c.finer*width, c.finer*height, 1)
		for k := range f.Mean.Data {
			f.Mean.Data[k] = float64(1 - 2*((k%f.Width/c.finer+k/f.Width/c.finer)%2))
		}
		(&Detail{Width: width, Height: height, Energy: []float64{4}, Laplacian: []float64{16}, A: c.a, Gamma: 0.5}).AddTo(f)
		for k, v := range f.Variance.Data {
			if math.Abs(v-c.want) > 1e-12 {
				t.Fatalf("pixels %d times as fine, intercept %v: variance %v of pixel %d, want %v", c.finer, c.a, v, k, c.want)
			}
		}
	}
}

// Detail is where a frame has it.
func TestDetailFollowsContents(t *testing.T) {
	const width, height = 64, 32
	v := make([]float64, width*height)
	rng := rand.New(rand.NewPCG(1, 6))
	for i := range v {
		if i%width >= width/2 {
			v[i] = rng.NormFloat64()
		}
	}
	d, err := Measure(context.Background(), field.NewSource(v, 1, width*height, 1), width, height)
	if err != nil {
		t.Fatal(err)
	}
	f := frame.New(2*width, 2*height, 1)
	frame.Resize(frame.Frame{Width: 2 * width, Height: 2 * height, Mean: f.Mean, Variance: mat.Matrix{}}, ofValues(width, height, v))
	d.AddTo(f)
	if quiet, busy := f.Variance.At(f.Width*height+20, 0), f.Variance.At(f.Width*height+100, 0); !(quiet < 0.01*busy) {
		t.Errorf("variance %v of detail on a plain half, %v on a busy one", quiet, busy)
	}
}

func TestDetailErrors(t *testing.T) {
	src := field.NewSource(make([]float64, 24), 1, 24, 1)
	if _, err := Measure(context.Background(), src, 5, 5); err == nil || err.Error() != "sgplvm: size: frames of 5×5 pixels from a source of 1 frames of 24 points" {
		t.Errorf("error %v", err)
	}
	plain := field.NewSource(make([]float64, 400), 1, 400, 1)
	tiny := make([]float64, 15*15)
	for i := range tiny {
		tiny[i] = float64(i * i % 7)
	}
	for _, c := range []struct {
		src           field.Source
		width, height int
	}{{src, 6, 4}, {field.NewSource(tiny, 1, 15*15, 1), 15, 15}, {plain, 20, 20}} { // too small to measure; nothing to see
		d, err := Measure(context.Background(), c.src, c.width, c.height)
		if err != nil {
			t.Fatal(err)
		}
		f := frame.New(2*c.width, 2*c.height, 1)
		for k := range f.Mean.Data {
			f.Mean.Data[k] = float64(k % 5)
		}
		d.AddTo(f)
		if k, _, bad := nonZero(f.Variance); bad {
			t.Errorf("pixel %d of a frame of %d×%d pixels has detail", k, c.width, c.height)
		}
	}
	const good = `{"Width":8,"Height":8,"Energy":[1],"Laplacian":[2],"A":-1,"Gamma":0.5}`
	if err := new(Detail).Decode([]byte(good)); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]string{{good, `[]`}, {`"Width":8`, `"Width":0`}, {`"Height":8`, `"Height":100000`}, {`[1]`, `[-1]`}, {`-1,`, `-1e300,`}, {`"A"`, `"Ratio":[9],"A"`}, {`0.5`, `1.5`}, {`0.5`, `-0.5`}} {
		if err := new(Detail).Decode([]byte(strings.Replace(good, c[0], c[1], 1))); err == nil || !strings.HasPrefix(err.Error(), "film: attached detail: ") {
			t.Errorf("%s for %s: error %v", c[1], c[0], err)
		}
	}
}
