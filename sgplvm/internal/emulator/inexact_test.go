package emulator

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Of 60 runs of which two thirds lack a number or a label, an emulator errs by less than a fifth of one of the runs that lack nothing; numbers with errors are corrected by
// their outputs.
func TestInexact(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds of rounds")
	}
	rng := rand.New(rand.NewPCG(4, 2))
	w := world{x: uniform(100, 3, rng), y: mat.New(100, 60)}
	f := simulator(3, rng)
	for i := range 100 {
		f(w.y.Row(i), w.x.Row(i))
	}
	d := w.data()
	d.Columns = append(d.Columns, Column{Labels: make([]string, 100)})
	for i := range 100 {
		kind := rng.IntN(3)
		d.Columns[3].Labels[i] = string(rune('a' + kind))
		for s := range w.y.Cols {
			w.y.Row(i)[s] += float64(kind) * math.Sin(float64(s)/9)
		}
	}
	all := func(from, to int) (runs []int) {
		for i := from; i < to; i++ {
			runs = append(runs, i)
		}
		return runs
	}
	some := func(columns []Column, runs []int) Data {
		s := world{x: mat.New(len(runs), 0), y: rows(w.y, runs)}.data()
		for _, c := range columns {
			k := Column{}
			for _, i := range runs {
				if c.Labels != nil {
					k.Labels = append(k.Labels, c.Labels[i])
					continue
				}
				k.Numbers = append(k.Numbers, c.Numbers[i])
				if c.Errors != nil {
					k.Errors = append(k.Errors, c.Errors[i])
				}
			}
			s.Columns = append(s.Columns, k)
		}
		return s
	}
	error_ := func(columns []Column, runs []int) float64 {
		m, err := Fit(context.Background(), some(columns, runs), Options{Quick: true})
		if err != nil {
			t.Fatal(err)
		}
		x, errs, err := m.Coordinates(some(d.Columns, all(60, 100)).Columns, nil, 40)
		if err != nil {
			t.Fatal(err)
		}
		p, y, sum := m.Outputs(x, errs), make([]float64, w.y.Cols), 0.
		for i := range 40 {
			p.Mean(y, i)
			for s, v := range y {
				sum += (v - w.y.At(60+i, s)) * (v - w.y.At(60+i, s))
			}
		}
		return math.Sqrt(sum)
	}
	holed, shaken := make([]Column, 4), make([]Column, 4)
	for q, c := range d.Columns {
		holed[q] = Column{Numbers: append([]float64{}, c.Numbers...)}
		shaken[q] = Column{Numbers: append([]float64{}, c.Numbers...), Errors: make([]float64, len(c.Numbers))}
		if c.Labels != nil {
			holed[q], shaken[q] = Column{Labels: append([]string{}, c.Labels...)}, c
		}
	}
	var whole []int
	for i := range 60 {
		if i%2 == 0 {
			shaken[1].Errors[i] = 0.3
			shaken[1].Numbers[i] += 0.3 * rng.NormFloat64()
		}
		switch q := rng.IntN(6); {
		case q < 3:
			holed[q].Numbers[i] = math.NaN()
		case q == 3:
			holed[3].Labels[i] = ""
		default:
			whole = append(whole, i)
		}
	}
	blind := append([]Column{}, shaken...)
	blind[1].Errors = nil
	if least, inferred := error_(d.Columns, whole), error_(holed, all(0, 60)); inferred > 0.2*least {
		t.Errorf("errors %.3g with inputs inferred, %.3g of %d runs without a hole", inferred, least, len(whole))
	}
	if corrected, taken := error_(shaken, all(0, 60)), error_(blind, all(0, 60)); corrected > 0.6*taken {
		t.Errorf("errors %.3g with errors of inputs told, %.3g without", corrected, taken)
	}
}

// Where an input is not known, or known with an error, mean and variance of outputs are those of the mixture over its distribution, and draws have them.
func TestMixture(t *testing.T) {
	m, err := Fit(context.Background(), worlds(40, 2, 3, 8).data(), Options{Quick: true})
	if err != nil {
		t.Fatal(err)
	}
	columns := []Column{{Numbers: []float64{0.3, 0.3, 0.3}}, {Numbers: []float64{math.NaN(), -0.5, -0.5}, Errors: []float64{0, 0.6, 0}}}
	x, errs, err := m.Coordinates(columns, nil, 3)
	if err != nil {
		t.Fatal(err)
	}
	p, size := m.Outputs(x, errs), m.V.Rows
	a := m.axis(1, FromRuns)
	for i, of := range []func(u float64) float64{
		func(u float64) float64 { return a.a + (a.b-a.a)*u },
		func(u float64) float64 { return x.At(1, 1) + 0.6/m.Scale[1]*normalQuantile(u) },
		func(u float64) float64 { return x.At(2, 1) },
	} {
		const steps = 2000
		mean, square, one := make([]float64, size), make([]float64, size), make([]float64, size)
		for k := range steps {
			mu, v := m.Predict(mat.NewDense(1, 2, []float64{x.At(i, 0), of((float64(k) + 0.5) / steps)}))
			m.Variance(one, v.Row(0))
			for s, v := range one {
				square[s] += v / steps
			}
			m.Field(one, mu.Row(0))
			for s, v := range one {
				mean[s] += v / steps
				square[s] += v * v / steps
			}
		}
		got, variance := make([]float64, size), make([]float64, size)
		p.Mean(got, i)
		p.Variance(variance, i)
		f, left := p.Covariance(i)
		for s := range size {
			v := square[s] - mean[s]*mean[s]
			near(t, "mean", got[s]/m.Scaler.Scale[0], mean[s]/m.Scaler.Scale[0], 0.01)
			near(t, "variance", variance[s]/v, 1, 0.03)
			for _, w := range f.Row(s) {
				left[s] += w * w
			}
			near(t, "diagonal of the covariance", left[s]/variance[s], 1, 1e-9)
		}
		const draws = 4000
		rng, sum, squares := rand.New(rand.NewPCG(1, 1)), 0., 0.
		for range draws {
			p.Draw(one, i, rng)
			sum += one[7] / draws
			squares += one[7] * one[7] / draws
		}
		v := variance[7] - m.Scaler.Scale[0]*m.Scaler.Scale[0]*m.Left[7]
		near(t, "mean of draws", (sum-got[7])/math.Sqrt(v), 0, 0.07)
		near(t, "variance of draws", (squares-sum*sum)/v, 1, 0.1)
	}
}
