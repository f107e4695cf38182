//go:build count

package asm

import "sync/atomic"

var multiplyAdds, streamed atomic.Int64

// count adds to what Counted returns.
func count(flops, numbers int) {
	if flops > 0 {
		multiplyAdds.Add(int64(flops))
	}
	if numbers > 0 {
		streamed.Add(8 * int64(numbers))
	}
}

// Counted returns how many floating-point operations the kernels of matrix products
// and triangles have done since the program began, and how many bytes those of
// vectors and of matrices times vectors have read and written, from wherever they
// were. It is there with the build tag count, for benchmarks of whole programs.
func Counted() (flops, bytes int64) { return multiplyAdds.Load(), streamed.Load() }
