package sgplvm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
)

// samplingShape is a random shape of which a third have a structured residual.
func samplingShape(seed uint64) modelShape {
	if seed%3 == 2 {
		return residualShape(seed)
	}
	return randomShape(seed)
}

// samplingGrids are the training grid, one of other points, and one that has some of the
// training points, one of them twice, beside others.
func samplingGrids(rng *rand.Rand, m *Model) []Grid {
	other := randomGrid(rng, m)
	var mixed Grid
	for f, x := range m.space {
		g := mat.New(2+other[f].Rows, x.Cols)
		copy(g.Row(0), x.Row(x.Rows-1))
		copy(g.Row(1), x.Row(x.Rows-1))
		mat.Copy(g.Slice(2, g.Rows, 0, g.Cols), other[f])
		mixed = append(mixed, g)
	}
	last := slices.Clone(m.space)
	last[len(last)-1] = mixed[len(last)-1]
	return []Grid{nil, other, mixed, last}
}

// expanded writes an operator out.
func expanded(o kronprod.Operator) mat.Matrix {
	a := mat.New(o.Rows(), o.Cols())
	o.Mul(a, mat.Identity(o.Cols()), nil)
	return a
}

// noiseRoot writes Σ^½ out.
func noiseRoot(t *testing.T, s *sampler) mat.Matrix {
	t.Helper()
	o, err := s.noise()
	if err != nil {
		t.Fatal(err)
	}
	return expanded(o)
}

// partsCovariance is the covariance of one channel that the parts of a draw have in sum.
func partsCovariance(s *sampler, mu []float64) mat.Matrix {
	at, n := s.q.certain(mat.NewDense(1, len(mu), mu), nil), s.on.grid.Len()
	sum, whole, known := mat.New(n, n), expanded(s.whole), expanded(s.known)
	mat.Mul(sum, at.k0[0]-at.q0[0], whole, whole.T(), 0)
	for _, o := range s.rest {
		a := expanded(o)
		mat.Mul(sum, at.q0[0], a, a.T(), 1)
	}
	weighted, left := mat.New(known.Rows, known.Cols), mat.New(1, known.Cols)
	mat.Mul(left, 1, at.tau, s.unknown, 0)
	mat.ScaleCols(weighted, known, left.Data)
	mat.Mul(sum, 1, weighted, known.T(), 1)
	return sum
}

// Of a kernel matrix without full numerical rank only the modes that rounding has left
// alone are used; the rest is drawn from the prior, to λ0·β·leastMode of its variance.
func TestSampleSingularKernel(t *testing.T) {
	shape := modelShape{examples: 4, inducing: 4, latent: 2, channels: 1, space: []factorShape{{points: 40, dims: 1, kind: RBF}}}
	m := shape.model(t)
	m.params.Spatial[0].LengthScale = one(10)
	l := randomLatent(rand.New(rand.NewPCG(1, 54)), 2)
	clear(l.S)
	between := m.space[0].Clone()
	for i := range between.Data {
		between.Data[i] += 0.4
	}
	for _, g := range []Grid{m.space, {between}} {
		s, err := m.at(m.mustReady(t), g).sampler()
		if err != nil {
			t.Fatal(err)
		}
		_, cov, err := m.PredictCovariance(l, g)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "covariance", partsCovariance(s, l.Mu).Data, scaled(cov[0], math.Pow(m.scaler.Scale[0], -2)).Data, 1e-9)
	}
}

// The parts that are drawn have the covariance of PredictCovariance in sum; the noise
// has Σ.
func TestSampleParts(t *testing.T) {
	for seed := range uint64(sizes(60)) {
		shape := samplingShape(40000 + seed)
		m := shape.model(t)
		rng := rand.New(rand.NewPCG(seed, 50))
		l := randomLatent(rng, shape.latent)
		clear(l.S)
		q := m.mustReady(t)
		for i, g := range samplingGrids(rng, m) {
			_, cov, err := m.PredictCovariance(l, g)
			if err != nil {
				t.Fatal(err)
			}
			if g == nil {
				g = m.space
			}
			on := m.at(q, g)
			s, err := on.sampler()
			if err != nil {
				t.Fatal(err)
			}
			near(t, fmt.Sprintf("%v, grid %d", shape, i), partsCovariance(s, l.Mu).Data, scaled(cov[0], math.Pow(m.scaler.Scale[0], -2)).Data, 1e-9)
			if shape.residual != "" {
				a, noise := noiseRoot(t, s), q.noise(on)
				mat.Mul(noise, -1, a, a.T(), 1)
				near(t, fmt.Sprintf("%v, grid %d: noise", shape, i), noise.Data, make([]float64, len(noise.Data)), 1e-12)
			}
		}
	}
}

