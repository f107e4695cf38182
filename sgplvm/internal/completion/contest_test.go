package completion

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/internal/simple"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/validation"
)

// line returns the points 0 to n − 1.
func line(n int) mat.Matrix {
	x := mat.New(n, 1)
	for i := range n {
		x.Data[i] = float64(i)
	}
	return x
}

// plane returns the points of a picture.
func plane(height, width int) mat.Matrix {
	x := mat.New(height*width, 2)
	for i := range x.Rows {
		copy(x.Row(i), []float64{float64(i / width), float64(i % width)})
	}
	return x
}

// scatteredHoles hides a share of values at random.
func scatteredHoles(share float64, seed uint64) func(int, int) bool {
	rng := rand.New(rand.NewPCG(seed, 2))
	return func(int, int) bool { return rng.Float64() < share }
}

// marked are the holes of n examples of so many values.
func marked(n, size int, missing func(example, value int) bool) *Mask {
	h := &Mask{Size: size, Missing: make([]bool, n*size)}
	for k := range h.Missing {
		h.Missing[k] = missing(k/size, k%size)
	}
	return h
}

// Values that are missing here and there, as a block, of a point for a while and with all of an example are told apart, in any order of times; an example
// of which nothing was observed does not end a gap. Without times there are no gaps, and in a table no blocks.
func TestKindsOf(t *testing.T) {
	const n, width = 30, 12
	step := rand.New(rand.NewPCG(1, 70)).Perm(n) // of each example
	want := func(i, j int) Kind {
		s, u, v := step[i], j%width, j/width
		switch {
		case s == 7:
			return KindWhole
		case s == 3 && u > 1 && u < 10 && v > 1 && v < 10:
			return KindBlocks
		case j == 5 && s > 4 && s < 11:
			return KindGaps
		case j == 9 && (s == 20 || s == 21), s == 12 && j%7 == 0:
			return KindScattered
		}
		return KindCount
	}
	at := make([]data.Instant, n)
	for i := range at {
		at[i].Time = 10 * float64(step[i])
	}
	h := marked(n, width*width, func(i, j int) bool { return want(i, j) != KindCount })
	all, still := h.KindsOf(at, data.InSpacings(field.Grid{line(width), line(width)}), 1), h.KindsOf(nil, data.InSpacings(field.Grid{line(width), line(width)}), 1)
	table := h.KindsOf(at, mat.New(1, 1), width*width)
	for k := range all {
		w := want(k/h.Size, k%h.Size)
		if all[k] != w {
			t.Fatalf("step %d, value %d: %v, want %v", step[k/h.Size], k%h.Size, all[k], w)
		}
		if w == KindGaps && still[k] != KindScattered || w != KindGaps && still[k] != w {
			t.Fatalf("without times, value %d of step %d: %v", k%h.Size, step[k/h.Size], still[k])
		}
		if w == KindBlocks && table[k] != KindScattered || w != KindBlocks && table[k] != w {
			t.Fatalf("table, value %d of step %d: %v", k%h.Size, step[k/h.Size], table[k])
		}
	}
}

// Where values are missing independently hardly any run of them is a gap in time; one of twelve among them is found. Examples of different sequences make no run.
func TestGapsInTime(t *testing.T) {
	const n, size = 60, 50
	at := make([]data.Instant, n)
	for i := range at {
		at[i].Time = float64(i)
	}
	none := 0
	for seed := range uint64(20) {
		chance := scatteredHoles(0.3, seed)
		if len(marked(n, size, chance).TimeGaps(at)) == 0 {
			none++
		}
		h := marked(n, size, func(i, j int) bool { return chance(i, j) || j == 8 && i >= 20 && i < 32 })
		if !slices.ContainsFunc(h.TimeGaps(at), func(g TimeGap) bool { return g.Value == 8 && g.From <= 20 && g.To >= 32 }) {
			t.Errorf("seed %d: a gap of twelve steps was not found", seed)
		}
	}
	if none < 15 {
		t.Errorf("%d of 20 data in which values are missing independently have no gaps in time", none)
	}
	lone := marked(n, size, func(i, j int) bool { return j == 8 && i >= 20 && i < 24 })
	if len(lone.TimeGaps(at)) != 1 {
		t.Errorf("gaps %v, expected one of four", lone.TimeGaps(at))
	}
	for i := range at {
		at[i].Sequence = i / 22
	}
	if gaps := lone.TimeGaps(at); len(gaps) > 0 {
		t.Errorf("in two sequences, two each: %v", gaps)
	}
}

