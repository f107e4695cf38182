package engine

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// surenessOf says how sure what was filled in is; nil: nothing was.
func surenessOf(set *dataset.Set, filled *dataset.Filled) *surenessAbout {
	var each []exampleSure
	var all []float64
	for i := range set.Count {
		if some, rms := deviations(set, filled, i); len(some) > 0 {
			each, all = append(each, exampleSure{i, cli.Number(rms)}), append(all, some...)
		}
	}
	if all == nil {
		return nil
	}
	slices.Sort(all)
	order := func(a, b exampleSure) int {
		return cmp.Or(cmp.Compare(a.Error, b.Error), cmp.Compare(a.Example, b.Example))
	}
	return &surenessAbout{cli.Number(all[len(all)/2]), cli.Number(all[len(all)*9/10]), slices.MinFunc(each, order), slices.MaxFunc(each, order), len(each)}
}

// surenessAbout says how large the standard errors of what was filled in are, and in which examples they are least and most.
type surenessAbout struct {
	Median    cli.Number  `json:"median"`
	Ninetieth cli.Number  `json:"ninetieth"` // one in ten is larger
	Surest    exampleSure `json:"surest"`
	LeastSure exampleSure `json:"leastSure"`
	examples  int
}

type exampleSure struct {
	Example int        `json:"example"`
	Error   cli.Number `json:"error"` // root mean square
}

// deviations are the standard errors of what was filled in of an example.
func deviations(set *dataset.Set, filled *dataset.Filled, example int) (all []float64, rms float64) {
	size := len(set.Values) / set.Count
	for k := example * size; k < (example+1)*size; k++ {
		if v := filled.Variance[k]; math.IsNaN(set.Values[k]) && v == v {
			all = append(all, math.Sqrt(v))
			rms += v
		}
	}
	return all, math.Sqrt(rms / float64(max(1, len(all))))
}

// sureness says how large the standard errors of what was filled in are, and in which examples they are least and most.
func (s *lines) sureness(set *dataset.Set, a *surenessAbout) {
	if a == nil || set.Table && set.Channels > 1 { // columns have units of their own
		return
	}
	s.text("standard errors of what was filled in: half of them below %.4g, one in ten above %.4g", a.Median, a.Ninetieth)
	if a.examples > 1 {
		s.text("%s", set.InWords(fmt.Sprintf("surest in example %d (%.4g), least sure in example %d (%.4g)", a.Surest.Example, a.Surest.Error, a.LeastSure.Example, a.LeastSure.Error)))
	}
}

// columnAbout tells of a column of a table.
type columnAbout struct {
	Name   string                        `json:"name"`
	Errors map[string]map[string]float64 `json:"errors,omitempty"` // beside the truth

	Missing       int        `json:"missing,omitempty"`
	StandardError cli.Number `json:"standardError,omitzero"` // of what was filled in, root mean square
	Deviation     cli.Number `json:"deviation,omitzero"`     // of what was observed
}

// columnsOf tells of each column of a table in which something was filled in; nil: it is no table.
func columnsOf(set *dataset.Set, filled *dataset.Filled) (all []columnAbout) {
	if !set.Table {
		return nil
	}
	for k := range set.Channels - set.Levels {
		a := columnAbout{Name: fmt.Sprint("column ", k+1)}
		if k < len(set.Columns) {
			a.Name = set.Columns[k]
		}
		sum := 0.
		var seen []float64
		for i := k; i < len(set.Values); i += set.Channels {
			if v := set.Values[i]; math.IsNaN(v) {
				a.Missing++
				sum += filled.Variance[i]
			} else {
				seen = append(seen, v)
			}
		}
		if a.Missing > 0 {
			a.StandardError, a.Deviation = cli.Number(math.Sqrt(sum/float64(a.Missing))), cli.Number(deviation(seen))
			all = append(all, a)
		}
	}
	return all
}

// deviation is the standard deviation of some values.
func deviation(x []float64) float64 {
	mean, squares := 0., 0.
	for i, v := range x {
		step := v - mean
		mean += step / float64(i+1)
		squares += step * (v - mean)
	}
	return math.Sqrt(squares / float64(max(1, len(x))))
}

// byColumn says how sure what was filled in is in each column of a table.
func (s *lines) byColumn(set *dataset.Set, filled *dataset.Filled) {
	all := columnsOf(set, filled)
	for k, c := range all {
		if k == mostColumns && len(all) > mostColumns+1 {
			s.text("%d more columns (-json has them all)", len(all)-k)
			break
		}
		s.text("%s: %d of %d missing, filled in with a standard error of %.3g; observed values have a standard deviation of %.3g", quote.Line(c.Name), c.Missing, set.Count, c.StandardError, c.Deviation)
	}
}

// mostColumns is how many columns of a table are told of.
const mostColumns = 20
