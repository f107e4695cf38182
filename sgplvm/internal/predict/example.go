package predict

import (
	"cmp"
	"fmt"
	"math"
	"sync"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/points"
)

// An example is a partly seen example in the model's units, on a projected grid, in room of its own.
type example struct {
	on    *projection
	w     *points.Workspace
	home  *sync.Pool
	start []int // training example of each starting point; nil: its number

	values  []float64 // n_s*·d_y, scaled, NaN where missing
	squares []float64 // of known standard errors, as values
	inexact bool      // there are any
	all     []float64 // values with outliers, where these were left out
	scores  []float64 // of values that were left out
	judged  bool      // some were

	prior field.Latent // what is known of the latent variables before values are; Mu nil: standard normal
	known bool         // Observed.Prior was given
}

// release gives back the room.
func (e *example) release() { e.home.Put(e) }

// farOff bounds the scaled observations and their standard errors, so that squares do not overflow.
const farOff = 1e100

// observe checks an example and scales it; the caller releases it. Errors: *field.ConfigError, *field.ValueError.
func (q *Posterior) observe(obs field.Observed, width width) (*example, error) {
	g := obs.Grid
	if g == nil {
		g = q.grid
	}
	if err := q.checkGrid(g); err != nil {
		return nil, err
	}
	if n := g[0].Rows; n > maxTogether && n > q.grid[0].Rows {
		return nil, &field.ConfigError{Field: "Observed", Err: fmt.Errorf("an example at %d points of one factor, expected at most %d: their covariances are formed", n, maxTogether)}
	}
	if len(g) > points.MaxFactors {
		return nil, &field.ConfigError{Field: "Observed", Err: fmt.Errorf("an example at points of %d spatial factors, expected at most %d", len(g), points.MaxFactors)}
	}
	v := obs.Values
	if v.Rows != g.Len() || v.Cols != q.channels() {
		return nil, &field.ConfigError{Field: "Observed", Err: fmt.Errorf("values are %d×%d, expected %d points × %d channels", v.Rows, v.Cols, g.Len(), q.channels())}
	}
	most, least, all := 1, math.MaxInt, 0
	for c := range v.Cols {
		seen := 0
		for i := range v.Rows {
			if x := v.At(i, c); math.IsInf(x, 0) {
				return nil, &field.ValueError{Point: i, Channel: c, Value: x, Want: "a finite number, or NaN where nothing was observed"}
			} else if x == x {
				seen++
			}
		}
		most, least, all = max(most, seen), min(least, seen), all+seen
	}
	var logDet float64 // of the prior's precision
	if obs.Prior != nil {
		var err error
		if logDet, err = q.checkPrior(*obs.Prior); err != nil {
			return nil, &field.ConfigError{Field: "Prior", Err: err}
		}
	}
	if width == usual {
		width = widthFor(least, all)
	}
	e := q.filler(q.projection(g)).take(most, width)
	if err := e.setValues(q, obs); err != nil {
		e.release()
		return nil, err
	}
	e.setPrior(obs.Prior, logDet)
	e.take()
	return e, nil
}

// setValues scales values and their errors. Errors: *field.ConfigError, *field.ValueError.
func (e *example) setValues(q *Posterior, obs field.Observed) error {
	v := obs.Values
	e.judged = false
	for i := range v.Rows {
		for c, scale := range q.scaler.Scale {
			x := (v.At(i, c) - q.scaler.Mean[c]) / scale
			if math.Abs(x) > farOff {
				return &field.ValueError{Point: i, Channel: c, Value: v.At(i, c), Want: fmt.Sprintf("a value within %g standard deviations of the channel's mean", farOff)}
			}
			e.values[i*v.Cols+c] = x
		}
	}
	s := obs.Errors
	if e.inexact = s.Rows > 0 || s.Cols > 0; !e.inexact {
		return nil
	}
	if s.Rows != v.Rows || s.Cols != v.Cols {
		return &field.ConfigError{Field: "Observed", Err: fmt.Errorf("standard errors are %d×%d, expected %d points × %d channels", s.Rows, s.Cols, v.Rows, v.Cols)}
	}
	for i := range s.Rows {
		for c, scale := range q.scaler.Scale {
			k := i*s.Cols + c
			if e.squares[k] = 0; e.values[k] != e.values[k] {
				continue
			}
			x := s.At(i, c) / scale
			if !(x >= 0 && x <= farOff) {
				return &field.ValueError{Point: i, Channel: c, Value: s.At(i, c), Want: fmt.Sprintf("a standard error, from 0 to %g standard deviations of the channel, of a value that was observed", farOff)}
			}
			e.squares[k] = x * x
		}
	}
	return nil
}

