//go:build !purego

package asm

func cholUpdate(d int, a, b, c []float64) {
	switch active {
	case neon:
		cholUpdateNEON(d, a, b, c)
	default:
		cholUpdateGeneric(d, a, b, c)
	}
}

func cholSolve(d int, a, b, inv []float64) {
	switch active {
	case neon:
		cholSolveNEON(d, a, b, inv)
	default:
		cholSolveGeneric(d, a, b, inv)
	}
}

func cholFactor(d int, b, inv []float64) (good int, pivot float64) {
	switch active {
	case neon:
		return cholFactorNEON(d, b, inv)
	default:
		return cholFactorGeneric(d, b, inv)
	}
}

// cholUpdateNEON is cholUpdateGeneric, with w = 8:
//
//	for s := range d {
//		for k := range w {
//			for r := range w {
//				c[k*w+r] = math.FMA(-a[s*w+k], b[s*w+r], c[k*w+r])
//			}
//		}
//	}
//
//go:noescape
func cholUpdateNEON(d int, a, b, c []float64)

// cholSolveNEON is cholSolveGeneric, with w = 8:
//
//	for k := range w {
//		for r := range w {
//			x := b[(d+k)*w+r]
//			for s := range d + k {
//				x = math.FMA(-a[s*w+k], b[s*w+r], x)
//			}
//			q := x * inv[k]
//			b[(d+k)*w+r] = math.FMA(math.FMA(-q, a[(d+k)*w+k], x), inv[k], q)
//		}
//	}
//
//go:noescape
func cholSolveNEON(d int, a, b, inv []float64)

// cholFactorNEON is cholFactorGeneric, with w = 8:
//
//	for k := range w {
//		for r := k; r < w; r++ {
//			x := b[(d+k)*w+r]
//			for s := range d + k {
//				x = math.FMA(-b[s*w+k], b[s*w+r], x)
//			}
//			if r == k {
//				if !(x > 0) || x > math.MaxFloat64 {
//					return k, x
//				}
//				b[(d+k)*w+k] = math.Sqrt(x)
//				inv[k] = 1 / b[(d+k)*w+k]
//				continue
//			}
//			q := x * inv[k]
//			b[(d+k)*w+r] = math.FMA(math.FMA(-q, b[(d+k)*w+k], x), inv[k], q)
//		}
//		clear(b[(d+k)*w : (d+k)*w+k])
//	}
//	return w, 0
//
//go:noescape
func cholFactorNEON(d int, b, inv []float64) (good int, pivot float64)
