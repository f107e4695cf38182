package simple

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// grid returns the points of a grid, row by row.
func grid(rows, columns int) mat.Matrix {
	x := mat.New(rows*columns, 2)
	for j := range x.Rows {
		x.Set(j, 0, float64(j/columns))
		x.Set(j, 1, float64(j%columns))
	}
	return x
}

// lowRank draws n examples of p columns: rank components and noise.
func lowRank(n, p, rank int, noise float64, seed uint64) mat.Matrix {
	rng := rand.New(rand.NewPCG(seed, 1))
	y, w, z := mat.New(n, p), mat.New(p, rank), mat.New(n, rank)
	for _, m := range []mat.Matrix{w, z, y} {
		for k := range m.Data {
			m.Data[k] = rng.NormFloat64()
		}
	}
	mat.Mul(y, 1, z, w.T(), noise)
	return y
}

// scattered marks a share of n·p values.
func scattered(n int, share float64, seed uint64) []bool {
	rng := rand.New(rand.NewPCG(seed, 2))
	missing := make([]bool, n)
	for k := range missing {
		missing[k] = rng.Float64() < share
	}
	return missing
}

// judge returns the root mean squared error and the coverage of 90 % intervals of what was filled in, and how much was not.
func judge(d Data, mean, variance mat.Matrix) (rmse, coverage float64, none int) {
	var squares, covered, count float64
	for k, missing := range d.Missing {
		if !missing {
			continue
		}
		if r := d.Y.Data[k] - mean.Data[k]; r != r {
			none++
		} else {
			squares += r * r
			count++
			if math.Abs(r) < 1.6449*math.Sqrt(variance.Data[k]) {
				covered++
			}
		}
	}
	return math.Sqrt(squares / count), covered / count, none
}

// waves draws n examples of a grid: random waves of about a wavelength, with noise.
func waves(n int, x mat.Matrix, wavelength float64, seed uint64) mat.Matrix {
	rng := rand.New(rand.NewPCG(seed, 9))
	y := mat.New(n, x.Rows)
	for i := range n {
		for range 12 {
			a, b, c := rng.NormFloat64()*4/wavelength, rng.NormFloat64()*4/wavelength, 7*rng.Float64()
			for j, v := range y.Row(i) {
				y.Set(i, j, v+0.4*math.Sin(a*x.At(j, 0)+b*x.At(j, 1)+c))
			}
		}
	}
	for k := range y.Data {
		y.Data[k] += 0.05 * rng.NormFloat64()
	}
	return y
}

// discs marks a disc in each example of a grid.
func discs(n int, x mat.Matrix, seed uint64) []bool {
	rng := rand.New(rand.NewPCG(seed, 10))
	var missing []bool
	for range n {
		a, b, r := rng.Float64()*14, rng.Float64()*12, 1+3*rng.Float64()
		for j := range x.Rows {
			missing = append(missing, math.Hypot(x.At(j, 0)-a, x.At(j, 1)-b) < r)
		}
	}
	return missing
}

// series draws p processes that forget exponentially, at n random times, with noise that grows from column to column.
func series(n, p int, memory float64, seed uint64) (y mat.Matrix, times []float64) {
	rng := rand.New(rand.NewPCG(seed, 9))
	y = mat.New(n, p)
	z, t := make([]float64, p), 0.
	for i := range n {
		dt := rng.ExpFloat64()
		t += dt
		times = append(times, t)
		a := math.Exp(-dt / memory)
		for j := range p {
			z[j] = a*z[j] + math.Sqrt(1-a*a)*rng.NormFloat64()
			y.Set(i, j, z[j]+0.1*float64(j)*rng.NormFloat64())
		}
	}
	return y, times
}

// runs marks runs of examples in single columns.
func runs(n, p int, share float64, seed uint64) []bool {
	rng := rand.New(rand.NewPCG(seed, 3))
	missing := make([]bool, n*p)
	for k := 0; k < int(share*float64(n*p)); {
		l, j, i := 1+rng.IntN(n/10), rng.IntN(p), rng.IntN(n)
		for ; l > 0 && i < n; l, i = l-1, i+1 {
			missing[i*p+j] = true
			k++
		}
	}
	return missing
}

