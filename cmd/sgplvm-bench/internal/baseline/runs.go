package baseline

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/lbfgs"
	"github.com/seed-08962ecc/kronfield/mat"
)

// Runs are runs of a simulator: inputs, n×d, of mean 0 and deviation 1, and outputs, n×p.
type Runs struct{ X, Y mat.Matrix }

// RunMethods are the names of the methods of PredictRuns: the mean of the runs, the nearest run, ridge regression, Gaussian radial basis functions, a Gaussian
// process for each of at most 25 principal components, and one for each output value with a correlation that all share (PP-GaSP: M. Gu, J. O. Berger,
// Annals of Applied Statistics 10(3), 2016). Five folds choose widths and penalties, the evidence parameters of processes.
func RunMethods() []string {
	return []string{"mean", "nearest", "ridge", "rbf", "components-gp", "pp-gasp"}
}

// PredictRuns returns the outputs that a method predicts for inputs, m×p.
func PredictRuns(ctx context.Context, method string, r Runs, at mat.Matrix, seed uint64) (y mat.Matrix, err error) {
	mean, centred := moments(r.Y)
	r.Y = centred
	y = mat.New(at.Rows, r.Y.Cols)
	switch method {
	case "mean":
	case "nearest":
		for i := range at.Rows {
			copy(y.Row(i), r.Y.Row(nearestRow(at.Row(i), r.X)))
		}
	case "ridge":
		err = r.penalised(y, at, seed, []func(a, b []float64) float64{func(a, b []float64) float64 { return innerProduct(a, b) }})
	case "rbf":
		var widths []func(a, b []float64) float64
		for _, w := range []float64{0.5, 1, 2, 4, 8} {
			l2 := w * w * float64(r.X.Cols)
			widths = append(widths, func(a, b []float64) float64 { return math.Exp(-0.5 * distance2(a, b) / l2) })
		}
		err = r.penalised(y, at, seed, widths)
	case "components-gp":
		err = r.components(ctx, y, at)
	case "pp-gasp":
		err = newRunCorrelation(r.X, true).predict(ctx, y, r.Y, at)
	default:
		err = fmt.Errorf("no method %q", method)
	}
	for i := range y.Rows {
		for k, v := range mean {
			y.Row(i)[k] += v
		}
	}
	return y, err
}

func innerProduct(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

func distance2(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += (v - b[i]) * (v - b[i])
	}
	return sum
}

func nearestRow(a []float64, x mat.Matrix) (best int) {
	for i := range x.Rows {
		if distance2(a, x.Row(i)) < distance2(a, x.Row(best)) {
			best = i
		}
	}
	return best
}

// smooth sets y to k(at, x)·(k(x, x) + λI)⁻¹·outputs.
func smooth(y mat.Matrix, r Runs, at mat.Matrix, k func(a, b []float64) float64, penalty float64) error {
	gram, cross := mat.New(r.X.Rows, r.X.Rows), mat.New(at.Rows, r.X.Rows)
	for j := range r.X.Rows {
		for i := range r.X.Rows {
			gram.Set(i, j, k(r.X.Row(i), r.X.Row(j)))
		}
		for i := range at.Rows {
			cross.Set(i, j, k(at.Row(i), r.X.Row(j)))
		}
		gram.Set(j, j, gram.At(j, j)+penalty)
	}
	f, err := chol.Factorize(gram)
	if err != nil {
		return err
	}
	alpha := r.Y.Clone()
	f.Solve(alpha)
	mat.Mul(y, 1, cross, alpha, 0)
	return nil
}

// penalised is smooth with the kernel and the penalty, 1e-8 to 1e4, that five folds choose.
func (r Runs) penalised(y, at mat.Matrix, seed uint64, kernels []func(a, b []float64) float64) error {
	order := rand.New(rand.NewPCG(seed, 5)).Perm(r.X.Rows)
	var best func() error
	least := math.Inf(1)
	for _, k := range kernels {
		for e := -8; e <= 4; e++ {
			penalty, sum := math.Pow(10, float64(e)), 0.
			for fold := range 5 {
				var train, held []int
				for t, i := range order {
					if t%5 == fold {
						held = append(held, i)
					} else {
						train = append(train, i)
					}
				}
				p := mat.New(len(held), r.Y.Cols)
				if err := smooth(p, Runs{pick(r.X, train), pick(r.Y, train)}, pick(r.X, held), k, penalty); err != nil {
					sum = math.Inf(1)
					break
				}
				mat.Add(p, p, -1, pick(r.Y, held))
				sum += mat.Dot(p, p)
			}
			if sum < least {
				least, best = sum, func() error { return smooth(y, r, at, k, penalty) }
			}
		}
	}
	return best()
}

// pick returns some rows.
func pick(a mat.Matrix, rows []int) mat.Matrix {
	b := mat.New(len(rows), a.Cols)
	for k, i := range rows {
		copy(b.Row(k), a.Row(i))
	}
	return b
}

