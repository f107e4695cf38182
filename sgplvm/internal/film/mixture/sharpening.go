package mixture

import (
	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/motion"
)

// A Sharpening is the filter that a picture goes through before finer pixels are sampled from it. A pixel of the
// picture is a mean over its area, so that a spline through pixels is too smooth. With m_k(y) the mean over
// the pixels of ring k around a pixel the filter makes
//
//	y + Σ a_k·(y − m_k(y))
//
// and the a_k are those that lose least where frames are halved and sampled at their own size again:
// linear regression, under the assumption that the next octave looks like this one.
type Sharpening [len(rings)]float64

// rings are the pixels around one that are equally far away: to the right and below; the others follow by symmetry.
var rings = [...][2]int{{1, 0}, {1, 1}, {2, 0}, {2, 1}, {2, 2}}

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
func aboutRing[T, S frame.Number](dst frame.Image[T], src frame.Image[S], k int, a float64) {
	offsets, n := ringOffsets(k), src.Channels
	share := a / float64(len(offsets))
	mat.Parallel(src.Height, func(y int) {
		out, own := dst.Row(y), src.Row(y)
		for i, v := range own {
			out[i] += T(a * float64(v))
		}
		for _, o := range offsets {
			row := src.Row(min(max(y+o[1], 0), src.Height-1))
			for x := range src.Width {
				from := min(max(x+o[0], 0), src.Width-1) * n
				for c := range n {
					out[x*n+c] -= T(share * float64(row[from+c]))
				}
			}
		}
	})
}

// sharpened returns the picture to sample finer pixels from: m itself where part, of the whole filter, is 0.
func sharpened[T frame.Number](m frame.Image[T], s Sharpening, part float64) frame.Image[T] {
	if part == 0 || s == (Sharpening{}) {
		return m
	}
	out := frame.NewImage[T](m.Width, m.Height, m.Channels)
	copy(out.Data, m.Data)
	for k, a := range s {
		aboutRing(out, m, k, part*a)
	}
	return out
}

// A sharpenedFrame is known by its frame, the filter and the part of it.
type sharpenedFrame struct {
	frame  int
	filter Sharpening
	part   float64
}

// SplineOf returns the coefficients of frame i, in the units of picture, sharpened by part of a filter. They are only to be read.
func SplineOf(f *motion.Frames, i int, s Sharpening, part float64) frame.Image[float32] {
	return motion.Kept(f.Cache, sharpenedFrame{i, s, part}, func() motion.SharpPicture {
		m := sharpened(f.Picture(i), s, part)
		m.ToSpline()
		return motion.SharpPicture{Image: m, Finer: 1}
	}).Image
}

// aboutRings returns what each ring of a picture adds to one of another size, sampled by a spline.
func aboutRings(half frame.Image[float64], full frame.Size) (added [len(rings)]frame.Image[float64]) {
	for k := range added {
		about := frame.NewImage[float64](half.Width, half.Height, half.Channels)
		aboutRing(about, half, k, 1)
		added[k] = frame.NewImage[float64](full.Width, full.Height, half.Channels)
		frame.Resize(frame.FrameOf(added[k]), frame.FrameOf(about))
	}
	return added
}

// regressSharpening returns the filter that explains most of what a spline missed, value by value, and takes that off: rows
// holds for each value what each ring adds.
func regressSharpening(missed []float64, rows [][len(rings)]float64, weights []float64) (s Sharpening) {
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
		s[j] = min(max(v, -frame.MaxNumber), frame.MaxNumber)
	}
	for i, row := range rows {
		missed[i] -= frame.Dot(s[:], row[:])
	}
	return s
}
