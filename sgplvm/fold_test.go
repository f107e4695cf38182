package sgplvm

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// hourly are n hours of so many columns: a day that repeats itself so strongly, a level that wanders, and noise.
func hourly(n, columns int, day, walk, noise float64) Data {
	rng := rand.New(rand.NewPCG(9, 76))
	d := Data{Examples: n, Y: mat.New(n, columns), Grid: Grid{line(1)}}
	for c := range columns {
		level := 0.
		for i := range n {
			hour := 2 * math.Pi * float64(i%24) / 24
			level += walk * rng.NormFloat64()
			d.Y.Set(i, c, 10+day*(math.Sin(hour+float64(c))+0.5*math.Sin(2*hour))+level+noise*rng.NormFloat64())
		}
	}
	for i := range n {
		d.Times = append(d.Times, 3+0.5*float64(i))
	}
	return d
}

// picked are some examples of data, in this order.
func picked(d Data, list []int) Data {
	y, times := mat.New(len(list), d.Y.Cols), make([]float64, len(list))
	for k, i := range list {
		copy(y.Row(k), d.Y.Row(i))
		times[k] = d.Times[i]
	}
	d.Examples, d.Y, d.Times = len(list), y, times
	return d
}

// A series of hours that repeats itself by day is folded by 24; what only wanders, or is noise, or is too short, or comes at irregular times or in sequences is not, and
// none is where it is not wanted.
func TestFolds(t *testing.T) {
	const n = 45 * 24
	irregular, sequences, daily := hourly(n, 1, 1, 0, 0.3), hourly(n, 1, 1, 0, 0.3), hourly(n, 1, 1, 0, 0.3)
	rng := rand.New(rand.NewPCG(9, 77))
	for i := range irregular.Times {
		irregular.Times[i] += 0.2 * rng.Float64()
	}
	sequences.Sequences = make([]int, n)
	for name, c := range map[string]struct {
		data   Data
		config Config
		period int
	}{
		"by day": {daily, Config{}, 24}, "three columns": {hourly(n, 3, 1, 0, 0.3), Config{}, 24}, "a level that wanders": {hourly(n, 1, 1, 0.05, 0.3), Config{}, 24},
		"holes": {holed(daily, scatteredHoles(0.3, 1)), Config{}, 24}, "off": {daily, Config{Fold: Off}, 0}, "a walk": {hourly(n, 1, 0, 1, 0), Config{}, 0},
		"noise": {hourly(n, 2, 0, 0, 1), Config{}, 0}, "irregular": {irregular, Config{}, 0}, "sequences": {sequences, Config{}, 0},
		"short": {hourly(1000-1, 1, 1, 0, 0.3), Config{}, 0}, "long enough": {hourly(1000, 1, 1, 0, 0.3), Config{}, 24}, "weak": {hourly(n, 1, 0.55, 0, 1), Config{}, 0}, "constant": {hourly(n, 1, 0, 0, 0), Config{}, 0},
	} {
		d := setOf(t, c.data)
		f, series, err := d.Folded(c.config.options())
		period := 0
		if series != nil {
			period = series.Steps
		}
		if rows, _, _ := d.Source.Dims(); err != nil || period != c.period || period > 0 && len(f.Times) != (rows+period-1)/period || period == 0 && f.Source != d.Source {
			t.Errorf("%s: a period of %d, expected %d; %d periods, error %v", name, period, c.period, len(f.Times), err)
		}
	}
}

// Rows of a series that are not there are missing in its periods, and others are in their place in whatever order they come; unfolded, values are in
// the order of the rows again.
func TestUnfolds(t *testing.T) {
	const n, columns = 50*24 + 7, 2
	whole := hourly(n, columns, 1, 0, 0.3)
	rng := rand.New(rand.NewPCG(9, 78))
	var list []int
	for _, i := range rng.Perm(n) {
		if i == 0 || i == n-1 || rng.Float64() > 0.1 {
			list = append(list, i)
		}
	}
	f, series, err := setOf(t, picked(whole, list)).Folded(Config{}.options())
	if err != nil || series == nil || series.Steps != 24 {
		t.Fatal(series, err)
	}
	count, points, channels := f.Source.Dims()
	if count != 51 || points != 24 || channels != columns || len(f.Grid) != 1 || f.Grid.Len() != 24 {
		t.Fatalf("%d examples of %d points and %d channels, a grid of %d", count, points, channels, f.Grid.Len())
	}
	y := mat.New(count, points*channels)
	if err := f.Source.ReadExamples(y.Data, 0, count); err != nil {
		t.Fatal(err)
	}
	for k := range count * 24 {
		there := slices.Contains(list, k)
		for c := range columns {
			v := y.At(k/24, k%24*columns+c)
			if there && v != whole.Y.At(k, c) || !there && v == v {
				t.Fatalf("step %d, column %d: %v, %t that it is there", k, c, v, there)
			}
		}
		if k%24 == 0 && f.Times[k/24] != whole.Times[0]+0.5*float64(k) {
			t.Errorf("period %d begins at %v", k/24, f.Times[k/24])
		}
	}
	back := series.Unfold(y, len(list), 1, columns)
	for k, i := range list {
		if !slices.Equal(back.Row(k), whole.Y.Row(i)) {
			t.Fatalf("row %d: %v, expected %v", k, back.Row(k), whole.Y.Row(i))
		}
	}
}

