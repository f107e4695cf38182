package flow

import "github.com/seed-08962ecc/kronfield/mat"

// A sharpPicture is what finer pixels are sampled from: coefficients of a spline, and how many of its pixels are one of training, each way.
type sharpPicture struct {
	image[float32]
	finer float64
}

// at sets dst to the values at the point (x, y), in pixels of training.
func (p *sharpPicture) at(dst []float64, x, y float64) {
	if p.finer != 1 {
		x, y = p.finer*(x+0.5)-0.5, p.finer*(y+0.5)-0.5
	}
	sample(dst, p.image, x, y)
}

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
		return sharpPicture{f.spline(i, d.sharpening, part), 1}
	}
	return sharpPicture{f.cache.spline(superResolvedFrame{i, without, d.sharpening, part, d.superResolution}, func() image[float32] {
		m := doubled(sharpened(f.picture(i), d.sharpening, part))
		f.shown(s, place, without, d.Frames).improve(m, d.superResolution, part)
		m.toSpline()
		return m
	}), 2}
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
