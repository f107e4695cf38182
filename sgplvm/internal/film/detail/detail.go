package detail

import (
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// Detail is the variance of what fine pixels show that coarse ones, of which each is a mean over
// fine ones, do not tell. Nobody has seen it, but scenes look alike from octave to octave (the
// scale invariance of natural images: Field, J. Opt. Soc. Am. A 4(12), 1987). Let the energy s of a channel be the mean
// square, over all frames, of what a spline through the means of 2×2 pixels misses, and u the energy of the Laplacian of a picture of coarse pixels at a place, over
// its mean in all frames (laplacian.go; docs/math.md, 19.8). Then pixels twice as fine are taken to miss with the variance
//
//	e^a·q·s·(u + 1/1000)^γ
//
// and, where training pixels have white noise of the variance ν, 3ν for that: they are means over four. s is then less what noise has of it.
// Here q is the ratio of s to that of the octave below, as which octaves are taken to
// go on, or its root where that is less. a and γ make likeliest what one octave missed in the training
// frames, given u of the octave below (multiplicative heteroscedasticity: Harvey, Econometrica 44(3), 1976). Of that a part is there, in each class of texture
// its own (spectrum.go, aliasedlaw.go), and less where frames around show it (unresolved.go). Of a predicted
// picture u is that of its mean and a part of its variance, which the mean lacks (EnergyLoss).
type Detail struct {
	Width, Height   int
	Energy          []float64 // s; empty where frames are too small to tell
	Ratio           []float64 // q; empty for 1
	Laplacian       []float64 // the mean of each channel's Laplacian energy; empty in older files, where u is what a spline misses nearby, over s
	LaplacianBelow  []float64 // that of frames of half the size
	A, Gamma        float64
	edges           edges      // how values go on across the outermost pixels (edges.go)
	sharpening      Sharpening // what a picture goes through before finer pixels are sampled from it
	lost            float64    // the part of the variance of a prediction that its mean lacks in energy (energyloss.go)
	White           []float64  // the variance of white noise in training pixels (noiselaw.go); empty for none
	SuperResolution            // how frames are enlarged before finer pixels are sampled from them (superresolution.go)
	Resolvable      float64    // which part of detail other frames show where they resolve all there is (unresolved.go)
	Bends           bool       // whether paths between frames bend (bends.go)
	Hypotheses      bool       // whether paths nearby are hypotheses of where contents are (hypotheses.go)
	Smoothing       Smoothing  // how frames are averaged with those beside them
	parts           []float64  // which part of the detail is there, of each class of texture (spectrum.go); empty for all
	coring          []coring   // which part of what is sharp in finer pixels is contents, of each channel (coring.go); empty for all
}

// Unresolved is which part of what a frame does not show between its pixels, from 0 to 1, those around its time leave, in each pixel of a predicted frame. The zero value is all of it, everywhere.
type Unresolved struct{ frame.Image[float64] }

// Over sets cells to the means over them.
func (u Unresolved) Over(cells frame.Image[float64]) {
	if len(u.Data) > 0 {
		frame.DownsampleImage(cells, u.Image)
		return
	}
	for k := range cells.Data {
		cells.Data[k] = 1
	}
}

// leastEnergy is the part of its mean that is added to an energy.
const leastEnergy = 1e-3

// leastOctave and MostOctave bound the energy of an octave over that of the one below: white noise has the most, 4.
const leastOctave, MostOctave = 1. / 16, 4

// leastScenery is the least part of the energy of frames that is no noise.
const leastScenery = 1. / 16

// WhiteMissed is the part of white noise's variance that a spline through means of 2×2 pixels misses.
const WhiteMissed = 0.79

// mostLost is the largest part of a variance that a mean may lack in energy: all of it.
const mostLost = 1

// AddTo adds what Missed returns to the variance of a predicted frame.
func (d *Detail) AddTo(f frame.Frame, left Unresolved) { d.Missed(f, left).AddTo(f) }

// Missed is the variance of what finer pixels show and a predicted frame does not: of detail, in pixels of training, and of white noise, for each channel. The zero value is none.
type Missed struct {
	detail frame.Image[float64]
	noise  []float64
}

// Missed returns the variance of detail in a predicted frame, whatever its pixels: nothing where
// they are as large as those of training, and that of k octaves where they are 2ᵏ times as fine.
// An octave has the variance of the octave before it as its local energy, and never a larger variance. The energy of the frame is
// that of its mean and what the mean lacks, a part of the variance. Where other frames resolve detail what of it Left returns counts; noise stays whole. It panics if the numbers of channels differ.
func (d *Detail) Missed(f frame.Frame, left Unresolved) Missed {
	f.Check("Missed", "a frame with variances")
	octaves := math.Log2(float64(f.Width) / float64(d.Width))
	if !(octaves > 0) || len(d.Energy) == 0 {
		return Missed{}
	}
	channels := len(d.Energy)
	if f.Variance.Cols != channels {
		panic(fmt.Sprintf("film: Missed: variance %d×%d for %d channels", f.Variance.Rows, f.Variance.Cols, channels))
	}
	coarse := frame.NewImage[float64](d.Width, min(d.Height, f.Height), channels)
	frame.DownsampleImage(coarse, f.View())
	variance := d.localEnergy(coarse)
	if d.lost > 0 {
		unsure := frame.NewImage[float64](variance.Width, variance.Height, channels)
		frame.DownsampleImage(unsure, frame.Frame{Width: f.Width, Height: f.Height, Mean: f.Variance}.View())
		variance.Add(d.lost, unsure)
	}
	parts := frame.NewImage[float64](variance.Width, variance.Height, 1)
	d.partsOf(parts, coarse, left)
	d.sumOctaves(variance, parts, octaves)
	return Missed{variance, d.Noise(f.Width)}
}

// localEnergy returns the energy of a picture of training pixels at each place, in pixels or cells, to be taken over its mean: of the Laplacian, or
// what cells miss where older files do not know that.
func (d *Detail) localEnergy(m frame.Image[float64]) frame.Image[float64] {
	if len(d.Laplacian) == 0 {
		return OctaveEnergy(m)
	}
	return laplacianEnergy(m)
}

// meanLocal is the mean of channel c's local energy in training frames.
func (d *Detail) meanLocal(c int) float64 {
	if len(d.Laplacian) == 0 {
		return d.Energy[c]
	}
	return max(d.Laplacian[c], LeastScale)
}

// AddTo adds it to the variance of the frame that misses it.
func (m Missed) AddTo(f frame.Frame) {
	if len(m.detail.Data) == 0 {
		return
	}
	mat.Parallel(f.Height, func(y int) {
		row := make([]float64, m.detail.Channels*f.Width)
		m.detail.RowOver(row, y, f.Width, f.Height)
		for x := range f.Width {
			v := f.Variance.Row(y*f.Width + x)
			for c := range v {
				v[c] += row[m.detail.Channels*x+c]
			}
			for c, w := range m.noise {
				v[c] += w
			}
		}
	})
}

// Noise returns the part of Missed that is white noise, for each channel: means over as many pixels as make one of training
// have the noise of that one. It is empty where none is known, and where pixels are none finer.
func (d *Detail) Noise(width int) (variances []float64) {
	finer := frame.Square(float64(width)/float64(d.Width)) - 1
	for _, v := range d.White {
		if finer > 0 {
			variances = append(variances, finer*v)
		}
	}
	return variances
}

// Sharpened returns the frame of training pixels, from which finer ones are to be sampled, sharpened as these
// need it: by a part of the filter below one octave. For pixels that are none finer it is the frame itself.
func (d *Detail) Sharpened(f frame.Frame, width int) frame.Frame {
	if part := d.sharpness(width); part > 0 {
		f.Mean = frame.FrameOf(sharpened(f.View(), d.sharpening, part)).Mean
	}
	return f
}

// AddEdges adds to a predicted frame of finer pixels than those of training what the outermost of these say of how values go on across them.
func (d *Detail) AddEdges(f frame.Frame) {
	if d.edges == (edges{}) || f.Width <= d.Width || f.Height <= d.Height {
		return
	}
	coarse := frame.NewImage[float64](d.Width, d.Height, f.Mean.Cols)
	frame.DownsampleImage(coarse, f.View())
	n := f.Mean.Cols
	eachEdge(frame.Size{Width: f.Width, Height: f.Height}, coarse, func(side, place int, x float64) {
		f.Mean.Row(place / n)[place%n] += d.edges[side] * x
	})
}

// Core takes off a predicted frame of finer pixels than those of training what is sharp in it and likely no contents.
func (d *Detail) Core(f frame.Frame) {
	part := d.sharpness(f.Width)
	if len(d.coring) == 0 || part == 0 || f.Height <= d.Height {
		return
	}
	core(f, frame.Size{Width: d.Width, Height: d.Height}, d.coring, d.Energy, part)
}

// sharpness returns the part of the sharpening that pixels need of which there are width across.
func (d *Detail) sharpness(width int) float64 {
	return min(max(math.Log2(float64(width)/float64(d.Width)), 0), 1)
}

// partsOf sets parts to which part of the detail is there in cells of a picture: that of its texture times what other frames leave.
func (d *Detail) partsOf(parts, m frame.Image[float64], left Unresolved) {
	left.Over(parts)
	for k, u := range parts.Data {
		parts.Data[k] = d.Left(u)
	}
	if len(d.parts) == 0 {
		return
	}
	classes := SpectralClassesOf(m)
	for k, class := range classes.Data {
		classes.Data[k] = d.parts[int(class)]
	}
	var part [1]float64
	for k := range parts.Data {
		classes.SampleOver(part[:], k%parts.Width, k/parts.Width, parts.Width, parts.Height)
		parts.Data[k] *= part[0]
	}
}

// Left returns which part of detail is there where so much of it is unresolved.
func (d *Detail) Left(unresolved float64) float64 { return 1 - d.Resolvable*(1-unresolved) }

// sumOctaves replaces local energies by the variances of some octaves, of which parts are there. It works on pixels of training, not on every pixel.
func (d *Detail) sumOctaves(energy, parts frame.Image[float64], octaves float64) {
	work.EachRow(len(energy.Data), func(i int) {
		u := energy.Data[i]
		s, q, before := d.Energy[i%len(d.Energy)], 1.0, math.Inf(1)
		mean := d.meanLocal(i % len(d.Energy))
		if len(d.Ratio) > 0 {
			q = d.Ratio[i%len(d.Ratio)]
		}
		part := parts.Data[i/len(d.Energy)]
		energy.Data[i] = 0
		first := d.Scenery(i % len(d.Energy))
		for left := octaves; left > 0 && s > 0; left-- {
			v := min(before, part*first*q*s*math.Exp(d.A+d.Gamma*math.Log(u/mean+leastEnergy)))
			energy.Data[i] += min(left, 1) * v
			u, s, before, first = v, first*q*s, v, 1
			mean = s
		}
	})
}

// Scenery returns which part of a channel's mean energy is no white noise.
func (d *Detail) Scenery(c int) float64 {
	if len(d.White) == 0 || !(d.Energy[c] > 0) {
		return 1
	}
	return max(1-WhiteMissed*d.White[c]/d.Energy[c], leastScenery)
}

// Check is that of Part.
func (d *Detail) Check(s frame.Shape) error {
	wrong := func(list []float64, n int) bool { return len(list) != 0 && len(list) != n }
	if d.Width != s.Width || d.Height != s.Height || wrong(d.Energy, s.Channels) || wrong(d.Ratio, len(d.Energy)) || wrong(d.White, len(d.Energy)) || wrong(d.Laplacian, len(d.Energy)) || wrong(d.LaplacianBelow, len(d.Laplacian)) || len(d.coring) != 0 && len(d.coring) != len(d.Energy) {
		return frame.BadPart("detail", "frames of %d×%d pixels and %d channels, expected %d×%d and %d", d.Width, d.Height, len(d.Energy), s.Width, s.Height, s.Channels)
	}
	return nil
}

// AliasedPart is what is missed half way between pixels, of the energy that finer pixels miss within them: a mean over the halves of two pixels has
// half the variance of what lies within these across, and that is half of all, the rest being down and in neither direction alone.
const AliasedPart = 0.25

// ExpectedAliasing returns what is missed half way between pixels of training over their texture, if octaves go on as detail takes them to.
func (d *Detail) ExpectedAliasing() float64 {
	var finer, energy float64
	for c, s := range d.Energy {
		energy += s
		s *= d.Scenery(c)
		if len(d.Ratio) > 0 {
			s *= d.Ratio[c]
		}
		finer += s
	}
	if !(energy > 0) {
		return 0
	}
	return AliasedPart * finer / energy
}

// TextureOf returns the local energy of a picture (OctaveEnergy), a mean over its channels.
func TextureOf(m frame.Image[float32]) frame.Image[float64] {
	all := frame.NewImage[float64](m.Width, m.Height, m.Channels)
	for k, v := range m.Data {
		all.Data[k] = float64(v)
	}
	return meanOfChannels(OctaveEnergy(all))
}

// textureAt returns the texture of the cell at a point in pixels, or the nearest one.
func textureAt(t frame.Image[float64], x, y float64) float64 {
	i := min(max(int(x+0.5)/DetailCell, 0), t.Width-1)
	j := min(max(int(y+0.5)/DetailCell, 0), t.Height-1)
	return t.Data[j*t.Width+i]
}
