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
	if _, err := m.Fit(context.Background(), FitOptions{Iterations: 40}); err != nil {
		t.Fatal(err)
	}
	return m, y
}

// The densities are those of LeaveOneOut's Gaussians, and of the calibrated ones.
func TestLeftOutDensities(t *testing.T) {
	m, y := swelling(t)
	ctx := context.Background()
	var plain float64
	for _, calibrated := range []bool{false, true} {
		if calibrated {
			if err := m.Calibrate(ctx); err != nil {
				t.Fatal(err)
			}
		}
		want := make([]float64, m.Examples())
		err := m.LeaveOneOut(ctx, func(i int, mean, variance mat.Matrix) error {
			for j := range mean.Rows {
				v := variance.At(j, 0)
				if c := m.calibration; calibrated {
					at := m.params.Dynamics.instants()
					v *= c.unrest.at(at[i], at, i) * c.factor.At(j, 0) * math.Pow(v/c.mean[0], c.power-1)
				}
				d := y.At(i*mean.Rows+j, 0) - mean.At(j, 0)
				want[i] -= math.Log(math.Exp(-d*d/(2*v))/math.Sqrt(2*math.Pi*v)) / float64(mean.Rows)
			}
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

// Of an example at a time of which nothing is seen Impute says what Predict says; the more is seen
// nearby, the less is left of the calibration.
func TestCalibrateSeen(t *testing.T) {
	m, y := swelling(t)
	ctx := context.Background()
	at, err := m.LatentAt(0, []float64{7.5})
	if err != nil {
		t.Fatal(err)
	}
	points := m.space.Len()
	impute := func(seen ...int) Prediction {
		v := mat.New(points, 1)
		v.Fill(math.NaN())
		for _, j := range seen {
			v.Set(j, 0, y.At(7*points+j, 0))
		}
		p, _, err := m.Impute(ctx, Observed{Values: v, Prior: &at[0]}, InferOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	cases := [][]int{{}, {8, 14}, {0, 1, 2, 3, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 23}}
	var before []Prediction
	for _, seen := range cases {
		before = append(before, impute(seen...))
	}
	alone, err := m.Predict(at[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Calibrate(ctx); err != nil {
		t.Fatal(err)
	}
	calibrated, err := m.Predict(at[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	for k, seen := range cases {
		got := impute(seen...)
		near(t, "mean", got.Mean.Data, before[k].Mean.Data, 1e-12)
		for j := range points {
			v, v0 := before[k].Variance.At(j, 0), alone.Variance.At(j, 0)
			want := v
			if len(seen) == 0 {
				want = calibrated.Variance.At(j, 0)
			} else if v > 0 {
				want = v + (calibrated.Variance.At(j, 0)-v0)*(v/v0)*min(1, v/v0)
			}
			if g := got.Variance.At(j, 0); math.Abs(g-want) > 1e-9*v0 {
				t.Errorf("%d points seen, point %d: variance %v, expected %v", len(seen), j, g, want)
			}
		}
	}
	unknown := Observed{Values: mat.New(points, 1)}
	unknown.Values.Fill(math.NaN())
	p, _, err := m.Impute(ctx, unknown, InferOptions{})
	if err != nil {
		t.Fatal(err)
	}
	m.calibration = nil
	want, _, err := m.Impute(ctx, unknown, InferOptions{})
	if err != nil {
		t.Fatal(err)
	}
	sameBits(t, "variance at no time", p.Variance.Data, want.Variance.Data)
}