// Gaps of six hours of a series that is folded are filled in better than by a line, in the order of the rows; what was observed stays, and rows that are not
// there do not count as missing.
func TestCompleteFolded(t *testing.T) {
	if testing.Short() {
		t.Skip("learns several models")
	}
	const n, length = 45 * 24, 6
	whole := hourly(n, 1, 2, 0.02, 0.1)
	gone := func(i int) bool { return i%50 >= 20 && i%50 < 20+length }
	var list []int
	for _, i := range rand.New(rand.NewPCG(9, 79)).Perm(n) {
		if i%97 != 5 {
			list = append(list, i)
		}
	}
	truth := picked(whole, list)
	d := holed(truth, func(i, _ int) bool { return gone(list[i]) })
	done, err := Complete(t.Context(), d, Config{Effort: EffortQuick, Training: steps(5)})
	if err != nil {
		t.Fatal(err)
	}
	var squares, line, missing float64
	for k, i := range list {
		y, v := done.Mean.At(k, 0), done.Variance.At(k, 0)
		if !gone(i) {
			if y != whole.Y.At(i, 0) || v != 0 {
				t.Fatalf("row %d: %v with variance %v, observed was %v", k, y, v, whole.Y.At(i, 0))
			}
			continue
		}
		from, to := i, i
		for gone(from) || from%97 == 5 {
			from--
		}
		for gone(to) || to%97 == 5 {
			to++
		}
		share := float64(i-from) / float64(to-from)
		squares += math.Pow(y-whole.Y.At(i, 0), 2)
		line += math.Pow((1-share)*whole.Y.At(from, 0)+share*whole.Y.At(to, 0)-whole.Y.At(i, 0), 2)
		if missing++; !(v > 0) {
			t.Fatalf("row %d: %v with variance %v", k, y, v)
		}
	}
	if !(squares < line/4) || done.Period != 24 {
		t.Errorf("squared errors of %v, of lines %v; a period of %d", squares/missing, line/missing, done.Period)
	}
	kinds := 0
	for _, k := range done.Kinds {
		kinds += k.Missing
	}
	if done.Report.Missing != int(missing) || kinds != int(missing) {
		t.Errorf("%d values are said to be missing, %d of all kinds, of %v", done.Report.Missing, kinds, missing)
	}
}

// A table without times whose rows follow one another is filled in between them, one in no order by its mean and without times.
func TestRowsAsTimes(t *testing.T) {
	const n, from, to = 80, 30, 36
	for _, shuffled := range []bool{false, true} {
		d, order := Data{Examples: n, Y: mat.New(n, 1), Grid: Grid{line(1)}}, rand.New(rand.NewPCG(4, 4)).Perm(n)
		for i := range n {
			k := i
			if shuffled {
				k = order[i]
			}
			d.Y.Set(i, 0, 5+math.Sin(float64(k)/9))
		}
		truth := slices.Clone(d.Y.Data)
		for i := from; i < to; i++ {
			d.Y.Set(i, 0, math.NaN())
		}
		done, err := Complete(t.Context(), d, Config{Effort: EffortQuick})
		if err != nil {
			t.Fatal(err)
		}
		var square float64
		for i := from; i < to; i++ {
			e := done.Mean.At(i, 0) - truth[i]
			square += e * e / (to - from)
		}
		if timed := done.Model.Times() != nil; timed == shuffled || !shuffled && square > 0.01 {
			t.Errorf("shuffled %t: times %t, mean square error %v", shuffled, timed, square)
		}
		if s := done.Model.Selection(); s != nil && s.Effort != EffortQuick {
			t.Errorf("shuffled %t: chosen with the effort %v", shuffled, s.Effort)
		}
	}
}
