package sgplvm

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// dynamicShapes are models with dynamical priors of several kernels and sequences.
func dynamicShapes() []modelShape {
	var shapes []modelShape
	for i, kernel := range []string{"matern12", "matern32", "matern52", "rbf", "periodic", "rbf*periodic+matern12", "matern12*matern32+matern52"} {
		shapes = append(shapes, modelShape{examples: 7, inducing: 3, latent: 1 + i%3, channels: 1 + i%2, jitter: 1e-6, time: kernel, sequences: 1 + i%3, seed: uint64(i),
			space: []factorShape{{points: 4, dims: 1, kind: Matern32}, {points: 3, dims: 1, kind: RBF}}})
	}
	return shapes
}

// inverse returns a⁻¹ by Gauss-Jordan elimination with pivoting.
func inverse(a mat.Matrix) mat.Matrix {
	n := a.Rows
	a, b := a.Clone(), mat.Identity(n)
	for k := range n {
		p := k
		for i := k; i < n; i++ {
			if math.Abs(a.At(i, k)) > math.Abs(a.At(p, k)) {
				p = i
			}
		}
		for j := range n {
			x, y := a.At(k, j), b.At(k, j)
			a.Set(k, j, a.At(p, j))
			b.Set(k, j, b.At(p, j))
			a.Set(p, j, x)
			b.Set(p, j, y)
		}
		for i := range n {
			f := a.At(i, k) / a.At(k, k)
			for j := range n {
				if i != k {
					a.Set(i, j, a.At(i, j)-f*a.At(k, j))
					b.Set(i, j, b.At(i, j)-f*b.At(k, j))
				}
			}
		}
		f := a.At(k, k)
		for j := range n {
			a.Set(k, j, a.At(k, j)/f)
			b.Set(k, j, b.At(k, j)/f)
		}
	}
	return b
}

// determinant returns log|a| by elimination.
func logDeterminant(a mat.Matrix) float64 {
	a = a.Clone()
	var s float64
	for k := range a.Rows {
		s += math.Log(a.At(k, k))
		for i := k + 1; i < a.Rows; i++ {
			f := a.At(i, k) / a.At(k, k)
			for j := range a.Cols {
				a.Set(i, j, a.At(i, j)-f*a.At(k, j))
			}
		}
	}
	return s
}

// At any times, those of examples among them, q is the Gaussian process with the
// covariances that the definition gives, with K inverted where that is possible: the
// marginals of the examples' posterior N(K·μ̄, (K⁻¹ + Λ)⁻¹), and KL between it and
// N(0, K).
func TestTimePriorByDefinition(t *testing.T) {
	for _, shape := range dynamicShapes() {
		m := shape.model(t)
		p := m.params
		p.Dynamics.Times[3] += 0.5 // no equal times: K has an inverse
		prior := newTimePrior(p.Dynamics)
		if err := prior.set(p); err != nil {
			t.Fatal(err)
		}
		var kl float64
		for _, s := range p.Dynamics.series() {
			n := len(s.times)
			k := mat.New(n, n)
			p.Dynamics.Kernel.matrix(k, s.times, s.times)
			k1 := inverse(k)
			at := append([]float64{s.times[0] - 1.3, s.times[n-1] + 0.7, s.times[n-1] + 1e5}, s.times...)
			latents, err := m.LatentAt(s.label, at)
			if err != nil {
				t.Fatal(err)
			}
			cross := mat.New(len(at), n)
			p.Dynamics.Kernel.matrix(cross, at, s.times)
			for q := range shape.latent {
				sum, muBar, lambda := k1.Clone(), make([]float64, n), make([]float64, n)
				s.column(muBar, p.MuBar, q)
				s.column(lambda, p.Lambda, q)
				noisy := k.Clone()
				for i, l := range lambda {
					sum.Set(i, i, sum.At(i, i)+l)
					noisy.Set(i, i, noisy.At(i, i)+1/l)
				}
				cov, a := inverse(sum), inverse(noisy)
				mean := mat.New(n, 1)
				mat.Mul(mean, 1, k, mat.Vector(muBar), 0)
				kl += 0.5 * (logDeterminant(k) - logDeterminant(cov) - float64(n))
				for i := range n {
					kl += 0.5 * mean.Data[i] * muBar[i]
					for j := range n {
						kl += 0.5 * k1.At(i, j) * cov.At(i, j)
					}
					e := s.examples[i]
					near(t, shape.String()+": training posterior", []float64{p.Mu.At(e, q), p.S.At(e, q)}, []float64{mean.Data[i], cov.At(i, i)}, 1e-9)
				}
				for i, l := range latents {
					var wantMean float64
					wantVariance := 1.
					for j := range n {
						wantMean += cross.At(i, j) * muBar[j]
						for o := range n {
							wantVariance -= cross.At(i, j) * a.At(j, o) * cross.At(i, o)
						}
					}
					near(t, fmt.Sprintf("%v: at %v", shape, at[i]), []float64{l.Mu[q], l.S[q]}, []float64{wantMean, wantVariance}, 1e-9)
				}
			}
			for i, e := range s.examples {
				near(t, shape.String()+": at an example", append(latents[3+i].Mu, latents[3+i].S...), append(m.TrainingLatent(e).Mu, m.TrainingLatent(e).S...), 1e-12)
			}
			if shape.time == "rbf" || shape.time == "matern32" {
				far := latents[2]
				near(t, "the prior", append(far.Mu, far.S...), append(m.PriorLatent().Mu, m.PriorLatent().S...), 1e-12)
			}
		}
		near(t, shape.String()+": divergence", one(prior.kl), one(kl), 1e-8)
	}
}

