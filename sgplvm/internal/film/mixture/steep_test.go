package mixture

import (
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// stairs returns others that all show the same in width×height pixels, in each column what at says.
func stairs(width, height int, at func(x int) float64) (o Others) {
	for k := range o.means {
		o.means[k] = frame.NewImage[float64](width, height, 1)
		for i := range o.means[k].Data {
			o.means[k].Data[i] = at(i % width)
		}
	}
	return o
}

// What is in proportion to slopes lies in finer pixels where these are steep, as much of it as there is in pixels of training, up to 8 times the mean. What is the same
// everywhere stays.
func TestSteep(t *testing.T) {
	const width, height = 40, 10
	x := &Mixture{scale: []float64{4}, levels: make([]weights, mixtureLevels), byPaths: true}
	x.width, x.height = mixtureCells(width, height)
	for k := range x.levels {
		x.levels[k] = weights{1}
	}
	x.laws = []varianceLaw{{everywhere: 0.25, byOwnTexture: 1}}
	predict := func(fine int, at func(x int) float64) []float64 {
		coarse, o := frame.New(width, height, 1), stairs(width, height, func(x int) float64 { return float64(x) })
		f := frame.New(fine*width, fine*height, 1)
		x.Combine(f, stairs(fine*width, fine*height, at), x.Recipe(coarse, o))
		row := make([]float64, f.Width)
		for i := range row {
			row[i] = f.Variance.At(fine*height/2*f.Width+i, 0)
		}
		return row
	}
	even := func(x int) float64 { return float64(x) / 3 }
	steps := func(x int) float64 { return float64(x / 3) } // of the pixels 3k, 3k+1 and 3k+2 the one in the middle is flat
	const want = 4*0.25 + 1                                // of texture 4·(1/2)²·2²/4
	for i, v := range predict(1, even)[15:25] {
		if math.Abs(v-want) > 1e-6 {
			t.Errorf("variance %v of pixel %d of training, want %v", v, i+15, want)
		}
	}
	for i, v := range predict(3, even)[48:72] {
		if math.Abs(v-want) > 1e-6 {
			t.Errorf("variance %v of finer pixel %d, all alike, want %v", v, i+48, want)
		}
	}
	var mean float64
	row := predict(3, steps)[48:72]
	for i, v := range row {
		mean += v / float64(len(row))
		if flat := i%3 == 1; flat && math.Abs(v-4*0.25) > 1e-6 || !flat && math.Abs(v-4*0.25-1.5) > 0.1 {
			t.Errorf("variance %v of finer pixel %d, want 1 where it is flat, else about 2.5", v, i+48)
		}
	}
	if math.Abs(mean-want) > 0.02 {
		t.Errorf("variance %v of finer pixels in the mean, want %v", mean, want)
	}
	const fine = 24
	for i, v := range predict(fine, func(x int) float64 { return float64((x + fine/2) / fine) })[16*fine : 24*fine] {
		if v > 4*0.25+mostSteep+1e-6 {
			t.Errorf("variance %v of finer pixel %d", v, i+16*fine)
		}
	}
	x.laws[0][byOwnTexture] = 0
	for _, v := range predict(3, steps) {
		if v != 1 {
			t.Errorf("variance %v without slopes, want 1", v)
		}
	}
}