// A judged method says how it fills in: with errors of this deviation, and variances so many times their square.
type judged struct {
	name             string
	deviation, times float64
}

// drawn adds what methods say of groups of two values of a kind, of deviation 2, each value of a column of its own. Unless they are
// independent their errors differ in size alone.
func drawn(c *Contest, rng *rand.Rand, k Kind, groups int, independent bool, methods ...judged) {
	first := len(c.Centre)
	lists := make([][]HeldValue, len(methods))
	for range 2 * groups {
		v := HeldValue{Value: len(c.Centre), Kind: k, Group: first + (len(c.Centre)-first)/2, Truth: 2 * rng.NormFloat64()}
		z := rng.NormFloat64()
		c.Centre, c.Spread = append(c.Centre, 0), append(c.Spread, 2)
		for i, m := range methods {
			v.Mean, v.Variance = v.Truth+m.deviation*z, m.times*m.deviation*m.deviation
			if independent { // the method sees the value with noise, and says what that tells
				noise := 1 / (1/(m.deviation*m.deviation) - 1./4)
				v.Mean = (v.Truth + math.Sqrt(noise)*rng.NormFloat64()) * 4 / (4 + noise)
			}
			lists[i] = append(lists[i], v)
		}
	}
	for i, m := range methods {
		c.Add(m.name, lists[i])
	}
}

// weightOf returns the weight of the candidates of which a method is a part.
func weightOf(s Shares, name string) (w float64) {
	for _, e := range s {
		if slices.Contains(e.methods(), name) {
			w += e.Weight
		}
	}
	return w
}

// What is far better in a kind fills it in alone; of few groups of a kind what holds of all counts more. Two methods that see the same value
// independently are taken together. Variances grow as errors ask, and do not shrink.
func TestDecide(t *testing.T) {
	const none = "-"
	for name, c := range map[string]struct {
		draw   func(c *Contest, rng *rand.Rand)
		want   [KindCount]string // what has nearly all of a share; "": the same as of all kinds
		factor float64           // of scattered values
	}{
		"each its own": {func(c *Contest, rng *rand.Rand) {
			drawn(c, rng, KindScattered, 40, false, judged{"", 0.3, 1}, judged{"b", 1, 1})
			drawn(c, rng, KindGaps, 40, false, judged{"", 1.5, 1}, judged{"b", 0.2, 1})
		}, [KindCount]string{"", none, "b", none}, 1},
		"few groups": {func(c *Contest, rng *rand.Rand) {
			drawn(c, rng, KindScattered, 40, false, judged{"", 0.3, 1}, judged{"b", 1.8, 1})
			drawn(c, rng, KindGaps, 1, false, judged{"", 0.8, 1}, judged{"b", 0.7, 1})
		}, [KindCount]string{"", none, "", none}, 1},
		"together": {func(c *Contest, rng *rand.Rand) {
			drawn(c, rng, KindScattered, 100, true, judged{"", 0.7, 1}, judged{"b", 0.7, 1})
		}, [KindCount]string{"b", none, none, none}, 1},
		"too sure": {func(c *Contest, rng *rand.Rand) {
			drawn(c, rng, KindScattered, 100, false, judged{"", 1.5, 0.1}, judged{"b", 0.2, 0.1})
		}, [KindCount]string{"b", none, none, none}, 9},
		"too unsure": {func(c *Contest, rng *rand.Rand) {
			drawn(c, rng, KindScattered, 100, false, judged{"", 1.5, 9}, judged{"b", 0.2, 9})
		}, [KindCount]string{"b", none, none, none}, 1},
	} {
		s := &Contest{Held: map[string][]HeldValue{}, Scale: []float64{2}}
		c.draw(s, rand.New(rand.NewPCG(3, 72)))
		s.Decide()
		for k, shares := range s.Shares {
			if c.want[k] == none && !slices.Equal(shares, s.SharesOf(KindCount)) || c.want[k] != none && weightOf(shares, c.want[k]) < 0.9 {
				t.Errorf("%s, %s: %+v, want %q", name, KindNames[k], shares, c.want[k])
			}
		}
		if pair := s.Shares[KindScattered][0].Pair; pair != (name == "together") && name != "each its own" {
			t.Errorf("%s: pair %t", name, pair)
		}
		if f := s.Shares[KindScattered][0].Factor; f < 1 || math.Abs(f/c.factor-1) > 0.2 && name != "each its own" { // a pair with what is not independent
			t.Errorf("%s: a factor of %v, expected about %v", name, f, c.factor)
		}
	}
}

