package fuzz_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/mat"
)

func TestGuard(t *testing.T) {
	s := fuzz.New(21)
	layouts := append([]fuzz.Layout(nil), fuzz.Layouts...)
	for range 20 {
		layouts = append(layouts, s.Layout())
	}
	for _, l := range layouts {
		for _, shape := range [][2]int{{0, 0}, {0, 3}, {3, 0}, {1, 1}, {3, 4}, {4, 1}, {1, 5}} {
			a := fuzz.Normal(s, shape[0], shape[1])
			g := fuzz.Guard(a, l)
			if err := fuzz.SameBits(g.Matrix, a); err != nil {
				t.Errorf("%+v: %v", l, err)
			}
			if err := g.Check(); err != nil {
				t.Errorf("%+v: %v", l, err)
			}
			g.Fill(math.NaN()) // elements are no gaps
			if err := g.Check(); err != nil {
				t.Errorf("%+v: %v", l, err)
			}
			if shape[0] > 0 && shape[1] > 0 {
				checkGaps(t, l, g)
			}
		}
	}
}

// checkGaps overwrites each number between the elements of g in turn, which
// Check must see, and puts it back.
func checkGaps(t *testing.T, l fuzz.Layout, g fuzz.Guarded) {
	gaps := 0
	for at := range g.Data {
		if element := func() bool {
			for i := range g.Rows {
				for j := range g.Cols {
					if i*g.RowStride+j*g.ColStride == at {
						return true
					}
				}
			}
			return false
		}(); element {
			continue
		}
		gaps++
		for _, v := range []float64{0, math.NaN()} {
			g.Data[at] = v
			if g.Check() == nil {
				t.Errorf("%+v: %g in the gap at %d is not seen", l, v, at)
			}
		}
		g.Data[at] = fuzz.Canary()
	}
	if want := len(g.Data) - g.Rows*g.Cols; gaps != want {
		t.Errorf("%+v: %d gaps, want %d", l, gaps, want)
	}
	if err := g.Check(); err != nil {
		t.Errorf("%+v: %v", l, err)
	}
}

func TestUpper(t *testing.T) {
	a := fuzz.Normal(fuzz.New(22), 4, 4)
	fuzz.PoisonUpper(a)
	if err := fuzz.CheckUpper(a); err != nil {
		t.Error(err)
	}
	if _, _, found := mat.NonFiniteLower(a); found {
		t.Error("PoisonUpper touches the lower triangle")
	}
	if l := fuzz.Lower(a); l.At(0, 3) != 0 || l.At(3, 0) != a.At(3, 0) || l.At(2, 2) != a.At(2, 2) {
		t.Errorf("Lower:\n%v", l)
	}
	a.Set(1, 2, math.NaN())
	if err := fuzz.CheckUpper(a); err == nil {
		t.Error("CheckUpper does not see another NaN")
	}
}

func TestSameBits(t *testing.T) {
	a := fuzz.Normal(fuzz.New(23), 3, 4)
	for _, c := range []struct {
		name   string
		change func(m mat.Matrix) mat.Matrix
		same   bool
	}{
		{"the same", func(m mat.Matrix) mat.Matrix { return m }, true},
		{"another layout", func(m mat.Matrix) mat.Matrix { return fuzz.Guard(m, fuzz.Layouts[5]).Matrix }, true},
		{"one bit", func(m mat.Matrix) mat.Matrix { m.Set(2, 3, math.Nextafter(m.At(2, 3), 9)); return m }, false},
		{"sign of zero", func(m mat.Matrix) mat.Matrix { m.Set(0, 0, math.Copysign(0, -1)); return m }, false},
		{"another shape", func(m mat.Matrix) mat.Matrix { return mat.NewDense(4, 3, m.Data) }, false},
		{"another NaN", func(m mat.Matrix) mat.Matrix { m.Set(0, 0, fuzz.Canary()); return m }, false},
	} {
		b := a.Clone()
		switch c.name {
		case "sign of zero":
			a.Set(0, 0, 0)
		case "another NaN":
			a.Set(0, 0, math.NaN())
		}
		b = c.change(b)
		if err := fuzz.SameBits(b, a); (err == nil) != c.same {
			t.Errorf("%s: SameBits: %v", c.name, err)
		}
		if (fuzz.Digest(b) == fuzz.Digest(a)) != c.same {
			t.Errorf("%s: Digest: same is not %v", c.name, c.same)
		}
	}
}

func ExampleGuard() {
	a := mat.NewDense(2, 2, []float64{1, 2, 3, 4})
	g := fuzz.Guard(a, fuzz.Layout{Gap: 3})
	mat.Scale(g.Matrix, 10, g.Matrix)
	fmt.Print(g)
	fmt.Println(g.Check())
	g.Data[2] = 0 // behind the end of the first row
	fmt.Println(g.Check())
	// Output:
	// 10 20
	// 30 40
	// <nil>
	// a 2×2 matrix with strides 5, 1: the gap at Data[2] was overwritten with 0 (0x0)
}
