package mat

import "github.com/seed-08962ecc/kronfield/asm"

// Tuning constants. They change speed, never results beyond rounding; tests
// lower them through export_test.go so that every path runs on small shapes.
//
// The depth kc is one for all processors, so that bits do not depend on the size of caches. A block of A
// that is read again and again (mc×kc) stays in the level-2 cache (blockRows); panels of B (kc×nr, 60 KiB with
// AVX-512) stream from there, or from level 3 (kc×nc, 2.5 MiB), once for mc rows. Deeper blocks touch C
// less often, which counts most where C lies in memory: of kc = 96, 128, 192, 256,
// 320, 384 and mc = 64, 128, 192, 256, 560, 320 and 192 were the fastest or within
// 2 % of it at n = 560, 1000 and 2000 (Intel Sapphire Rapids, 2 MiB of level 2). Triangular systems on packed panels were fastest with a solve
// of 288 and more (64, 128, 192, 288 and 512 tried), by 2 to 5 % over 128 at n = 256
// to 1000, on both levels. With AVX-512 operands that lie as the kernel takes them need no
// packing up to 300² numbers: that saves 2 to 8 % of products of order 150 to 300, and 10 to 20 %
// where one dimension is 50 or 100, on rows a power of two apart as well (AMD Zen 4; limits of
// 144², 200², 256², 300², 320² and 450² in turns). With AVX2 it costs up to 50 % there, and 144² stays.
var tune = func() tuning {
	mr, nr := asm.Tile()
	direct := 144 * 144
	if nr >= 24 {
		direct = 300 * 300
	}
	return tuning{
		mc:       blockRows(asm.CacheSize(), mr),
		kc:       depth,
		nc:       roundUp(1024, nr),
		direct:   direct,
		clash:    1024,
		longK:    2048,
		longMN:   128 * 128,
		bands:    400,
		triangle: 32,
		solve:    288,
		narrow:   8,
		parallel: 1 << 20,

		scattered: 1 << 20,
	}
}()

const depth = 320

// blockRows is mc for a level-2 cache of so many bytes: the block of A has three eighths of it, the rest is for panels of B
// on their way and C. A cache of 512 KiB holds 76 rows, where 72 were the fastest (AMD Zen 3, AVX2). More than 192
// brought nothing (1 and 2 MiB), and stand for a cache of unknown size.
func blockRows(cache, mr int) int {
	if rows := cache * 3 / 8 / (8 * depth); cache > 0 && rows < 192 {
		return max(rows/mr*mr, mr)
	}
	return roundUp(192, mr)
}

type tuning struct {
	mc, kc, nc int // blocks of the product: rows of A, depth, columns of B
	direct     int // numbers of an operand up to which it is not packed
	clash      int // rows of A that are a multiple of this apart meet in few sets of a cache
	longK      int // depth of one chunk of a long thin product
	longMN     int // m·n up to which a long product is split along its depth
	bands      int // order from which on a triangular result is cut into rows, below into columns
	triangle   int // order up to which triangular operations run row by row
	solve      int // order up to which triangular systems are solved on packed panels
	narrow     int // right-hand sides below which they are not
	parallel   int // multiplications below which a product stays on one core
	scattered  int // numbers of a product whose place is not contiguous that are formed beside it at a time
}
