package mixture

import (
	"cmp"
	"encoding/json"
	"math"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// Encode returns the detail as JSON text, to the bit.
func (d *Detail) Encode() ([]byte, error) { return json.Marshal(d) }

// Decode is that of Part.
func (d *Detail) Decode(text []byte) error {
	var t Detail
	if err := json.Unmarshal(text, &t); err != nil {
		return frame.BadPart("detail", "%v", err)
	}
	err := cmp.Or(
		frame.CheckNumbers("detail", "side of a frame", 1, frame.MaxSide, float64(t.Width), float64(t.Height)),
		frame.CheckNumbers("detail", "energy", 0, math.MaxFloat64, append(t.Laplacian, t.Energy...)...),
		frame.CheckNumbers("detail", "ratio of octaves", 0, MostOctave, t.Ratio...),
		frame.CheckNumbers("detail", "logarithm", -100, 100, t.A), frame.CheckNumbers("detail", "power", 0, 1, t.Gamma),
		frame.CheckNumbers("detail", "sharpening", -frame.MaxNumber, frame.MaxNumber, t.Sharpening[:]...),
		frame.CheckNumbers("detail", "edge", 0, frame.MaxNumber, t.Edges[:]...))
	if err == nil {
		*d = t
	}
	return err
}
