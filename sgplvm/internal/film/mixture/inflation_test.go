package mixture

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// erring returns the variance inflation of frames of which every prediction had the variance 1, where errors
// really had that of scale.
func erring(at []data.Instant, width, height int, seed uint64, scale func(i, x int) float64) *Inflation {
	rng := rand.New(rand.NewPCG(seed, 8))
	return erringIn(at, 1, width, height, rng, scale)
}

// erringIn is erring of which one of every so many frames was predicted.
func erringIn(at []data.Instant, every, width, height int, rng *rand.Rand, scale func(i, x int) float64) *Inflation {
	u := NewInflation(width, height, at)
	predicted := frame.New(width, height, 2)
	predicted.Variance.Fill(1)
	truth := frame.Frame{Width: width, Height: height, Mean: mat.New(width*height, 2)}
	for i := 0; i < len(at); i += every {
		for k := range truth.Mean.Data {
			truth.Mean.Data[k] = math.Sqrt(scale(i, k/2%width)) * rng.NormFloat64()
		}
		u.Set(i, truth, predicted)
	}
	u.Choose()
	return u
}

// factorsOf returns what a variance of 1 becomes at the pixels of a frame's middle row.
func factorsOf(u *Inflation, width, height int, at data.Instant) []float64 {
	f := frame.New(width, height, 2)
	f.Variance.Fill(1)
	u.Apply(f, at)
	var row []float64
	for x := range width {
		row = append(row, f.Variance.At(height/2*width+x, 1))
	}
	return row
}

// Variances follow the errors in space and in time, in pixels of any size.
func TestInflation(t *testing.T) {
	const width, height, n = 40, 20, 32
	at := make([]data.Instant, n)
	for i := range at {
		at[i] = data.Instant{Sequence: 2, Time: 3 * float64(i)}
	}
	for _, c := range []struct {
		name  string
		scale func(i, x int) float64
		reach float64
	}{
		{"the same at all times", func(_, x int) float64 { return 1 + 15*float64(x/20) }, 48},
		{"now and then", func(i, x int) float64 { return 1 + 15*float64(x/20)*float64(i/8%2) }, 6},
	} {
		u := erring(at, width, height, 1, c.scale)
		if u.Reach() != c.reach {
			t.Errorf("%s: reach %v, want %v", c.name, u.Reach(), c.reach)
		}
		for _, i := range []int{3, 12} {
			for _, fine := range []int{1, 2} {
				row := factorsOf(u, fine*width, fine*height, data.Instant{Sequence: 2, Time: 3*float64(i) + 1})
				for _, x := range []int{5, 35} {
					// 50 squares in a cell and frame, of deviation √2, and the weight of what errs otherwise.
					if got, want := row[fine*x], c.scale(i, x); !(got > 0.6*want && got < 2.2*want) {
						t.Errorf("%s: factor %v at pixel %d·%d of frame %d, want about %v", c.name, got, fine, x, i, want)
					}
				}
			}
		}
	}
}

// Where all parts err alike there is one factor for all; a frame does not count for
// itself; other sequences are left alone.
func TestInflationAlike(t *testing.T) {
	at := make([]data.Instant, 12)
	for i := range at {
		at[i] = data.Instant{Sequence: i % 2, Time: float64(i)}
	}
	var u *Inflation
	for seed := range uint64(20) {
		u = erring(at, 30, 30, seed, func(_, _ int) float64 { return 9 })
		if u.reach != 0 || !(u.factor > 8 && u.factor < 10) {
			t.Errorf("reach %v and factor %v for errors of variance 9 everywhere", u.reach, u.factor)
		}
	}
	// What two frames next to one another share may come of their predictions.
	rng := rand.New(rand.NewPCG(5, 8))
	var shared [6][6]float64
	for k := range shared {
		for c := range shared[k] {
			shared[k][c] = 1 + 15*float64(rng.IntN(2))
		}
	}
	for i := range at {
		at[i].Sequence = 0
	}
	if reach := erring(at, 30, 30, 2, func(i, x int) float64 { return shared[i/2][x/5] }).Reach(); reach != 0 {
		t.Errorf("reach %v of errors that pairs of frames share", reach)
	}
	for _, v := range factorsOf(u, 30, 30, data.Instant{Time: 4.5}) {
		if !(v > 7 && v < 11) {
			t.Errorf("factor %v for errors of variance 9", v)
		}
	}
	for i := range at {
		at[i].Sequence = i % 2
	}
	u.reach, u.factor = 2, 1
	before := u.factors(at[4], []int{4})
	u.ratio[4].Data[7] = 1e5
	if after := u.factors(at[4], []int{4}); !slices.Equal(after.Data, before.Data) {
		t.Error("a frame counts for itself")
	}
	if other := u.factors(data.Instant{Sequence: 1, Time: 4}, nil); other.Data[7] > 20 {
		t.Errorf("factor %v in another sequence", other.Data[7])
	}
	for _, v := range factorsOf(NewInflation(30, 30, at), 30, 30, at[0]) {
		if v != 1 {
			t.Errorf("factor %v before anything was measured", v)
		}
	}
}

