package dynamics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// owned are parameters whose dimensions have kernels of their own, and the same with one dimension each, under its kernel.
func owned(t testing.TB, seed uint64) (p *Params, alone []*Params) {
	t.Helper()
	p = few(t, "matern32(2)", false, seed)
	for q := range p.MuBar.Cols {
		p.Prior.Own = append(p.Prior.Own, parsed(t, allKernels[(int(seed)+3*q)%len(allKernels)]))
		one := p.Clone()
		one.Prior.Kernel, one.Prior.Own = p.Prior.Own[q].Clone(), nil
		one.MuBar, one.Lambda = p.MuBar.Slice(0, p.MuBar.Rows, q, q+1).Clone(), p.Lambda.Slice(0, p.Lambda.Rows, q, q+1).Clone()
		alone = append(alone, one)
	}
	return p, alone
}

// Dimensions with kernels of their own are what each is alone: marginals, divergence, derivatives, cavities, predictions and samples.
func TestOwnKernelsAlone(t *testing.T) {
	withEachForm(func(states bool) {
		for seed := range uint64(6) {
			p, alone := owned(t, seed)
			if err := p.Validate(p.MuBar.Rows, p.MuBar.Cols); err != nil {
				t.Fatal(err)
			}
			name := fmt.Sprintf("seed %d, states %v", seed, states)
			column := func(what string, got mat.Matrix, q int, want mat.Matrix) {
				t.Helper()
				compare.Near(t, name+": "+what, work.Column(got, q), work.Column(want, 0), 1e-12)
			}
			n, d := p.MuBar.Rows, p.MuBar.Cols
			mu, s, kl := marginalsOf(t, p)
			dmu, ds := mat.New(n, d), mat.New(n, d)
			for i := range dmu.Data {
				dmu.Data[i], ds.Data[i] = math.Sin(float64(i)), math.Cos(float64(i))
			}
			e, grad := NewEvaluator(p.Prior), p.Clone()
			if _, err := e.Marginals(p, mu, s); err != nil {
				t.Fatal(err)
			}
			e.Backward(grad, p, dmu, ds)
			mean, variance, err := Cavities(p, mu, s)
			if err != nil {
				t.Fatal(err)
			}
			label, at := p.Prior.sequences()[0].Label, []float64{-1, 0.5, 3}
			ahead, spread, err := posteriorOf(t, p).Marginals(label, at)
			if err != nil {
				t.Fatal(err)
			}
			paths, err := posteriorOf(t, p).Sample(label, at, 2, 4)
			if err != nil {
				t.Fatal(err)
			}
			var total float64
			for q, one := range alone {
				oneMu, oneS, oneKL := marginalsOf(t, one)
				total += oneKL
				column("mean", mu, q, oneMu)
				column("variance", s, q, oneS)
				oneE, oneGrad := NewEvaluator(one.Prior), one.Clone()
				if _, err := oneE.Marginals(one, oneMu, oneS); err != nil {
					t.Fatal(err)
				}
				oneE.Backward(oneGrad, one, dmu.Slice(0, n, q, q+1), ds.Slice(0, n, q, q+1))
				column("slope in μ̄", grad.MuBar, q, oneGrad.MuBar)
				column("slope in Λ", grad.Lambda, q, oneGrad.Lambda)
				oneMean, oneVariance, err := Cavities(one, oneMu, oneS)
				if err != nil {
					t.Fatal(err)
				}
				column("mean of a cavity", mean, q, oneMean)
				column("variance of a cavity", variance, q, oneVariance)
				oneAhead, oneSpread, err := posteriorOf(t, one).Marginals(label, at)
				if err != nil {
					t.Fatal(err)
				}
				column("mean at other times", ahead, q, oneAhead)
				column("variance at other times", spread, q, oneSpread)
				if q == 0 { // of others the seed differs
					onePaths, err := posteriorOf(t, one).Sample(label, at, 2, 4)
					if err != nil {
						t.Fatal(err)
					}
					column("a path", paths[1], q, onePaths[1])
				}
			}
			compare.Near(t, name+": divergence", one(kl), one(total), 1e-12)
		}
	})
}

