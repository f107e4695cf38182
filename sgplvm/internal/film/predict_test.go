package film

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/mixture"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// What is known of the edges of frames is in predicted frames of finer pixels, and in no others.
func TestShownEdges(t *testing.T) {
	f, frames, _, _ := moving(t, 0, func(i, x, y int) float64 { return 10*math.Sin(float64(x+i)/3) + float64(20*min(y, 1)) })
	registered := frame.Frame{Width: width, Height: height, Mean: mat.NewDense(width*height, 1, frames[:width*height])}
	f.limits = frame.Limits{}
	show := func(edge, scale int) mat.Matrix {
		f.detail = new(mixture.Detail)
		if err := f.detail.Decode(fmt.Appendf(nil, `{"Width":%d,"Height":%d,"Energy":[1],"A":0,"Gamma":1,"Edges":[0,0,%d,0]}`, width, height, edge)); err != nil {
			t.Fatal(err)
		}
		dst := f.room(scale*width, scale*height, false)
		if err := (&Model{Film: f}).show(dst, registered, field.Latent{At: &data.Instant{Time: f.shape.At[0].Time}}); err != nil {
			t.Fatal(err)
		}
		return dst.Mean
	}
	plain, edged := show(0, 2), show(1, 2)
	for x := range 2 * width {
		if d := plain.At(x, 0) - edged.At(x, 0); !(d > 5) {
			t.Errorf("pixel %d of the upper edge is darker by %v, want about 20", x, d)
		}
	}
	for k := 4 * width; k < plain.Rows; k++ {
		if plain.At(k, 0) != edged.At(k, 0) {
			t.Fatalf("pixel %d inside is %v, want %v", k, edged.At(k, 0), plain.At(k, 0))
		}
	}
	plain, edged = show(0, 1), show(1, 1)
	for k, v := range plain.Data {
		if edged.Data[k] != v {
			t.Fatalf("pixel %d of training is %v, want %v", k, edged.Data[k], v)
		}
	}
}

// Variances are inflated up to a bound, that of the range of the frames.
func TestInflate(t *testing.T) {
	f, _, _, _ := moving(t, 0, func(i, x, y int) float64 { return float64(100 * ((x + y + i) % 2)) })
	dst := f.room(width, height, true)
	for k := range dst.Variance.Data {
		dst.Variance.Data[k] = []float64{2000, 3000}[k%2]
	}
	f.inflate(dst)
	for k, v := range dst.Variance.Data {
		if want := []float64{2000, 2500}[k%2]; math.Abs(v-want) > 1e-9 {
			t.Fatalf("variance %v of pixel %d, want %v", v, k, want)
		}
	}
}

// Between two shots detail is that of the mean over both.
func TestShownBetweenShots(t *testing.T) {
	f, frames, leaveOut, _ := moving(t, 0, func(i, column, y int) float64 {
		x := float64(column) + 0.5*float64(i)
		if i >= n/2 {
			return 60 + 40*math.Sin(1.3*float64(y)+0.5*x) + 25*math.Cos(2.2*x)
		}
		return 150 + 30*math.Sin(2.1*x+0.4*float64(y)) + 25*math.Cos(1.7*float64(y)-0.5*x)
	})
	c, err := f.Calibrated(context.Background(), leaveOut, func(int, int) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	c.detail = new(mixture.Detail)
	if err := c.detail.Decode(fmt.Appendf(nil, `{"Width":%d,"Height":%d,"Energy":[400],"A":0,"Gamma":0,"Laplacian":[400]}`, width, height)); err != nil {
		t.Fatal(err)
	}
	registered := frame.Frame{Width: width, Height: height, Mean: mat.NewDense(width*height, 1, frames[3*width*height:4*width*height]), Variance: mat.New(width*height, 1)}
	at := data.Instant{Time: n/2 - 0.5}
	moments, err := c.motion.Moments(at)
	if err != nil || len(moments) != 2 {
		t.Fatalf("%d shots, error %v", len(moments), err)
	}
	got, want, second := c.room(2*width, 2*height, true), c.room(2*width, 2*height, true), c.room(2*width, 2*height, true)
	if err := (&Model{Film: c}).show(got, registered, field.Latent{At: &at}); err != nil {
		t.Fatal(err)
	}
	c.warp(want, registered, moments[0])
	c.warp(second, registered, moments[1])
	for k := range want.Variance.Data {
		want.Variance.Data[k] *= c.inflation.Factor
		second.Variance.Data[k] *= c.inflation.Factor
	}
	want.Blend(second, moments[1].Chance)
	c.detail.AddTo(want)
	for k, v := range want.Variance.Data {
		if got.Variance.Data[k] != v {
			t.Fatalf("variance %v at pixel %d, want %v", got.Variance.Data[k], k, v)
		}
	}
}
