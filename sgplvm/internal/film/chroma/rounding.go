package chroma

import (
	"context"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
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

// Values are rounded that are fewestValues to mostValues different ones, nearly multiples of their least difference; nearMultiple is how near.
const fewestValues, mostValues, nearMultiple = 16, 256, 1e-2

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
			if len(values) > mostValues {
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
	if len(values) < fewestValues || len(values) > mostValues {
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
		if n := (v - sorted[0]) / step; !(n < mostValues && math.Abs(n-math.Round(n)) <= nearMultiple) {
			return 0
		}
	}
	return step
}

// variances returns those of errors of rounding of red, green and blue: in luma of 219 steps and chroma of 224 (Recommendation ITU-R BT.601), where
// training frames were made of them, in their own numbers, and in those of frames of finer pixels.
func (r *rounding) variances() (v [3]float64) {
	y, c := frame.Square(255./219), frame.Square(255./224)
	red, blue := 2*(1-luma[0]), 2*(1-luma[2])
	one := truncated * frame.Square(r.Step) / 12
	return [3]float64{
		one * (y + c*frame.Square(red) + 2),
		one * (y + c*(frame.Square(red*luma[0]/luma[1])+frame.Square(blue*luma[2]/luma[1])) + 2),
		one * (y + c*frame.Square(blue) + 2),
	}
}

// addTo adds errors of rounding to the variance of a frame of finer pixels: √(V² + r²) for V, which has them where contents move or have noise.
func (r *rounding) addTo(f frame.Frame) {
	rounded := r.variances()
	mat.Parallel(f.Height, func(y int) {
		for k := y * f.Width; k < (y+1)*f.Width; k++ {
			mean, v := f.Mean.Row(k), f.Variance.Row(k)
			for d, w := range rounded {
				within := min(mean[d]-r.Least[d], r.Most[d]-mean[d]) / r.Step
				v[d] = math.Hypot(v[d], max(0, min(within, 1))*w)
			}
		}
	})
}
