package fuzz

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Laplacians of graphs, degree less adjacency: integers, positive semidefinite,
// and rows that sum to 0 (Chung, Spectral Graph Theory, 1997).

// laplacian returns the Laplacian of the graph on n nodes whose edges are given.
func laplacian(name string, n int, edge func(i, j int) bool) Case {
	a := mat.New(n, n)
	for i := range n {
		for j := range i {
			if edge(i, j) {
				a.Set(i, j, -1)
				a.Set(j, i, -1)
				a.Set(i, i, a.At(i, i)+1)
				a.Set(j, j, a.At(j, j)+1)
			}
		}
	}
	c := Case{Name: fmt.Sprintf("%s n=%d", name, n), A: a, Pivot: Unknown}
	if n > 0 {
		c = c.claiming(Singular | Semidefinite)
	}
	return c
}

// connected adds that the graph is: the rank is n-1.
func connected(c Case) Case { return c.ranked(max(c.A.Rows-1, 0)) }

// pathGraph returns the Laplacian of a path: 2-2cos(πk/n), k = 0 … n-1.
func pathGraph(n int) Case {
	c := laplacian("path", n, func(i, j int) bool { return i-j == 1 })
	return connected(c.spectrum(values(n, func(k int) float64 {
		sin := math.Sin(math.Pi * float64(k) / float64(2*n))
		return 4 * sin * sin
	})...))
}

// cycleGraph returns the Laplacian of a cycle: 2-2cos(2πk/n), each but the
// first (and, for even n, the last) twice.
func cycleGraph(n int) Case {
	c := laplacian("cycle", n, func(i, j int) bool { return i-j == 1 || i-j == n-1 && n > 2 })
	if n < 3 {
		return connected(c)
	}
	return connected(c.spectrum(values(n, func(k int) float64 {
		sin := math.Sin(math.Pi * float64(min(k, n-k)) / float64(n))
		return 4 * sin * sin
	})...))
}

// completeGraph returns the Laplacian n·I - ones: 0, and n, n-1 times.
func completeGraph(n int) Case {
	c := laplacian("complete graph", n, func(i, j int) bool { return true })
	return connected(c.spectrum(values(n, func(k int) float64 { return float64(n * min(k, 1)) })...))
}

// starGraph returns the Laplacian of n-1 nodes joined to the first: 0, 1, n-2
// times, and n.
func starGraph(n int) Case {
	c := laplacian("star", n, func(i, j int) bool { return j == 0 })
	return connected(c.spectrum(values(n, func(k int) float64 {
		switch k {
		case 0:
			return 0
		case 1:
			return float64(n)
		}
		return 1
	})...))
}

// hypercube returns the Laplacian of the cube with n = 2^d corners: 2k, C(d, k)
// times.
func hypercube(n int) Case {
	c := laplacian("hypercube", n, func(i, j int) bool { return bits.OnesCount(uint(i^j)) == 1 })
	return connected(c.spectrum(values(n, func(k int) float64 { return float64(2 * bits.OnesCount(uint(k))) })...))
}

// completeBipartite returns the Laplacian of p nodes each joined to q others: 0,
// p+q, p, q-1 times, and q, p-1 times. p and q are at least 1.
func completeBipartite(p, q int) Case {
	c := laplacian("complete bipartite graph", p+q, func(i, j int) bool { return i >= p && j < p })
	w := slices.Concat([]float64{0, float64(p + q)}, slices.Repeat([]float64{float64(p)}, q-1), slices.Repeat([]float64{float64(q)}, p-1))
	return connected(c.spectrum(w...))
}

// randomTree returns the Laplacian of a random tree: of any tree, each cofactor
// is 1 (Kirchhoff 1847).
func randomTree(s *Source, n int) Case {
	parent := parents(s, n)
	return connected(laplacian("tree", n, func(i, j int) bool { return parent[j] == i }))
}

// groundedTree returns the Laplacian of a random tree without the row and
// column of a node joined to its root: det 1, and, since children come before
// parents, the exact factor has -1 where i is j's parent.
func groundedTree(s *Source, n int) Case {
	parent := parents(s, n)
	c := laplacian("grounded tree", n, func(i, j int) bool { return parent[j] == i })
	c.Claims = 0
	if n > 0 {
		c.A.Set(n-1, n-1, c.A.At(n-1, n-1)+1)
	}
	return c.factored(func(i, j int) float64 {
		switch {
		case i == j:
			return 1
		case parent[j] == i:
			return -1
		}
		return 0
	})
}

// parents draws for each node but the last one of the nodes after it.
func parents(s *Source, n int) []int {
	p := make([]int, n)
	for j := range p {
		p[j] = n
		if j < n-1 {
			p[j] = j + 1 + s.values.IntN(n-1-j)
		}
	}
	return p
}

// randomGraph returns the Laplacian of a graph with each edge there or not,
// about three at a node; it may fall apart (Gilbert, Ann. Math. Statist. 30, 1959).
func randomGraph(s *Source, n int) Case {
	there := map[[2]int]bool{}
	for i := range n {
		for j := range i {
			there[[2]int{i, j}] = s.Float64()*float64(n) < 3
		}
	}
	return laplacian("random graph", n, func(i, j int) bool { return there[[2]int{i, j}] })
}

// adjacency returns the adjacency matrix of two complete graphs of n/2 nodes
// with one edge between them: eigenvalues -1, many times (Brouwer and Haemers,
// Spectra of Graphs, 2012).
func adjacency(n int) Case {
	h := n / 2
	return entries("cliques", n, func(i, j int) float64 {
		if i != j && ((i < h) == (j < h) || min(i, j) == 0 && max(i, j) == h) {
			return 1
		}
		return 0
	})
}

// poisson returns the five-point Laplacian on a k×k grid with the boundary at 0
// (golub and Van Loan, Matrix Computations, section 4.8): order k², eigenvalues
// 4sin²(iπ/(2k+2)) + 4sin²(jπ/(2k+2)).
func poisson(k int) Case {
	one := secondDifference(k)
	a, b := NaiveKron(one.A, mat.Identity(k)), NaiveKron(mat.Identity(k), one.A)
	c := entries("Poisson", k*k, func(i, j int) float64 { return a.At(i, j) + b.At(i, j) })
	return c.definite().spectrum(values(k*k, func(i int) float64 { return one.Eigenvalues[i/k] + one.Eigenvalues[i%k] })...)
}
