package simple

import (
	"cmp"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
)

// A Tree finds nearest points: a k-d tree (J. L. Bentley, Communications of the ACM 18(9), 1975) whose
// nodes are the middles of ranges of a list, so that it needs no pointers. Any number of goroutines may ask it.
type Tree struct {
	x    mat.Matrix // N×d, rows in the tree's order
	list []int      // the number of each row in the user's order
	axis []int8     // along which the range with this middle is divided
}

// NewTree puts points, one a row, into a tree. Points at equal places are found in the order of their numbers.
func NewTree(x mat.Matrix) *Tree {
	t := &Tree{list: make([]int, x.Rows), axis: make([]int8, x.Rows)}
	for i := range t.list {
		t.list[i] = i
	}
	t.divide(x, 0, x.Rows)
	t.x = rows(x, t.list)
	return t
}

// divide sorts a range along its longest side and goes on with both halves.
func (t *Tree) divide(x mat.Matrix, from, to int) {
	if to-from < 2 {
		return
	}
	list := t.list[from:to]
	var longest float64
	axis := 0
	for q := range x.Cols {
		low, high := x.At(list[0], q), x.At(list[0], q)
		for _, i := range list {
			low, high = min(low, x.At(i, q)), max(high, x.At(i, q))
		}
		if high-low > longest {
			longest, axis = high-low, q
		}
	}
	slices.SortFunc(list, func(a, b int) int {
		return cmp.Or(cmp.Compare(x.At(a, axis), x.At(b, axis)), a-b)
	})
	middle := (from + to) / 2
	t.axis[middle] = int8(axis)
	t.divide(x, from, middle)
	t.divide(x, middle+1, to)
}

// A found point and its squared distance.
type found struct {
	number   int
	distance float64
}

// less orders by distance, then by number.
func (a found) less(b found) bool {
	return a.distance < b.distance || a.distance == b.distance && a.number < b.number
}

// Nearest appends the numbers of the k points nearest to a place to dst, the nearest first; all of them where there are fewer.
func (t *Tree) Nearest(dst []int, place []float64, k int) []int {
	return t.NearestBefore(dst, place, k, len(t.list))
}

// NearestBefore is Nearest among points with numbers below one.
func (t *Tree) NearestBefore(dst []int, place []float64, k, before int) []int {
	best := make([]found, 0, k+1)
	t.search(&best, place, k, before, 0, len(t.list))
	for _, b := range best {
		dst = append(dst, b.number)
	}
	return dst
}

func (t *Tree) search(best *[]found, place []float64, k, before, from, to int) {
	if from >= to {
		return
	}
	middle := (from + to) / 2
	row := t.x.Row(middle)
	f := found{number: t.list[middle]}
	for q, v := range row {
		f.distance += square(v - place[q])
	}
	if list := *best; f.number < before && (len(list) < k || f.less(list[len(list)-1])) {
		at := len(list)
		for at > 0 && f.less(list[at-1]) {
			at--
		}
		list = slices.Insert(list, at, f)
		*best = list[:min(len(list), k)]
	}
	axis := t.axis[middle]
	gap := place[axis] - row[axis]
	if gap < 0 {
		t.search(best, place, k, before, from, middle)
	} else {
		t.search(best, place, k, before, middle+1, to)
	}
	if list := *best; len(list) < k || gap*gap <= list[len(list)-1].distance {
		if gap < 0 {
			t.search(best, place, k, before, middle+1, to)
		} else {
			t.search(best, place, k, before, from, middle)
		}
	}
}

// rows returns some rows of a matrix.
func rows(a mat.Matrix, list []int) mat.Matrix {
	dst := mat.New(len(list), a.Cols)
	for k, i := range list {
		copy(dst.Row(k), a.Row(i))
	}
	return dst
}

func square(x float64) float64 { return x * x }
