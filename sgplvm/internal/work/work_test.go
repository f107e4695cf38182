package work

import "testing"

// Every row is visited once, however many there are.
func TestEachRow(t *testing.T) {
	for _, n := range []int{0, 1, blockRows - 1, blockRows, blockRows + 1, 3*blockRows + 7} {
		visits := make([]int, n)
		EachRow(n, func(i int) { visits[i]++ })
		for i, v := range visits {
			if v != 1 {
				t.Fatalf("of %d rows row %d is visited %d times", n, i, v)
			}
		}
	}
}
