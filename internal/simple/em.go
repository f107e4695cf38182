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

// factors are a model of examples: y_j = μ_j + s_j·(m_j + w_jᵀz + ε_j) with z ~ N(0, I) and ε_j ~ N(0, ψ_j), where μ_j is the mean of what was observed of
// column j and s_j its standard deviation, that of its channel where weights are smooth. What is known of the weights w_j is a Gaussian.
type factors struct {
	mean  []float64  // m
	w     mat.Matrix // p×q, means of the weights
	cov   mat.Matrix // p×q², their covariances
	noise []float64  // ψ
}

// em is variational expectation-maximisation for factors.
type em struct {
	d     Data
	m     *moments
	sd    []float64
	slabs []slab
	near  [][]int // of each column those of the same channel next to it; nil: the columns lie nowhere
	model factors
	z     mat.Matrix // n×(q+1): E[(z, 1)]
	last  float64    // mean noise

	limits []float64 // by channel: of values of Y that are no larger only that is known; nil: there are none
}

// A slab is some examples in a row, which are worked on at once; those of which the same is missing are a group.
type slab struct {
	from, to int
	groups   [][]int
}

const (
	block       = 64 // columns that are worked on one after the other
	noiseWeight = 10 // observed values for which the noise of all columns counts in that of one
)

// slabSize is how many examples of p columns are worked on at once.
var slabSize = func(p int) int { return max(256, 1<<18/p) }

