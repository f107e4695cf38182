package motion

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// sizes returns how many of a test's cases are tried.
func sizes(full int) int {
	if testing.Short() {
		return 1
	}
	return full
}

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

// What a spline misses of fine pixels is predicted from the means of 2×2 of them.
func TestDetail(t *testing.T) {
	const width, height, n = 192, 128, 2
	rng := rand.New(rand.NewPCG(6, 6))
	for _, ratio := range []float64{0.2, 0.4}[:sizes(2)] {
		var low []float64
		var truth float64
		for range n {
			fine := image[float64]{width, height, 1, octaves(width, height, ratio, rng)}
			missed := newImage[float64](width, height, 1)
			half := missedByOctave(missed, fine)
			low = append(low, half.data...)
			for _, v := range missed.data {
				truth += v * v / float64(n*len(missed.data))
			}
		}
		d, err := MeasureDetail(context.Background(), sgplvm.NewSource(low, n, width*height/4, 1), width/2, height/2)
		if err != nil {
			t.Fatal(err)
		}
		f := NewFrame(width, height, 1)
		d.AddTo(f)
		var mean float64
		for _, v := range f.Variance.Data {
			mean += v / float64(len(f.Variance.Data))
		}
		if !(mean > truth/2 && mean < 2*truth) {
			t.Errorf("octaves at %v: variance of detail %v, predicted %v", ratio, truth, mean)
		}
		same := NewFrame(width/2, height/2, 1)
		d.AddTo(same)
		for i, v := range same.Variance.Data {
			if v != 0 {
				t.Fatalf("pixel %d of a frame as coarse as measured: variance %v of detail", i, v)
			}
		}
		text, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		var again Detail
		if err := json.Unmarshal(text, &again); err != nil {
			t.Fatal(err)
		}
		g := NewFrame(width, height, 1)
		again.AddTo(g)
		for i, v := range g.Variance.Data {
			if math.Abs(v-f.Variance.Data[i]) > 1e-6*f.Variance.Data[i] {
				t.Fatalf("pixel %d: variance %v after reading, %v before", i, v, f.Variance.Data[i])
			}
		}
	}
}

// Detail is where the frames have it.
func TestDetailIsLocal(t *testing.T) {
	const width, height = 64, 32
	v := make([]float64, width*height)
	rng := rand.New(rand.NewPCG(1, 6))
	for i := range v {
		if i%width >= width/2 {
			v[i] = rng.NormFloat64()
		}
	}
	d, err := MeasureDetail(context.Background(), sgplvm.NewSource(v, 1, width*height, 1), width, height)
	if err != nil {
		t.Fatal(err)
	}
	f := NewFrame(2*width, 2*height, 1)
	d.AddTo(f)
	if quiet, busy := f.Variance.At(f.Width*height+20, 0), f.Variance.At(f.Width*height+100, 0); !(quiet < 0.01*busy) {
		t.Errorf("variance %v of detail on a plain half, %v on a busy one", quiet, busy)
	}
}

func TestDetailErrors(t *testing.T) {
	src := sgplvm.NewSource(make([]float64, 24), 1, 24, 1)
	if _, err := MeasureDetail(context.Background(), src, 5, 5); err == nil || err.Error() != "motion: size: frames of 5×5 pixels from a source of 1 frames of 24 points" {
		t.Errorf("error %v", err)
	}
	d, err := MeasureDetail(context.Background(), src, 6, 4)
	if err != nil {
		t.Fatal(err)
	}
	f := NewFrame(12, 8, 1)
	d.AddTo(f) // too small to measure: no detail
	for _, v := range f.Variance.Data {
		if v != 0 {
			t.Errorf("variance %v of detail of a frame of 6×4 pixels", v)
		}
	}
	for _, text := range []string{`[]`, `{"Width":0,"Height":4,"Channels":1,"Ratio":0.5,"Variance":""}`, `{"Width":8,"Height":8,"Channels":1,"Ratio":1,"Variance":""}`,
		`{"Width":8,"Height":8,"Channels":1,"Ratio":0.5,"Variance":"AAAA"}`, `{"Width":4,"Height":4,"Channels":1,"Ratio":0.5,"Variance":"AACAfw=="}`} {
		if err := json.Unmarshal([]byte(text), new(Detail)); err == nil {
			t.Errorf("%s: no error", text)
		}
	}
}
