package chroma

import (
	"cmp"
	"encoding/json"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

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
	err := cmp.Or(
		frame.CheckNumbers("chroma", "weight", -frame.MaxNumber, frame.MaxNumber, t.Across.Near, t.Across.Far, t.Down.Near, t.Down.Far),
		frame.CheckNumbers("chroma", "missed part", 0, frame.MaxNumber, t.Across.Missed, t.Down.Missed))
	if err != nil {
		return err
	}
	*c = t
	return nil
}