// moments5 fails unless samples have the given mean and covariance, to five standard
// errors: those of a Gaussian variable.
func moments5(t *testing.T, what string, samples [][]float64, mean []float64, cov mat.Matrix) {
	t.Helper()
	n := float64(len(samples))
	sum, products := make([]float64, len(mean)), mat.New(len(mean), len(mean))
	for _, y := range samples {
		for i := range mean {
			a := y[i] - mean[i]
			sum[i] += a
			row := products.Row(i)
			for j := range i + 1 {
				row[j] += a * (y[j] - mean[j])
			}
		}
	}
	for i := range mean {
		if z := sum[i] / math.Sqrt(n*cov.At(i, i)); !(math.Abs(z) < 5) {
			t.Errorf("%s: mean %d is off by %.2f standard errors", what, i, z)
		}
		for j := range i + 1 {
			c := cov.At(i, j)
			if z := (products.At(i, j) - n*c) / math.Sqrt(n*(cov.At(i, i)*cov.At(j, j)+c*c)); !(math.Abs(z) < 5) {
				t.Errorf("%s: covariance %d, %d is off by %.2f standard errors", what, i, j, z)
			}
		}
	}
}

// Samples for a certain latent point are Gaussian with mean and covariance of
// PredictCovariance, with noise of PredictDataCovariance, and independent between
// channels.
func TestSampleMoments(t *testing.T) {
	count := 10000
	if testing.Short() {
		count = 1000
	}
	for seed := range uint64(9) {
		shape := samplingShape(41000 + seed)
		m := shape.model(t)
		rng := rand.New(rand.NewPCG(seed, 51))
		l := randomLatent(rng, shape.latent)
		clear(l.S)
		l.Noise = 3
		g := samplingGrids(rng, m)[seed%4]
		for _, noise := range []bool{false, true} {
			mean, cov, err := m.PredictCovariance(l, g)
			if noise {
				mean, cov, err = m.PredictDataCovariance(l, g)
			}
			if err != nil {
				t.Fatal(err)
			}
			drawn, err := m.Sample(t.Context(), l, g, SampleOptions{Count: count, Seed: seed, Noise: noise})
			if err != nil {
				t.Fatal(err)
			}
			all := mat.New(len(mean.Data), len(mean.Data)) // of all channels
			for c, k := range cov {
				at := mat.Matrix{Rows: k.Rows, Cols: k.Rows, RowStride: len(cov) * all.Cols, ColStride: len(cov), Data: all.Data[c*all.Cols+c:]}
				mat.Copy(at, k)
			}
			var samples [][]float64
			for _, y := range drawn.Y {
				samples = append(samples, y.Data)
			}
			moments5(t, fmt.Sprintf("%v, noise %v", shape, noise), samples, mean.Data, all)
		}
	}
}

// The exact moments of an uncertain latent variable are those of many samples, to five
// standard errors as the samples themselves show them.
func TestExactMomentsAgainstMonteCarlo(t *testing.T) {
	count := 100000
	if testing.Short() {
		count = 2000
	}
	for seed := range uint64(4) {
		shape := samplingShape(42000 + seed)
		if seed < 2 {
			shape = shape.of(LatentRBF | LatentLinear | LatentBias)
		}
		m := shape.model(t)
		rng := rand.New(rand.NewPCG(seed, 52))
		l := randomLatent(rng, shape.latent)
		g := samplingGrids(rng, m)[seed%4]
		p, err := m.Predict(l, g)
		if err != nil {
			t.Fatal(err)
		}
		drawn, err := m.Sample(t.Context(), l, g, SampleOptions{Count: count, Seed: seed, Noise: true})
		if err != nil {
			t.Fatal(err)
		}
		n := float64(count)
		for i, mean := range p.Mean.Data {
			var first, second, fourth float64
			for _, y := range drawn.Y {
				d := y.Data[i] - mean
				first += d / n
				second += d * d / n
				fourth += d * d * d * d / n
			}
			if z := first / math.Sqrt(second/n); !(math.Abs(z) < 5) {
				t.Errorf("%v: mean %d is off by %.2f standard errors", shape, i, z)
			}
			if z := (second - p.Variance.Data[i]) / math.Sqrt((fourth-second*second)/n); !(math.Abs(z) < 5) {
				t.Errorf("%v: variance %d is off by %.2f standard errors", shape, i, z)
			}
		}
	}
}

