package asm

import (
	"math"

	"github.com/seed-08962ecc/kronfield/internal/text"
)

// cholPanels holds the number of rows of L in a panel of each level.
var cholPanels = [...]int{generic: 8, avx2: 12, avx512: 24, neon: 8}

// CholPanel returns w, the number of rows of a triangular factor L that
// CholUpdate, CholSolve and CholFactor keep side by side, on the level in use. A
// panel holds w rows of L column after column, b[s*w+r] = L[r,s]: what a row of
// registers holds belongs to one column of L, and elements of the same column in
// another panel are factors of all of it.
func CholPanel() int { return cholPanels[active] }

// CholUpdate subtracts from w columns of w rows of L, w = CholPanel(), the
// products of d other columns, where a holds the rows that these w columns are
// named after:
//
//	c[k*w+r] -= Σ a[s*w+k]·b[s*w+r]   k, r < w, over s < d
//
// The products are subtracted one after the other, s = 0 first, with one rounding
// each (generic: two). So the bits do not depend on how a sum is divided among
// calls, nor on w: all levels but generic give the same. d may be 0. c must not
// overlap a or b. The call cannot be interrupted: d up to 4096 keeps it under 100 µs.
func CholUpdate(d int, a, b, c []float64) {
	w := CholPanel()
	cholFits("CholUpdate", "a", len(a), d, w)
	cholFits("CholUpdate", "b", len(b), d, w)
	cholFits("CholUpdate", "c", len(c), w, w)
	raceRead(a[:d*w])
	raceRead(b[:d*w])
	raceWrite(c[:w*w])
	cholUpdate(d, a, b, c)
}

// CholSolve finishes w columns of w rows of L, which are rows d to d+w of b. Rows
// d to d+w of a are the diagonal block of the panel that these columns are named
// after, finished by CholFactor, which also gave inv, and above them are its
// other columns:
//
//	b[k*w+r] = (b[k*w+r] − Σ a[s*w+k−d]·b[s*w+r]) / a[k*w+k−d]   d ≤ k < d+w, r < w, over s < k
//
// Sums are those of CholUpdate. A quotient is x·inv, corrected by its remainder
// (Markstein, IBM J. Res. Dev. 34(1), 1990): the division's, unless that is within
// 2^−50 of a unit of a tie (generic: the division). Where a quotient overflows it
// is infinite or NaN. a and b must not overlap.
func CholSolve(d int, a, b, inv []float64) {
	w := CholPanel()
	cholFits("CholSolve", "a", len(a), d+w, w)
	cholFits("CholSolve", "b", len(b), d+w, w)
	atLeast("CholSolve", "inv", len(inv), w)
	raceRead(a[:(d+w)*w])
	raceRead(inv[:w])
	raceRead(b[:d*w])
	raceWrite(b[d*w : (d+w)*w])
	cholSolve(d, a, b, inv)
}

// CholFactor finishes the diagonal block of a panel, rows d to d+w of b: with
// the sums and quotients of CholSolve, b itself in the place of a, and for the
// element on the diagonal the square root. It sets the rest of the block, what
// is right of the diagonal in L, to 0, and inv[:w] to the reciprocals of the
// diagonal. It returns w, or the first column whose pivot, the number under the
// root, is not positive and finite, and that pivot; from that column on b holds
// no result.
func CholFactor(d int, b, inv []float64) (good int, pivot float64) {
	w := CholPanel()
	cholFits("CholFactor", "b", len(b), d+w, w)
	atLeast("CholFactor", "inv", len(inv), w)
	raceRead(b[:d*w])
	raceWrite(b[d*w : (d+w)*w])
	raceWrite(inv[:w])
	return cholFactor(d, b, inv)
}

// cholFits panics unless a slice has d rows of w numbers.
func cholFits(op, name string, have, d, w int) {
	if d < 0 || have/w < d {
		panic(text.Sprintf("asm: %s: %s has %d numbers, want %d rows of %d", op, name, have, d, w))
	}
}

func cholUpdateGeneric(d int, a, b, c []float64) {
	w := CholPanel()
	for k := 0; d > 0 && k < w; k += genericMR {
		for r := 0; r < w; r += genericNR {
			subtractTile(d, a[k:], w, b[r:], w, c[k*w+r:], w)
		}
	}
}

func cholSolveGeneric(d int, a, b, inv []float64) {
	w := CholPanel()
	cholUpdateGeneric(d, a, b, b[d*w:])
	for k := range w {
		row := b[(d+k)*w : (d+k+1)*w]
		for s := d; s < d+k; s++ {
			subtractMultiple(row, a[s*w+k], b[s*w:s*w+w])
		}
		for r := range row {
			row[r] /= a[(d+k)*w+k]
		}
	}
}

func cholFactorGeneric(d int, b, inv []float64) (good int, pivot float64) {
	w := CholPanel()
	cholUpdateGeneric(d, b, b, b[d*w:])
	for k := range w {
		row := b[(d+k)*w : (d+k+1)*w]
		for s := d; s < d+k; s++ {
			subtractMultiple(row[k:], b[s*w+k], b[s*w+k:s*w+w])
		}
		p := row[k]
		if !(p > 0) || p > math.MaxFloat64 {
			return k, p
		}
		clear(row[:k])
		row[k] = math.Sqrt(p)
		inv[k] = 1 / row[k]
		for r := k + 1; r < w; r++ {
			row[r] /= row[k]
		}
	}
	return w, 0
}

// subtractMultiple subtracts l·x from y.
func subtractMultiple(y []float64, l float64, x []float64) {
	for r, v := range x[:len(y)] {
		y[r] -= float64(l * v)
	}
}
