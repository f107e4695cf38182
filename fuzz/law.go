package fuzz

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Library is what laws judge: operations of a linear-algebra library, each in the form that its field says. What is nil is not
// judged. Where "lower" is said, only the lower triangle is read and written. A function may panic to refuse its arguments only
// where a law says so (non-finite input, overlap).
//
// For operations on plain slices see [Slices], for a Cholesky factorisation that does not tell the failing pivot [NotTold].
type Library struct {
	// Mul sets dst = alpha·a·b + beta·dst, as [mat.Mul].
	Mul func(dst mat.Matrix, alpha float64, a, b mat.Matrix, beta float64)
	// MulSym is Mul for a product known to be symmetric; lower.
	MulSym func(dst mat.Matrix, alpha float64, a, b mat.Matrix, beta float64)
	// Syrk sets dst = alpha·a·aᵀ + beta·dst; lower.
	Syrk func(dst mat.Matrix, alpha float64, a mat.Matrix, beta float64)
	// MulLower and MulUpper overwrite b with t·b, SolveLower and SolveUpper with t⁻¹·b, for a triangular t whose other triangle
	// is not read.
	MulLower, MulUpper, SolveLower, SolveUpper func(t, b mat.Matrix)

	// Cholesky returns the factor of a, of which it reads the lower triangle, and a.Rows; or the index of the first pivot that is
	// not positive; or [NotTold].
	Cholesky func(a mat.Matrix) (l mat.Matrix, failed int)
	// SolveSPD returns a⁻¹·b, InverseSPD a⁻¹ and LogDetSPD log|a| of a positive definite matrix.
	SolveSPD   func(a, b mat.Matrix) (mat.Matrix, error)
	InverseSPD func(a mat.Matrix) (mat.Matrix, error)
	LogDetSPD  func(a mat.Matrix) (float64, error)
	// Update and Downdate return the factor of a ± x·xᵀ, made from that of a.
	Update, Downdate func(a mat.Matrix, x []float64) (l mat.Matrix, err error)

	// Eig returns ascending eigenvalues and orthonormal eigenvectors, in columns, of a symmetric matrix of which it reads the
	// lower triangle; EigValues the eigenvalues alone.
	Eig       func(a mat.Matrix) (w []float64, v mat.Matrix, err error)
	EigValues func(a mat.Matrix) ([]float64, error)

	// Solve returns a⁻¹·b and Inverse a⁻¹ for any square matrix, LogDet log|det a| and the determinant's sign.
	Solve   func(a, b mat.Matrix) (mat.Matrix, error)
	Inverse func(a mat.Matrix) (mat.Matrix, error)
	LogDet  func(a mat.Matrix) (log, sign float64, err error)
	// LU returns p, l and u with row p[i] of a = row i of l·u, where l is m×k unit lower and u k×n upper triangular, k = min(m,
	// n), |l| ≤ 1.
	LU func(a mat.Matrix) (p []int, l, u mat.Matrix, err error)
	// QR returns a = q·r, m ≥ n, q m×n with orthonormal columns, r n×n upper.
	QR func(a mat.Matrix) (q, r mat.Matrix, err error)
	// SVD returns a = u·diag(s)·vᵀ with s descending, u m×k, v n×k, k = min(m, n).
	SVD func(a mat.Matrix) (u mat.Matrix, s []float64, v mat.Matrix, err error)

	// KronMul returns (A₁ ⊗ A₂ ⊗ …)·x, KronSolve (A₁ ⊗ …)⁻¹·b and KronLogDet log|A₁ ⊗ …| of positive definite factors; KronEig
	// the eigenvalues in the product's own order, and the factors' eigenvectors.
	KronMul    func(factors []mat.Matrix, x mat.Matrix) mat.Matrix
	KronSolve  func(factors []mat.Matrix, b mat.Matrix) (mat.Matrix, error)
	KronLogDet func(factors []mat.Matrix) (float64, error)
	KronEig    func(factors []mat.Matrix) (values []float64, vectors []mat.Matrix, err error)

	// Into are operations that write to a destination given by the caller, for the law of overlaps: see [Library.Destinations].
	Into []Operation

	// Minimize returns the lowest point that it saw, and f there; it hears ctx.
	Minimize func(ctx context.Context, f func(x, grad []float64) float64, x0 []float64) (x []float64, fx float64, err error)
	// Gradient is a function with its gradient, judged at points that Start draws.
	Gradient func(x, grad []float64) float64
	Start    func(s *Source) []float64
}

