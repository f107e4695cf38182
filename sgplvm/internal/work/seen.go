package work

import "github.com/seed-08962ecc/kronfield/mat"

// AnySeen reports whether any value is not missing (NaN).
func AnySeen(values mat.Matrix) bool {
	for i := range values.Rows {
		for _, v := range values.Row(i) {
			if v == v {
				return true
			}
		}
	}
	return false
}
