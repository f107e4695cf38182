package eig

import (
	"cmp"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/internal/text"
	"github.com/seed-08962ecc/kronfield/mat"
)

// Spectrum is the decomposition A = V·diag(w)·Vᵀ of a symmetric matrix of
// order n.
type Spectrum struct {
	Values  []float64  // w, ascending, in the units of A
	Vectors mat.Matrix // V, n×n; column j is the unit vector that belongs to Values[j]
}

// NonFiniteError names the first element of a lower triangle, row by row, that
// is NaN or infinite.
type NonFiniteError struct {
	Matrix   string // which of several matrices, as in [General]; empty if there is one
	Row, Col int    // counted from 0, Col ≤ Row
	Value    float64
}

func (e *NonFiniteError) Error() string {
	name := e.Matrix
	if name == "" {
		name = "the matrix"
	}
	return text.Sprintf("eig: element (%d, %d) of %s is %g, not a finite number", e.Row, e.Col, name, e.Value)
}

// NotConvergedError says that the QL iteration reached its limit of sweeps, or
// that of a secular equation its limit of steps for one root. No finite matrix is
// known on which they do.
type NotConvergedError struct {
	Order  int // of the matrix
	Sweeps int // done, or steps: the limit
	Index  int // of the tridiagonal matrix's row that was being isolated
}

func (e *NotConvergedError) Error() string {
	return text.Sprintf("eig: no convergence at row %d of the tridiagonal matrix of order %d after %d sweeps", e.Index, e.Order, e.Sweeps)
}

// OverflowError says that an eigenvalue of a finite matrix is too large for a
// float64. Scale the matrix down.
type OverflowError struct {
	Index int     // of the eigenvalue in ascending order, counted from 0
	Log2  float64 // of its magnitude
}

func (e *OverflowError) Error() string {
	return text.Sprintf("eig: eigenvalue %d has a magnitude of 2^%.5g, beyond the range of float64", e.Index, e.Log2)
}

// Sym returns the eigenvalues and eigenvectors of the symmetric n×n matrix a,
// of which it reads the lower triangle only. The error is a *[NonFiniteError],
// *[NotConvergedError] or *[OverflowError].
func Sym(a mat.Matrix) (Spectrum, error) {
	var s Solver
	var sp Spectrum
	if err := s.Sym(&sp, a); err != nil {
		return Spectrum{}, err
	}
	return sp, nil
}

// SymValues returns the eigenvalues alone, ascending, those of [Sym] within a
// small multiple of ε·‖A‖. Errors are those of Sym.
func SymValues(a mat.Matrix) ([]float64, error) {
	var s Solver
	values := make([]float64, a.Rows)
	if err := s.SymValues(values, a); err != nil {
		return nil, err
	}
	return values, nil
}

// Solver holds the workspace of decompositions, about 3·n² numbers beside the
// result, and keeps it between calls: further matrices of the same or a smaller
// order need no new memory. The zero value is ready. One goroutine at a time
// may use a Solver.
type Solver struct {
	// Stop, if not nil, is asked now and then, at intervals of some thousands of operations for
	// each of the matrix's n² numbers or less. An error that it returns ends the work, and is
	// the error of the call.
	Stop func() error

	n    int
	u    mat.Matrix // strict lower triangle: the matrix; strict upper triangle: the Householder vectors
	d, e []float64  // diagonal and subdiagonal of the tridiagonal matrix
	tau  []float64  // Householder coefficients
	perm []int      // column of V in ascending order → row of the tridiagonal matrix

	panel        []float64 // three matrices of a panel's width × padded order
	coefficients []float64 // of the panel's vectors, two for each
	product      symvTask

	dc dc

	blocks blocks

	placed placing
}

// Sym is the function [Sym] with s's workspace. If dst.Vectors is n×n with
// contiguous rows and dst.Values has length n, both are overwritten; what does
// not fit is replaced by new memory. dst may share memory with a, which is read
// first; dst.Values must not lie within dst.Vectors. After an error dst's contents
// are not specified.
func (s *Solver) Sym(dst *Spectrum, a mat.Matrix) error {
	scale, err := s.load("eig: Sym", a)
	if err != nil {
		return err
	}
	s.fit("eig: Sym", dst)
	if err := s.decompose(dst, scale); err != nil {
		return err
	}
	s.place(dst.Vectors)
	return nil
}