// The larger the difference of two methods beside what chance makes of it, the larger the weight of the better one; equal ones weigh the same, however many values they were compared on.
// Errors count beside densities, over the least of a method. A mixture has the mean variance of its parts and the spread of their means.
func TestShares(t *testing.T) {
	last := 0.4
	for _, deviation := range []float64{1, 1.005, 1.02, 4} {
		c := &Contest{Held: map[string][]HeldValue{}, Scale: []float64{1}, sure: map[string]bool{}}
		drawn(c, rand.New(rand.NewPCG(4, 72)), KindScattered, 30, false, judged{"", 1, 1}, judged{simple.Mean, deviation, 1})
		c.Decide()
		w := weightOf(c.Shares[KindScattered], "")
		if deviation == 1 && math.Abs(w-0.5) > 1e-12 || w <= last || w > 1 {
			t.Errorf("beside a method with %v of the error a weight of %v", deviation, w)
		}
		last = w
	}
	if last != 1 {
		t.Errorf("beside a hopeless method a weight of %v", last)
	}
	of := losses([]validation.Scores{{Losses: []float64{1, 2}, Errors: []float64{2, 4}}, {Losses: []float64{1, 2}, Errors: []float64{1, 2}}}, []float64{1, 3})
	compare.Near(t, "losses", slices.Concat(of...), []float64{1 + 2/1.5, 3 * (2 + 4/1.5), 1 + 1/1.5, 3 * (2 + 2/1.5)}, 1e-15)
	s := Shares{{Name: "a", Factor: 1, Weight: 0.5}, {Name: "b", Factor: 2, Weight: 0.5}}
	var x mixture
	for i, e := range s {
		x.add(e, float64(i), 0.3)
	}
	x.add(Candidate{Weight: 1, Factor: 1}, math.NaN(), 1)
	m, v := x.moments()
	compare.Near(t, "mixture", []float64{m, v}, []float64{0.5, 0.45 + 0.25}, 1e-15)
}

