package emulator

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Errors of fields that a fold computes from products of runs alone are those of the fields themselves.
func TestFoldErrors(t *testing.T) {
	w := worlds(30, 2, 4, 3)
	gram := mat.New(30, 30)
	mat.Syrk(gram, 1, w.y, 0)
	mat.MirrorLower(gram)
	f, err := newFold(context.Background(), &Inputs{Numbers: w.x, Fixed: make([]bool, 2)}, gram, []int{0, 5, 10, 15, 20, 25}, 0)
	if err != nil {
		t.Fatal(err)
	}
	p, err := f.predict(context.Background(), Choice{Single: true})
	if err != nil {
		t.Fatal(err)
	}
	v, mean := f.basis.expand(w.y)
	errs := f.errors(p.mean)
	for k, i := range f.held {
		sum := 0.
		for s := range w.y.Cols {
			y := mean[s]
			for j, d := range f.basis.Deviations {
				y += v.At(s, j) * d * p.mean.At(k, j)
			}
			sum += (y - w.y.At(i, s)) * (y - w.y.At(i, s))
		}
		near(t, "squared error", errs[k], sum, 1e-8)
	}
	for j := range v.Cols {
		for l := range v.Cols {
			dot := 0.
			for s := range v.Rows {
				dot += v.At(s, j) * v.At(s, l)
			}
			want := 0.
			if j == l {
				want = 1
			}
			near(t, "product of components", dot, want, 1e-5)
		}
	}
}

// Of a world that it has not seen an emulator predicts fields with a tenth of the error of ridge regression, 90 % intervals hold at least 80 %
// of the values, and the mean deviation foretold is at most five times the error.
func TestFit(t *testing.T) {
	w := worlds(90, 2, 4, 5)
	train := world{w.x.Slice(0, 60, 0, 2).Clone(), w.p, w.y.Slice(0, 60, 0, 60).Clone()}
	m, err := Fit(context.Background(), train.data(), Options{Quick: true})
	if err != nil {
		t.Fatal(err)
	}
	test := world{w.x.Slice(60, 90, 0, 2).Clone(), w.p, w.y}.data()
	x, _, err := m.Coordinates(test.Columns, nil, 30)
	if err != nil {
		t.Fatal(err)
	}
	mean, variance := m.Predict(x)
	sum, foretold, within := 0., 0., 0
	field, deviation := make([]float64, 60), make([]float64, 60)
	for i := range 30 {
		m.Field(field, mean.Row(i))
		m.Variance(deviation, variance.Row(i))
		for s, v := range field {
			e := v - w.y.At(60+i, s)
			sum += e * e / 30 / 60
			foretold += deviation[s] / 30 / 60
			if math.Abs(e) < 1.645*math.Sqrt(deviation[s]) {
				within++
			}
		}
	}
	ridge := m.Errors.Simplest[0].Mean * m.Scaler.Scale[0]
	if rmse := math.Sqrt(sum); !(rmse < ridge/10) || !(m.Errors.Mean*m.Scaler.Scale[0] < ridge/5) {
		t.Errorf("error %.3g, by folds %.3g, ridge %.3g", rmse, m.Errors.Mean*m.Scaler.Scale[0], ridge)
	}
	if share := float64(within) / 1800; share < 0.8 || foretold > 25*sum {
		t.Errorf("90 %% intervals hold %.2f; error %.3g, foretold %.3g", share, math.Sqrt(sum), math.Sqrt(foretold))
	}
}

// Variances of fields are the diagonal of their covariance, and draws have mean and variance of the prediction, but for what components leave out.
func TestCovariance(t *testing.T) {
	w := worlds(30, 2, 4, 6)
	m, err := Fit(context.Background(), w.data(), Options{Quick: true})
	if err != nil {
		t.Fatal(err)
	}
	_, variance := m.Predict(mat.NewDense(1, 2, []float64{0.3, -2}))
	f, left := m.Covariance(variance.Row(0))
	got := make([]float64, 60)
	m.Variance(got, variance.Row(0))
	for s := range got {
		want := left[s]
		for _, v := range f.Row(s) {
			want += v * v
		}
		near(t, "variance", got[s]/want, 1, 1e-12)
	}
}

