package film

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// randomSeen returns a predicted frame of which half the pixels of the first channel and others of the second
// were seen.
func randomSeen(width, height int) *seenFrame {
	rng := rand.New(rand.NewPCG(1, 2))
	s := &seenFrame{law: &errorLaw{White: 0.2, Near: 1.5, Broad: 0.5, Far: 6, Shift: 0.3, Reach: 4, Freedom: 8}, frame: frame.New(width, height, 2), values: mat.New(width*height, 2), unitX: 1, unitY: 0.5}
	for i := range s.values.Data {
		s.frame.Mean.Data[i], s.frame.Variance.Data[i] = 10*rng.NormFloat64(), math.Exp(rng.NormFloat64())
		s.values.Data[i] = s.frame.Mean.Data[i] + rng.NormFloat64()
		if rng.IntN(2) == 0 {
			s.values.Data[i] = math.NaN()
		}
	}
	return s
}

func copied(f frame.Frame) frame.Frame {
	return frame.Frame{Width: f.Width, Height: f.Height, Mean: f.Mean.Clone(), Variance: f.Variance.Clone()}
}

// Few pixels are conditioned on all that were seen, as the dense formulas have it.
func TestFillDense(t *testing.T) { checkFill(t, randomSeen(9, 7), 1e-6) }

// seenOf lists the seen and the missing pixels of a channel.
func (s *seenFrame) seenOf(c int) (seen, missing []int) {
	for i := range s.values.Rows {
		if math.IsNaN(s.values.At(i, c)) {
			missing = append(missing, i)
		} else {
			seen = append(seen, i)
		}
	}
	return seen, missing
}

// dense returns the correlations of all pixels of a channel, those seen first, with the factor of these and their errors in
// standard deviations.
func (s *seenFrame) dense(t *testing.T, c int) (k mat.Matrix, factor *chol.Factor, e mat.Matrix) {
	t.Helper()
	seen, missing := s.seenOf(c)
	sites := s.sites(slices.Concat(seen, missing), c)
	k = mat.New(len(sites), len(sites))
	l := s.law
	correlation := func(h float64) float64 { return (1 + math.Sqrt(3)*h) * math.Exp(-math.Sqrt(3)*h) } // Matérn 3/2
	covariance := func(i, j int) float64 {
		a, b := sites[i], sites[j]
		h := math.Hypot(float64(a.x-b.x)*s.unitX, float64(a.y-b.y)*s.unitY)
		v := correlation(h/l.Near) + l.Broad*correlation(h/l.Far) + l.Shift*(a.gx*b.gx+a.gy*b.gy)*correlation(h/l.Reach)
		if i == j {
			v += l.White
		}
		return v
	}
	for i := range sites {
		for j := range sites {
			k.Set(i, j, covariance(i, j)/math.Sqrt(covariance(i, i)*covariance(j, j)))
		}
		k.Set(i, i, 1+1e-9)
	}
	n := len(seen)
	factor, err := chol.Factorize(k.Slice(0, n, 0, n).Clone())
	if err != nil {
		t.Fatal(err)
	}
	e = mat.New(n, 1)
	for j, i := range seen {
		e.Data[j] = (s.values.At(i, c) - s.frame.Mean.At(i, c)) / math.Sqrt(s.frame.Variance.At(i, c))
	}
	return k, factor, e
}

// checkFill compares what is said of the missing pixels of a frame of few pixels with the dense formulas.
func checkFill(t *testing.T, s *seenFrame, tolerance float64) {
	t.Helper()
	got := copied(s.frame)
	if _, err := s.fill(context.Background(), got); err != nil {
		t.Fatal(err)
	}
	const inflation = 2 // no rounding
	s.keep(got, inflation)
	for c := range s.values.Cols {
		seen, missing := s.seenOf(c)
		n := len(seen)
		for _, i := range seen {
			if got.Mean.At(i, c) != s.values.At(i, c) || got.Variance.At(i, c) != 0 {
				t.Fatalf("seen pixel %d is %v with variance %v", i, got.Mean.At(i, c), got.Variance.At(i, c))
			}
		}
		if n == 0 {
			continue
		}
		k, factor, e := s.dense(t, c)
		var chi, alike float64 // a mean of channels that miss the same
		for d := range s.values.Cols {
			if s.alike(c, d) {
				_, own, errors := s.dense(t, d)
				solved := errors.Clone()
				own.Solve(solved)
				chi, alike = chi+mat.Dot(errors, solved), alike+1
			}
		}
		nu := s.law.Freedom - 2
		scale := (nu + chi/alike) / (nu + float64(n))
		for j, i := range missing {
			cross := k.Slice(0, n, n+j, n+j+1).Clone()
			weights := cross.Clone()
			factor.Solve(weights)
			v := s.frame.Variance.At(i, c)
			mean := s.frame.Mean.At(i, c) + math.Sqrt(v)*mat.Dot(weights, e)
			nearest, w := math.Inf(1), s.frame.Width
			for _, o := range seen {
				nearest = min(nearest, math.Hypot(float64(o%w-i%w)*s.unitX, float64(o/w-i/w)*s.unitY))
			}
			variance := v * max(1e-6, 1-mat.Dot(weights, cross)) * (1 + math.Exp(-nearest/s.law.Far)*(scale-1))
			if math.Abs(got.Mean.At(i, c)-mean) > tolerance*(math.Abs(mean)+math.Sqrt(v)) || math.Abs(got.Variance.At(i, c)/inflation-variance) > tolerance*(variance+1e-6*v*(1+scale)) {
				t.Errorf("%+v: pixel %d, channel %d: %v ± %v, expected %v ± %v", *s.law, i, c, got.Mean.At(i, c), got.Variance.At(i, c), mean, variance)
			}
		}
	}
}

