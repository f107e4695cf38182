package film

import (
	"cmp"
	"encoding/json"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// An errorLaw is how the errors of a predicted frame are correlated over its pixels: what errors seen at some
// of them say about those at others. An error e(s) of variance V(s) in a picture with the mean m(s) has
//
//	corr(e(s), e(s′)) = k(s, s′)/√(k(s, s)·k(s′, s′))
//	k(s, s′) = White·[s = s′] + r(h/Near) + Broad·r(h/Far) + Shift·g(s)ᵀg(s′)·r(h/Reach),  h = ‖s − s′‖
//
// with r the Matérn 3/2 correlation, and g = ∇m/√V: the last term is what a displacement that is wrong by a smooth
// field makes of edges. Errors of one frame are larger or smaller together, as under a multivariate Student
// distribution with Freedom degrees of freedom. Distances are in pixels of training, channels are alike.
type errorLaw struct {
	White, Near, Broad, Far, Shift, Reach, Freedom float64
}

// plainErrors is the law where none was learned.
var plainErrors = errorLaw{White: 0.1, Near: 2, Broad: 0.3, Far: 10, Shift: 0.3, Reach: 10, Freedom: 20}

// A site is a pixel of a predicted frame: its column and row, and g there.
type site struct {
	x, y   int
	gx, gy float64
}

// own returns k(s, s).
func (l *errorLaw) own(s site) float64 {
	return l.White + 1 + l.Broad + l.Shift*(s.gx*s.gx+s.gy*s.gy)
}

// between returns k(s, s′) of different sites h apart without the term of displacements, and what that is in units of g(s)ᵀg(s′).
func (l *errorLaw) between(h float64) (plain, shift float64) {
	plain = matern32(h/l.Near) + l.Broad*matern32(h/l.Far)
	if l.Shift > 0 {
		shift = l.Shift * matern32(h/l.Reach)
	}
	return plain, shift
}

func matern32(h float64) float64 {
	h *= math.Sqrt(3)
	return (1 + h) * math.Exp(-h)
}

// roots returns 1/√k(s, s) of some sites.
func (l *errorLaw) roots(sites []site) []float64 {
	root := make([]float64, len(sites))
	for i, s := range sites {
		root[i] = 1 / math.Sqrt(l.own(s))
	}
	return root
}

// lags are what between returns of pixels so many columns and rows apart, which few numbers say of all pairs of pixels.
type lags struct {
	law   *errorLaw
	width int
	pairs []lag // row by row
}

type lag struct{ plain, shift float64 }

// lags returns those in a frame of width×height pixels, each unitX×unitY pixels of training.
func (l *errorLaw) lags(width, height int, unitX, unitY float64) *lags {
	g := &lags{l, width, make([]lag, width*height)}
	mat.Parallel(height, func(y int) {
		for x := range width {
			plain, shift := l.between(math.Hypot(float64(x)*unitX, float64(y)*unitY))
			g.pairs[y*width+x] = lag{plain, shift}
		}
	})
	return g
}

// of returns that of two sites.
func (g *lags) of(s, t site) lag {
	x, y := s.x-t.x, s.y-t.y
	return g.pairs[max(y, -y)*g.width+max(x, -x)]
}

// correlations sets dst to the correlations between some sites and others, none of them the same.
func (g *lags) correlations(dst mat.Matrix, of, with []site) {
	own, root := g.law.roots(of), g.law.roots(with)
	for i, s := range of {
		row := dst.Row(i)
		for j, t := range with {
			k := g.of(s, t)
			row[j] = own[i] * root[j] * (k.plain + k.shift*(s.gx*t.gx+s.gy*t.gy))
		}
	}
}

// distances sets the lower triangles of plain and shift to the lags of some sites, which are a matter of
// where they are alone.
func (g *lags) distances(plain, shift mat.Matrix, sites []site) {
	for i, s := range sites {
		p, q := plain.Row(i), shift.Row(i)
		for j, t := range sites[:i] {
			k := g.of(s, t)
			p[j], q[j] = k.plain, k.shift
		}
	}
}

// among sets the lower triangle of dst to the correlations of some sites with one another, given their distances.
func (l *errorLaw) among(dst, plain, shift mat.Matrix, sites []site) {
	root := l.roots(sites)
	for i, s := range sites {
		row, p, q := dst.Row(i), plain.Row(i), shift.Row(i)
		row[i] = 1 + 1e-9 // against rounding
		for j, t := range sites[:i] {
			row[j] = root[i] * root[j] * (p[j] + q[j]*(s.gx*t.gx+s.gy*t.gy))
		}
	}
}

// Encode returns the law as JSON text, to the bit.
func (l *errorLaw) Encode() ([]byte, error) { return json.Marshal(l) }

// Decode is that of frame.Part.
func (l *errorLaw) Decode(text []byte) error {
	var t errorLaw
	if err := json.Unmarshal(text, &t); err != nil {
		return frame.BadPart("errors", "%v", err)
	}
	err := cmp.Or(frame.CheckNumbers("errors", "part", 0, frame.MaxNumber, t.White, t.Broad, t.Shift),
		frame.CheckNumbers("errors", "length", 1e-3, frame.MaxNumber, t.Near, t.Far, t.Reach), frame.CheckNumbers("errors", "degrees of freedom", 2.001, frame.MaxNumber, t.Freedom))
	if err != nil {
		return err
	}
	*l = t
	return nil
}

// Check is that of frame.Part: the law fits frames of any shape.
func (l *errorLaw) Check(frame.Shape) error { return nil }
