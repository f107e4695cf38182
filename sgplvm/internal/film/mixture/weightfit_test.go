package mixture

import "testing"

// Weights of a level are those of its own errors; a level that no value has takes what all have.
func TestWeightsOfLevels(t *testing.T) {
	var f frameErrors
	for level, squares := range map[int][1 + others]float64{2: {0.01, 3, 4, 1}, 6: {1, 30, 40, 0.01}} {
		f[level].count = 1000
		for k, v := range squares {
			f[level].plain[k][k] = 1000 * v
		}
	}
	levels := leftOutErrors{f, f, f, f, f, f, f, f, f, f}.weights(0)
	if a, b := levels[2], levels[6]; !(a[0] > 0.8 && b[others] > 0.8) {
		t.Errorf("weights %v where the model is right, %v where the flow is", a, b)
	}
	for k, w := range levels {
		if k != 2 && k != 6 && !(w[0] > 0.2 && w[0] < 0.8 && w[others] > 0.2 && w[others] < 0.8) {
			t.Errorf("weights %v of level %d, which no value has", w, k)
		}
	}
}
