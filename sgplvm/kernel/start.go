package kernel

// Missing reports whether length scales and periods are missing, to be found from the data.
// The length scale of a periodic kernel is not counted: Complete makes it 1.
func (k Kernel) Missing() (scale, period bool) {
	for _, term := range k.Terms {
		s, p := term.Missing()
		scale, period = scale || s, period || p
	}
	switch {
	case k.Kind == Periodic:
		period = k.Period == 0
	case k.hasScale():
		scale = k.missesScale()
	}
	return scale, period
}

func (k *Kernel) missesScale() bool {
	return len(k.LengthScale) == 0 || len(k.LengthScale) == 1 && k.LengthScale[0] == 0
}

// Complete returns a copy of the kernel with everything that is missing but the variance:
// length scales and periods as given, the length scale 1 of periodic kernels, equal weights.
func (k Kernel) Complete(scale, period float64) Kernel {
	k = k.Clone()
	for i, term := range k.Terms {
		k.Terms[i] = term.Complete(scale, period)
	}
	if k.Kind == Sum && k.Weights == nil {
		for range k.Terms {
			k.Weights = append(k.Weights, 1/float64(len(k.Terms)))
		}
	}
	if k.Kind == Periodic {
		if k.Period == 0 {
			k.Period = period
		}
		scale = 1
	}
	if k.hasScale() && k.missesScale() {
		k.LengthScale = []float64{scale}
	}
	return k
}
