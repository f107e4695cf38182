package predict

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// assembled puts slabs together to predictions of n_s*×d_y.
func assembled(t testing.TB, m model, latents []field.Latent, g field.Grid, o field.SlabOptions) (mean, variance []mat.Matrix, slabs int) {
	t.Helper()
	points := m.grid.Len()
	if g != nil {
		points = g.Len()
	}
	for range latents {
		mean = append(mean, mat.New(points, m.channels()))
		variance = append(variance, mat.New(points, m.channels()))
	}
	row, first := 0, 0
	err := m.PredictSlabs(t.Context(), latents, g, o, func(s field.Slab) error {
		if s.From != row || s.First != first || s.To <= s.From || len(s.Mean) != len(latents) || o.MeanOnly != (s.Variance == nil) {
			t.Fatalf("slab %d–%d from point %d, %d means, %d variances after row %d, point %d", s.From, s.To, s.First, len(s.Mean), len(s.Variance), row, first)
		}
		n := s.Mean[0].Rows
		for i := range latents {
			mat.Copy(mean[i].Slice(first, first+n, 0, m.channels()), s.Mean[i])
			if !o.MeanOnly {
				mat.Copy(variance[i].Slice(first, first+n, 0, m.channels()), s.Variance[i])
			}
		}
		row, first, slabs = s.To, first+n, slabs+1
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if first != points {
		t.Fatalf("%d points of %d", first, points)
	}
	return mean, variance, slabs
}

// Slabs of any size hold what Predict returns: latent variables that are uncertain or not, more
// or fewer of them than inducing points, any spatial factors, noise of any kind, calibrated in time or not. Predictions
// are sums of at most 50 terms near 1, and so are the differences; what is left of a term that
// is smaller than the sum's rounding counts no more than that.
func TestPredictSlabs(t *testing.T) {
	defer func(rows, columns int) { stackRows, spreadColumns = rows, columns }(stackRows, spreadColumns)
	for seed := range uint64(compare.Sizes(150)) {
		shape := reference.RandomShape(40000 + seed)
		if seed%4 == 3 {
			shape = reference.ResidualShape(40000 + seed)
		}
		if seed%5 == 4 {
			shape.Time, shape.Sequences, shape.TimePart = "matern32", 1, "rbf"
			shape = shape.With(reference.Time | reference.Parts(seed%8))
		}
		ref := shape.Model(t)
		if seed%8 == 7 {
			learned(t, ref, 3)
		}
		m, rng := saying(t, ref, Options{}), rand.New(rand.NewPCG(seed, 41))
		if shape.Time != "" && seed%2 == 0 {
			m = m.calibrated(t, rng)
		}
		grids := []field.Grid{nil, m.ref.RandomGrid(rng)}
		if seed%8 == 7 {
			grids[1] = field.Grid{m.grid[0].Slice(m.grid[0].Rows/2, m.grid[0].Rows, 0, m.grid[0].Cols)}
		}
		stackRows, spreadColumns = 1+int(seed%7), 1+int(seed%5)
		latents := make([]field.Latent, 1+rng.IntN(2*shape.Inducing))
		for i := range latents {
			latents[i] = randomLatent(rng, shape.Latent)
			if shape.Time != "" && i%3 < 2 {
				latents[i].At = &data.Instant{Sequence: i % 2, Time: 3 * rng.Float64()}
			}
			if seed%3 == 0 || rng.IntN(3) == 0 {
				clear(latents[i].S)
			}
		}
		for _, g := range grids {
			for _, o := range []field.SlabOptions{{}, {Numbers: 1}, {Numbers: 200 * len(latents)}, {MeanOnly: true, Numbers: 100}} {
				mean, variance, slabs := assembled(t, m, latents, g, o)
				rows := m.grid[0].Rows
				if g != nil {
					rows = g[0].Rows
				}
				if o.Numbers == 1 && slabs != rows || o.Numbers == 0 && slabs != 1 {
					t.Errorf("%v: %d slabs of %d rows with %d numbers", shape, slabs, rows, o.Numbers)
				}
				for i, l := range latents {
					want, err := m.Predict(l, g)
					if err != nil {
						t.Fatal(err)
					}
					what := fmt.Sprintf("%v: latent %d of %d, %+v", shape, i, len(latents), o)
					compare.Near(t, what+": mean", mean[i].Data, want.Mean.Data, 1e-12)
					if !o.MeanOnly {
						compare.Near(t, what+": variance", variance[i].Data, want.Variance.Data, 1e-12)
					}
				}
			}
		}
	}
}

// Slabs keep no projection, and end with the context or with an error of their receiver.
func TestPredictSlabsEnd(t *testing.T) {
	m := modelOf(t, reference.Shape{Examples: 3, Inducing: 2, Latent: 2, Channels: 1, Space: []reference.Factor{{Points: 6, Dims: 2, Kind: kernel.RBF}}})
	m.training = func() *projection { t.Error("a projection of the training grid"); return nil }
	l := []field.Latent{{Mu: []float64{0, 1}, S: []float64{0, 1}}}
	calls, stop := 0, errors.New("enough")
	if err := m.PredictSlabs(t.Context(), l, nil, field.SlabOptions{Numbers: 1}, func(field.Slab) error { calls++; return stop }); err != stop || calls != 1 {
		t.Errorf("error %v after %d slabs", err, calls)
	}
	ctx, cancel := context.WithCancel(t.Context())
	calls = 0
	if err := m.PredictSlabs(ctx, l, nil, field.SlabOptions{Numbers: 1}, func(field.Slab) error { calls++; cancel(); return nil }); !errors.Is(err, context.Canceled) || calls != 1 {
		t.Errorf("error %v after %d slabs", err, calls)
	}
	never := func(field.Slab) error { t.Error("a slab"); return nil }
	if err := m.PredictSlabs(t.Context(), nil, nil, field.SlabOptions{}, never); err != nil {
		t.Error(err)
	}
	if m.last.Load() != nil {
		t.Error("a projection is kept")
	}
	var config *field.ConfigError
	for name, c := range map[string]struct {
		l []field.Latent
		g field.Grid
	}{
		"Latent": {[]field.Latent{l[0], {Mu: []float64{0, math.NaN()}, S: []float64{0, 1}}}, nil},
		"Grid":   {l, field.Grid{mat.New(2, 1)}},
	} {
		if err := m.PredictSlabs(t.Context(), c.l, c.g, field.SlabOptions{}, never); !errors.As(err, &config) || config.Field != name {
			t.Errorf("error %v, expected one about %s", err, name)
		}
	}
}

// A slab takes the numbers it is allowed and little else, of predictions of ten times as many or more.
func TestPredictSlabsMemory(t *testing.T) {
	tier.Skip(t, tier.Emulated)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // what products borrow depends on how many of them run at once
	for _, space := range [][]reference.Factor{
		{{Points: 20, Dims: 1, Kind: kernel.Matern32}, {Points: 30, Dims: 1, Kind: kernel.Matern32}},
		{{Points: 6, Dims: 1, Kind: kernel.Matern32}, {Points: 8, Dims: 1, Kind: kernel.Matern32}, {Points: 12, Dims: 1, Kind: kernel.RBF, Inducing: 6}},
		{{Points: 60, Dims: 2, Kind: kernel.Matern52}},
	} {
		if testing.Short() && len(space) != 2 {
			continue
		}
		shape := reference.Shape{Examples: 12, Inducing: 12, Latent: 2, Channels: 3, Space: space}
		m := modelOf(t, shape)
		var g field.Grid
		rows := []int{200, 12, 10}
		if len(space) == 1 {
			rows = []int{20000}
		} else if len(space) == 2 {
			rows = []int{160, 150}
		}
		for f, n := range rows {
			x := mat.New(n, space[f].Dims)
			for i := range x.Data {
				x.Data[i] = float64(i) / 100
			}
			g = append(g, x)
		}
		rng := rand.New(rand.NewPCG(7, 43))
		var latents []field.Latent
		for range 12 {
			latents = append(latents, randomLatent(rng, shape.Latent))
		}
		const numbers = 1 << 17
		var base, peak float64
		slabs := 0
		for run := range 2 { // the first fills the pools of borrowed storage
			for range 4 { // what pools hold outlives some collections
				runtime.GC()
			}
			base, peak, slabs = reference.LiveBytes(), 0, 0
			if err := m.PredictSlabs(t.Context(), latents, g, field.SlabOptions{Numbers: numbers}, func(field.Slab) error {
				if slabs++; run == 1 {
					runtime.GC()
					peak = max(peak, reference.LiveBytes())
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		got, want := peak-base, 8.*numbers
		t.Logf("%v: %d slabs, %.2f MB, expected %.2f MB", rows, slabs, got/1e6, want/1e6)
		if !(got <= 1.1*want+2e5 && got > 0.5*want) || slabs < 10 {
			t.Errorf("%v: %d slabs, %.2f MB, expected up to %.2f MB", rows, slabs, got/1e6, want/1e6)
		}
	}
}
