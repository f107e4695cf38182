package predict

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// Factors between training points are those nearby; far away nothing was learned.
func TestCalibrationAt(t *testing.T) {
	g := field.Grid{line(6), line(9)}
	c := &Calibration{Factor: mat.New(54, 2), Mean: []float64{1, 1}, Power: 1, Inflation: Inflation{Ratios: make([]float64, 30)}}
	for i := range 54 {
		c.Factor.Set(i, 0, 2)
		c.Factor.Set(i, 1, 1)
		if i%9 > 4 {
			c.Factor.Set(i, 1, 9)
		}
	}
	if at := c.At(g, field.Grid{line(6), line(9)}); &at.Data[0] != &c.Factor.Data[0] {
		t.Error("the factors at the training points are computed again")
	}
	at := c.At(g, field.Grid{line(1), mat.NewDense(4, 1, []float64{0.5, 4.5, 7.2, 1e6})})
	want := []float64{2, 1, 2, 5, 2, 9, 1, 1}
	compare.Near(t, "factors", at.Data, want, 0.02)
	compare.NearOne(t, "mean factor", c.MeanFactor(), math.Exp((54*math.Log(2)+24*math.Log(9))/108), 1e-12)

	v := mat.NewDense(2, 2, []float64{1, 2, 3, 4})
	c.Mean, c.Power = []float64{2, 4}, 1.5
	c.Apply(v, c.Factor, 4, 0.5)
	compare.Near(t, "variances", v.Data, []float64{0.5 * 2 * 1 * math.Sqrt(0.5), 0.5 * 1 * 2 * math.Sqrt(0.5), 0.5 * 2 * 3 * math.Sqrt(1.5), 0.5 * 9 * 4 * 1}, 1e-12)
}

// Factors follow the squares over what was expected, drawn to the mean of their channel; a channel without
// any error keeps its variances.
func TestFactors(t *testing.T) {
	g := field.Grid{line(40)}
	square, expected := mat.New(40, 2), mat.New(40, 2)
	for i := range 40 {
		expected.Set(i, 0, 100)
		expected.Set(i, 1, 7)
		square.Set(i, 0, 100)
		if i >= 20 {
			square.Set(i, 0, 400)
		}
	}
	const examples = 100
	f := Factors(g, square, expected, examples)
	for _, c := range []struct {
		point int
		want  float64
	}{{3, 1}, {36, 4}} {
		compare.NearOne(t, "factor", f.At(c.point, 0), (c.want+2.5*2./examples)/(1+2./examples), 1e-6)
	}
	if a, b := f.At(19, 0), f.At(20, 0); !(1 < a && a < b && b < 4) {
		t.Errorf("factors %v and %v at the edge", a, b)
	}
	for i := range 40 {
		if f.At(i, 1) != 1 {
			t.Errorf("factor %v at point %d of a channel without errors", f.At(i, 1), i)
		}
	}
}

// Ratios that change slowly are believed of the times around, ratios without order are not.
func TestInflation(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 8))
	var examples []data.Instant
	var slow, none []float64
	for i := range 200 {
		examples = append(examples, data.Instant{Sequence: i % 2, Time: float64(i)})
		slow = append(slow, math.Exp(1.5*math.Sin(float64(i)/20))*(0.9+0.2*rng.Float64()))
		none = append(none, rng.ExpFloat64())
	}
	v := NewInflation(slow, examples)
	low, high := v.Over(examples)(data.Instant{Sequence: 0, Time: 3 * math.Pi / 2 * 20}, -1), v.Over(examples)(data.Instant{Sequence: 1, Time: math.Pi / 2 * 20}, -1)
	if v.Reach == 0 || !(high > 5*low) {
		t.Errorf("reach %v: %v at a time of large errors, %v at one of small", v.Reach, high, low)
	}
	if got := v.Over(examples)(data.Instant{Sequence: 7, Time: 30}, -1); got != 1 {
		t.Errorf("%v in a sequence that nobody has seen, want 1", got)
	}
	if v := NewInflation(none, examples); v.Reach > 0 && math.Abs(v.Over(examples)(data.Instant{Sequence: 0, Time: 50.5}, -1)-1) > 0.5 {
		t.Errorf("without order: reach %v, %v at a time", v.Reach, v.Over(examples)(data.Instant{Sequence: 0, Time: 50.5}, -1))
	}
	few := Inflation{Ratios: []float64{3, 5, 7}, Reach: 2}
	at := []data.Instant{{Time: 0}, {Time: 1}, {Sequence: 1, Time: 1}}
	near, far := math.Exp(-0.25), math.Exp(-0.25)
	compare.NearOne(t, "from all", few.Over(at)(data.Instant{Time: 0.5}, -1), (1+3*near+5*far)/(1+near+far), 1e-15)
	compare.NearOne(t, "without one", few.Over(at)(data.Instant{Time: 0.5}, 1), (1+3*near)/(1+near), 1e-15)
	if NewInflation(make([]float64, 3), at).Ratios[1] != 1 {
		t.Error("no errors at all: ratios other than 1")
	}
}

// Inflation asks the examples around a time alone, in whatever order they are given: ratios of others, or of those far away, are not read.
func TestInflationNearby(t *testing.T) {
	v := Inflation{Reach: 2}
	var examples []data.Instant
	for i := range 400 {
		at := data.Instant{Time: float64(i * 7 % 400), Sequence: i % 2}
		examples, v.Ratios = append(examples, at), append(v.Ratios, 1+at.Time/100)
		if at.Sequence == 1 || math.Abs(at.Time-200) > 100 {
			v.Ratios[i] = math.NaN()
		}
	}
	total, weight := 1.0, 1.0
	for i, e := range examples {
		if r := v.Ratios[i]; r == r && i != 5 {
			w := math.Exp(-math.Abs(e.Time-200.5) / 2)
			total, weight = total+w*r, weight+w
		}
	}
	compare.NearOne(t, "inflation", v.Over(examples)(data.Instant{Time: 200.5}, 5), total/weight, 1e-14)
}