// Two examples at one time are two observations of one latent point; precisions from
// nearly nothing to nearly everything do no harm.
func TestTimePriorAtItsLimits(t *testing.T) {
	p := &Params{Mu: mat.New(4, 1), S: mat.New(4, 1), MuBar: mat.NewDense(4, 1, []float64{1, 2, 3, 4}), Lambda: mat.New(4, 1),
		Dynamics: Dynamics{Times: []float64{1, 1, 1, 1}, Kernel: TimeKernel{Kind: RBF, LengthScale: 1}}}
	for _, lambda := range []float64{1e-300, 1e-8, 1, 1e8, 1e12} {
		p.Lambda.Fill(lambda)
		prior := newTimePrior(p.Dynamics)
		if err := prior.set(p); err != nil {
			t.Fatal(err)
		}
		for i := range 4 {
			near(t, "mean", one(p.Mu.At(i, 0)), one(10), 1e-15)
			near(t, "variance", one(p.S.At(i, 0)*(1+4*lambda)), one(1), 1e-15*max(1, 4*lambda)) // S is the difference of numbers near 1
		}
		s := 1 / (1 + 4*lambda)
		near(t, "divergence", one(prior.kl), one(0.5*(math.Log1p(4*lambda)+s-1+100)), 1e-12+1e-15*lambda) // and λ·S near 1
		grad := p.clone()
		grad.zero()
		prior.backward(grad, p)
		if i, q, bad := mat.NonFinite(grad.Lambda); bad {
			t.Errorf("λ = %v: derivative %v", lambda, grad.Lambda.At(i, q))
		}
	}
	p.Lambda.Data[2] = 1e14
	if err := newTimePrior(p.Dynamics).set(p); err == nil || !strings.Contains(err.Error(), "sequence 0, latent dimension 0: a precision of 1e+14") {
		t.Errorf("error %v", err)
	}
	p.MuBar.Data[0] = 1e9
	if err := newTimePrior(p.Dynamics).set(p); err == nil || !strings.Contains(err.Error(), "sequence 0, latent dimension 0: coefficients with a sum of 1e+09") {
		t.Errorf("error %v", err)
	}
}

