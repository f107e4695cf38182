package mixture

import (
	"math"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// A dot bends itself and a quarter of that the four beside it; a slope bends nowhere but at the edges, from which it goes back; channels are apart.
func TestLaplacianEnergy(t *testing.T) {
	const width, height = 7, 6
	m := frame.NewImage[float64](width, height, 2)
	for k := range width * height {
		m.Data[2*k+1] = 8 * float64(k%width)
	}
	m.Data[2*(2*width+3)] = 4
	energy := laplacianEnergy(m)
	for k, want := range map[int]float64{
		2*width + 3: 16./4 + 4*1./8, // the dot and its four neighbours
		2*width + 2: 16./8 + 1./4 + 2*1./16, 2*width + 4: 16./8 + 1./4 + 2*1./16, 1*width + 3: 16./8 + 1./4 + 2*1./16,
		3*width + 4: 16./16 + 2*1./8, 1*width + 2: 16./16 + 2*1./8,
		0*width + 3: 1. / 4, 2*width + 1: 1. / 8, 2*width + 0: 0, 4*width + 3: 1. / 8, // the row above the neighbour is beside it on both sides
	} {
		if got := energy.Data[2*k]; math.Abs(got-want) > 1e-12 {
			t.Errorf("pixel (%d, %d): %v, want %v", k%width, k/width, got, want)
		}
	}
	for k := range width * height {
		want := 0.
		switch k % width {
		case 0, width - 1:
			want = 16. / 2
		case 1, width - 2:
			want = 16. / 4
		}
		if got := energy.Data[2*k+1]; math.Abs(got-want) > 1e-12 {
			t.Errorf("a slope at (%d, %d): %v, want %v", k%width, k/width, got, want)
		}
	}
	one := frame.NewImage[float64](1, 1, 1)
	one.Data[0] = 3
	if got := laplacianEnergy(one).Data[0]; got != 0 {
		t.Errorf("one pixel: %v", got)
	}
}

// The law by the Laplacian: a chequered picture has the energy 4 everywhere.
func TestDetailByLaplacian(t *testing.T) {
	const width, height = 16, 12
	d := &Detail{Width: width, Height: height, Energy: []float64{4}, Ratio: []float64{2}, Laplacian: []float64{10}, A: math.Log(0.03), Gamma: 0.5}
	octave := func(u float64) float64 { return 4 * 2 * 0.03 * math.Sqrt(u+minPart) }
	first := octave(4. / 10)
	for _, c := range []struct {
		finer int
		want  float64
	}{{2, first}, {4, first + 2*octave(first/8)}} {
		f := frame.New(c.finer*width, c.finer*height, 1)
		for k := range f.Mean.Data {
			f.Mean.Data[k] = float64(1 - 2*((k%f.Width/c.finer+k/f.Width/c.finer)%2))
		}
		d.AddTo(f)
		for k, v := range f.Variance.Data {
			if math.Abs(v-c.want) > 1e-12 {
				t.Fatalf("pixels %d times as fine: variance %v of pixel %d, want %v", c.finer, v, k, c.want)
			}
		}
	}
	text, err := d.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again := new(Detail)
	if err := again.Decode(text); err != nil || len(again.Laplacian) != 1 || again.Laplacian[0] != 10 {
		t.Errorf("%s read as %+v, error %v", text, again, err)
	}
	bad := strings.Replace(string(text), `"Laplacian":[10]`, `"Laplacian":[-10]`, 1)
	if err := again.Decode([]byte(bad)); err == nil || !strings.Contains(err.Error(), "energy -10") {
		t.Errorf("%s: error %v", bad, err)
	}
	if err := d.Check(frame.Shape{Width: width, Height: height, Channels: 1}); err != nil {
		t.Error(err)
	}
	d.Laplacian = []float64{10, 10}
	if err := d.Check(frame.Shape{Width: width, Height: height, Channels: 1}); err == nil {
		t.Error("two energies of one channel are taken")
	}
}
