package sgplvm

import (
	"context"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/validation"
)

// filledData are values of all examples, what was missing and the variances of what was filled in.
type filledData struct {
	y, variance mat.Matrix
	holes       *holes
	points      mat.Matrix // in mean spacings
	channels    int
	at          []data.Instant
	series      *folding // whose periods the examples are; nil: they are none
	film        bool     // the examples are its frames
}

// gapsAt are the times in which gaps are looked for: nil of films, whose points are not held out for a while.
func (f *filledData) gapsAt() []data.Instant {
	if f.film {
		return nil
	}
	return f.at
}

// kinds returns of which kind each missing value is; a step of a series that is not there misses none.
func (f *filledData) kinds() []kind {
	kinds := f.holes.kindsOf(f.gapsAt(), f.points, f.channels)
	if f.series == nil {
		return kinds
	}
	there, size := make([]bool, f.y.Rows*f.series.period), f.y.Cols/f.series.period
	for _, at := range f.series.place {
		there[at] = true
	}
	for k := range kinds {
		if !there[k/size] {
			kinds[k] = kindCount
		}
	}
	return kinds
}

// fillers returns the simplest methods, for values that were held out, or for all missing ones where none were.
func (f *filledData) fillers(held []heldValue, seed uint64) []filler {
	missing, wanted := f.holes.missing, []bool(nil)
	if held != nil {
		missing, wanted = f.hiding(held).missing, make([]bool, len(missing))
		for _, v := range held {
			wanted[v.example*f.holes.size+v.value] = true
		}
	}
	list := fillers(f.y, missing, wanted, f.points, f.channels, f.at, seed)
	if f.series == nil {
		return list
	}
	list = slices.DeleteFunc(list, func(m filler) bool { return m.name != "principal components" })
	for i := range list {
		list[i].name += " of periods"
	}
	// The same as a series.
	n, size := f.y.Rows*f.series.period, f.y.Cols/f.series.period
	at := make([]data.Instant, n)
	for k := range at {
		at[k].Time = float64(k)
	}
	for _, m := range fillers(mat.NewDense(n, size, f.y.Data), missing, wanted, mat.New(1, 1), size, at, seed) {
		list = append(list, filler{m.name, func(ctx context.Context) (mean, variance mat.Matrix, err error) {
			if mean, variance, err = m.fill(ctx); err == nil {
				mean, variance = mat.NewDense(f.y.Rows, f.y.Cols, mean.Data), mat.NewDense(f.y.Rows, f.y.Cols, variance.Data)
			}
			return mean, variance, err
		}})
	}
	return list
}

// hiding returns the holes of data of which further values are missing.
func (f *filledData) hiding(list []heldValue) *holes {
	h := &holes{size: f.holes.size, missing: slices.Clone(f.holes.missing)}
	for _, v := range list {
		h.missing[v.example*h.size+v.value] = true
	}
	return h
}

// lost reports whether the model is worse by so many standard errors than another method in all kinds of which values were held out.
func (c *contest) lost(errors float64) bool {
	for k := range kindCount {
		if model, _ := c.verdict(c.of("", k)); len(model.Losses) > 0 {
			w := c.winner[k]
			other, _ := c.verdict(c.list(w, k))
			if w.needsModel() || !validation.Worse(model, other, errors) {
				return false
			}
		}
	}
	return true
}

// needs reports whether a method has a part in what an entrant says.
func (e entrant) needs(name string) bool { return e.name == name || e.pair && e.and == name }

// needsModel reports whether the model has.
func (e entrant) needsModel() bool { return e.needs("") }

// wins reports whether a method fills in some of the missing values.
func (c *contest) wins(name string, kinds []kind) bool {
	return slices.ContainsFunc(kinds, func(k kind) bool { return k < kindCount && c.winner[k].needs(name) })
}

func countKinds(kinds []kind) (count [kindCount]int) {
	for _, k := range kinds {
		if k < kindCount {
			count[k]++
		}
	}
	return count
}

// fill puts what the winner says into the missing values of a kind, which hold what the model says. What it cannot tell stays.
func (c *contest) fill(ctx context.Context, k kind, kinds []kind, y, variance mat.Matrix, methods []filler) error {
	w := c.winner[k]
	if w.needsModel() && !w.pair && !(w.factor > 1) {
		return nil
	}
	say := func(name string) (mean, v mat.Matrix, err error) {
		if i := slices.IndexFunc(methods, func(m filler) bool { return m.name == name }); i >= 0 {
			return methods[i].fill(ctx)
		}
		return y, variance, nil
	}
	mean, v, err := say(w.name)
	if err != nil {
		return err
	}
	other, u := mean, v
	if w.pair {
		if other, u, err = say(w.and); err != nil {
			return err
		}
	}
	for i := range y.Rows {
		for j := range y.Cols {
			if kinds[i*y.Cols+j] != k {
				continue
			}
			a, b := mean.At(i, j), v.At(i, j)
			if w.pair {
				a, b = c.together(j, a, b, other.At(i, j), u.At(i, j))
			}
			if b *= w.factor; a-a == 0 && b > 0 && !math.IsInf(b, 1) {
				y.Set(i, j, a)
				variance.Set(i, j, b)
			}
		}
	}
	return nil
}