// A learned covariance of the noise, which is known at training points alone, is drawn on
// all of them, and on some in another order; the parametric one elsewhere.
func TestSampleLearnedNoise(t *testing.T) {
	for seed := range uint64(sizes(20)) {
		shape := residualShape(46000 + seed)
		m := shape.model(t)
		if err := m.problem.learnNoise(m.params, 4); err != nil {
			t.Fatal(err)
		}
		l := randomLatent(rand.New(rand.NewPCG(seed, 55)), shape.latent)
		clear(l.S)
		x := m.space[0]
		some := mat.New((x.Rows+1)/2, x.Cols)
		for i := range some.Rows {
			copy(some.Row(i), x.Row(x.Rows-1-2*i))
		}
		for _, g := range []Grid{m.space, {some}, randomGrid(rand.New(rand.NewPCG(seed, 56)), m)} {
			s, err := m.at(m.mustReady(t), g).sampler()
			if err != nil {
				t.Fatal(err)
			}
			_, f, err := m.PredictCovariance(l, g)
			if err != nil {
				t.Fatal(err)
			}
			_, y, err := m.PredictDataCovariance(l, g)
			if err != nil {
				t.Fatal(err)
			}
			unit := math.Pow(m.scaler.Scale[0], -2)
			near(t, shape.String(), partsCovariance(s, l.Mu).Data, scaled(f[0], unit).Data, 1e-9)
			noise := mat.New(g.Len(), g.Len())
			mat.Add(noise, scaled(y[0], unit), -unit, f[0])
			a := noiseRoot(t, s)
			mat.Mul(noise, -1, a, a.T(), 1)
			near(t, shape.String()+": noise", noise.Data, make([]float64, len(noise.Data)), 1e-10)
		}
	}
}

// scaled returns factor·a.
func scaled(a mat.Matrix, factor float64) mat.Matrix {
	b := mat.New(a.Rows, a.Cols)
	mat.Scale(b, factor, a)
	return b
}

func TestLatentSample(t *testing.T) {
	m := samplingShape(43000).model(t)
	prior := m.PriorLatent()
	for q := range prior.Mu {
		if prior.Mu[q] != 0 || prior.S[q] != 1 || prior.Start != -1 {
			t.Errorf("prior %+v", prior)
		}
	}
	last := m.Examples() - 1
	trained := m.TrainingLatent(last)
	sameBits(t, "training mean", trained.Mu, m.params.Mu.Row(last))
	sameBits(t, "training variance", trained.S, m.params.S.Row(last))
	if trained.Mu[0]++; trained.Mu[0] == m.params.Mu.At(last, 0) {
		t.Error("TrainingLatent shares the model's numbers")
	}

	l := Latent{Mu: []float64{1, -20, 0}, S: []float64{4, 0.01, 0}}
	x := l.Sample(4000, 3)
	var samples [][]float64
	for k := range x.Rows {
		samples = append(samples, x.Row(k)[:2])
		if x.At(k, 2) != 0 {
			t.Fatalf("a certain coordinate is %v", x.At(k, 2))
		}
	}
	moments5(t, "latent points", samples, l.Mu[:2], mat.NewDense(2, 2, []float64{4, 0, 0, 0.01}))
	sameBits(t, "fewer points", l.Sample(7, 3).Data, x.Slice(0, 7, 0, 3).Clone().Data)
	if l.Sample(1, 4).At(0, 0) == x.At(0, 0) {
		t.Error("two seeds give the same point")
	}
}

func TestSampleSameBitsAtAnyWidth(t *testing.T) {
	m := trained(t)
	g := Grid{line(23), line(19)}
	l := Latent{Mu: []float64{0.4, -1}, S: []float64{0.3, 0.01}}
	var want []float64
	atEveryWidth(func(procs int) {
		fresh := rebuilt(m.space, m.params, m.problem.observations(), m.jitter)
		var got []float64
		for _, g := range []Grid{nil, g} {
			r, err := fresh.Sample(t.Context(), l, g, SampleOptions{Count: 3, Seed: 9, Noise: true})
			if err != nil {
				t.Fatal(err)
			}
			got = slices.Concat(got, r.X.Data, r.Y[0].Data, r.Y[1].Data, r.Y[2].Data)
		}
		if want == nil {
			want = got
		}
		sameBits(t, fmt.Sprintf("GOMAXPROCS %d", procs), got, want)
	})
}

