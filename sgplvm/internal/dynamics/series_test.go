package dynamics

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// drawnSeries draws two sequences of random walks and a sine at irregular times in a random order, with gaps.
func drawnSeries(n, columns int) (y mat.Matrix, missing []bool, times []float64, labels []int) {
	rng := rand.New(rand.NewPCG(3, 5))
	y = mat.New(n, columns)
	for range n {
		times, labels = append(times, 0), append(labels, 0)
	}
	at := 0.0
	for k, i := range rng.Perm(n) {
		at += 0.5 + rng.Float64()
		times[i] = at
		if k > n*2/3 {
			labels[i] = 7
		}
		for c := range columns {
			y.Set(i, c, 3*math.Sin(at/4+float64(c))+0.1*rng.NormFloat64()+float64(10*c))
		}
	}
	missing = make([]bool, n*columns)
	for k := range missing {
		missing[k] = rng.Float64() < 0.3
	}
	return y, missing, times, labels
}

// The evidence of a law, up to a constant, the means and the variances are those of dense matrices.
func TestSeriesIsDense(t *testing.T) {
	y, missing, times, labels := drawnSeries(40, 1)
	all := data.Sequences(times, labels)
	s := newSeries(all, y, missing, 0)
	s.axis = axisOf(all, medianGap(all))
	dense := func(law seriesLaw) (evidence float64, at func(i int) (mean, variance float64)) {
		var seen []int
		for i, m := range missing {
			if !m {
				seen = append(seen, i)
			}
		}
		n := len(seen)
		cov := func(i, j int) float64 {
			u := func(i int) float64 { return (times[i] - s.middle) / s.half }
			v := law.trend * u(i) * u(j)
			for k := 1; k <= s.harmonics(law.period); k++ {
				v += law.season / float64(k*k) * (1 + 0.09*u(i)*u(j)) * math.Cos(2*math.Pi*float64(k)*(times[i]-times[j])/law.period)
			}
			if labels[i] != labels[j] {
				return v
			}
			m := mat.New(1, 1)
			law.kernel.TimeMatrix(m, times[i:i+1], times[j:j+1])
			return v + (1-law.noise)*m.At(0, 0)
		}
		a, ones, v := mat.New(n, n), mat.New(n, 1), mat.New(n, 1)
		for r, i := range seen {
			ones.Set(r, 0, 1)
			v.Set(r, 0, y.At(i, 0))
			for c, j := range seen {
				a.Set(r, c, cov(i, j))
			}
		}
		var f chol.Factor
		if err := f.RefactorizeShifted(a, law.noise); err != nil {
			t.Fatal(err)
		}
		inverse := ones.Clone()
		f.Solve(inverse)
		var up, down float64
		for r := range n {
			up += inverse.At(r, 0) * v.At(r, 0)
			down += inverse.At(r, 0)
		}
		mu := up / down
		residual := mat.New(n, 1)
		for r := range n {
			residual.Set(r, 0, v.At(r, 0)-mu)
		}
		solved, square := residual.Clone(), 0.0
		f.Solve(solved)
		for r := range n {
			square += residual.At(r, 0) * solved.At(r, 0)
		}
		return -0.5 * (float64(n-1)*math.Log(square) + f.LogDet() + math.Log(down)), func(i int) (mean, variance float64) {
			k := mat.New(n, 1)
			for r, j := range seen {
				k.Set(r, 0, cov(i, j))
			}
			w := k.Clone()
			f.Solve(w)
			mean, variance = mu, cov(i, i)+law.noise
			left := 1.0 // of the mean's own uncertainty
			for r := range n {
				mean += k.At(r, 0) * solved.At(r, 0)
				variance -= k.At(r, 0) * w.At(r, 0)
				left -= w.At(r, 0)
			}
			variance += left * left / down
			return mean, variance * square / float64(n-1)
		}
	}
	var last float64
	for k, law := range []seriesLaw{{kernel: kernel.Kernel{Kind: kernel.Matern32, LengthScale: []float64{4}}, noise: 0.05}, {kernel: kernel.Kernel{Kind: kernel.Matern12, LengthScale: []float64{9}}, noise: 0.3, trend: 4},
		{kernel: kernel.Kernel{Kind: kernel.Matern12, LengthScale: []float64{9}}, noise: 0.3, trend: 0.2, period: 25, season: 3}} {
		want, at := dense(law)
		g := s.gram(law, s.rows(law.period), new(innovations))
		left := s.trendOnly(law, &g)
		got := left.evidence(law) - want
		if k > 0 && math.Abs(got-last) > 1e-8*math.Abs(want) {
			t.Errorf("law %d: evidence differs from the dense one by %v, by %v of the law before", k, got, last)
		}
		last = got
		s.seriesLaw = law
		mean, variance := mat.New(40, 1), mat.New(40, 1)
		s.fill(mean, variance, 0)
		for i, m := range missing {
			if !m {
				continue
			}
			if mu, v := at(i); math.Abs(mean.At(i, 0)-mu) > 1e-9*10 || math.Abs(variance.At(i, 0)-v) > 1e-9*10 {
				t.Errorf("law %d, example %d: %v ± %v, expected %v ± %v", k, i, mean.At(i, 0), variance.At(i, 0), mu, v)
			}
		}
	}
}

