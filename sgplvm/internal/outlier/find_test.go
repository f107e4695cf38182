package outlier_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/outlier"
)

// each makes a draw of one value one of a column of independent ones.
func each(draw func(r *rand.Rand) float64) func(r *rand.Rand, n int) []float64 {
	return func(r *rand.Rand, n int) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = draw(r)
		}
		return v
	}
}

// student draws from Student's distribution.
func student(r *rand.Rand, degrees int) float64 {
	squares := 0.
	for range degrees {
		squares += math.Pow(r.NormFloat64(), 2)
	}
	return r.NormFloat64() / math.Sqrt(squares/float64(degrees))
}

// counts draws from Poisson's distribution.
func counts(r *rand.Rand, mean float64) float64 {
	k := 0.
	for u := r.Float64(); u > math.Exp(-mean); k++ {
		u *= r.Float64()
	}
	return k
}

// levels draws a column that keeps a level for a while, with noise.
func levels(change, noise float64) func(r *rand.Rand, n int) []float64 {
	return func(r *rand.Rand, n int) []float64 {
		level := 0.
		return each(func(r *rand.Rand) float64 {
			if r.Float64() < change {
				level = 10 * r.NormFloat64()
			}
			return level + noise*r.NormFloat64()
		})(r, n)
	}
}

// laws are those of clean columns.
var laws = map[string]func(r *rand.Rand, n int) []float64{
	"normal":      each(func(r *rand.Rand) float64 { return r.NormFloat64() }),
	"log-normal":  each(func(r *rand.Rand) float64 { return math.Exp(2 * r.NormFloat64()) }),
	"exponential": each(func(r *rand.Rand) float64 { return r.ExpFloat64() }),
	"few counts":  each(func(r *rand.Rand) float64 { return counts(r, 0.1) }),
	"counts":      each(func(r *rand.Rand) float64 { return counts(r, 5) }),
	"overdispersed counts": each(func(r *rand.Rand) float64 {
		return counts(r, math.Exp(1.5*r.NormFloat64()))
	}),
	"binary":    each(func(r *rand.Rand) float64 { return math.Floor(1.02 * r.Float64()) }),
	"a switch":  each(func(r *rand.Rand) float64 { return r.NormFloat64() + 1000*math.Floor(1.05*r.Float64()) }),
	"rounded":   each(func(r *rand.Rand) float64 { return math.Round(20 + 2*r.NormFloat64()) }),
	"Student":   each(func(r *rand.Rand) float64 { return student(r, 3) }),
	"rain":      each(func(r *rand.Rand) float64 { return math.Floor(1.3*r.Float64()) * math.Pow(r.ExpFloat64(), 1.7) }),
	"jumps":     levels(0.03, 0.1),
	"setpoints": levels(0.03, 0),
	"a walk": func(r *rand.Rand, n int) []float64 {
		x := 0.
		return each(func(r *rand.Rand) float64 { x += r.NormFloat64(); return x })(r, n)
	},
	"seasonal rain": func(r *rand.Rand, n int) []float64 {
		v := make([]float64, n)
		for i := range v {
			if wet := max(0, math.Sin(float64(i)*math.Pi/6)); r.Float64() < 0.1+wet/2 {
				v[i] = math.Round(10*(1+10*wet)*math.Pow(r.ExpFloat64(), 1.5)) / 10
			}
		}
		return v
	},
}

func evenTimes(n int) []float64 {
	t := make([]float64, n)
	for i := range t {
		t[i] = float64(i)
	}
	return t
}

// lattice returns the points of a grid.
func lattice(rows, columns int) mat.Matrix {
	x := mat.New(rows*columns, 2)
	for i := range x.Rows {
		x.Set(i, 0, float64(i/columns))
		x.Set(i, 1, float64(i%columns))
	}
	return x
}

