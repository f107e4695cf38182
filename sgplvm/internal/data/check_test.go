package data_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// sea returns n examples of 40 temperatures from 271 to 304, of which every fifth is land of the given value.
func sea(n int, land float64) mat.Matrix {
	rng := rand.New(rand.NewPCG(1, 2))
	y := mat.New(n*40, 1)
	for i := range y.Data {
		y.Data[i] = 271 + 33*rng.Float64()
		if i%5 == 2 {
			y.Data[i] = land
		}
	}
	return y
}

// heavy returns draws of a Student distribution with one degree of freedom, Cauchy's, for n examples of 100 values.
func heavy(n int, seed uint64) mat.Matrix {
	rng := rand.New(rand.NewPCG(seed, 3))
	y := mat.New(n*100, 1)
	for i := range y.Data {
		y.Data[i] = math.Tan(math.Pi * (rng.Float64() - 0.5))
	}
	return y
}

// What cannot be meant is refused with the place and the count of what is wrong.
func TestCheckRefuses(t *testing.T) {
	constant, same, channels := mat.New(60, 1), normals(1, 10, 1), mat.New(60, 2)
	constant.Fill(-3)
	for i := range channels.Rows {
		channels.Set(i, 0, 5)
		channels.Set(i, 1, 0.1+0.2+float64(i%2)*0x1p-54)
	}
	rows := mat.New(60, 1)
	for i := range 6 {
		mat.Copy(rows.Slice(i*10, i*10+10, 0, 1), same)
	}
	infinite := normals(1, 60, 1)
	infinite.Set(23, 0, math.Inf(-1))
	glitch := sea(6, 280)
	glitch.Set(57, 0, -1e12)
	for name, c := range map[string]struct {
		y     mat.Matrix
		place [3]int
		want  string
	}{
		"constant":          {constant, [3]int{0, 0, 0}, "values that differ: every channel has the same value everywhere"},
		"constant channels": {channels, [3]int{0, 0, 0}, "values that differ"},
		"the same":          {rows, [3]int{1, 0, 0}, "examples that differ: all 6 are the same"},
		"infinity":          {infinite, [3]int{2, 3, 0}, "a finite number"},
		"1e20":              {sea(6, 1e20), [3]int{0, 2, 0}, "8 of 40 values of each example are 1e+20, far outside the rest (271.2 … 304): land or missing?"},
		"netCDF's":          {sea(6, 9.96921e36), [3]int{0, 2, 0}, "8 of 40 values of each example are 9.96921e+36"},
		"-9999":             {sea(6, -9999), [3]int{0, 2, 0}, "8 of 40 values of each example are -9999"},
		"-32768":            {sea(6, -32768), [3]int{0, 2, 0}, "8 of 40 values of each example are -32768"},
		"the largest":       {sea(6, math.MaxFloat64), [3]int{0, 2, 0}, "are 1.79769e+308"},
		"a glitch":          {glitch, [3]int{1, 17, 0}, "1 of 240 values is -1e+12, far outside the rest"},
	} {
		for _, numbers := range []int{1 << 20, 41} { // all at once, and example by example
			data.WithParts(numbers, 1<<20, func() {
				_, err := data.Check(field.MatrixSource(c.y, 6))
				var refused *field.ValueError
				if !errors.As(err, &refused) || !strings.Contains(refused.Want, c.want) || [3]int{refused.Example, refused.Point, refused.Channel} != c.place {
					t.Errorf("%s: error %v", name, err)
				}
			})
		}
	}
}

// What is odd but may be meant is told.
func TestCheckWarns(t *testing.T) {
	one := normals(1, 10, 1)
	for name, c := range map[string]struct {
		y        mat.Matrix
		examples int
		want     string
	}{
		"an example": {one, 1, "a single example: %"},
	} {
		warnings, err := data.Check(field.MatrixSource(c.y, c.examples))
		begin, end, _ := strings.Cut(c.want, "%")
		if err != nil || len(warnings) != 1 || !strings.HasPrefix(warnings[0], begin) || !strings.HasSuffix(warnings[0], end) {
			t.Errorf("%s: %q, %v", name, warnings, err)
		}
	}
}

// Data that may look odd to a check are data like any: heavy tails, counts, drawings, offsets, large units,
// a constant channel, examples that come twice.
func TestCheckAccepts(t *testing.T) {
	all := map[string]mat.Matrix{}
	for seed := range uint64(20) {
		all[fmt.Sprint("Cauchy ", seed)] = heavy(6, seed)
	}
	drawing, counts, offset, large, grey, twice := mat.New(60, 1), mat.New(60, 1), normals(1, 60, 1), normals(1, 60, 1), normals(1, 60, 3), normals(1, 60, 1)
	rng := rand.New(rand.NewPCG(4, 5))
	for i := range 60 {
		drawing.Data[i] = float64(rng.IntN(2) * 255)
		counts.Data[i] = math.Floor(math.Exp(12 * rng.Float64()))
		offset.Data[i] += 1e9
		large.Data[i] *= 1e6
		grey.Set(i, 1, 128)
	}
	mat.Copy(twice.Slice(10, 20, 0, 1), twice.Slice(0, 10, 0, 1))
	all["a drawing"], all["counts"], all["an offset"], all["large units"], all["a constant channel"], all["an example twice"] = drawing, counts, offset, large, grey, twice
	for name, y := range all {
		warnings, err := data.Check(field.MatrixSource(y, 6))
		if warnings = slices.DeleteFunc(warnings, func(string) bool { return strings.HasPrefix(name, "Cauchy") }); err != nil || len(warnings) > 0 {
			t.Errorf("%s: %q, %v", name, warnings, err)
		}
	}
}

// What is missing is counted, and examples and points without a value are named.
func TestCheckCountsMissing(t *testing.T) {
	y := normals(1, 4*3, 2)
	for _, i := range []int{0, 3, 4, 5, 9} {
		for c := range 2 {
			y.Set(i, c, math.NaN()) // example 1, and point 0 of all but example 2
		}
	}
	y.Set(6, 1, math.NaN())
	for hidden, want := range [][]string{{"11 of 24 values are missing (45.8 %)", "1 of 4 examples have no value, the first is example 1"},
		{"12 of 24 values are missing (50 %)", "1 of 4 examples have no value, the first is example 1", "1 of 3 points have no value in any example, the first is point 0"}} {
		if hidden == 1 {
			y.Set(6, 0, math.NaN())
		}
		warnings, err := data.Check(field.MatrixSource(y, 4))
		if err != nil || len(warnings) != len(want) {
			t.Fatal(warnings, err)
		}
		for i, text := range want {
			if !strings.HasPrefix(warnings[i], text) {
				t.Errorf("warning %q, expected %q …", warnings[i], text)
			}
		}
	}
}
