package detail

import "github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"

// Frames around one show what lies between its pixels, where contents have moved by parts of pixels, and nothing where they have moved by whole ones. Of contents
// with one period a pixel beyond what pixels can show, a frame's own pixels show the sum with what is taken for them; a pixel of another frame, sampled
// at x and y, shows the difference, by |exp(2πi·x) − 1|² and the same down. What is left of their variance, after all
// pixels j that show a place, is about
//
//	1/(1 + Σ_j ¼·W_j·θ_j),  θ_j = (|exp(2πi·x_j) − 1|² + |exp(2πi·y_j) − 1|²)/4
//
// with W_j as in the equations of super-resolution (shownsystem.go).

// unresolved returns what is left in each pixel of training; part is how much of what is resolved counts, all from one octave on.
func (x *shownPixels) unresolved(s frame.Size, r SuperResolution, part float64) frame.Image[float32] {
	known := frame.NewImage[float32](s.Width, s.Height, 1)
	for _, band := range x.bands {
		for k := range band {
			p := &band[k]
			column, row := centreOf(p.column, p.across), centreOf(p.row, p.down)
			at := min(int(row+0.5), s.Height-1)*s.Width + min(int(column+0.5), s.Width-1)
			known.Data[at] += p.weight(x.texture, r) / 4 * float32(turnAt(column, row).from(turn{1, 0, 1, 0}))
		}
	}
	left := means3(known)
	for k, v := range left.Data {
		left.Data[k] = 1 - float32(part)*v/(1+v)
	}
	return left
}
