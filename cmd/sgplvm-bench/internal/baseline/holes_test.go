package baseline

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// gridOf returns the points of a grid, row by row.
func gridOf(rows, columns int) mat.Matrix {
	x := mat.New(rows*columns, 2)
	for j := range x.Rows {
		x.Set(j, 0, float64(j/columns))
		x.Set(j, 1, float64(j%columns))
	}
	return x
}

// lowRankPictures draws n pictures of a 5×8 grid: rank components of falling size and noise.
func lowRankPictures(n, rank int, noise float64, seed uint64) (y mat.Matrix, points mat.Matrix) {
	rng := rand.New(rand.NewPCG(seed, 1))
	points = gridOf(5, 8)
	y = mat.New(n, points.Rows)
	w, z := mat.New(points.Rows, rank), mat.New(n, rank)
	for _, m := range []mat.Matrix{w, z} {
		for k := range m.Data {
			m.Data[k] = rng.NormFloat64()
		}
	}
	mat.Mul(y, 1, z, w.T(), 0)
	for k := range y.Data {
		y.Data[k] += noise * rng.NormFloat64()
	}
	return y, points
}

// withHoles returns pictures of which a share of all values is missing.
func withHoles(y mat.Matrix, share float64, seed uint64) mat.Matrix {
	rng := rand.New(rand.NewPCG(seed, 2))
	seen := y.Clone()
	for k := range seen.Data {
		if rng.Float64() < share {
			seen.Data[k] = math.NaN()
		}
	}
	return seen
}

// scoreHoles returns the RMSE of missing values and the coverage of their 90 % intervals.
func scoreHoles(truth, seen mat.Matrix, p Prediction) (rmse, coverage float64) {
	var count float64
	for k, v := range seen.Data {
		if !math.IsNaN(v) {
			continue
		}
		r := truth.Data[k] - p.Mean.Data[k]
		rmse += r * r
		count++
		if math.Abs(r) < 1.6449*math.Sqrt(p.Variance.Data[k]) {
			coverage++
		}
	}
	return math.Sqrt(rmse / count), coverage / count
}

// Of pictures of rank 3 the methods of columns find the rank, and fill in to about the noise, with honest intervals.
func TestRankRecovered(t *testing.T) {
	const noise = 0.1
	y, points := lowRankPictures(120, 3, noise, 5)
	seen := withHoles(y, 0.3, 6)
	for _, c := range []struct {
		kind HoleKind
		rank float64 // 0: it has none
		most float64 // RMSE
	}{
		{DINEOF, 3, 1.15 * noise}, {PPCAEM, 3, 1.15 * noise}, {SoftImpute, 0, 1.6 * noise}, {GaussianEM, 0, 1.6 * noise},
	} {
		got, err := Complete(context.Background(), c.kind, Incomplete{Points: points, Pictures: seen}, HoleOptions{})
		if err != nil {
			t.Fatal(c.kind, err)
		}
		rmse, coverage := scoreHoles(y, seen, got.Prediction)
		// One component too many costs DINEOF next to nothing, and 400 hidden values may not tell.
		if rank := got.Parameters[0].Value; c.rank > 0 && rank != c.rank && !(c.kind == DINEOF && rank == c.rank+1) {
			t.Errorf("%s: %v, expected %v components", c.kind, got.Parameters, c.rank)
		}
		if rmse > c.most || coverage < 0.82 || coverage > 0.96 {
			t.Errorf("%s: RMSE %.4f, expected at most %.4f; coverage %.3f", c.kind, rmse, c.most, coverage)
		}
	}
}

