//go:build !purego

package asm

// The multiply-adds of each stub are rounded once. Pointers may be nil where
// the length is 0.

// gemmTileAVX512 adds alpha·A·B to m ≤ 8 rows and n ≤ 24 columns of C, m, n ≥ 1:
//
//	for i := range m {
//		for j := range n {
//			var s float64
//			for l := range k {
//				s = math.FMA(a[l*8+i], b[l*24+j], s)
//			}
//			c[i*ldc+j] = math.FMA(alpha, s, c[i*ldc+j])
//		}
//	}
//
//go:noescape
func gemmTileAVX512(k int, alpha float64, a, b, c *float64, ldc, m, n int)

// gemmTileAVX2 adds alpha·A·B to m ≤ 4 rows and n ≤ 12 columns of C, m, n ≥ 1:
//
//	for i := range m {
//		for j := range n {
//			var s float64
//			for l := range k {
//				s = math.FMA(a[l*4+i], b[l*12+j], s)
//			}
//			c[i*ldc+j] = math.FMA(alpha, s, c[i*ldc+j])
//		}
//	}
//
//go:noescape
func gemmTileAVX2(k int, alpha float64, a, b, c *float64, ldc, m, n int)

// peakAVX512 runs n rounds of 24 independent multiply-adds of 8 lanes.
func peakAVX512(n int)

// peakAVX2 runs n rounds of 12 independent multiply-adds of 4 lanes.
func peakAVX2(n int)
