package baseline

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// frames is a FrameSource in memory, a frame a row.
type frames struct {
	values   mat.Matrix
	channels int
}

func (f frames) Dims() (int, int, int) {
	return f.values.Rows, f.values.Cols / f.channels, f.channels
}

func (f frames) ReadExamples(dst []float64, from, to int) error {
	for i := from; i < to; i++ {
		copy(dst[(i-from)*f.values.Cols:], f.values.Row(i))
	}
	return nil
}

// film returns n smooth frames of 5×6 pixels and two channels at irregular times.
func film(n int) Film {
	r := rand.New(rand.NewPCG(9, 9))
	f := Film{Width: 6, Height: 5}
	y := mat.New(n, 60)
	at := 0.0
	for i := range n {
		at += 0.5 + r.Float64()
		f.Times = append(f.Times, at)
		for row := range 5 {
			for col := range 6 {
				v := math.Sin(0.4*at+0.5*float64(row)) + math.Cos(0.3*at-0.6*float64(col))
				y.Set(i, (row*6+col)*2, 100+20*v+r.NormFloat64())
				y.Set(i, (row*6+col)*2+1, 50-5*v*v+0.3*r.NormFloat64())
			}
		}
	}
	// The order of the frames is not that of the times.
	f.Times[0], f.Times[n-1] = f.Times[n-1], f.Times[0]
	first := y.Clone()
	copy(y.Row(0), first.Row(n-1))
	copy(y.Row(n-1), first.Row(0))
	f.Frames = frames{y, 2}
	return f
}

