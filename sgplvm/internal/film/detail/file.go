package detail

import (
	"encoding/json"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// detailText is how a Detail is written.
type detailText struct {
	Width, Height   int
	Energy          []float64 `json:",omitempty"`
	Ratio           []float64 `json:",omitempty"` // older files have none
	Laplacian       []float64 `json:",omitempty"` // older files have none
	LaplacianBelow  []float64 `json:",omitempty"` // older files have none
	A, Gamma        float64
	Sharpening      []float64   `json:",omitempty"` // older files have none
	Lost            float64     `json:",omitempty"` // older files have none
	Noise           []float64   `json:",omitempty"` // older files have none
	Parts           []float64   `json:",omitempty"` // older files have none
	Edges           []float64   `json:",omitempty"` // older files have none
	SuperResolution []float64   `json:",omitempty"` // older files have none
	Resolvable      float64     `json:",omitempty"` // older files have none
	Bends           bool        `json:",omitempty"` // older files have none
	Hypotheses      bool        `json:",omitempty"` // older files have none
	Smoothing       []float64   `json:",omitempty"` // older files have none
	Coring          [][]float64 `json:",omitempty"` // older files have none
	CoringMeans     [][]float64 `json:",omitempty"` // older files have none
	CoringShared    [][]float64 `json:",omitempty"` // older files have none
}

// Encode returns the detail as JSON text, to the bit.
func (d *Detail) Encode() ([]byte, error) {
	t := detailText{Width: d.Width, Height: d.Height, Energy: d.Energy, Ratio: d.Ratio, Laplacian: d.Laplacian, LaplacianBelow: d.LaplacianBelow, A: d.A, Gamma: d.Gamma, Lost: d.lost, Noise: d.White, Parts: d.parts, Resolvable: d.Resolvable, Bends: d.Bends, Hypotheses: d.Hypotheses}
	of := encodeCoring(d.coring)
	t.Coring, t.CoringMeans, t.CoringShared = of.within, of.means, of.shared
	if d.sharpening != (Sharpening{}) {
		t.Sharpening = d.sharpening[:]
	}
	if d.edges != (edges{}) {
		t.Edges = d.edges[:]
	}
	if r := d.SuperResolution; r != (SuperResolution{}) {
		t.SuperResolution = []float64{r.Noise, r.Mismatch, float64(r.Frames)}
	}
	if s := d.Smoothing; s != (Smoothing{}) {
		t.Smoothing = []float64{s.Noise, float64(s.Frames)}
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
	for _, v := range slices.Concat(t.Laplacian, t.LaplacianBelow) {
		if !(v >= 0) || math.IsInf(v, 0) {
			return frame.BadPart("detail", "energy %v of the Laplacian, expected 0 or more", v)
		}
	}
	for _, q := range t.Ratio {
		if !(q >= leastOctave && q <= MostOctave) {
			return frame.BadPart("detail", "ratio %v of octaves, expected %v to %v", q, leastOctave, MostOctave)
		}
	}
	if !(t.Lost >= 0 && t.Lost <= mostLost) {
		return frame.BadPart("detail", "part %v of variances, expected 0 to %v", t.Lost, mostLost)
	}
	for _, v := range t.Noise {
		if !(v >= 0) || math.IsInf(v, 0) {
			return frame.BadPart("detail", "noise %v, expected 0 or more", v)
		}
	}
	if !(t.Resolvable >= 0 && t.Resolvable <= 1) {
		return frame.BadPart("detail", "part %v that is resolvable, expected 0 to 1", t.Resolvable)
	}
	if n := len(t.Parts); n != 0 && n != SpectralClasses {
		return frame.BadPart("detail", "parts of %d classes, expected %d", n, SpectralClasses)
	}
	for _, p := range t.Parts {
		if !(p > 0 && p <= 1) {
			return frame.BadPart("detail", "part %v of a class, expected a positive number up to 1", p)
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
	smoothing, err := decodeSmoothing(t.Smoothing)
	if err != nil {
		return err
	}
	kept, err := coringText{t.Coring, t.CoringMeans, t.CoringShared}.decode()
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
	*d = Detail{t.Width, t.Height, t.Energy, t.Ratio, t.Laplacian, t.LaplacianBelow, t.A, t.Gamma, sides, s, t.Lost, t.Noise, r, t.Resolvable, t.Bends, t.Hypotheses, smoothing, t.Parts, kept}
	return nil
}
