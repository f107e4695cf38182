package baseline

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
)

const eps = 0x1p-52

var (
	nan = math.NaN()
	inf = math.Inf(1)
)

func near(t *testing.T, what string, got, want, bound float64) {
	t.Helper()
	if !(math.Abs(got-want) <= bound) {
		t.Errorf("%s is %v, expected %v ± %.2g", what, got, want, bound)
	}
}

// grid returns the points of a picture of the given rows and columns.
func grid(rows, cols int) mat.Matrix {
	x := mat.New(rows*cols, 2)
	for i := range x.Rows {
		x.Set(i, 0, float64(i/cols))
		x.Set(i, 1, float64(i%cols))
	}
	return x
}

// decaying returns the covariance variance·exp(−|x − x′|/3) with noise on its
// diagonal.
func decaying(x mat.Matrix, variance, noise float64) mat.Matrix {
	k := mat.New(x.Rows, x.Rows)
	for i := range k.Rows {
		for j := range k.Cols {
			k.Set(i, j, variance*math.Exp(-math.Hypot(x.At(i, 0)-x.At(j, 0), x.At(i, 1)-x.At(j, 1))/3))
		}
		k.Set(i, i, k.At(i, i)+noise)
	}
	return k
}

// draw returns n draws from N(100, covariance), a row each.
func draw(t *testing.T, n int, covariance mat.Matrix, seed uint64) mat.Matrix {
	t.Helper()
	f, err := chol.Factorize(covariance)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	y := mat.New(n, covariance.Rows)
	for i := range y.Data {
		y.Data[i] = rng.NormFloat64()
	}
	f.MulHalf(y.T())
	for i := range y.Data {
		y.Data[i] += 100
	}
	return y
}

// some returns data of n pictures of 4×3 points and two channels.
func some(t *testing.T, n int) Data {
	x := grid(4, 3)
	a, b := draw(t, n, decaying(x, 9, 1), 1), draw(t, n, decaying(x, 4, 0.5), 2)
	y := mat.New(n, 24)
	for i := range n {
		for j := range 12 {
			y.Set(i, 2*j, a.At(i, j))
			y.Set(i, 2*j+1, 0.5*a.At(i, j)+b.At(i, j))
		}
	}
	return Data{Points: x, Channels: 2, Pictures: y}
}

// hide returns a copy of pictures without the values at which (i+3j) mod 5 < 2.
func hide(y mat.Matrix) mat.Matrix {
	y = y.Clone()
	for i := range y.Rows {
		for j := range y.Cols {
			if (i%3+3*j)%5 < 2 {
				y.Set(i, j, nan)
			}
		}
	}
	return y
}

// solve returns a⁻¹·b by elimination with pivoting, on copies.
func solve(a, b mat.Matrix) mat.Matrix {
	a, b = a.Clone(), b.Clone()
	n := a.Rows
	for k := range n {
		p := k
		for i := k; i < n; i++ {
			if math.Abs(a.At(i, k)) > math.Abs(a.At(p, k)) {
				p = i
			}
		}
		for j := range n {
			a.Data[k*n+j], a.Data[p*n+j] = a.Data[p*n+j], a.Data[k*n+j]
		}
		for j := range b.Cols {
			b.Data[k*b.Cols+j], b.Data[p*b.Cols+j] = b.Data[p*b.Cols+j], b.Data[k*b.Cols+j]
		}
		for i := range n {
			if i == k {
				continue
			}
			f := a.At(i, k) / a.At(k, k)
			for j := range n {
				a.Set(i, j, a.At(i, j)-f*a.At(k, j))
			}
			for j := range b.Cols {
				b.Set(i, j, b.At(i, j)-f*b.At(k, j))
			}
		}
	}
	for i := range n {
		for j := range b.Cols {
			b.Set(i, j, b.At(i, j)/a.At(i, i))
		}
	}
	return b
}

