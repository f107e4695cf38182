package eig_test

import (
	"fmt"
	"testing"

	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/mat"
)

// TestReported holds matrices of the kinds on which users of other libraries met
// hangs, overflows, unsorted pairs or wrong vectors to Jacobi's method.
func TestReported(t *testing.T) {
	cases := []fuzz.Case{
		dense("3×3 of equal couplings (root #7850)", 3, 1, .01, .01, .01, 1, .01, .01, .01, 1),
		dense("3×3 with a double eigenvalue (numpy #20012)", 3, 2, 1, 1, 1, 2, 1, 1, 1, 2),
		dense("one element first (GenericLinearAlgebra.jl #52)", 3, .01, 0, 0, 0, 0, 0, 0, 0, 0),
		dense("one element last (GenericLinearAlgebra.jl #52)", 3, 0, 0, 0, 0, 0, 0, 0, 0, .01),
		dense("a metric tensor (UVAtlas #23)", 4,
			6.132586, -3.655639, -1.498916, -0.977926,
			-3.655639, 5.032224, -0.073074, -1.303757,
			-1.498916, -0.073074, 0.693752, 0.878438,
			-0.977926, -1.303757, 0.878438, 3.228775),
		cliques(6, 6),
		cliques(1, 20),
		cliques(20, 20),
	}
	rng := fuzz.New(60)
	for range 20 { // sparse graphs, some nodes without an edge (faer #82)
		cases = append(cases, graph(rng, 20+rng.IntN(14), 1+rng.IntN(3)))
	}
	for _, nodes := range []int{1, 4, 16} { // columns of 0 and 1, repeated (nalgebra #1025)
		cases = append(cases, incidence(rng, 33, nodes))
	}
	for range 6 { // the same blocks in several orders (faer #136)
		cases = append(cases, fuzz.Case{Name: "interleaved blocks", A: fuzz.NaiveKron(graph(rng, 7, 3).A, mat.Identity(3))}.Permuted(rng))
	}
	for _, c := range cases {
		c.Eigenvalues, _ = fuzz.NaiveEig(c.A)
		sp, err := eig.Sym(c.A)
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		check(t, c, sp)
	}
}

// dense is a matrix given row by row.
func dense(name string, n int, elements ...float64) fuzz.Case {
	return fuzz.Case{Name: name, A: mat.NewDense(n, n, elements)}
}

// cliques is the adjacency matrix of two complete graphs with one edge between
// them (RSpectra #20).
func cliques(m, n int) fuzz.Case {
	a := mat.New(m+n, m+n)
	for i := range m + n {
		for j := range i {
			if (i < m) == (j < m) || i == m && j == 0 {
				a.Set(i, j, 1)
			}
		}
	}
	mat.MirrorLower(a)
	return fuzz.Case{Name: fmt.Sprintf("cliques of %d and %d", m, n), A: a}
}

// graph is the adjacency matrix of n nodes with about so many edges each.
func graph(s *fuzz.Source, n, edges int) fuzz.Case {
	a := mat.New(n, n)
	for range n * edges / 2 {
		if i, j := s.IntN(n), s.IntN(n); i != j {
			a.Set(max(i, j), min(i, j), 1)
		}
	}
	mat.MirrorLower(a)
	return fuzz.Case{Name: fmt.Sprintf("graph of %d nodes", n), A: a}
}

// incidence is B·Bᵀ for n rows of zeros and ones of which few differ.
func incidence(s *fuzz.Source, n, columns int) fuzz.Case {
	b := mat.New(n, columns)
	for range n {
		b.Set(s.IntN(n), s.IntN(columns), 1)
	}
	a := mat.New(n, n)
	mat.Syrk(a, 1, b, 0)
	mat.MirrorLower(a)
	return fuzz.Case{Name: fmt.Sprintf("incidence of %d in %d", n, columns), A: a}
}
