package kernel

import "math"

// A periodic kernel is the RBF kernel of the distance between points on a circle
// (MacKay, 1998, section 5.2): r = 2·sin(πΔ/p)/ℓ.

// angle returns πΔ/p, a quarter of the largest number at most: its sine and that of its double are numbers.
func (k *Kernel) angle(delta float64) float64 {
	const most = math.MaxFloat64 / 4
	return min(max(math.Pi*delta/k.Period, -most), most)
}

// squares sets r2 to the squared scaled distances of differences in one dimension: (Δ/ℓ)²,
// or those on the circle, at most farthest. r2 may be delta.
func (k *Kernel) squares(r2, delta []float64) {
	for i, d := range delta {
		if k.Kind == Periodic {
			d = 2 * math.Sin(k.angle(d))
		}
		d /= k.LengthScale[0]
		r2[i] = min(d*d, farthest)
	}
}

// periodSum returns s = Σ slope·sin(2πΔ/p)·πΔ/p, where slope is −k′(r)/r. With
// ∂r²/∂p = −(2/ℓ)²·sin(2πΔ/p)·πΔ/p², the derivative in the period is 2·s/(p·ℓ²).
func (k *Kernel) periodSum(slope, delta []float64) float64 {
	var s float64
	for i, d := range delta {
		angle := k.angle(d)
		s += slope[i] * math.Sin(2*angle) * angle
	}
	return s
}

// addPeriodMoves adds slope·∂(−r²/2)/∂y to move for points y = x − Δ.
func (k *Kernel) addPeriodMoves(move, slope, delta []float64) {
	l := k.LengthScale[0]
	for i, d := range delta {
		move[i] += slope[i] * math.Sin(2*k.angle(d)) * (2 * math.Pi / (k.Period * l * l))
	}
}
