package baseline

import (
	"context"
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Of contents that move evenly by some pixels a frame the flow makes less error than interpolation, and its variances fit.
func TestOpticalFlow(t *testing.T) {
	const width, height, n = 40, 32, 9
	draw := func(dst []float64, time float64, w, h int) {
		for k := range dst {
			x, y := (float64(k%w)+0.5)*width/float64(w)-1.7*time, (float64(k/w)+0.5)*height/float64(h)-0.9*time
			dst[k] = 50 + 20*math.Sin(0.45*x+0.2*y) + 15*math.Cos(0.4*y-0.31*x) + 10*math.Sin(0.7*x-0.15*y)
		}
	}
	f := Film{Width: width, Height: height, Frames: frames{mat.New(n, width*height), 1}}
	for i := range n {
		f.Times = append(f.Times, float64(2*i))
		draw(f.Frames.(frames).values.Row(i), f.Times[i], width, height)
	}
	errs := map[FilmKind]float64{}
	for _, kind := range []FilmKind{Interpolation, OpticalFlow} {
		m, err := FitFilm(context.Background(), kind, f, FilmOptions{})
		if err != nil {
			t.Fatal(err)
		}
		times := []float64{3, 7.5, 11}
		mean, variance := predicted(t, m, times, 2*height, 2*width)
		truth := make([]float64, 4*width*height)
		var ratio float64
		for i, time := range times {
			draw(truth, time, 2*width, 2*height)
			for j, v := range truth {
				e := (mean.At(i, j) - v) * (mean.At(i, j) - v)
				errs[kind] += e
				ratio += e / variance.At(i, j) / float64(mean.Rows*mean.Cols)
			}
		}
		if !(ratio > 1e-3 && ratio < 5) {
			t.Errorf("%s: squared errors are %v of the variances", kind, ratio)
		}
	}
	if !(errs[OpticalFlow] < 0.2*errs[Interpolation]) {
		t.Errorf("squared error %v along the flow, %v by interpolation", errs[OpticalFlow], errs[Interpolation])
	}
}

// Lanczos keeps plain rows, and rows of the same size.
func TestLanczos(t *testing.T) {
	row, dst := []float64{3, 1, 4, 1, 5, 9, 2, 6, 5, 3}, make([]float64, 20)
	same := lanczos(10, 10)
	same.columns(dst[:10], row)
	for i, v := range row {
		near(t, "the same size", dst[i], v, 1e-12)
	}
	for i := range row {
		row[i] = 7
	}
	finer := lanczos(10, 20)
	finer.columns(dst, row)
	for _, v := range dst {
		near(t, "a plain row", v, 7, 1e-12)
	}
}
