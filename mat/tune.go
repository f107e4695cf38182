package mat

import "github.com/seed-08962ecc/kronfield/asm"

// Tuning constants. They change speed, never results beyond rounding; tests
// lower them through export_test.go so that every path runs on small shapes.
var tune = func() tuning {
	mr, nr := asm.Tile()
	return tuning{
		mc:       roundUp(192, mr),
		kc:       320,
		nc:       roundUp(1024, nr),
		direct:   144 * 144,
		longK:    2048,
		longMN:   128 * 128,
		triangle: 32,
		solve:    128,
		narrow:   8,
		parallel: 1 << 20,
	}
}()

// The packed block of A (mc×kc, 256 KiB) is meant for the level-2 cache, a
// panel of B (kc×nr) for level 1 and the packed block of B (kc×nc, 2 MiB) for
// level 3, where mr, nr is the register tile.
type tuning struct {
	mc, kc, nc int // blocks of the product: rows of A, depth, columns of B
	direct     int // numbers of an operand up to which it is not packed
	longK      int // depth of one chunk of a long thin product
	longMN     int // m·n up to which a long product is split along its depth
	triangle   int // order up to which triangular operations run row by row
	solve      int // order up to which triangular systems are solved on packed panels
	narrow     int // right-hand sides below which they are not
	parallel   int // multiplications below which a product stays on one core
}
