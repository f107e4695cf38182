package page

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/mat"
)

// A sprite is a field in 8 bits: value i is Offset + Scale·byte i.
type sprite struct {
	Offset float64 `json:"o"`
	Scale  float64 `json:"s"`
	Bytes  string  `json:"b"` // in base64

	values []byte
}

// newSprite rounds a field to 8 bits.
func newSprite(field []float64) sprite {
	low, high := slices.Min(field), slices.Max(field)
	s := sprite{Offset: low, Scale: (high - low) / 255, values: make([]byte, len(field))}
	for i, v := range field {
		if s.Scale > 0 {
			s.values[i] = byte(math.Round((v - low) / s.Scale))
		}
	}
	s.Bytes = base64.StdEncoding.EncodeToString(s.values)
	return s
}

// addTo adds a multiple of the field to dst.
func (s *sprite) addTo(dst []float64, factor float64) {
	for i, b := range s.values {
		dst[i] += factor * (s.Offset + s.Scale*float64(b))
	}
}

// A lowRank is a linear map from m numbers v to fields, cut to low rank:
//
//	Center + Σ_k (vᵀ·Weights_k − Start_k)·Fields_k
type lowRank struct {
	Center  sprite    `json:"center"`
	Fields  []sprite  `json:"fields"`
	Weights string    `json:"weights"` // m×rank, float64
	Start   []float64 `json:"start"`

	weights mat.Matrix
}

// newLowRank cuts the map v → vᵀ·b (m×length) to the least rank, at most the given one, that loses no more than a root mean square of
// tolerance on the samples, the rows of v (samples×m), of which each counts with its share.
func newLowRank(b, v mat.Matrix, share []float64, most int, tolerance float64) (*lowRank, error) {
	samples, length := v.Rows, b.Cols
	fields := mat.New(samples, length)
	mat.Mul(fields, 1, v, b, 0)
	center, total := make([]float64, length), 0.0
	for i := range samples {
		for j, x := range fields.Row(i) {
			center[j] += share[i] * x
		}
		total += share[i]
	}
	for j := range center {
		center[j] /= total
	}
	for i := range samples {
		root := math.Sqrt(share[i])
		for j, x := range fields.Row(i) {
			fields.Row(i)[j] = root * (x - center[j])
		}
	}
	gram := mat.New(samples, samples)
	mat.Mul(gram, 1, fields, fields.T(), 0)
	s, err := eig.Sym(gram)
	if err != nil {
		return nil, err
	}
	rank := rankOf(s.Values, most, tolerance*tolerance*total*float64(length))
	basis := mat.New(rank, length)
	for k := range rank {
		i := samples - 1 - k
		mat.Mul(basis.Slice(k, k+1, 0, length), 1/math.Sqrt(s.Values[i]), s.Vectors.Slice(0, samples, i, i+1).T(), fields, 0)
	}
	r := &lowRank{Center: newSprite(center), Fields: []sprite{}, Start: make([]float64, rank), weights: mat.New(b.Rows, rank)}
	mat.Mul(r.weights, 1, b, basis.T(), 0)
	for k := range rank {
		r.Fields = append(r.Fields, newSprite(basis.Row(k)))
		for j, x := range basis.Row(k) {
			r.Start[k] += x * center[j]
		}
	}
	r.Weights = doubles(r.weights.Data)
	return r, nil
}

// rankOf returns how many of the largest values, which ascend, must stay so that the others add up to no more than loss.
func rankOf(values []float64, most int, loss float64) int {
	left := 0.0
	for i, v := range values {
		if left += max(0, v); left > loss || len(values)-i == 0 {
			return min(most, positive(values[i:]))
		}
	}
	return min(1, most, positive(values))
}

// positive returns how many values, which ascend, are above the rounding of the largest.
func positive(values []float64) int {
	count := 0
	for _, v := range values {
		if v > 1e-12*values[len(values)-1] {
			count++
		}
	}
	return count
}

// at sets dst to the field of v.
func (r *lowRank) at(dst, v []float64) {
	clear(dst)
	r.Center.addTo(dst, 1)
	for k := range r.Fields {
		c := -r.Start[k]
		for i, x := range v {
			c += x * r.weights.At(i, k)
		}
		r.Fields[k].addTo(dst, c)
	}
}

// doubles and floats write numbers in base64, little-endian.
func doubles(v []float64) string {
	b := make([]byte, 0, 8*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return base64.StdEncoding.EncodeToString(b)
}

func floats(v []float64) string {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(x)))
	}
	return base64.StdEncoding.EncodeToString(b)
}

func rowMean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}