// setPrior sets the prior to Observed.Prior, of whose precision it is given the logarithm of the determinant.
func (e *example) setPrior(l *field.Latent, logDet float64) {
	if e.known = l != nil; !e.known {
		e.prior = field.Latent{}
		e.w.SetPrior(nil, nil)
		e.w.SetTime(nil)
		return
	}
	e.prior = *l
	e.w.SetPrior(l.Mu, l.S)
	e.w.SetPriorPrecision(l.Precision, logDet)
	e.w.SetTime(l.At)
}

// take has the room take over the values.
func (e *example) take() {
	if e.inexact {
		e.w.ObserveInexact(e.values, e.squares)
	} else {
		e.w.Observe(e.values)
	}
}

// latent returns the latent posterior, of which the slices are the room's.
func (e *example) latent() field.Latent {
	l := e.w.Latent()
	if l.Start >= 0 && e.start != nil {
		l.Start = e.start[l.Start]
	}
	return field.Latent{Mu: l.Mu, S: l.S, Bound: l.Bound, Start: l.Start, At: e.prior.At, Seen: e.w.Observed() > 0 || e.prior.Seen}
}

// checkPrior compares a prior with the model; its variances must have inverses. It returns log |Precision|, 0 without one.
func (q *Posterior) checkPrior(l field.Latent) (logDet float64, err error) {
	if err := q.checkLatent(l); err != nil {
		return 0, err
	}
	for i, v := range l.S {
		if !(1/v > 0 && 1/v < math.Inf(1)) {
			return 0, fmt.Errorf("dimension %d: variance %v, expected a positive number with an inverse", i, v)
		}
	}
	if d := l.Precision.Rows; d == 0 {
		return 0, nil
	} else if d != len(l.S) || l.Precision.Cols != d {
		return 0, fmt.Errorf("a precision of %d×%d, expected %d×%d", d, l.Precision.Cols, len(l.S), len(l.S))
	}
	f, err := chol.Factorize(l.Precision)
	if err != nil {
		return 0, fmt.Errorf("precision: %w", err)
	}
	return f.LogDet(), nil
}

// A width is that of a room: for covariances of the values that are used at once, of those near missing ones, or of all points.
type width int

const (
	usual width = iota
	narrow
	wide
)

// widthFor returns the width for an example of so many values in the channel with the fewest, and in all, of which half are outliers at most.
func widthFor(least, all int) width {
	if 2*(least-conditioning.exact) > all+1 {
		return narrow
	}
	return usual
}

// RoomMemory is how many bytes an example takes of which so many points are observed (0: all).
func (q *Posterior) RoomMemory(seen int) float64 {
	seen = min(cmp.Or(seen, q.grid.Len()), q.grid.Len())
	e := q.filler(q.projection(q.grid)).take(seen, widthFor(seen, seen*q.channels()))
	defer e.release()
	return 8 * float64(e.w.Numbers()+3*len(e.values))
}

// take returns an example with room for so many observed values of a channel.
func (f *filler) take(most int, width width) *example {
	spare := &f.spare[width]
	if e, _ := spare.Get().(*example); e != nil && e.w.Most() >= most {
		return e
	}
	n := f.on.grid.Len()
	e := &example{on: f.on, home: spare, start: f.start}
	switch room := min(n, most+most/4+1); width {
	case usual:
		e.w = f.model.NewWorkspace(room)
	case narrow:
		e.w = f.model.NewNarrowWorkspace(room)
	case wide:
		e.w = f.model.NewWideWorkspace()
	}
	size := n * len(f.on.p)
	e.values, e.squares, e.scores = make([]float64, size), make([]float64, size), make([]float64, size)
	return e
}