// A value that is the same in all runs is predicted as it is, with variance 0.
func TestFixedValues(t *testing.T) {
	w := worlds(30, 2, 4, 6)
	for i := range 30 {
		w.y.Set(i, 7, 0.1)
	}
	m, err := Fit(context.Background(), w.data(), Options{Quick: true})
	if err != nil {
		t.Fatal(err)
	}
	mean, variance := m.Predict(mat.NewDense(1, 2, []float64{0.3, -2}))
	field, v := make([]float64, 60), make([]float64, 60)
	m.Field(field, mean.Row(0))
	m.Variance(v, variance.Row(0))
	near(t, "fixed value", field[7], 0.1, 1e-15)
	if v[7] != 0 || !(v[8] > 0) {
		t.Errorf("variances %v, %v", v[7], v[8])
	}
}

// Runs of the same inputs are in the same fold, and up to nine runs have a fold each. On a grid each fold holds out a level of an input between others; beside a
// scattered input some folds more do.
func TestSplit(t *testing.T) {
	scattered := func(n int) *Inputs { return &Inputs{Numbers: worlds(n, 1, 1, 1).x, Fixed: []bool{false}} }
	folds := split(scattered(14), []int{0, 1, 2, 1, 0, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 1)
	of := make([]int, 14)
	for f, held := range folds {
		for _, i := range held {
			of[i] = f
		}
	}
	if of[0] != of[4] || of[1] != of[3] || len(folds) != 5 {
		t.Errorf("folds %v", folds)
	}
	if few := split(scattered(5), []int{0, 1, 2, 3, 4}, 1); len(few) != 5 {
		t.Errorf("folds of five runs %v", few)
	}
	grid, groups := &Inputs{Numbers: mat.New(30, 2), Fixed: make([]bool, 2)}, make([]int, 30)
	for i := range groups {
		groups[i] = i
		grid.Numbers.Set(i, 0, float64(i%5))
		grid.Numbers.Set(i, 1, float64(i/5))
	}
	folds = split(grid, groups, 1)
	if len(folds) != 6 {
		t.Errorf("%d folds of a grid", len(folds))
	}
	for _, held := range folds {
		for q := range 2 {
			v := grid.Numbers.At(held[0], q)
			same := !slices.ContainsFunc(held, func(i int) bool { return grid.Numbers.At(i, q) != v })
			if same && (v == 0 || v == 4+float64(q) || len(held) != 6-q) || q == 1 && !same && grid.Numbers.At(held[1], 0) != grid.Numbers.At(held[0], 0) {
				t.Errorf("fold %v", held)
			}
		}
	}
	for i := range groups { // a second input that is scattered
		grid.Numbers.Set(i, 1, math.Mod(float64(i)*0.618, 1))
	}
	if mixed := split(grid, groups, 1); len(mixed) != 5+3 || !slices.ContainsFunc(mixed[5:], func(held []int) bool { return len(held) == 6 && grid.Numbers.At(held[0], 0) == 2 }) {
		t.Errorf("folds of an input with levels beside a scattered one %v", mixed)
	}
	in := Inputs{Numbers: mat.NewDense(3, 1, []float64{1, 2, 1})}
	if g := in.groups(); !slices.Equal(g, []int{0, 1, 0}) {
		t.Errorf("groups %v", g)
	}
}

// Inputs that differ in scale by 1e9, constant ones, repeated runs with other outputs, one input, more inputs than runs and three runs are learned from.
func TestHostile(t *testing.T) {
	for name, change := range map[string]func(d *Data, w *world){
		"scales":   func(d *Data, _ *world) { scale(d.Columns[0].Numbers, 1e9) },
		"tiny":     func(d *Data, _ *world) { scale(d.Columns[0].Numbers, 1e-9) },
		"offset":   func(d *Data, _ *world) { shift(d.Columns[0].Numbers, 1e6) },
		"constant": func(d *Data, _ *world) { scale(d.Columns[1].Numbers, 0) },
		"repeated": func(d *Data, _ *world) {
			for q := range d.Columns {
				copy(d.Columns[q].Numbers[:4], d.Columns[q].Numbers[4:8])
			}
		},
		"one input": func(d *Data, _ *world) { d.Columns = d.Columns[:1] },
		"constant outputs": func(d *Data, w *world) {
			w.y.Fill(3)
			d.Outputs = w.data().Outputs
		},
		"many inputs": func(d *Data, w *world) { *d = worlds(12, 30, 3, 4).data() },
		"three runs":  func(d *Data, w *world) { *d = worlds(3, 2, 2, 4).data() },
		"four runs":   func(d *Data, w *world) { *d = worlds(4, 1, 2, 4).data() },
		"labels": func(d *Data, w *world) {
			d.Columns = append(d.Columns, Column{Name: "kind"})
			for i := range w.x.Rows {
				d.Columns[2].Labels = append(d.Columns[2].Labels, string(rune('a'+i%3)))
			}
		},
	} {
		w := worlds(20, 2, 3, 2)
		d := w.data()
		change(&d, &w)
		m, err := Fit(context.Background(), d, Options{Quick: true})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		x, _, err := m.Coordinates(d.Columns, nil, d.Columns[0].Len())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		mean, variance := m.Predict(x)
		for i, v := range variance.Data {
			if !(v >= 0) || mean.Data[i]-mean.Data[i] != 0 {
				t.Errorf("%s: mean %v, variance %v", name, mean.Data[i], v)
				break
			}
		}
		field := make([]float64, m.V.Rows)
		m.Variance(field, variance.Row(0))
		if f, _, bad := mat.NonFinite(mat.Vector(field)); bad || !(m.Factor > 0) || m.Errors.Mean-m.Errors.Mean != 0 {
			t.Errorf("%s: variance %d not finite, factor %v, error %v", name, f, m.Factor, m.Errors.Mean)
		}
	}
}

func scale(v []float64, s float64) {
	for i := range v {
		v[i] *= s
	}
}

func shift(v []float64, s float64) {
	for i := range v {
		v[i] += s
	}
}

// Inputs that cannot be used are refused by run and column: numbers that are not finite, categories that no run has, another number of columns.
func TestRefused(t *testing.T) {
	w := worlds(20, 2, 3, 2)
	good := w.data()
	good.Columns = append(good.Columns, Column{Name: "kind", Labels: make([]string, 20)})
	for i := range 20 {
		good.Columns[2].Labels[i] = string(rune('a' + i%2))
	}
	m, err := Fit(context.Background(), good, Options{Quick: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []float64{math.Inf(-1), math.Inf(1), 1e200} {
		d := w.data()
		d.Columns[1].Numbers[7] = bad
		var input *InputError
		if _, err := Fit(context.Background(), d, Options{}); !errors.As(err, &input) || input.Run != 7 || input.Column != "2" {
			t.Errorf("%v: error %v", bad, err)
		}
	}
	one := func(kind string, v float64) []Column {
		return []Column{{Numbers: []float64{v}}, {Numbers: []float64{0}}, {Name: "kind", Labels: []string{kind}}}
	}
	for _, c := range []struct {
		columns []Column
		want    string
	}{
		{one("c", 0), `run 0, input "kind": found "c", expected a category that the runs have: "a", "b"`},
		{one("a", math.Inf(1)), `run 0, input 1: found +Inf, expected a finite number within ±1e150, or none`},
		{one("a", 0)[:2], `input table: found 2 columns, expected 3 as the runs have`},
		{[]Column{{Numbers: []float64{1}}, {Labels: []string{"x"}}, {Labels: []string{"a"}}}, `input 2: found labels, expected numbers as the runs have`},
	} {
		if _, _, err := m.Coordinates(c.columns, nil, 1); err == nil || err.Error() != c.want {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
}

// Far away from all runs the distance is told as a multiple of theirs.
func TestFar(t *testing.T) {
	m, err := Fit(context.Background(), worlds(40, 2, 3, 9).data(), Options{Quick: true})
	if err != nil {
		t.Fatal(err)
	}
	far := m.Far(mat.NewDense(2, 2, []float64{m.X.At(3, 0), m.X.At(3, 1), 40, 40}))
	if far[0] > 1e-5 || far[1] < 10 {
		t.Errorf("distances %v", far)
	}
}