// Smooth series are filled in to their noise, the same at any GOMAXPROCS; a column of two values gets their mean and no claim.
func TestFillSeries(t *testing.T) {
	tier.Skip(t, tier.Race)
	y, missing, times, labels := drawnSeries(300, 4)
	for i := range y.Rows {
		missing[i*4+3] = i > 1
	}
	var first mat.Matrix
	for _, procs := range []int{1, 2} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		mean, variance := mat.New(300, 4), mat.New(300, 4)
		if err := FillSeries(t.Context(), mean, variance, y, missing, times, labels); err != nil {
			t.Fatal(err)
		}
		var square, covered, count float64
		for i := range y.Rows {
			for c := range 3 {
				if missing[i*4+c] {
					e, v := y.At(i, c)-mean.At(i, c), variance.At(i, c)
					square, count = square+e*e, count+1
					if e*e < 2.7*v {
						covered++
					}
				}
			}
		}
		if rmse := math.Sqrt(square / count); rmse > 0.25 || covered/count < 0.8 || covered/count > 0.98 {
			t.Errorf("error %v, %v within 90 %% intervals", rmse, covered/count)
		}
		if want := (y.At(0, 3) + y.At(1, 3)) / 2; mean.At(5, 3) != want || !math.IsInf(variance.At(5, 3), 1) {
			t.Errorf("two values: %v ± %v, expected %v", mean.At(5, 3), variance.At(5, 3), want)
		}
		if procs == 1 {
			first = mean
		} else if !slices.Equal(first.Data, mean.Data) {
			t.Error("other bits at another GOMAXPROCS")
		}
	}
}

// A season that grows, on a trend, goes on past the end of a series to about its noise, at irregular times too; noise and random walks have none.
func TestSeriesSeason(t *testing.T) {
	const n, last, noise = 120, 12, 0.2
	rng := rand.New(rand.NewPCG(8, 1))
	y, missing, times := mat.New(n, 2), make([]bool, 2*n), make([]float64, n)
	for i := range n {
		at := float64(i) + 0.3*rng.Float64()
		times[i] = at
		y.Set(i, 0, 0.05*at+(1+at/80)*(2*math.Sin(2*math.Pi*at/12)+math.Cos(2*math.Pi*at/4))+noise*rng.NormFloat64())
		y.Set(i, 1, rng.NormFloat64())
		missing[2*i], missing[2*i+1] = i >= n-last, i%5 == 0
	}
	mean, variance := mat.New(n, 2), mat.New(n, 2)
	if err := FillSeries(t.Context(), mean, variance, y, missing, times, nil); err != nil {
		t.Fatal(err)
	}
	var square, chi float64
	for i := n - last; i < n; i++ {
		e := y.At(i, 0) - mean.At(i, 0)
		square, chi = square+e*e/last, chi+e*e/variance.At(i, 0)/last
	}
	if math.Sqrt(square) > 2*noise || chi > 3 || chi < 0.2 {
		t.Errorf("error %.3f of the last period, noise %.1f; %.2f of its variance", math.Sqrt(square), noise, chi)
	}
	all := data.Sequences(times, nil)
	found := 0
	for k := range 40 { // noise and random walks
		var walk float64
		for i := range n {
			walk += rng.NormFloat64()
			y.Set(i, 1, []float64{walk, rng.NormFloat64()}[k%2])
		}
		s := newSeries(all, y, missing, 1)
		s.axis = axisOf(all, medianGap(all))
		if setLaws(t.Context(), []*series{s}, []*series{s}, n); s.period != 0 {
			found++
		}
	}
	if found > 2 {
		t.Errorf("%d of 40 series without a season have one", found)
	}
}

