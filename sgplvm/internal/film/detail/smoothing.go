package detail

import (
	"math"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// A Smoothing is how frames are averaged with those beside them, along the flows between them, as they have noise (mixture/smoothing.go). The zero value leaves them as they are.
type Smoothing struct {
	Noise  float64 // the variance of noise in pixels of training, over the channels' mean variance
	Frames int     // with how many of them on one side each is averaged
}

// MostSmoothed is how many these are at most.
const MostSmoothed = 4

// decodeSmoothing returns the smoothing that a file has; older files have none.
func decodeSmoothing(t []float64) (s Smoothing, err error) {
	if len(t) == 0 {
		return s, nil
	}
	if len(t) != 2 {
		return s, frame.BadPart("detail", "smoothing of %d numbers, expected 2", len(t))
	}
	if !(t[0] > 0 && t[0] <= 1) || !(t[1] >= 1 && t[1] <= MostSmoothed) || t[1] != math.Trunc(t[1]) {
		return s, frame.BadPart("detail", "smoothing for noise %v with %v frames, expected a positive number up to 1 and 1 to %d", t[0], t[1], MostSmoothed)
	}
	return Smoothing{t[0], int(t[1])}, nil
}
