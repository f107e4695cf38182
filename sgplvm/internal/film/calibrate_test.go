package film

import (
	"context"
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

const width, height, n = 48, 40, 8 // of films

// axis returns the rows or the columns of n pixels.
func axis(n int) mat.Matrix {
	x := mat.New(n, 1)
	for i := range n {
		x.Set(i, 0, float64(i))
	}
	return x
}

// moving returns a film of what scene shows at a point of a frame, its registered frames, what leaves these out, each predicted as the mean of its neighbours,
// and which ones it has left out.
func moving(t *testing.T, examined int, scene func(frame, x, y int) float64) (f *Film, frames []float64, leaveOut LeaveOut, left map[int]bool) {
	t.Helper()
	times, film := make([]float64, n), make([]float64, 0, n*width*height)
	for i := range times {
		times[i] = float64(i)
		for k := range width * height {
			film = append(film, scene(i, k%width, k/width))
		}
	}
	source := field.NewSource(film, n, width*height, 1)
	f, err := New(context.Background(), source, field.Grid{axis(height), axis(width)}, times, nil, examined)
	if err != nil {
		t.Fatal(err)
	}
	registered, _ := f.Register(source)
	frames = make([]float64, len(film))
	if err := registered.ReadExamples(frames, 0, n); err != nil {
		t.Fatal(err)
	}
	left = map[int]bool{}
	return f, frames, func(_ context.Context, wanted func(int) bool, body func(int, mat.Matrix, mat.Matrix) error) error {
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
	}, left
}

// The variances of finer pixels, but for detail, are those of training pixels. Only the frames that are asked for are left out.
func TestCalibrated(t *testing.T) {
	waves := func(i, column, y int) float64 {
		x, k := float64(column)+0.7*float64(i), y*width+column
		return 100 + 30*math.Sin(0.9*x+0.4*float64(y)) + 25*math.Cos(0.7*float64(y)-0.5*x) + float64((k*k+7*i*k)%11)
	}
	for _, examined := range []int{0, 3} {
		f, frames, leaveOut, left := moving(t, examined, waves)
		c, err := f.Calibrated(context.Background(), leaveOut, func(int, int) error { return nil })
		if err != nil || c.mixture.Alone() {
			t.Fatal("nothing was learned", err)
		}
		if want := map[int]int{0: n, 3: 4}[examined]; len(left) != want {
			t.Errorf("%d frames left out of %d, want %d", len(left), n, want)
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
		frame.Downsample(again, fine)
		var off, sum float64
		for k, v := range coarse.Variance.Data {
			off, sum = off+math.Abs(again.Variance.Data[k]-v), sum+v
		}
		if off > 4e-4*sum { // weights are those of training pixels; of finer ones they would be off by a thousandth
			t.Errorf("variances of finer pixels differ by %v of those of training", off/sum)
		}
	}
}
