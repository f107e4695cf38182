package sgplvm

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// timeKernelOf is a time kernel by its definition.
func timeKernelOf(k TimeKernel, delta float64) float64 {
	switch k.Kind {
	case Sum:
		var sum float64
		for i, term := range k.Terms {
			sum += k.Weights[i] * timeKernelOf(term, delta)
		}
		return sum
	case Product:
		product := 1.0
		for _, term := range k.Terms {
			product *= timeKernelOf(term, delta)
		}
		return product
	case Periodic:
		return math.Exp(-2 * math.Pow(math.Sin(math.Pi*delta/k.Period)/k.LengthScale, 2))
	}
	return covarianceOf(Kernel{k.Kind, 1, one(k.LengthScale)}, one(delta), one(0))
}

// timeOf is κ between a time and inducing point k, 0 for no time and without a time part.
func (d *dense) timeOf(at *Instant, k int) float64 {
	part := d.p.Latent.Time
	if at == nil || part.Variance == 0 || at.Sequence != d.timeAt(k).Sequence {
		return 0
	}
	return part.Variance * timeKernelOf(part.Kernel, at.Time-d.timeAt(k).Time)
}

// timeAt is the time of inducing point k.
func (d *dense) timeAt(k int) *Instant {
	if d.p.ZExamples == nil {
		return nil
	}
	return d.exampleTime(d.p.ZExamples[k])
}

func (d *dense) exampleTime(i int) *Instant {
	if !d.p.dynamic() {
		return nil
	}
	at := &Instant{Time: d.p.Dynamics.Times[i]}
	if d.p.Dynamics.Sequences != nil {
		at.Sequence = d.p.Dynamics.Sequences[i]
	}
	return at
}

// psi1At and psi2At are the psi statistics of an example, the time part included.
func (d *dense) psi1At(at *Instant, mu, s []float64, k int) float64 {
	return latentPsi1Of(d.p.Latent, mu, s, d.p.Z.Row(k)) + d.timeOf(at, k)
}

func (d *dense) psi2At(at *Instant, mu, s []float64, k, l int) float64 {
	z, w := d.p.Z.Row(k), d.p.Z.Row(l)
	a, b := d.timeOf(at, k), d.timeOf(at, l)
	return latentPsi2Of(d.p.Latent, mu, s, z, w) + a*latentPsi1Of(d.p.Latent, mu, s, w) + b*latentPsi1Of(d.p.Latent, mu, s, z) + a*b
}

// timeShapes are models with a time part, of several sequences, beside all other parts and
// alone, with fewer inducing points and with all.
func timeShapes() []modelShape {
	var shapes []modelShape
	for seed := range uint64(sizes(24)) {
		s := randomShape(600 + seed)
		if seed%4 == 3 {
			s = residualShape(600 + seed)
		}
		s.time, s.sequences = "matern32", 1+int(seed%3)
		s.timePart = []string{"matern12", "rbf", "0.4*matern52+0.6*periodic*rbf"}[seed%3]
		shapes = append(shapes, s.of(LatentTime|LatentParts(seed%8)))
	}
	return shapes
}

// The bound, predictions, L* and conditional distributions against dense formulas, at
// times of a sequence, of another that is not known, and at no time.
func TestTimePart(t *testing.T) {
	for i, shape := range timeShapes() {
		m := shape.model(t)
		d := newDense(m)
		near(t, shape.String()+": bound", one(m.mustBound(t)+m.problem.divergence(m.params)), one(d.bound()+d.kl), 1e-9)
		rng := rand.New(rand.NewPCG(uint64(i), 5))
		label := m.params.Dynamics.Instants()[0].Sequence
		for _, at := range []*Instant{nil, {Sequence: label, Time: m.params.Dynamics.Times[0]}, {Sequence: label, Time: 1.3}, {Sequence: 99}} {
			d.at = at
			l := randomLatent(rng, shape.latent)
			checkForecast(t, m, d, l, randomGrid(rng, m))
			checkExample(t, m, d, rng, m.space)
			checkSlabs(t, m, l, at)
		}
	}
}