// Few times have no season, and are filled in.
func TestSeriesOfFewTimes(t *testing.T) {
	for n := 3; n < 12; n++ {
		y, missing, times := mat.New(n, 1), make([]bool, n), make([]float64, n)
		for i := range n {
			times[i] = float64(i)
			y.Set(i, 0, float64(i%2))
		}
		missing[1] = true
		y.Set(1, 0, math.NaN())
		mean, variance := mat.New(n, 1), mat.New(n, 1)
		if err := FillSeries(t.Context(), mean, variance, y, missing, times, nil); err != nil || !(math.Abs(mean.At(1, 0)) < 2) || !(variance.At(1, 0) > 0) {
			t.Errorf("%d times: %v ± %v, %v", n, mean.At(1, 0), variance.At(1, 0), err)
		}
	}
}

// A week is found in 5,000 days and goes through gaps of three weeks.
func TestSeriesLongSeason(t *testing.T) {
	const n = 5000
	rng := rand.New(rand.NewPCG(8, 2))
	y, missing, times := mat.New(n, 1), make([]bool, n), make([]float64, n)
	for i := range n {
		times[i] = float64(i)
		y.Set(i, 0, 2*math.Sin(2*math.Pi*float64(i)/7)+0.5*rng.NormFloat64())
		missing[i] = i%100 >= 79
	}
	mean, variance := mat.New(n, 1), mat.New(n, 1)
	if err := FillSeries(t.Context(), mean, variance, y, missing, times, nil); err != nil {
		t.Fatal(err)
	}
	var square, count float64
	for i, m := range missing {
		if m {
			square, count = square+math.Pow(y.At(i, 0)-mean.At(i, 0), 2), count+1
		}
	}
	if rmse := math.Sqrt(square / count); rmse > 0.6 {
		t.Errorf("an error of %.2f, noise 0.5", rmse)
	}
}

// The period is that of the wave itself, not twice that, whose harmonics explain as much; what it explains is its share of the variance. Columns that say nothing do not count, and walks have no period of a
// twentieth of their length that explains much.
func TestPeriod(t *testing.T) {
	const n = 700
	rng := rand.New(rand.NewPCG(8, 3))
	y := mat.New(n, 3)
	for k := range 5 {
		for i := range n {
			hour := 2 * math.Pi * float64(i) / 24
			y.Set(i, 0, math.NaN())
			y.Set(i, 1, math.Sin(hour)+0.5*math.Sin(2*hour)+0.3*rng.NormFloat64())
			y.Set(i, 2, math.Cos(hour)+rng.NormFloat64())
			if rng.Float64() < 0.2 {
				y.Set(i, 1, math.NaN())
			}
		}
		want := (0.625/(0.625+0.09) + 0.5/(0.5+1)) / 2
		if p, share := Period(y, n/2); math.Abs(p-24) > 0.1 || math.Abs(share-want) > 0.06 {
			t.Errorf("draw %d: a period of %.2f that explains %.2f, expected 24 and %.2f", k, p, share, want)
		}
		late := mat.New(seriesMost+n, 1) // of which nothing was observed at first
		late.Fill(math.NaN())
		mat.Copy(late.Slice(seriesMost, seriesMost+n, 0, 1), y.Slice(0, n, 1, 2))
		if p, _ := Period(late, n/2); math.Abs(p-24) > 0.1 {
			t.Errorf("draw %d: a period of %.2f behind rows without values, expected 24", k, p)
		}
		var walk float64
		for i := range n {
			walk += rng.NormFloat64()
			y.Set(i, 1, walk)
			y.Set(i, 2, math.NaN())
		}
		if p, share := Period(y, n/20); p > 0 && share > 0.25 {
			t.Errorf("draw %d: a walk has a period of %.2f that explains %.2f", k, p, share)
		}
	}
	if p, _ := Period(y.Slice(0, n, 0, 1), n/2); p != 0 {
		t.Errorf("no values have a period of %v", p)
	}
}
