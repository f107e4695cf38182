package sgplvm

import (
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
)

// A long series of regular times that repeats itself, such as hours by day, is learned from as one example a period: what is seen at one time of the day
// tells of the same time on other days, and times of the day of one another.

const (
	minFolded   = 20    // periods
	maxFolded   = 2500  // values of a period
	foldedFrom  = 1000  // steps
	periodSteps = 20000 // steps that are looked at
)

// inOrder returns the data with the numbers of the rows as times, where they are a table without times whose neighbouring rows are alike and something is to be chosen.
func (d trainingSet) inOrder(cfg Config) (trainingSet, error) {
	n, points, _ := d.Source.Dims()
	if d.Times != nil || d.Errors != nil || points > 1 || d.Film || cfg.Effort == EffortNone || cfg.Start != nil {
		return d, nil
	}
	y, h, err := completion.Read(d.Source)
	if err != nil || !h.RowsInOrder(y) {
		return d, err
	}
	d.run.watcher().Tell("rows that follow one another are alike: their numbers are taken as times")
	d.Times = make([]float64, n)
	for i := range d.Times {
		d.Times[i] = float64(i)
	}
	return d, nil
}

// folded returns the data with a period of a series as an example, or as they are where they show none. Each step that is not there is missing.
func (d trainingSet) folded(cfg Config) (trainingSet, *completion.Folding, error) {
	n, points, channels := d.Source.Dims()
	if cfg.Fold == Off || d.Film || d.Times == nil || d.Sequences != nil || n < foldedFrom || points*channels*completion.MinPeriod > maxFolded {
		return d, nil, nil
	}
	place, first, step := completion.Regular(d.Times)
	if place == nil {
		return d, nil, nil
	}
	steps := slices.Max(place) + 1
	y := mat.New(steps, points*channels)
	y.Fill(math.NaN())
	for i, at := range place {
		if err := d.Source.ReadExamples(y.Row(at), i, i+1); err != nil {
			return d, nil, &ReadError{From: i, To: i + 1, Err: err}
		}
	}
	period := completion.Period(y.Slice(0, min(steps, periodSteps), 0, y.Cols), min(steps/minFolded, maxFolded/y.Cols))
	if period == 0 {
		return d, nil, nil
	}
	count := (steps + period - 1) / period
	all := mat.New(count*period, y.Cols)
	all.Fill(math.NaN())
	copy(all.Data, y.Data)
	f := d
	f.Source = NewSource(all.Data, count, period*points, channels)
	within := mat.New(period, 1)
	for k := range period {
		within.Set(k, 0, float64(k))
	}
	f.Grid = Grid{within}
	if points > 1 {
		f.Grid = append(f.Grid, d.Grid...)
	}
	f.Times = make([]float64, count)
	for k := range f.Times {
		f.Times[k] = first + float64(k*period)*step
	}
	return f, &completion.Folding{Steps: period, Place: place}, nil
}