func newEM(d Data, m *moments) *em {
	n, p := d.Y.Rows, d.Y.Cols
	e := &em{d: d, m: m, sd: make([]float64, p), model: factors{make([]float64, p), mat.New(p, 0), mat.New(p, 0), make([]float64, p)}}
	e.near = d.neighbours()
	for j, v := range m.scales(d.parts()) {
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

// eachColumn calls f for each of p columns, block of them one after the other in room for q numbers.
func eachColumn(p, q int, f func(j int, room []float64)) {
	mat.Parallel((p+block-1)/block, func(b int) {
		room := make([]float64, q)
		for j := b * block; j < min(p, (b+1)*block); j++ {
			f(j, room)
		}
	})
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

// seen returns 1 for each column that a group of a slab has, 0 for the others.
func (e *em) seen(s slab) mat.Matrix {
	seen := mat.New(len(s.groups), e.d.Y.Cols)
	for g, list := range s.groups {
		for j, missing := range e.d.missing(list[0]) {
			if !missing {
				seen.Set(g, j, 1)
			}
		}
	}
	return seen
}

// second returns E[w_jw_jᵀ]/ψ_j of each column, p×q².
func (e *em) second() mat.Matrix {
	s := e.model.cov.Clone()
	eachColumn(s.Rows, 0, func(j int, _ []float64) {
		w, row := e.model.w.Row(j), s.Row(j)
		for k, v := range w {
			asm.Axpy(v, w, row[k*len(w):][:len(w)])
		}
		asm.Scale(row, 1/e.model.noise[j], row)
	})
	return s
}

// expect sets z of a slab with residuals r and returns the covariances of z of its groups. second is that of the weights.
func (e *em) expect(s slab, r, seen, second mat.Matrix) ([]mat.Matrix, error) {
	p, q := e.model.w.Rows, e.model.w.Cols
	weighed := mat.New(p, q) // Ψ⁻¹W
	inverse := make([]float64, p)
	for j, v := range e.model.noise {
		inverse[j] = 1 / v
	}
	mat.ScaleRows(weighed, inverse, e.model.w)
	scores := mat.New(r.Rows, q)
	mat.Mul(scores, 1, r, weighed, 0)
	precision := mat.New(seen.Rows, q*q)
	mat.Mul(precision, 1, seen, second, 0)
	covariances, failures := make([]mat.Matrix, len(s.groups)), make([]error, len(s.groups))
	mat.Parallel(len(s.groups), func(g int) {
		var factor chol.Factor
		if failures[g] = factor.RefactorizeShifted(mat.NewDense(q, q, precision.Row(g)), 1); failures[g] != nil {
			return
		}
		covariances[g] = mat.New(q, q)
		factor.Inverse(covariances[g])
		mat.MirrorLower(covariances[g])
		for _, i := range s.groups[g] {
			z := e.z.Row(i)
			mat.Mul(mat.Vector(z[:q]), 1, covariances[g], mat.Vector(scores.Row(i-s.from)), 0)
			z[q] = 1
		}
	})
	for g, err := range failures {
		if err != nil {
			return nil, fmt.Errorf("simple: posterior of the components of example %d: %w", s.groups[g][0], err)
		}
	}
	return covariances, nil
}

// climb does rounds of EM until the mean noise hardly changes.
func (e *em) climb(ctx context.Context, rounds int, tolerance float64) error {
	for range rounds {
		if err := ctx.Err(); err != nil {
			return err
		}
		noise, err := e.round()
		if err != nil {
			return err
		}
		last := e.last
		if e.last = noise; math.Abs(last-noise) < tolerance*noise {
			break
		}
	}
	return nil
}

// sums are what a maximisation needs of each column: over the examples that have it.
type sums struct {
	b       mat.Matrix // p×(q+1): Σ r·E[(z, 1)]
	moments mat.Matrix // p×(q+1)²: Σ E[(z, 1)(z, 1)ᵀ]
	squares []float64  // Σ r²
}

// round is an expectation and a maximisation. It returns the mean noise.
func (e *em) round() (noise float64, err error) {
	p, q := e.model.w.Rows, e.model.w.Cols
	e.z = mat.New(e.d.Y.Rows, q+1)
	s := &sums{mat.New(p, q+1), mat.New(p, (q+1)*(q+1)), make([]float64, p)}
	second, total, all := e.second(), mat.New(q, q), 0.
	for _, slab := range e.slabs {
		r, seen := e.residuals(slab), e.seen(slab)
		covariances, err := e.expect(slab, r, seen, second)
		if err != nil {
			return 0, err
		}
		if e.limits != nil {
			e.censor(slab, r, covariances, s.squares)
		}
		mat.Mul(s.b, 1, r.T(), e.z.Slice(slab.from, slab.to, 0, q+1), 1)
		moments := mat.New(len(slab.groups), (q+1)*(q+1))
		mat.Parallel(len(slab.groups), func(g int) {
			m := mat.NewDense(q+1, q+1, moments.Row(g))
			mat.Scale(m.Slice(0, q, 0, q), float64(len(slab.groups[g])), covariances[g])
			for _, i := range slab.groups[g] {
				for a, v := range e.z.Row(i) {
					asm.Axpy(v, e.z.Row(i), m.Row(a))
				}
			}
		})
		mat.Mul(s.moments, 1, seen.T(), moments, 1)
		for g := range moments.Rows {
			m := mat.NewDense(q+1, q+1, moments.Row(g))
			mat.Add(total, total, 1, m.Slice(0, q, 0, q))
			all += m.At(q, q)
		}
		for i := range r.Rows {
			for j, v := range r.Row(i) {
				s.squares[j] += v * v
			}
		}
	}
	next := factors{make([]float64, p), mat.New(p, q), mat.New(p, q*q), make([]float64, p)}
	if err := e.maximise(&next, s); err != nil {
		return 0, err
	}
	var rest, count float64
	for j, v := range next.noise {
		rest += v
		count += s.moments.Row(j)[q*(q+2)]
	}
	noise = max(minVariance, rest/count)
	for j, v := range next.noise {
		next.noise[j] = (v + noiseWeight*noise) / (s.moments.Row(j)[q*(q+2)] + noiseWeight)
	}
	e.model = next
	if q > 0 {
		mat.Scale(total, 1/all, total)
		return noise, e.whiten(total)
	}
	return noise, nil
}

// whiten takes z of a mean second moment to one of 1, and the weights with it (parameter expansion; J. S. Liu and Y. N. Wu, Journal of the American
// Statistical Association 94, 1999): rounds alone move scales slowly.
func (e *em) whiten(moment mat.Matrix) error {
	factor, err := chol.Factorize(moment)
	if err != nil {
		return fmt.Errorf("simple: second moment of the components: %w", err)
	}
	p, q, l := e.model.w.Rows, e.model.w.Cols, factor.L()
	w := mat.New(p, q)
	mat.Mul(w, 1, e.model.w, l, 0)
	e.model.w = w
	all, half := mat.NewDense(p*q, q, e.model.cov.Data), mat.New(p*q, q) // (CL)ᵀL of each column's covariance C
	mat.Mul(half, 1, all, l, 0)
	eachColumn(p, 0, func(j int, _ []float64) {
		for a := range q {
			for b := range a {
				x, y := &half.Data[(j*q+a)*q+b], &half.Data[(j*q+b)*q+a]
				*x, *y = *y, *x
			}
		}
	})
	mat.Mul(all, 1, half, l, 0)
	return nil
}

// maximise finds the weights and what they leave of the columns. As noise it leaves the sum of squared residuals.
func (e *em) maximise(next *factors, s *sums) error {
	p, q := e.model.w.Rows, e.model.w.Cols
	t := e.roughness()
	failures := make([]error, p)
	mat.Parallel((p+block-1)/block, func(b int) {
		var factor chol.Factor
		a := mat.New(q, q)
		for j := b * block; j < min(p, (b+1)*block); j++ {
			m := s.moments.Row(j)
			if m[q*(q+2)] == 0 && e.near == nil {
				continue // nothing tells of the column, whose variance over examples is that of the others
			}
			for k := range q {
				asm.Scale(a.Row(k), 1/e.model.noise[j], m[k*(q+1):][:q])
				a.Row(k)[k] += 1 + t.At(j, k)*e.stiffness(j)
			}
			if failures[j] = factor.Refactorize(a); failures[j] == nil {
				factor.Inverse(mat.NewDense(q, q, next.cov.Row(j)))
				asm.DotRows(next.w.Row(j), next.cov.Row(j), q, s.b.Row(j)[:q])
				asm.Scale(next.w.Row(j), 1/e.model.noise[j], next.w.Row(j))
			}
		}
	})
	for j, err := range failures {
		if err != nil {
			return fmt.Errorf("simple: moments of the components for column %d: %w", j, err)
		}
	}
	if e.near != nil {
		e.smooth(next, s, t)
	}
	eachColumn(p, 2*(q+1), func(j int, room []float64) {
		b, m, weights, product := s.b.Row(j), mat.NewDense(q+1, q+1, s.moments.Row(j)), room[:q+1], room[q+1:]
		weights[copy(weights, next.w.Row(j))] = 0
		if n := m.At(q, q); n > 0 {
			weights[q] = (b[q] - asm.Dot(m.Row(q)[:q], weights[:q])) / n
		}
		next.mean[j] = e.model.mean[j] + weights[q]
		asm.DotRows(product, m.Data, q+1, weights)
		unsure := 0.
		for k := range q {
			unsure += asm.Dot(m.Row(k)[:q], next.cov.Row(j)[k*q:][:q])
		}
		next.noise[j] = max(0, s.squares[j]-2*asm.Dot(weights, b)+asm.Dot(weights, product)+unsure)
	})
	return nil
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
	e.model.w, e.model.cov = w, mat.New(p, (q+n)*(q+n))
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
		for k := range q {
			prior[j] += e.model.cov.At(j, k*(q+1))
		}
	}
	e.z = mat.New(e.d.Y.Rows, q+1)
	second := e.second()
	for _, s := range e.slabs {
		if err := ctx.Err(); err != nil {
			return err
		}
		covariances, err := e.expect(s, e.residuals(s), e.seen(s), second)
		if err != nil {
			return err
		}
		mat.Parallel(s.to-s.from, func(k int) {
			for j, missing := range e.d.missing(s.from + k) {
				if missing {
					mu := e.model.mean[j] + asm.Dot(e.model.w.Row(j), e.z.Row(s.from + k)[:q])
					mean.Set(s.from+k, j, e.m.mean[j]+e.sd[j]*mu)
					variance.Set(s.from+k, j, square(e.sd[j])*prior[j])
				}
			}
		})
		mat.Parallel(len(s.groups), func(g int) {
			c, known := covariances[g], covariances[g].Clone()
			wc, moment := make([]float64, q), mat.New(q, q)
			for _, i := range s.groups[g] {
				mat.Copy(moment, known)
				for a, v := range e.z.Row(i)[:q] {
					asm.Axpy(v, e.z.Row(i)[:q], moment.Row(a))
				}
				for j, missing := range e.d.missing(i) {
					if missing {
						w := e.model.w.Row(j)
						mat.Mul(mat.Vector(wc), 1, c, mat.Vector(w), 0)
						variance.Set(i, j, scale*square(e.sd[j])*(e.model.noise[j]+asm.Dot(w, wc)+asm.Dot(e.model.cov.Row(j), moment.Data)))
					}
				}
			}
		})
	}
	return nil
}
