package chroma

import (
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// Repeat gives the pixels of a predicted frame that share their chroma the same, that of their mean. Frames of the width×height pixels of training have the pairs
// that these have, finer frames pairs of their own pixels, as if unpacked from the same video, and frames of fewer pixels none. Where those of training have pairs across only, finer frames may have pairs down as well, as most videos do (4:2:0), or not, as
// frames that were scaled when they were unpacked: mean and variance are those over both (docs/math.md, 19.8). It panics if the frame has not three channels where pixels do.
func (c *Chroma) Repeat(f frame.Frame, width, height int) {
	c.repeatBy("Repeat", f, width, height, 1./2)
}

// RepeatDrawn is Repeat of a frame of one possible film, which has pairs down as well or not: chosen, from 0 to 1 and evenly distributed, tells.
func (c *Chroma) RepeatDrawn(f frame.Frame, width, height int, chosen float64) {
	chance := 0.
	if chosen < 1./2 {
		chance = 1
	}
	c.repeatBy("RepeatDrawn", f, width, height, chance)
}

// repeatBy is Repeat, for caller, with a chance of pairs down.
func (c *Chroma) repeatBy(caller string, f frame.Frame, width, height int, chance float64) {
	if !c.concerns(caller, f) || f.Width < width || f.Height < height {
		return
	}
	across, down := c.Across.repeated(f.Width > width), c.Down.repeated(f.Height > height)
	repeat(f, across, down)
	if chance == 0 || !across.Shared || down.Shared || f.Height == height {
		return
	}
	both := frame.Frame{Width: f.Width, Height: f.Height, Mean: f.Mean.Clone(), Variance: f.Variance}
	repeat(both, pairing{}, pairing{Shared: true})
	f.Blend(both, chance)
}

// repeated returns pairs that are not interpolated. Those of finer pixels begin at the first.
func (p pairing) repeated(finer bool) pairing { return pairing{Shared: p.Shared, Odd: p.Odd && !finer} }

// repeat gives pairs across and down the mean chroma that they have in a frame's mean.
func repeat(f frame.Frame, across, down pairing) {
	v := f.View()
	across.spread(v.Data, v.Height, 3*v.Width, v.Width, 3)
	down.spread(v.Data, v.Width, 3, v.Height, 3*v.Width)
	mat.Copy(f.Mean, mat.NewDense(f.Mean.Rows, f.Mean.Cols, v.Data))
}
