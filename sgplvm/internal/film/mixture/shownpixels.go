package mixture

import (
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/motion"
)

// A frame is shown by framesShown frames before and after it as well. A flow reaches flowReach frames; to others the way is one flow after the other. Two frames cost the eye 3.2 % of RMSE and the
// plant 1.4 %; flows that reach four gain 0.1 % at most and take twice as long.
const framesShown, flowReach = 4, 2

// covered returns which of some finer pixels a pixel of training with its centre at x covers first, and which part of it; ok is false if it reaches
// beyond the edge.
func covered(x float64, finer int) (first int32, part float32, ok bool) {
	i := math.Floor(2 * x)
	switch {
	case !(i >= 0) || !(2*x+2 <= float64(finer)):
		return 0, 0, false
	case int(i)+3 > finer:
		return int32(i) - 1, 0, true
	}
	return int32(i), float32(1 - (2*x - i)), true
}

// shownBy returns the pixels that show a frame of a shot, its own and those of the frames around it, but for one frame (−1: none).
func shownBy(f *motion.Frames, s motion.Sequence, place, without int) *shownPixels {
	own := f.Picture(s.Examples[place])
	texture := TextureOf(own)
	beside, x := s.Beside(place, without, framesShown), &shownPixels{bands: make([][]shownPixel, (2*f.Height+bandRows-1)/bandRows)}
	for b := range x.bands { // about as many as there will be
		x.bands[b] = make([]shownPixel, 0, (1+len(beside))*f.Width*(bandRows/2+1))
	}
	for _, v := range texture.Data {
		x.texture += v / float64(len(texture.Data))
	}
	add := func(p shownPixel, at shownPoint) {
		var inside, ok bool
		p.column, p.across, inside = covered(at.x, 2*f.Width)
		p.row, p.down, ok = covered(at.y, 2*f.Height)
		if inside && ok && at.agreement > minPart {
			p.evidence = float32(at.agreement * (textureAt(texture, at.x, at.y) + minPart*x.texture))
			x.bands[p.row/bandRows] = append(x.bands[p.row/bandRows], p)
		}
	}
	x.values = slices.Grow(own.Data, len(beside)*len(own.Data))
	for k := range f.Width * f.Height {
		add(shownPixel{value: k * f.Channels}, shownPoint{float64(k % f.Width), float64(k / f.Width), 1})
	}
	spline := SplineOf(f, s.Examples[place], Sharpening{}, 0)
	for _, other := range beside {
		from, picture := len(x.values), f.Picture(s.Examples[other])
		x.values = append(x.values, picture.Data...)
		points, unlike := pointsIn(f, s, place, other, without, picture, spline)
		for k, p := range points {
			add(shownPixel{value: from + k*f.Channels, unlike: unlike.Data[k]}, p)
		}
	}
	return x
}

// A shownPoint is where contents are in a frame, and how far flows agree on that, from 0 to 1.
type shownPoint struct{ x, y, agreement float64 }

// pointsIn returns where each pixel of another frame of a shot has its contents in the one at a place, and the mean square, over channels and
// 3×3 pixels, of how much it differs from what is there. The way does not lead over the frame that is left out.
func pointsIn(f *motion.Frames, s motion.Sequence, place, other, without int, picture, spline frame.Image[float32]) (points []shownPoint, unlike frame.Image[float32]) {
	way := wayTo(f, s, place, other, without)
	points = make([]shownPoint, f.Width*f.Height)
	different := frame.NewImage[float32](f.Width, f.Height, 1)
	mat.Parallel(f.Height, func(row int) {
		value := make([]float64, f.Channels)
		for column := range f.Width {
			k, x0, y0 := row*f.Width+column, float64(column), float64(row)
			x, y := x0, y0
			for _, step := range way {
				x, y = motion.Follow(step.There, x, y)
			}
			bx, by := x, y
			for i := range way {
				bx, by = motion.Follow(way[len(way)-1-i].Back, bx, by)
			}
			points[k] = shownPoint{x, y, motion.Agreement(frame.Square(bx-x0)+frame.Square(by-y0), x-x0, y-y0)}
			frame.Sample(value, spline, x, y)
			for c, v := range value {
				different.Data[k] += float32(frame.Square(v-float64(picture.Data[k*f.Channels+c])) / float64(f.Channels))
			}
		}
	})
	return points, means3(different)
}

// means3 returns the means over 3×3 pixels of a picture of one channel.
func means3(m frame.Image[float32]) frame.Image[float32] {
	mean := frame.NewImage[float32](m.Width, m.Height, 1)
	mat.Parallel(m.Height, func(row int) {
		for column := range m.Width {
			var sum, n float32
			for y := max(row-1, 0); y <= min(row+1, m.Height-1); y++ {
				for x := max(column-1, 0); x <= min(column+1, m.Width-1); x++ {
					sum += m.Data[y*m.Width+x]
					n++
				}
			}
			mean.Data[row*m.Width+column] = sum / n
		}
	})
	return mean
}

// wayTo returns how to come from another frame of a shot to the one at a place, in steps of flowReach frames, which are counted from that one, but for the one that is left out.
func wayTo(f *motion.Frames, s motion.Sequence, place, other, without int) (way []motion.RoundTrip) {
	step, last, frames := 1, place, 0
	if other < place {
		step = -1
	}
	for k := place + step; ; k += step {
		if s.Examples[k] != without {
			frames++
		}
		if k != other && frames < flowReach {
			continue // a frame that is left out is never the second
		}
		first, second := s.Examples[min(last, k)], s.Examples[max(last, k)]
		flows := f.FlowsBetween(first, second)
		way = append([]motion.RoundTrip{flows.RoundTrip(k > last)}, way...)
		if last, frames = k, 0; k == other {
			return way
		}
	}
}
