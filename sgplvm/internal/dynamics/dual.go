package dynamics

// A dual is a number v with its derivative e in some direction.
type dual struct{ v, e float64 }

func (a dual) plus(b dual) dual      { return dual{a.v + b.v, a.e + b.e} }
func (a dual) times(b dual) dual     { return dual{a.v * b.v, a.v*b.e + a.e*b.v} }
func (a dual) scaled(b float64) dual { return dual{a.v * b, a.e * b} }
func (a dual) over(b dual) dual      { return dual{a.v / b.v, (a.e - a.v/b.v*b.e) / b.v} }
func (a *dual) add(b dual)           { a.v += b.v; a.e += b.e }

// dots returns aᵀ·b.
func dots(a, b []dual) (s dual) {
	for i, x := range a {
		s.add(x.times(b[i]))
	}
	return s
}

// timesPlain sets dst = x·a of s×s matrices, dst row by row; element (i, j) of x is
// x[i·rx+j·cx], and so on.
func timesPlain(dst, x []dual, rx, cx int, a []float64, ra, ca, s int) {
	for r := range s {
		for q := range s {
			var t dual
			for k := range s {
				t.add(x[r*rx+k*cx].scaled(a[k*ra+q*ca]))
			}
			dst[r*s+q] = t
		}
	}
}

// timesDual sets dst = x·y, all row by row.
func timesDual(dst, x, y []dual, s int) {
	for r := range s {
		for q := range s {
			var t dual
			for k := range s {
				t.add(x[r*s+k].times(y[k*s+q]))
			}
			dst[r*s+q] = t
		}
	}
}
