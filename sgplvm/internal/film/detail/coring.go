package detail

import (
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// Where pictures are plain, most of what is sharp in finer pixels is no contents: values were rounded, and cameras and codecs leave noise, which sharpening makes larger. So finer pixels keep of that
// a part which goes by how much of it there is nearby (coring: Rossi, "Digital techniques for reducing television noise", J. SMPTE 87, 1978), and as what all channels have tells more than one, they take on a part of
// by how much these have more. With x a picture, x̄ its means over pixels of training, interpolated
// linearly, e the energy of s = x − x̄ there, over that of the channel, and m the mean of s over channels, in units of their energy (docs/math.md, 19.8), it becomes
//
//	x̄ + g(e)·s + h(e)·(m − s)

// coring are the parts of one channel, from 0 to 1, at levels of log₂e between which they are linear: firstCoring, and coringStep from one to the next.
type coring struct{ own, shared coringParts } // g and h

type coringParts [coringLevels]float64

const coringLevels, firstCoring, coringStep = 9, -14, 2

// leastSharp is below the energy of the first level.
const leastSharp = 1e-24

// decodeCoring returns what a file has of it; older files have none, or none of what channels share.
func decodeCoring(own, shared [][]float64) (all []coring, err error) {
	if len(shared) != 0 && len(shared) != len(own) {
		return nil, frame.BadPart("detail", "shared coring of %d channels, expected %d", len(shared), len(own))
	}
	for c := range own {
		var g coring
		if err := g.own.decode(own[c]); err != nil {
			return nil, err
		}
		if len(shared) != 0 {
			if err := g.shared.decode(shared[c]); err != nil {
				return nil, err
			}
		}
		all = append(all, g)
	}
	return all, nil
}

func (g *coringParts) decode(list []float64) error {
	if n := copy(g[:], list); n != len(list) || n != len(g) {
		return frame.BadPart("detail", "coring of %d levels, expected %d", len(list), len(g))
	}
	for _, v := range g {
		if !(v >= 0 && v <= 1) {
			return frame.BadPart("detail", "part %v of what is sharp, expected 0 to 1", v)
		}
	}
	return nil
}

// coringAt returns which two levels an energy lies between, and how far it is from the first to the second.
func coringAt(energy float64) (i, j int, a float64) {
	return frame.Between((math.Log2(max(energy, leastSharp))-firstCoring)/coringStep, coringLevels)
}

// at returns the parts where there is so much energy.
func (g *coring) at(energy float64) (own, shared float64) {
	i, j, a := coringAt(energy)
	return (1-a)*g.own[i] + a*g.own[j], (1-a)*g.shared[i] + a*g.shared[j]
}

// A sharpPicture is what linear interpolation between pixels of training lacks of a picture of finer ones, by how much all channels have more of it, and the energy of that there over the channel's.
type sharpPicture struct{ sharp, more, energy frame.Image[float64] }

// sharpOf returns that of a picture, given the size of training and the mean energy of each channel.
func sharpOf(m frame.Image[float64], training frame.Size, energy []float64) sharpPicture {
	n := m.Channels
	room := func() frame.Image[float64] { return frame.NewImage[float64](m.Width, m.Height, n) }
	p, coarse := sharpPicture{room(), room(), room()}, frame.NewImage[float64](training.Width, training.Height, n)
	unit := make([]float64, n)
	for c, s := range energy {
		unit[c] = math.Sqrt(max(s, LeastScale))
	}
	frame.DownsampleImage(coarse, m)
	mat.Parallel(m.Height, func(y int) {
		to, more, of := p.sharp.Row(y), p.more.Row(y), p.energy.Row(y)
		coarse.RowOver(to, y, m.Width, m.Height)
		for k, v := range m.Row(y) {
			to[k] = v - to[k]
			of[k] = frame.Square(to[k] / unit[k%n])
		}
		for x := 0; x < len(to); x += n {
			var mean float64
			for c, u := range unit {
				mean += to[x+c] / (u * float64(n))
			}
			for c, u := range unit {
				more[x+c] = u*mean - to[x+c]
			}
		}
	})
	frame.DownsampleImage(coarse, p.energy)
	coarse = smoothed(coarse)
	mat.Parallel(m.Height, func(y int) { coarse.RowOver(p.energy.Row(y), y, m.Width, m.Height) })
	return p
}

// core takes off a frame, of finer pixels than training ones of some size, a part of what is sharp and no contents, given the mean energy of each channel.
func core(f frame.Frame, training frame.Size, parts []coring, energy []float64, part float64) {
	p := sharpOf(f.View(), training, energy)
	mat.Parallel(f.Height, func(y int) {
		n := f.Mean.Cols
		sharp, more, energies := p.sharp.Row(y), p.more.Row(y), p.energy.Row(y)
		for x := range f.Width {
			for c := range n {
				k := x*n + c
				own, shared := parts[c].at(energies[k])
				f.Mean.Row(y*f.Width + x)[c] -= part * ((1-own)*sharp[k] - shared*more[k])
			}
		}
	})
}