// Optimisers move no kernels of single dimensions; copies share none of them, and other numbers of them are refused.
func TestOwnKernelsAreHeld(t *testing.T) {
	p, _ := owned(t, 2)
	c := p.Clone()
	count := 0
	c.Visit(c, nil, func(value, _ []float64, _ bool) {
		count += len(value)
		for i := range value {
			value[i]++
		}
	})
	if want := 2 * len(p.MuBar.Data); count != want || cmp.Diff(c.Prior, p.Prior) != "" {
		t.Errorf("%d numbers are free, expected %d, and kernels became %v", count, want, c.Prior)
	}
	c.Prior.Own[1].Zero()
	if err := c.Validate(c.MuBar.Rows, c.MuBar.Cols); err == nil || !strings.Contains(err.Error(), "latent dimension 1") {
		t.Errorf("error %v for a kernel of nothing", err)
	}
	if err := p.Validate(p.MuBar.Rows, p.MuBar.Cols); err != nil {
		t.Errorf("a kernel changed with its copy: %v", err)
	}
	p.Prior.Own = p.Prior.Own[1:]
	if err := p.Validate(p.MuBar.Rows, p.MuBar.Cols); err == nil || !strings.Contains(err.Error(), "2 time kernels of latent dimensions, expected 3") {
		t.Errorf("error %v for a kernel too few", err)
	}
}

// scoresInTime draws, over 60 irregular times, a slow path, a cycle of 12 that comes again and numbers that have nothing to do with one another.
func scoresInTime(t testing.TB) (Prior, mat.Matrix) {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 9))
	const n = 60
	prior := Prior{}
	scores := mat.New(n, 3)
	for i := range n {
		at := float64(i) + 0.3*rng.Float64()
		prior.Times = append(prior.Times, at)
		scores.Set(i, 0, math.Sin(at/9)+math.Cos(at/14))
		scores.Set(i, 1, math.Sin(2*math.Pi*at/12)+0.5*math.Cos(4*math.Pi*at/12))
		scores.Set(i, 2, rng.NormFloat64())
	}
	return prior, scores
}

// The parts of a dimension's own kernel are those that its scores have.
func TestOwnKernels(t *testing.T) {
	prior, scores := scoresInTime(t)
	own, err := OwnKernels(prior, scores, 12)
	if err != nil {
		t.Fatal(err)
	}
	for q, k := range own {
		if err := k.ValidateTime(); err != nil {
			t.Fatal(err)
		}
		if len(k.Terms) != 2+ownScales || k.Terms[0].Terms[1].Period != 12 {
			t.Errorf("dimension %d: %v", q, k)
		}
	}
	seasonal := func(q int) float64 { return own[q].Weights[0] }
	rough := func(q int) float64 { return own[q].Weights[1+ownScales] }
	slow := func(q int) float64 { return own[q].Weights[ownScales-1] + own[q].Weights[ownScales] }
	if slow(0) < 0.5 || seasonal(1) < 0.8 || rough(2) < 0.3 || rough(0)+rough(1) > 0.05 {
		t.Errorf("a slow path %v,\na cycle %v,\nnoise %v", own[0], own[1], own[2])
	}
	without, err := OwnKernels(prior, scores, 0)
	if err != nil || len(without[1].Terms) != 1+ownScales {
		t.Errorf("without a period %v, error %v", without, err)
	}
	prior.Kernel = parsed(t, "rbf(3)")
	if given, err := OwnKernels(prior, scores, 0); err != nil || len(given[0].Terms) != 2 || !given[0].Terms[0].Equal(prior.Kernel) {
		t.Errorf("with a given kernel %v, error %v", given, err)
	}
}

