package completion

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// Whole frames of a film are held out where others are missing whole: next to those at both ends, and about half of all.
func TestHoldOutFrames(t *testing.T) {
	const n, size = 24, 10
	at := make([]data.Instant, n)
	for i := range at {
		at[i].Time = float64(i)
	}
	held := func(gone ...int) (whole []int, all int) {
		m := &Mask{Size: size, Missing: make([]bool, n*size)}
		for i := range n {
			for k := range size {
				m.Missing[i*size+k] = slices.Contains(gone, i) || (i+k)%5 == 0
			}
		}
		before := slices.Clone(m.Missing)
		HoldOut{Mask: m, Y: mat.New(n, size), Points: cloud(size, 2), Channels: 1, Frames: at, Rand: rand.New(rand.NewPCG(1, 2))}.Some(8)
		for _, h := range m.HeldOut {
			seen := 0
			for k := range size {
				if !before[h.Example*size+k] {
					seen++
				}
			}
			for range h.Values() {
				seen--
			}
			if seen == 0 {
				whole = append(whole, h.Example)
			}
		}
		return whole, len(m.HeldOut)
	}
	ends := []int{2, 3, 20, 21}
	whole, all := held(0, 1, 22, 23)
	if len(whole) < 3 || slices.ContainsFunc(whole, func(i int) bool { return !slices.Contains(ends, i) }) || all != 8 {
		t.Errorf("with frames missing at both ends %v of %d are held out whole", whole, all)
	}
	if whole, all = held(10, 11); len(whole) < 4 || all != 8 {
		t.Errorf("with frames missing between others %v of %d are held out whole", whole, all)
	}
	if whole, _ := held(); len(whole) > 0 {
		t.Errorf("with no frame missing whole %v are held out whole", whole)
	}
}

// No more examples are held out than are allowed; where all miss the same points, as many others are hidden, nearest to one of them.
func TestHoldOutPatches(t *testing.T) {
	const n, width = 30, 8
	m := &Mask{Size: width * width, Missing: make([]bool, n*width*width)}
	for k := range m.Missing {
		m.Missing[k] = k%(width*width) < 2*width // two rows of the picture
	}
	x := data.InSpacings(field.Grid{line(width), line(width)})
	HoldOut{Mask: m, Y: mat.New(n, width*width), Points: x, Channels: 1, Rand: rand.New(rand.NewPCG(1, 2)), Most: 2, Patches: true}.Some(5)
	if len(m.HeldOut) != 2 {
		t.Fatalf("%d examples are held out, expected 2", len(m.HeldOut))
	}
	for _, h := range m.HeldOut {
		hidden := map[int]bool{}
		for k := range h.Values() {
			hidden[k] = true
		}
		far := 0.
		for k := range hidden {
			for l := range hidden {
				far = max(far, math.Hypot(x.At(k, 0)-x.At(l, 0), x.At(k, 1)-x.At(l, 1)))
			}
		}
		if len(hidden) != 2*width || far > width { // a disc, cut by two sides at most
			t.Errorf("example %d: %d values are hidden, up to %v apart", h.Example, len(hidden), far)
		}
	}
}

