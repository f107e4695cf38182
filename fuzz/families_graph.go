package fuzz

import (
	"math"
	"math/bits"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Laplacians of graphs, degree less adjacency: integers, positive semidefinite, and rows that sum to 0 (Chung, Spectral Graph
// Theory, 1997).
var graphFamilies = []row{
	// Eigenvalues 2-2cos(πk/n), k = 0 … n-1.
	{"path", nil, fixed(func(n int) Case {
		c := laplacian("path", n, func(i, j int) bool { return i-j == 1 })
		return connected(c.spectrumOf(func(k int) float64 {
			sin := math.Sin(math.Pi * float64(k) / float64(2*n))
			return 4 * sin * sin
		}))
	})},

	// 2-2cos(2πk/n), each but the first (and, for even n, the last) twice.
	{"cycle", nil, fixed(func(n int) Case {
		c := laplacian("cycle", n, func(i, j int) bool { return i-j == 1 || i-j == n-1 && n > 2 })
		if n < 3 {
			return connected(c)
		}
		return connected(c.spectrumOf(func(k int) float64 {
			sin := math.Sin(math.Pi * float64(min(k, n-k)) / float64(n))
			return 4 * sin * sin
		}))
	})},

	{"complete graph", nil, fixed(completeGraph)},

	// n-1 nodes joined to the first: 0, 1, n-2 times, and n.
	{"star", from(2), fixed(func(n int) Case {
		c := laplacian("star", n, func(i, j int) bool { return j == 0 })
		return connected(c.spectrum(append(slices.Repeat([]float64{1}, n-2), 0, float64(n))...))
	})},

	// The cube with n = 2^d corners: 2k, C(d, k) times.
	{"hypercube", power, fixed(func(n int) Case {
		c := laplacian("hypercube", n, func(i, j int) bool { return bits.OnesCount(uint(i^j)) == 1 })
		return connected(c.spectrumOf(func(k int) float64 { return float64(2 * bits.OnesCount(uint(k))) }))
	})},

	// p nodes each joined to q others: 0, p+q, p, q-1 times, and q, p-1 times.
	{"complete bipartite graph", from(2), fixed(func(n int) Case {
		p, q := n/2, n-n/2
		c := laplacian("complete bipartite graph", n, func(i, j int) bool { return i >= p && j < p })
		return connected(c.spectrum(slices.Concat([]float64{0, float64(n)},
			slices.Repeat([]float64{float64(p)}, q-1), slices.Repeat([]float64{float64(q)}, p-1))...))
	})},

	// Of any tree, each cofactor is 1 (Kirchhoff 1847).
	{"tree", nil, func(s *Source, n int) Case {
		parent := parents(s, n)
		return connected(laplacian("tree", n, func(i, j int) bool { return parent[j] == i }))
	}},

	{"random graph", nil, randomGraph},
	{"cliques", nil, fixed(cliques)},

	// The five-point Laplacian on a k×k grid with the boundary at 0 (Golub and Van Loan, Matrix Computations, section 4.8): order
	// k², eigenvalues 4sin²(iπ/(2k+2)) + 4sin²(jπ/(2k+2)).
	{"Poisson", perfectSquare, fixed(func(n int) Case {
		k := root(n)
		one := secondDifference(k)
		a, b := NaiveKron(one.A, mat.Identity(k)), NaiveKron(mat.Identity(k), one.A)
		c := entries("Poisson", n, func(i, j int) float64 { return a.At(i, j) + b.At(i, j) })
		return c.definite().spectrumOf(func(i int) float64 { return one.Eigenvalues[i/k] + one.Eigenvalues[i%k] })
	})},
}

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
	c := entries(name, n, a.At)
	if n > 0 {
		c = c.claiming(Singular | Semidefinite)
	}
	return c
}

// connected adds that the graph is: the rank is n-1.
func connected(c Case) Case { return c.ranked(max(c.A.Rows-1, 0)) }

// completeGraph returns the Laplacian n·I - ones: 0, and n, n-1 times.
func completeGraph(n int) Case {
	c := laplacian("complete graph", n, func(i, j int) bool { return true })
	return connected(c.spectrumOf(func(k int) float64 { return float64(n * min(k, 1)) }))
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

// randomGraph returns the Laplacian of a graph with each edge there or not, about three at a node; it may fall apart (Gilbert,
// Ann. Math. Statist. 30, 1959).
func randomGraph(s *Source, n int) Case {
	return laplacian("random graph", n, func(i, j int) bool { return s.Float64()*float64(n) < 3 })
}

// cliques returns the adjacency matrix of two complete graphs of n/2 nodes with one edge between them: eigenvalues -1, many times
// (Brouwer and Haemers, Spectra of Graphs, 2012).
func cliques(n int) Case {
	h := n / 2
	return entries("cliques", n, func(i, j int) float64 {
		return is(i != j && ((i < h) == (j < h) || min(i, j) == 0 && max(i, j) == h))
	})
}
