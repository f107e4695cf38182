package fuzz_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/mat"
)

// The same seed or the same bytes give the same numbers; a seed always has.
func TestSourceRepeats(t *testing.T) {
	draw := func(s *fuzz.Source) mat.Matrix {
		m := fuzz.Normal(s, 3+s.IntN(1000)%3, 4)
		m.Set(0, 0, s.Float64())
		m.Set(0, 1, float64(s.Uint64()>>11))
		m.Set(0, 2, float64(s.Perm(9)[0]))
		return m
	}
	one := fuzz.Digest(draw(fuzz.New(1)))
	if fuzz.Digest(draw(fuzz.New(1))) != one {
		t.Error("the same seed gives other numbers")
	}
	if fuzz.Digest(draw(fuzz.New(2))) == one {
		t.Error("another seed gives the same numbers")
	}
	if got, want := fuzz.New(1).Uint64(), uint64(0xa696bb66213fde4a); got != want {
		t.Errorf("first number of seed 1 is %#x, want %#x", got, want)
	}
	// Whatever a source was made from, its bytes make the same choices and values.
	all := func(s *fuzz.Source) string {
		return fmt.Sprint(s.Size(40), s.Size(300), s.Bool(), s.IntN(1000), s.Float64(), s.Uint64(), s.Perm(5), s.Size(3))
	}
	for seed := range uint64(100) {
		s := fuzz.New(seed)
		want := all(s)
		again := fuzz.FromBytes(s.Bytes())
		if got := all(again); got != want {
			t.Errorf("seed %d: %s, from its bytes %s", seed, want, got)
		}
		if got := all(fuzz.FromBytes(again.Bytes())); got != want {
			t.Errorf("seed %d: %s, from the bytes of its bytes %s", seed, want, got)
		}
	}
	for range 50 { // sizes from a list, and up to a limit
		if n := fuzz.New(1).Orders(97, 220).Size(5); n != 97 && n != 220 {
			t.Errorf("size %d is not in the list", n)
		}
	}
	s, largest := fuzz.New(1).Most(500), 0
	for range 200 {
		largest = max(largest, s.Size(5))
	}
	if largest < 400 || largest > 500 {
		t.Errorf("the largest of 200 sizes up to 500 is %d", largest)
	}
	data := []byte("0123456789abcdefghij")
	first, second := fuzz.Digest(draw(fuzz.FromBytes(data))), fuzz.Digest(draw(fuzz.FromBytes(data)))
	if first != second {
		t.Error("the same bytes give other numbers")
	}
}

// Choices are the bytes after the first eight; when those have run out, every
// choice is the first.
func TestFromBytes(t *testing.T) {
	data := []byte{1, 2, 3, 4, 5, 6, 7, 8, 200, 7, 0x34, 0x12, 3, 0, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 9}
	s := fuzz.FromBytes(data)
	for i, c := range []struct{ got, want int }{
		{s.IntN(256), 200},
		{s.IntN(5), 7 % 5},
		{s.IntN(65536), 0x1234},
		{s.Size(100), 3},
	} {
		if c.got != c.want {
			t.Errorf("choice %d is %d, want %d", i, c.got, c.want)
		}
	}
	s.IntN(2)
	if got := s.Bits(); got != 1 {
		t.Errorf("Bits = %g, want 1 (0x3ff0000000000000)", got)
	}
	if got := s.Size(100); got != 1 {
		t.Errorf("Size = %d with one byte left, want 1", got)
	}
	if s.Uint64() != 0 || s.IntN(10) != 0 || s.Size(10) != 0 || s.Bool() || s.Bits() != 0 {
		t.Error("choices without bytes are not 0")
	}
	if s.NormFloat64() == 0 || s.NormFloat64() == s.NormFloat64() {
		t.Error("values without bytes are not random")
	}
}

