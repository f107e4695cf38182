package chroma

import (
	"encoding/json"
	"math"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// maxStep bounds the step of numbers in files.
const maxStep = 1e100

// Check is that of Part.
func (c *Chroma) Check(s frame.Shape) error {
	if c.Shared() && s.Channels != len(luma) {
		return frame.BadPart("chroma", "pairs of pixels, expected none in frames of %d channels", s.Channels)
	}
	return nil
}

// Encode returns JSON text.
func (c *Chroma) Encode() ([]byte, error) { return json.Marshal(c) }

// Decode is that of Part.
func (c *Chroma) Decode(text []byte) error {
	var t Chroma
	if err := json.Unmarshal(text, &t); err != nil {
		return frame.BadPart("chroma", "%v", err)
	}
	for _, v := range []float64{t.Across.Near, t.Across.Far, t.Down.Near, t.Down.Far} {
		if !(math.Abs(v) <= maxSlope) {
			return frame.BadPart("chroma", "weight %v, expected at most %v in size", v, maxSlope)
		}
	}
	for _, v := range []float64{t.Across.Missed, t.Down.Missed} {
		if !(v >= 0 && v <= maxMissed) {
			return frame.BadPart("chroma", "part %v that is missed, expected 0 to %v", v, maxMissed)
		}
	}
	r := t.Rounding
	if r.Step != 0 && !(r.Step > 0 && r.Step <= maxStep && t.Shared()) {
		return frame.BadPart("chroma", "a step of %v, expected a positive number up to %v where pixels share their chroma", r.Step, maxStep)
	}
	*c = t
	return nil
}
