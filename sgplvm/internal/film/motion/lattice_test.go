package motion

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/drawn"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// affine returns the displacement u = a + b·x + c·y, v = d + e·x + f·y of the nodes, x and y in
// widths.
func affine(l Lattice, a, b, c, d, e, f float64) []float64 {
	n := l.nodes()
	out := make([]float64, 2*n)
	for i := range n {
		x, y := float64(i%l.Across)/float64(l.Across-1), float64(i/l.Across)/float64(l.Down-1)/l.Aspect
		out[i], out[n+i] = a+b*x+c*y, d+e*x+f*y
	}
	return out
}

// An affine displacement is what it is, in pixels of any frame, in a row and at a point; its
// stretch is the norm of its matrix, and its inverse exact.
func TestFlow(t *testing.T) {
	for _, l := range []Lattice{{2, 2, 1}, {5, 3, 1.5}, {4, 7, 0.6}} {
		d := affine(l, 0.02, 0.1, -0.05, -0.01, 0.07, 0.03)
		if got, want := l.stretch(d), math.Sqrt(0.1*0.1+0.05*0.05+0.07*0.07+0.03*0.03); math.Abs(got-want) > 1e-12 {
			t.Errorf("%v: stretch %v, expected %v", l, got, want)
		}
		for _, width := range []int{30, 61} {
			height := int(math.Round(float64(width) / l.Aspect))
			l := l
			l.Aspect = float64(width) / float64(height)
			f := newDisplacement(l, width, height).of(affine(l, 0.02, 0.1, -0.05, -0.01, 0.07, 0.03))
			w := float64(width)
			u, v := make([]float64, width), make([]float64, width)
			for y := range height {
				f.row(u, v, y)
				for x := range width {
					px, py := (float64(x)+0.5)/w, (float64(y)+0.5)/w
					wantU, wantV := w*(0.02+0.1*px-0.05*py), w*(-0.01+0.07*px+0.03*py)
					atU, atV := f.Value(float64(x), float64(y))
					if e := max(math.Abs(u[x]-wantU), math.Abs(v[x]-wantV), math.Abs(atU-wantU), math.Abs(atV-wantV)); e > 1e-12*w {
						t.Fatalf("%v on %d×%d: (%v, %v) and (%v, %v) at (%d, %d), expected (%v, %v)", l, width, height, u[x], v[x], atU, atV, x, y, wantU, wantV)
					}
					rx, ry := f.inverse(float64(x)+u[x], float64(y)+v[x], 0, 0)
					if e := math.Hypot(rx-float64(x), ry-float64(y)); e > 1e-5 {
						t.Fatalf("%v: the inverse misses (%d, %d) by %v", l, x, y, e)
					}
				}
			}
		}
	}
}

// A step that would fold the frame or push it away is taken in part.
func TestMove(t *testing.T) {
	l := Lattice{4, 3, 4. / 3}
	zero, dst := make([]float64, l.size()), make([]float64, l.size())
	for _, c := range []struct {
		step []float64
		want float64 // the part that is taken
	}{
		{affine(l, 0, 0.6, 0, 0, 0, 0), 1},
		{affine(l, 0, 0, 0.8, 0, 0, 0), 0.5},
		{affine(l, 0, 0, 0, 0, 0, -2), 0.25},
		{affine(l, 5, 0, 0, 0, 0, 0), 0.5},
		{affine(l, 0, math.NaN(), 0, 0, 0, 0), 0},
		{affine(l, 0, 1e9, 0, 0, 0, 0), 0},
	} {
		l.move(dst, zero, c.step)
		for i, v := range dst {
			if want := c.want * c.step[i]; c.want == 0 && v != 0 || c.want > 0 && v != want {
				t.Fatalf("step %v: moved by %v, expected %v of it", c.step, dst, c.want)
			}
		}
	}
}

