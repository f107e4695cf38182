package detail

import (
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// Half way between pixels everything is missed, on them nothing. Two frames that show different halves miss less, and the two are apart though they show the same.
func TestAliasing(t *testing.T) {
	textures := new([2]frame.Image[float64])
	for k := range textures {
		textures[k] = frame.NewImage[float64](4, 4, 1)
		for i := range textures[k].Data {
			textures[k].Data[i] = 3
		}
	}
	for _, c := range []struct{ ax, bx, share, missed, between float64 }{
		{2, 3, 0.5, 0, 0},
		{2.5, 3.5, 0.5, 3, 0},
		{2.5, 2, 1, 3, 3},
		{2.25, 2.75, 0.5, 0.75, 3},
		{2.25, 2.75, 1, 1.5, 3},
	} {
		for _, down := range []bool{false, true} {
			p := Path{Ax: c.ax, Bx: c.bx, Ay: 1, By: 4}
			if down {
				p = Path{Ay: c.ax, By: c.bx, Ax: 1, Bx: 4}
			}
			var l Aliasing
			l.Add(p, 0.25, c.share, textures)
			l.Add(p, 0.75, c.share, textures)
			if math.Abs(l.Missed()-c.missed) > 1e-12 || math.Abs(l.Between-c.between) > 1e-12 {
				t.Errorf("%+v, down %v: missed %v, apart %v", c, down, l.Missed(), l.Between)
			}
		}
	}
}
