package predict

import (
	"cmp"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
)

// A pointTree finds the nearest of points that come before one in their order: points are halved along
// the longest side, again and again (a k-d tree: Bentley, Commun. ACM 18, 1975).
type pointTree struct {
	x    mat.Matrix // n×d
	root *pointNode
}

// A pointNode holds points itself, or two halves on either side of split in a dimension.
type pointNode struct {
	first     int   // least of its points' numbers
	points    []int // ascending
	dimension int
	split     float64
	low, high *pointNode
}

// leafPoints is how many points are not halved any more.
const leafPoints = 16

func newPointTree(x mat.Matrix) *pointTree {
	all := make([]int, x.Rows)
	for i := range all {
		all[i] = i
	}
	t := &pointTree{x: x}
	t.root = t.node(all)
	return t
}

// node returns the node of some points, whose list it takes over.
func (t *pointTree) node(points []int) *pointNode {
	n := &pointNode{first: slices.Min(points)}
	longest, length := 0, 0.0
	for q := range t.x.Cols {
		low, high := t.x.At(points[0], q), t.x.At(points[0], q)
		for _, i := range points {
			low, high = min(low, t.x.At(i, q)), max(high, t.x.At(i, q))
		}
		if high-low > length {
			longest, length = q, high-low
		}
	}
	if len(points) <= leafPoints || length == 0 {
		slices.Sort(points)
		n.points = points
		return n
	}
	slices.SortFunc(points, func(a, b int) int {
		return cmp.Or(cmp.Compare(t.x.At(a, longest), t.x.At(b, longest)), cmp.Compare(a, b))
	})
	h := len(points) / 2
	n.dimension, n.split = longest, t.x.At(points[h], longest)
	n.low, n.high = t.node(points[:h:h]), t.node(points[h:])
	return n
}

// A pointSearch looks for the nearest points, for one goroutine.
type pointSearch struct {
	tree      *pointTree
	most      int
	of        int
	points    []int
	distances []float64 // squares, ascending
}

// search returns one for at most so many points.
func (t *pointTree) search(most int) *pointSearch { return &pointSearch{tree: t, most: most} }

// nearest returns the points nearest to number i among those with lower numbers, the nearest first. The
// list is the search's until the next call.
func (s *pointSearch) nearest(i int) []int {
	s.of, s.points, s.distances = i, s.points[:0], s.distances[:0]
	s.visit(s.tree.root)
	return s.points
}

func (s *pointSearch) visit(n *pointNode) {
	if n.first >= s.of {
		return
	}
	x := s.tree.x.Row(s.of)
	if n.points == nil {
		near, far := n.low, n.high
		d := x[n.dimension] - n.split
		if d >= 0 {
			near, far = far, near
		}
		s.visit(near)
		if len(s.points) < s.most || d*d <= s.distances[len(s.distances)-1] {
			s.visit(far)
		}
		return
	}
	for _, i := range n.points {
		if i >= s.of {
			return
		}
		var d float64
		for q, v := range s.tree.x.Row(i) {
			d += (x[q] - v) * (x[q] - v)
		}
		s.add(i, d)
	}
}

// add takes a point into the list if it is among the nearest so far.
func (s *pointSearch) add(i int, d float64) {
	if len(s.points) == s.most {
		if d >= s.distances[s.most-1] {
			return
		}
		s.points, s.distances = s.points[:s.most-1], s.distances[:s.most-1]
	}
	at, _ := slices.BinarySearchFunc(s.distances, d, func(a, b float64) int {
		if a <= b {
			return -1
		}
		return 1
	})
	s.points, s.distances = slices.Insert(s.points, at, i), slices.Insert(s.distances, at, d)
}
