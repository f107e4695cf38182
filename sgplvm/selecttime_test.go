package sgplvm

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/selection"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// Most of a large film's training takes place at some of its points, unless that is refused; not that of other data.
func TestCoarseFilm(t *testing.T) {
	defer func(large, most, quick int) {
		selection.LargeFilm, selection.CoarseFilm, selection.QuickFilm = large, most, quick
	}(selection.LargeFilm, selection.CoarseFilm, selection.QuickFilm)
	const n, width, height = 10, 8, 6
	selection.LargeFilm, selection.CoarseFilm, selection.QuickFilm = n*width*height-1, n*width*height/5, n*width*height/8
	for name, c := range map[string]struct {
		film   bool
		change func(c *Config)
		want   int
	}{
		"a film":       {true, func(*Config) {}, width * height / 8},
		"normal":       {true, func(c *Config) { c.Effort, c.LatentTime = EffortNormal, kernel.Kernel{Kind: kernel.Matern32} }, width * height / 5},
		"no film":      {false, func(*Config) {}, 0},
		"none asked":   {true, func(c *Config) { c.Training.CoarsePoints = -1 }, -1},
		"own":          {true, func(c *Config) { c.Training.CoarsePoints = 7 }, 7},
		"joint factor": {true, func(c *Config) { c.Factors = FactorsJoint }, 0},
	} {
		d := Data{Source: NewSource(normals(n, width*height, 1, 3).Y.Data, n, width*height, 1), Grid: Grid{line(height), line(width)}, Times: line(n).Data, Film: c.film}
		cfg := Config{Effort: EffortQuick, Motion: Off}
		c.change(&cfg)
		got, _, err := Select(context.Background(), d, cfg)
		if err != nil || got.Training.CoarsePoints != c.want {
			t.Errorf("%s: %d points, error %v, expected %d", name, got.Training.CoarsePoints, err, c.want)
		}
		if short := c.want == width*height/8; (got.Training.Warmup > 0) != short {
			t.Errorf("%s: a warm-up of %d steps", name, got.Training.Warmup)
		}
		if some := c.want == width*height/8; some != (got.Training.Iterations == selection.Plans[EffortQuick].Steps) {
			t.Errorf("%s: %d steps", name, got.Training.Iterations)
		}
	}
}

// What is to be predicted of whole examples need not be what fills in those seen in part: a second model is chosen where it
// fills in better, and tells its own configuration.
func TestPartlyIsChosen(t *testing.T) {
	if testing.Short() {
		t.Skip("dozens of trainings")
	}
	rng := rand.New(rand.NewPCG(4, 4))
	d := swelling()
	for i := range 16 { // what an example has of its own is alike everywhere in it
		own := 0.5 * rng.NormFloat64()
		for j := range 24 {
			d.Y.Data[24*i+j] += own * math.Cos(float64(j%6)/3+float64(j/6)/2)
		}
	}
	cfg, s, err := Select(context.Background(), d, Config{LatentDims: 4, Training: steps(60)})
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Partly == nil || !strings.Contains(s.Task, "of the model for examples seen in part") {
		t.Fatalf("%+v", s)
	}
	if !(cfg.Partly.NoiseFloor < cfg.NoiseFloor) || cfg.Partly.LatentDims != 4 || cfg.Partly.Effort != EffortNone || cfg.Partly.Partly != nil {
		t.Errorf("%+v, for examples seen in part %+v", cfg, cfg.Partly)
	}
}

// A model of a table with times fills in rows of which a value is missing nearly as well as the law that drew them, without times: what columns do not share is
// little, and no noise floor hides it.
func TestTableInTime(t *testing.T) {
	const n, test, columns, rank, deviation = 60, 12, 6, 2, 0.05
	rng := rand.New(rand.NewPCG(65, 8))
	weights := mat.New(columns, rank)
	for k := range weights.Data {
		weights.Data[k] = rng.NormFloat64()
	}
	y, z := mat.New(n, columns), make([]float64, rank)
	for i := range n {
		for k := range z {
			z[k] = 0.9*z[k] + rng.NormFloat64()
		}
		for j := range columns {
			y.Set(i, j, mat.Dot(weights.Slice(j, j+1, 0, rank), mat.NewDense(1, rank, z))+deviation*rng.NormFloat64())
		}
	}
	train := Data{Grid: Grid{line(1)}}
	var values []float64
	var out []int
	for i := range n {
		if i%5 == 2 {
			out = append(out, i)
			continue
		}
		values, train.Times = append(values, y.Row(i)...), append(train.Times, float64(i))
	}
	train.Source = NewSource(values, n-test, 1, columns)
	m, _, err := Fit(t.Context(), train, Config{Effort: EffortQuick})
	if err != nil {
		t.Fatal(err)
	}
	var ours, best float64
	for k, i := range out {
		missing := k % columns
		seen := slices.Clone(y.Row(i))
		seen[missing] = math.NaN()
		prior, err := m.LatentAt(0, []float64{float64(i)})
		if err != nil {
			t.Fatal(err)
		}
		p, _, err := m.Impute(t.Context(), Observed{Values: mat.NewDense(1, columns, seen), Prior: &prior[0]}, InferOptions{KeepOutliers: true})
		if err != nil {
			t.Fatal(err)
		}
		ours += math.Pow(p.Mean.At(0, missing)-y.At(i, missing), 2)
		best += math.Pow(conditionalMean(weights, deviation, seen, missing)-y.At(i, missing), 2)
	}

	if !(ours < 1.5*1.5*best) {
		t.Errorf("error %v, of the law itself %v", math.Sqrt(ours/test), math.Sqrt(best/test))
	}
}

// conditionalMean returns the mean of a missing value given the others, of rows W·z + noise with two latent variables of wide priors: that of weighted least squares.
func conditionalMean(weights mat.Matrix, deviation float64, seen []float64, missing int) float64 {
	a, b, d := deviation*deviation, 0., deviation*deviation // Wᵀ·W of the seen values, and the deviation's square on its diagonal
	var u, v float64
	for j, y := range seen {
		if j != missing {
			p, q := weights.At(j, 0), weights.At(j, 1)
			a, b, d, u, v = a+p*p, b+p*q, d+q*q, u+p*y, v+q*y
		}
	}
	det := a*d - b*b
	return (weights.At(missing, 0)*(d*u-b*v) + weights.At(missing, 1)*(a*v-b*u)) / det
}
