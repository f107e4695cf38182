package redteam

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/seed-08962ecc/kronfield/internal/simple"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

var (
	long = flag.Bool("long", false, "all rows of TestRedTeam, not a few")
	only = flag.String("rows", "", "the rows of TestRedTeam whose names match a regular `expression`")
)

// What is a fault.
const (
	maxRatio      = 1.05 // of the error to that of the best simple method
	maxDeviations = 2    // standard errors by which squared errors may be larger
	minCoverage   = 0.8  // of 90 % intervals
	maxRefusals   = 2
)

// A row is a world of which values are missing in one way, with times or without.
type row struct {
	world world
	kind  string
	times bool
}

func (r row) name() string {
	return r.world.name + "; " + r.kind + map[bool]string{true: "; times", false: "; no times"}[r.times]
}

// rows lists all rows.
func rows() (list []row) {
	for _, w := range worlds() {
		kinds := []string{"values", "steps"} // of a single value they differ in time alone
		if w.values() > 1 {
			kinds = append(kinds, "sensor", "mixture")
		}
		if w.height*w.width > 1 {
			kinds = append(kinds, "blocks")
		}
		for _, kind := range kinds {
			if !w.timeless {
				list = append(list, row{w, kind, true})
			}
			if w.values() > 1 || kind == "values" {
				list = append(list, row{w, kind, false})
			}
		}
	}
	return list
}

// missing says for each value what it went missing with, numbers from 1 on; 0 where it was observed.
func (r row) missing() []int {
	w := r.world
	n, p := w.n, w.values()
	rng := rand.New(rand.NewPCG(uint64(n*p), uint64(len(r.kind))))
	gone := make([]int, n*p)
	unit := 0
	take := func(from, to int, which func(j int) bool) { // of some examples
		unit++
		for k := from * p; k < min(to, n)*p; k++ {
			if which(k%p) && gone[k] == 0 {
				gone[k] = unit
			}
		}
	}
	values := func(share float64) {
		for i := range n {
			take(i, i+1, func(int) bool { return rng.Float64() < share })
		}
	}
	steps := func(runs int) {
		all := func(int) bool { return true }
		take(0, n/30, all)
		take(n-n/30, n, all)
		for range runs {
			from := rng.IntN(n)
			take(from, from+1+rng.IntN(n/15), all)
		}
	}
	sensors := func(every int) {
		for j := 0; j < p; j += every {
			from := rng.IntN(n)
			take(from, from+n/6, func(k int) bool { return k == j })
		}
	}
	switch r.kind {
	case "values":
		values(0.2)
	case "steps":
		steps(8)
	case "sensor":
		sensors(1)
	case "blocks":
		for i := 0; i < n; i += 2 {
			a, b := rng.IntN(w.height), rng.IntN(w.width)
			take(i, i+1, func(j int) bool { return square(float64(j/w.width-a))+square(float64(j%w.width-b)) < float64(p)/7 })
		}
	case "mixture":
		values(0.08)
		steps(2)
		sensors(3)
	}
	return gone
}

// result is how a row went.
type result struct {
	row
	share      float64 // missing
	ours, best float64 // errors
	by         string  // the simple method whose error is best
	deviations float64 // standard errors by which ours is behind
	coverage   float64
	covered    float64 // by the best simple method
	took       time.Duration
	err        error // a refusal
}

func (r result) fault() string {
	switch {
	case r.err != nil:
		return "refusal: " + r.err.Error()
	case r.ours > maxRatio*r.best && r.deviations > maxDeviations:
		return "behind"
	case !(r.coverage >= minCoverage):
		return "coverage"
	}
	return ""
}

const heading = "row                                             missing      ours      best by                    ratio      z cover beside      s  fault"

func (r result) String() string {
	return fmt.Sprintf("%-50s %4.0f %9.3g %9.3g %-20s %6.2f %6.1f %5.0f %6.0f %6.1f  %s", r.name(), 100*r.share, r.ours, r.best, r.by,
		r.ours/r.best, r.deviations, 100*r.coverage, 100*r.covered, r.took.Seconds(), r.fault())
}

// run fills in a row by ours and by all simple methods, which take the mean where they tell nothing.
func (r row) run(t *testing.T) result {
	w, d, gone := r.world, r.world.sample(), r.missing()
	n, p := w.n, w.values()
	points := w.height * w.width
	plain := simple.Data{Y: d.y, Missing: make([]bool, n*p), Points: d.x.Slice(0, points, min(1, w.width-w.height), 2), Channels: w.columns}
	ours := sgplvm.Data{Examples: n, Y: mat.NewDense(n*points, w.columns, d.y.Clone().Data)}
	for _, side := range []int{w.height, w.width} {
		if side > 1 || points == 1 && ours.Grid == nil {
			line := mat.New(side, 1)
			for i := range side {
				line.Set(i, 0, float64(i))
			}
			ours.Grid = append(ours.Grid, line)
		}
	}
	got := result{row: r, best: math.Inf(1)}
	sd := make([]float64, p) // units in which errors are summed up
	for j := range sd {
		if sd[j] = 1; w.columns > 1 {
			column := d.y.Slice(0, n, j, j+1)
			mean := mat.Dot(column, mat.NewDense(n, 1, slices.Repeat([]float64{1}, n))) / float64(n)
			sd[j] = math.Sqrt(mat.Dot(column, column)/float64(n) - mean*mean)
		}
	}
	for k, unit := range gone {
		if unit > 0 {
			plain.Missing[k], ours.Y.Data[k] = true, math.NaN()
			got.share += 1 / float64(n*p)
		}
	}
	if r.times {
		ours.Times, plain.Times = d.t, d.t
	}
	var best, means, spread mat.Matrix
	for _, m := range simple.Methods(plain) {
		mean, variance, err := m.Fill(t.Context(), plain)
		if err != nil {
			t.Fatalf("%s by %s: %v", r.name(), m.Name, err)
		}
		if means.Rows == 0 {
			means, spread = mean, variance
		}
		for k, v := range mean.Data {
			if v != v {
				mean.Data[k], variance.Data[k] = means.Data[k], spread.Data[k]
			}
		}
		if rmse, covered, _ := judge(d.y, mean, variance, mean, gone, sd); rmse < got.best {
			got.best, got.covered, got.by, best = rmse, covered, m.Name, mean
		}
	}
	start := time.Now()
	c, err := sgplvm.Complete(t.Context(), ours, sgplvm.Config{Effort: sgplvm.EffortQuick})
	if got.took, got.err = time.Since(start), err; err == nil {
		got.ours, got.coverage, got.deviations = judge(d.y, mat.NewDense(n, p, c.Mean.Data), mat.NewDense(n, p, c.Variance.Data), best, gone, sd)
	}
	return got
}

