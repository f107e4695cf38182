package edge

import (
	"math"
	"testing"
)

// Of a matrix whose lower triangle counts no page is touched that begins more than its length to the right of the diagonal.
func TestUntouched(t *testing.T) {
	for _, order := range []int{0, 1, 512, 513, 1000, 2113} {
		count := 0
		for i := range order {
			count += max(0, order-1-i-512)
		}
		if got := untouched(order); math.Abs(float64(got-count)) > float64(order) {
			t.Errorf("order %d: %d numbers, expected about %d", order, got, count)
		}
	}
}
