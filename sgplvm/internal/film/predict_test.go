package film

import (
	"fmt"
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/flow"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/predict"
)

// What is known of the edges of frames is in predicted frames of finer pixels, and in no others.
func TestShownEdges(t *testing.T) {
	f, frames, _, _ := moving(t, 0, func(i, x, y int) float64 { return 10*math.Sin(float64(x+i)/3) + float64(20*min(y, 1)) })
	registered := flow.Frame{Width: width, Height: height, Mean: mat.NewDense(width*height, 1, frames[:width*height])}
	show := func(edge, scale int) mat.Matrix {
		f.detail = new(flow.Detail)
		if err := f.detail.Decode(fmt.Appendf(nil, `{"Width":%d,"Height":%d,"Energy":[1],"A":0,"Gamma":1,"Edges":[0,0,%d,0]}`, width, height, edge)); err != nil {
			t.Fatal(err)
		}
		dst := f.room(scale*width, scale*height, false)
		if err := (&Model{Film: f}).show(dst, registered, predict.Latent{At: &data.Instant{Time: f.shape.At[0].Time}}); err != nil {
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
