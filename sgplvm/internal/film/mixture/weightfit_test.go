package mixture

import (
	"math"
	"testing"
)

// leftOutOf is that of frames of one level whose errors are independent, of the given squares.
func leftOutOf(squares ...[1 + others]float64) (l leftOutErrors) {
	for _, s := range squares {
		var f frameErrors
		for k, v := range s {
			f[4].plain[k][k] = 1000 * v
		}
		f[4].count = 1000
		l = append(l, f)
	}
	return l
}

// Weights make the mean of the frames' root mean squared errors least: of what is right in most frames and leaps in few it is more than squared errors alone would have. A frame
// that is predicted without error does not count alone, and how many there are of each kind is all that counts.
func TestWeightsOfFrames(t *testing.T) {
	steady, leaps := [1 + others]float64{1, 3, 4, 0.04}, [1 + others]float64{4, 60, 70, 50}
	l := leftOutOf(steady, steady, steady, steady, steady, steady, steady, leaps, steady, leaps)
	loss := func(w weights) (mean float64) {
		for i := range l {
			mean += math.Sqrt(quadratic(&l[i][4].plain, &w)/l[i][4].count) / float64(len(l))
		}
		return mean
	}
	got := l.weights(0)[4]
	least := math.Inf(1)
	var best weights
	for a := 0.; a <= 1; a += 0.01 {
		for b := 0.; a+b <= 1; b += 0.01 {
			if w := (weights{a, b, 0, 1 - a - b}); loss(w) < least {
				least, best = loss(w), w
			}
		}
	}
	if !(loss(got) < 1.02*least) {
		t.Errorf("weights %v: mean error %v, %v of %v", got, loss(got), least, best)
	}
	once := l.weighed([]float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, 0)[4]
	if !(loss(got) < 0.98*loss(once) && got[others] > 1.5*once[others]) {
		t.Errorf("weights %v: mean error %v, and %v of those of least squares, %v", got, loss(got), loss(once), once)
	}
	for _, none := range []leftOutErrors{leftOutOf([1 + others]float64{}, [1 + others]float64{}), append(leftOutOf([1 + others]float64{}), l...)} {
		var sum float64
		for _, w := range none.weights(0)[4] {
			if !(w >= 0) {
				t.Errorf("weight %v where a frame is without error", w)
			}
			sum += w
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Errorf("weights add up to %v where a frame is without error", sum)
		}
	}
}
