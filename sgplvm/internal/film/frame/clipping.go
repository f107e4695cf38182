package frame

import (
	"math"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// unclipped is the chance that a value does not end where the film's do: codecs also change what was clipped.
const unclipped = 0.1

// Clip makes of a predicted frame, with variances or without, one whose values end where those of the training frames were clipped (censored values: Tobin 1958; docs/math.md, 19.9): their
// median, and the mean square about it, with rounding and the chance that they do not end there. No variance becomes larger. Values are in the units of the frames.
func (l *Limits) Clip(f Frame) {
	rounding := Square(l.Step) / 12
	for c, r := range l.Channels {
		if !r.Below && !r.Above {
			continue
		}
		least, most := math.Inf(-1), math.Inf(1)
		if r.Below {
			least = r.Least
		}
		if r.Above {
			most = r.Most
		}
		work.EachRow(f.Mean.Rows, func(k int) {
			mean := f.Mean.At(k, c)
			f.Mean.Set(k, c, min(max(mean, least), most))
			if f.Variance.Rows > 0 {
				v := f.Variance.At(k, c)
				f.Variance.Set(k, c, unclipped*v+(1-unclipped)*min(v, clippedSquare(mean, v, least, most)+rounding))
			}
		})
	}
}

// Within takes means beyond the range of their channel to its end, and leaves variances.
func (l *Limits) Within(f Frame) {
	for c, r := range l.Channels {
		work.EachRow(f.Mean.Rows, func(k int) {
			f.Mean.Set(k, c, min(max(f.Mean.At(k, c), r.Least), r.Most))
		})
	}
}

// clippedSquare returns the expected squared difference between a Gaussian value that is clipped and its median, which is the clipped mean.
func clippedSquare(mean, variance, least, most float64) float64 {
	deviation := math.Sqrt(variance)
	a, b := (least-mean)/deviation, (most-mean)/deviation
	if !(deviation > 0) {
		return 0
	}
	median := min(max(mean, least), most)
	inside, square := 1.0, 0.0
	var first, second float64 // of what is inside: the means of z and of z² − 1
	if !math.IsInf(a, -1) {
		below, density := upperTail(-a), gaussian(a)
		square += Square(least-median) * below
		inside -= below
		first += density
		second += a * density
	}
	if !math.IsInf(b, 1) {
		above, density := upperTail(b), gaussian(b)
		square += Square(most-median) * above
		inside -= above
		first -= density
		second -= b * density
	}
	d := mean - median
	return max(square+d*d*inside+2*d*deviation*first+variance*(inside+second), 0)
}

// upperTail is the chance that a standard normal variable is greater than z, and gaussian its density.
func upperTail(z float64) float64 { return math.Erfc(z/math.Sqrt2) / 2 }

func gaussian(z float64) float64 { return math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) }
