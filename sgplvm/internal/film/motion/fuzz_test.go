package motion_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/motion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// A drawn is a motion of one sequence, as its text has it.
type drawn struct {
	motion        *motion.Motion
	width, height int
	across, down  int
	kernel        kernel.Kernel
	noise         float64
	covariance    []float64
	times         []float64
	d             [][]float64 // displacements of the frames
}

// draw draws a motion whose displacements are valid or barely not, and its text.
func draw(s *fuzz.Source) (c drawn, text []byte) {
	c = drawn{width: 1 + s.IntN(12), height: 1 + s.IntN(12), across: 2 + s.IntN(4), down: 2 + s.IntN(4)}
	kinds := []kernel.Kind{kernel.Matern32, kernel.Matern12, kernel.Matern52}
	c.kernel = kernel.Kernel{Kind: kinds[s.IntN(3)], Variance: 1, LengthScale: []float64{math.Pow(10, float64(s.IntN(5)-2))}}
	c.noise = math.Pow(10, -float64(s.IntN(6)))
	nodes := c.across * c.down
	c.covariance = make([]float64, 3*nodes)
	for i := range nodes {
		a, b, e := s.NormFloat64(), s.NormFloat64(), s.NormFloat64()
		c.covariance[i], c.covariance[nodes+i], c.covariance[2*nodes+i] = a*a, a*b, b*b+e*e
	}
	size := []float64{0.01, 0.1, 1}[s.IntN(3)]
	at := 0.0
	var frames []int
	for p := range 1 + s.IntN(5) {
		if s.IntN(4) != 1 {
			at += s.Float64()
		}
		d := make([]float64, 2*nodes)
		shift := s.NormFloat64()
		for i := range d {
			d[i] = size * (0.3*shift + 0.1*s.NormFloat64())
		}
		c.times, c.d, frames = append(c.times, at), append(c.d, d), append(frames, p)
	}
	trial := map[string]any{"across": 0, "down": 0, "strength": 0, "error": nil}
	text, err := json.Marshal(map[string]any{
		"format": 1, "width": c.width, "height": c.height, "across": c.across, "down": c.down, "covariance": c.covariance, "chosen": trial, "trials": nil,
		"process":   map[string]any{"kernel": c.kernel.Kind, "lengthScale": c.kernel.LengthScale[0], "noise": c.noise},
		"sequences": []any{map[string]any{"label": 0, "frames": frames, "times": c.times, "displacements": c.d}},
	})
	if err != nil {
		panic(err)
	}
	return c, text
}

// FuzzField draws a motion and holds its fields to the definition of the process, and warped frames to what holds of every
// map: constants stay, the mean is linear in the picture, and the bits do not depend on GOMAXPROCS.
func FuzzField(f *testing.F) {
	f.Fuzz(func(t *testing.T, input []byte) {
		s := fuzz.FromBytes(input)
		c, text := draw(s)
		c.motion = new(motion.Motion)
		if err := c.motion.Decode(text); err != nil {
			if !strings.Contains(err.Error(), "stretched by") {
				t.Error(err)
			}
			return
		}
		at := c.times[s.IntN(len(c.times))] + s.NormFloat64()
		fields, err := c.motion.Fields(0, []float64{at})
		if err != nil {
			t.Fatal(err)
		}
		checkField(t, c, fields[0], at)
		checkWarp(t, s, c, fields[0])
	})
}

// checkField compares a field with the Gaussian process given the displacements of the frames.
func checkField(t *testing.T, c drawn, f motion.Field, at float64) {
	t.Helper()
	n := len(c.times)
	k, cross := reference.NewRows(n, n), make([]float64, n)
	for i, a := range c.times {
		cross[i] = reference.Covariance(c.kernel, []float64{at}, []float64{a})
		for j, b := range c.times {
			k[i][j] = reference.Covariance(c.kernel, []float64{a}, []float64{b})
		}
		k[i][i] += c.noise
	}
	w := reference.Solve(reference.Cholesky(k), cross)
	left := max(1-reference.Inner(cross, w), 0)
	for i, v := range f.Mean {
		var want float64
		for p, d := range c.d {
			want += float64(w[p] * d[i])
		}
		compare.NearOne(t, "displacement", v, want, 1e-8)
	}
	for i, v := range f.Covariance {
		compare.NearOne(t, "covariance of displacements", v, left*c.covariance[i], 1e-8)
	}
}