func TestGenerators(t *testing.T) {
	s := fuzz.New(11)
	const n = 100
	normal := fuzz.Normal(s, n, n)
	// Mean and variance of n² normal numbers, within five standard deviations.
	var sum, square float64
	for _, v := range normal.Data {
		sum += v
		square += v * v
	}
	if mean := sum / (n * n); math.Abs(mean) > 5.0/n {
		t.Errorf("Normal: mean %g", mean)
	}
	if variance := square / (n * n); math.Abs(variance-1) > 5*math.Sqrt2/n {
		t.Errorf("Normal: variance %g", variance)
	}
	seen := map[float64]bool{}
	for _, v := range fuzz.Integers(s, n, n, 3).Data {
		seen[v] = true
		if v != math.Trunc(v) || math.Abs(v) > 3 {
			t.Fatalf("Integers: %g", v)
		}
	}
	if len(seen) != 7 {
		t.Errorf("Integers: %d values, want 7", len(seen))
	}
	low, high := 0, 0
	for _, v := range fuzz.Wide(s, n, n, 300).Data {
		e := math.Ilogb(v)
		low, high = min(low, e), max(high, e)
	}
	if low < -300 || low > -290 || high > 300 || high < 290 {
		t.Errorf("Wide: exponents from %d to %d", low, high)
	}
	a, b := fuzz.Cancelling(s, 1, n, 1)
	hi, _ := fuzz.Dot2(a.Row(0), b.T().Clone().Row(0))
	if math.Abs(hi) > 1e-9 || hi == 0 {
		t.Errorf("Cancelling: sum %g", hi)
	}
	for _, n := range []int{0, 1, 2, 3, 50} {
		q := fuzz.Orthogonal(s, n)
		if r := fuzz.Orthogonality(q); !(r <= 1) {
			t.Errorf("Orthogonal(%d): %.3g", n, r)
		}
	}
	// Haar measure: each entry of a 3×3 matrix has mean 0 and variance 1/3.
	var first, firstSquare [9]float64
	const draws = 3000
	for range draws {
		for i, v := range fuzz.Orthogonal(s, 3).Data {
			first[i] += v / draws
			firstSquare[i] += v * v / draws
		}
	}
	for i := range first {
		if math.Abs(first[i]) > 5/math.Sqrt(3*draws) || math.Abs(firstSquare[i]-1./3) > 5*0.3/math.Sqrt(draws) {
			t.Errorf("Orthogonal(3): entry %d has mean %.3g, mean square %.3g", i, first[i], firstSquare[i])
		}
	}
}

// Triangular has about the condition it is asked for.
func TestTriangular(t *testing.T) {
	for _, cond := range []float64{1, 1e3, 1e8} {
		for _, byRows := range []bool{false, true} {
			l := fuzz.Triangular(fuzz.New(13), 20, cond, byRows)
			got := mat.Norm1(l) * mat.Norm1(fuzz.NaiveSolveLower(l, mat.Identity(20)))
			if got < cond/10 || got > cond*10 {
				t.Errorf("condition %.3g, want about %g", got, cond)
			}
		}
	}
}

func TestNaiveKron(t *testing.T) {
	a := mat.NewDense(2, 1, []float64{2, 3})
	b := mat.NewDense(1, 3, []float64{1, 10, 100})
	c := mat.NewDense(2, 2, []float64{1, 0, 0, -1})
	want := mat.NewDense(4, 6, []float64{
		2, 0, 20, 0, 200, 0,
		0, -2, 0, -20, 0, -200,
		3, 0, 30, 0, 300, 0,
		0, -3, 0, -30, 0, -300,
	})
	got := fuzz.NaiveKron(a, b, c)
	for i := range 4 {
		for j := range 6 {
			if got.At(i, j) != want.At(i, j) {
				t.Errorf("element (%d, %d) is %g, want %g", i, j, got.At(i, j), want.At(i, j))
			}
		}
	}
	if err := fuzz.SameBits(fuzz.NaiveKron(), mat.Identity(1)); err != nil {
		t.Error(err)
	}
}

// The naive product itself, against sums written out.
func TestNaiveMul(t *testing.T) {
	a := mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6})
	b := mat.NewDense(3, 2, []float64{1, 0, 2, 1, 0, 3})
	c := mat.NewDense(2, 2, []float64{100, 200, 300, 400})
	want := mat.NewDense(2, 2, []float64{2*5 + 50, 2*11 + 100, 2*14 + 150, 2*23 + 200})
	if err := fuzz.SameBits(fuzz.NaiveMul(2, a, b, 0.5, c), want); err != nil {
		t.Error(err)
	}
}