// fit gives dst room for a spectrum of order s.n.
func (s *Solver) fit(op string, dst *Spectrum) {
	n := s.n
	if len(dst.Values) != n {
		dst.Values = make([]float64, n)
	}
	v := dst.Vectors
	if v.Rows != n || v.Cols != n || n > 1 && v.ColStride != 1 {
		dst.Vectors = mat.New(n, n)
		return
	}
	mat.CheckDestination(op, "of the vectors", v)
	if mat.Overlap(v, mat.Vector(dst.Values)) {
		panic(text.Sprintf("%s: the destination of the values (%d×1) overlaps that of the vectors (%d×%d)", op, n, n, n))
	}
}

// decompose sets dst.Values to the eigenvalues of 2^scale times the matrix that load
// left, and the rows of s.dc.x to its vectors, in the order and with the signs as they
// come.
func (s *Solver) decompose(dst *Spectrum, scale int) error {
	if err := s.tridiagonalize(); err != nil {
		return err
	}
	if err := s.solveTridiagonal(); err != nil {
		return err
	}
	if err := s.backTransform(s.dc.x); err != nil {
		return err
	}
	return s.unscale(dst.Values, scale)
}

// stopped returns the error of Stop.
func (s *Solver) stopped() error {
	if s.Stop == nil {
		return nil
	}
	return s.Stop()
}

// solveTridiagonal overwrites s.d with the eigenvalues of the tridiagonal matrix
// (s.d, s.e), s.perm with their ascending order and the rows of s.dc.x with the
// eigenvectors in the order of s.d. What s.e holds afterwards does not matter.
func (s *Solver) solveTridiagonal() error {
	if err := s.dc.solve(s.d, s.e, false); err != nil {
		return err
	}
	if err := s.stopped(); err != nil {
		return err
	}
	s.sort()
	return nil
}

// SymValues is the function [SymValues] with s's workspace; dst has length n.
func (s *Solver) SymValues(dst []float64, a mat.Matrix) error {
	if len(dst) != a.Rows {
		panic(text.Sprintf("eig: SymValues: %d values for a %d×%d matrix", len(dst), a.Rows, a.Cols))
	}
	scale, err := s.load("eig: SymValues", a)
	if err != nil {
		return err
	}
	if err := s.tridiagonalize(); err != nil {
		return err
	}
	if err := s.dc.solve(s.d, s.e, true); err != nil {
		return err
	}
	s.sort()
	return s.unscale(dst, scale)
}

// load sizes the workspace and copies the lower triangle of a, divided by
// 2^scale: the diagonal to s.d, the rest to the strict lower triangle of s.u,
// with zeros above. The largest magnitude becomes at least 1/2 and less than 1
// (down to 2⁻⁵¹ for a matrix of subnormal numbers), so that squares neither
// overflow nor vanish.
func (s *Solver) load(op string, a mat.Matrix) (scale int, err error) {
	if a.Rows != a.Cols {
		panic(text.Sprintf("%s: a %d×%d matrix is not square", op, a.Rows, a.Cols))
	}
	mat.CheckSource(op, "the matrix", a)
	if !a.IsDistinct() {
		a = a.Clone() // the kernels take rows or columns that lie apart
	}
	largest := largestLower(a)
	if !(largest <= math.MaxFloat64) {
		i, j, _ := mat.NonFiniteLower(a)
		return 0, &NonFiniteError{Row: i, Col: j, Value: a.At(i, j)}
	}
	s.grow(a.Rows)
	_, scale = math.Frexp(largest)
	scale = max(scale, -1023)
	factor := math.Ldexp(1, -scale)
	if a.ColStride != 1 {
		copyLower(s.u, a)
		a = s.u.Slice(0, s.n, 0, s.n)
	}
	for i := range s.n {
		row := s.u.Row(i)
		asm.Scale(row[:i+1], factor, a.Row(i)[:i+1])
		s.d[i] = row[i]
		clear(row[i:])
	}
	s.u.Slice(s.n, s.u.Rows, 0, s.u.Cols).Fill(0)
	return scale, nil
}

// largestLower returns the largest magnitude in the lower triangle of a, NaN if
// there is one.
func largestLower(a mat.Matrix) float64 {
	var largest float64
	for i := range a.Rows {
		switch {
		case a.ColStride == 1:
			largest = max(largest, asm.MaxAbs(a.Row(i)[:i+1]))
		case a.RowStride == 1:
			largest = max(largest, asm.MaxAbs(a.T().Row(i)[i:]))
		default:
			for j := range i + 1 {
				largest = max(largest, math.Abs(a.Data[i*a.RowStride+j*a.ColStride]))
			}
		}
	}
	return largest
}

