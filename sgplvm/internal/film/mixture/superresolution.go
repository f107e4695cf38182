package mixture

import (
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/motion"
)

// A superResolvedFrame is known by its frame, the one that is left out, the filter and the part of it.
type superResolvedFrame struct {
	frame, without int
	filter         Sharpening
	part           float64
}

// Sharp enlarges a frame by what those around it show as well (multi-frame super-resolution: Elad and Feuer 1997; Hardie, Barnard and Armstrong 1997): contents that have moved by parts of pixels are seen at
// other places of pixels in each. Pixels twice as fine are a sharpened frame, enlarged, and what makes likeliest, as a Gaussian field without correlation of the local texture's variance, what all pixels of
// training show that are means over them (shownpixels.go). Frames of fewer than LeastSide pixels, and plain ones, are enlarged by themselves.
//
// It returns what to sample from where there are to be width pixels across: a frame of a shot, from what it and those around it show, but for one (−1: none).
func Sharp(f *motion.Frames, d *Detail, s motion.Sequence, place, without, width int) motion.SharpPicture {
	i, part := s.Examples[place], d.sharpness(width)
	if part == 0 || len(d.Energy) == 0 || min(f.Width, f.Height) < frame.LeastSide {
		return motion.SharpPicture{Image: SplineOf(f, i, d.Sharpening, part), Finer: 1}
	}
	return motion.Kept(f.Cache, superResolvedFrame{i, without, d.Sharpening, part}, func() motion.SharpPicture {
		m, shown := doubled(sharpened(f.Picture(i), d.Sharpening, part)), shownBy(f, s, place, without)
		shown.improve(m, part)
		m.ToSpline()
		return motion.SharpPicture{Image: m, Finer: 2}
	})
}

// doubled returns a picture in pixels twice as fine, sampled from its spline, whose coefficients m becomes.
func doubled(m frame.Image[float32]) frame.Image[float32] {
	finer := frame.NewImage[float32](2*m.Width, 2*m.Height, m.Channels)
	m.ToSpline()
	mat.Parallel(finer.Height, func(y int) {
		row := finer.Row(y)
		for x := range finer.Width {
			frame.Sample(row[x*m.Channels:(x+1)*m.Channels], m, (float64(x)-0.5)/2, (float64(y)-0.5)/2)
		}
	})
	return finer
}