// Of clean tables, whatever the law of their columns, at most one value in 10⁴ is an outlier, with and without times.
func TestCleanTables(t *testing.T) {
	const rows, columns, tables = 200, 5, 20
	for name, draw := range laws {
		for _, timed := range []bool{false, true} {
			touched := 0
			for seed := range uint64(tables) {
				r := rand.New(rand.NewPCG(seed, 65))
				e := outlier.Examples{Y: mat.New(rows, columns), Channels: columns}
				for c := range columns {
					for i, v := range draw(r, rows) {
						e.Y.Set(i, c, v)
					}
				}
				if timed {
					e.Times = evenTimes(rows)
				}
				touched += len(outlier.Find(e))
			}
			if touched > tables*rows*columns/10000 {
				t.Errorf("%s, timed %v: %d outliers", name, timed, touched)
			}
		}
	}
}

// field draws smooth fields that move smoothly, with noise of deviation 0.05.
func field(r *rand.Rand, n, rows, columns int) outlier.Examples {
	e := outlier.Examples{Y: mat.New(n, rows*columns), Channels: 1, Points: lattice(rows, columns), Times: evenTimes(n)}
	for range 4 {
		a, kx, ky, f, p := r.NormFloat64(), 0.3*r.NormFloat64(), 0.3*r.NormFloat64(), 0.1*r.NormFloat64(), 6*r.Float64()
		for i := range n {
			for k, v := range e.Y.Row(i) {
				e.Y.Set(i, k, v+a*math.Sin(kx*float64(k/columns)+ky*float64(k%columns)+f*float64(i)+p)+0.025*r.NormFloat64())
			}
		}
	}
	return e
}

// found fails unless the outliers of examples are those of the list, as numbers of values, and returns them.
func found(t *testing.T, name string, e outlier.Examples, want map[int]bool) {
	t.Helper()
	got := outlier.Find(e)
	for _, v := range got {
		k := v.Example*e.Y.Cols + v.Point*e.Channels + v.Channel
		if !want[k] || v.Value != e.Y.Data[k] || !(v.Score > 5) {
			t.Errorf("%s: %+v, which is %v", name, v, e.Y.Data[k])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%s: %d outliers, want %d", name, len(got), len(want))
	}
}

// Broken values are found with their places, all of them and nothing else: a large one, a repeated word for "no value" beside a column of other units,
// two of one row, words for a fiftieth of all values, blocks of them, spikes that are large beside the field's own roughness alone.
func TestBroken(t *testing.T) {
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 66))
		for _, timed := range []bool{false, true} {
			table := func() outlier.Examples {
				e := outlier.Examples{Y: mat.New(60, 2), Channels: 2}
				for i := range 60 {
					e.Y.Set(i, 0, math.Round(10*(20+2*r.NormFloat64()))/10)
					e.Y.Set(i, 1, 101300+300*math.Sin(float64(i)/5)+20*r.NormFloat64())
				}
				if timed {
					e.Times = evenTimes(60)
				}
				return e
			}
			spoil := func(name string, e outlier.Examples, values map[int]float64) {
				want := map[int]bool{}
				for k, v := range values {
					e.Y.Data[k], want[k] = v, true
				}
				found(t, fmt.Sprintf("%s, seed %d, timed %v", name, seed, timed), e, want)
			}
			spoil("a large one", table(), map[int]float64{40: 1e6})
			spoil("six words", table(), map[int]float64{0: -9999, 14: -9999, 28: -9999, 42: -9999, 44: -9999, 46: -9999})
			spoil("two of a row", table(), map[int]float64{50: -3e5, 51: 2e9})
			words, block, maps := map[int]float64{}, map[int]float64{}, func() outlier.Examples {
				e := field(r, 30, 12, 15)
				if !timed {
					e.Times = nil
				}
				return e
			}
			for _, k := range r.Perm(30 * 180)[:108] {
				words[k] = 999
			}
			for k := range 30 * 180 {
				if i, x, y := k/180, k%15, k%180/15; i > 4 && i < 9 && x > 3 && x < 9 && y > 2 && y < 8 {
					block[k] = -32768
				}
			}
			spoil("words in maps", maps(), words)
			spoil("blocks in maps", maps(), block)
			e := maps()
			spoil("a spike", e, map[int]float64{10*180 + 6*15 + 7: e.Y.At(10, 6*15+7) + 15})
		}
	}
}

