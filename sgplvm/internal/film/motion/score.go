package motion

import (
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// A target is a frame that a motion does not know and has to predict: its sequence, the place of the
// frame known before it, its number and its time.
type target struct {
	s, before, frame int
	time             float64
}

// targets returns those frames of all that m does not know.
func (m *Motion) targets(all []Sequence) []target {
	var targets []target
	for i, s := range all {
		known := m.Sequences[i].Examples
		k := 0
		for p, frame := range s.Examples {
			if k < len(known) && known[k] == frame {
				k++
			} else {
				targets = append(targets, target{i, k - 1, frame, s.Times[p]})
			}
		}
	}
	return targets
}

// score predicts those frames of all that m does not know from those around them: registered,
// interpolated over time, linearly and by cubics, and warped to where they are expected. It returns
// the root mean square error on the first level, of the better interpolation.
func (m *Motion) score(frames *pyramids, all []Sequence) float64 {
	targets, level := m.targets(all), frames.levels[0]
	errs := make([][2]float64, len(targets))
	mat.Parallel(len(targets), func(j int) {
		s, p, time := m.Sequences[targets[j].s], targets[j].before, targets[j].time
		w, h, n := level[0].Width, level[0].Height, level[0].Channels
		sums := [2]frame.Image[float32]{frame.NewImage[float32](w, h, n), frame.NewImage[float32](w, h, n)}
		one := frame.NewImage[float32](w, h, n)
		from, to := max(p-1, 0), min(p+3, len(s.Times))
		weights := [2][]float64{lagrange(s.Times[p:p+2], time), lagrange(s.Times[from:to], time)}
		first := [2]int{p, from}
		for q := from; q < to; q++ {
			m.register(one, level[s.Examples[q]], s, q)
			for k, sum := range sums {
				if r := q - first[k]; r >= 0 && r < len(weights[k]) {
					sum.Add(float32(weights[k][r]), one)
				}
			}
		}
		m.warpedErrors(errs[j][:], sums[:], level[targets[j].frame], s, time)
	})
	var linear, cubic float64
	for _, v := range errs {
		linear += v[0] / float64(len(errs))
		cubic += v[1] / float64(len(errs))
	}
	return math.Sqrt(min(linear, cubic))
}

// warpedErrors sets dst to the mean squares by which pictures in reference coordinates, warped to a time, differ
// from that with the coefficients truth. The pictures are overwritten.
func (m *Motion) warpedErrors(dst []float64, pictures []frame.Image[float32], truth frame.Image[float32], s Sequence, time float64) {
	w, h, n := truth.Width, truth.Height, truth.Channels
	shown := frame.NewImage[float32](w, h, n)
	Resample(shown, truth, noDisplacement(w, h))
	expected := make([]frame.Image[float32], len(pictures))
	for k, p := range pictures {
		expected[k] = frame.NewImage[float32](w, h, n)
		p.ToSpline()
	}
	field := m.fields(s, []float64{time})[0]
	field.EachPixel(truth.Size(), truth.Size(), 0, func(w *Warped) {
		for k, p := range pictures {
			frame.Sample(expected[k].Data[w.Pixel*n:(w.Pixel+1)*n], p, w.rx, w.ry)
		}
	})
	for k := range pictures {
		var e float64
		for i, v := range expected[k].Data {
			e += frame.Square(float64(v-shown.Data[i])) / float64(len(expected[k].Data))
		}
		dst[k] = e
	}
}