// determinant returns log|a| as the sum of the logarithms of conditional
// variances, each by elimination.
func logDeterminant(a mat.Matrix) float64 {
	var sum float64
	for k := range a.Rows {
		v := a.At(k, k)
		if k > 0 {
			c := a.Slice(0, k, k, k+1).Clone()
			v -= mat.Dot(c, solve(a.Slice(0, k, 0, k), c))
		}
		sum += math.Log(v)
	}
	return sum
}

// dense is the conditional distribution of a normal one (degrees ∞) or of
// Student's t by its formulas.
func dense(mu []float64, sigma mat.Matrix, degrees float64, seen []float64, p pattern) (mean, variance []float64) {
	r := mat.New(len(p.seen), 1)
	for k, j := range p.seen {
		r.Data[k] = seen[k] - mu[j]
	}
	oo := block(sigma, p.seen, p.seen)
	alpha := solve(oo, r)
	factor := 1.0
	if !math.IsInf(degrees, 1) {
		factor = (degrees + mat.Dot(r, alpha)) / (degrees + float64(r.Rows))
	}
	for _, j := range p.missing {
		k := block(sigma, p.seen, []int{j})
		mean = append(mean, mu[j]+mat.Dot(k, alpha))
		variance = append(variance, factor*(sigma.At(j, j)-mat.Dot(k, solve(oo, k))))
	}
	return mean, variance
}

// sampleCovariance is the maximum likelihood covariance, element by element.
func sampleCovariance(y mat.Matrix) (mu []float64, s mat.Matrix) {
	n, p := y.Rows, y.Cols
	mu, s = make([]float64, p), mat.New(p, p)
	for j := range p {
		for i := range n {
			mu[j] += y.At(i, j) / float64(n)
		}
	}
	for j := range p {
		for k := range p {
			for i := range n {
				s.Set(j, k, s.At(j, k)+(y.At(i, j)-mu[j])*(y.At(i, k)-mu[k])/float64(n))
			}
		}
	}
	return mu, s
}

// Every conditional distribution of a Gaussian kind against the formulas, for its
// own covariance. Tolerance: 1e4 roundings of numbers of about 100; condition
// numbers are below 1e3.
func TestConditional(t *testing.T) {
	d := some(t, 60)
	mu, s := sampleCovariance(d.Pictures)
	points := inSpacings(d.Points)
	target := mat.New(24, 24)
	newTarget(mustCentre(d.Pictures), points, 2).add(target, 1, 2, 0.1)
	shrunk := func(length, rho float64) mat.Matrix {
		c := mat.New(24, 24)
		for i := range 24 {
			for j := range 24 {
				dx, dy := float64(i/6-j/6), float64(i/2%3-j/2%3)
				unit := square(meanSpacing(d.Points))
				c.Set(i, j, (1-rho)*s.At(i, j)*math.Exp(-0.5*(dx*dx+dy*dy)/unit/length/length)+rho*target.At(i, j))
			}
		}
		return c
	}
	global := []float64{3, 0.2, 2, 0.1, inf}
	mixed := shrunk(3, 0.2) // the global Gaussian's covariance, scaled to the trace of S
	mat.Scale(mixed, 0.4*mat.Trace(s)/mat.Trace(mixed), mixed)
	mat.Add(mixed, mixed, 0.6, shrunk(1.5, 0))
	principal := mat.New(24, 24) // from W itself
	{
		m := fitted(t, fitPrincipal, d.Pictures, 5, 7).(*principalModel)
		mat.Mul(principal, 1, m.w, m.w.T(), 0)
		for j := range 24 {
			principal.Set(j, j, principal.At(j, j)+m.noise)
		}
	}
	for _, test := range []struct {
		name       string
		fit        fitter
		parameters []float64
		sigma      mat.Matrix
		degrees    float64
	}{
		{"gaussian", fitGaussian(points, 2), []float64{inf, 0.3, 2, 0.1, inf}, shrunk(inf, 0.3), inf},
		{"gaussian, taper", fitGaussian(points, 2), []float64{1.5, 0.3, 2, 0.1, inf}, shrunk(1.5, 0.3), inf},
		{"gaussian, Student", fitGaussian(points, 2), []float64{inf, 0.3, 2, 0.1, 7}, shrunk(inf, 0.3), 7},
		{"all as neighbours", fitLocal(points, 2, 60, global), []float64{inf, 60, 0, inf}, s, inf},
		{"all as neighbours, taper and Student", fitLocal(points, 2, 60, global), []float64{1.5, 60, 0, 7}, shrunk(1.5, 0), 7},
		{"all as neighbours, shrunk", fitLocal(points, 2, 60, global), []float64{1.5, 60, 0.4, inf}, mixed, inf},
		{"ppca", fitPrincipal, []float64{5, inf}, principal, inf},
		{"ppca, Student", fitPrincipal, []float64{5, 7}, principal, 7},
	} {
		model := fitted(t, test.fit, d.Pictures, test.parameters...)
		unseen := some(t, 63).Pictures.Slice(60, 63, 0, 24)
		for _, seen := range []string{"", "3", "02468", strings.Repeat("01234567", 3)[:17]} {
			p := patternOf(shown(seen))
			mean, variance := mat.New(3, len(p.missing)), mat.New(3, len(p.missing))
			if err := model.fill(mean, variance, columns(unseen, p.seen), p); err != nil {
				t.Fatal(err)
			}
			for i := range 3 {
				m, v := dense(mu, test.sigma, test.degrees, columns(unseen, p.seen).Row(i), p)
				for k := range m {
					what := fmt.Sprintf("%s, %d seen, picture %d, value %d:", test.name, len(p.seen), i, k)
					near(t, what+" mean", mean.At(i, k), m[k], 1e6*eps*100)
					near(t, what+" variance", variance.At(i, k), v[k], 1e6*eps*100)
				}
			}
		}
	}
}

