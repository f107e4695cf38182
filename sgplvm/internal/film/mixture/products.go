package mixture

import (
	"math"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
)

// products are sums over the values of some frames: of errors times errors, in units of the channels' variances and of the model's, and
// how many.
type products struct {
	plain, relative [1 + others][1 + others]float64
	count, frames   float64
}

// add adds errors of a value for which the model expects the variance v.
func (p *products) add(e *[1 + others]float64, v float64) {
	p.count++
	for i, a := range e {
		for j, b := range e[:i+1] {
			p.plain[i][j] += a * b
			p.relative[i][j] += a * b / max(v, LeastScale)
		}
	}
}

// join adds q, of the same frame.
func (p *products) join(q *products) {
	p.count += q.count
	for i := range p.plain {
		for j := range p.plain[i] {
			p.plain[i][j] += q.plain[i][j]
			p.relative[i][j] += q.relative[i][j]
		}
	}
}

// weights returns those of least squared error, without the predictions before first: of few frames as usual (fewframes.go).
func (p products) weights(first int) weights {
	p.joinUsual(first)
	return simplexWeights(&p.plain, first)
}

// quadratic returns wᵀ·G·w of a lower triangle.
func quadratic(g *[1 + others][1 + others]float64, w *weights) (sum float64) {
	for i := range w {
		sum += w[i] * w[i] * g[i][i]
		for j := range i {
			sum += 2 * w[i] * w[j] * g[i][j]
		}
	}
	return sum
}

// simplexWeights returns the weights from 0 on, those before first 0, with the sum 1, that minimise wᵀ·G·w: of all sets of them the one
// whose unconstrained minimum has none below 0 and is least.
func simplexWeights(g *[1 + others][1 + others]float64, first int) (best weights) {
	least := math.Inf(1)
	for set := 1 << first; set < 1<<(1+others); set += 1 << first {
		var members []int
		for k := range 1 + others {
			if set>>k&1 == 1 {
				members = append(members, k)
			}
		}
		w, ok := setWeights(g, members)
		if !ok {
			continue
		}
		if v := quadratic(g, &w); v < least*(1-1e-9) {
			best, least = w, v
		}
	}
	return best
}

// setWeights returns the weights of some members that add up to 1 and minimise wᵀ·G·w, if none is below 0.
func setWeights(g *[1 + others][1 + others]float64, members []int) (w weights, ok bool) {
	n := len(members)
	a, x := mat.New(n, n), make([]float64, n)
	var trace float64
	for i, k := range members {
		trace += g[k][k]
		x[i] = 1
		for j, m := range members[:i+1] {
			a.Row(i)[j] = g[max(k, m)][min(k, m)]
		}
	}
	for i := range n {
		a.Row(i)[i] += 1e-9*trace + 1e-300
	}
	f, err := chol.Factorize(a)
	if err != nil {
		return w, false
	}
	f.Solve(mat.Vector(x))
	var sum float64
	for _, v := range x {
		sum += v
	}
	for i, k := range members {
		if w[k] = x[i] / sum; !(w[k] >= 0) {
			return w, false
		}
	}
	return w, true
}