// judge returns the error of what is missing, in units of a standard deviation a column, which part of it lies within 90 % intervals, and by how many of its standard errors the sum of squared errors is above
// another's, over what went missing together.
func judge(y, mean, variance, other mat.Matrix, gone []int, sd []float64) (rmse, coverage, deviations float64) {
	sums := make([]float64, slices.Max(gone)+1)
	var units, count, sum, spread float64
	for k, unit := range gone {
		if unit == 0 {
			continue
		}
		s := sd[k%len(sd)]
		e := square((y.Data[k] - mean.Data[k]) / s)
		if e*s*s <= square(1.6448536)*variance.Data[k] {
			coverage++
		}
		rmse += e
		count++
		sums[unit] += e - square((y.Data[k]-other.Data[k])/s)
	}
	for unit, v := range sums {
		if sum += v; slices.Contains(gone, unit) && unit > 0 {
			units++
		}
	}
	for unit, v := range sums {
		if slices.Contains(gone, unit) && unit > 0 {
			spread += square(v - sum/units)
		}
	}
	return math.Sqrt(rmse / count), coverage / count, sum / math.Sqrt(max(spread*units/max(1, units-1), math.SmallestNonzeroFloat64))
}

// Completions are not behind the simplest methods, and their intervals hold, whatever the data and the way in which values are missing; at most two
// rows are refused. Without -long or -rows a few rows stand for all.
func TestRedTeam(t *testing.T) {
	wanted := regexp.MustCompile(*only)
	if !*long && *only == "" {
		if testing.Short() {
			t.Skip("completes some data")
		}
		wanted = few
	}
	t.Log("\n" + heading)
	faults, refusals := 0, 0
	ratios := []float64{}
	for _, r := range rows() {
		if !wanted.MatchString(r.name()) {
			continue
		}
		got := r.run(t)
		fault := got.fault()
		if t.Log("\n" + got.String()); got.err != nil {
			refusals++
		} else {
			ratios = append(ratios, got.ours/got.best)
		}
		if fault != "" && (got.err == nil || refusals > maxRefusals) {
			faults++
			t.Errorf("%s: %s", r.name(), fault)
		}
	}
	if slices.Sort(ratios); len(ratios) > 0 {
		t.Logf("%d rows, %d faults, %d refusals, median ratio %.3f", len(ratios)+refusals, faults, refusals, ratios[len(ratios)/2])
	}
}

// few are rows that take a second or two.
var few = regexp.MustCompile("^(profile, (random walks; blocks|diffusing; values|moving fronts; blocks|integers; mixture)|table, skewed; sensor); no times$")

// A completion that is worse by 10 % everywhere is behind; one that is much worse in one example of many is not; intervals that are too narrow are a fault.
func TestFault(t *testing.T) {
	const n, p = 30, 4
	y, mean, other, variance := mat.New(n, p), mat.New(n, p), mat.New(n, p), mat.New(n, p)
	variance.Fill(1)
	sd := []float64{1, 1, 1, 1}
	gone := make([]int, n*p)
	rng := rand.New(rand.NewPCG(1, 1))
	for k := range gone {
		gone[k] = 1 + k/p
		other.Data[k] = rng.NormFloat64()
		mean.Data[k] = 1.1 * other.Data[k]
	}
	if _, _, z := judge(y, mean, variance, other, gone, sd); z < maxDeviations {
		t.Errorf("all worse: %v standard errors", z)
	}
	copy(mean.Data, other.Data)
	for k := range p {
		mean.Data[k] += 5
	}
	if _, _, z := judge(y, mean, variance, other, gone, sd); z > maxDeviations {
		t.Errorf("one worse: %v standard errors", z)
	}
	if rmse, c, _ := judge(y, other, variance, other, gone, sd); c < 0.8 || c > 0.97 || rmse < 0.8 || rmse > 1.2 {
		t.Errorf("errors of variance 1: %v, intervals cover %v", rmse, c)
	}
}

// There are 30 worlds of finite values that vary, and of each row something is missing and half is seen.
func TestRows(t *testing.T) {
	if n := len(worlds()); n != 30 {
		t.Errorf("%d worlds", n)
	}
	for _, r := range rows() {
		var seen float64
		for _, unit := range r.missing() {
			if unit == 0 {
				seen += 1 / float64(r.world.n*r.world.values())
			}
		}
		if norm := mat.NormFro(r.world.sample().y); seen < 0.5 || seen > 0.95 || !(norm > 0) || math.IsInf(norm, 0) {
			t.Errorf("%s: %.2f seen of values of norm %v", r.name(), seen, norm)
		}
	}
}