// naiveExpectation fills in a picture under a Gaussian and adds its conditional covariance, by the formulas as they stand.
func naiveExpectation(row, mean []float64, s, add mat.Matrix) []float64 {
	o, m := []int{}, []int{}
	for j, v := range row {
		if math.IsNaN(v) {
			m = append(m, j)
		} else {
			o = append(o, j)
		}
	}
	g := solve(block(s, o, o), block(s, o, m))
	filled := slices.Clone(row)
	for b, j := range m {
		filled[j] = mean[j]
		for a, i := range o {
			filled[j] += g.At(a, b) * (row[i] - mean[i])
		}
		for d, k := range m {
			v := s.At(j, k)
			for a, i := range o {
				v -= g.At(a, b) * s.At(i, k)
			}
			if d <= b {
				add.Set(j, k, add.At(j, k)+v)
			}
		}
	}
	return filled
}

// A round of the Gaussian's EM algorithm without shrinkage is that of the formulas, whether more is missing or seen, and raises
// the likelihood of what is observed.
func TestGaussianRound(t *testing.T) {
	y, points := lowRankPictures(30, 2, 0.5, 7)
	y, points = y.Slice(0, 30, 0, 8).Clone(), points.Slice(0, 8, 0, 2).Clone()
	seen := withHoles(y, 0.3, 8)
	for j := range 6 {
		seen.Set(0, j, math.NaN()) // more missing than seen
		seen.Set(1, j, math.NaN()) // the same pattern but for what chance has hidden
	}
	e, err := newGaussianEM(seen, points, 1, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		mean, s := slices.Clone(e.mean), e.covariance.Clone()
		if _, err := e.round(context.Background()); err != nil {
			t.Fatal(err)
		}
		add, filled := mat.New(8, 8), mat.New(30, 8)
		for i := range 30 {
			copy(filled.Row(i), naiveExpectation(seen.Row(i), mean, s, add))
		}
		for i := range filled.Data {
			if math.Abs(filled.Data[i]-e.filled.Data[i]) > 1e-9 {
				t.Fatalf("value %d: filled in %v, expected %v", i, e.filled.Data[i], filled.Data[i])
			}
		}
		mu, c := moments(filled)
		for j := range 8 {
			if math.Abs(mu[j]-e.mean[j]) > 1e-9 {
				t.Errorf("mean %d: %v, expected %v", j, e.mean[j], mu[j])
			}
			for k := range j + 1 {
				want := add.At(j, k) / 30
				for i := range 30 {
					want += c.At(i, j) * c.At(i, k) / 30
				}
				if math.Abs(want-e.covariance.At(j, k)) > 1e-9 || e.covariance.At(j, k) != e.covariance.At(k, j) {
					t.Errorf("covariance %d, %d: %v, expected %v", j, k, e.covariance.At(j, k), want)
				}
			}
		}
	}
}

// principalLikelihood is the log density of what is observed under PPCA, by dense matrices.
func principalLikelihood(m *principalModel, y mat.Matrix) (sum float64) {
	for i := range y.Rows {
		var o []int
		for j, v := range y.Row(i) {
			if !math.IsNaN(v) {
				o = append(o, j)
			}
		}
		w := rows(m.w, o)
		s := mat.New(len(o), len(o))
		mat.Mul(s, 1, w, w.T(), 0)
		r := mat.New(len(o), 1)
		for a, j := range o {
			s.Set(a, a, s.At(a, a)+m.noise)
			r.Set(a, 0, y.At(i, j)-m.mean[j])
		}
		for k := range o { // log-determinant by Schur complements
			sum -= 0.5 * math.Log(2*math.Pi*schur(s, k))
		}
		sum -= 0.5 * mat.Dot(r, solve(s, r))
	}
	return sum
}

// schur is the variance of value k given those before.
func schur(s mat.Matrix, k int) float64 {
	if k == 0 {
		return s.At(0, 0)
	}
	cross := s.Slice(0, k, k, k+1)
	return s.At(k, k) - mat.Dot(cross, solve(s.Slice(0, k, 0, k), cross))
}