// readBack returns what is read of what an inflation is written as, and that.
func readBack(t *testing.T, u *Inflation) (back *Inflation, text []byte) {
	t.Helper()
	text, err := u.Encode()
	if err != nil {
		t.Fatal(err)
	}
	back = new(Inflation)
	if err := back.Decode(text); err != nil {
		t.Fatal(err)
	}
	return back, text
}

// Where only some frames were predicted, their ratios count as far as they reach, and those that the others do not have are not taken for 1.
func TestInflationOfSomeFrames(t *testing.T) {
	const width, height, n = 40, 20, 32
	at := make([]data.Instant, n)
	for i := range at {
		at[i] = data.Instant{Time: float64(i)}
	}
	scale := func(_, x int) float64 { return 1 + 15*float64(x/20) }
	u := erringIn(at, 4, width, height, rand.New(rand.NewPCG(1, 8)), scale)
	if u.Reach() != 64 {
		t.Errorf("reach %v, want 16 times the distance of frames that were predicted", u.Reach())
	}
	back, text := readBack(t, u)
	row := factorsOf(back, width, height, data.Instant{Time: 14.5})
	if !slices.Equal(row, factorsOf(u, width, height, data.Instant{Time: 14.5})) {
		t.Error("read back it says something else")
	}
	for _, x := range []int{5, 35} {
		if want := scale(0, x); !(row[x] > 0.7*want && row[x] < 1.5*want) {
			t.Errorf("factor %v at pixel %d, want about %v", row[x], x, want)
		}
	}
	for _, bad := range []string{`"Set":[-1,`, `"Set":[0,0,`, `"Set":[99,`} {
		if err := new(Inflation).Decode([]byte(strings.Replace(string(text), `"Set":[`, bad, 1))); err == nil || !strings.Contains(err.Error(), "expected rising numbers") {
			t.Errorf("%s: error %v", bad, err)
		}
	}
	if u = erringIn(at, 4, width, height, rand.New(rand.NewPCG(2, 8)), func(_, _ int) float64 { return 9 }); u.reach != 0 || !(u.factor > 8 && u.factor < 10) {
		t.Errorf("reach %v and factor %v for errors of variance 9 everywhere", u.reach, u.factor)
	}
}

func TestInflationFile(t *testing.T) {
	at := []data.Instant{{Sequence: 1, Time: 0.5}, {Sequence: 1, Time: 2}}
	u := erring(at, 10, 5, 3, func(_, _ int) float64 { return 2 })
	u.reach = 3
	back, text := readBack(t, u)
	if d := cmp.Diff(u, back, cmp.AllowUnexported(Inflation{}, frame.Image[float32]{})); d != "" {
		t.Errorf("read back (-want +got):\n%s", d)
	}
	if err := back.Check(frame.Shape{Width: 10, Height: 5, Channels: 2, At: at}); err != nil {
		t.Error(err)
	}
	for _, f := range []frame.Shape{{Width: 10, Height: 5, Channels: 2, At: at[:1]}, {Width: 100, Height: 5, Channels: 2, At: at}} {
		if back.Check(f) == nil {
			t.Errorf("a film of the form %v: no error", f)
		}
	}
	for _, c := range [][3]string{
		{`"Width":2`, `"Width":0`, "0×1 cells"}, {`"Width":2`, `"Width":3`, "16 bytes"}, {`"Height":1`, `"Height":99999`, "2×99999 cells"},
		{`"Ratios":"`, `"Ratios":"AAAA`, "19 bytes"}, {`"Reach":`, `"Reach":-`, "reach -"}, {`"Factor":`, `"Factor":-`, "and factor -"}, {`"Prior":`, `"Prior":-`, "weight -"}, {`"Time":0.5}`, `"Time":0.5},{}`, "3 frames"}, {`{`, `[`, "invalid"},
	} {
		if err := new(Inflation).Decode([]byte(strings.Replace(string(text), c[0], c[1], 1))); err == nil || !strings.Contains(err.Error(), "film: attached unrest: ") || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%s for %s: error %v, expected %q", c[1], c[0], err, c[2])
		}
	}
	u.ratio[1].Data[0] = float32(math.Inf(1))
	text, err := u.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if err := new(Inflation).Decode(text); err == nil || !strings.Contains(err.Error(), "ratio +Inf of frame 1") {
		t.Errorf("an infinite ratio: error %v", err)
	}
}
