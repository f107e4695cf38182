package film

import (
	"encoding/json"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// An inflation is by what the variances of predicted frames are multiplied: the mean over training frames that were left out of squared errors over variances.
type inflation struct {
	Factor float64
	frames float64 // that were taken in
}

// add takes in a frame that was left out, and what was predicted of it.
func (f *inflation) add(truth, predicted frame.Frame) {
	var sum float64
	for k, v := range predicted.Variance.Data {
		sum += min(frame.Square(truth.Mean.Data[k]-predicted.Mean.Data[k])/v, frame.MaxNumber)
	}
	f.frames++
	f.Factor += (sum/float64(len(predicted.Variance.Data)) - f.Factor) / f.frames
}

// learned returns what was learned; 1 where there are no errors at all.
func (f inflation) learned() inflation {
	if !(f.Factor > 0) {
		return inflation{Factor: 1}
	}
	return inflation{Factor: max(f.Factor, 1/frame.MaxNumber)}
}

// Encode returns the inflation as JSON text, to the bit.
func (f *inflation) Encode() ([]byte, error) { return json.Marshal(f) }

// Decode is that of frame.Part.
func (f *inflation) Decode(text []byte) error {
	var t inflation
	if err := json.Unmarshal(text, &t); err != nil {
		return frame.BadPart("inflation", "%v", err)
	}
	if err := frame.CheckNumbers("inflation", "factor", 1/frame.MaxNumber, frame.MaxNumber, t.Factor); err != nil {
		return err
	}
	*f = t
	return nil
}

// Check is that of frame.Part: a factor fits frames of any shape.
func (f *inflation) Check(frame.Shape) error { return nil }