// Every round of PPCA's EM algorithm raises the likelihood of what is observed; without holes it stays at the maximum,
// which is known.
func TestPrincipalRounds(t *testing.T) {
	y, _ := lowRankPictures(25, 2, 0.3, 9)
	y = y.Slice(0, 25, 0, 9).Clone()
	seen := withHoles(y, 0.4, 10)
	e, err := newPrincipalEM(seen, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	last := principalLikelihood(&e.m.principalModel, seen)
	first := last
	for k := range 12 {
		if err := e.round(); err != nil {
			t.Fatal(err)
		}
		now := principalLikelihood(&e.m.principalModel, seen)
		if now < last-1e-9*math.Abs(last) {
			t.Errorf("round %d: log density %v after %v", k, now, last)
		}
		last = now
	}
	if last < first+1 {
		t.Errorf("log density %v, began at %v", last, first)
	}
	whole, err := newPrincipalEM(y, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	best := principalLikelihood(&whole.m.principalModel, y)
	noise := whole.m.noise
	if err := whole.round(); err != nil {
		t.Fatal(err)
	}
	if now := principalLikelihood(&whole.m.principalModel, y); math.Abs(now-best) > 1e-8*math.Abs(best) || math.Abs(whole.m.noise-noise) > 1e-8*noise {
		t.Errorf("complete pictures: log density %v and noise %v, expected %v and %v", now, whole.m.noise, best, noise)
	}
}

// With all observed values as neighbours kriging is the dense Gaussian process.
func TestKrigingDense(t *testing.T) {
	y, points := lowRankPictures(4, 2, 0.3, 11)
	seen := withHoles(y, 0.5, 12)
	for i := range y.Rows { // a point never seen, an example never seen
		seen.Set(i, 17, math.NaN())
	}
	for j := range y.Cols {
		seen.Set(2, j, math.NaN())
	}
	d := Incomplete{Points: points, Channels: 1, Times: []float64{0, 1, 2.5, 3}, Pictures: seen}
	for _, law := range []krigingParameters{
		{kind: kernel.Matern32, space: []float64{2, 3}, time: 1.5, persistent: 0.3, noise: 0.01, neighbours: 1000},
		{kind: kernel.RBF, space: []float64{1, 1.5}, time: 4, persistent: 0, noise: 0.1, local: true, neighbours: 1000},
	} {
		m := newKriging(d, 0, law)
		var observed []cell
		for i := range seen.Rows {
			for j, v := range seen.Row(i) {
				if !math.IsNaN(v) {
					observed = append(observed, cell{i, j})
				}
			}
		}
		covariance := func(a, b cell) float64 {
			x, z := m.d.Points.Row(a.value), m.d.Points.Row(b.value)
			r := math.Hypot((x[0]-z[0])/law.space[0], (x[1]-z[1])/law.space[1])
			s := math.Sqrt(3) * math.Abs(d.Times[a.picture]-d.Times[b.picture]) / law.time
			space := (1 + math.Sqrt(3)*r) * math.Exp(-math.Sqrt(3)*r)
			if law.kind == kernel.RBF {
				space = math.Exp(-0.5 * r * r)
			}
			return space * (law.persistent + (1-law.persistent)*(1+s)*math.Exp(-s))
		}
		k, anomalies := mat.New(len(observed), len(observed)), mat.New(len(observed), 1)
		for a, x := range observed {
			for b, z := range observed {
				k.Set(a, b, covariance(x, z))
			}
			k.Set(a, a, k.At(a, a)+law.noise)
			anomalies.Set(a, 0, (seen.At(x.picture, x.value)-m.mean[x.value])/m.scale)
		}
		missing := missingCells(seen)
		mean, variance := make([]float64, len(missing)), make([]float64, len(missing))
		if err := m.cells(context.Background(), missing, mean, variance); err != nil {
			t.Fatal(err)
		}
		for n, x := range missing {
			cross := mat.New(len(observed), 1)
			for a, z := range observed {
				cross.Set(a, 0, covariance(x, z))
			}
			w := solve(k, cross)
			wantMean := m.mean[x.value] + m.scale*mat.Dot(w, anomalies)
			wantVariance := m.scale * m.scale * (1 + law.noise - mat.Dot(w, cross))
			if math.Abs(mean[n]-wantMean) > 1e-8 || math.Abs(variance[n]-wantVariance) > 1e-8 {
				t.Fatalf("%+v, %v: %v ± %v, expected %v ± %v", law, x, mean[n], variance[n], wantMean, wantVariance)
			}
		}
	}
}

// Every method lives with pictures and points of which nothing is seen, with channels, with constant data, with next to nothing.
func TestHostileHoles(t *testing.T) {
	y, points := lowRankPictures(14, 2, 0.2, 21)
	whole := withHoles(y, 0.3, 22)
	for j := range y.Cols {
		whole.Set(3, j, math.NaN())
	}
	for i := range y.Rows {
		whole.Set(i, 11, math.NaN())
	}
	same := y.Clone()
	same.Fill(4)
	few := y.Clone()
	few.Fill(math.NaN())
	few.Set(0, 0, 1)
	few.Set(5, 7, 2)
	few.Set(5, 9, 2.5)
	channels := withHoles(y, 0.3, 23)
	for i := range y.Rows { // one channel of a point
		channels.Set(i, 11, math.NaN())
	}
	for name, d := range map[string]Incomplete{
		"a picture and a point unseen": {Points: points, Pictures: whole},
		"constant":                     {Points: points, Pictures: withHoles(same, 0.3, 24)},
		"three values":                 {Points: points, Pictures: few},
		"channels and times":           {Points: points.Slice(0, 20, 0, 2), Channels: 2, Pictures: channels, Times: geometric(1, 1.1, 14)},
		"points on a line":             {Points: points.Slice(0, 40, 0, 1), Pictures: withHoles(y, 0.3, 25)},
		"nothing missing":              {Points: points, Pictures: y},
		"two pictures":                 {Points: points, Pictures: withHoles(y.Slice(0, 2, 0, 40).Clone(), 0.4, 26)},
	} {
		for _, kind := range HoleKinds {
			got, err := Complete(context.Background(), kind, d, HoleOptions{Most: 20})
			if err != nil {
				t.Errorf("%s, %s: %v", name, kind, err)
				continue
			}
			for i := range d.Pictures.Rows {
				for j, v := range d.Pictures.Row(i) {
					m, s := got.Mean.At(i, j), got.Variance.At(i, j)
					if math.IsNaN(v) && (m-m != 0 || !(s > 0) || math.IsInf(s, 0)) || !math.IsNaN(v) && (m != v || s != 0) {
						t.Fatalf("%s, %s: picture %d, value %d: %v ± %v of %v", name, kind, i, j, m, s, v)
					}
				}
			}
			if name == "constant" {
				if rmse, _ := scoreHoles(same, d.Pictures, got.Prediction); rmse > 1e-9 {
					t.Errorf("%s, %s: RMSE %v", name, kind, rmse)
				}
			}
		}
	}
}

// What cannot be used is refused by name.
func TestHolesRefused(t *testing.T) {
	y, points := lowRankPictures(5, 1, 0.1, 31)
	empty, infinite := y.Clone(), y.Clone()
	empty.Fill(math.NaN())
	infinite.Set(2, 3, math.Inf(-1))
	for name, d := range map[string]Incomplete{
		"nothing seen":   {Points: points, Pictures: empty},
		"one picture":    {Points: points, Pictures: y.Slice(0, 1, 0, 40)},
		"too few times":  {Points: points, Pictures: y, Times: []float64{1}},
		"wrong size":     {Points: points.Slice(0, 7, 0, 2), Pictures: y},
		"no points":      {Pictures: y},
		"channels below": {Points: points, Pictures: y, Channels: -1},
	} {
		var size *SizeError
		if _, err := Complete(context.Background(), DINEOF, d, HoleOptions{}); !errors.As(err, &size) {
			t.Errorf("%s: %v, expected a *SizeError", name, err)
		}
	}
	for name, d := range map[string]Incomplete{
		"infinite value": {Points: points, Pictures: infinite},
		"infinite time":  {Points: points, Pictures: y, Times: []float64{0, 1, 2, 3, math.Inf(1)}},
	} {
		var value *ValueError
		if _, err := Complete(context.Background(), Cubic, d, HoleOptions{}); !errors.As(err, &value) {
			t.Errorf("%s: %v, expected a *ValueError", name, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, kind := range HoleKinds {
		if _, err := Complete(ctx, kind, Incomplete{Points: points, Pictures: withHoles(y, 0.3, 1)}, HoleOptions{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, expected %v", kind, err, context.Canceled)
		}
	}
}

// The same bits at any number of processors.
func TestHolesDeterministic(t *testing.T) {
	y, points := lowRankPictures(12, 2, 0.2, 41)
	d := Incomplete{Points: points, Pictures: withHoles(y, 0.4, 42), Times: geometric(1, 1.05, 12)}
	for _, kind := range HoleKinds {
		var first Completion
		for _, procs := range []int{1, 3} {
			old := runtime.GOMAXPROCS(procs)
			got, err := Complete(context.Background(), kind, d, HoleOptions{Most: 20, Seed: 3})
			runtime.GOMAXPROCS(old)
			if err != nil {
				t.Fatal(kind, err)
			}
			if procs > 1 && (!slices.Equal(got.Mean.Data, first.Mean.Data) || !slices.Equal(got.Variance.Data, first.Variance.Data)) {
				t.Errorf("%s: other bits at GOMAXPROCS %d", kind, procs)
			}
			first = got
		}
	}
}

// Values are hidden as others are missing: scattered ones, parts of blobs, or whole masks of others where pictures are whole.
func TestHidden(t *testing.T) {
	points := gridOf(12, 20)
	y := mat.New(30, 240)
	chance := rand.New(rand.NewPCG(7, 7))
	for _, c := range []struct {
		name    string
		missing func(i, j int) bool
		check   func(h map[int][]int) bool // hidden values of each picture
	}{
		{"scattered", func(i, j int) bool { return chance.Float64() < 0.3 }, func(h map[int][]int) bool {
			n := 0
			for _, list := range h {
				n += len(list)
			}
			return len(h) > 25 && n > 150 && n < 350
		}},
		{"blobs", func(i, j int) bool { return (j+3*i)%20 < 9 }, func(h map[int][]int) bool {
			for _, list := range h {
				if len(list) < 20 || len(list) > 44 {
					return false
				}
			}
			return len(h) == 3
		}},
		{"whole", func(i, j int) bool { return i < 4 && j%20 < 12 }, func(h map[int][]int) bool {
			for i, list := range h {
				if i < 4 || len(list) != 144 {
					return false
				}
			}
			return len(h) == 5
		}},
	} {
		for i := range y.Rows {
			for j := range y.Cols {
				y.Set(i, j, float64(i+j))
				if c.missing(i, j) {
					y.Set(i, j, math.NaN())
				}
			}
		}
		h := hideSome(Incomplete{Points: points, Channels: 1, Pictures: y}, 5)
		by := map[int][]int{}
		for k, x := range h.cells {
			by[x.picture] = append(by[x.picture], x.value)
			if h.truth[k] != float64(x.picture+x.value) || !math.IsNaN(h.pictures.At(x.picture, x.value)) {
				t.Fatalf("%s: %v: truth %v, left %v", c.name, x, h.truth[k], h.pictures.At(x.picture, x.value))
			}
		}
		if !c.check(by) {
			t.Errorf("%s: hidden %v", c.name, by)
		}
	}
}
