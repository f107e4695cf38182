package flow

import (
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
)

// A target is a frame that a motion does not know and has to predict: its sequence, the place of the
// frame known before it, its number and its time.
type target struct {
	s, before, frame int
	time             float64
}

// targets returns those frames of all that m does not know.
func (m *Motion) targets(all []sequence) []target {
	var targets []target
	for i, s := range all {
		known := m.sequences[i].Examples
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
func (m *Motion) score(frames *pyramids, all []sequence) float64 {
	targets, level := m.targets(all), frames.levels[0]
	errs := make([][2]float64, len(targets))
	mat.Parallel(len(targets), func(j int) {
		s, p, time := m.sequences[targets[j].s], targets[j].before, targets[j].time
		w, h, n := level[0].width, level[0].height, level[0].channels
		sums := [2]image[float32]{newImage[float32](w, h, n), newImage[float32](w, h, n)}
		one := newImage[float32](w, h, n)
		from, to := max(p-1, 0), min(p+3, len(s.Times))
		weights := [2][]float64{lagrange(s.Times[p:p+2], time), lagrange(s.Times[from:to], time)}
		first := [2]int{p, from}
		for q := from; q < to; q++ {
			m.register(one, level[s.Examples[q]], s, q)
			for k, sum := range sums {
				if r := q - first[k]; r >= 0 && r < len(weights[k]) {
					sum.add(float32(weights[k][r]), one)
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

// scoreFlow is score by linear interpolation along the inter-frame flow.
func (m *Motion) scoreFlow(frames *pyramids, all []sequence) float64 {
	targets, level := m.targets(all), frames.levels[0]
	errs := make([][1]float64, len(targets))
	mat.Parallel(len(targets), func(j int) {
		s, w, h := m.sequences[targets[j].s], level[0].width, level[0].height
		sum, one := newImage[float32](w, h, level[0].channels), newImage[float32](w, h, level[0].channels)
		for _, n := range s.neighbours(targets[j].time, -1) {
			resampleAlong(one, level[s.Examples[n.place]], m.displacement(w, h, s, n.place), m.offset(n, w, h), 1)
			sum.add(float32(n.weight), one)
		}
		m.warpedErrors(errs[j][:], []image[float32]{sum}, level[targets[j].frame], s, targets[j].time)
	})
	var mean float64
	for _, v := range errs {
		mean += v[0] / float64(len(errs))
	}
	return math.Sqrt(mean)
}

// warpedErrors sets dst to the mean squares by which pictures in reference coordinates, warped to a time, differ
// from that with the coefficients truth. The pictures are overwritten.
func (m *Motion) warpedErrors(dst []float64, pictures []image[float32], truth image[float32], s sequence, time float64) {
	w, h, n := truth.width, truth.height, truth.channels
	shown := newImage[float32](w, h, n)
	resample(shown, truth, noDisplacement(w, h))
	expected := make([]image[float32], len(pictures))
	for k, p := range pictures {
		expected[k] = newImage[float32](w, h, n)
		p.toSpline()
	}
	field := m.fields(s, []float64{time})[0]
	field.eachPixel(truth.size(), truth.size(), 0, func(w *warped) {
		for k, p := range pictures {
			sample(expected[k].data[w.pixel*n:(w.pixel+1)*n], p, w.rx, w.ry)
		}
	})
	for k := range pictures {
		var e float64
		for i, v := range expected[k].data {
			e += square(float64(v-shown.data[i])) / float64(len(expected[k].data))
		}
		dst[k] = e
	}
}
