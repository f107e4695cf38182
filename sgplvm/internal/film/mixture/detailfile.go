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
	r, least, some := t.SuperResolution, 1., 0.
	if r != (SuperResolution{}) {
		least, some = frame.LeastSide, 1/frame.MaxNumber
	}
	err := cmp.Or(
		frame.CheckNumbers("detail", "side of a frame", least, frame.MaxSide, float64(t.Width), float64(t.Height)),
		frame.CheckNumbers("detail", "energy", 0, math.MaxFloat64, append(t.Laplacian, t.Energy...)...),
		frame.CheckNumbers("detail", "ratio of octaves", minOctave, MostOctave, t.Ratio...),
		frame.CheckNumbers("detail", "logarithm", -100, 100, t.A), frame.CheckNumbers("detail", "power", 0, 1, t.Gamma),
		frame.CheckNumbers("detail", "sharpening", -frame.MaxNumber, frame.MaxNumber, t.Sharpening[:]...),
		frame.CheckNumbers("detail", "edge", 0, frame.MaxNumber, t.Edges[:]...),
		frame.CheckNumbers("detail", "noise", some, frame.MaxNumber, r.Noise), frame.CheckNumbers("detail", "mismatch", 0, frame.MaxNumber, r.Mismatch),
		frame.CheckNumbers("detail", "number of frames", math.Ceil(some), moreShown, float64(r.Frames)))
	if err == nil {
		*d = t
	}
	return err
}
