package film

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/flow"
)

// The variances of finer pixels, but for detail, are those of training pixels. Only the frames that are asked for are left out, and then
// variances are inflated everywhere alike.
func TestCalibrated(t *testing.T) {
	const width, height, n = 48, 40, 8
	times, film := make([]float64, n), make([]float64, 0, n*width*height)
	for i := range times {
		times[i] = float64(i)
		for k := range width * height {
			x, y := float64(k%width)+0.7*times[i], float64(k/width)
			film = append(film, 100+30*math.Sin(0.9*x+0.4*y)+25*math.Cos(0.7*y-0.5*x)+float64((k*k+7*i*k)%11))
		}
	}
	axis := func(n int) mat.Matrix {
		x := mat.New(n, 1)
		for i := range n {
			x.Set(i, 0, float64(i))
		}
		return x
	}
	source := data.NewSource(film, n, width*height, 1)
	for _, examined := range []int{0, 3} {
		f, err := New(context.Background(), source, data.Grid{axis(height), axis(width)}, times, nil, flow.Options{Nodes: []int{5}, Strengths: []float64{1e-3}, Gain: -1, Examined: examined})
		if err != nil {
			t.Fatal(err)
		}
		registered, _ := f.Register(source)
		frames := make([]float64, len(film))
		if err := registered.ReadExamples(frames, 0, n); err != nil {
			t.Fatal(err)
		}
		left := map[int]bool{}
		c, err := f.Calibrated(context.Background(), func(_ context.Context, wanted func(int) bool, body func(int, mat.Matrix, mat.Matrix) error) error {
			for i := range n {
				if !wanted(i) {
					continue
				}
				left[i] = true
				mean, variance := mat.New(width*height, 1), mat.New(width*height, 1)
				variance.Fill(9)
				before, after := max(i-1, 0), min(i+1, n-1)
				for k := range mean.Data {
					mean.Data[k] = (frames[before*width*height+k] + frames[after*width*height+k]) / 2
				}
				if err := body(i, mean, variance); err != nil {
					return err
				}
			}
			return nil
		}, func(int, int) error { return nil })
		if err != nil || c.mixture.Alone() {
			t.Fatal("nothing was learned", err)
		}
		if want := map[int]int{0: n, 3: 4}[examined]; len(left) != want || examined > 0 && c.inflation.Reach() != 0 {
			t.Errorf("%d frames left out of %d, want %d; inflation over %v", len(left), n, want, c.inflation.Reach())
		}
		if text, err := c.detail.Encode(); err != nil || !strings.Contains(string(text), `"Lost":`) {
			t.Errorf("the texture that differs from frame to frame is lacking nothing: %s, error %v", text, err)
		}
		all, err := c.motion.Moments(data.Instant{Time: 4.4})
		if err != nil {
			t.Fatal(err)
		}
		mean, coarse, fine, again := c.frame(true), c.frame(true), c.room(2*width, 2*height, true), c.frame(true)
		copy(mean.Mean.Data, frames[4*width*height:])
		mean.Variance.Fill(9)
		c.warp(coarse, mean, all[0])
		c.warp(fine, mean, all[0])
		flow.Downsample(again, fine)
		var off, sum float64
		for k, v := range coarse.Variance.Data {
			off, sum = off+math.Abs(again.Variance.Data[k]-v), sum+v
		}
		if off > 0.05*sum {
			t.Errorf("variances of finer pixels differ by %v of those of training", off/sum)
		}
	}
}