// Where there is nothing to see the cost is the prior, and one step without damping leads to its
// minimum at 0. Sequences of one to four frames.
func TestPriorStep(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	l := Lattice{4, 3, 1.5}
	tr := chain{frames: []int{0, 0, 0, 0, 0, 0, 0}, linked: []bool{true, true, true, false, false, true, false}}
	blank := frame.NewImage[float32](30, 20, 1)
	const scale = 0.3
	s := newSolver(l, tr, priorOf(tr, l, scale), []frame.Image[float32]{blank}, make([]chol.Factor, 7))
	st := s.newState()
	for i := range st.d.Data {
		st.d.Data[i] = 0.02 * r.NormFloat64()
	}
	s.evaluate(st)
	var want float64
	for p := range 7 {
		for _, v := range st.d.Row(p) {
			want += scale * v * v
		}
		if tr.linked[p] {
			for _, o := range [2]int{0, l.nodes()} {
				l.edges(func(i, j int) {
					e := st.d.At(p+1, o+i) - st.d.At(p, o+i) - st.d.At(p+1, o+j) + st.d.At(p, o+j)
					want += scale * frame.Square(e*smoothing*3)
				})
			}
		}
	}
	if math.Abs(st.cost-want) > 1e-13*want {
		t.Errorf("cost %v, expected %v", st.cost, want)
	}
	x, err := s.step(st, 0)
	if err != nil {
		t.Fatal(err)
	}
	sum := mat.New(7, l.size())
	mat.Add(sum, x, 1, st.d)
	if e := mat.NormMax(sum); e > 1e-14 {
		t.Errorf("a step leads to within %v of 0", e)
	}
}

// With a picture, a step is minus half the gradient times the inverse of a positive definite
// matrix: the cost falls along it as the gradient says.
func TestStepSlope(t *testing.T) {
	film := drawn.Film(drawn.Times(3, 1), 48, 36, 1, drawn.Bending)
	l := Lattice{4, 3, 4. / 3}
	tr := chain{frames: []int{0, 1, 2}, linked: []bool{true, true, false}}
	var level []frame.Image[float32]
	for i := range 3 {
		m := frame.NewImage[float32](48, 36, 1)
		for j := range m.Data {
			m.Data[j] = float32(film[i*len(m.Data)+j]-100) / 300
		}
		m.ToSpline()
		level = append(level, m)
	}
	s := newSolver(l, tr, priorOf(tr, l, 1e-2), level, make([]chol.Factor, 3))
	now, next := s.newState(), s.newState()
	s.evaluate(now)
	x, err := s.step(now, 1e-3)
	if err != nil {
		t.Fatal(err)
	}
	mat.Add(next.d, now.d, 1, x)
	s.evaluate(next)
	whole := now.cost - next.cost
	mat.Add(next.d, now.d, 1e-2, x)
	s.evaluate(next)
	// A full Gauss-Newton step gains half of what the slope promises; a hundredth of it nearly all
	// of a hundredth. The derivatives are differences over two pixels, which is worth some per cent.
	if small := (now.cost - next.cost) / (2 * whole) * 100; !(whole > 0) || small < 0.8 || small > 1.25 {
		t.Errorf("a step gains %v, a hundredth of it %v of the slope's promise", whole, small)
	}
}

// The cost never rises, not even where the linearisation is worth nothing: in frames of noise.
func TestEstimateDescends(t *testing.T) {
	l := Lattice{12, 9, 4. / 3}
	tr := chain{frames: []int{0, 1, 2}, linked: []bool{true, true, false}}
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 3))
		f := &pyramids{levels: [][]frame.Image[float32]{nil}, gradient: 1}
		for range 3 {
			m := frame.NewImage[float32](24, 18, 1)
			for j := range m.Data {
				m.Data[j] = float32(r.NormFloat64())
			}
			m.ToSpline()
			f.levels[0] = append(f.levels[0], m)
		}
		d, err := estimate(context.Background(), f, tr, l, 1e-7)
		if err != nil {
			t.Fatal(err)
		}
		s := newSolver(l, tr, priorOf(tr, l, 1e-7/float64(l.nodes())), f.levels[0], make([]chol.Factor, 3))
		zero, moved := s.newState(), s.newState()
		mat.Copy(moved.d, d)
		s.evaluate(zero)
		s.evaluate(moved)
		if !(moved.cost < zero.cost) {
			t.Errorf("seed %d: cost %v becomes %v", seed, zero.cost, moved.cost)
		}
	}
}

// Long sequences are predicted from the frames nearest in time.
func TestNearest(t *testing.T) {
	s := Sequence{Sequence: data.Sequence{Times: drawn.Times(1000, 1)}}
	for _, c := range []struct {
		t        float64
		from, to int
	}{{-1e300, 0, 256}, {5, 0, 256}, {127.6, 0, 256}, {500, 372, 628}, {500.6, 373, 629}, {999, 744, 1000}, {1e300, 744, 1000}} {
		if from, to := s.nearest(c.t); from != c.from || to != c.to {
			t.Errorf("time %v: frames %d to %d, expected %d to %d", c.t, from, to, c.from, c.to)
		}
	}
	if from, to := (Sequence{Sequence: data.Sequence{Times: drawn.Times(9, 1)}}).nearest(4); from != 0 || to != 9 {
		t.Errorf("frames %d to %d of 9", from, to)
	}
}
