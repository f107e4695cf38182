package detail

import (
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// Where pictures are plain, most of what is sharp in finer pixels is no contents: values were rounded, and cameras and codecs leave noise, which sharpening makes larger. So finer pixels keep of that
// a part which goes by how much of it there is nearby (coring: Rossi, "Digital techniques for reducing television noise", J. SMPTE 87, 1978). With x a picture, x̄ its means over pixels of training, interpolated
// linearly, and e the energy of x − x̄ there, over that of the channel (docs/math.md, 19.8), it becomes
//
//	x̄ + g(e)·(x − x̄)

// coring are the parts g of one channel, from 0 to 1, at levels of log₂e between which they are linear: firstCoring, and coringStep from one to the next.
type coring [coringLevels]float64

const coringLevels, firstCoring, coringStep = 9, -14, 2

// leastSharp is below the energy of the first level.
const leastSharp = 1e-24

// decodeCoring returns what a file has of it; older files have none.
func decodeCoring(t [][]float64) (all []coring, err error) {
	for _, list := range t {
		var g coring
		if n := copy(g[:], list); n != len(list) || n != len(g) {
			return nil, frame.BadPart("detail", "coring of %d levels, expected %d", len(list), len(g))
		}
		for _, v := range g {
			if !(v >= 0 && v <= 1) {
				return nil, frame.BadPart("detail", "part %v of what is sharp, expected 0 to 1", v)
			}
		}
		all = append(all, g)
	}
	return all, nil
}

// coringAt returns which two levels an energy lies between, and how far it is from the first to the second.
func coringAt(energy float64) (i, j int, a float64) {
	return frame.Between((math.Log2(max(energy, leastSharp))-firstCoring)/coringStep, coringLevels)
}

// at returns the part where there is so much energy.
func (g *coring) at(energy float64) float64 {
	i, j, a := coringAt(energy)
	return (1-a)*g[i] + a*g[j]
}

// sharpParts returns what linear interpolation between pixels of training, width×height of them, lacks of a picture of finer ones, and the energy of that there, in squared units of the values.
func sharpParts(m frame.Image[float64], width, height int) (sharp, energy frame.Image[float64]) {
	n := m.Channels
	coarse, squares := frame.NewImage[float64](width, height, n), frame.NewImage[float64](m.Width, m.Height, n)
	sharp = frame.NewImage[float64](m.Width, m.Height, n)
	frame.DownsampleImage(coarse, m)
	mat.Parallel(m.Height, func(y int) {
		to, of := sharp.Row(y), squares.Row(y)
		coarse.RowOver(to, y, m.Width, m.Height)
		for k, v := range m.Row(y) {
			to[k] = v - to[k]
			of[k] = to[k] * to[k]
		}
	})
	frame.DownsampleImage(coarse, squares)
	coarse = smoothed(coarse)
	mat.Parallel(m.Height, func(y int) { coarse.RowOver(squares.Row(y), y, m.Width, m.Height) })
	return sharp, squares
}