// 90 % intervals of every method cover 80 to 98 % of what is missing from drawn stationary data, single values, runs and discs, and means are
// as close as they can be: an error of low rank is that of the noise and a little more. In runs of a slow series local regression, which knows no times, may cover 65.
func TestCoverage(t *testing.T) {
	type world struct {
		name  string
		draw  func(seed uint64) Data
		rmse  float64 // at most, of the best method
		draws uint64
	}
	var worlds []world
	for _, c := range []struct {
		n, p, rank int
		share      float64
		rmse       float64
	}{{50, 10, 2, 0.03, 0.45}, {50, 10, 2, 0.4, 0.6}, {120, 23, 3, 0.1, 0.35}, {40, 100, 4, 0.4, 0.38}, {200, 20, 4, 0.1, 0.37}} {
		worlds = append(worlds, world{fmt.Sprintf("low rank %v", c), func(s uint64) Data {
			return Data{Y: lowRank(c.n, c.p, c.rank, 0.3, s), Missing: scattered(c.n*c.p, c.share, s), Channels: 1, Seed: s}
		}, c.rmse, 2})
	}
	for _, memory := range []float64{0.5, 5, 50} {
		worlds = append(worlds, world{fmt.Sprintf("series %v, values", memory), func(s uint64) Data {
			y, times := series(250, 3, memory, s)
			return Data{Y: y, Missing: scattered(3*250, 0.2, s), Channels: 1, Times: times, Seed: s}
		}, 1.1, 3}, world{fmt.Sprintf("series %v, runs", memory), func(s uint64) Data {
			y, times := series(250, 3, memory, s)
			return Data{Y: y, Missing: runs(250, 3, 0.2, s), Channels: 1, Times: times, Seed: s}
		}, 1.1, 3})
	}
	x := grid(14, 12)
	for wavelength, rmse := range map[float64]float64{20: 0.3, 7: 0.7} {
		worlds = append(worlds, world{fmt.Sprintf("waves %v, values", wavelength), func(s uint64) Data {
			return Data{Y: waves(24, x, wavelength, s), Missing: scattered(24*x.Rows, 0.2, s), Channels: 1, Points: x, Seed: s}
		}, rmse / 2, 1}, world{fmt.Sprintf("waves %v, discs", wavelength), func(s uint64) Data {
			return Data{Y: waves(24, x, wavelength, s), Missing: discs(24, x, s), Channels: 1, Points: x, Seed: s}
		}, rmse, 2})
	}
	for k, w := range worlds {
		if testing.Short() && k%2 == 0 {
			continue
		}
		var rmse, coverage [10]float64 // of each method
		for s := range w.draws {
			d := w.draw(s)
			d.Start = new(Start)
			for k, m := range Methods(d) {
				mean, variance, err := m.Fill(t.Context(), d)
				if err != nil {
					t.Fatal(err)
				}
				r, c, none := judge(d, mean, variance)
				if none > 0 {
					t.Errorf("%s by %s: %d values not filled in", w.name, m.Name, none)
				}
				rmse[k] += r / float64(w.draws)
				coverage[k] += c / float64(w.draws)
			}
		}
		best := math.Inf(1)
		for k, m := range Methods(w.draw(0)) {
			rmse, coverage := rmse[k], coverage[k]
			best = min(best, rmse)
			if t.Logf("%s by %s: %.3f, %.3f", w.name, m.Name, rmse, coverage); coverage < 0.8 && !(coverage > 0.65 && m.Name == Local && w.draw(0).Times != nil) || coverage > 0.98 {
				t.Errorf("%s by %s: intervals cover %.3f", w.name, m.Name, coverage)
			}
		}
		if best > w.rmse {
			t.Errorf("%s: error %.3f, expected at most %.3f", w.name, best, w.rmse)
		}
	}
}

