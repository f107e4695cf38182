package chroma

import (
	"context"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// rounding is what is known of errors of rounding in frames that were unpacked from luma and chroma. Where contents rest they are the
// same in all frames, so that what is learned from frames at other times knows nothing of them. Frames of finer pixels are rounded on their own.
type rounding struct {
	Step        float64    // of the numbers; 0 where it is not known
	Least, Most [3]float64 // of red, green and blue: what lies there was not rounded, but clipped
}

// luma is Y = 0.299·R + 0.587·G + 0.114·B (Recommendation ITU-R BT.601). Chroma is counted as R − G and B − G, which every
// matrix makes of the same two samples.
var luma = [3]float64{0.299, 0.587, 0.114}

// lumaOf returns Y.
func lumaOf(red, green, blue float64) float64 { return luma[0]*red + luma[1]*green + luma[2]*blue }

// Values are rounded that are fewestValues to maxValues different ones, nearly multiples of their least difference; nearMultiple is how near.
const fewestValues, maxValues, nearMultiple = 16, 256, 1e-2

// truncated is by how much errors of rounding are taken to be larger: numbers that are truncated have four times the mean squared error, and programs
// do either.
const truncated = 2

// findRounding finds out to what frames are rounded.
func findRounding(ctx context.Context, frames data.Source) (rounding, error) {
	r := rounding{Least: [3]float64{math.Inf(1), math.Inf(1), math.Inf(1)}, Most: [3]float64{math.Inf(-1), math.Inf(-1), math.Inf(-1)}}
	values := map[float64]struct{}{}
	err := frame.Each(ctx, frames, func(_ int, frame []float64) {
		last := math.NaN()
		for k, v := range frame {
			if len(values) > maxValues {
				return
			}
			if v != last {
				values[v], last = struct{}{}, v
			}
			r.Least[k%3], r.Most[k%3] = min(r.Least[k%3], v), max(r.Most[k%3], v)
		}
	})
	if err != nil {
		return rounding{}, err
	}
	if r.Step = stepOf(values); r.Step == 0 {
		return rounding{}, nil
	}
	return r, nil
}

// stepOf returns the step of which values are multiples, but for a constant; 0 where there is none.
func stepOf(values map[float64]struct{}) (step float64) {
	if len(values) < fewestValues || len(values) > maxValues {
		return 0
	}
	sorted := make([]float64, 0, len(values))
	for v := range values {
		sorted = append(sorted, v)
	}
	slices.Sort(sorted)
	step = math.Inf(1)
	for k, v := range sorted[1:] {
		step = min(step, v-sorted[k])
	}
	for _, v := range sorted {
		if n := (v - sorted[0]) / step; !(n < maxValues && math.Abs(n-math.Round(n)) <= nearMultiple) {
			return 0
		}
	}
	return step
}

// once returns the variances of errors of rounding red, green and blue in frames of training: in luma of 219 steps and chroma of 224 (Recommendation
// ITU-R BT.601), of which they were made, and in their own numbers.
func (r *rounding) once() [3]float64 {
	y, c := frame.Square(255./219), frame.Square(255./224)
	red, blue := 2*(1-luma[0]), 2*(1-luma[2])
	return [3]float64{
		r.number() * (y + c*frame.Square(red) + 1),
		r.number() * (y + c*(frame.Square(red*luma[0]/luma[1])+frame.Square(blue*luma[2]/luma[1])) + 1),
		r.number() * (y + c*frame.Square(blue) + 1),
	}
}

// number is the variance of errors of rounding a number.
func (r *rounding) number() float64 { return frame.Square(r.Step) / 12 }

// finer returns the mean squared errors by rounding frames of training and numbers of finer pixels.
func (r *rounding) finer() (v [3]float64) {
	for d, w := range r.once() {
		v[d] = truncated * (w + r.number())
	}
	return v
}

// part returns which part of these a number of channel d has: 0 where nothing is known of rounding, and where it was clipped.
func (r *rounding) part(d int, number float64) float64 {
	if r.Step == 0 {
		return 0
	}
	return max(0, min((number-r.Least[d])/r.Step, (r.Most[d]-number)/r.Step, 1))
}