// Where columns of a table have gaps, several are hidden in the same rows, each as long as one of them and up to a quarter of a row, of values that were observed.
func TestHoldOutGaps(t *testing.T) {
	const n, size, length = 120, 24, 6
	at := make([]data.Instant, n)
	m := &Mask{Size: size, Missing: make([]bool, n*size)}
	for i := range n {
		at[i].Time = float64(i)
		for k := range size {
			m.Missing[i*size+k] = i >= 4*k+8 && i < 4*k+8+length // one or two in each row
		}
	}
	before := slices.Clone(m.Missing)
	HoldOut{Mask: m, Y: mat.New(n, size), Points: mat.New(1, 1), Channels: size, At: at, Rand: rand.New(rand.NewPCG(3, 4))}.Some(20)
	rows, columns := map[int][]int{}, map[int]map[int]int{} // of each group; of each of its columns how many rows
	for _, h := range m.HeldOut {
		rows[h.Group] = append(rows[h.Group], h.Example)
		hidden := 0
		for k := range h.Values() {
			if before[h.Example*size+k] {
				t.Errorf("value %d of example %d is held out, which is missing", k, h.Example)
			}
			if columns[h.Group] == nil {
				columns[h.Group] = map[int]int{}
			}
			if slices.Contains(h.Gaps, k) {
				columns[h.Group][k]++
			}
			hidden++
		}
		if hidden > size/4 {
			t.Errorf("%d values of example %d are held out", hidden, h.Example)
		}
	}
	gaps := 0
	for g, list := range rows {
		if list[len(list)-1]-list[0] != len(list)-1 {
			t.Errorf("group %d has the examples %v", g, list)
		}
		for k, held := range columns[g] {
			if gaps++; held > length {
				t.Errorf("column %d is hidden in %d rows of %v", k, held, list)
			}
		}
	}
	if len(rows) < minGaps || gaps < 3*len(rows) {
		t.Errorf("%d gaps in %d groups", gaps, len(rows))
	}
}

// Rows of random walks are in order, whatever is missing of them, and not where they are shuffled.
func TestRowsInOrder(t *testing.T) {
	const n, p = 80, 5
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 9))
		y := mat.New(n, p)
		for i := range n {
			for k := range p {
				if y.Set(i, k, rng.NormFloat64()); i > 0 {
					y.Set(i, k, y.At(i-1, k)+y.At(i, k))
				}
			}
		}
		shuffled := mat.New(n, p)
		for i, k := range rng.Perm(n) {
			copy(shuffled.Row(i), y.Row(k))
		}
		for name, missing := range map[string]func(i, k int) bool{
			"a run":          func(i, k int) bool { return k == 2 && i >= 20 && i < 30 },
			"rows":           func(i, k int) bool { return i%7 == 0 },
			"columns":        func(i, k int) bool { return k > 0 },
			"here and there": func(i, k int) bool { return (i*7+k*13)%29 == 0 },
		} {
			m := marked(n, p, missing)
			if !m.RowsInOrder(y) {
				t.Errorf("seed %d, missing %s: rows are in no order", seed, name)
			}
			if m.RowsInOrder(shuffled) {
				t.Errorf("seed %d, missing %s: shuffled rows are in order", seed, name)
			}
		}
	}
}

// A column with two values keeps one of them, whatever is held out; nothing is held out of a column with one.
func TestHoldOutKeepsAValue(t *testing.T) {
	const n, size = 20, 3
	held := 0
	for seed := range uint64(40) {
		m := &Mask{Size: size, Missing: make([]bool, n*size)}
		for i := range n {
			m.Missing[i*size] = i%3 == 0
			m.Missing[i*size+1] = i != 4 && i != 11
			m.Missing[i*size+2] = i != 7
		}
		HoldOut{Mask: m, Y: mat.New(n, size), Points: mat.New(1, 1), Channels: size, Rand: rand.New(rand.NewPCG(seed, 1))}.Some(n)
		left := [size]int{}
		for k, missing := range m.Missing {
			if !missing {
				left[k%size]++
			}
		}
		if left[1] == 0 || left[2] != 1 {
			t.Fatalf("seed %d: %v values are left in the columns", seed, left)
		}
		for _, r := range m.HeldOut {
			if r.Truth[1] == 0 {
				held++
			}
			some := false
			for k := range r.Values() {
				some = true
				if !m.Of(r.Example)[k] {
					t.Fatalf("seed %d: a value is held out and observed", seed)
				}
			}
			if !some {
				t.Fatalf("seed %d: nothing is held out of example %d", seed, r.Example)
			}
		}
	}
	if held == 0 {
		t.Error("nothing was held out of the column with two values")
	}
}
