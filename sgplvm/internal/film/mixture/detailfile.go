package mixture

import (
	"encoding/json"
	"math"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// detailText is how a Detail is written.
type detailText struct {
	Width, Height   int
	Energy          []float64 `json:",omitempty"`
	Ratio           []float64 `json:",omitempty"`
	Laplacian       []float64 `json:",omitempty"`
	A, Gamma        float64
	Sharpening      []float64 `json:",omitempty"`
	Edges           []float64 `json:",omitempty"`
	SuperResolution []float64 `json:",omitempty"`
}

// Encode returns the detail as JSON text, to the bit.
func (d *Detail) Encode() ([]byte, error) {
	t := detailText{Width: d.Width, Height: d.Height, Energy: d.Energy, Ratio: d.Ratio, Laplacian: d.Laplacian, A: d.A, Gamma: d.Gamma}
	if d.sharpening != (Sharpening{}) {
		t.Sharpening = d.sharpening[:]
	}
	if d.edges != (edges{}) {
		t.Edges = d.edges[:]
	}
	if r := d.SuperResolution; r != (SuperResolution{}) {
		t.SuperResolution = []float64{r.Noise, r.Mismatch, float64(r.Frames)}
	}
	return json.Marshal(t)
}

// Decode is that of Part.
func (d *Detail) Decode(text []byte) error {
	var t detailText
	if err := json.Unmarshal(text, &t); err != nil {
		return frame.BadPart("detail", "%v", err)
	}
	if t.Width < 1 || t.Height < 1 || t.Width > frame.MaxSide || t.Height > frame.MaxSide {
		return frame.BadPart("detail", "frames of %d×%d pixels", t.Width, t.Height)
	}
	if !(math.Abs(t.A) <= 100) || !(t.Gamma >= 0 && t.Gamma <= 1) {
		return frame.BadPart("detail", "a law of %v and %v, expected at most 100 in size and a number from 0 to 1", t.A, t.Gamma)
	}
	for c, s := range t.Energy {
		if !(s >= 0) || math.IsInf(s, 0) {
			return frame.BadPart("detail", "energy %v of channel %d, expected 0 or more", s, c)
		}
	}
	for _, v := range t.Laplacian {
		if !(v >= 0) || math.IsInf(v, 0) {
			return frame.BadPart("detail", "energy %v of the Laplacian, expected 0 or more", v)
		}
	}
	for _, q := range t.Ratio {
		if !(q >= minOctave && q <= MostOctave) {
			return frame.BadPart("detail", "ratio %v of octaves, expected %v to %v", q, minOctave, MostOctave)
		}
	}
	var s Sharpening
	if n := copy(s[:], t.Sharpening); n != len(t.Sharpening) || n != 0 && n != len(s) {
		return frame.BadPart("detail", "sharpening of %d numbers, expected %d", len(t.Sharpening), len(s))
	}
	for _, a := range s {
		if !(math.Abs(a) <= maxSharpening) {
			return frame.BadPart("detail", "sharpening %v, expected numbers of at most %d in size", a, maxSharpening)
		}
	}
	sides, err := decodeEdges(t.Edges)
	if err != nil {
		return err
	}
	r, err := decodeSuperResolution(t.SuperResolution)
	if err != nil {
		return err
	}
	if r != (SuperResolution{}) && min(t.Width, t.Height) < frame.LeastSide {
		return frame.BadPart("detail", "super-resolution of %d×%d pixels, expected %d at least", t.Width, t.Height, frame.LeastSide)
	}
	*d = Detail{t.Width, t.Height, t.Energy, t.Ratio, t.Laplacian, t.A, t.Gamma, sides, s, r}
	return nil
}