// Groups hold every missing pixel once, and the pixels near one are the nearest.
func TestFillGroups(t *testing.T) {
	s := randomSeen(60, 50)
	var missing []int
	seen := 0
	for i := range s.values.Rows {
		if math.IsNaN(s.values.At(i, 0)) {
			missing = append(missing, i)
		} else {
			seen++
		}
	}
	groups := s.groups(missing)
	all := slices.Concat(groups...)
	slices.Sort(all)
	if !slices.Equal(all, missing) {
		t.Errorf("%d pixels in groups, expected %d", len(all), len(missing))
	}
	for _, g := range groups {
		if len(g) > groupPixels {
			t.Errorf("a group of %d", len(g))
		}
		var x, y float64
		for _, i := range g {
			x, y = x+float64(i%60)/float64(len(g)), y+float64(i/60)/float64(len(g))
		}
		near := s.near(g, 0, seen)
		farthest := 0.
		for _, i := range near {
			farthest = max(farthest, math.Hypot(float64(i%60)-x, float64(i/60)-y))
		}
		nearer := 0
		for i := range s.values.Rows {
			if !math.IsNaN(s.values.At(i, 0)) && math.Hypot(float64(i%60)-x, float64(i/60)-y) < farthest-1e-9 {
				nearer++
			}
		}
		if len(near) != nearPixels || nearer > nearPixels {
			t.Fatalf("%d pixels, %d are nearer than the farthest", len(near), nearer)
		}
	}
}

// The law under which errors were drawn is found again from patches of them, roughly.
func TestSearchLaw(t *testing.T) {
	truth := errorLaw{White: 0.5, Near: 3, Broad: 1e-4, Far: 10, Shift: 1e-5, Reach: 10, Freedom: 6}
	rng := rand.New(rand.NewPCG(4, 4))
	p := newPatches(70, 70, 1)
	if len(p.offsets) < 100 || p.each != maxPatches || newPatches(5, 70, 1).span != 0 {
		t.Fatalf("%d pixels, %d patches", len(p.offsets), p.each)
	}
	sites := make([]site, len(p.offsets))
	for k, o := range p.offsets {
		sites[k] = site{x: o[0], y: o[1], gx: 0.1}
	}
	k := mat.New(len(sites), len(sites))
	plain, shift := mat.New(len(sites), len(sites)), mat.New(len(sites), len(sites))
	truth.lags(p.span, p.span, 1, 1).distances(plain, shift, sites)
	truth.among(k, plain, shift, sites)
	root, err := chol.Factorize(k)
	if err != nil {
		t.Fatal(err)
	}
	var sets [][]errorSet
	for range 40 {
		z, chi := mat.New(len(sites), 1), 0.
		for i := range z.Data {
			z.Data[i] = rng.NormFloat64()
		}
		for range int(truth.Freedom) {
			chi += square(rng.NormFloat64())
		}
		y := mat.New(len(sites), 1)
		mat.Mul(y, math.Sqrt((truth.Freedom-2)/chi), root.L(), z, 0)
		sets = append(sets, []errorSet{{sites, y.Data}})
	}
	found := search(sets, p.span)
	for _, h := range []float64{1, 3, 6} {
		got, _ := found.between(h)
		want, _ := truth.between(h)
		got, want = got/found.own(site{}), want/truth.own(site{})
		if math.Abs(got-want) > 0.08 {
			t.Errorf("correlation %v over %v pixels, expected %v: %+v", got, h, want, *found)
		}
	}
	if !(found.Freedom > 3 && found.Freedom < 12) {
		t.Errorf("%v degrees of freedom, expected about 6", found.Freedom)
	}
}
