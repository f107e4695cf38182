package reference

import (
	"math/rand/v2"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// A Twin is a model that must say the same as another one of the same things. Both are without a
// scaler.
type Twin struct {
	*Model
	Point, Channel []int     // where the other's points and channels are
	Latent         []int     // which of the other's latent dimensions each one is
	Mirror         []float64 // signs of the latent coordinates
	Sign           float64   // of the data
}

// Twins are changes that make one, by name, of models with independent examples and white noise.
var Twins = map[string]func(rng *rand.Rand, m *Model) Twin{
	"examples permuted":              permuteExamples,
	"latent dimensions permuted":     permuteLatent,
	"a latent dimension reflected":   reflectLatent,
	"inducing points permuted":       permuteInducing,
	"space translated":               translateSpace,
	"data negated":                   negateData,
	"channels permuted":              permuteChannels,
	"points permuted":                permutePoints,
	"last spatial factor first":      rotateFactors,
	"variance moved between kernels": moveVariance,
}

// twin returns a twin of m with other parts, everything where it was.
func (m *Model) twin(space field.Grid, p *bound.Params, y mat.Matrix) Twin {
	return Twin{
		Model: &Model{Params: p, Space: space, Y: y, Jitter: m.Jitter, Scaler: Unscaled(y.Cols), Seed: m.Seed},
		Point: identity(space.Len()), Channel: identity(y.Cols), Latent: identity(p.X.Mu.Cols), Mirror: work.Ones(p.X.Mu.Cols), Sign: 1,
	}
}

// Rebuilt returns the model with other parts and without a scaler.
func (m *Model) Rebuilt(space field.Grid, p *bound.Params, y mat.Matrix) *Model {
	return m.twin(space, p, y).Model
}

// Permuted returns the given rows and columns of a; nil: all in order.
func Permuted(a mat.Matrix, rows, cols []int) mat.Matrix {
	if rows == nil {
		rows = identity(a.Rows)
	}
	if cols == nil {
		cols = identity(a.Cols)
	}
	b := mat.New(len(rows), len(cols))
	for i, from := range rows {
		for j, column := range cols {
			b.Set(i, j, a.At(from, column))
		}
	}
	return b
}

func identity(n int) []int {
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	return p
}

// inverted returns the inverse permutation.
func inverted(p []int) []int {
	q := make([]int, len(p))
	for i, j := range p {
		q[j] = i
	}
	return q
}

func permuteExamples(rng *rand.Rand, m *Model) Twin {
	p, ns := m.Params.Clone(), m.Space.Len()
	order := rng.Perm(m.Examples())
	p.X.Mu, p.X.S = Permuted(p.X.Mu, order, nil), Permuted(p.X.S, order, nil)
	var rows []int
	for _, i := range order {
		for j := range ns {
			rows = append(rows, i*ns+j)
		}
	}
	return m.twin(m.Space, p, Permuted(m.Y, rows, nil))
}

func permuteLatent(rng *rand.Rand, m *Model) Twin {
	p := m.Params.Clone()
	order := rng.Perm(p.X.Mu.Cols)
	p.X.Mu, p.X.S, p.Z = Permuted(p.X.Mu, nil, order), Permuted(p.X.S, nil, order), Permuted(p.Z, nil, order)
	for q, from := range order {
		for i, part := range p.Latent.Parts {
			switch old := m.Params.Latent.Parts[i].(type) {
			case *psi.RBF:
				part.(*psi.RBF).LengthScale[q] = old.LengthScale[from]
			case *psi.Linear:
				part.(*psi.Linear).Variance[q] = old.Variance[from]
			}
		}
	}
	t := m.twin(m.Space, p, m.Y)
	t.Latent = order
	return t
}

func reflectLatent(rng *rand.Rand, m *Model) Twin {
	p := m.Params.Clone()
	mirror := work.Ones(p.X.Mu.Cols)
	mirror[rng.IntN(len(mirror))] = -1
	mat.ScaleCols(p.X.Mu, p.X.Mu, mirror)
	mat.ScaleCols(p.Z, p.Z, mirror)
	t := m.twin(m.Space, p, m.Y)
	t.Mirror = mirror
	return t
}

func permuteInducing(rng *rand.Rand, m *Model) Twin {
	p := m.Params.Clone()
	p.Z = Permuted(p.Z, rng.Perm(p.Z.Rows), nil)
	for f := range p.Space {
		u := p.Space[f].Xu
		p.Space[f].Xu = Permuted(u, rng.Perm(u.Rows), nil)
	}
	return m.twin(m.Space, p, m.Y)
}

func translateSpace(rng *rand.Rand, m *Model) Twin {
	p := m.Params.Clone()
	var space field.Grid
	for f, x := range m.Space {
		move := make([]float64, x.Cols)
		for q := range move {
			move[q] = float64(rng.IntN(200) - 100)
		}
		space = append(space, moved(x, move))
		p.Space[f].Xu = moved(p.Space[f].Xu, move)
	}
	return m.twin(space, p, m.Y)
}

// moved returns the points x, each moved by move.
func moved(x mat.Matrix, move []float64) mat.Matrix {
	x = x.Clone()
	for i := range x.Rows {
		for q, v := range move {
			x.Row(i)[q] += v
		}
	}
	return x
}

func negateData(_ *rand.Rand, m *Model) Twin {
	y := m.Y.Clone()
	mat.Scale(y, -1, y)
	t := m.twin(m.Space, m.Params.Clone(), y)
	t.Sign = -1
	return t
}

func permuteChannels(rng *rand.Rand, m *Model) Twin {
	order := rng.Perm(m.Channels())
	t := m.twin(m.Space, m.Params.Clone(), Permuted(m.Y, nil, order))
	t.Channel = inverted(order)
	return t
}

func permutePoints(rng *rand.Rand, m *Model) Twin {
	p := m.Params.Clone()
	var space field.Grid
	points := []int{0} // which of the other's points stands at each place
	for _, x := range m.Space {
		order := rng.Perm(x.Rows)
		space = append(space, Permuted(x, order, nil))
		var next []int
		for _, base := range points {
			for _, i := range order {
				next = append(next, base*x.Rows+i)
			}
		}
		points = next
	}
	var all []int
	for i := range m.Examples() {
		for _, j := range points {
			all = append(all, i*len(points)+j)
		}
	}
	t := m.twin(space, p, Permuted(m.Y, all, nil))
	t.Point = inverted(points)
	return t
}

func rotateFactors(_ *rand.Rand, m *Model) Twin {
	p := m.Params.Clone()
	k := len(m.Space) - 1
	space := append(field.Grid{m.Space[k]}, m.Space[:k]...)
	p.Space = append([]bound.Spatial{p.Space[k]}, p.Space[:k]...)
	nk, others := m.Space[k].Rows, m.Space.Len()/m.Space[k].Rows
	place := make([]int, nk*others)
	for j := range place {
		place[j] = j%nk*others + j/nk
	}
	y := mat.New(m.Y.Rows, m.Y.Cols)
	for i := range y.Rows {
		copy(y.Row(i-i%len(place)+place[i%len(place)]), m.Y.Row(i))
	}
	t := m.twin(space, p, y)
	t.Point = place
	return t
}

func moveVariance(_ *rand.Rand, m *Model) Twin {
	p := m.Params.Clone()
	for _, part := range p.Latent.Parts {
		switch part := part.(type) {
		case *psi.RBF:
			part.Variance *= 3
		case *psi.Linear:
			for q := range part.Variance {
				part.Variance[q] *= 3
			}
		case *psi.Bias:
			part.Variance *= 3
		}
	}
	p.Space[0].Kernel.Variance /= 3
	return m.twin(m.Space, p, m.Y)
}
