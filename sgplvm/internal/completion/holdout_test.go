package completion

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
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
