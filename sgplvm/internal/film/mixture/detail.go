package mixture

import (
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// Detail is the variance of what fine pixels show that coarse ones, of which each is a mean over
// fine ones, do not tell. Nobody has seen it, but scenes look alike from octave to octave (the
// scale invariance of natural images: Field, J. Opt. Soc. Am. A 4(12), 1987). Let the energy s of a channel be the mean
// square, over all frames, of what a spline through the means of 2×2 pixels misses, and u the energy of the Laplacian of a picture of coarse pixels at a place, over
// its mean in all frames (laplacian.go; docs/math.md, 19.5). Then pixels twice as fine are taken to miss with the variance
//
//	e^a·q·s·(u + 1/1000)^γ
//
// Here q is the ratio of s to that of the octave below, to a power (OctavePower), as which octaves are taken to
// go on. a and γ make likeliest what one octave missed in the training
// frames, given u of the octave below (multiplicative heteroscedasticity: Harvey, Econometrica 44(3), 1976). Of a predicted picture u is that of its mean.
type Detail struct {
	Width, Height int
	Energy        []float64 // s; empty where frames are too small to tell
	Ratio         []float64 // q; empty for 1
	Laplacian     []float64 // the mean of each channel's Laplacian energy
	A, Gamma      float64
	Edges         edges      // how values go on across the outermost pixels (edges.go)
	Sharpening    Sharpening // what a picture goes through before finer pixels are sampled from it
}

// minPart is the least part of its mean that an energy counts, and the least agreement, of which 0.05 alters nothing.
const minPart = 1e-3

// MostOctave bounds the energy of an octave over that of the one below: white noise has the most.
const MostOctave = 4

// AddTo adds the variance of detail to that of a predicted frame, whatever its pixels: nothing where
// they are as large as those of training, and that of k octaves where they are 2ᵏ times as fine.
// An octave has the variance of the octave before it as its local energy, and never a larger variance. It panics if the numbers of channels differ.
func (d *Detail) AddTo(f frame.Frame) {
	f.Check("AddTo", "a frame with variances")
	octaves := math.Log2(float64(f.Width) / float64(d.Width))
	if !(octaves > 0) || len(d.Energy) == 0 {
		return
	}
	channels := len(d.Energy)
	if f.Variance.Cols != channels {
		panic(fmt.Sprintf("film: AddTo: variance %d×%d for %d channels", f.Variance.Rows, f.Variance.Cols, channels))
	}
	coarse := frame.NewImage[float64](d.Width, min(d.Height, f.Height), channels)
	frame.DownsampleImage(coarse, f.View())
	variance := laplacianEnergy(coarse)
	d.sumOctaves(variance, octaves)
	variance.AddOver(f.Variance, f.Width, f.Height)
}

// Sharpened returns the frame of training pixels, from which finer ones are to be sampled, sharpened as these
// need it: by a part of the filter below one octave. For pixels that are none finer it is the frame itself.
func (d *Detail) Sharpened(f frame.Frame, width int) frame.Frame {
	if part := d.sharpness(width); part > 0 {
		f.Mean = frame.FrameOf(sharpened(f.View(), d.Sharpening, part)).Mean
	}
	return f
}

// AddEdges adds to a predicted frame of finer pixels than those of training what the outermost of these say of how values go on across them.
func (d *Detail) AddEdges(f frame.Frame) {
	if d.Edges == (edges{}) || f.Width <= d.Width || f.Height <= d.Height {
		return
	}
	coarse := frame.NewImage[float64](d.Width, d.Height, f.Mean.Cols)
	frame.DownsampleImage(coarse, f.View())
	n := f.Mean.Cols
	eachEdge(frame.Size{Width: f.Width, Height: f.Height}, coarse, func(side, place int, x float64) {
		f.Mean.Row(place / n)[place%n] += d.Edges[side] * x
	})
}

// sharpness returns the part of the sharpening that pixels need of which there are width across.
func (d *Detail) sharpness(width int) float64 {
	return min(max(math.Log2(float64(width)/float64(d.Width)), 0), 1)
}

// sumOctaves replaces local energies by the variances of some octaves. It works on pixels of training, not on every pixel.
func (d *Detail) sumOctaves(energy frame.Image[float64], octaves float64) {
	work.EachRow(len(energy.Data), func(i int) {
		u := energy.Data[i]
		s, q, before := d.Energy[i%len(d.Energy)], 1.0, math.Inf(1)
		mean := max(d.Laplacian[i%len(d.Energy)], LeastScale)
		if len(d.Ratio) > 0 {
			q = d.Ratio[i%len(d.Ratio)]
		}
		energy.Data[i] = 0
		for left := octaves; left > 0 && s > 0; left-- {
			v := min(before, q*s*math.Exp(d.A+d.Gamma*math.Log(u/mean+minPart)))
			energy.Data[i] += min(left, 1) * v
			u, s, before = v, q*s, v
			mean = s
		}
	})
}

// Check is that of Part.
func (d *Detail) Check(s frame.Shape) error {
	wrong := func(list []float64, n int) bool { return len(list) != 0 && len(list) != n }
	if d.Width != s.Width || d.Height != s.Height || wrong(d.Energy, s.Channels) || wrong(d.Ratio, len(d.Energy)) || len(d.Laplacian) != len(d.Energy) {
		return frame.BadPart("detail", "frames of %d×%d pixels and %d channels, expected %d×%d and %d", d.Width, d.Height, len(d.Energy), s.Width, s.Height, s.Channels)
	}
	return nil
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
	i := min(max(int(x+0.5)/2, 0), t.Width-1)
	j := min(max(int(y+0.5)/2, 0), t.Height-1)
	return t.Data[j*t.Width+i]
}