// NotTold is what Library.Cholesky returns for a matrix that it refuses without saying at which pivot.
const NotTold = -2

// Law is a statement about libraries that a [Trial] can refute.
type Law struct {
	Name  string
	Says  string   // one sentence
	Needs []string // fields of Library
	Gate  float64  // the largest residual that passes; 0 where the law holds to the bit
	Check func(t *Trial, x Library)
}

// Applies reports whether x has what the law needs.
func (l Law) Applies(x Library) bool {
	return !slices.ContainsFunc(l.Needs, func(field string) bool { return !x.has(field) })
}

// Trial is one test of one law: a source of what to test with, and the judge.
type Trial struct {
	*Source
	gate    float64
	worst   float64
	lock    sync.Mutex // of given, which is read while a trial hangs
	given   []Operand
	replace []mat.Matrix // instead of what is drawn, in the same order
	asked   int          // how many of these were taken
}

// Operand is a matrix that a law gave to the library.
type Operand struct {
	Name string
	mat.Matrix
}

// stop is the panic with which a trial ends early: broken is nil if there was nothing to test.
type stop struct{ broken error }

// broken ends the trial if there is an error.
func broken(err error) {
	if err != nil {
		panic(stop{err})
	}
}

// Fail ends the trial: the law is broken. nil is no failure.
func (t *Trial) Fail(err error) { broken(err) }

// Failf is Fail with a formatted text.
func (t *Trial) Failf(format string, args ...any) { t.Fail(fmt.Errorf(format, args...)) }

// Judge ends the trial as broken if the residual is not at most the law's gate.
func (t *Trial) Judge(what string, residual float64) {
	if !(residual <= t.worst) {
		t.worst = residual
	}
	if !(residual <= t.gate) {
		t.Failf("%s %.3g, gate %g", what, residual, t.gate)
	}
}

// Assume ends the trial without a verdict unless the law speaks of such input.
func (t *Trial) Assume(holds bool) {
	if !holds {
		panic(stop{})
	}
}

// Given makes m an operand of the trial and returns it, or, while a counterexample is made simpler, what stands in for it.
func (t *Trial) Given(name string, m mat.Matrix) mat.Matrix {
	if i := t.asked; i < len(t.replace) && t.replace[i].Rows == m.Rows && t.replace[i].Cols == m.Cols {
		m = t.replace[i].Clone()
	}
	t.Note(name, m)
	return m
}

// Note makes m known as an operand of the trial for which nothing may stand in.
func (t *Trial) Note(name string, m mat.Matrix) {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.asked++
	t.given = append(t.given, Operand{name, m.Clone()})
}

// Matrix is Given for a case. What stands in for one keeps its symmetry, and is known as well as naive algorithms know it.
func (t *Trial) Matrix(c Case) Case {
	m := t.Given("a", c.A)
	if SameBits(m, c.A) == nil {
		return c
	}
	return measured(c.Name+", made simpler", m)
}

// Options say how a law is tried. The zero value is ready.
type Options struct {
	Draws  int           // how many seeds; default 100
	Seed   uint64        // another one draws other matrices
	Orders []int         // see [Source.Orders]
	Most   int           // see [Source.Most]
	Least  int           // see [Source.Least]
	Limit  time.Duration // for one trial, the law's own references included; default 10 s, more is needed above order 200
	Shrink time.Duration // for making a counterexample simpler; default 3 s, negative: none
}

func (o Options) defaults() Options {
	o.Draws, o.Limit, o.Shrink = cmp.Or(o.Draws, 100), cmp.Or(o.Limit, 10*time.Second), cmp.Or(o.Shrink, 3*time.Second)
	return o
}