// components predicts the principal components of 99.99 % of the variance, at most 25, each by a process of its own.
func (r Runs) components(ctx context.Context, y, at mat.Matrix) error {
	n := r.Y.Rows
	gram := mat.New(n, n)
	mat.Syrk(gram, 1, r.Y, 0)
	s, err := eig.Sym(gram)
	if err != nil {
		return err
	}
	rest := 0.
	for _, v := range s.Values {
		rest += max(0, v)
	}
	for j, total := 0, rest; j < min(25, n-2) && rest > 1e-4*total; j++ {
		v := s.Values[n-1-j]
		rest -= v
		score := s.Vectors.Slice(0, n, n-1-j, n-j).Clone()
		pattern, p := mat.New(1, r.Y.Cols), mat.New(at.Rows, 1)
		mat.Mul(pattern, 1, score.T(), r.Y, 0)
		if err := newRunCorrelation(r.X, false).predict(ctx, p, score, at); err != nil {
			return err
		}
		mat.Mul(y, 1, p, pattern, 1)
	}
	return nil
}

// A runCorrelation is that of processes of columns that share it but for their variances: exp(−½r²) or Matérn 5/2, r² = Σ_q (x_q − x′_q)²/ℓ_q², and a nugget.
type runCorrelation struct {
	x      mat.Matrix
	matern bool
	logs   []float64 // log ℓ, and of the nugget
}

func newRunCorrelation(x mat.Matrix, matern bool) *runCorrelation {
	c := &runCorrelation{x: x, matern: matern}
	for range x.Cols {
		c.logs = append(c.logs, 0.5*math.Log(float64(x.Cols)))
	}
	c.logs = append(c.logs, math.Log(1e-3))
	return c
}

// value returns the correlation at a squared distance in length scales, and its derivative in that times −2.
func (c *runCorrelation) value(r2 float64) (k, weight float64) {
	if !c.matern {
		k = math.Exp(-0.5 * r2)
		return k, k
	}
	r := math.Sqrt(5 * r2)
	e := math.Exp(-r)
	return (1 + r + r*r/3) * e, 5. / 3 * (1 + r) * e
}

// scaled returns inputs in length scales.
func (c *runCorrelation) scaled(x mat.Matrix) mat.Matrix {
	z := x.Clone()
	for i := range z.Rows {
		row := z.Row(i)
		for q := range row {
			row[q] /= math.Exp(c.logs[q])
		}
	}
	return z
}

// predict sets y to the means at inputs, with the parameters of the largest evidence of the columns of p.
func (c *runCorrelation) predict(ctx context.Context, y, p, at mat.Matrix) error {
	n := c.x.Rows
	k, weight := mat.New(n, n), mat.New(n, n)
	var f chol.Factor
	objective := func(v, grad []float64) float64 {
		c.logs = v
		z := c.scaled(c.x)
		for i := range n {
			for j := range n {
				kv, w := c.value(distance2(z.Row(i), z.Row(j)))
				k.Set(i, j, kv)
				weight.Set(i, j, w)
			}
			k.Set(i, i, 1+math.Exp(v[len(v)-1])+1e-8)
		}
		if f.Refactorize(k) != nil {
			return math.NaN()
		}
		alpha, sum, columns := p.Clone(), 0., 0.
		f.Solve(alpha)
		scaled := alpha.Clone()
		for j := range p.Cols {
			s := 0.
			for i := range n {
				s += p.At(i, j) * alpha.At(i, j)
			}
			if s <= 0 {
				s = math.Inf(1)
			} else {
				sum, columns = sum+0.5*float64(n)*math.Log(s), columns+1
			}
			for i := range n {
				scaled.Set(i, j, alpha.At(i, j)*float64(n)/s)
			}
		}
		m := mat.New(n, n)
		f.Inverse(m)
		mat.Mul(m, 0.5, scaled, alpha.T(), -0.5*columns) // the derivative of the evidence in the matrix
		clear(grad)
		for i := range n {
			for j := range n {
				a, b, w := z.Row(i), z.Row(j), m.At(i, j)*weight.At(i, j)
				for q, u := range a {
					grad[q] -= w * (u - b[q]) * (u - b[q])
				}
			}
			grad[len(v)-1] -= m.At(i, i) * math.Exp(v[len(v)-1])
		}
		for q, u := range v { // keeps flat directions finite
			sum += 0.005 * u * u
			grad[q] += 0.01 * u
		}
		return sum + 0.5*columns*f.LogDet()
	}
	r, err := lbfgs.Minimize(ctx, objective, c.logs, lbfgs.Options{MaxIterations: 100, RelativeDecrease: 1e-7})
	if err != nil {
		return err
	}
	c.logs = append([]float64{}, r.X...)
	return smooth(y, Runs{c.scaled(c.x), p}, c.scaled(at), func(a, b []float64) float64 { v, _ := c.value(distance2(a, b)); return v }, math.Exp(c.logs[len(c.logs)-1])+1e-8)
}
