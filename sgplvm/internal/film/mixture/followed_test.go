package mixture

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/drawn"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/filmtest"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// A frame whose contents are elsewhere than its time tells is followed to where they are in those around it; before the first frame only that one is there.
func TestFollow(t *testing.T) {
	const width, height, channels = 48, 40, 2
	times := drawn.Times(6, 1)
	move := func(t, u, v float64) (x, y float64) { return u + 1.5/width*t, v }
	values := drawn.Film(times, width, height, channels, move)
	m := filmtest.Still(width, height, times)
	f := filmtest.Keep(t, m, field.NewSource(values, len(times), width*height, channels))
	for _, c := range []struct {
		name     string
		at, leap float64
		near     float64 // how near what is followed comes, over what lies between both frames where they are
	}{
		{"between", 2.5, 0, 0.2},
		{"leapt", 2.5, 1.2, 0.2},
		{"before", -0.5, 0, 0.2},
	} {
		truth := frame.NewImage[float64](width, height, channels)
		copy(truth.Data, drawn.Film([]float64{c.at + c.leap}, width, height, channels, move))
		moment := filmtest.MomentAt(t, m, c.at, -1)
		got := Follow(f, moment, truth)
		var near, still, apart float64
		for k, v := range truth.Data {
			pixel := k / channels
			if x, y := pixel%width, pixel/width; x < 6 || y < 6 || x >= width-6 || y >= height-6 {
				continue // what comes in is in one frame alone
			}
			var between float64
			for _, n := range moment.Neighbours() {
				between += n.Weight * values[n.Place*len(truth.Data)+k]
			}
			near += frame.Square(got.mean.Data[k] - v)
			still += frame.Square(between - v)
			apart += got.apart.Data[k]
		}
		if !(near < frame.Square(c.near)*still) {
			t.Errorf("%s: a mean square of %v, %v where frames are", c.name, near, still)
		}
		if one := len(moment.Neighbours()) == 1; one != (apart == 0) || !one && !(apart < still) {
			t.Errorf("%s: both frames are %v apart", c.name, apart)
		}
	}
}

// followedCase returns a truth, what was filled in, errors of variance 9 that are said to be of 4, and what was followed, errors of variance 1, or of 100 in one half of the frame.
func followedCase(worse bool) (truth mat.Matrix, filled frame.Frame, followed Followed) {
	const width, height = 40, 32
	rng := rand.New(rand.NewPCG(3, 4))
	filled = frame.New(width, height, 2)
	truth = mat.New(width*height, 2)
	followed = Followed{frame.NewImage[float64](width, height, 2), frame.NewImage[float64](width, height, 2)}
	for k := range truth.Data {
		truth.Data[k] = 100 * rng.Float64()
		filled.Mean.Data[k], filled.Variance.Data[k] = truth.Data[k]+3*rng.NormFloat64(), 4
		followed.mean.Data[k] = truth.Data[k] + rng.NormFloat64()
		if worse && k > len(truth.Data)/2 {
			followed.mean.Data[k] += 10 * rng.NormFloat64()
		}
	}
	return truth, filled, followed
}

// As much is followed as is nearer to the truth, with variances that hold, and what was seen stays; nothing where it is not nearer everywhere, and of few values.
func TestLearnFollowed(t *testing.T) {
	truth, filled, followed := followedCase(false)
	law, known := LearnFollowed(truth, filled, followed)
	if !known || !(math.Abs(law.part-0.9) < 0.02) {
		t.Fatalf("a part of %v, known %v, want 0.9", law.part, known)
	}
	seen := mat.New(truth.Rows, truth.Cols)
	for k := range seen.Data {
		if seen.Data[k] = 7; k%2 == 0 {
			seen.Data[k] = math.NaN()
		}
	}
	before := filled.Mean.Clone()
	law.Apply(filled, followed, seen)
	var square, variance, n float64
	for k, v := range truth.Data {
		if k%2 == 1 {
			if filled.Mean.Data[k] != before.Data[k] || filled.Variance.Data[k] != 4 {
				t.Fatalf("seen value %d became %v, variance %v", k, filled.Mean.Data[k], filled.Variance.Data[k])
			}
			continue
		}
		square, variance, n = square+frame.Square(v-filled.Mean.Data[k]), variance+filled.Variance.Data[k], n+1
	}
	if !(math.Abs(square/n-0.9) < 0.1) || !(math.Abs(variance/square-1) < 0.1) {
		t.Errorf("a mean square of %v, want 0.9, and a mean variance of %v", square/n, variance/n)
	}
	few, none := truth.Clone(), mat.New(truth.Rows, truth.Cols)
	none.Fill(math.NaN())
	for k := range few.Data {
		if k%(len(few.Data)/100) != 0 {
			few.Data[k] = math.NaN()
		}
	}
	for name, c := range map[string]struct {
		truth  mat.Matrix
		change func(*Followed, frame.Frame)
	}{
		"few values":        {few, nil},
		"no better":         {truth, func(f *Followed, filled frame.Frame) { copy(f.mean.Data, filled.Mean.Data) }},
		"farther away":      {truth, func(f *Followed, filled frame.Frame) { away(f, filled, truth) }},
		"nothing is hidden": {none, nil},
	} {
		_, filled, followed := followedCase(false)
		if c.change != nil {
			c.change(&followed, filled)
		}
		if law, known := LearnFollowed(c.truth, filled, followed); known {
			t.Errorf("%s: a part of %v", name, law.part)
		}
	}
	truth, filled, followed = followedCase(true)
	if law, _ := LearnFollowed(truth, filled, followed); !(law.part > 0.05 && law.part < 0.16) { // 9/(9 + 1 + 50) less one standard error
		t.Errorf("a part of %v where one half is farther away", law.part)
	}
}

// away moves what is followed to the other side of what was filled in.
func away(f *Followed, filled frame.Frame, truth mat.Matrix) {
	for k, v := range truth.Data {
		f.mean.Data[k] = 2*filled.Mean.Data[k] - v
	}
}

// A variance is made of what was filled in, how far both are apart, and the frames that are followed to.
func TestFollowedParts(t *testing.T) {
	_, filled, followed := followedCase(false)
	followed.apart.Data[5] = 3
	filled.Mean.Data[5], followed.mean.Data[5] = 1, 5
	want := varianceLaw{4, 1, 3, 16}
	if d := cmp.Diff(want, followed.parts(filled, 5)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