// sized gives a source the options about sizes.
func (o Options) sized(s *Source) *Source { return s.Orders(o.Orders...).Most(o.Most).Least(o.Least) }

// Verdict is what trials of a law came to.
type Verdict struct {
	Worst   float64 // residual that passed, or that broke the law
	Tried   int     // trials with a verdict
	Failure *Failure
}

// Run tries the law once, on what s draws, and returns nil or how it is broken. Operands stand in for those that the law draws,
// in their order.
func (l Law) Run(x Library, s *Source, operands ...mat.Matrix) *Failure {
	f, _, _ := l.run(x, s, operands, Options{}.defaults().Limit)
	return f
}

// run is one trial, with stand-ins for operands, that may take as long as limit.
func (l Law) run(x Library, s *Source, replace []mat.Matrix, limit time.Duration) (f *Failure, worst float64, tried bool) {
	t := &Trial{Source: s, gate: l.Gate, replace: replace}
	done := make(chan error, 1)
	empty := false
	go func() {
		defer func() {
			switch p := recover().(type) {
			case nil:
				done <- nil
			case stop:
				empty = p.broken == nil
				done <- p.broken
			default:
				done <- fmt.Errorf("panic: %v%s", p, where(debug.Stack()))
			}
		}()
		l.Check(t, x)
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	f = &Failure{Law: l, rounded: replace != nil, Options: Options{Orders: s.orders, Most: s.most, Least: s.least}}
	select {
	case broken := <-done:
		if broken == nil {
			return nil, t.worst, !empty
		}
		f.Place, f.Residual = broken, t.worst
	case <-timer.C: // the trial goes on
		f.Place, f.Residual, f.hung = fmt.Errorf("no answer within %v", limit), math.Inf(1), true
	}
	f.Bytes = s.Bytes()
	t.lock.Lock()
	f.Operands = slices.Clone(t.given)
	t.lock.Unlock()
	for _, m := range f.Operands {
		f.Order = max(f.Order, m.Rows, m.Cols)
	}
	f.First = f.Order
	return f, f.Residual, true
}

// seed is that of draw k. It differs from law to law, so that those that begin alike see different matrices.
func (l Law) seed(o Options, k uint64) uint64 {
	name := fnv.New32a()
	name.Write([]byte(l.Name))
	return o.Seed + uint64(name.Sum32()) + k
}

// Try tries the law on o.Draws seeds, ends at the first that breaks it, and makes the counterexample simpler. One with matrices
// without elements is the answer only if there is no other.
func (l Law) Try(x Library, o Options) Verdict {
	o = o.defaults()
	if !l.Applies(x) {
		return Verdict{}
	}
	v := l.tries(x, o)
	if v.Failure == nil {
		return v
	}
	full := o
	full.Least = max(o.Least, 1)
	if v.Failure.empty() {
		if w := l.tries(x, full); w.Failure != nil {
			v = w
		} else {
			full = o
		}
	}
	v.Failure = l.shrink(x, v.Failure, full)
	if f := v.Failure; !f.hung {
		plain := f.source()
		plain.plain = true
		g, _, _ := l.run(x, plain, f.matrices(), o.Limit)
		f.laid = g == nil && f.Again(x) != nil
	}
	return v
}

func (l Law) tries(x Library, o Options) (v Verdict) {
	for k := range uint64(o.Draws) {
		f, worst, tried := l.run(x, o.sized(New(l.seed(o, k))), nil, o.Limit)
		if tried {
			v.Tried++
		}
		v.Worst = max(v.Worst, worst)
		if f != nil {
			v.Failure = f
			break
		}
	}
	return v
}

// Check tries every law that applies to x and returns the failures, joined.
func Check(x Library, o Options) error {
	var all []error
	for _, l := range x.applying() {
		if v := l.Try(x, o); v.Failure != nil {
			all = append(all, v.Failure)
		}
	}
	return errors.Join(all...)
}
