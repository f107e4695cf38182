package bound

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"sort"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// A mirrored space is that of functions on points that reflections take to themselves, as a sum of those of each parity
// p: even or odd under each reflection. With χ_p(g) = (−1)^|p∩g| the function of orbit a and parity p is
//
//	e_a(x) = χ_p(g)/√|a|   where x = g·a,   and 0 elsewhere
//
// S has them as columns. A matrix A that no reflection changes, as that of a stationary kernel, has SᵀAS = diag(A_p), and its
// decompositions are those of the blocks A_p (Cantoni and Butler, 1976; docs/math.md, "Mirrored points").
type mirrored struct {
	*data.Mirrors
	parities []parity // those that any function has
}

// A parity is a block.
type parity struct {
	signs  []float64 // χ_p of each g
	orbits []int     // those that have a function of it
	block  []int     // of each orbit its number in the block, −1 where it has no such function
}

// fewestMirrored is how many points are worth blocks; fewer are decomposed as a whole. Tests change it.
var fewestMirrored = 64

// newMirrored returns the mirrored space of points x (n×d), nil where there is none.
func newMirrored(x mat.Matrix) *mirrored {
	if x.Rows < fewestMirrored {
		return nil
	}
	m := &mirrored{Mirrors: data.FindMirrors(x)}
	if m.Mirrors == nil {
		return nil
	}
	for odd := range m.Orbits[0] {
		p := parity{signs: make([]float64, len(m.Orbits[0]))}
		for g := range p.signs {
			p.signs[g] = character(odd, g)
		}
		for a, points := range m.Orbits {
			at := -1
			if !slices.ContainsFunc(stabiliser(points), func(g int) bool { return p.signs[g] < 0 }) {
				at = len(p.orbits)
				p.orbits = append(p.orbits, a)
			}
			p.block = append(p.block, at)
		}
		if len(p.orbits) > 0 {
			m.parities = append(m.parities, p)
		}
	}
	return m
}

// stabiliser returns the reflections that leave the first point of an orbit where it is.
func stabiliser(orbit []int) (all []int) {
	for g, i := range orbit {
		if i == orbit[0] {
			all = append(all, g)
		}
	}
	return all
}

// character is χ_p(g).
func character(p, g int) float64 {
	if bits.OnesCount(uint(p&g))%2 == 1 {
		return -1
	}
	return 1
}

// fold sets dst to the block of parity p of a matrix that no reflection changes, of which it reads the rows of first points.
func (m *mirrored) fold(dst *mat.Matrix, a mat.Matrix, p parity) {
	work.Resize(dst, len(p.orbits), len(p.orbits))
	group := float64(len(m.Orbits[0]))
	mat.Parallel(len(p.orbits), func(i int) {
		to, row, own := dst.Row(i), a.Row(m.Orbits[p.orbits[i]][0]), float64(m.Sizes[p.orbits[i]])
		for j, b := range p.orbits[:i+1] {
			var sum float64
			for g, at := range m.Orbits[b] {
				sum += p.signs[g] * row[at]
			}
			to[j] = sum * math.Sqrt(own*float64(m.Sizes[b])) / group
		}
	})
	mat.MirrorLower(*dst)
}

// unfold sets dst (n×n) to S·diag(blocks)·Sᵀ.
func (m *mirrored) unfold(dst mat.Matrix, blocks []mat.Matrix) {
	mat.Parallel(len(m.Orbits), func(a int) {
		var room [1 << data.MostMirrors]float64
		var rows [len(room)][]float64
		sums := room[:len(m.Orbits[a])] // by the product of what takes both points to theirs
		for g, i := range m.Orbits[a] {
			rows[g] = dst.Row(i)
		}
		for b, points := range m.Orbits {
			clear(sums)
			scale := 1 / math.Sqrt(float64(m.Sizes[a]*m.Sizes[b]))
			for k := range m.parities {
				p := &m.parities[k]
				if i, j := p.block[a], p.block[b]; i >= 0 && j >= 0 {
					v := blocks[k].Row(i)[j] * scale
					for g, sign := range p.signs {
						sums[g] += sign * v
					}
				}
			}
			for g := range sums {
				row := rows[g]
				for h, j := range points {
					row[j] = sums[g^h]
				}
			}
		}
	})
}

// A mirroredBasis is an eigenbasis by blocks.
type mirroredBasis struct {
	space  *mirrored
	blocks []eig.Spectrum // of each parity
	place  [][]int        // of each parity: where its eigenvalues are among all

	order       []blockValue // room
	part, inner []mat.Matrix
}

// A blockValue is an eigenvalue of a block.
type blockValue struct {
	value          float64
	parity, number int
}

