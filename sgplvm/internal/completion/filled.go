package completion

import (
	"context"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/internal/simple"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/dynamics"
)

// Filled are completed values of all examples with their variances, and what was missing.
type Filled struct {
	Y, Variance mat.Matrix
	Holes       *Mask
	Points      mat.Matrix // in mean spacings
	Channels    int
	At          []data.Instant
	Series      *Folding // whose periods the examples are; nil: they are none
	Film        bool     // the examples are its frames

	Start *simple.Start // of principal components, which methods share; nil: they do not

	// Beside returns the methods that fill in values by other views of the examples, all of which a mask says that they are missing; nil: there are no such views.
	Beside func(missing []bool) []Filler
}

// GapTimes returns the times of the examples in which gaps are looked for: nil of films, of which no gaps are held out.
func (f *Filled) GapTimes() []data.Instant {
	if f.Film {
		return nil
	}
	return f.At
}

// Kinds returns the kind of each missing value. A step that a folded series does not have misses none.
func (f *Filled) Kinds() []Kind {
	kinds := f.Holes.KindsOf(f.GapTimes(), f.Points, f.Channels)
	if f.Series == nil {
		return kinds
	}
	there, size := make([]bool, f.Y.Rows*f.Series.Steps), f.Y.Cols/f.Series.Steps
	for _, at := range f.Series.Place {
		there[at] = true
	}
	for k := range kinds {
		if !there[k/size] {
			kinds[k] = KindCount
		}
	}
	return kinds
}

// Fillers returns the simplest methods. They fill in the held-out values, or all missing ones if held is nil.
func (f *Filled) Fillers(held []HeldValue, seed uint64) []Filler {
	missing, wanted := f.Holes.Missing, []bool(nil)
	if held != nil {
		missing, wanted = f.Hiding(held).Missing, make([]bool, len(missing))
		for _, v := range held {
			wanted[v.Example*f.Holes.Size+v.Value] = true
		}
	}
	list := fillers(f.Start, f.Y, missing, wanted, f.Points, f.Channels, f.At, seed)
	if f.Beside != nil {
		list = append(list, f.Beside(missing)...)
	}
	if f.Film { // whose frames are like those beside them, which motion tells of
		list = slices.DeleteFunc(list, func(m Filler) bool { return m.Name == simple.Local })
	}
	if f.Series == nil {
		return list
	}
	list = slices.DeleteFunc(list, func(m Filler) bool { return m.Name != simple.Components })
	for i := range list {
		list[i].Name += " of periods"
	}
	// The methods on the series, not folded.
	n, size := f.Y.Rows*f.Series.Steps, f.Y.Cols/f.Series.Steps
	at := make([]data.Instant, n)
	for k := range at {
		at[k].Time = float64(k)
	}
	for _, m := range fillers(new(simple.Start), mat.NewDense(n, size, f.Y.Data), missing, wanted, mat.New(1, 1), size, at, seed) {
		list = append(list, Filler{Name: m.Name, Fill: func(ctx context.Context) (mean, variance mat.Matrix, err error) {
			if mean, variance, err = m.Fill(ctx); err == nil {
				mean, variance = mat.NewDense(f.Y.Rows, f.Y.Cols, mean.Data), mat.NewDense(f.Y.Rows, f.Y.Cols, variance.Data)
			}
			return mean, variance, err
		}})
	}
	return list
}

// Hiding returns the mask with further values missing.
func (f *Filled) Hiding(list []HeldValue) *Mask {
	h := &Mask{Size: f.Holes.Size, Missing: slices.Clone(f.Holes.Missing)}
	for _, v := range list {
		h.Missing[v.Example*h.Size+v.Value] = true
	}
	return h
}

// SetKinds sets the kinds of held-out values, which list has one after the other.
func (f *Filled) SetKinds(list []HeldValue, held []Held) {
	kinds, i := f.Hiding(list).KindsOf(f.GapTimes(), f.Points, f.Channels), 0
	for _, r := range held {
		for k := range r.Values() {
			if list[i].Kind = kinds[list[i].Example*f.Holes.Size+k]; slices.Contains(r.Gaps, k) { // however much of the gap was hidden
				list[i].Kind = KindGaps
			}
			i++
		}
	}
}

// A Filler is a method that needs no search. Fill returns all values of all examples, NaN where it leaves one open.
type Filler struct {
	Name string
	Sure bool // it has a share only where it is surely better than the others
	Fill func(ctx context.Context) (mean, variance mat.Matrix, err error)
}

// Once returns methods that keep what they filled in: a method may have shares of several kinds of missing values.
func Once(methods []Filler) []Filler {
	for i := range methods {
		m := &methods[i]
		fill, done := m.Fill, false
		var mean, variance mat.Matrix
		m.Fill = func(ctx context.Context) (mat.Matrix, mat.Matrix, error) {
			var err error
			if !done {
				mean, variance, err = fill(ctx)
				done = err == nil
			}
			return mean, variance, err
		}
	}
	return methods
}