// Paths have the means and covariances of q, which near examples in time share; their
// seed decides them one by one.
func TestLatentPaths(t *testing.T) {
	for _, shape := range dynamicShapes() {
		m := shape.model(t)
		s := m.params.Dynamics.series()[0]
		at := []float64{s.times[0] + 0.1, s.times[0] + 0.1, s.times[0] + 0.4, s.times[0] + 30}
		const count = 4000
		paths, err := m.LatentPaths(s.label, at, count, 5)
		if err != nil {
			t.Fatal(err)
		}
		few, err := m.LatentPaths(s.label, at, 3, 5)
		if err != nil {
			t.Fatal(err)
		}
		for k, path := range few {
			sameBits(t, "the first paths", path.Data, paths[k].Data)
		}
		other, err := m.LatentPaths(s.label, at, 1, 6)
		if err != nil || other[0].At(0, 0) == few[0].At(0, 0) {
			t.Errorf("another seed gives the same, error %v", err)
		}
		latents, err := m.LatentAt(s.label, at)
		if err != nil {
			t.Fatal(err)
		}
		params := m.params
		line, err := newDenseTimeline(params.Dynamics.Kernel, &s, gather(params.MuBar, s.examples), gather(params.Lambda, s.examples))
		if err != nil {
			t.Fatal(err)
		}
		for q := range shape.latent {
			v, _ := line.cross(q, at)
			for i := range at {
				for j := range at {
					var mean, product float64
					for _, path := range paths {
						mean += path.At(i, q) / count
						product += (path.At(i, q) - latents[i].Mu[q]) * (path.At(j, q) - latents[j].Mu[q]) / count
					}
					k := mat.New(1, 1)
					line.kernel.matrix(k, at[i:i+1], at[j:j+1])
					want := k.Data[0]
					for n := range v.Rows {
						want -= v.At(n, i) * v.At(n, j)
					}
					scale := math.Sqrt(latents[i].S[q]*latents[j].S[q]) + 1e-5
					if !(math.Abs(mean-latents[i].Mu[q]) <= 6*math.Sqrt(latents[i].S[q]/count)+1e-5) || !(math.Abs(product-want) <= 8*scale/math.Sqrt(count)) {
						t.Errorf("%v: dimension %d, times %v and %v: mean %v, want %v; covariance %v, want %v", shape, q, at[i], at[j], mean, latents[i].Mu[q], product, want)
					}
				}
			}
			if !(math.Abs(few[0].At(0, q)-few[0].At(1, q)) < 1e-4) {
				t.Errorf("%v: a path has two values at one time: %v and %v", shape, few[0].At(0, q), few[0].At(1, q))
			}
		}
	}
}

func TestLatentAtErrors(t *testing.T) {
	m := dynamicShapes()[1].model(t)
	still := fileShape.model(t)
	for want, ask := range map[string]func() error{
		"sgplvm: the model has no dynamical prior": func() error { _, err := still.LatentAt(0, one(1)); return err },
		"sgplvm: Sequence: 77, expected":           func() error { _, err := m.LatentAt(77, one(1)); return err },
		"sgplvm: Times: time 1 is NaN":             func() error { _, err := m.LatentAt(5, []float64{1, math.NaN()}); return err },
		"sgplvm: Times: time 0 is +Inf":            func() error { _, err := m.LatentPaths(5, one(math.Inf(1)), 1, 0); return err },
		"sgplvm: LatentPaths: -1 paths":            func() error { _, err := m.LatentPaths(5, one(1), -1, 0); return err },
	} {
		if err := ask(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, expected %q", err, want)
		}
	}
	if l, err := m.LatentAt(5, nil); err != nil || len(l) != 0 {
		t.Errorf("no times: %v, %v", l, err)
	}
	if l, err := m.LatentPaths(5, nil, 2, 0); err != nil || len(l) != 2 {
		t.Errorf("no times: %v, %v", l, err)
	}
}

func TestDynamicsConfig(t *testing.T) {
	for want, d := range map[string]Dynamics{
		"no times": {Sequences: make([]int, 12)},
		"11 times, expected 12, one for each example":                {Times: line(11).Data},
		"0 times, expected 12":                                       {Times: []float64{}},
		"3 labels of sequences, expected 12":                         {Times: line(12).Data, Sequences: make([]int, 3)},
		"time 1 is NaN":                                              {Times: append([]float64{0, math.NaN()}, line(10).Data...)},
		"time 0 is -Inf":                                             {Times: append([]float64{math.Inf(-1)}, line(11).Data...)},
		"unknown time kernel \"white\"":                              {Times: line(12).Data, Kernel: TimeKernel{Kind: White}},
		"length scale -1 of rbf":                                     {Times: line(12).Data, Kernel: TimeKernel{Kind: RBF, LengthScale: -1}},
		"time kernel: 1 terms of product, expected two or more of a": {Times: line(12).Data, Kernel: TimeKernel{Kind: Product, Terms: []TimeKernel{{Kind: RBF}}}},
	} {
		cfg := bumpConfig(4, 3)
		cfg.Dynamics = d
		_, err := New(bumps(12, 4, 3, 1), cfg)
		var config *ConfigError
		if !errors.As(err, &config) || config.Field != "Dynamics" || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, expected %q", err, want)
		}
	}
}

