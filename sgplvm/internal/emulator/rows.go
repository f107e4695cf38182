package emulator

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// first returns the first error.
func first(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// rows returns copies of some rows.
func rows(y mat.Matrix, list []int) mat.Matrix { return work.Gather(y, list) }

// divide divides the columns of p.
func divide(p mat.Matrix, by []float64) {
	mat.Copy(p, scaled(p, by))
}

// sample returns at most most of n numbers, ascending.
func sample(n, most int, seed uint64) []int {
	list := rand.New(rand.NewPCG(seed, 0x72756e73)).Perm(n)[:min(n, most)]
	slices.Sort(list)
	return list
}

// levels returns the runs that have each value of column q, of ascending values.
func levels(x mat.Matrix, q int) (list [][]int) {
	order := sample(x.Rows, x.Rows, 0)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(x.At(a, q), x.At(b, q)) })
	for k, i := range order {
		if k == 0 || x.At(i, q) != x.At(order[k-1], q) {
			list = append(list, nil)
		}
		list[len(list)-1] = append(list[len(list)-1], i)
	}
	return list
}
