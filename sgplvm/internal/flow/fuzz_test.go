package flow_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/flow"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// FuzzParts reads any bytes as each part of a film: what is refused is so in one line, and leaves the part what it was; what
// is taken is written and read again alike, and can be used.
func FuzzParts(f *testing.F) {
	const cells = `"Width":1,"Height":1,"At":[{"Sequence":0,"Time":0},{"Sequence":0,"Time":1}]`
	for part, text := range []string{
		`{"format":1,"width":4,"height":2,"across":2,"down":2,"process":{"kernel":"matern32","lengthScale":2,"noise":0.01},` +
			`"covariance":[1,1,1,1,0,0,0,0,1,1,1,1],"sequences":[{"label":0,"frames":[1,0],"times":[0,1],"displacements":[[0,0,0,0,0,0,0,0],[0,0,0,0,0,0,0,0.1]],` +
			`"paths":[[0,0,0.1,0,0,0,0,0]]}],"pathAcross":2,"pathDown":2,"chosen":{"across":2,"down":2,"strength":1,"error":null},"trials":[{"across":0,"down":0,"strength":0,"error":0.5}]}`,
		"{\"Width\":4,\"Height\":2,\"Channels\":1,\"Frames\":2,\"Least\":0,\"Step\":1}\n0a1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p",
		`{"Width":4,"Height":2,"Energy":[0.5],"Ratio":[0.7],"A":-1,"Gamma":0.5,"Sharpening":[0.1,0.2,0.1,0]}`,
		`{` + cells + `,"Ratios":"AACAPwAAAEA=","Reach":2,"Prior":1,"Factor":1.5}`,
		`{"Width":1,"Height":1,"Scale":[2],"Unit":1,"Levels":[[1,0,0,0],[1,0,0,0],[1,0,0,0],[0.5,0.5,0,0],[1,0,0,0],[1,0,0,0],[1,0,0,0],[1,0,0,0],[0.25,0.25,0.25,0.25]],"Laws":[[1,1,1,1]],"Outside":{"Weights":[0.5,0,0.5,0],"Factor":2}}`,
		`{"Across":{"Shared":true,"Odd":true,"Near":0.2,"Far":-0.03,"Missed":0.02},"Down":{"Shared":false,"Odd":false,"Near":0,"Far":0},"Rounding":{"Step":1,"Least":[0,0,-1],"Most":[1,1,0.5]}}`,
	} {
		f.Add(byte(part), []byte(text))
	}
	f.Fuzz(func(t *testing.T, which byte, content []byte) {
		if len(content) > 1<<13 {
			return
		}
		parts := func() []flow.Part {
			return []flow.Part{new(flow.Motion), new(flow.TrainingFrames), new(flow.Detail), new(flow.Inflation), new(flow.Mixture), new(flow.Chroma)}
		}
		k := int(which) % len(parts())
		p, empty, again := parts()[k], parts()[k], parts()[k]
		before, _ := empty.Encode()
		if err := p.Decode(content); err != nil {
			if text := err.Error(); !strings.HasPrefix(text, "film: attached ") || len(text) > 400 || strings.ContainsAny(text, "\n\r") {
				t.Errorf("error %q", text)
			}
			if after, _ := p.Encode(); !bytes.Equal(before, after) {
				t.Errorf("what was refused made %q of %q", after, before)
			}
			return
		}
		first, err := p.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if err := again.Decode(first); err != nil {
			t.Fatalf("%q, written as %q: %v", content, first, err)
		}
		if second, err := again.Encode(); err != nil || !bytes.Equal(first, second) {
			t.Errorf("%q is written as %q, and then as %q, error %v", content, first, second, err)
		}
		use(t, p)
	})
}

// use asks a part for all that it says, of pictures of a few pixels.
func use(t *testing.T, p flow.Part) {
	picture := func(width, height, channels int) flow.Frame {
		f := flow.NewFrame(width, height, channels)
		for i := range f.Mean.Data {
			f.Mean.Data[i], f.Variance.Data[i] = math.Sin(float64(i)), 1
		}
		return f
	}
	finite := func(f flow.Frame) {
		t.Helper()
		for i, v := range f.Variance.Data {
			if m := f.Mean.Data[i]; m-m != 0 || !(v >= 0) {
				t.Fatalf("number %d of a frame is %v with variance %v", i, m, v)
			}
		}
	}
	switch p := p.(type) {
	case *flow.Motion:
		_ = p.String()
		for label := -1; label < 3; label++ {
			fields, err := p.Fields(label, []float64{-1, 0.5, 1e300})
			for _, field := range fields {
				if err == nil {
					f := picture(5, 4, 1)
					field.Warp(f, f)
					finite(f)
				}
			}
		}
		p.Field(p.LeftOut(0))
	case *flow.TrainingFrames:
		if n, points, channels := p.Dims(); n > 0 {
			values := make([]float64, points*channels)
			if err := p.ReadExamples(values, n-1, n); err != nil {
				t.Error(err)
			}
			p.Variances()
		}
	case *flow.Detail:
		for channels := 1; channels < 4; channels++ {
			if w, h := 8, 6; p.Check(flow.Shape{Width: 4, Height: 3, Channels: channels}) == nil {
				f := picture(w, h, channels)
				p.AddTo(f, flow.Unresolved{})
				finite(f)
				p.Sharpened(picture(4, 3, channels), w)
			}
		}
	case *flow.Inflation:
		f := picture(11, 7, 2)
		p.Apply(f, data.Instant{Time: 0.5})
	case *flow.Mixture:
		_ = p.String()
	case *flow.Chroma:
		_ = p.String()
		for channels := 1; channels < 4; channels++ {
			if p.Check(flow.Shape{Channels: channels}) == nil {
				f := picture(3, 5, channels)
				p.Repeat(f)
				p.AddVariance(f, 2, 2)
				finite(f)
			}
		}
	}
}

// A drawn is a motion of one sequence, as its text has it.
type drawn struct {
	motion        *flow.Motion
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
		c.motion = new(flow.Motion)
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
func checkField(t *testing.T, c drawn, f flow.Field, at float64) {
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

func checkWarp(t *testing.T, s *fuzz.Source, c drawn, field flow.Field) {
	t.Helper()
	src := flow.NewFrame(1+s.IntN(9), 1+s.IntN(9), 1+s.IntN(2))
	dst := func() flow.Frame { return flow.NewFrame(c.width, c.height, src.Mean.Cols) }
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
	larger, scaled := flow.NewFrame(src.Width, src.Height, src.Mean.Cols), dst()
	mat.Scale(larger.Mean, 4, src.Mean)
	mat.Scale(larger.Variance, 16, src.Variance)
	field.Warp(scaled, larger)
	mat.Scale(scaled.Mean, 0.25, scaled.Mean)
	mat.Scale(scaled.Variance, 1./16, scaled.Variance)
	compare.SameBits(t, "means in other units", scaled.Mean.Data, first.Mean.Data)
	compare.SameBits(t, "variances in other units", scaled.Variance.Data, first.Variance.Data)
	plain, flat := flow.NewFrame(src.Width, src.Height, src.Mean.Cols), dst()
	plain.Mean.Fill(3)
	plain.Variance.Fill(2)
	field.Warp(flat, plain)
	sum, moved := flow.NewFrame(src.Width, src.Height, src.Mean.Cols), dst()
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
