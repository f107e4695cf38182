package sgplvm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/seed-08962ecc/kronfield/mat"
)

// assembled puts slabs together to predictions of n_s*×d_y.
func assembled(t testing.TB, m *Model, latents []Latent, g Grid, o SlabOptions) (mean, variance []mat.Matrix, slabs int) {
	t.Helper()
	points := m.space.Len()
	if g != nil {
		points = g.Len()
	}
	for range latents {
		mean = append(mean, mat.New(points, m.channels))
		variance = append(variance, mat.New(points, m.channels))
	}
	row, first := 0, 0
	err := m.PredictSlabs(t.Context(), latents, g, o, func(s Slab) error {
		if s.From != row || s.First != first || s.To <= s.From || len(s.Mean) != len(latents) || o.MeanOnly != (s.Variance == nil) {
			t.Fatalf("slab %d–%d from point %d, %d means, %d variances after row %d, point %d", s.From, s.To, s.First, len(s.Mean), len(s.Variance), row, first)
		}
		n := s.Mean[0].Rows
		for i := range latents {
			mat.Copy(mean[i].Slice(first, first+n, 0, m.channels), s.Mean[i])
			if !o.MeanOnly {
				mat.Copy(variance[i].Slice(first, first+n, 0, m.channels), s.Variance[i])
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
// or fewer of them than inducing points, any spatial factors, noise of any kind. Predictions
// are sums of at most 50 terms near 1, and so are the differences; what is left of a term that
// is smaller than the sum's rounding counts no more than that.
func TestPredictSlabs(t *testing.T) {
	defer func(rows, columns int) { stackRows, spreadColumns = rows, columns }(stackRows, spreadColumns)
	for seed := range uint64(sizes(150)) {
		shape := randomShape(40000 + seed)
		if seed%4 == 3 {
			shape = residualShape(40000 + seed)
		}
		if seed%5 == 4 {
			shape.time, shape.sequences, shape.timePart = "matern32", 1, "rbf"
			shape = shape.of(LatentTime | LatentParts(seed%8))
		}
		m := shape.model(t)
		rng := rand.New(rand.NewPCG(seed, 41))
		grids := []Grid{nil, randomGrid(rng, m)}
		if seed%8 == 7 {
			if err := m.problem.learnNoise(m.params, 3); err != nil {
				t.Fatal(err)
			}
			grids[1] = Grid{m.space[0].Slice(m.space[0].Rows/2, m.space[0].Rows, 0, m.space[0].Cols)}
		}
		stackRows, spreadColumns = 1+int(seed%7), 1+int(seed%5)
		latents := make([]Latent, 1+rng.IntN(2*shape.inducing))
		for i := range latents {
			latents[i] = randomLatent(rng, shape.latent)
			latents[i].Noise = float64(rng.IntN(3))
			if shape.time != "" && i%3 < 2 {
				latents[i].At = &Instant{Sequence: i % 2, Time: 3 * rng.Float64()}
			}
			if seed%3 == 0 || rng.IntN(3) == 0 {
				clear(latents[i].S)
			}
		}
		for _, g := range grids {
			for _, o := range []SlabOptions{{}, {Numbers: 1}, {Numbers: 200 * len(latents)}, {MeanOnly: true, Numbers: 100}} {
				mean, variance, slabs := assembled(t, m, latents, g, o)
				rows := m.space[0].Rows
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
					near(t, what+": mean", mean[i].Data, want.Mean.Data, 1e-12)
					if !o.MeanOnly {
						near(t, what+": variance", variance[i].Data, want.Variance.Data, 1e-12)
					}
				}
			}
		}
	}
}

func TestPredictSlabsSameBitsAtAnyWidth(t *testing.T) {
	m := trained(t)
	rng := rand.New(rand.NewPCG(3, 42))
	var latents []Latent
	for range 9 {
		latents = append(latents, randomLatent(rng, m.params.Mu.Cols))
	}
	var want []float64
	atEveryWidth(func(procs int) {
		fresh := rebuilt(m.space, m.params, m.problem.observations(), m.jitter)
		mean, variance, _ := assembled(t, fresh, latents, Grid{line(23), line(190)}, SlabOptions{Numbers: 1 << 16})
		var got []float64
		for i := range latents {
			got = slices.Concat(got, mean[i].Data, variance[i].Data)
		}
		if want == nil {
			want = got
		}
		sameBits(t, fmt.Sprintf("GOMAXPROCS %d", procs), got, want)
	})
}

// Slabs keep no projection, and end with the context or with an error of their receiver.
func TestPredictSlabsEnd(t *testing.T) {
	m := modelShape{examples: 3, inducing: 2, latent: 2, channels: 1, space: []factorShape{{points: 6, dims: 2, kind: RBF}}}.model(t)
	l := []Latent{{Mu: []float64{0, 1}, S: []float64{0, 1}}}
	calls, stop := 0, errors.New("enough")
	if err := m.PredictSlabs(t.Context(), l, nil, SlabOptions{Numbers: 1}, func(Slab) error { calls++; return stop }); err != stop || calls != 1 {
		t.Errorf("error %v after %d slabs", err, calls)
	}
	ctx, cancel := context.WithCancel(t.Context())
	calls = 0
	if err := m.PredictSlabs(ctx, l, nil, SlabOptions{Numbers: 1}, func(Slab) error { calls++; cancel(); return nil }); !errors.Is(err, context.Canceled) || calls != 1 {
		t.Errorf("error %v after %d slabs", err, calls)
	}
	never := func(Slab) error { t.Error("a slab"); return nil }
	if err := m.PredictSlabs(t.Context(), nil, nil, SlabOptions{}, never); err != nil {
		t.Error(err)
	}
	if n := len(m.mustReady(t).grids); n != 0 {
		t.Errorf("%d projections kept", n)
	}
	var config *ConfigError
	for field, c := range map[string]struct {
		l []Latent
		g Grid
	}{
		"Latent": {[]Latent{l[0], {Mu: []float64{0, math.NaN()}, S: []float64{0, 1}}}, nil},
		"Grid":   {l, Grid{mat.New(2, 1)}},
	} {
		if err := m.PredictSlabs(t.Context(), c.l, c.g, SlabOptions{}, never); !errors.As(err, &config) || config.Field != field {
			t.Errorf("error %v, expected one about %s", err, field)
		}
	}
}

// A slab takes the numbers it is allowed and little else, of a film of ten times as many or more.
func TestPredictSlabsMemory(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // what products borrow depends on how many of them run at once
	for _, space := range [][]factorShape{
		{{points: 20, dims: 1, kind: Matern32}, {points: 30, dims: 1, kind: Matern32}},
		{{points: 6, dims: 1, kind: Matern32}, {points: 8, dims: 1, kind: Matern32}, {points: 12, dims: 1, kind: RBF, inducing: 6}},
		{{points: 60, dims: 2, kind: Matern52}},
	} {
		if testing.Short() && len(space) != 2 {
			continue
		}
		shape := modelShape{examples: 12, inducing: 12, latent: 2, channels: 3, space: space}
		m := shape.model(t)
		var g Grid
		rows := []int{200, 12, 10}
		if len(space) == 1 {
			rows = []int{20000}
		} else if len(space) == 2 {
			rows = []int{160, 150}
		}
		for f, n := range rows {
			x := mat.New(n, space[f].dims)
			for i := range x.Data {
				x.Data[i] = float64(i) / 100
			}
			g = append(g, x)
		}
		rng := rand.New(rand.NewPCG(7, 43))
		var latents []Latent
		for range 12 {
			latents = append(latents, randomLatent(rng, shape.latent))
		}
		m.mustReady(t)
		const numbers = 1 << 17
		var base, peak float64
		slabs := 0
		for range 10 {
			runtime.GC() // the pools drop what earlier tests left
		}
		for run := range 2 { // the first fills the pools of borrowed storage
			runtime.GC()
			base, peak, slabs = liveBytes(), 0, 0
			if err := m.PredictSlabs(t.Context(), latents, g, SlabOptions{Numbers: numbers}, func(Slab) error {
				if slabs++; run == 1 {
					runtime.GC()
					peak = max(peak, liveBytes())
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

// BenchmarkFilm predicts 78 frames of 720×1280 points and three channels by a model of as many
// of 360×640: the time of New, of what prediction needs, and of all slabs, and the largest
// resident size before and after. It takes a minute and gigabytes.
func BenchmarkFilm(b *testing.B) {
	if testing.Short() {
		b.Skip("takes a minute")
	}
	const examples, height, width, channels = 78, 360, 640, 3
	y := ripples(examples*channels, height, width)
	film := make([]uint8, len(y))
	for i := range film {
		at := i / channels
		film[i] = y[(at/(height*width)*channels+i%channels)*height*width+at%(height*width)]
	}
	for b.Loop() {
		begin := time.Now()
		lap := func(unit string) {
			b.ReportMetric(time.Since(begin).Seconds(), "s/"+unit)
			b.ReportMetric(peakRSS()/(1<<20), "MiB/"+unit)
			begin = time.Now()
		}
		m, err := New(Data{Source: NewSource(film, examples, height*width, channels)},
			Config{Space: []SpatialFactor{{X: line(height)}, {X: line(width)}}, LatentDims: 10, Inducing: examples})
		if err != nil {
			b.Fatal(err)
		}
		lap("new")
		if _, err := m.ready(); err != nil {
			b.Fatal(err)
		}
		lap("posterior")
		var latents []Latent
		for i := range examples {
			l := m.TrainingLatent(i)
			mat.Scale(mat.Vector(l.S), 0.01, mat.Vector(l.S))
			latents = append(latents, l)
		}
		fine := Grid{between(height, 2*height), between(width, 2*width)}
		count := 0
		if err := m.PredictSlabs(b.Context(), latents, fine, SlabOptions{}, func(s Slab) error { count++; return nil }); err != nil {
			b.Fatal(err)
		}
		lap("slabs")
		b.ReportMetric(float64(count), "slabs")
	}
}

// between returns n points evenly over the n0 pixels whose centres are 0, 1, ….
func between(n0, n int) mat.Matrix {
	x := line(n)
	for i := range x.Data {
		x.Data[i] = (float64(i)+0.5)*float64(n0)/float64(n) - 0.5
	}
	return x
}