// A missing value that a seen one determines has a variance all the same.
func TestDetermined(t *testing.T) {
	one := func(v float64) mat.Matrix { return mat.NewDense(1, 1, []float64{v}) }
	mean, variance := mat.New(1, 1), mat.New(1, 1)
	if err := condition(mean, variance, one(3), []float64{5}, one(4), one(4), []float64{4}, inf); err != nil {
		t.Fatal(err)
	}
	near(t, "mean", mean.Data[0], 8, 0)
	near(t, "variance", variance.Data[0], 4*least, 0)
}

// shown turns digits into a mask of 24 values: digit d at place k shows value
// 2d+k mod 24.
func shown(digits string) []bool {
	mask := make([]bool, 24)
	for k, d := range digits {
		mask[(2*int(d-'0')+k)%24] = true
	}
	return mask
}

func mustCentre(y mat.Matrix) mat.Matrix {
	_, c := moments(y)
	return c
}

func fitted(t *testing.T, fit fitter, y mat.Matrix, parameters ...float64) conditional {
	t.Helper()
	withParameters, err := fit(y)
	if err != nil {
		t.Fatal(err)
	}
	c, err := withParameters(parameters)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Pictures 0 to 2 by hand: the third is nearest to the first two.
func TestNearest(t *testing.T) {
	y := mat.NewDense(3, 3, []float64{0, 0, 0, 10, 10, 10, 4, 4, 5})
	m := fitted(t, fitNearest, y, 0.5)
	p := patternOf([]bool{true, true, false})
	mean, variance := mat.New(2, 1), mat.New(2, 1)
	if err := m.fill(mean, variance, mat.NewDense(2, 2, []float64{5, 6, 8, 9}), p); err != nil {
		t.Fatal(err)
	}
	near(t, "mean", mean.At(0, 0), 5, 0)
	near(t, "mean", mean.At(1, 0), 10, 0)
	// Nearest others: 2 for 0, 2 for 1 and 0 for 2, squared distances 57, 97 and 57.
	typical := (57. + 97 + 57) / 9
	unit := 0.9*(25.+25+25)/3/typical + 0.1
	near(t, "variance", variance.At(0, 0), unit*(0.5*(1+4)/2+0.5*typical), 100*eps*typical)
	near(t, "variance", variance.At(1, 0), unit*(0.5*(4+1)/2+0.5*typical), 100*eps*typical)
}

// The regression of one picture against dense formulas, its gradient against
// central differences.
func TestRegression(t *testing.T) {
	x := grid(4, 3)
	y := draw(t, 1, decaying(x, 9, 1), 9)
	seen, missing := []int{0, 1, 3, 6, 7, 8, 11}, []int{2, 4, 5, 9, 10}
	model := fitted(t, fitPictureGP(x, 1), y).(*pictureGP)
	f := newRegression(rows(model.points, seen))
	copy(f.y.Data, gather(y.Row(0), seen))
	for i := range f.y.Data {
		f.y.Data[i] -= 100
	}
	theta := []float64{0.7, -1.2, 0.4, 1.1}
	unit := meanSpacing(x)
	kernel := func(i, j int) float64 {
		z := math.Sqrt(3) * math.Hypot((x.At(i, 0)-x.At(j, 0))/unit/math.Exp(theta[2]), (x.At(i, 1)-x.At(j, 1))/unit/math.Exp(theta[3]))
		return math.Exp(theta[0]) * (1 + z) * math.Exp(-z)
	}
	noise := math.Exp(theta[1]) + noiseFloor
	k := mat.New(7, 7)
	for a, i := range seen {
		for b, j := range seen {
			k.Set(a, b, kernel(i, j))
		}
		k.Set(a, a, k.At(a, a)+noise)
	}
	// A constant of variance 1e5 instead of the flat prior, which is its limit.
	const wide = 1e5
	sigma := mat.New(12, 12)
	for i := range 12 {
		for j := range 12 {
			sigma.Set(i, j, kernel(i, j)+wide)
		}
		sigma.Set(i, i, sigma.At(i, i)+noise)
	}
	mean, variance := dense(make([]float64, 12), sigma, inf, f.y.Data, pattern{seen, missing})
	gotMean, gotVariance := make([]float64, 5), make([]float64, 5)
	if err := f.predict(gotMean, gotVariance, theta, rows(model.points, missing)); err != nil {
		t.Fatal(err)
	}
	for i := range missing {
		// The limit is off by some 1/wide, and rounding in the dense formulas is wide²·eps.
		near(t, "mean", gotMean[i], mean[i], 10/wide)
		near(t, "variance", gotVariance[i], variance[i], 10/wide)
	}
	grad, other := make([]float64, 4), make([]float64, 4)
	value := f.objective(theta, grad)
	ones := mat.New(7, 1)
	ones.Fill(1)
	sum := mat.Dot(ones, solve(k, ones))
	level := mat.Dot(ones, solve(k, f.y)) / sum
	r := f.y.Clone()
	for i := range r.Data {
		r.Data[i] -= level
	}
	want := 0.5*mat.Dot(r, solve(k, r)) + 0.5*logDeterminant(k) + 0.5*math.Log(sum)
	for i, v := range theta {
		want += 0.5 * square((v-[]float64{0, math.Log(0.05), math.Log(4), math.Log(4)}[i])/priorDeviation)
	}
	near(t, "marginal likelihood", value, want, 1000*eps*math.Abs(want))
	for i := range theta {
		const h = 1e-5
		moved := slices.Clone(theta)
		moved[i] += h
		up := f.objective(moved, other)
		moved[i] -= 2 * h
		down := f.objective(moved, other)
		near(t, fmt.Sprintf("derivative %d", i), grad[i], (up-down)/(2*h), 1e-7*max(1, math.Abs(grad[i])))
	}
	best, err := f.optimise()
	if err != nil {
		t.Fatal(err)
	}
	for _, other := range [][]float64{{0, -4, 2, 2}, {0, -1, 0, 0}, {0, -1, 2, 0}, {0, -1, 0, 2}, {-3, 0, 1, 1}, {1, -5, -2, -2}} {
		if f.objective(other, grad) < f.objective(best, grad) {
			t.Errorf("%v is better than the optimum", other)
		}
	}
	if at := f.objective(best, grad); !(at <= value) || slices.ContainsFunc(grad, func(g float64) bool { return math.Abs(g) > 0.01 }) {
		t.Errorf("optimum %v with gradient %v, %v elsewhere", at, grad, value)
	}
}

// bowl predicts 100 plus its value.
type bowl float64

func (b bowl) fill(mean, variance, seen mat.Matrix, p pattern) error {
	mean.Fill(100 + 10*float64(b))
	variance.Fill(1)
	return nil
}

// No picture is predicted by a model that has been fitted to it, and all are
// predicted if there are as many cases.
func TestFolds(t *testing.T) {
	y := mat.New(23, 4)
	for i := range 23 {
		for j := range 4 {
			y.Set(i, j, float64(i))
		}
	}
	var trained [][]float64
	fit := func(y mat.Matrix) (func([]float64) (conditional, error), error) {
		trained = append(trained, mat.Vector(y.Slice(0, y.Rows, 0, 1).Clone().Data).Data)
		return func([]float64) (conditional, error) { return bowl(0), nil }, nil
	}
	o := Options{Folds: 5, Cases: 25}
	d := Data{Points: grid(2, 2), Pictures: y, Channels: 1}
	if err := o.check(d); err != nil {
		t.Fatal(err)
	}
	v, err := newValidation(context.Background(), y, o, nil, fit)
	if err != nil {
		t.Fatal(err)
	}
	if len(v.tasks) != 25 {
		t.Fatalf("%d tasks", len(v.tasks))
	}
	unseen := map[float64]bool{}
	for f, values := range trained {
		for _, task := range v.tasks[5*f : 5*f+5] { // one case each
			for i := range task.pictures.Rows {
				picture := task.pictures.At(i, 0)
				unseen[picture] = true
				if slices.Contains(values, picture) {
					t.Errorf("fold %d was fitted to picture %v", f, picture)
				}
			}
		}
	}
	if len(unseen) != 23 {
		t.Errorf("%d pictures predicted", len(unseen))
	}
}

// Pictures four times as bright have means four times as large and variances
// sixteen times, to the bit; so has every method the same bits at any GOMAXPROCS.
func TestScaleAndProcessors(t *testing.T) {
	d := some(t, 20)
	seen := hide(some(t, 26).Pictures.Slice(20, 26, 0, 24))
	bright := Data{Points: d.Points, Channels: 2, Pictures: d.Pictures.Clone()}
	mat.Scale(bright.Pictures, 4, bright.Pictures)
	brightSeen := seen.Clone()
	mat.Scale(brightSeen, 4, brightSeen)
	run := func(kind Kind, d Data, seen mat.Matrix) Prediction {
		m, err := Fit(context.Background(), kind, d, Options{Cases: 8, Folds: 2, Seed: 3})
		if err != nil {
			t.Fatal(err)
		}
		p, err := m.Fill(context.Background(), seen)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, kind := range Kinds {
		runtime.GOMAXPROCS(1)
		one := run(kind, d, seen)
		runtime.GOMAXPROCS(4)
		four := run(kind, d, seen)
		large := run(kind, bright, brightSeen)
		for k := range one.Mean.Data {
			m, v := one.Mean.Data[k], one.Variance.Data[k]
			if m != four.Mean.Data[k] || v != four.Variance.Data[k] {
				t.Fatalf("%s: value %d is %v (%v), with four processors %v (%v)", kind, k, m, v, four.Mean.Data[k], four.Variance.Data[k])
			}
			if 4*m != large.Mean.Data[k] || 16*v != large.Variance.Data[k] {
				t.Fatalf("%s: value %d is %v (%v), four times as bright %v (%v)", kind, k, m, v, large.Mean.Data[k], large.Variance.Data[k])
			}
		}
	}
}

// Draws from a known distribution: no method that knows space or many pictures may
// be far from the best possible prediction, and none may beat it by more than
// chance. Intervals cover what they claim.
func TestKnownDistribution(t *testing.T) {
	if testing.Short() {
		t.Skip("the search for parameters takes a second")
	}
	x := grid(4, 4)
	sigma := decaying(x, 9, 0.5)
	y := draw(t, 500, sigma, 11)
	train, truth := y.Slice(0, 300, 0, 16), y.Slice(300, 500, 0, 16)
	mu := slices.Repeat([]float64{100}, 16)
	seen := hide(truth)
	var ideal float64
	count := 0
	for i := range seen.Rows {
		g := byPattern(seen.Slice(i, i+1, 0, 16), 1)[0]
		m, _ := dense(mu, sigma, inf, gather(seen.Row(i), g.pattern.seen), g.pattern)
		for k, j := range g.pattern.missing {
			ideal += square(m[k] - truth.At(i, j))
			count++
		}
	}
	for _, test := range []struct {
		kind  Kind
		worse float64 // allowed ratio to the ideal error
	}{{Nearest, 1.9}, {PPCA, 1.12}, {Gaussian, 1.05}, {LocalGaussian, 1.05}, {GP, 1.12}} {
		m, err := Fit(context.Background(), test.kind, Data{Points: x, Pictures: train}, Options{Cases: 100})
		if err != nil {
			t.Fatal(err)
		}
		p, err := m.Fill(context.Background(), seen)
		if err != nil {
			t.Fatal(err)
		}
		var squares float64
		inside := 0
		for i := range truth.Rows {
			for j := range 16 {
				if !math.IsNaN(seen.At(i, j)) {
					continue
				}
				r := p.Mean.At(i, j) - truth.At(i, j)
				squares += r * r
				if math.Abs(r) < 1.6448536*math.Sqrt(p.Variance.At(i, j)) {
					inside++
				}
			}
		}
		if ratio := math.Sqrt(squares / ideal); !(ratio < test.worse && ratio > 0.98) {
			t.Errorf("%s: error %.3f times the ideal one, expected at most %v", test.kind, ratio, test.worse)
		}
		near(t, string(test.kind)+": coverage of 90 %", float64(inside)/float64(count), 0.9, 0.035)
	}
}

// Data on which estimates degenerate still give finite means and positive
// variances, and observed values stay what they are.
func TestDegenerate(t *testing.T) {
	usual := some(t, 12)
	constant := some(t, 12)
	for i := range 12 {
		constant.Pictures.Set(i, 7, 42) // a value that never varies
		constant.Pictures.Set(i, 8, 42)
	}
	twice := some(t, 12)
	mat.Copy(twice.Pictures.Slice(6, 12, 0, 24), twice.Pictures.Slice(0, 6, 0, 24))
	alike := some(t, 12)
	alike.Pictures.Fill(7)
	few := some(t, 3)
	column := usual
	column.Pictures = mat.New(24, 12).T() // values of a picture apart in memory
	mat.Copy(column.Pictures, usual.Pictures)
	onePoint := Data{Points: mat.New(1, 2), Pictures: usual.Pictures.Slice(0, 12, 0, 1)}

	for name, d := range map[string]Data{"usual": usual, "constant": constant, "twice": twice, "alike": alike, "few": few, "columns": column, "one point": onePoint} {
		if testing.Short() && name != "alike" && name != "one point" {
			continue
		}
		seen := hide(d.Pictures.Slice(0, 3, 0, d.Pictures.Cols))
		for j := range seen.Cols {
			seen.Set(1, j, nan) // nothing observed
			seen.Set(2, j, 3)   // everything
		}
		for _, kind := range Kinds {
			m, err := Fit(context.Background(), kind, d, Options{Cases: 12, Folds: 3})
			if err != nil {
				t.Errorf("%s, %s: %v", name, kind, err)
				continue
			}
			p, err := m.Fill(context.Background(), seen)
			if err != nil {
				t.Errorf("%s, %s: %v", name, kind, err)
				continue
			}
			for k, y := range seen.Data {
				mean, v := p.Mean.Data[k], p.Variance.Data[k]
				if math.IsNaN(y) && !(mean-mean == 0 && v > 0 && v-v == 0) || !math.IsNaN(y) && (mean != y || v != 0) {
					t.Errorf("%s, %s: value %d, %v, is filled with %v, variance %v", name, kind, k, y, mean, v)
				}
			}
			if v := p.Variance.Slice(1, 2, 0, seen.Cols); name == "usual" && !(mat.NormMax(v) > 3 && mat.NormMax(v) < 100) {
				t.Errorf("%s: variances of an unseen picture are %v", kind, v)
			}
		}
	}
}

func TestRefused(t *testing.T) {
	good := func() Data { return some(t, 6) }
	with := func(change func(*Data)) Data {
		d := good()
		change(&d)
		return d
	}
	for _, test := range []struct {
		d    Data
		o    Options
		want string
	}{
		{with(func(d *Data) { d.Channels = -1 }), Options{}, "baseline: channels: found -1, expected at least 1"},
		{with(func(d *Data) { d.Points = mat.New(0, 2) }), Options{}, "baseline: points: found 0, expected at least 1"},
		{with(func(d *Data) { d.Channels = 3 }), Options{}, "baseline: values of a training picture: found 24, expected 36, 12 points × 3 channels"},
		{with(func(d *Data) { d.Pictures = d.Pictures.Slice(0, 2, 0, 24) }), Options{}, "baseline: training pictures: found 2, expected at least 3"},
		{with(func(d *Data) { d.Pictures.Set(4, 5, nan) }), Options{}, "baseline: training picture 4, value 5: found NaN, expected a finite number"},
		{with(func(d *Data) { d.Points.Set(4, 1, inf) }), Options{}, "baseline: point 4, value 1: found +Inf, expected a finite number"},
		{good(), Options{Folds: 1}, "baseline: folds: found 1, expected at least 2"},
		{good(), Options{Cases: -5}, "baseline: cases: found -5, expected at least 1"},
		{good(), Options{Masks: [][]bool{}}, "baseline: masks: found 0, expected at least 1"},
		{good(), Options{Masks: [][]bool{make([]bool, 23)}}, "baseline: values of a mask: found 23, expected 24, as many as of a picture"},
		{good(), Options{Masks: [][]bool{slices.Repeat([]bool{true}, 24)}}, "baseline: mask 0 hides no value: found 0, expected at least one"},
	} {
		m, err := Fit(context.Background(), PPCA, test.d, test.o)
		if err == nil || err.Error() != test.want || m != nil {
			t.Errorf("error %v, expected %s", err, test.want)
		}
	}
	wide := Data{Points: mat.New(largest+1, 1), Pictures: mat.New(3, largest+1)}
	if _, err := Fit(context.Background(), GP, wide, Options{}); err == nil || err.Error() != "baseline: values of a picture: found 5001, expected at most 5000 for gp, which needs matrices of all pairs" {
		t.Errorf("error %v", err)
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	m, err := Fit(context.Background(), PPCA, good(), Options{Cases: 6})
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range Kinds {
		if _, err := Fit(cancelled, kind, good(), Options{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v", kind, err)
		}
	}
	if _, err := m.Fill(cancelled, hide(good().Pictures)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	bad := hide(good().Pictures)
	bad.Set(2, 3, inf)
	if _, err := m.Fill(context.Background(), bad); err == nil || err.Error() != "baseline: picture 2, value 3: found +Inf, expected a finite number, or NaN for a missing one" {
		t.Errorf("error %v", err)
	}
	tier.Panics(t, "baseline: Fill: pictures are 2×23, expected 24 columns", func() { m.Fill(context.Background(), mat.New(2, 23)) })
	tier.Panics(t, `baseline: Fit: kind "svm", expected one of [nearest ppca gaussian local-gaussian gp]`, func() { Fit(context.Background(), "svm", good(), Options{}) })
}