// How many fields are drawn together changes rounding alone, and so does how many are
// asked for.
func TestSampleBatches(t *testing.T) {
	defer func(old int) { slabNumbers = old }(slabNumbers)
	for seed := range uint64(sizes(20)) {
		shape := samplingShape(44000 + seed)
		m := shape.model(t)
		m.mustReady(t)
		l := randomLatent(rand.New(rand.NewPCG(seed, 53)), shape.latent)
		var want Samples
		for _, size := range []int{1 << 20, 1, 2 * m.space.Len() * shape.channels} {
			slabNumbers = size
			got, err := m.Sample(t.Context(), l, nil, SampleOptions{Count: 5, Seed: seed, Noise: true})
			if err != nil {
				t.Fatal(err)
			}
			if want.Y == nil {
				want = got
			}
			few, err := m.Sample(t.Context(), l, nil, SampleOptions{Count: 2, Seed: seed, Noise: true})
			if err != nil {
				t.Fatal(err)
			}
			for k, y := range got.Y {
				near(t, fmt.Sprintf("%v: field %d", shape, k), y.Data, want.Y[k].Data, 1e-12)
				if k < 2 {
					near(t, fmt.Sprintf("%v: field %d of 2", shape, k), few.Y[k].Data, want.Y[k].Data, 1e-12)
				}
			}
		}
	}
}

func TestSampleErrors(t *testing.T) {
	m := residualShape(45000).model(t)
	var config *ConfigError
	if _, err := m.Sample(t.Context(), m.PriorLatent(), nil, SampleOptions{Count: -1}); !errors.As(err, &config) || config.Field != "SampleOptions" {
		t.Errorf("a negative count: %v", err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Sample(gone, m.PriorLatent(), nil, SampleOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := m.Sample(t.Context(), Latent{}, nil, SampleOptions{}); !errors.As(err, &config) || config.Field != "Latent" {
		t.Errorf("no latent: %v", err)
	}
	if r, err := m.Sample(t.Context(), m.PriorLatent(), nil, SampleOptions{}); err != nil || len(r.Y) != 1 || r.X.Rows != 1 {
		t.Errorf("the zero options: %d fields, %v", len(r.Y), err)
	}
	if err := m.problem.learnNoise(m.params, 5); err != nil {
		t.Fatal(err)
	}
	learned := rebuilt(m.space, m.params, m.problem.observations(), m.jitter)
	if _, err := learned.Sample(t.Context(), m.PriorLatent(), Grid{mat.New(1, m.space[0].Cols)}, SampleOptions{Noise: true}); err != nil {
		t.Errorf("a learned covariance off its points: %v", err)
	}
	if _, err := learned.Sample(t.Context(), m.PriorLatent(), nil, SampleOptions{Noise: true}); err != nil {
		t.Error(err)
	}
}

// A root is Cholesky's where there is one, with the nugget, and else that of the
// eigenvalues, of which rounding makes some negative.
func TestRoot(t *testing.T) {
	singular := mat.New(3, 3)
	singular.Fill(2)
	negative := singular.Clone()
	negative.Set(2, 2, 2-1e-14)
	for i, c := range []struct {
		a      mat.Matrix
		nugget float64
		added  float64
	}{
		{mat.NewDense(2, 2, []float64{4, 1, 1, 3}), 0, 0},
		{mat.NewDense(2, 2, []float64{4, 1, 1, 3}), 0.5, 0.5},
		{singular, 0.5, 0.5},
		{singular, 0, 0},
		{negative, 0, 0},
		{mat.New(2, 2), 0, 0},
	} {
		r, err := root(c.a, c.nugget)
		if err != nil {
			t.Fatal(err)
		}
		got, want := mat.New(c.a.Rows, c.a.Rows), c.a.Clone()
		mat.Mul(got, 1, r, r.T(), 0)
		for j := range want.Rows {
			want.Row(j)[j] += c.added
		}
		near(t, fmt.Sprintf("case %d", i), got.Data, want.Data, 1e-13)
	}
	if _, err := root(mat.NewDense(1, 1, one(math.NaN())), 0); err == nil {
		t.Error("the root of NaN")
	}
}
