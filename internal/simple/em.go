package simple

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
)

// factors are a model of examples: y_j = μ_j + s_j·(m_j + w_jᵀz + ε_j) with z ~ N(0, I) and ε_j ~ N(0, ψ_j), where μ_j and s_j are the mean and the
// standard deviation of what was observed of column j.
type factors struct {
	mean  []float64  // m
	w     mat.Matrix // p×q
	noise []float64  // ψ
}

// em is the expectation-maximisation algorithm for factors.
type em struct {
	d     Data
	m     *moments
	sd    []float64
	slabs []slab
	model factors
	z     mat.Matrix // n×(q+1): E[(z, 1)]
}

// A slab is some examples in a row, which are worked on at once; those of which the same is missing are a group.
type slab struct {
	from, to int
	groups   [][]int
}

const (
	block       = 64 // columns that are maximised over at once
	noiseWeight = 10 // observed values for which the noise of all columns counts in that of one
)

// slabSize is how many examples of p columns are worked on at once.
var slabSize = func(p int) int { return max(256, 1<<18/p) }

func newEM(d Data, m *moments) *em {
	n, p := d.Y.Rows, d.Y.Cols
	e := &em{d: d, m: m, sd: make([]float64, p), model: factors{make([]float64, p), mat.New(p, 0), make([]float64, p)}}
	for j, v := range m.variance {
		e.sd[j] = math.Sqrt(v)
		e.model.noise[j] = 1
	}
	size := slabSize(p)
	e.slabs = make([]slab, (n+size-1)/size)
	mat.Parallel(len(e.slabs), func(k int) {
		s := slab{from: k * size, to: min(n, (k+1)*size)}
		known := map[string]int{}
		key := make([]byte, p)
		for i := s.from; i < s.to; i++ {
			seen := false
			for j, missing := range d.missing(i) {
				if key[j] = 0; missing {
					key[j] = 1
				} else {
					seen = true
				}
			}
			if !seen {
				continue // z has its prior and tells nothing
			}
			g, found := known[string(key)]
			if !found {
				g = len(s.groups)
				known[string(key)] = g
				s.groups = append(s.groups, nil)
			}
			s.groups[g] = append(s.groups[g], i)
		}
		e.slabs[k] = s
	})
	return e
}

// residuals returns what the model without components leaves of a slab, in standard deviations; 0 where missing.
func (e *em) residuals(s slab) mat.Matrix {
	r := mat.New(s.to-s.from, e.d.Y.Cols)
	mat.Parallel(r.Rows, func(k int) {
		row, y := r.Row(k), e.d.Y.Row(s.from+k)
		for j, missing := range e.d.missing(s.from + k) {
			if !missing {
				row[j] = (y[j]-e.m.mean[j])/e.sd[j] - e.model.mean[j]
			}
		}
	})
	return r
}

// A posterior is that of the components of a group of examples: its Cholesky factor is that of I + W_OᵀΨ_O⁻¹W_O.
type posterior struct {
	factor chol.Factor
	moment []float64 // Σ E[(z, 1)(z, 1)ᵀ]
}

// expect sets z of a slab and returns the groups' posteriors.
func (e *em) expect(s slab, r mat.Matrix) ([]posterior, error) {
	p, q := e.model.w.Rows, e.model.w.Cols
	weighed := mat.New(p, q) // Ψ⁻¹W
	half := mat.New(p, q)    // Ψ^-½W
	inverse, root := make([]float64, p), make([]float64, p)
	for j, v := range e.model.noise {
		inverse[j], root[j] = 1/v, 1/math.Sqrt(v)
	}
	mat.ScaleRows(weighed, inverse, e.model.w)
	mat.ScaleRows(half, root, e.model.w)
	all := mat.New(q, q)
	mat.Syrk(all, 1, half.T(), 0)
	scores := mat.New(r.Rows, q)
	mat.Mul(scores, 1, r, weighed, 0)
	posteriors := make([]posterior, len(s.groups))
	failures := make([]error, len(s.groups))
	mat.Parallel(len(s.groups), func(g int) {
		list := s.groups[g]
		failures[g] = e.posterior(&posteriors[g], all, half, e.d.missing(list[0]))
		if failures[g] != nil {
			return
		}
		covariance := mat.New(q, q)
		posteriors[g].factor.Inverse(covariance)
		mat.MirrorLower(covariance)
		moment := mat.New(q+1, q+1)
		mat.Scale(moment.Slice(0, q, 0, q), float64(len(list)), covariance)
		for _, i := range list {
			z := e.z.Row(i)
			mat.Mul(mat.Vector(z[:q]), 1, covariance, mat.Vector(scores.Row(i-s.from)), 0)
			z[q] = 1
			for a, v := range z {
				asm.Axpy(v, z, moment.Row(a))
			}
		}
		posteriors[g].moment = moment.Data
	})
	for g, err := range failures {
		if err != nil {
			return nil, fmt.Errorf("simple: posterior of the components of example %d: %w", s.groups[g][0], err)
		}
	}
	return posteriors, nil
}

