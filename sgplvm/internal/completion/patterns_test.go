package completion

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
)

// cloud is count points of some dimensions, no two of which share a coordinate.
func cloud(count, dims int) mat.Matrix {
	x, rng := mat.New(count, dims), rand.New(rand.NewPCG(uint64(dims), 3))
	for i := range x.Data {
		x.Data[i] = rng.NormFloat64()
	}
	return x
}

// hiddenPoints returns the points of which values are missing; a point misses all of its channels, or none.
func hiddenPoints(t *testing.T, missing []bool, points, channels int) (hidden []int) {
	t.Helper()
	if len(missing) != points*channels {
		t.Fatalf("%d values, expected %d", len(missing), points*channels)
	}
	for i := range points {
		all := missing[i*channels : (i+1)*channels]
		if slices.Contains(all, true) && slices.Contains(all, false) {
			t.Errorf("point %d misses some of its channels: %v", i, all)
		}
		if all[0] {
			hidden = append(hidden, i)
		}
	}
	return hidden
}

// patternCases are points in one, two and three dimensions, pictures among them.
func patternCases() map[string]mat.Matrix {
	return map[string]mat.Matrix{"line": line(11), "picture": plane(6, 5), "one row": plane(1, 8), "points": cloud(20, 2), "body": cloud(31, 3), "two points": line(2)}
}

// Scattered points are as many as the share says, and others each time.
func TestScattered(t *testing.T) {
	for name, x := range patternCases() {
		for share, want := range map[float64]int{0.5: int(math.Round(0.5 * float64(x.Rows))), 0.9: min(x.Rows-1, int(math.Round(0.9*float64(x.Rows))))} {
			rng := rand.New(rand.NewPCG(1, 2))
			different := false
			first := hiddenPoints(t, scattered(share)(rng, x, 2), x.Rows, 2)
			for range 20 {
				hidden := hiddenPoints(t, scattered(share)(rng, x, 2), x.Rows, 2)
				different = different || !slices.Equal(hidden, first)
				if len(hidden) != want {
					t.Errorf("%s: %d of %d points hidden, expected %d", name, len(hidden), x.Rows, want)
				}
			}
			if !different {
				t.Errorf("%s: always %v", name, first)
			}
		}
	}
}

// One side is half of the points, beyond all others along one dimension; each side is hidden sometimes.
func TestOneSide(t *testing.T) {
	for name, x := range patternCases() {
		rng, sides := rand.New(rand.NewPCG(1, 2)), map[string]bool{}
		for range 40 {
			missing := oneSide(rng, x, 3)
			if hidden := hiddenPoints(t, missing, x.Rows, 3); len(hidden) != x.Rows/2 {
				t.Errorf("%s: %d of %d points hidden", name, len(hidden), x.Rows)
			}
			found := false
			for q := range x.Cols {
				var bounds [2][2]float64 // least and most of what is seen and of what is hidden
				for k := range bounds {
					bounds[k] = [2]float64{math.Inf(1), math.Inf(-1)}
				}
				for i := range x.Rows {
					r := &bounds[map[bool]int{false: 0, true: 1}[missing[3*i]]]
					r[0], r[1] = min(r[0], x.At(i, q)), max(r[1], x.At(i, q))
				}
				for side, beyond := range map[string]bool{"low": bounds[1][1] <= bounds[0][0], "high": bounds[1][0] >= bounds[0][1]} {
					if beyond {
						found = true
						sides[fmt.Sprint(side, q)] = true
					}
				}
			}
			if !found {
				t.Errorf("%s: %v is no side", name, missing)
			}
		}
		if len(sides) < 2*x.Cols && name != "one row" {
			t.Errorf("%s: only %v", name, sides)
		}
	}
}

// A block is a quarter of the points, and nearer to one of them than all that is seen.
func TestBlock(t *testing.T) {
	for name, x := range patternCases() {
		extent := make([]float64, x.Cols)
		for q := range extent {
			low, high := math.Inf(1), math.Inf(-1)
			for i := range x.Rows {
				low, high = min(low, x.At(i, q)), max(high, x.At(i, q))
			}
			extent[q] = high - low
		}
		rng := rand.New(rand.NewPCG(1, 2))
		for range 20 {
			missing := block(rng, x, 1)
			want := max(1, int(math.Round(0.25*float64(x.Rows))))
			if hidden := hiddenPoints(t, missing, x.Rows, 1); len(hidden) != want {
				t.Errorf("%s: %d of %d points hidden, expected %d", name, len(hidden), x.Rows, want)
			}
			found := false
			for centre := range x.Rows {
				farthest, nearest := 0.0, math.Inf(1) // of what is hidden, and of what is seen
				for i := range x.Rows {
					far := 0.0
					for q := range x.Cols {
						if extent[q] > 0 {
							far = max(far, math.Abs(x.At(i, q)-x.At(centre, q))/extent[q])
						}
					}
					if missing[i] {
						farthest = max(farthest, far)
					} else {
						nearest = min(nearest, far)
					}
				}
				found = found || missing[centre] && farthest <= nearest
			}
			if !found {
				t.Errorf("%s: %v is no block", name, missing)
			}
		}
	}
}

// Of a table some columns are missing, never all where there are several.
func TestPatternsOfTables(t *testing.T) {
	x, rng := mat.New(1, 1), rand.New(rand.NewPCG(1, 2))
	for k, p := range Patterns {
		for _, channels := range []int{1, 2, 3, 5, 12} {
			seen := map[int]bool{}
			for range 60 {
				missing := p(rng, x, channels)
				count := 0
				for c, m := range missing {
					if m {
						count++
						seen[c] = true
					}
				}
				if len(missing) != channels || count < 1 || channels > 1 && count == channels {
					t.Errorf("pattern %d: %v of %d columns", k, missing, channels)
				}
			}
			if len(seen) != channels {
				t.Errorf("pattern %d: only the columns %v of %d", k, seen, channels)
			}
		}
	}
}

// Lists that do not fit are refused, those that hide nothing do not count.
func TestHide(t *testing.T) {
	all, none := []bool{true, true, true}, make([]bool, 3)
	for _, c := range []struct {
		hide [][]bool
		want string
		left int
	}{
		{nil, "", 0},
		{[][]bool{}, "", 0},
		{[][]bool{all, none}, "", 1},
		{[][]bool{none, {false, true, false}, all}, "", 2},
		{[][]bool{all, {true, true}}, "sgplvm: Hide: list 1 has 2 values, expected 3, those of an example", 2},
		{[][]bool{none, none}, "sgplvm: Hide: nothing is hidden, expected what will be missing", 0},
	} {
		err := CheckPatterns(c.hide, 3)
		var refused *field.ConfigError
		if c.want != "" && (!errors.As(err, &refused) || err.Error() != c.want) || c.want == "" && err != nil || len(Hiding(c.hide)) != c.left {
			t.Errorf("%v: error %v, %d lists left", c.hide, err, len(Hiding(c.hide)))
		}
	}
}