// Training starts with means near the scores of principal components, all variances a
// fifth of the prior's.
func TestStartDynamics(t *testing.T) {
	cfg := bumpConfig(6, 5)
	for _, sequences := range [][]int{nil, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7}} {
		cfg.Dynamics = Dynamics{Times: line(30).Data, Sequences: sequences}
		m := mustNew(t, bumps(30, 6, 5, 2), cfg)
		still := mustNew(t, bumps(30, 6, 5, 2), bumpConfig(6, 5))
		if k := m.params.Dynamics.Kernel; k.Kind != Matern32 || !(k.LengthScale >= 2) {
			t.Errorf("kernel %v", k)
		}
		for i := range 30 {
			for q := range 2 {
				if s := m.params.S.At(i, q); !(s > 0.15 && s < 0.25) {
					t.Errorf("variance %v of example %d, dimension %d", s, i, q)
				}
				if a, b := m.params.Mu.At(i, q), still.params.Mu.At(i, q); !(math.Abs(a-b) < 0.4) {
					t.Errorf("mean %v of example %d, dimension %d; score %v", a, i, q, b)
				}
			}
		}
	}
	if mustNew(t, bumps(30, 6, 5, 2), bumpConfig(6, 5)).params.dynamic() {
		t.Error("a dynamical prior that nobody asked for")
	}
}

// The optimiser's variables under whitening are Rᵀ·μ̄, and back.
func TestWhitening(t *testing.T) {
	p := dynamicShapes()[3].model(t).params
	before := p.clone()
	p.Whitening = TimeKernel{Kind: RBF, LengthScale: 3}
	x := make([]float64, p.count(groupLatent))
	p.pack(x, groupLatent)
	sameBits(t, "packing changes nothing", flat(p), flat(before))
	for i := range x {
		x[i] += 0.5
	}
	p.unpack(x, groupLatent)
	y := make([]float64, len(x))
	p.pack(y, groupLatent)
	near(t, "there and back", y, x, 1e-12)
	if p.MuBar.At(0, 0) == before.MuBar.At(0, 0) || p.Lambda.At(0, 0) == before.Lambda.At(0, 0) || p.Dynamics.Kernel.LengthScale == before.Dynamics.Kernel.LengthScale {
		t.Error("unpacking did not change all")
	}
}

// A state that has gone through an encoder continues with the same bits, restarts
// included, and training leaves means and variances that fit together, in the file too.
func TestDynamicTraining(t *testing.T) {
	for _, truncate := range []float64{0, 1e-6} {
		checkDynamicTraining(t, FitOptions{Iterations: 40, Warmup: 12, Restarts: 2, Truncate: truncate})
	}
}

func checkDynamicTraining(t *testing.T, o FitOptions) {
	t.Helper()
	if err := o.complete(); err != nil {
		t.Fatal(err)
	}
	fresh := func() *trainer {
		m, err := trainingSets()["moving"]()
		if err != nil {
			t.Fatal(err)
		}
		return newTrainer(m, o)
	}
	whole := fresh()
	want, err := whole.finish(whole.run(context.Background()))
	if err != nil {
		t.Fatal(err)
	}
	at := fresh()
	for at.Stage != stageEnd {
		if err := at.advance(context.Background()); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := gob.NewEncoder(&b).Encode(at.trainerState); err != nil {
			t.Fatal(err)
		}
		at = fresh()
		at.trainerState = trainerState{}
		if err := gob.NewDecoder(&b).Decode(&at.trainerState); err != nil {
			t.Fatal(err)
		}
	}
	got, _ := at.finish(nil)
	if !reflect.DeepEqual(got, want) || len(want.Starts) != 2 || want.Starts[0] == want.Starts[1] || math.IsInf(want.Starts[1], 0) {
		t.Errorf("%+v, want %+v", got, want)
	}
	p := whole.model.params
	sameBits(t, "parameters", flat(at.model.params), flat(p))
	derived := p.clone()
	derived.Mu.Fill(0)
	derived.S.Fill(0)
	if err := newTimePrior(p.Dynamics).set(derived); err != nil {
		t.Fatal(err)
	}
	sameBits(t, "means", p.Mu.Data, derived.Mu.Data)
	sameBits(t, "variances", p.S.Data, derived.S.Data)
	if p.Whitening.Kind != "" {
		t.Errorf("whitening %v after training", p.Whitening)
	}
	file := saved(t, whole.model)
	l := loaded(t, file)
	sameModel(t, "moving", l, whole.model)
	if !bytes.Equal(saved(t, l), file) {
		t.Error("saved again, the file differs")
	}
}

