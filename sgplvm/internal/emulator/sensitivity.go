package emulator

import (
	"context"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
)

// A Sensitivity tells how much of the variance of outputs inputs explain: of coordinates p, of which any linear function vᵀp has the variance vᵀ·Total·v, of which
// vᵀ·First·v goes away when an input becomes known, and vᵀ·All·v remains when all others are known.
type Sensitivity struct {
	Factors []Factor
	Total   mat.Matrix // J×J, times the deviations of coordinates like the others
}

// A Factor is an input: a column of the table, or a field as a whole.
type Factor struct {
	Name       string
	Field      bool
	First, All mat.Matrix
}

// Points are sampled in blocks of blockPoints, which bounds memory.
const blockPoints = 1024

// Sensitivity returns the covariances of the emulator's means under a prior, from count points: f(A), f(B), and for each input f(A) with that input from B
// (Saltelli and others 2010). A and B are the halves of a lattice's points. Errors: those of ctx.
func (m *Model) Sensitivity(ctx context.Context, prior *Prior, count int, seed uint64) (*Sensitivity, error) {
	s := &Sensitivity{Total: mat.New(m.P.Cols, m.P.Cols)}
	groups := s.factors(m, prior)
	modes := m.P.Cols
	mean, _ := m.Predict(prior.Spread(min(count, blockPoints), seed))
	centreOf := centre(mean)
	points := newLattice(2*prior.Width(), count, seed)
	for from := 0; from < count; from += blockPoints {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n := min(blockPoints, count-from)
		u := points.points(from, n)
		a, b := u.Slice(0, n, 0, prior.Width()), u.Slice(0, n, prior.Width(), u.Cols)
		fa, fb := m.coordinatesAt(prior.Draw(a), centreOf), m.coordinatesAt(prior.Draw(b), centreOf)
		mat.Mul(s.Total, 0.5/float64(count), fa.T(), fa, 1)
		mat.Mul(s.Total, 0.5/float64(count), fb.T(), fb, 1)
		for q, group := range groups {
			c := a.Clone()
			for _, k := range group {
				mat.Copy(c.Slice(0, n, k, k+1), b.Slice(0, n, k, k+1))
			}
			changed := m.coordinatesAt(prior.Draw(c), centreOf)
			mat.Add(changed, changed, -1, fa)
			f := &s.Factors[q]
			mat.Mul(f.First, 1/float64(count), fb.T(), changed, 1)
			mat.Mul(f.All, 0.5/float64(count), changed.T(), changed, 1)
		}
	}
	scale := m.Deviations
	all := []mat.Matrix{s.Total}
	for _, f := range s.Factors {
		all = append(all, f.First, f.All)
	}
	for _, c := range all {
		symmetric := c.Clone()
		for i := range modes {
			for j := range modes {
				c.Set(i, j, 0.5*scale[i]*scale[j]*(symmetric.At(i, j)+symmetric.At(j, i)))
			}
		}
	}
	return s, nil
}

// factors sets the inputs, and returns the columns of the unit cube that each has.
func (s *Sensitivity) factors(m *Model, prior *Prior) (groups [][]int) {
	axis, modes := 0, m.P.Cols
	add := func(name string, field bool, group []int) {
		s.Factors = append(s.Factors, Factor{name, field, mat.New(modes, modes), mat.New(modes, modes)})
		groups = append(groups, group)
	}
	label := len(prior.axes)
	for q := range m.Encodings {
		e := &m.Encodings[q]
		switch {
		case e.Width() == 0:
		case e.Levels == nil:
			add(e.Name, false, []int{axis})
			axis++
		default:
			add(e.Name, false, []int{label})
			label++
		}
	}
	if m.Fields != nil {
		var group []int
		for ; axis < len(prior.axes); axis++ {
			group = append(group, axis)
		}
		add("field", true, group)
	}
	return groups
}

// coordinatesAt returns the means of coordinates at rows of ξ, less some numbers.
func (m *Model) coordinatesAt(x mat.Matrix, less []float64) mat.Matrix {
	mean := mat.New(x.Rows, m.P.Cols)
	m.process.predict(mean, mat.Matrix{}, x)
	for i := range mean.Rows {
		asm.Axpy(-1, less, mean.Row(i))
	}
	return mean
}

// Of sets first and all to the shares of the variances of v·p that an input explains alone, and that it has a part in, for each row v; 0 where nothing varies.
func (s *Sensitivity) Of(f *Factor, v mat.Matrix, first, all []float64) {
	const block = 4096
	mat.Parallel((v.Rows+block-1)/block, func(b int) {
		from, to := b*block, min(v.Rows, (b+1)*block)
		v := v.Slice(from, to, 0, v.Cols)
		vc, total := mat.New(v.Rows, v.Cols), make([]float64, v.Rows)
		for k, c := range []mat.Matrix{s.Total, f.First, f.All} {
			mat.Mul(vc, 1, v, c, 0)
			for i := range total {
				form := asm.Dot(vc.Row(i), v.Row(i))
				switch known := total[i] > negligible*asm.SumSquares(v.Row(i))*mat.NormMax(s.Total); {
				case k == 0:
					total[i] = form
				case known && k == 1:
					first[from+i] = form / total[i]
				case known:
					all[from+i] = form / total[i]
				}
			}
		}
	})
}

// Whole returns the shares of the variance summed over all points and channels, in units of the channels' deviations.
func (s *Sensitivity) Whole(f *Factor) (first, all float64) {
	total := mat.Trace(s.Total)
	if !(total > 0) {
		return 0, 0
	}
	return mat.Trace(f.First) / total, mat.Trace(f.All) / total
}

// Means returns, a row a channel, what makes the mean over the points of coordinates, less a constant and in deviations of the channel.
func (m *Model) Means() mat.Matrix {
	channels := len(m.Scaler.Mean)
	v := mat.New(channels, m.V.Cols)
	for i := range m.V.Rows {
		asm.Axpy(1/float64(m.Points), m.V.Row(i), v.Row(i%channels))
	}
	return v
}

// Share returns how much of the variance of the outputs over the prior a component has.
func (s *Sensitivity) Share(j int) float64 {
	return s.Total.At(j, j) / max(mat.Trace(s.Total), tiny)
}
