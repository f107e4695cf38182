package sgplvm

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// without returns the model of all examples but one, with the same kernels, scales and, for
// the latent posterior, the same coefficients of the others' observations.
func (m *Model) without(t *testing.T, gone int) *Model {
	t.Helper()
	p, old := m.params.clone(), m.params
	keep := []int{}
	for i := range old.Mu.Rows {
		if i != gone {
			keep = append(keep, i)
		}
	}
	p.Mu, p.S, p.Lambda = gather(old.Mu, keep), gather(old.S, keep), gather(old.Lambda, keep)
	p.Dynamics.Times = nil
	for _, i := range keep {
		p.Dynamics.Times = append(p.Dynamics.Times, old.Dynamics.Times[i])
	}
	// μ̄ of the others such that the natural parameters h = μ̄ + Λ·μ of their sites are what they were.
	p.MuBar = mat.New(len(keep), old.Mu.Cols)
	n := len(keep)
	k := mat.New(n, n)
	p.Dynamics.Kernel.matrix(k, p.Dynamics.Times, p.Dynamics.Times)
	for q := range old.Mu.Cols {
		a, h := newRows(n, n), make([]float64, n) // (I + Λ·K)·μ̄ = h
		for r, i := range keep {
			h[r] = old.MuBar.At(i, q) + old.Lambda.At(i, q)*old.Mu.At(i, q)
			for c := range n {
				a[r][c] = old.Lambda.At(i, q) * k.At(r, c)
			}
			a[r][r]++
		}
		for r, v := range solveGeneral(a, h) {
			p.MuBar.Set(r, q, v)
		}
	}
	if err := newTimePrior(p.Dynamics).set(p); err != nil {
		t.Fatal(err)
	}
	points := m.space.Len()
	y := mat.New(n*points, m.channels)
	for r, i := range keep {
		mat.Copy(y.Slice(r*points, (r+1)*points, 0, m.channels), m.problem.observations().Slice(i*points, (i+1)*points, 0, m.channels))
	}
	return &Model{space: m.space, channels: m.channels, scaler: m.scaler, params: p, jitter: m.jitter, problem: problemOf(y, n, m.space, m.jitter)}
}

// solveGeneral solves a·x = b by elimination with pivoting.
func solveGeneral(a rows, b []float64) []float64 {
	n := len(b)
	x := append([]float64(nil), b...)
	for i := range n {
		p := i
		for r := i; r < n; r++ {
			if math.Abs(a[r][i]) > math.Abs(a[p][i]) {
				p = r
			}
		}
		a[i], a[p], x[i], x[p] = a[p], a[i], x[p], x[i]
		for r := i + 1; r < n; r++ {
			f := a[r][i] / a[i][i]
			for c := i; c < n; c++ {
				a[r][c] -= f * a[i][c]
			}
			x[r] -= f * x[i]
		}
	}
	for i := n - 1; i >= 0; i-- {
		for c := i + 1; c < n; c++ {
			x[i] -= a[i][c] * x[c]
		}
		x[i] /= a[i][i]
	}
	return x
}