// What two methods say together is the Gaussian conditional of the value given both of what they have seen, with noise of its own each.
func TestTogether(t *testing.T) {
	const centre, spread = 3., 2.
	c := Contest{Centre: []float64{0, centre}, Spread: []float64{1, spread}}
	for _, noise := range [][]float64{{0.5, 0.5}, {0.01, 7}, {30, 4}} {
		seen := []float64{centre + 1.7, centre - 0.4}
		const prior = spread * spread
		one := func(i int) (m, v float64) {
			k := prior / (prior + noise[i])
			return centre + k*(seen[i]-centre), prior - k*prior
		}
		// Covariances of what is seen are {{a, prior}, {prior, b}}: their inverse, by hand.
		a, b := prior+noise[0], prior+noise[1]
		det := a*b - prior*prior
		k0, k1 := prior*(b-prior)/det, prior*(a-prior)/det
		wantMean, wantVariance := centre+k0*(seen[0]-centre)+k1*(seen[1]-centre), prior-(k0+k1)*prior
		m, v := one(0)
		n, w := one(1)
		mean, variance := c.Together(1, m, v, n, w)
		compare.Near(t, fmt.Sprint("noise ", noise), []float64{mean, variance}, []float64{wantMean, wantVariance}, 1e-12)
	}
	if _, v := c.Together(1, 0, 1e6, 0, 1e6); !(v > 0) || math.IsInf(v, 0) {
		t.Errorf("of two that know less than the mean the variance is %v", v)
	}
}

// The shares of a kind fill in what is missing in that way, with variances multiplied, and nothing else; what they cannot tell stays.
func TestContestFills(t *testing.T) {
	says := func(m, v float64) Filler {
		mean, variance := mat.New(2, 3), mat.New(2, 3)
		mean.Fill(m)
		variance.Fill(v)
		mean.Set(1, 2, math.NaN())
		return Filler{Name: fmt.Sprint(m), Fill: func(context.Context) (mat.Matrix, mat.Matrix, error) { return mean, variance, nil }}
	}
	kinds := []Kind{KindGaps, KindCount, KindWhole, KindGaps, KindScattered, KindGaps}
	c := &Contest{Centre: make([]float64, 3), Spread: []float64{10, 10, 10}}
	for k := range c.Shares {
		c.Shares[k] = Alone("")
	}
	c.Shares[KindGaps] = Shares{{Name: "2", Factor: 3, Weight: 1}}
	c.Shares[KindScattered] = Shares{{And: "2", Pair: true, Factor: 2, Weight: 1}}
	y, variance := mat.NewDense(2, 3, []float64{10, 11, 12, 13, 14, 15}), mat.NewDense(2, 3, []float64{1, 0, 1, 1, 1, 1})
	for k := range KindCount {
		if err := c.Fill(t.Context(), c.Shares[k], k, kinds, y, variance, []Filler{says(1, 1), says(2, 0.5)}); err != nil {
			t.Fatal(err)
		}
	}
	m, v := c.Together(1, 14, 1, 2, 0.5)
	compare.Near(t, "filled in", y.Data, []float64{2, 11, 12, 2, m, 15}, 1e-15)
	compare.Near(t, "variances", variance.Data, []float64{1.5, 0, 1, 1.5, 2 * v, 1}, 1e-15)
}

// The model has lost where it is far worse in each kind of which values were held out, and not where it has a part in what fills in one.
func TestLost(t *testing.T) {
	for deviation, want := range map[float64]bool{0.15: false, 1.8: true} {
		c := &Contest{Held: map[string][]HeldValue{}, Scale: []float64{2}}
		rng := rand.New(rand.NewPCG(5, 73))
		drawn(c, rng, KindScattered, 30, false, judged{"", 1.8, 1}, judged{"b", 0.2, 1})
		drawn(c, rng, KindGaps, 30, false, judged{"", deviation, 1}, judged{"b", 0.2, 1})
		if c.Decide(); c.Lost(validation.StopErrors) != want {
			t.Errorf("errors of %v in gaps: lost %t; shares %v", deviation, !want, c.Shares)
		}
	}
	c := &Contest{Held: map[string][]HeldValue{}, Scale: []float64{2}}
	drawn(c, rand.New(rand.NewPCG(5, 73)), KindScattered, 200, true, judged{"", 0.7, 1}, judged{"b", 0.7, 1})
	if c.Decide(); !c.Shares[KindScattered].Need("") || c.Lost(0) {
		t.Errorf("the model has lost to %v", c.Shares[KindScattered])
	}
}

