package mixture

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// Check is that of Part.
func (infl *Inflation) Check(s frame.Shape) error {
	if like := NewInflation(s.Width, s.Height, nil); infl.width != like.width || infl.height != like.height || !slices.Equal(infl.at, s.At) {
		return frame.BadPart("unrest", "%d frames of %d×%d cells, expected %d of %d×%d at their times", len(infl.at), infl.width, infl.height, len(s.At), like.width, like.height)
	}
	return nil
}

// inflationText is how an Inflation is written.
type inflationText struct {
	Width, Height int
	At            []data.Instant
	Ratios        string // of all cells, frame by frame, as float32 in base64
	Reach         float64
	Prior, Factor float64
	Set           []int `json:",omitempty"` // the frames that have their ratios; none: all, as in older files
}

// Encode returns the variance inflation as JSON text, to the bit.
func (infl *Inflation) Encode() ([]byte, error) {
	var bytes []byte
	for _, r := range infl.ratio {
		for _, v := range r.Data {
			bytes = binary.LittleEndian.AppendUint32(bytes, math.Float32bits(v))
		}
	}
	return json.Marshal(inflationText{infl.width, infl.height, infl.at, base64.StdEncoding.EncodeToString(bytes), infl.reach, infl.prior, infl.factor, infl.set})
}

// Decode is that of Part.
func (infl *Inflation) Decode(text []byte) error {
	var t inflationText
	if err := json.Unmarshal(text, &t); err != nil {
		return frame.BadPart("unrest", "%v", err)
	}
	if t.Width < 1 || t.Height < 1 || t.Width > frame.MaxSide || t.Height > frame.MaxSide {
		return frame.BadPart("unrest", "%d×%d cells", t.Width, t.Height)
	}
	bytes, err := base64.StdEncoding.DecodeString(t.Ratios)
	if cells := t.Width * t.Height; err != nil || len(bytes)%(4*cells) != 0 || len(bytes)/(4*cells) != len(t.At) {
		return frame.BadPart("unrest", "%d bytes, expected 4 for each of %d×%d cells and %d frames", len(bytes), t.Width, t.Height, len(t.At))
	}
	if !(t.Reach >= 0) || math.IsInf(t.Reach, 0) || !(t.Factor > 0) || math.IsInf(t.Factor, 0) || !(t.Prior > 0) || math.IsInf(t.Prior, 0) {
		return frame.BadPart("unrest", "reach %v, weight %v and factor %v, expected a number from 0 and positive ones", t.Reach, t.Prior, t.Factor)
	}
	for k, i := range t.Set {
		if i < 0 || i >= len(t.At) || k > 0 && i <= t.Set[k-1] {
			return frame.BadPart("unrest", "frame %d of %d with its ratios, expected rising numbers", i, len(t.At))
		}
	}
	r := NewInflation(t.Width*inflationCell, t.Height*inflationCell, t.At)
	r.reach, r.prior, r.factor, r.set = t.Reach, t.Prior, t.Factor, t.Set
	for i := range r.ratio {
		for k := range r.ratio[i].Data {
			v := math.Float32frombits(binary.LittleEndian.Uint32(bytes[4*(i*t.Width*t.Height+k):]))
			if !(v >= 0) || math.IsInf(float64(v), 0) {
				return frame.BadPart("unrest", "ratio %v of frame %d, expected 0 or more", v, i)
			}
			r.ratio[i].Data[k] = v
		}
	}
	*infl = *r
	return nil
}