// ByComponents fills in what is missing by principal components; what these leave open by 0. Errors: ctx.Err(), those of chol.
func (f *Filled) ByComponents(ctx context.Context) error {
	mean, _, err := simple.PrincipalComponents.Fill(ctx, examples(f.Start, f.Y, f.Holes.Missing, f.Points, f.Channels))
	return f.start(mean, err)
}

// ByMeans fills in what is missing by the mean of each point. Errors: ctx.Err().
func (f *Filled) ByMeans(ctx context.Context) error {
	mean, _, err := fillers(nil, f.Y, f.Holes.Missing, nil, f.Points, f.Channels, nil, 0)[0].Fill(ctx)
	return f.start(mean, err)
}

// start sets what is missing to means, 0 where they are open.
func (f *Filled) start(mean mat.Matrix, err error) error {
	if err != nil {
		return err
	}
	for k, v := range mean.Data {
		if f.Holes.Missing[k] {
			if f.Y.Data[k] = v; v != v {
				f.Y.Data[k] = 0
			}
		}
	}
	return nil
}

// Censor replaces the values that were observed at the limit of their channel, or below, by their means given the others (simple.Censor). Errors: those of it.
func (f *Filled) Censor(ctx context.Context, limits []float64) error {
	return simple.Censor(ctx, examples(nil, f.Y, f.Holes.Missing, f.Points, f.Channels), limits)
}

// Incomplete returns the examples of which values are missing.
func (f *Filled) Incomplete() (list []int) {
	for i := range f.Y.Rows {
		if f.Holes.Any(i) {
			list = append(list, i)
		}
	}
	return list
}

// Observed returns what was observed of an example, points×channels, NaN elsewhere.
func (f *Filled) Observed(example int) mat.Matrix {
	seen := mat.NewDense(f.Y.Cols/f.Channels, f.Channels, slices.Clone(f.Y.Row(example)))
	for k, missing := range f.Holes.Of(example) {
		if missing {
			seen.Data[k] = math.NaN()
		}
	}
	return seen
}

// SetMissing sets what is missing of an example.
func (f *Filled) SetMissing(example int, mean, variance []float64) {
	for k, missing := range f.Holes.Of(example) {
		if missing {
			f.Y.Row(example)[k], f.Variance.Row(example)[k] = mean[k], variance[k]
		}
	}
}

// TakeBack restores the held-out values.
func (f *Filled) TakeBack() {
	for _, r := range f.Holes.HeldOut {
		for k, v := range r.Values() {
			f.Y.Row(r.Example)[k], f.Variance.Row(r.Example)[k] = v, 0
		}
	}
	f.Holes.HeldOut = nil
}

// Table reports whether examples are rows of several columns.
func (f *Filled) Table() bool {
	points := f.Points.Rows
	if f.Series != nil {
		points /= f.Series.Steps
	}
	return points == 1 && f.Channels > 1
}

// examples returns values with a mask as package simple has them. A single point lies nowhere.
func examples(start *simple.Start, y mat.Matrix, missing []bool, x mat.Matrix, channels int) simple.Data {
	d := simple.Data{Y: y, Missing: missing, Channels: channels, Start: start}
	if x.Rows > 1 {
		d.Points = x
	}
	return d
}

// fillers returns the simplest methods for values with a mask. They fill in the wanted values at least, all for nil.
func fillers(start *simple.Start, y mat.Matrix, missing, wanted []bool, x mat.Matrix, channels int, at []data.Instant, seed uint64) (list []Filler) {
	d := examples(start, y, missing, x, channels)
	d.Wanted, d.Seed = wanted, seed
	for _, a := range at {
		d.Times, d.Sequences = append(d.Times, a.Time), append(d.Sequences, a.Sequence)
	}
	for _, m := range simple.Methods(d) {
		list = append(list, Filler{Name: m.Name, Fill: func(ctx context.Context) (mean, variance mat.Matrix, err error) { return m.Fill(ctx, d) }})
	}
	if at == nil {
		return list
	}
	list = append(list, Filler{Name: "each column over time by itself", Fill: func(ctx context.Context) (mean, variance mat.Matrix, err error) {
		mean, variance = mat.New(y.Rows, y.Cols), mat.New(y.Rows, y.Cols)
		return mean, variance, dynamics.FillSeries(ctx, mean, variance, y, missing, d.Times, d.Sequences)
	}})
	if y.Cols > 1 && y.Rows >= minRowsEach*y.Cols {
		list = append(list, Filler{Name: "each column over time beside the others", Fill: func(ctx context.Context) (mean, variance mat.Matrix, err error) { return fillBesideOthers(ctx, d) }})
	}
	return list
}