// A model with a dynamical prior and a structured residual whose covariance is learned.
func TestDynamicResidual(t *testing.T) {
	m, err := New(bumps(12, 6, 5, 2), Config{Space: []SpatialFactor{{X: line(30)}}, LatentDims: 2, Dynamics: Dynamics{Times: line(12).Data},
		Residual: Kernel{Kind: Matern32}, NoiseFloor: 1e-3})
	if err != nil {
		t.Fatal(err)
	}
	before := m.mustBound(t)
	r := mustFit(t, m, FitOptions{Iterations: 20, ResidualRounds: 1, LocalResiduals: true})
	if !(r.Bound > before) || m.params.Covariance.Rows != 30 {
		t.Errorf("bound %v, was %v; covariance of %d points", r.Bound, before, m.params.Covariance.Rows)
	}
	sameModel(t, "residual", loaded(t, saved(t, m)), m)
}

// With the prior of its time a frame of which nothing was seen is that prior, one that
// was seen in part starts from it too, and the standard normal prior is the one of a
// frame without a time.
func TestObservedPrior(t *testing.T) {
	ctx := context.Background()
	for i, shape := range dynamicShapes() {
		m := shape.model(t)
		rng := rand.New(rand.NewPCG(uint64(i), 4))
		values := m.scaler.unscaled(masked(rng, m.space.Len(), shape.channels, 0.5, false))
		none := mat.New(m.space.Len(), m.channels)
		none.Fill(math.NaN())
		l, err := m.LatentAt(m.params.Dynamics.series()[0].label, one(1.234))
		if err != nil {
			t.Fatal(err)
		}
		prior := l[0]
		got, err := m.Infer(ctx, Observed{Values: none, Prior: &prior}, InferOptions{})
		if err != nil {
			t.Fatal(err)
		}
		sameBits(t, "nothing seen", append(got.Mu, got.S...), append(prior.Mu, prior.S...))

		standard := m.PriorLatent()
		p, q, err := m.Impute(ctx, Observed{Values: values}, InferOptions{})
		if err != nil {
			t.Fatal(err)
		}
		same, sameLatent, err := m.Impute(ctx, Observed{Values: values, Prior: &standard}, InferOptions{})
		if err != nil {
			t.Fatal(err)
		}
		sameBits(t, "the standard prior", append(sameLatent.Mu, same.Mean.Data...), append(q.Mu, p.Mean.Data...))

		seen, err := m.observe(m.mustReady(t), Observed{Values: values, Prior: &prior})
		if err != nil {
			t.Fatal(err)
		}
		v := m.posterior.mustEvidence(seen)
		for _, c := range m.posterior.score(v, math.Inf(1)) {
			near(t, shape.String()+": score of a start", one(c.Bound), one(v.bound(m.posterior.psi, m.posterior.psi.newScratch(), c.Mu, c.S, nil, nil)), 1e-9)
		}

		for k := range prior.S {
			prior.S[k] = 1e-10
		}
		filled, sure, err := m.Impute(ctx, Observed{Values: values, Prior: &prior}, InferOptions{})
		if err != nil {
			t.Fatal(err)
		}
		near(t, "a prior that is sure", append(sure.Mu, sure.S...), append(prior.Mu, prior.S...), 1e-4)
		point := prior
		point.S = make([]float64, len(prior.S))
		e, err := m.observe(m.mustReady(t), Observed{Values: values})
		if err != nil {
			t.Fatal(err)
		}
		there, err := m.posterior.conditional(e, point)
		if err != nil {
			t.Fatal(err)
		}
		m.toUserUnits(there, 0)
		for j, v := range values.Data {
			if v != v {
				near(t, shape.String()+": filled in", one(filled.Mean.Data[j]), one(there.Mean.Data[j]), 1e-4*max(m.scaler.Scale[0], m.scaler.Scale[m.channels-1]))
			}
		}
	}
	m := dynamicShapes()[0].model(t)
	none := mat.New(m.space.Len(), m.channels)
	for want, prior := range map[string]Latent{
		"sgplvm: Prior: 2 means and 1 variances":     {Mu: make([]float64, 2), S: ones(1)},
		"sgplvm: Prior: dimension 0: variance 0, ex": {Mu: one(1), S: one(0)},
		"sgplvm: Prior: dimension 0: mean NaN":       {Mu: one(math.NaN()), S: one(1)},
	} {
		if _, err := m.Infer(ctx, Observed{Values: none, Prior: &prior}, InferOptions{}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, expected %q", err, want)
		}
	}
}