// predicted returns all of Predict's slabs put together.
func predicted(t *testing.T, m *FilmMethod, times []float64, height, width int) (mean, variance mat.Matrix) {
	t.Helper()
	channels := m.film.channels
	mean, variance = mat.New(len(times), height*width*channels), mat.New(len(times), height*width*channels)
	next := 0
	err := m.Predict(context.Background(), times, height, width, func(s Slab) error {
		if s.From != next || s.To <= s.From {
			t.Fatalf("slab of rows %d to %d after row %d", s.From, s.To, next)
		}
		next = s.To
		for i := range times {
			copy(mean.Row(i)[s.From*width*channels:], s.Mean.Row(i))
			copy(variance.Row(i)[s.From*width*channels:], s.Variance.Row(i))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if next != height {
		t.Fatalf("slabs up to row %d of %d", next, height)
	}
	return mean, variance
}

// fewKinds leaves one candidate each for correlations in time and in space.
func fewKinds(t *testing.T, time, space kernel.Kind) {
	oldTime, oldSpace := timeKinds, spaceKinds
	t.Cleanup(func() { timeKinds, spaceKinds = oldTime, oldSpace })
	timeKinds, spaceKinds = []kernel.Kind{time}, []kernel.Kind{space}
}

// denseStructure returns the covariance σ²·k_t·k_rows·k_columns of two sets of
// values of one channel, time by time, and row by row.
func denseStructure(kinds [axesCount]kernel.Kind, theta []float64, a, b [axesCount][]float64) mat.Matrix {
	ops := make([]mat.Matrix, axesCount)
	for f := range ops {
		ops[f] = correlations(kinds[f], a[f], b[f], math.Exp(theta[logLength+f]))
	}
	k := mat.New(len(a[0])*len(a[1])*len(a[2]), len(b[0])*len(b[1])*len(b[2]))
	for i := range k.Rows {
		for j := range k.Cols {
			v := math.Exp(theta[logSignal])
			p, q := i, j
			for f := axesCount - 1; f >= 0; f-- {
				v *= ops[f].At(p%len(a[f]), q%len(b[f]))
				p, q = p/len(a[f]), q/len(b[f])
			}
			k.Set(i, j, v)
		}
	}
	return k
}

var someTheta = []float64{math.Log(1.3), math.Log(0.02), math.Log(2.1), math.Log(1.7), math.Log(2.6)}

// structures are small regressions with all correlations, and their standardised films.
func structures(t *testing.T) map[*structure]*standardised {
	t.Helper()
	s, err := standardise(context.Background(), film(6))
	if err != nil {
		t.Fatal(err)
	}
	all := map[*structure]*standardised{}
	y := kronprod.Shaped(s.y.Data, 6, 2, 5, 6)
	for k, c := range timeKinds {
		kinds := [axesCount]kernel.Kind{c, timeKinds[(k+1)%4], timeKinds[(k+2)%4]}
		all[newStructure(y, kinds, coordinates(s.times, y))] = s
	}
	return all
}

// The marginal likelihood and predictions on a finer grid are those of dense matrices. Tolerance: the condition of K is below 10⁴.
func TestStructureDense(t *testing.T) {
	for s, f := range structures(t) {
		points := f.points()
		n := 6 * points
		k := denseStructure(s.kinds, someTheta, s.coordinates, s.coordinates)
		for i := range n {
			k.Set(i, i, k.At(i, i)+math.Exp(someTheta[logNoise])+minNoise)
		}
		factor, err := chol.Factorize(k)
		if err != nil {
			t.Fatal(err)
		}
		y := mat.New(n, 2) // a channel a column
		for i := range 6 {
			for c := range 2 {
				for p := range points {
					y.Set(i*points+p, c, f.y.At(i, c*points+p))
				}
			}
		}
		alpha := y.Clone()
		factor.Solve(alpha)
		want := (0.5*mat.Dot(y, alpha) + factor.LogDet() + float64(n)*math.Log(2*math.Pi)) / float64(2*n)
		near(t, "marginal likelihood", s.objective(someTheta, make([]float64, variables), true), want, 1e-11)

		p, err := s.posterior(someTheta)
		if err != nil {
			t.Fatal(err)
		}
		times := []float64{f.times[2] + 0.3, 1.1, 40}
		at := [axesCount][]float64{times, centres(5, 10), centres(6, 15)}
		cross := denseStructure(s.kinds, someTheta, s.coordinates, at)
		mean := mat.New(cross.Cols, 2)
		mat.Mul(mean, 1, cross.T(), alpha, 0)
		factor.SolveHalf(cross)
		m := &FilmMethod{film: f, model: p}
		mu, v := predicted(t, m, times, 10, 15)
		for i := range times {
			for q := range 150 {
				j := i*150 + q
				var gain float64
				for l := range n {
					gain += square(cross.At(l, j))
				}
				for c := range 2 {
					near(t, "mean", (mu.At(i, 2*q+c)-f.level[c])/f.scale[c], mean.At(j, c), 1e-9)
					want := math.Exp(someTheta[logSignal]) - gain + math.Exp(someTheta[logNoise]) + minNoise
					near(t, "variance", v.At(i, 2*q+c)/square(f.scale[c]), want, 1e-9)
				}
			}
		}
	}
}

// Gradients of the marginal likelihood are central differences, with the length scales of
// space free and fixed. Tolerance: h² and 10⁻¹⁵/h.
func TestStructureGradient(t *testing.T) {
	for s := range structures(t) {
		for _, space := range []bool{true, false} {
			grad, other := make([]float64, variables), make([]float64, variables)
			s.objective(someTheta, grad, space)
			for i := range variables {
				if !space && i > logLength {
					near(t, "gradient of what is fixed", grad[i], 0, 0)
					continue
				}
				const h = 1e-5
				x := slices.Clone(someTheta)
				x[i] += h
				above := s.objective(x, other, space)
				x[i] -= 2 * h
				below := s.objective(x, other, space)
				near(t, "gradient", grad[i], (above-below)/(2*h), 1e-8)
			}
		}
	}
}

// Ordinary kriging is Gaussian-process regression with a constant of very large
// variance, and leaving a frame out is fitting without it.
func TestKriging(t *testing.T) {
	times := film(7).Times
	for _, kind := range timeKinds {
		k := &kriging{times: times, kind: kind, length: 2.5, noise: 0.05}
		if err := k.prepare(); err != nil {
			t.Fatal(err)
		}
		const broad = 1e6
		regress := func(times []float64, at float64) ([]float64, float64) {
			n := len(times)
			cov, cross := correlations(kind, times, times, 2.5), correlations(kind, times, []float64{at}, 2.5)
			for i := range n {
				for j := range n {
					cov.Set(i, j, cov.At(i, j)+broad)
				}
				cov.Set(i, i, cov.At(i, i)+0.05)
				cross.Set(i, 0, cross.At(i, 0)+broad)
			}
			w := solve(cov, cross)
			return w.Clone().Data, 1 + broad + 0.05 - mat.Dot(w, cross)
		}
		for _, at := range []float64{2.2, times[3], -4, 30} {
			w := make([]float64, 7)
			v := k.weights(w, at)
			want, variance := regress(times, at)
			near(t, "variance", v, variance, 1e-4) // of order 1/broad, and rounding of broad
			for i := range w {
				near(t, "weight", w[i], want[i], 1e-5)
			}
		}
		p, v, err := k.leaveOneOut()
		if err != nil {
			t.Fatal(err)
		}
		for i := range times {
			others := slices.Delete(slices.Clone(times), i, i+1)
			want, variance := regress(others, times[i])
			near(t, "variance of a frame left out", v[i], variance, 1e-4)
			want = slices.Insert(want, i, -1)
			for j := range want {
				near(t, "weight of a frame left out", p.At(i, j), -want[j], 1e-5)
			}
		}
	}
}

func TestInterpolationByHand(t *testing.T) {
	l := &line{[]float64{4, 0, 1}, 2, 0.1}
	for _, c := range []struct {
		at       float64
		w        []float64
		variance float64
	}{
		{0, []float64{0, 1, 0}, 0.2},
		{0.25, []float64{0, 0.75, 0.25}, 0.09375 + 0.1*(1+0.5625+0.0625)},
		{3, []float64{2. / 3, 0, 1. / 3}, 1./3 + 0.1*(1+5./9)},
		{-3, []float64{0, 1, 0}, 1.5 + 0.2},
		{5, []float64{1, 0, 0}, 0.5 + 0.2},
	} {
		w := make([]float64, 3)
		v := l.weights(w, c.at)
		near(t, "variance", v, c.variance, 1e-15)
		for i := range w {
			near(t, "weight", w[i], c.w[i], 1e-15)
		}
	}
	w := make([]float64, 6)
	months := &climate{[]float64{0, 1, 12, 13, 24, 30}, 12}
	for _, c := range []struct {
		at float64
		w  []float64
	}{
		{36, []float64{1. / 3, 0, 1. / 3, 0, 1. / 3, 0}},
		{-11, []float64{0, 0.5, 0, 0.5, 0, 0}},
		{19, []float64{0, 0, 0, 0, 0, 1}}, // the nearest phase is that of 30
	} {
		months.weights(w, c.at)
		for i := range w {
			near(t, "weight of a month", w[i], c.w[i], 1e-15)
		}
	}
	months.without(w, 13, 3)
	if !slices.Equal(w, []float64{0, 1, 0, 0, 0, 0}) {
		t.Errorf("weights %v of a month that is left out", w)
	}
}

// A fine pixel is where a coarse one has a quarter of it; cubic convolution keeps
// polynomials of degree 2 away from the edges, and what is constant everywhere.
func TestResampling(t *testing.T) {
	if c := centres(3, 6); !slices.Equal(c, []float64{-0.25, 0.25, 0.75, 1.25, 1.75, 2.25}) {
		t.Errorf("centres %v", c)
	}
	row, constant := make([]float64, 9), make([]float64, 9)
	for i := range row {
		x := float64(i)
		row[i], constant[i] = 3+0.5*x-0.25*x*x, 7
	}
	for _, m := range []int{9, 18, 27, 31} {
		r, l := bicubic(9, m), linear(9, m)
		dst, flat, straight := make([]float64, m), make([]float64, m), make([]float64, m)
		r.columns(dst, row)
		r.columns(flat, constant)
		l.columns(straight, row)
		for i, x := range centres(9, m) {
			near(t, "constant", flat[i], 7, 1e-14)
			if x >= 1 && x <= 7 {
				near(t, "parabola", dst[i], 3+0.5*x-0.25*x*x, 1e-13)
				below := math.Floor(x)
				at := func(x float64) float64 { return 3 + 0.5*x - 0.25*x*x }
				near(t, "straight line", straight[i], at(below)+(x-below)*(at(below+1)-at(below)), 1e-13)
			}
			if x < 0 {
				near(t, "beyond the edge", straight[i], 3, 1e-14)
			}
		}
		// By rows, then by columns.
		plane, square := mat.New(9, 9), make([]float64, m*m)
		for i := range 9 {
			for j := range 9 {
				plane.Set(i, j, row[i]*row[j])
			}
		}
		resample(square, plane.Data, 1, 9, 9, r, r, 0, m)
		for i := range m {
			for j := range m {
				near(t, "plane", square[i*m+j], dst[i]*dst[j], 1e-12)
			}
		}
	}
}

// Predictions of a smoother on the training grid are weighted sums of frames, with the
// variance of each pixel; every method has the same bits at any GOMAXPROCS, and in
// slabs of any size.
func TestFilmMethods(t *testing.T) {
	f := film(12)
	times := []float64{3.3, 0.1, 8, 14}
	for _, kind := range FilmKinds {
		o := FilmOptions{Period: 4}
		if kind == SpaceTimeGP {
			fewKinds(t, kernel.Matern32, kernel.RBF)
		}
		var means, variances []mat.Matrix
		before := runtime.GOMAXPROCS(0)
		for _, processors := range []int{1, 3} {
			runtime.GOMAXPROCS(processors)
			m, err := FitFilm(context.Background(), kind, f, o)
			if err != nil {
				t.Fatal(err)
			}
			slabValues = 4 * 12 * 2 * (4 - processors) // three rows, or one
			mean, variance := predicted(t, m, times, 10, 12)
			slabValues = 1 << 21
			means, variances = append(means, mean), append(variances, variance)
			if s, ok := m.model.(*smoothed); ok {
				checkSmoothed(t, m, s)
			}
			var worst float64
			coarse, _ := predicted(t, m, f.Times[3:4], 5, 6)
			truth := f.Frames.(frames).values
			for j, v := range coarse.Row(0) {
				worst = max(worst, math.Abs(v-truth.At(3, j)))
			}
			if worst > 15 {
				t.Errorf("%s is off by %v at a training time", kind, worst)
			}
		}
		runtime.GOMAXPROCS(before)
		if !slices.Equal(means[0].Data, means[1].Data) || !slices.Equal(variances[0].Data, variances[1].Data) {
			t.Errorf("%s: other bits with three processors than with one", kind)
		}
		for j, v := range variances[0].Data {
			if !(v > 0) {
				t.Fatalf("%s: variance %v of value %d", kind, v, j)
			}
		}
	}
}

// checkSmoothed holds a smoother's predictions against its weights and scales.
func checkSmoothed(t *testing.T, m *FilmMethod, s *smoothed) {
	t.Helper()
	f := m.film
	n := len(f.times)
	mean, variance := predicted(t, m, []float64{4.2}, f.height, f.width)
	w := make([]float64, n)
	v := s.smoother.weights(w, 4.2)
	residual, left, err := s.smoother.leaveOneOut()
	if err != nil {
		t.Fatal(err)
	}
	var nu float64
	for _, parameter := range m.parameters {
		if parameter.Name == "shrinkage of variances" {
			nu = parameter.Value
		}
	}
	points := f.points()
	for c := range f.channels {
		squares := make([]float64, points)
		var level float64
		for p := range points {
			for i := range n {
				var r float64
				for j := range n {
					r += residual.At(i, j) * f.y.At(j, c*points+p)
				}
				squares[p] += r * r / left[i]
			}
			level += squares[p] / float64(n*points)
		}
		for p := range points {
			var want float64
			for j := range n {
				want += w[j] * f.y.At(j, c*points+p)
			}
			near(t, "mean", mean.At(0, p*f.channels+c), f.level[c]+f.scale[c]*want, 1e-10)
			scale := level
			if !math.IsInf(nu, 1) {
				scale = (squares[p] + nu*level) / (float64(n) + nu)
			}
			near(t, "variance", variance.At(0, p*f.channels+c)/square(f.scale[c]), v*scale, 1e-11*scale)
		}
	}
}

func TestFilmRefused(t *testing.T) {
	ctx := context.Background()
	change := func(edit func(f *Film)) Film {
		f := film(5)
		edit(&f)
		return f
	}
	var size *SizeError
	var value *ValueError
	for _, c := range []struct {
		f    Film
		kind FilmKind
		o    FilmOptions
		err  string
	}{
		{change(func(f *Film) { f.Frames = nil }), Interpolation, FilmOptions{}, "baseline: training frames: found 0, expected at least 3"},
		{change(func(f *Film) { f.Times = f.Times[1:] }), Interpolation, FilmOptions{}, "baseline: times: found 4, expected 5, one for each frame"},
		{change(func(f *Film) { f.Width = 5 }), Interpolation, FilmOptions{}, "baseline: points of a frame: found 30, expected 5×5"},
		{change(func(f *Film) { f.Times[2] = nan }), TimeGP, FilmOptions{}, "baseline: time 2, value 0: found NaN, expected a finite number"},
		{change(func(f *Film) { f.Times[2] = f.Times[1] }), TimeGP, FilmOptions{}, ""},
		{change(func(f *Film) { f.Frames.(frames).values.Row(3)[17] = inf }), SpaceTimeGP, FilmOptions{}, "baseline: training frame 3, value 17: found +Inf, expected a finite number"},
		{film(5), Climatology, FilmOptions{}, "baseline: period: found 0, expected a positive number"},
	} {
		_, err := FitFilm(ctx, c.kind, c.f, c.o)
		if err == nil || c.err != "" && err.Error() != c.err {
			t.Errorf("error %v, expected %s", err, c.err)
		}
	}
	m, err := FitFilm(ctx, Interpolation, film(5), FilmOptions{})
	if err != nil {
		t.Fatal(err)
	}
	nothing := func(Slab) error { return nil }
	if err := m.Predict(ctx, []float64{1}, 4, 6, nothing); !errors.As(err, &size) {
		t.Errorf("error %v for fewer rows", err)
	}
	if err := m.Predict(ctx, []float64{1}, 5, 5, nothing); !errors.As(err, &size) {
		t.Errorf("error %v for fewer columns", err)
	}
	if err := m.Predict(ctx, []float64{1, nan}, 5, 6, nothing); !errors.As(err, &value) || value.Row != 1 {
		t.Errorf("error %v for a time that is not a number", err)
	}
	stop := errors.New("stop")
	if err := m.Predict(ctx, []float64{1}, 5, 6, func(Slab) error { return stop }); err != stop {
		t.Errorf("error %v, expected that of the function", err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	for _, kind := range FilmKinds {
		if _, err := FitFilm(cancelled, kind, film(5), FilmOptions{Period: 1}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v after the end of the context", kind, err)
		}
	}
	tier.Panics(t, `baseline: FitFilm: kind "x", expected one of [interpolation climatology gp-time gp-space-time flow]`, func() { FitFilm(ctx, "x", film(5), FilmOptions{}) })
}

// Frames that do not change at all have positive variances all the same.
func TestFilmConstant(t *testing.T) {
	fewKinds(t, kernel.Matern32, kernel.Matern32)
	y := mat.New(5, 16)
	y.Fill(3)
	for _, kind := range FilmKinds {
		m, err := FitFilm(context.Background(), kind, Film{Times: []float64{0, 1, 2, 3, 4}, Width: 4, Height: 4, Frames: frames{y, 1}}, FilmOptions{Period: 2})
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		mean, variance := predicted(t, m, []float64{1.5}, 8, 8)
		for j, v := range mean.Data {
			near(t, string(kind), v, 3, 1e-9)
			if !(variance.Data[j] > 0) {
				t.Fatalf("%s: variance %v", kind, variance.Data[j])
			}
		}
	}
}

// Twice the resolution adds the mean square of what halved training frames lose, four times
// the resolution twice as much.
func TestDetail(t *testing.T) {
	fewKinds(t, kernel.Matern32, kernel.Matern32)
	m, err := FitFilm(context.Background(), TimeGP, film(8), FilmOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s, f := m.model.(*smoothed), m.film
	const h, w = 2, 3 // of halved frames
	rows, columns := bicubic(h, 2*h), bicubic(w, 2*w)
	weights := func(r resampling, i int) []float64 { // of all pixels of the source
		dense := make([]float64, w)
		for k, at := range r.taps[i] {
			dense[at] += r.weights[i][k]
		}
		return dense
	}
	want := make([]float64, f.y.Cols)
	for i := range f.y.Rows {
		for c := range 2 {
			for r := range 5 {
				for q := range 6 {
					at := func(r, q int) float64 { return f.y.At(i, (c*5+r)*6+q) }
					from := min(r, 3) // the last row is as the one before
					var v float64
					for a, wa := range weights(rows, from)[:h] {
						for b, wb := range weights(columns, q) {
							v += wa * wb * (at(2*a, 2*b) + at(2*a+1, 2*b) + at(2*a, 2*b+1) + at(2*a+1, 2*b+1)) / 4
						}
					}
					want[(c*5+r)*6+q] += square(at(from, q)-v) / 8
				}
			}
		}
	}
	v := s.smoother.weights(make([]float64, 8), 3.3)
	for _, octaves := range []int{0, 1, 2} {
		height, width := 5<<octaves, 6<<octaves
		_, variance := predicted(t, m, []float64{3.3}, height, width)
		down, across := linear(5, height), linear(6, width)
		for c := range 2 {
			scale, detail := make([]float64, height*width), make([]float64, height*width)
			resample(scale, s.scale[c*30:], 1, 5, 6, down, across, 0, height)
			resample(detail, want[c*30:], 1, 5, 6, down, across, 0, height)
			for j := range scale {
				near(t, "variance", variance.At(0, 2*j+c)/square(f.scale[c]), v*scale[j]+float64(octaves)*detail[j], 1e-12)
			}
		}
	}
}