// The weights are means over those that are tried, in proportion to the evidence, which sequences bring together.
func TestOwnKernelsByDefinition(t *testing.T) {
	prior, scores := scoresInTime(t)
	for i := range prior.Times {
		prior.Sequences = append(prior.Sequences, i%2)
	}
	own, err := OwnKernels(prior, scores, 0)
	if err != nil {
		t.Fatal(err)
	}
	spacing := medianGap(prior.sequences())
	want, total := make([]float64, 1+ownScales), 0.0
	for scale := range ownScales {
		for _, rough := range roughShares {
			k := kernel.Kernel{Kind: kernel.Sum, Weights: []float64{1 - rough, rough}, Terms: []kernel.Kernel{
				{Kind: kernel.Matern32, LengthScale: []float64{spacing * math.Pow(2, float64(scale))}}, {Kind: kernel.Matern12, LengthScale: []float64{spacing / 4}}}}
			var square, logDet float64
			for _, s := range prior.sequences() {
				matrix := mat.New(len(s.Times), len(s.Times))
				k.TimeMatrix(matrix, s.Times, s.Times)
				for i := range s.Times {
					matrix.Set(i, i, matrix.At(i, i)+ownNugget)
				}
				a, l := inverse(matrix)
				logDet += l
				y := columnOf(s, scores, 0)
				for i := range y {
					for j := range y {
						square += y[i] * a.At(i, j) * y[j]
					}
				}
			}
			p := math.Exp(-0.5*(60*math.Log(square)+logDet) + 100)
			total += p
			want[scale] += p * (1 - rough)
			want[ownScales] += p * rough
		}
	}
	for i := range want {
		want[i] /= total
	}
	compare.Near(t, "weights", own[0].Weights, want, 1e-6)
}

// Scores that say nothing, and single examples, have kernels all the same.
func TestOwnKernelsOfNothing(t *testing.T) {
	prior, scores := scoresInTime(t)
	scores.Fill(0)
	for _, n := range []int{60, 2, 1} {
		own, err := OwnKernels(Prior{Times: prior.Times[:n]}, scores.Slice(0, n, 0, 3), 12)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range own {
			if err := k.ValidateTime(); err != nil {
				t.Errorf("%d examples: %v", n, err)
			}
		}
	}
	if _, err := OwnKernels(Prior{Times: prior.Times, Kernel: kernel.Kernel{Kind: kernel.White}}, scores, 0); err == nil {
		t.Error("no error for a kernel that is none in time")
	}
}

// StartOwn starts near the scores as Start does, and Refit changes the kernels but not what is taken for known of each example.
func TestRefit(t *testing.T) {
	tier.Skip(t, tier.Race)
	prior, scores := scoresInTime(t)
	p, err := StartOwn(prior, scores, []float64{0.5, 0.3, 0.2}, 12)
	if err != nil {
		t.Fatal(err)
	}
	mu, s, _ := marginalsOf(t, p)
	for q := range 2 {
		for i := range mu.Rows {
			if d := mu.At(i, q) - scores.At(i, q); math.Abs(d) > 0.3 {
				t.Errorf("example %d, dimension %d starts at %v, expected about %v", i, q, mu.At(i, q), scores.At(i, q))
			}
			if v := s.At(i, q); v > 0.35 {
				t.Errorf("example %d, dimension %d starts with a variance of %v", i, q, v)
			}
		}
	}
	moved := scores.Clone()
	for i := range moved.Rows { // the dimensions change places
		row := moved.Row(i)
		row[0], row[1] = row[1], row[0]
	}
	before := p.Clone()
	if err := p.Refit(prior.Kernel, moved, 12); err != nil {
		t.Fatal(err)
	}
	want, err := OwnKernels(prior, moved, 12)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, p.Prior.Own); d != "" {
		t.Errorf("kernels (-want +got):\n%s", d)
	}
	sequence := p.Prior.sequences()[0]
	k := mat.New(60, 60)
	for q := range want {
		want[q].TimeMatrix(k, sequence.Times, sequence.Times)
		noisy := k.Clone()
		for i := range 60 {
			noisy.Set(i, i, noisy.At(i, i)+1/p.Lambda.At(i, q))
		}
		a, _ := inverse(noisy)
		for i := range 60 {
			var muBar float64
			for j := range 60 {
				muBar += a.At(i, j) * (moved.At(j, q) + before.MuBar.At(j, q)/p.Lambda.At(j, q))
			}
			compare.Near(t, "μ̄", []float64{p.MuBar.At(i, q)}, []float64{muBar}, 1e-8)
		}
	}
	if !slices.Equal(p.Lambda.Data, before.Lambda.Data) {
		t.Error("Λ changed")
	}
}
