package detail

import (
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// Where pictures are plain, most of what is sharp in finer pixels is no contents: values were rounded, and cameras and codecs leave noise, which sharpening makes larger. So finer pixels keep of that
// a part which goes by how much of it there is nearby (coring: Rossi, "Digital techniques for reducing television noise", J. SMPTE 87, 1978). Its means over pixels of training are better known than what is within these, and
// what all channels have tells more than one. With x a picture, x̄ its means over pixels of training, interpolated linearly, d = x − x̄, d̄ its mean over the pixel of training,
// e the energy of d there, over that of the channel, and m the mean of d over channels, in units of their energy (docs/math.md, 19.8), it becomes
//
//	x̄ + f(e)·d̄ + g(e)·(d − d̄) + h(e)·(m − d)

// coring are the parts f, g and h of one channel, from 0 to 1, at levels of log₂e between which they are linear: firstCoring, and coringStep from one to the next.
type coring [sharpKinds]coringParts

type coringParts [coringLevels]float64

const coringLevels, firstCoring, coringStep = 9, -14, 2

// Of the kinds of what is sharp: means over pixels of training, what is within these, and what all channels have more.
const (
	sharpMean = iota
	sharpWithin
	sharpMore
	sharpKinds
)

// asIs are the parts under which a picture stays as it is.
var asIs = [sharpKinds]float64{1, 1, 0}

// leastSharp is below the energy of the first level.
const leastSharp = 1e-24

// coringText is how a file has it, a list for each channel. Older files have less: none, or one part for what is sharp.
type coringText struct{ within, means, shared [][]float64 }

func encodeCoring(all []coring) (t coringText) {
	for _, g := range all {
		t.within, t.means, t.shared = append(t.within, g[sharpWithin][:]), append(t.means, g[sharpMean][:]), append(t.shared, g[sharpMore][:])
	}
	return t
}

func (t coringText) decode() (all []coring, err error) {
	if len(t.means) == 0 && len(t.shared) == 0 {
		t.means, t.shared = t.within, make([][]float64, len(t.within))
		for c := range t.shared {
			t.shared[c] = make([]float64, coringLevels)
		}
	}
	for range t.within {
		all = append(all, coring{})
	}
	for kind, lists := range [sharpKinds][][]float64{sharpMean: t.means, sharpWithin: t.within, sharpMore: t.shared} {
		if len(lists) != len(all) {
			return nil, frame.BadPart("detail", "coring of %d channels, expected %d", len(lists), len(all))
		}
		for c, list := range lists {
			g := &all[c][kind]
			if n := copy(g[:], list); n != len(list) || n != len(g) {
				return nil, frame.BadPart("detail", "coring of %d levels, expected %d", len(list), len(g))
			}
			for _, v := range g {
				if !(v >= 0 && v <= 1) {
					return nil, frame.BadPart("detail", "part %v of what is sharp, expected 0 to 1", v)
				}
			}
		}
	}
	return all, nil
}

// coringAt returns which two levels an energy lies between, and how far it is from the first to the second.
func coringAt(energy float64) (i, j int, a float64) {
	return frame.Between((math.Log2(max(energy, leastSharp))-firstCoring)/coringStep, coringLevels)
}

// A sharpPicture is what linear interpolation between pixels of training lacks of a picture of finer ones, by its kinds, in the units of the values, and the energy of that there over the channel's, without unit. All have the size of the picture.
type sharpPicture struct {
	kinds  [sharpKinds]frame.Image[float64]
	energy frame.Image[float64]
}

// sharpOf returns that of a picture, given the size of training and the mean energy of each channel, in squared units of the values.
func sharpOf(m frame.Image[float64], training frame.Size, energy []float64) (p sharpPicture) {
	n := m.Channels
	for k := range p.kinds {
		p.kinds[k] = frame.NewImage[float64](m.Width, m.Height, n)
	}
	p.energy = frame.NewImage[float64](m.Width, m.Height, n)
	coarse, unit := frame.NewImage[float64](training.Width, training.Height, n), make([]float64, n)
	for c, s := range energy {
		unit[c] = math.Sqrt(max(s, LeastScale))
	}
	sharp := p.kinds[sharpWithin] // before its means are taken off
	frame.DownsampleImage(coarse, m)
	mat.Parallel(m.Height, func(y int) {
		to, of, more := sharp.Row(y), p.energy.Row(y), p.kinds[sharpMore].Row(y)
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
	near := smoothed(coarse)
	frame.DownsampleImage(coarse, sharp)
	mat.Parallel(m.Height, func(y int) {
		near.RowOver(p.energy.Row(y), y, m.Width, m.Height)
		within, means, over := sharp.Row(y), p.kinds[sharpMean].Row(y), coarse.Row(y*training.Height/m.Height)
		for k := range within {
			means[k] = over[k/n*training.Width/m.Width*n+k%n]
			within[k] -= means[k]
		}
	})
	return p
}

// core takes off a frame, of finer pixels than training ones of some size, a part of what is sharp and no contents, given the mean energy of each channel.
func core(f frame.Frame, training frame.Size, parts []coring, energy []float64, part float64) {
	p := sharpOf(f.View(), training, energy)
	mat.Parallel(f.Height, func(y int) {
		n, energies := f.Mean.Cols, p.energy.Row(y)
		for x := range f.Width {
			for c := range n {
				k := x*n + c
				i, j, a := coringAt(energies[k])
				for kind, of := range parts[c] {
					f.Mean.Row(y*f.Width + x)[c] += part * ((1-a)*of[i] + a*of[j] - asIs[kind]) * p.kinds[kind].Row(y)[k]
				}
			}
		}
	})
}