// set has decompose solve the block of each parity, and puts the spectra together in dst, eigenvalues in ascending order.
func (b *mirroredBasis) set(dst *eig.Spectrum, space *mirrored, decompose func(number int, p parity, dst *eig.Spectrum) error) error {
	b.space = space
	parities, n := space.parities, len(space.Orbit)
	b.blocks = slices.Grow(b.blocks[:0], len(parities))[:len(parities)]
	failures := make([]error, len(parities))
	mat.Parallel(len(parities), func(k int) { failures[k] = decompose(k, parities[k], &b.blocks[k]) })
	if err := cmp.Or(failures...); err != nil {
		return err
	}
	b.order, b.place = b.order[:0], slices.Grow(b.place[:0], len(parities))[:len(parities)]
	for k, s := range b.blocks {
		b.place[k] = slices.Grow(b.place[k][:0], len(s.Values))[:len(s.Values)]
		for j, v := range s.Values {
			b.order = append(b.order, blockValue{v, k, j})
		}
	}
	sort.SliceStable(b.order, func(v, w int) bool { return cmp.Less(b.order[v].value, b.order[w].value) })
	dst.Values = work.Grown(dst.Values, n)
	for at, v := range b.order {
		dst.Values[at], b.place[v.parity][v.number] = v.value, at
	}
	work.Resize(&dst.Vectors, n, n)
	mat.Parallel(n, func(i int) {
		row := dst.Vectors.Row(i)
		clear(row)
		for k, p := range parities {
			if at, scale := space.at(p, i); at >= 0 {
				for j, v := range b.blocks[k].Vectors.Row(at) {
					row[b.place[k][j]] = scale * v
				}
			}
		}
	})
	return nil
}

// congruence sets dst to what no reflection changes of V·inner·Vᵀ, all n×n, with inner symmetric: all of it that
// derivatives in a stationary kernel's parameters count.
func (b *mirroredBasis) congruence(dst, inner mat.Matrix) {
	b.part, b.inner = slices.Grow(b.part[:0], len(b.blocks))[:len(b.blocks)], slices.Grow(b.inner[:0], len(b.blocks))[:len(b.blocks)]
	mat.Parallel(len(b.blocks), func(k int) {
		v, own, half, block := b.blocks[k].Vectors, b.place[k], &b.part[k], &b.inner[k]
		work.Resize(half, len(own), len(own))
		work.Resize(block, len(own), len(own))
		work.Submatrix(*block, inner, own, own)
		mat.Mul(*half, 1, v, *block, 0)
		mat.MulSym(*block, 1, *half, v.T(), 0)
		mat.MirrorLower(*block)
	})
	b.space.unfold(dst, b.inner)
}

// times returns the blocks of a·V, with an a (n×n) that no reflection changes.
func (b *mirroredBasis) times(a mat.Matrix) []mat.Matrix {
	products := make([]mat.Matrix, len(b.blocks))
	mat.Parallel(len(products), func(k int) {
		var own mat.Matrix
		b.space.fold(&own, a, b.space.parities[k])
		products[k] = mat.New(own.Rows, own.Rows)
		mat.Mul(products[k], 1, own, b.blocks[k].Vectors, 0)
	})
	return products
}

// whole sets dst to B·inner·Bᵀ, all n×n, where the B of blocks has the columns of the basis and inner is symmetric.
func (b *mirroredBasis) whole(dst, inner mat.Matrix, blocks []mat.Matrix) {
	half, lines := mat.New(dst.Rows, dst.Rows), mat.New(dst.Rows, dst.Rows)
	b.apply(half, blocks, inner)
	mat.Copy(lines, half.T())
	b.apply(dst, blocks, lines)
	mat.MirrorLower(dst)
}

// apply sets dst to B·a, both n×n.
func (b *mirroredBasis) apply(dst mat.Matrix, blocks []mat.Matrix, a mat.Matrix) {
	m := b.space
	products := make([]mat.Matrix, len(blocks))
	for k, own := range b.place {
		products[k] = mat.New(len(own), a.Cols)
		mat.Mul(products[k], 1, blocks[k], work.Gather(a, own), 0)
	}
	mat.Parallel(dst.Rows, func(i int) {
		row := dst.Row(i)
		clear(row)
		for k, p := range m.parities {
			if at, scale := m.at(p, i); at >= 0 {
				asm.Axpy(scale, products[k].Row(at), row)
			}
		}
	})
}

// at returns the function of a parity that is not 0 at point i, −1 where there is none, and its value there.
func (m *mirrored) at(p parity, i int) (function int, value float64) {
	orbit := m.Orbit[i]
	return p.block[orbit], p.signs[m.By[i]] / math.Sqrt(float64(m.Sizes[orbit]))
}
