package simple

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// curve draws n examples of p columns that are waves of two latent variables, with noise.
func curve(n, p int, seed uint64) mat.Matrix {
	rng := rand.New(rand.NewPCG(seed, 12))
	y, w := mat.New(n, p), mat.New(p, 3)
	for k := range w.Data {
		w.Data[k] = 1.5 * rng.NormFloat64()
	}
	for i := range n {
		a, b := rng.Float64()*3, rng.Float64()*3
		for j := range p {
			y.Set(i, j, math.Sin(w.At(j, 0)*a+w.At(j, 1)*b+w.At(j, 2))+0.05*rng.NormFloat64())
		}
	}
	return y
}

// Of examples on a curved surface local regression has at most two thirds of the error of principal components; of a plane it has hardly more than they have. Its intervals cover 80 to
// 98 %, also where the examples are more than those among which neighbours are looked for.
func TestLocalRegression(t *testing.T) {
	for name, c := range map[string]struct {
		y    mat.Matrix
		most float64
	}{
		"a curved surface": {curve(400, 8, 1), 0.67},
		"a plane":          {lowRank(300, 8, 2, 0.3, 2), 1.08},
		"many examples":    {curve(maxReferences+400, 6, 3), 0.67},
	} {
		if testing.Short() && c.y.Rows > maxReferences {
			continue
		}
		d := Data{Y: c.y, Missing: scattered(len(c.y.Data), 0.15, 3), Channels: 1}
		var errors []float64
		for _, m := range []Method{PrincipalComponents, {fill: new(Start).fillLocal}} {
			mean, variance, err := m.Fill(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			r, coverage, none := judge(d, mean, variance)
			if errors = append(errors, r); none > 0 || m.Name == "" && (coverage < 0.8 || coverage > 0.98) {
				t.Errorf("%s: intervals cover %.3f, %d values are not filled in", name, coverage, none)
			}
		}
		if t.Logf("%s: %.3f", name, errors); errors[1] > c.most*errors[0] {
			t.Errorf("%s: errors of %.3f, expected %v of those of principal components, %.3f", name, errors[1], c.most, errors[0])
		}
	}
}

// Slopes make the penalised sum of squares least, with more rows than columns and with fewer; r/(1 − h) is what a row is off by slopes learned from the others.
func TestRidgeRegression(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for _, size := range [][2]int{{20, 6}, {6, 6}, {6, 5}, {5, 20}} {
		x, y, penalty := mat.New(size[0], size[1]), mat.New(size[0], 2), 0.7
		for _, m := range []mat.Matrix{x, y} {
			for k := range m.Data {
				m.Data[k] = rng.NormFloat64()
			}
		}
		one := mat.New(size[1], size[1]) // a place for each slope
		for k := range one.Rows {
			one.Set(k, k, 1)
		}
		slopes, rest, leverage, err := ridgeRegression(fewerProducts(x), x, y, one, penalty)
		if err != nil {
			t.Fatal(err)
		}
		slope := mat.New(size[1], 2) // half the derivative of the sum, negative
		mat.Copy(slope, slopes)
		mat.Mul(slope, 1, x.T(), rest, -penalty)
		if worst := mat.NormFro(slope); worst > 1e-12 {
			t.Errorf("%v: slope %g of the sum of squares", size, worst)
		}
		for n := range size[0] {
			others, of := mat.New(size[0]-1, size[1]), mat.New(size[0]-1, 2)
			for k := range others.Rows {
				from := k
				if k >= n {
					from++
				}
				copy(others.Row(k), x.Row(from))
				copy(of.Row(k), y.Row(from))
			}
			without, _, _, err := ridgeRegression(fewerProducts(others), others, of, one, penalty)
			if err != nil {
				t.Fatal(err)
			}
			for c := range 2 {
				want := y.At(n, c)
				for j := range size[1] {
					want -= x.At(n, j) * without.At(j, c)
				}
				if got := rest.At(n, c) / (1 - leverage[n]); math.Abs(got-want) > 1e-11 {
					t.Errorf("%v: row %d is off by %g without it, expected %g", size, n, got, want)
				}
			}
		}
	}
}

// Examples that are all the same, a column that nobody has seen, and an example of which nothing was observed do no harm.
func TestLocalRegressionDegenerate(t *testing.T) {
	d := Data{Y: mat.New(30, 4), Missing: scattered(120, 0.2, 1), Channels: 4}
	d.Y.Fill(3)
	for i := range 30 {
		d.Missing[i*4+3] = true
		d.Y.Set(i, 0, float64(i%2))
	}
	for j := range 4 {
		d.Missing[j] = true
	}
	mean, variance, err := Method{fill: new(Start).fillLocal}.Fill(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range mean.Data {
		if j := k % 4; (j == 3) != math.IsNaN(v) || j < 3 && d.Missing[k] && !(variance.Data[k] > 0) || (j == 1 || j == 2) && math.Abs(v-3) > 1e-6 {
			t.Errorf("value %d, %d: %v ± %v", k/4, j, v, variance.Data[k])
		}
	}
}

// An example is not among its own neighbours, the nearest of which come first. Of noise the variances told are the mean squared errors, also where a regression has many slopes for its neighbours.
func TestLocalVariances(t *testing.T) {
	const n = 400
	l := local{z: lowRank(n, 8, 1, 1, 5)}
	for k := range l.z.Data {
		l.z.Data[k] = rand.New(rand.NewPCG(uint64(k), 5)).NormFloat64()
	}
	var squares, told float64
	for i := range n {
		e := incomplete{y: l.z.Row(i), self: i, observed: []int{0, 1, 2, 3, 4, 5}, want: []int{6, 7}}
		near := l.nearest(e)
		for k, v := range near {
			if v.i == i || len(near) != n-1 || k > 0 && v.distance < near[k-1].distance {
				t.Fatalf("example %d: neighbour %d is %d at %v of %d", i, k, v.i, v.distance, len(near))
			}
		}
		if err := l.regress(e, near, 16, []float64{0.003}, func(_ int, mean, variance []float64) {
			for k, j := range e.want {
				squares += square(e.y[j] - mean[k])
				told += variance[k]
			}
		}); err != nil {
			t.Fatal(err)
		}
	}
	if ratio := squares / told; ratio < 0.6 || ratio > 1.3 {
		t.Errorf("squared errors are %v of the variances", ratio)
	}
}

// Where values of some examples are asked for, local regression says of these what it says where all are, and nothing of other examples: of all examples and where neighbours are looked for
// among some of them.
func TestLocalWanted(t *testing.T) {
	for _, n := range []int{60, maxReferences + 100} {
		if testing.Short() && n > maxReferences {
			continue
		}
		y := curve(n, 4, 5)
		d := Data{Y: y, Missing: scattered(len(y.Data), 0.15, 3), Channels: 1}
		method := Method{Local, new(Start).fillLocal}
		all, variances, err := method.Fill(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		d.Wanted = make([]bool, len(d.Missing))
		for k := range d.Wanted {
			d.Wanted[k] = d.Missing[k] && k/4%5 == 1
		}
		some, own, err := method.Fill(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		for k, missing := range d.Missing {
			if asked := k/4%5 == 1; missing && !asked != math.IsNaN(some.Data[k]) {
				t.Fatalf("%d examples: value %d, asked for: %v, is %v", n, k, asked, some.Data[k])
			} else if (asked || !missing) && (some.Data[k] != all.Data[k] || own.Data[k] != variances.Data[k]) {
				t.Fatalf("%d examples: value %d is %v ± %v, where all are asked for %v ± %v", n, k, some.Data[k], own.Data[k], all.Data[k], variances.Data[k])
			}
		}
	}
}
