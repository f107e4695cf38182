package edge

import "github.com/seed-08962ecc/kronfield/mat"

// nearbyFactor is that of squared distances, in spacings, for weights whose length scale is two of them.
const nearbyFactor = 0.125

// A square has numbers between all points, n×n: what a fast model remembers of tapers and covariances, in place of evaluating
// them for every example. It is made when it is first used.
type square struct {
	of     *float64 // of Gaussians: the coordinates' first number
	factor float64  // of Gaussians, or of the taper of a wide covariance
	n      int
	made   bool
	values []float32
}

// squares are those of a fast model's workspace; nothing elsewhere.
type squares struct {
	gaussians, wide []square
	structure       square // Σ − β⁻¹·I
}

// first identifies points; nil: there are no coordinates.
func (x points) first() *float64 {
	if x.x.Rows == 0 {
		return nil
	}
	return &x.x.Data[0]
}

// find returns the square of some coordinates and a factor, nil if there is none.
func find(list []square, of *float64, factor float64) *square {
	for i := range list {
		if list[i].of == of && list[i].factor == factor {
			return &list[i]
		}
	}
	return nil
}

// get sets dst to the numbers between points a and b. rows evaluates those between some points and all, where that was not done yet, in
// a room of noiseRows×n numbers.
func (s *square) get(dst mat.Matrix, a, b, all []int, room []float64, rows func(dst mat.Matrix, a, b []int)) {
	if !s.made {
		for from := 0; from < s.n; from += noiseRows {
			to := min(from+noiseRows, s.n)
			block := mat.NewDense(to-from, s.n, room[:(to-from)*s.n])
			rows(block, all[from:to], all)
			for i, v := range block.Data {
				s.values[from*s.n+i] = float32(v)
			}
		}
		s.made = true
	}
	for k, i := range a {
		row, from := dst.Row(k), s.values[i*s.n:(i+1)*s.n]
		for l, j := range b {
			row[l] = float64(from[j])
		}
	}
}
