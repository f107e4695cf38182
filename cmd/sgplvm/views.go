package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// viewsUsage explains -view.
const viewsUsage = "a kind of data of the same examples, `NAME=FILE`, once for each: sst=sst.nc. Examples are matched by their times, or in order. -out is then "

// A view is one of several kinds of data of the same examples.
type view struct {
	name, path string

	set    *dataset.Set
	data   sgplvm.Data
	points []int // of the set that the model has
	rows   []int // the numbers of the examples that all views share
}

// views are those of the flag -view.
type views struct {
	f    *cli.Flags
	list []*view
	n    int // examples in all
}

// newViews defines the flag -view; out says what -out names with it.
func newViews(f *cli.Flags, out string) *views {
	s := &views{f: f}
	f.Func("view", viewsUsage+out, func(text string) error {
		name, path, ok := strings.Cut(text, "=")
		if !ok || path == "" || name == "" || strings.ContainsAny(name, `/\.:`) {
			return fmt.Errorf("expected NAME=FILE, with a name of letters and digits")
		}
		if slices.ContainsFunc(s.list, func(v *view) bool { return v.name == name }) {
			return fmt.Errorf("a second view %s, expected different names", name)
		}
		s.list = append(s.list, &view{name: name, path: path})
		return nil
	})
	return s
}

// given reports whether there are any.
func (s *views) given() bool { return len(s.list) > 0 }

// check refuses flags that do not go with views.
func (s *views) check(least int, flags ...string) error {
	if len(s.list) < least {
		return s.f.Usagef("%d view, expected at least %d: -view NAME=FILE for each", len(s.list), least)
	}
	return s.f.Refuse("with -view, expected one of the two", flags...)
}

// load reads the views and matches their examples. models are those of the views that are given, or nil.
func (s *views) load(e *cli.Environment, models []*sgplvm.Model) error {
	for k, v := range s.list {
		o := engine.ReadOptions(s.f)
		if models != nil {
			o.Names, o.Model = engine.Names(models[k]), models[k].Grid()
		}
		var err error
		if v.set, err = dataset.LoadSet(v.path, o); err != nil {
			return err
		}
		e.Notes("", v.set.Notes)
		v.data, v.points = v.set.Data(engine.MostScattered)
		v.data.Film = false
		if v.set.Errors != nil {
			return fmt.Errorf("%s: values with known errors, expected a view without", v.path)
		}
		if m := models; m != nil {
			if n, c := m[k].Grid().Len(), m[k].Channels(); n != len(v.points) || c != v.set.Channels {
				return fmt.Errorf("%s: %d points of %d channels, expected %d of %d as view %s of the model", v.path, len(v.points), v.set.Channels, n, c, v.name)
			}
			if err := engine.CheckInferring(m[k], engine.Inference{Examples: v.set.Count, Values: v.set.Count * len(v.points) * v.set.Channels}); err != nil {
				return err
			}
		}
	}
	return s.match(e)
}

// match finds which examples of the views are the same: by their times where all views have some, else by their order.
func (s *views) match(e *cli.Environment) error {
	first := s.list[0]
	timed := !slices.ContainsFunc(s.list, func(v *view) bool { return v.data.Times == nil })
	if !timed {
		for _, v := range s.list {
			if v.set.Count != first.set.Count {
				return fmt.Errorf("%s has %d examples, %s %d, and not both have times to match them by: expected as many, in one order", first.path, first.set.Count, v.path, v.set.Count)
			}
			v.data.Times = nil // whose examples another view may have at others
		}
		if len(s.list) > 1 {
			e.Note("examples are matched in their order: not all views have times")
		}
		s.n = first.set.Count
		return nil
	}
	var at []float64 // of each example, in the unit of the first view
	step := math.Inf(1)
	times := make([][]float64, len(s.list))
	for k, v := range s.list {
		if (v.set.Units == nil) != (first.set.Units == nil) {
			return fmt.Errorf("%s and %s: dates in one and numbers for times in the other, which cannot be matched: expected the same in both", first.path, v.path)
		}
		for i, t := range v.data.Times {
			if v != first && v.set.Units != nil {
				var err error
				if t, err = first.set.Units.Time(v.set.Units.Date(t)); err != nil {
					return fmt.Errorf("%s: times in %s, expected those of a calendar that %s has", v.path, v.set.Units, first.path)
				}
			}
			times[k] = append(times[k], t)
			for _, other := range times[k][:i] {
				step = min(step, math.Abs(t-other))
			}
		}
	}
	for k, v := range s.list {
		for _, t := range times[k] {
			i := slices.IndexFunc(at, func(u float64) bool { return math.Abs(t-u) < step/2 })
			if i < 0 {
				i, at = len(at), append(at, t)
			}
			if slices.Contains(v.rows, i) {
				return fmt.Errorf("%s: two examples at one time, expected each once", v.path)
			}
			v.rows = append(v.rows, i)
		}
	}
	for _, v := range s.list {
		if alone := len(at) - len(v.rows); alone > 0 {
			e.Note("%s: %d of %d times of all views are not in it", v.path, alone, len(at))
		}
	}
	s.n = len(at)
	return nil
}

// begin reads configuration and views, and returns these as package sgplvm takes them.
func (s *views) begin(e *cli.Environment, choice *choiceFlags) (all []sgplvm.View, cfg sgplvm.Config, err error) {
	if cfg, err = choice.read(); err != nil {
		return nil, cfg, err
	}
	if err := s.load(e, nil); err != nil {
		return nil, cfg, err
	}
	for _, v := range s.list {
		form := v.set.Form
		form.Scattered = form.Scattered || len(v.points) < v.set.Points()
		attributes, err := engine.Attributes(&form, v.data.Source)
		if err != nil {
			return nil, cfg, err
		}
		all = append(all, sgplvm.View{Name: v.name, Data: v.data, Rows: v.rows, Attributes: attributes})
	}
	return all, cfg, engine.CheckViews(all, cfg)
}
