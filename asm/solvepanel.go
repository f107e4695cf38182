package asm

import "fmt"

// SolvePanel overwrites X with L⁻¹·X by forward substitution, for a lower
// triangular L of tiles·mr rows and a panel X of as many rows and nr columns, where
// mr, nr = Tile() and
//
//	l[mr·mr·t(t+1)/2 + j·mr + i] = L[t·mr+i, j]   i < mr, j < (t+1)·mr, t < tiles
//	x[i·nr+j] = X[i, j]
//
// that is, the rows of L by tiles, column after column up to the diagonal tile. In
// place of the elements on the diagonal stand their reciprocals; what is above it
// does not matter. tiles may be 0.
//
// Row i of X loses L[i,j] times row j for j = 0, 1, …, with one rounding for each
// (two on the generic level, which rounds the product first), and is then
// multiplied by the reciprocal. So all levels but generic give the same bits. The
// call cannot be interrupted: up to 512 rows keep it under 100 µs.
func SolvePanel(tiles int, l, x []float64) {
	mr, nr := Tile()
	if tiles < 0 || tiles > len(x)/(mr*nr) || mr*mr*(tiles*(tiles+1)/2) > len(l) {
		panic(fmt.Sprintf("asm: SolvePanel: %d numbers of L and %d of X do not hold %d tiles of %d×%d and %d×%d",
			len(l), len(x), tiles, mr, mr, mr, nr))
	}
	if tiles == 0 {
		return
	}
	raceRead(l[:mr*mr*(tiles*(tiles+1)/2)])
	raceWrite(x[:tiles*mr*nr])
	solvePanel(tiles, l, x)
}

func solvePanelGeneric(tiles int, l, x []float64) {
	const MR, NR = genericMR, genericNR
	for t := range tiles {
		own := x[t*MR*NR:][:MR*NR]
		for j := range t * MR {
			x0, x1 := x[j*NR], x[j*NR+1]
			for i := range MR {
				own[i*NR] -= float64(l[i] * x0)
				own[i*NR+1] -= float64(l[i] * x1)
			}
			l = l[MR:]
		}
		for j := range MR {
			own[j*NR] *= l[j]
			own[j*NR+1] *= l[j]
			for i := j + 1; i < MR; i++ {
				own[i*NR] -= float64(l[i] * own[j*NR])
				own[i*NR+1] -= float64(l[i] * own[j*NR+1])
			}
			l = l[MR:]
		}
	}
}
