package asm

import "github.com/seed-08962ecc/kronfield/internal/text"

// SolvePanel overwrites X with T⁻¹·X by substitution, for a triangular T of
// tiles·mr rows and a panel X of as many rows and nr columns, where mr, nr = Tile(),
// x[i·nr+j] = X[i, j], and t holds the rows of T by tiles, each column after column,
// mr numbers for a column: for a lower triangle the tiles from the first to the
// last, with the columns from the left up to the diagonal tile, and for an upper one
// the tiles from the last to the first, with the columns on the right of the
// diagonal tile and then those of it. So each has mr·mr·tiles(tiles+1)/2 numbers. In
// place of the elements on the diagonal stand their reciprocals; what is beyond it
// does not matter. tiles may be 0.
//
// Row i of X loses T[i,j] times row j, for the other tiles' j from left to right, then
// for its own from the outside towards i, with one rounding for each (two on the
// generic level, which rounds the product first), and is then multiplied by the
// reciprocal. So all levels but generic give the same bits only where their tiles
// have the same order of j: for a lower triangle. The call cannot be interrupted: 512
// rows take 65 µs if T is in a cache, up to 170 µs if it is in memory.
func SolvePanel(upper bool, tiles int, t, x []float64) {
	mr, nr := Tile()
	if tiles < 0 || tiles > len(x)/(mr*nr) || tiles > 0 && tiles+1 > 2*(len(t)/(mr*mr))/tiles {
		panic(text.Sprintf("asm: SolvePanel: %d numbers of T and %d of X do not hold %d tiles of %d×%d and %d×%d",
			len(t), len(x), tiles, mr, mr, mr, nr))
	}
	if tiles == 0 {
		return
	}
	raceRead(t[:mr*mr*(tiles*(tiles+1)/2)])
	raceWrite(x[:tiles*mr*nr])
	if upper {
		solveUpper(tiles, t, x)
	} else {
		solveLower(tiles, t, x)
	}
}

func solveLowerGeneric(tiles int, t, x []float64) {
	const MR, NR = genericMR, genericNR
	for at := range tiles {
		own := x[at*MR*NR:][:MR*NR]
		t = subtractRowsGeneric(own, t, x[:at*MR*NR])
		for j := range MR {
			for c := range NR {
				own[j*NR+c] *= t[j]
				for i := j + 1; i < MR; i++ {
					own[i*NR+c] -= float64(t[i] * own[j*NR+c])
				}
			}
			t = t[MR:]
		}
	}
}

func solveUpperGeneric(tiles int, t, x []float64) {
	const MR, NR = genericMR, genericNR
	for at := tiles - 1; at >= 0; at-- {
		own := x[at*MR*NR:][:MR*NR]
		t = subtractRowsGeneric(own, t, x[(at+1)*MR*NR:tiles*MR*NR])
		for j := MR - 1; j >= 0; j-- {
			for c := range NR {
				own[j*NR+c] *= t[j*MR+j]
				for i := range j {
					own[i*NR+c] -= float64(t[j*MR+i] * own[j*NR+c])
				}
			}
		}
		t = t[MR*MR:]
	}
}

// subtractRowsGeneric subtracts columns of T times rows of X that are solved from a
// tile's own rows, and returns what follows the columns.
func subtractRowsGeneric(own, t, solved []float64) []float64 {
	const MR, NR = genericMR, genericNR
	columns := len(solved) / NR
	subtractTile(columns, t, MR, solved, NR, own, NR)
	return t[columns*MR:]
}