// What components of known weights fill in is what the Gaussian distribution of all columns says, conditioned densely on what is seen; whole examples and columns that
// are missing have the mean. Slabs change nothing but rounding.
func TestComponentsDense(t *testing.T) {
	const n, p = 40, 7
	d := Data{Y: lowRank(n, p, 2, 0.3, 4), Missing: scattered(n*p, 0.3, 4), Channels: 1}
	for j := range p {
		d.Missing[5*p+j] = true
	}
	for i := range n {
		d.Missing[i*p+6] = true
	}
	e := newEM(d, d.moments())
	e.grow(2, rand.New(rand.NewPCG(1, 1)))
	if err := e.climb(t.Context(), 30, 0); err != nil {
		t.Fatal(err)
	}
	e.model.cov.Fill(0)
	mean, variance := mat.New(n, p), mat.New(n, p)
	if err := e.fill(t.Context(), mean, variance, 1); err != nil {
		t.Fatal(err)
	}
	k := mat.New(p, p)
	mat.Mul(k, 1, e.model.w, e.model.w.T(), 0)
	for i := range p {
		k.Set(i, i, k.At(i, i)+e.model.noise[i])
	}
	for i := range n {
		var seen []int
		for j, missing := range d.missing(i) {
			if !missing {
				seen = append(seen, j)
			}
		}
		for j, missing := range d.missing(i) {
			if !missing {
				continue
			}
			a, b := mat.New(len(seen), len(seen)), make([]float64, len(seen))
			for r, s := range seen {
				for c, u := range seen {
					a.Set(r, c, k.At(s, u))
				}
				b[r] = k.At(s, j)
			}
			if !eliminate(a, b) {
				t.Fatal("singular")
			}
			mu, v := e.model.mean[j], k.At(j, j)
			for r, s := range seen {
				mu += b[r] * ((d.Y.At(i, s)-e.m.mean[s])/e.sd[s] - e.model.mean[s])
				v -= b[r] * k.At(s, j)
			}
			mu, v = e.m.mean[j]+e.sd[j]*mu, e.m.variance[j]*v
			if math.Abs(mean.At(i, j)-mu) > 1e-9 || math.Abs(variance.At(i, j)-v) > 1e-9*v {
				t.Errorf("%d, %d: %v ± %v, expected %v ± %v", i, j, mean.At(i, j), variance.At(i, j), mu, v)
			}
		}
	}
	want := e.model
	defer func(f func(int) int) { slabSize = f }(slabSize)
	for _, size := range []int{7, n - 1, n, n + 1} {
		slabSize = func(int) int { return size }
		e := newEM(d, d.moments())
		e.grow(2, rand.New(rand.NewPCG(1, 1)))
		if err := e.climb(t.Context(), 30, 0); err != nil {
			t.Fatal(err)
		}
		for j, v := range want.noise {
			if math.Abs(e.model.noise[j]-v) > 1e-9*v {
				t.Errorf("slabs of %d: noise %v of column %d, expected %v", size, e.model.noise[j], j, v)
			}
		}
	}
}