func checkSlabs(t *testing.T, m *Model, l Latent, at *Instant) {
	t.Helper()
	l.At = at
	want, err := m.Predict(l, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = m.PredictSlabs(context.Background(), []Latent{l}, nil, SlabOptions{}, func(s Slab) error {
		for c, scale := range m.scaler.Scale {
			for i := range s.Mean[0].Rows {
				near(t, "mean in slabs", one(s.Mean[0].At(i, c)/scale), one(want.Mean.At(s.First+i, c)/scale), 1e-9)
				near(t, "variance in slabs", one(s.Variance[0].At(i, c)/(scale*scale)), one(want.Variance.At(s.First+i, c)/(scale*scale)), 1e-9)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Without any latent variables the model is Gaussian process regression on time and space:
// with all times as inducing points its bound but for the divergence is the log evidence,
// and its prediction the posterior.
func TestTimePartAloneIsRegression(t *testing.T) {
	shape := modelShape{examples: 5, inducing: 5, latent: 1, channels: 2, jitter: 1e-9, time: "rbf", sequences: 1, timePart: "matern12", parts: LatentTime, space: []factorShape{{points: 4, dims: 1, kind: Matern32}}}
	m := shape.model(t)
	p := m.params
	p.Dynamics.Times = []float64{0, 2, 1, 4.5, 3}
	if err := newTimePrior(p.Dynamics).set(p); err != nil {
		t.Fatal(err)
	}
	n, ns := 5, 4
	points := gridPoints(m.space)
	covariance := func(a, b float64, x, y rows) float64 {
		return p.Latent.Time.Variance * timeKernelOf(p.Latent.Time.Kernel, a-b) * spatialCovariance(p, x, y)
	}
	k, y := newRows(n*ns, n*ns), m.problem.observations()
	for i := range k {
		for j := range k {
			k[i][j] = covariance(p.Dynamics.Times[i/ns], p.Dynamics.Times[j/ns], points[i%ns], points[j%ns])
		}
		k[i][i] += 1 / p.Beta
	}
	factor := choleskyOf(k)
	var evidence float64
	const at = 2.7
	got, err := m.Predict(Latent{Mu: one(0.3), S: one(0.5), At: &Instant{Sequence: 0, Time: at}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for c := range 2 {
		column := make([]float64, n*ns)
		for i := range column {
			column[i] = y.At(i, c)
		}
		evidence += logGaussian(column, k)
		solved := solveWith(factor, column)
		for i := range ns {
			cross := make([]float64, n*ns)
			for j := range cross {
				cross[j] = covariance(at, p.Dynamics.Times[j/ns], points[i], points[j%ns])
			}
			mean := m.scaler.Mean[c] + m.scaler.Scale[c]*inner(cross, solved)
			variance := math.Pow(m.scaler.Scale[c], 2) * (covariance(at, at, points[i], points[i]) - inner(cross, solveWith(factor, cross)) + 1/p.Beta)
			near(t, "mean", one(got.Mean.At(i, c)), one(mean), 1e-7)
			near(t, "variance", one(got.Variance.At(i, c)), one(variance), 1e-7)
		}
	}
	near(t, "evidence", one(m.mustBound(t)+m.problem.divergence(p)), one(evidence), 1e-7)
}

// Training moves the time part, restarts keep the times of inducing points with them, and
// the model file holds all of it.
func TestTimePartTraining(t *testing.T) {
	n, ns := 12, 9
	rng := rand.New(rand.NewPCG(4, 4))
	y := mat.New(n*ns, 1)
	times := make([]float64, n)
	for i := range n {
		times[i] = float64(i) + 0.3*rng.Float64()
		for j := range ns {
			y.Set(i*ns+j, 0, math.Sin(times[i]/2+float64(j)/3)+0.3*math.Cos(times[i])*float64(j%2)+0.05*rng.NormFloat64())
		}
	}
	cfg := Config{Space: []SpatialFactor{{X: line(ns)}}, LatentDims: 2, Inducing: 7, LatentKernel: LatentRBF | LatentTime, Dynamics: Dynamics{Times: times}, LatentTime: TimeKernel{Kind: Matern12}}
	m, err := New(Data{Examples: n, Y: y}, cfg)
	if err != nil {
		t.Fatal(err)
	}
	before := m.Params()
	r, err := m.Fit(context.Background(), FitOptions{Iterations: 40, Restarts: 2})
	if err != nil {
		t.Fatal(err)
	}
	p := m.Params()
	if p.Latent.Time.Variance == before.Latent.Time.Variance || p.Latent.Time.Kernel.LengthScale == before.Latent.Time.Kernel.LengthScale || len(r.Starts) != 2 {
		t.Errorf("time part %v after training, %v before, starts %v", p.Latent.Time, before.Latent.Time, r.Starts)
	}
	before.Whitening = before.Dynamics.Kernel
	second, err := perturbed(before, 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	for k, i := range second.ZExamples {
		sameBits(t, fmt.Sprintf("inducing point %d", k), second.Z.Row(k), second.Mu.Row(i))
	}
	var file bytes.Buffer
	if err := m.Save(&file); err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(&file)
	if err != nil {
		t.Fatal(err)
	}
	at, err := m.LatentAt(0, []float64{3.4, 20})
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range at {
		want, _ := m.Predict(l, nil)
		again, err := loaded.LatentAt(0, []float64{3.4, 20})
		if err != nil {
			t.Fatal(err)
		}
		got, err := loaded.Predict(again[i], nil)
		if err != nil {
			t.Fatal(err)
		}
		sameBits(t, "mean of the loaded model", got.Mean.Data, want.Mean.Data)
		sameBits(t, "variance of the loaded model", got.Variance.Data, want.Variance.Data)
	}
	far := m.params.Latent.Time.Variance + m.params.Latent.Variance
	got, err := m.Predict(at[1], nil)
	if err != nil {
		t.Fatal(err)
	}
	if v := got.Variance.At(4, 0) / math.Pow(m.scaler.Scale[0], 2); !(v > 0.7*far*m.params.Spatial[0].Variance) {
		t.Errorf("variance %v long after the last example, prior %v", v, far)
	}
	cfg.Dynamics = Dynamics{}
	if _, err := New(Data{Examples: n, Y: y}, cfg); err == nil || err.Error() != "sgplvm: LatentKernel: a time part without Dynamics, which hold the times" {
		t.Errorf("error %v", err)
	}
}

// A time part so variable that rounding would decide the bound is refused.
func TestTimePartTooFlat(t *testing.T) {
	m := timeShapes()[0].model(t)
	m.params.Latent.Time.Variance = 1e7
	if _, err := m.problem.bound(m.params); err == nil || !strings.Contains(err.Error(), "the time part give f a prior variance of") {
		t.Errorf("error %v", err)
	}
}
