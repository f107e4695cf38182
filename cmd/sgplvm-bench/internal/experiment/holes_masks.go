package experiment

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-08962ecc/kronfield/mat"
)

// A Hole is a way in which points of a picture are missing.
type Hole struct {
	Clouds bool    // in blobs, else each by itself
	Share  float64 // of all points
	Size   float64 // of blobs: the length over which a smooth field changes, in points
}

// cloudSize is the default of Hole.Size.
const cloudSize = 4

// ParseHoles reads random:SHARE and clouds:SHARE:SIZE, separated by commas; the size may be left out.
func ParseHoles(s string) (list []Hole, err error) {
	for _, text := range strings.Split(s, ",") {
		h, ok := parseHole(strings.Split(text, ":"))
		if !ok {
			return nil, fmt.Errorf("expected random:SHARE or clouds:SHARE:SIZE, separated by commas, a share between 0 and 1 and a positive size in points, as random:0.3,clouds:0.6:4")
		}
		list = append(list, h)
	}
	return list, nil
}

func parseHole(words []string) (h Hole, ok bool) {
	number := func(k int) float64 {
		v, err := strconv.ParseFloat(words[k], 64)
		if err != nil || math.IsInf(v, 0) {
			return math.NaN()
		}
		return v
	}
	switch {
	case words[0] == "random" && len(words) == 2:
	case words[0] == "clouds" && (len(words) == 2 || len(words) == 3):
		h.Clouds, h.Size = true, cloudSize
		if len(words) == 3 {
			h.Size = number(2)
		}
	default:
		return h, false
	}
	h.Share = number(1)
	return h, h.Share > 0 && h.Share < 1 && (!h.Clouds || h.Size > 0)
}

// String is the text that ParseHoles reads.
func (h Hole) String() string {
	if h.Clouds {
		return fmt.Sprintf("clouds:%v:%v", h.Share, h.Size)
	}
	return fmt.Sprintf("random:%v", h.Share)
}

// waves is how many cosines make a smooth random field.
const waves = 200

// draw returns the points, n_s×2 in pixels, that are missing of a picture, ascending: so many as make up the
// share, rounded, but never all. Clouds are where a smooth random field is highest, a sum of cosines
// with normally distributed frequencies (A. Rahimi and B. Recht, Advances in Neural Information Processing Systems 20, 2007).
func (h Hole) draw(points mat.Matrix, rng *rand.Rand) []int {
	n := points.Rows
	count := min(int(math.Round(h.Share*float64(n))), n-1)
	if !h.Clouds {
		return sorted(rng.Perm(n)[:count])
	}
	field := make([]float64, n)
	for range waves {
		down, right, phase := rng.NormFloat64()/h.Size, rng.NormFloat64()/h.Size, 2*math.Pi*rng.Float64()
		for j := range field {
			field[j] += math.Cos(float64(points.At(j, 0)*down) + float64(points.At(j, 1)*right) + phase)
		}
	}
	order := numbers(0, n)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(field[b], field[a]) })
	return sorted(order[:count])
}

func sorted(list []int) []int {
	slices.Sort(list)
	return list
}

// numbers returns from, from+1, …, to−1.
func numbers(from, to int) (list []int) {
	for i := from; i < to; i++ {
		list = append(list, i)
	}
	return list
}
