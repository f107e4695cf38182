package sgplvm

import (
	"context"
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// swelling is a small trained model of a picture that swells and shrinks, with its data.
func swelling(t *testing.T) (m *Model, y mat.Matrix) {
	t.Helper()
	const n, width, height = 16, 6, 4
	times := make([]float64, n)
	y = mat.New(n*width*height, 1)
	for i := range n {
		times[i] = float64(i)
		for j := range width * height {
			y.Set(i*width*height+j, 0, 3+math.Sin(float64(i)/3)*math.Cos(float64(j%width)/4)+0.2*math.Sin(float64(i*i+7*j*j)))
		}
	}
	m, err := New(Data{Examples: n, Y: y}, Config{Space: []SpatialFactor{{X: line(height)}, {X: line(width)}}, LatentDims: 2, LatentKernel: LatentRBF | LatentTime, Dynamics: Dynamics{Times: times}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Fit(context.Background(), FitOptions{Iterations: 40}); err != nil {
		t.Fatal(err)
	}
	return m, y
}

// Variances of examples left out are calibrated where the model is, and the densities are those of such
// Gaussians.
func TestLeftOutDensities(t *testing.T) {
	m, y := swelling(t)
	ctx := context.Background()
	var plain float64
	var variances []mat.Matrix // uncalibrated
	for _, calibrated := range []bool{false, true} {
		if calibrated {
			if err := m.Calibrate(ctx); err != nil {
				t.Fatal(err)
			}
			m.calibration.unrest.reach = 0.3 // so that an example's own ratio would count for nearly all
		}
		want := make([]float64, m.Examples())
		err := m.LeaveOneOut(ctx, func(i int, mean, variance mat.Matrix) error {
			if !calibrated {
				variances = append(variances, variance.Clone())
			}
			expected := variances[i].Clone()
			for j := range mean.Rows {
				v := expected.At(j, 0)
				if c := m.calibration; calibrated {
					at := m.params.Dynamics.Instants()
					v *= c.unrest.at(at[i], at, i) * c.factor.At(j, 0) * math.Pow(v/c.mean[0], c.power-1)
				}
				expected.Set(j, 0, v)
				d := y.At(i*mean.Rows+j, 0) - mean.At(j, 0)
				want[i] -= math.Log(math.Exp(-d*d/(2*v))/math.Sqrt(2*math.Pi*v)) / float64(mean.Rows)
			}
			near(t, "variances", variance.Data, expected.Data, 1e-12)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		got, err := m.LeftOutDensities(ctx)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "densities", got, want, 1e-9)
		if calibrated && !(sum(got) < plain) {
			t.Errorf("calibrated %v, not less than %v", sum(got), plain)
		}
		plain = sum(got)
	}
}

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