// KL(N(μ, S) ‖ N(m, v)) by quadrature, and its derivatives.
func TestDivergenceFromPrior(t *testing.T) {
	mu, s := mat.NewDense(1, 2, []float64{0.3, -1}), mat.NewDense(1, 2, []float64{0.2, 2})
	prior := &normal{mean: []float64{1.1, -0.5}, variance: []float64{0.5, 3}}
	var want float64
	for q := range 2 {
		logDensity := func(x, m, v float64) float64 { return -0.5*(x-m)*(x-m)/v - 0.5*math.Log(2*math.Pi*v) }
		const step = 1e-3
		for k := -20000; k <= 20000; k++ { // the trapezoidal rule is exact to rounding here
			x := float64(k) * step
			p := logDensity(x, mu.Data[q], s.Data[q])
			want += step * math.Exp(p) * (p - logDensity(x, prior.mean[q], prior.variance[q]))
		}
	}
	f := func() float64 { return -independentKL(mu, s, prior) }
	near(t, "divergence", one(f()), one(-want), 1e-10)
	dmu, ds := mat.New(1, 2), mat.New(1, 2)
	subtractIndependentKL(dmu, ds, mu, s, prior)
	checkGradient(t, func(i int) string { return fmt.Sprintf("μ[%d]", i) }, mu.Data, dmu.Data, f)
	checkGradient(t, func(i int) string { return fmt.Sprintf("S[%d]", i) }, s.Data, ds.Data, f)
}

// A further start differs from the first as a path of the prior does, and fits together.
func TestPerturbedPaths(t *testing.T) {
	cfg := bumpConfig(6, 5)
	cfg.Dynamics = Dynamics{Times: line(30).Data, Kernel: TimeKernel{Kind: RBF, LengthScale: 5}}
	p := mustNew(t, bumps(30, 6, 5, 2), cfg).params
	p.Whitening = p.Dynamics.Kernel
	q := mustPerturb(t, p, 1, 3)
	for k := range 2 {
		var before, after, roughness float64
		for i := range 30 {
			before += p.Mu.At(i, k) * p.Mu.At(i, k)
			after += q.Mu.At(i, k) * q.Mu.At(i, k)
			if i > 0 {
				roughness += math.Pow(q.Mu.At(i, k)-q.Mu.At(i-1, k), 2)
			}
		}
		if q.Mu.At(7, k) == p.Mu.At(7, k) || !(after > before/20 && after < 20*before) || !(roughness < after/4) {
			t.Errorf("dimension %d: squares %v, were %v; steps %v", k, after, before, roughness)
		}
	}
	for k := range q.Z.Rows {
		found := false
		for i := range 30 {
			found = found || q.Z.At(k, 0) == q.Mu.At(i, 0) && q.Z.At(k, 1) == q.Mu.At(i, 1)
		}
		if !found {
			t.Errorf("inducing input %d is no example's mean", k)
		}
	}
}
