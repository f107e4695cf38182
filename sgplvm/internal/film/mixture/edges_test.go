package mixture

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// lined draws a picture with a black line along its top and a white one along its lower edge, as wide as one of its pixels.
func lined(width, height int, rng *rand.Rand) frame.Image[float64] {
	m := frame.Image[float64]{Width: width, Height: height, Channels: 1, Data: octaves(width, height, 0.3, rng)}
	for i := range m.Data {
		m.Data[i] = 30 + 3*m.Data[i]
		if i < width {
			m.Data[i] = 0
		}
		if i >= width*(height-1) {
			m.Data[i] = 60
		}
	}
	return m
}

// A line along an edge that is half a pixel of training wide is learned from frames that are halved, though they show it as a darker pixel, and stays where it is in finer pixels.
func TestEdges(t *testing.T) {
	const width, height, n = 128, 96, 4
	rng := rand.New(rand.NewPCG(7, 7))
	var low []float64
	var fine []frame.Image[float64]
	for range n {
		m := lined(width, height, rng)
		fine, low = append(fine, m), append(low, HalfOf(m).Data...)
	}
	points := width * height / 4
	d, err := Measure(context.Background(), field.NewSource(low, n, points, 1), width/2, height/2)
	if err != nil {
		t.Fatal(err)
	}
	if e := d.Edges; !(e[2] > 0.8 && e[2] < 1.2) || e[0] > 0.3 || e[1] > 0.3 || !(e[3] > 0.8 && e[3] < 1.2) {
		t.Fatalf("edges %v, want about 1 at the top and below and little elsewhere", e)
	}
	errorOf := func(f frame.Frame) (top float64) {
		for i := range 2 * width {
			top += frame.Square(f.Mean.Data[i]-fine[0].Data[i]) / (2 * width)
		}
		return math.Sqrt(top)
	}
	f := frame.New(width, height, 1)
	frame.Resize(frame.Frame{Width: width, Height: height, Mean: f.Mean}, d.Sharpened(ofValues(width/2, height/2, low[:points]), width))
	before, means := errorOf(f), HalfOf(f.View())
	d.AddEdges(f)
	if after := errorOf(f); after > before/2 {
		t.Errorf("errors beside the line are %v, without edges %v", after, before)
	}
	for i, v := range HalfOf(f.View()).Data {
		if math.Abs(v-means.Data[i]) > 1e-9 {
			t.Fatalf("pixel %d of training is %v, was %v", i, v, means.Data[i])
		}
	}
	for _, size := range [][2]int{{width / 2, height / 2}, {width / 4, height / 4}, {3 * width, 5*height + 1}} {
		g := frame.New(size[0], size[1], 1)
		for i := range g.Mean.Data {
			g.Mean.Data[i] = float64(i / size[0])
		}
		sum := 0.
		d.AddEdges(g)
		for i, v := range g.Mean.Data {
			if math.IsNaN(v) {
				t.Fatalf("%v: value %d is not a number", size, i)
			}
			sum += math.Abs(v - float64(i/size[0]))
		}
		if finer := size[0] > width/2; finer != (sum > 0) {
			t.Errorf("%v: edges change values by %v together", size, sum)
		}
	}
	text, err := d.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again := new(Detail)
	if err := again.Decode(text); err != nil || again.Edges != d.Edges {
		t.Errorf("edges %v come back as %v (%v)", d.Edges, again.Edges, err)
	}
	for _, bad := range []edges{{-1}, {0, 1e10}} {
		d.Edges = bad
		text, err := d.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if again.Decode(text) == nil {
			t.Errorf("no error for %s", text)
		}
	}
}
