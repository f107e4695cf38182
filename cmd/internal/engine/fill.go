package engine

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/part"
	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// Observations are partly seen examples at the training points or at others.
type Observations struct {
	*dataset.Frames
	Grid   sgplvm.Grid     // nil: the training points
	Priors []sgplvm.Latent // at the times of the examples; nil: unknown times
}

// Observed returns one of them.
func (o *Observations) Observed(i int) sgplvm.Observed {
	seen := o.Frames.Observed(i)
	seen.Grid = o.Grid
	if o.Priors != nil {
		seen.Prior = &o.Priors[i]
	}
	return seen
}

// Results says what the results of filling in hold: examples of the same form as these.
func (o *Observations) Results(m *sgplvm.Model, out, variance *Output) error {
	form := o.Form
	form.Count = o.Whole()
	if form.Type = npy.Float64; form.Scattered {
		if form.Grid = o.Grid; o.Grid == nil {
			form.Grid = m.Grid()
		}
	}
	if err := out.Holding(form, LevelsOf(&o.Form, o.Values)); err != nil {
		return err
	}
	return variance.HoldingVariances(form, Deviation(m))
}

// DataUsage, MaskUsage, KeepUsage and FilmUsage say in the help of a flag what data and what a mask may be, what outliers are, and when pictures are a film.
const (
	DataUsage = "a .npy, .npz, .nc or .csv `file`, a GIF, a PNG or JPEG picture or a folder of them"
	MaskUsage = "the mask `file` or folder: 1 or white where a value was observed, 0 or black where not"
	KeepUsage = "values far outside what all others say are data, too; by default they count as missing"
	FilmUsage = "the pictures are the frames of a film, in order, as those of an animated GIF are"
)

// LoadObserved loads partly seen examples for a model: its pictures, values at its scattered points,
// or at those in the file that the named flag takes.
func LoadObserved(f *cli.Flags, path string, m *sgplvm.Model, data, mask, grid, pointsFlag string) (*Observations, error) {
	o := new(Observations)
	var err error
	points := ""
	if pointsFlag != "" {
		points = f.Text(pointsFlag)
	}
	if points != "" {
		if o.Grid, err = loadPoints(f.Name(), pointsFlag, m, points); err != nil {
			return nil, err
		}
		o.Frames, err = dataset.LoadWith(data, dataset.SetOptions{At: o.Grid.Len(), Layout: dataset.Layout{Channels: m.Channels()}, Slice: f.Work().Slice()})
	} else if o.Frames, err = modelFrames(f, ReadOptions(f), path, m, data, grid); err == nil && o.Frames.Grid != nil && scattered(m) {
		o.Grid = o.Frames.Grid // of a long table
	}
	if err != nil {
		return nil, err
	}
	if n := o.Points(); o.Grid == nil && n != m.Grid().Len() {
		return nil, fmt.Errorf("%s: pictures of %d points, expected %d, the model's", data, n, m.Grid().Len())
	}
	if mask != "" {
		seen, err := dataset.LoadMask(mask, &o.Form)
		if err != nil {
			return nil, err
		}
		o.Frames = o.WithMask(seen)
	}
	if err := dataset.CheckNoInf(o.Frames); err != nil {
		return nil, err
	}
	if err := CheckInferring(m, InferenceOf(o.Frames)); err != nil {
		return nil, err
	}
	return o, hold(f.Work(), &o.Form, o.Frames)
}

// modelFrames loads examples of the form that the model's attributes tell, or else the flag -grid
// and the file itself, read with options.
func modelFrames(f *cli.Flags, o dataset.SetOptions, path string, m *sgplvm.Model, data, grid string) (*dataset.Frames, error) {
	if scattered(m) {
		if grid != "" {
			return nil, f.Usagef("-grid %s with a model of scattered points, expected none", grid)
		}
		if dataset.IsText(data) {
			if frames, err := dataset.LoadWith(data, o); err != nil || !frames.Table {
				return frames, err
			}
		}
		o.At, o.Channels = m.Grid().Len(), m.Channels()
		return dataset.LoadWith(data, o)
	}
	if Table(m) {
		if grid != "" {
			return nil, f.Usagef("-grid %s with a model of a table, expected none", grid)
		}
		o.Names = Names(m)
		return dataset.LoadTable(data, m.Channels(), o)
	}
	want := cli.Layout(grid, m.Channels())
	w, h, err := pictureSize(path, m)
	if err != nil {
		return nil, err
	}
	if w > 0 {
		if grid != "" && (w != want.Width || h != want.Height) {
			return nil, f.Usagef("-grid %s, expected %s, the model's", grid, dataset.FormatGrid(w, h))
		}
		want.Width, want.Height = w, h
	}
	o.Layout = want
	frames, err := dataset.LoadWith(data, o)
	if err == nil {
		err = dataset.CheckPictures(frames)
	}
	return frames, err
}

// LoadLike loads examples of a form, read as the flags say.
func LoadLike(f *cli.Flags, form *dataset.Form, path string) (*dataset.Frames, error) {
	o := ReadOptions(f)
	switch {
	case form.Scattered:
		return dataset.LoadWith(path, dataset.SetOptions{At: form.Points(), Layout: dataset.Layout{Channels: form.Channels}})
	case form.Table:
		o.Names = form.Columns
		return dataset.LoadTable(path, form.Channels, o)
	}
	o.Layout = form.Layout
	return dataset.LoadWith(path, o)
}