// copyLower copies the lower triangle of a to that of dst, whose rows are
// contiguous: row by row, or in blocks that keep both matrices' cache lines warm.
func copyLower(dst, a mat.Matrix) {
	n := a.Rows
	if a.ColStride == 1 {
		for i := range n {
			copy(dst.Row(i), a.Row(i)[:i+1])
		}
		return
	}
	const nb = 32
	for i0 := 0; i0 < n; i0 += nb {
		i1 := min(i0+nb, n)
		for j0 := 0; j0 < i0; j0 += nb {
			to, from := dst.Data[i0*dst.RowStride+j0:], a.Data[i0*a.RowStride+j0*a.ColStride:]
			if a.RowStride == 1 {
				asm.Transpose(to, dst.RowStride, from, a.ColStride, nb, i1-i0)
			} else {
				mat.Copy(dst.Slice(i0, i1, j0, j0+nb), a.Slice(i0, i1, j0, j0+nb))
			}
		}
		for i := i0; i < i1; i++ {
			for j := i0; j <= i; j++ {
				dst.Data[i*dst.RowStride+j] = a.Data[i*a.RowStride+j*a.ColStride]
			}
		}
	}
}

// grow sizes the workspace for order n; it allocates only beyond the largest
// order met so far.
func (s *Solver) grow(n int) {
	s.n = n
	ld := (n + 7) &^ 7
	s.u = mat.NewDense(ld, ld, resize(s.u.Data, ld*ld))
	s.d = resize(s.d, n)
	s.e = resize(s.e, n)
	s.tau = resize(s.tau, n)
	s.perm = resize(s.perm, n)

	width := panelWidth(n)
	s.panel = resize(s.panel, 3*width*ld)
	s.coefficients = resize(s.coefficients, 2*width)
	p := &s.product
	p.u, p.n, p.ld, p.backward = s.u.Data, n, ld, false
	p.rows = resize(p.rows, ld)
	p.columns = resize(p.columns, symvParts(n)*ld)

	s.blocks.grow(n)
}

// resize returns a slice of length n, of s's memory if that is large enough.
func resize[T any](s []T, n int) []T {
	if s == nil || cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// sort sets s.perm to the order that makes s.d ascending.
func (s *Solver) sort() {
	for i := range s.perm {
		s.perm[i] = i
	}
	d := s.d
	slices.SortStableFunc(s.perm, func(i, j int) int { return cmp.Compare(d[i], d[j]) })
}

// unscale writes the sorted eigenvalues times 2^scale to dst.
func (s *Solver) unscale(dst []float64, scale int) error {
	for j, p := range s.perm {
		dst[j] = math.Ldexp(s.d[p], scale)
		if math.IsInf(dst[j], 0) {
			return &OverflowError{Index: j, Log2: math.Log2(math.Abs(s.d[p])) + float64(scale)}
		}
	}
	return nil
}

// signShare is the share of a column's largest magnitude from which on an
// element may decide its sign. It is below 1 so that elements that are equal by
// symmetry, and differ by rounding, do not compete.
const signShare = 0.9

// placing brings vectors from the rows of x to the columns of v.
type placing struct {
	v, x mat.Matrix
	perm []int // row of x for each column of v
}

// placedTogether is the number of vectors that are brought to their columns at once.
const placedTogether = 32

// place sets the columns of v to the rows of s.dc.x in the order s.perm. A vector is
// multiplied by −1 where the first element whose magnitude is at least signShare of
// its largest is negative.
func (s *Solver) place(v mat.Matrix) {
	s.placed = placing{v, s.dc.x, s.perm}
	mat.Run((s.n+placedTogether-1)/placedTogether, &s.placed)
	s.placed = placing{} // v is the caller's
}

// Do brings group i of the vectors.
func (p *placing) Do(i int) {
	n := len(p.perm)
	group := p.perm[i*placedTogether : min((i+1)*placedTogether, n)]
	buffer := mat.Borrow(len(group) * n)
	for j, from := range group {
		row := p.x.Row(from)
		asm.Scale((*buffer)[j*n:(j+1)*n], signOf(row), row)
	}
	asm.Transpose(p.v.Data[i*placedTogether:], p.v.RowStride, *buffer, n, len(group), n)
	mat.GiveBack(buffer)
}

// signOf returns the sign of the element that decides x's.
func signOf(x []float64) float64 {
	enough := signShare * asm.MaxAbs(x)
	const block = 32
	for len(x) > block && asm.MaxAbs(x[:block]) < enough {
		x = x[block:]
	}
	for math.Abs(x[0]) < enough {
		x = x[1:]
	}
	return math.Copysign(1, x[0])
}
