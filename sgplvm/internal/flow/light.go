package flow

import "math"

// A lightLaw is the variance of what all of a frame is lighter or darker by than expected, in units of the channels' variances. The
// light of a film flickers from frame to frame, or changes slowly, and frames left out lie further from their neighbours than
// those predicted later. The variance at a distance h (harmonic), in units of the frames' median distance, is Variances·h^Growth.
type lightLaw struct {
	Variances []float64 // of each channel; none in older files
	Growth    float64   // 0 for flicker, 4 for slow changes
}

// mostGrowth is that of errors of linear interpolation where changes are smooth.
const mostGrowth = 4

// variance returns that of a channel.
func (l *lightLaw) variance(channel int, distance float64) float64 {
	if len(l.Variances) == 0 {
		return 0
	}
	return l.Variances[channel] * math.Pow(distance, l.Growth)
}

func (l *lightLaw) valid(channels int) bool {
	for _, v := range l.Variances {
		if !(v >= 0) || math.IsInf(v, 0) {
			return false
		}
	}
	return l.Growth >= 0 && l.Growth <= mostGrowth && (len(l.Variances) == 0 || len(l.Variances) == channels)
}

// harmonic returns the harmonic mean of the distances from a time to two around it.
func harmonic(before, t, after float64) float64 {
	if !(after > before) {
		return 0
	}
	return 2 * (t - before) * (after - t) / (after - before)
}

// lightGrowth returns the power of the distance with which errors grow where the mean level of a frame is interpolated between those
// of its neighbours, and of the frames beside these. scale holds the channels' variances.
func lightGrowth(shots []sequence, levels [][]float64, scale []float64) float64 {
	var squares, distances [2]float64
	for _, s := range shots {
		for k := range squares {
			for p := k + 1; p+k+1 < len(s.Times); p++ {
				a, b := p-k-1, p+k+1
				w := 0.5
				if s.Times[b] > s.Times[a] {
					w = (s.Times[p] - s.Times[a]) / (s.Times[b] - s.Times[a])
				}
				per := 1 / float64(len(s.Times)-2*(k+1))
				distances[k] += per * harmonic(s.Times[a], s.Times[p], s.Times[b])
				for c, v := range scale {
					squares[k] += per / v * square(levels[s.Examples[p]][c]-(1-w)*levels[s.Examples[a]][c]-w*levels[s.Examples[b]][c])
				}
			}
		}
	}
	if !(squares[1] > squares[0] && squares[0] > 0 && distances[1] > distances[0] && distances[0] > 0) {
		return 0
	}
	return min(math.Log(squares[1]/squares[0])/math.Log(distances[1]/distances[0]), mostGrowth)
}
