package predict

import (
	"slices"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// A room lends storage to one example at a time, which gives all of it back at once: examples that are filled in one after the other take it from
// the same pieces of memory. What it lends is 0 but where it says otherwise. A nil room allocates.
type room struct {
	numbers []float64
	used    int // of numbers
	wanted  int // numbers at most; where they were too few, the next example has as many
	places  []int
	taken   int
	lacking int // places at most

	values [kinds]any // lists of pointers
	count  [kinds]int // lent of them

	solver  eig.Solver
	symm    eig.Spectrum
	scratch psi.Scratch
	product kronprod.Workspace
	indices [][]int
	listed  int
	columns [][]float64
	held    int // of columns
	starts  []Latent
	chosen  []*chol.Factor
}

// A kind of what is lent beside numbers.
type kind int

// The kinds, and how many they are.
const (
	factorKind kind = iota
	exampleKind
	evidenceKind
	formKind
	observationKind
	equationsKind
	noiseKind
	marginalKind
	priorKind
	timeKind
	termsKind
	kinds
)

// mostLent is how many numbers a room lends at once, and ten times as many in all. What takes more is allocated, and collected as soon as it is not needed.
const mostLent = 1 << 20

// rowBlocks is into how many blocks rows are cut at most.
const rowBlocks = 32

// begin takes all of it back.
func (r *room) begin() {
	if n := min(r.wanted, 10*mostLent); n > len(r.numbers) {
		r.numbers = make([]float64, n)
	}
	if n := min(r.lacking, mostLent); n > len(r.places) {
		r.places = make([]int, n)
	}
	r.used, r.wanted, r.taken, r.lacking, r.listed, r.held = 0, 0, 0, 0, 0, 0
	r.count = [kinds]int{}
}

// vector lends n numbers.
func (r *room) vector(n int) []float64 {
	v := r.written(n)
	clear(v)
	return v
}

// written lends n numbers of any value, all of which will be written.
func (r *room) written(n int) []float64 {
	if r == nil || n > mostLent {
		return make([]float64, n)
	}
	from := r.used
	r.used += n
	r.wanted = max(r.wanted, r.used)
	if r.used > len(r.numbers) {
		return make([]float64, n)
	}
	return r.numbers[from:r.used:r.used]
}

// matrix lends an r×c matrix.
func (r *room) matrix(rows, cols int) mat.Matrix {
	return mat.NewDense(rows, cols, r.vector(rows*cols))
}

// result lends an r×c matrix of any values, all of which will be written.
func (r *room) result(rows, cols int) mat.Matrix {
	return mat.NewDense(rows, cols, r.written(rows*cols))
}

// list lends an empty list for n places.
func (r *room) list(n int) []int {
	if r == nil {
		return make([]int, 0, n)
	}
	from := r.taken
	r.taken += n
	r.lacking = max(r.lacking, r.taken)
	if r.taken > len(r.places) {
		return make([]int, 0, n)
	}
	return r.places[from:from:r.taken]
}

// noughts lends n places, 0 each.
func (r *room) noughts(n int) []int {
	l := r.list(n)[:n]
	clear(l)
	return l
}

// clone lends a copy.
func (r *room) clone(a mat.Matrix) mat.Matrix {
	c := r.result(a.Rows, a.Cols)
	mat.Copy(c, a)
	return c
}

// gather lends the given rows of a.
func (r *room) gather(a mat.Matrix, rows []int) mat.Matrix {
	g := r.result(len(rows), a.Cols)
	work.GatherTo(g, a, rows)
	return g
}

// columnSquares lends the sums of squares of the columns of a.
func (r *room) columnSquares(a mat.Matrix) []float64 {
	sums := r.vector(a.Cols)
	work.AddColumnSquares(sums, a)
	return sums
}

// times lends o·x.
func (r *room) times(o kronprod.Operator, x []float64) []float64 {
	v, w := r.written(o.Rows()), (*kronprod.Workspace)(nil)
	if r != nil {
		w = &r.product
	}
	o.Mul(mat.Vector(v), mat.Vector(x), w)
	return v
}

// factorize lends the Cholesky factor of a. Errors: those of chol.Factorize.
func (r *room) factorize(a mat.Matrix) (*chol.Factor, error) {
	if r == nil || a.Rows*a.Rows > mostLent {
		return chol.Factorize(a)
	}
	f := lend[chol.Factor](r, factorKind)
	return f, f.Refactorize(a)
}

// sym lends the eigenvalues and eigenvectors of a, until it is asked again. Errors: those of eig.Sym.
func (r *room) sym(a mat.Matrix) (eig.Spectrum, error) {
	if r == nil {
		return eig.Sym(a)
	}
	err := r.solver.Sym(&r.symm, a)
	return r.symm, err
}

// moments returns those of q, of n inducing points. Of what they hold only Psi2 is lent.
func (r *room) moments(st *psi.Statistics, n int, q psi.Q) (m psi.Moments) {
	if r == nil {
		return st.Moments(new(psi.Scratch), q)
	}
	m.Psi1, m.Spread = r.matrix(n, 1), r.matrix(n, n)
	st.SetMoments(&m, &r.scratch, q)
	return m
}

// one is psi.One, of which it lends the time.
func (r *room) one(mu, s []float64, at *data.Instant) psi.Q {
	q := psi.One(mu, s, nil)
	if at != nil {
		lent := lend[[1]data.Instant](r, timeKind)
		lent[0], q.At = *at, lent[:]
	}
	return q
}

// split lends the indices of every factor of some joint indices.
func (r *room) split(points, dims []int) [][]int {
	l := r.lists(len(dims))
	if len(dims) == 1 {
		l[0] = points
		return l
	}
	for f := range l {
		l[f] = r.list(len(points))
	}
	index := r.noughts(len(dims))
	for _, joint := range points {
		data.Split(index, joint, dims)
		for f, i := range index {
			l[f] = append(l[f], i)
		}
	}
	return l
}

// lists lends n empty lists.
func (r *room) lists(n int) [][]int {
	if r == nil {
		return make([][]int, n)
	}
	from := r.listed
	r.listed += n
	if r.listed > len(r.indices) {
		r.indices = append(r.indices, make([][]int, r.listed-len(r.indices))...)
	}
	l := r.indices[from:r.listed:r.listed]
	clear(l)
	return l
}

// rows lends an empty list for n vectors.
func (r *room) rows(n int) [][]float64 {
	if r == nil {
		return make([][]float64, 0, n)
	}
	from := r.held
	r.held += n
	if r.held > len(r.columns) {
		r.columns = append(r.columns, make([][]float64, r.held-len(r.columns))...)
	}
	return r.columns[from:from:r.held]
}

// latents lends an empty list for n of them, until it is asked again.
func (r *room) latents(n int) []Latent {
	if r == nil {
		return make([]Latent, 0, n)
	}
	r.starts = slices.Grow(r.starts[:0], n)
	return r.starts
}

// pointers lends n to factors, until it is asked again.
func (r *room) pointers(n int) []*chol.Factor {
	if r == nil {
		return make([]*chol.Factor, n)
	}
	r.chosen = slices.Grow(r.chosen[:0], n)[:n]
	clear(r.chosen)
	return r.chosen
}

// lend lends a value of one kind, as it was left.
func lend[T any](r *room, k kind) *T {
	if r == nil {
		return new(T)
	}
	all, _ := r.values[k].([]*T)
	if r.count[k] == len(all) {
		all = append(all, new(T))
		r.values[k] = all
	}
	r.count[k]++
	return all[r.count[k]-1]
}

// A loan is what a room had lent at a time.
type loan struct {
	used, taken, listed, held int
	count                     [kinds]int
}

// mark returns what is lent now, and release takes back what was lent since.
func (r *room) mark() (l loan) {
	if r != nil {
		l = loan{r.used, r.taken, r.listed, r.held, r.count}
	}
	return l
}

func (r *room) release(l loan) {
	if r != nil {
		r.used, r.taken, r.listed, r.held, r.count = l.used, l.taken, l.listed, l.held, l.count
	}
}
