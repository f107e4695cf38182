package motion

import (
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/drawn"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// A frame that was registered and warped back differs from itself only by what resampling loses.
func TestWarpOfRegister(t *testing.T) {
	times := drawn.Times(9, 1)
	film := drawn.Film(times, drawn.Width, drawn.Height, 2, drawn.Bending)
	m := mustFit(t, film, times, 2, nil, quick())
	if m.Still() {
		t.Fatal("no motion found")
	}
	reg := m.Register(data.NewSource(film, 9, drawn.Width*drawn.Height, 2))
	size := drawn.Width * drawn.Height * 2
	both := make([]float64, 2*size)
	if err := reg.ReadExamples(both, 3, 5); err != nil {
		t.Fatal(err)
	}
	frame := mat.NewDense(drawn.Width*drawn.Height, 2, both[size:])
	l := m.Lattice
	f := Field{l.Across, l.Down, m.Sequences[0].Displacements.Row(4), make([]float64, 3*l.nodes()), l.Aspect}
	var moved float64
	for i, v := range frame.Data {
		moved = max(moved, math.Abs(v-film[4*size+i]))
	}
	variance := mat.New(frame.Rows, 2)
	for i := range variance.Data {
		variance.Data[i] = 2
	}
	warpInPlace(f, frame, variance, drawn.Width, drawn.Height)
	for y := 6; y < drawn.Height-6; y++ {
		for x := 6; x < drawn.Width-6; x++ {
			for c := range 2 {
				i := y*drawn.Width + x
				// Two samplings of a picture whose waves have 12 pixels or more lose about 1e-3 of it.
				if got, want := frame.At(i, c), film[4*size+2*i+c]; math.Abs(got-want) > 0.25 {
					t.Fatalf("pixel (%d, %d): %v, expected %v", x, y, got, want)
				}
				if math.Abs(variance.At(i, c)-2) > 1e-12 {
					t.Fatalf("variance %v without an uncertain displacement, expected 2", variance.At(i, c))
				}
			}
		}
	}
	if moved < 5 {
		t.Errorf("registering changes no pixel by more than %v: the test says little", moved)
	}
}

// An uncertain displacement adds (∇mean)ᵀ·C·∇mean: exact for a plane, in any resolution.
func TestWarpVariance(t *testing.T) {
	for _, size := range [][2]int{{40, 30}, {80, 60}} {
		w, h := size[0], size[1]
		mean, variance := mat.New(w*h, 1), mat.New(w*h, 1)
		for i := range w * h {
			mean.Set(i, 0, 3*(float64(i%w)+0.5)/float64(w)+5*(float64(i/w)+0.5)/float64(w)) // per width
		}
		f := Field{2, 2, []float64{.1, .1, .1, .1, -.05, -.05, -.05, -.05}, []float64{4, 4, 4, 4, 1, 1, 1, 1, 9, 9, 9, 9}, 4. / 3}
		before := mean.Clone()
		warpInPlace(f, mean, variance, w, h)
		const want = 3*3*4 + 2*3*5*1 + 5*5*9
		for y := h / 4; y < 3*h/4; y++ {
			for x := w / 4; x < 3*w/4; x++ {
				i := y*w + x
				if got, want := mean.At(i, 0), before.At(i, 0)-3*.1+5*.05; math.Abs(got-want) > 1e-3 {
					t.Fatalf("%d×%d: mean %v at (%d, %d), expected %v", w, h, got, x, y, want)
				}
				if got := variance.At(i, 0); math.Abs(got-want) > 1e-2*want {
					t.Fatalf("%d×%d: variance %v at (%d, %d), expected %v", w, h, got, x, y, float64(want))
				}
			}
		}
	}
}

// warpInPlace warps a frame over itself.
func warpInPlace(f Field, mean, variance mat.Matrix, width, height int) {
	frame := frame.Frame{Width: width, Height: height, Mean: mean, Variance: variance}
	f.Warp(frame, frame)
}

// Warping to finer pixels is sampling the spline between the coarse ones: a cubic in space
// comes out exactly, with the coarse pixel's centre amid its fine ones, and the variance that
// the displacement adds does not depend on the pixels.
func TestWarpFiner(t *testing.T) {
	cubic := func(x, y float64) float64 { return 0.3 + x*(1-x)*(0.5+x) + y*y - 0.7*x*y } // in frame widths
	const width, height, times = 48, 32, 3
	picture := func(scale int) frame.Frame {
		f := frame.New(width*scale, height*scale, 1)
		for y := range f.Height {
			for x := range f.Width {
				f.Mean.Set(y*f.Width+x, 0, cubic((float64(x)+0.5)/float64(f.Width), (float64(y)+0.5)/float64(f.Width)))
			}
		}
		f.Variance.Fill(0.25)
		return f
	}
	zero := Field{}
	shifted := Field{Across: 2, Down: 2, Mean: make([]float64, 8), Covariance: make([]float64, 12), Aspect: float64(height) / width}
	for k := range 4 {
		shifted.Mean[k], shifted.Mean[4+k] = 0.05, -0.02
		shifted.Covariance[k], shifted.Covariance[4+k], shifted.Covariance[8+k] = 1e-4, 2e-5, 4e-4
	}
	for _, f := range []Field{zero, shifted} {
		coarse, fine := picture(1), picture(times)
		got, want := frame.New(width*times, height*times, 1), frame.New(width*times, height*times, 1)
		f.Warp(got, coarse)
		f.Warp(want, fine)
		for y := 8 * times; y < (height-8)*times; y++ { // away from the edges, where splines are mirrored
			for x := 8 * times; x < (width-8)*times; x++ {
				i := y*width*times + x
				if d := got.Mean.At(i, 0) - want.Mean.At(i, 0); !(math.Abs(d) <= 1e-5) {
					t.Fatalf("pixel (%d, %d): mean %v from coarse pixels, %v from fine ones", x, y, got.Mean.At(i, 0), want.Mean.At(i, 0))
				}
				if d := got.Variance.At(i, 0) - want.Variance.At(i, 0); !(math.Abs(d) <= 1e-5) {
					t.Fatalf("pixel (%d, %d): variance %v from coarse pixels, %v from fine ones", x, y, got.Variance.At(i, 0), want.Variance.At(i, 0))
				}
			}
		}
	}
}
