package bound

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// masks say which values of the data were observed, and how well. Channels that miss the same values, with
// the same errors, share a version. Every version is a matrix of weights ω, n_ξ×n_s: the precision of an observed
// value around f, β, or 1/(β⁻¹ + e²) for one of known standard error e, and 0 for a missing one. Where no errors are
// known a version is bits.
//
// Columns of all versions are numbered one version after the other: column v·n_s + p is point p in version v.
type masks struct {
	examples, points int
	version          []int        // of each channel
	channels         [][]int      // of each version
	bits             [][]uint64   // of each version, example by example, from a new word each; bit p: observed
	words            int          // of an example
	squares          [][]float64  // of each version, e², n_ξ·n_s; nil: all 0
	count            []int        // observed values of each version, in one channel
	y                []mat.Matrix // of each channel, n_ξ×n_s, 0 where missing
}

// newMasks reads data at the points of a grid.
func newMasks(ctx context.Context, y *data.Scaled, x field.Grid) (*masks, error) {
	n, points, channels := y.Examples, y.Points, y.Channels
	m := &masks{examples: n, points: points, words: (points + 63) / 64, version: make([]int, channels)}
	var squares [][]float64
	for range channels {
		m.y = append(m.y, mat.New(n, points))
		m.bits = append(m.bits, make([]uint64, n*m.words))
		if y.Errors != nil {
			squares = append(squares, make([]float64, n*points))
		}
	}
	err := eachSlab(ctx, y, x, func(slab kronprod.Tensor, from int) error {
		count := slab.Dims[0]
		mat.Parallel(count*channels, func(k int) {
			i, c := from+k/channels, k%channels
			row, seen := m.y[c].Row(i), m.bits[c][i*m.words:]
			for p, v := range slab.Data[k*points : (k+1)*points] {
				if v == v {
					row[p] = v
					seen[p/64] |= 1 << (p % 64)
				}
			}
		})
		return nil
	})
	if err != nil {
		return nil, err
	}
	if y.Errors != nil {
		if err := m.readErrors(ctx, y, squares); err != nil {
			return nil, err
		}
	}
	m.share(squares)
	return m, nil
}

// readErrors sets squares to those of the standard errors of observed values.
func (m *masks) readErrors(ctx context.Context, y *data.Scaled, squares [][]float64) error {
	channels := y.Channels
	return y.EachErrors(func(slab []float64, from int) error {
		for k := 0; k*y.Size() < len(slab); k++ {
			for p := range m.points {
				for c := range channels {
					if m.seen(c, from+k, p) {
						v := slab[k*y.Size()+p*channels+c]
						squares[c][(from+k)*m.points+p] = v * v
					}
				}
			}
		}
		return ctx.Err()
	})
}

// share makes versions of the channels' own masks.
func (m *masks) share(squares [][]float64) {
	own := m.bits
	m.bits = nil
	for c := range own {
		if squares != nil && !slices.ContainsFunc(squares[c], func(v float64) bool { return v > 0 }) {
			squares[c] = nil
		}
	}
	for c := range own {
		at := -1
		for v, first := range m.channels {
			same := slices.Equal(own[first[0]], own[c])
			if squares != nil {
				same = same && slices.Equal(squares[first[0]], squares[c])
			}
			if same {
				at = v
				break
			}
		}
		if at < 0 {
			at = len(m.channels)
			m.channels = append(m.channels, nil)
			m.bits = append(m.bits, own[c])
			var e []float64
			if squares != nil {
				e = squares[c]
			}
			m.squares = append(m.squares, e)
			count := 0
			for _, w := range own[c] {
				count += bits.OnesCount64(w)
			}
			m.count = append(m.count, count)
		}
		m.version[c] = at
		m.channels[at] = append(m.channels[at], c)
	}
}

// seen reports whether version v has a value of example i at point p.
func (m *masks) seen(v, i, p int) bool { return m.bits[v][i*m.words+p/64]>>(p%64)&1 != 0 }

// versions returns their number.
func (m *masks) versions() int { return len(m.channels) }

// columns returns how many columns all versions have.
func (m *masks) columns() int { return m.versions() * m.points }

// slope of a weight in β, where the weights themselves are asked for otherwise.
type weighing int

const (
	weights      weighing = iota // ω
	weightSlopes                 // ∂ω/∂β = (ω/β)²
)

// fill sets dst (n_ξ×(to−from)) to the weights in the columns from ≤ k < to.
func (m *masks) fill(dst mat.Matrix, from, to int, beta float64, what weighing) {
	whole := beta
	if what == weightSlopes {
		whole = 1
	}
	mat.Parallel(m.examples, func(i int) {
		row := dst.Row(i)
		for k := from; k < to; {
			v, p := k/m.points, k%m.points
			last := min(m.points, p+to-k)
			seen, into := m.bits[v][i*m.words:(i+1)*m.words], row[k-from:]
			squares := m.squares[v]
			for j := p; j < last; j++ {
				switch {
				case seen[j/64]>>(j%64)&1 == 0:
					into[j-p] = 0
				case squares == nil:
					into[j-p] = whole
				default:
					w := 1 / (1/beta + squares[i*m.points+j])
					if what == weightSlopes {
						w = w * w / (beta * beta)
					}
					into[j-p] = w
				}
			}
			k += last - p
		}
	})
}

// logWeights returns Σ log ω of version v, weights' slopes in it: Σ (∂ω/∂β)/ω, and n_o.
func (m *masks) logWeights(v int, beta float64) (sum, slope float64) {
	squares := m.squares[v]
	if squares == nil {
		return float64(m.count[v]) * math.Log(beta), float64(m.count[v]) / beta
	}
	for i := range m.examples {
		for p := range m.points {
			if m.seen(v, i, p) {
				w := 1 / (1/beta + squares[i*m.points+p])
				sum += math.Log(w)
				slope += w / (beta * beta)
			}
		}
	}
	return sum, slope
}