// Lines are those through the nearest observed values in time, found by looking at all, also at equal times, beyond the ends, and in sequences of their own; a column that
// was not seen in a sequence has its mean.
func TestLines(t *testing.T) {
	const n, p = 60, 3
	y, times := series(n, p, 5, 2)
	d := Data{Y: y, Missing: scattered(n*p, 0.4, 7), Channels: 1, Times: times, Sequences: make([]int, n)}
	rng := rand.New(rand.NewPCG(5, 5))
	rng.Shuffle(n, func(a, b int) { times[a], times[b] = times[b], times[a] })
	for i := range n {
		d.Sequences[i] = rng.IntN(4) - 1
		times[i] = math.Round(times[i] / 2)
		if d.Sequences[i] == 2 {
			d.Missing[i*p+1] = true
		}
	}
	mean, variance, err := Method{fill: fillLines}.Fill(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	m := d.moments()
	for k, missing := range d.Missing {
		i, j := k/p, k%p
		if !missing {
			if mean.Data[k] != y.Data[k] || variance.Data[k] != 0 {
				t.Errorf("observed %d, %d: %v ± %v", i, j, mean.Data[k], variance.Data[k])
			}
			continue
		}
		before, after := -1, -1
		for l := range n {
			if d.Missing[l*p+j] || d.Sequences[l] != d.Sequences[i] {
				continue
			}
			if earlier := times[l] < times[i] || times[l] == times[i] && l < i; earlier {
				if before < 0 || times[l] > times[before] || times[l] == times[before] && l > before {
					before = l
				}
			} else if after < 0 || times[l] < times[after] || times[l] == times[after] && l < after {
				after = l
			}
		}
		var want float64
		switch {
		case before < 0 && after < 0:
			want = m.mean[j]
		case before < 0:
			want = y.At(after, j)
		case after < 0:
			want = y.At(before, j)
		case times[before] == times[after]:
			want = (y.At(before, j) + y.At(after, j)) / 2
		default:
			want = y.At(before, j) + (y.At(after, j)-y.At(before, j))*(times[i]-times[before])/(times[after]-times[before])
		}
		if math.Abs(mean.Data[k]-want) > 1e-12 || !(variance.Data[k] > 0) {
			t.Errorf("%d, %d: %v ± %v, expected %v", i, j, mean.Data[k], variance.Data[k], want)
		}
	}
}

// Variances of lines through gaps of random walks are those of Brownian bridges.
func TestBridges(t *testing.T) {
	const n = 6000
	rng := rand.New(rand.NewPCG(3, 3))
	d := Data{Y: mat.New(n, 1), Missing: make([]bool, n), Channels: 1, Times: make([]float64, n)}
	for i := 1; i < n; i++ {
		d.Times[i] = float64(i)
		d.Y.Data[i] = d.Y.Data[i-1] + rng.NormFloat64()
		d.Missing[i] = i%100 > 80
	}
	_, variance, err := Method{fill: fillLines}.Fill(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	for k := 1; k < 20; k++ {
		if want := float64(k*(20-k)) / 20; math.Abs(variance.Data[180+k]-want) > 0.25*want {
			t.Errorf("%d steps into a gap of 20: variance %.3g, expected %.3g", k, variance.Data[180+k], want)
		}
	}
}

// A column that nobody has seen has the mean of the nearest four of its channel, and their spread besides; a channel that nobody has seen stays NaN.
func TestMeans(t *testing.T) {
	x := mat.New(6, 1)
	for j := range 6 {
		x.Set(j, 0, float64(j))
	}
	d := Data{Y: mat.New(3, 12), Missing: make([]bool, 36), Channels: 2, Points: x}
	for k := range d.Y.Data {
		i, j := k/12, k%12
		d.Y.Data[k] = float64(j*j) + float64(i)
		d.Missing[k] = j%2 == 1 || j == 0
	}
	mean, variance, err := Method{fill: fillMeans}.Fill(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	// columns 2, 4, 6, 8 with means 5, 17, 37, 65, a variance of 1 each
	if m, v := mean.At(1, 0), variance.At(1, 0); m != 31 || math.Abs(v-2*(1+(26*26+14*14+6*6+34*34)/3.)) > 1e-9 {
		t.Errorf("column 0: %v ± %v", m, v)
	}
	if m, v := mean.At(1, 3), variance.At(1, 3); m == m || v == v {
		t.Errorf("a channel without values: %v ± %v", m, v)
	}
}

// Every method gives the same bits whatever the number of processors.
func TestDeterminism(t *testing.T) {
	x := grid(9, 8)
	d := Data{Y: waves(40, x, 9, 1), Missing: discs(40, x, 1), Channels: 1, Points: x}
	for i := range 40 {
		d.Times = append(d.Times, float64(i))
	}
	for _, m := range Methods(d) {
		var want [32]byte
		for _, processors := range []int{1, 4} {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
			mean, variance, err := m.Fill(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			h := sha256.New()
			if err := binary.Write(h, binary.LittleEndian, append(mean.Data, variance.Data...)); err != nil {
				t.Fatal(err)
			}
			if got := [32]byte(h.Sum(nil)); processors == 1 {
				want = got
			} else if got != want {
				t.Errorf("%s: other bits at GOMAXPROCS %d", m.Name, processors)
			}
		}
	}
}

// Next to nothing, everything, constants and columns of very different units are filled in without an error, with finite numbers; methods end when they are told to.
func TestHostile(t *testing.T) {
	units := lowRank(80, 6, 2, 0.1, 3)
	for i := range 80 {
		units.Set(i, 0, 1e5+1e3*units.At(i, 0))
		units.Set(i, 1, 1e-6*units.At(i, 1))
		units.Set(i, 2, 7)
	}
	few := scattered(480, 2, 1)
	few[7], few[100] = false, false
	times := make([]float64, 80)
	for name, missing := range map[string][]bool{"scattered": scattered(480, 0.3, 1), "none": make([]bool, 480), "few seen": few} {
		d := Data{Y: units, Missing: missing, Channels: 1, Times: times, Points: grid(2, 3)}
		for _, m := range Methods(d) {
			mean, variance, err := m.Fill(t.Context(), d)
			if err != nil {
				t.Errorf("%s by %s: %v", name, m.Name, err)
				continue
			}
			for k, missing := range missing {
				if missing && !(variance.Data[k] > 0) && m.Name != "cubic in space" || math.IsInf(mean.Data[k], 0) {
					t.Fatalf("%s by %s: value %d is %v ± %v", name, m.Name, k, mean.Data[k], variance.Data[k])
				}
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if _, _, err := m.Fill(ctx, d); err != context.Canceled {
				t.Errorf("%s by %s, cancelled: %v", name, m.Name, err)
			}
		}
	}
}

// Methods that share a start say to the bit what each says by itself, also after what was observed, what is missing or the seed has changed.
func TestStart(t *testing.T) {
	d := Data{Y: lowRank(40, 9, 2, 0.3, 1), Missing: scattered(40*9, 0.2, 1), Channels: 1}
	shared := new(Start)
	for _, change := range []func(){
		func() {},
		func() { d.Seed++ },
		func() { d.Y.Data[slices.Index(d.Missing, false)]++ },
		func() { d.Missing[slices.Index(d.Missing, false)] = true },
	} {
		change()
		own := d
		own.Start = shared
		for range 2 { // the second one begins with what the first has found
			for k, m := range Methods(own) {
				mean, variance, err := m.Fill(t.Context(), own)
				if err != nil {
					t.Fatal(err)
				}
				wantMean, wantVariance, err := Methods(d)[k].Fill(t.Context(), d)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(mean.Data, wantMean.Data) || !slices.Equal(variance.Data, wantVariance.Data) {
					t.Errorf("%s: a shared start fills in other values", m.Name)
				}
			}
		}
	}
}