// posterior factors I + W_OᵀΨ_O⁻¹W_O. What is less is added up: what is seen, or what is missing.
func (e *em) posterior(dst *posterior, all, half mat.Matrix, missing []bool) error {
	few := 2*count(missing) < len(missing)
	var list []int
	for j, m := range missing {
		if m == few {
			list = append(list, j)
		}
	}
	a := mat.New(all.Rows, all.Cols)
	part := rows(half, list)
	if few {
		mat.Copy(a, all)
		mat.Syrk(a, -1, part.T(), 1)
	} else {
		mat.Syrk(a, 1, part.T(), 0)
	}
	return dst.factor.RefactorizeShifted(a, 1)
}

// climb does rounds of EM until the mean noise hardly changes.
func (e *em) climb(ctx context.Context, rounds int, tolerance float64) error {
	last := math.Inf(1)
	for range rounds {
		if err := ctx.Err(); err != nil {
			return err
		}
		noise, err := e.round()
		if err != nil {
			return err
		}
		if math.Abs(last-noise) < tolerance*noise {
			break
		}
		last = noise
	}
	return nil
}

// round is an expectation and a maximisation. It returns the mean noise.
func (e *em) round() (noise float64, err error) {
	p, q := e.model.w.Rows, e.model.w.Cols
	e.z = mat.New(e.d.Y.Rows, q+1)
	s := &sums{b: mat.New(p, q+1), total: make([]float64, (q+1)*(q+1)), squares: make([]float64, p)}
	if len(e.slabs) > 1 {
		s.absent = mat.New(p, len(s.total))
	}
	blocks := (p + block - 1) / block
	for k, slab := range e.slabs {
		r := e.residuals(slab)
		posteriors, err := e.expect(slab, r)
		if err != nil {
			return 0, err
		}
		mat.Mul(s.b, 1, r.T(), e.z.Slice(slab.from, slab.to, 0, q+1), 1)
		for g := range posteriors {
			asm.Axpy(1, posteriors[g].moment, s.total)
		}
		mat.Parallel(blocks, func(k int) {
			from, to := k*block, min((k+1)*block, p)
			for i := range r.Rows {
				for j, v := range r.Row(i)[from:to] {
					s.squares[from+j] += v * v
				}
			}
			if len(e.slabs) > 1 {
				e.addAbsent(s.absent.Slice(from, to, 0, len(s.total)), slab, posteriors, from)
			}
		})
		if k == len(e.slabs)-1 {
			s.slab, s.posteriors = slab, posteriors
		}
	}
	next := factors{make([]float64, p), mat.New(p, q), make([]float64, p)}
	seen, failures := make([]float64, p), make([]error, p)
	mat.Parallel(blocks, func(k int) { e.maximise(&next, s, k*block, min((k+1)*block, p), seen, failures) })
	var rest, count float64
	for j, err := range failures {
		if err != nil {
			return 0, fmt.Errorf("simple: moments of the components for column %d: %w", j, err)
		}
		rest += next.noise[j]
		count += seen[j]
	}
	noise = max(minVariance, rest/count)
	for j, v := range next.noise {
		next.noise[j] = (v + noiseWeight*noise) / (seen[j] + noiseWeight)
	}
	e.model = next
	return noise, nil
}

// sums are what a maximisation needs.
type sums struct {
	b       mat.Matrix // p×(q+1): Σ r·E[(z, 1)] over what is seen
	total   []float64  // (q+1)²: Σ E[(z, 1)(z, 1)ᵀ] over all examples
	absent  mat.Matrix // p×(q+1)²: the same over those in which a column is missing; no rows where one slab has all
	squares []float64  // p: Σ r²

	slab       slab // the last
	posteriors []posterior
}

// addAbsent adds up moments of examples in which columns, from a first one on, are missing.
func (e *em) addAbsent(dst mat.Matrix, s slab, posteriors []posterior, from int) {
	for g, list := range s.groups {
		for j, missing := range e.d.missing(list[0])[from : from+dst.Rows] {
			if missing {
				asm.Axpy(1, posteriors[g].moment, dst.Row(j))
			}
		}
	}
}