// Variances are multiplied by what a candidate's groups ask for, drawn to 1, and by how much a Student distribution that knows no more is wider.
func TestFewGroups(t *testing.T) {
	for _, n := range []int{1, 3, 100} {
		c := &Contest{Held: map[string][]HeldValue{}, Scale: []float64{1}, Centre: []float64{0}, Spread: []float64{1}}
		var list []HeldValue
		for g := range n {
			list = append(list, HeldValue{Kind: KindGaps, Group: g, Truth: 2, Variance: 1})
		}
		c.Add("", list)
		c.Decide()
		known := float64(n + 8)
		compare.NearOne(t, fmt.Sprintf("factor by %d groups", n), c.Shares[KindGaps][0].Factor, (4*float64(n)+8)/known*known/(known-2), 1e-12)
	}
}

// drawnContest is one of two methods whose errors are independent, and the mean of the points, of 40 values here and there, a group each, and one of a gap.
func drawnContest(deviation float64) *Contest {
	c := &Contest{Scale: []float64{1}, Centre: []float64{0}, Spread: []float64{1}, Held: map[string][]HeldValue{}}
	rng := rand.New(rand.NewPCG(3, 3))
	for i := range 41 {
		v := HeldValue{Example: i, Group: i, Truth: rng.NormFloat64()}
		if i == 40 {
			v.Kind = KindGaps
		}
		for _, name := range []string{"", "other"} {
			v.Mean, v.Variance = v.Truth+deviation*rng.NormFloat64(), deviation*deviation
			if v.Kind == KindGaps {
				v.Mean = v.Truth + map[string]float64{"": deviation, "other": -deviation}[name]
			}
			c.Add(name, []HeldValue{v})
		}
		v.Mean, v.Variance = 0, 1
		c.Add(simple.Mean, []HeldValue{v})
	}
	return c
}

// The mean of the points, which whatever is taken together takes into account, is not taken together with anything, also where it is more
// precise.
func TestContestMean(t *testing.T) {
	c := drawnContest(1.5)
	delete(c.Held, "other")
	c.Names = []string{"", simple.Mean}
	c.Decide()
	if s := c.Shares[KindScattered]; s[0].Name != simple.Mean || slices.ContainsFunc(s, func(e Candidate) bool { return e.Pair }) {
		t.Errorf("%v", s)
	}
}

// Two methods whose errors are independent are taken together, with the variance of their mean.
func TestContestPairs(t *testing.T) {
	c := drawnContest(0.3)
	c.Decide()
	s := c.Shares[KindScattered]
	list := c.ListOf(s, KindScattered)
	var squares, inside float64
	for _, h := range list {
		e := h.Truth - h.Mean
		squares += e * e / float64(len(list))
		if e*e < h.Variance*validation.Normal90*validation.Normal90 {
			inside += 1 / float64(len(list))
		}
	}
	if !s[0].Pair || s[0].Factor > 1.3 || math.Abs(math.Sqrt(squares)-0.21) > 0.06 || inside < 0.8 {
		t.Errorf("%+v: error %v, %v inside", s, math.Sqrt(squares), inside)
	}
}

// Whole examples are a task of their own: few of them choose by themselves, not by what is best for other kinds, and do not choose for these.
func TestWholeExamplesChooseAlone(t *testing.T) {
	for _, k := range []Kind{KindWhole, KindGaps} {
		c, rng := &Contest{Held: map[string][]HeldValue{}, Scale: []float64{1}}, rand.New(rand.NewPCG(7, 8))
		drawn(c, rng, KindScattered, 40, false, judged{"", 0.3, 1}, judged{"b", 1, 1})
		drawn(c, rng, k, 3, false, judged{"", 0.6, 1}, judged{"b", 0.4, 1})
		if k != KindWhole {
			drawn(c, rng, KindWhole, 200, false, judged{"", 3, 1}, judged{"b", 0.1, 1})
		}
		c.Decide()
		if w := weightOf(c.Shares[k], "b"); (w > 0.5) != (k == KindWhole) {
			t.Errorf("%s: filled in by %+v", KindNames[k], c.Shares[k])
		}
	}
}

