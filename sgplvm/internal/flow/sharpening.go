package flow

import (
	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
)

// A sharpening is the filter that a picture goes through before finer pixels are sampled from it. A pixel of the
// picture is a mean over its area, so that a spline through pixels is too smooth. With m_k(y) the mean over
// the pixels of ring k around a pixel the filter makes
//
//	y + Σ a_k·(y − m_k(y))
//
// and the a_k are those that lose least where frames are halved and sampled at their own size again:
// linear regression, under the assumption that the next octave looks like this one.
type sharpening [len(rings)]float64

// rings are the pixels around one that are equally far away: to the right and below; the others follow by symmetry.
var rings = [...][2]int{{1, 0}, {1, 1}, {2, 0}, {2, 1}, {2, 2}}

// maxSharpening bounds the numbers of a sharpening that is read.
const maxSharpening = 16

// ringOffsets returns all pixels of ring k, four or eight.
func ringOffsets(k int) (all [][2]int) {
	a, b := rings[k][0], rings[k][1]
	for _, o := range [][2]int{{a, b}, {-b, a}, {-a, -b}, {b, -a}} {
		all = append(all, o)
		if b != 0 && a != b {
			all = append(all, [2]int{o[1], o[0]})
		}
	}
	return all
}

// aboutRing adds a·(y − m_k(y)) to dst, where pixels beyond an edge are those of the edge.
func aboutRing[T, S number](dst image[T], src image[S], k int, a float64) {
	offsets, n := ringOffsets(k), src.channels
	share := a / float64(len(offsets))
	mat.Parallel(src.height, func(y int) {
		out, own := dst.row(y), src.row(y)
		for i, v := range own {
			out[i] += T(a * float64(v))
		}
		for _, o := range offsets {
			row := src.row(min(max(y+o[1], 0), src.height-1))
			for x := range src.width {
				from := min(max(x+o[0], 0), src.width-1) * n
				for c := range n {
					out[x*n+c] -= T(share * float64(row[from+c]))
				}
			}
		}
	})
}

// sharpened returns the picture to sample finer pixels from: m itself where part, of the whole filter, is 0.
func sharpened[T number](m image[T], s sharpening, part float64) image[T] {
	if part == 0 || s == (sharpening{}) {
		return m
	}
	out := newImage[T](m.width, m.height, m.channels)
	copy(out.data, m.data)
	for k, a := range s {
		aboutRing(out, m, k, part*a)
	}
	return out
}

// A sharpenedFrame is known by its frame, the filter and the part of it.
type sharpenedFrame struct {
	frame  int
	filter sharpening
	part   float64
}

// spline returns the coefficients of frame i, in the units of picture, sharpened by part of a filter. They are only to be read.
func (f *TrainingFrames) spline(i int, s sharpening, part float64) image[float32] {
	return f.cache.spline(sharpenedFrame{i, s, part}, func() sharpPicture {
		m := sharpened(f.picture(i), s, part)
		m.toSpline()
		return sharpPicture{image: m, finer: 1}
	}).image
}

// aboutRings returns what each ring of a picture adds to one of another size, sampled by a spline.
func aboutRings(half image[float64], full size) (added [len(rings)]image[float64]) {
	for k := range added {
		about := newImage[float64](half.width, half.height, half.channels)
		aboutRing(about, half, k, 1)
		added[k] = newImage[float64](full.width, full.height, half.channels)
		Field{}.Warp(frameOf(added[k]), frameOf(about))
	}
	return added
}

// regressSharpening returns the filter that explains most of what a spline missed, value by value, and takes that off: rows
// holds for each value what each ring adds.
func regressSharpening(missed []float64, rows [][len(rings)]float64, weights []float64) (s sharpening) {
	a, b := mat.New(len(rings), len(rings)), make([]float64, len(rings))
	for i, row := range rows {
		for j, v := range row {
			b[j] += weights[i] * v * missed[i]
			for k, w := range row {
				a.Row(j)[k] += weights[i] * v * w
			}
		}
	}
	var trace float64
	for j := range b {
		trace += a.At(j, j)
	}
	for j := range b {
		a.Row(j)[j] += 1e-6 * trace
	}
	f, err := chol.Factorize(a)
	if err != nil {
		return s // nothing but plain areas
	}
	f.Solve(mat.Vector(b))
	for j, v := range b {
		s[j] = min(max(v, -maxSharpening), maxSharpening)
	}
	for i, row := range rows {
		missed[i] -= dot(s[:], row[:])
	}
	return s
}