// maximise regresses what is left of some columns on (z, 1), with the prior N(0, I) of the weights. As noise it leaves the sum of squared
// residuals.
func (e *em) maximise(next *factors, s *sums, from, to int, seen []float64, failures []error) {
	q := e.model.w.Cols
	var absent mat.Matrix
	if len(e.slabs) > 1 {
		absent = s.absent.Slice(from, to, 0, len(s.total))
	} else {
		absent = mat.New(to-from, len(s.total))
		e.addAbsent(absent, s.slab, s.posteriors, from)
	}
	factor, ridge := new(chol.Factor), mat.New(q+1, q+1)
	weights, product := make([]float64, q+1), make([]float64, q+1)
	for j := from; j < to; j++ {
		moment := mat.NewDense(q+1, q+1, absent.Row(j-from))
		for k, v := range s.total {
			moment.Data[k] = v - moment.Data[k]
		}
		if seen[j] = math.Round(moment.At(q, q)); seen[j] == 0 {
			continue
		}
		mat.Copy(ridge, moment)
		for k := range q {
			ridge.Set(k, k, ridge.At(k, k)+e.model.noise[j])
		}
		if failures[j] = factor.Refactorize(ridge); failures[j] != nil {
			continue
		}
		b := s.b.Row(j)
		copy(weights, b)
		factor.Solve(mat.Vector(weights))
		mat.Mul(mat.Vector(product), 1, moment, mat.Vector(weights), 0)
		next.mean[j] = e.model.mean[j] + weights[q]
		copy(next.w.Row(j), weights)
		next.noise[j] = max(0, s.squares[j]-2*asm.Dot(weights, b)+asm.Dot(weights, product))
	}
}

// grow adds components: the leading ones of what the model leaves, by orthogonal iteration from random directions.
func (e *em) grow(n int, rng *rand.Rand) {
	p, q := e.model.w.Rows, e.model.w.Cols
	v, next := mat.New(p, n), mat.New(p, n)
	for k := range v.Data {
		v.Data[k] = rng.NormFloat64()
	}
	norms := orthonormalise(v)
	const passes = 3
	for range passes {
		next.Fill(0)
		for _, s := range e.slabs {
			r := e.residuals(s)
			if q > 0 {
				mat.Mul(r, -1, e.z.Slice(s.from, s.to, 0, q), e.model.w.T(), 1)
			}
			for i := range r.Rows {
				row := r.Row(i)
				for j, missing := range e.d.missing(s.from + i) {
					if missing {
						row[j] = 0
					}
				}
			}
			scores := mat.New(r.Rows, n)
			mat.Mul(scores, 1, r, v, 0)
			mat.Mul(next, 1, r.T(), scores, 1)
		}
		norms = orthonormalise(next)
		v, next = next, v
	}
	w := mat.New(p, q+n)
	mat.Copy(w.Slice(0, p, 0, q), e.model.w)
	for k, norm := range norms {
		mat.Scale(w.Slice(0, p, q+k, q+k+1), math.Sqrt(norm/float64(e.d.Y.Rows)), v.Slice(0, p, k, k+1))
	}
	e.model.w = w
}

// orthonormalise makes columns orthogonal to those before (modified Gram-Schmidt), of length 1, and returns the lengths that they had.
func orthonormalise(v mat.Matrix) (norms []float64) {
	for k := range v.Cols {
		column := v.Slice(0, v.Rows, k, k+1)
		for l := range k {
			other := v.Slice(0, v.Rows, l, l+1)
			mat.Add(column, column, -mat.Dot(other, column), other)
		}
		norm := mat.NormFro(column)
		norms = append(norms, norm)
		if norm > 0 {
			mat.Scale(column, 1/norm, column)
		}
	}
	return norms
}

// fill sets what is missing. The variances of examples partly seen are multiplied by scale.
func (e *em) fill(ctx context.Context, mean, variance mat.Matrix, scale float64) error {
	p, q := e.model.w.Rows, e.model.w.Cols
	prior := make([]float64, p)
	for j, v := range e.model.noise {
		prior[j] = v + asm.SumSquares(e.model.w.Row(j))
	}
	e.z = mat.New(e.d.Y.Rows, q+1)
	for _, s := range e.slabs {
		if err := ctx.Err(); err != nil {
			return err
		}
		posteriors, err := e.expect(s, e.residuals(s))
		if err != nil {
			return err
		}
		mat.Parallel(s.to-s.from, func(k int) {
			for j, missing := range e.d.missing(s.from + k) {
				if missing {
					mu := e.model.mean[j] + asm.Dot(e.model.w.Row(j), e.z.Row(s.from + k)[:q])
					mean.Set(s.from+k, j, e.m.mean[j]+e.sd[j]*mu)
					variance.Set(s.from+k, j, e.m.variance[j]*prior[j])
				}
			}
		})
		mat.Parallel(len(s.groups), func(g int) {
			list := s.groups[g]
			var columns []int
			for j, missing := range e.d.missing(list[0]) {
				if missing {
					columns = append(columns, j)
				}
			}
			if len(columns) == 0 {
				return
			}
			w := rows(e.model.w, columns)
			posteriors[g].factor.SolveHalf(w.T())
			for k, j := range columns {
				v := scale * e.m.variance[j] * (e.model.noise[j] + asm.SumSquares(w.Row(k)))
				for _, i := range list {
					variance.Set(i, j, v)
				}
			}
		})
	}
	return nil
}