// LoadTruth loads the complete examples of which some of a form are seen in part.
func LoadTruth(f *cli.Flags, seen *dataset.Form, path string) (*dataset.Frames, error) {
	truth, err := LoadLike(f, seen, path)
	if err == nil && truth.Count != seen.Count {
		err = fmt.Errorf("%s: %d pictures, expected %d as in %s", path, truth.Count, seen.Count, seen.Name)
	}
	if err == nil {
		err = dataset.CheckNoInf(truth)
	}
	return truth, err
}

// filling is what one picture after the other is filled in to.
type filling struct {
	prediction sgplvm.Prediction
	latent     sgplvm.Latent
}

// fillAll fills in all examples of a form, of so many values, or those of a part of the work, several at a time. smoothed puts what the model makes of
// observed values in their place. What was made of each is in the result too.
func fillAll(ctx context.Context, e *cli.Environment, m *sgplvm.Model, form *dataset.Form, size int, read func(i int) (sgplvm.Observed, error), o sgplvm.InferOptions, smoothed bool) (*Result, []filled, error) {
	r, all := NewResult(form.Count, size), make([]filled, e.Work.Own(form.Whole()))
	rooms := sync.Pool{New: func() any { return new(filling) }}
	return r, all, part.Run(e.Work, form.Whole(), func(from, to int, put func(next int, f filled) error) error {
		if err := e.Each(ctx, Noun(m), "filled", form.Name, from, to, func(i int) error {
			seen, err := read(i - form.First)
			if err != nil {
				return err
			}
			room := rooms.Get().(*filling)
			defer rooms.Put(room)
			p := &room.prediction
			if err = m.ImputeTo(ctx, p, &room.latent, seen, o); err == nil {
				err = check(*p, seen.Values)
			}
			if err != nil {
				return err
			}
			f := &all[i-from]
			*f = filled{r.of(r.Mean, i-from), r.of(r.Variance, i-from), slices.Clone(p.Outliers), p.Conditioning == "local"}
			copy(f.Mean, p.Mean.Data)
			copy(f.Variance, p.Variance.Data)
			if smoothed {
				if *p, err = m.Predict(room.latent, nil); err == nil {
					smooth(f.Mean, f.Variance, *p)
				}
			}
			return err
		}); err != nil {
			return err
		}
		for k, f := range all {
			if err := put(from+k+1, f); err != nil {
				return err
			}
		}
		return nil
	}, func(next int, f filled) error {
		if i := next - 1; e.Work.Joins() {
			copy(r.of(r.Mean, i), f.Mean)
			copy(r.of(r.Variance, i), f.Variance)
			all[i], all[i].Mean, all[i].Variance = f, nil, nil
		}
		return nil
	})
}

// Fill fills in all pictures.
func Fill(ctx context.Context, e *cli.Environment, m *sgplvm.Model, frames *Observations, o sgplvm.InferOptions) (*Result, error) {
	r, all, err := fillAll(ctx, e, m, &frames.Form, frames.Points()*frames.Channels, func(i int) (sgplvm.Observed, error) { return frames.Observed(i), nil }, o, false)
	if err != nil {
		return nil, err
	}
	neighbourhoods := 0
	for i, f := range all {
		if f.Local {
			neighbourhoods++
		}
		if frames.Missing(i) == r.Size {
			place := fmt.Sprintf("%s %d", Noun(m), i)
			if frames.FromText() {
				place = frames.InWords(fmt.Sprintf("example %d", i))
			}
			e.Note("%s: %s: nothing observed: filled with the prediction of the prior", frames.Name, place)
		}
	}
	r.Outliers = numbered(all)
	NoteOutliers(e, &frames.Form, r.Outliers)
	if neighbourhoods > 0 {
		e.Note("%s so many observed points that each missing one was conditioned on its neighbourhood only", quote.Counted(neighbourhoods, Noun(m))+map[bool]string{true: " has", false: " have"}[neighbourhoods == 1])
	}
	return r, nil
}

// numbered returns the outliers of examples, which have their numbers.
func numbered(examples []filled) (all []sgplvm.Outlier) {
	for i, f := range examples {
		for _, v := range f.Outliers {
			v.Example = i
			all = append(all, v)
		}
	}
	return all
}

// NoteOutliers says which values counted as missing.
func NoteOutliers(e *cli.Environment, form *dataset.Form, found []sgplvm.Outlier) {
	if len(found) > 0 {
		e.Note("%s; -keep-outliers keeps such values", form.InWords(sgplvm.OutlierText(found)))
	}
}

// check refuses a prediction that is no number, or of which the variance is beyond the range of
// numbers. Where a value was seen (of the zero Matrix: nowhere) the variance may be 0.
func check(p sgplvm.Prediction, seen mat.Matrix) error {
	for i := range p.Mean.Rows {
		for c := range p.Mean.Cols {
			if v := p.Mean.At(i, c); v-v != 0 {
				return fmt.Errorf("point %d, channel %d: predicted %v, expected a finite number", i, c, v)
			}
			missing := seen.Rows == 0 || math.IsNaN(seen.At(i, c))
			if v := p.Variance.At(i, c); missing && !(v > 0 && v-v == 0) {
				return fmt.Errorf("point %d, channel %d: predicted with variance %v, expected a positive number", i, c, v)
			}
		}
	}
	return nil
}