// Leaving an example out is training without it, with all else as it is. With the
// time part alone, and with latent posteriors so sharp that Ψ2 is ψ1ψ1ᵀ, that is exact; the
// cavity is LatentAt of the model without the example in any case.
func TestLeaveOneOut(t *testing.T) {
	for seed, shape := range []modelShape{
		{examples: 6, inducing: 6, latent: 1, channels: 2, jitter: 1e-6, time: "matern32", sequences: 1, timePart: "matern12", parts: LatentTime, space: []factorShape{{points: 5, dims: 2, kind: Matern32}}},
		{examples: 6, inducing: 4, latent: 2, channels: 1, jitter: 1e-6, time: "matern32", sequences: 1, timePart: "matern32", parts: LatentTime | LatentRBF, space: []factorShape{{points: 4, dims: 1, kind: Matern32}, {points: 3, dims: 1, kind: White}}},
		{examples: 5, inducing: 3, latent: 2, channels: 2, jitter: 1e-6, time: "matern52", sequences: 1, space: []factorShape{{points: 3, dims: 1, kind: RBF}, {points: 4, dims: 1, kind: Matern12}}},
	} {
		shape.seed = uint64(seed)
		m := shape.model(t)
		for i := range m.params.Dynamics.Times { // no two equal
			m.params.Dynamics.Times[i] += 0.1 * float64(i)
		}
		m.params.Lambda.Fill(1e7) // S of 1e-7 is what stays in
		if err := newTimePrior(m.params.Dynamics).set(m.params); err != nil {
			t.Fatal(err)
		}
		cavities, err := m.params.cavities()
		if err != nil {
			t.Fatal(err)
		}
		err = m.LeaveOneOut(context.Background(), func(example int, mean, variance mat.Matrix) error {
			other := m.without(t, example)
			if m.params.ZExamples != nil { // inducing points have their times still
				other.params.ZExamples = nil
				other.params.Latent.Time = TimePart{}
			}
			at, err := other.LatentAt(0, m.params.Dynamics.Times[example:example+1])
			if err != nil {
				return err
			}
			cavity := cavities[example]
			near(t, "cavity", append(cavity.Mu, cavity.S...), append(at[0].Mu, at[0].S...), 1e-6)
			want := leftOut(m, example, cavity)
			near(t, shape.String()+": mean", mean.Data, want.Mean.Data, 1e-4)
			// What an uncertain cavity adds comes from the map that has seen the example.
			tolerance := map[bool]float64{true: 1e-4, false: 0.3}[shape.parts == LatentTime]
			near(t, shape.String()+": variance", variance.Data, want.Variance.Data, tolerance)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// leftOut predicts an example at a latent posterior from all others by dense formulas.
func leftOut(m *Model, gone int, l Latent) Prediction {
	d := newDense(m)
	points, n := len(d.points), m.params.Mu.Rows
	mm := len(d.kuu)
	// A = K_uu + β·Ψ2 without the example, and the data likewise.
	a := newRows(mm, mm)
	for u := range mm {
		for v := range mm {
			a[u][v] = d.kuu[u][v]
			for i := range n * points {
				if i/points != gone {
					a[u][v] += d.beta * d.psi1[i][u] * d.psi1[i][v]
				}
			}
		}
	}
	la := choleskyOf(a)
	d.aInverse = inverseOf(la)
	for c := range m.channels {
		projected := make([]float64, mm)
		for i := range n * points {
			if i/points != gone {
				for u := range mm {
					projected[u] += d.beta * d.psi1[i][u] * d.y[c][i]
				}
			}
		}
		d.alpha[c] = solveWith(la, projected)
	}
	f := d.forecast(l, m.space)
	p := Prediction{Mean: mat.New(points, m.channels), Variance: mat.New(points, m.channels)}
	for c, scale := range m.scaler.Scale {
		for i := range points {
			p.Mean.Set(i, c, m.scaler.Mean[c]+scale*f.mean[c][i])
			p.Variance.Set(i, c, scale*scale*(f.cov[c][i][i]+1/d.beta))
		}
	}
	return p
}

// Calibrated variances find where space is restless, are what predictions use at the training
// points and between them, and survive the model file.
func TestCalibrate(t *testing.T) {
	const n, width, height = 30, 12, 5
	rng := rand.New(rand.NewPCG(8, 1))
	y, times := mat.New(n*width*height, 1), make([]float64, n)
	for i := range n {
		times[i] = float64(i)
		for j := range width * height {
			noise := 0.01
			if j%width >= width/2 {
				noise = 0.3 // half of the picture
			}
			y.Set(i*width*height+j, 0, math.Sin(float64(i)/5+float64(j)/9)+noise*rng.NormFloat64())
		}
	}
	axis := func(n int) mat.Matrix {
		x := mat.New(n, 1)
		for i := range n {
			x.Set(i, 0, float64(i))
		}
		return x
	}
	m, err := New(Data{Examples: n, Y: y}, Config{Space: []SpatialFactor{{X: axis(height)}, {X: axis(width)}}, LatentDims: 2, LatentKernel: LatentRBF | LatentTime, Dynamics: Dynamics{Times: times}})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	if _, err := m.Fit(ctx, FitOptions{Iterations: 60}); err != nil {
		t.Fatal(err)
	}
	at, err := m.LatentAt(0, []float64{7.5})
	if err != nil {
		t.Fatal(err)
	}
	fine := Grid{axis(height), mat.NewDense(4, 1, []float64{0.5, 2.25, 8.5, 10.25})}
	predict := func(g Grid) (p Prediction) {
		p, err := m.Predict(at[0], g)
		if err != nil {
			t.Fatal(err)
		}
		err = m.PredictSlabs(ctx, at, g, SlabOptions{Numbers: 1}, func(s Slab) error {
			for i := range s.Variance[0].Rows {
				near(t, "variance in slabs", one(s.Variance[0].At(i, 0)), one(p.Variance.At(s.First+i, 0)), 1e-9)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	plain := predict(fine)
	if err := m.Calibrate(ctx); err != nil {
		t.Fatal(err)
	}
	got := predict(fine)
	sameBits(t, "mean", got.Mean.Data, plain.Mean.Data)
	for i := range got.Variance.Rows {
		quiet := i%4 < 2
		if ratio := got.Variance.At(i, 0) / plain.Variance.At(i, 0); quiet != (ratio < 0.4) || !quiet != (ratio > 1) {
			t.Errorf("point %d: variance %v times as large when calibrated", i, ratio)
		}
	}
	var file bytes.Buffer
	if err := m.Save(&file); err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(bytes.NewReader(file.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	again, err := loaded.Predict(at[0], fine)
	if err != nil {
		t.Fatal(err)
	}
	sameBits(t, "variance of the loaded model", again.Variance.Data, got.Variance.Data)
	latent := at[0]
	latent.At = nil
	timeless, err := m.Predict(latent, nil)
	if err != nil {
		t.Fatal(err)
	}
	m.calibration = nil
	want, err := m.Predict(latent, nil)
	if err != nil {
		t.Fatal(err)
	}
	sameBits(t, "variance at no time", timeless.Variance.Data, want.Variance.Data)
	for _, shape := range []modelShape{{examples: 3, inducing: 3, latent: 1, channels: 1, space: []factorShape{{points: 3, dims: 1, kind: Matern32}}},
		{examples: 3, inducing: 3, latent: 1, channels: 1, time: "rbf", sequences: 1, space: []factorShape{{points: 3, dims: 1, kind: Matern32, inducing: 2}}}} {
		if err := shape.model(t).Calibrate(ctx); err == nil || err.Error() != "sgplvm: LeaveOneOut: "+errUncalibrated.Error() {
			t.Errorf("%v: error %v", shape, err)
		}
	}
	if err := loaded.Calibrate(ctx); err != errNoData {
		t.Errorf("a loaded model: error %v", err)
	}
}

// The power is that of the variances from which the squares were drawn.
func TestLikeliestPower(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 8))
	for _, want := range []float64{0, 0.5, 1, 1.7} {
		var ratios, sizes []float64
		for range 4000 {
			size := 2 * rng.NormFloat64()
			var mean float64
			for range 20 {
				z := rng.NormFloat64()
				mean += z * z / 20
			}
			ratios, sizes = append(ratios, 3*mean*math.Exp((want-1)*size)), append(sizes, size)
		}
		got := likeliestPower(ratios, sizes)
		if math.Abs(got-want) > 0.02 {
			t.Errorf("power %v, want %v", got, want)
		}
		if ratio := meanRatio(ratios, sizes, got); math.Abs(ratio-3) > 0.15 {
			t.Errorf("factor %v at power %v, want 3", ratio, got)
		}
	}
}

// Ratios that change slowly are believed of the times around, ratios without order are not.
func TestUnrest(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 8))
	var examples []Instant
	var slow, none []float64
	for i := range 200 {
		examples = append(examples, Instant{Sequence: i % 2, Time: float64(i)})
		slow = append(slow, math.Exp(1.5*math.Sin(float64(i)/20))*(0.9+0.2*rng.Float64()))
		none = append(none, rng.ExpFloat64())
	}
	u := newUnrest(slow, examples)
	calm, restless := u.at(Instant{0, 3 * math.Pi / 2 * 20}, examples, -1), u.at(Instant{1, math.Pi / 2 * 20}, examples, -1)
	if u.reach == 0 || !(restless > 5*calm) {
		t.Errorf("reach %v: %v at a restless time, %v at a calm one", u.reach, restless, calm)
	}
	if got := u.at(Instant{7, 30}, examples, -1); got != 1 {
		t.Errorf("%v in a sequence that nobody has seen, want 1", got)
	}
	if u := newUnrest(none, examples); u.reach > 0 && math.Abs(u.at(Instant{0, 50.5}, examples, -1)-1) > 0.5 {
		t.Errorf("without order: reach %v, %v at a time", u.reach, u.at(Instant{0, 50.5}, examples, -1))
	}
	if got := medianSpacing(examples); got != 2 {
		t.Errorf("median spacing %v, want 2", got)
	}
}

// Long sequences take the difference 1 − Λ·S, which is the same where it does not cancel.
func TestCavitiesOfLongSequences(t *testing.T) {
	m := modelShape{examples: 9, inducing: 4, latent: 2, channels: 1, time: "matern32", sequences: 2, space: []factorShape{{points: 3, dims: 1, kind: Matern32}}}.model(t)
	want, err := m.params.cavities()
	if err != nil {
		t.Fatal(err)
	}
	defer func(n int) { factoredCavities = n }(factoredCavities)
	factoredCavities = 0
	got, err := m.params.cavities()
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		near(t, "mean", got[i].Mu, want[i].Mu, 1e-10)
		near(t, "variance", got[i].S, want[i].S, 1e-10)
	}
}