// A method that must be sure has no share where it is better by a little, but for whole examples; one that fails on some of the held-out values has none.
func TestContestOfSureMethods(t *testing.T) {
	for kind, want := range map[Kind]string{KindScattered: "plain", KindWhole: "sure"} {
		var list []HeldValue
		for i := range 40 {
			list = append(list, HeldValue{Example: i, Kind: kind, Group: i, Truth: float64(i%2)*2 - 1})
		}
		// of each method the error of an example: those of the second are smaller by less than chance
		by := func(miss func(i int) float64) func(context.Context) (mean, variance mat.Matrix, err error) {
			return func(context.Context) (mean, variance mat.Matrix, err error) {
				mean, variance = mat.New(40, 1), mat.New(40, 1)
				for i := range 40 {
					mean.Data[i], variance.Data[i] = list[i].Truth+miss(i), 1
				}
				return mean, variance, nil
			}
		}
		calls := 0
		methods := []Filler{
			{Name: "plain", Fill: by(func(i int) float64 { return .9 + .3*float64(i%3-1) })},
			{Name: "sure", Sure: true, Fill: by(func(i int) float64 { return .88 + .24*(float64(i%4)-1.5) })},
			{Name: "failing", Fill: func(ctx context.Context) (mean, variance mat.Matrix, err error) {
				if calls++; calls > 1 {
					return mean, variance, errors.New("no")
				}
				return by(func(int) float64 { return 0 })(ctx)
			}},
		}
		c := NewContest(mat.New(40, 1), &Mask{Size: 1, Missing: make([]bool, 40)}, 1, false)
		for range 2 {
			if err := c.Try(t.Context(), list, methods); err != nil {
				t.Fatal(err)
			}
		}
		if got := c.SharesOf(kind); got.Need("sure") != (want == "sure") || got.Need("failing") {
			t.Errorf("kind %d: %+v, expected %s", kind, got, want)
		}
	}
}

// A method that leaves values of one kind open has a share of the others alone, whether it was tried first or last.
func TestSharesOfOpenMethods(t *testing.T) {
	for _, open := range []string{"a", "b"} {
		c := &Contest{Held: map[string][]HeldValue{}, Scale: []float64{2}}
		rng := rand.New(rand.NewPCG(9, 9))
		drawn(c, rng, KindScattered, 20, false, judged{"a", 1, 1}, judged{"b", 1, 1})
		drawn(c, rng, KindGaps, 5, false, judged{"a", 1, 1}, judged{"b", 1, 1})
		c.Held[open][len(c.Held[open])-1].Mean = math.NaN()
		c.Decide()
		if c.Shares[KindGaps].Need(open) || !c.Shares[KindScattered].Need(open) || !c.Shares[KindScattered].Need("a") {
			t.Errorf("%s is open: %+v", open, c.Shares)
		}
	}
}

// A model whose errors are four times those of a method is so far behind.
func TestBehind(t *testing.T) {
	c := &Contest{Held: map[string][]HeldValue{}, Scale: []float64{1}, Centre: []float64{0}, Spread: []float64{10}, sure: map[string]bool{}}
	for name, off := range map[string]float64{"": 2, "a method": 0.5} {
		var list []HeldValue
		for g := range 20 {
			list = append(list, HeldValue{Group: g, Example: g, Truth: float64(g), Mean: float64(g) + off*float64(1-2*(g%2)), Variance: off * off})
		}
		c.Add(name, list)
	}
	if got := c.Behind(); math.Abs(got-4) > 1e-9 {
		t.Errorf("%v times the errors, expected 4", got)
	}
}
