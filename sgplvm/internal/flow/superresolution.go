package flow

import "github.com/seed-08962ecc/kronfield/mat"

// A superResolvedFrame is known by its frame, the one that is left out, and how it is enlarged.
type superResolvedFrame struct {
	frame, without int
	filter         sharpening
	part           float64
	superResolution
}

// sharp returns what to sample from where there are to be width pixels across: a frame of a shot, from what it and those around it show, but for one (−1: none).
func (f *TrainingFrames) sharp(d *Detail, s sequence, place, without, width int) sharpPicture {
	i, part := s.Examples[place], d.sharpness(width)
	if part == 0 || d.superResolution == (superResolution{}) {
		return sharpPicture{image: f.spline(i, d.sharpening, part), finer: 1}
	}
	return f.cache.spline(superResolvedFrame{i, without, d.sharpening, part, d.superResolution}, func() sharpPicture {
		m, shown := doubled(sharpened(f.picture(i), d.sharpening, part)), f.shown(s, place, without, d.Frames)
		shown.improve(m, d.superResolution, part)
		m.toSpline()
		return sharpPicture{m, 2, shown.unresolved(size{f.Width, f.Height}, d.superResolution, part)}
	})
}

// doubled returns a picture in pixels twice as fine, sampled from its spline, whose coefficients m becomes.
func doubled(m image[float32]) image[float32] {
	finer := newImage[float32](2*m.width, 2*m.height, m.channels)
	m.toSpline()
	mat.Parallel(finer.height, func(y int) {
		row := finer.row(y)
		for x := range finer.width {
			sample(row[x*m.channels:(x+1)*m.channels], m, (float64(x)-0.5)/2, (float64(y)-0.5)/2)
		}
	})
	return finer
}