func checkWarp(t *testing.T, s *fuzz.Source, c drawn, field motion.Field) {
	t.Helper()
	src := frame.New(1+s.IntN(9), 1+s.IntN(9), 1+s.IntN(2))
	dst := func() frame.Frame { return frame.New(c.width, c.height, src.Mean.Cols) }
	for i := range src.Mean.Data {
		src.Mean.Data[i], src.Variance.Data[i] = s.NormFloat64(), s.Float64()
	}
	first := dst()
	field.Warp(first, src)
	compare.AtEveryWidth(func(procs int) {
		again := dst()
		field.Warp(again, src)
		compare.SameBits(t, fmt.Sprint("GOMAXPROCS ", procs), append(again.Mean.Data, again.Variance.Data...), append(first.Mean.Data, first.Variance.Data...))
	})
	larger, scaled := frame.New(src.Width, src.Height, src.Mean.Cols), dst()
	mat.Scale(larger.Mean, 4, src.Mean)
	mat.Scale(larger.Variance, 16, src.Variance)
	field.Warp(scaled, larger)
	mat.Scale(scaled.Mean, 0.25, scaled.Mean)
	mat.Scale(scaled.Variance, 1./16, scaled.Variance)
	compare.SameBits(t, "means in other units", scaled.Mean.Data, first.Mean.Data)
	compare.SameBits(t, "variances in other units", scaled.Variance.Data, first.Variance.Data)
	plain, flat := frame.New(src.Width, src.Height, src.Mean.Cols), dst()
	plain.Mean.Fill(3)
	plain.Variance.Fill(2)
	field.Warp(flat, plain)
	sum, moved := frame.New(src.Width, src.Height, src.Mean.Cols), dst()
	mat.Add(sum.Mean, src.Mean, 1, plain.Mean)
	field.Warp(moved, sum)
	for i, v := range first.Mean.Data {
		compare.NearOne(t, "a constant", flat.Mean.Data[i], 3, 1e-12)
		compare.NearOne(t, "the variance of a constant", flat.Variance.Data[i], 2, 1e-12)
		compare.NearOne(t, "a picture and a constant", moved.Mean.Data[i], v+3, 1e-12)
		if !(first.Variance.Data[i] >= 0) {
			t.Errorf("variance %v", first.Variance.Data[i])
		}
	}
	// Where a pixel comes from, the displacement brings it, unless displacements between and beyond the frames are so large
	// that they fold the picture over.
	if c.steepest(field.Mean) > 0.75 {
		return
	}
	x, y := field.Sources(c.width, c.height, c.width, c.height)
	for pixel := range x {
		u, v := c.displacementAt(field.Mean, x[pixel], y[pixel])
		if e := math.Hypot(x[pixel]+u-float64(pixel%c.width), y[pixel]+v-float64(pixel/c.width)); !(e <= 1e-4) {
			t.Errorf("pixel %d comes from (%v, %v), which is displaced by (%v, %v)", pixel, x[pixel], y[pixel], u, v)
		}
	}
}

// steepest bounds by how much displacements of nearby points differ, over their distance.
func (c drawn) steepest(nodes []float64) float64 {
	var most float64
	n, heights := c.across*c.down, float64(c.height)/float64(c.width)
	for i := range n {
		right, down := 0.0, 0.0
		for _, d := range [][]float64{nodes[:n], nodes[n:]} {
			if (i+1)%c.across != 0 {
				right = math.Hypot(right, (d[i+1]-d[i])*float64(c.across-1))
			}
			if i+c.across < n {
				down = math.Hypot(down, (d[i+c.across]-d[i])*float64(c.down-1)/heights)
			}
		}
		most = max(most, right, down)
	}
	return math.Sqrt2 * most
}

// displacementAt is the bilinear interpolation of the nodes' displacements at a point in pixels, in pixels.
func (c drawn) displacementAt(nodes []float64, x, y float64) (u, v float64) {
	weight := func(at float64, pixels, n, node int) float64 {
		place := min(max((at+0.5)/float64(pixels)*float64(n-1), 0), float64(n-1))
		return max(0, 1-math.Abs(place-float64(node)))
	}
	for j := range c.down {
		for i := range c.across {
			w := weight(x, c.width, c.across, i) * weight(y, c.height, c.down, j)
			u += w * nodes[j*c.across+i]
			v += w * nodes[c.across*c.down+j*c.across+i]
		}
	}
	return u * float64(c.width), v * float64(c.width)
}
