package fuzz_test

import (
	"math/rand/v2"
	"slices"
)

func backIn(order []string, uses map[use][]string) (n int) {
	for u := range uses {
		if slices.Index(order, u.from) > slices.Index(order, u.to) {
			n++
		}
	}
	return n
}

// bestOrder looks for an order of files in which few uses run back: from the given order
// and from random ones it moves single files to their best places, while that helps.
// Files without uses, such as doc.go, come first.
func bestOrder(order []string, uses map[use][]string) []string {
	var alone []string
	order = slices.DeleteFunc(slices.Clone(order), func(f string) bool {
		for u := range uses {
			if u.from == f || u.to == f {
				return false
			}
		}
		alone = append(alone, f)
		return true
	})
	best, least := order, backIn(order, uses)
	r := rand.New(rand.NewPCG(1, 2))
	for try := range 30 {
		o := slices.Clone(order)
		if try > 0 {
			r.Shuffle(len(o), func(i, j int) { o[i], o[j] = o[j], o[i] })
		}
		for moved := true; moved; {
			moved = false
			for _, f := range order {
				moved = sift(o, f, uses) || moved
			}
		}
		if n := backIn(o, uses); n < least {
			best, least = o, n
		}
	}
	return append(alone, best...)
}

// sift moves file f to where the fewest uses of it and by it run back, and reports
// whether that are fewer than before.
func sift(order []string, f string, uses map[use][]string) bool {
	uses01 := func(from, to string) int { return min(1, len(uses[use{from, to}])) }
	was := slices.Index(order, f)
	others := slices.Delete(order, was, was+1)
	cost, costs := 0, make([]int, len(others)+1)
	for i, g := range others { // with f above all, those used by others above it count
		cost += uses01(g, f)
		costs[i+1] = uses01(f, g) - uses01(g, f)
	}
	costs[0] = cost
	for i := range others {
		costs[i+1] += costs[i]
	}
	to := was
	for i, c := range costs {
		if c < costs[to] {
			to = i
		}
	}
	copy(order, slices.Insert(others, to, f))
	return costs[to] < costs[was]
}