// What is like nothing else in its column stays where the values around it say the same: a storm, a step. Columns of which all
// values are far, zeros that are repeated, and what is too little to tell stay, too.
func TestExplained(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 67))
	storm, step, land, night, few := field(r, 20, 12, 15), field(r, 20, 1, 1), field(r, 20, 12, 15), field(r, 20, 1, 1), field(r, 5, 1, 1)
	for k := range storm.Y.Cols {
		if x, y := float64(k%15-7), float64(k/15-6); x*x+y*y < 12 {
			storm.Y.Set(7, k, 50+r.NormFloat64())
		}
	}
	step.Y = mat.New(60, 1)
	step.Times = evenTimes(60)
	for i := range 60 {
		step.Y.Set(i, 0, 0.1*r.NormFloat64()+math.Floor(float64(i)/57)*1000)
	}
	for i := range 20 {
		land.Y.Set(i, 33, 1e20)
		night.Y.Set(i, 0, 1000+r.NormFloat64())
	}
	night.Y.Set(3, 0, 0)
	night.Y.Set(9, 0, 0)
	few.Y.Set(2, 0, 1e6)
	for name, e := range map[string]outlier.Examples{"storm": storm, "step": step, "land": land, "night": night, "few": few} {
		found(t, name, e, nil)
	}
}

// Neighbours are known of scattered points, whatever their order, and of channels by themselves; missing values are none.
func TestScatteredChannels(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 68))
	from := field(r, 12, 9, 11)
	order := r.Perm(99)
	e := outlier.Examples{Y: mat.New(12, 2*99), Channels: 2, Points: mat.New(99, 2)}
	for to, at := range order {
		mat.Copy(e.Points.Slice(to, to+1, 0, 2), from.Points.Slice(at, at+1, 0, 2))
		for i := range 12 {
			e.Y.Set(i, 2*to, from.Y.At(i, at))
			e.Y.Set(i, 2*to+1, 1e4*from.Y.At(i, at))
		}
	}
	for range 200 {
		e.Y.Data[r.IntN(len(e.Y.Data))] = math.NaN()
	}
	e.Y.Set(5, 2*order[40], 1e4) // as in the other channel
	e.Y.Set(6, 2*order[50]+1, 1e6)
	found(t, "channels", e, map[int]bool{5*198 + 2*order[40]: true, 6*198 + 2*order[50] + 1: true})
}

// A value is far from a predictive distribution beyond ten of its deviations.
func TestScore(t *testing.T) {
	for value, want := range map[float64]bool{3 + 2*9.9: false, 3 + 2*10.1: true, 3 - 2*10.1: true} {
		if score, far := outlier.Score(value, 3, 4); far != want || math.Abs(score-math.Abs(value-3)/2) > 1e-12 {
			t.Errorf("%v: %v, %v", value, score, far)
		}
	}
}

// The reach of values is that of the tail of others: of normal and of uniform ones hardly more than themselves, of heavy ones far more, so that of a
// hundred times as many from the same law next to none is beyond it; and never less than 8.
func TestReach(t *testing.T) {
	for name, c := range map[string]struct {
		draw        func(r *rand.Rand, n int) []float64
		least, most float64
	}{"normal": {laws["normal"], 8, 13}, "uniform": {each(func(r *rand.Rand) float64 { return r.Float64() }), 8, 8},
		"Student": {laws["Student"], 50, 1e6}, "log-normal": {laws["log-normal"], 1e3, 1e8}, "equal": {func(r *rand.Rand, n int) []float64 { return make([]float64, n) }, 8, 8}} {
		r := rand.New(rand.NewPCG(4, 70))
		size := func(v []float64) []float64 {
			for i, x := range v {
				v[i] = math.Abs(x)
			}
			return v
		}
		reach, beyond := outlier.Reach(size(c.draw(r, 1000))), 0
		for _, v := range size(c.draw(r, 100000)) {
			if v >= reach {
				beyond++
			}
		}
		if !(reach >= c.least && reach <= c.most) || beyond > 3 {
			t.Errorf("%s: a reach of %v, want %v to %v; %d beyond it", name, reach, c.least, c.most, beyond)
		}
	}
}
