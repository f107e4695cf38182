package predict

import (
	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
)

// A room lends storage to one prediction at a time, which gives all of it back at once: predictions one after the other take it from
// the same pieces of memory. What it lends is 0 but where it says otherwise. A nil room allocates.
type room struct {
	numbers []float64
	used    int // of numbers
	wanted  int // numbers at most; where they were too few, the next call has as many

	values [kinds]any // lists of pointers
	count  [kinds]int // lent of them

	scratch psi.Scratch
	product kronprod.Workspace
	columns [][]float64
	held    int // of columns
}

// A kind of what is lent beside numbers.
type kind int

// The kinds, and how many they are.
const (
	marginalKind kind = iota
	timeKind
	kinds
)

// maxLent is how many numbers a room lends at once, and ten times as many in all. What takes more is allocated, and collected as soon as it is not needed.
const maxLent = 1 << 20

// rowBlocks is into how many blocks rows are cut at most.
const rowBlocks = 32

// begin takes all of it back.
func (r *room) begin() {
	if n := min(r.wanted, 10*maxLent); n > len(r.numbers) {
		r.numbers = make([]float64, n)
	}
	r.used, r.wanted, r.held = 0, 0, 0
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
	if r == nil || n > maxLent {
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

// clone lends a copy.
func (r *room) clone(a mat.Matrix) mat.Matrix {
	c := r.result(a.Rows, a.Cols)
	mat.Copy(c, a)
	return c
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
	used, held int
	count      [kinds]int
}

// mark returns what is lent now, and release takes back what was lent since.
func (r *room) mark() (l loan) {
	if r != nil {
		l = loan{r.used, r.held, r.count}
	}
	return l
}

func (r *room) release(l loan) {
	if r != nil {
		r.used, r.held, r.count = l.used, l.held, l.count
	}
}
