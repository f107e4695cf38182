package chol

import (
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// What InverseDiagonal borrows is about what it is said to.
func TestInverseDiagonalRoom(t *testing.T) {
	for _, n := range []int{72, 192, 280, 512, 513, 1000} {
		var v inversion
		v.prepare(mat.Matrix{}, mat.New(n, n), 0)
		want := v.start(v.count) + v.begin(v.count)
		if n <= 512 {
			_, g1 := v.rows(0)
			want = v.start(v.count) + v.begin(min(g1, v.count))
		}
		if got := InverseDiagonalRoom(n); math.Abs(float64(got-want)) > 0.1*float64(want)+float64(4*widestPanel*widestPanel) {
			t.Errorf("order %d: %d numbers, expected about %d", n, got, want)
		}
	}
}
